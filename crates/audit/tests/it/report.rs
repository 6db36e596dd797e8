//! Reports of single cases.

use audit::report;
use model::capture::{BodyCut, Extra, FailureKind, FetchFailure, Fetched, Want, WantKind};
use model::report::Report;

use crate::capture::{page, with_headers};

fn codes(report: &Report) -> Vec<&str> {
    report.findings.iter().map(|finding| finding.code.as_str()).collect()
}

/// A page about which there is nothing to say.
const GOOD: &str = r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>How to bake bread at home</title>
<meta name="description" content="Flour, water, salt and time: a loaf in twelve steps.">
<link rel="canonical" href="https://example.com/bread">
<meta property="og:title" content="How to bake bread at home">
<meta property="og:type" content="website">
<meta property="og:url" content="https://example.com/bread">
<meta property="og:description" content="Flour, water, salt and time: a loaf in twelve steps.">
<meta property="og:image" content="https://example.com/bread.jpg">
<meta name="twitter:card" content="summary_large_image">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"WebPage","name":"How to bake bread at home"}</script>
</head>
<body><main><h1>How to bake bread at home</h1><p>Mix flour and water.</p><p>Let the flour drink for
an hour before the salt goes in. Fold the dough four times, half an hour apart, until it holds its shape and blisters show
under the skin. Leave it in a cool place for the night: the slow rise makes the crumb open and the crust sweet. In the
morning heat the oven with a heavy pot inside, turn the loaf into it, cut it once across, and bake it under the lid for half
an hour and without the lid until it is brown. It is done when it sounds hollow.</p><a href="/rye">Rye bread</a></main></body>
</html>
"#;

#[test]
fn a_well_made_page_scores_100_without_findings() {
    let report = report(&page("https://example.com/bread", GOOD));
    assert_eq!(codes(&report), Vec::<&str>::new());
    assert_eq!(report.score, 100);
}

/// What a report is made of does not stay: the source, the cookies of the target, the bodies of its other files.
#[test]
fn the_source_the_cookies_and_the_files_of_a_site_are_not_in_its_report() {
    let source = GOOD.replace("hollow.", "hollow, says the text-canary.<!-- comment-canary -->");
    let mut capture = with_headers(
        "https://example.com/bread",
        &[
            ("content-type", "text/html; charset=utf-8"),
            ("set-cookie", "session=cookie-canary"),
            ("set-cookie2", "session=old-canary"),
        ],
        source,
    );
    let llms = "# Bread\n\n> How to bake\n\nllms-canary\n\n## Pages\n\n- [Bread](https://example.com/bread): a loaf\n";
    let robots = "# robots-canary\nUser-agent: *\nAllow: /\nSitemap: https://example.com/sitemap.xml\n";
    let sitemap = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><!-- sitemap-canary -->\
        <url><loc>https://example.com/bread</loc></url></urlset>";
    for (kind, path, media_type, body) in [
        (WantKind::Llms, "/llms.txt", "text/plain", llms),
        (WantKind::RobotsTxt, "/robots.txt", "text/plain", robots),
        (WantKind::Sitemap, "/sitemap.xml", "application/xml", sitemap),
    ] {
        let url = format!("https://example.com{path}");
        let fetched = with_headers(&url, &[("content-type", media_type)], body).page;
        capture.extras.push(Extra { want: Want { kind, url }, fetched });
    }
    let report = report(&capture);
    assert_eq!(report.summary.as_ref().unwrap().sitemap.found, Some(true), "the files were read");
    let kept = serde_json::to_string(&report).unwrap();
    assert!(!kept.contains("canary"), "{kept}");
}

#[test]
fn each_code_is_in_exactly_one_place_of_the_coverage() {
    for source in ["", "<p>x", GOOD] {
        let report = report(&page("https://example.com/", source));
        for check in audit::checks::all() {
            let code = check.code;
            let places = [
                codes(&report).contains(&code),
                report.coverage.passed.iter().any(|known| known == code),
                report.coverage.not_applicable.iter().any(|known| known == code),
                report.coverage.not_measured.contains_key(code),
            ];
            assert_eq!(places.into_iter().filter(|there| *there).count(), 1, "{code}");
        }
        assert!(!report.coverage.not_measured.values().any(|reason| reason == "defect"));
    }
}

#[test]
fn a_page_cut_anywhere_gains_no_claim_of_absence() {
    let whole = report(&page("https://example.com/bread", GOOD));
    for end in 0..GOOD.len() {
        let mut capture = page("https://example.com/bread", &GOOD.as_bytes()[..end]);
        if let Fetched::Response(exchange) = &mut capture.page {
            exchange.body.cut = Some(BodyCut::Time);
        }
        let report = report(&capture);
        let new: Vec<&str> = codes(&report)
            .into_iter()
            .filter(|code| code.ends_with("_missing") || code.ends_with("_empty"))
            .filter(|code| !codes(&whole).contains(code))
            .filter(|code| !["doctype_missing", "html_lang_missing"].contains(code))
            .collect();
        assert_eq!(new, Vec::<&str>::new(), "cut at {end}");
    }
}

#[test]
fn a_status_error_leaves_the_content_unjudged() {
    let mut capture = page("https://example.com/", "<p>not found");
    if let Fetched::Response(exchange) = &mut capture.page {
        exchange.status = 404;
    }
    let report = report(&capture);
    assert_eq!(codes(&report), ["http_status_client_error"]);
    assert_eq!(report.coverage.not_measured.get("title_missing").map(String::as_str), Some("status"));
}

#[test]
fn a_page_that_never_came_has_one_finding_and_no_summary() {
    let mut capture = page("https://example.com/", "");
    capture.page = Fetched::Failed(FetchFailure {
        kind: FailureKind::Unreachable,
        reason: "dns".to_owned(),
        hops: Vec::new(),
        url: "https://example.com/".to_owned(),
    });
    let report = report(&capture);
    assert_eq!(codes(&report), ["page_unreachable"]);
    assert!(report.summary.is_none());
}

#[test]
fn http_silences_what_only_https_can_have() {
    let report = report(&page("http://example.com/bread", GOOD));
    assert!(codes(&report).contains(&"https_missing"));
    assert!(!codes(&report).contains(&"hsts_missing"));
}

#[test]
fn noindex_silences_advice_on_results() {
    let source =
        GOOD.replace("<meta charset", "<meta name=robots content=noindex><meta charset").replace("bread.jpg", "");
    let report = report(&page(
        "https://example.com/bread",
        source.replace("<meta name=\"twitter:card\" content=\"summary_large_image\">", ""),
    ));
    assert_eq!(codes(&report), ["noindex_meta"]);
    assert_eq!(
        report.coverage.not_measured.get("twitter_card_missing").map(String::as_str),
        Some("silenced:noindex_meta")
    );
}

#[test]
fn a_pdf_is_no_page_and_loses_no_points() {
    let report = report(&with_headers("https://example.com/a.pdf", &[("content-type", "application/pdf")], "%PDF-1.7"));
    assert_eq!(report.score, 100);
    assert!(codes(&report).contains(&"page_not_html"));
}

#[test]
fn hostile_markup_is_read_within_budget() {
    let counting = |shape: fn(u32) -> String| (0..20_000).map(shape).collect::<String>();
    for source in [
        "<div>".repeat(100_000),
        "<ul><li>".repeat(60_000),
        counting(|n| format!("<b x{n}><p>")),
        format!("<p {}>", counting(|n| format!("a{n} "))),
    ] {
        let report = report(&page("https://example.com/", source));
        assert!(codes(&report).contains(&"html_too_complex"));
    }
    let honest = report(&page("https://example.com/", "<table><tr>x".repeat(60_000)));
    assert!(!codes(&honest).contains(&"html_too_complex"));
}

#[test]
fn fixes_hold_undeclared_utf8_as_it_was_meant() {
    let source = "<!doctype html><html lang=pt><h1>Pão de queijo</h1><p>Uma receita simples de pão de queijo mineiro, com polvilho e queijo.";
    let report = report(&with_headers("https://example.com/", &[("content-type", "text/html")], source));
    assert!(report.patch.head.contains("<title>Pão de queijo</title>"), "{}", report.patch.head);
    assert!(report.patch.head.contains("pão de queijo mineiro"));
}

#[test]
fn garbled_letters_are_told_unless_they_are_only_misread_here() {
    let body = "<p>PÃ£o quentÃ\u{ad}ssimo</p>";
    let garbled = GOOD.replace("<p>", body);
    assert_eq!(codes(&report(&page("https://example.com/bread", garbled))), ["mojibake_detected"]);
    let invalid = [GOOD.as_bytes(), b"\xff"].concat();
    assert_eq!(codes(&report(&page("https://example.com/bread", invalid))), ["mojibake_detected"]);
}

#[test]
fn a_report_stays_within_its_size_whatever_a_page_repeats() {
    for source in [
        "<img src=http://a/b>".repeat(20_000),
        "<title>a</title>".repeat(20_000),
        (0..10_000).map(|n| format!("<link rel=alternate hreflang=en_{n} href=/a{n}>")).collect(),
        format!("<title>{}</title>", "word ".repeat(100_000)),
    ] {
        let report = report(&page("https://example.com/", source));
        assert!(serde_json::to_vec(&report).unwrap().len() <= 1024 * 1024);
    }
}

#[test]
fn a_missing_path_that_is_found_is_told_and_silence_is_not() {
    let with_probe = |status: u16| {
        let mut capture = page("https://example.com/bread", GOOD);
        let mut answer = page("https://example.com/0123", "<p>app");
        if let Fetched::Response(exchange) = &mut answer.page {
            exchange.status = status;
        }
        let want = Want { kind: WantKind::NotFound, url: "https://example.com/0123".to_owned() };
        capture.extras.push(Extra { want, fetched: answer.page });
        report(&capture)
    };
    assert_eq!(codes(&with_probe(200)), ["soft_404_missing_path"]);
    for (status, measured) in [(404, true), (410, true), (403, false), (503, false)] {
        let report = with_probe(status);
        assert_eq!(codes(&report), Vec::<&str>::new(), "{status}");
        assert_eq!(report.coverage.passed.iter().any(|code| code == "soft_404_missing_path"), measured, "{status}");
    }
}

#[test]
fn dates_on_which_something_ends_are_in_the_summary_once_and_in_order() {
    const SITE: &str = "GET https://example.com/page
200
Content-Type: text/html; charset=utf-8
X-Robots-Tag: unavailable_after: 25 Jun 2027 15:00:00 GMT
Sunset: Sat, 31 Dec 2033 23:59:59 GMT
@certificate 2026-08-07 2026-12-05 R11

<!doctype html><html lang=en><title>Rye bread</title>
<meta name=bingbot content='unavailable_after: 2027-01-01'>
<script type='application/ld+json'>{\"@context\":\"https://schema.org\",\"@type\":\"Product\",\"name\":\"Rye\",\"offers\":[
{\"@type\":\"Offer\",\"priceValidUntil\":\"2026-11-30\"},{\"@type\":\"Offer\",\"priceValidUntil\":\"2026-11-30\"},
{\"@type\":\"Offer\",\"priceValidUntil\":\"soon\",\"validThrough\":\"2027-03-01T12:00:00+01:00\"}]}</script>
<div itemscope itemtype='https://schema.org/JobPosting'><meta itemprop=validThrough content=2027-02-01></div>
<h1>Rye bread</h1>

GET https://example.com/.well-known/security.txt
200
Content-Type: text/plain

Contact: mailto:a@example.com
Expires: 2027-05-01T00:00:00Z
";
    let report = report(&audit::example::capture(SITE).unwrap());
    let expiries = report.summary.unwrap().expiries;
    let words: Vec<String> = expiries
        .iter()
        .map(|expiry| format!("{} {:?} {}", expiry.at, expiry.kind, expiry.property.as_deref().unwrap_or("-")))
        .collect();
    assert_eq!(
        words,
        [
            "2026-11-30T00:00:00.000Z StructuredData Offer.priceValidUntil",
            "2026-12-05T00:00:00.000Z Certificate -",
            "2027-02-01T00:00:00.000Z StructuredData JobPosting.validThrough",
            "2027-03-01T11:00:00.000Z StructuredData Offer.validThrough",
            "2027-05-01T00:00:00.000Z SecurityTxt -",
            "2027-06-25T15:00:00.000Z UnavailableAfter -",
            "2033-12-31T23:59:59.000Z Sunset -",
        ]
    );
}
