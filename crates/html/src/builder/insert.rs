//! Creating and inserting nodes (WHATWG HTML §13.2.6.1), and taking elements off the stack.

use super::{
    Builder, Content, Flag, InsertionMode, Integration, Kind, Location, Namespace, Node, NodeId, Open, TagId, TagToken,
};
use crate::arena::NONE;
use crate::names::{AttributeId, Trait};

impl Builder<'_> {
    /// "The appropriate place for inserting a node".
    pub(super) fn place(&self) -> Location {
        self.place_in(self.stack.current())
    }

    /// The same, with an override target.
    pub(super) fn place_in(&self, target: Open) -> Location {
        let place = if self.fosters(target) { self.foster_place() } else { Location::last_in(target.node) };
        self.within_contents(place)
    }

    fn fosters(&self, target: Open) -> bool {
        self.fostering && target.namespace == Namespace::Html && target.tag.has(Trait::FOSTERING)
    }

    /// A place in a template is in its contents.
    fn within_contents(&self, place: Location) -> Location {
        let node = self.nodes.get(place.parent);
        if node.kind == Kind::Element && node.tag == TagId::TEMPLATE && node.namespace == Namespace::Html {
            if node.has(Flag::FILLING) {
                return self.filled_place(place.parent).unwrap_or(place);
            }
            return self.nodes.fragment(place.parent).map_or(place, Location::last_in);
        }
        place
    }

    fn foster_place(&self) -> Location {
        let template = self.stack.top(TagId::TEMPLATE);
        let Some(table) = self.stack.top(TagId::TABLE) else {
            let at = template.unwrap_or(0);
            return Location::last_in(self.stack.get(at).node);
        };
        if let Some(template) = template.filter(|template| *template > table) {
            return Location::last_in(self.stack.get(template).node);
        }
        let node = self.stack.get(table).node;
        match self.nodes.get(node).parent.some() {
            Some(parent) => Location { parent, before: Some(node) },
            None => Location::last_in(self.stack.get(table.saturating_sub(1)).node),
        }
    }

    /// Where a new node other than text goes: the appropriate place, but past the deepest level beside its parent (as
    /// Chromium does).
    pub(super) fn bounded_place(&mut self) -> Location {
        let current = self.stack.current();
        if self.stack.len() < self.options.limits.depth as usize || self.fosters(current) {
            return self.place();
        }
        let node = self.nodes.get(current.node);
        // The template of a shadow root is beside nothing.
        let Some(parent) = node.parent.some().filter(|_| !node.has(Flag::SHADOW_ROOT)) else { return self.place() };
        self.cut.depth = true;
        self.within_contents(Location::last_in(parent))
    }

    /// An element for a start tag, in no place yet.
    pub(super) fn create(&mut self, tag: &TagToken, namespace: Namespace) -> Open {
        self.attributes_kept = true;
        let mut node = Node::new(Kind::Element);
        (node.start, node.end) = (tag.start, tag.end);
        (node.attributes, node.attribute_count) = (tag.attributes, tag.attribute_count);
        node.attribute_names = tag.attribute_names;
        (node.tag, node.namespace) = (tag.name, namespace);
        self.create_node(node)
    }

    fn create_node(&mut self, node: Node) -> Open {
        let (tag, namespace) = (node.tag, node.namespace);
        let node = self.nodes.add(node);
        if namespace == Namespace::Html && tag == TagId::TEMPLATE {
            self.nodes.add_fragment(node);
        }
        let integration = self.integration_of(node);
        Open { node, tag, namespace, integration }
    }

    fn integration_of(&self, id: NodeId) -> Integration {
        let node = self.nodes.get(id);
        match (node.namespace, node.tag) {
            (Namespace::Svg, TagId::FOREIGN_OBJECT | TagId::DESC | TagId::TITLE) => Integration::Html,
            (Namespace::MathMl, TagId::MI | TagId::MO | TagId::MN | TagId::MS | TagId::MTEXT) => {
                Integration::MathMlText
            }
            (Namespace::MathMl, TagId::ANNOTATION_XML) => {
                let encoding = self.attribute(id, AttributeId::ENCODING).unwrap_or_default();
                let is_html =
                    ["text/html", "application/xhtml+xml"].iter().any(|kind| encoding.eq_ignore_ascii_case(kind));
                if is_html { Integration::Html } else { Integration::None }
            }
            _ => Integration::None,
        }
    }

    /// Value of an element's attribute.
    pub(super) fn attribute(&self, id: NodeId, name: AttributeId) -> Option<&str> {
        let node = self.nodes.get(id);
        let start = node.attributes as usize;
        let all = self.arena.attributes.get(start..start + usize::from(node.attribute_count))?;
        let found = all.iter().find(|attribute| attribute.id == name)?;
        Some(if found.value.start == NONE { "" } else { self.arena.text(self.source, found.value) })
    }

    /// "Insert an HTML element" for a token.
    pub(super) fn insert(&mut self, tag: &TagToken) -> NodeId {
        self.insert_in(tag, Namespace::Html)
    }

    /// "Insert a foreign element".
    pub(super) fn insert_in(&mut self, tag: &TagToken, namespace: Namespace) -> NodeId {
        let place = self.bounded_place();
        let open = self.create(tag, namespace);
        self.insert_open(place, open)
    }

    /// An element that no tag stands for.
    pub(super) fn insert_implied(&mut self, tag: TagId) -> NodeId {
        let place = if tag == TagId::HTML { Location::last_in(NodeId::DOCUMENT) } else { self.bounded_place() };
        let mut node = Node::new(Kind::Element);
        node.tag = tag;
        let open = self.create_node(node);
        self.insert_open(place, open)
    }

    pub(super) fn insert_open(&mut self, place: Location, open: Open) -> NodeId {
        self.nodes.insert(place, open.node);
        self.push(open);
        open.node
    }

    /// An element that is open and closed at once: a void one, or `/>` outside HTML.
    pub(super) fn insert_void(&mut self, tag: &TagToken) {
        self.insert(tag);
        self.pop();
    }

    pub(super) fn push(&mut self, open: Open) {
        self.nodes.set(open.node, Flag::OPEN, true);
        self.stack.push(open);
    }

    /// Pops the current node.
    pub(super) fn pop(&mut self) {
        let Some(open) = self.stack.pop() else { return };
        self.nodes.set(open.node, Flag::OPEN, false);
        if !self.selects.is_empty() && open.namespace == Namespace::Html {
            match open.tag {
                TagId::OPTION => self.option_closed(open.node),
                TagId::SELECT => self.select_closed(open.node),
                _ => {}
            }
        }
    }

    /// Pops down to an entry, and that.
    pub(super) fn pop_to(&mut self, at: usize) {
        while self.stack.len() > at {
            self.pop();
        }
    }

    /// The same, because of the end tag in hand, which belongs to that entry.
    pub(super) fn close(&mut self, at: usize) {
        self.mark_end(self.stack.get(at).node);
        self.pop_to(at);
    }

    /// Gives the end tag in hand to an element.
    pub(super) fn mark_end(&mut self, node: NodeId) {
        let end_tag = self.end_tag;
        if end_tag.0 != NONE {
            self.nodes.change(node, |node| node.end_tag = end_tag);
        }
    }

    /// "Generate implied end tags", but of one name. Where an element is closed next, they need not be asked for.
    pub(super) fn imply_end_tags(&mut self, but: Option<TagId>) {
        loop {
            let current = self.stack.current();
            let is_implied = current.namespace == Namespace::Html && current.tag.has(Trait::IMPLIED_END);
            if !is_implied || Some(current.tag) == but {
                return;
            }
            self.pop();
        }
    }

    /// "Generic raw text" and "RCDATA element parsing algorithm" (§13.2.6.2).
    pub(super) fn insert_raw(&mut self, tag: &TagToken, content: Content) {
        self.insert(tag);
        self.begin_text(content);
    }

    pub(super) fn begin_text(&mut self, content: Content) {
        self.content = content;
        self.original_mode = self.mode;
        self.mode = InsertionMode::Text;
    }

    /// The end of raw text: by its end tag, or with the source.
    pub(super) fn leave_text(&mut self, by_end_tag: bool) {
        if by_end_tag {
            self.mark_end(self.stack.current().node);
        }
        self.pop();
        self.mode = self.original_mode;
    }

    /// Gives an element the attributes of a token that it has not yet: `html` and `body` met again.
    pub(super) fn merge_attributes(&mut self, id: NodeId, tag: &TagToken) {
        let node = self.nodes.get(id);
        let (old, count) = (node.attributes as usize, usize::from(node.attribute_count));
        let limit = usize::from(self.options.limits.attributes);
        let source = self.source;
        let has = |arena: &crate::arena::Arena, name: &str| {
            let all = arena.attributes.get(old..old + count).unwrap_or_default();
            all.iter().any(|attribute| arena.attribute_name(source, attribute) == name)
        };
        let mut more = Vec::new();
        for attribute in self.arena.attributes.get(tag.attributes as usize..tag.end_of_attributes()).unwrap_or_default()
        {
            if !has(&self.arena, self.arena.attribute_name(source, attribute)) {
                if count + more.len() >= limit {
                    self.cut.attributes = true;
                    break;
                }
                more.push(*attribute);
            }
        }
        self.count(count as u64 * u64::from(tag.attribute_count.max(1)));
        self.attributes_kept = true;
        self.arena.attributes.truncate(tag.attributes as usize);
        if more.is_empty() {
            return;
        }
        let start = crate::arena::narrow(self.arena.attributes.len());
        self.arena.attributes.extend_from_within(old..old + count);
        self.arena.attributes.extend(more);
        let count = crate::arena::narrow(self.arena.attributes.len()) - start;
        self.nodes.change(id, |node| {
            (node.attributes, node.attribute_count) = (start, u16::try_from(count).unwrap_or(u16::MAX));
            node.attribute_names |= tag.attribute_names;
        });
    }
}
