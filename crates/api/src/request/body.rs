//! Reading a request: its client, its language, its body within limits.

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http::request::Parts;
use http::{Extensions, HeaderMap, header};
use http_body_util::BodyExt as _;
use model::lang::{Lang, text};
use tokio::sync::OwnedSemaphorePermit;

use super::peer::{Patience, Peer};
use super::place::RequestPlace;
use service::Services;
use service::error::{Code, ServiceError};
use service::network::Network;

/// Bytes of a body, where its operation takes no more.
pub const BODY_BYTES: usize = 64 * 1024;

/// Pieces (chunks) of a body at most. Each costs microseconds whatever its size: 6 MB in pieces of one byte would take
/// seconds of a core. Chosen: a body of [`BODY_BYTES`] in pieces of one byte passes.
const MOST_PIECES: usize = 65_536;

/// A body, and its share of the memory of large bodies.
#[derive(Debug)]
pub struct Received {
    /// The body.
    pub bytes: Bytes,
    /// To be held as long as the bytes are.
    pub room: Option<OwnedSemaphorePermit>,
}

/// Resolves when the body of a client has to be there, because the service is being stopped.
async fn last_bytes(peer: Option<&Peer>) {
    match peer {
        Some(peer) => peer.last_bytes().await,
        None => std::future::pending().await,
    }
}

/// The network that calls.
pub fn client(extensions: &Extensions, headers: &HeaderMap) -> Network {
    // Without a connection there is no peer; such a call counts as the unspecified address's.
    let unspecified = std::net::IpAddr::from([0, 0, 0, 0]);
    let client = extensions.get::<Peer>().map(|peer| peer.proxies.client(peer.address.ip(), headers));
    Network::of(client.unwrap_or(unspecified))
}

/// The language that the query asks for, else the one that the browser prefers.
pub fn language(headers: &HeaderMap, query: Option<&str>) -> Result<Lang, ServiceError> {
    let in_query = query.and_then(|query| {
        url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "lang").map(|(_, value)| value)
    });
    match in_query {
        Some(tag) => Lang::from_tag(&tag).ok_or_else(|| {
            let takes = text("lang: use en or pt-BR", "lang: use en ou pt-BR");
            ServiceError::new(Code::InvalidParameter).explained(takes.into())
        }),
        None => {
            let preferred = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
            Ok(preferred.map_or(Lang::En, Lang::from_accept_language))
        }
    }
}

/// Reads a body of at most `most` bytes. A `Content-Encoding` is refused, as the decoded size is unknown. While the body
/// arrives, the call frees its place among the concurrent calls, so that slow senders hold none. Bytes past [`BODY_BYTES`]
/// count against the memory that large bodies share.
pub async fn read_body(services: &Services, parts: &Parts, body: Body, most: usize) -> Result<Received, ServiceError> {
    let headers = &parts.headers;
    let is_coded = headers.get(header::CONTENT_ENCODING).is_some_and(|coding| coding != "identity");
    if is_coded {
        let coded = text(
            "Content-Encoding: is not supported; send the body uncompressed",
            "Content-Encoding: não é suportado; envie o corpo sem compressão",
        );
        return Err(ServiceError::new(Code::UnsupportedMediaType).explained(coded.into()));
    }
    let too_large = || {
        let limit = text("a body can have at most {bytes} bytes", "um corpo pode ter no máximo {bytes} bytes");
        ServiceError::new(Code::BodyTooLarge).explained(limit.phrase(&[("bytes", most.into())]))
    };
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > most as u64) {
        return Err(too_large());
    }
    let whole = async {
        let mut body = body;
        let mut read = BytesMut::new();
        let mut room: Option<OwnedSemaphorePermit> = None;
        let mut pieces = 0;
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| {
                let ended = text("body: is incomplete", "body: está incompleto");
                ServiceError::new(Code::InvalidBody).explained(ended.into())
            })?;
            pieces += 1;
            if pieces > MOST_PIECES {
                let tiny = text(
                    "body: has more than {pieces} chunks; send larger chunks, or a Content-Length",
                    "body: tem mais de {pieces} pedaços; envie pedaços maiores, ou Content-Length",
                );
                let phrase = tiny.phrase(&[("pieces", MOST_PIECES.into())]);
                return Err(ServiceError::new(Code::InvalidBody).explained(phrase));
            }
            if let Ok(data) = frame.into_data() {
                let length = read.len() + data.len();
                if length > most {
                    return Err(too_large());
                }
                let taken = room.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
                let more = length.saturating_sub(BODY_BYTES).div_ceil(1024).saturating_sub(taken);
                if more > 0 {
                    let more = services.concurrency().reserve_body(more)?;
                    match &mut room {
                        Some(room) => room.merge(more),
                        None => room = Some(more),
                    }
                }
                read.extend_from_slice(&data);
            }
        }
        Ok(Received { bytes: read.freeze(), room })
    };
    let peer = parts.extensions.get::<Peer>();
    let time = peer.map_or(Patience::default().body, |peer| peer.body_time);
    let place = parts.extensions.get::<RequestPlace>();
    if let Some(place) = place {
        place.leave();
    }
    let read = tokio::select! {
        read = tokio::time::timeout(time, whole) => read.ok(),
        () = last_bytes(peer) => None,
    };
    let read = read.ok_or_else(|| ServiceError::new(Code::RequestTimeout))??;
    place.map_or(Ok(()), RequestPlace::take)?;
    Ok(read)
}
