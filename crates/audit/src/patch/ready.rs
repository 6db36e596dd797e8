//! The ready changes of some fixes, merged: head tags, edits of the page, files.

use std::borrow::Cow;

use model::fix::{FixClass, FixTarget};
use model::patch::{Edit, FilePatch};

use super::Drafted;
use super::edits::{self, Splice};
use super::source::PageSource;
use crate::facts::document::Document;
use crate::facts::page::Html;
use crate::fix::{DraftEdit, FileChange, FixChange, HeadKey, HeadTag, OwnFiles, apply_to_file};

/// A charset declaration must end within these first bytes of the source (WHATWG HTML §4.2.5.4).
const CHARSET_WITHIN: usize = 1024;

/// A change of the source, with the code that asks for it.
type Change<'d> = (&'static str, Cow<'d, DraftEdit>);

/// What the ready fixes among some drafts change, all together.
pub(crate) struct Ready<'d> {
    page: Option<PageSource<'d>>,
    /// One tag a key, in head order, as the file's encoding can hold it.
    head: Vec<HeadTag>,
    /// Changes of the source, with the code that asks for each.
    changes: Vec<Change<'d>>,
    /// Code of the first fix with a head tag.
    heads: Option<&'static str>,
    /// Files of the host.
    pub(crate) files: Vec<FilePatch>,
}

impl<'d> Ready<'d> {
    /// Merges the ready ones of `drafted`.
    pub(crate) fn of(page: Option<PageSource<'d>>, own_files: OwnFiles<'_>, drafted: &[&'d Drafted]) -> Self {
        let ready = || drafted.iter().copied().filter(|item| item.draft.class == FixClass::Deterministic);
        let mut head: Vec<HeadTag> = Vec::new();
        for tag in ready().flat_map(|item| &item.draft.head_tags) {
            if head.iter().all(|known| known.key != tag.key) {
                head.push(tag.clone());
            }
        }
        let mut changes: Vec<Change<'_>> = ready()
            .flat_map(|item| item.draft.edits.iter().map(|edit| (item.check.code, Cow::Borrowed(edit))))
            .collect();
        let heads = ready().find(|item| !item.draft.head_tags.is_empty()).map(|item| item.check.code);
        if let Some((page, first)) = page.zip(heads) {
            keep_charset_early(page.html, first, &mut head, &mut changes);
            change_moved_tags(page.document(), &changes, &mut head);
            for tag in &mut head {
                tag.tag = page.written(std::mem::take(&mut tag.tag), false);
            }
        }
        head.sort_by(|a, b| a.key.cmp(&b.key));
        Self { page, head, changes, heads, files: files(own_files, ready()) }
    }

    /// Tags for the head, a line each.
    pub(super) fn head(&self) -> String {
        self.head.iter().map(|tag| tag.tag.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// Edits for all but the head tags, for which they make a head where the source has none.
    pub(super) fn edits(&self) -> Vec<Edit> {
        let Some(page) = self.page else { return Vec::new() };
        let mut changes = self.changes.clone();
        if let (Some(first), Err(at)) = (self.heads, head_place(page.html)) {
            changes.push((first, insertion(at, "<head>".to_owned())));
        }
        edits::merge(page, &changes)
    }

    /// Every change of the source, head tags too, in its order.
    pub(crate) fn splices(&self) -> Vec<Splice<'static>> {
        let Some(page) = self.page else { return Vec::new() };
        let Some(first) = self.heads else { return edits::apart(page, &self.changes) };
        let mut changes = self.changes.clone();
        match head_place(page.html) {
            // Directly after the tag: before whatever else comes to the same place.
            Ok(at) => changes.insert(0, (first, insertion(at, format!("\n{}", self.head())))),
            Err(at) => changes.push((first, insertion(at, format!("<head>\n{}", self.head())))),
        }
        edits::apart(page, &changes)
    }
}

/// Behind the `<head>` tag. `Err`: the source has none; where the parser implies it.
fn head_place(html: &Html) -> Result<usize, usize> {
    if let Some(tag) = html.document.head().and_then(|head| head.start_tag()) {
        return Ok(tag.end);
    }
    let after_html = html.document.html().and_then(|root| root.start_tag()).map(|span| span.end);
    Err(after_html.or_else(|| html.document.doctype.clone().map(|span| span.end)).unwrap_or(0))
}

fn insertion<'d>(at: usize, text: String) -> Cow<'d, DraftEdit> {
    Cow::Owned(DraftEdit { target: FixTarget::Head, change: FixChange::Replace { span: at..at, text } })
}

/// One entry per path: the site's own file, with every deterministic change.
fn files<'d>(own_files: OwnFiles<'_>, ready: impl Iterator<Item = &'d Drafted>) -> Vec<FilePatch> {
    let mut patches: Vec<(FilePatch, Vec<FileChange>)> = Vec::new();
    for item in ready {
        for edit in &item.draft.file_edits {
            match patches.iter_mut().find(|(patch, _)| patch.path == edit.path) {
                Some((_, changes)) => changes.push(edit.change.clone()),
                None => {
                    let (code, path) = (item.check.code.to_owned(), edit.path.clone());
                    patches.push((FilePatch { code, path, content: String::new() }, vec![edit.change.clone()]));
                }
            }
        }
    }
    patches
        .into_iter()
        .map(|(mut patch, changes)| {
            let own = own_files.iter().find(|(path, _)| *path == patch.path).map_or("", |(_, text)| text);
            patch.content = apply_to_file(own, &changes);
            patch
        })
        .collect()
}

/// Applies the changes of other fixes to an element that one fix moves into the head.
fn change_moved_tags(document: &Document, changes: &[Change<'_>], head: &mut [HeadTag]) {
    let removed = changes.iter().filter_map(|(_, edit)| match edit.change {
        FixChange::Remove { node } => Some(node),
        _ => None,
    });
    for (now, changed) in removed.filter_map(|node| edits::moved(document, node, changes)) {
        if let Some(tag) = head.iter_mut().find(|tag| tag.tag == now) {
            tag.tag = changed;
        }
    }
}

/// New head tags come first in the head and may push an existing charset declaration past the bytes in which a parser
/// looks for it: then it moves to the front too.
fn keep_charset_early<'d>(html: &Html, first: &'static str, head: &mut Vec<HeadTag>, changes: &mut Vec<Change<'d>>) {
    if head.iter().any(|tag| tag.key == HeadKey::Charset) {
        return;
    }
    let declaration =
        html.metas.iter().filter(|meta| meta.in_head).filter_map(|meta| html.element(meta.node)).find(|meta| {
            meta.has("charset")
                || meta.attribute("http-equiv").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("content-type"))
        });
    let Some((meta, span)) = declaration.and_then(|meta| Some((meta, meta.start_tag()?))) else { return };
    let added: usize = head.iter().map(|tag| tag.tag.len() + 1).sum();
    let inserted: usize = changes.iter().map(|(_, edit)| edit.change.most_bytes_added()).sum();
    let already_late = span.end > CHARSET_WITHIN;
    if already_late || span.end + added + inserted <= CHARSET_WITHIN {
        return;
    }
    // Changes of it by other fixes are applied to the moved tag: see `change_moved_tags`.
    let Some(source) = meta.start_tag_source() else { return };
    let edit = DraftEdit { target: FixTarget::Head, change: FixChange::Remove { node: meta.id() } };
    changes.push((first, Cow::Owned(edit)));
    let tag = source.to_owned();
    head.push(HeadTag { key: HeadKey::Charset, tag });
}

#[cfg(test)]
mod tests;
