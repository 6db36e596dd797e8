//! Addresses and redirects: a refused case passes only if the canary saw nobody.

use std::net::{Ipv4Addr, SocketAddr};

use model::capture::{FailureKind, Fetched};

use crate::site::{Answer, NEVER, Site, config, get, get_with, html, kind, limited, reason, redirect};

async fn canary() -> Site {
    Site::start(Ipv4Addr::LOCALHOST.into(), |_| Answer::Bytes(html("secret"))).await
}

#[tokio::test]
async fn a01_a02_loopback_in_every_spelling_is_refused_without_a_connection() {
    let canary = canary().await;
    let port = canary.address.port();
    for host in [
        "127.0.0.1",
        "127.0.0.1.",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "017700000001",
        "0177.0.0.1",
        "127。0。0。1",
        "①②⑦.⓪.⓪.①",
        "%31%32%37.0.0.1",
        "[::ffff:127.0.0.1]",
    ] {
        let fetched = get(&format!("http://{host}:{port}/")).await;
        assert_eq!(kind(&fetched), Some(FailureKind::AddressNotAllowed), "{host}");
    }
    assert_eq!(canary.accepts(), 0);
}

#[tokio::test]
async fn d01_d02_a_name_with_one_private_address_is_refused() {
    let canary = canary().await;
    for addresses in [&["127.0.0.1"][..], &["127.0.0.2", "127.0.0.1"]] {
        let mut config = config();
        config.resolve = addresses.iter().map(|address| ("site.test".to_owned(), address.parse().unwrap())).collect();
        let fetched = get_with(config, &format!("http://site.test:{}/", canary.address.port())).await;
        assert_eq!(kind(&fetched), Some(FailureKind::AddressNotAllowed));
    }
    assert_eq!(canary.accepts(), 0);
}

#[tokio::test]
async fn r01_r02_r03_redirects_to_where_we_do_not_go_are_refused() {
    let canary = canary().await;
    let targets = [
        format!("http://127.0.0.1:{}/", canary.address.port()),
        format!("http://2130706433:{}/", canary.address.port()),
        "file:///x".to_owned(),
        "javascript:alert(1)".to_owned(),
        "http://user@127.0.0.2/".to_owned(),
    ];
    for target in targets {
        let to = target.clone();
        let site = Site::allowed(move |_| Answer::Bytes(redirect(&to))).await;
        let fetched = get(&site.url("/")).await;
        assert_eq!(kind(&fetched), Some(FailureKind::RedirectNotAllowed), "{target}");
        let Fetched::Failed(failure) = fetched else { unreachable!() };
        assert_eq!(failure.hops.len(), 1);
    }
    assert_eq!(canary.accepts(), 0);
}

#[tokio::test]
async fn r04_r05_loops_and_long_chains_end() {
    let site = Site::allowed(|target| Answer::Bytes(redirect(if target == "/a" { "/b" } else { "/a" }))).await;
    assert_eq!(reason(&get(&site.url("/a")).await), "redirect_loop");
    let chain = Site::allowed(|target| Answer::Bytes(redirect(&format!("{target}x")))).await;
    assert_eq!(reason(&get(&chain.url("/")).await), "too_many_redirects");
    assert_eq!(chain.accepts(), 11);
}

#[tokio::test]
async fn r06_r08_r10_chains_that_end_well_are_followed_and_304_is_not() {
    let site = Site::allowed(|target| {
        Answer::Bytes(match target {
            "/1" => redirect("2?é=1"),
            "/2?%C3%A9=1" => redirect("//127.0.0.2:0/"),
            "/3" => redirect("/page#part"),
            _ => html("<p>page"),
        })
    })
    .await;
    assert_eq!(kind(&get(&site.url("/1")).await), Some(FailureKind::RedirectNotAllowed));
    let fetched = get(&site.url("/3")).await;
    let exchange = fetched.response().unwrap();
    assert_eq!((exchange.status, exchange.hops.len(), exchange.url.as_str()), (200, 1, site.url("/page").as_str()));
    let not_modified =
        Site::allowed(|_| Answer::Bytes(b"HTTP/1.1 304 Not Modified\r\nLocation: /x\r\n\r\n".to_vec())).await;
    assert_eq!(get(&not_modified.url("/")).await.response().unwrap().status, 304);
}

#[tokio::test]
async fn the_body_of_a_redirect_is_not_waited_for() {
    let config = limited(|limits| (limits.body_idle, limits.body, limits.floor_window) = (NEVER, NEVER, NEVER));
    let site = Site::allowed(|target| match target {
        "/stall" => Answer::Stall(b"HTTP/1.1 302 Found\r\nLocation: /page\r\nContent-Length: 9\r\n\r\nabc".to_vec()),
        "/drops" => Answer::Drops(b"HTTP/1.1 301 Moved\r\nLocation: /page\r\n\r\n".to_vec(), b"x".to_vec()),
        _ => Answer::Bytes(html("<p>page")),
    })
    .await;
    for path in ["/stall", "/drops"] {
        let fetched = get_with(config.clone(), &site.url(path)).await;
        let exchange = fetched.response().unwrap();
        assert_eq!((exchange.hops.len(), exchange.body.bytes.as_slice()), (1, &b"<p>page"[..]), "{path}");
        site.nobody_left().await;
    }
    // One that leads nowhere is the page itself.
    let lost = Site::allowed(|_| Answer::Bytes(b"HTTP/1.1 302 Found\r\nContent-Length: 4\r\n\r\nlost".to_vec())).await;
    assert_eq!(get(&lost.url("/")).await.response().unwrap().body.bytes, b"lost");
}

#[tokio::test]
async fn r07_two_different_locations_are_refused() {
    let both = b"HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n";
    let site = Site::allowed(|_| Answer::Bytes(both.to_vec())).await;
    assert_eq!(reason(&get(&site.url("/")).await), "protocol");
}

#[tokio::test]
async fn r04_an_empty_location_leads_to_itself() {
    let site = Site::allowed(|_| Answer::Bytes(redirect(""))).await;
    assert_eq!((reason(&get(&site.url("/")).await), site.accepts()), ("redirect_loop", 1));
}

#[tokio::test]
async fn r08_odd_locations_are_encoded_or_refused() {
    let site = Site::allowed(|target| {
        Answer::Bytes(match target {
            // Latin-1, then UTF-8.
            "/1" => b"HTTP/1.1 302 Found\r\nLocation: /caf\xE9\r\nContent-Length: 0\r\n\r\n".to_vec(),
            "/caf%E9" => redirect("/café?é#é"),
            "/long" => redirect(&format!("/{}", "a".repeat(2_048))),
            "/own" => redirect("#part"),
            _ => html(target),
        })
    })
    .await;
    let fetched = get(&site.url("/1")).await;
    let exchange = fetched.response().unwrap();
    assert_eq!((exchange.body.bytes.as_slice(), exchange.hops.len()), (&b"/caf%C3%A9?%C3%A9"[..], 2));
    assert_eq!(exchange.hops[0].location, "/caf\u{fffd}");
    assert_eq!(reason(&get(&site.url("/long")).await), "protocol");
    assert_eq!(reason(&get(&site.url("/own")).await), "redirect_loop");
}

#[tokio::test]
async fn a14_our_own_socket_is_never_contacted() {
    let site = Site::allowed(|_| Answer::Bytes(html("self"))).await;
    let mut config = config();
    config.own_addresses = vec![site.address];
    assert_eq!(kind(&get_with(config.clone(), &site.url("/")).await), Some(FailureKind::AddressNotAllowed));
    // Listening on every address is listening on that one.
    for every in ["0.0.0.0", "::"] {
        config.own_addresses = vec![SocketAddr::new(every.parse().unwrap(), site.address.port())];
        assert_eq!(kind(&get_with(config.clone(), &site.url("/")).await), Some(FailureKind::AddressNotAllowed));
    }
    assert_eq!(site.accepts(), 0);
}
