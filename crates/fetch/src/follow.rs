//! A fetch with its redirects, each hop judged anew.

use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr};

use hyper::header;
use model::capture::{Certificate, Exchange, FailureKind, FetchFailure, Fetched, Hop, Timing};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, timeout};
use url::Url;

use crate::dial::{self, Trouble};
use crate::exchange::{self, Raw};
use crate::{Inner, Limits, PAGE_BYTES, PAGE_REDIRECTS, body, guard};

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ask {
    pub(crate) accept: &'static str,
    pub(crate) max_bytes: usize,
    pub(crate) max_redirects: u8,
}

/// Durations of one hop.
#[derive(Debug, Default)]
struct Phases {
    dns: Option<u32>,
    connect: Option<u32>,
    tls: Option<u32>,
}

/// Fetches, following redirects as `ask` allows. The URL itself was judged by the caller.
pub(crate) async fn fetch(inner: &Inner, url: &Url, ask: Ask, deadline: Instant) -> Fetched {
    let started = Instant::now();
    let mut url = url.clone();
    url.set_fragment(None);
    let mut hops: Vec<Hop> = Vec::new();
    let mut seen: HashSet<Url> = HashSet::from([url.clone()]);
    loop {
        let done = tokio::time::timeout_at(deadline, hop(inner, &url, ask, deadline)).await;
        let (raw, phases, certificate) = match done.unwrap_or(Err(dial::timeout("headers"))) {
            Ok(done) => done,
            Err(trouble) => return failed(&url, hops, trouble),
        };
        match next(&url, &raw, ask) {
            Ok(None) => return Fetched::Response(finished(&url, hops, raw, phases, certificate, ask, started)),
            Err(trouble) => return failed(&url, hops, trouble),
            Ok(Some((target, location))) => {
                hops.push(Hop { url: url.to_string(), status: raw.status, location });
                if hops.len() > usize::from(ask.max_redirects) {
                    return failed(&target, hops, dial::unreachable("too_many_redirects"));
                }
                let refused = Trouble { kind: FailureKind::RedirectNotAllowed, reason: "redirect_not_allowed" };
                if inner.intake.judge(&target).is_err() {
                    return failed(&target, hops, refused);
                }
                if !seen.insert(target.clone()) {
                    return failed(&target, hops, dial::unreachable("redirect_loop"));
                }
                url = target;
            }
        }
    }
}

/// What a page's answer comes to on a connection that is there already: [`crate::Fetcher::page`] without the network.
///
/// Nothing is judged and no redirect is followed, but the `Location` of one is read. For replays and for fuzzing.
pub async fn answered(
    connection: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    url: &Url,
    limits: &Limits,
    deadline: Instant,
) -> Fetched {
    let started = Instant::now();
    let ask = Ask { accept: "*/*", max_bytes: PAGE_BYTES, max_redirects: PAGE_REDIRECTS };
    let read = exchange::exchange(connection, url, &[], limits, ask.max_bytes, deadline).await;
    match read.and_then(|raw| next(url, &raw, ask).map(|_| raw)) {
        Ok(raw) => Fetched::Response(finished(url, Vec::new(), raw, Phases::default(), None, ask, started)),
        Err(trouble) => failed(url, Vec::new(), trouble),
    }
}

fn failed(url: &Url, hops: Vec<Hop>, trouble: Trouble) -> Fetched {
    let kind = match trouble.kind {
        FailureKind::AddressNotAllowed if !hops.is_empty() => FailureKind::RedirectNotAllowed,
        kind => kind,
    };
    Fetched::Failed(FetchFailure { kind, reason: trouble.reason.to_owned(), hops, url: url.to_string() })
}

/// The target of a redirect that is to be followed, and its raw `Location`.
fn next(url: &Url, raw: &Raw, ask: Ask) -> Result<Option<(Url, String)>, Trouble> {
    if !matches!(raw.status, 301 | 302 | 303 | 307 | 308) || ask.max_redirects == 0 {
        return Ok(None);
    }
    let mut locations = raw.headers.iter().filter(|(name, _)| name == "location").map(|(_, value)| value);
    let Some(location) = locations.next() else { return Ok(None) };
    if locations.any(|other| other != location) || location.len() > crate::intake::LONGEST_URL {
        return Err(dial::unreachable("protocol"));
    }
    let mut target = url.join(location).map_err(|_| dial::unreachable("protocol"))?;
    target.set_fragment(None);
    Ok(Some((target, location.clone())))
}

/// One request to one URL: resolve, judge, connect, judge again, ask.
async fn hop(
    inner: &Inner,
    url: &Url,
    ask: Ask,
    deadline: Instant,
) -> Result<(Raw, Phases, Option<Certificate>), Trouble> {
    let refused = Trouble { kind: FailureKind::AddressNotAllowed, reason: "address" };
    let port = url.port_or_known_default().unwrap_or_default();
    let mut phases = Phases::default();
    let addresses: Vec<IpAddr> = match guard::literal(url) {
        Some(address) => vec![address],
        None => {
            let begun = Instant::now();
            let lookup = inner.resolver.addresses(url.host_str().unwrap_or_default());
            let found = timeout(inner.limits.dns, lookup).await.map_err(|_| dial::timeout("dns"))?;
            phases.dns = Some(millis(begun));
            found
        }
    };
    if addresses.is_empty() {
        return Err(dial::unreachable("dns"));
    }
    // One denied address denies the name.
    if !addresses.iter().all(|address| inner.policy.allows(*address, port)) {
        return Err(refused);
    }
    let sockets: Vec<SocketAddr> = addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect();
    let begun = Instant::now();
    let stream = dial::connect(&sockets, &inner.limits, |peer| inner.policy.allows(peer.ip(), peer.port())).await?;
    phases.connect = Some(millis(begun));
    let headers = [
        (header::USER_AGENT, inner.user_agent.clone()),
        (header::ACCEPT, ask.accept.to_owned()),
        (header::ACCEPT_ENCODING, "gzip, br, zstd, deflate".to_owned()),
        (header::ACCEPT_LANGUAGE, "en;q=0.9, *;q=0.5".to_owned()),
        (header::CONNECTION, "close".to_owned()),
    ];
    if url.scheme() == "http" {
        let raw = exchange::exchange(stream, url, &headers, &inner.limits, ask.max_bytes, deadline).await?;
        return Ok((raw, phases, None));
    }
    let begun = Instant::now();
    let (stream, certificate) = inner.tls.handshake(url.host_str().unwrap_or_default(), stream, &inner.limits).await?;
    phases.tls = Some(millis(begun));
    let raw = exchange::exchange(stream, url, &headers, &inner.limits, ask.max_bytes, deadline).await?;
    Ok((raw, phases, certificate))
}

fn finished(
    url: &Url,
    hops: Vec<Hop>,
    raw: Raw,
    phases: Phases,
    certificate: Option<Certificate>,
    ask: Ask,
    started: Instant,
) -> Exchange {
    let has = |wanted: &str| raw.headers.iter().any(|(name, _)| name == wanted);
    let ambiguous_length = has("content-length") && has("transfer-encoding");
    let codings: Vec<&str> =
        raw.headers.iter().filter(|(name, _)| name == "content-encoding").map(|(_, value)| value.as_str()).collect();
    let declared = codings.join(", ");
    let bytes = raw.body.len() as u64;
    let body = body::decoded(Some(declared.as_str()), raw.body, raw.cut, ask.max_bytes);
    Exchange {
        hops,
        url: url.to_string(),
        status: raw.status,
        headers: raw.headers,
        body,
        timing: Timing {
            dns_ms: phases.dns,
            connect_ms: phases.connect,
            tls_ms: phases.tls,
            ttfb_ms: Some(whole_millis(raw.ttfb)),
            download_ms: Some(whole_millis(raw.download)),
            total_ms: millis(started),
            bytes,
            http_version: "HTTP/1.1".to_owned(),
        },
        ambiguous_length,
        certificate,
    }
}

fn millis(since: Instant) -> u32 {
    whole_millis(since.elapsed())
}

fn whole_millis(duration: std::time::Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}
