//! Organizations: who may do what in them, invitations by real mail, and that there is always an owner.

use std::time::Duration;

use serde_json::{Value, json};
use service::jobs;
use testkit::{MailServer, SiteAnswer, TestDatabase, TestSite};

use super::people::{self, SignedIn};
use crate::app::{Call, Response, TestApp};
use crate::jobs::mailing;

testkit::on_both_databases! {
    members_read_what_their_organization_audited,
    members_read_the_pages_that_their_organization_follows,
    an_organization_is_made_changed_and_removed_in_seven_days,
    somebody_is_invited_by_mail_and_accepts_once,
    an_invitation_is_for_its_address_while_it_is_good,
    nobody_is_flooded_with_invitations,
    roles_decide_what_a_member_may_do,
    the_last_owner_stays,
    members_without_a_second_factor_can_only_leave_where_one_is_asked_for,
    what_is_anothers_is_not_there,
    what_happens_in_an_organization_is_noted,
}

const UNKNOWN: &str = "00000000-0000-7000-8000-0000000000cc";
const SHARED: &str = "00000000-0000-7000-8000-0000000000aa";

async fn person(app: &TestApp, name: &str) -> (String, SignedIn) {
    let account = people::account(app, name).await;
    let session = people::session(app, &account).await;
    (account, session)
}

async fn call(app: &TestApp, session: &SignedIn, method: &'static str, path: &str, body: Value) -> Response {
    let path = format!("/api/auth/{path}");
    let call = Call::new(method, &path);
    let call = if matches!(method, "GET" | "DELETE") { call } else { call.body(&body.to_string()) };
    app.call(session.page(app, call)).await
}

async fn made(app: &TestApp, session: &SignedIn) -> String {
    let answer = call(app, session, "POST", "organizations", json!({ "name": " Acme " })).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()["organization"]["id"].as_str().unwrap().to_owned()
}

async fn an_organization_is_made_changed_and_removed_in_seven_days(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let (_, ana) = person(&app, "ana").await;
    let id = made(&app, &ana).await;
    let path = format!("organizations/{id}");
    let expected = json!({
        "id": id, "name": "Acme", "role": "owner", "require_second_factor": false, "keys": true,
        "created_at": "2026-01-31T09:30:00.000Z", "delete_after": null,
    });
    let listed = call(&app, &ana, "GET", "organizations", Value::Null).await;
    assert_eq!(listed.json(), json!({ "organizations": [expected] }));
    let renamed = call(&app, &ana, "PATCH", &path, json!({ "name": "Acme GmbH" })).await;
    assert_eq!(renamed.json()["organization"]["name"], "Acme GmbH");
    for (body, code) in [
        (json!({}), "invalid_body"),
        (json!({ "name": "" }), "invalid_organization_name"),
        (json!({ "name": "é".repeat(81) }), "invalid_organization_name"),
        (json!({ "keys": 1 }), "invalid_body"),
    ] {
        assert_eq!(call(&app, &ana, "PATCH", &path, body.clone()).await.refusal(), (400, code.to_owned()), "{body}");
    }
    for (body, method) in [(json!({ "keys": false }), "PATCH"), (Value::Null, "DELETE")] {
        let refused = call(&app, &ana, method, &path, body).await.refusal();
        assert_eq!(refused, (403, "organization_mfa_required".to_owned()), "{method}");
    }
    people::with_second_factor(&app, &ana).await;
    let switched = call(&app, &ana, "PATCH", &path, json!({ "keys": false, "name": "Acme" })).await;
    assert_eq!((&switched.json()["organization"]["keys"], switched.status), (&json!(false), 200));
    let closed = call(&app, &ana, "DELETE", &path, Value::Null).await.json();
    assert_eq!(closed["organization"]["delete_after"], "2026-02-07T09:30:00.000Z");
    app.pass(Duration::from_secs(60));
    let again = call(&app, &ana, "DELETE", &path, Value::Null).await.json();
    assert_eq!(again["organization"]["delete_after"], "2026-02-07T09:30:00.000Z");
    let kept = call(&app, &ana, "POST", &format!("{path}/restore"), json!({})).await.json();
    assert_eq!(kept["organization"]["delete_after"], Value::Null);
    app.pass(Duration::from_secs(301));
    let stale = call(&app, &ana, "DELETE", &path, Value::Null).await;
    assert_eq!(stale.refusal(), (401, "reauth_required".to_owned()));
}

async fn somebody_is_invited_by_mail_and_accepts_once(database: TestDatabase) {
    let server = MailServer::start().await;
    let app = TestApp::start(database, mailing(&server)).await;
    let ((_, ana), (bo, bos)) = (person(&app, "ana").await, person(&app, "bo").await);
    let id = made(&app, &ana).await;
    let path = format!("organizations/{id}/invitations");
    let invited = call(&app, &ana, "POST", &path, json!({ "email": " Bo@Example.com", "role": "admin" })).await;
    assert_eq!(invited.status, 200, "{}", invited.body);
    let listed = call(&app, &ana, "GET", &path, Value::Null).await.json();
    assert_eq!(listed, json!({ "invitations": [invited.json()["invitation"]] }));
    jobs::work_off(&app.app).await.unwrap();
    let letter = server.letters().pop().unwrap();
    assert!(letter.text().contains("ana@example.com invited you to the organization Acme"), "{}", letter.text());
    let link = letter.link("http");
    let token = link.split_once("token=").unwrap().1.to_owned();
    let accept = async || call(&app, &bos, "POST", "invitations/accept", json!({ "token": token })).await;
    let read = call(&app, &bos, "POST", "invitations/read", json!({ "token": token })).await.json();
    assert_eq!((&read["organization"], &read["invitation"]["role"]), (&json!("Acme"), &json!("admin")));
    app.pass(Duration::from_secs(1));
    let accepted = accept().await;
    assert_eq!((accepted.status, &accepted.json()["organization"]["role"]), (200, &json!("admin")));
    assert_eq!(accept().await.refusal(), (404, "invitation_not_found".to_owned()));
    let members = call(&app, &bos, "GET", &format!("organizations/{id}/members"), Value::Null).await.json();
    assert_eq!((&members["members"][1]["account_id"], &members["members"][1]["role"]), (&json!(bo), &json!("admin")));
    let again = call(&app, &ana, "POST", &path, json!({ "email": "bo@example.com", "role": "member" })).await;
    assert_eq!(again.refusal(), (409, "already_done".to_owned()));
}

async fn an_invitation_is_for_its_address_while_it_is_good(database: TestDatabase) {
    let server = MailServer::start().await;
    let app = TestApp::start(database, mailing(&server)).await;
    let (ana_id, ana) = person(&app, "ana").await;
    let ((_, bos), (_, cys)) = (person(&app, "bo").await, person(&app, "cy").await);
    let id = made(&app, &ana).await;
    let path = format!("organizations/{id}/invitations");
    let invite = async || {
        app.database.execute(&format!("UPDATE sessions SET proven_at = {}", app.app.ports().now().0)).await;
        let body = json!({ "email": "bo@example.com", "role": "member" });
        let made = call(&app, &ana, "POST", &path, body).await;
        assert_eq!(made.status, 200, "{}", made.body);
        jobs::work_off(&app.app).await.unwrap();
        let link = server.letters().pop().unwrap().link("http");
        (link.split_once("token=").unwrap().1.to_owned(), made.json()["invitation"]["id"].as_str().unwrap().to_owned())
    };
    let accept = async |session: &SignedIn, token: &str| {
        call(&app, session, "POST", "invitations/accept", json!({ "token": token })).await.refusal()
    };
    let missing = (404, "invitation_not_found".to_owned());
    let (first, _) = invite().await;
    for token in ["", "x", &"A".repeat(43)] {
        assert_eq!(accept(&bos, token).await, missing, "{token}");
    }
    assert_eq!(accept(&cys, &first).await, missing);
    let (second, invitation) = invite().await;
    assert_eq!(accept(&bos, &first).await, missing, "a newer one took its place");
    let ended = call(&app, &ana, "DELETE", &format!("{path}/{invitation}"), Value::Null).await;
    assert_eq!(ended.status, 200, "{}", ended.body);
    assert_eq!(accept(&bos, &second).await, missing);
    let (third, _) = invite().await;
    // Who sent it may not invite any more.
    app.database.execute("UPDATE members SET role = 'member'").await;
    assert_eq!(accept(&bos, &third).await, missing);
    app.database.execute(&format!("UPDATE members SET role = 'owner' WHERE account_id = '{ana_id}'")).await;
    app.pass(Duration::from_secs(7 * 86_400));
    assert_eq!(accept(&bos, &third).await, missing);
    // Twenty are open at most.
    for n in 0..21 {
        app.database.execute(&format!("UPDATE sessions SET proven_at = {}", app.app.ports().now().0)).await;
        let body = json!({ "email": format!("x{n}@example.com"), "role": "member" });
        let answer = call(&app, &ana, "POST", &path, body).await;
        assert_eq!(answer.status, if n < 20 { 200 } else { 409 }, "{n} {}", answer.body);
    }
}

async fn nobody_is_flooded_with_invitations(database: TestDatabase) {
    let server = MailServer::start().await;
    let app = TestApp::start(database, mailing(&server)).await;
    let (_, ana) = person(&app, "ana").await;
    // Of however many organizations.
    let mut answers = Vec::new();
    for _ in 0..6 {
        let path = format!("organizations/{}/invitations", made(&app, &ana).await);
        let body = json!({ "email": "Bo@example.com", "role": "member" });
        answers.push(call(&app, &ana, "POST", &path, body).await);
    }
    let limited = answers.pop().unwrap();
    assert!(answers.iter().all(|answer| answer.status == 200));
    assert_eq!((limited.refusal(), limited.header("retry-after")), ((429, "rate_limited".to_owned()), "720"));
    // Others are written to, until the network has written to so many.
    let path = format!("organizations/{}/invitations", made(&app, &ana).await);
    for n in 0..25 {
        let body = json!({ "email": format!("x{n}@example.com"), "role": "member" });
        let answer = call(&app, &ana, "POST", &path, body).await;
        let wanted = match n {
            0..20 => 200,
            20..24 => 409,
            _ => 429,
        };
        assert_eq!(answer.status, wanted, "{n} {}", answer.body);
    }
}

async fn roles_decide_what_a_member_may_do(database: TestDatabase) {
    let server = MailServer::start().await;
    let app = TestApp::start(database, mailing(&server)).await;
    let mut sessions = Vec::new();
    let mut ids = Vec::new();
    for name in ["owner", "admin", "member", "spare"] {
        let (id, session) = person(&app, name).await;
        people::with_second_factor(&app, &session).await;
        ids.push(id);
        sessions.push(session);
    }
    let [owner, admin, member, spare] = [0, 1, 2, 3].map(|n: usize| ids[n].clone());
    let reset = async || {
        app.database
            .execute("DELETE FROM members; DELETE FROM invitations; UPDATE organizations SET delete_after = NULL")
            .await;
        let roles = [(owner.as_str(), "owner"), (&admin, "admin"), (&member, "member"), (&spare, "member")];
        people::organization(&app, SHARED, &roles).await;
    };
    let path = |rest: &str| format!("organizations/{SHARED}{rest}");
    let invite = |role: &str| json!({ "email": "new@example.com", "role": role });
    let may = |who: &str| if who.is_empty() { "" } else { "organization_forbidden" }.to_owned();
    // Who does it, and whether owner, admin and member may.
    for (method, rest, body, allowed) in [
        ("GET", String::new(), Value::Null, [true, true, true]),
        ("GET", "/members".to_owned(), Value::Null, [true, true, true]),
        ("GET", "/invitations".to_owned(), Value::Null, [true, true, true]),
        ("GET", "/tabs".to_owned(), Value::Null, [true, true, true]),
        ("PATCH", String::new(), json!({ "name": "x" }), [true, true, false]),
        ("PATCH", String::new(), json!({ "require_second_factor": true }), [true, true, false]),
        ("PATCH", String::new(), json!({ "keys": true }), [true, true, false]),
        ("DELETE", String::new(), Value::Null, [true, false, false]),
        ("POST", "/restore".to_owned(), json!({}), [true, false, false]),
        ("POST", "/invitations".to_owned(), invite("member"), [true, true, false]),
        ("POST", "/invitations".to_owned(), invite("admin"), [true, false, false]),
        ("POST", "/invitations".to_owned(), invite("owner"), [true, false, false]),
        ("PATCH", format!("/members/{spare}"), json!({ "role": "admin" }), [true, false, false]),
        ("DELETE", format!("/members/{spare}"), Value::Null, [true, true, false]),
        ("DELETE", format!("/members/{admin}"), Value::Null, [true, true, false]),
        ("DELETE", format!("/members/{owner}"), Value::Null, [false, false, false]),
        ("POST", "/leave".to_owned(), json!({}), [false, true, true]),
    ] {
        for (session, is_allowed) in sessions.iter().zip(allowed) {
            reset().await;
            let answer = call(&app, session, method, &path(&rest), body.clone()).await;
            let code = if answer.status < 400 { String::new() } else { answer.refusal().1 };
            let wanted = if is_allowed { may("") } else { may("no") };
            let is_last = code == "last_owner" && !is_allowed;
            assert!(code == wanted || is_last, "{method} {rest} {body}: {} {code}", answer.status);
        }
    }
}

async fn the_last_owner_stays(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let ((ana, anas), (bo, _)) = (person(&app, "ana").await, person(&app, "bo").await);
    people::organization(&app, SHARED, &[(&ana, "owner"), (&bo, "admin")]).await;
    let path = |rest: &str| format!("organizations/{SHARED}{rest}");
    let last = (409, "last_owner".to_owned());
    for (method, rest, body) in [
        ("POST", "/leave".to_owned(), json!({})),
        ("DELETE", format!("/members/{ana}"), Value::Null),
        ("PATCH", format!("/members/{ana}"), json!({ "role": "admin" })),
    ] {
        assert_eq!(call(&app, &anas, method, &path(&rest), body).await.refusal(), last, "{method} {rest}");
    }
    let key = people::key(&app, &format!("organization:{SHARED}")).await;
    app.database.execute(&format!("UPDATE api_keys SET created_by = '{bo}'")).await;
    let members = call(&app, &anas, "GET", &path("/members"), Value::Null).await.json();
    // Both came at the same moment, so their ids decide.
    assert_eq!((&members["members"][0]["account_id"], &members["members"][0]["keys"]), (&json!(bo), &json!(1)));
    let raised = call(&app, &anas, "PATCH", &path(&format!("/members/{bo}")), json!({ "role": "owner" })).await;
    assert_eq!(raised.status, 200, "{}", raised.body);
    // Their keys go with them, unless it is said otherwise.
    let removed = call(&app, &anas, "DELETE", &path(&format!("/members/{bo}?revoke_keys=false")), Value::Null).await;
    assert_eq!(removed.status, 200, "{}", removed.body);
    let status = async || app.call(Call::get("/api/tools").header("x-api-key", &key)).await.status;
    assert_eq!(status().await, 200);
    people::organization(&app, SHARED, &[(&bo, "member")]).await;
    call(&app, &anas, "DELETE", &path(&format!("/members/{bo}")), Value::Null).await;
    assert_eq!(status().await, 401);
    let missing = (404, "member_not_found".to_owned());
    for member in [bo.as_str(), UNKNOWN, "x", "%00"] {
        let path = path(&format!("/members/{member}"));
        assert_eq!(call(&app, &anas, "DELETE", &path, Value::Null).await.refusal(), missing, "{member}");
    }
}

async fn members_without_a_second_factor_can_only_leave_where_one_is_asked_for(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let ((ana, anas), (bo, bos)) = (person(&app, "ana").await, person(&app, "bo").await);
    people::organization(&app, SHARED, &[(&ana, "owner"), (&bo, "member")]).await;
    let path = format!("organizations/{SHARED}");
    let needed = (403, "organization_mfa_required".to_owned());
    // Nobody shuts themselves out.
    let body = json!({ "require_second_factor": true });
    assert_eq!(call(&app, &anas, "PATCH", &path, body.clone()).await.refusal(), needed);
    people::with_second_factor(&app, &anas).await;
    assert_eq!(call(&app, &anas, "PATCH", &path, body).await.status, 200);
    for rest in ["", "/members", "/invitations", "/tabs"] {
        assert_eq!(call(&app, &bos, "GET", &format!("{path}{rest}"), Value::Null).await.refusal(), needed, "{rest}");
    }
    assert_eq!(call(&app, &bos, "GET", "organizations", Value::Null).await.json()["organizations"][0]["id"], SHARED);
    assert_eq!(call(&app, &bos, "POST", &format!("{path}/leave"), json!({})).await.status, 200);
}

async fn what_is_anothers_is_not_there(database: TestDatabase) {
    let server = MailServer::start().await;
    let app = TestApp::start(database, mailing(&server)).await;
    let ((ana, _), (_, bos)) = (person(&app, "ana").await, person(&app, "bo").await);
    people::organization(&app, SHARED, &[(&ana, "owner")]).await;
    people::with_second_factor(&app, &bos).await;
    let own = made(&app, &bos).await;
    let missing = (404, "organization_not_found".to_owned());
    for id in [SHARED, UNKNOWN, "x", "%00"] {
        for (method, rest, body) in [
            ("GET", "", Value::Null),
            ("PATCH", "", json!({ "name": "x" })),
            ("DELETE", "", Value::Null),
            ("POST", "/restore", json!({})),
            ("POST", "/leave", json!({})),
            ("GET", "/members", Value::Null),
            ("GET", "/invitations", Value::Null),
            ("GET", "/tabs", Value::Null),
            ("POST", "/invitations", json!({ "email": "x@example.com", "role": "member" })),
            ("PATCH", "/members/00000000-0000-7000-8000-0000000000cc", json!({ "role": "admin" })),
            ("DELETE", "/members/00000000-0000-7000-8000-0000000000cc", Value::Null),
            ("DELETE", "/invitations/00000000-0000-7000-8000-0000000000cc", Value::Null),
        ] {
            let answer = call(&app, &bos, method, &format!("organizations/{id}{rest}"), body).await;
            assert_eq!(answer.refusal(), missing, "{method} {id}{rest}");
        }
    }
    // Another's member under one's own organization.
    let path = format!("organizations/{own}/members/{ana}");
    assert_eq!(call(&app, &bos, "DELETE", &path, Value::Null).await.refusal(), (404, "member_not_found".to_owned()));
}

async fn what_happens_in_an_organization_is_noted(database: TestDatabase) {
    let server = MailServer::start().await;
    let app = TestApp::start(database, mailing(&server)).await;
    let ((_, ana), (of_bo, bo)) = (person(&app, "ana").await, person(&app, "bo").await);
    people::with_second_factor(&app, &ana).await;
    let id = made(&app, &ana).await;
    app.pass(Duration::from_secs(1));
    let path = |rest: &str| format!("organizations/{id}{rest}");
    let done = async |session: &SignedIn, method, path: &str, body: Value| {
        let answer = call(&app, session, method, path, body).await;
        assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
        app.pass(Duration::from_secs(1));
        answer.json()
    };
    let invite = json!({ "email": "carla@example.com", "role": "member" });
    let invited = done(&ana, "POST", &path("/invitations"), invite).await;
    let invitation = invited["invitation"]["id"].as_str().unwrap();
    done(&ana, "DELETE", &path(&format!("/invitations/{invitation}")), Value::Null).await;
    done(&ana, "POST", &path("/invitations"), json!({ "email": "bo@example.com", "role": "member" })).await;
    jobs::work_off(&app.app).await.unwrap();
    let link = server.wait_for(2).await.pop().unwrap().link("http");
    let token = link.split_once("token=").unwrap().1.to_owned();
    done(&bo, "POST", "invitations/accept", json!({ "token": token })).await;
    let member = path(&format!("/members/{of_bo}"));
    done(&ana, "PATCH", &member, json!({ "role": "admin" })).await;
    done(&bo, "PATCH", &path(""), json!({ "name": "Acme GmbH" })).await;
    done(&ana, "DELETE", &member, Value::Null).await;
    done(&ana, "DELETE", &path(""), Value::Null).await;
    // What was refused is not noted.
    assert_eq!(call(&app, &bo, "PATCH", &path(""), json!({ "name": "Bo's" })).await.status, 404);
    let events = async |session: &SignedIn| {
        let events = call(&app, session, "GET", "events", Value::Null).await.json();
        let events = events["events"].as_array().unwrap().clone();
        let of_it = events.iter().filter(|event| event["organization"] == id.as_str());
        of_it.rev().map(|event| event["kind"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let of_ana = ["organization_made", "member_invited", "invitation_ended", "member_invited", "organization_closed"];
    assert_eq!(events(&ana).await, of_ana);
    let of_bo = ["invitation_accepted", "role_set_to_admin", "organization_renamed", "removed_from_organization"];
    assert_eq!(events(&bo).await, of_bo);
}

async fn members_read_what_their_organization_audited(database: TestDatabase) {
    let site = TestSite::start(|_| SiteAnswer::html("<title>t</title>")).await;
    let app = TestApp::start(database, |_| {}).await;
    let (ana, bo) = (people::account(&app, "ana").await, people::account(&app, "bo").await);
    let (of_ana, of_bo) = (people::session(&app, &ana).await, people::session(&app, &bo).await);
    people::organization(&app, "o", &[(&ana, "member")]).await;
    let key = people::key(&app, "organization:o").await;
    let made = app.call(Call::audit(&site.url("/")).header("x-api-key", &key)).await.json();
    let id = made["id"].as_str().unwrap();
    let (audit, patch, page) =
        (format!("/api/audits/{id}"), format!("/api/audits/{id}/patch"), format!("/reports/{id}"));
    for path in [&audit, &patch, &page] {
        assert_eq!(app.call(of_ana.cookie(Call::get(path))).await.status, 200, "{path}");
        assert_eq!(app.call(of_bo.cookie(Call::get(path))).await.status, 404, "{path}");
    }
    // Reading is all: it is published by who may edit it, and the page offers nothing else.
    let share = || Call::new("POST", &format!("{audit}/share"));
    let shown = async || app.call(of_ana.cookie(Call::get(&page))).await.body;
    assert_eq!(app.call(of_ana.page(&app, share())).await.refusal(), (404, "audit_not_found".to_owned()));
    assert!(!shown().await.contains(&format!("{page}/share")));
    let shared = app.call(share().header("x-api-key", &key)).await.json();
    let shown = shown().await;
    assert!(shown.contains(&format!("/r/{}", shared["slug"].as_str().unwrap())), "{shown}");
    assert!(!shown.contains("/unshare") && !shown.contains("/share</code>"), "{shown}");
    // One that asks for a second factor asks it of its readers.
    app.database.execute("UPDATE organizations SET requires_second_factor = 1").await;
    assert_eq!(app.call(of_ana.cookie(Call::get(&audit))).await.status, 404);
    people::with_second_factor(&app, &of_ana).await;
    assert_eq!(app.call(of_ana.cookie(Call::get(&audit))).await.status, 200);
    app.database.execute("DELETE FROM members").await;
    assert_eq!(app.call(of_ana.cookie(Call::get(&audit))).await.status, 404);
}

async fn members_read_the_pages_that_their_organization_follows(database: TestDatabase) {
    let site = TestSite::start(|_| SiteAnswer::html("<title>t</title>")).await;
    let app = TestApp::start(database, |_| {}).await;
    let ((ana, of_ana), (_, of_bo)) = (person(&app, "ana").await, person(&app, "bo").await);
    people::organization(&app, SHARED, &[(&ana, "member")]).await;
    let key = people::key(&app, &format!("organization:{SHARED}")).await;
    let opened = Call::new("POST", "/api/tabs").body(&json!({ "url": site.url("/") }).to_string());
    let tab = app.call(opened.header("x-api-key", &key)).await.json()["tab"]["id"].as_str().unwrap().to_owned();
    let run = app.call(Call::new("POST", &format!("/api/tabs/{tab}/run")).header("x-api-key", &key)).await;
    assert_eq!(run.status, 200, "{}", run.body);
    let audit = run.json()["result"]["id"].as_str().unwrap().to_owned();
    // They are not among the member's own.
    assert_eq!(app.call(of_ana.cookie(Call::get("/api/tabs"))).await.json()["tabs"], json!([]));
    let list = format!("organizations/{SHARED}/tabs");
    let listed = call(&app, &of_ana, "GET", &list, Value::Null).await.json();
    assert_eq!((&listed["tabs"][0]["id"], &listed["tabs"][0]["audit_id"]), (&json!(tab), &json!(audit)));
    let paths = [
        format!("/api/tabs/{tab}"),
        format!("/api/tabs/{tab}/history"),
        format!("/api/tabs/{tab}/snoozes"),
        format!("/workspace/{tab}"),
        format!("/workspace/{tab}/tab.json"),
        format!("/workspace/{tab}/history"),
        format!("/workspace/{tab}/history.json"),
        format!("/workspace/{tab}/history.csv"),
        format!("/reports/{audit}"),
    ];
    let statuses = async |who: &SignedIn| {
        let mut statuses = std::collections::BTreeSet::new();
        for path in &paths {
            statuses.insert(app.call(who.cookie(Call::get(path))).await.status);
        }
        statuses.into_iter().collect::<Vec<_>>()
    };
    assert_eq!((statuses(&of_ana).await, statuses(&of_bo).await), (vec![200], vec![404]));
    let guest = app.guest().await;
    assert_eq!(app.call(Call::get(&paths[0]).token(&guest)).await.refusal(), (404, "tab_not_found".to_owned()));
    // Reading is all: the organization's key changes them.
    for (method, rest, body) in [
        ("PATCH", "", json!({ "monitor": true })),
        ("POST", "/run", json!({})),
        ("POST", "/snoozes", json!({ "code": "x", "reason": "x", "until": "2026-02-20" })),
        ("DELETE", "", Value::Null),
    ] {
        let path = format!("/api/tabs/{tab}{rest}");
        let change = Call::new(method, &path);
        let change = if body.is_null() { change } else { change.body(&body.to_string()) };
        let refused = app.call(of_ana.page(&app, change)).await.refusal();
        assert_eq!(refused, (404, "tab_not_found".to_owned()), "{method} {path}");
    }
    assert_eq!(app.call(of_ana.cookie(Call::get(&format!("/workspace/{tab}/settings")))).await.status, 404);
    // One that asks for a second factor asks it of its readers.
    app.database.execute("UPDATE organizations SET requires_second_factor = 1").await;
    assert_eq!(statuses(&of_ana).await, [404]);
    people::with_second_factor(&app, &of_ana).await;
    assert_eq!(statuses(&of_ana).await, [200]);
    app.database.execute("DELETE FROM members").await;
    assert_eq!(statuses(&of_ana).await, [404]);
}
