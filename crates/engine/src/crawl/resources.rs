//! Whether images, and pages of other sites, are there: asked once each when the pages are done.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use fetch::Budget;
use fetch::ceiling::target;
use futures_util::stream::{self, StreamExt as _};
use model::capture::{Fetched, Want, WantKind};
use site::{PageRole, read_resource};
use tokio::time::Instant;
use url::Url;

use super::judging::REQUEST_TIME;
use super::pace::Pace;
use super::{CrawledPage, Shared};

/// Images, and pages of other sites, that a run asks for, of each.
pub const MOST_RESOURCES: usize = 10_000;
/// Addresses of one other site among them, and the time between two requests to it. Chosen: whom a site links did not ask to
/// be crawled.
const MOST_OF_ONE: usize = 200;
const GAP: Duration = Duration::from_secs(1);
/// Other sites asked at once.
const SITES_AT_ONCE: usize = 8;

/// What came of images or of pages of other sites.
#[derive(Debug)]
pub struct CrawledResources {
    /// In the order of addresses.
    pub pages: Vec<CrawledPage>,
    /// The limits left some out.
    pub left_out: bool,
}

/// Asks for images of the site, at its pace.
pub(super) async fn images(shared: &Arc<Shared>, urls: BTreeSet<String>, at_once: usize) -> CrawledResources {
    let left_out = urls.len() > MOST_RESOURCES;
    let ask = |url: String| async move {
        let want = Want { kind: WantKind::LargestImage, url };
        let permit = shared.pace.enter().await;
        let fetched = extra(shared, &want).await;
        drop(permit);
        CrawledPage::without_report(read_resource(&want.url, PageRole::Image, &fetched))
    };
    let pages = stream::iter(urls.into_iter().take(MOST_RESOURCES)).map(ask).buffer_unordered(at_once).collect().await;
    CrawledResources::sorted(pages, left_out)
}

/// Asks for pages of other sites: one request at a time of each site, several sites at once.
pub(super) async fn external(shared: &Arc<Shared>, urls: BTreeSet<String>) -> CrawledResources {
    let mut left_out = urls.len() > MOST_RESOURCES;
    let mut sites: BTreeMap<String, Vec<Url>> = BTreeMap::new();
    for url in urls.iter().take(MOST_RESOURCES).filter_map(|url| Url::parse(url).ok()) {
        let Some(site) = target(&url) else { continue };
        let of_one = sites.entry(site).or_default();
        left_out |= of_one.len() >= MOST_OF_ONE;
        if of_one.len() < MOST_OF_ONE {
            of_one.push(url);
        }
    }
    let ask = |urls: Vec<Url>| async move {
        let pace = Pace::new(1, GAP);
        let mut came = Vec::with_capacity(urls.len());
        for url in urls {
            let fetched = is_there(shared, &pace, &url).await;
            came.push(CrawledPage::without_report(read_resource(url.as_str(), PageRole::External, &fetched)));
        }
        came
    };
    let sites = stream::iter(sites.into_values()).map(ask).buffer_unordered(SITES_AT_ONCE);
    let pages: Vec<Vec<CrawledPage>> = sites.collect().await;
    CrawledResources::sorted(pages.into_iter().flatten().collect(), left_out)
}

/// Asks with HEAD, and with GET where a server may treat HEAD otherwise.
async fn is_there(shared: &Shared, pace: &Pace, url: &Url) -> Fetched {
    let fetcher = shared.engine.fetcher();
    // The guard's rules for texts of addresses hold for these as for pages.
    let Ok(url) = fetcher.intake(url.as_str()) else { return extra(shared, &want_of(url)).await };
    let permit = pace.enter().await;
    let head = fetcher.head(&url, Instant::now() + REQUEST_TIME).await;
    drop(permit);
    let is_certain = match &head {
        Fetched::Response(exchange) => !matches!(exchange.status, 403 | 404 | 405 | 501),
        // What is no HTTP may be an answer that HEAD should not have.
        Fetched::Failed(failure) => failure.reason != "protocol",
    };
    if is_certain {
        return head;
    }
    let permit = pace.enter().await;
    let whole = extra(shared, &want_of(&url)).await;
    drop(permit);
    whole
}

fn want_of(url: &Url) -> Want {
    Want { kind: WantKind::CanonicalTarget, url: url.as_str().to_owned() }
}

async fn extra(shared: &Shared, want: &Want) -> Fetched {
    let budget = Budget::new(usize::from(want.kind.rules().max_redirects) + 1);
    shared.engine.fetcher().extra(want, &budget, Instant::now() + REQUEST_TIME).await
}

impl CrawledResources {
    fn sorted(mut pages: Vec<CrawledPage>, left_out: bool) -> Self {
        pages.sort_by(|a, b| a.url.cmp(&b.url));
        Self { pages, left_out }
    }
}
