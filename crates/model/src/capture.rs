//! What the network answered: the whole input of an audit, as received and unjudged.

mod body_bytes;
mod bytes_as_text;

use serde::{Deserialize, Serialize};

pub use body_bytes::BodyBytes;

use crate::field_data::FieldData;
use crate::time::Timestamp;

/// Everything an audit may look at. A capture replayed gives the same report, byte for byte.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Capture {
    /// The URL that was asked for, parsed and serialised.
    pub requested_url: String,
    /// The only "now" that a check may use.
    pub started_at: Timestamp,
    /// 32 hex digits: the random path of the not-found probe.
    pub nonce: String,
    /// How the page bytes came to be here.
    pub source: Source,
    /// The page itself.
    pub page: Fetched,
    /// robots.txt, sitemaps and probes, in the order they were asked for.
    pub extras: Vec<Extra>,
    /// What real visitors measured; `None` where nobody was asked, or nothing is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field_data: Option<FieldData>,
}

/// Where a capture's page came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Fetched from the network: headers and timing were measured.
    Network,
    /// Supplied by the caller: headers, timing and other files are unknown.
    Supplied,
    /// Supplied by the caller with its response headers: timing and other files are unknown, but for those supplied too.
    SuppliedWithHeaders,
}

impl Source {
    /// Whether the response headers are those of a server.
    pub fn has_headers(self) -> bool {
        self != Self::Supplied
    }

    /// Whether more files of the site could be asked for.
    pub fn has_network(self) -> bool {
        self == Self::Network
    }
}

/// One more file that was asked for, and what came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Extra {
    /// What was wanted.
    pub want: Want,
    /// What came.
    pub fetched: Fetched,
}

/// The outcome of one request, with all its redirects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fetched {
    /// A complete response head arrived.
    Response(Exchange),
    /// None did.
    Failed(FetchFailure),
}

impl Fetched {
    /// The response, if a head arrived.
    pub fn response(&self) -> Option<&Exchange> {
        match self {
            Self::Response(exchange) => Some(exchange),
            Self::Failed(_) => None,
        }
    }
}

/// One file to fetch beside the page. Pure data: `audit::wanted` says it, the engine fetches it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Want {
    /// What it is for.
    pub kind: WantKind,
    /// Absolute http(s) URL.
    pub url: String,
}

/// What an additional request is for. Decides its `Accept`, its cap, whether redirects are followed, and its budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WantKind {
    /// `/robots.txt`: 500 KiB, at most 5 redirects, outside the probe budget.
    RobotsTxt,
    /// A sitemap file: 10 MiB decoded, outside the probe budget.
    Sitemap,
    /// Random missing path.
    NotFound,
    /// The fixed missing path below `/.well-known/`.
    NotFoundWellKnown,
    /// `llms.txt` or the declared guide.
    Llms,
    /// `/.well-known/security.txt`.
    SecurityTxt,
    /// `/security.txt`, only after the former was absent.
    SecurityTxtLegacy,
    /// `/.well-known/api-catalog`.
    ApiCatalog,
    /// The declared icon, else `/favicon.ico`.
    Favicon,
    /// `/.well-known/change-password`; redirects are recorded, not followed.
    ChangePassword,
    /// `/.well-known/assetlinks.json`; no redirects followed.
    AssetLinks,
    /// `/.well-known/apple-app-site-association`; no redirects followed.
    AppleApp,
    /// `/.well-known/oauth-protected-resource`.
    OauthResource,
    /// `/.well-known/oauth-authorization-server`.
    OauthServer,
    /// `/.well-known/openid-configuration`.
    OpenidConfig,
    /// `/.well-known/agent-card.json`.
    AgentCard,
    /// `/.well-known/agent.json`, only after the former was absent.
    AgentCardLegacy,
    /// `/.well-known/webauthn`.
    Webauthn,
    /// The canonical target, when same-origin and another URL.
    CanonicalTarget,
    /// The page's social image, when same-origin.
    OgImage,
    /// A same-origin language alternate (at most two).
    HreflangTarget,
    /// The largest content image without dimensions, when same-origin.
    LargestImage,
    /// The page's address over http, when it was asked for over https; a redirect is the answer.
    PlainHttp,
}

/// How a request for a [`WantKind`] is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WantRules {
    /// `Accept` header.
    pub accept: &'static str,
    /// Most decoded body bytes read.
    pub max_bytes: usize,
    /// Most redirects followed; 0 means that a redirect is the answer.
    pub max_redirects: u8,
    /// Whether the start of the file is enough: no more than `max_bytes` are asked for (RFC 9110 §14.2).
    pub start_only: bool,
    /// Whether each hop is one of the 15 probe GETs.
    pub probe: bool,
}

/// Size limit of a page in bytes, as received and decoded. Google Search too reads the first 2 MB of a page.
pub const PAGE_BYTES: usize = 2_097_152;
/// Bytes read of a text probe.
pub const PROBE_BYTES: usize = 64 * 1024;
/// Bytes read of robots.txt (RFC 9309 §2.5 asks for at least 500 KiB). One more is read, to see that there was more.
pub const ROBOTS_BYTES: usize = 500 * 1024;
/// Decoded bytes read of one sitemap file.
pub const SITEMAP_BYTES: usize = 10 * 1024 * 1024;

impl WantKind {
    /// Its name in captures and reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::RobotsTxt => "robots_txt",
            Self::Sitemap => "sitemap",
            Self::NotFound => "not_found",
            Self::NotFoundWellKnown => "not_found_well_known",
            Self::Llms => "llms",
            Self::SecurityTxt => "security_txt",
            Self::SecurityTxtLegacy => "security_txt_legacy",
            Self::ApiCatalog => "api_catalog",
            Self::Favicon => "favicon",
            Self::ChangePassword => "change_password",
            Self::AssetLinks => "asset_links",
            Self::AppleApp => "apple_app",
            Self::OauthResource => "oauth_resource",
            Self::OauthServer => "oauth_server",
            Self::OpenidConfig => "openid_config",
            Self::AgentCard => "agent_card",
            Self::AgentCardLegacy => "agent_card_legacy",
            Self::Webauthn => "webauthn",
            Self::CanonicalTarget => "canonical_target",
            Self::OgImage => "og_image",
            Self::HreflangTarget => "hreflang_target",
            Self::LargestImage => "largest_image",
            Self::PlainHttp => "plain_http",
        }
    }

    /// How to ask for it.
    pub fn rules(self) -> WantRules {
        const JSON: &str = "application/json, */*;q=0.1";
        let (accept, max_bytes, max_redirects) = match self {
            Self::RobotsTxt => ("text/plain, */*;q=0.1", ROBOTS_BYTES + 1, 5),
            Self::Sitemap => ("application/xml, text/xml, text/plain;q=0.9, */*;q=0.1", SITEMAP_BYTES, 5),
            Self::NotFound | Self::NotFoundWellKnown => ("text/html,*/*;q=0.8", PROBE_BYTES, 5),
            Self::Llms => ("text/markdown, text/plain;q=0.9, */*;q=0.1", PROBE_BYTES, 5),
            Self::SecurityTxt | Self::SecurityTxtLegacy => ("text/plain", PROBE_BYTES, 5),
            Self::ApiCatalog => ("application/linkset+json, application/json;q=0.5", PROBE_BYTES, 5),
            Self::Favicon | Self::OgImage | Self::LargestImage => ("image/*, */*;q=0.1", PROBE_BYTES, 5),
            Self::ChangePassword => ("text/html,*/*;q=0.8", PROBE_BYTES, 0),
            Self::AssetLinks | Self::AppleApp => (JSON, PROBE_BYTES, 0),
            Self::OauthResource | Self::OauthServer | Self::OpenidConfig => (JSON, PROBE_BYTES, 5),
            Self::AgentCard | Self::AgentCardLegacy | Self::Webauthn => (JSON, PROBE_BYTES, 5),
            Self::CanonicalTarget | Self::HreflangTarget => ("text/html,*/*;q=0.8", PROBE_BYTES, 5),
            Self::PlainHttp => ("text/html,*/*;q=0.8", PROBE_BYTES, 0),
        };
        WantRules {
            accept,
            max_bytes,
            max_redirects,
            start_only: matches!(self, Self::OgImage | Self::LargestImage),
            probe: !matches!(self, Self::RobotsTxt | Self::Sitemap),
        }
    }
}

/// A final response and how it was reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// Redirects that were followed, in order; empty when the first answer was final.
    pub hops: Vec<Hop>,
    /// URL of this response.
    pub url: String,
    /// 100 to 999.
    pub status: u16,
    /// In order of arrival, names in lower case, values with bytes above 0x7F replaced where not UTF-8.
    pub headers: Vec<(String, String)>,
    /// The body, decoded.
    pub body: Body,
    /// Durations and sizes of the final hop.
    pub timing: Timing,
    /// Both `Content-Length` and `Transfer-Encoding` came (RFC 9112 §6.1).
    pub ambiguous_length: bool,
    /// The certificate, over TLS.
    pub certificate: Option<Certificate>,
}

impl Exchange {
    /// The first header of that (lower-case) name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Every header of that (lower-case) name, in order.
    pub fn headers_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Whether the status is 200 to 299.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// One redirect that was followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hop {
    /// The URL that redirected.
    pub url: String,
    /// 301, 302, 303, 307 or 308.
    pub status: u16,
    /// The raw `Location`.
    pub location: String,
}

/// A response body after content decoding.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Body {
    /// Decoded bytes, at most the cap of the request.
    pub bytes: BodyBytes,
    /// Why the body ends before its end; `None` when it is whole.
    pub cut: Option<BodyCut>,
    /// How `Content-Encoding` was decoded.
    pub coding: Coding,
}

/// Why a body was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BodyCut {
    /// The cap on wire or decoded bytes, or the decompression ratio.
    Size,
    /// Idle, too slow, or the whole fetch took too long.
    Time,
    /// The connection ended before the announced length.
    Connection,
}

/// Outcome of decoding the content codings of a response.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Coding {
    /// None declared.
    #[default]
    Identity,
    /// Decoded; the `Content-Encoding` value.
    Decoded(String),
    /// Declared, but the bytes are not that: the body is empty.
    Broken(String),
    /// A coding we do not read: the body is empty.
    Unknown(String),
}

/// Durations in milliseconds, sizes in bytes. `None` where a phase did not happen.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Timing {
    /// Name resolution.
    pub dns_ms: Option<u32>,
    /// TCP connect.
    pub connect_ms: Option<u32>,
    /// TLS handshake.
    pub tls_ms: Option<u32>,
    /// Request sent to first byte.
    pub ttfb_ms: Option<u32>,
    /// First byte to last.
    pub download_ms: Option<u32>,
    /// From the first request of the chain to the last byte.
    pub total_ms: u32,
    /// Body bytes on the wire.
    pub bytes: u64,
    /// `HTTP/1.1` or `HTTP/2`.
    pub http_version: String,
}

/// What a check may know of the leaf certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    /// Start of validity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<Timestamp>,
    /// End of validity.
    pub not_after: Timestamp,
    /// Issuer's common name or organization.
    pub issuer: String,
}

/// Why no response head arrived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchFailure {
    /// The kind, which decides the answer.
    pub kind: FailureKind,
    /// Word for what went wrong: `dns`, `connect`, `cert_expired`, `redirect_loop`…
    pub reason: String,
    /// Redirects before it, in order.
    pub hops: Vec<Hop>,
    /// URL that failed. Never an address it resolved to.
    pub url: String,
}

/// The kinds of [`FetchFailure`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// We do not go there (first hop): address, special name.
    AddressNotAllowed,
    /// We do not go where a redirect leads.
    RedirectNotAllowed,
    /// No usable response.
    Unreachable,
    /// Time ran out before a whole head.
    Timeout,
    /// A ceiling of ours was full.
    TargetBusy,
    /// This machine ran out of what a connection takes (file descriptors); it says nothing of the target.
    OwnLimit,
    /// The URL text itself is unusable.
    InvalidUrl,
}
