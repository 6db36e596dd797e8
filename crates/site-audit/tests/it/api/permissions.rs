//! Who may call what: every route by every kind of caller. A new route needs a row here.

use std::collections::BTreeSet;

use testkit::TestDatabase;

use super::people::{self, OPERATOR, SignedIn};
use crate::app::{Call, TestApp};

testkit::on_both_databases! {
    every_route_lets_in_whom_it_should,
    a_write_with_a_session_must_come_from_a_page_of_ours,
}

/// What a caller of a kind gets to hear; an empty code: neither who they are nor where they come from is in the way.
struct Row {
    nobody: &'static str,
    /// Nobody, from a page of ours.
    browser: &'static str,
    guest: &'static str,
    session: &'static str,
    account_key: &'static str,
    organization_key: &'static str,
    operator: &'static str,
}

const OPEN: Row =
    Row { nobody: "", browser: "", guest: "", session: "", account_key: "", organization_key: "", operator: "" };
const OWNER: Row =
    Row { nobody: "guest_token_required", browser: "guest_token_required", operator: "guest_token_required", ..OPEN };
/// Not for guests.
const ACCOUNT: Row = Row { guest: "account_required", ..OWNER };
/// Only a credit opens it, whoever else somebody is.
const CREDIT: Row = Row {
    nobody: "credit_required",
    browser: "credit_required",
    guest: "credit_required",
    session: "credit_required",
    account_key: "credit_required",
    organization_key: "credit_required",
    operator: "credit_required",
};
/// For who runs the server.
const OPERATOR_ONLY: Row = Row {
    nobody: "operator_token_required",
    browser: "operator_token_required",
    guest: "operator_token_required",
    session: "operator_token_required",
    account_key: "operator_token_required",
    organization_key: "operator_token_required",
    operator: "",
};
/// What signs somebody in or out.
const BROWSER: Row = Row {
    nobody: "invalid_origin",
    guest: "invalid_origin",
    account_key: "invalid_origin",
    organization_key: "invalid_origin",
    operator: "invalid_origin",
    ..OPEN
};

/// For people who are signed in.
const SESSION: Row = Row {
    nobody: "invalid_session",
    browser: "invalid_session",
    guest: "invalid_session",
    account_key: "invalid_session",
    organization_key: "invalid_session",
    operator: "invalid_session",
    ..OPEN
};
/// Every route, in alphabetical order.
const ROUTES: &[(&str, Row)] = &[
    ("DELETE /api/audits/{id}/share", OWNER),
    ("DELETE /api/auth/avatar", SESSION),
    ("DELETE /api/auth/organizations/{id}", SESSION),
    ("DELETE /api/auth/organizations/{id}/invitations/{invitation_id}", SESSION),
    ("DELETE /api/auth/organizations/{id}/members/{account_id}", SESSION),
    ("DELETE /api/feed", ACCOUNT),
    ("DELETE /api/sites/{id}", OWNER),
    ("DELETE /api/site-watches/{id}", ACCOUNT),
    ("DELETE /api/tabs/{id}", OWNER),
    ("DELETE /api/webhooks/{id}", ACCOUNT),
    ("DELETE /api/tabs/{id}/snoozes/{code}", OWNER),
    ("GET /.well-known/agent-card.json", OPEN),
    ("GET /.well-known/ai-catalog.json", OPEN),
    ("GET /.well-known/api-catalog", OPEN),
    ("GET /.well-known/apis.json", OPEN),
    ("GET /.well-known/jwks.json", OPEN),
    ("GET /.well-known/mcp-registry-auth", OPEN),
    ("GET /.well-known/security.txt", OPEN),
    ("GET /.well-known/x402", OPEN),
    ("GET /agent.json", OPEN),
    ("GET /api/", OPEN),
    ("GET /api/account/avatar", SESSION),
    ("GET /api/account/keys", SESSION),
    ("GET /api/account/profile", SESSION),
    ("GET /api/audits/{id}", OWNER),
    ("GET /api/audits/{id}/lab", OWNER),
    ("GET /api/audits/{id}/patch", OWNER),
    ("GET /api/audits/{id}/receipt", OWNER),
    ("GET /api/audits/{id}/robots", OWNER),
    ("GET /api/auth/bootstrap", OPEN),
    ("GET /api/auth/events", SESSION),
    ("GET /api/auth/export", SESSION),
    ("GET /api/auth/organizations", SESSION),
    ("GET /api/auth/organizations/{id}", SESSION),
    ("GET /api/auth/organizations/{id}/invitations", SESSION),
    ("GET /api/auth/organizations/{id}/members", SESSION),
    ("GET /api/auth/organizations/{id}/tabs", SESSION),
    ("GET /api/auth/passkeys", SESSION),
    ("GET /api/auth/sessions", SESSION),
    ("GET /api/badge/{slug}", OPEN),
    ("GET /api/billing", OPEN),
    ("GET /api/calendar", OWNER),
    ("GET /api/checks", OPEN),
    ("GET /api/checks/changelog", OPEN),
    ("GET /api/checks/{code}", OPEN),
    ("GET /api/compare", OWNER),
    ("GET /api/credito", CREDIT),
    ("GET /api/credito/pix", OPEN),
    ("GET /api/credito/pix/{id}", OPEN),
    ("GET /api/creditos", OWNER),
    ("GET /api/embed", OPEN),
    ("GET /api/feed", ACCOUNT),
    ("GET /api/gate", OPEN),
    ("GET /api/health", OPEN),
    ("GET /api/me", SESSION),
    ("GET /api/metrics", OPEN),
    ("GET /api/operations/{name}", OPEN),
    ("GET /api/partners", OPEN),
    ("GET /api/pricing", OPEN),
    ("GET /api/running/{id}", OWNER),
    ("GET /api/shared/{slug}", OPEN),
    ("GET /api/shared/{slug}/receipt", OPEN),
    ("GET /api/sites", OWNER),
    ("GET /api/site-watches", ACCOUNT),
    ("GET /api/sites/{id}", OWNER),
    ("GET /api/sites/{id}/findings", OWNER),
    ("GET /api/sites/{id}/pages", OWNER),
    ("GET /api/sites/{id}/pages/{number}", OWNER),
    ("GET /api/sites/{id}/report", OWNER),
    ("GET /api/sites/{id}/templates", OWNER),
    ("GET /api/tabs", OWNER),
    ("GET /api/tabs/{id}", OWNER),
    ("GET /api/tabs/{id}/history", OWNER),
    ("GET /api/tabs/{id}/snoozes", OWNER),
    ("GET /api/tools", OPEN),
    ("GET /api/tools/{slug}", OPEN),
    ("GET /api/vitrine", OPEN),
    ("GET /api/vitrine/cursores", OPERATOR_ONLY),
    ("GET /api/vitrine/operador", OPERATOR_ONLY),
    ("GET /api/vitrine/painel", OPERATOR_ONLY),
    ("GET /api/webhooks", ACCOUNT),
    ("GET /api/webhooks/{id}/deliveries", ACCOUNT),
    ("GET /apis.json", OPEN),
    ("GET /feeds/{token}", OPEN),
    ("GET /feeds/{token}/calendar.ics", OPEN),
    ("GET /llms-full.txt", OPEN),
    ("GET /llms.txt", OPEN),
    ("GET /metrics", OPERATOR_ONLY),
    ("GET /okf/{file}", OPEN),
    ("GET /openapi.json", OPEN),
    ("GET /skill.md", OPEN),
    ("PATCH /api/auth/organizations/{id}", SESSION),
    ("PATCH /api/auth/organizations/{id}/members/{account_id}", SESSION),
    ("PATCH /api/site-watches/{id}", ACCOUNT),
    ("PATCH /api/tabs/{id}", OWNER),
    ("POST /api/account/keys/create", SESSION),
    ("POST /api/account/keys/revoke", SESSION),
    ("POST /api/audit", OPEN),
    ("POST /api/audits/{id}/lab", OWNER),
    ("POST /api/audits/{id}/patch", OWNER),
    ("POST /api/audits/{id}/share", OWNER),
    ("POST /api/auth/claim", SESSION),
    ("POST /api/auth/delete", SESSION),
    ("POST /api/auth/email", SESSION),
    ("POST /api/auth/email/confirm", BROWSER),
    ("POST /api/auth/email/undo", BROWSER),
    ("POST /api/auth/invitations/accept", SESSION),
    ("POST /api/auth/invitations/read", SESSION),
    ("POST /api/auth/logout", BROWSER),
    ("POST /api/auth/organizations", SESSION),
    ("POST /api/auth/organizations/{id}/invitations", SESSION),
    ("POST /api/auth/organizations/{id}/leave", SESSION),
    ("POST /api/auth/organizations/{id}/restore", SESSION),
    ("POST /api/auth/passkey/options", BROWSER),
    ("POST /api/auth/passkey/verify", BROWSER),
    ("POST /api/auth/passkeys/add", SESSION),
    ("POST /api/auth/passkeys/options", SESSION),
    ("POST /api/auth/passkeys/remove", SESSION),
    ("POST /api/auth/password", SESSION),
    ("POST /api/auth/profile", SESSION),
    ("POST /api/auth/reauth", SESSION),
    ("POST /api/auth/recovery-codes", SESSION),
    ("POST /api/auth/register", BROWSER),
    ("POST /api/auth/register/complete", BROWSER),
    ("POST /api/auth/reset", BROWSER),
    ("POST /api/auth/reset/complete", BROWSER),
    ("POST /api/auth/sessions/end", SESSION),
    ("POST /api/auth/sessions/end-all", SESSION),
    ("POST /api/auth/sign-in", BROWSER),
    ("POST /api/auth/sign-in/recovery", BROWSER),
    ("POST /api/auth/sign-in/totp", BROWSER),
    ("POST /api/auth/totp/confirm", SESSION),
    ("POST /api/auth/totp/remove", SESSION),
    ("POST /api/auth/totp/start", SESSION),
    ("POST /api/contact", OPEN),
    ("POST /api/credito", OPEN),
    ("POST /api/credito/pix", OPEN),
    ("POST /api/erro-cliente", OPEN),
    ("POST /api/feed", ACCOUNT),
    ("POST /api/gate/challenge", OPEN),
    ("POST /api/gate/verify", OPEN),
    ("POST /api/guest", OPEN),
    ("POST /api/pagamento/aberto", OPEN),
    ("POST /api/sites", OWNER),
    ("POST /api/site-watches", ACCOUNT),
    ("POST /api/tabs", OWNER),
    ("POST /api/tabs/{id}/run", OWNER),
    ("POST /api/tabs/{id}/snoozes", OWNER),
    ("POST /api/verify", OPEN),
    ("POST /api/visit", OPEN),
    ("POST /api/webhooks", ACCOUNT),
    ("POST /api/webhooks/{id}/rotate", ACCOUNT),
    ("POST /api/webhooks/{id}/test", ACCOUNT),
    ("PUT /api/auth/avatar", SESSION),
];

/// Codes that say who somebody is, or where they come from, is in the way.
const REFUSALS: [&str; 13] = [
    "credit_required",
    "guest_token_required",
    "guest_token_invalid",
    "invalid_api_key",
    "invalid_credential",
    "invalid_session",
    "session_ended",
    "invalid_origin",
    "invalid_csrf",
    "operator_token_required",
    "operator_unavailable",
    "auth_unavailable",
    "account_required",
];

async fn start(database: TestDatabase) -> (TestApp, SignedIn, String) {
    let app = TestApp::start(database, |config| {
        config.operator.token = Some(service::config::SecretText::new(OPERATOR));
        config.limits.guests_per_hour = 1_000;
    })
    .await;
    let account = people::account(&app, "ana").await;
    let session = people::session(&app, &account).await;
    (app, session, account)
}

/// A call of a route with names and inputs that lead nowhere.
pub(super) fn call_of(route: &str) -> Call<'static> {
    let (method, path) = route.split_once(' ').unwrap();
    let method = ["GET", "POST", "PUT", "PATCH", "DELETE"].into_iter().find(|known| *known == method).unwrap();
    let path: Vec<&str> = path.split('/').map(|part| if part.starts_with('{') { "none" } else { part }).collect();
    let call = Call::new(method, &path.join("/"));
    if matches!(method, "POST" | "PUT" | "PATCH") { call.body("{\"nothing\":1}") } else { call }
}

pub(super) fn routes(app: &TestApp) -> BTreeSet<String> {
    app.site.operations().iter().map(|operation| format!("{} {}", operation.method, operation.path)).collect()
}

async fn every_route_lets_in_whom_it_should(database: TestDatabase) {
    let (app, _, account) = start(database).await;
    let rows: BTreeSet<String> = ROUTES.iter().map(|(route, _)| (*route).to_owned()).collect();
    assert_eq!(rows, routes(&app), "each route has one row of ROUTES");

    let guest = app.guest().await;
    let organization_key = people::key(&app, "organization:none").await;
    let bootstrap = app.call(Call::get("/api/auth/bootstrap")).await;
    let boot = bootstrap.header("set-cookie").split(';').next().unwrap().to_owned();
    let csrf = bootstrap.json()["csrf"].as_str().unwrap().to_owned();
    for (route, row) in ROUTES {
        // One of its own for each route, as some end it.
        let session = people::session(&app, &account).await;
        let account_key = people::key(&app, &format!("account:{account}")).await;
        for (kind, call, wanted) in [
            ("nobody", call_of(route), row.nobody),
            ("browser", people::of_page(&app, call_of(route).header("cookie", &boot), &csrf), row.browser),
            ("guest", call_of(route).token(&guest), row.guest),
            ("account's key", call_of(route).header("x-api-key", &account_key), row.account_key),
            (
                "organization's key",
                call_of(route).header("authorization", &format!("Bearer {organization_key}")),
                row.organization_key,
            ),
            ("operator", call_of(route).header("authorization", &format!("Bearer {OPERATOR}")), row.operator),
            // Last, as it may end what the others call with.
            ("session", session.page(&app, call_of(route)), row.session),
        ] {
            let answer = app.call(call).await;
            let code = if answer.status < 400 { String::new() } else { answer.refusal().1 };
            let heard = if REFUSALS.contains(&code.as_str()) { code.as_str() } else { "" };
            assert_eq!(heard, wanted, "{route} by {kind}: {} {code}", answer.status);
        }
    }
}

async fn a_write_with_a_session_must_come_from_a_page_of_ours(database: TestDatabase) {
    let (app, session, account) = start(database).await;
    let other = people::session(&app, &account).await;
    let origin = app.url("");
    let json = "application/json";
    // A beacon looks at no credential, and does nothing for one.
    let writing = app.site.operations().iter().filter(|operation| operation.writes() && !operation.is_beacon);
    let writes: Vec<String> = writing.map(|operation| format!("{} {}", operation.method, operation.path)).collect();
    assert!(!writes.is_empty());
    for route in writes {
        let call = || session.cookie(call_of(&route));
        for (what, call, code) in [
            ("no origin", call().header("x-csrf-token", &session.csrf).header("content-type", json), "invalid_origin"),
            (
                "a foreign origin",
                session.page(&app, call_of(&route)).replace("origin", "https://evil.example"),
                "invalid_origin",
            ),
            ("the origin null", session.page(&app, call_of(&route)).replace("origin", "null"), "invalid_origin"),
            (
                "another site by the browser's own word",
                session.page(&app, call_of(&route)).header("sec-fetch-site", "cross-site"),
                "invalid_origin",
            ),
            ("no token", call().header("origin", &origin).header("content-type", json), "invalid_csrf"),
            (
                "the token of another session",
                session.page(&app, call_of(&route)).replace("x-csrf-token", &other.csrf),
                "invalid_csrf",
            ),
            (
                "a form",
                call()
                    .body("a=b")
                    .header("origin", &origin)
                    .header("x-csrf-token", &session.csrf)
                    .header("content-type", "application/x-www-form-urlencoded"),
                "invalid_csrf",
            ),
            (
                "a page view of another time",
                session.page(&app, call_of(&route)).header("x-mm-context", &"A".repeat(43)),
                "invalid_csrf",
            ),
        ] {
            assert_eq!(app.call(call).await.refusal(), (403, code.to_owned()), "{route} with {what}");
        }
    }
    let audits: i64 = sqlx::Row::get(&app.database.row("SELECT COUNT(*) FROM audits").await, 0);
    let guests: i64 = sqlx::Row::get(&app.database.row("SELECT COUNT(*) FROM guests").await, 0);
    assert_eq!((audits, guests), (0, 0));
}
