//! Declarative shadow roots (WHATWG HTML §13.2.6.4.4, start tag "template").

use super::{Builder, Flag, Kind, Namespace, NodeId, TagId, TagToken};
use crate::names::AttributeId;

/// Elements of known names that can have a shadow root (DOM §4.9, "valid shadow host name"); custom elements can, too.
const HOSTS: [TagId; 18] = [
    TagId::ARTICLE,
    TagId::ASIDE,
    TagId::BLOCKQUOTE,
    TagId::BODY,
    TagId::DIV,
    TagId::FOOTER,
    TagId::H1,
    TagId::H2,
    TagId::H3,
    TagId::H4,
    TagId::H5,
    TagId::H6,
    TagId::HEADER,
    TagId::MAIN,
    TagId::NAV,
    TagId::P,
    TagId::SECTION,
    TagId::SPAN,
];
/// Names with a hyphen that are no custom elements (HTML §4.13.3, "valid custom element name").
const RESERVED: [&str; 8] = [
    "annotation-xml",
    "color-profile",
    "font-face",
    "font-face-format",
    "font-face-name",
    "font-face-src",
    "font-face-uri",
    "missing-glyph",
];

impl Builder<'_> {
    /// Inserts a template, or makes it the shadow root of the current node.
    pub(super) fn insert_template(&mut self, tag: &TagToken) {
        let host = self.stack.current();
        let open = self.create(tag, Namespace::Html);
        let mode = self.attribute(open.node, AttributeId::SHADOW_ROOT_MODE).unwrap_or_default();
        let is_declared = ["open", "closed"].iter().any(|known| mode.eq_ignore_ascii_case(known));
        let is_root = is_declared && self.stack.len() > 1 && self.can_host(host.node);
        if !is_root && self.begin_filling(open.node) {
            return self.push(open);
        }
        if !is_root {
            let place = self.bounded_place();
            self.insert_open(place, open);
            return;
        }
        self.nodes.set(host.node, Flag::SHADOW_HOST, true);
        self.nodes.change(open.node, |node| {
            node.parent = host.node;
            node.set(Flag::SHADOW_ROOT, true);
        });
        self.push(open);
    }

    fn can_host(&self, id: NodeId) -> bool {
        let node = self.nodes.get(id);
        if node.kind != Kind::Element || node.namespace != Namespace::Html || node.has(Flag::SHADOW_HOST) {
            return false;
        }
        HOSTS.contains(&node.tag) || is_custom(self.arena.own_name(self.source, node.tag))
    }
}

fn is_custom(name: &str) -> bool {
    // Every name of a tag starts with a letter, which is read in lower case.
    name.contains('-') && !RESERVED.contains(&name)
}
