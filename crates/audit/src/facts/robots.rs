//! What robots.txt says about this page: the state of the file, and the summary of it.

use std::collections::BTreeMap;

use model::capture::{Exchange, Extra, WantKind};
use model::summary::{AgentVerdict, RobotsTxtSummary};
use url::Url;

use super::crawlers::ai_tokens;
use super::known::Facts;
use super::not_measured::NotMeasured;
use super::robots_txt::{RobotsState, RobotsVerdict, path};

/// Crawlers of search engines that everybody asks for, and any crawler.
const USUAL_AGENTS: [&str; 3] = ["*", "Googlebot", "Bingbot"];
/// Groups of a file whose crawlers are listed. Chosen: real files name far fewer.
const MOST_GROUPS: usize = 100;

/// What holds for the usual crawlers, those of AI products, and `named`, the crawlers that a file names.
fn agents<'f>(
    named: impl Iterator<Item = &'f str>,
    verdict: impl Fn(&str) -> RobotsVerdict,
) -> BTreeMap<String, AgentVerdict> {
    let mut tokens: Vec<&str> = USUAL_AGENTS.into_iter().chain(ai_tokens()).collect();
    for token in named.take(MOST_GROUPS) {
        if !tokens.iter().any(|known| known.eq_ignore_ascii_case(token)) {
            tokens.push(token);
        }
    }
    let of = |token: &str| {
        let RobotsVerdict { allowed, rule, agent } = verdict(token);
        let (rule, line) = rule.unzip();
        (token.to_owned(), AgentVerdict { allowed, group: agent, rule, line })
    };
    tokens.into_iter().map(of).collect()
}

impl Facts<'_> {
    fn robots_extra(&self) -> Option<&Extra> {
        self.capture.extras.iter().find(|extra| extra.want.kind == WantKind::RobotsTxt)
    }

    /// The outcome of the request for robots.txt.
    pub fn robots(&self) -> Result<&RobotsState, NotMeasured> {
        let unknown = if self.capture.source.has_network() { NotMeasured::Robots } else { NotMeasured::Offline };
        self.robots.ok_or(unknown)
    }

    /// Whether a crawler may fetch the final URL. Where there is no file it may; `Err` where none could be read.
    pub fn robots_verdict(&self, token: &str) -> Result<RobotsVerdict, NotMeasured> {
        match (self.robots()?, &self.rules) {
            (RobotsState::Found(_), Some(rules)) => Ok(rules.verdict(token)),
            (RobotsState::Missing(_) | RobotsState::Html, _) => {
                Ok(RobotsVerdict { allowed: true, rule: None, agent: None })
            }
            (RobotsState::Found(_) | RobotsState::Unreachable(_), _) => Err(NotMeasured::Robots),
        }
    }

    /// Whether a crawler may fetch another address of the page's origin.
    pub fn robots_verdict_on(&self, token: &str, url: &Url) -> Result<RobotsVerdict, NotMeasured> {
        match self.robots()? {
            RobotsState::Found(file) => Ok(file.verdict(token, &path(url))),
            RobotsState::Missing(_) | RobotsState::Html => Ok(RobotsVerdict { allowed: true, rule: None, agent: None }),
            RobotsState::Unreachable(_) => Err(NotMeasured::Robots),
        }
    }

    /// The response that brought the file; `Err` where none came, or nothing was asked.
    pub fn robots_response(&self) -> Result<&Exchange, NotMeasured> {
        self.robots()?;
        self.robots_extra().and_then(|extra| extra.fetched.response()).ok_or(NotMeasured::Robots)
    }

    /// Address of the file, after redirects.
    pub fn robots_url(&self) -> Option<String> {
        let extra = self.robots_extra()?;
        Some(extra.fetched.response().map_or_else(|| extra.want.url.clone(), |exchange| exchange.url.clone()))
    }

    /// Path and query of the final URL, as rules are matched against them.
    pub fn robots_path(&self) -> Result<String, NotMeasured> {
        self.url().map(path)
    }

    /// The site's own files at the host root that were read whole: what a patch of a file starts from.
    pub(crate) fn own_files(&self) -> Vec<(&'static str, String)> {
        match self.robots {
            Some(RobotsState::Found(file)) if !file.truncated => vec![("/robots.txt", file.text.clone())],
            _ => Vec::new(),
        }
    }

    /// The `robotsTxt` block. `allowed`, `rule`, `line` and `userAgent` are Googlebot's.
    pub(crate) fn robots_summary(&self) -> RobotsTxtSummary {
        let mut summary = RobotsTxtSummary { url: self.robots_url(), ..RobotsTxtSummary::default() };
        let exchange = self.robots_extra().and_then(|extra| extra.fetched.response());
        let is_fetched = self.capture.source.has_network();
        summary.status = exchange.filter(|_| is_fetched).map(|exchange| exchange.status);
        summary.size = exchange.map_or(0, |exchange| exchange.body.bytes.len() as u64);
        let free = || agents([].into_iter(), |_| RobotsVerdict { allowed: true, rule: None, agent: None });
        let open = || ai_tokens().map(|token| (token.to_owned(), true)).collect::<BTreeMap<_, _>>();
        match (self.robots, &self.rules) {
            (Some(RobotsState::Found(file)), Some(rules)) => {
                let verdict = rules.verdict("Googlebot");
                summary.state = "found".to_owned();
                summary.allowed = Some(verdict.allowed);
                (summary.rule, summary.line) = verdict.rule.unzip();
                summary.user_agent = verdict.agent;
                summary.sitemaps = file.sitemaps.iter().map(|(_, url)| url.clone()).collect();
                summary.ai_crawlers =
                    ai_tokens().map(|token| (token.to_owned(), rules.verdict(token).allowed)).collect();
                summary.agents = agents(file.agents(), |token| rules.verdict(token));
                summary.truncated = file.truncated;
            }
            (Some(RobotsState::Missing(_)), _) => {
                (summary.state, summary.allowed, summary.ai_crawlers) = ("missing".to_owned(), Some(true), open());
                summary.agents = free();
            }
            (Some(RobotsState::Html), _) => {
                (summary.state, summary.allowed, summary.ai_crawlers) = ("invalid".to_owned(), Some(true), open());
                summary.agents = free();
            }
            (None, _) => summary.state = "notAsked".to_owned(),
            (Some(RobotsState::Found(_) | RobotsState::Unreachable(_)), _) => {
                summary.state = "unreachable".to_owned();
            }
        }
        summary
    }
}
