//! A fetch with its redirects, each hop judged anew.

use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr};
use std::panic::resume_unwind;
use std::sync::Arc;

use hyper::header;
use model::capture::{Body, BodyCut, Certificate, Coding, Exchange, FailureKind, FetchFailure, Fetched, Hop, Timing};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::{JoinError, spawn_blocking};
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::dial::{self, Offer, Trouble, Version};
use crate::exchange::{self, Question, Raw};
use crate::http2::NOT_OVER_HTTP2;
use crate::room::Room;
use crate::{Budget, Inner, Limits, PAGE_BYTES, PAGE_REDIRECTS, body, ceiling, guard};

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
    /// The start of the file is enough: only `max_bytes` of it are asked for.
    pub(crate) start_only: bool,
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
/// With `room` only as large as there is room for.
pub(crate) async fn fetch(
    inner: &Inner,
    url: &Url,
    ask: Ask,
    budget: Option<&Budget>,
    mut room: Option<&mut Room>,
    deadline: Instant,
) -> Fetched {
    let started = Instant::now();
    let mut url = url.clone();
    url.set_fragment(None);
    let mut hops: Vec<Hop> = Vec::new();
    let mut seen: HashSet<Url> = HashSet::from([url.clone()]);
    loop {
        if !budget.is_none_or(Budget::take) {
            return failed(&url, hops, dial::timeout("budget"));
        }
        let done = tokio::time::timeout_at(deadline, hop(inner, &url, ask, room.as_deref_mut(), deadline)).await;
        let (mut raw, phases, certificate) = match done.unwrap_or(Err(dial::timeout("headers"))) {
            Ok(done) => done,
            Err(trouble) => return failed(&url, hops, trouble),
        };
        match next(&url, &raw, ask) {
            Ok(None) => {
                let body = decoded(&mut raw, ask.max_bytes, inner, room, deadline).await;
                return Fetched::Response(finished(&url, hops, raw, body, phases, certificate, started));
            }
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
    let ask = Ask { accept: "*/*", max_bytes: PAGE_BYTES, max_redirects: PAGE_REDIRECTS, start_only: false };
    let question = Question { url, fields: &[], max_bytes: ask.max_bytes, follows: ask.follows() };
    let read = exchange::exchange(connection, Version::Http1, question, None, (limits, deadline)).await;
    match read.and_then(|raw| next(url, &raw, ask).map(|_| raw)) {
        Ok(mut raw) => {
            let body = decoder(&mut raw, ask.max_bytes)();
            Fetched::Response(finished(url, Vec::new(), raw, body, Phases::default(), None, started))
        }
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
    mut room: Option<&mut Room>,
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
    let _place = place(inner, url, &addresses, deadline).await?;
    let sockets: Vec<SocketAddr> = addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect();
    // A part of a coded body could not be decoded.
    let codings = if ask.start_only { "identity" } else { "gzip, br, zstd, deflate" };
    let range = ask.start_only.then(|| (header::RANGE, format!("bytes=0-{}", ask.max_bytes.saturating_sub(1))));
    let fields: Vec<_> = [
        (header::USER_AGENT, inner.user_agent.clone()),
        (header::ACCEPT, ask.accept.to_owned()),
        (header::ACCEPT_ENCODING, codings.to_owned()),
        (header::ACCEPT_LANGUAGE, "en;q=0.9, *;q=0.5".to_owned()),
    ]
    .into_iter()
    .chain(range)
    .collect();
    let question = Question { url, fields: &fields, max_bytes: ask.max_bytes, follows: ask.follows() };
    let mut offer = Offer::Both;
    loop {
        let begun = Instant::now();
        let allowed = |peer: SocketAddr| inner.policy.allows(peer.ip(), peer.port());
        let stream = dial::connect(&sockets, &inner.limits, allowed).await?;
        phases.connect = Some(millis(begun));
        let clock = (&inner.limits, deadline);
        if url.scheme() == "http" {
            let raw = exchange::exchange(stream, Version::Http1, question, room, clock).await?;
            return Ok((raw, phases, None));
        }
        let begun = Instant::now();
        let secure = inner.tls.handshake(url.host_str().unwrap_or_default(), stream, offer, &inner.limits).await?;
        phases.tls = Some(millis(begun));
        match exchange::exchange(secure.stream, secure.version, question, room.as_deref_mut(), clock).await {
            // Nothing was done with the request (RFC 9113 §6.8, §8.7), so it is asked once more, as the server may want.
            Err(NOT_OVER_HTTP2) if offer == Offer::Both => offer = Offer::Http1,
            raw => return Ok((raw?, phases, secure.certificate)),
        }
    }
}

/// A place among the connections to the target. The operator's own machines have no ceiling.
async fn place(
    inner: &Inner,
    url: &Url,
    addresses: &[IpAddr],
    deadline: Instant,
) -> Result<Option<ceiling::Place>, Trouble> {
    let own = addresses.iter().all(|address| inner.policy.is_own_machine(*address));
    let Some(target) = ceiling::target(url).filter(|_| !own) else { return Ok(None) };
    let busy = Trouble { kind: FailureKind::TargetBusy, reason: "connections" };
    timeout_at(deadline, inner.targets.enter(&target)).await.map(Some).map_err(|_| busy)
}

fn finished(
    url: &Url,
    hops: Vec<Hop>,
    raw: Raw,
    body: Body,
    phases: Phases,
    certificate: Option<Certificate>,
    started: Instant,
) -> Exchange {
    let text = |value: &header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let has = |name: header::HeaderName| raw.fields.contains_key(name);
    let ambiguous_length = has(header::CONTENT_LENGTH) && has(header::TRANSFER_ENCODING);
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
            bytes: raw.wire_bytes as u64,
            http_version: raw.version.name().to_owned(),
        },
        ambiguous_length,
        certificate,
    }
}

/// Takes the body, and gives the work of undoing its content codings.
fn decoder(raw: &mut Raw, max_bytes: usize) -> impl FnOnce() -> Body + Send + use<> {
    let text = |value: &header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let codings: Vec<String> = raw.fields.get_all(header::CONTENT_ENCODING).iter().map(text).collect();
    let (codings, bytes, cut) = (codings.join(", "), std::mem::take(&mut raw.body), raw.cut);
    move || body::decoded(Some(codings.as_str()), bytes, cut, max_bytes)
}

/// Undoes the content codings; of more than a little on a thread of its own, as many at once as there are cores.
async fn decoded(raw: &mut Raw, max_bytes: usize, inner: &Inner, room: Option<&mut Room>, deadline: Instant) -> Body {
    let decode = decoder(raw, max_bytes);
    if raw.wire_bytes <= DECODED_HERE || !raw.fields.contains_key(header::CONTENT_ENCODING) {
        return decode();
    }
    let without = |cut| Body { bytes: Vec::new(), cut: Some(cut), coding: Coding::Identity };
    let most = body::most_decoded(raw.wire_bytes, max_bytes);
    if room.is_some_and(|room| !room.grow_to(raw.wire_bytes + most)) {
        return without(BodyCut::Size);
    }
    let Ok(Ok(decoder)) = timeout_at(deadline, Arc::clone(&inner.decoders).acquire_owned()).await else {
        return without(BodyCut::Time);
    };
    let decoding = spawn_blocking(move || {
        // Held until the work is done, also when nobody waits for it any more.
        let _decoder = decoder;
        decode()
    });
    match decoding.await.map_err(JoinError::try_into_panic) {
        Ok(body) => body,
        // A defect of ours, which must not be taken for one of the page.
        Err(Ok(panic)) => resume_unwind(panic),
        // The runtime ends.
        Err(Err(_)) => without(BodyCut::Time),
    }
}

fn millis(since: Instant) -> u32 {
    whole_millis(since.elapsed())
}

fn whole_millis(duration: std::time::Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}
