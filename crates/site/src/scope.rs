//! Which addresses belong to a site, and which of them a run asks.

use regex::RegexSet;
use url::Url;

use crate::address::other_host;

/// Which addresses belong to the site.
#[derive(Debug, Clone)]
pub struct FrontierScope {
    /// Host of the first page, and the one with or without `www.`.
    hosts: [String; 2],
    /// The port, where one is written.
    port: Option<u16>,
    include: Option<RegexSet>,
    exclude: RegexSet,
}

impl FrontierScope {
    /// The site of a page: its host with and without `www.`, on the same port, over http and https. With `include`, only
    /// addresses that one of the patterns finds, and the first page; never those that one of `exclude` finds.
    pub fn new(start: &Url, include: &[String], exclude: &[String]) -> Result<Self, regex::Error> {
        let host = start.host_str().unwrap_or_default().to_owned();
        Ok(Self {
            hosts: [other_host(&host), host],
            port: start.port(),
            include: if include.is_empty() { None } else { Some(RegexSet::new(include)?) },
            exclude: RegexSet::new(exclude)?,
        })
    }

    /// Whether an address is of the site, whatever the patterns say.
    pub fn is_internal(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        self.hosts.iter().any(|own| own == host) && url.port() == self.port
    }

    /// Whether an address is asked.
    pub(crate) fn admits(&self, url: &Url) -> bool {
        self.is_internal(url)
            && self.include.as_ref().is_none_or(|include| include.is_match(url.as_str()))
            && !self.exclude.is_match(url.as_str())
    }
}
