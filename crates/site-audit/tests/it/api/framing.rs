//! The framing of requests (RFC 9112 §6): where one ends is never a matter of taste, so none is smuggled in another.

use testkit::TestDatabase;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::app::TestApp;

testkit::on_both_databases! {
    a_request_with_two_lengths_is_refused_and_nothing_after_it_is_read,
    a_request_with_length_and_chunks_ends_with_its_last_chunk_and_is_the_last,
}

/// Everything that comes back for these bytes, until the server closes.
async fn answers(app: &TestApp, bytes: &str) -> String {
    let mut stream = app.connect([127, 0, 0, 1].into()).await;
    stream.write_all(bytes.as_bytes()).await.unwrap();
    let mut answers = Vec::new();
    // A server that closes while bytes are under way resets the connection.
    let _read = stream.read_to_end(&mut answers).await;
    String::from_utf8_lossy(&answers).into_owned()
}

/// A second request, as it would be smuggled.
const SMUGGLED: &str = "GET /api/checks/title_missing HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";

/// The number of answers, where none is of the smuggled request.
fn answers_to_the_first_alone(answers: &str, what: &str) -> usize {
    assert!(!answers.contains("title_missing"), "{what}: {answers}");
    answers.matches("HTTP/1.").count()
}

async fn a_request_with_two_lengths_is_refused_and_nothing_after_it_is_read(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    for (what, fields, body) in [
        ("two lengths", "content-length: 5\r\ncontent-length: 0\r\n", "0\r\n\r\n"),
        ("two lengths in one field", "content-length: 5, 0\r\n", "0\r\n\r\n"),
        ("a length that is no number", "content-length: +5\r\n", "0\r\n\r\n"),
        ("an unknown coding", "transfer-encoding: chunked, x\r\n", "0\r\n\r\n"),
        ("chunks without a version that has them", "", ""),
    ] {
        let version = if fields.is_empty() { "HTTP/1.0" } else { "HTTP/1.1" };
        let fields = if fields.is_empty() { "transfer-encoding: chunked\r\n" } else { fields };
        let request = format!("POST /api/guest {version}\r\nhost: a\r\n{fields}\r\n{body}{SMUGGLED}");
        let answers = answers(&app, &request).await;
        assert!(answers.starts_with("HTTP/1.1 400 ") || answers.starts_with("HTTP/1.0 400 "), "{what}: {answers}");
        assert_eq!(answers_to_the_first_alone(&answers, what), 1, "{what}: {answers}");
    }
}

async fn a_request_with_length_and_chunks_ends_with_its_last_chunk_and_is_the_last(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    // The coding overrides the length, and the connection ends behind the answer (RFC 9112 §6.3).
    for (what, fields) in [
        ("a length, then chunks", "content-length: 1\r\ntransfer-encoding: chunked\r\n"),
        ("chunks, then a length", "transfer-encoding: chunked\r\ncontent-length: 1\r\n"),
    ] {
        let fields = format!("content-type: application/json\r\n{fields}");
        let request = format!("POST /api/guest HTTP/1.1\r\nhost: a\r\n{fields}\r\n2\r\n{{}}\r\n0\r\n\r\n{SMUGGLED}");
        let answers = answers(&app, &request).await;
        assert!(answers.starts_with("HTTP/1.1 200 "), "{what}: {answers}");
        assert_eq!(answers_to_the_first_alone(&answers, what), 1, "{what}: {answers}");
    }
}
