//! The widget as data, and the headers of what other sites load.

use serde_json::json;
use testkit::TestDatabase;

use crate::app::{Call, TestApp};

#[tokio::test]
async fn options_fall_back() {
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let plain = app.call(Call::get("/api/embed")).await.json();
    assert_eq!(plain["config"], json!({"brand": "Site Audit", "color": "#0757ba", "theme": "auto", "url": null}));
    assert_eq!(plain["current"], json!({"widget": app.url("/embed"), "loader": app.url("/embed.js")}));
    let limits = json!({"brand_characters": 40, "min_width": 240, "max_width": 640, "free_per_day": 10});
    assert_eq!(plain["limits"], limits);
    let snippet = format!(
        "<script async src=\"{}\"></script><noscript><a href=\"{}\">Audit a page with Site Audit</a></noscript>",
        app.url("/embed.js"),
        app.url("/")
    );
    assert_eq!(plain["snippet"], snippet.as_str());
    for bad in [
        "color=red",
        "color=%23ggg",
        "theme=pink",
        "url=javascript%3Aalert(1)",
        "url=http%3A%2F%2F10.0.0.1%2F",
        "brand=",
        "brand=%00",
    ] {
        assert_eq!(app.call(Call::get(&format!("/api/embed?{bad}"))).await.json(), plain, "{bad}");
    }
    let chosen =
        format!("/api/embed?brand={}&color=%23ABC&theme=light&url=https%3A%2F%2Fexample.com%2F", "%22%3E".repeat(30));
    let chosen = app.call(Call::get(&chosen)).await.json();
    let brand = "\">".repeat(20);
    assert_eq!(
        chosen["config"],
        json!({"brand": brand, "color": "#aabbcc", "theme": "light", "url": "https://example.com/"})
    );
    let snippet = chosen["snippet"].as_str().unwrap();
    for part in [
        format!(" data-brand=\"{}\"", "&quot;&gt;".repeat(20)),
        " data-color=\"#aabbcc\" data-theme=\"light\" data-url=\"https://example.com/\"></script>".to_owned(),
    ] {
        assert!(snippet.contains(&part), "{part} is not in {snippet}");
    }
}

#[tokio::test]
async fn any_site_may_frame_the_widget_and_nothing_else() {
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let widget = app.call(Call::get("/embed?color=%23fff").header("cookie", "mm-theme=dark")).await;
    let policy = widget.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'self' 'sha256-"), "{policy}");
    assert!(
        policy
            .ends_with("script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors *"),
        "{policy}"
    );
    assert_eq!((widget.status, widget.header("x-robots-tag"), widget.header("x-frame-options")), (200, "noindex", ""));
    assert_eq!((widget.header("set-cookie"), widget.header("cross-origin-resource-policy")), ("", "cross-origin"));
    assert!(widget.body.contains("<html lang=\"en\">"), "{}", widget.body);
    assert!(!widget.body.contains("mail"), "a visitor is never asked for an address: {}", widget.body);

    let loader = app.call(Call::get("/embed.js")).await;
    assert!(loader.header("content-type").starts_with("application/javascript"));
    assert_eq!(loader.header("cache-control"), "public, max-age=3600");
    assert_eq!(loader.header("cross-origin-resource-policy"), "cross-origin");
    let known = app.call(Call::get("/embed.js").header("if-none-match", loader.header("etag"))).await;
    assert_eq!(known.status, 304);
    for file in ["src=\"/assets/widget.", "href=\"/assets/app."] {
        let path = widget.body.split(file).nth(1).unwrap().split('"').next().unwrap();
        let path = format!("{}{path}", file.split('"').nth(1).unwrap());
        let file = app.call(Call::get(&path)).await;
        assert_eq!((file.status, file.header("cross-origin-resource-policy")), (200, "cross-origin"), "{path}");
        assert_eq!(file.header("cache-control"), "public, max-age=31536000, immutable", "{path}");
    }
    for path in ["/", "/r/aaaaaaaaaaaaaaaaaaaa", "/tools", "/api/embed"] {
        let policy = app.call(Call::get(path)).await;
        assert!(policy.header("content-security-policy").contains("frame-ancestors 'none'"), "{path}");
    }
}
