//! A fetch with its redirects, each hop checked like the first.

use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr};
use std::panic::resume_unwind;
use std::sync::Arc;

use hyper::header;
use model::capture::{
    Body, BodyBytes, BodyCut, Certificate, Coding, Exchange, FailureKind, FetchFailure, Fetched, Hop, Timing,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::{JoinError, spawn_blocking};
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::budget::Budget;
use crate::client::Client;
use crate::config::FetchTimeouts;
use crate::dial::{self, AlpnOffer, HttpVersion};
use crate::exchange::{self, OpenConnection};
use crate::failure::{HopFailure, timeout, unreachable};
use crate::http2::NOT_OVER_HTTP2;
use crate::intake::LONGEST_URL;
use crate::kept::KeptConnection;
use crate::response::RawResponse;
use crate::room::Room;
use crate::rules::FetchRules;
use crate::{body, ceiling, guard};

/// A redirect to a URL or an address that may not be contacted.
const REDIRECT_REFUSED: HopFailure =
    HopFailure { kind: FailureKind::RedirectNotAllowed, reason: "redirect_not_allowed" };

/// Coded bytes that are decoded on the async worker: even a bomb of this size takes about a millisecond.
const DECODED_INLINE: usize = 4 * 1024;

/// Durations of one hop.
#[derive(Debug, Default)]
struct Phases {
    dns: Option<u32>,
    connect: Option<u32>,
    tls: Option<u32>,
}

/// Fetches a URL and follows redirects as `rules` allow. The caller has checked the URL itself. With `room`, the body
/// reserves its memory there and is cut where none is left.
pub(crate) async fn fetch(
    client: &Client,
    url: &Url,
    rules: FetchRules<'_>,
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
            return failed(&url, hops, timeout("budget"));
        }
        let done = tokio::time::timeout_at(deadline, hop(client, &url, rules, room.as_deref_mut(), deadline)).await;
        let (mut raw, phases, certificate) = match done.unwrap_or(Err(timeout("headers"))) {
            Ok(done) => done,
            Err(failure) => return failed(&url, hops, failure),
        };
        match next(&url, &raw, rules) {
            Ok(None) => {
                let body = decoded(&mut raw, rules.max_bytes, client, room, deadline).await;
                return Fetched::Response(finished(&url, hops, raw, body, phases, certificate, started));
            }
            Err(failure) => return failed(&url, hops, failure),
            Ok(Some((target, location))) => {
                hops.push(Hop { url: url.to_string(), status: raw.status, location });
                if hops.len() > usize::from(rules.max_redirects) {
                    return failed(&target, hops, unreachable("too_many_redirects"));
                }
                if client.intake.judge(&target).is_err() {
                    return failed(&target, hops, REDIRECT_REFUSED);
                }
                if !seen.insert(target.clone()) {
                    return failed(&target, hops, unreachable("redirect_loop"));
                }
                url = target;
            }
        }
    }
}

/// A page read from an open connection: [`crate::Fetcher::page`] without the network, for replays and for fuzzing.
///
/// No address is checked and no redirect is followed, but the `Location` of one is read.
pub async fn answered(
    connection: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    url: &Url,
    limits: &FetchTimeouts,
    deadline: Instant,
) -> Fetched {
    let started = Instant::now();
    let rules = FetchRules::of_page("*/*");
    let request = rules.request(url, &[]);
    let read = exchange::exchange(connection, HttpVersion::Http1, request, None, (limits, deadline)).await;
    match read.and_then(|raw| next(url, &raw, rules).map(|_| raw)) {
        Ok(mut raw) => {
            let body = decoder(&mut raw, rules.max_bytes)();
            Fetched::Response(finished(url, Vec::new(), raw, body, Phases::default(), None, started))
        }
        Err(failure) => failed(url, Vec::new(), failure),
    }
}

fn failed(url: &Url, hops: Vec<Hop>, failure: HopFailure) -> Fetched {
    // One answer for every refused target of a redirect, so that it discloses nothing about that target.
    let failure =
        if failure.kind == FailureKind::AddressNotAllowed && !hops.is_empty() { REDIRECT_REFUSED } else { failure };
    Fetched::Failed(FetchFailure { kind: failure.kind, reason: failure.reason.to_owned(), hops, url: url.to_string() })
}

/// The target of a redirect to follow, and its raw `Location`.
fn next(url: &Url, raw: &RawResponse, rules: FetchRules<'_>) -> Result<Option<(Url, String)>, HopFailure> {
    if !exchange::is_redirect(raw.status) || !rules.follows() {
        return Ok(None);
    }
    let mut locations = raw.fields.get_all(header::LOCATION).iter();
    let Some(location) = locations.next() else { return Ok(None) };
    if locations.any(|other| other != location) || location.len() > LONGEST_URL {
        return Err(unreachable("protocol"));
    }
    let mut target = url.join(&ascii(location.as_bytes())).map_err(|_| unreachable("protocol"))?;
    target.set_fragment(None);
    Ok(Some((target, String::from_utf8_lossy(location.as_bytes()).into_owned())))
}

/// Percent-encodes bytes beyond ASCII. The URL parser does the same for UTF-8, but replaces bytes that are not UTF-8.
fn ascii(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len()), |text, byte| match byte.is_ascii() {
        true => text + char::from(*byte).encode_utf8(&mut [0; 4]),
        false => text + &format!("%{byte:02X}"),
    })
}

/// One request to one URL: on a kept connection, or resolve, check the addresses, connect, check the peer, send the request.
async fn hop(
    client: &Client,
    url: &Url,
    rules: FetchRules<'_>,
    mut room: Option<&mut Room>,
    deadline: Instant,
) -> Result<(RawResponse, Phases, Option<Certificate>), HopFailure> {
    let fields = rules.fields(&client.user_agent);
    let request = rules.request(url, &fields);
    let clock = (&client.limits, deadline);
    if let Some(kept) = rules.kept
        && let Some(mut connection) = kept.take(url)
        && client.policy.allows(connection.peer.ip(), connection.peer.port())
    {
        let _place = place(client, url, &[connection.peer.ip()], deadline).await?;
        // Whatever is wrong with it, such as a server that closed it meanwhile, a new connection tells for sure.
        if let Ok(raw) = connection.open.ask(request, room.as_deref_mut(), clock).await {
            let certificate = connection.certificate.clone();
            if connection.open.may_go_on(&raw) {
                connection.since = Instant::now();
                kept.keep(connection);
            }
            return Ok((raw, Phases::default(), certificate));
        }
    }
    let refused = HopFailure { kind: FailureKind::AddressNotAllowed, reason: "address" };
    let port = url.port_or_known_default().unwrap_or_default();
    let mut phases = Phases::default();
    let addresses: Vec<IpAddr> = match guard::literal(url) {
        Some(address) => vec![address],
        None => {
            let begun = Instant::now();
            let found = client.resolver.addresses(url.host_str().unwrap_or_default()).await?;
            phases.dns = Some(millis(begun));
            found
        }
    };
    // One denied address denies the whole name.
    if !addresses.iter().all(|address| client.policy.allows(*address, port)) {
        return Err(refused);
    }
    let _place = place(client, url, &addresses, deadline).await?;
    let sockets: Vec<SocketAddr> = addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect();
    let mut offer = AlpnOffer::Both;
    let (open, raw, peer, certificate) = loop {
        let begun = Instant::now();
        let allowed = |peer: SocketAddr| client.policy.allows(peer.ip(), peer.port());
        let stream = dial::connect(&sockets, &client.limits, allowed).await?;
        let peer = stream.peer_addr().map_err(|_| unreachable("connect"))?;
        phases.connect = Some(millis(begun));
        if url.scheme() == "http" {
            let mut open = OpenConnection::open(stream, HttpVersion::Http1, clock).await?;
            let raw = open.ask(request, room, clock).await?;
            break (open, raw, peer, None);
        }
        let begun = Instant::now();
        let secure = client.tls.handshake(url.host_str().unwrap_or_default(), stream, offer, &client.limits).await?;
        phases.tls = Some(millis(begun));
        // In a box, which is gone before the request is sent: it has more of the state of HTTP/2 than all the rest of a hop.
        let opening = Box::pin(OpenConnection::open(secure.stream, secure.version, clock));
        let asked = match opening.await {
            Ok(mut open) => open.ask(request, room.as_deref_mut(), clock).await.map(|raw| (open, raw)),
            Err(failure) => Err(failure),
        };
        match asked {
            // The server did not process the request (RFC 9113 §6.8, §8.7), so it is sent once more, over HTTP/1.1.
            Err(NOT_OVER_HTTP2) if offer == AlpnOffer::Both => offer = AlpnOffer::Http1,
            asked => {
                let (open, raw) = asked?;
                break (open, raw, peer, secure.certificate);
            }
        }
    };
    if let Some(kept) = rules.kept
        && open.may_go_on(&raw)
    {
        let (origin, certificate) = (url.origin().ascii_serialization(), certificate.clone());
        let now = Instant::now();
        kept.keep(KeptConnection { open, origin, peer, certificate, opened: now, since: now });
    }
    Ok((raw, phases, certificate))
}

/// A permit for a connection to the target, waited for until the deadline. The operator's own machines have no
/// concurrency limit.
async fn place(
    client: &Client,
    url: &Url,
    addresses: &[IpAddr],
    deadline: Instant,
) -> Result<Option<ceiling::CeilingPlace>, HopFailure> {
    let own = addresses.iter().all(|address| client.policy.is_own_machine(*address));
    let Some(target) = ceiling::target(url).filter(|_| !own) else { return Ok(None) };
    let busy = HopFailure { kind: FailureKind::TargetBusy, reason: "connections" };
    timeout_at(deadline, client.targets.enter(&target)).await.map(Some).map_err(|_| busy)
}

fn finished(
    url: &Url,
    hops: Vec<Hop>,
    raw: RawResponse,
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

/// Takes the body; the function that undoes its content codings.
fn decoder(raw: &mut RawResponse, max_bytes: usize) -> impl FnOnce() -> Body + Send + use<> {
    let text = |value: &header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let codings: Vec<String> = raw.fields.get_all(header::CONTENT_ENCODING).iter().map(text).collect();
    let (codings, bytes, cut) = (codings.join(", "), std::mem::take(&mut raw.body), raw.cut);
    move || body::decoded(Some(codings.as_str()), bytes, cut, max_bytes)
}

/// Undoes the content codings; of more than [`DECODED_INLINE`] bytes on a blocking thread, one per core at once.
#[expect(clippy::disallowed_methods, reason = "a decoder goes on when its caller has gone, and `decoders` counts it")]
async fn decoded(
    raw: &mut RawResponse,
    max_bytes: usize,
    client: &Client,
    room: Option<&mut Room>,
    deadline: Instant,
) -> Body {
    let decode = decoder(raw, max_bytes);
    if raw.wire_bytes <= DECODED_INLINE || !raw.fields.contains_key(header::CONTENT_ENCODING) {
        return decode();
    }
    let without = |cut| Body { bytes: BodyBytes::default(), cut: Some(cut), coding: Coding::Identity };
    let most = body::most_decoded(raw.wire_bytes, max_bytes);
    if room.is_some_and(|room| !room.grow_to(raw.wire_bytes + most)) {
        return without(BodyCut::Size);
    }
    let Ok(Ok(decoder)) = timeout_at(deadline, Arc::clone(&client.decoders).acquire_owned()).await else {
        return without(BodyCut::Time);
    };
    let decoding = spawn_blocking(move || {
        // Held until the work is done, even when its caller has gone.
        let _decoder = decoder;
        decode()
    });
    match decoding.await.map_err(JoinError::try_into_panic) {
        Ok(body) => body,
        // A defect of the decoder, not of the page.
        Err(Ok(panic)) => resume_unwind(panic),
        // The runtime is shutting down.
        Err(Err(_)) => without(BodyCut::Time),
    }
}

fn millis(since: Instant) -> u32 {
    whole_millis(since.elapsed())
}

fn whole_millis(duration: std::time::Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
