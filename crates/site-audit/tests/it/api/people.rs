//! Callers of every kind, put into the database as the service would have.

use serde_json::Value;
use service::credential::{TokenKind, token_digest};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _};

use crate::app::{Call, NOW, Response, TestApp};

/// The operator's token of [`TestApp`]s that have one.
pub(crate) const OPERATOR: &str = "an operator's token";

/// A browser that is signed in.
#[derive(Debug, Clone)]
pub(crate) struct SignedIn {
    /// The session's token.
    pub(crate) token: String,
    /// The CSRF token of its pages.
    pub(crate) csrf: String,
}

impl SignedIn {
    /// A call with the cookie only.
    pub(crate) fn cookie<'a>(&self, call: Call<'a>) -> Call<'a> {
        call.header("cookie", &format!("mm-auth={}", self.token))
    }

    /// A call as a page of ours makes it.
    pub(crate) fn page<'a>(&self, app: &TestApp, call: Call<'a>) -> Call<'a> {
        of_page(app, self.cookie(call), &self.csrf)
    }
}

/// A call with what a page of ours sends.
pub(crate) fn of_page<'a>(app: &TestApp, call: Call<'a>, csrf: &str) -> Call<'a> {
    let call = call.header("origin", &app.url("")).header("x-csrf-token", csrf);
    if call.body.is_empty() { call } else { call.header("content-type", "application/json") }
}

/// An account of this name.
pub(crate) async fn account(app: &TestApp, name: &str) -> String {
    let id = format!("00000000-0000-7000-8000-{:0>12}", hex(name.as_bytes()));
    let sql = format!(
        "INSERT INTO accounts (id, email, email_canonical, name, locale, time_zone, theme, revision, status, created_at) \
         VALUES ('{id}', '{name}@example.com', '{name}@example.com', '{name}', 'en', 'UTC', 'system', 1, 'active', {})",
        NOW.0
    );
    execute(app, &sql, &[]).await;
    id
}

/// A session of an account.
pub(crate) async fn session(app: &TestApp, account: &str) -> SignedIn {
    let bytes = app.app.ports().entropy.bytes();
    let token = base64::Engine::encode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, bytes);
    let sql = format!(
        "INSERT INTO sessions (id, token_digest, account_id, assurance, methods, proven_at, created_at, last_seen_at, \
         idle_expires_at, absolute_expires_at, agent, network) VALUES ('{}', $1, '{account}', 1, 'password', {now}, \
         {now}, {now}, {}, {}, 'other', '127.0.0.0/24')",
        app.app.ports().id(),
        NOW.0 + 30 * 86_400_000,
        NOW.0 + 180 * 86_400_000,
        now = NOW.0
    );
    execute(app, &sql, &[token_digest(&token).to_vec()]).await;
    let mut signed_in = SignedIn { token, csrf: String::new() };
    let answer = app.call(signed_in.cookie(Call::get("/api/auth/bootstrap"))).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()["csrf"].as_str().unwrap().clone_into(&mut signed_in.csrf);
    signed_in
}

/// An API key of an owner. An organization that is not there yet is made.
pub(crate) async fn key(app: &TestApp, owner: &str) -> String {
    if let Some(id) = owner.strip_prefix("organization:") {
        organization(app, id, &[]).await;
    }
    let token = TokenKind::Key.token(app.app.ports().entropy.bytes());
    let sql = format!(
        "INSERT INTO api_keys (id, owner, product, created_by, name, token_digest, last4, created_at) \
         VALUES ('{}', '{owner}', 'site-audit', 'x', 'x', $1, 'x', {})",
        app.app.ports().id(),
        NOW.0
    );
    execute(app, &sql, &[token_digest(&token).to_vec()]).await;
    token
}

/// Five dollars of credit, of nobody.
pub(crate) async fn credit(app: &TestApp) -> String {
    let token = TokenKind::Credit.token(app.app.ports().entropy.bytes());
    let sql = format!(
        "INSERT INTO credits (id, token_digest, owner, is_dev, balance_micros, created_at) \
         VALUES ('{}', $1, NULL, 0, 5000000, {})",
        app.app.ports().id(),
        NOW.0
    );
    execute(app, &sql, &[token_digest(&token).to_vec()]).await;
    token
}

/// An organization that has the product switched on, and members of these accounts and roles.
pub(crate) async fn organization(app: &TestApp, id: &str, members: &[(&str, &str)]) {
    let now = NOW.0;
    let made = format!(
        "INSERT INTO organizations (id, name, requires_second_factor, created_at) VALUES ('{id}', '{id}', 0, {now}) \
         ON CONFLICT DO NOTHING"
    );
    execute(app, &made, &[]).await;
    let enabled = format!(
        "INSERT INTO organization_products (organization_id, product, enabled_at) VALUES ('{id}', 'site-audit', {now}) \
         ON CONFLICT DO NOTHING"
    );
    execute(app, &enabled, &[]).await;
    for (account, role) in members {
        let member = format!(
            "INSERT INTO members (organization_id, account_id, role, created_at) \
             VALUES ('{id}', '{account}', '{role}', {now})"
        );
        execute(app, &member, &[]).await;
    }
}

/// Lets a session have been made with two factors.
pub(crate) async fn with_second_factor(app: &TestApp, session: &SignedIn) {
    let sql = "UPDATE sessions SET assurance = 2 WHERE token_digest = $1";
    execute(app, sql, &[token_digest(&session.token).to_vec()]).await;
}

async fn execute(app: &TestApp, sql: &str, values: &[Vec<u8>]) {
    let mut connection = app.database.connection().await;
    let mut query = sqlx::query(AssertSqlSafe(sql.to_owned()));
    for value in values {
        query = query.bind(value.clone());
    }
    connection.execute(query).await.unwrap();
    connection.close().await.unwrap();
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

/// A browser with its cookies, in which a page of ours is open.
pub(crate) struct Browser<'a> {
    app: &'a TestApp,
    cookies: std::collections::BTreeMap<String, String>,
    csrf: String,
    from: [u8; 4],
}

impl<'a> Browser<'a> {
    /// One that nobody is signed in with.
    pub(crate) async fn open(app: &'a TestApp) -> Self {
        let mut browser =
            Self { app, cookies: std::collections::BTreeMap::new(), csrf: String::new(), from: [127, 0, 0, 1] };
        browser.bootstrap().await;
        browser
    }

    /// One with these cookies, in which no page is open.
    pub(crate) fn with_cookies(app: &'a TestApp, cookies: &[(&str, &str)]) -> Self {
        let cookies = cookies.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self { app, cookies, csrf: String::new(), from: [127, 0, 0, 1] }
    }

    /// Loads the page again, as after signing in or out.
    pub(crate) async fn bootstrap(&mut self) {
        let answer = self.get("/api/auth/bootstrap").await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()["csrf"].as_str().unwrap().clone_into(&mut self.csrf);
    }

    /// From another address of this machine.
    pub(crate) fn from(mut self, from: [u8; 4]) -> Self {
        self.from = from;
        self
    }

    /// The session's cookie.
    pub(crate) fn token(&self) -> &str {
        self.cookies.get("mm-auth").map_or("", String::as_str)
    }

    /// Its session, for single calls.
    pub(crate) fn signed_in(&self) -> SignedIn {
        SignedIn { token: self.token().to_owned(), csrf: self.csrf.clone() }
    }

    /// A read.
    pub(crate) async fn get(&mut self, path: &str) -> Response {
        self.send(Call::get(path)).await
    }

    /// A write of a page.
    pub(crate) async fn post(&mut self, path: &str, body: &Value) -> Response {
        let call = Call::new("POST", path).body(&body.to_string());
        self.send(of_page(self.app, call, &self.csrf)).await
    }

    /// What a form of a page of ours sends without a script: a body of a media type.
    pub(crate) async fn form(&mut self, path: &str, media_type: &str, body: &str) -> Response {
        let call = Call::new("POST", path).header("content-type", media_type).header("origin", &self.app.url(""));
        self.send(call.body(body)).await
    }

    /// The cookie that pages keep a guest in.
    pub(crate) fn guest(&self) -> Option<&str> {
        self.cookies.get("mm-guest").map(String::as_str)
    }

    async fn send(&mut self, call: Call<'_>) -> Response {
        let pairs: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let call = if pairs.is_empty() { call } else { call.header("cookie", &pairs.join("; ")) };
        let answer = self.app.call(call.from(self.from)).await;
        // Several cookies are one line here; none of them has a comma in it.
        for cookie in answer.header("set-cookie").split(", ").filter(|cookie| !cookie.is_empty()) {
            let (name, rest) = cookie.split_once('=').unwrap();
            let value = rest.split(';').next().unwrap();
            if rest.contains("Max-Age=0") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        answer
    }
}
