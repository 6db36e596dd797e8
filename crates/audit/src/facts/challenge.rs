//! Whether a firewall, a challenge or a rate limit answered instead of the page.

use std::cell::LazyCell;

use model::capture::{Exchange, Fetched};

/// Marks by vendor, with source and date in the file.
const MARKERS: &str = include_str!("../data/challenge_markers.tsv");
/// Bytes of a body up to which marks are looked for in it: interstitials are small, and a larger body is a page, whatever
/// it mentions or embeds.
const LARGEST_INTERSTITIAL: usize = 64 * 1024;

/// Something other than the page answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// Whose it is; `unknown` for a plain 429.
    pub vendor: String,
    /// Status of the answer.
    pub status: u16,
    /// The target limits its rate (429): not a finding, and worth a later try.
    pub rate_limited: bool,
}

/// Judges the page's own exchange.
pub fn blocked(page: &Fetched) -> Option<Blocked> {
    let exchange = page.response()?;
    let vendor = vendor(exchange);
    match (vendor, exchange.status) {
        (vendor, 429) => {
            let vendor = vendor.unwrap_or("unknown").to_owned();
            Some(Blocked { vendor, status: 429, rate_limited: true })
        }
        (Some(vendor), status) => Some(Blocked { vendor: vendor.to_owned(), status, rate_limited: false }),
        (None, _) => None,
    }
}

fn vendor(exchange: &Exchange) -> Option<&'static str> {
    let large = exchange.body.bytes.len() > LARGEST_INTERSTITIAL;
    // Read only where a mark of this status asks for it: for most pages none does.
    let body = LazyCell::new(|| String::from_utf8_lossy(&exchange.body.bytes).to_lowercase());
    MARKERS.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let mut columns = line.split('\t');
        let (vendor, place, mark, statuses) = (columns.next()?, columns.next()?, columns.next()?, columns.next()?);
        let status_fits = statuses == "*" || statuses.split(',').any(|status| status.parse() == Ok(exchange.status));
        if !status_fits {
            return None;
        }
        let found = match place {
            "header" => {
                let (name, value) = mark.split_once(": ")?;
                exchange.headers_named(name).any(|found| found.to_lowercase().contains(value))
            }
            "cookie" => exchange.headers_named("set-cookie").any(|cookie| cookie.to_lowercase().starts_with(mark)),
            "body" => !large && body.contains(mark),
            "title" => !large && title(&body) == Some(mark),
            _ => false,
        };
        found.then_some(vendor)
    })
}

/// The text of the first title tag, by plain search: a challenge page is told before anything is parsed.
pub(super) fn title(lower_case_body: &str) -> Option<&str> {
    let (_, after) = lower_case_body.split_once("<title")?;
    let (_, after) = after.split_once('>')?;
    Some(after.split_once("</title")?.0.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::capture::{Body, Timing};

    fn page(status: u16, headers: &[(&str, &str)], body: &str) -> Fetched {
        Fetched::Response(Exchange {
            hops: Vec::new(),
            url: "https://example.com/".to_owned(),
            status,
            headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            body: Body { bytes: body.as_bytes().to_vec(), ..Body::default() },
            timing: Timing::default(),
            ambiguous_length: false,
            certificate: None,
        })
    }

    #[test]
    fn vendors_are_told_by_header_title_and_body() {
        let vendor = |page: &Fetched| blocked(page).map(|blocked| blocked.vendor);
        assert_eq!(vendor(&page(403, &[("cf-mitigated", "challenge")], "")).as_deref(), Some("Cloudflare"));
        assert_eq!(vendor(&page(503, &[], "<title>Just a moment...</title>")).as_deref(), Some("Cloudflare"));
        assert_eq!(vendor(&page(200, &[], "<title>Just a moment...</title>")), None);
        assert_eq!(vendor(&page(403, &[], "<p>Forbidden")), None);
    }

    #[test]
    fn a_plain_429_is_a_rate_limit_of_nobody_known() {
        let blocked = blocked(&page(429, &[], "slow down")).unwrap();
        assert!(blocked.rate_limited);
        assert_eq!(blocked.vendor, "unknown");
    }
}
