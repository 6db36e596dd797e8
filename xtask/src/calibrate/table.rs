//! The calibration as Markdown: what the pages score, how the order agrees with one made by hand, how often each check
//! fires and how often it takes points.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use model::finding::Severity;
use model::fix::FixClass;
use model::report::Report;
use model::searchable::SearchState;

use super::ranking;

/// Why a check deserves its points though it takes them on many pages: code, tab, reason.
const REASONS: &str = include_str!("reasons.tsv");
/// The share of pages, one in so many, past which a check that takes points must say why.
const OFTEN: usize = 3;

/// On how many pages a check found something, and on how many of them that took points: the others were of small extent, or
/// part of another finding.
#[derive(Clone, Copy, Default)]
struct Fired {
    pages: usize,
    costly: usize,
}

fn fired(reports: &[(String, Report)]) -> BTreeMap<&str, Fired> {
    let mut fired: BTreeMap<&str, Fired> = BTreeMap::new();
    for finding in reports.iter().flat_map(|(_, report)| &report.findings) {
        let entry = fired.entry(finding.code.as_str()).or_default();
        entry.pages += 1;
        entry.costly += usize::from(finding.severity != Severity::Info);
    }
    fired
}

fn reason(code: &str) -> Option<&'static str> {
    REASONS.lines().filter_map(|line| line.split_once('\t')).find(|(known, _)| *known == code).map(|(_, why)| why)
}

/// Codes that take points on over a third of the pages, the most frequent first.
fn often(reports: &[(String, Report)]) -> Vec<&str> {
    let mut often: Vec<(&str, Fired)> =
        fired(reports).into_iter().filter(|(_, fired)| fired.costly * OFTEN > reports.len()).collect();
    often.sort_by_key(|(code, fired)| (Reverse(fired.costly), *code));
    often.into_iter().map(|(code, _)| code).collect()
}

/// Those of them without a reason.
pub(super) fn unexplained(reports: &[(String, Report)]) -> Vec<String> {
    often(reports).into_iter().filter(|code| reason(code).is_none()).map(str::to_owned).collect()
}

/// The whole document.
pub(super) fn table(reports: &[(String, Report)]) -> String {
    let mut out = format!(
        "# Calibration\n\n`cargo xtask calibrate --write` wrote this: {} real pages, each judged as a site of its own would serve \
         it, by catalog {} and score version {}.\n\n",
        reports.len(),
        audit::report::CATALOG_VERSION,
        audit::score::WEIGHTS,
    );
    scores(&mut out, reports);
    ranks(&mut out, reports);
    checks(&mut out, reports);
    let _ = writeln!(out, "\n## What takes points on over a third of the pages\n");
    for code in often(reports) {
        let _ = writeln!(out, "- `{code}`: {}", reason(code).unwrap_or("no reason is written"));
    }
    out + &demoted(reports)
}

/// Fixes that were drafted as ready and did not hold on a page: how many, and why.
fn demoted(reports: &[(String, Report)]) -> String {
    let ready: usize = reports
        .iter()
        .map(|(_, report)| report.fixes.iter().filter(|fix| fix.class == FixClass::Deterministic).count())
        .sum();
    let mut cases: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for one in reports.iter().flat_map(|(_, report)| &report.demoted) {
        *cases.entry((one.code.as_str(), one.reason.word())).or_default() += 1;
    }
    let all: usize = cases.values().sum();
    let mut out = format!(
        "\n## Fixes that are not offered as ready\n\nEvery ready fix is applied to its page, alone and with all others, and the \
         result is judged. {ready} held. {all} did not, and became instructions:\n\n"
    );
    if all > 0 {
        out.push_str("| code | why | pages |\n|---|---|--:|\n");
    }
    for ((code, why), pages) in cases {
        let _ = writeln!(out, "| `{code}` | `{why}` | {pages} |");
    }
    out
}

/// Whether a search engine can show the page.
fn is_searchable(report: &Report) -> bool {
    report.searchable.as_ref().is_some_and(|searchable| searchable.state != SearchState::No)
}

/// Links from which on a file is a page of a site with its menu; with fewer it is an excerpt.
const LEAST_LINKS: u32 = 10;

fn scores(out: &mut String, reports: &[(String, Report)]) {
    let searchable: Vec<&Report> =
        reports.iter().map(|(_, report)| report).filter(|report| is_searchable(report)).collect();
    let links = |report: &Report| report.summary.as_ref().map_or(0, |summary| summary.links.total);
    let whole: Vec<&Report> = searchable.iter().copied().filter(|report| links(report) >= LEAST_LINKS).collect();
    quartiles(out, "pages that a search engine can show", &searchable);
    quartiles(
        out,
        &format!(
            "of them that have {LEAST_LINKS} links or more; the others are excerpts, without the head and menu of their site"
        ),
        &whole,
    );
    let scores: Vec<u32> = searchable.iter().map(|report| report.score).collect();
    // Writing to a text does not fail.
    let _ = writeln!(out, "| score | pages |\n|---|--:|");
    for low in (0..=90).step_by(10) {
        let high = if low == 90 { 100 } else { low + 9 };
        let count = scores.iter().filter(|score| (low..=high).contains(*score)).count();
        let _ = writeln!(out, "| {low} to {high} | {count} |");
    }
}

/// The quartiles of some pages' scores.
fn quartiles(out: &mut String, which: &str, reports: &[&Report]) {
    let mut scores: Vec<u32> = reports.iter().map(|report| report.score).collect();
    scores.sort_unstable();
    let at = |part: usize| scores.get((scores.len().max(1) - 1) * part / 4).copied().unwrap_or_default();
    let of = |count: usize| count * 100 / scores.len().max(1);
    let none = scores.iter().filter(|score| **score == 0).count();
    // Writing to a text does not fail.
    let _ = writeln!(
        out,
        "Scores of the {} {which}: least {}, lower quartile {}, median {}, upper quartile {}, most {}; \
         {none} at 0 ({} %).\n",
        scores.len(),
        at(0),
        at(1),
        at(2),
        at(3),
        at(4),
        of(none)
    );
}

fn ranks(out: &mut String, reports: &[(String, Report)]) {
    let ranked = ranking::ranked(reports);
    let _ = writeln!(
        out,
        "\n## Beside the order made by hand\n\nSpearman's rank correlation with [the ranking](ranking.md) of {} pages: {:.2}.\n\n\
         | by hand | page | score |\n|--:|---|--:|",
        ranked.len(),
        ranking::correlation(&ranked)
    );
    for page in &ranked {
        let _ = writeln!(out, "| {} | {} | {} |", page.place, page.name, page.report.score);
    }
}

fn checks(out: &mut String, reports: &[(String, Report)]) {
    let _ = writeln!(
        out,
        "\n## How often each check fires\n\nWhat it finds takes points unless its extent is small or another finding has the same \
         cause.\n\n| code | severity | pages | of all | takes points | of all |\n|---|---|--:|--:|--:|--:|"
    );
    let fired = fired(reports);
    let mut rows: Vec<(&str, Severity, Fired)> = audit::checks::all()
        .map(|check| (check.code, check.severity, fired.get(check.code).copied().unwrap_or_default()))
        .collect();
    rows.sort_by_key(|(code, _, fired)| (Reverse(fired.pages), *code));
    let share = |pages: usize| pages * 100 / reports.len();
    for (code, severity, Fired { pages, costly }) in rows.iter().filter(|(_, _, fired)| fired.pages > 0) {
        let (of_all, costly_of_all) = (share(*pages), share(*costly));
        let _ =
            writeln!(out, "| `{code}` | {} | {pages} | {of_all} % | {costly} | {costly_of_all} % |", severity.word());
    }
    let never = rows.iter().filter(|(_, _, fired)| fired.pages == 0);
    let never: Vec<String> = never.map(|(code, _, _)| format!("`{code}`")).collect();
    let _ = writeln!(out, "\nNever: {}.", never.join(", "));
}
