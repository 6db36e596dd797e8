//! The schema.org nodes of a page, across its blocks: their types, what they are part of, and what is known of them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use super::tree::{Member, TreeKind, ValueTree};
use crate::facts::schema_org::Lookup;

/// Nodes of one `@id` that are looked at together.
const MOST_OF_ONE_ID: usize = 8;
/// Values looked at for one page. Real pages stay below a hundredth of it; past it nothing more is told.
const MOST_WORK: u32 = 1_000_000;
/// Properties through which a node is what the page or its list is about, not a detail of another node.
const LEADING: [&str; 4] = ["mainEntity", "itemListElement", "item", "breadcrumb"];

/// Those through which it is one of several.
const LISTING: [&str; 2] = ["itemListElement", "item"];

/// Index of a node.
pub(crate) type NodeIndex = usize;

/// One object that describes something.
#[derive(Debug)]
pub(crate) struct GraphNode<'t> {
    /// Position of its block among those that were read.
    pub(crate) block: usize,
    /// Its object.
    pub(crate) tree: &'t ValueTree,
    /// Its types, without the vocabulary's address.
    pub(crate) types: Vec<&'t str>,
    /// What it is a part of: the other node, and the property there. By nesting, or by its `@id`.
    pub(crate) within: Vec<(NodeIndex, &'t str)>,
    /// The last of the values of its property.
    pub(crate) is_last: bool,
    /// At the root of its block, or a member of the root's `@graph`.
    pub(crate) is_root: bool,
}

/// All nodes of blocks whose context is schema.org.
#[derive(Debug)]
pub(crate) struct Graph<'t> {
    pub(crate) nodes: Vec<GraphNode<'t>>,
    by_id: BTreeMap<&'t str, Vec<NodeIndex>>,
    /// How many nodes of a type lead.
    leading: BTreeMap<&'t str, usize>,
    work: Cell<u32>,
    vocabulary: RefCell<Lookup<'t>>,
}

/// A name without the address or prefix of the vocabulary.
pub(crate) fn local(name: &str) -> &str {
    ["https://schema.org/", "http://schema.org/", "schema:"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(name)
}

impl<'t> Graph<'t> {
    pub(crate) fn read(blocks: impl IntoIterator<Item = &'t ValueTree>) -> Self {
        let mut graph = Self {
            nodes: Vec::new(),
            by_id: BTreeMap::new(),
            leading: BTreeMap::new(),
            work: Cell::new(0),
            vocabulary: RefCell::default(),
        };
        for (block, tree) in blocks.into_iter().enumerate() {
            for root in tree.each().iter().filter(|root| is_schema_org(root)) {
                graph.visit(root, &Position { block, parent: None, is_last: true, is_root: true });
            }
        }
        graph.follow_references();
        let mut leading: BTreeMap<&str, usize> = BTreeMap::new();
        for kind in graph.nodes.iter().filter(|node| graph.leads(node)).flat_map(|node| &node.types) {
            *leading.entry(kind).or_default() += 1;
        }
        graph.leading = leading;
        graph
    }

    fn visit(&mut self, tree: &'t ValueTree, position: &Position<'t>) {
        let Some(members) = tree.members() else { return };
        let index = self.nodes.len();
        if let Some(id) = id(members) {
            self.by_id.entry(id).or_default().push(index);
        }
        self.nodes.push(GraphNode {
            block: position.block,
            tree,
            types: types(members),
            within: position.parent.into_iter().collect(),
            is_last: position.is_last,
            is_root: position.is_root,
        });
        for member in members.iter().filter(|member| member.name != "@context") {
            let is_graph = member.name == "@graph";
            let parent = (!is_graph).then_some((index, local(&member.name)));
            let values = member.value.each();
            for (at, value) in values.iter().enumerate() {
                let is_root = is_graph && position.is_root;
                let below = Position { parent, is_last: at + 1 == values.len(), is_root, ..*position };
                self.visit(value, &below);
            }
        }
    }

    /// A node that is only named at its place belongs there as if it were written there.
    fn follow_references(&mut self) {
        let mut found: Vec<(NodeIndex, (NodeIndex, &'t str))> = Vec::new();
        for node in self.nodes.iter().filter(|node| is_reference(node.tree)) {
            let Some(parent) = node.within.first() else { continue };
            let targets = node.tree.members().and_then(id).and_then(|id| self.by_id.get(id));
            let described = targets.into_iter().flatten().take(MOST_OF_ONE_ID).copied();
            found.extend(described.map(|target| (target, *parent)));
        }
        for (target, parent) in found {
            let Some(node) = self.nodes.get_mut(target) else { continue };
            if node.within.len() < MOST_OF_ONE_ID && !node.within.contains(&parent) {
                node.within.push(parent);
            }
        }
    }

    /// Lets another check look at as many values as the one before.
    pub(crate) fn start_over(&self) {
        self.work.set(0);
    }

    /// Whether a node leads: the page or its list is about it.
    pub(crate) fn leads(&self, node: &GraphNode<'_>) -> bool {
        node.is_root || node.within.iter().any(|(_, property)| LEADING.contains(property))
    }

    /// Whether a node is of one of some types, or of one below them.
    pub(crate) fn is_any(&self, node: &GraphNode<'t>, wanted: &[&str]) -> bool {
        node.types.iter().any(|kind| self.vocabulary.borrow_mut().is_any(kind, wanted))
    }

    /// Whether the vocabulary has a property for one of a node's types.
    pub(crate) fn may_have(&self, node: &GraphNode<'t>, property: &str) -> bool {
        node.types.iter().any(|kind| self.vocabulary.borrow_mut().has(kind, property))
    }

    /// Whether the page is about a node alone: it leads, is no member of a list, and no other like it leads.
    pub(crate) fn is_subject(&self, node: &GraphNode<'_>) -> bool {
        let is_listed = |node: &GraphNode<'_>| node.within.iter().any(|(_, property)| LISTING.contains(property));
        let is_alone = |kind: &&str| self.leading.get(kind).is_none_or(|count| *count < 2);
        self.leads(node) && !is_listed(node) && node.types.iter().all(is_alone)
    }

    /// What is found at a path of property names, starting at a node.
    pub(crate) fn look(&self, node: &'t ValueTree, path: &str) -> PathValue<'t> {
        self.look_for(node, path, &|_| true)
    }

    /// The same for a value that `fits`.
    pub(crate) fn look_for(&self, node: &'t ValueTree, path: &str, fits: &dyn Fn(&ValueTree) -> bool) -> PathValue<'t> {
        let (step, rest) = path.split_once('.').map_or((path, None), |(step, rest)| (step, Some(rest)));
        let mut found = PathValue::Absent;
        for member in self.described(node).into_iter().filter_map(ValueTree::members).flatten() {
            self.work.set(self.work.get().saturating_add(1));
            if self.work.get() > MOST_WORK {
                return PathValue::Unknown;
            }
            if local(&member.name) != step {
                continue;
            }
            for value in member.value.each().iter().filter(|value| !is_empty(value)) {
                match rest.map_or(PathValue::Value(value), |rest| self.look_into(value, rest, fits)) {
                    PathValue::Value(value) if rest.is_some() || fits(value) => return PathValue::Value(value),
                    PathValue::Value(_) => {}
                    PathValue::Unknown => found = PathValue::Unknown,
                    PathValue::Absent => {}
                }
            }
        }
        found
    }

    /// The same for a value that a path leads through.
    fn look_into(&self, value: &'t ValueTree, rest: &str, fits: &dyn Fn(&ValueTree) -> bool) -> PathValue<'t> {
        match &value.kind {
            // Only its type is known of it.
            TreeKind::Object(_) if rest != "@type" && self.is_undescribed(value) => PathValue::Unknown,
            TreeKind::Object(_) => self.look_for(value, rest, fits),
            // A text where a thing is expected is its name (schema.org, data model), or the address of a place.
            TreeKind::Text(text) if rest == "address" || rest == "name" && !text.contains("://") => {
                PathValue::Value(value)
            }
            _ => PathValue::Absent,
        }
    }

    /// How many values a property of a node has.
    pub(crate) fn count(&self, node: &'t ValueTree, property: &str) -> usize {
        let members = self.described(node).into_iter().filter_map(ValueTree::members).flatten();
        let named = members.filter(|member| local(&member.name) == property);
        named.flat_map(|member| member.value.each()).filter(|value| !is_empty(value)).count()
    }

    /// Whether an object only names a thing that the page nowhere describes.
    pub(crate) fn is_undescribed(&self, node: &'t ValueTree) -> bool {
        self.described(node).into_iter().all(is_reference)
    }

    /// Every object that describes the same thing: the node's own, then others of its `@id`.
    fn described(&self, node: &'t ValueTree) -> Vec<&'t ValueTree> {
        let same = node.members().and_then(id).and_then(|id| self.by_id.get(id)).map(Vec::as_slice).unwrap_or_default();
        let others = same.iter().take(MOST_OF_ONE_ID).filter_map(|index| Some(self.nodes.get(*index)?.tree));
        std::iter::once(node).chain(others.filter(|other| !std::ptr::eq(*other, node))).collect()
    }
}

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathValue<'t> {
    /// Nothing, or nothing but an empty value.
    Absent,
    /// The path leads through a thing that is only named here.
    Unknown,
    /// The first value.
    Value(&'t ValueTree),
}

#[derive(Clone, Copy)]
struct Position<'t> {
    block: usize,
    parent: Option<(NodeIndex, &'t str)>,
    is_last: bool,
    is_root: bool,
}

/// Whether an object's context names schema.org.
fn is_schema_org(root: &ValueTree) -> bool {
    let is_name = |value: &ValueTree| {
        let name = value
            .text()
            .and_then(|text| text.split_once("://"))
            .filter(|(scheme, _)| matches!(*scheme, "http" | "https"));
        name.is_some_and(|(_, rest)| rest.trim_start_matches("www.").starts_with("schema.org"))
    };
    let mut contexts = root.members().into_iter().flatten().filter(|member| member.name == "@context");
    contexts.any(|context| {
        context.value.each().iter().any(|one| match one.members() {
            Some(members) => members.iter().any(|member| is_name(&member.value)),
            None => is_name(one),
        })
    })
}

pub(crate) fn id(members: &[Member]) -> Option<&str> {
    members.iter().find(|member| member.name == "@id")?.value.text()
}

fn types(members: &[Member]) -> Vec<&str> {
    let declared = members.iter().filter(|member| member.name == "@type");
    declared.flat_map(|member| member.value.each()).filter_map(ValueTree::text).map(local).collect()
}

/// Whether an object has nothing but its `@id` and type.
pub(crate) fn is_reference(node: &ValueTree) -> bool {
    let members = node.members().unwrap_or_default();
    id(members).is_some() && members.iter().all(|member| matches!(member.name.as_str(), "@id" | "@type"))
}

/// An empty value says as much as none.
fn is_empty(value: &ValueTree) -> bool {
    match &value.kind {
        TreeKind::Text(text) => text.trim().is_empty(),
        TreeKind::Object(members) => members.is_empty(),
        TreeKind::Array(values) => values.is_empty(),
        TreeKind::Null => true,
        TreeKind::Number(_) | TreeKind::Bool(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r##"{"@context":["https://schema.org/",{"x":"y"}],"@graph":[
        {"@type":["WebPage","schema:ItemPage"],"@id":"#page","mainEntity":{"@id":"#bread"},"isPartOf":{"@id":"#site"},
         "breadcrumb":{"@type":"BreadcrumbList","itemListElement":[{"@type":"ListItem"},{"@type":"ListItem"}]}},
        {"@type":"Product","@id":"#bread","name":" ","brand":"Mill","image":"https://e.com/a","offers":[{},{"schema:price":0}]},
        {"@id":"#bread","sku":"1","review":null}]}"##;

    #[test]
    fn nodes_know_their_place_by_nesting_and_by_reference() {
        let tree = ValueTree::read(PAGE).unwrap();
        let graph = Graph::read([&tree]);
        let of = |kind: &str| graph.nodes.iter().find(|node| node.types.contains(&kind)).unwrap();
        let parents = |kind: &str| {
            of(kind).within.iter().map(|(parent, property)| (graph.nodes[*parent].types.clone(), *property)).collect()
        };
        let product: Vec<(Vec<&str>, &str)> = parents("Product");
        assert_eq!(product, [(vec!["WebPage", "ItemPage"], "mainEntity")]);
        assert!(
            graph.leads(of("Product"))
                && graph.leads(of("BreadcrumbList"))
                && !graph.leads(&graph.nodes[graph.nodes.len() - 2])
        );
        let last: Vec<bool> =
            graph.nodes.iter().filter(|node| node.types == ["ListItem"]).map(|node| node.is_last).collect();
        assert_eq!(last, [false, true]);
    }

    #[test]
    fn a_path_finds_values_through_lists_and_other_descriptions_of_the_thing() {
        let tree = ValueTree::read(PAGE).unwrap();
        let graph = Graph::read([&tree]);
        let of = |kind: &str| graph.nodes.iter().find(|node| node.types.contains(&kind)).unwrap().tree;
        let found = |kind: &str, path: &str| matches!(graph.look(of(kind), path), PathValue::Value(_));
        for path in ["offers.price", "brand.name", "sku", "offers"] {
            assert!(found("Product", path), "{path}");
        }
        for path in ["name", "review", "image.name", "offers.name", "brand.logo"] {
            assert_eq!(graph.look(of("Product"), path), PathValue::Absent, "{path}");
        }
        assert!(found("WebPage", "mainEntity.brand.name"));
        assert_eq!(graph.look(of("WebPage"), "isPartOf.name"), PathValue::Unknown);
    }

    #[test]
    fn blocks_of_another_vocabulary_are_none_of_ours() {
        for source in [r#"{"@type":"Product"}"#, r#"{"@context":"https://example.com/schema.org","@type":"Product"}"#] {
            let tree = ValueTree::read(source).unwrap();
            assert!(Graph::read([&tree]).nodes.is_empty(), "{source}");
        }
        let tree = ValueTree::read(r#"{"@context":{"@vocab":"http://www.schema.org"},"@type":"Product"}"#).unwrap();
        assert_eq!(Graph::read([&tree]).nodes.len(), 1);
    }

    #[test]
    fn many_lists_of_references_end_with_the_budget() {
        let references = format!("[{}]", vec![r##"{"@id":"#a"}"##; 3_000].join(","));
        let source = format!(r##"{{"@context":"https://schema.org","@id":"#a","x":{references}}}"##);
        let tree = ValueTree::read(&source).unwrap();
        let graph = Graph::read([&tree]);
        assert_eq!(graph.look(&tree, "x.x.x.x.y"), PathValue::Unknown);
    }
}
