//! What a trial begins with and what it compares.

use super::*;
use crate::checks;
use crate::example::{page, with_headers};
use crate::proof::tests::audit_of;

const URL: &str = "https://example.com/page";
const SOURCE: &str = "<!doctype html><html lang=en><head><meta charset=utf-8><title>Rye bread</title></head>\
    <body><h1>Rye bread</h1><p>How rye bread is baked at home.</p></body></html>";

#[test]
fn a_page_is_read_as_before_in_the_same_encoding_and_as_the_same_kind_of_answer() {
    let is_same = |other: &Capture| {
        audit_of(&page(URL, SOURCE), |audited| {
            let bench = Bench::new(audited, &[]);
            audit_of(other, |other| bench.is_read_as_before(other.facts))
        })
    };
    assert!(is_same(&page(URL, SOURCE)));
    assert!(is_same(&page(URL, SOURCE.replace("Rye", "Oat"))));
    assert!(!is_same(&with_headers(URL, &[("content-type", "text/html; charset=windows-1252")], SOURCE)));
    let shell = "<!doctype html><html lang=en><head><meta charset=utf-8><script type=module src=/a.js></script></head>\
        <body><div id=root></div></body></html>";
    assert!(!is_same(&page(URL, shell)));
}

#[test]
fn a_source_is_another_with_changes_or_it_is_not() {
    let is = |changes: &[(Range<usize>, &str)], text: &str| is_spliced("Rye bread", changes, text);
    assert!(is(&[], "Rye bread"));
    assert!(is(&[(0..3, "Oat"), (4..9, "")], "Oat "));
    assert!(is(&[(9..9, "!")], "Rye bread!"));
    for (span, text) in [(0..3, "Oat bread!"), (0..3, "Oats bread"), (0..3, "Rye bread"), (0..12, "Oat")] {
        assert!(!is(&[(span, "Oat")], text), "{text}");
    }
}

#[test]
fn a_check_that_is_spared_must_find_what_it_found() {
    audit_of(&page(URL, SOURCE), |audited| {
        let of = |code: &str, expected: Option<Severity>| {
            let check = checks::find(code).unwrap();
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| spared(check, audited.facts, expected))).is_ok()
        };
        let viewport = checks::find("viewport_missing").unwrap().severity;
        assert!(of("viewport_missing", Some(viewport)) && of("title_missing", None));
        assert!(!of("viewport_missing", None) && !of("title_missing", Some(viewport)));
    });
}

#[test]
fn a_trial_has_the_files_of_the_patch() {
    let patch = |path: &str, content: &str| FilePatch {
        code: "robots_txt_missing".to_owned(),
        path: path.to_owned(),
        content: content.to_owned(),
    };
    let robots = "User-agent: *\nDisallow: /private\n";
    let map = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>https://example.com/page</loc></url></urlset>";
    let of = |capture: &Capture, patches: &[FilePatch]| {
        audit_of(capture, |audited| {
            let (extras, files) = with_files(audited, patches);
            let shown = extras.map(|extras| -> Vec<(WantKind, String, Vec<u8>)> {
                let bytes = |extra: &Extra| extra.fetched.response().map(|file| file.body.bytes.to_vec());
                extras
                    .iter()
                    .map(|extra| (extra.want.kind, extra.want.url.clone(), bytes(extra).unwrap_or_default()))
                    .collect()
            });
            (shown, files)
        })
    };
    let bare = page(URL, SOURCE);
    let (none, no_files) = of(&bare, &[]);
    assert!(none.is_none() && no_files.is_none());
    // Files that were not asked for.
    let both = [patch("/robots.txt", robots), patch("/sitemap.xml", map)];
    let (extras, files) = of(&bare, &both);
    let at = |path: &str| format!("https://example.com{path}");
    let robots_bytes = robots.as_bytes().to_vec();
    let wanted = vec![
        (WantKind::RobotsTxt, at("/robots.txt"), robots_bytes.clone()),
        (WantKind::Sitemap, at("/sitemap.xml"), map.as_bytes().to_vec()),
    ];
    assert_eq!(extras, Some(wanted));
    let files = files.unwrap();
    assert!(files.robots().is_some_and(|state| format!("{state:?}").contains("/private")));
    assert!(format!("{files:?}").contains("https://example.com/page"));
    // One that was, and answered otherwise.
    let asked = crate::example::capture(SOURCE).unwrap();
    let count =
        |extras: &[(WantKind, String, Vec<u8>)]| extras.iter().filter(|extra| extra.0 == WantKind::RobotsTxt).count();
    let (extras, files) = of(&asked, &both[..1]);
    let extras = extras.unwrap();
    assert_eq!((extras.len(), count(&extras)), (asked.extras.len(), 1));
    assert!(extras.contains(&(WantKind::RobotsTxt, at("/robots.txt"), robots_bytes)));
    assert!(files.unwrap().robots().is_some_and(|state| format!("{state:?}").contains("/private")));
}
