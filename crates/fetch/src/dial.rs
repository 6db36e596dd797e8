//! Connections to the addresses that were checked, and TLS for the requested name.

use std::net::SocketAddr;
use std::sync::Arc;

use model::capture::{Certificate, FailureKind};
use model::time::Timestamp;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{CertificateError, ClientConfig, PeerIncompatible, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::config::{FetchConfig, FetchTimeouts, SetupError};
use crate::failure::{HopFailure, of_system, timeout, unreachable};

/// Addresses of one name that are tried at most.
const TRIED: usize = 4;

/// Supported versions of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HttpVersion {
    /// RFC 9112.
    Http1,
    /// RFC 9113, over TLS only.
    Http2,
}

impl HttpVersion {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Http1 => "HTTP/1.1",
            Self::Http2 => "HTTP/2",
        }
    }
}

/// Names of the versions in ALPN (RFC 7301), best first.
const OFFERED: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// The versions offered in ALPN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AlpnOffer {
    /// Both versions.
    Both,
    /// HTTP/1.1 alone.
    Http1,
}

/// A connection over TLS.
pub(crate) struct Secure<C> {
    pub(crate) stream: C,
    /// The version that the server chose; HTTP/1.1 when it chose none.
    pub(crate) version: HttpVersion,
    /// Facts of the leaf certificate, if it could be parsed.
    pub(crate) certificate: Option<Certificate>,
}

/// A connection, plain or over TLS.
pub(crate) trait Connection: AsyncRead + AsyncWrite + Send + Unpin {}
impl<C: AsyncRead + AsyncWrite + Send + Unpin> Connection for C {}

/// Connects to the first address that answers. `allowed` checks the address of the peer again.
#[expect(clippy::disallowed_methods, reason = "the one place that connects, to addresses that were judged")]
pub(crate) async fn connect(
    addresses: &[SocketAddr],
    limits: &FetchTimeouts,
    allowed: impl Fn(SocketAddr) -> bool,
) -> Result<TcpStream, HopFailure> {
    let all = async {
        let mut last = unreachable("connect");
        for address in addresses.iter().take(TRIED) {
            match tokio::time::timeout(limits.connect, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => {
                    let peer = stream.peer_addr().map_err(|_| unreachable("connect"))?;
                    if !allowed(peer) {
                        return Err(HopFailure { kind: FailureKind::AddressNotAllowed, reason: "address" });
                    }
                    stream.set_nodelay(true).map_err(|_| unreachable("connect"))?;
                    return Ok(stream);
                }
                Ok(Err(error)) => last = of_system(&error, unreachable("connect")),
                Err(_) => last = timeout("connect"),
            }
        }
        Err(last)
    };
    tokio::time::timeout(limits.connect_all, all).await.unwrap_or(Err(timeout("connect")))
}

/// TLS for outbound connections. A failure is final: there is no retry without verification.
#[derive(Debug)]
pub(crate) struct Tls {
    both: Arc<ClientConfig>,
    http1: Arc<ClientConfig>,
}

impl Tls {
    pub(crate) fn new(config: &FetchConfig) -> Result<Self, SetupError> {
        let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        if let Some(path) = &config.ca_file {
            let problem = |source: std::io::Error| SetupError::TrustAnchors { path: path.clone(), source };
            let pem = std::fs::read(path).map_err(problem)?;
            for anchor in CertificateDer::pem_slice_iter(&pem) {
                let anchor = anchor.map_err(|error| problem(std::io::Error::other(error.to_string())))?;
                roots.add(anchor).map_err(SetupError::Tls)?;
            }
        }
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let mut tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(SetupError::Tls)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        tls.alpn_protocols = OFFERED.map(<[u8]>::to_vec).to_vec();
        // Every fetch is measured with a full handshake.
        tls.resumption = rustls::client::Resumption::disabled();
        let mut http1 = tls.clone();
        http1.alpn_protocols.retain(|name| name != b"h2");
        Ok(Self { both: Arc::new(tls), http1: Arc::new(http1) })
    }

    /// Performs the handshake.
    pub(crate) async fn handshake(
        &self,
        host: &str,
        stream: TcpStream,
        offer: AlpnOffer,
        limits: &FetchTimeouts,
    ) -> Result<Secure<impl Connection + use<>>, HopFailure> {
        let host = host.strip_suffix('.').unwrap_or(host).trim_start_matches('[').trim_end_matches(']');
        let name = ServerName::try_from(host.to_owned()).map_err(|_| unreachable("cert_name_mismatch"))?;
        let config = if offer == AlpnOffer::Both { &self.both } else { &self.http1 };
        let connector = TlsConnector::from(Arc::clone(config));
        let done = tokio::time::timeout(limits.tls, connector.connect(name, stream)).await;
        let stream = done.map_err(|_| timeout("tls"))?.map_err(|error| unreachable(reason(&error)))?;
        let session = stream.get_ref().1;
        let certificate = session.peer_certificates().and_then(|chain| chain.first()).and_then(certificate);
        let version = if session.alpn_protocol() == Some(b"h2") { HttpVersion::Http2 } else { HttpVersion::Http1 };
        Ok(Secure { stream, version, certificate })
    }
}

/// The reason for a failed handshake.
fn reason(error: &std::io::Error) -> &'static str {
    let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match tls {
        Some(rustls::Error::InvalidCertificate(problem)) => match problem {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => "cert_expired",
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => "cert_not_yet_valid",
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => "cert_name_mismatch",
            _ => "cert_untrusted",
        },
        Some(
            rustls::Error::PeerIncompatible(
                PeerIncompatible::ServerDoesNotSupportTls12Or13
                | PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig,
            )
            | rustls::Error::AlertReceived(rustls::AlertDescription::ProtocolVersion),
        ) => "tls_version",
        _ => "tls_handshake",
    }
}

fn certificate(der: &CertificateDer<'_>) -> Option<Certificate> {
    let (_, parsed) = x509_parser::parse_x509_certificate(der).ok()?;
    let issuer = parsed.issuer();
    let name = issuer.iter_common_name().chain(issuer.iter_organization()).find_map(|part| part.as_str().ok());
    let instant = |time: x509_parser::time::ASN1Time| Timestamp(time.timestamp().saturating_mul(1_000));
    Some(Certificate {
        not_before: Some(instant(parsed.validity().not_before)),
        not_after: instant(parsed.validity().not_after),
        issuer: name.unwrap_or_default().to_owned(),
    })
}
