//! The decision that a noindex asks of the page's owner: the directive as it is, and as it would be if the page should be
//! found. It is shown above everything else, and is no fix: nothing that copies several changes has it.

use std::ops::Range;

use model::finding::Place;
use model::lang::{Lang, Text, text};
use model::report::Report;
use model::searchable::SearchState;
use render::edits::EditStep;

use super::diff::{self, DiffStep};
use super::findings::{self, FindingView};

/// Findings on a noindex that Google obeys.
const NOINDEX: [&str; 2] = ["noindex_meta", "noindex_header"];
/// Places that are shown. Chosen: a tag, a header, and a second tag; the finding has all.
const PLACES: usize = 3;
/// How the header is written where it is a place of a finding.
const HEADER: &str = "x-robots-tag:";

/// What the owner decides.
pub(super) struct Decision<'a> {
    pub(super) finding: FindingView<'a>,
    pub(super) changes: Vec<DirectiveChange<'a>>,
}

/// A directive before and after.
pub(super) struct DirectiveChange<'a> {
    what: String,
    before: &'a str,
    after: String,
}

impl DirectiveChange<'_> {
    /// With the differing part marked.
    pub(super) fn step(&self) -> DiffStep<'_> {
        let (before, after) = (Some(self.before), Some(self.after.as_str()));
        diff::step(EditStep { what: self.what.clone(), before, after, is_moved: false })
    }
}

/// The decision on the noindex that keeps a page out of search; `None` where something else does, or nothing.
pub(super) fn decision(report: &Report, lang: Lang) -> Option<Decision<'_>> {
    let searchable = report.searchable.as_ref().filter(|searchable| searchable.state == SearchState::No)?;
    let code = searchable.reasons.first().filter(|code| NOINDEX.contains(&code.as_str()))?;
    let (finding, fix) = report.findings.iter().zip(&report.fixes).find(|(finding, _)| finding.code == *code)?;
    let changes: Vec<_> = finding.evidence.iter().filter_map(|place| change(place, lang)).take(PLACES).collect();
    (!changes.is_empty()).then(|| Decision { finding: findings::view(finding, fix, None, lang), changes })
}

/// The change at a place of the finding; `None` where only a part of the directive is known.
fn change(place: &Place, lang: Lang) -> Option<DirectiveChange<'_>> {
    const LINE: Text = text("Replace on line {line}", "Substitua na linha {line}");
    const IN_HEADERS: Text = text("Replace in the response headers", "Substitua nos cabeçalhos da resposta");
    let before = place.snippet.as_deref()?;
    if place.length.is_some_and(|length| length != before.len()) {
        return None;
    }
    let what = match place.line {
        Some(line) => LINE.phrase(&[("line", line.into())]),
        None => IN_HEADERS.into(),
    };
    Some(DirectiveChange { what: what.in_lang(lang).to_owned(), before, after: indexed(before)? })
}

/// A robots tag or header that allows indexing and is the same otherwise; `None` where it says no noindex.
fn indexed(source: &str) -> Option<String> {
    let span = rules(source)?;
    let list = source.get(span.clone())?;
    let has_index = list.split(',').any(|rule| ["index", "all"].contains(&rule.trim().to_ascii_lowercase().as_str()));
    let rules: Vec<String> = list.split(',').filter_map(|rule| allowed(rule, has_index)).collect();
    let rules = rules.join(",");
    let rules = if list.starts_with(' ') { rules } else { rules.trim_start().to_owned() };
    let (head, tail) = (source.get(..span.start)?, source.get(span.end..)?);
    (rules != list).then(|| format!("{head}{rules}{tail}"))
}

/// A rule that forbids indexing as one that allows it; `None` where another rule allows it already.
fn allowed(rule: &str, has_index: bool) -> Option<String> {
    // In a header the name of a crawler may come first.
    let (crawler, name) = rule.rfind(':').map_or(("", rule), |at| rule.split_at(at + 1));
    let new = match name.trim().to_ascii_lowercase().as_str() {
        "noindex" if has_index && crawler.is_empty() => return None,
        "noindex" => "index",
        // `none` is noindex and nofollow. Whether links are followed is another decision.
        "none" => "index,nofollow",
        _ => return Some(rule.to_owned()),
    };
    Some(format!("{crawler}{}", name.replacen(name.trim(), new, 1)))
}

/// Where the list of rules stands in a header line, or in the `content` of a tag.
fn rules(source: &str) -> Option<Range<usize>> {
    // Letters of ASCII only change their case, so that places stay the same.
    let lower = source.to_ascii_lowercase();
    if lower.starts_with(HEADER) {
        return Some(HEADER.len()..source.len());
    }
    let name = lower.match_indices("content").map(|(at, name)| (at, at + name.len()));
    let value = |(at, end): (usize, usize)| {
        let before = lower.get(..at)?;
        before.ends_with(|c: char| c.is_ascii_whitespace() || matches!(c, '"' | '\'')).then_some(())?;
        let rest = lower.get(end..)?.trim_start().strip_prefix('=')?.trim_start();
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
        let value = quote.map_or(rest, |quote| rest.strip_prefix(quote).unwrap_or(rest));
        let length = match quote {
            Some(quote) => value.find(quote)?,
            None => value.find(|c: char| c.is_ascii_whitespace() || c == '>')?,
        };
        let start = source.len() - value.len();
        Some(start..start + length)
    };
    name.filter_map(value).next()
}

#[cfg(test)]
mod tests {
    use audit::example;

    use super::*;

    #[test]
    fn only_the_noindex_of_a_directive_changes() {
        for (before, after) in [
            (r#"<meta name="robots" content="noindex">"#, Some(r#"<meta name="robots" content="index">"#)),
            ("<META CONTENT='NOINDEX, Follow' NAME=robots>", Some("<META CONTENT='index, Follow' NAME=robots>")),
            ("<meta name=robots content=none>", Some("<meta name=robots content=index,nofollow>")),
            (r#"<meta name="robots" content="noindex, all">"#, Some(r#"<meta name="robots" content="all">"#)),
            ("X-Robots-Tag: noindex, nofollow", Some("X-Robots-Tag: index, nofollow")),
            ("X-Robots-Tag: googlebot: noindex", Some("X-Robots-Tag: googlebot: index")),
            (r#"<meta name="robots" content="nofollow">"#, None),
            (r#"<meta name="robots" data-content="noindex">"#, None),
            (r#"<meta name="robots" content="noindex"#, None),
            ("", None),
        ] {
            assert_eq!(indexed(before).as_deref(), after, "{before}");
        }
    }

    #[test]
    fn any_text_is_read_without_a_fault() {
        for source in ["content", " content=", "é content='é, noindex'", " content=\"", "x-robots-tag:", " content=>"]
        {
            indexed(source);
        }
    }

    #[test]
    fn only_a_page_that_a_noindex_hides_asks_for_a_decision() {
        let of = |page: &str| {
            let report = audit::report(&example::page(example::PAGE_URL, page));
            let changes = decision(&report, Lang::En).map(|found| found.changes);
            changes.unwrap_or_default().into_iter().map(|change| change.after).collect::<Vec<_>>()
        };
        assert_eq!(of("<meta name=robots content=noindex><title>a</title>"), ["<meta name=robots content=index>"]);
        assert_eq!(of("<meta name=robots content=nofollow><title>a</title><a href=/>b</a>"), [""; 0]);
        // Of a tag that was cut nothing can be said.
        assert_eq!(of(&format!("<meta name=robots content='noindex,{}'>", "x,".repeat(99))), [""; 0]);
    }
}
