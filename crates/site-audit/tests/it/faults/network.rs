//! A server in a network namespace without a way out: audits fail at once and blame nobody, the rest works.

use std::process::{Command, Stdio};

use serde_json::json;
use testkit::TestDatabase;

use super::{Dice, runs, tell};
use crate::app::{Call, TestApp};

/// Set for a copy of this program that runs within the namespace.
const WITHIN: &str = "SITE_AUDIT_TEST_NAMESPACE";

#[tokio::test(flavor = "multi_thread")]
async fn f18_without_a_way_out_audits_fail_and_the_rest_works() {
    let times = runs(1);
    for _ in 0..times {
        let script = "command -v ip >/dev/null || { echo 'unshare failed: there is no ip' >&2; exit 1; }; \
             ip link set lo up && exec \"$0\" --ignored --exact --nocapture faults::network::within_the_namespace";
        let output = Command::new("unshare")
            .args(["--net", "sh", "-c", script])
            .arg(std::env::current_exe().unwrap())
            .env(WITHIN, "1")
            .stdin(Stdio::null())
            .output();
        let output = match output {
            Ok(output) if !String::from_utf8_lossy(&output.stderr).contains("unshare failed") => output,
            _ => {
                println!("not run: no network namespace can be made here");
                return;
            }
        };
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && said.contains("1 passed"),
            "{said}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    tell("F18", "SQLite", times, &Dice::new(), "no way out");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "started within a namespace by f18_without_a_way_out_audits_fail_and_the_rest_works"]
async fn within_the_namespace() {
    if std::env::var_os(WITHIN).is_none() {
        return;
    }
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let token = app.guest().await;
    for url in ["http://93.184.216.34/", "http://[2606:2800:220:1::1]/", "https://example.com/"] {
        let answer = app.call(Call::audit(url).token(&token)).await;
        assert_eq!(answer.status, 502, "{url}: {}", answer.body);
        println!("{url}: {}", answer.json()["code"]);
    }
    assert_eq!(app.free_remaining().await, 10, "a site that was not reached costs nothing");
    for path in ["/", "/api/health", "/docs", "/openapi.json"] {
        assert_eq!(app.call(Call::get(path)).await.status, 200, "{path}");
    }
    let followed = app
        .call(Call::new("POST", "/api/tabs").token(&token).body(&json!({"url": "https://example.com/"}).to_string()));
    assert_eq!(followed.await.status, 200);
}
