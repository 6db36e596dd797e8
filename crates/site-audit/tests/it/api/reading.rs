//! A stored audit as its reader asks for it.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use service::jobs;
use testkit::{LabServer, SiteAnswer, TestDatabase, TestSite};

use super::lab;
use crate::app::{Call, TestApp};

testkit::on_both_databases! {
    an_audit_is_read_as_a_document_by_name_or_by_wish,
    some_fields_are_an_answer_too,
    a_budget_gives_the_most_urgent_first_and_leads_to_the_rest,
    a_report_has_a_name_for_caches_of_its_owner,
    a_snooze_changes_the_name_of_a_report_until_it_ends,
    a_lab_test_changes_the_name_of_a_report_twice,
    a_report_that_is_known_is_not_read_again,
    a_compressed_report_is_kept_for_who_may_read_it,
    what_does_not_go_together_is_refused,
    a_refusal_says_what_to_call_next,
}

/// A service with an audit: its path, and the token of its owner.
async fn audited(database: TestDatabase) -> (TestApp, String, String) {
    let site =
        TestSite::start(|_| SiteAnswer::html("<!doctype html><title>*Bread*</title><img src=a.png><a href=/></a>"))
            .await;
    let app = TestApp::start(database, |_| {}).await;
    let token = app.guest().await;
    let audit = app.call(Call::audit(&site.url("/")).token(&token)).await.json();
    (app, format!("/api/audits/{}", audit["id"].as_str().unwrap()), token)
}

async fn an_audit_is_read_as_a_document_by_name_or_by_wish(database: TestDatabase) {
    let (app, path, token) = audited(database).await;
    let asked = |query: &str, accept: &str| Call::get(&format!("{path}{query}")).token(&token).header("accept", accept);
    for (query, accept, wanted) in [
        ("", "*/*", "application/json"),
        ("", "text/markdown", "text/markdown; charset=utf-8"),
        ("", "application/json, text/markdown", "application/json"),
        ("", "application/json;q=0.5, application/sarif+json", "application/sarif+json"),
        ("?format=markdown", "application/json", "text/markdown; charset=utf-8"),
        ("?format=json", "text/markdown", "application/json"),
        ("?format=sarif&lang=pt-BR", "", "application/sarif+json"),
    ] {
        let response = app.call(asked(query, accept)).await;
        assert_eq!((response.status, response.header("content-type")), (200, wanted), "{query} {accept}");
        assert!(response.header("vary").contains("Accept"), "{}", response.header("vary"));
    }
    let markdown = app.call(asked("?format=markdown", "")).await.body;
    assert!(markdown.starts_with("# Audit of ") && markdown.contains("`canonical_missing`"), "{markdown}");
    assert!(!markdown.contains("\n# *"), "{markdown}");
    let sarif = app.call(asked("?format=sarif", "")).await.json();
    assert_eq!(
        (&sarif["version"], &sarif["runs"][0]["tool"]["driver"]["name"]),
        (&"2.1.0".into(), &"Site Audit".into())
    );
    // A refusal is JSON, whatever is wished.
    let missing = Call::get("/api/audits/x").token(&token).header("accept", "text/markdown");
    assert_eq!(app.call(missing).await.refusal(), (404, "audit_not_found".to_owned()));
}

async fn some_fields_are_an_answer_too(database: TestDatabase) {
    let (app, path, token) = audited(database).await;
    let whole = app.call(Call::get(&path).token(&token)).await.json();
    let part = app.call(Call::get(&format!("{path}?fields=score,issues.code")).token(&token)).await.json();
    assert_eq!(part.as_object().unwrap().keys().collect::<Vec<_>>(), ["score", "issues"]);
    assert_eq!(part["score"], whole["score"]);
    for (some, all) in part["issues"].as_array().unwrap().iter().zip(whole["issues"].as_array().unwrap()) {
        assert_eq!((some.as_object().unwrap().len(), &some["code"]), (1, &all["code"]));
    }
    let unknown = app.call(Call::get(&format!("{path}?fields=score,nothing")).token(&token)).await;
    assert_eq!(unknown.refusal(), (400, "invalid_parameter".to_owned()));
    assert!(unknown.body.contains("fields.nothing: unknown field; accepted fields: "), "{}", unknown.body);
}

async fn a_budget_gives_the_most_urgent_first_and_leads_to_the_rest(database: TestDatabase) {
    let (app, path, token) = audited(database).await;
    let whole = app.call(Call::get(&path).token(&token)).await.json();
    let count = whole["issues"].as_array().unwrap().len();
    for budget in [1_u32, 400, 100_000] {
        let (mut codes, mut urgent, mut calls) = (BTreeSet::new(), Vec::new(), 0);
        let mut query = format!("?budget={budget}");
        loop {
            let response = app.call(Call::get(&format!("{path}{query}")).token(&token)).await;
            let part = response.json();
            let issues = part["issues"].as_array().unwrap();
            assert_eq!(issues.len(), part["fixes"].as_array().unwrap().len());
            assert!(issues.len() == 1 || response.body.len() <= usize::try_from(budget).unwrap() * 4, "{budget}");
            for (issue, fix) in issues.iter().zip(part["fixes"].as_array().unwrap()) {
                assert_eq!(issue["code"], fix["code"]);
                codes.insert(issue["code"].as_str().unwrap().to_owned());
                urgent.extend((issue["points"] != 0).then(|| issue["code"].clone()));
            }
            assert_eq!(part["remaining"], count - codes.len());
            calls += 1;
            match &part["cursor"] {
                Value::String(cursor) => query = format!("?budget={budget}&cursor={cursor}"),
                _ => break,
            }
        }
        assert_eq!(codes.len(), count);
        assert_eq!(Value::from(urgent), whole["fixFirst"], "{budget}");
        assert_eq!(calls == 1, budget == 100_000, "{budget}: {calls} calls");
    }
}

async fn a_report_has_a_name_for_caches_of_its_owner(database: TestDatabase) {
    let (app, path, token) = audited(database).await;
    let first = app.call(Call::get(&path).token(&token)).await;
    assert_eq!(first.header("cache-control"), "private, no-cache");
    let known =
        |query: &str| Call::get(&format!("{path}{query}")).token(&token).header("if-none-match", first.header("etag"));
    assert_eq!(app.call(known("")).await.status, 304);
    assert_eq!(app.call(known("?lang=pt-BR")).await.status, 200);
    let stranger = Call::get(&path).header("if-none-match", first.header("etag"));
    assert_eq!(app.call(stranger).await.status, 401);
    // What changes of the answer changes its name.
    let share = |method| Call::new(method, &format!("{path}/share")).token(&token);
    let slug = app.call(share("POST")).await.json()["slug"].clone();
    let shared = app.call(known("")).await;
    assert_eq!((shared.status, &shared.json()["share_slug"]), (200, &slug));
    assert_ne!(shared.header("etag"), first.header("etag"));
    assert_eq!(app.call(share("DELETE")).await.status, 200);
    assert_eq!(app.call(known("")).await.status, 304);
}

async fn a_snooze_changes_the_name_of_a_report_until_it_ends(database: TestDatabase) {
    let (app, path, token) = audited(database).await;
    let other = TestApp::start_on(&app, |_| {}).await;
    let read = async |app: &TestApp, known: &str| {
        app.call(Call::get(&path).token(&token).header("if-none-match", known)).await
    };
    let first = read(&app, "").await;
    let whole = first.json();
    let body = json!({ "url": whole["url"] }).to_string();
    let tab = app.call(Call::new("POST", "/api/tabs").token(&token).body(&body)).await.json();
    let snoozes = format!("/api/tabs/{}/snoozes", tab["tab"]["id"].as_str().unwrap_or_else(|| panic!("{tab}")));
    assert_eq!(read(&app, first.header("etag")).await.status, 304, "a followed page is no change of its report");
    let mut names = vec![first.header("etag").to_owned()];
    for code in &whole["fixFirst"].as_array().unwrap()[..2] {
        let body = json!({"code": code, "reason": "The new template", "until": "2026-02-02"}).to_string();
        let snoozed = app.call(Call::new("POST", &snoozes).token(&token).body(&body)).await;
        assert_eq!(snoozed.status, 200, "{}", snoozed.body);
        // Whichever server is asked.
        for server in [&app, &other] {
            let changed = read(server, &names.join(", ")).await;
            assert_eq!(changed.status, 200, "{code}");
            assert!(!changed.json()["fixFirst"].as_array().unwrap().contains(code), "{code}: {}", changed.body);
            assert_eq!(read(server, changed.header("etag")).await.status, 304, "{code}");
        }
        names.push(read(&app, "").await.header("etag").to_owned());
    }
    let last = whole["fixFirst"][1].as_str().unwrap();
    let ended = app.call(Call::new("DELETE", &format!("{snoozes}/{last}")).token(&token)).await;
    assert_eq!(ended.status, 200, "{}", ended.body);
    assert_eq!(read(&other, &names[1]).await.status, 304, "what is as it was has the name that it had");
    // The other one ends by itself.
    app.pass(Duration::from_secs(3 * 86_400));
    assert_eq!(read(&app, &names[1]).await.json()["fixFirst"], whole["fixFirst"]);
    assert_eq!(read(&app, &names[0]).await.status, 304);
}

async fn a_lab_test_changes_the_name_of_a_report_twice(database: TestDatabase) {
    let (server, page) = (LabServer::start().await, lab::page().await);
    let app = TestApp::start(database, lab::measuring(&server)).await;
    let token = app.guest().await;
    let audit = app.call(Call::audit(&page.url("/")).token(&token)).await.json();
    let path = format!("/api/audits/{}", audit["id"].as_str().unwrap());
    let read = async |known: &str| app.call(Call::get(&path).token(&token).header("if-none-match", known)).await;
    let mut names = vec![read("").await.header("etag").to_owned()];
    let begun = app.call(Call::new("POST", &format!("{path}/lab")).token(&token).body("{}")).await;
    assert_eq!(begun.status, 202, "{}", begun.body);
    for state in ["running", "finished"] {
        let changed = read(&names.join(", ")).await;
        assert_eq!((changed.status, &changed.json()["summary"]["lab"]["mobile"]["status"]), (200, &state.into()));
        names.push(changed.header("etag").to_owned());
        assert_eq!(read(&names[names.len() - 1]).await.status, 304, "{state}");
        jobs::work_off(&app.app).await.unwrap();
    }
}

/// A report that can't be read shows that nothing of it was.
async fn a_report_that_is_known_is_not_read_again(database: TestDatabase) {
    let (app, path, token) = audited(database).await;
    let asked =
        |query: &str, known: &str| Call::get(&format!("{path}{query}")).token(&token).header("if-none-match", known);
    let queries = ["", "?lang=pt-BR", "?format=markdown", "?fields=score", "?budget=100"];
    let mut read = Vec::new();
    for query in queries {
        read.push(app.call(asked(query, "")).await);
    }
    let names: BTreeSet<&str> = read.iter().map(|read| read.header("etag")).collect();
    assert_eq!(names.len(), queries.len(), "{names:?}");
    app.damage_reports().await;
    // Another server has written none of them.
    let other = TestApp::start_on(&app, |_| {}).await;
    for (query, read) in queries.into_iter().zip(&read) {
        let known = other.call(asked(query, read.header("etag"))).await;
        assert_eq!((known.status, known.body.as_str(), known.header("content-type")), (304, "", ""), "{query}");
        for name in ["etag", "cache-control", "content-language"] {
            assert_eq!(known.header(name), read.header(name), "{query}: {name}");
        }
        for nothing in ["", "\"a\"", "*"] {
            assert_eq!(other.call(asked(query, nothing)).await.refusal(), (500, "internal".to_owned()), "{query}");
        }
        // This one has, a moment ago.
        let again = app.call(asked(query, "")).await;
        assert_eq!((again.status, &again.body), (200, &read.body), "{query}");
        for name in ["etag", "cache-control", "content-language", "content-type"] {
            assert_eq!(again.header(name), read.header(name), "{query}: {name}");
        }
    }
    for (app, token) in [(&app, app.guest().await), (&other, other.guest().await)] {
        let stranger = Call::get(&path).token(&token).header("if-none-match", read[0].header("etag"));
        assert_eq!(app.call(stranger).await.refusal(), (404, "audit_not_found".to_owned()));
    }
}

async fn a_compressed_report_is_kept_for_who_may_read_it(database: TestDatabase) {
    let (app, path, token) = audited(database).await;
    let coded = |token: &str, coding: &str| Call::get(&path).token(token).header("accept-encoding", coding);
    let plain = app.call(Call::get(&path).token(&token)).await;
    assert_eq!(plain.header("content-encoding"), "");
    for coding in ["gzip", "br"] {
        let (first, again) = (app.call(coded(&token, coding)).await, app.call(coded(&token, coding)).await);
        for answer in [&first, &again] {
            assert_eq!((answer.status, answer.header("content-encoding")), (200, coding));
            for name in ["etag", "content-type", "cache-control", "vary"] {
                assert_eq!(answer.header(name), plain.header(name), "{name}");
            }
        }
        assert_eq!((&first.body, &again.body), (&plain.body, &plain.body), "{coding}");
    }
    assert_eq!(app.call(coded(&token, "gzip;q=0")).await.body, plain.body);
    let known = coded(&token, "gzip").header("if-none-match", plain.header("etag"));
    let known = app.call(known).await;
    assert_eq!((known.status, known.body.as_str()), (304, ""));
    let other = app.guest().await;
    assert_eq!(app.call(coded(&other, "gzip;q=0")).await.refusal(), (404, "audit_not_found".to_owned()));
}

async fn what_does_not_go_together_is_refused(database: TestDatabase) {
    let (app, path, token) = audited(database).await;
    for query in [
        "?budget=0",
        "?budget=-1",
        "?budget=x",
        "?cursor=1",
        "?budget=10&cursor=0",
        "?budget=10&cursor=x",
        "?budget=10&cursor=9999",
        "?format=pdf",
        "?format=markdown&budget=10",
        "?format=sarif&fields=score",
        "?fields=",
        "?fields=%00",
    ] {
        let response = app.call(Call::get(&format!("{path}{query}")).token(&token)).await;
        assert_eq!(response.refusal(), (400, "invalid_parameter".to_owned()), "{query}");
    }
}

async fn a_refusal_says_what_to_call_next(database: TestDatabase) {
    let (app, path, _) = audited(database).await;
    for (call, next) in [
        (Call::get(&path), "create_guest"),
        (Call::get("/api/checks/x"), "list_checks"),
        (Call::get("/api/x"), "get_index"),
    ] {
        let body = app.call(call).await.json();
        assert_eq!(body["next"]["operation"], next, "{body}");
        let helps = Call::new(body["next"]["method"].as_str().unwrap(), body["next"]["path"].as_str().unwrap());
        assert_eq!(app.call(helps).await.status, 200, "{body}");
    }
}
