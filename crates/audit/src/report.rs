//! From facts to report: run every check, silence what follows from something else, merge the fixes, keep the limits.

mod fix_places;
mod limits;
mod requests;
mod summary;

use std::panic::{AssertUnwindSafe, catch_unwind};

use model::capture::Capture;
use model::finding::Finding;
use model::fix::FixClass;
use model::report::{Coverage, Report};

use crate::check::{Check, NotMeasured, Problem, Verdict};
use crate::facts::Facts;
use crate::facts::site_files::SiteFiles;
use crate::facts::walk::Page;
use crate::patch::{self, Drafted};
use crate::{checks, score, silence};

/// Version of the catalog: changes with any rule, threshold or severity.
pub const CATALOG_VERSION: &str = crate::check::PRECISION;

/// The report of a capture.
pub fn report(capture: &Capture) -> Report {
    let page = Page::read(capture);
    report_on(capture, &page, &SiteFiles::read(capture, &page))
}

/// The report of a capture whose page and files were read already. The bytes of its sitemaps may be gone.
pub fn report_on(capture: &Capture, page: &Page, files: &SiteFiles) -> Report {
    let facts = Facts::new(capture, page, files);
    let mut coverage = Coverage { catalog: CATALOG_VERSION.to_owned(), ..Coverage::default() };
    let mut failed: Vec<(&'static Check, Problem)> = Vec::new();
    for check in checks::all() {
        match run(check, &facts) {
            Ok(Some(problem)) => failed.push((check, problem)),
            Ok(None) => coverage.passed.push(check.code.to_owned()),
            Err(NotMeasured::Absent) => coverage.not_applicable.push(check.code.to_owned()),
            Err(reason) => {
                coverage.not_measured.insert(check.code.to_owned(), reason.word().to_owned());
            }
        }
    }
    let fired: Vec<&'static Check> = failed.iter().map(|(check, _)| *check).collect();
    let silenced = silence::silenced(&fired);
    for (check, cause) in &silenced {
        coverage.not_measured.insert(check.code.to_owned(), format!("silenced:{cause}"));
        coverage.silenced_by.insert(check.code.to_owned(), (*cause).to_owned());
    }
    failed.retain(|(check, _)| !coverage.silenced_by.contains_key(check.code));
    // Stable: within one severity and impact the catalog's order stays.
    failed.sort_by_key(|(check, problem)| {
        let severity = problem.severity(check);
        (severity, score::impact(check.impact, severity))
    });
    let mut report = assemble(&facts, failed, coverage);
    for finding in &mut report.findings {
        let caused = silenced.iter().filter(|(_, cause)| *cause == finding.code);
        finding.causes = caused.map(|(check, _)| check.code.to_owned()).collect();
    }
    report.requests = requests::of(&facts, files);
    limits::keep(&mut report);
    report
}

/// Runs one check. A check that panics is a defect of ours: it is not measured, and the audit goes on.
fn run(check: &Check, facts: &Facts<'_>) -> Verdict {
    catch_unwind(AssertUnwindSafe(|| (check.run)(facts))).unwrap_or(Err(NotMeasured::Defect))
}

fn assemble(facts: &Facts<'_>, failed: Vec<(&'static Check, Problem)>, coverage: Coverage) -> Report {
    let mut findings = Vec::with_capacity(failed.len());
    let mut drafted = Vec::with_capacity(failed.len());
    for (check, problem) in failed {
        let severity = problem.severity(check);
        findings.push(Finding {
            severity,
            code: check.code.to_owned(),
            message: problem.message,
            values: problem.values,
            evidence: problem.places,
            impact: Some(score::impact(check.impact, severity)),
            points: score::weight(severity).cast_signed(),
            causes: Vec::new(),
            part_of: None,
            parts: Vec::new(),
        });
        drafted.push(Drafted { check, severity, draft: problem.fix });
    }
    let url = facts.final_url().to_owned();
    let (mut fixes, patch) = patch::merge(&url, facts.markup(), &facts.own_files(), drafted);
    fix_places::add(&mut fixes, facts.platforms());
    debug_assert!(fixes.iter().all(|fix| fix.class != FixClass::Instruction || fix.snippet.is_none()));
    let mut report = Report {
        url,
        score: score::score(findings.iter().map(|finding| finding.severity)),
        weights: score::WEIGHTS,
        counts: score::counts(&findings),
        findings,
        fixes,
        summary: facts.capture.page.response().map(|exchange| summary::summary(facts, exchange)),
        headers: facts.capture.page.response().map(summary::headers).unwrap_or_default(),
        json_ld: facts.markup().map(|html| html.json_ld.for_report.clone()).unwrap_or_default(),
        json_ld_stored: 0,
        html_truncated: facts.capture.page.response().is_some_and(|exchange| exchange.body.cut.is_some()),
        truncated: facts.markup().map(|html| html.json_ld.cuts.clone()).unwrap_or_default(),
        coverage,
        patch,
        requests: Vec::new(),
    };
    report.json_ld_stored = u32::try_from(report.json_ld.len()).unwrap_or(u32::MAX);
    report
}
