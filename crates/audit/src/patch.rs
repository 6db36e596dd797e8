//! From the fixes of single findings to one patch that can be applied as a whole.

mod agree;
mod edits;
mod garbled;
mod present;
mod ready;
mod shown;
mod size;
mod source;

use std::ops::Range;

use model::finding::Severity;
use model::fix::{Fix, FixClass, FixEdit, FixTarget};
use model::lang::{Phrase, text};
use model::patch::{Edit, Instruction, Patch, PatchTotals, TemplatePatch};

use crate::check::Check;
use crate::facts::charset::file_bytes::file_offsets;
use crate::facts::document::{Document, Element};
use crate::facts::page::Html;
use crate::fix::{FixChange, FixDraft, OwnFiles};

pub(crate) use edits::Splice;
pub(crate) use ready::Ready;
pub(crate) use source::PageSource;

/// A check that fired, and what it drafted.
pub(crate) struct Drafted {
    pub(crate) check: &'static Check,
    /// How bad the finding is on this page.
    pub(crate) severity: Severity,
    pub(crate) draft: FixDraft,
}

/// Drafts as far as they can be made ready: none too large for a report, and no two that say different things of one.
pub(crate) fn prepared(html: Option<&Html>, own_files: OwnFiles<'_>, drafted: Vec<Drafted>) -> Vec<Drafted> {
    let document = html.map(|html| &html.document);
    let mut room = MOST_BYTES;
    let mut drafted: Vec<Drafted> = drafted
        .into_iter()
        .map(|item| kept_apart(item, document))
        .map(|item| garbled::kept_out(item, document))
        .map(|item| bounded(item, document, own_files, &mut room))
        .collect();
    agree::settle(&mut drafted);
    drafted
}

/// Merges drafts: the fixes in their order, and the patch.
pub(crate) fn merge(
    url: &str,
    page: Option<PageSource<'_>>,
    own_files: OwnFiles<'_>,
    drafted: Vec<Drafted>,
) -> (Vec<Fix>, Patch) {
    let all: Vec<&Drafted> = drafted.iter().collect();
    let ready = Ready::of(page, own_files, &all);
    let mut patch = Patch {
        url: Some(url.to_owned()),
        head: ready.head(),
        edits: ready.edits(),
        files: ready.files,
        templates: Vec::new(),
        instructions: Vec::new(),
        totals: PatchTotals::default(),
        how_to_apply: HOW_TO_APPLY.into(),
    };
    let edits: Vec<Vec<FixEdit>> = all
        .iter()
        .map(|item| page.map(|page| shown::edits(page, &Ready::of(Some(page), own_files, &[item]).splices())))
        .map(Option::unwrap_or_default)
        .collect();
    let fixes = drafted.into_iter().zip(edits).map(|(item, edits)| finish(item, edits, &mut patch)).collect();
    (fixes, patch)
}

/// Places that one fix changes at most: more of them are one defect of a template, and a list of edits helps nobody.
const MOST_CHANGES: usize = 500;
/// Bytes of JSON that the fixes of a report take together, of the 1 MiB that it has.
const MOST_BYTES: usize = 640 * 1024;

/// A fix with more changes than that, or larger than the room left, becomes an instruction to make the change where the
/// page is made: a report is for reading, and its fixes are never cut in the middle.
fn bounded(mut item: Drafted, document: Option<&Document>, own_files: OwnFiles<'_>, room: &mut usize) -> Drafted {
    let count = item.draft.edits.len();
    if count > MOST_CHANGES {
        const AT_SOURCE: model::lang::Text = text(
            "{count} places need the same change. Make it in the template or program that generates the page.",
            "{count} lugares precisam da mesma mudança. Faça-a no template ou programa que gera a página.",
        );
        item.draft = FixDraft::instruction(item.draft.target, AT_SOURCE, &[("count", count.into())]);
    }
    let size = size::of(&item.draft, document, own_files);
    if size > *room {
        const TOO_LARGE: model::lang::Text = text(
            "The ready change has {size:size}, too much for a report. Make it in the template or program that generates this part of the page.",
            "A mudança pronta tem {size:size}, demais para um relatório. Faça-a no template ou programa que gera esta parte da página.",
        );
        item.draft = FixDraft::instruction(item.draft.target, TOO_LARGE, &[("size", size.into())]);
    } else {
        *room -= size;
    }
    item
}

/// A fix that takes away an element on which the reading of what follows depends becomes an instruction.
///
/// Such are an element without an end tag, which took in what follows, and one behind a picture without an end tag, which
/// may have ended that picture: an HTML tag does (WHATWG HTML §13.2.6.5).
fn kept_apart(mut item: Drafted, document: Option<&Document>) -> Drafted {
    let removed: Vec<Element<'_>> = item
        .draft
        .edits
        .iter()
        .filter_map(|edit| match edit.change {
            FixChange::Remove { node } => document?.element(node),
            _ => None,
        })
        .collect();
    let Some(last) = removed.iter().filter_map(|element| element.start_tag()).map(|span| span.start).max() else {
        return item;
    };
    let takes_in = |element: &Element<'_>| element.is("title") && element.end_tag().is_none();
    let is_before = |element: &Element<'_>| element.start_tag().is_some_and(|span| span.start < last);
    let picture = || document?.elements().find(|element| is_before(element) && is_open_picture(*element));
    if let Some(open) = removed.iter().copied().find(takes_in).or_else(picture) {
        const CLOSE: model::lang::Text = text(
            "First close the <{name}> on line {line}. Then audit the page again to get a ready change.",
            "Primeiro feche o <{name}> na linha {line}. Depois audite a página de novo para receber uma mudança pronta.",
        );
        let values = [("name", open.name().into()), ("line", open.line().unwrap_or_default().into())];
        item.draft = FixDraft::instruction(item.draft.target, CLOSE, &values);
    }
    item
}

/// Whether an element is an `svg` or `math` that no tag closes.
fn is_open_picture(element: Element<'_>) -> bool {
    let closes_itself = || element.start_tag_source().is_none_or(|tag| tag.ends_with("/>"));
    matches!(element.name(), "svg" | "math") && element.end_tag().is_none() && !closes_itself()
}

const HOW_TO_APPLY: model::lang::Text = text(
    "Replace every `original` of `edicoes` with its `snippet`, insert `head` directly after the `<head>` tag, and upload `arquivos` to the root of the host. Then fill in `moldes` and decide `sem_patch`.",
    "Troque cada `original` de `edicoes` pelo seu `snippet`, insira `head` logo após a tag `<head>` e envie `arquivos` para a raiz do host. Depois preencha `moldes` e decida `sem_patch`.",
);

/// A template in which nothing is left to fill in, and no value to confirm, waits for its owner's word alone: an
/// instruction, with its lines.
fn decided(draft: FixDraft, how: model::lang::Text) -> FixDraft {
    let has_gap = |text: &String| text.contains("{{");
    let is_open = draft.snippet.as_ref().is_some_and(has_gap)
        || draft.file.as_ref().is_some_and(|file| has_gap(&file.content))
        || draft.note.as_ref().is_some_and(|note| has_gap(&note.en));
    if draft.class != FixClass::Template || is_open || draft.origin.is_some() {
        return draft;
    }
    let note = draft.note.clone().unwrap_or_else(|| how.into());
    let file = draft.file.as_ref().map(|file| format!("{}\n{}", file.path, file.content));
    let note = file.or_else(|| draft.snippet.clone()).map_or_else(|| note.clone(), |lines| with_lines(&note, &lines));
    FixDraft { class: FixClass::Instruction, snippet: None, file: None, note: Some(note), ..draft }
}

fn with_lines(note: &Phrase, lines: &str) -> Phrase {
    let join = |text: &str| format!("{text}\n\n{lines}");
    Phrase { en: join(&note.en), pt: join(&note.pt) }
}

/// Adds a fix to the patch's lists and totals, and gives it its final form.
fn finish(item: Drafted, edits: Vec<FixEdit>, patch: &mut Patch) -> Fix {
    let Drafted { check, severity, draft } = item;
    let draft = decided(draft, check.how);
    let code = check.code.to_owned();
    let note = draft.note.clone().unwrap_or_else(|| check.how.into());
    match (draft.class, draft.target) {
        (FixClass::Deterministic, _) => patch.totals.deterministic += 1,
        // A template of a patch lies in the head, the body or an image; any other is told as a decision, with its lines.
        (FixClass::Template, FixTarget::File | FixTarget::Page) => {
            let file = draft.file.as_ref().map(|file| format!("{}\n{}", file.path, file.content));
            let note = match file.or_else(|| draft.snippet.clone()) {
                Some(lines) => with_lines(&note, &lines),
                // The note holds them already.
                None => note,
            };
            patch.instructions.push(Instruction { code: code.clone(), note });
        }
        (FixClass::Template, target) => patch.templates.push(TemplatePatch {
            code: code.clone(),
            target,
            snippet: draft.snippet.clone().unwrap_or_default(),
            origin: draft.origin.clone(),
            note,
        }),
        (FixClass::Instruction, _) => patch.instructions.push(Instruction { code: code.clone(), note }),
    }
    let count = |list: usize| u32::try_from(list).unwrap_or(u32::MAX);
    let PatchTotals { deterministic, .. } = patch.totals;
    let (templates, instructions) = (count(patch.templates.len()), count(patch.instructions.len()));
    patch.totals =
        PatchTotals { deterministic, templates, instructions, total: deterministic + templates + instructions };
    let is_file = draft.file.is_some();
    Fix {
        code,
        severity,
        class: draft.class,
        target: draft.target,
        snippet: draft.snippet.filter(|_| !is_file && draft.class != FixClass::Instruction),
        file: draft.file,
        origin: draft.origin,
        note: draft.note,
        place: None,
        edits,
    }
}

/// Applies a patch to the source it was made for: every edit, then `head` directly after the `<head>` tag.
///
/// A tag that the head has already is left out, which never happens on the page that was audited. `None` when an edit's
/// `original` is not where it should be, so that a patch is never applied to another page.
pub fn apply<T>(source: &str, patch: &Patch<T>) -> Option<String> {
    let edited = apply_edits(source, &patch.edits)?;
    if patch.head.is_empty() {
        return Some(edited);
    }
    let document = Document::parse(edited);
    let at = document.head()?.start_tag()?.end;
    let (before, after) = document.source().split_at_checked(at)?;
    let lines = present::missing(&document, &patch.head);
    Some(format!("{before}{}{after}", head_lines(before, lines)))
}

/// The tags for the head with a line break before each, as the lines of the page end.
fn head_lines<'h>(source: &str, lines: impl IntoIterator<Item = &'h str>) -> String {
    let is_crlf = source.split_once('\n').is_some_and(|(line, _)| line.ends_with('\r'));
    let end = if is_crlf { "\r\n" } else { "\n" };
    lines.into_iter().flat_map(|line| [end, line]).collect()
}

/// Applies a patch to the file of the page it was made for, in the file's own bytes and encoding.
///
/// `None` where an edit has no place in the file, or the file is not the page.
pub fn apply_to_file<T>(html: &Html, bytes: &[u8], patch: &Patch<T>) -> Option<Vec<u8>> {
    let page = PageSource { html, bytes };
    let edits = patch.edits.iter().map(|edit| {
        let start = edit.byte_offset?;
        Some((start..start + edit.byte_length?, page.encoded(&edit.snippet).into_owned()))
    });
    let edits: Vec<(Range<usize>, Vec<u8>)> = edits.collect::<Option<_>>()?;
    let edited = spliced(bytes, &edits)?;
    if patch.head.is_empty() {
        return Some(edited);
    }
    // The head may be new: where it is now is read from the edited file.
    let encoding = html.charset.encoding;
    let document = Document::parse(encoding.decode_with_bom_removal(&edited).0.into_owned());
    let at = document.head()?.start_tag()?.end;
    let [at] = file_offsets(&edited, encoding, document.source(), [at])[..] else { return None };
    let at = at?;
    spliced(&edited, &[(at..at, page.encoded(&head_lines(document.source(), patch.head.lines())).into_owned())])
}

/// Bytes with spans replaced, which are in order and apart; `None` where they are not.
pub(crate) fn spliced(bytes: &[u8], changes: &[(Range<usize>, Vec<u8>)]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes.len() + changes.iter().map(|(_, text)| text.len()).sum::<usize>());
    let mut at = 0;
    for (span, text) in changes {
        out.extend_from_slice(bytes.get(at..span.start)?);
        out.extend_from_slice(text);
        at = span.end;
    }
    out.extend_from_slice(bytes.get(at..)?);
    Some(out)
}

/// The same of a text.
pub(crate) fn spliced_text(text: &str, changes: &[(Range<usize>, &str)]) -> Option<String> {
    let mut out = String::with_capacity(text.len() + changes.iter().map(|(_, text)| text.len()).sum::<usize>());
    let mut at = 0;
    for (span, new) in changes {
        out.push_str(text.get(at..span.start)?);
        out.push_str(new);
        at = span.end;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

fn apply_edits(source: &str, edits: &[Edit]) -> Option<String> {
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    for edit in edits {
        out.push_str(source.get(at..edit.offset)?);
        let end = edit.offset + edit.original.len();
        if source.get(edit.offset..end)? != edit.original {
            return None;
        }
        out.push_str(&edit.snippet);
        at = end;
    }
    out.push_str(source.get(at..)?);
    Some(out)
}

#[cfg(test)]
mod tests;
