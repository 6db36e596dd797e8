//! `POST /api/audit`, `GET /api/audits/:id`, `/patch`.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{ReceivedRequest, SiteAnswer, TestDatabase, TestSite};

use crate::app::{Call, TestApp};

testkit::on_both_databases! {
    a_guests_audit_is_answered_kept_and_patched,
    an_audit_without_a_token_is_nobodys,
    an_audit_is_its_guests_alone,
    bad_input_names_the_field_and_costs_nothing,
    a_failed_target_costs_nothing,
    t21_a_firewall_of_the_target_is_told_with_what_to_do,
    texts_come_in_the_language_of_the_call,
    sitemaps_and_discovery_files_are_read,
    probes_have_a_budget,
    probes_go_two_at_a_time_and_end_together,
    a_page_is_read_for_2_mib_and_says_where_it_was_cut,
}

const PAGE: &str = r#"<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Bread and butter</title>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","headline":"Bread"}</script>
</head><body><h1>Bread</h1><p>A page about bread.</p></body></html>"#;

/// A small site: one page, robots.txt, 404 for the rest.
fn site(asked: &ReceivedRequest) -> SiteAnswer {
    match asked.path.as_str() {
        "/" => SiteAnswer::Raw(
            format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nset-cookie: secret=1\r\nset-cookie2: secret=2\r\nx-a: 1\r\nx-a: 2\r\ncontent-length: {}\r\n\r\n{PAGE}",
                PAGE.len()
            )
            .into_bytes(),
        ),
        "/robots.txt" => SiteAnswer::page(200, "text/plain", "User-agent: GPTBot\nDisallow: /\n"),
        "/moved" => SiteAnswer::redirect(301, "/"),
        "/inside" => SiteAnswer::redirect(302, "http://10.0.0.1/"),
        "/loop" => SiteAnswer::redirect(302, "/loop"),
        "/firewall" => SiteAnswer::Raw(
            b"HTTP/1.1 403 Forbidden\r\ncf-mitigated: challenge\r\nserver: cloudflare\r\ncontent-length: 0\r\n\r\n".to_vec(),
        ),
        "/slow-down" => SiteAnswer::page(429, "text/plain", "slow down"),
        "/garbage" => SiteAnswer::Raw(b"\x16\x03\x01\x02".to_vec()),
        _ => SiteAnswer::missing(),
    }
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

async fn a_guests_audit_is_answered_kept_and_patched(database: TestDatabase) {
    let site = TestSite::start(site).await;
    let app = TestApp::start(database, |_| {}).await;
    let token = app.guest().await;
    let response = app.call(Call::audit(&site.url("/moved")).token(&token)).await;
    assert_eq!(response.status, 200, "{}", response.body);
    let audit = response.json();
    for field in [
        "id",
        "score",
        "issues",
        "summary",
        "counts",
        "headers",
        "htmlTruncated",
        "jsonLd",
        "jsonLdStored",
        "truncated",
        "fixes",
        "coverage",
        "requests",
        "quota",
        "_links",
    ] {
        assert!(keys(&audit).contains(&field), "{field} is not in {:?}", keys(&audit));
    }
    assert_eq!(audit["summary"]["title"], "Bread and butter");
    assert_eq!(audit["summary"]["finalUrl"], site.url("/"));
    assert_eq!(audit["summary"]["redirects"][0]["status"], 301);
    assert_eq!(audit["summary"]["robotsTxt"]["aiCrawlers"]["GPTBot"], false);
    assert_eq!(audit["headers"]["x-a"], "1, 2");
    for cookie in ["set-cookie", "set-cookie2"] {
        assert!(audit["headers"].get(cookie).is_none(), "{cookie}");
    }
    assert_eq!(audit["jsonLd"][0]["headline"], "Bread");
    assert_eq!(audit["issues"].as_array().unwrap().len(), audit["fixes"].as_array().unwrap().len());
    assert_eq!(audit["quota"], json!({"free_per_day": 10, "price_usd": 0.02}));
    let id = audit["id"].as_str().unwrap();
    let path = format!("/api/audits/{id}");
    let links = json!({
        "self": app.url(&path),
        "patch": app.url(&format!("{path}/patch")),
        "share": app.url(&format!("{path}/share")),
        "api_index": app.url("/api/"),
    });
    assert_eq!(audit["_links"], links);

    let kept = app.call(Call::get(&path).token(&token)).await.json();
    for field in [
        "issues",
        "fixes",
        "score",
        "counts",
        "headers",
        "jsonLd",
        "truncated",
        "summary",
        "coverage",
        "searchable",
        "path",
    ] {
        assert_eq!(kept[field], audit[field], "{field}");
    }
    assert_eq!((&kept["audit_id"], &kept["share_slug"]), (&audit["id"], &Value::Null));
    assert_eq!(kept["created_at"], "2026-01-31T09:30:00.000Z");
    assert_eq!(kept["url"], site.url("/"));
    assert!(kept.get("quota").is_none() && kept.get("_links").is_none());

    let bearer = Call::get(&format!("{path}/patch")).header("authorization", &format!("Bearer {token}"));
    let patch = app.call(bearer).await.json();
    assert_eq!(patch["audit"], app.url(&path));
    assert!(patch["head"].as_str().unwrap().contains("<link rel=\"canonical\""), "{patch}");
    let total = patch["resumo"]["total"].as_u64().unwrap();
    assert_eq!(total, audit["fixes"].as_array().unwrap().len() as u64);
    let queried = app.call(Call::get(&format!("{path}?guest_token={token}"))).await;
    assert_eq!(queried.status, 200);

    let step = &audit["path"][0];
    let towards = |target: &str| Call::get(&format!("{path}/patch?target={target}")).token(&token);
    let part = app.call(towards(&step["scoreAfter"].to_string())).await.json();
    assert_eq!((&part["target"]["codes"], &part["target"]["reached"]), (&step["codes"], &true.into()), "{part}");
    assert_eq!((&part["moldes"], &part["sem_patch"]), (&json!([]), &json!([])));
    let whole = app.call(towards("100")).await.json();
    assert_eq!(whole["target"]["scoreAfter"], audit["path"].as_array().unwrap().last().unwrap()["scoreAfter"]);
    for wrong in ["101", "-1", "9.5", "x"] {
        let refusal = app.call(towards(wrong)).await;
        assert_eq!(refusal.refusal(), (400, "invalid_parameter".to_owned()), "{wrong}");
        assert!(refusal.body.contains("target"), "{wrong}: {}", refusal.body);
    }
}

async fn an_audit_without_a_token_is_nobodys(database: TestDatabase) {
    let site = TestSite::start(site).await;
    let app = TestApp::start(database, |_| {}).await;
    let audit = app.call(Call::audit(&site.url("/"))).await.json();
    assert_eq!(audit["_links"], json!({"patch": null, "api_index": app.url("/api/")}));
    let path = format!("/api/audits/{}", audit["id"].as_str().unwrap());
    assert_eq!(app.call(Call::get(&path)).await.refusal(), (401, "guest_token_required".to_owned()));
    let token = app.guest().await;
    assert_eq!(app.call(Call::get(&path).token(&token)).await.refusal(), (404, "audit_not_found".to_owned()));
}

async fn an_audit_is_its_guests_alone(database: TestDatabase) {
    let site = TestSite::start(site).await;
    let app = TestApp::start(database, |_| {}).await;
    let (owner, other) = (app.guest().await, app.guest().await);
    let body = json!({"url": site.url("/"), "guest_token": owner}).to_string();
    let audit = app.call(Call::new("POST", "/api/audit").body(&body)).await.json();
    let path = format!("/api/audits/{}", audit["id"].as_str().unwrap());
    assert_eq!(app.call(Call::get(&path).token(&owner)).await.status, 200);
    let unknown = format!("pa_{}", "a".repeat(43));
    for (path, token, wanted) in [
        (path.clone(), &other, (404, "audit_not_found")),
        (format!("{path}/patch"), &other, (404, "audit_not_found")),
        ("/api/audits/x".to_owned(), &owner, (404, "audit_not_found")),
        (path.clone(), &unknown, (401, "guest_token_invalid")),
        ("/api/gate".to_owned(), &unknown, (401, "guest_token_invalid")),
    ] {
        let refusal = app.call(Call::get(&path).token(token)).await.refusal();
        assert_eq!((refusal.0, refusal.1.as_str()), wanted, "{path}");
    }
    let both = Call::new("POST", "/api/audit").token(&other).body(&body);
    assert_eq!(app.call(both).await.refusal(), (400, "invalid_parameter".to_owned()));
}

async fn bad_input_names_the_field_and_costs_nothing(database: TestDatabase) {
    let app = TestApp::start(database, |config| config.limits.refused_per_hour = 100).await;
    let url = |text: &str| json!({ "url": text }).to_string();
    for (body, status, code, detail) in [
        (String::new(), 400, "invalid_body", "url: is missing"),
        ("{".to_owned(), 400, "invalid_body", "body: invalid JSON at line 1, column 1"),
        ("[]".to_owned(), 400, "invalid_body", "body: must be a JSON object"),
        (r#"{"url":7}"#.to_owned(), 400, "invalid_body", "url: must be a string, not a number"),
        (r#"{"url":null}"#.to_owned(), 400, "invalid_body", "url: must be a string, not null"),
        (r#"{"url":"http://a.com/","url":"http://b.com/"}"#.to_owned(), 400, "invalid_body", "url: was sent twice"),
        (url("ftp://example.com/"), 400, "invalid_url", "scheme"),
        (url("example.com"), 400, "invalid_url", "scheme"),
        (url("http://user@example.com/"), 400, "invalid_url", "userinfo"),
        (url("http://exa\tmple.com/"), 400, "invalid_url", "control_character"),
        (url(&format!("http://example.com/{}", "a".repeat(2_048))), 400, "invalid_url", "too_long"),
        (url("http://@example.com/"), 400, "invalid_url", "userinfo"),
        (url("http://[::1"), 400, "invalid_url", "syntax"),
        (url("http://example..com/"), 400, "invalid_url", "host"),
        (url("http://example.com:0/"), 400, "invalid_url", "port"),
        (url("http://10.0.0.1/"), 400, "address_not_allowed", ""),
        (url("http://0x7f.1/"), 400, "address_not_allowed", ""),
        (url("http://[::1]/"), 400, "address_not_allowed", ""),
        (url("http://localhost/"), 400, "address_not_allowed", ""),
        (url("http://intranet/"), 400, "address_not_allowed", ""),
    ] {
        let response = app.call(Call::new("POST", "/api/audit").body(&body)).await;
        let answer = response.json();
        assert_eq!((response.status, answer["code"].as_str().unwrap()), (status, code), "{body}: {answer}");
        assert!(answer["detail"].as_str().unwrap_or_default().starts_with(detail), "{body}: {answer}");
        assert!(!response.body.contains("10.0.0.1") && !response.body.contains("127.0.0"), "{}", response.body);
    }
    let call = Call::new("POST", "/api/audit").body(r#"{"url":7}"#).header("accept-language", "pt-BR");
    assert_eq!(app.call(call).await.json()["detail"], "url: deve ser um texto, não um número");
    assert_eq!(app.free_remaining().await, 10);
}

async fn a_failed_target_costs_nothing(database: TestDatabase) {
    let site = TestSite::start(site).await;
    let app = TestApp::start(database, |config| config.limits.audits_per_hour = 1).await;
    for (path, code, detail) in [
        ("/inside", "redirect_not_allowed", "http://127.0.0.2"),
        ("/loop", "target_unreachable", "redirect_loop"),
        ("/garbage", "target_unreachable", "protocol"),
        ("/slow-down", "target_rate_limited", ""),
    ] {
        let response = app.call(Call::audit(&site.url(path))).await;
        let answer = response.json();
        assert_eq!((response.status, answer["code"].as_str().unwrap()), (502, code), "{path}: {answer}");
        assert!(answer["detail"].as_str().unwrap_or_default().starts_with(detail), "{path}: {answer}");
    }
    // Neither the day nor the one audit of the hour was spent.
    assert_eq!(app.free_remaining().await, 10);
    assert_eq!(app.call(Call::audit(&site.url("/"))).await.status, 200);
    assert_eq!(app.free_remaining().await, 9);
    let limited = app.call(Call::audit(&site.url("/"))).await;
    assert_eq!(limited.refusal(), (429, "rate_limited".to_owned()));
    assert_eq!(limited.header("retry-after"), "3600");
    app.pass(Duration::from_secs(3_600));
    assert_eq!(app.call(Call::audit(&site.url("/"))).await.status, 200);
}

async fn t21_a_firewall_of_the_target_is_told_with_what_to_do(database: TestDatabase) {
    let site = TestSite::start(site).await;
    let app = TestApp::start(database, |_| {}).await;
    let response = app.call(Call::audit(&site.url("/firewall"))).await;
    assert_eq!(response.refusal(), (502, "target_blocked".to_owned()));
    let blocked = &response.json()["blocked"];
    assert_eq!(blocked["status"], 403);
    assert!(blocked["fix"].as_str().unwrap().starts_with("Allow the user agent"), "{blocked}");
    let response = app.call(Call::audit(&site.url("/slow-down")).header("accept-language", "pt-BR,en;q=0.5")).await;
    assert!(response.json()["blocked"]["fix"].as_str().unwrap().starts_with("Tente de novo"), "{}", response.body);
}

async fn texts_come_in_the_language_of_the_call(database: TestDatabase) {
    let site = TestSite::start(site).await;
    let app = TestApp::start(database, |_| {}).await;
    let token = app.guest().await;
    let english = app.call(Call::audit(&site.url("/")).token(&token)).await;
    assert_eq!(english.header("content-language"), "en");
    assert!(english.header("vary").contains("Accept-Language"), "{:?}", english.headers);
    let path = format!("/api/audits/{}", english.json()["id"].as_str().unwrap());
    let message = |answer: &Value| {
        let issues = answer["issues"].as_array().unwrap();
        let of = issues.iter().find(|issue| issue["code"] == "canonical_missing").unwrap();
        of["message"].as_str().unwrap().to_owned()
    };
    let asked = app.call(Call::get(&format!("{path}?lang=pt-BR")).token(&token)).await;
    let preferred = app.call(Call::get(&path).token(&token).header("accept-language", "pt")).await;
    assert_eq!(asked.header("content-language"), "pt-BR");
    assert_eq!(asked.body, preferred.body);
    assert_ne!(message(&asked.json()), message(&english.json()));
    let refused = app.call(Call::get("/api/health?lang=xx")).await;
    assert_eq!(refused.refusal(), (400, "invalid_parameter".to_owned()));
    let portuguese = app.call(Call::get("/api/nothing?lang=pt")).await;
    assert!(portuguese.json()["error"].as_str().unwrap().starts_with("Não"), "{}", portuguese.body);
}

async fn sitemaps_and_discovery_files_are_read(database: TestDatabase) {
    let site = TestSite::start(|asked| {
        let host = asked.head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default().to_owned();
        match asked.path.as_str() {
            "/" => SiteAnswer::html(&format!("{PAGE}<input type=password><meta name=google-play-app content=x>")),
            "/robots.txt" => SiteAnswer::page(200, "text/plain", &format!("Sitemap: http://{host}/index.xml\n")),
            "/index.xml" => SiteAnswer::page(
                200,
                "application/xml",
                &format!(
                    r#"<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>http://{host}/a.txt</loc></sitemap></sitemapindex>"#
                ),
            ),
            "/a.txt" => SiteAnswer::page(200, "text/plain", &format!("http://{host}/b\nhttp://{host}/\n")),
            "/.well-known/security.txt" => SiteAnswer::page(
                200,
                "text/plain",
                "Contact: mailto:security@example.com\nExpires: 2026-06-30T00:00:00Z\n",
            ),
            "/.well-known/assetlinks.json" => SiteAnswer::page(200, "application/json", "{"),
            _ => SiteAnswer::missing(),
        }
    })
    .await;
    let app = TestApp::start(database, |_| {}).await;
    let audit = app.call(Call::audit(&site.url("/"))).await.json();
    let sitemap = &audit["summary"]["sitemap"];
    assert_eq!((&sitemap["found"], &sitemap["state"], &sitemap["urls"]), (&true.into(), &"found".into(), &2.into()));
    assert_eq!(sitemap["url"], site.url("/a.txt"));
    let discovery = &audit["summary"]["discovery"];
    for (probe, status) in [
        ("security", "warn"), // Over http: RFC 9116 asks for https.
        ("llms", "info"),
        ("apiCatalog", "info"),
        ("favicon", "info"),
        ("notFound", "pass"),
        ("changePassword", "info"),
        ("assetlinks", "warn"),
    ] {
        let check = &discovery[probe];
        assert_eq!(check["status"], status, "{probe}: {check}");
        assert_eq!(keys(check), ["status", "url", "httpStatus", "contentType", "message", "reference"], "{probe}");
    }
    assert_eq!(keys(discovery).len(), 7, "{discovery}");
}

async fn probes_go_two_at_a_time_and_end_together(database: TestDatabase) {
    // No probe is ever answered: the third would be asked only once a place is free, or with a time of its own.
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::html("<!doctype html><title>t</title><input type=password autocomplete=webauthn>"),
        path if path == "/robots.txt" || path.starts_with("/sitemap") => SiteAnswer::missing(),
        _ => SiteAnswer::Silence,
    })
    .await;
    let app = TestApp::start(database, |_| {}).await;
    let audit = app.call(Call::audit(&site.url("/"))).await;
    assert_eq!(audit.status, 200, "{}", audit.body);
    let is_probe = |path: &str| path != "/" && path != "/robots.txt" && !path.starts_with("/sitemap");
    let probes: Vec<String> = site.asked().into_iter().map(|asked| asked.path).filter(|path| is_probe(path)).collect();
    assert_eq!(probes.len(), 2, "{probes:?}");
    assert_eq!(audit.json()["summary"]["discovery"]["notFound"]["status"], "unverified");
}

async fn probes_have_a_budget(database: TestDatabase) {
    // Everything but the page and robots.txt redirects on and on, to another place each time.
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::html("<!doctype html><title>t</title><input type=password autocomplete=webauthn>"),
        "/robots.txt" => SiteAnswer::missing(),
        path => SiteAnswer::redirect(302, &format!("{path}x")),
    })
    .await;
    let app = TestApp::start(database, |_| {}).await;
    let audit = app.call(Call::audit(&site.url("/"))).await.json();
    let asked = site.asked();
    let sitemaps = asked.iter().filter(|asked| asked.path.starts_with("/sitemap")).count();
    assert_eq!(asked.len() - sitemaps - 2, 15, "{:?}", asked.iter().map(|asked| &asked.path).collect::<Vec<_>>());
    assert_eq!(audit["summary"]["discovery"]["webauthn"]["status"], "unverified");
}

async fn a_page_is_read_for_2_mib_and_says_where_it_was_cut(database: TestDatabase) {
    const MOST: usize = 2_097_152;
    let site = TestSite::start(|asked| {
        let long = |bytes: usize| SiteAnswer::html(&format!("{PAGE}{}", " ".repeat(bytes - PAGE.len())));
        match asked.path.as_str() {
            "/whole" => long(MOST),
            "/cut" => long(MOST + 1),
            _ => SiteAnswer::missing(),
        }
    })
    .await;
    let app = TestApp::start(database, |_| {}).await;
    for (path, is_cut) in [("/whole", false), ("/cut", true)] {
        let audit = app.call(Call::audit(&site.url(path))).await.json();
        assert_eq!((&audit["htmlTruncated"], &audit["summary"]["title"]), (&is_cut.into(), &"Bread and butter".into()));
    }
}
