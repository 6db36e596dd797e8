//! Discovery files from outside: answers in, summary and findings out.

use audit::{report, wanted};
use model::capture::{
    BodyCut, Capture, Coding, Extra, FailureKind, FetchFailure, Fetched, Source, Want, WantKind, WantKind::*,
};
use model::discovery::DiscoveryStatus;
use model::fix::FixClass;
use model::report::Report;
use proptest::prelude::*;

use crate::capture::{page, with_headers};

const BREAD: &str = r#"<!DOCTYPE html><html lang="en"><head><title>How to bake bread</title>
<meta property="og:site_name" content="Bread [and] more"><meta name="description" content="Flour, water, salt and time.">
<link rel="canonical" href="https://example.com/bread"></head>
<body><nav><a href="/rye_(dark)">Rye <b>bread</b></a><a href="/rye_(dark)#a">Again</a><a href="/bread">Here</a>
<a href="https://example.org/">Elsewhere</a><a href="/wheat"><img src="a.png"></a></nav><h1>Bread</h1></body></html>"#;

/// Calls for every conditional probe.
const ALL: &str = "<input type=password autocomplete=webauthn><meta name=google-play-app content=x>
    <meta name=apple-itunes-app content=x><a href=/.well-known/oauth-protected-resource>a</a>
    <a href=/.well-known/oauth-authorization-server>b</a><a href=/.well-known/openid-configuration>c</a>
    <a href=/.well-known/agent-card.json>d</a>";

fn codes(report: &Report) -> Vec<&str> {
    report.findings.iter().map(|finding| finding.code.as_str()).collect()
}

/// An answer to one request.
fn answer(want: Want, status: u16, media_type: &str, body: impl Into<Vec<u8>>) -> Extra {
    let mut fetched = with_headers(&want.url, &[("content-type", media_type)], body).page;
    if let Fetched::Response(exchange) = &mut fetched {
        exchange.status = status;
    }
    Extra { want, fetched }
}

fn at(kind: WantKind, path: &str, status: u16, body: impl Into<Vec<u8>>) -> Extra {
    answer(Want { kind, url: format!("https://example.com{path}") }, status, "text/plain", body)
}

fn with(source: &str, extras: Vec<Extra>) -> Capture {
    let mut capture = page("https://example.com/bread", source);
    capture.extras = extras;
    capture
}

#[test]
fn a_page_that_came_over_the_network_has_the_block_and_supplied_bytes_have_none() {
    let capture = with("<p>x", Vec::new());
    let discovery = report(&capture).summary.unwrap().discovery.unwrap();
    let fixed =
        [&discovery.llms, &discovery.security, &discovery.api_catalog, &discovery.favicon, &discovery.not_found];
    for check in fixed {
        assert_eq!((check.status, check.http_status), (DiscoveryStatus::Unverified, 0));
        assert!(check.url.as_deref().unwrap().starts_with("https://example.com/"));
    }
    assert!(discovery.change_password.is_none() && discovery.webauthn.is_none());
    let wire = serde_json::to_value(&discovery).unwrap();
    assert_eq!(wire.as_object().unwrap().len(), 5);

    let all = report(&with(ALL, Vec::new())).summary.unwrap().discovery.unwrap();
    assert_eq!(serde_json::to_value(&all).unwrap().as_object().unwrap().len(), 13);

    let supplied = Capture { source: Source::Supplied, ..capture };
    assert!(report(&supplied).summary.unwrap().discovery.is_none());
}

#[test]
fn a_missing_icon_is_told_when_both_places_are_known_to_be_empty() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10";
    let icon = |status, body: &[u8]| vec![at(Favicon, "/favicon.ico", status, body)];
    let fires = |source: &str, extras| codes(&report(&with(source, extras))).contains(&"favicon_missing");
    let declared = "<!doctype html><link rel=icon href=/i.png>";
    assert!(fires("<p>x", icon(404, b"")));
    assert!(fires("<p>x", icon(200, b"<p>app")));
    assert!(fires("<link rel=icon href=''><link rel=apple-touch-icon href=/a>", icon(404, b"")));
    assert!(!fires("<p>x", icon(200, png)));
    assert!(!fires("<p>x", icon(503, b"")));
    assert!(!fires("<p>x", Vec::new()));
    assert!(!fires(declared, vec![at(Favicon, "/i.png", 404, "")]));
    let reason = |capture: &Capture| report(capture).coverage.not_measured.get("favicon_missing").cloned();
    assert_eq!(reason(&with("<p>x", icon(403, b""))).as_deref(), Some("probe"));
    let mut cut = with("<p>x", icon(404, b""));
    if let Fetched::Response(exchange) = &mut cut.page {
        exchange.body.cut = Some(BodyCut::Size);
    }
    assert_eq!(reason(&cut).as_deref(), Some("trunc"));
    let supplied = Capture { source: Source::Supplied, ..with("<p>x", Vec::new()) };
    assert_eq!(reason(&supplied).as_deref(), Some("offline"));
    let report = report(&with("<p>x", icon(404, b"")));
    let fix = report.fixes.iter().find(|fix| fix.code == "favicon_missing").unwrap();
    assert_eq!(fix.class, FixClass::Template);
    assert_eq!(fix.snippet.as_deref(), Some("<link rel=\"icon\" href=\"{{ICON_URL}}\">"));
}

#[test]
fn an_icon_at_the_default_path_is_in_the_summary_with_its_source() {
    let favicon = |source: &str, extras| {
        let summary = report(&with(source, extras)).summary.unwrap();
        summary.favicon.zip(summary.favicon_source)
    };
    let pair = |url: &str, source: &str| Some((url.to_owned(), source.to_owned()));
    let icon = |body: &str| vec![at(Favicon, "/favicon.ico", 200, body)];
    assert_eq!(favicon("", icon("GIF89a\x10\0\x10\0")), pair("https://example.com/favicon.ico", "default"));
    assert_eq!(favicon("", icon("words")), None);
    assert_eq!(favicon("<link rel=icon href=/i>", icon("GIF89a")), pair("https://example.com/i", "declared"));
}

#[test]
fn a_missing_llms_txt_gets_a_file_made_of_the_page_that_passes() {
    let found = report(&with(BREAD, vec![at(Llms, "/llms.txt", 404, "")]));
    assert!(codes(&found).contains(&"llms_txt_missing"));
    assert_eq!(found.patch.files.len(), 1);
    let file = found.patch.files.first().unwrap();
    assert_eq!(file.path, "/llms.txt");
    assert_eq!(
        file.content,
        "# Bread \\[and\\] more\n\n\
         - [How to bake bread](https://example.com/bread)\n- [Rye bread](https://example.com/rye_%28dark%29)\n"
    );
    let after = report(&with(BREAD, vec![at(Llms, "/llms.txt", 200, file.content.clone())]));
    assert!(after.coverage.passed.iter().any(|code| code == "llms_txt_missing"));
    assert_eq!(after.summary.unwrap().discovery.unwrap().llms.status, DiscoveryStatus::Pass);
}

#[test]
fn llms_txt_is_missing_only_where_404_or_410_says_so() {
    for (status, fires) in [(404, true), (410, true), (400, false), (401, false), (429, false), (500, false)] {
        let report = report(&with("<p>x", vec![at(Llms, "/llms.txt", status, "")]));
        assert_eq!(codes(&report).contains(&"llms_txt_missing"), fires, "{status}");
        let reason = report.coverage.not_measured.get("llms_txt_missing").map(String::as_str);
        assert_eq!(reason, (!fires).then_some("probe"), "{status}");
    }
    let gone = vec![at(Llms, "/llms.txt", 404, "")];
    let mut document = with_headers("https://example.com/a.pdf", &[("content-type", "application/pdf")], "%PDF-1.7");
    document.extras = gone.clone();
    let report_of = report(&document);
    let fix = report_of.fixes.iter().find(|fix| fix.code == "llms_txt_missing").unwrap();
    assert_eq!(fix.class, FixClass::Instruction, "there is no page to make a file of");
    let supplied = Capture { source: Source::Supplied, ..with("<p>x", gone) };
    let coverage = report(&supplied).coverage;
    assert_eq!(coverage.not_measured.get("llms_txt_missing").map(String::as_str), Some("offline"));
}

/// Bodies that come near what the probes look for, and any bytes.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let member = prop_oneof![
        Just("resource"),
        Just("issuer"),
        Just("skills"),
        Just("url"),
        Just("linkset"),
        Just("item"),
        Just("href"),
        Just("origins"),
        Just("applinks"),
        Just("details"),
        Just("appIDs"),
        Just("target"),
        Just("namespace"),
        Just("relation"),
        Just("sha256_cert_fingerprints"),
        Just("grant_types_supported"),
        Just("name"),
    ];
    let leaf = prop_oneof![
        Just("1".to_owned()),
        Just("null".to_owned()),
        Just("\"https://example.com/é\"".to_owned()),
        Just("\"android_app\"".to_owned()),
        ".{0,6}".prop_map(|text| serde_json::Value::from(text).to_string()),
    ];
    let json = leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(|all| format!("[{}]", all.join(","))),
            proptest::collection::vec((member.clone(), inner), 0..5).prop_map(|all| {
                let members: Vec<String> = all.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    });
    let lines = "(Contact: |Expires: |# |> |## |\\[a\\]\\(|-----BEGIN PGP SIGNED MESSAGE-----|2027-01-01T00:00:00Z|\n|:|.){0,12}";
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..60),
        json.prop_map(String::into_bytes),
        lines.prop_map(String::into_bytes),
        "(<svg|<!doctype html>|<title>a</title>|<meta http-equiv=refresh content='0;url=.'>|.){0,6}"
            .prop_map(String::into_bytes),
    ]
}

fn fetched(url: &str) -> impl Strategy<Value = Fetched> + use<> {
    let url = url.to_owned();
    let status = prop_oneof![Just(200u16), Just(404), Just(302), 100u16..=999];
    let media_type =
        prop_oneof![Just("application/json"), Just("application/linkset+json"), Just("text/plain"), Just("")];
    let cut = proptest::option::weighted(0.1, prop_oneof![Just(BodyCut::Size), Just(BodyCut::Time)]);
    let failure = Just(Fetched::Failed(FetchFailure {
        kind: FailureKind::RedirectNotAllowed,
        reason: "address".to_owned(),
        hops: Vec::new(),
        url: url.clone(),
    }));
    let response =
        (status, media_type, body(), cut, ".{0,20}").prop_map(move |(status, media_type, body, cut, location)| {
            let headers = [("content-type", media_type), ("location", location.as_str())];
            let mut fetched = with_headers(&url, &headers, body).page;
            if let Fetched::Response(exchange) = &mut fetched {
                (exchange.status, exchange.body.cut) = (status, cut);
                exchange.body.coding = Coding::Identity;
            }
            fetched
        });
    prop_oneof![9 => response, 1 => failure]
}

/// Every request that an audit of [`ALL`] can make, answered anyhow.
fn answers() -> impl Strategy<Value = Vec<Extra>> {
    let page = with(ALL, Vec::new());
    let mut wants = wanted(&page, &audit::Page::read(&page), &audit::SiteFiles::default());
    for (kind, path) in [(SecurityTxtLegacy, "/security.txt"), (AgentCardLegacy, "/.well-known/agent.json")] {
        wants.push(Want { kind, url: format!("https://example.com{path}") });
    }
    let answers: Vec<_> = wants
        .into_iter()
        .map(|want| fetched(&want.url).prop_map(move |fetched| Extra { want: want.clone(), fetched }))
        .collect();
    answers
}

proptest! {
    #[test]
    fn any_answers_are_judged_in_whole_sentences_within_bounds(extras in answers()) {
        let report = report(&with(ALL, extras));
        prop_assert!(!report.coverage.not_measured.values().any(|reason| reason == "defect"));
        let mut discovery = report.summary.unwrap().discovery.unwrap();
        for check in discovery.checks_mut() {
            for text in [&check.message.en, &check.message.pt] {
                prop_assert!(text.ends_with(['.', '…']) && text.chars().count() <= 2_000, "{}", text);
            }
            prop_assert!(check.http_status != 0 || check.status == DiscoveryStatus::Unverified);
        }
    }
}
