//! A block with more members, everything else in it as it is written.

use std::ops::Range;

use serde_json::{Map, Value};

use super::tree::{TreeKind, ValueTree};

/// Bytes of a text, and what is to stand there.
pub(crate) type Insertion = (Range<usize>, String);

/// A text with some of it replaced. Of two that overlap the first counts.
pub(crate) fn spliced(text: &str, mut splices: Vec<Insertion>) -> String {
    splices.sort_by_key(|(span, _)| span.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (span, new) in splices {
        let Some(before) = text.get(at..span.start) else { continue };
        out.push_str(before);
        out.push_str(&new);
        at = span.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// What some nodes of a block get, by path.
#[derive(Debug, Default)]
pub(crate) struct Additions<'t> {
    nodes: Vec<(&'t ValueTree, Map<String, Value>)>,
}

impl<'t> Additions<'t> {
    /// Adds a text at a path below a node. Nodes come in their order.
    pub(crate) fn add(&mut self, node: &'t ValueTree, path: &str, text: String) {
        if self.nodes.last().is_none_or(|(known, _)| !std::ptr::eq(*known, node)) {
            self.nodes.push((node, Map::new()));
        }
        let Some((_, members)) = self.nodes.last_mut() else { return };
        insert(members, path, text);
    }

    /// The block's text with all of it.
    pub(crate) fn apply(&self, text: &str) -> String {
        let mut splices: Vec<Insertion> = Vec::new();
        self.nodes.iter().for_each(|(node, members)| extend(node, members, &mut splices));
        spliced(text, splices)
    }

    /// The additions alone, each with its node's type.
    pub(crate) fn alone(&self) -> String {
        let typed = self.nodes.iter().map(|(node, members)| {
            let types = node.members().into_iter().flatten().find(|member| member.name == "@type");
            let kind = types
                .and_then(|types| types.value.each().first()?.text())
                .map(|kind| ("@type".to_owned(), kind.into()));
            Value::Object(kind.into_iter().chain(members.clone()).collect()).to_string()
        });
        typed.collect::<Vec<_>>().join("\n")
    }
}

fn insert(members: &mut Map<String, Value>, path: &str, text: String) {
    match path.split_once('.') {
        None => {
            members.entry(path).or_insert(text.into());
        }
        Some((step, rest)) => {
            if let Value::Object(below) = members.entry(step).or_insert_with(|| Map::new().into()) {
                insert(below, rest, text);
            }
        }
    }
}

/// The changes that give an object some members: new ones in front, those below an existing one inside it.
fn extend(node: &ValueTree, additions: &Map<String, Value>, splices: &mut Vec<Insertion>) {
    let TreeKind::Object(members) = &node.kind else { return };
    let mut new = String::new();
    for (name, value) in additions {
        let entry = |value: &Value| format!("{}: {value}", Value::from(name.as_str()));
        let known = members.iter().rev().find(|member| super::graph::local(&member.name) == name);
        match (known.map(|member| &member.value), value) {
            (Some(known), Value::Object(below)) => {
                let object = known.each().iter().find(|value| value.members().is_some());
                match object {
                    Some(object) => extend(object, below, splices),
                    // A text where a thing belongs stays as the name of the thing.
                    None => {
                        let mut thing = below.clone();
                        if let Some(name) = known.text().filter(|name| !name.trim().is_empty()) {
                            thing.insert("name".to_owned(), name.into());
                        }
                        splices.push((known.span.clone(), Value::Object(thing).to_string()));
                    }
                }
            }
            // A list with too few gets one more; an empty value gives way.
            (Some(known), value) => match &known.kind {
                TreeKind::Array(values) => {
                    let comma = if values.is_empty() { "" } else { ", " };
                    let end = known.span.end.saturating_sub(1);
                    splices.push((end..end, format!("{comma}{value}")));
                }
                TreeKind::Object(_) => {
                    splices.push((known.span.start..known.span.start, "[".to_owned()));
                    splices.push((known.span.end..known.span.end, format!(", {value}]")));
                }
                _ => splices.push((known.span.clone(), value.to_string())),
            },
            (None, value) => {
                new.push_str(&entry(value));
                new.push_str(", ");
            }
        }
    }
    let after_brace = node.span.start + 1;
    if members.is_empty() {
        new.truncate(new.trim_end_matches(", ").len());
    }
    if !new.is_empty() {
        splices.push((after_brace..after_brace, new));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_added_and_all_else_stays_as_written() {
        let source = r#"{"@type":"A",  "x": {"y" : 1.50}, "z": "name", "e": {}, "l": [1, {"m":2}], "n":""}"#;
        let tree = ValueTree::read(source).unwrap();
        let mut additions = Additions::default();
        for path in ["a", "x.b", "x.c.d", "z.b", "e.b", "l.b", "n", "a"] {
            additions.add(&tree, path, "{{V}}".to_owned());
        }
        assert_eq!(
            additions.apply(source),
            r#"{"a": "{{V}}", "@type":"A",  "x": {"b": "{{V}}", "c": {"d":"{{V}}"}, "y" : 1.50}, "z": {"b":"{{V}}","name":"name"}, "e": {"b": "{{V}}"}, "l": [1, {"b": "{{V}}", "m":2}], "n":"{{V}}"}"#
        );
        let lists = r#"{"a":[{"x":1}],"b":[],"c":{"x":1}}"#;
        let tree = ValueTree::read(lists).unwrap();
        let mut more = Additions::default();
        ["a", "b", "c"].iter().for_each(|path| more.add(&tree, path, "{{V}}".to_owned()));
        more.add(tree.members().unwrap()[0].value.each().first().unwrap(), "y", "{{Y}}".to_owned());
        assert_eq!(more.apply(lists), r#"{"a":[{"y": "{{Y}}", "x":1}, "{{V}}"],"b":["{{V}}"],"c":[{"x":1}, "{{V}}"]}"#);
        let tree = ValueTree::read(source).unwrap();
        let mut one = Additions::default();
        one.add(&tree, "x.b", "</script>".to_owned());
        assert_eq!(one.alone(), r#"{"@type":"A","x":{"b":"</script>"}}"#);
    }
}
