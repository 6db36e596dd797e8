//! What keeps search engines from fetching a sitemap that the site names.

use model::capture::{FailureKind, Fetched};
use model::lang::{Text, text};

use super::sitemap::{End, SitemapFile};
use super::{Facts, fetch_failure};

/// Why a file can't be fetched.
#[derive(Debug)]
pub(crate) enum Obstacle {
    /// A rule of robots.txt forbids it.
    Rule(String),
    /// The status of the answer.
    Status(u16),
    /// The reason of a failed request.
    Failure(String),
}

impl Obstacle {
    /// The rule, status or reason as it is.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Rule(words) | Self::Failure(words) => words.clone(),
            Self::Status(status) => status.to_string(),
        }
    }

    /// The sentence for it, about the places `{url}` and `{reason}`.
    pub(crate) fn sentence(&self) -> Text {
        match self {
            Self::Rule(_) => text("robots.txt blocks {url}: {reason}", "O robots.txt bloqueia {url}: {reason}"),
            Self::Status(_) => text("{url} answers {reason}.", "{url} responde {reason}."),
            Self::Failure(reason) => fetch_failure::sentence(reason),
        }
    }
}

/// Why a named file can't be fetched by anyone; `None` where it can, or where that is not known.
pub(crate) fn obstacle(facts: &Facts<'_>, file: &SitemapFile) -> Option<Obstacle> {
    let url = url::Url::parse(&file.url).ok()?;
    let is_own = facts.url().is_ok_and(|own| own.origin() == url.origin());
    if is_own
        && let Ok(verdict) = facts.robots_verdict_on("Googlebot", &url)
        && let Some((rule, line)) = verdict.rule.filter(|_| !verdict.allowed)
        // The rule that forbids the page is told of the page.
        && facts.robots_verdict("Googlebot").is_ok_and(|page| page.rule.is_none_or(|(_, of_page)| of_page != line))
    {
        return Some(Obstacle::Rule(rule));
    }
    match &file.end {
        End::Whole | End::TooLarge => None,
        End::Gone(status) => Some(Obstacle::Status(*status)),
        End::Unread(reason) => {
            let extra = facts.capture.extras.iter().find(|extra| extra.want.url == file.url)?;
            match &extra.fetched {
                // Other times that ran out may be the audit's own.
                Fetched::Failed(failure) => {
                    let is_theirs = match failure.kind {
                        FailureKind::Unreachable => true,
                        FailureKind::Timeout => {
                            matches!(failure.reason.as_str(), "dns" | "connect" | "tls" | "first_byte")
                        }
                        _ => false,
                    };
                    is_theirs.then(|| Obstacle::Failure(reason.clone()))
                }
                Fetched::Response(exchange) => (exchange.status >= 500 && *reason == exchange.status.to_string())
                    .then_some(Obstacle::Status(exchange.status)),
            }
        }
    }
}
