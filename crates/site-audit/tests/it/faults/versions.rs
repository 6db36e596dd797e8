//! Two versions of the program on one database: an upgrade while the older one goes on, and the way back. The older program is
//! named by the environment: `cargo xtask faults F15` says how to make one.

use std::path::PathBuf;

use testkit::TestDatabase;

use super::scene::{Scene, renew};
use super::{Dice, runs, tell};

/// The older program.
const OLDER: &str = "SITE_AUDIT_TEST_OLDER_PROGRAM";
/// Events between two changes at most.
const LONGEST: u64 = 120;

#[tokio::test(flavor = "multi_thread")]
async fn f15_two_versions_at_once_and_a_rollback_lose_nothing() {
    let Some(older) = std::env::var_os(OLDER).map(PathBuf::from) else {
        println!("not run: {OLDER} names no older program");
        return;
    };
    let Some(database) = TestDatabase::postgres().await else { return };
    let (times, mut dice) = (runs(3), Dice::new());
    let mut scene = Scene::prepare(&database, times).await;
    let mut old = scene.another(&database).of(older);
    // The older one makes the tables.
    old.start().await;
    // Half of the clients know only the older one, half only the newer one, and each checks what its own said.
    let place = old.place(&scene.events);
    scene.program.start().await;
    scene
        .send_clients(
            &database,
            |scene, number| {
                if number % 2 == 0 { place.clone() } else { scene.program.place(&scene.events) }
            },
        )
        .await;
    for _ in 0..times {
        scene.pass(1 + dice.below(LONGEST)).await;
        scene.recover().await;
        // The upgrade is over: only the newer one is left.
        old.kill();
        scene.pass(1 + dice.below(LONGEST)).await;
        // The rollback: only the older one is left, on tables that the newer one made.
        old.start().await;
        scene.program.kill();
        scene.pass(1 + dice.below(LONGEST)).await;
        renew(&database).await;
        scene.program.start().await;
        scene.done();
    }
    let acknowledged = scene.end().await;
    tell("F15", database.system(), times, &dice, &format!("{acknowledged} acknowledgements"));
}

/// The same on one file of SQLite, where one follows the other.
#[tokio::test(flavor = "multi_thread")]
async fn f15_an_upgrade_and_a_rollback_of_a_file_lose_nothing() {
    let Some(older) = std::env::var_os(OLDER).map(PathBuf::from) else {
        println!("not run: {OLDER} names no older program");
        return;
    };
    let (database, times, mut dice) = (TestDatabase::sqlite(), runs(3), Dice::new());
    let mut scene = Scene::prepare(&database, times).await;
    let newer = PathBuf::from(env!("CARGO_BIN_EXE_site-audit"));
    scene.program.replace(older.clone());
    scene.program.start().await;
    scene.send_clients(&database, |scene, _| scene.program.place(&scene.events)).await;
    for _ in 0..times {
        for file in [&newer, &older] {
            scene.pass(1 + dice.below(LONGEST)).await;
            scene.program.kill();
            scene.program.replace(file.clone());
            scene.restart(&database).await;
        }
        scene.done();
    }
    let acknowledged = scene.end().await;
    tell("F15", database.system(), times, &dice, &format!("{acknowledged} acknowledgements"));
}
