//! Connections on behalf of a browser are judged like fetches: the canary sees nobody.

use std::net::Ipv4Addr;

use fetch::{FetchConfig, Fetcher, NoTunnel};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::Instant;
use url::Url;

use crate::site::{Answer, NEVER, Site, config, html, pair};

async fn tunnel(config: FetchConfig, url: &str) -> Result<TcpStream, NoTunnel> {
    let fetcher = Fetcher::new(config).unwrap();
    fetcher.tunnel(&Url::parse(url).unwrap(), Instant::now() + NEVER).await
}

#[tokio::test]
async fn a_tunnel_leads_to_the_host_and_port_of_the_url() {
    let site = Site::allowed(|_| Answer::Bytes(html("content"))).await;
    let mut stream = tunnel(config(), &site.url("/a/path")).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.ends_with("content"), "{answer}");
}

#[tokio::test]
async fn denied_addresses_in_every_spelling_are_refused_without_a_connection() {
    let canary = Site::start(Ipv4Addr::LOCALHOST.into(), |_| Answer::Bytes(html("secret"))).await;
    let port = canary.address.port();
    for host in ["127.0.0.1", "2130706433", "0x7f000001", "127.1", "[::1]", "[::ffff:127.0.0.1]", "localhost"] {
        let url = format!("https://{host}:{port}/");
        assert_eq!(tunnel(config(), &url).await.err(), Some(NoTunnel::Refused), "{host}");
    }
    for url in ["http://10.0.0.1/", "http://169.254.169.254/", "https://user@127.0.0.2/", "ftp://127.0.0.2/"] {
        assert_eq!(tunnel(config(), url).await.err(), Some(NoTunnel::Refused), "{url}");
    }
    assert_eq!(canary.accepts(), 0);
}

#[tokio::test]
async fn a_name_with_one_denied_address_is_refused() {
    let (site, canary) = pair(|_| Answer::Bytes(html("content"))).await;
    let named = |addresses: &[&str]| FetchConfig {
        resolve: addresses.iter().map(|address| ("site.test".to_owned(), address.parse().unwrap())).collect(),
        ..config()
    };
    let url = format!("http://site.test:{}/", site.address.port());
    for addresses in [&["127.0.0.1"][..], &["127.0.0.2", "127.0.0.1"]] {
        assert_eq!(tunnel(named(addresses), &url).await.err(), Some(NoTunnel::Refused), "{addresses:?}");
    }
    assert_eq!((site.accepts(), canary.accepts()), (0, 0));
    assert!(tunnel(named(&["127.0.0.2"]), &url).await.is_ok());
}

#[tokio::test]
async fn a_port_outside_of_the_list_is_refused() {
    let site = Site::allowed(|_| Answer::Bytes(html("content"))).await;
    let ports = FetchConfig { allow_ports: vec![80, 443], ..config() };
    assert_eq!(tunnel(ports, &site.url("/")).await.err(), Some(NoTunnel::Refused));
    assert_eq!(site.accepts(), 0);
}
