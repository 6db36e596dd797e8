//! Runs over whole sites: begun, read, paid, shared by servers, deleted.

mod limits;
mod servers;
mod spending;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use service::jobs;
use testkit::{ReceivedRequest, SiteAnswer, TestDatabase, TestSite};

use super::people;
use crate::app::{Call, Response, TestApp};

testkit::on_both_databases! {
    a_run_tells_what_shows_across_pages,
    a_run_is_its_owners,
    mistakes_name_their_field,
    a_run_that_cant_begin_fails_with_a_reason,
    a_deleted_run_is_gone,
    a_caller_who_waits_hears_the_end_of_a_run,
    lists_come_in_parts,
}

/// A site with planted defects: a broken link, a redirect, two pages with one title, a template without descriptions, and a
/// page that only the sitemap has.
pub(crate) fn planted(asked: &ReceivedRequest) -> SiteAnswer {
    let page = |title: &str, body: &str| {
        SiteAnswer::html(&format!(
            "<!doctype html><html lang=en><head><title>{title}</title></head><body><nav><a href=/>Home</a></nav>\
             <main><h1>{title}</h1>{body}</main></body></html>"
        ))
    };
    match asked.path.as_str() {
        "/" => {
            let products: String = (1..=6).map(|n| format!("<a href=/product/{n}>Product number {n}</a> ")).collect();
            page(
                "Home of bread",
                &format!(
                    "<a href=/a>First</a> <a href=/b>Second</a> <a href=/gone>Gone</a> <a href=/old>Old</a> <a href=/secret>Secret</a>{products}"
                ),
            )
        }
        "/a" | "/b" => page("The same title twice", "<p>Bread and butter</p>"),
        "/old" => SiteAnswer::redirect(301, "/a"),
        "/orphan" => page("Orphan page", "<p>Nobody links here</p>"),
        "/robots.txt" => {
            let host = asked.head.lines().find_map(|line| line.strip_prefix("Host: ").or(line.strip_prefix("host: ")));
            let text = format!("User-agent: *\nDisallow: /secret\nSitemap: http://{}/sitemap.xml\n", host.unwrap());
            SiteAnswer::page(200, "text/plain", &text)
        }
        // An audit of the home page is content with the first file: the run reads the others.
        "/sitemap.xml" => sitemap(asked, "sitemapindex", "sitemap", &["/list-1.xml", "/list-2.xml", "/list-3.xml"]),
        "/list-1.xml" => sitemap(asked, "urlset", "url", &["/", "/a"]),
        "/list-2.xml" => sitemap(asked, "urlset", "url", &["/b"]),
        "/list-3.xml" => sitemap(asked, "urlset", "url", &["/orphan"]),
        path if path.starts_with("/product/") => page(&format!("Product {path}"), "<p>A product of ours</p>"),
        _ => SiteAnswer::missing(),
    }
}

/// A sitemap file of the site that was asked.
fn sitemap(asked: &ReceivedRequest, root: &str, entry: &str, paths: &[&str]) -> SiteAnswer {
    let host = asked.head.lines().find_map(|line| line.strip_prefix("Host: ").or(line.strip_prefix("host: ")));
    let entries: String =
        paths.iter().map(|path| format!("<{entry}><loc>http://{}{path}</loc></{entry}>", host.unwrap())).collect();
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><{root} xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{entries}</{root}>"
    );
    SiteAnswer::page(200, "application/xml", &text)
}

/// Pages of [`planted`] that answer with HTML.
pub(crate) const PLANTED_PAGES: u32 = 10;

/// A call that begins a run.
pub(crate) fn begin(token: &str, body: &Value) -> Call<'static> {
    Call::new("POST", "/api/sites").token(token).body(&body.to_string())
}

/// The id of a run that began.
pub(crate) fn begun(answer: &Response) -> String {
    assert_eq!(answer.status, 202, "{}", answer.body);
    answer.json()["site"]["id"].as_str().unwrap().to_owned()
}

pub(crate) async fn get(app: &TestApp, token: &str, path: &str) -> Value {
    let answer = app.call(Call::get(path).token(token)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()
}

pub(crate) async fn work_off(app: &TestApp) -> usize {
    jobs::work_off(&app.app).await.unwrap()
}

/// How often each path was asked for.
pub(crate) fn times(site: &TestSite) -> BTreeMap<String, usize> {
    let mut times = BTreeMap::new();
    for asked in site.asked() {
        *times.entry(asked.path).or_default() += 1;
    }
    times
}

async fn a_run_tells_what_shows_across_pages(database: TestDatabase) {
    let site = TestSite::start(planted).await;
    let app = TestApp::start(database, |_| {}).await;
    let token = app.guest().await;
    let answer = app.call(begin(&token, &json!({"url": site.url("/")}))).await;
    let id = begun(&answer);
    let path = format!("/api/sites/{id}");
    assert_eq!(answer.json()["site"]["status"], "running");
    assert_eq!(answer.json()["offer"]["free_audits"], Value::Null, "nothing is charged on this server");
    assert_eq!(answer.json()["site"]["_links"]["poll"], app.url(&format!("{path}?wait=25")));
    work_off(&app).await;

    let run = get(&app, &token, &path).await;
    assert_eq!((&run["status"], &run["reason"], &run["message"]), (&json!("finished"), &json!(null), &json!(null)));
    assert_eq!(run["figures"]["complete"], true);
    assert!(run["figures"]["score"].as_u64().unwrap() <= 100);
    assert_eq!((&run["progress"]["left"], &run["progress"]["failed"]), (&json!(0), &json!(0)));
    assert_eq!(run["progress"]["audited"], PLANTED_PAGES);
    let times = times(&site);
    for path in [
        "/",
        "/a",
        "/b",
        "/old",
        "/orphan",
        "/product/6",
        "/gone",
        "/robots.txt",
        "/sitemap.xml",
        "/list-1.xml",
        "/list-2.xml",
        "/list-3.xml",
    ] {
        assert_eq!(times.get(path), Some(&1), "{path}: {times:?}");
    }
    assert_eq!(times.get("/secret"), None, "robots.txt is obeyed");

    let found = get(&app, &token, &format!("{path}/findings")).await;
    let codes: Vec<&str> =
        found["findings"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect();
    for code in ["broken_internal_link", "duplicate_title", "internal_link_redirects", "orphan_page"] {
        assert!(codes.contains(&code), "{code}: {codes:?}");
    }
    let broken = get(&app, &token, &format!("{path}/findings?code=broken_internal_link")).await;
    assert_eq!(broken["total"], 1);
    let broken = &broken["findings"][0];
    assert_eq!((&broken["scope"], &broken["cases"][0]["url"]), (&json!("between_pages"), &json!(site.url("/gone"))));
    assert_eq!(broken["cases"][0]["pages"][0], json!({"url": site.url("/"), "detail": "Gone"}));
    let missing = get(&app, &token, &format!("{path}/findings?code=meta_description_missing")).await;
    assert_eq!(missing["findings"][0]["total"], PLANTED_PAGES);

    let templates = get(&app, &token, &format!("{path}/templates")).await;
    assert!(
        templates["templates"].as_array().unwrap().iter().any(|one| one["pages"].as_u64() > Some(5)),
        "{templates}"
    );
    let pages = get(&app, &token, &format!("{path}/pages")).await;
    assert_eq!((&pages["pages"][0]["url"], &pages["pages"][0]["answer"]), (&json!(site.url("/")), &json!("page")));
    let page = get(&app, &token, &format!("{path}/pages/0?lang=pt-BR")).await;
    assert_eq!((&page["number"], &page["url"]), (&json!(0), &json!(site.url("/"))));
    assert!(page["issues"].as_array().unwrap().len() >= page["fixes"].as_array().unwrap().len());
    let unknown = app.call(Call::get(&format!("{path}/pages/4000")).token(&token)).await;
    assert_eq!(unknown.refusal(), (404, "site_page_not_found".to_owned()));

    let report = get(&app, &token, &format!("{path}/report")).await;
    assert_eq!((&report["url"], &report["score"]), (&json!(site.url("/")), &run["figures"]["score"]));
    assert_eq!(report["changes"], Value::Null);
    // That it fits its schema was checked with the call; this is that its schema leaves nothing out.
    assert_eq!(app.undescribed(&format!("{path}/report"), &report), Vec::<String>::new());
    for list in ["findings", "pageFindings", "templates"] {
        assert!(!report[list].as_array().unwrap().is_empty(), "{list} are described");
    }
    for (format, media_type, part) in [
        ("html", "text/html; charset=utf-8", "<h1>Auditoria do site"),
        ("sarif", "application/sarif+json", "broken_internal_link"),
        ("csv", "text/csv; charset=utf-8; header=present", "url,answer,status"),
    ] {
        let document = app.call(Call::get(&format!("{path}/report?format={format}&lang=pt-BR")).token(&token)).await;
        assert_eq!((document.status, document.header("content-type")), (200, media_type));
        assert!(document.body.contains(part), "{format}: {}", document.body);
    }
}

async fn a_run_is_its_owners(database: TestDatabase) {
    let site = TestSite::start(planted).await;
    let app = TestApp::start(database, |_| {}).await;
    let (token, stranger) = (app.guest().await, app.guest().await);
    let id = begun(&app.call(begin(&token, &json!({"url": site.url("/"), "max_pages": 2}))).await);
    work_off(&app).await;
    let missing = (404, "site_not_found".to_owned());
    for below in ["", "/pages", "/pages/0", "/findings", "/templates", "/report"] {
        let call = || Call::get(&format!("/api/sites/{id}{below}"));
        assert_eq!(app.call(call().token(&token)).await.status, 200, "{below}");
        assert_eq!(app.call(call().token(&stranger)).await.refusal(), missing, "{below}");
        assert_eq!(app.call(call()).await.refusal(), (401, "guest_token_required".to_owned()), "{below}");
        let unknown = Call::get(&format!("/api/sites/nothing{below}")).token(&token);
        assert_eq!(app.call(unknown).await.refusal(), missing, "{below}");
    }
    let delete = |token: &str| Call::new("DELETE", &format!("/api/sites/{id}")).token(token);
    assert_eq!(app.call(delete(&stranger)).await.refusal(), missing);
    assert_eq!(get(&app, &token, "/api/sites").await["sites"][0]["id"], json!(id));
    assert_eq!(get(&app, &stranger, "/api/sites").await["sites"], json!([]));
    // A member reads what an organization has begun, and does not delete it.
    let (ana, eve) = (people::account(&app, "ana").await, people::account(&app, "eve").await);
    people::organization(&app, "bakery", &[(ana.as_str(), "member")]).await;
    let key = people::key(&app, "organization:bakery").await;
    let with_key = |call: Call<'static>| call.header("x-api-key", &key);
    let body = json!({"url": site.url("/"), "max_pages": 1}).to_string();
    let id = begun(&app.call(with_key(Call::new("POST", "/api/sites").body(&body))).await);
    work_off(&app).await;
    let path = format!("/api/sites/{id}");
    let (ana, eve) = (people::session(&app, &ana).await, people::session(&app, &eve).await);
    assert_eq!(app.call(ana.cookie(Call::get(&path))).await.status, 200);
    assert_eq!(app.call(eve.cookie(Call::get(&path))).await.refusal(), missing);
    assert_eq!(app.call(with_key(Call::new("DELETE", &path))).await.status, 200);
}

async fn mistakes_name_their_field(database: TestDatabase) {
    let app = TestApp::start(database, |config| config.limits.site_pages = 50).await;
    let token = app.guest().await;
    let long = "x".repeat(201);
    let many = vec!["x"; 21];
    for (field, body) in [
        ("url", json!({"url": "nothing"})),
        ("max_pages", json!({"url": "https://example.com/", "max_pages": 0})),
        ("max_pages", json!({"url": "https://example.com/", "max_pages": 51})),
        ("max_depth", json!({"url": "https://example.com/", "max_depth": 1001})),
        ("include", json!({"url": "https://example.com/", "include": ["("]})),
        ("include", json!({"url": "https://example.com/", "include": [long]})),
        ("exclude", json!({"url": "https://example.com/", "exclude": many})),
        ("exclude", json!({"url": "https://example.com/", "exclude": ["(?:\\w{60}){60}"]})),
        ("sitemaps", json!({"url": "https://example.com/", "sitemaps": vec!["https://example.com/s.xml"; 11]})),
        ("max_usd", json!({"url": "https://example.com/", "max_usd": -1.0})),
        ("max_usd", json!({"url": "https://example.com/", "max_usd": "much"})),
        ("max_page", json!({"url": "https://example.com/", "max_page": 3})),
    ] {
        let refused = app.call(begin(&token, &body)).await;
        assert_eq!(refused.status, 400, "{field}: {}", refused.body);
        let answer = refused.json();
        let detail = answer["detail"].as_str().unwrap_or_default();
        let is_named = detail.starts_with(field) || field == "url" && answer["code"] == "invalid_url";
        assert!(is_named, "{field}: {answer}");
    }
    let private = app.call(begin(&token, &json!({"url": "http://10.0.0.1/"}))).await;
    assert_eq!(private.refusal(), (400, "address_not_allowed".to_owned()));
    let crawler = Call::new("POST", "/api/sites").token(&token).header("user-agent", "SiteAudit/9.9");
    let crawler = app.call(crawler.body(r#"{"url": "https://example.com/"}"#)).await;
    assert_eq!(crawler.refusal(), (403, "crawler_not_allowed".to_owned()));
    let run = begun(&app.call(begin(&token, &json!({"url": "http://127.0.0.2:1/"}))).await);
    for path in ["/api/sites?cursor=x".to_owned(), format!("/api/sites/{run}/pages?cursor=-1")] {
        let refused = app.call(Call::get(&path).token(&token)).await.refusal();
        assert_eq!(refused, (400, "invalid_parameter".to_owned()), "{path}");
    }
}

async fn a_run_that_cant_begin_fails_with_a_reason(database: TestDatabase) {
    let closed = TestSite::start(|asked| match asked.path.as_str() {
        "/robots.txt" => SiteAnswer::page(503, "text/plain", "later"),
        _ => SiteAnswer::html("<!doctype html><title>Home</title>"),
    })
    .await;
    let app = TestApp::start(database, |_| {}).await;
    let token = app.guest().await;
    for (url, reason) in
        [("http://127.0.0.2:1/".to_owned(), "target_unreachable"), (closed.url("/"), "robots_unreachable")]
    {
        let id = begun(&app.call(begin(&token, &json!({"url": url}))).await);
        work_off(&app).await;
        let run = get(&app, &token, &format!("/api/sites/{id}")).await;
        assert_eq!((&run["status"], &run["reason"]), (&json!("failed"), &json!(reason)), "{run}");
        assert!(run["message"].as_str().unwrap().ends_with('.'), "{run}");
        let report = app.call(Call::get(&format!("/api/sites/{id}/report")).token(&token)).await;
        assert_eq!(report.refusal(), (409, "site_not_finished".to_owned()));
    }
}

async fn a_deleted_run_is_gone(database: TestDatabase) {
    let site = TestSite::start(planted).await;
    let app = TestApp::start(database, |_| {}).await;
    let token = app.guest().await;
    let id = begun(&app.call(begin(&token, &json!({"url": site.url("/")}))).await);
    let path = format!("/api/sites/{id}");
    assert_eq!(app.call(Call::new("DELETE", &path).token(&token)).await.json(), json!({"ok": true}));
    assert_eq!(app.call(Call::get(&path).token(&token)).await.refusal(), (404, "site_not_found".to_owned()));
    work_off(&app).await;
    assert!(site.asked().is_empty(), "its job finds nothing to do");
}

async fn a_caller_who_waits_hears_the_end_of_a_run(database: TestDatabase) {
    let site = TestSite::start(planted).await;
    let app = TestApp::start(database, |_| {}).await;
    let token = app.guest().await;
    let id = begun(&app.call(begin(&token, &json!({"url": site.url("/")}))).await);
    let path = format!("/api/sites/{id}?wait=25");
    let hearing = async {
        let mut calls = 1;
        // One wait is enough, but on a machine that is slower than its longest.
        while get(&app, &token, &path).await["status"] == "running" {
            calls += 1;
        }
        calls
    };
    let (calls, _) = tokio::join!(hearing, work_off(&app));
    assert!(calls <= 10, "{calls} calls: nobody has to ask again and again");
    assert_eq!(get(&app, &token, &path).await["status"], "finished");
}

async fn lists_come_in_parts(database: TestDatabase) {
    const PAGES: usize = 130;
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/" => {
            let links: String = (1..PAGES).map(|n| format!("<a href=/file-{n}.txt>File {n}</a>")).collect();
            SiteAnswer::html(&format!("<!doctype html><html lang=en><title>Many files</title>{links}"))
        }
        path if path.starts_with("/file-") => SiteAnswer::page(200, "text/plain", "a file"),
        _ => SiteAnswer::missing(),
    })
    .await;
    let app = TestApp::start(database, |_| {}).await;
    let token = app.guest().await;
    let id = begun(&app.call(begin(&token, &json!({"url": site.url("/")}))).await);
    work_off(&app).await;
    let path = format!("/api/sites/{id}/pages");
    let first = get(&app, &token, &path).await;
    assert_eq!((first["pages"].as_array().unwrap().len(), &first["cursor"]), (100, &json!("100")));
    let rest = get(&app, &token, &format!("{path}?cursor=100")).await;
    assert_eq!((&rest["pages"][0]["number"], &rest["cursor"]), (&json!(100), &Value::Null));
    let all = 100 + rest["pages"].as_array().unwrap().len();
    // The start page, its files, and the addresses that visitors type.
    assert!(all >= PAGES, "{all}");
    let refused = app.call(Call::get(&format!("{path}?cursor=x")).token(&token)).await;
    assert_eq!(refused.refusal(), (400, "invalid_parameter".to_owned()));
    let bodies = json!({"url": "http://127.0.0.2:1/"});
    for _ in 0..3 {
        begun(&app.call(begin(&token, &bodies)).await);
        work_off(&app).await;
    }
    let list = get(&app, &token, "/api/sites").await;
    assert_eq!((list["sites"].as_array().unwrap().len(), &list["cursor"]), (4, &Value::Null));
    let newest = list["sites"][0]["id"].as_str().unwrap();
    let after = get(&app, &token, &format!("/api/sites?cursor={newest}")).await;
    assert_eq!(after["sites"].as_array().unwrap()[..], list["sites"].as_array().unwrap()[1..]);
}
