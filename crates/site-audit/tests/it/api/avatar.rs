//! The picture of an account.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use testkit::TestDatabase;

use super::people;
use crate::app::{Call, TestApp};

testkit::on_both_databases! { a_picture_is_drawn_anew_and_shown_to_its_owner_only }

/// A PNG of one red pixel.
pub(crate) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

async fn a_picture_is_drawn_anew_and_shown_to_its_owner_only(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let (ana, bo) = (people::account(&app, "ana").await, people::account(&app, "bo").await);
    let (anas, bos) = (people::session(&app, &ana).await, people::session(&app, &bo).await);
    let none = (404, "not_found".to_owned());
    let read = || Call::get("/api/account/avatar");
    let answer = app.call(anas.cookie(read())).await;
    assert_eq!(answer.refusal(), none);
    assert_eq!(answer.json()["error"], "This account has no picture.");
    let set = |image: &str| Call::new("PUT", "/api/auth/avatar").body(&json!({ "image": image }).to_string());
    for image in ["", "%", "AAAA", &STANDARD.encode("GIF89a"), &STANDARD.encode("<svg/>")] {
        let refused = app.call(anas.page(&app, set(image))).await.refusal();
        assert_eq!(refused, (400, "invalid_image".to_owned()), "{image}");
    }
    let large = STANDARD.encode(vec![0; 2 * 1_048_576 + 1]);
    assert_eq!(app.call(anas.page(&app, set(&large))).await.refusal(), (400, "invalid_image".to_owned()));
    let larger = "A".repeat(3 * 1_048_576);
    assert_eq!(app.call(anas.page(&app, set(&larger))).await.refusal(), (413, "body_too_large".to_owned()));
    assert_eq!(app.call(anas.page(&app, set(PNG))).await.status, 200);
    let shown = app.raw(anas.cookie(read())).await;
    let (head, body) = shown.split_at(shown.windows(4).position(|w| w == b"\r\n\r\n").unwrap());
    let head = String::from_utf8(head.to_vec()).unwrap();
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("content-type: image/webp"), "{head}");
    assert!(head.contains("cache-control: no-store"), "{head}");
    assert!(body.len() <= 65_536 && body[4..].starts_with(b"RIFF"), "{}", body.len());
    assert_eq!(app.call(bos.cookie(read())).await.refusal(), none);
    let remove = || anas.page(&app, Call::new("DELETE", "/api/auth/avatar"));
    for _ in 0..2 {
        assert_eq!(app.call(remove()).await.status, 200);
    }
    assert_eq!(app.call(anas.cookie(read())).await.refusal(), none);
}
