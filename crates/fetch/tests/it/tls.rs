//! TLS: a failure is final, and says why.

use std::sync::Arc;

use model::capture::Fetched;
use rcgen::{CertificateParams, CertifiedIssuer, KeyPair};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::site::{Answer, Site, config, get, get_with, html, reason};

/// A https server with a certificate for `name`; answers its port and the issuer as PEM.
async fn server(name: &str, years: (i32, i32)) -> (u16, String) {
    let mut issuer = CertificateParams::new(Vec::new()).unwrap();
    issuer.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(issuer, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let mut leaf = CertificateParams::new(vec![name.to_owned()]).unwrap();
    leaf.not_before = rcgen::date_time_ymd(years.0, 1, 1);
    leaf.not_after = rcgen::date_time_ymd(years.1, 1, 1);
    let leaf = leaf.signed_by(&key, &issuer).unwrap();
    let provider = Arc::new(tokio_rustls::rustls::crypto::aws_lc_rs::default_provider());
    let tls = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![leaf.der().clone()], PrivateKeyDer::Pkcs8(key.serialize_der().into()))
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(tls));
    let listener = TcpListener::bind("127.0.0.2:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                if let Ok(mut stream) = acceptor.accept(stream).await {
                    let mut request = [0; 4_096];
                    let _read = stream.read(&mut request).await;
                    let _sent = stream.write_all(&html("<p>secure")).await;
                    let _closed = stream.shutdown().await;
                }
            });
        }
    });
    (port, issuer.pem())
}

/// Fetches from `host` with the issuer trusted or not.
async fn fetched(host: &str, port: u16, issuer: Option<&str>) -> Fetched {
    let mut config = config();
    config.resolve = vec![(host.to_owned(), "127.0.0.2".parse().unwrap())];
    let folder = std::env::temp_dir().join(format!("site-audit-tls-{port}"));
    if let Some(pem) = issuer {
        std::fs::write(&folder, pem).unwrap();
        config.ca_file = Some(folder.clone());
    }
    let fetched = get_with(config, &format!("https://{host}:{port}/")).await;
    if issuer.is_some() {
        std::fs::remove_file(folder).unwrap();
    }
    fetched
}

#[tokio::test]
async fn a_trusted_certificate_is_accepted_and_known() {
    let (port, issuer) = server("site.test", (2020, 2099)).await;
    let fetched = fetched("site.test", port, Some(&issuer)).await;
    let exchange = fetched.response().unwrap();
    assert_eq!(exchange.body.bytes, b"<p>secure");
    assert_eq!(exchange.certificate.as_ref().unwrap().not_after.to_string(), "2099-01-01T00:00:00.000Z");
    assert!(exchange.timing.tls_ms.is_some());
}

#[tokio::test]
async fn s01_s02_certificates_that_do_not_hold_are_told_apart() {
    let (port, issuer) = server("site.test", (2020, 2021)).await;
    assert_eq!(reason(&fetched("site.test", port, Some(&issuer)).await), "cert_expired");
    let (port, issuer) = server("site.test", (2098, 2099)).await;
    assert_eq!(reason(&fetched("site.test", port, Some(&issuer)).await), "cert_not_yet_valid");
    let (port, issuer) = server("other.test", (2020, 2099)).await;
    assert_eq!(reason(&fetched("site.test", port, Some(&issuer)).await), "cert_name_mismatch");
    let (port, _) = server("site.test", (2020, 2099)).await;
    assert_eq!(reason(&fetched("site.test", port, None).await), "cert_untrusted");
}

#[tokio::test]
async fn s04_s05_a_stalled_handshake_and_plain_http_are_told() {
    let silent = Site::allowed(|_| Answer::Stall(Vec::new())).await;
    assert_eq!(reason(&get(&format!("https://{}/", silent.address)).await), "tls");
    let plain = Site::allowed(|_| Answer::Bytes(html("plain"))).await;
    assert_eq!(reason(&get(&format!("https://{}/", plain.address)).await), "tls_handshake");
}
