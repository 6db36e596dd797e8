//! From the fixes of single findings to one patch that can be applied as a whole.

mod edits;
mod size;

use model::finding::Severity;
use model::fix::{Fix, FixClass, FixTarget};
use model::lang::{Phrase, text};
use model::patch::{Edit, FilePatch, Instruction, Patch, PatchTotals, TemplatePatch};

use crate::check::Check;
use crate::facts::document::{Document, Element};
use crate::facts::page::Html;
use crate::fix::{Change, DraftEdit, FileChange, FixDraft, HeadKey, HeadTag, OwnFiles, apply_to_file};

/// A charset declaration must end within these first bytes of the source (WHATWG HTML §4.2.5.4).
const CHARSET_WITHIN: usize = 1024;

/// A check that fired, and what it drafted.
pub(crate) struct Drafted {
    pub(crate) check: &'static Check,
    /// How bad the finding is on this page.
    pub(crate) severity: Severity,
    pub(crate) draft: FixDraft,
}

/// Merges all drafts: the fixes in their order, and the patch.
pub(crate) fn merge(
    url: &str,
    html: Option<&Html>,
    own_files: OwnFiles<'_>,
    drafted: Vec<Drafted>,
) -> (Vec<Fix>, Patch) {
    let document = html.map(|html| &html.document);
    let mut room = MOST_BYTES;
    let drafted: Vec<Drafted> = drafted
        .into_iter()
        .map(|item| kept_apart(item, document))
        .map(|item| bounded(item, document, own_files, &mut room))
        .collect();
    let ready = || drafted.iter().filter(|item| item.draft.class == FixClass::Deterministic);
    let mut head: Vec<HeadTag> = Vec::new();
    for tag in ready().flat_map(|item| &item.draft.head_tags) {
        if head.iter().all(|known| known.key != tag.key) {
            head.push(tag.clone());
        }
    }
    let mut changes: Vec<(&str, DraftEdit)> =
        ready().flat_map(|item| item.draft.edits.iter().map(|edit| (item.check.code, edit.clone()))).collect();
    if let Some((html, first)) = html.zip(ready().find(|item| !item.draft.head_tags.is_empty())) {
        keep_charset_early(html, first.check.code, &mut head, &mut changes);
        make_room_for_head(html, first.check.code, &mut changes);
        mend_what_moves(&html.document, &changes, &mut head);
    }
    head.sort_by(|a, b| a.key.cmp(&b.key));
    let mut patch = Patch {
        url: Some(url.to_owned()),
        head: head.into_iter().map(|tag| tag.tag).collect::<Vec<_>>().join("\n"),
        files: files(own_files, &drafted),
        edits: html.map(|html| edits::merge(&html.document, &changes)).unwrap_or_default(),
        templates: Vec::new(),
        instructions: Vec::new(),
        totals: PatchTotals::default(),
        how_to_apply: HOW_TO_APPLY.into(),
    };
    let fixes = drafted.into_iter().map(|item| finish(item, &mut patch)).collect();
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
            "{count} places need the same change: make it in the template or program that writes the page.",
            "{count} lugares precisam da mesma mudança: faça-a no modelo ou programa que escreve a página.",
        );
        item.draft = FixDraft::instruction(item.draft.target, AT_SOURCE, &[("count", count.into())]);
    }
    let size = size::of(&item.draft, document, own_files);
    if size > *room {
        const TOO_LARGE: model::lang::Text = text(
            "The ready change has {size} bytes, too many for a report: make it in the template or program that writes this.",
            "A mudança pronta tem {size} bytes, demais para um relatório: faça-a no modelo ou programa que escreve isto.",
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
            Change::Remove { node } => document?.element(node),
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
            "First close the <{name}> on line {line}; then audit the page again, for a ready change.",
            "Primeiro feche o <{name}> da linha {line}; depois audite a página de novo, para ter uma mudança pronta.",
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
    "Replace every `original` of `edicoes` by its `snippet`, put `head` directly after the `<head>` tag, upload `arquivos` to the host root, then fill in `moldes` and decide `sem_patch`.",
    "Troque cada `original` de `edicoes` pelo seu `snippet`, coloque `head` logo após a tag `<head>`, envie `arquivos` para a raiz do host e depois preencha `moldes` e decida `sem_patch`.",
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
fn finish(item: Drafted, patch: &mut Patch) -> Fix {
    let Drafted { check, severity, draft } = item;
    let draft = decided(draft, check.how);
    let code = check.code.to_owned();
    patch.totals.total += 1;
    match draft.class {
        FixClass::Deterministic => patch.totals.deterministic += 1,
        FixClass::Template => patch.totals.templates += 1,
        FixClass::Instruction => patch.totals.instructions += 1,
    }
    let note = draft.note.clone().unwrap_or_else(|| check.how.into());
    match (draft.class, draft.target) {
        (FixClass::Deterministic, _) => {}
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
    }
}

/// One entry per path: the site's own file, with every deterministic change.
fn files(own_files: OwnFiles<'_>, drafted: &[Drafted]) -> Vec<FilePatch> {
    let mut patches: Vec<(FilePatch, Vec<FileChange>)> = Vec::new();
    for item in drafted.iter().filter(|item| item.draft.class == FixClass::Deterministic) {
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

/// An element that one fix moves into the head takes along what other fixes change of it.
fn mend_what_moves(document: &Document, changes: &[(&str, DraftEdit)], head: &mut [HeadTag]) {
    let removed = changes.iter().filter_map(|(_, edit)| match edit.change {
        Change::Remove { node } => Some(node),
        _ => None,
    });
    for (now, mended) in removed.filter_map(|node| edits::moved(document, node, changes)) {
        if let Some(tag) = head.iter_mut().find(|tag| tag.tag == now) {
            tag.tag = mended;
        }
    }
}

/// New head tags come first in the head and may push an existing charset declaration past the bytes in which a parser
/// looks for it: then it moves to the front too.
fn keep_charset_early<'c>(
    html: &Html,
    first: &'c str,
    head: &mut Vec<HeadTag>,
    changes: &mut Vec<(&'c str, DraftEdit)>,
) {
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
    let rewritten = changes.iter_mut().find_map(|(_, edit)| match &edit.change {
        Change::Replace { span: replaced, text } if *replaced == span => {
            let text = text.clone();
            edit.change = Change::Remove { node: meta.id() };
            Some(text)
        }
        _ => None,
    });
    let tag = match rewritten {
        Some(tag) => tag,
        None => {
            let Some(source) = meta.start_tag_source() else { return };
            changes.push((first, DraftEdit { target: FixTarget::Head, change: Change::Remove { node: meta.id() } }));
            source.to_owned()
        }
    };
    head.push(HeadTag { key: HeadKey::Charset, tag });
}

/// Head tags go after the `<head>` tag. A page whose source has none gets one, where the parser would imply it.
fn make_room_for_head<'c>(html: &Html, first: &'c str, changes: &mut Vec<(&'c str, DraftEdit)>) {
    if html.document.head().is_some_and(|head| head.start_tag().is_some()) {
        return;
    }
    let after_html = html.document.html().and_then(|root| root.start_tag()).map(|span| span.end);
    let at = after_html.or_else(|| html.document.doctype.clone().map(|span| span.end)).unwrap_or(0);
    let change = Change::Replace { span: at..at, text: "<head>".to_owned() };
    changes.push((first, DraftEdit { target: FixTarget::Head, change }));
}

/// Applies a patch to the source it was made for: every edit, then `head` directly after the `<head>` tag.
///
/// `None` when an edit's `original` is not where it should be, so that a patch is never applied to another page.
pub fn apply<T>(source: &str, patch: &Patch<T>) -> Option<String> {
    let edited = apply_edits(source, &patch.edits)?;
    if patch.head.is_empty() {
        return Some(edited);
    }
    let document = Document::parse(edited);
    let at = document.head()?.start_tag()?.end;
    let (before, after) = document.source().split_at_checked(at)?;
    Some(format!("{before}\n{}{after}", patch.head))
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
