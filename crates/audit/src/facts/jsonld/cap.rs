//! The cap on nodes: of a block the first ones are kept, in the order of its text. A node is a root object or a member of a
//! root array; of one that has a `@graph`, each object in it instead.

use serde_json::Value;

use super::tree::{TreeKind, ValueTree};

/// Keeps the first `most` nodes of a parsed block; how many it had.
pub(super) fn keep(block: &mut Value, most: usize) -> usize {
    let mut cap = NodeCap { count: 0, most };
    match block {
        Value::Array(roots) => roots.retain_mut(|root| cap.keeps_root(root)),
        root => drop(cap.keeps_root(root)),
    }
    cap.count
}

/// The same of its tree.
pub(super) fn keep_of_tree(block: &mut ValueTree, most: usize) {
    let mut cap = NodeCap { count: 0, most };
    match &mut block.kind {
        TreeKind::Array(roots) => roots.retain_mut(|root| cap.keeps_root_of_tree(root)),
        _ => drop(cap.keeps_root_of_tree(block)),
    }
}

/// Nodes of a block so far, and how many are kept.
struct NodeCap {
    count: usize,
    most: usize,
}

impl NodeCap {
    /// Counts one node; whether it is kept.
    fn keeps(&mut self) -> bool {
        self.count += 1;
        self.count <= self.most
    }

    fn keeps_root(&mut self, root: &mut Value) -> bool {
        let Value::Object(members) = root else { return true };
        let Some(Value::Array(graph)) = members.get_mut("@graph") else { return self.keeps() };
        graph.retain(|member| !member.is_object() || self.keeps());
        self.count <= self.most || !graph.is_empty()
    }

    fn keeps_root_of_tree(&mut self, root: &mut ValueTree) -> bool {
        let TreeKind::Object(members) = &mut root.kind else { return true };
        // As a map has it, of two members with one name the last.
        let graph =
            members.iter_mut().rev().find(|member| member.name == "@graph").map(|member| &mut member.value.kind);
        let Some(TreeKind::Array(graph)) = graph else { return self.keeps() };
        graph.retain(|member| !matches!(member.kind, TreeKind::Object(_)) || self.keeps());
        self.count <= self.most || !graph.is_empty()
    }
}
