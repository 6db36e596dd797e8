//! Sharing an audit, what anybody then reads, its badge and its picture.

use serde_json::{Value, json};
use testkit::{SiteAnswer, TestDatabase, TestSite};

use crate::app::{Call, Response, TestApp};

testkit::on_both_databases! {
    a_shared_audit_is_read_by_anybody,
    sharing_again_and_at_once_gives_the_same_address,
    a_revoked_share_is_gone_everywhere_at_once,
    only_the_owner_shares,
    a_badge_never_tells_of_an_error,
    what_is_shown_again_is_not_read_again_and_goes_with_its_share,
    an_outage_is_told_as_one,
    o08_control_characters_of_a_page_never_come_out_raw,
}

const SLUG: &str = "aaaaaaaaaaaaaaaaaaaa";

async fn site() -> TestSite {
    TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::html("<!doctype html><title>Bread</title><h1>Bread</h1>"),
        _ => SiteAnswer::missing(),
    })
    .await
}

/// An audit of a guest: the token, and the id.
async fn audited(app: &TestApp, site: &TestSite) -> (String, String) {
    let token = app.guest().await;
    let audit = app.call(Call::audit(&site.url("/")).token(&token)).await;
    assert_eq!(audit.status, 200, "{}", audit.body);
    let id = audit.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(audit.json()["_links"]["share"], app.url(&format!("/api/audits/{id}/share")));
    (token, id)
}

async fn share(app: &TestApp, token: &str, id: &str) -> Response {
    app.call(Call::new("POST", &format!("/api/audits/{id}/share")).token(token)).await
}

fn slug(shared: &Response) -> String {
    assert_eq!(shared.status, 200, "{}", shared.body);
    shared.json()["slug"].as_str().unwrap().to_owned()
}

async fn a_shared_audit_is_read_by_anybody(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |_| {}).await;
    let (token, id) = audited(&app, &site).await;
    let own = format!("/api/audits/{id}");
    assert_eq!(app.call(Call::get(&own).token(&token)).await.json()["share_slug"], Value::Null);

    let shared = share(&app, &token, &id).await;
    let slug = slug(&shared);
    let (page, badge) = (format!("/r/{slug}"), format!("/badge/{slug}.svg"));
    let json = format!("/api/shared/{slug}");
    assert_eq!(
        shared.json(),
        serde_json::json!({
            "ok": true, "shared": true, "slug": slug, "path": page, "badge": badge,
            "_links": {"report": app.url(&page), "json": app.url(&json), "badge": app.url(&badge)},
        })
    );
    // The same as its owner reads it, in the reader's language.
    for lang in ["en", "pt-BR"] {
        let public = app.call(Call::get(&format!("{json}?lang={lang}"))).await.json();
        assert_eq!(public["share_slug"], slug.as_str());
        assert_eq!(public, app.call(Call::get(&format!("{own}?lang={lang}")).token(&token)).await.json());
    }

    // In the history of the page, too.
    let url = serde_json::json!({"url": site.url("/")}).to_string();
    let tab = app.call(Call::new("POST", "/api/tabs").token(&token).body(&url)).await.json()["tab"]["id"].clone();
    let history = format!("/api/tabs/{}/history", tab.as_str().unwrap());
    let runs = app.call(Call::get(&history).token(&token)).await.json()["runs"].clone();
    assert_eq!(runs[0]["shared"], app.url(&page), "{runs}");

    let report = app.call(Call::get(&page)).await;
    assert_eq!((report.status, report.header("x-robots-tag")), (200, ""));
    assert_eq!(report.header("cache-control"), "public, max-age=60");
    for part in [
        format!("<link rel=\"canonical\" href=\"{}\">", app.url(&page)),
        format!("<meta property=\"og:image\" content=\"{}?lang=en\">", app.url(&format!("/og/{slug}.png"))),
        "<meta property=\"og:image:alt\" content=\"Score ".to_owned(),
        "This is a snapshot from 31 January 2026".to_owned(),
        "canonical_missing".to_owned(),
    ] {
        assert!(report.body.contains(&part), "{part} is not in {}", report.body);
    }
    // Nothing of the owner, and nothing that only the owner may do.
    for part in [token.as_str(), &id, "unshare", "/reports/", "name=\"robots\""] {
        assert!(!report.body.contains(part), "{part} is in {}", report.body);
    }
    let known = app.call(Call::get(&page).header("if-none-match", report.header("etag"))).await;
    assert_eq!((known.status, known.body.as_str()), (304, ""));

    for lang in ["en", "pt-BR"] {
        let picture = app.call(Call::new("HEAD", &format!("/og/{slug}.png?lang={lang}"))).await;
        assert_eq!((picture.status, picture.header("content-type")), (200, "image/png"));
        assert_eq!(picture.header("cache-control"), "public, max-age=86400");
        assert_eq!(picture.header("cross-origin-resource-policy"), "cross-origin");
    }

    let score = app.call(Call::get(&own).token(&token)).await.json()["score"].clone();
    let said = app.call(Call::get(&format!("/api/badge/{slug}"))).await.json();
    let name = format!("seo audit: {score}/100");
    assert_eq!(
        said,
        serde_json::json!({
            "slug": slug, "score": score, "label": "seo audit", "available": true,
            "markdown": format!("[![{name}]({})]({})", app.url(&badge), app.url(&page)),
            "html": format!("<a href=\"{}\"><img src=\"{}\" alt=\"{name}\" height=\"20\"></a>", app.url(&page), app.url(&badge)),
            "rst": format!(".. image:: {}\n   :alt: {name}\n   :target: {}", app.url(&badge), app.url(&page)),
            "_links": {"svg": app.url(&badge), "report": app.url(&page)},
        })
    );
    let svg = app.call(Call::get(&badge)).await;
    assert!(svg.body.contains(&format!("<title>{name}</title>")), "{}", svg.body);
    let markdown = app.call(Call::get(&format!("{badge}?label=my+page&style=flat-square"))).await;
    assert!(markdown.body.contains(&format!("<title>my page: {score}/100</title>")), "{}", markdown.body);
}

async fn sharing_again_and_at_once_gives_the_same_address(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |_| {}).await;
    let (token, id) = audited(&app, &site).await;
    let calls = [share(&app, &token, &id), share(&app, &token, &id), share(&app, &token, &id)];
    let [first, second, third] = calls;
    let (first, second, third) = tokio::join!(first, second, third);
    assert_eq!((slug(&first), slug(&first)), (slug(&second), slug(&third)));
    assert_eq!(slug(&share(&app, &token, &id).await), slug(&first));
}

async fn a_revoked_share_is_gone_everywhere_at_once(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |_| {}).await;
    let (token, id) = audited(&app, &site).await;
    let slug = slug(&share(&app, &token, &id).await);
    let revoke = || Call::new("DELETE", &format!("/api/audits/{id}/share")).token(&token);
    for _ in 0..2 {
        let revoked = app.call(revoke()).await;
        assert_eq!(revoked.json(), serde_json::json!({"ok": true, "shared": false}));
    }
    for slug in [slug.as_str(), SLUG, "short", "UPPERCASEUPPERCASE23", "%ff", "%00", "a%2Fb"] {
        let page = app.call(Call::get(&format!("/r/{slug}"))).await;
        assert_eq!((page.status, page.header("x-robots-tag")), (404, "noindex"), "{slug}");
        assert!(page.body.contains("<meta name=\"robots\" content=\"noindex\">"), "{slug}: {}", page.body);
        assert!(page.body.contains("<form method=\"post\" action=\"/?lang=en\">"), "{slug}: {}", page.body);
        assert_eq!(app.call(Call::get(&format!("/og/{slug}.png"))).await.status, 404, "{slug}");
        if slug != "%ff" {
            let json = app.call(Call::get(&format!("/api/shared/{slug}"))).await;
            assert_eq!(json.refusal(), (404, "share_not_found".to_owned()), "{slug}");
        }
    }
    let said = app.call(Call::get(&format!("/api/badge/{slug}"))).await;
    assert_eq!((&said.json()["score"], &said.json()["available"]), (&Value::Null, &false.into()));
    assert_eq!(app.call(Call::get(&format!("/api/badge/{SLUG}"))).await.refusal(), (404, "share_not_found".to_owned()));
    assert_eq!(app.call(Call::get(&format!("/api/audits/{id}")).token(&token)).await.json()["share_slug"], Value::Null);
    // Shared anew it has another address; the old one stays gone.
    let again = share(&app, &token, &id).await.json()["slug"].as_str().unwrap().to_owned();
    assert_ne!(again, slug);
    assert_eq!(app.call(Call::get(&format!("/r/{slug}"))).await.status, 404);
}

async fn only_the_owner_shares(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |_| {}).await;
    let (_, id) = audited(&app, &site).await;
    let other = app.guest().await;
    for (id, token, status, code) in [
        (id.as_str(), None, 401, "guest_token_required"),
        (&id, Some("pa_x"), 401, "guest_token_invalid"),
        (&id, Some(other.as_str()), 404, "audit_not_found"),
        ("nothing", Some(&other), 404, "audit_not_found"),
        ("%00", Some(&other), 404, "audit_not_found"),
    ] {
        for method in ["POST", "DELETE"] {
            let call = Call::new(method, &format!("/api/audits/{id}/share"));
            let call = match token {
                Some(token) => call.token(token),
                None => call,
            };
            assert_eq!(app.call(call).await.refusal(), (status, code.to_owned()), "{method} {id} {token:?}");
        }
    }
    let nobodys = app.call(Call::audit(&site.url("/"))).await.json();
    assert_eq!(nobodys["_links"]["share"], Value::Null);
    assert_eq!(share(&app, &other, nobodys["id"].as_str().unwrap()).await.status, 404);
}

async fn a_badge_never_tells_of_an_error(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |_| {}).await;
    let (token, id) = audited(&app, &site).await;
    let slug = slug(&share(&app, &token, &id).await);
    app.call(Call::new("DELETE", &format!("/api/audits/{id}/share")).token(&token)).await;
    let revoked = app.call(Call::get(&format!("/badge/{slug}.svg"))).await;
    let unknown = app.call(Call::get(&format!("/badge/{SLUG}.svg?label=%3Cscript%3E%00&style=%22"))).await;
    assert_eq!((revoked.status, &revoked.body), (200, &unknown.body));
    assert!(revoked.body.contains("<title>seo audit: n/a</title>") && revoked.body.contains("#57606a"));
    for (name, value) in [
        ("content-type", "image/svg+xml; charset=utf-8"),
        (
            "content-security-policy",
            "default-src 'none'; style-src 'unsafe-inline'; sandbox; base-uri 'none'; frame-ancestors 'none'",
        ),
        ("x-content-type-options", "nosniff"),
        ("cross-origin-resource-policy", "cross-origin"),
        ("cache-control", "public, max-age=300, s-maxage=300, stale-while-revalidate=86400"),
    ] {
        assert_eq!(revoked.header(name), value, "{name}");
    }
    let again = Call::get(&format!("/badge/{slug}.svg")).header("if-none-match", revoked.header("etag"));
    assert_eq!(app.call(again).await.status, 304);
    for malformed in ["x.svg", ".svg", SLUG, &format!("{SLUG}.png"), &format!("{SLUG}.svg.svg"), "%ff.svg"] {
        assert_eq!(app.call(Call::get(&format!("/badge/{malformed}"))).await.status, 404, "{malformed}");
    }
    let hostile = app.call(Call::get(&format!("/badge/{SLUG}.svg?label=%22%3E%3Csvg%20onload%3Dx%3E"))).await;
    assert!(!hostile.body.contains("<svg onload") && hostile.body.contains("&lt;svg onload=x&gt;"), "{}", hostile.body);
}

/// A report that can't be read shows that nothing of it was.
async fn what_is_shown_again_is_not_read_again_and_goes_with_its_share(database: TestDatabase) {
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::html("<!doctype html><meta name=robots content=noindex><title>Bread</title><h1>Bread</h1>"),
        _ => SiteAnswer::missing(),
    })
    .await;
    let app = TestApp::start(database, |_| {}).await;
    let (token, id) = audited(&app, &site).await;
    let slug = slug(&share(&app, &token, &id).await);
    let badge = format!("/badge/{slug}.svg");
    let paths = [format!("/r/{slug}"), format!("/r/{slug}?lang=pt-BR"), format!("/api/shared/{slug}"), badge.clone()];
    let mut shown = Vec::new();
    for path in &paths {
        shown.push(app.call(Call::get(path)).await);
    }
    let score = shown[2].json()["score"].clone();
    // Of a page that no search engine shows, it says so.
    assert!(shown[3].body.contains(&format!("<title>seo audit: {score}/100. ")), "{}", shown[3].body);

    app.damage_reports().await;
    let other = TestApp::start_on(&app, |_| {}).await;
    for (path, first) in paths.iter().zip(&shown) {
        let again = app.call(Call::get(path)).await;
        assert_eq!((again.status, &again.body), (200, &first.body), "{path}");
        for name in ["etag", "cache-control", "content-type", "content-language", "content-security-policy", "vary"] {
            assert_eq!(again.header(name), first.header(name), "{path}: {name}");
        }
        assert_eq!(other.call(Call::get(path)).await.status, 500, "{path}: another server has written none");
    }
    // Whether a badge is known is decided by its row, on every server.
    let known = || Call::get(&badge).header("if-none-match", shown[3].header("etag"));
    let unchanged = other.call(known()).await;
    assert_eq!((unchanged.status, unchanged.body.as_str(), unchanged.header("content-type")), (304, "", ""));
    for name in ["etag", "cache-control", "content-security-policy", "cross-origin-resource-policy"] {
        assert_eq!(unchanged.header(name), shown[3].header(name), "{name}");
    }

    assert_eq!(app.call(Call::new("DELETE", &format!("/api/audits/{id}/share")).token(&token)).await.status, 200);
    for app in [&app, &other] {
        for path in &paths[..3] {
            assert_eq!(app.call(Call::get(path)).await.status, 404, "{path}");
        }
        let revoked = app.call(known()).await;
        assert_eq!(revoked.status, 200);
        assert!(revoked.body.contains("<title>seo audit: n/a</title>"), "{}", revoked.body);
    }
}

async fn an_outage_is_told_as_one(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    app.app.database().store().close().await;
    for path in [format!("/api/shared/{SLUG}"), format!("/api/badge/{SLUG}")] {
        assert_eq!(app.call(Call::get(&path)).await.refusal(), (503, "database_unavailable".to_owned()), "{path}");
    }
    for path in [format!("/r/{SLUG}"), format!("/badge/{SLUG}.svg"), format!("/og/{SLUG}.png")] {
        let page = app.call(Call::get(&path)).await;
        assert_eq!((page.status, page.header("x-robots-tag")), (503, "noindex"), "{path}");
    }
}

/// A title could clear the screen of whoever printed the shared page, and ring the bell.
async fn o08_control_characters_of_a_page_never_come_out_raw(database: TestDatabase) {
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::html(
            "<!doctype html><meta charset=utf-8><title>A\u{1b}[2J\u{7}\u{9b}1m</title><title>b\u{1b}c</title>\
             <meta name=description content='\u{1b}]0;x\u{7}'><h1>\u{1b}[31mA</h1><img src='\u{1b}.png'>",
        ),
        _ => SiteAnswer::missing(),
    })
    .await;
    let app = TestApp::start(database, |_| {}).await;
    let (token, id) = audited(&app, &site).await;
    let slug = slug(&share(&app, &token, &id).await);
    for (path, accept) in [
        (format!("/r/{slug}"), "text/html"),
        (format!("/r/{slug}"), "text/markdown"),
        (format!("/r/{slug}?view=print"), "text/html"),
        (format!("/r/{slug}/files/1"), "*/*"),
        (format!("/r/{slug}/files/2"), "*/*"),
        (format!("/api/shared/{slug}"), "application/json"),
        (format!("/api/shared/{slug}?budget=1000"), "application/json"),
        (format!("/api/shared/{slug}?format=csv"), "*/*"),
        (format!("/api/shared/{slug}?format=sarif"), "*/*"),
        (format!("/badge/{slug}.svg"), "*/*"),
        (format!("/api/audits/{id}"), "application/json"),
        (format!("/api/audits/{id}/patch"), "application/json"),
        (format!("/api/audits/{id}/patch?format=diff"), "*/*"),
        (format!("/reports/{id}/audit.json"), "*/*"),
        (format!("/reports/{id}/patch.json"), "*/*"),
        (format!("/reports/{id}/patch.diff"), "*/*"),
    ] {
        let call = Call::get(&path).header("accept", accept);
        let call = if path.starts_with("/api/audits") { call.token(&token) } else { call };
        let answer = app.call(call.header("cookie", &format!("mm-guest={token}"))).await;
        assert_eq!(answer.status, 200, "{path}");
        let raw = answer.body.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'));
        assert_eq!(raw, None, "{path} as {accept}");
    }
    let shared = app.call(Call::get(&format!("/api/shared/{slug}"))).await;
    assert!(shared.body.contains("\\u009b") && shared.json()["summary"]["title"].as_str().unwrap().contains('\u{9b}'));
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "get_shared", "arguments": {"slug": slug, "format": "json"}}});
    let told = app.call(Call::new("POST", "/mcp").body(&call.to_string())).await;
    assert!(told.body.contains("u009b") && !told.body.contains('\u{9b}'), "{}", told.body);
    let page = app.call(Call::get(&format!("/r/{slug}"))).await;
    assert!(page.body.contains("\\u{1b}["), "{}", page.body);
}
