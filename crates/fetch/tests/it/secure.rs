//! Servers over TLS, with certificates of their own issuer.

use std::future::Future;
use std::sync::Arc;

use fetch::{FetchConfig, Fetcher};
use model::capture::Fetched;
use rcgen::{CertificateParams, CertifiedIssuer, CustomExtension, KeyPair};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

use crate::site::{config, get_with, page};

/// The name of every server here.
pub(crate) const HOST: &str = "site.test";

/// A certificate chain, its key, and who vouches for it.
pub(crate) struct Identity {
    chain: Vec<CertificateDer<'static>>,
    key: KeyPair,
    issuer: String,
}

impl Identity {
    pub(crate) fn new(name: &str, years: (i32, i32)) -> Self {
        let mut issuer = CertificateParams::new(Vec::new()).unwrap();
        issuer.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(issuer, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let mut leaf = CertificateParams::new(vec![name.to_owned()]).unwrap();
        leaf.not_before = rcgen::date_time_ymd(years.0, 1, 1);
        leaf.not_after = rcgen::date_time_ymd(years.1, 1, 1);
        let leaf = leaf.signed_by(&key, &issuer).unwrap();
        Self { chain: vec![leaf.der().clone()], key, issuer: issuer.pem() }
    }

    pub(crate) fn valid() -> Self {
        Self::new(HOST, (2020, 2099))
    }

    /// Adds a certificate of about this size to the chain, which nobody needs.
    pub(crate) fn and_ballast(mut self, size: usize) -> Self {
        let mut ballast = CertificateParams::new(vec!["ballast.test".to_owned()]).unwrap();
        ballast.custom_extensions = vec![CustomExtension::from_oid_content(&[1, 3, 6, 1, 4, 1, 99_999], vec![7; size])];
        self.chain.push(ballast.self_signed(&KeyPair::generate().unwrap()).unwrap().der().clone());
        self
    }
}

/// A server on 127.0.0.2.
pub(crate) struct Secure {
    pub(crate) port: u16,
    pub(crate) issuer: String,
    accepts: watch::Sender<usize>,
    open: watch::Sender<usize>,
}

impl Secure {
    /// Serves each connection, after the handshake, as `serve` does; speaks the protocols named.
    pub(crate) async fn start<F>(
        identity: Identity,
        alpn: &[&[u8]],
        serve: impl Fn(TlsStream<TcpStream>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = ()> + Send,
    {
        let provider = Arc::new(tokio_rustls::rustls::crypto::aws_lc_rs::default_provider());
        let mut tls = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(identity.chain, PrivateKeyDer::Pkcs8(identity.key.serialize_der().into()))
            .unwrap();
        tls.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
        let acceptor = TlsAcceptor::from(Arc::new(tls));
        let listener = TcpListener::bind("127.0.0.2:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (accepts, open) = (watch::Sender::new(0), watch::Sender::new(0));
        let (counter, opened, serve) = (accepts.clone(), open.clone(), Arc::new(serve));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counter.send_modify(|count| *count += 1);
                opened.send_modify(|count| *count += 1);
                let (acceptor, serve, opened) = (acceptor.clone(), Arc::clone(&serve), opened.clone());
                tokio::spawn(async move {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        serve(stream).await;
                    }
                    opened.send_modify(|count| *count -= 1);
                });
            }
        });
        Self { port, issuer: identity.issuer, accepts, open }
    }

    pub(crate) fn accepts(&self) -> usize {
        *self.accepts.borrow()
    }

    /// Waits until the client has left every connection.
    pub(crate) async fn nobody_left(&self) {
        self.open.subscribe().wait_for(|open| *open == 0).await.unwrap();
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("https://{HOST}:{}{path}", self.port)
    }

    /// The client, trusting this server's issuer and knowing its address.
    pub(crate) fn fetcher(&self, config: FetchConfig) -> Fetcher {
        let file = std::env::temp_dir().join(format!("site-audit-issuer-{}-{}", std::process::id(), self.port));
        std::fs::write(&file, &self.issuer).unwrap();
        let resolve = vec![(HOST.to_owned(), "127.0.0.2".parse().unwrap())];
        let fetcher = Fetcher::new(FetchConfig { resolve, ca_file: Some(file.clone()), ..config }).unwrap();
        std::fs::remove_file(file).unwrap();
        fetcher
    }

    pub(crate) async fn get(&self, path: &str) -> Fetched {
        page(&self.fetcher(config()), &self.url(path)).await
    }

    /// The front page, with other limits.
    pub(crate) async fn get_within(&self, config: FetchConfig) -> Fetched {
        page(&self.fetcher(config), &self.url("/")).await
    }

    /// The same without trust in the issuer.
    pub(crate) async fn get_untrusting(&self) -> Fetched {
        let resolve = vec![(HOST.to_owned(), "127.0.0.2".parse().unwrap())];
        get_with(FetchConfig { resolve, ..config() }, &self.url("/")).await
    }
}
