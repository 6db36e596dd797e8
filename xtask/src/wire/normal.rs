//! What differs from one run to the next, replaced by names that stay: ids and tokens are numbered by their first
//! appearance, so that the same one stays the same and a swap is seen; instants are told by their distance from now.

use std::collections::{BTreeMap, HashMap, HashSet};

use anyhow::Result;
use regex::{Captures, Regex};

use super::moment::{self, Moment};

/// What is replaced, in this order, and by what. The first group of an expression, where it has one, stays.
const RULES: [(&str, Replacement); 24] = [
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", Replacement::Numbered("uuid")),
    (r"\b(?:pa|mmk|cred)_[A-Za-z0-9_-]{43}", Replacement::Numbered("token")),
    (r"(?m)^(x-request-id: )[0-9a-f]{32}$", Replacement::Fixed("request-id")),
    (r"\beyJ[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]{86}", Replacement::Numbered("signature")),
    (r"\b[0-9a-f]{32}\b", Replacement::Numbered("hex")),
    (r#"("modified":"|\btimestamp: |, at: )20\d\d-\d\d-\d\d"#, Replacement::Fixed("build-day")),
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)", Replacement::Time(moment::rfc3339)),
    (r"\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?: UTC)?\b", Replacement::Time(moment::minute)),
    (r"\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (?:GMT|\+0000)", Replacement::Time(moment::imf)),
    (r"\b\d{1,2} (?:de )?[A-Za-zç]{3,9} (?:de )?20\d\d\b", Replacement::Time(moment::written)),
    (r"\b20\d\d-\d\d-\d\d\b", Replacement::Time(moment::day)),
    (r"\b\d\d:\d\d UTC\b", Replacement::Fixed("minute")),
    (r"\b1[6-9]\d{11}\b", Replacement::Time(moment::milliseconds)),
    (r"\b1[6-9]\d{8}\b", Replacement::Time(moment::seconds)),
    (r"(?i)((?:retry-after: |;t=|; t=|retry_after(?:_seconds)?.{0,2}:))\d{2,}", Replacement::Fixed("seconds")),
    (r#"("(?:[a-z_]*_ms|[a-zA-Z]*Ms|ms)\\?": ?)\d+(?:\.\d+)?"#, Replacement::Fixed("ms")),
    (r"\b\d+(?:[.,]\d+)?(?: |&nbsp;|\u{a0}|\u{202f})?(?:ms|milliseconds|milissegundos)\b", Replacement::Fixed("ms")),
    (r"\b[A-Z2-7]{4}(?:-[A-Z2-7]{4}){5}\b", Replacement::Numbered("recovery-code")),
    (r"<svg[^<>]*viewBox[^<>]*>.{0,200}?<path[^<>]*d=.{0,2}M[0-9MmhvzHVZ ,.-]{2000,}", Replacement::Numbered("qr")),
    (r"\b(?:[A-Z2-7]{4} ?){7}[A-Z2-7]{4}\b", Replacement::Numbered("secret")),
    (r"[A-Za-z0-9_-]{40,}", Replacement::Random),
    (r"\bjust now\b|\b\d+ minutes? ago\b|\bagora há pouco\b|\bhá \d+ minutos?\b", Replacement::Fixed("ago")),
    (r#"("last4": ?"|<code>…)[A-Za-z0-9_-]{4}"#, Replacement::Fixed("last4")),
    (r#"(slug\\?": ?\\?"|/(?:r|og|badge|api/badge|api/shared)/)[a-z0-9]{20}\b"#, Replacement::Numbered("slug")),
];

/// How something is replaced.
#[derive(Debug, Clone, Copy)]
enum Replacement {
    /// By its kind and a number.
    Numbered(&'static str),
    /// By its kind.
    Fixed(&'static str),
    /// By its distance from now, if it is recent or to come.
    Time(fn(&str) -> Option<Moment>),
    /// By a number, if it is 43 characters that look as 32 random bytes in base64url do.
    Random,
}

/// What was replaced so far.
#[derive(Debug)]
pub(super) struct Normal {
    rules: Vec<(Regex, Replacement)>,
    /// Texts that are known to differ, and their names. The longest first.
    literals: Vec<(String, String)>,
    /// Days that stand in what does not change, such as the catalog of checks.
    fixed: HashSet<Moment>,
    names: HashMap<String, String>,
    counts: BTreeMap<&'static str, usize>,
}

impl Normal {
    /// With texts that are known to differ, and what replaces them; and a text whose days stay.
    pub(super) fn new(literals: Vec<(String, String)>, lasting: &str) -> Result<Self> {
        let rules = RULES.iter().map(|(expression, rule)| Ok((Regex::new(expression)?, *rule)));
        let rules = rules.collect::<Result<Vec<_>>>()?;
        let days = Regex::new(r"\b20\d\d-\d\d-\d\d\b")?;
        let fixed = days.find_iter(lasting).filter_map(|found| moment::day(found.as_str())).collect();
        Ok(Self { rules, literals, fixed, names: HashMap::new(), counts: BTreeMap::new() })
    }

    /// A text that differs from now on: its name is its kind and a number.
    pub(super) fn remember(&mut self, kind: &'static str, text: &str) {
        if !self.names.contains_key(text) {
            let name = number(&mut self.names, &mut self.counts, kind, text);
            self.literals.push((text.to_owned(), name));
            self.literals.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        }
    }

    /// A text with everything replaced.
    pub(super) fn apply(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for (known, name) in &self.literals {
            text = text.replace(known, name);
        }
        let (names, counts, fixed) = (&mut self.names, &mut self.counts, &self.fixed);
        let now = moment::now();
        for (expression, rule) in &self.rules {
            if !expression.is_match(&text) {
                continue;
            }
            let replaced = expression.replace_all(&text, |found: &Captures<'_>| {
                let whole = found.get(0).map_or("", |whole| whole.as_str());
                let stays = found.get(1).map_or("", |stays| stays.as_str());
                let rest = whole.strip_prefix(stays).unwrap_or(whole);
                let name = match rule {
                    Replacement::Numbered(kind) => number(names, counts, kind, rest),
                    Replacement::Fixed(kind) => format!("<{kind}>"),
                    Replacement::Time(read) => {
                        let moment = read(rest).filter(|moment| !fixed.contains(moment));
                        moment.and_then(|moment| moment.from(now)).unwrap_or_else(|| rest.to_owned())
                    }
                    Replacement::Random if is_random(rest) => number(names, counts, "random", rest),
                    Replacement::Random => rest.to_owned(),
                };
                format!("{stays}{name}")
            });
            text = replaced.into_owned();
        }
        text
    }
}

fn number(
    names: &mut HashMap<String, String>,
    counts: &mut BTreeMap<&'static str, usize>,
    kind: &'static str,
    text: &str,
) -> String {
    let made = || {
        let count = counts.entry(kind).or_default();
        *count += 1;
        format!("<{kind}-{count}>")
    };
    names.entry(text.to_owned()).or_insert_with(made).clone()
}

/// Whether a text looks as random bytes do in base64url: 32 of them, or as many more.
fn is_random(text: &str) -> bool {
    let count = |is: fn(&&u8) -> bool| text.as_bytes().iter().filter(is).count();
    text.len() >= 43 && count(|byte| byte.is_ascii_uppercase()) > 3 && count(|byte| byte.is_ascii_lowercase()) > 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_id_has_the_same_name_and_another_one_has_another() {
        let mut normal = Normal::new(Vec::new(), "").unwrap();
        let (first, second) = ("019bc2f0-5e40-7c1a-9d2e-3f4a5b6c7d8e", "019bc2f0-5e40-7c1a-9d2e-3f4a5b6c7d8f");
        assert_eq!(normal.apply(&format!("{first} {second} {first}")), "<uuid-1> <uuid-2> <uuid-1>");
        assert_eq!(normal.apply(second), "<uuid-2>");
    }

    #[test]
    fn tokens_and_slugs_have_names_wherever_they_stand() {
        let mut normal = Normal::new(Vec::new(), "").unwrap();
        let token = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hI5kL7nO9q";
        assert_eq!(normal.apply(&format!("token={token} pa_{token}")), "token=<random-1> <token-1>");
        let slugs =
            r#"{"share_slug":"fd6szbpbm5kfh5kv6d97"} \"slug\":\"fd6szbpbm5kfh5kv6d97\" /r/srim2mqe7n8idngyi98t"#;
        let named = r#"{"share_slug":"<slug-1>"} \"slug\":\"<slug-1>\" /r/<slug-2>"#;
        assert_eq!(normal.apply(slugs), named);
        assert_eq!(normal.apply("\"totalMs\": 12, 1.5 ms, just now"), "\"totalMs\": <ms>, <ms>, <ago>");
    }

    #[test]
    fn what_is_no_id_and_no_recent_time_stays() {
        let mut normal = Normal::new(Vec::new(), "").unwrap();
        for text in ["cache-control: max-age=31536000", "2020-01-31", "1 May 2020", "/checks/title_missing", "0.1.0"] {
            assert_eq!(normal.apply(text), text);
        }
    }

    #[test]
    fn what_is_remembered_is_replaced_everywhere() {
        let mut normal = Normal::new(vec![("abc123".to_owned(), "<build>".to_owned())], "").unwrap();
        normal.remember("etag", "\"5f\"");
        assert_eq!(normal.apply("if-none-match: \"5f\" abc123"), "if-none-match: <etag-1> <build>");
    }
}
