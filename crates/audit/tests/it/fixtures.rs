//! The fixtures of the families: data beside each family's file, walked by the tests here.
//!
//! `good*` gives no finding of its family, `bad*` at least one. The `.snap` of the same name has all that the report says of
//! the family: its findings, and which of its checks passed, did not apply, or were not measured and why. An
//! `.html` file is the body of `https://example.com/page` with the usual headers, on a site that has nothing else; an
//! `.http` file says what the network answers (`audit::example`).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use audit::check::Family;
use audit::checks::FAMILIES;
use audit::example;
use model::capture::Fetched;
use model::finding::{Finding, Place};
use model::fix::Fix;
use model::lang::Phrase;
use model::report::Report;

use crate::capture::page;
use crate::parallel;
use crate::patch::{alone_faults, faults};
use crate::site::Site;
use crate::stored::compared;

/// One file.
pub(crate) struct Fixture {
    /// Below `src/checks`.
    pub(crate) name: String,
    path: PathBuf,
    family: &'static Family,
    is_good: bool,
    pub(crate) site: Site,
    pub(crate) report: Report,
}

impl Fixture {
    fn codes(&self) -> Vec<&'static str> {
        self.family.checks.iter().map(|check| check.code).collect()
    }
}

/// Files of a folder, in order.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension == wanted)
}

fn is_fixture(path: &Path) -> bool {
    has_extension(path, "html") || has_extension(path, "http")
}

/// Each family with the folder beside its file.
fn folders() -> Vec<(&'static Family, PathBuf)> {
    let checks = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/checks");
    let categories = entries(&checks).into_iter().filter(|path| path.is_dir());
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) =
        categories.flat_map(|category| entries(&category)).partition(|path| path.is_dir());
    for folder in folders {
        assert!(files.contains(&folder.with_extension("rs")), "{} is beside no family", folder.display());
    }
    let families = files.into_iter().map(|file| {
        let source = std::fs::read_to_string(&file).unwrap();
        let (_, slug) = source.split_once("slug: \"").unwrap();
        let slug = slug.split('"').next().unwrap();
        let family = FAMILIES.iter().find(|family| family.slug == slug);
        (*family.unwrap(), file.with_extension(""))
    });
    families.collect()
}

/// The site that a file describes.
fn site(path: &Path) -> Result<Site, String> {
    let bytes = std::fs::read(path).unwrap();
    if has_extension(path, "html") {
        return Ok(Site::new(page(example::PAGE_URL, bytes)));
    }
    let source = String::from_utf8(bytes).map_err(|_| "not UTF-8; write such bytes with @hex")?;
    let (page, files) = example::site(&source)?;
    if files.is_empty() {
        return Err("no line begins with GET".to_owned());
    }
    let site = Site { page, files };
    match unasked(&site) {
        Some(url) => Err(format!("nobody asks for {url}")),
        None => Ok(site),
    }
}

/// An answer to a question that nobody asks, which is a slip of the pen.
fn unasked(site: &Site) -> Option<&String> {
    let (capture, _) = site.capture();
    let all = capture.extras.iter().map(|extra| (&extra.want.url, &extra.fetched));
    let asked: BTreeSet<String> = all
        .chain([(&capture.requested_url, &capture.page)])
        .flat_map(|(url, fetched)| {
            let (hops, last) = match fetched {
                Fetched::Response(exchange) => (&exchange.hops, &exchange.url),
                Fetched::Failed(failure) => (&failure.hops, &failure.url),
            };
            hops.iter().map(|hop| &hop.url).chain([url, last]).cloned().collect::<Vec<_>>()
        })
        .collect();
    site.files.keys().find(|url| !asked.contains(*url))
}

/// Fixtures to look at: beginnings of their names, separated by commas (`head/title/,head/charset/bad.html`). Without it
/// all are.
const ONLY: &str = "SITE_AUDIT_TEST_FIXTURES";

/// Every fixture, or those of [`ONLY`], with its report: read and judged once for all tests.
pub(crate) fn fixtures() -> &'static [Fixture] {
    static FIXTURES: OnceLock<Vec<Fixture>> = OnceLock::new();
    FIXTURES.get_or_init(read)
}

/// A file of a family before its site was looked at.
struct File {
    name: String,
    path: PathBuf,
    family: &'static Family,
    is_good: bool,
}

/// Reads the fixtures. Fails when something is wrong with a file.
fn read() -> Vec<Fixture> {
    let only = std::env::var(ONLY).ok();
    let is_wanted = |name: &str| only.as_ref().is_none_or(|only| only.split(',').any(|start| name.starts_with(start)));
    let mut all: Vec<File> = Vec::new();
    let mut wrong = Vec::new();
    for (family, folder) in folders() {
        let files = if folder.is_dir() { entries(&folder) } else { Vec::new() };
        let mut stems = BTreeSet::new();
        for path in files.iter().filter(|path| is_fixture(path)) {
            let name = path.strip_prefix(folder.ancestors().nth(2).unwrap()).unwrap().display().to_string();
            let stem = path.file_stem().unwrap().to_string_lossy();
            let is_good = stem.starts_with("good");
            if !is_good && !stem.starts_with("bad") {
                wrong.push(format!("{name}: is it good or bad? Its name says it"));
            }
            if !stems.insert(stem.to_string()) {
                wrong.push(format!("{name}: another fixture has this name"));
            }
            if !is_wanted(&name) {
                continue;
            }
            all.push(File { name, path: path.clone(), family, is_good });
        }
        // Further files of the family lie beside its fixtures.
        let is_other = |path: &&PathBuf| !is_fixture(path) && !has_extension(path, "rs");
        for path in files.iter().filter(is_other).filter(|_| only.is_none()) {
            if !all.iter().any(|fixture| fixture.path.with_extension("snap") == *path) {
                wrong.push(format!("{}: neither a fixture nor what one says", path.display()));
            }
        }
    }
    let sites = parallel::map(&all, |file| site(&file.path).map(|site| (site.report(), site)));
    let mut fixtures = Vec::new();
    for (file, site) in all.into_iter().zip(sites) {
        let File { name, path, family, is_good } = file;
        match site {
            Ok((report, site)) => fixtures.push(Fixture { name, path, family, is_good, site, report }),
            Err(fault) => wrong.push(format!("{name}: {fault}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    fixtures
}

/// The findings of a family in a report, with their fixes.
fn told(report: &Report, codes: &[&str]) -> String {
    let fixes = report.findings.iter().zip(&report.fixes).filter(|(finding, _)| codes.contains(&finding.code.as_str()));
    fixes.map(|(finding, fix)| one_told(report, finding, fix)).collect::<Vec<_>>().join("\n")
}

/// What became of the checks of a family that found nothing.
fn silent(report: &Report, codes: &[&str]) -> String {
    let coverage = &report.coverage;
    let is_ours = |code: &&String| codes.contains(&code.as_str());
    let listed = |codes: &[String]| codes.iter().filter(is_ours).cloned().collect::<Vec<_>>();
    let unknown = coverage.not_measured.iter().filter(|(code, _)| is_ours(code));
    [
        ("passed", listed(&coverage.passed)),
        ("not applicable", listed(&coverage.not_applicable)),
        ("not measured", unknown.map(|(code, reason)| format!("{code} ({reason})")).collect()),
    ]
    .into_iter()
    .filter(|(_, codes)| !codes.is_empty())
    .map(|(state, codes)| format!("{state}: {}\n", codes.join(", ")))
    .collect()
}

fn one_told(report: &Report, finding: &Finding, fix: &Fix) -> String {
    let mut out = format!("{} ({})\n", finding.code, finding.severity.word());
    let mut add = |name: &str, value: &str| {
        let lines: Vec<&str> = value.lines().collect();
        match lines.as_slice() {
            [line] => out.push_str(&format!("{name}: {line}\n")),
            lines => {
                out.push_str(&format!("{name}:\n"));
                for line in lines {
                    // Editors take blanks at line ends away.
                    out.push_str(format!("    {line}").trim_end());
                    out.push('\n');
                }
            }
        }
    };
    phrase("message", Some(&finding.message), &mut add);
    finding.evidence.iter().for_each(|shown| add("at", &place(shown)));
    add("fix", &format!("{}, {}", word(fix.class), word(fix.target)));
    phrase("from", fix.origin.as_ref(), &mut add);
    phrase("note", fix.note.as_ref(), &mut add);
    fix.snippet.iter().for_each(|snippet| add("snippet", snippet));
    fix.file.iter().for_each(|file| add(&format!("file {}", file.path), &file.content));
    for edit in report.patch.edits.iter().filter(|edit| edit.code == finding.code) {
        add("edit", &format!("line {}\n- {}\n+ {}", edit.line, edit.original, edit.snippet));
    }
    out
}

/// The word of an enum in JSON.
fn word(value: impl serde::Serialize) -> String {
    serde_json::to_value(value).unwrap().as_str().unwrap().to_owned()
}

fn phrase(name: &str, phrase: Option<&Phrase>, add: &mut impl FnMut(&str, &str)) {
    if let Some(phrase) = phrase {
        add(&format!("{name} en"), &phrase.en);
        add(&format!("{name} pt"), &phrase.pt);
    }
}

/// `https://example.com/robots.txt, line 2: Disalow: /x`.
fn place(place: &Place) -> String {
    let line = place.line.map(|line| format!("line {line}"));
    let parts: Vec<String> = [place.url.clone(), line, place.selector.clone()].into_iter().flatten().collect();
    let snippet = place.snippet.iter().map(String::as_str);
    std::iter::once(parts.join(", ").as_str())
        .filter(|start| !start.is_empty())
        .chain(snippet)
        .collect::<Vec<_>>()
        .join(": ")
}

#[test]
fn fixtures_say_what_is_stored_and_good_ones_have_no_finding() {
    let mut wrong = Vec::new();
    for fixture in fixtures() {
        let report = &fixture.report;
        let is_defect = report.coverage.not_measured.values().any(|reason| reason == "defect");
        wrong.extend(is_defect.then(|| format!("{}: a check panics", fixture.name)));
        let (said, silent) = (told(report, &fixture.codes()), silent(report, &fixture.codes()));
        match (fixture.is_good, said.is_empty()) {
            (true, false) => wrong.push(format!("{} is good, but has\n{said}", fixture.name)),
            (false, true) => wrong.push(format!("{} is bad, but has no finding of its family", fixture.name)),
            _ => {}
        }
        let gap = if said.is_empty() || silent.is_empty() { "" } else { "\n" };
        wrong.extend(compared(&fixture.path.with_extension("snap"), &format!("{said}{gap}{silent}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_check_fails_on_a_bad_fixture_and_passes_on_a_good_one() {
    let (mut failed, mut passed) = (BTreeSet::new(), BTreeSet::new());
    for fixture in fixtures() {
        let report = &fixture.report;
        for code in fixture.codes() {
            if fixture.is_good && report.coverage.passed.iter().any(|known| known == code) {
                passed.insert(code);
            }
            if !fixture.is_good && report.findings.iter().any(|finding| finding.code == code) {
                failed.insert(code);
            }
        }
    }
    let mut wrong = Vec::new();
    for (family, folder) in folders() {
        for code in family.checks.iter().map(|check| check.code) {
            if !failed.contains(code) {
                wrong.push(format!("{code} fails on no bad fixture in {}", folder.display()));
            }
            if !passed.contains(code) {
                wrong.push(format!("{code} passes on no good fixture in {}", folder.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn patches_of_fixtures_hold_their_promise() {
    let faults = parallel::flat_map(fixtures(), |fixture| faults(&fixture.name, &fixture.site));
    assert_eq!(faults, Vec::<String>::new());
}

#[test]
fn a_template_has_something_to_fill_in_or_to_confirm_and_nothing_else_has() {
    let mut wrong = Vec::new();
    for fixture in fixtures() {
        for fix in &fixture.report.fixes {
            let note = fix.note.as_ref().map(|note| note.en.as_str());
            let texts = [fix.snippet.as_deref(), fix.file.as_ref().map(|file| file.content.as_str()), note];
            let is_open = texts.into_iter().flatten().any(|text| text.contains("{{"));
            let is_template = fix.class == model::fix::FixClass::Template;
            if is_template && !is_open && fix.origin.is_none()
                || fix.class == model::fix::FixClass::Deterministic && is_open
            {
                wrong.push(format!("{}: {}", fixture.name, fix.code));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn each_placeholder_of_a_file_is_explained_in_its_note() {
    let mut wrong = Vec::new();
    for fixture in fixtures() {
        for fix in &fixture.report.fixes {
            let content = fix.file.as_ref().map_or("", |file| file.content.as_str());
            let placeholders = content.split("{{").skip(1).filter_map(|rest| Some(rest.split_once("}}")?.0));
            for placeholder in placeholders {
                let named = format!("{{{{{placeholder}}}}}");
                let is_explained =
                    |note: &Phrase| [&note.en, &note.pt].iter().all(|text| text.contains(named.as_str()));
                if !fix.note.as_ref().is_some_and(is_explained) {
                    wrong.push(format!("{}: {}: {named}", fixture.name, fix.code));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn each_fix_of_a_fixture_holds_its_promise_alone() {
    let faults = parallel::flat_map(fixtures(), |fixture| alone_faults(&fixture.name, &fixture.site, &fixture.codes()));
    assert_eq!(faults, Vec::<String>::new());
}
