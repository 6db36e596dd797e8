//! Requests to services that the operator configures. Their addresses are not checked: no caller, page or redirect
//! chooses them, and no redirect is followed.

use std::net::SocketAddr;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::{Method, Request, header};
use hyper_util::rt::TokioIo;
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::client::Client;
use crate::dial::{self, AlpnOffer, Connection};
use crate::failure::{HopFailure, unreachable};
use crate::fetcher::Fetcher;
use crate::guard;
use crate::request::{authority, target};
use crate::response::{HEAD_BYTES, MOST_FIELDS};

/// Size limit of an answer in bytes; a longer one is a failure.
const ANSWER_BYTES: usize = 256 * 1024;

/// A request to a service.
#[derive(Debug)]
pub struct ServiceQuestion<'q> {
    /// An http or https URL. It may contain a key and appears in no error.
    pub url: &'q Url,
    /// What to post; `None` to get.
    pub body: Option<ServiceBody>,
    /// The header `Authorization`.
    pub authorization: Option<&'q str>,
    /// Size limit of the answer in bytes; a longer one is a failure.
    pub answer_bytes: usize,
}

/// What is posted to a service.
#[derive(Debug)]
pub enum ServiceBody {
    /// JSON.
    Json(String),
    /// Fields of a form, encoded (`application/x-www-form-urlencoded`).
    Form(String),
}

impl ServiceBody {
    /// Its media type and content.
    fn into_parts(self) -> (&'static str, String) {
        match self {
            Self::Json(json) => ("application/json", json),
            Self::Form(fields) => ("application/x-www-form-urlencoded", fields),
        }
    }
}

/// A response of a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceAnswer {
    /// The status.
    pub status: u16,
    /// The header `Retry-After` where it is a number of seconds (RFC 9110 §10.2.3).
    pub retry_after: Option<u32>,
    /// The whole body.
    pub body: Vec<u8>,
}

/// Why a service gave no answer, in a word: `dns`, `connect`, `cert_expired`, `time`…
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the service gave no answer: {0}")]
pub struct NoAnswer(pub &'static str);

impl Fetcher {
    /// Posts JSON to a service over http or https and reads its whole answer. The URL may contain a key and appears in
    /// no error.
    pub async fn post_to_service(&self, url: &Url, json: String, deadline: Instant) -> Result<ServiceAnswer, NoAnswer> {
        let question = ServiceQuestion {
            url,
            body: Some(ServiceBody::Json(json)),
            authorization: None,
            answer_bytes: ANSWER_BYTES,
        };
        self.ask_service(question, deadline).await
    }

    /// Sends a request to a service and reads its whole answer, whatever its status.
    pub async fn ask_service(
        &self,
        question: ServiceQuestion<'_>,
        deadline: Instant,
    ) -> Result<ServiceAnswer, NoAnswer> {
        let answer = timeout_at(deadline, ask(&self.client, question)).await;
        answer.map_err(|_| NoAnswer("time"))?.map_err(|failure| NoAnswer(failure.reason))
    }
}

async fn ask(client: &Client, question: ServiceQuestion<'_>) -> Result<ServiceAnswer, HopFailure> {
    let url = question.url;
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or_default();
    let addresses = match guard::literal(url) {
        Some(address) => vec![address],
        None => client.resolver.addresses(host).await?,
    };
    let sockets: Vec<SocketAddr> = addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect();
    let stream = dial::connect(&sockets, &client.limits, |_| true).await?;
    if url.scheme() == "http" {
        return exchange(stream, client, question).await;
    }
    let secure = client.tls.handshake(host, stream, AlpnOffer::Http1, &client.limits).await?;
    exchange(secure.stream, client, question).await
}

/// One request on a connection that is closed with it.
#[expect(clippy::disallowed_methods, reason = "the connection is one that `dial` opened")]
async fn exchange(
    connection: impl Connection,
    client: &Client,
    question: ServiceQuestion<'_>,
) -> Result<ServiceAnswer, HopFailure> {
    let broken = || unreachable("protocol");
    let ServiceQuestion { url, body, authorization, answer_bytes } = question;
    let body = body.map(ServiceBody::into_parts);
    let mut request = Request::builder()
        .method(if body.is_some() { Method::POST } else { Method::GET })
        .uri(target(url))
        .header(header::HOST, authority(url))
        .header(header::USER_AGENT, client.user_agent.as_str())
        .header(header::ACCEPT, "application/json")
        .header(header::CONNECTION, "close");
    if let Some((media_type, _)) = &body {
        request = request.header(header::CONTENT_TYPE, *media_type);
    }
    if let Some(authorization) = authorization {
        request = request.header(header::AUTHORIZATION, authorization);
    }
    let content = body.map(|(_, content)| Bytes::from(content)).unwrap_or_default();
    let request = request.body(Full::new(content)).map_err(|_| broken())?;
    let mut builder = http1::Builder::new();
    builder.max_headers(MOST_FIELDS).max_buf_size(HEAD_BYTES);
    let (mut sender, driver) = builder.handshake(TokioIo::new(connection)).await.map_err(|_| broken())?;
    let asking = async {
        let response = sender.send_request(request).await.map_err(|_| broken())?;
        let status = response.status().as_u16();
        let retry_after = response.headers().get(header::RETRY_AFTER);
        let retry_after = retry_after.and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let body = Limited::new(response.into_body(), answer_bytes).collect().await.map_err(|_| broken())?;
        Ok(ServiceAnswer { status, retry_after, body: body.to_bytes().to_vec() })
    };
    tokio::pin!(asking);
    tokio::select! {
        answer = &mut asking => answer,
        // The connection has ended; its last bytes are still to be read.
        _ = driver => asking.await,
    }
}
