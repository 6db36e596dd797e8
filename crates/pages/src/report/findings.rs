//! The findings of a report as its page shows them: each with its fix, the ones to fix first, and counts by subject.

use std::collections::BTreeMap;

use audit::check::{Category, Check};
use audit::{checks, score};
use model::change::Change;
use model::finding::{Finding, Place, Severity};
use model::fix::Fix;
use model::lang::{Lang, Text, text};
use model::path::PathStep;

use super::diff::{self, DiffStep};
use super::filter::Filter;
use crate::pieces::{CodePiece, pieces};
use crate::words::{class, severity_word};
use render::catalog;
use render::edits;

/// Findings in the list "fix first". Chosen: what a person can do in one sitting.
const FIRST: usize = 3;

/// Changes of a finding that are written out. Chosen: more of one kind are in the patch and in the text of all ready fixes.
const STEPS: usize = 3;

/// One finding with its fix.
pub(super) struct FindingView<'a> {
    pub(super) code: &'a str,
    /// The page of its check; `None` for a code that left the catalog.
    pub(super) address: Option<String>,
    pub(super) severity: &'static str,
    pub(super) word: &'static str,
    pub(super) points: String,
    pub(super) title: &'static str,
    pub(super) message: &'a str,
    pub(super) why: Vec<CodePiece<'a>>,
    pub(super) how: Vec<CodePiece<'a>>,
    pub(super) reference: &'static str,
    /// Its first place in short, and how many more there are.
    pub(super) at: Option<String>,
    /// Its places that no shown change has on its line.
    pub(super) places: Vec<&'a Place>,
    /// The finding that takes the points for both.
    pub(super) part_of: Option<CheckLink>,
    /// The findings that have the same cause.
    pub(super) parts: Vec<CheckLink>,
    /// The run before did not have it.
    pub(super) is_new: bool,
    /// The day until which it is put off, and why.
    pub(super) snoozed: Option<(String, &'a str)>,
    pub(super) class: &'static str,
    pub(super) note: Option<Vec<CodePiece<'a>>>,
    /// Where it is made in the system that wrote the page.
    pub(super) made_in: Option<(&'a str, Vec<CodePiece<'a>>)>,
    pub(super) origin: Option<String>,
    pub(super) path: Option<&'a str>,
    /// What changes of the page's source.
    pub(super) steps: Vec<DiffStep<'a>>,
    /// That there are more.
    pub(super) more_steps: Option<String>,
    /// A file's content, or a tag to fill in.
    pub(super) code_block: Option<String>,
    /// Where the rest of it is, if it is shown in short.
    pub(super) whole: Option<String>,
}

/// The view of a finding.
pub(super) fn view<'a>(finding: &'a Finding, fix: &'a Fix, change: Option<&Change>, lang: Lang) -> FindingView<'a> {
    let check = checks::find(&finding.code);
    let of_check = |pick: fn(&'static Check) -> Text| check.map(pick).map_or("", |text| text.in_lang(lang));
    let path = fix.file.as_ref().map(|file| file.path.as_str());
    let (mut steps, mut more) = edits::steps(fix, lang);
    more += steps.len().saturating_sub(STEPS);
    steps.truncate(STEPS);
    // A change shows the text of its line already.
    let changed: Vec<u32> = fix.edits.iter().take(STEPS).map(|edit| edit.at.line).collect();
    let is_changed = |place: &Place| place.line.is_some_and(|line| changed.contains(&line));
    FindingView {
        code: &finding.code,
        address: check.map(|check| address(check, lang)),
        severity: finding.severity.word(),
        word: severity_word(finding.severity).in_lang(lang),
        points: match score::weight(finding.severity) {
            0 => "0".to_owned(),
            weight => format!("−{weight}"),
        },
        title: of_check(|check| check.title),
        message: finding.message.in_lang(lang),
        why: pieces(of_check(|check| check.why)),
        how: pieces(of_check(|check| check.how)),
        reference: check.map(|check| check.reference).unwrap_or_default(),
        at: at(&finding.evidence, lang).or_else(|| path.map(str::to_owned)),
        places: finding.evidence.iter().filter(|place| !is_changed(place)).collect(),
        part_of: finding.part_of.as_deref().and_then(|code| named(code, lang)),
        parts: finding.parts.iter().filter_map(|code| named(code, lang)).collect(),
        is_new: change.is_some_and(|change| change.broke.iter().any(|broke| broke.code == finding.code)),
        snoozed: None,
        class: class(fix.class).in_lang(lang),
        note: fix.note.as_ref().map(|note| pieces(note.in_lang(lang))),
        made_in: fix.place.as_ref().map(|place| (place.system.as_str(), pieces(place.steps.in_lang(lang)))),
        origin: fix.origin.as_ref().map(|origin| origin.in_lang(lang).to_owned()),
        path,
        code_block: edits::ready(fix, lang).filter(|_| steps.is_empty()),
        steps: steps.into_iter().map(diff::step).collect(),
        more_steps: (more > 0).then(|| edits::more_edits(more, lang)),
        whole: None,
    }
}

/// The first place of a finding in short, and how many more there are.
fn at(places: &[Place], lang: Lang) -> Option<String> {
    const MORE: Text = text("{place} and {more} more", "{place} e mais {more}");
    let first = places.first()?;
    let line = first.line.map(|line| match lang {
        Lang::En => format!("line {line}"),
        Lang::PtBr => format!("linha {line}"),
    });
    // A line is found sooner than a path of elements.
    let shown = line.or_else(|| first.selector.clone()).or_else(|| first.url.clone());
    shown.map(|shown| match places.len() - 1 {
        0 => shown,
        more => MORE.phrase(&[("place", shown.into()), ("more", more.into())]).in_lang(lang).to_owned(),
    })
}

/// The page of a check.
fn address(check: &Check, lang: Lang) -> String {
    format!("/checks/{}?lang={}", check.code, lang.tag())
}

/// A check by its name, with the page that explains it.
pub(super) struct CheckLink {
    pub(super) title: &'static str,
    pub(super) address: String,
}

/// The check of a code; `None` for a code that left the catalog.
pub(super) fn named(code: &str, lang: Lang) -> Option<CheckLink> {
    let check = checks::find(code)?;
    Some(CheckLink { title: check.title.in_lang(lang), address: address(check, lang) })
}

/// A finding in the list "fix first".
pub(super) struct First<'a> {
    pub(super) finding: FindingView<'a>,
    /// Its points, as [`gain`] says them; `None` where the page has no score.
    pub(super) gain: Option<String>,
}

/// The most urgent of the findings that take points and are not put off, without the one that is decided above them. `lost`: what
/// all findings take; `None` where the page has no score.
pub(super) fn first<'a>(
    findings: &'a [Finding],
    fixes: &'a [Fix],
    is_elsewhere: impl Fn(&str) -> bool,
    lost: Option<u32>,
    lang: Lang,
) -> Vec<First<'a>> {
    let is_due = |finding: &Finding| score::weight(finding.severity) > 0 && !is_elsewhere(&finding.code);
    let worth = score::most_urgent(findings, fixes).filter(|(finding, _)| is_due(finding));
    let first = |(finding, fix): (&'a Finding, &'a Fix)| First {
        finding: view(finding, fix, None, lang),
        gain: lost.map(|lost| gain(score::weight(finding.severity), lost, lang)),
    };
    worth.take(FIRST).map(first).collect()
}

/// What a fix is worth. Where the findings take more than there is, no single fix may change the score: its part of what is lost is
/// said then.
fn gain(points: u32, lost: u32, lang: Lang) -> String {
    const GAIN: Text = text("+{points} points", "+{points} pontos");
    const PART: Text = text("{points} of the {lost} points lost", "{points} dos {lost} pontos perdidos");
    let words = if lost > score::FULL { PART } else { GAIN };
    words.phrase(&[("points", points.into()), ("lost", lost.into())]).in_lang(lang).to_owned()
}

/// That the findings take more than there is, and when the score rises; `None` where they don't.
pub(super) fn over_full(lost: u32, lang: Lang) -> Option<String> {
    const OVER: Text = text(
        "The findings cost {lost} points, and the score stops at 0. It rises once more than {over} points are fixed.",
        "Os achados custam {lost} pontos, e a nota para em 0. Ela sobe quando mais de {over} pontos forem corrigidos.",
    );
    let over = lost.checked_sub(score::FULL).filter(|over| *over > 0)?;
    Some(OVER.phrase(&[("lost", lost.into()), ("over", over.into())]).in_lang(lang).to_owned())
}

/// The order of the list of findings in a sentence; `None` for audits that know no impacts.
pub(super) fn order(findings: &[Finding], lang: Lang) -> Option<&'static str> {
    const ORDER: Text = text(
        "Ordered by what they affect: being found, loading, search results, shared links, using the page. Within each, what costs most comes first. Notes come last.",
        "Na ordem do que afetam: ser encontrada, carregar, resultados de busca, links compartilhados, uso da página. Em cada grupo, primeiro o que custa mais. As notas vêm no fim.",
    );
    findings.iter().any(|finding| finding.impact.is_some()).then(|| ORDER.in_lang(lang))
}

/// Pieces of the ruler in which there is room for a number, on a phone too.
pub(super) const MOST_PIECES: usize = 8;

/// What a finding takes of the score: a piece of its ruler.
pub(super) struct Loss<'a> {
    pub(super) code: &'a str,
    pub(super) title: &'static str,
    pub(super) severity: &'static str,
    pub(super) points: u32,
}

/// The findings that take points, the most urgent first.
pub(super) fn losses<'a>(findings: &'a [Finding], fixes: &'a [Fix], lang: Lang) -> Vec<Loss<'a>> {
    let losses = score::most_urgent(findings, fixes).map(|(finding, _)| Loss {
        code: &finding.code,
        title: checks::find(&finding.code).map_or("", |check| check.title.in_lang(lang)),
        severity: finding.severity.word(),
        points: score::weight(finding.severity),
    });
    let mut losses: Vec<Loss<'_>> = losses.filter(|loss| loss.points > 0).collect();
    if losses.len() > MOST_PIECES {
        // Pieces without numbers are read as groups.
        losses.sort_by_key(|loss| std::cmp::Reverse(loss.points));
    }
    losses
}

/// A step of the cheapest path.
pub(super) struct PathRow {
    /// Titles of the fixes that it adds to the steps before.
    pub(super) titles: Vec<&'static str>,
    pub(super) score_after: u32,
    /// Tags, edits and files that change for it and for the steps before.
    pub(super) effort: u32,
}

/// The cheapest path: each step with the fixes that it adds.
pub(super) fn steps(path: &[PathStep], lang: Lang) -> Vec<PathRow> {
    let before = std::iter::once(0).chain(path.iter().map(|step| step.codes.len()));
    let step = |(known, step): (usize, &PathStep)| PathRow {
        titles: step
            .codes
            .iter()
            .skip(known)
            .filter_map(|code| Some(checks::find(code)?.title.in_lang(lang)))
            .collect(),
        score_after: step.score_after,
        effort: step.effort,
    };
    before.zip(path).map(step).collect()
}

/// How many findings a subject has, as a bar.
pub(super) struct SubjectBar {
    pub(super) title: &'static str,
    /// The findings alone; `None` where the page has no address.
    pub(super) address: Option<String>,
    /// Of each severity, from the worst.
    pub(super) counts: [u32; 3],
    pub(super) total: u32,
}

/// A bar for each subject that has findings, in the order of the catalog, and the length of the longest.
pub(super) fn bars(findings: &[Finding], path: Option<&str>, lang: Lang) -> (Vec<SubjectBar>, u32) {
    let whole = Filter::of(None, lang);
    let mut by_subject: BTreeMap<Category, [u32; 3]> = BTreeMap::new();
    for finding in findings {
        let Some((family, _)) = catalog::entry(&finding.code) else { continue };
        let [errors, warnings, infos] = by_subject.entry(family.category).or_default();
        *match finding.severity {
            Severity::Error => errors,
            Severity::Warn => warnings,
            Severity::Info => infos,
        } += 1;
    }
    let bar = |(category, counts): (Category, [u32; 3])| SubjectBar {
        title: category.title().in_lang(lang),
        address: path.map(|path| whole.address(path, None, None, Some(category.word()))),
        counts,
        total: counts.iter().sum(),
    };
    let bars: Vec<SubjectBar> = by_subject.into_iter().map(bar).collect();
    let longest = bars.iter().map(|bar| bar.total).max().unwrap_or_default();
    (bars, longest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use audit::example;

    #[test]
    fn what_to_fix_first_is_the_most_urgent() {
        let page = "<meta name=robots content=noindex><title>a</title><title>b</title><h1>c</h1><img src=a>";
        let report = audit::report(&example::page(example::PAGE_URL, page));
        let first = first(&report.findings, &report.fixes, |_| false, Some(score::FULL), Lang::En);
        assert_eq!(first.len(), FIRST);
        let codes: Vec<&str> = first.iter().map(|first| first.finding.code).collect();
        assert_eq!(codes, report.fix_first[..FIRST]);
        assert_eq!(codes[0], "noindex_meta");
        assert!(first.iter().all(|first| first.finding.severity != "info"));
        let later = super::first(&report.findings, &report.fixes, |code| code == "noindex_meta", None, Lang::En);
        assert!(later.iter().all(|first| first.finding.code != "noindex_meta" && first.gain.is_none()));
        assert!(super::first(&[], &[], |_| false, None, Lang::En).is_empty());
    }

    #[test]
    fn points_never_promise_what_the_score_does_not_show() {
        assert_eq!(gain(18, 100, Lang::En), "+18 points");
        assert_eq!(gain(18, 140, Lang::En), "18 of the 140 points lost");
        assert_eq!(over_full(100, Lang::En), None);
        assert!(over_full(140, Lang::En).is_some_and(|sentence| sentence.ends_with("more than 40 points are fixed.")));
    }

    #[test]
    fn a_place_says_how_many_more_there_are() {
        let page = "<title>a</title><a href=/b></a>\n<a href=/c></a>\n<a href=/d></a>";
        let report = audit::report(&example::page(example::PAGE_URL, page));
        let links = report.findings.iter().find(|finding| finding.code == "link_text_empty").unwrap();
        assert_eq!(at(&links.evidence, Lang::En).as_deref(), Some("line 1 and 2 more"));
        assert_eq!(at(&links.evidence, Lang::PtBr).as_deref(), Some("linha 1 e mais 2"));
        assert_eq!(at(&links.evidence[..1], Lang::En).as_deref(), Some("line 1"));
        assert_eq!(at(&[], Lang::En), None);
    }

    #[test]
    fn the_ruler_adds_up() {
        let report = audit::report(&example::page(example::PAGE_URL, "<title>a</title><title>b</title><h1>c</h1>"));
        let losses = losses(&report.findings, &report.fixes, Lang::En);
        assert!(losses.len() > 1);
        assert_eq!(losses.iter().map(|loss| loss.points).sum::<u32>() + report.score, score::FULL);
    }

    #[test]
    fn every_finding_is_in_one_bar() {
        let report = audit::report(&example::page(example::PAGE_URL, "<title>a</title><title>b</title>"));
        let (bars, longest) = bars(&report.findings, Some("/r/x"), Lang::En);
        assert_eq!(bars.iter().map(|bar| bar.total).sum::<u32>() as usize, report.findings.len());
        assert!(bars.iter().all(|bar| bar.total <= longest && bar.counts.iter().sum::<u32>() == bar.total));
    }
}
