//! Merging changes of one source: attributes of one element into one edit, nothing twice, nothing overlapping.

use std::borrow::Borrow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use model::fix::FixTarget;
use model::patch::Edit;

use super::source::PageSource;
use crate::escape;
use crate::facts::document::{Document, NodeId, WrittenAttribute, attributes_of, insertion_point};
use crate::fix::{DraftEdit, FixChange};

/// Source characters taken along by an insertion, so that its `original` is something to find.
const ANCHOR_CHARACTERS: usize = 40;

/// Room for what a change adds to a tag, in bytes; more is made where it is not enough.
const ADDED_TO_TAG: usize = 64;

impl FixChange {
    /// An upper bound of the bytes that a change adds to the source.
    pub(super) fn most_bytes_added(&self) -> usize {
        match self {
            Self::SetAttribute { name, value, .. } => name.len() + escape::attribute_length(value) + 4,
            Self::SetContent { content, .. } => content.len(),
            Self::InsertBefore { html, .. } | Self::InsertInside { html, .. } => html.len(),
            Self::Replace { text, span } => text.len().saturating_sub(span.len()),
            Self::RemoveAttribute { .. } | Self::Remove { .. } => 0,
        }
    }
}

/// One replacement of a span.
#[derive(Debug, Clone)]
pub(crate) struct Splice<'c> {
    /// Bytes of the decoded source; empty for an insertion.
    pub(crate) span: Range<usize>,
    /// What comes there, as the file's encoding can hold it.
    pub(crate) text: String,
    pub(super) code: &'c str,
    pub(super) also: Vec<&'c str>,
    pub(super) target: FixTarget,
}

/// What changes of the source come to: in its order, apart from each other, each a real change.
pub(crate) fn apart<'c>(page: PageSource<'_>, changes: &[(&'c str, impl Borrow<DraftEdit>)]) -> Vec<Splice<'c>> {
    let document = page.document();
    let mut splices = splices(document, changes);
    // At one place insertions first, in their order; then outermost first, so that what lies inside a removed or rewritten
    // element is dropped with it.
    splices.sort_by_key(|splice| (splice.span.start, !splice.span.is_empty(), Reverse(splice.span.end)));
    let mut apart: Vec<Splice<'c>> = Vec::new();
    for splice in splices {
        match apart.last_mut() {
            Some(last) if last.span.is_empty() && last.span.start == splice.span.start => {
                last.text.push_str(&splice.text);
                last.span = splice.span;
                let others = std::iter::once(splice.code).chain(splice.also);
                last.also.extend(others.filter(|code| *code != last.code));
            }
            Some(last) if splice.span.start < last.span.end => {}
            _ => apart.push(splice),
        }
    }
    for splice in &mut apart {
        let in_script = !splice.text.is_ascii() && page.is_in_script(splice.span.start);
        splice.text = page.written(std::mem::take(&mut splice.text), in_script);
    }
    apart.retain(|splice| document.source().get(splice.span.clone()).is_some_and(|original| original != splice.text));
    apart
}

/// The edits of a patch, in source order.
pub(super) fn merge(page: PageSource<'_>, changes: &[(&str, impl Borrow<DraftEdit>)]) -> Vec<Edit> {
    let mut apart = apart(page, changes);
    give_anchors(page, &mut apart);
    let spans: Vec<Range<usize>> = apart.iter().map(|splice| splice.span.clone()).collect();
    let in_file = page.file_spans(&spans);
    apart.into_iter().zip(in_file).filter_map(|(splice, in_file)| finish(page.document(), splice, in_file)).collect()
}

fn finish(document: &Document, splice: Splice<'_>, in_file: Option<Range<usize>>) -> Option<Edit> {
    Some(Edit {
        code: splice.code.to_owned(),
        also: splice.also.into_iter().map(str::to_owned).collect(),
        target: splice.target,
        line: document.position(splice.span.start).line,
        offset: splice.span.start,
        byte_offset: in_file.as_ref().map(|span| span.start),
        byte_length: in_file.map(|span| span.len()),
        original: document.source().get(splice.span)?.to_owned(),
        snippet: splice.text,
    })
}

/// An insertion gets some source text after it (or, at the end, before it) as its original.
fn give_anchors(page: PageSource<'_>, splices: &mut [Splice<'_>]) {
    let source = page.document().source();
    // What was misread would have to be written otherwise than it is read.
    let is_anchor = |c: &char| *c != '\n' && (c.is_ascii() || !page.html.unlabelled_utf8);
    for at in 0..splices.len() {
        let next_start = splices.get(at + 1).map_or(source.len(), |next| next.span.start);
        let previous_end = at.checked_sub(1).and_then(|at| splices.get(at)).map_or(0, |previous| previous.span.end);
        let Some(splice) = splices.get_mut(at).filter(|splice| splice.span.is_empty()) else { continue };
        let start = splice.span.start;
        let after = source.get(start..next_start).unwrap_or_default();
        let taken: String = after.chars().take(ANCHOR_CHARACTERS).take_while(is_anchor).collect();
        if !taken.is_empty() {
            splice.span.end = start + taken.len();
            splice.text.push_str(&taken);
            continue;
        }
        let before = source.get(previous_end..start).unwrap_or_default();
        let back = before.chars().rev().take(ANCHOR_CHARACTERS);
        let length: usize = back.take_while(|c| *c == '\n' || is_anchor(c)).map(char::len_utf8).sum();
        splice.span.start = start - length;
        splice.text.insert_str(0, source.get(start - length..start).unwrap_or_default());
    }
}

fn splices<'c>(document: &Document, changes: &[(&'c str, impl Borrow<DraftEdit>)]) -> Vec<Splice<'c>> {
    let mut out = Vec::new();
    let mut tags: BTreeMap<NodeId, TagRewrite<'c, '_>> = BTreeMap::new();
    for (code, edit) in changes {
        let edit: &DraftEdit = edit.borrow();
        let mut push = |span: Option<Range<usize>>, text: &str| {
            if let Some(span) = span {
                out.push(Splice { span, text: text.to_owned(), code, also: Vec::new(), target: edit.target });
            }
        };
        let element = |node: &NodeId| document.element(*node);
        match &edit.change {
            FixChange::Replace { span, text } => push(Some(span.clone()), text),
            FixChange::Remove { node } => {
                let span = element(node).and_then(|e| e.source_span());
                let gap = span.as_ref().map_or("", |span| gap(document.source(), span.start));
                push(span, gap);
            }
            FixChange::SetContent { node, content } => {
                let span = element(node).and_then(|e| Some(e.start_tag()?.end..e.end_tag()?.start));
                push(span, content);
            }
            FixChange::InsertBefore { node, html } => {
                push(element(node).and_then(|e| e.start_tag()).map(|span| span.start..span.start), html);
            }
            FixChange::InsertInside { node, html } => {
                push(element(node).and_then(|e| e.start_tag()).map(|span| span.end..span.end), html);
            }
            FixChange::SetAttribute { node, name, value } => {
                tags.entry(*node)
                    .or_insert_with(|| TagRewrite::new(code, edit.target))
                    .asked_by(code)
                    .set(name, Some(value));
            }
            FixChange::RemoveAttribute { node, name } => {
                tags.entry(*node).or_insert_with(|| TagRewrite::new(code, edit.target)).asked_by(code).set(name, None);
            }
        }
    }
    for (node, rewrite) in tags {
        let Some(element) = document.element(node) else { continue };
        let Some((span, source)) = element.start_tag().zip(element.start_tag_source()) else { continue };
        let text = rewrite.apply(source);
        out.push(Splice { span, text, code: rewrite.code, also: rewrite.also, target: rewrite.target });
    }
    out
}

/// What stays where an element is taken away: a space behind the start of a tag or of a character reference, which what
/// follows could complete.
fn gap(source: &str, start: usize) -> &'static str {
    let before = source.get(..start).unwrap_or_default();
    let run = before.rsplit(|c: char| c == '>' || c.is_ascii_whitespace()).next().unwrap_or_default();
    if run.contains(['<', '&']) { " " } else { "" }
}

/// The source of an element that is moved, with what else is changed of its attributes and content; and its source now.
pub(super) fn moved(
    document: &Document,
    node: NodeId,
    changes: &[(&str, impl Borrow<DraftEdit>)],
) -> Option<(String, String)> {
    let element = document.element(node)?;
    let (whole, start) = (element.source_span()?, element.start_tag()?);
    let mut rewrite = TagRewrite::new("", FixTarget::Head);
    let mut content = None;
    for (_, edit) in changes {
        match &edit.borrow().change {
            FixChange::SetAttribute { node: of, name, value } if *of == node => rewrite.set(name, Some(value)),
            FixChange::RemoveAttribute { node: of, name } if *of == node => rewrite.set(name, None),
            FixChange::SetContent { node: of, content: text } if *of == node => content = content.or(Some(text)),
            _ => {}
        }
    }
    let source = document.source();
    let tag = rewrite.apply(source.get(start.clone())?);
    let after = match (content, element.end_tag()) {
        (Some(content), Some(end)) => format!("{content}{}", source.get(end.start..whole.end)?),
        _ => source.get(start.end..whole.end)?.to_owned(),
    };
    Some((source.get(whole)?.to_owned(), tag + &after))
}

/// Attribute changes of one start tag.
struct TagRewrite<'c, 'w> {
    code: &'c str,
    also: Vec<&'c str>,
    target: FixTarget,
    attributes: Vec<(&'w str, Option<&'w str>)>,
}

impl<'c, 'w> TagRewrite<'c, 'w> {
    fn new(code: &'c str, target: FixTarget) -> Self {
        Self { code, also: Vec::new(), target, attributes: Vec::new() }
    }

    /// Notes another finding that asks for it.
    fn asked_by(&mut self, code: &'c str) -> &mut Self {
        if self.code != code && self.also.iter().all(|known| *known != code) {
            self.also.push(code);
        }
        self
    }

    /// The first wish for an attribute stands: findings come most severe first.
    fn set(&mut self, name: &'w str, value: Option<&'w str>) {
        if self.attributes.iter().all(|(known, _)| *known != name) {
            self.attributes.push((name, value));
        }
    }

    /// The start tag with the changes; every other byte stays.
    fn apply(&self, tag: &str) -> String {
        let spans = attributes_of(tag);
        let mut replaced: Vec<(Range<usize>, TagPart<'_>)> = Vec::new();
        let insertion = insertion_point(tag, &spans);
        for (name, value) in &self.attributes {
            let is_named = |span: &&WrittenAttribute| {
                tag.get(span.name.clone()).is_some_and(|written| written.eq_ignore_ascii_case(name))
            };
            let mut existing = spans.iter().filter(is_named);
            match (value, existing.next()) {
                (Some(value), Some(span)) => replaced.push((span.whole.clone(), TagPart::Attribute(name, value))),
                (Some(value), None) => replaced.push((insertion..insertion, TagPart::Added(name, value))),
                // The second of a name counts once the first is gone.
                (None, first) => {
                    let gone = first.into_iter().chain(existing).map(|span| taken_out(tag, span));
                    replaced.extend(gone.map(|(span, text)| (span, TagPart::Text(text))));
                }
            }
        }
        // What is added at one place stays in its order.
        replaced.sort_by_key(|(span, _)| (span.start, span.end));
        let mut out = String::with_capacity(tag.len() + ADDED_TO_TAG);
        let mut at = 0;
        for (span, part) in replaced {
            out.push_str(tag.get(at..span.start).unwrap_or_default());
            part.write(&mut out);
            at = span.end;
        }
        out.push_str(tag.get(at..).unwrap_or_default());
        out
    }
}

/// What comes in the place of an attribute.
enum TagPart<'p> {
    Attribute(&'p str, &'p str),
    Added(&'p str, &'p str),
    Text(&'static str),
}

impl TagPart<'_> {
    fn write(&self, out: &mut String) {
        let (space, name, value) = match self {
            Self::Attribute(name, value) => ("", name, value),
            Self::Added(name, value) => (" ", name, value),
            Self::Text(text) => return out.push_str(text),
        };
        for part in [space, name, "=\""] {
            out.push_str(part);
        }
        escape::attribute_into(out, value);
        out.push('"');
    }
}

/// An attribute with the space before it, and what stays: what stands directly behind must not become part of what stands
/// before.
fn taken_out(tag: &str, written: &WrittenAttribute) -> (Range<usize>, &'static str) {
    let before = tag.get(..written.whole.start).unwrap_or_default();
    let start = before.trim_end_matches(|c: char| c.is_ascii_whitespace()).len();
    let rest = tag.get(written.whole.end..).unwrap_or_default();
    let is_apart = rest.starts_with(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>');
    (start..written.whole.end, if is_apart { "" } else { " " })
}

#[cfg(test)]
mod tests;
