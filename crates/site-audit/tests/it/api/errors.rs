//! Every error code has an example: the answer of a real call in both languages, kept in `refusals.json` (`UPDATE=1` writes
//! it). What no call here comes to is said with the reason.

mod payments;
mod signed_in;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};
use service::config::{ChallengeProvider, LabSettings, SecretText};
use service::error::Code;
use testkit::{LabServer, ReceivedRequest, SiteAnswer, TestDatabase, TestSite};

use super::accounts;
use super::contact;
use super::lab::measuring;
use super::people::{self, OPERATOR, SignedIn};
use crate::app::{Call, TestApp};

testkit::on_both_databases! { every_code_has_an_example }

/// Headers that belong to an example, where an answer has them.
const HEADERS: &[&str] = &["allow", "cache-control", "content-type", "retry-after", "vary", "www-authenticate"];

/// Codes without an example here, and why; each has a test where it says.
const ELSEWHERE: &[(Code, &str)] = &[
    (Code::PaymentInProgress, "needs two calls at once: payments::by_credit"),
    (Code::RequestTimeout, "needs a client that stalls: api::surroundings"),
    (Code::HeadersTooLarge, "refused before a call is read: api::surroundings"),
    (Code::VerificationRequired, "told by pages only: pages::verification"),
    (Code::TargetTimeout, "needs a target that stalls for as long as an audit may take: fetch"),
    (Code::TargetBusy, "needs audits that hold a target's places: api::limits"),
    (Code::Overloaded, "needs a server without memory: api::surroundings"),
    (Code::Internal, "needs a defect: api::limits"),
    (Code::DatabaseUnavailable, "needs a database that does not answer: api::surroundings"),
    (Code::StorageFull, "needs a disk that is full: command_line::storage"),
    (Code::ProductClaimPending, "needs a database that does not answer: api::claim"),
];

/// Examples so far, by code and status.
struct Examples {
    told: BTreeMap<String, Value>,
    /// What differs from run to run, and what stands for it.
    names: Vec<(String, &'static str)>,
}

impl Examples {
    /// Calls in both languages; both answers must be of this code.
    async fn of(&mut self, app: &TestApp, code: Code, call: Call<'_>) {
        let mut example = json!({"status": code.status()});
        for lang in ["en", "pt-BR"] {
            let answer = app.call(call.clone().header("accept-language", lang)).await;
            let refusal = (code.status(), code.wire().to_owned());
            assert_eq!(answer.refusal(), refusal, "{} {}: {}", call.method, call.path, answer.body);
            example[lang] = serde_json::from_str(&self.named(&answer.body)).unwrap();
            let headers = HEADERS.iter().filter_map(|name| Some((*name, self.named(answer.headers.get(*name)?))));
            example["headers"] = headers.collect();
            assert_eq!(answer.header("content-language"), lang, "{code:?}");
        }
        assert_ne!(example["en"]["error"], example["pt-BR"]["error"], "{code:?}");
        self.told.insert(format!("{} {}", code.wire(), code.status()), example);
    }

    fn named(&self, text: &str) -> String {
        self.names.iter().fold(text.to_owned(), |text, (name, stands_for)| text.replace(name, stands_for))
    }

    /// Calls of a page of ours, one for each code.
    async fn of_page(&mut self, app: &TestApp, session: &SignedIn, calls: Vec<(Code, &'static str, String, Value)>) {
        for (code, method, path, body) in calls {
            let call = Call::new(method, &format!("/api/{path}"));
            let call = if body.is_null() { call } else { call.body(&body.to_string()) };
            self.of(app, code, session.page(app, call)).await;
        }
    }
}

fn site(asked: &ReceivedRequest) -> SiteAnswer {
    match asked.path.as_str() {
        "/inside" => SiteAnswer::redirect(302, "http://127.0.0.1/"),
        "/slow-down" => SiteAnswer::page(429, "text/html", ""),
        "/firewall" => SiteAnswer::Raw(
            b"HTTP/1.1 403 Forbidden\r\ncf-mitigated: challenge\r\nserver: cloudflare\r\ncontent-length: 0\r\n\r\n"
                .to_vec(),
        ),
        _ => SiteAnswer::missing(),
    }
}

async fn every_code_has_an_example(database: TestDatabase) {
    let site = TestSite::start(site).await;
    let (app, mail) = accounts::start_with(database, |config| {
        config.limits.watched_pages = 0;
        config.limits.guests_per_hour = 1;
    })
    .await;
    let names = vec![(site.url(""), "https://example.com"), (app.url(""), "https://audit.example.com")];
    let mut examples = Examples { told: BTreeMap::new(), names };
    of_nobody(&mut examples, &app, &site).await;
    let ana = people::account(&app, "ana").await;
    let session = people::session(&app, &ana).await;
    signed_in::of_input(&mut examples, &app, &session).await;
    signed_in::of_limits(&mut examples, &app, &ana, &session).await;
    signed_in::of_organizations(&mut examples, &app, &ana, &session).await;
    signed_in::of_sessions(&mut examples, &app, &session).await;
    signed_in::of_factors(&mut examples, &app, &mail).await;
    of_what_is_off(&mut examples, &app).await;
    of_verification(&mut examples, &app).await;
    of_contact(&mut examples, &app, &mail).await;
    payments::of_payments(&mut examples, &app).await;

    let key = |code: &Code| format!("{} {}", code.wire(), code.status());
    let told: BTreeSet<String> = examples.told.keys().cloned().collect();
    let elsewhere: BTreeSet<String> = ELSEWHERE.iter().map(|(code, _)| key(code)).collect();
    assert_eq!(told.intersection(&elsewhere).count(), 0, "an example, or a reason why there is none");
    let all: BTreeSet<String> = Code::ALL.iter().map(key).collect();
    assert_eq!(told.union(&elsewhere).cloned().collect::<BTreeSet<_>>(), all);
    compare(&examples.told);
}

/// Compares the examples with those that are kept.
fn compare(told: &BTreeMap<String, Value>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../api/src/documents/openapi/refusals.json");
    let wanted = serde_json::to_string_pretty(told).unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, wanted).unwrap();
        return;
    }
    let kept: BTreeMap<String, Value> = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    for (code, example) in told {
        assert_eq!(Some(example), kept.get(code), "{code}: if that is meant, UPDATE=1 writes {}", path.display());
    }
    assert_eq!(told.len(), kept.len());
}

/// Refusals that need no account.
async fn of_nobody(examples: &mut Examples, app: &TestApp, site: &TestSite) {
    let guest = app.guest().await;
    let post = |path: &str, body: &str| Call::new("POST", path).body(body);
    let audit = |path: &str| Call::audit(&site.url(path));
    let long = "a".repeat(70_000);
    for (code, call) in [
        (Code::RateLimited, Call::new("POST", "/api/guest")),
        (Code::InvalidBody, post("/api/audit", r#"{"url":7}"#)),
        (Code::InvalidParameter, Call::get("/api/checks/%ff")),
        (Code::InvalidUrl, Call::audit("ftp://example.com/")),
        (Code::AddressNotAllowed, Call::audit("http://127.0.0.1/")),
        (Code::RedirectNotAllowed, audit("/inside")),
        (Code::TargetUnreachable, Call::audit("http://127.0.0.2:1/")),
        (Code::TargetBlocked, audit("/firewall")),
        (Code::TargetRateLimited, audit("/slow-down")),
        (Code::CrawlerNotAllowed, audit("/").header("user-agent", "SiteAudit/9.9")),
        (Code::BodyTooLarge, post("/api/audit", &long)),
        (Code::UnsupportedMediaType, post("/api/audit", "{}").header("content-encoding", "gzip")),
        (Code::GuestTokenRequired, Call::get("/api/tabs")),
        (Code::GuestTokenInvalid, Call::get("/api/tabs").token(&format!("pa_{}", "A".repeat(43)))),
        (Code::InvalidApiKey, Call::get("/api/tabs").header("x-api-key", &format!("mmk_{}", "A".repeat(43)))),
        (Code::InvalidCredential, Call::get("/api/tabs").header("authorization", "Bearer something")),
        (Code::CreditRequired, Call::get("/api/credito")),
        (Code::InvalidSession, Call::get("/api/me")),
        (Code::NotFound, Call::get("/api/nothing")),
        (Code::MethodNotAllowed, Call::get("/api/audit")),
        (Code::CheckNotFound, Call::get("/api/checks/nothing")),
        (Code::ToolNotFound, Call::get("/api/tools/nothing")),
        (Code::ShareNotFound, Call::get("/api/shared/nothing")),
        (Code::AuditNotFound, Call::get("/api/audits/nothing").token(&guest)),
        (Code::TabNotFound, Call::get("/api/tabs/nothing").token(&guest)),
        (Code::SiteNotFound, Call::get("/api/sites/nothing").token(&guest)),
        (Code::PixUnavailable, post("/api/credito/pix", "{}").header("content-type", "application/json")),
    ] {
        examples.of(app, code, call).await;
    }
    let opened = app.call(post("/api/tabs", r#"{"url":"https://example.com/"}"#).token(&guest)).await.json();
    let watch = Call::new("PATCH", &format!("/api/tabs/{}", opened["tab"]["id"].as_str().unwrap()));
    examples.of(app, Code::AccountRequired, watch.body(r#"{"monitor":true}"#).token(&guest)).await;
    of_lab(examples, app, site, &guest).await;
    of_sites(examples, app, site, &guest).await;
}

/// Refusals of runs over sites: of one that is running, and of one too many.
async fn of_sites(examples: &mut Examples, app: &TestApp, site: &TestSite, guest: &str) {
    let begin = Call::new("POST", "/api/sites").body(&json!({"url": site.url("/lab")}).to_string()).token(guest);
    let begun = app.call(begin.clone()).await.json();
    let path = format!("/api/sites/{}", begun["site"]["id"].as_str().unwrap());
    examples.of(app, Code::SiteNotFinished, Call::get(&format!("{path}/report")).token(guest)).await;
    examples.of(app, Code::SitePageNotFound, Call::get(&format!("{path}/pages/0")).token(guest)).await;
    let limited = TestApp::start_on(app, |config| config.limits.site_runs = 1).await;
    examples.of(&limited, Code::SiteLimit, begin).await;
}

/// Refusals of lab tests: of a server without a provider, and of one for each limit.
async fn of_lab(examples: &mut Examples, app: &TestApp, site: &TestSite, guest: &str) {
    let audit = app.call(Call::audit(&site.url("/lab")).token(guest)).await.json();
    let path = format!("/api/audits/{}/lab", audit["id"].as_str().unwrap());
    let begin = |strategy: &str| Call::new("POST", &path).body(&json!({"strategy": strategy}).to_string()).token(guest);
    examples.of(app, Code::InvalidStrategy, begin("tablet")).await;
    examples.of(app, Code::LabUnavailable, begin("mobile")).await;
    let server = LabServer::start().await;
    for (code, change) in [
        (Code::LabBusy, (|lab| lab.at_once = 1) as fn(&mut LabSettings)),
        (Code::LabRateLimited, |lab| lab.per_hour = 0),
        (Code::LabDailyCap, |lab| lab.per_day = 0),
    ] {
        let provider = measuring(&server);
        let limited = TestApp::start_on(app, |config| {
            provider(config);
            change(&mut config.lab);
        })
        .await;
        if code == Code::LabBusy {
            assert_eq!(limited.call(begin("mobile")).await.status, 202);
        }
        examples.of(&limited, code, begin("desktop")).await;
    }
}

/// Refusals of services that verify browsers, on the database of `other`.
async fn of_verification(examples: &mut Examples, other: &TestApp) {
    let service = TestSite::start(|asked| {
        let answer = json!({ "success": asked.body.ends_with("=good") });
        SiteAnswer::page(200, "application/json", &answer.to_string())
    })
    .await;
    for (code, url, token) in [
        (Code::ChallengeFailed, service.url("/"), "bad"),
        (Code::ChallengeUsed, service.url("/"), "good"),
        (Code::ChallengeUnavailable, "http://127.0.0.2:1/".to_owned(), "good"),
    ] {
        let app = TestApp::start_on(other, |config| {
            config.challenge.provider = ChallengeProvider::Siteverify;
            config.challenge.url = Some(url);
        })
        .await;
        let verify = Call::new("POST", "/api/gate/verify").body(&json!({ "token": token }).to_string());
        if code == Code::ChallengeUsed {
            assert_eq!(app.call(verify.clone()).await.status, 200);
        }
        examples.of(&app, code, verify).await;
    }
}

/// Refusals of what this server does not have.
async fn of_what_is_off(examples: &mut Examples, app: &TestApp) {
    examples.of(app, Code::ContactUnconfigured, Call::new("POST", "/api/contact").body("{}")).await;
    let without_mail = TestApp::start_on(app, |_| {}).await;
    let session = people::session(&without_mail, &people::account(app, "eva").await).await;
    let register = vec![(Code::MailUnavailable, "POST", "auth/register".to_owned(), json!({"email": "e@example.com"}))];
    examples.of_page(&without_mail, &session, register).await;
    let without_accounts = TestApp::start_on(app, |config| {
        config.base_url = Some("http://audit.example.com".to_owned());
    })
    .await;
    examples.of(&without_accounts, Code::AuthUnavailable, Call::get("/api/auth/bootstrap")).await;
    examples.of(app, Code::OperatorUnavailable, Call::get("/metrics")).await;
    let watched = TestApp::start_on(app, |config| config.operator.token = Some(SecretText::new(OPERATOR))).await;
    examples.of(&watched, Code::OperatorTokenRequired, Call::get("/metrics")).await;
}

/// Refusals of messages to the team.
async fn of_contact(examples: &mut Examples, app: &TestApp, mail: &testkit::MailServer) {
    let app = TestApp::start_on(app, contact::receiving(mail)).await;
    let call = |change: Value| {
        let mut form = json!({"name": "Ana", "email": "ana@example.com", "message": "Hello", "tipo": "parceria"});
        form.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        Call::new("POST", "/api/contact").body(&form.to_string())
    };
    for (code, field) in [
        (Code::InvalidName, "name"),
        (Code::InvalidMessage, "message"),
        (Code::InvalidProposal, "tipo"),
        (Code::InvalidCompany, "empresa"),
        (Code::InvalidSite, "site"),
        (Code::InvalidBudget, "orcamento"),
        (Code::InvalidPlacements, "espaco"),
        (Code::InvalidDuration, "duracao"),
        (Code::InvalidMeans, "pagamento"),
    ] {
        examples.of(&app, code, call(json!({field: 7}))).await;
    }
    let rows = |row: &dyn Fn(u16) -> String| (0..1_000).map(row).collect::<Vec<_>>().join(", ");
    let jobs = rows(&|n| format!("('{n}', 'contact', 'x', 'waiting', 1, 0, 0, 0, 1)"));
    app.database
        .execute(&format!(
            "INSERT INTO jobs (id, lane, payload, state, run_at, attempts, locked_until, fence, created_at) VALUES {jobs}"
        ))
        .await;
    let turns = rows(&|n| format!("('{n}', 'n{n}', 1)"));
    app.database.execute(&format!("INSERT INTO contacts (job_id, network, send_at) VALUES {turns}")).await;
    examples.of(&app, Code::ContactQueueFull, call(json!({}))).await;
}
