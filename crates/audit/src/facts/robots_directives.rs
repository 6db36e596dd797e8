//! Robots meta tags and `X-Robots-Tag` headers: tokens, their agents, and the effective set.
//!
//! Names and values are case-insensitive, separators are commas; meta tags and headers for the same agent are united
//! and the most restrictive wins (Google, robots meta tag specifications).

use std::sync::LazyLock;

use model::capture::Exchange;
use model::dates;
use model::time::Timestamp;

use super::document::NodeId;
use super::page::Html;

/// One directive as declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive {
    /// `None`: everyone. Else the agent's name in lower case.
    pub agent: Option<String>,
    /// Token in lower case, without its value.
    pub name: String,
    /// What stood after the colon, trimmed.
    pub value: Option<String>,
    /// Where it is declared.
    pub source: DirectiveOrigin,
}

impl Directive {
    /// The `meta` element that declares it, unless a header does.
    pub fn tag(&self) -> Option<NodeId> {
        match &self.source {
            DirectiveOrigin::Meta(node) => Some(*node),
            DirectiveOrigin::Header(_) => None,
        }
    }

    /// Whether a tag of the page declares it.
    pub fn is_in_page(&self) -> bool {
        self.tag().is_some()
    }
}

/// Where a directive stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DirectiveOrigin {
    /// A `meta` element.
    Meta(NodeId),
    /// A header line, as written.
    Header(String),
}

/// Tokens and their status, with sources and date in the file.
const TOKENS: &str = include_str!("../data/robots_directives.tsv");
/// Directives read of one page at most.
const MOST: usize = 200;

/// What a token means today.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Valid, without a value.
    Plain,
    /// Valid, with a value.
    Valued,
    /// Google ignores it, Bing reads it.
    Bing,
    /// Nobody reads it any more.
    Dead,
    /// A convention, or another reader's.
    Other,
}

/// Tokens with their status, read once.
static KNOWN: LazyLock<Vec<(&str, Status)>> = LazyLock::new(|| {
    let rows = TOKENS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let (token, status) = line.split_once('\t')?;
        let status = match status {
            "plain" => Status::Plain,
            "valued" => Status::Valued,
            "bing" => Status::Bing,
            "dead" => Status::Dead,
            _ => Status::Other,
        };
        Some((token, status))
    });
    rows.collect()
});

/// The status of a token in lower case; `None` for one that is in no list.
pub fn status(name: &str) -> Option<Status> {
    KNOWN.iter().find(|(token, _)| *token == name).map(|(_, status)| *status)
}

/// Whether a token is in the valid or the historical list.
pub fn is_known(name: &str) -> bool {
    status(name).is_some()
}

/// The one valid token within two edits of an unknown one, if there is just one.
pub fn suggestion(name: &str) -> Option<&'static str> {
    /// Edits up to which a token is a misspelling.
    const NEAR: usize = 2;
    let valid = || KNOWN.iter().filter(|(_, status)| matches!(status, Status::Plain | Status::Valued));
    let near = valid().map(|(token, _)| (distance(name, token), *token)).filter(|(edits, _)| *edits <= NEAR);
    let best = near.min()?;
    let rivals = valid().filter(|(token, _)| distance(name, token) == best.0).count();
    (rivals == 1).then_some(best.1)
}

/// Whether the value of a directive is one that readers take; true for directives without one.
pub fn has_valid_value(directive: &Directive) -> bool {
    let value = directive.value.as_deref().unwrap_or_default();
    match directive.name.as_str() {
        "max-snippet" | "max-video-preview" => value.parse::<i64>().is_ok_and(|number| number >= -1),
        "max-image-preview" => ["none", "standard", "large"].iter().any(|known| value.eq_ignore_ascii_case(known)),
        "unavailable_after" => parse_date(value).is_some(),
        _ => true,
    }
}

/// What keeps a header line from being read as meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderFault {
    /// A mark that separates nothing here stands between the rules.
    Mark(char),
    /// What stands before the colon is taken for a crawler's name, and no crawler has it.
    Prefix(String),
}

/// Judges a line of `X-Robots-Tag`.
pub fn header_fault(line: &str) -> Option<HeaderFault> {
    if let Some(mark) = line.chars().find(|c| matches!(c, ';' | '=' | '|' | '"' | '\'')) {
        return Some(HeaderFault::Mark(mark));
    }
    tokens_with_agents(line).into_iter().find_map(|(token, _)| match token {
        DirectiveToken::Agent(name) if is_known(&name) || matches!(name.as_str(), "robots" | "x-robots-tag" | "*") => {
            Some(HeaderFault::Prefix(name))
        }
        DirectiveToken::Agent(_) | DirectiveToken::Directive(_) => None,
    })
}

/// Edits between two short words: insertions, deletions, substitutions and swaps (Damerau-Levenshtein, restricted).
fn distance(a: &str, b: &str) -> usize {
    /// Longer words are no misspelling of any token.
    const LONGEST: usize = 32;
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(LONGEST).collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, to) in b.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX / 2);
            let mut best = (at(&row, j) + usize::from(from != to)).min(at(&row, j + 1) + 1).min(at(&next, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(to) && b.get(j - 1) == Some(from);
            if swapped {
                best = best.min(at(&before, j - 1) + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or_default()
}

/// Every directive of a page, metas first.
pub fn read(html: Option<&Html>, exchange: Option<&Exchange>) -> Vec<Directive> {
    let metas = html.into_iter().flat_map(|html| &html.metas).filter_map(|meta| {
        let name = meta.name.as_deref()?;
        let agent = match name {
            "robots" => None,
            "googlebot" | "googlebot-news" | "bingbot" | "slurp" | "duckduckbot" | "yandex" | "baiduspider"
            | "applebot" => Some(name.to_owned()),
            _ => return None,
        };
        Some((agent, meta.content.as_deref()?, meta.node))
    });
    let from_metas = metas.flat_map(|(agent, content, node)| {
        tokens(content).into_iter().map(move |(name, value)| Directive {
            agent: agent.clone(),
            name,
            value,
            source: DirectiveOrigin::Meta(node),
        })
    });
    let headers = exchange.into_iter().flat_map(|exchange| exchange.headers_named("x-robots-tag"));
    let from_headers = headers.flat_map(|line| {
        let mut agent: Option<String> = None;
        let mut out = Vec::new();
        for (name, value) in tokens_with_agents(line) {
            match (name, value) {
                (DirectiveToken::Agent(name), _) => agent = Some(name),
                (DirectiveToken::Directive(name), value) => out.push(Directive {
                    agent: agent.clone(),
                    name,
                    value,
                    source: DirectiveOrigin::Header(line.to_owned()),
                }),
            }
        }
        out
    });
    from_metas.chain(from_headers).take(MOST).collect()
}

enum DirectiveToken {
    Agent(String),
    Directive(String),
}

/// Splits `a, b: c` into names and values. The value of `unavailable_after` may hold commas and colons: what follows a
/// comma and is no token belongs to it.
fn tokens(content: &str) -> Vec<(String, Option<String>)> {
    let mut out: Vec<(String, Option<String>)> = Vec::new();
    for part in content.split(',') {
        let part = part.trim();
        if part.is_empty() {
            continue;
        }
        let (name, value) = match part.split_once(':') {
            Some((name, value)) => (name.trim().to_ascii_lowercase(), Some(value.trim().to_owned())),
            None => (part.to_ascii_lowercase(), None),
        };
        let in_date = out.last().is_some_and(|(name, value)| {
            name == "unavailable_after" && value.as_deref().is_some_and(|value| parse_date(value).is_none())
        });
        if in_date && !is_known(&name) {
            if let Some((_, Some(date))) = out.last_mut() {
                date.push_str(", ");
                date.push_str(part);
            }
            continue;
        }
        out.push((name, value));
    }
    out
}

/// The same for a header, where an unknown name before a colon is the agent of what follows.
fn tokens_with_agents(line: &str) -> Vec<(DirectiveToken, Option<String>)> {
    let mut out = Vec::new();
    for (name, value) in tokens(line) {
        match value {
            Some(value) if status(&name) != Some(Status::Valued) => {
                out.push((DirectiveToken::Agent(name), None));
                out.extend(tokens(&value).into_iter().map(|(name, value)| (DirectiveToken::Directive(name), value)));
            }
            value => out.push((DirectiveToken::Directive(name), value)),
        }
    }
    out
}

/// Whether a directive is for Googlebot: everyone's, or its own.
pub fn for_google(directive: &Directive) -> bool {
    directive.agent.as_deref().is_none_or(|agent| agent == "googlebot")
}

/// Reads a date of `unavailable_after`: ISO 8601, RFC 822 or RFC 850. A date without a time is the start of its day; a
/// zone that has no offset and is not one of RFC 822 counts as UTC.
pub fn parse_date(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    dates::loose_iso(text).or_else(|| dates::rfc822(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(line: &str) -> Vec<String> {
        let mut agent = String::new();
        tokens_with_agents(line)
            .into_iter()
            .filter_map(|(token, value)| match token {
                DirectiveToken::Agent(name) => {
                    agent = format!("{name}/");
                    None
                }
                DirectiveToken::Directive(name) => {
                    Some(format!("{agent}{name}{}", value.map(|v| format!("={v}")).unwrap_or_default()))
                }
            })
            .collect()
    }

    #[test]
    fn a_prefix_scopes_what_follows_it() {
        assert_eq!(names("NoIndex, nofollow"), ["noindex", "nofollow"]);
        assert_eq!(names("otherbot: noindex, nofollow"), ["otherbot/noindex", "otherbot/nofollow"]);
        assert_eq!(
            names("nosnippet, bingbot: noindex, max-snippet:20"),
            ["nosnippet", "bingbot/noindex", "bingbot/max-snippet=20"]
        );
        assert_eq!(names("max-snippet: -1, max-image-preview:large"), ["max-snippet=-1", "max-image-preview=large"]);
    }

    #[test]
    fn a_date_keeps_its_commas() {
        assert_eq!(
            names("unavailable_after: Friday, 25-Jun-27 15:00:00 UTC, noindex"),
            ["unavailable_after=Friday, 25-Jun-27 15:00:00 UTC", "noindex"]
        );
    }

    #[test]
    fn dates_of_all_three_forms_are_read() {
        for (text, iso) in [
            ("2027-06-25", "2027-06-25T00:00:00.000Z"),
            ("2027-06-25T15:00:00+02:00", "2027-06-25T13:00:00.000Z"),
            ("25 Jun 2027 15:00:00 UTC", "2027-06-25T15:00:00.000Z"),
            ("Friday, 25-Jun-27 15:00:00 GMT", "2027-06-25T15:00:00.000Z"),
            ("25 Jun 2027 15:00:00 PST", "2027-06-25T23:00:00.000Z"),
            ("Fri, 25 Jun 2027 15:00:00 -0300", "2027-06-25T18:00:00.000Z"),
            ("25-Aug-2027", "2027-08-25T00:00:00.000Z"),
            ("29 Feb 2028", "2028-02-29T00:00:00.000Z"),
        ] {
            assert_eq!(parse_date(text).map(|date| date.to_string()).as_deref(), Some(iso), "{text}");
        }
        assert_eq!(parse_date("soon"), None);
        for text in ["2027-13-45", "2027-02-29", "31 Apr 2027", "25 Jun", "Jun 25 2027 15:00"] {
            assert_eq!(parse_date(text), None, "{text}");
        }
    }

    #[test]
    fn misspelled_tokens_have_one_suggestion() {
        assert_eq!(suggestion("no-index"), Some("noindex"));
        assert_eq!(suggestion("nofolow"), Some("nofollow"));
        assert_eq!(suggestion("xyz"), None);
        assert_eq!(distance("noidnex", "noindex"), 1);
    }

    #[test]
    fn a_header_line_is_read_as_meant_or_not() {
        for line in ["noindex", "bingbot: noindex, unavailable_after: 25 Jun 2027 15:00:00 PST", "", "max-snippet:-1"] {
            assert_eq!(header_fault(line), None, "{line}");
        }
        assert_eq!(header_fault("noindex; nofollow"), Some(HeaderFault::Mark(';')));
        assert_eq!(header_fault("max-snippet=20"), Some(HeaderFault::Mark('=')));
        assert_eq!(header_fault("robots: noindex"), Some(HeaderFault::Prefix("robots".to_owned())));
        assert_eq!(header_fault("noindex: nofollow"), Some(HeaderFault::Prefix("noindex".to_owned())));
    }

    #[test]
    fn values_are_valid_as_the_specification_says() {
        let valid = |name: &str, value: &str| {
            let (name, value) = (name.to_owned(), Some(value.to_owned()));
            has_valid_value(&Directive { agent: None, name, value, source: DirectiveOrigin::Header(String::new()) })
        };
        assert!(valid("max-snippet", "-1") && valid("max-video-preview", "0") && valid("max-image-preview", "Large"));
        assert!(!valid("max-snippet", "-2") && !valid("max-snippet", "20 chars") && !valid("max-image-preview", "big"));
        assert!(valid("unavailable_after", "2027-06-25") && !valid("unavailable_after", "soon"));
    }

    proptest! {
        #[test]
        fn any_text_is_split(text in ".{0,80}") {
            let _tokens = tokens_with_agents(&text);
            let _date = parse_date(&text);
            let _near = suggestion(&text);
            let _fault = header_fault(&text);
        }
    }
}
