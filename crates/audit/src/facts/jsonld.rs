//! JSON-LD blocks: what parses, what it holds, and what does not parse, with its place.

mod cap;
pub(crate) mod complete;
pub(crate) mod context;
pub(crate) mod graph;
pub(crate) mod placeholder;
mod reason;
mod repair;
pub(crate) mod rich_results;
pub(crate) mod texts;
pub(crate) mod tree;
pub(crate) mod value;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use model::finding::Place;
use model::lang::{Phrase, Text, text};
use model::report::Cut;
use serde_json::{Map, Value};

use super::document::{Document, NodeId};

pub use repair::repaired;
use tree::{LARGEST_BLOCK, ValueTree};

/// Blocks read of one page.
const MOST_BLOCKS: usize = 100;
/// Bytes of all blocks kept in a report, which has 1 MiB.
const KEPT_BYTES: usize = 256 * 1024;
/// Nodes that are looked at; those past them are counted and dropped.
const MOST_NODES: usize = 50;

/// Characters of a member's name that a reason shows.
const SHOWN_CHARACTERS: usize = 60;

const TWICE: Text = text("\"{name}\" appears twice", "\"{name}\" aparece duas vezes");
const TOO_LONG: Text = text("the block is larger than {bytes:size}", "o bloco tem mais de {bytes:size}");
const NO_OBJECT: Text = text("the root is not an object", "a raiz não é um objeto");

/// The JSON-LD of a page. What is large of it is shared with the page that has the same blocks elsewhere.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JsonLd {
    /// Blocks that parsed, with the index of their element.
    pub blocks: Arc<Vec<(usize, Value)>>,
    /// The same blocks as they are written.
    pub(crate) written: Vec<Written>,
    /// Blocks that did not, or whose root is no object or array of objects.
    pub errors: Vec<BlockError>,
    /// What the blocks that did not parse plainly mean.
    pub(crate) mended: Arc<Vec<Value>>,
    /// Of blocks that parsed, the first name that an object has twice: readers differ in which value they take.
    pub duplicates: Vec<BlockError>,
    /// Root objects, members of root arrays and of `@graph`: all of them, dropped ones too.
    pub count: usize,
    /// There are more than [`MOST_NODES`]: the rest is in none of the other fields but `for_report`.
    pub dropped: bool,
    /// `@type` values in order, nested ones too, each once.
    pub types: Vec<String>,
    /// Blocks within the size that a report keeps.
    pub for_report: Arc<Vec<Value>>,
    /// What was cut.
    pub cuts: Vec<Cut>,
}

/// A block that parsed, as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Written {
    /// Index of its element among the JSON-LD scripts.
    pub(crate) block: usize,
    /// Where its text begins in the page's source.
    pub(crate) start: usize,
    /// Its text.
    pub(crate) text: Arc<str>,
    /// Its values with their places in the text.
    pub(crate) tree: Arc<ValueTree>,
}

impl Written {
    /// A part of the block, as evidence; its script, where the source holds the block in other words. `scripts`: the
    /// JSON-LD scripts of the document.
    pub(crate) fn place(&self, document: &Document, scripts: &[NodeId], span: &Range<usize>) -> Option<Place> {
        let script = document.element(*scripts.get(self.block)?)?;
        if !self.is_in_source(document) {
            return Some(script.place());
        }
        let place = document.place_of(self.start + span.start..self.start + span.end);
        Some(Place { selector: Some(script.selector()), ..place })
    }

    /// Whether the page's source holds the block as it was read; else a change of a part of it would miss its place.
    pub(crate) fn is_in_source(&self, document: &Document) -> bool {
        document.source().get(self.start..self.start + self.text.len()) == Some(&*self.text)
    }
}

/// A block that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockError {
    /// Index of its element among the JSON-LD scripts.
    pub block: usize,
    /// Byte offset of the defect in the page's source.
    pub offset: usize,
    /// What is wrong there: a clause without a full stop.
    pub reason: Phrase,
}

impl JsonLd {
    /// Reads the blocks: their text, and where it begins in the source. Nothing is fetched, whatever a context names.
    pub fn read(blocks: &[(Cow<'_, str>, usize)]) -> Self {
        let mut out = Self::default();
        let mut kept_bytes = 0;
        let mut known_types = BTreeSet::new();
        for (index, (text, start)) in blocks.iter().enumerate().take(MOST_BLOCKS) {
            match parse(text) {
                Ok(mut value) => {
                    kept_bytes += text.len();
                    if kept_bytes <= KEPT_BYTES {
                        Arc::make_mut(&mut out.for_report).push(value.clone());
                    }
                    let left = MOST_NODES.saturating_sub(out.count);
                    let nodes = cap::keep(&mut value, left);
                    out.count += nodes;
                    out.dropped |= nodes > left;
                    // A block of which nothing is kept is none; one without nodes is kept.
                    if left == 0 && nodes > 0 {
                        continue;
                    }
                    collect_types(&value, &mut out.types, &mut known_types);
                    Arc::make_mut(&mut out.blocks).push((index, value));
                    out.keep_written(index, text, *start, left);
                }
                Err((at, reason)) => {
                    let mended = repaired(text).and_then(|json| serde_json::from_str::<Value>(&json).ok());
                    Arc::make_mut(&mut out.mended).extend(mended);
                    out.errors.push(BlockError { block: index, offset: start + at, reason });
                }
            }
        }
        let too_large = blocks.iter().take(MOST_BLOCKS).any(|(text, _)| text.len() > LARGEST_BLOCK);
        if kept_bytes > KEPT_BYTES || blocks.len() > MOST_BLOCKS || too_large {
            out.cuts.push(Cut::JsonldSize);
        }
        if out.dropped {
            out.cuts.push(Cut::JsonldNodesOver50);
        }
        out
    }

    /// Whether both are certainly of the same blocks, wherever those begin.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.blocks, &other.blocks) && Arc::ptr_eq(&self.mended, &other.mended)
    }

    /// The same blocks in a source in which they begin elsewhere.
    pub(crate) fn moved(&self, from: &[usize], to: &[usize]) -> Self {
        let mut out = self.clone();
        let start = |starts: &[usize], block: usize| starts.get(block).copied().unwrap_or_default();
        for written in &mut out.written {
            written.start = start(to, written.block);
        }
        for error in out.errors.iter_mut().chain(&mut out.duplicates) {
            error.offset = error.offset - start(from, error.block) + start(to, error.block);
        }
        out
    }

    fn keep_written(&mut self, block: usize, text: &str, start: usize, left: usize) {
        let Some(mut tree) = ValueTree::read(text) else { return };
        cap::keep_of_tree(&mut tree, left);
        self.duplicates.extend(tree.duplicate().map(|(at, name)| BlockError {
            block,
            offset: start + at,
            reason: TWICE.phrase(&[("name", name.chars().take(SHOWN_CHARACTERS).collect::<String>().into())]),
        }));
        self.written.push(Written { block, start, text: text.into(), tree: Arc::new(tree) });
    }

    /// Every object, those of repaired blocks too: for what a fix takes over, which no other fix may change.
    pub(crate) fn nodes_as_meant(&self) -> Vec<&Map<String, Value>> {
        let mut out = self.nodes();
        self.mended.iter().for_each(|block| visit(block, &mut |node| out.push(node)));
        out
    }

    /// Every object of every block, outermost first.
    pub fn nodes(&self) -> Vec<&Map<String, Value>> {
        let mut out = Vec::new();
        for (_, block) in self.blocks.iter() {
            visit(block, &mut |node| out.push(node));
        }
        out
    }
}

/// A block as JSON, or the byte offset of the defect in it and what it is. An empty block is no defect of syntax.
fn parse(text: &str) -> Result<Value, (usize, Phrase)> {
    if text.len() > LARGEST_BLOCK {
        return Err((0, TOO_LONG.phrase(&[("bytes", LARGEST_BLOCK.into())])));
    }
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        let plain = message.split(" at line ").next().unwrap_or(&message);
        (offset(text, error.line(), error.column()), reason::of_parser(plain))
    })?;
    let objects = match &value {
        Value::Object(_) => true,
        Value::Array(members) => members.iter().all(Value::is_object),
        _ => false,
    };
    if objects { Ok(value) } else { Err((0, NO_OBJECT.into())) }
}

/// Byte offset of a 1-based line and column (in bytes) of a text.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (before + column.saturating_sub(1)).min(text.len())
}

/// Visits every object of a value. The parser allows 127 levels, so the stack holds.
pub(in crate::facts) fn visit<'v>(value: &'v Value, seen: &mut impl FnMut(&'v Map<String, Value>)) {
    match value {
        Value::Object(fields) => {
            seen(fields);
            fields.values().for_each(|field| visit(field, seen));
        }
        Value::Array(members) => members.iter().for_each(|member| visit(member, seen)),
        _ => {}
    }
}

fn collect_types(value: &Value, types: &mut Vec<String>, known: &mut BTreeSet<String>) {
    visit(value, &mut |node| {
        for name in types_of(node) {
            if !known.contains(name) {
                known.insert(name.to_owned());
                types.push(name.to_owned());
            }
        }
    });
}

/// The `@type` values of a node.
pub fn types_of(node: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let (one, many) = match node.get("@type") {
        Some(Value::String(name)) => (Some(name.as_str()), None),
        Some(Value::Array(names)) => (None, Some(names)),
        _ => (None, None),
    };
    one.into_iter().chain(many.into_iter().flatten().filter_map(Value::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(texts: &[&str]) -> JsonLd {
        JsonLd::read(&texts.iter().map(|text| (Cow::Borrowed(*text), 100)).collect::<Vec<_>>())
    }

    #[test]
    fn nodes_and_types_are_counted_through_arrays_and_graphs() {
        let read = read(&[
            r#"{"@type":"WebPage","author":{"@type":["Person","Author"]}}"#,
            r#"[{"@type":"A"},{"@graph":[{"@type":"B"},{"@type":"A"},"x"]}]"#,
        ]);
        assert_eq!(read.count, 4);
        assert_eq!(read.types, ["WebPage", "Person", "Author", "A", "B"]);
        assert!(read.errors.is_empty());
    }

    #[test]
    fn a_defect_is_told_with_its_place_in_the_page() {
        let read = read(&["{\n \"a\": 1,\n}", "\"text\"", "{}"]);
        assert_eq!(read.errors.first().map(|error| (error.block, error.offset)), Some((0, 111)));
        assert_eq!(read.errors.get(1).map(|error| error.block), Some(1));
        assert_eq!(read.blocks.len(), 1);
    }

    #[test]
    fn a_name_that_comes_twice_is_told_of_a_block_that_is_read_all_the_same() {
        let read = read(&["{\"a\":1,\"a\":2}"]);
        assert_eq!((read.count, read.errors.len()), (1, 0));
        let twice = read.duplicates.first().map(|twice| (twice.offset, twice.reason.en.as_str()));
        assert_eq!(twice, Some((107, "\"a\" appears twice")));
    }

    #[test]
    fn nodes_past_the_cap_are_counted_dropped_and_told() {
        let array = |types: std::ops::Range<usize>| {
            format!("[{}]", types.map(|n| format!("{{\"@type\":\"T{n}\"}}")).collect::<Vec<_>>().join(","))
        };
        let graph = format!("{{\"@context\":\"https://schema.org\",\"@graph\":{}}}", array(0..60));
        let beside = format!("[{{\"@type\":\"T0\"}},{{\"@graph\":{}}}]", array(1..60));
        for (texts, count) in [
            (vec![array(0..60)], 60),
            (vec![graph], 60),
            (vec![array(0..30), array(30..70), array(70..80)], 80),
            (vec![beside], 60),
        ] {
            let read = read(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!((read.count, read.dropped, read.cuts.as_slice()), (count, true, &[Cut::JsonldNodesOver50][..]));
            assert_eq!(read.types.len(), 50);
            assert_eq!(read.types.last().map(String::as_str), Some("T49"));
            let typed = |node: &&Map<String, Value>| node.contains_key("@type");
            assert_eq!(read.nodes().iter().filter(|node| typed(node)).count(), 50);
            let written: usize = read.written.iter().map(|block| typed_objects(&block.tree)).sum();
            assert_eq!(written, 50);
            // The blocks themselves are shown as they were found.
            assert_eq!(read.for_report.len(), texts.len());
        }
        let fitting = read(&[&array(0..50)]);
        assert_eq!((fitting.count, fitting.dropped, fitting.types.len()), (50, false, 50));
    }

    fn typed_objects(tree: &ValueTree) -> usize {
        let own = tree.members().is_some_and(|members| members.iter().any(|member| member.name == "@type"));
        let below: usize = match &tree.kind {
            tree::TreeKind::Object(members) => members.iter().map(|member| typed_objects(&member.value)).sum(),
            tree::TreeKind::Array(values) => values.iter().map(typed_objects).sum(),
            _ => 0,
        };
        usize::from(own) + below
    }

    #[test]
    fn deep_and_odd_input_is_an_error_and_no_panic() {
        for text in [&"[".repeat(100_000), "{\"a\":NaN}", "{\"a\":\"\\ud800\"}", "<!-- {} -->"] {
            assert_eq!(read(&[text]).errors.len(), 1, "{}", &text[..10.min(text.len())]);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[\\[\\]{}\":,a1é \\n]{0,60}") {
            let _read = read(&[&text]);
        }
    }
}
