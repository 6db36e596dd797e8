//! What a fix may reveal: findings that its own hides until then.

use model::finding::Finding;
use model::fix::Fix;
use model::lang::{Phrase, Text, text};
use model::patch::Patch;

use crate::uncover;

const DATA: Text = text(
    "Fixing this may reveal other findings about structured data.",
    "Corrigir isto pode revelar outros achados sobre os dados estruturados.",
);
const CODES: Text = text(
    "Fixing this may reveal {count|another finding|{count} other findings}: {codes}.",
    "Corrigir isto pode revelar {count|outro achado|outros {count} achados}: {codes}.",
);
const WORDS: Text = text(
    "Fixing this may reveal other findings about the text.",
    "Corrigir isto pode revelar outros achados sobre o texto.",
);
/// A check of structured data that only unreadable data hides.
const OF_DATA: &str = "paywall_selector_unmatched";
/// Findings of a page that asks not to be in results: advice on how it looks there waits until it is to be there. Others
/// that a finding silences end with it.
const HIDING: [&str; 3] = ["noindex_meta", "noindex_header", "unavailable_after_past"];
/// What text read in the wrong encoding is told as.
const GARBLED: &str = "mojibake_detected";

/// Adds to the notes of fixes, in the order of their findings, what each may reveal.
pub(super) fn add(findings: &[Finding], fixes: &mut [Fix], patch: &mut Patch) {
    for (finding, fix) in findings.iter().zip(fixes) {
        let Some(reveals) = reveals(finding) else { continue };
        let templates = patch.templates.iter_mut().map(|one| (&one.code, &mut one.note));
        let instructions = patch.instructions.iter_mut().map(|one| (&one.code, &mut one.note));
        for (_, note) in templates.chain(instructions).filter(|(code, _)| **code == finding.code) {
            *note = joined(note, &reveals);
        }
        fix.note = Some(fix.note.as_ref().map_or_else(|| reveals.clone(), |note| joined(note, &reveals)));
    }
}

/// The sentence; `None` of a finding that hides nothing or takes no points.
fn reveals(finding: &Finding) -> Option<Phrase> {
    if finding.points == 0 {
        return None;
    }
    if uncover::may_show(&finding.code, OF_DATA) {
        return Some(DATA.into());
    }
    if finding.parts.iter().any(|part| part == GARBLED) {
        return Some(WORDS.into());
    }
    let is_told = HIDING.contains(&finding.code.as_str()) && !finding.causes.is_empty();
    let values = [("count", finding.causes.len().into()), ("codes", finding.causes.join(", ").into())];
    is_told.then(|| CODES.phrase(&values))
}

/// Behind a sentence; behind lines to copy, in a paragraph of its own.
fn joined(note: &Phrase, reveals: &Phrase) -> Phrase {
    let join = |note: &str, reveals: &str| match note.ends_with('.') {
        true => format!("{note} {reveals}"),
        false => format!("{note}\n\n{reveals}"),
    };
    Phrase { en: join(&note.en, &reveals.en), pt: join(&note.pt, &reveals.pt) }
}
