//! The pages of checks and tools.

use std::collections::{BTreeMap, BTreeSet};

use audit::checks::{FAMILIES, all};
use audit::{Page, SiteFiles, example};
use model::capture::{Body, Capture, Coding, Exchange, Extra, FailureKind, Fetched, Timing};
use model::finding::Severity;
use model::report::Report;
use testkit::TestDatabase;

use super::{cookie, form, site};
use crate::app::{Call, Response, TestApp};

/// The public origin of a service whose pages are audited.
const ORIGIN: &str = "https://audit.example";

/// Slugs of the tools whose texts are written.
fn slugs() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().filter(|family| !family.landing.title.en.is_empty()).map(|family| family.slug)
}

/// Every page that may be found, its language left open.
fn paths() -> Vec<String> {
    let checks = all().map(|check| format!("/checks/{}", check.code));
    ["/", "/bot", "/checks", "/credit", "/pricing", "/tools"]
        .map(str::to_owned)
        .into_iter()
        .chain(checks)
        .chain(slugs().map(|slug| format!("/tools/{slug}")))
        .collect()
}

/// The values of an attribute, wherever it stands.
fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    page.split(&format!("{attribute}=\"")).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

fn between<'p>(page: &'p str, start: &str, end: &str) -> &'p str {
    page.split_once(start).and_then(|(_, rest)| rest.split_once(end)).map(|(found, _)| found).unwrap_or_default()
}

#[tokio::test]
async fn every_page_says_what_it_is() {
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let mut titles = BTreeSet::new();
    for path in paths() {
        for lang in ["en", "pt-BR"] {
            let address = format!("{path}?lang={lang}");
            let response = app.call(Call::get(&address)).await;
            assert_eq!((response.status, response.header("content-language")), (200, lang), "{address}");
            let page = &response.body;
            assert!(page.contains(&format!("<html lang=\"{lang}\">")), "{address}");
            assert!(page.contains(&format!("<link rel=\"canonical\" href=\"{}\">", app.url(&address))), "{address}");
            for (tag, query) in [("en", "?lang=en"), ("pt-BR", "?lang=pt-BR"), ("x-default", "")] {
                let link = format!("<link rel=\"alternate\" hreflang=\"{tag}\" href=\"{}{query}\">", app.url(&path));
                assert!(page.contains(&link), "{address}: {link}");
            }
            assert_eq!(page.matches("<h1>").count(), 1, "{address}");
            let ids = values(page, " id");
            assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{address}: {ids:?}");
            assert!(
                titles.insert(between(page, "<title>", "</title>").to_owned()),
                "{address}: its title is another's"
            );
            let data = between(page, "<script type=\"application/ld+json\">", "</script>");
            let data: serde_json::Value = serde_json::from_str(data).unwrap();
            assert_eq!((&data["inLanguage"], &data["url"]), (&lang.into(), &app.url(&address).into()), "{address}");
            assert!(page.contains("property=\"og:image\"") && page.contains("property=\"og:title\""), "{address}");
        }
    }
}

#[tokio::test]
async fn no_link_between_pages_is_broken() {
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let mut left = vec!["/tools".to_owned(), "/checks".to_owned(), "/tools?lang=pt-BR".to_owned()];
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    while let Some(address) = left.pop() {
        if seen.contains_key(&address) {
            continue;
        }
        let page = app.call(Call::get(&address)).await;
        // Pages of an account lead those who are not signed in to where they can.
        if page.status == 303 && address.starts_with("/conta") {
            left.push(page.header("location").replace(&app.url(""), ""));
            seen.insert(address, String::new());
            continue;
        }
        assert_eq!(page.status, 200, "{address}");
        let own = |link: &&str| link.starts_with('/') || link.starts_with('?') || link.starts_with(&app.url("/"));
        let path = address.split('?').next().unwrap_or_default();
        let is_page = page.header("content-type").starts_with("text/html");
        let links = if is_page { values(&page.body, "href") } else { Vec::new() };
        for link in links.into_iter().filter(own) {
            let link = link.replace(&app.url(""), "").replace("&#38;", "&");
            let link = if link.starts_with('?') { format!("{path}{link}") } else { link };
            // Typefaces and icons are no text; a browser loads them (`the_form_leads_to_the_report_without_scripts`).
            if ![".woff2", ".png"].iter().any(|ending| link.ends_with(ending)) {
                left.push(link.split('#').next().unwrap_or_default().to_owned());
            }
        }
        for fragment in values(&page.body, "href").into_iter().filter_map(|link| link.strip_prefix('#')) {
            assert!(page.body.contains(&format!("id=\"{fragment}\"")), "{address}#{fragment}");
        }
        seen.insert(address, page.body);
    }
    for path in paths() {
        assert!(seen.contains_key(&path), "no link leads to {path}");
    }
    // The sitemap lists each page that may be indexed, and nothing else.
    let sitemap = app.call(Call::get("/sitemap.xml")).await;
    let listed: BTreeSet<&str> =
        sitemap.body.split("<loc>").skip(1).map(|rest| rest.split("</loc>").next().unwrap()).collect();
    for path in paths() {
        assert!(
            ["", "?lang=en", "?lang=pt-BR"].iter().all(|query| listed.contains(&*app.url(&(path.clone() + query))))
        );
    }
    let robots = app.call(Call::get("/robots.txt")).await;
    assert!(robots.body.ends_with(&format!("\nSitemap: {}\n", app.url("/sitemap.xml"))), "{}", robots.body);
}

#[tokio::test]
async fn an_unknown_name_is_a_real_404() {
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    for path in [
        "/checks/titel_missing",
        "/checks/%ff",
        "/checks/%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "/checks/title_missing/x",
        "/checks/",
        "/tools/canonicals",
        "/tools/%00",
        "/tools/..%2fchecks",
    ] {
        let missing = app.call(Call::get(path)).await;
        assert_eq!((missing.status, missing.header("x-robots-tag")), (404, "noindex"), "{path}");
        assert!(missing.body.contains("content=\"noindex\"") && !missing.body.contains("ld+json"), "{}", missing.body);
        assert_eq!((missing.header("cache-control"), missing.header("etag")), ("no-store", ""), "{path}");
    }
    let mistyped = app.call(Call::get("/checks/titel_missing?lang=pt")).await;
    assert!(
        mistyped.body.contains("title_missing") && mistyped.body.contains("Nenhuma verificação tem"),
        "{}",
        mistyped.body
    );
}

#[tokio::test]
async fn a_tool_shows_its_own_findings_first() {
    let site = site().await;
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let landing = app.call(Call::get("/tools/canonical")).await;
    assert!(landing.body.contains("<input type=\"hidden\" name=\"tool\" value=\"canonical\">"), "{}", landing.body);
    for (tool, path) in [("canonical", "?tool=canonical"), ("%22%3E%3Cscript%3E", ""), ("none", "")] {
        let mut call = form(&site.url("/"));
        call.body.push_str(&format!("&tool={tool}"));
        let sent = app.call(call).await;
        assert_eq!(sent.status, 303, "{}", sent.body);
        let place = sent.header("location").to_owned();
        assert!(place.ends_with(path) && place.contains('?') != path.is_empty(), "{place}");
        let report = app.call(Call::get(&place).header("cookie", &cookie(sent.header("set-cookie")))).await;
        let first = between(&report.body, "id=\"f-", "\"");
        assert_eq!(first == "canonical_missing", !path.is_empty(), "{first}");
        assert!(report.body.contains("href=\"/checks/canonical_missing?lang=en\""), "{}", report.body);
    }
    // Who typed wrongly stays with the tool.
    let mut call = form("ftp://x/");
    call.body.push_str("&tool=canonical");
    assert!(app.call(call).await.body.contains("name=\"tool\" value=\"canonical\""));
    assert!(app.call(Call::get("/?tool=canonical")).await.body.contains("name=\"tool\" value=\"canonical\""));
}

#[tokio::test]
async fn a_list_is_filtered_by_subject_and_words() {
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let links = |page: &str, below: &str| page.matches(&format!("<li{below}")).count();
    for (list, query, some, none) in [
        ("/checks", "?q=Canonical+MISSING&category=canonical", "canonical_missing", "title_missing"),
        ("/checks", "?lang=pt-BR&q=t%C3%ADtulo&category=head", "title_missing", "canonical_missing"),
        ("/checks", "?category=weather&q=robots_txt_missing", "robots_txt_missing", "title_missing"),
        ("/tools", "?q=sitemap_page_absent", "/tools/sitemap-entry", "/tools/canonical"),
    ] {
        let page = app.call(Call::get(&format!("{list}{query}"))).await.body;
        let found = page.split_once("<form method=\"get\"").unwrap().1;
        assert!(found.contains(some) && !found.contains(&format!("{none}?")), "{query}: {page}");
        assert!(!found.contains(&format!(">{none}<")), "{query}: {page}");
        // To an index it is the list.
        let lang = if query.contains("pt-BR") { "?lang=pt-BR" } else { "" };
        assert!(page.contains(&format!("<link rel=\"canonical\" href=\"{}{lang}\">", app.url(list))), "{page}");
    }
    let whole = app.call(Call::get("/checks?q=&category=")).await.body;
    assert!(links(&whole, " class=") >= all().count() && !whole.contains("Show all"), "{whole}");
    let typed = format!("q=%22%3E%3Cscript%3E{}", "x".repeat(5_000));
    for list in ["/checks", "/tools"] {
        let nothing = app.call(Call::get(&format!("{list}?{typed}"))).await;
        assert_eq!(nothing.status, 200);
        let page = nothing.body;
        assert!(
            page.contains("No results for these words") && page.contains(&format!("href=\"{list}\">Show all")),
            "{page}"
        );
        assert!(page.contains("value=\"&#34;&#62;&#60;script&#62;x") && !page.contains("\"><script>x"), "{page}");
    }
}

#[tokio::test]
async fn a_check_tells_when_it_is_not_measured() {
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let check = app.call(Call::get("/api/checks/hsts_missing?lang=pt-BR")).await.json();
    let reasons = check["not_measured"].as_array().unwrap();
    assert!(reasons.contains(&serde_json::json!({ "reason": "offline", "text": "nada foi requisitado" })), "{check}");
    let listed = app.call(Call::get("/api/checks?lang=pt-BR")).await.json();
    let same = listed["checks"].as_array().unwrap().iter().find(|check| check["code"] == "hsts_missing").unwrap();
    assert_eq!(same["not_measured"], check["not_measured"]);
    let page = app.call(Call::get("/checks/hsts_missing?lang=en")).await.body;
    assert!(
        page.contains("When it is not measured") && page.contains("<li>nothing was fetched <code>offline</code>"),
        "{page}"
    );
    // A page is audited from here, and its report begins with the findings of the check's tool.
    assert!(page.contains("action=\"/?lang=en\"") && page.contains("name=\"tool\" value=\"hsts\""), "{page}");
}

/// One answer of the service, as a crawler over https sees it.
fn exchange(url: &str, response: Response) -> Fetched {
    Fetched::Response(Exchange {
        hops: Vec::new(),
        url: url.to_owned(),
        status: response.status,
        headers: response.headers.into_iter().filter(|(name, _)| name != "content-length").collect(),
        // To a crawler it is sent compressed; this client asks for none.
        body: Body { bytes: response.body.into(), cut: None, coding: Coding::Decoded("gzip".to_owned()) },
        timing: Timing { ttfb_ms: Some(20), total_ms: 30, ..Timing::default() },
        ambiguous_length: false,
        certificate: None,
    })
}

/// An auditor of the service itself. It asks for nothing twice, and as one reader.
struct Auditor {
    app: TestApp,
    answers: BTreeMap<String, Fetched>,
    cookie: String,
}

impl Auditor {
    async fn fetch(&mut self, url: &str) -> Fetched {
        if let Some(known) = self.answers.get(url) {
            return known.clone();
        }
        let fetched = match url.strip_prefix(ORIGIN) {
            // A picture is no text; its head is enough to know that it is there.
            Some(picture @ ("/card.png" | "/apple-touch-icon.png")) => {
                exchange(url, self.app.call(Call::new("HEAD", picture)).await)
            }
            Some(path) => exchange(url, self.app.call(Call::get(path).header("cookie", &self.cookie)).await),
            None => example::failed(FailureKind::Unreachable, "connect", Vec::new(), url),
        };
        self.answers.insert(url.to_owned(), fetched.clone());
        fetched
    }

    /// The audit of a page of the service.
    async fn audit(&mut self, path: &str) -> Report {
        let url = format!("{ORIGIN}{path}");
        let page = self.fetch(&url).await;
        let mut capture = Capture { page, ..example::page(&url, "") };
        let page = Page::read(&capture);
        loop {
            let wants = audit::wanted(&capture, &page, &SiteFiles::read(&capture, &page));
            if wants.is_empty() {
                return audit::report_on(&capture, &page, &SiteFiles::read(&capture, &page));
            }
            for want in wants {
                let fetched = self.fetch(&want.url).await;
                capture.extras.push(Extra { want, fetched });
            }
        }
    }
}

#[tokio::test]
async fn our_own_pages_score_100() {
    let app = TestApp::start(TestDatabase::sqlite(), |config| config.base_url = Some(ORIGIN.to_owned())).await;
    // A report is of a page, for its reader alone.
    let site = site().await;
    let sent = app.call(form(&site.url("/"))).await;
    let (own, cookie) = (sent.header("location").to_owned(), cookie(sent.header("set-cookie")));
    let listed = app.call(Call::get("/sitemap.xml")).await.body;
    let listed = listed.split("<loc>").skip(1).filter_map(|rest| rest.split_once("</loc>")?.0.strip_prefix(ORIGIN));
    let plain = listed.filter(|path| !path.contains('?')).map(str::to_owned);
    let mut all: BTreeSet<String> = plain.chain(paths()).collect();
    assert!(all.contains("/") && all.contains("/bot") && all.len() >= paths().len(), "{all:?}");
    all.insert(own.clone());
    let mut auditor = Auditor { app, answers: BTreeMap::new(), cookie };
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in all {
        for query in ["", "?lang=pt-BR"] {
            let report = auditor.audit(&format!("{path}{query}")).await;
            // Hidden on purpose is still hidden, which an audit of any page has to tell.
            let is_meant = |code: &str| path == own && matches!(code, "noindex_header" | "noindex_meta");
            let costs = report.findings.iter().filter(|finding| finding.severity != Severity::Info);
            for finding in costs.filter(|finding| !is_meant(&finding.code)) {
                let told = format!("{path}{query}: {}", finding.message.en);
                wrong.entry(finding.code.clone()).or_default().push(told);
            }
        }
    }
    let told: Vec<String> = wrong
        .iter()
        .map(|(code, pages)| {
            format!(
                "{code} on {} pages\n  {}",
                pages.len(),
                pages.iter().take(6).cloned().collect::<Vec<_>>().join("\n  ")
            )
        })
        .collect();
    assert!(wrong.is_empty(), "{}", told.join("\n"));
}
