//! Every request of an audit, as its capture tells of them, and those that were wanted and not sent.

use model::capture::{Fetched, Source, Want};
use model::report::Request;

use crate::facts::Facts;
use crate::facts::site_files::SiteFiles;
use crate::wanted::{self, Why};

/// What a page is asked for.
const PAGE: &str = "page";

/// All of them in the order in which the capture keeps them: the page, the other files, what was not sent.
pub(super) fn of(facts: &Facts<'_>, files: &SiteFiles) -> Vec<Request> {
    let capture = facts.capture;
    if capture.source != Source::Network {
        return Vec::new();
    }
    let mut requests = sent(PAGE, &capture.page);
    for extra in &capture.extras {
        requests.extend(sent(extra.want.kind.word(), &extra.fetched));
    }
    requests.extend(unsent(facts, files));
    requests
}

/// A chain of requests: its redirects, and what came last.
fn sent(reason: &str, fetched: &Fetched) -> Vec<Request> {
    let request = |url: &str| request(reason, url);
    let (hops, last) = match fetched {
        Fetched::Response(exchange) => {
            let (bytes, ms) = (Some(exchange.timing.bytes), Some(exchange.timing.total_ms));
            let status = Some(exchange.status);
            (&exchange.hops, Request { status, bytes, ms, ..request(&exchange.url) })
        }
        Fetched::Failed(failure) => {
            (&failure.hops, Request { error: Some(failure.reason.clone()), ..request(&failure.url) })
        }
    };
    let hops = hops.iter().map(|hop| Request { status: Some(hop.status), ..request(&hop.url) });
    hops.chain([last]).collect()
}

/// What the audit wanted still when it ended.
fn unsent(facts: &Facts<'_>, files: &SiteFiles) -> Vec<Request> {
    let unsent = wanted::unsent(facts.capture, facts.page().ok(), files);
    let skipped = |(want, why): (Want, Why)| Request {
        skipped: Some(
            match why {
                Why::Budget => "budget",
                Why::Time => "time",
            }
            .to_owned(),
        ),
        ..request(want.kind.word(), &want.url)
    };
    unsent.into_iter().map(skipped).collect()
}

fn request(reason: &str, url: &str) -> Request {
    let (url, reason) = (url.to_owned(), reason.to_owned());
    Request { url, reason, status: None, bytes: None, ms: None, error: None, skipped: None }
}
