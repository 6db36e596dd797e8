//! The fixtures of the checks: sites as folders.
//!
//! Below `tests/sites` each check has a folder with sites that it finds something on (`bad*`) and sites on which it finds
//! nothing (`good*`). In the folder of a site an `.html` file is a page: `index.html` is `https://example.com/`, `a.html`
//! is `https://example.com/a`. `robots.txt` and `sitemap.xml` are what they are, and `answers.http` has whatever else the
//! site answers, in the words of `audit::example`. A `bad` site has its check's finding and no other: what it says is in
//! `findings.txt`, in both languages (`UPDATE=1` writes it).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use audit::example::{Answers, file, page};
use model::lang::Phrase;
use site::offline::{OfflineRun, site};
use site::{FrontierLimits, SiteReport, checks, report};
use url::Url;

const START: &str = "https://example.com/";

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn answers(folder: &Path) -> Answers {
    let mut answers = Answers::new();
    for path in entries(folder) {
        let bytes = std::fs::read(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name == "answers.http" {
            let source = String::from_utf8(bytes).unwrap();
            answers.extend(audit::example::site(&source).unwrap_or_else(|fault| panic!("{name}: {fault}")).1);
        } else if let Some(stem) = name.strip_suffix(".html") {
            let url = if stem == "index" { START.to_owned() } else { format!("{START}{stem}") };
            answers.insert(url.clone(), page(&url, bytes).page);
        } else if name == "robots.txt" || name == "sitemap.xml" {
            let url = format!("{START}{name}");
            answers.insert(url.clone(), file(&url, 200, bytes));
        } else {
            assert_eq!(name, "findings.txt", "{} is no part of a site", path.display());
        }
    }
    answers
}

fn judged(folder: &Path) -> SiteReport {
    let limits = FrontierLimits { pages: 2_000, depth: 100 };
    let start = Url::parse(START).unwrap();
    report(&site(OfflineRun { answers: &answers(folder), start: &start, limits }))
}

/// What a report says, as it is read.
fn told(report: &SiteReport) -> String {
    let mut out = String::new();
    let mut line = |indent: &str, phrase: &Phrase| {
        out.push_str(&format!("{indent}{}\n{indent}{}\n", phrase.en, phrase.pt));
    };
    for finding in &report.findings {
        line(&format!("{} {}: ", finding.severity.word(), finding.code), &finding.message);
        for case in &finding.cases {
            let pages: Vec<String> = case.pages.iter().map(|(url, detail)| format!("{url} [{detail}]")).collect();
            line(&format!("    {}: ", case.url), &case.note);
            line("        ", &Phrase::verbatim(pages.join(", ")));
        }
    }
    out
}

fn sites() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sites");
    let folders = entries(&root).into_iter().flat_map(|check| entries(&check));
    folders.map(|path| (path.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned(), path)).collect()
}

#[test]
fn every_check_has_sites_of_both_kinds() {
    let sites = sites();
    for check in checks::all() {
        for kind in ["bad", "good"] {
            let has = |(code, path): &(String, PathBuf)| {
                code == check.code && path.file_name().unwrap().to_str().unwrap().starts_with(kind)
            };
            assert!(sites.iter().any(has), "{} has no {kind} site", check.code);
        }
    }
    let codes: BTreeSet<&str> = checks::all().map(|check| check.code).collect();
    assert_eq!(codes.len(), checks::all().count());
    sites.iter().for_each(|(code, path)| assert!(codes.contains(&**code), "{} is of no check", path.display()));
}

#[test]
fn every_site_gets_the_finding_of_its_check_and_no_other() {
    let mut wrong = Vec::new();
    for (code, path) in sites() {
        let report = judged(&path);
        let found: Vec<&str> = report.findings.iter().map(|finding| finding.code).collect();
        let is_good = path.file_name().unwrap().to_str().unwrap().starts_with("good");
        let wanted: Vec<&str> = if is_good { Vec::new() } else { vec![&*code] };
        if found != wanted {
            wrong.push(format!("{}: found {found:?}\n{}", path.display(), told(&report)));
        } else if is_good && !report.passed.contains(&&*code) && !report.not_measured.contains_key(&*code) {
            wrong.push(format!("{}: not looked at", path.display()));
        }
        if is_good {
            continue;
        }
        let kept = path.join("findings.txt");
        let told = told(&report);
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&kept, &told).unwrap();
        } else if std::fs::read_to_string(&kept).ok().as_deref() != Some(&*told) {
            wrong.push(format!("{} says otherwise:\n{told}", kept.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn texts_are_whole() {
    for check in checks::all() {
        for text in [check.title, check.why, check.how, check.rule, check.message] {
            assert!(!text.en.is_empty() && !text.pt.is_empty() && text.en != text.pt, "{}", check.code);
        }
        assert!(
            check.rule.en.starts_with("Fails when ") && check.rule.pt.starts_with("Falha quando "),
            "{}",
            check.code
        );
        assert!(check.reference.starts_with("https://"), "{}", check.code);
    }
}
