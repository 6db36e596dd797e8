//! What robots.txt says of an audited page to a crawler of any name.

use model::lang::{Text, text};
use model::summary::{AgentVerdict, RobotsTxtSummary};
use schemars::JsonSchema;
use serde::Serialize;
use store::StoredReport;

use crate::error::{Code, ServiceError};
use crate::services::Services;

/// Whether robots.txt allows one crawler to fetch an audited page.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RobotsAnswer {
    /// The audit.
    id: String,
    /// The same as `id`.
    audit_id: String,
    /// The page.
    url: String,
    /// Product token of the requested crawler.
    agent: String,
    /// `allowed`, `disallowed`, or `unknown` where robots.txt could not be read, or the audit is older than 2026-11-23.
    verdict: &'static str,
    /// The group that applies: its own token in lower case, or `*`; null if none applies.
    group: Option<String>,
    /// The deciding line, as written; null if none matches, which allows the page.
    rule: Option<String>,
    /// Line number, from 1.
    line: Option<u32>,
    /// Address of the file.
    robots_url: Option<String>,
    /// `found`, `missing`, `unreachable`, `invalid` or `notAsked`.
    state: String,
    /// Related addresses.
    #[serde(rename = "_links")]
    links: RobotsLinks,
}

/// Related addresses.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RobotsLinks {
    /// The audit.
    audit: String,
    /// `GET /api/`.
    api_index: String,
}

/// What robots.txt says to a crawler of this name, or of this `User-Agent`.
pub fn robots_answer(services: &Services, stored: &StoredReport, name: &str) -> Result<RobotsAnswer, ServiceError> {
    const NO_NAME: Text = text(
        "agent: use a product token such as MJ12bot (letters, digits, - and _, no spaces), * for any crawler, or a whole User-Agent",
        "agent: use um token de produto como MJ12bot (letras, dígitos, - e _, sem espaços), * para qualquer robô, ou um User-Agent inteiro",
    );
    let robots = stored.report.summary.as_ref().map(|summary| summary.robots_txt.clone()).unwrap_or_default();
    let (agent, found) =
        verdict(&robots, name).ok_or_else(|| ServiceError::new(Code::InvalidParameter).explained(NO_NAME.into()))?;
    Ok(RobotsAnswer {
        id: stored.id.0.clone(),
        audit_id: stored.id.0.clone(),
        url: stored.report.url.clone(),
        agent,
        verdict: match &found {
            Some(found) if found.allowed => "allowed",
            Some(_) => "disallowed",
            None => "unknown",
        },
        group: found.as_ref().and_then(|found| found.group.clone()),
        rule: found.as_ref().and_then(|found| found.rule.clone()),
        line: found.and_then(|found| found.line),
        robots_url: robots.url,
        state: robots.state,
        links: RobotsLinks {
            audit: services.url(&format!("/api/audits/{}", stored.id)),
            api_index: services.url("/api/"),
        },
    })
}

/// The name of every crawler.
const ANY: &str = "*";

/// What a crawler does that finds no group with its own token.
#[derive(Debug, Clone, Copy)]
enum Fallback {
    /// It takes the group of another token before that of `*`.
    Group(&'static str),
    /// It does not take that of `*`.
    NoGroup,
}

/// Crawlers of Google that don't go straight to `*`
/// (developers.google.com/search/docs/crawling-indexing/google-common-crawlers and google-special-case-crawlers).
const FALLBACKS: [(&str, Fallback); 6] = [
    ("Googlebot-Image", Fallback::Group("Googlebot")),
    ("Googlebot-Video", Fallback::Group("Googlebot")),
    ("Googlebot-News", Fallback::Group("Googlebot")),
    ("AdsBot-Google", Fallback::NoGroup),
    ("AdsBot-Google-Mobile", Fallback::NoGroup),
    ("Mediapartners-Google", Fallback::NoGroup),
];

/// The product token that a name stands for, and what holds for it; `None` for a name without one.
fn verdict(robots: &RobotsTxtSummary, name: &str) -> Option<(String, Option<AgentVerdict>)> {
    if name.trim() == ANY {
        return Some((ANY.to_owned(), robots.agents.get(ANY).cloned()));
    }
    let tokens = product_tokens(name);
    let first = tokens.first()?;
    let of = |token: &str| robots.agents.iter().find(|(known, _)| known.eq_ignore_ascii_case(token));
    if let Some((known, verdict)) = tokens.iter().find_map(|token| of(token)) {
        return Some((known.clone(), Some(verdict.clone())));
    }
    let any = || robots.agents.get(ANY).cloned();
    let fallback = FALLBACKS.iter().find(|(token, _)| token.eq_ignore_ascii_case(first)).map(|(_, fallback)| *fallback);
    let found = match fallback {
        Some(Fallback::Group(other)) => of(other).map(|(_, verdict)| verdict.clone()).or_else(any),
        Some(Fallback::NoGroup) if !robots.agents.is_empty() => {
            Some(AgentVerdict { allowed: true, group: None, rule: None, line: None })
        }
        Some(Fallback::NoGroup) | None => any(),
    };
    Some(((*first).to_owned(), found))
}

/// The product tokens in a name or a `User-Agent`: runs of letters, digits, `_` and `-` with a letter. RFC 9309 §2.2.1 has no
/// digits, crawlers in use do (`MJ12bot`). None where the text is neither one token nor a `User-Agent`, which has a version or
/// a comment (RFC 9110 §10.1.5): several words alone do not say which one is the product token.
fn product_tokens(name: &str) -> Vec<&str> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    let name = name.trim();
    let is_user_agent = name.is_ascii() && name.contains(['/', '(']);
    if !is_user_agent && !name.chars().all(is_part) {
        return Vec::new();
    }
    let tokens = name.split(move |character| !is_part(character));
    tokens.filter(|token| token.contains(|c: char| c.is_ascii_alphabetic())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crawlers_of_google_fall_back_as_their_operator_says() {
        let group =
            |group: &str, allowed| AgentVerdict { allowed, group: Some(group.to_owned()), rule: None, line: None };
        let agents =
            [("*", group("*", false)), ("Googlebot", group("googlebot", true)), ("MJ12bot", group("mj12bot", true))];
        let agents = agents.map(|(name, verdict)| (name.to_owned(), verdict)).into_iter().collect();
        let robots = RobotsTxtSummary { agents, ..RobotsTxtSummary::default() };
        let told = |name: &str| {
            let (agent, found) = verdict(&robots, name).unwrap();
            (agent, found.map(|found| (found.allowed, found.group.unwrap_or_default())))
        };
        for (name, agent, allowed, of) in [
            ("googlebot", "Googlebot", true, "googlebot"),
            ("Googlebot-Image/1.0", "Googlebot-Image", true, "googlebot"),
            ("AdsBot-Google (+http://www.google.com/adsbot.html)", "AdsBot-Google", true, ""),
            ("Nobody", "Nobody", false, "*"),
            ("*", "*", false, "*"),
            ("360Spider", "360Spider", false, "*"),
            ("MJ12bot/v1.4.8", "MJ12bot", true, "mj12bot"),
            ("mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)", "MJ12bot", true, "mj12bot"),
        ] {
            assert_eq!(told(name), (agent.to_owned(), Some((allowed, of.to_owned()))), "{name}");
        }
        for name in ["12.3", "123", "", "Google Bot", "ação", "GPTBot, ClaudeBot", "**"] {
            assert_eq!(verdict(&robots, name), None, "{name}");
        }
        // Of a file that could not be read nothing is known.
        assert_eq!(verdict(&RobotsTxtSummary::default(), "AdsBot-Google"), Some(("AdsBot-Google".to_owned(), None)));
    }
}
