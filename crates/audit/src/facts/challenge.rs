//! Whether a firewall, a challenge or a rate limit answered instead of the page.

use std::sync::LazyLock;

use memchr::memchr2_iter;
use model::capture::{Exchange, Fetched};

/// Marks by vendor, with source and date in the file.
const MARKERS: &str = include_str!("../data/challenge_markers.tsv");
/// Bytes of a body up to which marks are looked for in it: interstitials are small, and a larger body is a page, whatever
/// it mentions or embeds.
const LARGEST_INTERSTITIAL: usize = 64 * 1024;
/// The word for nobody known; stable, as answers carry it.
const UNKNOWN: &str = "unknown";

/// Something other than the page answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// Whose it is; `unknown` for a plain 429.
    pub vendor: String,
    /// Status of the answer.
    pub status: u16,
    /// The site is rate-limiting us (429): not a finding, and worth a later try.
    pub rate_limited: bool,
}

impl Blocked {
    /// Whether the answer bears no known mark.
    pub fn is_of_nobody_known(&self) -> bool {
        self.vendor == UNKNOWN
    }
}

/// Judges the page's own exchange.
pub fn blocked(page: &Fetched) -> Option<Blocked> {
    let exchange = page.response()?;
    let vendor = vendor(exchange);
    match (vendor, exchange.status) {
        (vendor, 429) => {
            let vendor = vendor.unwrap_or(UNKNOWN).to_owned();
            Some(Blocked { vendor, status: 429, rate_limited: true })
        }
        (Some(vendor), status) => Some(Blocked { vendor: vendor.to_owned(), status, rate_limited: false }),
        (None, _) => None,
    }
}

/// A line of [`MARKERS`].
struct Marker {
    vendor: &'static str,
    place: MarkPlace,
    /// Empty: with any.
    statuses: Vec<u16>,
}

/// Where a mark stands. All of them are in lower case.
enum MarkPlace {
    /// A header with this name, whose value has this text.
    Header(&'static str, &'static str),
    /// A cookie that begins so.
    Cookie(&'static str),
    Body(&'static str),
    Title(&'static str),
}

/// The table, read once: every page is compared with it.
static KNOWN: LazyLock<Vec<Marker>> = LazyLock::new(|| MARKERS.lines().filter_map(Marker::read).collect());

impl Marker {
    /// `None` for a comment.
    fn read(line: &'static str) -> Option<Self> {
        let mut columns = line.split('\t');
        let (vendor, place, mark, statuses) = (columns.next()?, columns.next()?, columns.next()?, columns.next()?);
        let place = match place {
            "header" => mark.split_once(": ").map(|(name, value)| MarkPlace::Header(name, value))?,
            "cookie" => MarkPlace::Cookie(mark),
            "body" => MarkPlace::Body(mark),
            "title" => MarkPlace::Title(mark),
            _ => return None,
        };
        Some(Self { vendor, place, statuses: statuses.split(',').filter_map(|status| status.parse().ok()).collect() })
    }

    fn is_of(&self, exchange: &Exchange, body: &[u8]) -> bool {
        if !self.statuses.is_empty() && !self.statuses.contains(&exchange.status) {
            return false;
        }
        match self.place {
            MarkPlace::Header(name, value) => {
                exchange.headers_named(name).any(|found| find(found.as_bytes(), value).is_some())
            }
            MarkPlace::Cookie(mark) => exchange.headers_named("set-cookie").any(|cookie| {
                cookie.as_bytes().get(..mark.len()).is_some_and(|name| name.eq_ignore_ascii_case(mark.as_bytes()))
            }),
            MarkPlace::Body(mark) => find(body, mark).is_some(),
            MarkPlace::Title(mark) => title(body).is_some_and(|title| title.eq_ignore_ascii_case(mark.as_bytes())),
        }
    }
}

fn vendor(exchange: &Exchange) -> Option<&'static str> {
    let body = Some(&exchange.body.bytes[..]).filter(|bytes| bytes.len() <= LARGEST_INTERSTITIAL).unwrap_or_default();
    KNOWN.iter().find(|marker| marker.is_of(exchange, body)).map(|marker| marker.vendor)
}

/// The text of the first title tag, by plain search: a challenge page is told before anything is parsed.
pub(super) fn title(body: &[u8]) -> Option<&[u8]> {
    let after = body.get(find(body, "<title")?..)?;
    let text = after.get(after.iter().position(|byte| *byte == b'>')? + 1..)?;
    Some(text.get(..find(text, "</title")?)?.trim_ascii())
}

/// Where a mark in lower case first stands in a body, the case of ASCII letters ignored.
fn find(body: &[u8], mark: &str) -> Option<usize> {
    let mark = mark.as_bytes();
    let first = mark.first()?;
    let is_here = |at: &usize| body.get(*at..*at + mark.len()).is_some_and(|found| found.eq_ignore_ascii_case(mark));
    memchr2_iter(*first, first.to_ascii_uppercase(), body).find(is_here)
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
            body: Body { bytes: body.into(), ..Body::default() },
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
        assert_eq!(vendor(&page(503, &[], "<TITLE a>\n ATTENTION<title>just a moment...</title>")), None);
        assert_eq!(vendor(&page(429, &[], "<script>var a='PX-Captcha'</script>")).as_deref(), Some("HUMAN"));
        assert_eq!(vendor(&page(503, &[], &format!("{}<title>Just a moment...</title>", " ".repeat(65_536)))), None);
        assert_eq!(vendor(&page(200, &[], "<title>Just a moment...</title>")), None);
        assert_eq!(vendor(&page(403, &[], "<p>Forbidden")), None);
    }

    #[test]
    fn every_line_of_the_table_is_read() {
        let lines = MARKERS.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(KNOWN.len(), lines.count());
        let of_any = KNOWN.iter().filter(|marker| marker.statuses.is_empty()).count();
        assert_eq!(of_any, MARKERS.lines().filter(|line| line.ends_with("\t*")).count());
    }

    #[test]
    fn a_plain_429_is_a_rate_limit_of_nobody_known() {
        let blocked = blocked(&page(429, &[], "slow down")).unwrap();
        assert!(blocked.rate_limited);
        assert!(blocked.is_of_nobody_known());
        assert_eq!(blocked.vendor, "unknown");
    }
}
