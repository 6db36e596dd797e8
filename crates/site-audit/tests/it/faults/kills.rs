//! The program is killed at random moments: what a client was answered is there afterwards, once.

use testkit::TestDatabase;

use super::scene::Scene;
use super::{Dice, runs, tell};

/// Kills where the environment says nothing: on SQLite, and on PostgreSQL.
const KILLS: [usize; 2] = [20, 5];
/// Events of a life at most.
const LONGEST_LIFE: u64 = 120;

testkit::on_both_databases! {
    f01_whenever_the_program_is_killed_what_was_acknowledged_is_there,
}

async fn f01_whenever_the_program_is_killed_what_was_acknowledged_is_there(database: TestDatabase) {
    let kills = runs(KILLS[usize::from(database.is_postgres())]);
    let (mut scene, mut dice) = (Scene::open(&database, kills).await, Dice::new());
    for _ in 0..kills {
        scene.pass(1 + dice.below(LONGEST_LIFE)).await;
        scene.program.kill();
        scene.done();
        scene.restart(&database).await;
    }
    let slowest = scene.program.slowest_start();
    let acknowledged = scene.end().await;
    tell(
        "F01",
        database.system(),
        kills,
        &dice,
        &format!("{acknowledged} acknowledgements, slowest start {slowest:?}"),
    );
}
