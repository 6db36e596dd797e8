//! The n-th read, write or flush of the database fails: nothing is acknowledged that is not kept, and the program works again
//! once the fault is over, without a restart.

use std::time::Duration;

use testkit::TestDatabase;
use testkit::postgres_server::PostgresServer;

use super::database::server_with;
use super::scene::Scene;
use super::strace::{Strace, database_files};
use super::{Dice, runs, tell};

/// Failures where the environment says nothing.
const ON_SQLITE: usize = 10;
const ON_POSTGRES: usize = 4;
/// Events during which calls fail.
const LASTS: u64 = 60;
/// Between two looks at whether PostgreSQL has ended.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// The highest n; then it begins with 1 again.
const HIGHEST: u64 = 64;

/// System calls, error, and whether every later call fails too until the fault is over.
type Failure = (&'static str, &'static str, bool);

/// A read fails as of a disk that does not answer: where it is EIO, SQLite says that the file is damaged.
const FAILURES: &[Failure] = &[
    ("pwrite64", "EIO", false),
    ("fsync,fdatasync", "EIO", false),
    ("pread64", "ETIMEDOUT", false),
    ("pwrite64", "ENOSPC", false),
    ("ftruncate", "EIO", false),
    ("pwrite64", "EIO", true),
    ("fsync,fdatasync", "EIO", true),
    ("pread64", "ETIMEDOUT", true),
    ("pwrite64", "EROFS", true),
    ("pwrite64", "ENOSPC", true),
];

/// The failure of a run: every kind with n = 1, then with 2, and so on, from where the seed says.
fn injection(run: usize, start: u64) -> String {
    let (calls, error, is_lasting) = FAILURES[run % FAILURES.len()];
    let n = 1 + (start + (run / FAILURES.len()) as u64) % HIGHEST;
    format!("{calls}:error={error}:when={n}{}", if is_lasting { "+" } else { "" })
}

#[tokio::test(flavor = "multi_thread")]
async fn f04_whichever_call_of_sqlite_fails_nothing_false_is_acknowledged() {
    if !Strace::is_usable() {
        return;
    }
    let (database, failures) = (TestDatabase::sqlite(), runs(ON_SQLITE));
    let (mut scene, mut dice) = (Scene::open(&database, failures).await, Dice::new());
    let start = dice.below(HIGHEST);
    for run in 0..failures {
        let strace = Strace::attach(&[scene.program.process()], &injection(run, start), &database_files(&database));
        scene.pass(LASTS).await;
        drop(strace);
        assert!(scene.program.is_running(), "it ended by itself");
        scene.recover().await;
        scene.done();
        // What the next start finds on the disk counts, not what this one remembers.
        scene.restart(&database).await;
    }
    let acknowledged = scene.end().await;
    tell("F04", database.system(), failures, &dice, &format!("{acknowledged} acknowledgements"));
}

#[tokio::test(flavor = "multi_thread")]
async fn f04_whichever_call_of_postgresql_fails_nothing_false_is_acknowledged() {
    // With so few buffers it reads from its files all the while, so that reads fail too.
    let Some(mut server) = server_with(&["shared_buffers=1MB"]).filter(|_| Strace::is_usable()) else { return };
    let (database, failures) = (TestDatabase::on_server(&server.url()).await, runs(ON_POSTGRES));
    let (mut scene, mut dice) = (Scene::open(&database, failures).await, Dice::new());
    let start = dice.below(HIGHEST);
    for run in 0..failures {
        let strace = Strace::attach(&server.processes().unwrap(), &injection(run, start), &[]);
        scene.pass(LASTS).await;
        drop(strace);
        // A failed flush of its log is a panic, as it should be: it starts again and reads its log, or an operator does that.
        recover(&mut scene, &mut server).await;
        scene.done();
        super::scene::renew(&database).await;
    }
    let acknowledged = scene.end().await;
    tell("F04", database.system(), failures, &dice, &format!("{acknowledged} acknowledgements"));
}

/// Waits until clients are served again, and starts the server again whenever it has ended.
async fn recover(scene: &mut Scene, server: &mut PostgresServer) {
    let mut looks = tokio::time::interval(LOOK_EVERY);
    let mut recovered = std::pin::pin!(scene.recover());
    loop {
        tokio::select! {
            () = &mut recovered => return,
            _ = looks.tick() => {
                if server.processes().is_err() {
                    server.start_again().unwrap();
                }
            }
        }
    }
}
