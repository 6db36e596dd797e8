//! Bodies that are refused: the refusal reaches clients that send all of a body before they read.

use std::process::Command;

use testkit::TestDatabase;

use crate::app::{Call, TestApp};
use crate::judges::{content, node, pip};

testkit::on_both_databases! {
    l01_a_refusal_reaches_who_sends_the_whole_body_first,
}

/// Far more than the buffers of a connection hold, and less than is read of a refused body.
const LONG: usize = 6 * 1024 * 1024;

async fn l01_a_refusal_reaches_who_sends_the_whole_body_first(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let long = "a".repeat(LONG);
    for (call, wanted) in [
        (Call::new("POST", "/api/audit"), (413, "body_too_large")),
        (Call::new("POST", "/api/audit").header("content-encoding", "gzip"), (415, "unsupported_media_type")),
        (Call::new("PUT", "/api/audit"), (405, "method_not_allowed")),
        (Call::new("POST", "/api/nowhere"), (404, "not_found")),
    ] {
        let refused = app.call(call.body(&long)).await;
        let (status, code) = refused.refusal();
        assert_eq!((status, code.as_str()), wanted);
        assert_eq!(refused.header("connection"), "close");
    }
}

/// Runs a program against a path of a new service; it has to print the status and the body of the answer.
async fn told(command: Option<Command>, program: impl FnOnce(&str) -> String) {
    let Some(mut command) = command else { return };
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    command.arg(program(&app.url("/api/audit")));
    let output = content(command).await;
    assert!(output.starts_with("413 ") && output.contains("body_too_large"), "{output}");
}

#[tokio::test(flavor = "multi_thread")]
async fn l01_a_refusal_reaches_python() {
    let python = pip("python").map(|mut python| {
        python.arg("-c");
        python
    });
    told(python, |url| {
        format!(
            "import urllib.request, urllib.error\n\
             try:\n    urllib.request.urlopen('{url}', b'a' * {LONG})\n\
             except urllib.error.HTTPError as refused:\n    print(refused.code, refused.read().decode())\n"
        )
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn l01_a_refusal_reaches_node() {
    let node = node().map(|mut node| {
        node.args(["--input-type=module", "--eval"]);
        node
    });
    told(node, |url| {
        format!(
            "const refused = await fetch('{url}', {{method: 'POST', body: 'a'.repeat({LONG})}});\n\
             console.log(refused.status, await refused.text());"
        )
    })
    .await;
}
