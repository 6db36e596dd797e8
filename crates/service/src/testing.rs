//! The whole service in this process, for unit tests that need its database: nothing listens, and the test sets the clock.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use model::account::Assurance;
use model::id::AccountId;
use model::lang::Lang;
use model::time::Timestamp;
use store::{AccountRecord, FoundSession, NewAccount, Step};
use testkit::TestDatabase;

use crate::accounts::session;
use crate::caller::{Caller, Cx, Identity};
use crate::config::{Config, SecretText, TargetPorts};
use crate::network::Network;
use crate::ports::{Clock, Ports};
use crate::services::{Build, Services, Waits};

/// When every test begins: 2026-01-31T09:30:00Z.
pub(crate) const NOW: Timestamp = Timestamp(1_769_851_800_000);

/// Query timeout: far longer than in production, as the machine of a test may be slow.
const DATABASE_PATIENCE: Duration = Duration::from_secs(60);

/// A service on an SQLite database of its own.
#[derive(Debug)]
pub(crate) struct TestService {
    pub(crate) services: Services,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) database: TestDatabase,
}

/// Opens a service with the default configuration, changed by `configure`. Loopback targets are allowed, on any port.
pub(crate) async fn service_on(configure: impl FnOnce(&mut Config)) -> TestService {
    let database = TestDatabase::sqlite();
    let mut config = Config { database_url: database.url().to_owned(), ..Config::default() };
    config.fetch.allow_private = vec!["127.0.0.0/8".parse().unwrap()];
    config.fetch.allow_ports = TargetPorts::Any;
    config.auth.secret = Some(SecretText::new("a secret of tests, of 32 bytes or more"));
    // Cheaper than a configuration file may ask for.
    (config.auth.argon2_kib, config.auth.argon2_passes) = (64, 1);
    configure(&mut config);
    let clock = Arc::new(ManualClock(AtomicI64::new(NOW.0)));
    let ports = Ports { clock: Arc::<ManualClock>::clone(&clock), ..Ports::real() };
    let address = SocketAddr::from(([127, 0, 0, 1], 8080));
    let build = Build { commit: "0000000", day: "2026-01-31" };
    let waits = Waits { database: DATABASE_PATIENCE, target: None };
    let services = Services::open_patient(config, ports, address, build, waits).await.unwrap();
    TestService { services, clock, database }
}

impl TestService {
    /// A call of `caller`, in English.
    pub(crate) fn cx(&self, caller: Caller) -> Cx {
        Cx::new(&self.services, caller, Lang::En)
    }

    /// A call of nobody, from `network(7)`.
    pub(crate) fn nobody(&self) -> Cx {
        self.cx(Caller::unknown(network(7), "test"))
    }

    /// A new account that has no password to sign in with.
    pub(crate) async fn account(&self, email: &str) -> AccountRecord {
        let (store, id) = (self.services.database().store(), AccountId(self.services.ports().id()));
        let new = NewAccount {
            id: id.clone(),
            email: email.to_owned(),
            email_canonical: email.to_lowercase(),
            name: String::new(),
            locale: "en".to_owned(),
            password: "no hash".to_owned(),
        };
        let now = self.services.ports().now();
        store.change_account("registering", vec![Step::Register(new)], Vec::new(), now).await.unwrap().unwrap();
        store.account_by_id(&id).await.unwrap().unwrap()
    }

    /// A call of an account that has just signed in.
    pub(crate) async fn signed_in(&self, account: &AccountRecord, assurance: Assurance) -> Cx {
        let (cx, store, now) = (self.nobody(), self.services.database().store(), self.services.ports().now());
        let begun = session::begin(&cx, &account.id, assurance, "password");
        store.change_account("signing in", begun.steps, Vec::new(), now).await.unwrap().unwrap();
        let found = store.session_by_digest(&begun.token.digest, now).await.unwrap();
        let FoundSession::Live(session) = found else { panic!("{found:?}") };
        self.cx(Caller { identity: Identity::Session(Box::new(session)), ..cx.caller })
    }

    /// Closes the database for good: every later query fails as in an outage.
    pub(crate) async fn lose_database(&self) {
        self.services.database().store().close().await;
    }
}

/// The network of 203.0.113.`last`. All of them lie in one wider network.
pub(crate) fn network(last: u8) -> Network {
    Network::of(Ipv4Addr::new(203, 0, 113, last).into())
}

/// A clock that stands still until a test moves it.
#[derive(Debug)]
pub(crate) struct ManualClock(AtomicI64);

impl ManualClock {
    /// Moves it by so many milliseconds; a negative number sets it back.
    pub(crate) fn pass(&self, ms: i64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}
