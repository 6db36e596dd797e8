//! From facts to report: run every check, silence what follows from something else, merge the fixes, keep the limits.

mod expiries;
mod fix_places;
mod json_bound;
mod limits;
mod requests;
mod reveals;
mod summary;

use std::collections::BTreeMap;

use model::capture::Capture;
use model::finding::Finding;
use model::fix::FixClass;
use model::report::{Coverage, Report};

use crate::check::{Check, NotMeasured, Problem};
use crate::facts::Facts;
use crate::facts::site_files::SiteFiles;
use crate::facts::walk::Page;
use crate::judge::{self, CheckOutcome};
use crate::patch::{self, Drafted};
use crate::path::{Efforts, Remedies, path};
use crate::proof::{self, AuditedPage, Proven};
use crate::searchable::searchable;
use crate::standing::{Standing, Stands, standing};
use crate::{checks, score};

/// Version of the catalog: changes with any rule, threshold or severity.
pub const CATALOG_VERSION: &str = crate::check::ONE_DESCRIPTION;

/// The report of a capture.
pub fn report(capture: &Capture) -> Report {
    let page = Page::read(capture);
    report_on(capture, &page, &SiteFiles::read(capture, &page))
}

/// The same without ready changes, as [`unproven_report_of`] makes it.
pub fn unproven_report(capture: &Capture) -> Report {
    let page = Page::read(capture);
    let files = SiteFiles::read(capture, &page);
    unproven_report_of(&Facts::new(capture, &page, &files), &page, &files)
}

/// The report of a capture whose page and files were read already. The bytes of its sitemaps may be gone.
pub fn report_on(capture: &Capture, page: &Page, files: &SiteFiles) -> Report {
    report_of(&Facts::new(capture, page, files), page, files)
}

/// The report of facts that were read already.
pub fn report_of(facts: &Facts<'_>, page: &Page, files: &SiteFiles) -> Report {
    judged(facts, page, files, true)
}

/// The same without ready changes: no fix is proven, so none is offered as ready. Takes about a third of the time.
pub fn unproven_report_of(facts: &Facts<'_>, page: &Page, files: &SiteFiles) -> Report {
    judged(facts, page, files, false)
}

fn judged(facts: &Facts<'_>, page: &Page, files: &SiteFiles, proves: bool) -> Report {
    let mut coverage = Coverage { catalog: CATALOG_VERSION.to_owned(), ..Coverage::default() };
    let mut failed: Vec<(&'static Check, Box<Problem>)> = Vec::new();
    let mut outcomes: Vec<CheckOutcome> = Vec::new();
    for check in checks::all() {
        let verdict = judge::run(check, facts);
        outcomes.push(CheckOutcome::of(&verdict));
        match verdict {
            Ok(Some(problem)) => failed.push((check, problem)),
            Ok(None) => coverage.passed.push(check.code.to_owned()),
            Err(NotMeasured::Absent) => coverage.not_applicable.push(check.code.to_owned()),
            Err(reason) => {
                coverage.not_measured.insert(check.code.to_owned(), reason.word().to_owned());
            }
        }
    }
    let found = failed.iter().map(|(check, problem)| (*check, problem.severity(check))).collect();
    let standing = standing(found);
    for (check, cause) in &standing.silenced {
        coverage.not_measured.insert(check.code.to_owned(), format!("silenced:{cause}"));
        coverage.silenced_by.insert(check.code.to_owned(), (*cause).to_owned());
    }
    let audited = AuditedPage { facts, page, files, outcomes: &outcomes, found: &standing.found };
    let mut report = assemble(&audited, &standing, failed, coverage, proves);
    report.requests = requests::of(facts, files);
    limits::keep(&mut report);
    report
}

/// The report without what needs the report itself.
fn assemble(
    audited: &AuditedPage<'_, '_>,
    standing: &Standing,
    failed: Vec<(&'static Check, Box<Problem>)>,
    coverage: Coverage,
    proves: bool,
) -> Report {
    let facts = audited.facts;
    let mut problems: BTreeMap<&str, Box<Problem>> =
        failed.into_iter().map(|(check, problem)| (check.code, problem)).collect();
    let mut findings = Vec::with_capacity(standing.findings.len());
    let mut drafted = Vec::with_capacity(standing.findings.len());
    for Stands { check, severity, part_of } in &standing.findings {
        let Some(problem) = problems.remove(check.code).map(|problem| *problem) else { continue };
        findings.push(Finding {
            severity: *severity,
            code: check.code.to_owned(),
            message: problem.message,
            values: problem.values,
            evidence: problem.places,
            impact: Some(score::impact(check.impact, *severity)),
            points: score::weight(*severity).cast_signed(),
            causes: standing.silenced_by(check.code).map(str::to_owned).collect(),
            part_of: part_of.map(str::to_owned),
            parts: standing.parts(check.code).map(str::to_owned).collect(),
        });
        drafted.push(Drafted { check, severity: *severity, draft: problem.fix });
    }
    let efforts: Efforts = drafted.iter().map(|drafted| (drafted.check.code, drafted.draft.changes())).collect();
    let url = facts.final_url().to_owned();
    let own_files = facts.own_files();
    let drafted = patch::prepared(facts.markup(), &own_files, drafted);
    let Proven { drafted, demoted, after } = match proves {
        true => proof::proven(audited, &own_files, drafted),
        false => proof::untried(drafted),
    };
    let (mut fixes, mut patch) = patch::merge(&url, audited.source(), &own_files, drafted);
    fix_places::add(&mut fixes, facts.platforms());
    reveals::add(&findings, &mut fixes, &mut patch);
    debug_assert!(fixes.iter().all(|fix| fix.class != FixClass::Instruction || fix.snippet.is_none()));
    let exchange = facts.capture.page.response();
    let json_ld = facts.markup().map(|html| html.json_ld.for_report.to_vec()).unwrap_or_default();
    Report {
        url,
        score: standing.score(),
        weights: score::WEIGHTS,
        counts: score::counts(&findings),
        hygiene: Some(score::hygiene(&findings)),
        path: path(&Remedies {
            found: &standing.found,
            after: after.as_deref(),
            not_measured: &coverage.not_measured,
            fixes: &fixes,
            patch: &patch,
            efforts: &efforts,
        }),
        fix_first: score::most_urgent(&findings, &fixes)
            .filter(|(finding, _)| finding.points > 0)
            .map(|(finding, _)| finding.code.clone())
            .collect(),
        findings,
        fixes,
        summary: exchange.map(|exchange| summary::summary(facts, exchange)),
        headers: exchange.map(summary::headers).unwrap_or_default(),
        json_ld_stored: u32::try_from(json_ld.len()).unwrap_or(u32::MAX),
        json_ld,
        html_truncated: exchange.is_some_and(|exchange| exchange.body.cut.is_some()),
        truncated: facts.markup().map(|html| html.json_ld.cuts.clone()).unwrap_or_default(),
        searchable: Some(searchable(facts, &standing.found, &coverage)),
        coverage,
        patch,
        demoted,
        requests: Vec::new(),
    }
}
