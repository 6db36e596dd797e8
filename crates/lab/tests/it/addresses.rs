//! A page reaches no address that the guard refuses, by whatever means a browser has: canaries see nobody.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lab::failure::Failure;
use lab::reading::measured;
use model::lab::Strategy;
use model::lang::Lang;
use testkit::{SiteAnswer, TestSite};
use tokio::net::{TcpListener, UdpSocket};
use url::Url;

use crate::run::{patient, runner, turn};

/// Counts connections and packets to loopback, over TCP and UDP on one port.
struct Canary {
    port: u16,
    seen: Arc<AtomicUsize>,
    tasks: tokio::task::JoinSet<()>,
}

impl Canary {
    async fn listen() -> Self {
        let seen = Arc::new(AtomicUsize::new(0));
        let mut tasks = tokio::task::JoinSet::new();
        let (listener, socket) = loop {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
            if let Ok(socket) = UdpSocket::bind(listener.local_addr().unwrap()).await {
                break (listener, socket);
            }
        };
        let port = listener.local_addr().unwrap().port();
        // A machine without IPv6 has no loopback of it.
        let sixth = TcpListener::bind(SocketAddr::from((Ipv6Addr::LOCALHOST, port))).await.ok();
        for listener in [Some(listener), sixth].into_iter().flatten() {
            let seen = Arc::clone(&seen);
            tasks.spawn(async move {
                while listener.accept().await.is_ok() {
                    seen.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        let counter = Arc::clone(&seen);
        tasks.spawn(async move {
            while socket.recv_from(&mut [0; 2_048]).await.is_ok() {
                counter.fetch_add(1, Ordering::SeqCst);
            }
        });
        Self { port, seen, tasks }
    }

    fn seen(mut self) -> usize {
        self.tasks.abort_all();
        self.seen.load(Ordering::SeqCst)
    }
}

/// Spellings of addresses that are refused.
fn refused(port: u16) -> Vec<String> {
    let loopback = ["127.0.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::1]", "[::ffff:127.0.0.1]"];
    let names = ["localhost", "inside.test", "any.localhost"];
    let others = ["10.0.0.1", "169.254.169.254", "192.168.0.1"];
    let hosts = loopback.iter().chain(&names).chain(&others);
    hosts.map(|host| format!("{host}:{port}")).chain(others.map(str::to_owned)).collect()
}

/// A page that tries every way out to each of them, and then asks its own server for `/done`.
fn page(hosts: &[String], port: u16) -> String {
    let hosts = serde_json::to_string(hosts).unwrap();
    format!(
        r#"<!DOCTYPE html><html lang="en"><head><title>Ways out</title>
<link rel="dns-prefetch" href="//inside.test"><link rel="preconnect" href="http://127.0.0.1:{port}">
<link rel="stylesheet" href="http://127.0.0.1:{port}/style.css"><link rel="prefetch" href="http://127.0.0.1:{port}/next">
</head><body><h1>Ways out</h1><script>
const quietly = work => {{ try {{ return Promise.resolve(work()).catch(() => {{}}); }} catch {{ return null; }} }};
const hosts = {hosts};
const tries = hosts.flatMap(host => [
  quietly(() => fetch(`http://${{host}}/fetch`, {{mode: 'no-cors'}})),
  quietly(() => fetch(`https://${{host}}/fetch`, {{mode: 'no-cors'}})),
  quietly(() => fetch(`/redirect?http://${{host}}/redirected`, {{mode: 'no-cors'}})),
  quietly(() => navigator.sendBeacon(`http://${{host}}/beacon`, 'a')),
  quietly(() => {{ new Image().src = `http://${{host}}/image`; }}),
  quietly(() => {{ const frame = document.createElement('iframe'); frame.src = `http://${{host}}/frame`; document.body.append(frame); }}),
  quietly(() => new Promise(done => {{ const socket = new WebSocket(`ws://${{host}}/socket`); socket.onerror = done; socket.onopen = done; }})),
  quietly(() => new Promise(done => {{ const events = new EventSource(`http://${{host}}/events`); events.onerror = () => {{ events.close(); done(); }}; }})),
]);
tries.push(quietly(() => {{ const transport = new WebTransport('https://127.0.0.1:{port}/'); return transport.ready; }}));
tries.push(quietly(async () => {{
  const connection = new RTCPeerConnection({{iceServers: [
    {{urls: 'stun:127.0.0.1:{port}'}},
    {{urls: 'turn:127.0.0.1:{port}?transport=tcp', username: 'a', credential: 'b'}},
    {{urls: 'turn:127.0.0.1:{port}', username: 'a', credential: 'b'}},
  ]}});
  connection.createDataChannel('a');
  await connection.setLocalDescription(await connection.createOffer());
  await new Promise(done => {{ connection.onicegatheringstatechange = () => connection.iceGatheringState === 'complete' && done(); }});
}}));
const soon = new Promise(done => setTimeout(done, 4000));
Promise.race([Promise.all(tries), soon]).then(() => fetch('/done'));
</script></body></html>"#
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_reaches_no_refused_address_by_any_means() {
    let _turn = turn().await;
    let Some(runner) = runner(patient()).await else { return };
    let canary = Canary::listen().await;
    let html = page(&refused(canary.port), canary.port);
    let site = TestSite::start(move |request| match request.path.split_once('?') {
        None if request.path == "/" => SiteAnswer::html(&html),
        Some(("/redirect", target)) => SiteAnswer::redirect(302, target),
        _ => SiteAnswer::missing(),
    });
    let site = site.await;
    let bytes = runner.run(&Url::parse(&site.url("/")).unwrap(), Strategy::Desktop, Lang::En).await.unwrap();
    assert!(measured(&bytes, Strategy::Desktop).unwrap().scores.seo.is_some());
    // The script came to its end, and redirects were asked for.
    let asked: Vec<String> = site.asked().into_iter().map(|request| request.path).collect();
    assert!(asked.iter().any(|path| path == "/done"), "{asked:?}");
    assert!(asked.iter().any(|path| path.starts_with("/redirect?")), "{asked:?}");
    assert_eq!(canary.seen(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_leads_to_a_refused_address_is_not_measured_there() {
    let _turn = turn().await;
    let Some(runner) = runner(patient()).await else { return };
    let canary = Canary::listen().await;
    let target = format!("http://127.0.0.1:{}/", canary.port);
    let site = TestSite::start(move |_| SiteAnswer::redirect(302, &target)).await;
    let result = runner.run(&Url::parse(&site.url("/")).unwrap(), Strategy::Mobile, Lang::En).await;
    let failure = result.and_then(|bytes| measured(&bytes, Strategy::Mobile)).unwrap_err();
    assert!(matches!(failure, Failure::Page(_)), "{failure}");

    let refused = format!("http://127.0.0.1:{}/", canary.port);
    let failure = runner.run(&Url::parse(&refused).unwrap(), Strategy::Mobile, Lang::En).await.unwrap_err();
    assert!(matches!(failure, Failure::Page(_)), "{failure}");
    assert_eq!(canary.seen(), 0);
}
