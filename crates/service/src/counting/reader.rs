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

/// What the headers of a request say of its sender. Texts are empty where not sent.
#[derive(Debug, Clone, Copy)]
pub struct Sender<'a> {
    /// `User-Agent`.
    pub user_agent: &'a str,
    /// `Signature-Agent`.
    pub signature_agent: &'a str,
    /// Whether it asks for a head only.
    pub is_head: bool,
    /// Whether it calls `/mcp`.
    pub is_mcp: bool,
}

impl ReaderKind {
    /// The kind of a sender.
    pub fn of(sender: &Sender<'_>) -> Self {
        if let Some(token) = ai_agent(sender.user_agent, sender.signature_agent) {
            return Self::Agent(token);
        }
        if sender.is_mcp {
            return Self::Agent(OTHER_AGENT);
        }
        let user_agent = sender.user_agent.to_ascii_lowercase();
        let is_program = sender.is_head
            || !(user_agent.starts_with("mozilla/") || user_agent.starts_with("opera/"))
            || PROGRAMS.iter().any(|word| user_agent.contains(word));
        if is_program { Self::Machine } else { Self::Person }
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
        let sender = |user_agent| Sender { user_agent, signature_agent: "", is_head: false, is_mcp: false };
        for (sender, wanted) in [
            (sender(FIREFOX), ReaderKind::Person),
            (Sender { is_head: true, ..sender(FIREFOX) }, ReaderKind::Machine),
            (Sender { is_mcp: true, ..sender(FIREFOX) }, ReaderKind::Agent("MCP")),
            (Sender { is_mcp: true, ..sender("Claude-User/1.0") }, ReaderKind::Agent("Claude-User")),
            (Sender { is_head: true, ..sender("GPTBot/1.2") }, ReaderKind::Agent("GPTBot")),
            (
                Sender { signature_agent: "\"https://chatgpt.com\"", ..sender(FIREFOX) },
                ReaderKind::Agent("ChatGPT-User"),
            ),
            (sender("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"), ReaderKind::Machine),
            (sender("Mozilla/5.0 (X11) AppleWebKit/537.36 HeadlessChrome/150.0 Safari/537.36"), ReaderKind::Machine),
            (sender("curl/8.5.0"), ReaderKind::Machine),
            (sender("python-requests/2.32"), ReaderKind::Machine),
            (sender(""), ReaderKind::Machine),
        ] {
            assert_eq!(ReaderKind::of(&sender), wanted, "{sender:?}");
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
