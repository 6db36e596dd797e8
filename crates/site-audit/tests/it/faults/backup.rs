//! A backup made while clients pay, restored elsewhere: what each had paid by then is what the ledger says.

use sqlx::{AssertSqlSafe, Executor as _, Row as _};
use testkit::TestDatabase;

use super::clients::{CREDIT, PRICE};
use super::scene::Scene;
use super::{Dice, runs, tell};
use crate::command_line::{code, program, stderr};

/// Backups where the environment says nothing.
const BACKUPS: usize = 2;
/// Events between them at most.
const LONGEST: u64 = 120;

/// What was spent of each credit, by its balance and by the sum of its movements, in the order of the clients.
const SPENT: &str = "SELECT CAST(balance_micros AS BIGINT), CAST(COALESCE((SELECT SUM(amount_micros) FROM credit_movements \
    WHERE credit_id = credits.id), 0) AS BIGINT) FROM credits ORDER BY id";

testkit::on_both_databases! { f20_a_backup_under_load_has_the_money_of_its_moment }

async fn f20_a_backup_under_load_has_the_money_of_its_moment(database: TestDatabase) {
    let backups = runs(BACKUPS);
    let (mut scene, mut dice) = (Scene::open(&database, backups).await, Dice::new());
    let folder = tempfile::tempdir().unwrap();
    let mut audits = 0;
    for number in 0..backups {
        scene.pass(1 + dice.below(LONGEST)).await;
        let file = folder.path().join(number.to_string()).display().to_string();
        let answered = scene.paid_audits(|paid| &paid.answered);
        run(&["backup", &file, "--database-url", database.url()]).await;
        let sent = scene.paid_audits(|paid| &paid.sent);
        let other =
            if database.is_postgres() { TestDatabase::postgres().await.unwrap() } else { TestDatabase::sqlite() };
        run(&["restore", &file, "--database-url", other.url()]).await;
        let rows = other.connection().await.fetch_all(sqlx::query(AssertSqlSafe(SPENT.to_owned()))).await.unwrap();
        assert_eq!(rows.len(), answered.len());
        for (client, row) in rows.iter().enumerate() {
            let (balance, moved): (i64, i64) = (row.get(0), row.get(1));
            assert_eq!(balance, CREDIT + moved, "the balance is the sum of the ledger");
            // A debit of an audit that is still made is held, and was not reversed: each had its page.
            let spent = (CREDIT - balance) / PRICE;
            assert!((answered[client]..=sent[client]).contains(&spent), "{spent}: {answered:?}, {sent:?}");
            audits += spent;
        }
        scene.done();
    }
    let acknowledged = scene.end().await;
    tell(
        "F20",
        database.system(),
        backups,
        &dice,
        &format!("{audits} paid audits compared; {acknowledged} acknowledgements"),
    );
}

async fn run(arguments: &[&str]) {
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let running = move || program().args(arguments).output().unwrap();
    let output = tokio::task::spawn_blocking(running).await.unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}
