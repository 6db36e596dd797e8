//! The bars that a run fails, and why none of its pages was audited.

use std::collections::BTreeSet;

use model::finding::Severity;
use model::lang::{Phrase, Text, text};
use site::facts::NodeAnswer;
use site::{SiteChanges, SiteFacts, SiteReport};

use super::options::SiteArguments;
use crate::cli::audit::FailOn;

/// Codes that a failed bar names.
const MOST_CODES: usize = 10;

impl SiteArguments {
    /// The bars that a run fails, a sentence each.
    pub(super) fn failed_bars(&self, report: &SiteReport, changes: Option<&SiteChanges>) -> Vec<Phrase> {
        const UNDER: Text =
            text("The score {score} is below --fail-under {bar}.", "A nota {score} está abaixo de --fail-under {bar}.");
        const FOUND: Text = text(
            "--fail-on {bar}: {count} {count|finding is|findings are} at least this severe: {codes}.",
            "--fail-on {bar}: {count} {count|achado tem|achados têm} pelo menos essa severidade: {codes}.",
        );
        const BROKE: Text = text(
            "--fail-on {bar}: {count} {count|finding|findings} at least this severe {count|is|are} new since the baseline: {codes}.",
            "--fail-on {bar}: {count} {count|achado novo|achados novos} com pelo menos essa severidade desde a auditoria de referência: {codes}.",
        );
        let mut failed = Vec::new();
        if let (Some(bar), Some(score)) = (self.fail_under, report.score)
            && score < bar
        {
            failed.push(UNDER.phrase(&[("score", score.into()), ("bar", bar.into())]));
        }
        let Some(bar) = self.fail_on.map(FailOn::severity) else { return failed };
        let (words, found): (Text, Vec<(&str, Severity)>) = match changes {
            Some(changes) => {
                (BROKE, changes.broke.iter().map(|change| (change.code.as_str(), change.severity)).collect())
            }
            None => {
                let of_site = report.findings.iter().map(|finding| (finding.code, finding.severity));
                let of_pages = report.page_findings.iter().map(|finding| (finding.code.as_str(), finding.severity));
                (FOUND, of_site.chain(of_pages).collect())
            }
        };
        let severe: Vec<&str> =
            found.into_iter().filter(|(_, severity)| *severity <= bar).map(|(code, _)| code).collect();
        if !severe.is_empty() {
            let codes: BTreeSet<&str> = severe.iter().copied().collect();
            let codes = codes.into_iter().take(MOST_CODES).collect::<Vec<_>>().join(", ");
            failed.push(words.phrase(&[
                ("bar", bar.word().into()),
                ("count", severe.len().into()),
                ("codes", codes.into()),
            ]));
        }
        failed
    }
}

/// Why the first page was not audited, with what to do; `None` where it was.
pub(super) fn unaudited_start(site: &SiteFacts) -> Option<Phrase> {
    const BLOCKED: Text = text(
        "The first page was not audited: robots.txt blocks {url}. Allow the crawler siteaudit there. On your own site, add --own-site --respect-robots=false.",
        "A primeira página não foi auditada: o robots.txt bloqueia {url}. Libere nele o robô siteaudit. No seu próprio site, acrescente --own-site --respect-robots=false.",
    );
    const ANSWERED: Text = text(
        "The first page was not audited: {url} answered {status}. Check the address and the site.",
        "A primeira página não foi auditada: {url} respondeu {status}. Confira o endereço e o site.",
    );
    const SILENT: Text = text(
        "The first page was not audited: {url} did not respond. Check the address and the site.",
        "A primeira página não foi auditada: {url} não respondeu. Confira o endereço e o site.",
    );
    let is_audited = site.start().and_then(|id| site.page(id)).is_some_and(|page| page.score.is_some());
    (!is_audited).then(|| of_start(site, [BLOCKED, ANSWERED, SILENT]))
}

/// Why no page of a site was audited, with what to do.
pub(super) fn unaudited(site: &SiteFacts) -> Phrase {
    const BLOCKED: Text = text(
        "No page could be audited: robots.txt blocks {url}. Allow the crawler siteaudit there. On your own site, add --own-site --respect-robots=false.",
        "Nenhuma página pôde ser auditada: o robots.txt bloqueia {url}. Libere nele o robô siteaudit. No seu próprio site, acrescente --own-site --respect-robots=false.",
    );
    const ANSWERED: Text = text(
        "No page could be audited: {url} answered {status}. Check the address and the site.",
        "Nenhuma página pôde ser auditada: {url} respondeu {status}. Confira o endereço e o site.",
    );
    const SILENT: Text = text(
        "No page could be audited: {url} did not respond. Check the address and the site.",
        "Nenhuma página pôde ser auditada: {url} não respondeu. Confira o endereço e o site.",
    );
    of_start(site, [BLOCKED, ANSWERED, SILENT])
}

/// The sentence for what the first page answered: blocked, a status, nothing.
fn of_start(site: &SiteFacts, [blocked, answered, silent]: [Text; 3]) -> Phrase {
    let start = site.start().and_then(|id| site.page(id));
    let url = start.map(|page| site.text(page.url)).unwrap_or_default();
    let status = start.and_then(|page| page.status);
    let words = match start.map(|page| page.answer) {
        Some(NodeAnswer::Blocked) => blocked,
        _ if status.is_some() => answered,
        _ => silent,
    };
    words.phrase(&[("url", url.into()), ("status", status.map(|status| status.to_string()).unwrap_or_default().into())])
}
