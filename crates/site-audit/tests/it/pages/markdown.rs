//! Pages as Markdown.

use testkit::TestDatabase;

use crate::app::{Call, TestApp};

#[tokio::test(flavor = "multi_thread")]
async fn every_page_that_may_be_indexed_is_there_as_markdown() {
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let sitemap = app.call(Call::get("/sitemap.xml")).await.body;
    let plain = sitemap.split("<loc>").skip(1).filter_map(|entry| entry.split("</loc>").next());
    let pages: Vec<&str> = plain.filter(|url| !url.contains('?')).collect();
    assert!(pages.len() > 100, "{} pages", pages.len());
    for url in pages {
        let path = url.strip_prefix(&app.url("")).unwrap();
        let response = app.call(Call::get(path).header("accept", "text/markdown")).await;
        assert_eq!((response.status, response.header("content-type")), (200, "text/markdown; charset=utf-8"), "{path}");
        assert!(response.body.lines().any(|line| line.starts_with("# ")), "{path}: {}", response.body);
        assert!(!response.body.contains("](/"), "{path} has a link that is not absolute");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_markdown_for_who_asks_and_html_for_a_browser() {
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let ask = |accept: &str| Call::get("/checks/title_missing").header("accept", accept);
    for (accept, wanted) in [
        ("text/markdown", "text/markdown; charset=utf-8"),
        ("text/markdown, text/html, */*", "text/markdown; charset=utf-8"),
        ("text/html, text/markdown;q=0.9", "text/html; charset=utf-8"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html; charset=utf-8"),
        ("*/*", "text/html; charset=utf-8"),
    ] {
        let response = app.call(ask(accept)).await;
        assert_eq!(response.header("content-type"), wanted, "{accept}");
        assert!(response.header("vary").contains("Accept,") || response.header("vary").ends_with("Accept"), "{accept}");
    }
    let (page, text) = (app.call(ask("text/html")).await, app.call(ask("text/markdown")).await);
    assert_ne!(page.header("etag"), text.header("etag"));
    let known = app.call(ask("text/markdown").header("if-none-match", text.header("etag"))).await;
    assert_eq!(known.status, 304);
    let missing = app.call(Call::get("/checks/nothing").header("accept", "text/markdown")).await;
    assert_eq!((missing.status, missing.header("content-type")), (404, "text/markdown; charset=utf-8"));
    let portuguese = app.call(Call::get("/bot?lang=pt-BR").header("accept", "text/markdown")).await;
    assert!(portuguese.body.contains("robô"), "{}", portuguese.body);
}
