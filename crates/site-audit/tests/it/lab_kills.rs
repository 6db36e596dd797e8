//! A server that is killed in the middle of a lab test, on the embedded database: after its return each test ends.

use serde_json::json;
use sqlx::{AssertSqlSafe, Executor as _, Row as _};
use testkit::{LabServer, TestDatabase, TestSite};

use crate::api::lab::page;
use crate::faults::{Dice, runs, tell};
use crate::server_process::{ServerProcess, until};

/// How many kills where the environment says nothing; 50 take about a minute.
const USUAL_KILLS: usize = 2;

/// A server whose lab tests are those of `lab`.
fn serve(database: &TestDatabase, lab: &LabServer) -> ServerProcess {
    let url = lab.url();
    let settings = [
        ("LAB__PROVIDER", "pagespeed"),
        ("LAB__URL", url.as_str()),
        ("LAB__KEY", "lab-canary-of-kills"),
        ("LAB__PER_HOUR", "1000"),
    ];
    ServerProcess::start(database, &settings)
}

async fn state(database: &TestDatabase) -> String {
    let query = sqlx::query(AssertSqlSafe("SELECT state FROM lab_tests".to_owned()));
    database.connection().await.fetch_one(query).await.unwrap().get(0)
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_ends_its_lab_test_after_its_return() {
    let kills = runs(USUAL_KILLS);
    let (database, lab) = (TestDatabase::sqlite(), LabServer::start().await);
    let site: TestSite = page().await;
    let mut server = serve(&database, &lab);
    let guest = server.guest().await;
    let body = json!({"url": site.url("/")}).to_string();
    let audit = server.call("POST", "/api/audit", &guest, &body).await.json();
    let path = format!("/api/audits/{}/lab", audit["id"].as_str().unwrap_or_else(|| panic!("{audit}")));
    for kill in 0..kills {
        lab.hold();
        let asked = lab.asked().len();
        let begun = server.call("POST", &path, &guest, "{}").await.json();
        assert_eq!(begun["ok"], true, "{begun}");
        // Every other one is killed before its job was claimed, or at that moment.
        if kill % 2 == 0 {
            until(async || lab.asked().len() > asked).await;
        }
        server.kill();
        assert_eq!(state(&database).await, "running", "nobody has told of its end");
        // The claim of the dead runs out, which takes minutes otherwise.
        database.execute("UPDATE jobs SET locked_until = 0 WHERE lane = 'lab' AND state = 'waiting'").await;
        lab.release();
        server = serve(&database, &lab);
        until(async || state(&database).await != "running").await;
        assert_eq!(state(&database).await, "finished", "kill {kill}");
    }
    server.kill();
    tell("F12", database.system(), kills, &Dice::new(), "lab tests");
}
