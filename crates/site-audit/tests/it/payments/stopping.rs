//! The program is asked to stop in the middle of a payment: it is settled first.

use std::io::{BufRead as _, BufReader};
use std::sync::Arc;

use sqlx::Row as _;
use testkit::TestDatabase;
use testkit::facilitator::{Say, TestFacilitator};
use testkit::wallet::Wallet;
use tokio::sync::{Notify, oneshot};

use super::program::{Events, Program, insist, payment};

testkit::on_both_databases! {
    a_stop_waits_for_a_payment_that_is_being_settled,
}

async fn a_stop_waits_for_a_payment_that_is_being_settled(database: TestDatabase) {
    let (facilitator, site) = (TestFacilitator::start().await, super::page().await);
    let (go_on, url) = (Arc::new(Notify::new()), site.url("/"));
    let waits = Arc::clone(&go_on);
    facilitator.script(move |question, _| (question.what == "settle").then(|| Say::Waits(Arc::clone(&waits))));
    let mut program = Program::new(&database, &facilitator);
    let log = program.start_with_log().await;
    let (told, was_told) = oneshot::channel();
    let listening = tokio::task::spawn_blocking(move || {
        let mut told = Some(told);
        for line in BufReader::new(log).lines().map_while(Result::ok) {
            if line.contains("waiting for paid calls to settle")
                && let Some(told) = told.take()
            {
                told.send(()).unwrap();
            }
        }
    });
    let place = program.place(&Events::default());
    let asked = insist(place.clone(), &url, None, 402).await;
    let wallet = Wallet::new([7; 32]);
    let paid = payment(&wallet, &wallet.address(), &super::required(&asked)["accepts"][0], 1);
    let call = tokio::spawn(async move { insist(place, &url, Some(&paid), 200).await });
    facilitator.wait_for("settle", 1).await;
    // The caller hangs up, so no connection is left to wait for.
    call.abort();
    assert!(call.await.is_err());
    program.ask_to_stop();
    was_told.await.expect("the program ended without a word");
    go_on.notify_one();
    assert!(program.wait().await.success());
    listening.await.unwrap();
    let row = database.row("SELECT state, settle_calls FROM payments").await;
    assert_eq!((row.get::<String, _>("state").as_str(), row.get::<i64, _>("settle_calls")), ("settled", 1));
}
