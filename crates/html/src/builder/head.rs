//! From the start of the document to its body (WHATWG HTML §13.2.6.4.1 to .6).

use super::{Builder, Content, Doctype, Flow, InsertionMode, Location, NodeId, Quirks, TagId, TagToken};
use crate::arena::Arena;
use crate::names::Trait;

/// Public identifiers, in lower case, that ask for quirks, when they start so.
const QUIRKY: [&str; 55] = [
    "+//silmaril//dtd html pro v0r11 19970101//",
    "-//as//dtd html 3.0 aswedit + extensions//",
    "-//advasoft ltd//dtd html 3.0 aswedit + extensions//",
    "-//ietf//dtd html 2.0 level 1//",
    "-//ietf//dtd html 2.0 level 2//",
    "-//ietf//dtd html 2.0 strict level 1//",
    "-//ietf//dtd html 2.0 strict level 2//",
    "-//ietf//dtd html 2.0 strict//",
    "-//ietf//dtd html 2.0//",
    "-//ietf//dtd html 2.1e//",
    "-//ietf//dtd html 3.0//",
    "-//ietf//dtd html 3.2 final//",
    "-//ietf//dtd html 3.2//",
    "-//ietf//dtd html 3//",
    "-//ietf//dtd html level 0//",
    "-//ietf//dtd html level 1//",
    "-//ietf//dtd html level 2//",
    "-//ietf//dtd html level 3//",
    "-//ietf//dtd html strict level 0//",
    "-//ietf//dtd html strict level 1//",
    "-//ietf//dtd html strict level 2//",
    "-//ietf//dtd html strict level 3//",
    "-//ietf//dtd html strict//",
    "-//ietf//dtd html//",
    "-//metrius//dtd metrius presentational//",
    "-//microsoft//dtd internet explorer 2.0 html strict//",
    "-//microsoft//dtd internet explorer 2.0 html//",
    "-//microsoft//dtd internet explorer 2.0 tables//",
    "-//microsoft//dtd internet explorer 3.0 html strict//",
    "-//microsoft//dtd internet explorer 3.0 html//",
    "-//microsoft//dtd internet explorer 3.0 tables//",
    "-//netscape comm. corp.//dtd html//",
    "-//netscape comm. corp.//dtd strict html//",
    "-//o'reilly and associates//dtd html 2.0//",
    "-//o'reilly and associates//dtd html extended 1.0//",
    "-//o'reilly and associates//dtd html extended relaxed 1.0//",
    "-//sq//dtd html 2.0 hotmetal + extensions//",
    "-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//",
    "-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//",
    "-//spyglass//dtd html 2.0 extended//",
    "-//sun microsystems corp.//dtd hotjava html//",
    "-//sun microsystems corp.//dtd hotjava strict html//",
    "-//w3c//dtd html 3 1995-03-24//",
    "-//w3c//dtd html 3.2 draft//",
    "-//w3c//dtd html 3.2 final//",
    "-//w3c//dtd html 3.2//",
    "-//w3c//dtd html 3.2s draft//",
    "-//w3c//dtd html 4.0 frameset//",
    "-//w3c//dtd html 4.0 transitional//",
    "-//w3c//dtd html experimental 19960712//",
    "-//w3c//dtd html experimental 970421//",
    "-//w3c//dtd w3 html//",
    "-//w3o//dtd w3 html 3.0//",
    "-//webtechs//dtd mozilla html 2.0//",
    "-//webtechs//dtd mozilla html//",
];
/// Whole public identifiers that do.
const QUIRKY_WHOLE: [&str; 3] = ["-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html"];
/// A whole system identifier that does.
const QUIRKY_SYSTEM: &str = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd";
/// Starts of public identifiers that ask for quirks without a system identifier, and for limited quirks with one.
const DEPENDING: [&str; 2] = ["-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//"];
/// Starts of public identifiers that ask for limited quirks.
const LIMITED: [&str; 2] = ["-//w3c//dtd xhtml 1.0 frameset//", "-//w3c//dtd xhtml 1.0 transitional//"];

/// The rendering mode that a doctype asks for (§13.2.6.4.1).
pub(super) fn quirks_of(doctype: &Doctype, arena: &Arena, source: &str) -> Quirks {
    let text = |run: Option<crate::arena::SourceRun>| run.map(|run| arena.text(source, run).to_ascii_lowercase());
    let public = text(doctype.public);
    let system = text(doctype.system);
    let starts =
        |list: &[&str]| public.as_deref().is_some_and(|public| list.iter().any(|start| public.starts_with(start)));
    let is_quirky = doctype.forces_quirks
        || text(doctype.name).as_deref() != Some("html")
        || public.as_deref().is_some_and(|public| QUIRKY_WHOLE.contains(&public))
        || system.as_deref() == Some(QUIRKY_SYSTEM)
        || starts(&QUIRKY)
        || (system.is_none() && starts(&DEPENDING));
    if is_quirky {
        Quirks::Full
    } else if starts(&LIMITED) || starts(&DEPENDING) {
        Quirks::Limited
    } else {
        Quirks::No
    }
}

impl Builder<'_> {
    /// Anything but a doctype, a comment or white space at the very start.
    pub(super) fn leave_initial(&mut self) -> Flow {
        self.quirks = Quirks::Full;
        self.mode = InsertionMode::BeforeHtml;
        Flow::Again
    }

    pub(super) fn leave_before_html(&mut self) -> Flow {
        self.insert_implied(TagId::HTML);
        self.mode = InsertionMode::BeforeHead;
        Flow::Again
    }

    pub(super) fn leave_before_head(&mut self) -> Flow {
        self.head = Some(self.insert_implied(TagId::HEAD));
        self.mode = InsertionMode::InHead;
        Flow::Again
    }

    pub(super) fn leave_head(&mut self) -> Flow {
        self.pop();
        self.mode = InsertionMode::AfterHead;
        Flow::Again
    }

    pub(super) fn leave_head_noscript(&mut self) -> Flow {
        self.pop();
        self.mode = InsertionMode::InHead;
        Flow::Again
    }

    pub(super) fn leave_after_head(&mut self) -> Flow {
        self.insert_implied(TagId::BODY);
        self.mode = InsertionMode::InBody;
        Flow::Again
    }

    pub(super) fn start_before_html(&mut self, tag: &TagToken) -> Flow {
        if tag.name != TagId::HTML {
            return self.leave_before_html();
        }
        let open = self.create(tag, super::Namespace::Html);
        self.insert_open(Location::last_in(NodeId::DOCUMENT), open);
        self.mode = InsertionMode::BeforeHead;
        Flow::Done
    }

    pub(super) fn end_before_html(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            TagId::HEAD | TagId::BODY | TagId::HTML | TagId::BR => self.leave_before_html(),
            _ => Flow::Done,
        }
    }

    pub(super) fn start_before_head(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            TagId::HTML => self.start_in_body(tag),
            TagId::HEAD => {
                self.head = Some(self.insert(tag));
                self.mode = InsertionMode::InHead;
                Flow::Done
            }
            _ => self.leave_before_head(),
        }
    }

    pub(super) fn end_before_head(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            TagId::HEAD | TagId::BODY | TagId::HTML | TagId::BR => self.leave_before_head(),
            _ => Flow::Done,
        }
    }

    pub(super) fn start_in_head(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            TagId::HTML => return self.start_in_body(tag),
            TagId::BASE | TagId::BASEFONT | TagId::BGSOUND | TagId::LINK | TagId::META => self.insert_void(tag),
            TagId::TITLE => self.insert_raw(tag, Content::Rcdata),
            TagId::NOSCRIPT if !self.options.scripting => {
                self.insert(tag);
                self.mode = InsertionMode::InHeadNoscript;
            }
            TagId::NOSCRIPT | TagId::NOFRAMES | TagId::STYLE => self.insert_raw(tag, Content::Rawtext),
            TagId::SCRIPT => self.insert_raw(tag, Content::Script),
            TagId::TEMPLATE => self.start_template(tag),
            TagId::HEAD => {}
            _ => return self.leave_head(),
        }
        Flow::Done
    }

    pub(super) fn end_in_head(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            TagId::HEAD => {
                self.mark_end(self.stack.current().node);
                self.pop();
                self.mode = InsertionMode::AfterHead;
                Flow::Done
            }
            TagId::BODY | TagId::HTML | TagId::BR => self.leave_head(),
            TagId::TEMPLATE => {
                self.end_template();
                Flow::Done
            }
            _ => Flow::Done,
        }
    }

    pub(super) fn start_in_head_noscript(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            TagId::HTML => self.start_in_body(tag),
            TagId::BASEFONT | TagId::BGSOUND | TagId::LINK | TagId::META | TagId::NOFRAMES | TagId::STYLE => {
                self.start_in_head(tag)
            }
            TagId::HEAD | TagId::NOSCRIPT => Flow::Done,
            _ => self.leave_head_noscript(),
        }
    }

    pub(super) fn end_in_head_noscript(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            TagId::NOSCRIPT => {
                self.mark_end(self.stack.current().node);
                self.leave_head_noscript();
                Flow::Done
            }
            TagId::BR => self.leave_head_noscript(),
            _ => Flow::Done,
        }
    }

    pub(super) fn start_after_head(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            TagId::HTML => return self.start_in_body(tag),
            TagId::BODY => {
                self.insert(tag);
                self.frameset_ok = false;
                self.mode = InsertionMode::InBody;
            }
            TagId::FRAMESET => {
                self.insert(tag);
                self.mode = InsertionMode::InFrameset;
            }
            name if name.has(Trait::METADATA) => self.start_in_head_again(tag),
            TagId::HEAD => {}
            _ => return self.leave_after_head(),
        }
        Flow::Done
    }

    /// Metadata after the end of the head goes into it all the same.
    fn start_in_head_again(&mut self, tag: &TagToken) {
        let Some(head) = self.head else { return };
        let at = self.stack.len();
        self.push(super::Open {
            node: head,
            tag: TagId::HEAD,
            namespace: super::Namespace::Html,
            integration: super::Integration::None,
        });
        self.start_in_head(tag);
        self.remove_open(at);
    }

    pub(super) fn end_after_head(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            TagId::TEMPLATE => {
                self.end_template();
                Flow::Done
            }
            TagId::BODY | TagId::HTML | TagId::BR => self.leave_after_head(),
            _ => Flow::Done,
        }
    }

    /// Takes an element off the stack, wherever on it.
    pub(super) fn remove_open(&mut self, at: usize) {
        self.nodes.set(self.stack.get(at).node, super::Flag::OPEN, false);
        let steps = self.stack.rebuild(at, |tail| {
            tail.remove(0);
        });
        self.count(steps);
    }
}
