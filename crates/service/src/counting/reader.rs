//! Who reads: a person, an AI agent, or another program.

use audit::facts::crawlers::ai_agent;

/// The name of an agent that calls `/mcp` under a name of its own.
const OTHER_AGENT: &str = "MCP";
/// The user agent of the operator's own tests, which are counted nowhere.
const SMOKE: &str = "mm-smoke";
/// What user agents of programs contain, in lower case, that present themselves as a browser: crawlers, previews,
/// monitors, browsers without a window. Others begin with a name of their own, not with `Mozilla/`.
const PROGRAMS: [&str; 17] = [
    "bot",
    "crawl",
    "spider",
    "slurp",
    "archive",
    "monitor",
    "uptime",
    "pingdom",
    "headless",
    "preview",
    "fetch",
    "scan",
    "lighthouse",
    "compatible;",
    "http:",
    "https:",
    "feed",
];

/// A kind of reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReaderKind {
    /// A person, as far as the headers tell.
    Person,
    /// A known AI agent, by its product token, or a caller of `/mcp`.
    Agent(&'static str),
    /// Another crawler, a monitor, an HTTP library.
    Machine,
}

/// Bytes of a user agent that are read.
const AGENT_BYTES: usize = 512;

/// Who asks, as far as headers tell.
#[derive(Debug, Clone)]
pub struct CountedReader {
    /// The kind.
    pub kind: ReaderKind,
    /// `User-Agent`, its beginning.
    pub user_agent: String,
    /// The preferred language, as two letters; `None` for others, of which there are too many to count.
    pub language: Option<String>,
}

impl CountedReader {
    /// A reader by the headers `User-Agent`, `Signature-Agent` and `Accept-Language`, empty where not sent. `is_head`:
    /// whether only a head is asked for.
    pub fn of(user_agent: &str, signature_agent: &str, accepted: &str, is_head: bool) -> Self {
        let first = accepted.split([',', ';', '-']).next().unwrap_or_default().trim();
        let is_language = first.len() == 2 && first.bytes().all(|byte| byte.is_ascii_alphabetic());
        Self {
            kind: ReaderKind::of(user_agent, signature_agent, is_head),
            user_agent: user_agent.get(..AGENT_BYTES).unwrap_or(user_agent).to_owned(),
            language: is_language.then(|| first.to_ascii_lowercase()),
        }
    }
}

impl ReaderKind {
    fn of(user_agent: &str, signature_agent: &str, is_head: bool) -> Self {
        if let Some(token) = ai_agent(user_agent, signature_agent) {
            return Self::Agent(token);
        }
        let user_agent = user_agent.to_ascii_lowercase();
        let is_program = is_head
            || !(user_agent.starts_with("mozilla/") || user_agent.starts_with("opera/"))
            || PROGRAMS.iter().any(|word| user_agent.contains(word));
        if is_program { Self::Machine } else { Self::Person }
    }

    /// The kind of the same sender as a caller of `/mcp`, which only agents are.
    #[must_use]
    pub fn over_mcp(self) -> Self {
        if matches!(self, Self::Agent(_)) { self } else { Self::Agent(OTHER_AGENT) }
    }

    /// Its name among the numbers.
    pub fn word(self) -> &'static str {
        match self {
            Self::Person => "pessoa",
            Self::Agent(_) => "agente",
            Self::Machine => "maquina",
        }
    }
}

/// Whether a request is a test of the operator's own. `has_header`: whether it has `X-MM-Smoke`.
pub fn is_smoke(user_agent: &str, has_header: bool) -> bool {
    has_header || user_agent.split(['/', ' ']).next().is_some_and(|name| name.eq_ignore_ascii_case(SMOKE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_is_told_by_the_first_rule_that_matches() {
        const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0";
        for (user_agent, signature_agent, is_head, wanted) in [
            (FIREFOX, "", false, ReaderKind::Person),
            (FIREFOX, "", true, ReaderKind::Machine),
            ("GPTBot/1.2", "", true, ReaderKind::Agent("GPTBot")),
            (FIREFOX, "\"https://chatgpt.com\"", false, ReaderKind::Agent("ChatGPT-User")),
            (
                "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
                "",
                false,
                ReaderKind::Machine,
            ),
            ("Mozilla/5.0 (X11) AppleWebKit/537.36 HeadlessChrome/150.0 Safari/537.36", "", false, ReaderKind::Machine),
            ("curl/8.5.0", "", false, ReaderKind::Machine),
            ("", "", false, ReaderKind::Machine),
        ] {
            assert_eq!(ReaderKind::of(user_agent, signature_agent, is_head), wanted, "{user_agent}");
        }
        assert_eq!(ReaderKind::Person.over_mcp(), ReaderKind::Agent("MCP"));
        assert_eq!(ReaderKind::Agent("Claude-User").over_mcp(), ReaderKind::Agent("Claude-User"));
    }

    #[test]
    fn a_language_is_two_letters() {
        for (accepted, wanted) in
            [("pt-BR,pt;q=0.9", Some("pt")), ("EN", Some("en")), ("*", None), ("tlh", None), ("", None), ("é", None)]
        {
            assert_eq!(CountedReader::of("", "", accepted, false).language.as_deref(), wanted, "{accepted}");
        }
    }

    #[test]
    fn a_test_of_the_operator_is_told_by_header_or_name() {
        for (user_agent, has_header, wanted) in
            [("mm-smoke", false, true), ("mm-smoke/2 x", false, true), ("", true, true), ("mm-smoked", false, false)]
        {
            assert_eq!(is_smoke(user_agent, has_header), wanted, "{user_agent}");
        }
    }
}
