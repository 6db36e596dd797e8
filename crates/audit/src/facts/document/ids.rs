//! Elements by their id.

use html::NodeId;

use super::element::Element;
use super::parsed::Document;

impl Document {
    /// The first element of an id (DOM §4.2.4), of any namespace; contents of templates are no part of the document.
    pub fn by_id(&self, id: &str) -> Option<Element<'_>> {
        let sorted = self.sorted_by_id();
        let at = sorted.partition_point(|node| self.own_id(*node) < id);
        sorted.get(at).filter(|node| self.own_id(**node) == id).and_then(|node| self.element(*node))
    }

    /// Elements with an id that is not empty, of any namespace: by their id, and those of one id in document order.
    pub(crate) fn elements_by_id(&self) -> impl Iterator<Item = (&str, Element<'_>)> {
        self.sorted_by_id().iter().filter_map(|node| Some((self.own_id(*node), self.element(*node)?)))
    }

    fn own_id(&self, node: NodeId) -> &str {
        self.element(node).and_then(|element| element.attribute("id")).unwrap_or_default()
    }

    fn sorted_by_id(&self) -> &[NodeId] {
        self.with_id.get_or_init(|| {
            let with_id = |element: Element<'_>| Some((self.own_id(element.id()), element.id()));
            let mut all: Vec<(&str, NodeId)> =
                self.elements().filter_map(with_id).filter(|(id, _)| !id.is_empty()).collect();
            all.sort_by_key(|(id, _)| *id);
            all.into_iter().map(|(_, node)| node).collect()
        })
    }
}
