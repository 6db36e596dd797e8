//! Every error code has an example: the answer of a real call in both languages, kept in `errors.json` (`UPDATE=1` writes
//! it). What no call here comes to is said with the reason.

mod payments;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use service::config::{ChallengeProvider, LabSettings, SecretText};
use service::credential::token_digest;
use service::error::Code;
use testkit::{LabServer, ReceivedRequest, SiteAnswer, TestDatabase, TestSite};

use super::accounts;
use super::accounts::factors::enrolled;
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

const UNKNOWN: &str = "00000000-0000-7000-8000-0000000000cc";
const ACME: &str = "00000000-0000-7000-8000-0000000000aa";
const BOS: &str = "00000000-0000-7000-8000-0000000000ab";

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
    let names = vec![(site.url(""), "http://site"), (app.url(""), "http://here")];
    let mut examples = Examples { told: BTreeMap::new(), names };
    of_nobody(&mut examples, &app, &site).await;
    let ana = people::account(&app, "ana").await;
    let session = people::session(&app, &ana).await;
    of_input(&mut examples, &app, &session).await;
    of_limits(&mut examples, &app, &ana, &session).await;
    of_organizations(&mut examples, &app, &ana, &session).await;
    of_sessions(&mut examples, &app, &session).await;
    of_factors(&mut examples, &app, &mail).await;
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
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/api/errors.json");
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
        (Code::PixUnavailable, post("/api/credito/pix", "{}").header("content-type", "application/json")),
    ] {
        examples.of(app, code, call).await;
    }
    let opened = app.call(post("/api/tabs", r#"{"url":"https://example.com/"}"#).token(&guest)).await.json();
    let watch = Call::new("PATCH", &format!("/api/tabs/{}", opened["tab"]["id"].as_str().unwrap()));
    examples.of(app, Code::AccountRequired, watch.body(r#"{"monitor":true}"#).token(&guest)).await;
    of_lab(examples, app, site, &guest).await;
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

/// Refusals of what a person typed, or of what is not there.
async fn of_input(examples: &mut Examples, app: &TestApp, session: &SignedIn) {
    let key = |name: &str, organization: &str| json!({"name": name, "organizationId": organization});
    let profile = json!({"name": "A", "locale": "en", "timeZone": "UTC", "theme": "dark", "revision": 7});
    let claim = |token: &str| json!({"guest_token": token});
    let no_passkey = json!({"name": "x", "credential": {"id": "AAAA", "rawId": "AAAA", "type": "public-key",
        "response": {"clientDataJSON": "AAAA", "attestationObject": "AAAA"}}});
    let organization = |rest: &str| format!("auth/organizations/{UNKNOWN}{rest}");
    let calls = vec![
        (Code::InvalidEmail, "POST", "auth/register".to_owned(), json!({"email": "ana"})),
        (Code::InvalidLink, "POST", "auth/email/confirm".to_owned(), json!({"token": "x"})),
        (Code::InvalidKeyName, "POST", "account/keys/create".to_owned(), json!({"name": "", "organizationId": null})),
        (Code::InvalidOrganization, "POST", "account/keys/create".to_owned(), key("x", "x")),
        (Code::InvalidKeyId, "POST", "account/keys/revoke".to_owned(), json!({"id": "x"})),
        (Code::KeyNotFound, "POST", "account/keys/revoke".to_owned(), json!({"id": UNKNOWN})),
        (Code::SessionNotFound, "POST", "auth/sessions/end".to_owned(), json!({"id": UNKNOWN})),
        (Code::RevisionConflict, "POST", "auth/profile".to_owned(), profile),
        (Code::InvalidProductClaim, "POST", "auth/claim".to_owned(), claim("x")),
        (Code::UnknownGuest, "POST", "auth/claim".to_owned(), claim(&format!("pa_{}", "A".repeat(43)))),
        (Code::InvalidOrganizationName, "POST", "auth/organizations".to_owned(), json!({"name": ""})),
        (Code::OrganizationNotFound, "GET", organization(""), Value::Null),
        (Code::InvitationNotFound, "POST", "auth/invitations/accept".to_owned(), json!({"token": "x"})),
        (Code::InvalidImage, "PUT", "auth/avatar".to_owned(), json!({"image": "AAAA"})),
        (Code::InvalidPasskey, "POST", "auth/passkeys/add".to_owned(), no_passkey),
    ];
    examples.of_page(app, session, calls).await;
    let write = || Call::new("POST", "/api/auth/claim").body("{}");
    let short = Call::get("/api/auth/bootstrap").header("x-mm-context", "short");
    examples.of(app, Code::InvalidRequest, session.cookie(short)).await;
    examples.of(app, Code::InvalidOrigin, session.cookie(write())).await;
    examples.of(app, Code::InvalidCsrf, session.page(app, write()).replace("x-csrf-token", "x")).await;
}

/// Bytes as each database writes them.
fn bytes(app: &TestApp, bytes: &[u8]) -> String {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    if app.database.is_postgres() { format!("'\\x{hex}'") } else { format!("x'{hex}'") }
}

/// Refusals of what would be too many.
async fn of_limits(examples: &mut Examples, app: &TestApp, ana: &str, session: &SignedIn) {
    let tab = |url: &str| json!({ "url": url });
    let open = session.page(app, Call::new("POST", "/api/tabs").body(&tab("https://example.com/").to_string()));
    let opened = app.call(open).await.json();
    let watched = format!("tabs/{}", opened["tab"]["id"].as_str().unwrap());
    let rows = |columns: &str, count: u16, row: &dyn Fn(u16) -> String| {
        let rows: Vec<String> = (0..count).map(row).collect();
        format!("INSERT INTO {columns} VALUES {}", rows.join(", "))
    };
    for sql in [
        rows("tabs (id, owner, url, created_at, monitor, alert_agreed)", 499, &|n| {
            format!("('{n}', 'account:{ana}', 'https://example.com/{n}', 1, 0, 0)")
        }),
        rows("api_keys (id, owner, product, created_by, name, token_digest, last4, created_at)", 10, &|n| {
            format!("('{n}', 'account:{ana}', 'site-audit', '{ana}', 'x', '{n}', 'x', 1)")
        }),
        rows("organizations (id, name, requires_second_factor, created_at)", 50, &|n| format!("('o{n}', 'x', 0, 1)")),
        rows("members (organization_id, account_id, role, created_at)", 50, &|n| {
            format!("('o{n}', '{ana}', 'member', 1)")
        }),
        rows(
            "passkeys (id, account_id, credential_id, public_key, sign_count, transports, name, created_at)",
            20,
            &|n| {
                format!(
                    "('{n}', '{ana}', {}, {}, 0, '', 'x', 1)",
                    bytes(app, &n.to_be_bytes()),
                    bytes(app, &n.to_be_bytes())
                )
            },
        ),
    ] {
        app.database.execute(&sql).await;
    }
    let calls = vec![
        (Code::TabLimit, "POST", "tabs".to_owned(), tab("https://example.com/more")),
        (Code::MonitorLimit, "PATCH", watched, json!({"monitor": true})),
        (Code::KeyLimitReached, "POST", "account/keys/create".to_owned(), json!({"name": "x", "organizationId": null})),
        (Code::OrganizationLimit, "POST", "auth/organizations".to_owned(), json!({"name": "Acme"})),
        (Code::PasskeyLimit, "POST", "auth/passkeys/options".to_owned(), json!({})),
    ];
    examples.of_page(app, session, calls).await;
    app.database.execute("DELETE FROM organizations").await;
}

/// Refusals in organizations.
async fn of_organizations(examples: &mut Examples, app: &TestApp, ana: &str, session: &SignedIn) {
    let bo = people::account(app, "bo").await;
    people::organization(app, ACME, &[(ana, "owner"), (&bo, "member")]).await;
    people::organization(app, BOS, &[(ana, "member"), (&bo, "owner")]).await;
    let member = |id: &str| format!("auth/organizations/{ACME}/members/{id}");
    let key = |id: &str| json!({"name": "x", "organizationId": id});
    let invite = json!({"email": "bo@example.com", "role": "member"});
    let calls = vec![
        (Code::MemberNotFound, "PATCH", member(UNKNOWN), json!({"role": "admin"})),
        (Code::LastOwner, "POST", format!("auth/organizations/{ACME}/leave"), json!({})),
        (Code::AlreadyDone, "POST", format!("auth/organizations/{ACME}/invitations"), invite),
        (Code::OrganizationForbidden, "POST", "account/keys/create".to_owned(), key(BOS)),
        (Code::OrganizationMfaRequired, "POST", "account/keys/create".to_owned(), key(ACME)),
    ];
    examples.of_page(app, session, calls).await;
}

/// Refusals of who somebody says to be.
async fn of_sessions(examples: &mut Examples, app: &TestApp, session: &SignedIn) {
    let sign_in = json!({"email": "nobody@example.com", "password": "a wrong password"});
    let calls = vec![
        (Code::InvalidCredentials, "POST", "auth/sign-in".to_owned(), sign_in),
        (Code::InvalidChallenge, "POST", "auth/sign-in/totp".to_owned(), json!({"challenge": "x", "code": "1"})),
    ];
    examples.of_page(app, session, calls).await;
    app.pass(Duration::from_secs(301));
    let stale = vec![(Code::ReauthRequired, "POST", "auth/totp/start".to_owned(), json!({}))];
    examples.of_page(app, session, stale).await;
    let out = session.page(app, Call::new("POST", "/api/auth/logout").body("{}"));
    assert_eq!(app.call(out).await.status, 200);
    examples.of(app, Code::SessionEnded, session.cookie(Call::get("/api/me"))).await;
}

/// Refusals of passwords and codes.
async fn of_factors(examples: &mut Examples, app: &TestApp, mail: &testkit::MailServer) {
    let mut browser = accounts::signed_up(app, mail, "carla@example.com").await;
    enrolled(app, &mut browser).await;
    let token = "a".repeat(43);
    let digest = bytes(app, &token_digest(&token));
    app.database
        .execute(&format!(
            "INSERT INTO email_tokens (token_digest, purpose, email, created_at, expires_at) \
             VALUES ({digest}, 'register', 'dora@example.com', 1, {})",
            i64::MAX
        ))
        .await;
    browser.bootstrap().await;
    let session = browser.signed_in();
    let calls = vec![
        (
            Code::PasswordRefused,
            "POST",
            "auth/register/complete".to_owned(),
            json!({"token": token, "password": "password123"}),
        ),
        (Code::SecondFactorRequired, "POST", "auth/reauth".to_owned(), json!({"password": accounts::PASSWORD})),
        (Code::InvalidCode, "POST", "auth/totp/remove".to_owned(), json!({"code": "000000"})),
    ];
    examples.of_page(app, &session, calls).await;
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
