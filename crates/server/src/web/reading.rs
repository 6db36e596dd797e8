//! Reading a request: its client, its language, its body within limits.

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http::request::Parts;
use http::{Extensions, HeaderMap, header};
use http_body_util::BodyExt as _;
use model::lang::{Lang, text};

use super::{Patience, Peer, Place};
use crate::app::App;
use crate::caller::Network;
use crate::error::{ApiError, Code};

/// Bytes of a body.
const BODY_BYTES: usize = 64 * 1024;

/// The network that calls.
pub(crate) fn client(app: &App, extensions: &Extensions, headers: &HeaderMap) -> Network {
    // Without a connection there is no peer; such a call counts as the unspecified address's.
    let unspecified = std::net::IpAddr::from([0, 0, 0, 0]);
    let peer = extensions.get::<Peer>().map_or(unspecified, |peer| peer.address.ip());
    Network::of(app.proxies().client(peer, headers))
}

/// The language that the query asks for, else the one that the browser prefers.
pub(crate) fn language(headers: &HeaderMap, query: Option<&str>) -> Result<Lang, ApiError> {
    let asked = query.and_then(|query| {
        url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "lang").map(|(_, value)| value)
    });
    match asked {
        Some(tag) => Lang::from_tag(&tag).ok_or_else(|| {
            let takes = text("lang: takes en or pt-BR", "lang: aceita en ou pt-BR");
            ApiError::new(Code::InvalidParameter).explained(takes.into())
        }),
        None => {
            let preferred = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
            Ok(preferred.map_or(Lang::En, Lang::from_accept_language))
        }
    }
}

/// A body within its limits. A coded one is refused: it would have to be undone before it could be measured. While it
/// is waited for, the call leaves its place to others: who sends slowly takes none.
pub(crate) async fn read_body(parts: &Parts, body: Body) -> Result<Bytes, ApiError> {
    let headers = &parts.headers;
    let is_coded = headers.get(header::CONTENT_ENCODING).is_some_and(|coding| coding != "identity");
    if is_coded {
        return Err(ApiError::new(Code::UnsupportedMediaType));
    }
    let too_large = || {
        let most = text("a body is at most {bytes} bytes", "um corpo tem no máximo {bytes} bytes");
        ApiError::new(Code::BodyTooLarge).explained(most.phrase(&[("bytes", BODY_BYTES.into())]))
    };
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > BODY_BYTES as u64) {
        return Err(too_large());
    }
    let whole = async {
        let mut body = body;
        let mut read = BytesMut::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| {
                let ended = text("body: it ended before its end", "body: terminou antes do fim");
                ApiError::new(Code::InvalidBody).explained(ended.into())
            })?;
            if let Ok(data) = frame.into_data() {
                if read.len() + data.len() > BODY_BYTES {
                    return Err(too_large());
                }
                read.extend_from_slice(&data);
            }
        }
        Ok(read.freeze())
    };
    let time = parts.extensions.get::<Peer>().map_or(Patience::default().body, |peer| peer.body_time);
    let place = parts.extensions.get::<Place>();
    if let Some(place) = place {
        place.leave();
    }
    let read = tokio::time::timeout(time, whole).await.unwrap_or_else(|_| Err(ApiError::new(Code::RequestTimeout)))?;
    place.map_or(Ok(()), Place::take)?;
    Ok(read)
}
