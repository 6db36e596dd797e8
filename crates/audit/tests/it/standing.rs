//! How findings stand together: causes, the verdict above the score, the order of fixing, and the cheapest path.

use std::collections::BTreeSet;

use audit::report;
use model::capture::{Capture, Fetched, Source};
use model::finding::{Finding, Impact, Severity};
use model::fix::FixClass;
use model::report::Report;
use model::searchable::SearchState;

use crate::capture::{page, replaced, with_headers};
use crate::fixtures::fixtures;
use crate::parallel;
use crate::site::Site;

const URL: &str = "https://example.com/page";
const FINE: &str = "<!doctype html><html lang=en><head><meta charset=utf-8><title>Bread and butter for every day</title>\
    <meta name=viewport content='width=device-width'><meta name=description content='All about bread and butter.'></head>\
    <body><h1>Bread and butter</h1><a href=/rye>Rye</a></body></html>";

fn finding<'r>(report: &'r Report, code: &str) -> &'r Finding {
    report.findings.iter().find(|finding| finding.code == code).unwrap_or_else(|| panic!("no {code}"))
}

#[test]
fn findings_of_one_cause_cost_what_one_costs() {
    let report = report(&page(URL, FINE));
    let lead = finding(&report, "og_title_missing");
    assert_eq!((lead.severity, lead.points, lead.part_of.as_deref()), (Severity::Warn, 8, None));
    assert!(lead.parts.contains(&"og_image_missing".to_owned()), "{:?}", lead.parts);
    let part = finding(&report, "og_image_missing");
    assert_eq!((part.severity, part.points, part.impact), (Severity::Info, 0, Some(Impact::Hygiene)));
    assert_eq!(part.part_of.as_deref(), Some("og_title_missing"));
    let fix = report.fixes.iter().find(|fix| fix.code == "og_image_missing").unwrap();
    assert_eq!(fix.severity, Severity::Info);
    // Alone it takes the points.
    let titled = FINE.replace("</head>", "<meta property=og:title content='Bread and butter'></head>");
    let report = audit::report(&page(URL, titled));
    assert_eq!(finding(&report, "og_image_missing").points, 8);
}

#[test]
fn a_part_leads_nothing_and_its_lead_knows_it() {
    for fixture in fixtures() {
        let report = &fixture.report;
        for part in report.findings.iter().filter(|finding| finding.part_of.is_some()) {
            let lead = finding(report, part.part_of.as_deref().unwrap());
            assert!(lead.parts.contains(&part.code), "{}: {}", fixture.name, part.code);
            assert_eq!(
                (part.points, part.parts.len(), &lead.part_of),
                (0, 0, &None),
                "{}: {}",
                fixture.name,
                part.code
            );
        }
    }
}

#[test]
fn findings_stand_by_severity_then_by_what_they_block() {
    for fixture in fixtures() {
        let report = &fixture.report;
        assert!(report.findings.is_sorted_by_key(|finding| (finding.severity, finding.impact)), "{}", fixture.name);
        let costly: BTreeSet<&str> =
            report.findings.iter().filter(|finding| finding.points > 0).map(|finding| finding.code.as_str()).collect();
        assert_eq!(report.fix_first.iter().map(String::as_str).collect::<BTreeSet<_>>(), costly, "{}", fixture.name);
        let notes = report.findings.iter().filter(|finding| finding.points == 0 && finding.part_of.is_none()).count();
        let hygiene = report.hygiene.as_ref().unwrap();
        assert_eq!(hygiene.total as usize, notes, "{}", fixture.name);
        assert_eq!(hygiene.categories.values().sum::<u32>(), hygiene.total, "{}", fixture.name);
    }
}

#[test]
fn what_keeps_a_page_out_of_the_index_is_fixed_first() {
    let source = FINE
        .replace("</head>", "<meta name=robots content=noindex><script src=http://example.org/a.js></script></head>");
    let report = report(&page(URL, source));
    assert_eq!(report.fix_first.first().map(String::as_str), Some("noindex_meta"));
    // Above it by catalog and severity alone, but it blocks less.
    assert!(report.fix_first.contains(&"mixed_content_active".to_owned()), "{:?}", report.fix_first);
    // This one blocks as much and has a draft, which is nearer to a change.
    let source = FINE
        .replace("Bread and butter for every day", "")
        .replace("</head>", "<meta name=robots content=noindex></head>")
        .replace("<h1>Bread and butter</h1>", "");
    let report = audit::report(&page(URL, source));
    let class = |code: &str| report.fixes.iter().find(|fix| fix.code == code).map(|fix| fix.class);
    assert!(class("title_missing") < class("noindex_meta"), "{:?}", class("title_missing"));
    assert_eq!(report.fix_first.first().map(String::as_str), Some("noindex_meta"));
}

/// The verdict on a capture, with its reasons.
fn verdict(capture: &Capture) -> (SearchState, Vec<String>) {
    let searchable = report(capture).searchable.unwrap();
    assert!(searchable.text.en.ends_with('.') && !searchable.text.en.contains('{'), "{}", searchable.text.en);
    assert_ne!(searchable.text.en, searchable.text.pt);
    (searchable.state, searchable.reasons)
}

#[test]
fn a_page_that_no_search_engine_can_show_says_so() {
    let told = |capture: &Capture, state: SearchState, reasons: &[&str]| {
        let (found, why) = verdict(capture);
        assert_eq!((found, why.iter().map(String::as_str).collect::<Vec<_>>()), (state, reasons.to_vec()));
    };
    let status = |status: u16| {
        let mut capture = page(URL, FINE);
        if let Fetched::Response(exchange) = &mut capture.page {
            exchange.status = status;
        }
        capture
    };
    told(&status(404), SearchState::No, &["http_status_client_error"]);
    told(&status(503), SearchState::No, &["http_status_server_error"]);
    // It may be us whom the server refuses.
    told(&status(429), SearchState::Unknown, &[]);
    let noindex = FINE.replace("</head>", "<meta name=robots content=noindex></head>");
    told(&page(URL, noindex), SearchState::No, &["noindex_meta"]);
    told(
        &with_headers(URL, &[("x-robots-tag", "noindex"), ("content-type", "text/html")], FINE),
        SearchState::No,
        &["noindex_header"],
    );
    told(&with_headers(URL, &[("content-type", "application/zip")], "PK"), SearchState::No, &["page_not_html"]);
    // PDF files are indexed; whether crawlers may read this one nobody asked.
    told(&with_headers(URL, &[("content-type", "application/pdf")], "%PDF-1.7"), SearchState::Unknown, &[]);
    let mut supplied = page(URL, FINE);
    supplied.source = Source::Supplied;
    told(&supplied, SearchState::Unknown, &[]);
}

#[test]
fn robots_txt_decides_whether_a_page_can_be_read() {
    let site = |body: &str| Site::new(page(URL, FINE)).with("/robots.txt", body).capture().0;
    assert_eq!(verdict(&site("User-agent: *\nAllow: /\n")), (SearchState::Yes, vec![]));
    let blocked = (SearchState::No, vec!["robots_txt_blocks_page".to_owned()]);
    assert_eq!(verdict(&site("User-agent: *\nDisallow: /\n")), blocked);
    let silent = Site::new(page(URL, FINE)).answering("/robots.txt", 0, "").capture().0;
    assert_eq!(verdict(&silent), (SearchState::Unknown, vec!["robots_txt_unreachable".to_owned()]));
}

#[test]
fn the_path_names_ready_fixes_and_its_scores_rise() {
    let mut steps = 0;
    for fixture in fixtures() {
        let report = &fixture.report;
        let mut before = (report.score, 0, 0);
        for step in &report.path {
            let now = (step.score_after, step.codes.len(), step.effort);
            // Of a page that stays at 0 there is one step: all that is ready.
            let is_up = now.0 > before.0 || now.0 == 0 && report.path.len() == 1;
            assert!(is_up && now.1 > before.1 && now.2 > before.2, "{}: {:?}", fixture.name, report.path);
            for code in &step.codes {
                let fix = report.fixes.iter().find(|fix| fix.code == *code).unwrap();
                assert_eq!(fix.class, FixClass::Deterministic, "{}: {code}", fixture.name);
            }
            before = now;
            steps += 1;
        }
    }
    assert!(steps > 100, "only {steps} steps were looked at");
}

#[test]
fn a_page_with_its_whole_path_applied_has_the_score_of_the_last_step() {
    let source = FINE.replace(" lang=en", "").replace("<meta name=viewport content='width=device-width'>", "");
    let capture = page(URL, source.as_str());
    let before = report(&capture);
    let last = before.path.last().unwrap();
    assert!(last.codes.contains(&"viewport_missing".to_owned()), "{last:?}");
    let patched = audit::patch::apply(&source, &before.patch).unwrap();
    let after = report(&replaced(&capture, patched.into_bytes()));
    assert_eq!(after.score, last.score_after, "{:?}", after.fix_first);
}

#[test]
fn the_fixes_towards_a_score_end_what_they_name() {
    let wrong = parallel::flat_map(fixtures(), |fixture| {
        let mut wrong = Vec::new();
        let report = &fixture.report;
        let Some(html) = audit::Page::read(&fixture.site.page).html else { return wrong };
        let (first, last) = (report.path.first(), report.path.last().filter(|_| report.path.len() > 1));
        for step in first.into_iter().chain(last) {
            let (patch, target) = audit::towards(report, step.score_after);
            assert_eq!((target.is_reached, &target.codes), (true, &step.codes), "{}", fixture.name);
            let Some(patched) = audit::patch::apply(html.document.source(), &patch) else {
                wrong.push(format!("{}: {:?} don't apply", fixture.name, step.codes));
                continue;
            };
            let mut site =
                Site { page: replaced(&fixture.site.page, patched.into_bytes()), files: fixture.site.files.clone() };
            for file in &patch.files {
                let url = format!("{}{}", html.url.origin().ascii_serialization(), file.path);
                site.files.insert(url.clone(), crate::site::file(&url, 200, file.content.as_str()));
            }
            let after = site.report();
            // Where a fix ends more than its own finding, the page gets better than its path says. Files stand here without
            // the header that a server sends with them.
            if patch.files.is_empty() && after.score < step.score_after {
                wrong.push(format!(
                    "{}: {} instead of {} after {:?}",
                    fixture.name, after.score, step.score_after, step.codes
                ));
            }
            let left = after.findings.into_iter().filter(|finding| step.codes.contains(&finding.code));
            wrong.extend(left.map(|finding| format!("{}: {} stays", fixture.name, finding.code)));
        }
        wrong
    });
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_score_out_of_reach_gets_the_whole_path_and_one_that_is_there_nothing() {
    let capture = page(URL, FINE.replace("<meta name=viewport content='width=device-width'>", ""));
    let report = report(&capture);
    let (patch, target) = audit::towards(&report, 100);
    let last = report.path.last().unwrap();
    assert_eq!(
        (target.is_reached, target.score_after, &target.codes),
        (last.score_after == 100, last.score_after, &last.codes)
    );
    assert_eq!(patch.totals.total as usize, last.codes.len());
    let (patch, target) = audit::towards(&report, report.score);
    assert!(
        target.is_reached && target.codes.is_empty() && patch.head.is_empty() && patch.edits.is_empty(),
        "{patch:?}"
    );
}

#[test]
fn a_fix_says_what_it_may_reveal() {
    let notes = |source: &str, code: &str| {
        let report = report(&page(URL, source));
        let fix = report.fixes.iter().find(|fix| fix.code == code).unwrap_or_else(|| panic!("no {code}"));
        let in_patch = report.patch.instructions.iter().find(|one| one.code == code).map(|one| one.note.en.clone());
        (fix.note.as_ref().map(|note| note.en.clone()).unwrap_or_default(), in_patch.unwrap_or_default())
    };
    let with = |more: &str| FINE.replace("</head>", &format!("{more}</head>"));
    let data = with("<script type=application/ld+json>{\"@context\":\"https://schema.org\",}</script>");
    assert!(notes(&data, "jsonld_syntax_error").0.ends_with("reveal other findings about structured data."));
    // The card is advice for pages in results: it waits until this one is to be there.
    let hidden = with("<meta name=robots content=noindex>").replace("<meta name=description", "<meta name=x");
    let (note, in_patch) = notes(&hidden, "noindex_meta");
    assert!(note.contains("may reveal") && note.contains("meta_description_missing"), "{note}");
    assert_eq!(note, in_patch);
    assert!(!notes(FINE, "og_title_missing").0.contains("reveal"));
}
