//! Patches of findings, as an agent asks for them.

use serde_json::json;
use testkit::{SiteAnswer, TestDatabase, TestSite};

use super::{PAGE, post, site};
use crate::app::{Call, TestApp};

testkit::on_both_databases! {
    a_patch_comes_as_data_as_a_diff_and_applied,
    a_patch_is_for_its_page_alone,
}

async fn a_patch_comes_as_data_as_a_diff_and_applied(database: TestDatabase) {
    let (site, app) = (site().await, TestApp::start(database, |_| {}).await);
    let token = app.guest().await;
    let audit = app.call(Call::audit(&site.url("/")).token(&token)).await.json();
    let path = format!("/api/audits/{}/patch", audit["id"].as_str().unwrap());
    let by_line = app.call(Call::get(&format!("{path}?format=diff")).token(&token)).await;
    assert_eq!(by_line.header("content-type"), "text/x-diff; charset=utf-8");
    let data = app.call(Call::get(&path).token(&token)).await.json();
    for edit in data["edicoes"].as_array().unwrap() {
        assert!(by_line.body.contains(&format!("@@ -{0} +{0} @@", edit["line"])), "{}", by_line.body);
    }
    let whole = app.call(post(&path, &json!({"html": PAGE})).token(&token)).await.json();
    let (html, diff) = (whole["html"].as_str().unwrap(), whole["diff"].as_str().unwrap());
    assert!(html != PAGE && diff.contains("@@"), "{whole}");
    for (format, media_type, text) in
        [("diff", "text/x-diff; charset=utf-8", diff), ("html", "text/plain; charset=utf-8", html)]
    {
        let formed = app.call(post(&path, &json!({"html": PAGE, "format": format})).token(&token)).await;
        assert_eq!((formed.header("content-type"), formed.body.as_str()), (media_type, text));
    }
    // The page that comes is the page that the patch promises.
    let page = json!({"url": site.url("/"), "html": html, "audit_id": audit["id"]});
    let proof = app.call(post("/api/verify", &page).token(&token)).await.json();
    assert_eq!(proof["broke"], json!([]), "{proof}");
    for (body, status) in [
        (json!({"html": "<!doctype html><title>Other</title>"}), 400),
        (json!({"html": PAGE, "target": 101}), 400),
        (json!({"html": PAGE, "format": "pdf"}), 400),
        (json!({"target": 90}), 400),
        (json!({"html": "a".repeat(2_097_153)}), 413),
    ] {
        assert_eq!(app.call(post(&path, &body).token(&token)).await.status, status, "{}", body.to_string().len());
    }
    assert_eq!(app.call(post(&path, &json!({"html": PAGE}))).await.status, 401);
}

async fn a_patch_is_for_its_page_alone(database: TestDatabase) {
    // A page whose patch has tags for the head, and no edit.
    const HEAD_ONLY: &str = "<!doctype html><html lang=en><head><meta charset=utf-8><title>Rye bread for every day</title>\
        <meta name=description content=\"How to bake rye bread with flour, water and salt.\"></head>\
        <body><h1>Rye bread</h1><p>Flour, water, salt.</p></body></html>";
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::html(HEAD_ONLY),
        "/latin" => {
            let page = b"<!doctype html><html lang=pt><title>P\xe3o de centeio</title><h1>P\xe3o</h1>";
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=iso-8859-1\r\ncontent-length: {}\r\n\r\n",
                page.len()
            );
            SiteAnswer::Raw([head.as_bytes(), page].concat())
        }
        _ => SiteAnswer::missing(),
    })
    .await;
    let app = TestApp::start(database, |_| {}).await;
    let token = app.guest().await;
    let audit = async |path: &str| app.call(Call::audit(&site.url(path)).token(&token)).await.json();
    let path = format!("/api/audits/{}/patch", audit("/").await["id"].as_str().unwrap());
    let patch = app.call(Call::get(&path).token(&token)).await.json();
    assert!(patch["edicoes"] == json!([]) && patch["head"] != "", "{patch}");
    let other = HEAD_ONLY.replace("Rye bread", "Wheat").replace("rye bread", "wheat");
    let unlike =
        "<!doctype html><html lang=en><head><title>Contact</title></head><body><p>Write to us.</p></body></html>";
    for sent in [other.as_str(), unlike, "<html><head></head></html>", ""] {
        let refused = app.call(post(&path, &json!({"html": sent})).token(&token)).await;
        assert_eq!(refused.refusal(), (400, "invalid_body".to_owned()), "{sent}");
        assert!(refused.json()["detail"].as_str().unwrap().starts_with("html: differs from"), "{}", refused.body);
    }
    for sent in [HEAD_ONLY.to_owned(), HEAD_ONLY.replace("salt.</p>", "salt, and time.</p>")] {
        let taken = app.call(post(&path, &json!({"html": sent})).token(&token)).await.json();
        assert!(taken["html"].as_str().unwrap().contains(patch["head"].as_str().unwrap().lines().next().unwrap()));
        assert_eq!((&taken["encoding"], &taken["page_encoding"]), (&json!("UTF-8"), &json!("UTF-8")), "{taken}");
        assert_eq!(taken["id"], taken["audit_id"]);
        // A page that took the patch has nothing left to take.
        let again = app.call(post(&path, &json!({"html": taken["html"]})).token(&token)).await.json();
        assert_eq!((&again["html"], &again["diff"]), (&taken["html"], &json!("")), "{again}");
    }
    // A page of another encoding is sent as UTF-8, and comes as UTF-8.
    let latin = format!("/api/audits/{}/patch", audit("/latin").await["id"].as_str().unwrap());
    let sent = "<!doctype html><html lang=pt><title>P\u{e3}o de centeio</title><h1>P\u{e3}o</h1>";
    let taken = app.call(post(&latin, &json!({"html": sent})).token(&token)).await.json();
    assert_eq!((&taken["encoding"], &taken["page_encoding"]), (&json!("UTF-8"), &json!("windows-1252")), "{taken}");
    assert!(taken["html"].as_str().unwrap().contains("<title>P\u{e3}o de centeio</title>"), "{taken}");
}
