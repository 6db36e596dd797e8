//! `site-audit audit` and `site-audit checks`, run as a person or a build runs them.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const PAGE: &str = "<!doctype html><html lang=en><head><meta charset=utf-8><title>Bread</title></head><body><h1>Bread</h1></body></html>";

fn site_audit(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_site-audit"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn codes(audit: &Value) -> Vec<&str> {
    audit["issues"].as_array().unwrap().iter().map(|issue| issue["code"].as_str().unwrap()).collect()
}

/// A server on loopback with a page, a robots.txt that keeps one crawler out, and 404 for the rest.
fn serve() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            std::thread::spawn(move || {
                let mut request = [0; 4_096];
                let read = stream.read(&mut request).unwrap_or(0);
                let text = String::from_utf8_lossy(&request[..read]).into_owned();
                let (status, kind, body) = match text.split(' ').nth(1) {
                    Some("/page") => ("200 OK", "text/html", PAGE),
                    Some("/robots.txt") => ("200 OK", "text/plain", "User-agent: GPTBot\nDisallow: /\n"),
                    Some("/blocked") => ("403 Forbidden", "text/html", "<title>Just a moment...</title>"),
                    _ => ("404 Not Found", "text/html", "<p>nothing"),
                };
                let head =
                    format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n", body.len());
                let _sent = stream.write_all(format!("{head}{body}").as_bytes());
            });
        }
    });
    address
}

#[test]
fn a_supplied_page_is_audited_without_network_and_the_bar_decides_the_exit_code() {
    let supplied = ["audit", "--html", "-", "--url", "https://example.com/bread", "--format", "json"];
    let output = site_audit(&supplied, PAGE);
    assert_eq!(code(&output), 0);
    let audit = json(&output);
    assert!(codes(&audit).contains(&"viewport_missing"));
    assert_eq!(audit["coverage"]["notMeasured"]["hsts_missing"], "offline");
    assert_eq!(code(&site_audit(&[&supplied[..], &["--fail-on", "error"]].concat(), PAGE)), 1);
    assert_eq!(code(&site_audit(&[&supplied[..], &["--fail-under", "100", "--quiet"]].concat(), PAGE)), 1);
    assert!(site_audit(&[&supplied[..], &["--quiet"]].concat(), PAGE).stdout.is_empty());
}

#[test]
fn an_address_is_fetched_with_its_robots_txt() {
    let url = format!("http://{}/page", serve());
    let audit = json(&site_audit(&["audit", &url, "--allow-private", "--format", "json"], ""));
    assert_eq!(audit["url"], url.as_str());
    assert_eq!(audit["summary"]["robotsTxt"]["state"], "found");
    assert_eq!(audit["summary"]["robotsTxt"]["aiCrawlers"]["GPTBot"], false);
    assert!(codes(&audit).contains(&"ai_training_bot_blocked"));
    assert!(audit["summary"]["timing"]["ttfbMs"].is_u64());
}

#[test]
fn private_addresses_are_refused_and_the_refusal_names_the_flag() {
    let output = site_audit(&["audit", "http://127.0.0.1/"], "");
    assert_eq!(code(&output), 2);
    assert!(String::from_utf8_lossy(&output.stderr).contains("--allow-private"));
}

#[test]
fn several_pages_are_audited_together_and_one_failure_is_told() {
    let address = serve();
    let list = format!("# pages\nhttp://{address}/page\n\nhttp://{address}/gone\n");
    let both = site_audit(&["audit", "-", "--allow-private", "--format", "json"], &list);
    let audits = json(&both);
    assert_eq!(code(&both), 0);
    assert_eq!(codes(&audits[1])[0], "http_status_client_error");
    let blocked = format!("http://{address}/blocked");
    let page = format!("http://{address}/page");
    let output = site_audit(&["audit", &page, &blocked, "--allow-private"], "");
    assert_eq!(code(&output), 2);
    assert!(String::from_utf8_lossy(&output.stderr).contains("Cloudflare"));
    assert!(String::from_utf8_lossy(&output.stdout).contains("viewport_missing"));
    let one_of_two = site_audit(&["audit", &page, &blocked, "--allow-private", "--format", "json"], "");
    assert_eq!(json(&one_of_two).as_array().unwrap().len(), 1, "the shape follows what was asked for");
}

#[test]
fn the_catalog_is_listed_and_an_unknown_check_is_told_what_is_near() {
    let listed = site_audit(&["checks", "--json", "--lang", "pt-BR"], "");
    assert!(json(&listed).as_array().unwrap().len() > 60);
    let output = site_audit(&["checks", "title_gone"], "");
    assert_eq!(code(&output), 2);
    assert!(String::from_utf8_lossy(&output.stderr).contains("title_missing"));
}
