//! PostgreSQL is stopped, crashes, freezes, ends connections, and connections break in the middle of anything, also of a
//! COMMIT: what was acknowledged is there, once, and the program works again without a restart.

use std::time::Duration;

use serde_json::Value;
use testkit::TestDatabase;
use testkit::postgres_server::PostgresServer;

use super::scene::{Scene, renew};
use super::strace::Strace;
use super::{Dice, runs, tell};
use crate::server_process::{ServerProcess, until};

/// Faults where the environment says nothing: each kind once.
const FAULTS: usize = 6;
/// Events before and during a fault at most.
const LONGEST: u64 = 60;

/// A server of our own, which can be stopped; `None`, with a line printed, where PostgreSQL is not installed.
pub(crate) fn server() -> Option<PostgresServer> {
    server_with(&[])
}

/// The same with further settings, as `NAME=VALUE`.
pub(crate) fn server_with(settings: &[&str]) -> Option<PostgresServer> {
    if !PostgresServer::is_installed() {
        assert!(std::env::var_os("SITE_AUDIT_TEST_REQUIRE_POSTGRES").is_none(), "PostgreSQL is not installed");
        println!("not run on PostgreSQL: it is not installed");
        return None;
    }
    Some(PostgresServer::start(&[&["jit=off", "max_connections=200"], settings].concat()).unwrap())
}

/// What happens to the database.
#[derive(Debug, Clone, Copy)]
enum Fault {
    Stopped,
    Crashed,
    Frozen,
    /// All connections of the program are ended by the server.
    Terminated,
    /// The n-th time that a thread of the program reads or writes, its connection is broken.
    BrokenRead,
    BrokenWrite,
}

const KINDS: [Fault; FAULTS] =
    [Fault::Stopped, Fault::Crashed, Fault::Frozen, Fault::Terminated, Fault::BrokenRead, Fault::BrokenWrite];

#[tokio::test(flavor = "multi_thread")]
async fn f06_whatever_happens_to_postgresql_what_was_acknowledged_is_there() {
    let Some(mut server) = server().filter(|_| Strace::is_usable()) else { return };
    let (database, faults) = (TestDatabase::on_server(&server.url()).await, runs(FAULTS));
    let (mut scene, mut dice) = (Scene::open(&database, faults).await, Dice::new());
    for run in 0..faults {
        scene.pass(1 + dice.below(LONGEST)).await;
        let lasts = 1 + dice.below(LONGEST);
        match KINDS[run % KINDS.len()] {
            Fault::Stopped => {
                server.stop("fast").unwrap();
                scene.pass(lasts).await;
                server.start_again().unwrap();
            }
            Fault::Crashed => {
                server.stop("immediate").unwrap();
                server.start_again().unwrap();
            }
            Fault::Frozen => {
                server.signal("STOP").unwrap();
                scene.pass(lasts.min(16)).await;
                server.signal("CONT").unwrap();
            }
            Fault::Terminated => {
                let others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                    WHERE datname = current_database() AND pid <> pg_backend_pid()";
                for _ in 0..5 {
                    database.execute(others).await;
                    scene.pass(1 + dice.below(8)).await;
                }
            }
            Fault::BrokenRead => break_connections(&mut scene, &mut dice, "recvfrom", lasts).await,
            Fault::BrokenWrite => break_connections(&mut scene, &mut dice, "sendto", lasts).await,
        }
        scene.recover().await;
        renew(&database).await;
        scene.done();
    }
    let acknowledged = scene.end().await;
    tell("F06", database.system(), faults, &dice, &format!("{acknowledged} acknowledgements"));
}

async fn break_connections(scene: &mut Scene, dice: &mut Dice, call: &str, lasts: u64) {
    let n = 1 + dice.below(200);
    let inject = format!("{call}:error=ECONNRESET:when={n}+{}", 1 + dice.below(100));
    let strace = Strace::attach(&[scene.program.process()], &inject, &[]);
    scene.pass(lasts).await;
    drop(strace);
}

#[tokio::test(flavor = "multi_thread")]
async fn f06_without_its_database_audits_go_on_and_nothing_is_charged() {
    let Some(mut server) = server() else { return };
    let database = TestDatabase::on_server(&server.url()).await;
    let site = testkit::TestSite::start(|_| testkit::SiteAnswer::html("<title>t</title>")).await;
    let program = ServerProcess::start(&database, &[]);
    let guest = program.guest().await;
    let body = serde_json::json!({ "url": site.url("/") }).to_string();
    for is_frozen in [false, true] {
        let stored = program.call("POST", "/api/audit", &guest, &body).await;
        let stored = stored.json();
        let id = stored["id"].as_str().unwrap_or_else(|| panic!("no audit is stored: {stored}"));
        if is_frozen {
            server.signal("STOP").unwrap()
        } else {
            server.stop("fast").unwrap()
        }
        let begun = std::time::Instant::now();
        let audit = program.call("POST", "/api/audit", "", &body).await;
        let waited: Duration = begun.elapsed();
        assert_eq!((audit.status, &audit.json()["id"]), (200, &Value::Null), "{}", audit.body);
        println!("F06: an audit without a database (frozen: {is_frozen}) took {waited:?}");
        let refused = program.call("POST", "/api/guest", "", "").await;
        assert_eq!(refused.refusal(), (503, "database_unavailable".to_owned()));
        if is_frozen {
            server.signal("CONT").unwrap()
        } else {
            server.start_again().unwrap()
        }
        // Writes are left alone for two seconds after their last failure, longer than reads.
        let share = format!("/api/audits/{id}/share");
        until(async || program.call("POST", &share, &guest, "").await.status != 503).await;
    }
    program.kill();
}
