//! Clients that audit, follow pages, share, claim, make keys and pay with credit, and write down what they were answered.
//! Whenever a call fails, each reads all of it again by the API: what was acknowledged is there, once.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use service::credential::{TokenKind, token_digest};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _};
use testkit::{TestDatabase, TestSite};

use crate::app::Response;
use crate::payments::program::Place;

/// What each client begins with, in millionths of a dollar; an audit takes [`PRICE`].
pub(crate) const CREDIT: i64 = 1_000_000_000;
pub(crate) const PRICE: i64 = 20_000;
/// Statuses of a call that another try may answer.
const AGAIN: [u16; 3] = [429, 502, 503];
/// Where the program says that it is: sessions need https.
pub(crate) const BASE_URL: &str = "https://audit.example";

/// Paid audits of a client that were asked for and answered, for who looks on from outside.
#[derive(Debug, Default)]
pub(crate) struct PaidAudits {
    pub(crate) sent: AtomicI64,
    pub(crate) answered: AtomicI64,
}

/// What one client has been told, newest last.
pub(crate) struct Client {
    place: Place,
    page: String,
    session: String,
    credit: String,
    guests: Vec<Guest>,
    keys: Vec<Key>,
    paid: Arc<PaidAudits>,
    /// Guests and keys that were read again after the kill before.
    checked: [usize; 2],
}

/// A guest, and what it was told to own.
#[derive(Default)]
struct Guest {
    token: String,
    audit: Option<String>,
    tab: Option<String>,
    slug: Option<String>,
    claim: Progress,
}

/// An API key.
struct Key {
    secret: String,
    revocation: Progress,
}

/// How far a change is, as the client knows.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Progress {
    #[default]
    Unsent,
    Sent,
    Acknowledged,
}

impl Client {
    /// A client with a session and credit, whose account has this number.
    pub(crate) async fn new(number: u8, database: &TestDatabase, place: Place, site: &TestSite) -> Self {
        let (now, far) = (now_ms(), now_ms() + 86_400_000);
        let account = format!("00000000-0000-7000-8000-{number:0>12}");
        let (token, credit) = (URL_SAFE_NO_PAD.encode([number; 32]), TokenKind::Credit.token([number + 1; 32]));
        let mut connection = database.connection().await;
        for (sql, digest) in [
            (
                format!(
                    "INSERT INTO accounts (id, email, email_canonical, name, locale, time_zone, theme, revision, status, \
                     created_at) VALUES ('{account}', '{number}@example.com', '{number}@example.com', 'x', 'en', 'UTC', \
                     'system', 1, 'active', {now})"
                ),
                None,
            ),
            (
                format!(
                    "INSERT INTO sessions (id, token_digest, account_id, assurance, methods, proven_at, created_at, \
                     last_seen_at, idle_expires_at, absolute_expires_at, agent, network) VALUES ('{account}', $1, \
                     '{account}', 1, 'password', {now}, {now}, {now}, {far}, {far}, 'other', '127.0.0.0/24')"
                ),
                Some(token_digest(&token)),
            ),
            (
                format!(
                    "INSERT INTO credits (id, token_digest, owner, is_dev, balance_micros, created_at) \
                     VALUES ('{account}', $1, NULL, 0, {CREDIT}, {now})"
                ),
                Some(token_digest(&credit)),
            ),
        ] {
            let mut query = sqlx::query(AssertSqlSafe(sql));
            if let Some(digest) = digest {
                query = query.bind(digest.to_vec());
            }
            connection.execute(query).await.unwrap();
        }
        connection.close().await.unwrap();
        let page = site.url(&format!("/page{number}"));
        let session = format!("cookie: __Host-mm-auth={token}\r\n");
        let mut client = Self {
            place,
            page,
            session,
            credit,
            guests: Vec::new(),
            keys: Vec::new(),
            paid: Arc::default(),
            checked: [0; 2],
        };
        let bootstrap = client.insist("GET /api/auth/bootstrap", &client.session.clone()).await;
        assert_eq!(bootstrap.status, 200, "{}", bootstrap.body);
        let csrf = bootstrap.json()["csrf"].as_str().unwrap().to_owned();
        client.session.push_str(&format!("x-csrf-token: {csrf}\r\norigin: {BASE_URL}\r\n"));
        client
    }

    /// Its paid audits, as it counts them.
    pub(crate) fn paid(&self) -> Arc<PaidAudits> {
        Arc::clone(&self.paid)
    }

    /// Works as long as there are runs left, and reads all that it was told after each kill; how many
    /// acknowledgements it had.
    pub(crate) async fn live(mut self, left: Arc<AtomicUsize>) -> i64 {
        while left.load(Ordering::SeqCst) > 0 || self.answered() == 0 {
            if self.work().await.is_none() {
                self.place.pause().await;
                self.check().await;
            }
        }
        self.checked = [0; 2];
        self.check().await;
        let told = |guest: &Guest| {
            1 + [&guest.tab, &guest.slug].iter().filter(|id| id.is_some()).count()
                + usize::from(guest.claim == Progress::Acknowledged)
        };
        let keys = self.keys.iter().map(|key| 1 + usize::from(key.revocation == Progress::Acknowledged)).sum::<usize>();
        self.answered() + i64::try_from(self.guests.iter().map(told).sum::<usize>() + keys).unwrap()
    }

    /// Everything once; `None` when the program died.
    async fn work(&mut self) -> Option<()> {
        let token = self.try_to("POST /api/guest", "", &Value::Null).await?["token"].as_str().unwrap().to_owned();
        let as_guest = format!("x-guest-token: {token}\r\n");
        self.guests.push(Guest { token: token.clone(), ..Guest::default() });
        let url = json!({ "url": self.page });
        self.paid.sent.fetch_add(1, Ordering::SeqCst);
        let pays = format!("{as_guest}x-credito: {}\r\n", self.credit);
        let id = self.try_to("POST /api/audit", &pays, &url).await?["id"].as_str().map(str::to_owned);
        self.paid.answered.fetch_add(1, Ordering::SeqCst);
        self.newest().audit.clone_from(&id);
        let tab = self.try_to("POST /api/tabs", &as_guest, &url).await?["tab"]["id"].as_str().unwrap().to_owned();
        self.newest().tab = Some(tab);
        // Without an id the database was away, which is told.
        if let Some(id) = id {
            let shared = self.try_to(&format!("POST /api/audits/{id}/share"), &as_guest, &Value::Null).await?;
            self.newest().slug = shared["slug"].as_str().map(str::to_owned);
        }
        let session = self.session.clone();
        self.newest().claim = Progress::Sent;
        self.try_to("POST /api/auth/claim", &session, &json!({ "guest_token": token })).await?;
        self.newest().claim = Progress::Acknowledged;
        let asked = json!({"name": "k", "organizationId": null});
        let made = self.try_to("POST /api/account/keys/create", &session, &asked).await?;
        let Some(secret) = made["secret"].as_str() else {
            assert_eq!(made["code"], "key_limit_reached", "{made}");
            return self.revoke_all().await;
        };
        self.keys.push(Key { secret: secret.to_owned(), revocation: Progress::Sent });
        let revoked = json!({ "id": made["key"]["id"] });
        self.try_to("POST /api/account/keys/revoke", &session, &revoked).await?;
        self.keys.last_mut().unwrap().revocation = Progress::Acknowledged;
        Some(())
    }

    fn answered(&self) -> i64 {
        self.paid.answered.load(Ordering::SeqCst)
    }

    fn newest(&mut self) -> &mut Guest {
        self.guests.last_mut().unwrap()
    }

    /// Revokes the keys whose creation or revocation was cut off.
    async fn revoke_all(&mut self) -> Option<()> {
        let session = self.session.clone();
        let listed = self.try_to("GET /api/account/keys", &session, &Value::Null).await?;
        for key in listed["keys"].as_array().unwrap().iter().filter(|key| key["active"] == true) {
            self.try_to("POST /api/account/keys/revoke", &session, &json!({ "id": key["id"] })).await?;
        }
        Some(())
    }

    /// Reads everything that was acknowledged since the check before.
    async fn check(&mut self) {
        let session = self.session.clone();
        let guests: Vec<Guest> = self.guests.drain(self.checked[0]..).collect();
        for guest in guests {
            self.check_guest(&guest, &session).await;
            self.guests.push(guest);
        }
        let keys: Vec<Key> = self.keys.drain(self.checked[1]..).collect();
        for key in keys {
            let status = self.insist("GET /api/tabs", &format!("x-api-key: {}\r\n", key.secret)).await.status;
            match key.revocation {
                Progress::Acknowledged => assert_eq!(status, 401, "a revoked key works"),
                Progress::Sent => assert!(matches!(status, 200 | 401), "{status}"),
                Progress::Unsent => assert_eq!(status, 200, "a key is gone"),
            }
            self.keys.push(key);
        }
        // The newest may be changed once more.
        self.checked = [self.guests.len().saturating_sub(1), self.keys.len().saturating_sub(1)];
        let answer = self.insist("GET /api/credito", &format!("x-credito: {}\r\n", self.credit)).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let balance = answer.json();
        let spent = CREDIT - balance["saldo_micros"].as_i64().unwrap();
        assert_eq!(spent % PRICE, 0, "{balance}");
        let paid = self.answered()..=self.paid.sent.load(Ordering::SeqCst);
        assert!(paid.contains(&(spent / PRICE)), "{} debits for {paid:?} audits", spent / PRICE);
    }

    async fn check_guest(&mut self, guest: &Guest, session: &str) {
        let as_guest = format!("x-guest-token: {}\r\n", guest.token);
        let tabs = self.insist("GET /api/tabs", &as_guest).await;
        assert!(matches!(tabs.status, 200 | 401), "{}", tabs.body);
        let is_claimed = tabs.status == 401;
        match guest.claim {
            Progress::Unsent => assert!(!is_claimed, "a guest is gone"),
            Progress::Sent => {}
            Progress::Acknowledged => assert!(is_claimed, "a claimed token works"),
        }
        let owner = if is_claimed { session } else { &as_guest };
        if let Some(id) = &guest.audit {
            let read = self.insist(&format!("GET /api/audits/{id}"), owner).await;
            assert_eq!((read.status, &read.json()["audit_id"]), (200, &json!(id)), "an audit is gone");
        }
        if let Some(slug) = &guest.slug {
            assert_eq!(self.insist(&format!("GET /api/shared/{slug}"), "").await.status, 200, "a share is gone");
        }
        // Of an account's and a claimed guest's tab of one page the account's stays.
        if let Some(id) = guest.tab.as_ref().filter(|_| !is_claimed) {
            let tabs = tabs.json();
            let found = tabs["tabs"].as_array().unwrap().iter().filter(|tab| tab["id"] == json!(id)).count();
            assert_eq!(found, 1, "a followed page is gone, or is there twice: {tabs}");
        }
    }

    /// A call that may change something; `None` when the program died in the middle, or asks to come again.
    async fn try_to(&mut self, target: &str, headers: &str, body: &Value) -> Option<Value> {
        let headers = format!("{headers}content-type: application/json\r\n");
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let answer = self.place.call(target, &headers, &body).await?;
        if AGAIN.contains(&answer.status) {
            return None;
        }
        assert!(matches!(answer.status, 200 | 201 | 409), "{target}: {} {}", answer.status, answer.body);
        Some(answer.json())
    }

    /// Reads until there is an answer.
    async fn insist(&mut self, target: &str, headers: &str) -> Response {
        loop {
            match self.place.call(target, headers, "").await {
                Some(answer) if !AGAIN.contains(&answer.status) => return answer,
                _ => self.place.pause().await,
            }
        }
    }
}

pub(crate) fn now_ms() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}
