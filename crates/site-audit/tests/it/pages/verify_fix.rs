//! Verifying a fix from a report, comparing two pages, and findings that are put off: what the pages send.

use std::time::Duration;

use serde_json::json;
use testkit::{SiteAnswer, TestDatabase, TestSite};

use super::cookie;
use crate::api::tabs::{BAD, GOOD, Page};
use crate::app::{Call, Response, TestApp};

testkit::on_both_databases! {
    a_changed_page_is_verified_and_a_patched_one_downloaded,
    a_page_that_declares_no_encoding_is_patched_as_its_author_has_it,
    two_pages_are_compared_and_none_with_itself,
    two_runs_of_a_page_are_compared_under_its_address,
    what_a_fix_reveals_is_no_change_of_the_score,
    a_finding_that_is_put_off_is_marked_and_not_fixed_first,
    followed_pages_are_found_by_their_words_and_run_at_once,
}

const FORM: &str = "application/x-www-form-urlencoded";

async fn site() -> TestSite {
    TestSite::start(|asked| match asked.path.as_str() {
        "/good" => SiteAnswer::html(GOOD),
        "/bad" => SiteAnswer::html(BAD),
        _ => SiteAnswer::missing(),
    })
    .await
}

async fn post(app: &TestApp, path: &str, cookie: &str, fields: &[(&str, &str)]) -> Response {
    let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    app.call(Call::new("POST", path).header("content-type", FORM).header("cookie", cookie).body(&body)).await
}

async fn get(app: &TestApp, path: &str, cookie: &str) -> Response {
    app.call(Call::get(path).header("cookie", cookie)).await
}

/// Audits a page from the first page; the path of its report, and the guest that was made.
async fn audited(app: &TestApp, url: &str, guest: &str) -> (String, String) {
    let answer = post(app, "/", guest, &[("url", url)]).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    let guest = if guest.is_empty() { cookie(answer.header("set-cookie")) } else { guest.to_owned() };
    (answer.header("location").to_owned(), guest)
}

async fn a_changed_page_is_verified_and_a_patched_one_downloaded(database: TestDatabase) {
    let (site, app) = (site().await, TestApp::start(database, |_| ()).await);
    let (report, guest) = audited(&app, &site.url("/bad"), "").await;
    assert!(get(&app, &report, &guest).await.body.contains("id=\"verify\""));
    let verify = format!("{report}/verify");
    let good = post(&app, &verify, &guest, &[("html", GOOD), ("do", "verify")]).await;
    assert_eq!(good.status, 200, "{}", good.body);
    assert!(good.body.contains("The fix works") && good.body.contains("title_missing"), "{}", good.body);
    let same = post(&app, &verify, &guest, &[("html", BAD), ("do", "verify")]).await;
    assert!(same.body.contains("Nothing changed") && same.body.contains("(±0)"), "{}", same.body);
    for (what, name, part) in [("page", "index.html", "<h1>"), ("diff", "page.diff", "@@")] {
        let patched = post(&app, &verify, &guest, &[("html", BAD), ("do", what)]).await;
        assert_eq!(patched.status, 200, "{}", patched.body);
        assert_eq!(patched.header("content-disposition"), format!("attachment; filename=\"{name}\""));
        assert!(
            patched.header("content-type").starts_with("text/plain") && patched.body.contains(part),
            "{}",
            patched.body
        );
    }
    let other_page = post(&app, &verify, &guest, &[("html", "<p>x"), ("do", "page")]).await;
    assert_eq!(other_page.status, 400, "{}", other_page.body);
    assert!(other_page.body.contains("role=\"alert\""), "{}", other_page.body);
    assert_eq!(app.free_remaining().await, 9, "all that is free");
    let staged = post(&app, &verify, &guest, &[("url", &site.url("/good")), ("do", "audit")]).await;
    assert_eq!(staged.status, 303, "{}", staged.body);
    // The page of the stages leads to the comparison.
    let running = get(&app, staged.header("location"), &guest).await;
    let id = report.rsplit('/').next().unwrap();
    let place = if running.status == 303 { running.header("location").to_owned() } else { running.body };
    assert!(place.contains(&format!("/compare?before={id}&")), "{place}");
    assert_eq!(post(&app, &verify, "", &[("html", GOOD)]).await.status, 404);
}

async fn a_page_that_declares_no_encoding_is_patched_as_its_author_has_it(database: TestDatabase) {
    // UTF-8 that says so nowhere is read as windows-1252: "PÃ£o".
    const PAGE: &str = "<!doctype html>\n<html lang=pt>\n<head>\n<title>Pão de centeio, todo dia às sete</title>\n\
        <meta name=viewport content=\"width=device-width, user-scalable=no\">\n</head>\n\
        <body><h1>Pão de centeio</h1><p>Farinha, água e sal</p></body>\n</html>\n";
    let answer = |page: &'static str| {
        let head =
            format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\n\r\n{page}", page.len());
        SiteAnswer::Raw(head.into_bytes())
    };
    let site = TestSite::start(move |asked| match asked.path.as_str() {
        "/pao.html" => answer(PAGE),
        _ => SiteAnswer::missing(),
    })
    .await;
    let app = TestApp::start(database, |_| ()).await;
    let (report, guest) = audited(&app, &site.url("/pao.html"), "").await;
    let verify = format!("{report}/verify?lang=en");
    // Browsers end the lines of a form in their own way.
    for sent in [PAGE.to_owned(), PAGE.replace('\n', "\r\n")] {
        let patched = post(&app, &verify, &guest, &[("html", &sent), ("do", "page")]).await;
        assert_eq!(patched.status, 200, "{}", patched.body);
        assert_eq!(patched.header("content-disposition"), "attachment; filename=\"pao.html\"");
        for part in ["<meta charset=\"utf-8\">", "<title>Pão de centeio, todo dia às sete</title>", "água"] {
            assert!(patched.body.contains(part), "{part}: {}", patched.body);
        }
        assert!(!patched.body.contains("user-scalable") && !patched.body.contains('Ã'), "{}", patched.body);
    }
    let diff = post(&app, &verify, &guest, &[("html", PAGE), ("do", "diff")]).await;
    assert!(diff.body.contains("+<meta charset=\"utf-8\">") && !diff.body.contains('Ã'), "{}", diff.body);
    let moved = PAGE.replace("<meta", "<!-- x --><meta");
    for other in [moved.as_str(), "<title>Pão</title>"] {
        let refused = post(&app, &verify, &guest, &[("html", other), ("do", "page")]).await;
        let told = "This HTML is not the source that was audited.";
        assert!(refused.status == 400 && refused.body.contains(told), "{}", refused.body);
    }
}

async fn two_runs_of_a_page_are_compared_under_its_address(database: TestDatabase) {
    let (site, app) = (site().await, TestApp::start(database, |_| ()).await);
    let (before, guest) = audited(&app, &site.url("/bad"), "").await;
    app.pass(Duration::from_secs(2 * 86_400));
    let (after, _) = audited(&app, &site.url("/bad"), &guest).await;
    let id = |path: &str| path.split('?').next().unwrap().rsplit('/').next().unwrap().to_owned();
    let report = get(&app, &format!("{after}?lang=en"), &guest).await.body;
    assert!(report.contains("Since the previous run (2 days ago): nothing changed"), "{report}");
    let query = format!("/compare?before={}&after={}", id(&before), id(&after));
    for (lang, title, other) in [
        ("en", "<h1>Two runs compared</h1>", "<h2>Compare two pages</h2>"),
        ("pt-BR", "<h1>Duas auditorias comparadas</h1>", "<h2>Comparar duas páginas</h2>"),
    ] {
        let page = get(&app, &format!("{query}&lang={lang}"), &guest).await.body;
        let address = format!("<p class=\"address\">{}</p>", site.url("/bad"));
        assert!(page.contains(title) && page.contains(other) && page.contains(&address), "{page}");
    }
}

async fn what_a_fix_reveals_is_no_change_of_the_score(database: TestDatabase) {
    const HIDDEN: &str = "<!doctype html><html lang=en><head><meta charset=utf-8><meta name=robots content=noindex>\
        <title>Home</title></head><body><h1>Rye bread</h1><p>Flour, water, salt.</p></body></html>";
    const SHOWN: &str = "<!doctype html><html lang=en><head><meta charset=utf-8>\
        <title>Home</title></head><body><h1>Rye bread</h1><p>Flour, water, salt.</p></body></html>";
    let (page, app) = (Page::start(HIDDEN).await, TestApp::start(database, |_| ()).await);
    let (before, guest) = audited(&app, &page.url(), "").await;
    page.set(Some(SHOWN));
    app.pass(Duration::from_secs(60));
    let (after, _) = audited(&app, &page.url(), &guest).await;
    let id = |path: &str| path.rsplit('/').next().unwrap().to_owned();
    for (lang, on_report, compared) in [
        ("en", "Revealed findings existed before", "By the checks that both audits measured, the page gained"),
        ("pt-BR", "Achados revelados já existiam", "Pelas verificações medidas nas duas auditorias, a página ganhou"),
    ] {
        let report = get(&app, &format!("{after}?lang={lang}"), &guest).await.body;
        assert!(report.contains(on_report), "{report}");
        let address = format!("/compare?before={}&after={}&lang={lang}", id(&before), id(&after));
        let page = get(&app, &address, &guest).await.body;
        assert!(page.contains(compared), "{page}");
    }
}

async fn two_pages_are_compared_and_none_with_itself(database: TestDatabase) {
    let (site, app) = (site().await, TestApp::start(database, |_| ()).await);
    assert_eq!(get(&app, "/compare", "").await.status, 200);
    let (good, bad) = (site.url("/good"), site.url("/bad"));
    let compared = post(&app, "/compare", "", &[("first", &good), ("second", &bad)]).await;
    assert_eq!(compared.status, 303, "{}", compared.body);
    let guest = cookie(compared.header("set-cookie"));
    assert_eq!(app.free_remaining().await, 8);
    let place = compared.header("location").to_owned();
    let page = get(&app, &place, &guest).await;
    assert_eq!(page.status, 200, "{}", page.body);
    for part in ["Only on the second page", "title_missing", &good, &bad] {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
    let query = place.split_once('?').unwrap().1;
    let token = guest.split_once('=').unwrap().1;
    let api = app.call(Call::get(&format!("/api/compare?{query}")).token(token)).await;
    assert_eq!(api.status, 200, "{}", api.body);
    assert_eq!(get(&app, &format!("{place}&format=json"), &guest).await.json(), api.json());
    assert_eq!(api.json()["before"]["url"], good);
    let id = api.json()["before"]["audit_id"].as_str().unwrap().to_owned();
    let itself = format!("compare?before={id}&after={id}");
    assert_eq!(get(&app, &format!("/{itself}"), &guest).await.status, 400);
    let refused = app.call(Call::get(&format!("/api/{itself}")).token(token)).await;
    assert_eq!((refused.status, &refused.json()["code"]), (400, &json!("invalid_parameter")), "{}", refused.body);
    assert_eq!(get(&app, &place, "").await.status, 404);
    let typed = post(&app, "/compare", &guest, &[("first", &good), ("second", "ftp://a.example/")]).await;
    assert_eq!(typed.status, 400);
    assert!(typed.body.contains(&good) && typed.body.contains("role=\"alert\""), "{}", typed.body);
}

async fn a_finding_that_is_put_off_is_marked_and_not_fixed_first(database: TestDatabase) {
    let (site, app) = (site().await, TestApp::start(database, |_| ()).await);
    let (report, guest) = audited(&app, &site.url("/bad"), "").await;
    let first = |page: &str| {
        page.split("id=\"first\"")
            .nth(1)
            .is_some_and(|page| page.split("</section>").next().unwrap().contains("#f-title_missing"))
    };
    let shown = get(&app, &report, &guest).await.body;
    assert!(first(&shown) && !shown.contains("/snooze?"), "{shown}");
    let opened = post(&app, "/workspace", &guest, &[("url", &site.url("/bad"))]).await;
    let place = opened.header("location").split('?').next().unwrap().to_owned();
    let shown = get(&app, &report, &guest).await.body;
    assert!(shown.contains(&format!("{place}/snooze?code=title_missing")), "{shown}");
    // The audit of before is the page's first run, and running it again is a run of the followed page.
    assert!(shown.contains(&format!("{place}/run")), "{shown}");
    let id = report.rsplit('/').next().unwrap();
    let form = get(&app, &format!("{place}/snooze?code=title_missing&report={id}"), &guest).await;
    let until =
        form.body.split("type=\"date\" required value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let fields = [("code", "title_missing"), ("reason", "Next <sprint>"), ("until", &until), ("report", id)];
    let put_off = post(&app, &format!("{place}/snooze"), &guest, &fields).await;
    assert!(put_off.header("location").starts_with(&report), "{}", put_off.body);
    let later = get(&app, &report, &guest).await.body;
    assert!(!first(&later), "{later}");
    for part in ["Snoozed until", "Next &#60;sprint&#62;", "id=\"f-title_missing\""] {
        assert!(later.contains(part), "{part}: {later}");
    }
    let score = |page: &str| page.split("class=\"big\"").nth(1).unwrap().split("<small").next().unwrap().to_owned();
    assert_eq!(score(&shown), score(&later), "the score stays");
    // Programs get the same: not among what to fix first, and named as put off.
    let token = guest.split_once('=').unwrap().1;
    let read = async |path: &str| app.call(Call::get(path).token(token)).await.json();
    let tab = read(&format!("/api/tabs/{}", place.rsplit('/').next().unwrap())).await;
    assert_eq!(
        (&tab["snoozes"][0]["code"], &tab["snoozes"][0]["reason"]),
        (&json!("title_missing"), &json!("Next <sprint>"))
    );
    let answers = [
        tab["result"].clone(),
        read(&format!("/api/audits/{id}")).await,
        read("/api/tabs").await["active_result"].clone(),
    ];
    for answer in &answers {
        let first = answer["fixFirst"].as_array().unwrap();
        assert!(!first.is_empty() && !first.contains(&json!("title_missing")), "{first:?}");
        assert!(answer["issues"].as_array().unwrap().iter().any(|issue| issue["code"] == "title_missing"));
    }
    assert!(get(&app, &format!("{place}/settings"), &guest).await.body.contains("Next &#60;sprint&#62;"));
    // It ends by itself.
    app.pass(Duration::from_secs(15 * 86_400));
    assert!(first(&get(&app, &report, &guest).await.body));
    assert!(read(&format!("/api/audits/{id}")).await["fixFirst"].as_array().unwrap().contains(&json!("title_missing")));
    let ended = post(&app, &format!("{place}/snooze"), &guest, &[("code", "title_missing"), ("do", "end")]).await;
    assert_eq!(ended.status, 303);
    let wrong = post(&app, &format!("{place}/snooze"), &guest, &[("code", "title_missing"), ("until", "x")]).await;
    assert_eq!(wrong.status, 400);
    assert_eq!(get(&app, &format!("{place}/snooze?code=nothing"), &guest).await.status, 404);
}

async fn followed_pages_are_found_by_their_words_and_run_at_once(database: TestDatabase) {
    let (site, app) = (site().await, TestApp::start(database, |_| ()).await);
    let (_, guest) = audited(&app, &site.url("/bad"), "").await;
    let mut places = Vec::new();
    for path in ["/bad", "/good"] {
        let opened = post(&app, "/workspace", &guest, &[("url", &site.url(path))]).await;
        places.push(opened.header("location").split('?').next().unwrap().to_owned());
    }
    let described = post(
        &app,
        &format!("{}/settings", places[1]),
        &guest,
        &[("tags", "shop, spring sale ,shop"), ("note", "Ana's")],
    )
    .await;
    assert_eq!(described.status, 303, "{}", described.body);
    let token = guest.split_once('=').unwrap().1;
    let tab = places[1].rsplit('/').next().unwrap();
    let api = app.call(Call::get(&format!("/api/tabs/{tab}")).token(token)).await.json();
    assert_eq!((&api["tab"]["tags"], &api["tab"]["note"]), (&json!(["shop", "spring sale"]), &json!("Ana's")));
    let has =
        |page: &Response| places.iter().map(|place| page.body.contains(&format!("\"{place}?lang"))).collect::<Vec<_>>();
    for (query, found) in [
        ("", [true, true]),
        ("?q=SPRING", [false, true]),
        ("?q=/bad", [true, false]),
        ("?tag=shop&sort=score", [false, true]),
        ("?q=nothing", [false, false]),
    ] {
        assert_eq!(has(&get(&app, &format!("/workspace{query}"), &guest).await), found, "{query}");
    }
    let long = "x".repeat(41);
    assert_eq!(post(&app, &format!("{}/settings", places[1]), &guest, &[("tags", &long)]).await.status, 400);
    let left = app.free_remaining().await;
    assert!(get(&app, "/workspace", &guest).await.body.contains("Run all 2"));
    assert_eq!(post(&app, "/workspace/run-all", &guest, &[]).await.status, 303);
    // Both run by themselves, one after the other.
    app.app.running().end_of_all().await;
    assert_eq!(app.free_remaining().await, left - 2);
    assert!(get(&app, &format!("{}/history", places[1]), &guest).await.body.contains("/reports/"));
    assert_eq!(post(&app, "/workspace/run-all", "", &[]).await.status, 404);
}
