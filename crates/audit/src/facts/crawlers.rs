//! Crawlers by purpose: what blocking one of them means differs.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// Class, product token, operator and `Signature-Agent` host of each, with source and date in the file.
const TABLE: &str = include_str!("../data/crawlers.tsv");

/// What a crawler fetches pages for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A search engine's index.
    Search,
    /// The index of an AI assistant's search.
    Answers,
    /// A person's request to an assistant.
    Person,
    /// Checks of pages that are submitted as advertisements in an assistant.
    Ads,
    /// Training of models; also control tokens without a crawler of their own.
    Training,
    /// Public archives.
    Archive,
}

/// Product tokens of a purpose, in the table's order.
pub fn tokens(purpose: Purpose) -> impl Iterator<Item = &'static str> {
    rows().filter(move |crawler| crawler.purpose == purpose).map(|crawler| crawler.token)
}

/// Every crawler that serves an AI product, in the table's order.
pub fn ai_tokens() -> impl Iterator<Item = &'static str> {
    rows().filter(|crawler| crawler.purpose != Purpose::Search).map(|crawler| crawler.token)
}

/// The AI agent that a request comes from, by its product token: a crawler for an AI product, a fetcher of an assistant, or
/// one that signs its requests. `user_agent` and `signature_agent` are the values of those headers; empty where not sent.
/// Archives and search engines are none.
pub fn ai_agent(user_agent: &str, signature_agent: &str) -> Option<&'static str> {
    let Agents { crawlers, tokens } = &*AGENTS;
    let named = tokens.find_overlapping_iter(user_agent).map(|found| found.pattern().as_usize()).min();
    let signed = if signature_agent.is_empty() { None } else { signer(crawlers, signature_agent) };
    let first = [named, signed].into_iter().flatten().min()?;
    crawlers.get(first).map(|crawler| crawler.token)
}

/// The place of the agent whose host signs.
fn signer(crawlers: &[Crawler], signature_agent: &str) -> Option<usize> {
    let signature_agent = signature_agent.to_ascii_lowercase();
    // A quoted URL (draft-meunier-http-message-signatures-directory, section 4).
    let host = signature_agent.trim_matches(|c| c == '"' || c == ' ').trim_start_matches("https://").split('/').next();
    crawlers.iter().position(|crawler| crawler.signature_host != "-" && host == Some(crawler.signature_host))
}

/// AI agents, in the table's order. Every request is looked for one.
static AGENTS: LazyLock<Agents> = LazyLock::new(|| {
    let is_agent = |purpose| matches!(purpose, Purpose::Answers | Purpose::Person | Purpose::Ads | Purpose::Training);
    let crawlers: Vec<Crawler> = rows().filter(|crawler| is_agent(crawler.purpose)).collect();
    let tokens =
        AhoCorasick::builder().ascii_case_insensitive(true).build(crawlers.iter().map(|crawler| crawler.token));
    Agents { tokens: tokens.expect("the table is a constant"), crawlers }
});

/// The agents, and a matcher of their tokens.
struct Agents {
    crawlers: Vec<Crawler>,
    tokens: AhoCorasick,
}

/// A row of the table.
#[derive(Clone, Copy)]
struct Crawler {
    purpose: Purpose,
    token: &'static str,
    signature_host: &'static str,
}

/// The table, read once.
static ROWS: LazyLock<Vec<Crawler>> = LazyLock::new(|| {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut columns = line.split('\t');
        let (class, token, _operator, signature_host) =
            (columns.next()?, columns.next()?, columns.next()?, columns.next()?);
        let purpose = match class {
            "search" => Purpose::Search,
            "answers" => Purpose::Answers,
            "person" => Purpose::Person,
            "ads" => Purpose::Ads,
            "training" => Purpose::Training,
            "archive" => Purpose::Archive,
            _ => return None,
        };
        Some(Crawler { purpose, token, signature_host })
    });
    rows.collect()
});

fn rows() -> impl Iterator<Item = Crawler> {
    ROWS.iter().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_known_by_its_user_agent_or_its_signature() {
        let browser = "Mozilla/5.0 (Macintosh) AppleWebKit/537.36 Chrome/138.0.0.0 Safari/537.36";
        for (user_agent, signature_agent, wanted) in [
            ("Mozilla/5.0 AppleWebKit/537.36; compatible; GPTBot/1.2; +https://openai.com/gptbot", "", Some("GPTBot")),
            ("claude-user/1.0", "", Some("Claude-User")),
            (
                "Mozilla/5.0 AppleWebKit/537.36; compatible; OAI-AdsBot/1.0; +https://openai.com/adsbot",
                "",
                Some("OAI-AdsBot"),
            ),
            (browser, "\"https://chatgpt.com\"", Some("ChatGPT-User")),
            (browser, "\"https://chatgpt.com.example\"", None),
            (browser, "", None),
            ("Mozilla/5.0 (compatible; Googlebot/2.1)", "", None),
            ("CCBot/2.0", "", None),
            ("", "", None),
        ] {
            assert_eq!(ai_agent(user_agent, signature_agent), wanted, "{user_agent} {signature_agent}");
        }
    }

    #[test]
    fn every_row_has_all_its_columns() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
        assert!(lines.clone().all(|line| line.split('\t').count() == 5));
        assert_eq!(rows().count(), lines.count());
    }
}
