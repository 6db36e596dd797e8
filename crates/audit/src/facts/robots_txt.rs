//! Robots Exclusion Protocol (RFC 9309), read as Google reads it.

mod line;
mod matching;
pub(crate) mod signals;

use model::capture::{Fetched, ROBOTS_BYTES};
use url::Url;

use super::content_type::looks_like_html;
use line::{LineKey, RobotsLine};
pub use line::{LineProblem, ProblemKind, Readers, readers};

/// The outcome of the request for robots.txt.
#[derive(Debug)]
pub enum RobotsState {
    /// A file with rules, or an empty one.
    Found(RobotsTxt),
    /// 400 to 499 except 429, or more than five redirects, as in a loop: no restrictions (RFC 9309 §2.3.1.3).
    Missing(u16),
    /// 200 with an HTML document: no rules can be read from it.
    Html,
    /// 429, 5xx or no answer: crawlers must assume that everything is disallowed (§2.3.1.4). Holds what happened.
    Unreachable(String),
}

impl RobotsState {
    /// Judges the answer to the request for the file.
    pub fn read(fetched: &Fetched) -> Self {
        let exchange = match fetched {
            Fetched::Response(exchange) => exchange,
            Fetched::Failed(failure) if matches!(&*failure.reason, "too_many_redirects" | "redirect_loop") => {
                return Self::Missing(0);
            }
            Fetched::Failed(failure) => return Self::Unreachable(failure.reason.clone()),
        };
        match exchange.status {
            200..=299 if looks_like_html(&exchange.body.bytes) => Self::Html,
            200..=299 => Self::Found(RobotsTxt::parse(&exchange.body.bytes)),
            429 | 500.. => Self::Unreachable(exchange.status.to_string()),
            status => Self::Missing(status),
        }
    }
}

/// A parsed file.
#[derive(Debug, Default)]
pub struct RobotsTxt {
    groups: Vec<RobotsGroup>,
    /// `Sitemap` values with their lines, as written.
    pub sitemaps: Vec<(u32, String)>,
    /// Lines that crawlers can't read, or read only out of kindness.
    pub problems: Vec<LineProblem>,
    /// Lines with rules that Google ignores, as written.
    pub unsupported: Vec<(u32, String)>,
    /// The text that was read.
    pub text: String,
    /// There was more than is read.
    pub truncated: bool,
}

#[derive(Debug, Default)]
struct RobotsGroup {
    /// Product tokens in lower case, as the lines name them; `*` for everyone.
    names: Vec<String>,
    /// Those, and their beginnings without digits: some crawlers read no further.
    agents: Vec<String>,
    rules: Vec<Rule>,
    /// Seconds between requests, and how many of `agents` were named before the line that asks for them. Such a line ends no
    /// group (RFC 9309 §2.2.4), so agents may follow for whom it was not written.
    delays: Vec<(usize, f64)>,
}

#[derive(Debug)]
struct Rule {
    allow: bool,
    /// Percent-encoding normalised.
    pattern: String,
    /// The line as written.
    text: String,
    line: u32,
}

/// Whether a crawler may fetch a path, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsVerdict {
    /// May it?
    pub allowed: bool,
    /// The deciding line as written, and its 1-based number; `None` when no rule matched.
    pub rule: Option<(String, u32)>,
    /// The token of the group that was used: the crawler's own, or `*`.
    pub agent: Option<String>,
}

impl RobotsTxt {
    /// Reads the first 500 KiB, whole lines only. Total on any bytes.
    pub fn parse(bytes: &[u8]) -> Self {
        let truncated = bytes.len() > ROBOTS_BYTES;
        let mut read = bytes.get(..ROBOTS_BYTES).unwrap_or(bytes);
        if truncated {
            let end = read.iter().rposition(|b| matches!(b, b'\n' | b'\r')).map_or(0, |at| at + 1);
            read = read.get(..end).unwrap_or_default();
        }
        let read = read.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(read);
        let text = String::from_utf8_lossy(read).into_owned();
        let mut file = Self { truncated, ..Self::default() };
        let mut open = false;
        for (number, source) in line::lines(&text) {
            file.take(&RobotsLine::read(source), number, source, &mut open);
        }
        file.text = text;
        file
    }

    /// Adds one line. `open`: the last group still takes agents, since no rule of it has come.
    fn take(&mut self, read: &RobotsLine<'_>, number: u32, source: &str, open: &mut bool) {
        self.problems.extend(read.problem(number, source, self.groups.is_empty()));
        match read.key {
            LineKey::UserAgent => {
                if !*open {
                    self.groups.push(RobotsGroup::default());
                    *open = true;
                }
                if let Some(group) = self.groups.last_mut() {
                    let (name, letters) = agent_tokens(read.value);
                    let (name, letters) = (name.to_ascii_lowercase(), letters.to_ascii_lowercase());
                    if name != letters {
                        group.agents.push(letters);
                    }
                    group.agents.push(name.clone());
                    group.names.push(name);
                }
            }
            LineKey::Allow | LineKey::Disallow => {
                *open = false;
                if let Some(group) = self.groups.last_mut() {
                    group.rules.push(Rule {
                        allow: read.key == LineKey::Allow,
                        pattern: matching::normal(read.value),
                        text: source.trim().to_owned(),
                        line: number,
                    });
                }
            }
            LineKey::Sitemap => self.sitemaps.push((number, read.value.to_owned())),
            LineKey::Unsupported => {
                let is_delay = source.trim_start().to_ascii_lowercase().starts_with("crawl-delay");
                if let Some(group) = self.groups.last_mut().filter(|_| is_delay) {
                    let seconds = read.value.parse().ok().filter(|seconds: &f64| *seconds >= 0.0);
                    group.delays.extend(seconds.map(|seconds| (group.agents.len(), seconds)));
                }
                self.unsupported.push((number, source.trim().to_owned()));
            }
            LineKey::Blank | LineKey::Unknown => {}
        }
    }

    /// The product tokens that its groups name, in lower case.
    pub(super) fn agents(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().flat_map(|group| &group.names).map(String::as_str).filter(|token| !token.is_empty())
    }

    /// Seconds between requests that the group of a crawler asks for (`Crawl-delay`, which Bing and others read, Google not).
    pub fn crawl_delay(&self, token: &str) -> Option<f64> {
        let of = |name: &str| {
            let place = |group: &RobotsGroup| group.agents.iter().position(|agent| agent == name);
            self.groups.iter().filter_map(|group| Some((group, place(group)?))).collect::<Vec<_>>()
        };
        let own = of(&token.to_ascii_lowercase());
        let groups = if own.is_empty() { of("*") } else { own };
        groups.into_iter().find_map(|(group, at)| Some(group.delays.iter().find(|(named, _)| *named > at)?.1))
    }

    /// Whether the crawler of a product token may fetch a path with its query, percent-encoded as in a URL.
    pub fn verdict(&self, token: &str, path: &str) -> RobotsVerdict {
        let normal = matching::normal_path(path);
        let groups = self.groups.iter().map(|group| (group, &normal));
        self.decide(token, path, groups.map(|(group, path)| (group, move || Decision::of(group, path))))
    }

    /// The same for one path and many crawlers: each rule is matched once.
    pub fn for_path(&self, path: &str) -> PathRules<'_> {
        let normal = matching::normal_path(path);
        let decisions = self.groups.iter().map(|group| Decision::of(group, &normal)).collect();
        PathRules { file: self, path: path.to_owned(), decisions }
    }

    /// Asks the groups of a crawler, each with a way to its decision.
    fn decide<'f>(
        &self,
        token: &str,
        path: &str,
        groups: impl Iterator<Item = (&'f RobotsGroup, impl FnOnce() -> Option<Decision<'f>>)>,
    ) -> RobotsVerdict {
        if path == "/robots.txt" {
            return RobotsVerdict { allowed: true, rule: None, agent: None };
        }
        let token = token.to_ascii_lowercase();
        let named = |name: &str| self.groups.iter().any(|group| group.agents.iter().any(|agent| agent == name));
        let agent = if !token.is_empty() && named(&token) { token } else { "*".to_owned() };
        let own = groups.filter(|(group, _)| group.agents.contains(&agent));
        let best = own.filter_map(|(_, decision)| decision()).reduce(Decision::or);
        RobotsVerdict {
            allowed: best.is_none_or(|best| best.rule.allow),
            rule: best.map(|best| (best.rule.text.clone(), best.rule.line)),
            agent: named(&agent).then_some(agent),
        }
    }
}

/// The rules of a file for one path.
#[derive(Debug)]
pub struct PathRules<'f> {
    file: &'f RobotsTxt,
    path: String,
    /// One for each group.
    decisions: Vec<Option<Decision<'f>>>,
}

impl PathRules<'_> {
    /// Whether the crawler of a product token may fetch the path.
    pub fn verdict(&self, token: &str) -> RobotsVerdict {
        let groups = self.file.groups.iter().zip(&self.decisions).map(|(group, known)| (group, move || *known));
        self.file.decide(token, &self.path, groups)
    }
}

/// The rule that decides on a path, and the length of its match.
#[derive(Debug, Clone, Copy)]
struct Decision<'f> {
    length: usize,
    rule: &'f Rule,
}

impl<'f> Decision<'f> {
    fn of(group: &'f RobotsGroup, path: &str) -> Option<Self> {
        let matched = group
            .rules
            .iter()
            .filter_map(|rule| Some(Self { length: matching::matched_length(&rule.pattern, rule.allow, path)?, rule }));
        matched.filter(|matched| matched.length > 0).reduce(Self::or)
    }

    /// Of the longest matches an allow wins, and of several alike the first.
    fn or(self, later: Self) -> Self {
        if (later.length, later.rule.allow) > (self.length, self.rule.allow) { later } else { self }
    }
}

/// The product token of a `User-agent` value, and what some crawlers read of it; `*` for everyone.
///
/// A token has letters, `_` and `-` (RFC 9309 §2.2.1), and Google's parser reads no further. Crawlers in use have digits in
/// their names (`MJ12bot`, `360Spider`) and find their groups by the whole name, so both are taken.
fn agent_tokens(value: &str) -> (&str, &str) {
    if value == "*" || value.strip_prefix('*').is_some_and(|rest| rest.starts_with(char::is_whitespace)) {
        return ("*", "*");
    }
    let leading = |is_part: fn(char) -> bool| {
        let end = value.find(|c: char| !is_part(c) && c != '_' && c != '-').unwrap_or(value.len());
        value.get(..end).unwrap_or_default()
    };
    (leading(|c| c.is_ascii_alphanumeric()), leading(|c| c.is_ascii_alphabetic()))
}

/// Path and query of an address, as rules are matched against them.
pub(super) fn path(url: &Url) -> String {
    url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn allowed(robots: &str, token: &str, path: &str) -> bool {
        RobotsTxt::parse(robots.as_bytes()).verdict(token, path).allowed
    }

    #[test]
    fn a_rule_for_another_bot_is_not_for_all() {
        let robots = "User-agent: OtherBot\nDisallow: /\n";
        assert!(allowed(robots, "Googlebot", "/"));
        assert!(!allowed(robots, "otherbot", "/"));
    }

    #[test]
    fn the_longest_match_wins_and_allow_wins_ties() {
        let robots = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b$\nAllow: /c\nDisallow: /c\n";
        assert!(!allowed(robots, "x", "/a/x"));
        assert!(allowed(robots, "x", "/a/b/c"));
        assert!(!allowed(robots, "x", "/a/b"));
        assert!(allowed(robots, "x", "/c"));
        let verdict = RobotsTxt::parse(robots.as_bytes()).verdict("x", "/a/x");
        assert_eq!(verdict.rule, Some(("Disallow: /a".to_owned(), 2)));
        assert_eq!(verdict.agent.as_deref(), Some("*"));
    }

    #[test]
    fn a_token_with_digits_is_whole_and_its_letters_are_one_too() {
        let robots = "User-agent: MJ12bot\nDisallow: /a\n\nUser-agent: 360Spider/2\nDisallow: /b\n\nUser-agent: Googlebot2\nDisallow: /c\n";
        assert!(!allowed(robots, "mj12bot", "/a"));
        assert!(!allowed(robots, "360Spider", "/b"));
        assert!(!allowed(robots, "Googlebot", "/c"));
        assert!(allowed(robots, "Spider", "/b"));
        let file = RobotsTxt::parse(robots.as_bytes());
        assert_eq!(file.agents().collect::<Vec<_>>(), ["mj12bot", "360spider", "googlebot2"]);
    }

    #[test]
    fn the_case_of_escapes_does_not_matter() {
        assert!(!allowed("User-agent: *\nDisallow: /caf%c3%a9", "x", "/caf%c3%a9"));
        assert!(!allowed("User-agent: *\nDisallow: /café", "x", "/caf%c3%a9"));
    }

    #[test]
    fn every_line_end_and_a_mark_are_read() {
        for robots in [
            "\u{feff}User-agent: *\rDisallow: /a",
            "User-agent: *\r\nDisallow: /a\r\n",
            "user-agent : *\n disallow :/a # x",
        ] {
            assert!(!allowed(robots, "x", "/a"), "{robots:?}");
        }
    }

    #[test]
    fn only_whole_lines_within_the_limit_count() {
        let mut robots = b"User-agent: *\nDisallow: /a\n#".to_vec();
        robots.resize(ROBOTS_BYTES - 3, b'x');
        robots.extend_from_slice(b"\nDisallow: /b\n");
        let file = RobotsTxt::parse(&robots);
        assert!(file.truncated);
        assert!(!file.verdict("x", "/a").allowed);
        assert!(file.verdict("x", "/b").allowed);
    }

    #[test]
    fn problems_are_told_with_line_and_kind() {
        let file = RobotsTxt::parse(
            b"Disallow: /x\nUser-agent: *\nfoo bar baz\nDisalow: /y\nAllow: z\nUser-agent:\nDisallow: /a$b\n",
        );
        let kinds: Vec<(u32, ProblemKind)> = file.problems.iter().map(|problem| (problem.line, problem.kind)).collect();
        assert_eq!(
            kinds,
            [
                (1, ProblemKind::RuleBeforeAgent),
                (3, ProblemKind::NoColon),
                (4, ProblemKind::Misspelled),
                (5, ProblemKind::PathStart),
                (6, ProblemKind::EmptyAgent),
                (7, ProblemKind::DollarInside),
            ]
        );
        assert_eq!(file.problems.get(2).and_then(|problem| problem.corrected.clone()).as_deref(), Some("Disallow: /y"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_and_judged(bytes in proptest::collection::vec(any::<u8>(), 0..300), path in "/.{0,30}") {
            let _verdict = RobotsTxt::parse(&bytes).verdict("Googlebot", &path);
        }
    }
}
