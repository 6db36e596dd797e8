//! The formats, each with a page that was audited and one that could not be.

use std::collections::HashSet;

use audit::checks;
use serde_json::Value;
use testkit::{SiteAnswer, TestSite};

use super::{PAGE, code, json, program, site, site_audit, stderr, stdout};

/// Audits `/page` and `/blocked`, and answers what went to standard output and standard error.
async fn both(format: &str) -> (String, String) {
    let site = site().await;
    let (page, blocked) = (site.url("/page"), site.url("/blocked"));
    let output = site_audit(&["audit", &page, &blocked, "--allow-private", "--format", format], "");
    assert_eq!(code(&output), 2);
    (stdout(&output).replace(&site.url("/"), "SITE/"), stderr(&output).replace(&site.url("/"), "SITE/"))
}

#[tokio::test(flavor = "multi_thread")]
async fn json_holds_the_refusal_in_the_place_of_the_page() {
    let (out, err) = both("json").await;
    let audits: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(audits.as_array().unwrap().len(), 2);
    assert!(audits[0]["score"].is_u64());
    assert_eq!(audits[1]["url"], "SITE/blocked");
    assert_eq!(audits[1]["code"], "target_blocked");
    assert_eq!(audits[1]["blocked"]["vendor"], "Cloudflare");
    assert!(audits[1]["error"].as_str().unwrap().contains("firewall"));
    assert!(err.contains("could not audit 1 of 2 pages:\n  SITE/blocked: The site's firewall"), "{err}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_page_that_failed_is_an_object_as_one_that_did_not() {
    let refused = site_audit(&["audit", "http://127.0.0.1/", "--format", "json"], "");
    assert_eq!(code(&refused), 2);
    assert_eq!(json(&refused)["code"], "address_not_allowed");
    assert!(json(&refused)["detail"].as_str().unwrap().contains("--allow-private"));
}

#[tokio::test(flavor = "multi_thread")]
async fn text_shows_both_and_ends_with_a_line_for_each() {
    let (out, err) = both("text").await;
    assert!(out.contains("viewport_missing"));
    assert!(
        out.contains("SITE/blocked\n✗ could not be audited  target_blocked\n    The site's firewall answered"),
        "{out}"
    );
    assert!(out.contains("\n1 of 2 pages audited, lowest score "));
    assert!(out.ends_with("  ✗  SITE/blocked\n"));
    assert_eq!(err, "site-audit: could not audit 1 of 2 pages\n", "the text has said why");
}

#[tokio::test(flavor = "multi_thread")]
async fn markdown_shows_both_after_a_table() {
    let (out, _) = both("markdown").await;
    assert!(out.starts_with("| Page | Score | Findings |\n|---|--:|---|\n| SITE/page | "), "{out}");
    assert!(out.contains("| SITE/blocked | – | not audited |\n"));
    assert!(out.contains("# Audit of SITE/blocked: failed\n\n`target_blocked`: The site's firewall"));
}

#[tokio::test(flavor = "multi_thread")]
async fn sarif_is_one_run_that_tells_what_it_could_not_do() {
    let (out, _) = both("sarif").await;
    let log: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log["runs"].as_array().unwrap().len(), 1);
    let run = &log["runs"][0];
    let rules: HashSet<&str> =
        run["results"].as_array().unwrap().iter().map(|result| result["ruleId"].as_str().unwrap()).collect();
    assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), rules.len());
    assert!(run["results"].as_array().unwrap().iter().any(|result| result["ruleId"] == "viewport_missing"));
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let notification = &invocation["toolExecutionNotifications"][0];
    assert_eq!(notification["descriptor"]["id"], "target_blocked");
    assert_eq!(notification["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "SITE/blocked");
}

#[test]
fn sarif_of_a_supplied_page_shows_regions_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("dist")).unwrap();
    let source = PAGE.replace("<body>", "<body>\r\n\u{e9}\u{1f9a6} <a href=/x></a><img src=a.png>");
    std::fs::write(folder.path().join("dist/index.html"), &source).unwrap();
    let run = ["audit", "--html", "dist/index.html", "--url", "https://example.com/", "--format", "sarif"];
    let output = program().args(run).current_dir(folder.path()).output().unwrap();
    let log = json(&output);
    let places = || log["runs"][0]["results"].as_array().unwrap().iter().flat_map(|one| one["locations"].as_array());
    let places: Vec<&Value> = places().flatten().map(|place| &place["physicalLocation"]).collect();
    assert!(places.iter().all(|place| place["artifactLocation"]["uri"] == "dist/index.html"));
    let regions: Vec<&Value> = places.iter().filter_map(|place| place.get("region")).collect();
    assert!(regions.iter().any(|region| region["startLine"] == 2));
    for region in regions {
        assert_eq!(region["snippet"]["text"].as_str(), Some(within(&source, region).as_str()), "{region}");
    }
}

/// What stands in a region of one line: columns are characters, and the end is behind the last.
fn within(source: &str, region: &Value) -> String {
    let number = |name: &str| usize::try_from(region[name].as_u64().unwrap()).unwrap();
    assert_eq!(number("startLine"), number("endLine"));
    let line = source.lines().nth(number("startLine") - 1).unwrap();
    let (start, end) = (number("startColumn"), number("endColumn"));
    line.chars().skip(start - 1).take(end - start).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn junit_is_a_suite_for_each_with_an_error_for_the_one_that_failed() {
    let (out, _) = both("junit").await;
    assert!(out.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"site-audit\" tests=\""));
    assert_eq!(out.matches("<testsuite ").count(), 2);
    assert_eq!(out.matches("<testcase ").count(), checks::all().count() + 1);
    assert_eq!(out.matches("<error type=\"target_blocked\"").count(), 1);
    assert!(out.contains("<testcase classname=\"SITE/page\" name=\"viewport_missing\"><failure type=\"error\""));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_format_lets_text_of_a_page_act_on_a_terminal() {
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/page" => SiteAnswer::html("<title>a\u{1b}[2J\u{9b}31m\u{202e}b</title><title>]]&gt;<b>|`</title>"),
        _ => SiteAnswer::missing(),
    })
    .await;
    for format in ["text", "json", "markdown", "sarif", "junit"] {
        let output = site_audit(&["audit", &site.url("/page"), "--allow-private", "--format", format], "");
        let shown = stdout(&output);
        assert!(shown.contains("title_multiple"), "{format}: {}", stderr(&output));
        let acting = shown.chars().find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
        assert_eq!(acting, None, "{format}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_audit_is_written_in_several_formats() {
    let site = site().await;
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).display().to_string();
    let files = ["a.json", "a.md", "a.csv", "a.sarif", "a.xml", "a.txt"].map(place);
    let mut arguments = vec!["audit", "--allow-private", "--quiet"];
    let page = site.url("/page");
    arguments.push(&page);
    for file in &files {
        arguments.extend(["--write", file]);
    }
    let output = site_audit(&arguments, "");
    assert_eq!((code(&output), stdout(&output).as_str()), (0, ""), "{}", stderr(&output));
    assert_eq!(site.asked().iter().filter(|asked| asked.path == "/page").count(), 1, "the page is fetched once");
    let [json, markdown, csv, sarif, junit, text] = files.map(|file| std::fs::read_to_string(file).unwrap());
    assert!(serde_json::from_str::<Value>(&json).unwrap()["score"].is_u64());
    assert!(markdown.starts_with("# Audit of "), "{markdown}");
    assert!(csv.starts_with("url,") || csv.starts_with('\u{feff}'), "{csv}");
    assert_eq!(serde_json::from_str::<Value>(&sarif).unwrap()["version"], "2.1.0");
    assert!(junit.starts_with("<?xml"));
    assert!(text.contains("viewport_missing") && !text.contains('\u{1b}'));

    let unwritable = site_audit(&["audit", "--allow-private", &page, "--write", "/nowhere/a.json"], "");
    assert_eq!(code(&unwritable), 2);
    assert!(stderr(&unwritable).contains("could not write /nowhere/a.json"), "{}", stderr(&unwritable));
    let unknown = site_audit(&["audit", &page, "--write", "report.pdf"], "");
    assert!(stderr(&unknown).contains("must end in .json"), "{}", stderr(&unknown));
}
