//! The part of a patch that brings a page to a score: the ready fixes of its path, and nothing else.

use std::collections::BTreeMap;

use model::fix::{Fix, FixClass};
use model::patch::{Patch, PatchTotals};
use model::path::{PatchTarget, PathStep};
use model::report::Report;

/// The fixes of the path to a score, 0 to 100, and how far they go. Where no step reaches it, those of the whole path.
pub fn towards(report: &Report, score: u32) -> (Patch, PatchTarget) {
    let is_there = report.score >= score;
    let reaching = report.path.iter().find(|step| step.score_after >= score);
    let step = if is_there { None } else { reaching.or(report.path.last()) };
    let here = PathStep { codes: Vec::new(), score_after: report.score, effort: 0 };
    let PathStep { codes, score_after, effort } = step.unwrap_or(&here).clone();
    let patch = part(&report.patch, &report.fixes, &codes);
    (patch, PatchTarget { score, is_reached: score_after >= score, score_after, codes, effort })
}

/// The patch with the ready fixes of these codes alone. Changes of one tag are one edit: those that other fixes make of it
/// come along.
pub(crate) fn part(whole: &Patch, fixes: &[Fix], codes: &[String]) -> Patch {
    let fixes: Vec<&Fix> =
        fixes.iter().filter(|fix| fix.class == FixClass::Deterministic && codes.contains(&fix.code)).collect();
    let mut edits = whole.edits.clone();
    edits.retain(|edit| codes.contains(&edit.code) || edit.also.iter().any(|code| codes.contains(code)));
    // A tag that an edit takes away to put it into the head.
    let moved = edits.iter().filter(|edit| edit.snippet.is_empty()).map(|edit| edit.original.trim());
    let head = head(&whole.head, fixes.iter().filter_map(|fix| fix.snippet.as_deref()).chain(moved));
    if !head.is_empty() && !edits.iter().any(|edit| edit.snippet == "<head>") {
        // A page without a head tag gets one, whichever fix asks first.
        edits.extend(whole.edits.iter().find(|edit| edit.snippet == "<head>" && edit.original.is_empty()).cloned());
        edits.sort_by_key(|edit| edit.offset);
    }
    let mut files = whole.files.clone();
    files.retain(|file| fixes.iter().filter_map(|fix| fix.file.as_ref()).any(|of_fix| of_fix.path == file.path));
    let count = u32::try_from(fixes.len()).unwrap_or(u32::MAX);
    Patch {
        url: whole.url.clone(),
        head,
        files,
        edits,
        templates: Vec::new(),
        instructions: Vec::new(),
        totals: PatchTotals { deterministic: count, total: count, ..PatchTotals::default() },
        how_to_apply: whole.how_to_apply.clone(),
    }
}

/// Those of some tags that are in the whole head, in its order.
fn head<'p>(whole: &str, wanted: impl Iterator<Item = &'p str>) -> String {
    let place = |tag: &'p str| Some((whole.find(tag).filter(|_| !tag.is_empty())?, tag));
    let mut tags: BTreeMap<usize, &str> = BTreeMap::new();
    for snippet in wanted {
        match place(snippet) {
            Some(tag) => tags.extend([tag]),
            None => tags.extend(snippet.lines().filter_map(place)),
        }
    }
    tags.into_values().collect::<Vec<_>>().join("\n")
}
