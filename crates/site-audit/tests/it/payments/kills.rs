//! The program is killed at random points of paid calls: no payment is charged twice, none is lost, none is without its
//! result. `SITE_AUDIT_TEST_RUNS` says how often, `SITE_AUDIT_TEST_SEED` where the dice begin.
#![expect(clippy::print_stdout, reason = "a long run says how many payments it has proven, and where it was killed")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sqlx::{Executor as _, Row as _};
use testkit::facilitator::{Say, TestFacilitator};
use testkit::wallet::Wallet;
use testkit::{SiteAnswer, TestDatabase, TestSite};

use super::PAY_TO;
use super::program::{Events, Place, Program, insist, note, payment, wait_until_gone};
use crate::faults::{Dice, runs, tell};

/// Kills where the environment says nothing: on SQLite, and on PostgreSQL, which takes the same way through the program.
const KILLS: [usize; 2] = [50, 10];
/// Calls at once.
const CLIENTS: u64 = 4;
/// Events of a life at most: questions to the facilitator and the chain, requests of the page and its files, and answers
/// that clients have. A paid call has some twenty.
const LONGEST_LIFE: u64 = 60;
/// A long run says every so many kills that it goes on.
const SAYS_EVERY: usize = 100;
/// Every so many settlements the answer is lost after the money has moved.
const LOST_ANSWER: usize = 7;

testkit::on_both_databases! {
    whenever_the_program_is_killed_every_payment_has_its_result_once,
}

async fn whenever_the_program_is_killed_every_payment_has_its_result_once(database: TestDatabase) {
    let (kills, mut dice) = (runs(KILLS[usize::from(database.is_postgres())]), Dice::new());
    let events: Events = Arc::default();
    let facilitator = TestFacilitator::start().await;
    let left = Arc::new(AtomicUsize::new(kills));
    let (seen, lives) = (Arc::clone(&events), Arc::clone(&left));
    facilitator.script(move |question, number| {
        note(&seen);
        // Who lost an answer asks the chain; the last life has none to lose.
        let is_lost = question.what == "settle" && number % LOST_ANSWER == 0 && lives.load(Ordering::SeqCst) > 0;
        is_lost.then_some(Say::MovesAndHangsUp)
    });
    let seen = Arc::clone(&events);
    let site = TestSite::start(move |asked| {
        note(&seen);
        if asked.path == "/" { SiteAnswer::html("<title>t</title>") } else { SiteAnswer::missing() }
    })
    .await;
    let url: Arc<str> = site.url("/").into();

    let mut program = Program::new(&database, &facilitator);
    program.start().await;
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| tokio::spawn(buy(client, program.place(&events), Arc::clone(&url), Arc::clone(&left))))
        .collect();

    let mut states = BTreeMap::new();
    let mut happened = events.subscribe();
    while left.load(Ordering::SeqCst) > 0 {
        let end = *happened.borrow_and_update() + 1 + dice.below(LONGEST_LIFE);
        happened.wait_for(|count| *count >= end).await.unwrap();
        program.kill();
        let done = kills + 1 - left.fetch_sub(1, Ordering::SeqCst);
        if done.is_multiple_of(SAYS_EVERY) {
            println!("{done} of {kills} kills, {} payments settled", facilitator.moved().len());
        }
        forget_leases(&database).await;
        for state in unfinished(&database).await {
            *states.entry(state).or_insert(0_u32) += 1;
        }
        program.start().await;
    }
    let mut paid = 0;
    for client in clients {
        paid += client.await.unwrap();
    }
    drop(program);

    let moved = facilitator.moved();
    assert_eq!(moved.len(), paid, "each payment moved its money once");
    assert!(moved.iter().all(|moved| moved.value == 20_000 && moved.to.eq_ignore_ascii_case(PAY_TO)));
    let row = database
        .row(
            "SELECT (SELECT COUNT(*) FROM payments WHERE state = 'settled' AND answer_body IS NOT NULL), \
            (SELECT COUNT(*) FROM payments), (SELECT COUNT(*) FROM revenue WHERE amount_micros = 20000), \
            (SELECT COUNT(*) FROM audits WHERE owner IS NULL), (SELECT COUNT(*) FROM audits)",
        )
        .await;
    let counts: Vec<i64> = (0..5).map(|column| row.get(column)).collect();
    assert_eq!(counts, vec![i64::try_from(paid).unwrap(); 5], "settled, known, earned, given out, kept");
    let more = format!("{paid} payments; states of the payments that were cut off: {states:?}");
    tell("F01, payments", database.system(), kills, &dice, &more);
}

/// Pays one audit after the other as long as the program is being killed, at least one; how many.
async fn buy(client: u64, place: Place, url: Arc<str>, left: Arc<AtomicUsize>) -> usize {
    let wallet = Wallet::new([7; 32]);
    let asked = insist(place.clone(), &url, None, 402).await;
    let accepted = super::required(&asked)["accepts"][0].clone();
    let mut paid = 0;
    while left.load(Ordering::SeqCst) > 0 || paid == 0 {
        let payment = payment(&wallet, &wallet.address(), &accepted, client << 32 | paid as u64);
        let audit = insist(place.clone(), &url, Some(&payment), 200).await;
        assert_eq!(audit.json()["summary"]["title"], "t");
        paid += 1;
    }
    paid
}

/// Ends the leases of a program that was killed. Servers of one PostgreSQL wait until these are over, which takes up to
/// three minutes; the only one of an SQLite file ends them itself.
async fn forget_leases(database: &TestDatabase) {
    if database.is_postgres() {
        wait_until_gone(database).await;
        database.execute("UPDATE payments SET leased_until = 0 WHERE state <> 'unclear'").await;
    }
}

/// States of the payments that are not at their end.
async fn unfinished(database: &TestDatabase) -> Vec<String> {
    let sql = "SELECT state FROM payments WHERE state NOT IN ('settled', 'refused', 'lapsed')";
    let rows = database.connection().await.fetch_all(sql).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}
