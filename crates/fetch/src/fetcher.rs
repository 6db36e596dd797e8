//! The guarded client as other crates use it.

use std::sync::Arc;

use model::capture::{FailureKind, FetchFailure, Fetched, Want};
use tokio::time::Instant;
use url::Url;

use crate::budget::Budget;
use crate::client::Client;
use crate::config::{FetchConfig, SetupError};
use crate::follow;
use crate::guard;
use crate::intake::LONGEST_URL;
use crate::kept::KeptConnections;
use crate::request::Asks;
use crate::room::Room;
use crate::rules::{FetchRules, KnownVersion};

/// `Accept` of a page.
const PAGE_ACCEPT: &str = "text/html,application/xhtml+xml,*/*;q=0.8";

/// The guarded client. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Fetcher {
    pub(crate) client: Arc<Client>,
}

impl Fetcher {
    /// Sets the client up.
    pub fn new(config: FetchConfig) -> Result<Self, SetupError> {
        Ok(Self { client: Arc::new(Client::new(config)?) })
    }

    /// Parses and checks the text of a URL, without network access.
    pub fn intake(&self, text: &str) -> Result<Url, FetchFailure> {
        let failure = |kind: FailureKind, reason: &str| FetchFailure {
            kind,
            reason: reason.to_owned(),
            hops: Vec::new(),
            url: text.chars().filter(|c| !c.is_control()).take(LONGEST_URL).collect(),
        };
        let url = self.client.intake.read(text).map_err(|refusal| failure(refusal.kind, refusal.reason))?;
        match guard::literal(&url) {
            Some(address) if !self.client.policy.allows(address, url.port_or_known_default().unwrap_or_default()) => {
                Err(failure(FailureKind::AddressNotAllowed, "address"))
            }
            _ => Ok(url),
        }
    }

    /// Fetches a page with its redirects. A failure is a value of [`Fetched`].
    pub async fn page(&self, url: &Url, deadline: Instant) -> Fetched {
        let fetching = follow::fetch(&self.client, url, FetchRules::of_page(PAGE_ACCEPT), None, None, deadline);
        // In a box: an audit goes on for long after its page has come, and would keep the room.
        Box::pin(fetching).await
    }

    /// Fetches one URL over the kept connections of a crawl, without following redirects. With a `known` version the request
    /// is conditional, and the response may be 304 without a body.
    pub async fn answer(
        &self,
        url: &Url,
        known: Option<&KnownVersion>,
        kept: &KeptConnections,
        deadline: Instant,
    ) -> Fetched {
        let rules = FetchRules { max_redirects: 0, known, kept: Some(kept), ..FetchRules::of_page(PAGE_ACCEPT) };
        follow::fetch(&self.client, url, rules, None, None, deadline).await
    }

    /// Asks with HEAD whether an address is there, over its redirects.
    pub async fn head(&self, url: &Url, deadline: Instant) -> Fetched {
        let rules = FetchRules { asks: Asks::Head, ..FetchRules::of_page("*/*") };
        follow::fetch(&self.client, url, rules, None, None, deadline).await
    }

    /// Fetches a file beside the page, by the rules of its kind. Each request of a probe, redirects included, takes one of
    /// `probes`; once that budget is spent the answer is a failure with the reason `budget`.
    pub async fn extra(&self, want: &Want, probes: &Budget, deadline: Instant) -> Fetched {
        self.file(want, Some(probes), None, deadline).await
    }

    /// Fetches a file that may be large, together with the memory that it reserved; where none is left, the body is cut
    /// for its size.
    pub async fn large(&self, want: &Want, deadline: Instant) -> (Fetched, Room) {
        let mut room = self.client.large.room();
        let fetched = self.file(want, None, Some(&mut room), deadline).await;
        (fetched, room)
    }

    async fn file(&self, want: &Want, probes: Option<&Budget>, room: Option<&mut Room>, deadline: Instant) -> Fetched {
        let kind = want.kind.rules();
        let rules = FetchRules {
            max_bytes: kind.max_bytes,
            max_redirects: kind.max_redirects,
            start_only: kind.start_only,
            ..FetchRules::of_page(kind.accept)
        };
        match self.intake(&want.url) {
            Ok(url) => follow::fetch(&self.client, &url, rules, probes.filter(|_| kind.probe), room, deadline).await,
            Err(failure) => Fetched::Failed(failure),
        }
    }
}
