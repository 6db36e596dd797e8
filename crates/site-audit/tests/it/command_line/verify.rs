//! `site-audit verify`.

use super::{PAGE, code, json, site_audit, stderr, stdout};

const VERIFY: [&str; 5] = ["verify", "--html", "-", "--url", "example.com/bread"];

/// A file with `text`, and the folder that goes with it.
fn file(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

fn before() -> (tempfile::TempDir, String) {
    file(&stdout(&site_audit(&["audit", "--html", "-", "--url", "example.com/bread", "--format", "json"], PAGE)))
}

#[test]
fn a_changed_page_is_compared_with_its_audit() {
    let (_folder, before) = before();
    let mended = PAGE.replace("<head>", "<head><meta name=viewport content='width=device-width'>");
    let output = site_audit(&[&VERIFY[..], &["--before", &before, "--format", "json"]].concat(), &mended);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let verification = json(&output);
    assert_eq!(verification["fixed"][0]["code"], "viewport_missing");
    assert_eq!(verification["broke"], serde_json::json!([]));
    let text = stdout(&site_audit(&[&VERIFY[..], &["--before", &before, "--lang", "pt-BR"]].concat(), &mended));
    assert!(text.starts_with("Corrigido: viewport_missing"), "{text}");
}

#[test]
fn what_broke_and_a_score_below_the_bar_decide_the_exit_code() {
    let (_folder, before) = before();
    let broken = PAGE.replace("lang=", "data-lang=");
    assert_ne!(broken, PAGE);
    let against = |page: &str| code(&site_audit(&[&VERIFY[..], &["--before", &before]].concat(), page));
    assert_eq!((against(PAGE), against(&broken)), (0, 1));
    assert_eq!(code(&site_audit(&[&VERIFY[..], &["--fail-under", "100"]].concat(), PAGE)), 1);
    assert_eq!(code(&site_audit(&VERIFY, PAGE)), 0);
}

#[test]
fn headers_and_robots_txt_are_measured_when_they_are_given() {
    let (_folder, headers) = file("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: noindex\r\n\r\n");
    let (_other, robots) = file("User-agent: *\nDisallow: /\n");
    let more = ["--headers", &headers, "--robots-txt", &robots, "--format", "json"];
    let found = json(&site_audit(&[&VERIFY[..], &more].concat(), PAGE))["issues"].to_string();
    assert!(found.contains("noindex_header") && found.contains("robots_txt_blocks_page"), "{found}");
}

#[test]
fn what_can_not_be_read_is_said() {
    let (_folder, no_audit) = file("{}");
    for (arguments, said) in [
        (["--before", "/nowhere/at/all"], "could not be opened"),
        (["--before", &no_audit], "is no audit of one page as JSON"),
        (["--headers", "/nowhere/at/all"], "could not be opened"),
    ] {
        let output = site_audit(&[&VERIFY[..], &arguments].concat(), PAGE);
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    }
}
