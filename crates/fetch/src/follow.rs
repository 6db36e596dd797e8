//! A fetch with its redirects, each hop judged anew.

use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr};

use hyper::header;
use model::capture::{Body, BodyCut, Certificate, Coding, Exchange, FailureKind, FetchFailure, Fetched, Hop, Timing};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::spawn_blocking;
use tokio::time::Instant;
use url::Url;

use crate::dial::{self, Trouble, Version};
use crate::exchange::{self, Question, Raw};
use crate::{Budget, Inner, Limits, PAGE_BYTES, PAGE_REDIRECTS, body, guard};

/// A redirect to where we do not go.
const ASTRAY: Trouble = Trouble { kind: FailureKind::RedirectNotAllowed, reason: "redirect_not_allowed" };

/// Coded bytes that are decoded on the spot: even a bomb of them takes about a millisecond.
const DECODED_HERE: usize = 4 * 1024;

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ask {
    pub(crate) accept: &'static str,
    pub(crate) max_bytes: usize,
    pub(crate) max_redirects: u8,
}

impl Ask {
    /// Whether redirects are followed at all; else one is an answer like any other.
    const fn follows(self) -> bool {
        self.max_redirects > 0
    }
}

/// Durations of one hop.
#[derive(Debug, Default)]
struct Phases {
    dns: Option<u32>,
    connect: Option<u32>,
    tls: Option<u32>,
}

/// Fetches, following redirects as `ask` allows. The URL itself was judged by the caller.
pub(crate) async fn fetch(inner: &Inner, url: &Url, ask: Ask, budget: Option<&Budget>, deadline: Instant) -> Fetched {
    let started = Instant::now();
    let mut url = url.clone();
    url.set_fragment(None);
    let mut hops: Vec<Hop> = Vec::new();
    let mut seen: HashSet<Url> = HashSet::from([url.clone()]);
    loop {
        if !budget.is_none_or(Budget::take) {
            return failed(&url, hops, dial::timeout("budget"));
        }
        let done = tokio::time::timeout_at(deadline, hop(inner, &url, ask, deadline)).await;
        let (raw, phases, certificate) = match done.unwrap_or(Err(dial::timeout("headers"))) {
            Ok(done) => done,
            Err(trouble) => return failed(&url, hops, trouble),
        };
        match next(&url, &raw, ask) {
            Ok(None) => return Fetched::Response(finished(&url, hops, raw, phases, certificate, ask, started).await),
            Err(trouble) => return failed(&url, hops, trouble),
            Ok(Some((target, location))) => {
                hops.push(Hop { url: url.to_string(), status: raw.status, location });
                if hops.len() > usize::from(ask.max_redirects) {
                    return failed(&target, hops, dial::unreachable("too_many_redirects"));
                }
                if inner.intake.judge(&target).is_err() {
                    return failed(&target, hops, ASTRAY);
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
    let question = Question { url, fields: &[], max_bytes: ask.max_bytes, follows: ask.follows() };
    let read = exchange::exchange(connection, Version::Http1, question, limits, deadline).await;
    match read.and_then(|raw| next(url, &raw, ask).map(|_| raw)) {
        Ok(raw) => Fetched::Response(finished(url, Vec::new(), raw, Phases::default(), None, ask, started).await),
        Err(trouble) => failed(url, Vec::new(), trouble),
    }
}

fn failed(url: &Url, hops: Vec<Hop>, trouble: Trouble) -> Fetched {
    // One answer for whatever a redirect may not lead to, so that it tells nothing of what is there.
    let trouble = if trouble.kind == FailureKind::AddressNotAllowed && !hops.is_empty() { ASTRAY } else { trouble };
    Fetched::Failed(FetchFailure { kind: trouble.kind, reason: trouble.reason.to_owned(), hops, url: url.to_string() })
}

/// The target of a redirect that is to be followed, and its raw `Location`.
fn next(url: &Url, raw: &Raw, ask: Ask) -> Result<Option<(Url, String)>, Trouble> {
    if !exchange::is_redirect(raw.status) || !ask.follows() {
        return Ok(None);
    }
    let mut locations = raw.fields.get_all(header::LOCATION).iter();
    let Some(location) = locations.next() else { return Ok(None) };
    if locations.any(|other| other != location) || location.len() > crate::intake::LONGEST_URL {
        return Err(dial::unreachable("protocol"));
    }
    let mut target = url.join(&ascii(location.as_bytes())).map_err(|_| dial::unreachable("protocol"))?;
    target.set_fragment(None);
    Ok(Some((target, String::from_utf8_lossy(location.as_bytes()).into_owned())))
}

/// Bytes beyond ASCII percent-encoded: in UTF-8 that is what the URL parser does itself, in others it would lose them.
fn ascii(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len()), |text, byte| match byte.is_ascii() {
        true => text + char::from(*byte).encode_utf8(&mut [0; 4]),
        false => text + &format!("%{byte:02X}"),
    })
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
            let found = inner.resolver.addresses(url.host_str().unwrap_or_default()).await?;
            phases.dns = Some(millis(begun));
            found
        }
    };
    // One denied address denies the name.
    if !addresses.iter().all(|address| inner.policy.allows(*address, port)) {
        return Err(refused);
    }
    let sockets: Vec<SocketAddr> = addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect();
    let begun = Instant::now();
    let stream = dial::connect(&sockets, &inner.limits, |peer| inner.policy.allows(peer.ip(), peer.port())).await?;
    phases.connect = Some(millis(begun));
    let fields = [
        (header::USER_AGENT, inner.user_agent.clone()),
        (header::ACCEPT, ask.accept.to_owned()),
        (header::ACCEPT_ENCODING, "gzip, br, zstd, deflate".to_owned()),
        (header::ACCEPT_LANGUAGE, "en;q=0.9, *;q=0.5".to_owned()),
    ];
    let question = Question { url, fields: &fields, max_bytes: ask.max_bytes, follows: ask.follows() };
    if url.scheme() == "http" {
        let raw = exchange::exchange(stream, Version::Http1, question, &inner.limits, deadline).await?;
        return Ok((raw, phases, None));
    }
    let begun = Instant::now();
    let secure = inner.tls.handshake(url.host_str().unwrap_or_default(), stream, &inner.limits).await?;
    phases.tls = Some(millis(begun));
    let raw = exchange::exchange(secure.stream, secure.version, question, &inner.limits, deadline).await?;
    Ok((raw, phases, secure.certificate))
}

async fn finished(
    url: &Url,
    hops: Vec<Hop>,
    raw: Raw,
    phases: Phases,
    certificate: Option<Certificate>,
    ask: Ask,
    started: Instant,
) -> Exchange {
    let text = |value: &header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let has = |name: header::HeaderName| raw.fields.contains_key(name);
    let ambiguous_length = has(header::CONTENT_LENGTH) && has(header::TRANSFER_ENCODING);
    let codings: Vec<String> = raw.fields.get_all(header::CONTENT_ENCODING).iter().map(text).collect();
    let declared = codings.join(", ");
    let bytes = raw.body.len() as u64;
    let body = decoded(declared, raw.body, raw.cut, ask.max_bytes).await;
    Exchange {
        hops,
        url: url.to_string(),
        status: raw.status,
        headers: raw.fields.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect(),
        body,
        timing: Timing {
            dns_ms: phases.dns,
            connect_ms: phases.connect,
            tls_ms: phases.tls,
            ttfb_ms: Some(whole_millis(raw.ttfb)),
            download_ms: Some(whole_millis(raw.download)),
            total_ms: millis(started),
            bytes,
            http_version: raw.version.name().to_owned(),
        },
        ambiguous_length,
        certificate,
    }
}

/// Undoes the content codings; of more than a little, where nobody else waits for it.
async fn decoded(codings: String, bytes: Vec<u8>, cut: Option<BodyCut>, max_bytes: usize) -> Body {
    if codings.is_empty() || bytes.len() <= DECODED_HERE {
        return body::decoded(Some(codings.as_str()), bytes, cut, max_bytes);
    }
    let broken = Coding::Broken(codings.clone());
    let decoding = spawn_blocking(move || body::decoded(Some(codings.as_str()), bytes, cut, max_bytes));
    // It fails only by a panic in a decoder.
    decoding.await.unwrap_or_else(|_| Body { bytes: Vec::new(), cut, coding: broken })
}

fn millis(since: Instant) -> u32 {
    whole_millis(since.elapsed())
}

fn whole_millis(duration: std::time::Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}
