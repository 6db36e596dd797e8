//! What to fetch next beside the page: a pure function of what has come in.

use model::capture::{Capture, Source, Want, WantKind};
use url::Url;

/// Files still to fetch; empty when there is nothing more. Never names what the capture has already.
///
/// All of them only need the final address, so they can be fetched while the page is parsed.
pub fn wanted(capture: &Capture) -> Vec<Want> {
    let Some(exchange) = capture.page.response().filter(|_| capture.source == Source::Network) else {
        return Vec::new();
    };
    let Ok(base) = Url::parse(&exchange.url) else { return Vec::new() };
    [(WantKind::RobotsTxt, "/robots.txt".to_owned()), (WantKind::NotFound, format!("/{}", capture.nonce))]
        .into_iter()
        .filter_map(|(kind, path)| Some(Want { kind, url: base.join(&path).ok()?.into() }))
        .filter(|want| capture.extras.iter().all(|extra| extra.want != *want))
        .chain(crate::facts::sitemap::wanted(capture))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::capture::{Body, Exchange, Extra, FailureKind, FetchFailure, Fetched, Timing};
    use model::time::Timestamp;

    #[test]
    fn each_file_is_wanted_once_and_nothing_of_supplied_bytes() {
        let page = Fetched::Response(Exchange {
            hops: Vec::new(),
            url: "https://example.com/a/b?c#d".to_owned(),
            status: 200,
            headers: Vec::new(),
            body: Body::default(),
            timing: Timing::default(),
            ambiguous_length: false,
            certificate: None,
        });
        let mut capture = Capture {
            requested_url: "https://example.com/".to_owned(),
            started_at: Timestamp(0),
            nonce: "0f".repeat(16),
            source: Source::Network,
            page,
            extras: Vec::new(),
        };
        let wants = wanted(&capture);
        let urls: Vec<&str> = wants.iter().map(|want| want.url.as_str()).collect();
        assert_eq!(urls, ["https://example.com/robots.txt", "https://example.com/0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"]);
        capture.extras = wants
            .into_iter()
            .map(|want| {
                let failure = FetchFailure {
                    kind: FailureKind::Timeout,
                    reason: "connect".to_owned(),
                    hops: Vec::new(),
                    url: want.url.clone(),
                };
                Extra { want, fetched: Fetched::Failed(failure) }
            })
            .collect();
        assert_eq!(wanted(&capture), []);
        capture.extras.clear();
        capture.source = Source::Supplied;
        assert_eq!(wanted(&capture), []);
    }
}
