//! The program is killed at a named point: just before its n-th write to the log of the database, its n-th flush, the n-th
//! message that it sends or reads. What a client was answered is there afterwards, once.

use testkit::TestDatabase;

use super::scene::Scene;
use super::strace::{Strace, database_files};
use super::{Dice, runs, tell};

/// Kills where the environment says nothing: on SQLite, and on PostgreSQL.
const KILLS: [usize; 2] = [8, 4];
/// Events after which a life ends without having come to its point.
const LONGEST_LIFE: u64 = 200;

/// A point: system calls, whether only those on the files of the database, and the highest n.
type Point = (&'static str, &'static str, bool, u64);

const ON_SQLITE: &[Point] = &[
    ("a write to the database", "pwrite64", true, 60),
    ("a flush of the database", "fsync,fdatasync", true, 25),
    ("a message that is sent", "sendto,writev", false, 60),
    ("a message that is read", "recvfrom", false, 120),
];
const ON_POSTGRES: &[Point] =
    &[("a message that is sent", "sendto,writev", false, 120), ("a message that is read", "recvfrom", false, 240)];

testkit::on_both_databases! {
    f02_killed_at_any_call_of_the_system_nothing_acknowledged_is_lost,
}

async fn f02_killed_at_any_call_of_the_system_nothing_acknowledged_is_lost(database: TestDatabase) {
    if !Strace::is_usable() {
        return;
    }
    let kills = runs(KILLS[usize::from(database.is_postgres())]);
    let points = if database.is_postgres() { ON_POSTGRES } else { ON_SQLITE };
    let (mut scene, mut dice) = (Scene::open(&database, kills).await, Dice::new());
    let mut hits = vec![0_usize; points.len()];
    for run in 0..kills {
        let place = run % points.len();
        let (_, calls, is_of_files, most) = points[place];
        let inject = format!("{calls}:signal=KILL:when={}", 1 + dice.below(most));
        let files = if is_of_files { database_files(&database) } else { Vec::new() };
        let strace = Strace::attach(&[scene.program.process()], &inject, &files);
        let mut waited = 0;
        while scene.program.is_running() && waited < LONGEST_LIFE {
            scene.pass(1).await;
            waited += 1;
        }
        hits[place] += usize::from(!scene.program.is_running());
        scene.program.kill();
        drop(strace);
        scene.done();
        scene.restart(&database).await;
    }
    let acknowledged = scene.end().await;
    assert!(hits.iter().sum::<usize>() > 0, "no point was ever reached");
    let told: Vec<String> =
        points.iter().zip(&hits).map(|(point, hits)| format!("{hits} before {}", point.0)).collect();
    tell(
        "F02",
        database.system(),
        hits.iter().sum(),
        &dice,
        &format!("{}; {acknowledged} acknowledgements", told.join(", ")),
    );
}
