//! The program is killed at every arrow of a payment's state machine (the table in `crates/service/src/payments/payment.rs`) and started again: the same
//! header has its result then, and the money moved once.
//!
//! An arrow is a statement to the database, so a trigger holds that statement back for as long as the program lives. Whether
//! it was cut there is told by the row that is left: it is in the state before the arrow. Where it is not, the arrow is
//! tried again.
#![expect(clippy::print_stdout, reason = "the rig says which arrows it has proven")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sqlx::{Executor as _, Row as _};
use testkit::facilitator::{Say, TestFacilitator};
use testkit::wallet::Wallet;
use testkit::{SiteAnswer, TestDatabase, TestSite};
use tokio::sync::Notify;

use super::PAY_TO;
use super::program::{Events, Place, Program, insist, payment, wait_for, wait_until_gone};
use crate::app::Response;

testkit::on_both_databases! {
    killed_at_any_arrow_a_payment_ends_well,
}

async fn killed_at_any_arrow_a_payment_ends_well(database: TestDatabase) {
    let facilitator = TestFacilitator::start().await;
    let moved = async || facilitator.moved().iter().filter(|moved| moved.to.eq_ignore_ascii_case(PAY_TO)).count();
    at_every_arrow(&database, &facilitator, &Wallet::new([7; 32]), moved).await;
}

/// Where the program is when it is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// A statement that makes a payment's row come into this state has begun.
    Into(&'static str),
    /// The facilitator was asked this, and has not answered.
    Asking(&'static str),
}

/// What goes wrong before that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trouble {
    None,
    /// The page can't be reached.
    Page,
    /// The facilitator moves the money and hangs up, and the chain can't be looked at.
    Answer,
    /// The signature is not the payer's.
    Signature,
}

/// Every arrow, the state in which a payment is left that was cut off there (`None`: it has no row), and what it has come to
/// in the end: 200, or 402 where it was refused.
const ARROWS: [(Cut, Trouble, Option<&str>, u16); 10] = [
    (Cut::Into("claimed"), Trouble::None, None, 200),
    (Cut::Asking("verify"), Trouble::None, Some("claimed"), 200),
    (Cut::Into("refused"), Trouble::Signature, Some("claimed"), 402),
    (Cut::Into("working"), Trouble::None, Some("claimed"), 200),
    (Cut::Into("released"), Trouble::Page, Some("working"), 200),
    (Cut::Into("worked"), Trouble::None, Some("working"), 200),
    (Cut::Into("settling"), Trouble::None, Some("worked"), 200),
    (Cut::Asking("settle"), Trouble::None, Some("settling"), 200),
    (Cut::Into("settled"), Trouble::None, Some("settling"), 200),
    (Cut::Into("unclear"), Trouble::Answer, Some("settling"), 200),
];
/// So often an arrow is tried: a machine may be so slow that the program is elsewhere when it is killed.
const TRIES: usize = 50;

/// Kills the program at each arrow; `moved` counts the transfers to us.
pub(crate) async fn at_every_arrow(
    database: &TestDatabase,
    facilitator: &TestFacilitator,
    wallet: &Wallet,
    moved: impl AsyncFn() -> usize,
) {
    let mut scene = Scene::open(database, facilitator).await;
    let asked = insist(scene.place(), &scene.url, None, 402).await;
    let accepted = super::required(&asked)["accepts"][0].clone();
    let mut sold = 0;
    let mut nonces = 0_u64..;
    for (cut, trouble, left, end) in ARROWS {
        let signer = if trouble == Trouble::Signature { &Wallet::new([8; 32]) } else { wallet };
        let mut is_proven = false;
        for nonce in nonces.by_ref().take(TRIES) {
            let payment: Arc<str> = payment(signer, &wallet.address(), &accepted, nonce).into();
            let before = moved().await;
            let (answer, was_left) = scene.cut_off(&payment, nonce, cut, trouble, end).await;
            // Wherever it was cut off, it has ended well.
            let charged = usize::from(end == 200);
            assert_eq!(moved().await - before, charged, "{cut:?}");
            if end == 200 {
                assert_eq!(answer.json()["summary"]["title"], "t", "{cut:?}");
                sold += 1;
            }
            insist(scene.place(), &scene.url, Some(&payment), end).await;
            assert_eq!(moved().await - before, charged, "{cut:?}");
            assert_eq!(kept(database).await, [sold; 3], "{cut:?}");
            println!("killed at {cut:?} with {trouble:?}, {was_left:?}: {end}");
            is_proven = was_left.as_deref() == left;
            if is_proven {
                break;
            }
        }
        assert!(is_proven, "never killed at {cut:?}");
    }
}

/// The program, and what it meets.
struct Scene<'s> {
    database: &'s TestDatabase,
    facilitator: &'s TestFacilitator,
    program: Program,
    events: Events,
    /// Of the page that is audited.
    url: Arc<str>,
    is_page_there: Arc<AtomicBool>,
    /// Held: it answers as long as it lives.
    _site: TestSite,
}

impl<'s> Scene<'s> {
    async fn open(database: &'s TestDatabase, facilitator: &'s TestFacilitator) -> Self {
        let is_page_there = Arc::new(AtomicBool::new(true));
        let is_there = Arc::clone(&is_page_there);
        let site = TestSite::start(move |asked| match asked.path.as_str() {
            "/" if is_there.load(Ordering::SeqCst) => SiteAnswer::html("<title>t</title>"),
            // What is no HTTP is no page either.
            "/" => SiteAnswer::Raw(b"x".to_vec()),
            _ => SiteAnswer::missing(),
        })
        .await;
        let mut program = Program::new(database, facilitator);
        program.start().await;
        let (events, url) = (Events::default(), site.url("/").into());
        Self { database, facilitator, program, events, url, is_page_there, _site: site }
    }

    fn place(&self) -> Place {
        self.program.place(&self.events)
    }

    /// Pays, kills the program there, and starts it again; what the payer was answered in the end, and the state in which the
    /// payment was left.
    async fn cut_off(
        &mut self,
        payment: &Arc<str>,
        nonce: u64,
        cut: Cut,
        trouble: Trouble,
        end: u16,
    ) -> (Response, Option<String>) {
        self.is_page_there.store(trouble != Trouble::Page, Ordering::SeqCst);
        self.facilitator.script(move |question, _| match (cut, trouble, question.what.as_str()) {
            (Cut::Asking(held), _, what) if what == held => Some(Say::Waits(Arc::new(Notify::new()))),
            (_, Trouble::Answer, "settle") => Some(Say::MovesAndHangsUp),
            (_, Trouble::Answer, "node") => Some(Say::HangsUp),
            _ => None,
        });
        let mut asked_before = 0;
        match cut {
            Cut::Into(state) => hold(self.database, state).await,
            Cut::Asking(what) => asked_before = self.facilitator.asked(what).len(),
        }
        let (place, url, payment) = (self.place(), Arc::clone(&self.url), Arc::clone(payment));
        let call = tokio::spawn(async move { insist(place, &url, Some(&payment), end).await });
        match cut {
            Cut::Into(_) => wait_for(async || is_held(self.database).await || call.is_finished()).await,
            Cut::Asking(what) => self.facilitator.wait_for(what, asked_before + 1).await,
        }
        self.program.kill();
        let_go(self.database).await;
        let left = state(self.database, nonce).await;
        self.facilitator.script(|_, _| None);
        self.is_page_there.store(true, Ordering::SeqCst);
        self.program.start().await;
        (call.await.unwrap(), left)
    }
}

/// Makes the next statement that brings a payment into a state last for ever.
async fn hold(database: &TestDatabase, state: &str) {
    let sql = if database.is_postgres() {
        format!(
            "CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS \
             'BEGIN PERFORM pg_sleep(3600); RETURN NEW; END'; \
             CREATE TRIGGER held BEFORE INSERT OR UPDATE ON payments FOR EACH ROW WHEN (NEW.state = '{state}') \
             EXECUTE FUNCTION hold()"
        )
    } else {
        format!(
            "CREATE VIEW forever AS WITH RECURSIVE numbers(number) AS \
             (SELECT 1 UNION ALL SELECT number + 1 FROM numbers) SELECT COUNT(*) AS many FROM numbers; \
             CREATE TRIGGER held_insert BEFORE INSERT ON payments WHEN NEW.state = '{state}' \
             BEGIN SELECT many FROM forever; END; \
             CREATE TRIGGER held_update BEFORE UPDATE ON payments WHEN NEW.state = '{state}' AND OLD.state <> '{state}' \
             BEGIN SELECT many FROM forever; END"
        )
    };
    database.execute(&sql).await;
}

/// Whether a statement is being held.
async fn is_held(database: &TestDatabase) -> bool {
    const SLEEPING: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM pg_stat_activity \
        WHERE datname = current_database() AND wait_event = 'PgSleep'";
    let mut connection = database.connection().await;
    if database.is_postgres() {
        return connection.fetch_one(SLEEPING).await.unwrap().get::<i64, _>(0) > 0;
    }
    // The one who writes keeps all others out. Commits of something else are over within this patience, in milliseconds.
    connection.execute("PRAGMA busy_timeout = 250").await.unwrap();
    connection.execute("BEGIN IMMEDIATE").await.is_err()
}

/// Undoes [`hold`] after the program was killed, and ends what it left: PostgreSQL is still busy with its statement.
async fn let_go(database: &TestDatabase) {
    if database.is_postgres() {
        const END: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
            WHERE datname = current_database() AND wait_event = 'PgSleep'";
        database.execute(END).await;
        wait_until_gone(database).await;
        database.execute("DROP TRIGGER IF EXISTS held ON payments; DROP FUNCTION IF EXISTS hold()").await;
        database.execute("UPDATE payments SET leased_until = 0").await;
    } else {
        let sql = "DROP TRIGGER IF EXISTS held_insert; DROP TRIGGER IF EXISTS held_update; DROP VIEW IF EXISTS forever";
        database.execute(sql).await;
    }
}

/// The state of a payment, if it has a row.
async fn state(database: &TestDatabase, nonce: u64) -> Option<String> {
    let sql = format!("SELECT state FROM payments WHERE nonce = '0x{nonce:064x}'");
    let rows = database.connection().await.fetch_all(sqlx::AssertSqlSafe(sql)).await.unwrap();
    rows.first().map(|row| row.get(0))
}

/// Payments that are settled and have their answer, what was earned, and audits.
async fn kept(database: &TestDatabase) -> [i64; 3] {
    let row = database
        .row(
            "SELECT (SELECT COUNT(*) FROM payments WHERE state = 'settled' AND answer_body IS NOT NULL), \
            (SELECT COUNT(*) FROM revenue WHERE amount_micros = 20000), (SELECT COUNT(*) FROM audits)",
        )
        .await;
    [0, 1, 2].map(|column| row.get(column))
}
