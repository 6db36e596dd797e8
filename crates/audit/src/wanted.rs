//! What to fetch next beside the page: a pure function of what has come in.

use model::capture::{Capture, Source, Want, WantKind};
use url::Url;

/// Files still to fetch; empty when there is nothing more. Never names what the capture has already.
///
/// The host's robots.txt only needs the final address, so it can be fetched while the page is parsed.
pub fn wanted(capture: &Capture) -> Vec<Want> {
    let Some(exchange) = capture.page.response().filter(|_| capture.source == Source::Network) else {
        return Vec::new();
    };
    let robots = Url::parse(&exchange.url).and_then(|url| url.join("/robots.txt"));
    robots
        .into_iter()
        .map(|url| Want { kind: WantKind::RobotsTxt, url: url.into() })
        .filter(|want| capture.extras.iter().all(|extra| extra.want != *want))
        .collect()
}
