//! Start tags in the body (WHATWG HTML §13.2.6.4.7).

use super::stack::Bound;
use super::{Builder, Content, Flow, InsertionMode, Namespace, Quirks, TagId, TagToken};
use crate::names::{AttributeId, Trait};

impl Builder<'_> {
    // Longer than a screen: the list of start tags of "in body", in the order of the standard.
    pub(super) fn start_in_body(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            TagId::HTML => {
                if self.stack.top(TagId::TEMPLATE).is_none() {
                    self.merge_attributes(self.stack.get(0).node, tag);
                }
            }
            name if name.has(Trait::METADATA) => return self.start_in_head(tag),
            TagId::BODY => {
                let body = self.stack.get(1);
                if body.is_html(TagId::BODY) && self.stack.top(TagId::TEMPLATE).is_none() {
                    self.frameset_ok = false;
                    self.merge_attributes(body.node, tag);
                }
            }
            TagId::FRAMESET => self.start_frameset_for_body(tag),
            name if name == TagId::P || name.has(Trait::BLOCK) => self.insert_block(tag),
            TagId::H1 | TagId::H2 | TagId::H3 | TagId::H4 | TagId::H5 | TagId::H6 => {
                self.close_p_in_button_scope();
                let current = self.stack.current();
                if current.namespace == Namespace::Html && current.tag.is_heading() {
                    self.pop();
                }
                self.insert(tag);
            }
            TagId::PRE | TagId::LISTING => {
                self.insert_block(tag);
                self.skips_line_feed = true;
                self.frameset_ok = false;
            }
            TagId::FORM => self.start_form(tag),
            TagId::LI | TagId::DD | TagId::DT => self.start_item(tag),
            TagId::PLAINTEXT => {
                self.insert_block(tag);
                self.content = Content::Plaintext;
            }
            TagId::BUTTON => {
                if let Some(at) = self.stack.within(Bound::Scope, TagId::BUTTON) {
                    self.pop_to(at);
                }
                self.reconstruct_formatting();
                self.insert(tag);
                self.frameset_ok = false;
            }
            TagId::A => {
                if let Some((_, node)) = self.formatting.last_of(TagId::A) {
                    self.adopt(TagId::A);
                    self.forget(node, TagId::A);
                }
                self.start_formatting(tag);
            }
            TagId::NOBR => {
                self.reconstruct_formatting();
                if self.stack.within(Bound::Scope, TagId::NOBR).is_some() {
                    self.adopt(TagId::NOBR);
                }
                self.start_formatting(tag);
            }
            name if name.has(Trait::FORMATTING) => self.start_formatting(tag),
            TagId::APPLET | TagId::MARQUEE | TagId::OBJECT => {
                self.reconstruct_formatting();
                self.insert(tag);
                self.formatting.push_marker();
                self.frameset_ok = false;
            }
            TagId::TABLE => {
                if let Some(at) = self.stack.within(Bound::Button, TagId::P) {
                    self.has_table_in_paragraph = true;
                    if self.quirks != Quirks::Full {
                        self.pop_to(at);
                    }
                }
                self.insert(tag);
                self.frameset_ok = false;
                self.mode = InsertionMode::InTable;
            }
            TagId::AREA | TagId::BR | TagId::EMBED | TagId::IMG | TagId::KEYGEN | TagId::WBR => {
                self.reconstruct_formatting();
                self.insert_void(tag);
                self.frameset_ok = false;
            }
            TagId::IMAGE => return self.start_in_body(&TagToken { name: TagId::IMG, ..*tag }),
            TagId::INPUT => {
                if let Some(at) = self.stack.within(Bound::Scope, TagId::SELECT) {
                    self.pop_to(at);
                }
                self.reconstruct_formatting();
                let input = self.insert(tag);
                self.pop();
                if !self.is_hidden_input(input) {
                    self.frameset_ok = false;
                }
            }
            TagId::PARAM | TagId::SOURCE | TagId::TRACK => self.insert_void(tag),
            TagId::HR => {
                self.close_p_in_button_scope();
                if self.stack.within(Bound::Scope, TagId::SELECT).is_some() {
                    self.imply_end_tags(None);
                }
                self.insert_void(tag);
                self.frameset_ok = false;
            }
            TagId::TEXTAREA => {
                self.insert_raw(tag, Content::Rcdata);
                self.skips_line_feed = true;
                self.frameset_ok = false;
            }
            TagId::XMP => {
                self.close_p_in_button_scope();
                self.reconstruct_formatting();
                self.frameset_ok = false;
                self.insert_raw(tag, Content::Rawtext);
            }
            TagId::IFRAME => {
                self.frameset_ok = false;
                self.insert_raw(tag, Content::Rawtext);
            }
            TagId::NOEMBED => self.insert_raw(tag, Content::Rawtext),
            TagId::NOSCRIPT if self.options.scripting => self.insert_raw(tag, Content::Rawtext),
            TagId::SELECT => {
                if let Some(at) = self.stack.within(Bound::Scope, TagId::SELECT) {
                    self.pop_to(at);
                } else {
                    self.reconstruct_formatting();
                    let select = self.insert(tag);
                    self.select_opened(select);
                    self.frameset_ok = false;
                }
            }
            TagId::SELECTEDCONTENT => {
                self.reconstruct_formatting();
                let element = self.insert(tag);
                self.selected_content_opened(element);
            }
            TagId::OPTION | TagId::OPTGROUP => self.start_option(tag),
            TagId::RB | TagId::RTC | TagId::RP | TagId::RT => {
                if self.stack.within(Bound::Scope, TagId::RUBY).is_some() {
                    let but = matches!(tag.name, TagId::RP | TagId::RT).then_some(TagId::RTC);
                    self.imply_end_tags(but);
                }
                self.insert(tag);
            }
            TagId::MATH => self.start_embedded(tag, Namespace::MathMl),
            TagId::SVG => self.start_embedded(tag, Namespace::Svg),
            TagId::FRAME | TagId::HEAD => {}
            name if name.has(Trait::TABLE_PART) => {}
            _ => {
                self.reconstruct_formatting();
                self.insert(tag);
            }
        }
        Flow::Done
    }

    fn insert_block(&mut self, tag: &TagToken) {
        self.close_p_in_button_scope();
        self.insert(tag);
    }

    pub(super) fn close_p_in_button_scope(&mut self) {
        if let Some(at) = self.stack.within(Bound::Button, TagId::P) {
            self.pop_to(at);
        }
    }

    fn start_form(&mut self, tag: &TagToken) {
        let in_template = self.stack.top(TagId::TEMPLATE).is_some();
        if self.form.is_some() && !in_template {
            return;
        }
        self.close_p_in_button_scope();
        let form = self.insert(tag);
        if !in_template {
            self.form = Some(form);
        }
    }

    /// `li`, `dd` and `dt` close the item that is open in the same list.
    fn start_item(&mut self, tag: &TagToken) {
        self.frameset_ok = false;
        if let Some(at) = self.stack.bound(Bound::Item) {
            let nearest = self.stack.get(at);
            let is_item = |name: TagId| nearest.is_html(name);
            let closes = match tag.name {
                TagId::LI => is_item(TagId::LI),
                _ => is_item(TagId::DD) || is_item(TagId::DT),
            };
            if closes {
                self.pop_to(at);
            }
        }
        self.insert_block(tag);
    }

    fn start_formatting(&mut self, tag: &TagToken) {
        self.reconstruct_formatting();
        let node = self.insert(tag);
        self.push_formatting(node, tag.name);
    }

    pub(super) fn is_hidden_input(&self, input: super::NodeId) -> bool {
        self.attribute(input, AttributeId::TYPE).is_some_and(|kind| kind.eq_ignore_ascii_case("hidden"))
    }

    fn start_option(&mut self, tag: &TagToken) {
        if self.stack.within(Bound::Scope, TagId::SELECT).is_some() {
            self.imply_end_tags((tag.name == TagId::OPTION).then_some(TagId::OPTGROUP));
        } else if self.stack.current().is_html(TagId::OPTION) {
            self.pop();
        }
        self.reconstruct_formatting();
        let element = self.insert(tag);
        if tag.name == TagId::OPTION {
            self.option_opened(element);
        }
    }

    /// `math` and `svg`.
    fn start_embedded(&mut self, tag: &TagToken, namespace: Namespace) {
        self.reconstruct_formatting();
        self.insert_in(tag, namespace);
        if tag.is_self_closing {
            self.pop();
        }
    }
}
