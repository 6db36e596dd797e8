//! Addresses off the public internet: written out, behind a redirect, or as the answer of DNS, each refused the same.

use std::net::SocketAddr;

use model::capture::{FailureKind, FetchFailure, Fetched};

use crate::dns::Dns;
use crate::site::{Answer, Site, config, get_with, html, redirect};

/// The host of a URL, and the address that DNS would answer for it.
const REFUSED: [(&str, &str); 48] = [
    ("0", "0.0.0.0"),
    ("0x", "0.0.0.0"),
    ("0.0.0.0", "0.0.0.0"),
    ("[::]", "::"),
    ("169.254.169.254", "169.254.169.254"),
    ("2852039166", "169.254.169.254"),
    ("0xA9FEA9FE", "169.254.169.254"),
    ("0251.0376.0251.0376", "169.254.169.254"),
    ("10.0.0.1", "10.0.0.1"),
    ("172.16.0.1", "172.16.0.1"),
    ("172.31.255.255", "172.31.255.255"),
    ("192.168.1.1", "192.168.1.1"),
    ("100.64.0.1", "100.64.0.1"),
    ("100.127.255.254", "100.127.255.254"),
    ("192.0.0.1", "192.0.0.1"),
    ("192.0.2.1", "192.0.2.1"),
    ("198.51.100.1", "198.51.100.1"),
    ("203.0.113.1", "203.0.113.1"),
    ("198.18.0.1", "198.18.0.1"),
    ("198.19.255.255", "198.19.255.255"),
    ("192.88.99.1", "192.88.99.1"),
    ("224.0.0.1", "224.0.0.1"),
    ("239.255.255.255", "239.255.255.255"),
    ("240.0.0.1", "240.0.0.1"),
    ("255.255.255.255", "255.255.255.255"),
    ("127.0.0.1", "127.0.0.1"),
    ("127.0.0.3", "127.0.0.3"),
    ("[::1]", "::1"),
    ("[::ffff:127.0.0.1]", "::ffff:127.0.0.1"),
    ("[::ffff:7f00:1]", "::ffff:7f00:1"),
    ("[0:0:0:0:0:ffff:127.0.0.1]", "::ffff:127.0.0.1"),
    ("[::127.0.0.1]", "::127.0.0.1"),
    ("[::ffff:0:127.0.0.1]", "::ffff:0:127.0.0.1"),
    ("[64:ff9b::7f00:1]", "64:ff9b::7f00:1"),
    ("[64:ff9b::808:808]", "64:ff9b::808:808"),
    ("[2002:7f00:1::]", "2002:7f00:1::"),
    ("[2002:808:808::1]", "2002:808:808::1"),
    ("[fe80::1]", "fe80::1"),
    ("[fec0::1]", "fec0::1"),
    ("[fc00::1]", "fc00::1"),
    ("[fd00:ec2::254]", "fd00:ec2::254"),
    ("[fd20:ce::254]", "fd20:ce::254"),
    ("[ff02::1]", "ff02::1"),
    ("[100::1]", "100::1"),
    ("[2001:db8::1]", "2001:db8::1"),
    ("[3fff::1]", "3fff::1"),
    ("[5f00::1]", "5f00::1"),
    ("[2001:2::1]", "2001:2::1"),
];

/// Listeners wherever on this machine a row could lead, all at one port, and that port.
async fn canaries() -> (Vec<Site>, u16) {
    loop {
        let mut canaries = vec![Site::start("127.0.0.1".parse().unwrap(), secret).await];
        let port = canaries[0].address.port();
        let mut bound = true;
        for address in ["127.0.0.3", "::1"] {
            match Site::at(SocketAddr::new(address.parse().unwrap(), port), secret).await {
                Ok(canary) => canaries.push(canary),
                // Somebody else's port: once more. A machine without IPv6 has nobody to listen there.
                Err(error) => bound &= error.kind() != std::io::ErrorKind::AddrInUse,
            }
        }
        if bound {
            return (canaries, port);
        }
    }
}

fn secret(_: &str) -> Answer {
    Answer::Bytes(html("secret"))
}

fn failure(fetched: Fetched, of: &str) -> FetchFailure {
    let Fetched::Failed(failure) = fetched else { panic!("{of} gave a response") };
    failure
}

#[tokio::test]
async fn a03_to_a13_are_refused_as_a_literal_and_as_an_answer_of_dns_alike() {
    let (canaries, port) = canaries().await;
    for (literal, address) in REFUSED {
        let written = failure(get_with(config(), &format!("http://{literal}:{port}/")).await, literal);
        let dns = Dns::fixed(&[address]).await;
        let answered = failure(get_with(dns.config(), &format!("http://site.example.com:{port}/")).await, literal);
        assert_eq!(written.kind, FailureKind::AddressNotAllowed, "{literal}");
        assert_eq!((answered.kind, &answered.reason), (written.kind, &written.reason), "{literal}");
        assert!(answered.hops.is_empty() && written.hops.is_empty());
        // The address that a name has is not told.
        assert_eq!(answered.url, format!("http://site.example.com:{port}/"));
    }
    assert_eq!(canaries.iter().map(Site::accepts).sum::<usize>(), 0);
}

#[tokio::test]
async fn a03_to_a13_are_refused_behind_a_redirect_with_one_answer_for_all() {
    let (canaries, port) = canaries().await;
    let mut answers = std::collections::HashSet::new();
    for (literal, address) in REFUSED {
        for target in [format!("http://{literal}:{port}/"), format!("http://site.example.com:{port}/")] {
            let to = target.clone();
            let site = Site::allowed(move |_| Answer::Bytes(redirect(&to))).await;
            let dns = Dns::fixed(&[address]).await;
            let refused = failure(get_with(dns.config(), &site.url("/")).await, &target);
            assert_eq!((refused.kind, refused.hops.len()), (FailureKind::RedirectNotAllowed, 1), "{target}");
            answers.insert(refused.reason);
        }
    }
    // A name that is not of the public internet gets the same words, and so does a port that is not allowed.
    for target in ["http://localhost/", "http://intranet/", "http://127.0.0.2:0/"] {
        let site = Site::allowed(move |_| Answer::Bytes(redirect(target))).await;
        answers.insert(failure(get_with(config(), &site.url("/")).await, target).reason);
    }
    assert_eq!(answers.into_iter().collect::<Vec<_>>(), ["redirect_not_allowed"]);
    assert_eq!(canaries.iter().map(Site::accepts).sum::<usize>(), 0);
}
