//! POST requests to addresses that a caller chose, such as webhooks. Guarded like the first hop of a fetch; redirects are
//! not followed.

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::{Request, header};
use hyper_util::rt::TokioIo;
use model::capture::FailureKind;
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::client::Client;
use crate::dial::{AlpnOffer, Connection};
use crate::failure::{HopFailure, timeout, unreachable};
use crate::fetcher::Fetcher;
use crate::guard;
use crate::request::{authority, target};
use crate::response::{HEAD_BYTES, MOST_FIELDS};
use crate::tunnel;

/// A POST of JSON to an address that a caller chose.
#[derive(Debug)]
pub struct GuardedPost<'p> {
    /// An http or https URL. It may contain a key and appears in no error.
    pub url: &'p Url,
    /// The body, JSON.
    pub json: String,
    /// More header fields; what is no name or value of a header is a failure (`protocol`).
    pub fields: &'p [(&'static str, String)],
}

/// The head of the response to a POST. Its body is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PostAnswer {
    /// The status; that of a redirect, too.
    pub status: u16,
    /// The header `Retry-After` where it is a number of seconds (RFC 9110 §10.2.3).
    pub retry_after: Option<u32>,
}

/// Why a POST got no response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotPosted {
    /// The URL, its port or an address of its host may not be contacted, or its host has no address. One error for all,
    /// so that it discloses nothing about a private network.
    #[error("this address may not be contacted")]
    Refused,
    /// The host did not answer. The reason in a word: `connect`, `cert_expired`, `time`…
    #[error("the host gave no answer: {0}")]
    NoAnswer(&'static str),
}

impl Fetcher {
    /// Posts to an address that a caller chose, checked like the first hop of a fetch: the text of the URL, its port, every
    /// address of its name, and the address that the connection really has.
    pub async fn post_guarded(&self, post: GuardedPost<'_>, deadline: Instant) -> Result<PostAnswer, NotPosted> {
        let answered = timeout_at(deadline, exchange(&self.client, post)).await;
        answered.unwrap_or(Err(timeout("time"))).map_err(not_posted)
    }

    /// Whether an address may be posted to, as far as can be told without contacting it: its text, its port, and every
    /// address of its name.
    pub async fn may_post(&self, url: &Url, deadline: Instant) -> Result<(), NotPosted> {
        let judged = timeout_at(deadline, tunnel::sockets(&self.client, url)).await;
        judged.unwrap_or(Err(timeout("dns"))).map(drop).map_err(|_| NotPosted::Refused)
    }
}

fn not_posted(failure: HopFailure) -> NotPosted {
    match failure.kind {
        FailureKind::AddressNotAllowed | FailureKind::InvalidUrl => NotPosted::Refused,
        _ if failure.reason == "dns" => NotPosted::Refused,
        _ => NotPosted::NoAnswer(failure.reason),
    }
}

async fn exchange(client: &Client, post: GuardedPost<'_>) -> Result<PostAnswer, HopFailure> {
    let stream = tunnel::connect(client, post.url).await?;
    if post.url.scheme() == "http" {
        return send(stream, client, post).await;
    }
    let host = match guard::literal(post.url) {
        Some(address) => address.to_string(),
        None => post.url.host_str().unwrap_or_default().to_owned(),
    };
    let secure = client.tls.handshake(&host, stream, AlpnOffer::Http1, &client.limits).await?;
    send(secure.stream, client, post).await
}

/// One request on a connection that is closed with it.
#[expect(clippy::disallowed_methods, reason = "the connection is one that `dial` opened")]
async fn send(connection: impl Connection, client: &Client, post: GuardedPost<'_>) -> Result<PostAnswer, HopFailure> {
    let broken = || unreachable("protocol");
    let mut request = Request::post(target(post.url))
        .header(header::HOST, authority(post.url))
        .header(header::USER_AGENT, client.user_agent.as_str())
        .header(header::ACCEPT, "*/*")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::CONNECTION, "close");
    for (name, value) in post.fields {
        request = request.header(*name, value);
    }
    let request = request.body(Full::new(Bytes::from(post.json))).map_err(|_| broken())?;
    let mut builder = http1::Builder::new();
    builder.max_headers(MOST_FIELDS).max_buf_size(HEAD_BYTES);
    let (mut sender, driver) = builder.handshake(TokioIo::new(connection)).await.map_err(|_| broken())?;
    let asking = async {
        let response = sender.send_request(request).await.map_err(|_| broken())?;
        let retry_after = response.headers().get(header::RETRY_AFTER);
        let retry_after = retry_after.and_then(|value| value.to_str().ok()?.trim().parse().ok());
        Ok(PostAnswer { status: response.status().as_u16(), retry_after })
    };
    tokio::pin!(asking);
    tokio::select! {
        answer = &mut asking => answer,
        // The connection has ended; its last bytes are still to be read.
        _ = driver => asking.await,
    }
}
