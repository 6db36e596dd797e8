//! Names: what a hostile DNS answers, and who is contacted after it.

use fetch::FetchConfig;
use model::capture::{FailureKind, Fetched};

use crate::dns::{A, AAAA, Dns, NXDOMAIN, REFUSED, Record, Reply, SERVFAIL};
use crate::site::{Answer, SOON, Site, config, get_with, html, kind, limited, pair, reason, redirect};

fn page(_: &str) -> Answer {
    Answer::Bytes(html("<p>page"))
}

fn url(site: &Site) -> String {
    format!("http://site.example.com:{}/", site.address.port())
}

#[tokio::test]
async fn d01_d02_one_private_address_among_the_answers_denies_the_name() {
    for answers in
        [&["127.0.0.1"][..], &["127.0.0.2", "127.0.0.1"], &["127.0.0.2", "::1"], &["127.0.0.2", "fd00:ec2::254"]]
    {
        let (site, canary) = pair(page).await;
        let dns = Dns::fixed(answers).await;
        let fetched = get_with(dns.config(), &url(&site)).await;
        assert_eq!(kind(&fetched), Some(FailureKind::AddressNotAllowed), "{answers:?}");
        assert_eq!((site.accepts(), canary.accepts()), (0, 0), "{answers:?}");
        assert_eq!((dns.count(A), dns.count(AAAA)), (1, 1), "both families are asked for");
    }
}

#[tokio::test]
async fn d03_a_name_that_moves_to_loopback_is_contacted_at_the_judged_address_only() {
    let (site, canary) = pair(page).await;
    let dns = Dns::start(|question| {
        Reply::addresses(question, &[if question.before == 0 { "127.0.0.2" } else { "127.0.0.1" }])
    })
    .await;
    let fetched = get_with(dns.config(), &url(&site)).await;
    assert_eq!(fetched.response().unwrap().body.bytes, b"<p>page");
    assert!(fetched.response().unwrap().timing.dns_ms.is_some());
    assert_eq!((dns.count(A), site.accepts(), canary.accepts()), (1, 1, 0));
}

#[tokio::test]
async fn d03_every_hop_asks_again_and_is_judged_again_whatever_the_ttl() {
    let (site, canary) = pair(|_| Answer::Bytes(redirect("/next"))).await;
    let dns = Dns::start(|question| match (question.kind, question.before) {
        (A, 0) => Reply::Records(vec![Record::address("127.0.0.2").kept_for(86_400)]),
        (A, _) => Reply::Records(vec![Record::address("127.0.0.1").kept_for(86_400)]),
        _ => Reply::Records(Vec::new()),
    })
    .await;
    let fetched = get_with(dns.config(), &url(&site)).await;
    assert_eq!(kind(&fetched), Some(FailureKind::RedirectNotAllowed));
    assert_eq!((dns.count(A), site.accepts(), canary.accepts()), (2, 1, 0));
}

#[tokio::test]
async fn d04_a_host_with_ipv6_only_is_reached() {
    // Where the machine has no IPv6, the address is judged and allowed all the same, and connecting fails.
    let Some(site) = Site::on_ipv6_loopback(page).await else {
        let mut config = Dns::fixed(&["::1"]).await.config();
        config.allow_private = vec!["::1/128".parse().unwrap()];
        assert_eq!(reason(&get_with(config, "http://site.example.com:8080/").await), "connect");
        return;
    };
    let dns = Dns::fixed(&["::1"]).await;
    let mut config = dns.config();
    config.allow_private = vec!["::1/128".parse().unwrap()];
    assert_eq!(get_with(config, &url(&site)).await.response().unwrap().body.bytes, b"<p>page");
    // The same without the permission.
    let fetched = get_with(dns.config(), &url(&site)).await;
    assert_eq!((kind(&fetched), site.accepts()), (Some(FailureKind::AddressNotAllowed), 1));
}

#[tokio::test]
async fn d05_a_name_without_an_address_is_asked_for_twice_at_most() {
    for code in [NXDOMAIN, SERVFAIL, REFUSED, 0] {
        let dns = Dns::start(move |_| Reply::Code(code)).await;
        let fetched = get_with(dns.config(), "http://site.example.com/").await;
        assert_eq!((kind(&fetched), reason(&fetched)), (Some(FailureKind::Unreachable), "dns"), "code {code}");
        assert!(
            (1..=2).contains(&dns.count(A)) && (1..=2).contains(&dns.count(AAAA)),
            "code {code}: {:?}",
            dns.asked()
        );
    }
}

#[tokio::test]
async fn d06_a_silent_resolver_is_a_timeout_of_dns() {
    let dns = Dns::start(|_| Reply::Silence).await;
    let fetched = get_with(
        FetchConfig { dns: Some(dns.address), ..limited(|limits| limits.dns = SOON) },
        "http://site.example.com/",
    )
    .await;
    assert_eq!((kind(&fetched), reason(&fetched)), (Some(FailureKind::Timeout), "dns"));
    assert!(dns.count(A) > 0);
}

#[tokio::test]
async fn d06_a_resolver_silent_about_one_family_still_gives_the_other() {
    let (site, canary) = pair(page).await;
    let dns = Dns::start(|question| match question.kind {
        A => Reply::addresses(question, &["127.0.0.2"]),
        _ => Reply::Silence,
    })
    .await;
    // The time in which the other has to be there.
    let config = FetchConfig { dns: Some(dns.address), ..limited(|limits| limits.dns = 10 * SOON) };
    assert!(get_with(config, &url(&site)).await.response().is_some());
    assert_eq!(canary.accepts(), 0);
}

/// `127.1.0.1` to `127.1.<last>`, in this order.
fn many(count: usize) -> Vec<String> {
    (1..=count).map(|n| format!("127.1.{}.{}", n / 256, n % 256)).collect()
}

/// What is fetched when a name has these addresses, and of them those in 127.1.0.0/16 are allowed.
async fn among(addresses: Vec<String>, port: u16) -> (Fetched, Dns) {
    let addresses: Vec<&str> = addresses.iter().map(String::as_str).collect();
    let dns = Dns::fixed(&addresses).await;
    let mut config = dns.config();
    config.allow_private = vec!["127.1.0.0/16".parse().unwrap()];
    let fetched = get_with(config, &format!("http://site.example.com:{port}/")).await;
    (fetched, dns)
}

#[tokio::test]
async fn d07_of_many_addresses_four_are_tried() {
    let fourth = Site::start("127.1.0.4".parse().unwrap(), page).await;
    let (fetched, dns) = among(many(100), fourth.address.port()).await;
    assert!(fetched.response().is_some());
    assert!(dns.asked().iter().any(|question| question.over_tcp), "an answer too long for UDP is read over TCP");
    let fifth = Site::start("127.1.0.5".parse().unwrap(), page).await;
    let (fetched, _) = among(many(100), fifth.address.port()).await;
    assert_eq!((reason(&fetched), fifth.accepts()), ("connect", 0));
}

#[tokio::test]
async fn d07_of_six_hundred_addresses_all_are_judged() {
    let first = Site::start("127.1.0.1".parse().unwrap(), page).await;
    let (fetched, _) = among(many(600), first.address.port()).await;
    assert!(fetched.response().is_some());
    let mut one_denied = many(600);
    one_denied.push("127.0.0.1".to_owned());
    let (fetched, _) = among(one_denied, first.address.port()).await;
    assert_eq!((kind(&fetched), first.accepts()), (Some(FailureKind::AddressNotAllowed), 1));
}

#[tokio::test]
async fn d07_ipv4_is_among_the_tried_addresses_however_many_ipv6_ones_there_are() {
    let (site, _canary) = pair(page).await;
    // Nobody listens there on any machine: the addresses are of this host only, or of nobody.
    let dns = Dns::fixed(&["::2", "::3", "::4", "::5", "::6", "127.0.0.2"]).await;
    let mut config = dns.config();
    config.allow_private = vec!["::/120".parse().unwrap(), "127.0.0.2/32".parse().unwrap()];
    assert!(get_with(config, &url(&site)).await.response().is_some());
}

fn labels(name: &str) -> Vec<&[u8]> {
    name.split('.').filter(|label| !label.is_empty()).map(str::as_bytes).collect()
}

#[tokio::test]
async fn d08_a_loop_of_aliases_ends() {
    let (site, canary) = pair(page).await;
    let dns = Dns::start(|question| {
        let other = if question.name.starts_with("site") { "other.example.com" } else { "site.example.com" };
        Reply::Records(vec![Record::alias(&labels(other))])
    })
    .await;
    let fetched = get_with(dns.config(), &url(&site)).await;
    assert_eq!((kind(&fetched), reason(&fetched)), (Some(FailureKind::Unreachable), "dns"));
    assert!(dns.count(A) <= 32, "{}", dns.count(A));
    assert_eq!((site.accepts(), canary.accepts()), (0, 0));
}

/// The alias that `site.example.com`, `1.example.com` and so on stand for, and where the last one is.
fn link(step: usize, length: usize) -> Record {
    let owner = if step == 0 { "site.example.com".to_owned() } else { format!("{step}.example.com") };
    let target = format!("{}.example.com", step + 1);
    match step {
        _ if step == length => Record::address("127.0.0.2").of(&labels(&owner)),
        _ => Record::alias(&labels(&target)).of(&labels(&owner)),
    }
}

/// A name with `length` aliases before its address: told at once, or one per answer.
async fn chained(length: usize, at_once: bool, site: &Site) -> Fetched {
    let dns = Dns::start(move |question| {
        if question.kind != A {
            return Reply::Records(Vec::new());
        }
        let step = question.name.split('.').next().and_then(|label| label.parse().ok()).unwrap_or(0);
        Reply::Records(if at_once { (0..=length).map(|n| link(n, length)).collect() } else { vec![link(step, length)] })
    })
    .await;
    get_with(dns.config(), &url(site)).await
}

#[tokio::test]
async fn d08_a_short_chain_of_aliases_is_followed_and_one_of_twenty_is_not() {
    let (site, canary) = pair(page).await;
    for at_once in [true, false] {
        assert!(chained(4, at_once, &site).await.response().is_some(), "at once: {at_once}");
        let fetched = chained(20, at_once, &site).await;
        assert_eq!((kind(&fetched), reason(&fetched)), (Some(FailureKind::Unreachable), "dns"), "at once: {at_once}");
    }
    assert_eq!((site.accepts(), canary.accepts()), (2, 0));
}

#[tokio::test]
async fn d08_an_alias_to_a_private_name_is_judged_by_its_address() {
    let (site, canary) = pair(page).await;
    let dns = Dns::start(|question| match question.kind {
        A => Reply::Records(vec![
            Record::alias(&labels("inside.example.net")),
            Record::address("127.0.0.1").of(&labels("inside.example.net")),
        ]),
        _ => Reply::Records(Vec::new()),
    })
    .await;
    let fetched = get_with(dns.config(), &url(&site)).await;
    assert_eq!(kind(&fetched), Some(FailureKind::AddressNotAllowed));
    assert_eq!((site.accepts(), canary.accepts()), (0, 0));
}

#[tokio::test]
async fn d09_names_with_odd_bytes_are_no_answer_and_not_repeated() {
    let odd: [&[&[u8]]; 4] =
        [&[b"\x1b[2J", b"com"], &[b"a.b", b"com"], &[b"\r\nX: y", b"com"], &[b"\xff\xfe<script>", b"com"]];
    for target in odd {
        let (site, canary) = pair(page).await;
        let dns = Dns::start(move |question| match question.kind {
            A => Reply::Records(vec![Record::alias(target), Record::address("127.0.0.2").of(target)]),
            _ => Reply::Records(vec![Record::text(b"\x1b[2J<script>")]),
        })
        .await;
        let Fetched::Failed(failure) = get_with(dns.config(), &url(&site)).await else {
            panic!("{target:?} gave a response")
        };
        assert_eq!((failure.kind, failure.reason.as_str()), (FailureKind::Unreachable, "dns"), "{target:?}");
        assert_eq!((failure.url, failure.hops.len()), (url(&site), 0));
        assert_eq!((site.accepts(), canary.accepts()), (0, 0));
    }
    let only_text = Dns::start(|_| Reply::Records(vec![Record::text(b"\x1b[2J<script>")])).await;
    assert_eq!(reason(&get_with(only_text.config(), "http://site.example.com/").await), "dns");
}

#[tokio::test]
async fn names_of_the_configuration_are_not_asked_for() {
    let (site, _canary) = pair(page).await;
    let dns = Dns::fixed(&["127.0.0.1"]).await;
    let config = FetchConfig {
        dns: Some(dns.address),
        resolve: vec![("site.example.com".to_owned(), "127.0.0.2".parse().unwrap())],
        ..config()
    };
    assert!(get_with(config, &url(&site)).await.response().is_some());
    assert_eq!(dns.asked(), Vec::new());
}
