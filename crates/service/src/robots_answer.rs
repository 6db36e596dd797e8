//! What robots.txt says of an audited page to a crawler of any name.

use model::lang::{Text, text};
use schemars::JsonSchema;
use serde::Serialize;
use store::StoredReport;

use crate::error::{Code, ServiceError};
use crate::services::Services;

/// Whether robots.txt allows one crawler to fetch an audited page.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RobotsAnswer {
    /// The audit.
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
    const NO_NAME: Text = text("agent: use the name of a crawler", "agent: use o nome de um robô");
    let tokens: Vec<&str> = product_tokens(name).collect();
    let first = tokens.first().ok_or_else(|| ServiceError::new(Code::InvalidParameter).explained(NO_NAME.into()))?;
    let robots = stored.report.summary.as_ref().map(|summary| summary.robots_txt.clone()).unwrap_or_default();
    let own = tokens.iter().find_map(|token| robots.agents.iter().find(|(known, _)| known.eq_ignore_ascii_case(token)));
    let (agent, found) = match own {
        Some((known, verdict)) => (known.as_str(), Some(verdict)),
        None => (*first, robots.agents.get("*")),
    };
    Ok(RobotsAnswer {
        audit_id: stored.id.0.clone(),
        url: stored.report.url.clone(),
        agent: agent.to_owned(),
        verdict: match found {
            Some(found) if found.allowed => "allowed",
            Some(_) => "disallowed",
            None => "unknown",
        },
        group: found.and_then(|found| found.group.clone()),
        rule: found.and_then(|found| found.rule.clone()),
        line: found.and_then(|found| found.line),
        robots_url: robots.url,
        state: robots.state,
        links: RobotsLinks {
            audit: services.url(&format!("/api/audits/{}", stored.id)),
            api_index: services.url("/api/"),
        },
    })
}

/// The product tokens in a name or a `User-Agent` (RFC 9309 §2.2.1): runs of letters, `_` and `-`.
fn product_tokens(name: &str) -> impl Iterator<Item = &str> {
    let is_part = |character: char| character.is_ascii_alphabetic() || matches!(character, '_' | '-');
    name.split(move |character| !is_part(character)).filter(|token| token.contains(|c: char| c.is_ascii_alphabetic()))
}
