//! Examples of what people with an account are refused.

use std::time::Duration;

use serde_json::{Value, json};
use service::credential::token_digest;
use service::error::Code;
use testkit::MailServer;

use super::Examples;
use crate::api::accounts;
use crate::api::accounts::factors::enrolled;
use crate::api::people::{self, SignedIn};
use crate::app::{Call, TestApp};

const UNKNOWN: &str = "00000000-0000-7000-8000-0000000000cc";
const ACME: &str = "00000000-0000-7000-8000-0000000000aa";
const BOS: &str = "00000000-0000-7000-8000-0000000000ab";

/// Refusals of what a person typed, or of what is not there.
pub(super) async fn of_input(examples: &mut Examples, app: &TestApp, session: &SignedIn) {
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
        (Code::WebhookNotFound, "DELETE", format!("webhooks/{UNKNOWN}"), Value::Null),
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
pub(super) async fn of_limits(examples: &mut Examples, app: &TestApp, ana: &str, session: &SignedIn) {
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
        rows("webhooks (id, owner, kind, address, shown, secret, events, locale, created_at)", 10, &|n| {
            let sealed = bytes(app, &[0; 8]);
            format!("('{n}', 'account:{ana}', 'standard', {sealed}, 'x', {sealed}, 'run.finished', 'en', 1)")
        }),
        rows("site_watches (id, owner, url, options, days, created_at)", 10, &|n| {
            format!("('{n}', 'account:{ana}', 'https://example.com/', '{{}}', 1, 1)")
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
        (
            Code::SiteWatchLimit,
            "POST",
            "site-watches".to_owned(),
            json!({"url": "https://example.com/", "every": "daily"}),
        ),
        (Code::SiteWatchNotFound, "DELETE", "site-watches/nothing".to_owned(), json!({})),
        (Code::WebhookLimit, "POST", "webhooks".to_owned(), json!({"url": "http://127.0.0.2:1/"})),
        (Code::KeyLimitReached, "POST", "account/keys/create".to_owned(), json!({"name": "x", "organizationId": null})),
        (Code::OrganizationLimit, "POST", "auth/organizations".to_owned(), json!({"name": "Acme"})),
        (Code::PasskeyLimit, "POST", "auth/passkeys/options".to_owned(), json!({})),
    ];
    examples.of_page(app, session, calls).await;
    app.database.execute("DELETE FROM organizations").await;
}

/// Refusals in organizations.
pub(super) async fn of_organizations(examples: &mut Examples, app: &TestApp, ana: &str, session: &SignedIn) {
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
pub(super) async fn of_sessions(examples: &mut Examples, app: &TestApp, session: &SignedIn) {
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
pub(super) async fn of_factors(examples: &mut Examples, app: &TestApp, mail: &MailServer) {
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
