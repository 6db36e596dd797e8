//! JUnit XML, for build servers: a suite for each page, a test case for each check. There is no standard; this is what
//! the schema of Jenkins' xunit plugin (`junit-10.xsd`) takes and GitLab reads.

use audit::checks;
use audit::escape::xml_text;
use model::finding::Severity;
use model::lang::Lang;
use model::report::Report;

use super::outcome::{PageOutcome, Unaudited};
use crate::reason;

/// How many test cases there are, and how many of which end.
#[derive(Debug, Clone, Copy, Default)]
struct TestTally {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

/// A suite for each page, and their sums.
pub(super) fn render(outcomes: &[PageOutcome], lang: Lang) -> String {
    let mut all = TestTally::default();
    let mut suites = String::new();
    for outcome in outcomes {
        let (tally, cases) = match &outcome.result {
            Ok(report) => {
                let (tally, cases) = checked(report, lang);
                (tally, properties(report, lang) + &cases)
            }
            Err(error) => unaudited(&outcome.url, error, lang),
        };
        all = all.plus(tally);
        let (name, at) = (safe(outcome.shown_url()), outcome.at);
        let (counts, skipped) = (tally.attributes(), tally.skipped);
        suites.push_str(&format!(
            "<testsuite name=\"{name}\" timestamp=\"{at}\" {counts} skipped=\"{skipped}\">\n{cases}</testsuite>\n"
        ));
    }
    let counts = all.attributes();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"site-audit\" {counts}>\n{suites}</testsuites>\n"
    )
}

/// The score, and whether search engines can show the page.
fn properties(report: &Report, lang: Lang) -> String {
    let searchable = report.searchable.as_ref().map(|searchable| {
        let (state, sentence) = (searchable.state.word(), safe(searchable.text.in_lang(lang)));
        format!(
            "<property name=\"searchable\" value=\"{state}\"/>\n<property name=\"verdict\" value=\"{sentence}\"/>\n"
        )
    });
    let score = report.score;
    format!(
        "<properties>\n{}<property name=\"score\" value=\"{score}\"/>\n</properties>\n",
        searchable.unwrap_or_default()
    )
}

/// A case for each check: errors and warnings fail, what was not measured is skipped.
fn checked(report: &Report, lang: Lang) -> (TestTally, String) {
    let mut tally = TestTally::default();
    let mut out = String::new();
    for check in checks::all() {
        tally.tests += 1;
        open(&mut out, &report.url, check.code);
        let finding = report.findings.iter().find(|finding| finding.code == check.code);
        match finding {
            Some(finding) if finding.severity != Severity::Info => {
                tally.failures += 1;
                let (kind, message) = (finding.severity.word(), safe(finding.message.in_lang(lang)));
                let how = safe(check.how.in_lang(lang));
                out.push_str(&format!("<failure type=\"{kind}\" message=\"{message}\">{how}</failure>"));
            }
            Some(finding) => {
                out.push_str(&format!("<system-out>{}</system-out>", safe(finding.message.in_lang(lang))));
            }
            None => {
                if let Some(reason) = skipped(report, check.code) {
                    tally.skipped += 1;
                    let (kind, message) = (safe(reason), safe(reason::in_words(reason).in_lang(lang)));
                    out.push_str(&format!("<skipped type=\"{kind}\" message=\"{message}\"/>"));
                }
            }
        }
        out.push_str("</testcase>\n");
    }
    (tally, out)
}

/// Why a check has no verdict.
fn skipped<'r>(report: &'r Report, code: &str) -> Option<&'r str> {
    let absent = || report.coverage.not_applicable.iter().any(|known| known == code).then_some("absent");
    report.coverage.not_measured.get(code).map(String::as_str).or_else(absent)
}

/// The one case of a page that could not be audited.
fn unaudited(url: &str, error: &Unaudited, lang: Lang) -> (TestTally, String) {
    let mut out = String::new();
    open(&mut out, url, "audit");
    let (kind, message) = (error.code, safe(error.message(lang)));
    out.push_str(&format!("<error type=\"{kind}\" message=\"{message}\">{message}</error></testcase>\n"));
    (TestTally { tests: 1, errors: 1, ..TestTally::default() }, out)
}

/// Begins a case. Its class is the page, since GitLab takes cases of one class and name for the same one, whatever
/// suite they are in.
fn open(out: &mut String, url: &str, name: &str) {
    out.push_str(&format!("<testcase classname=\"{}\" name=\"{name}\">", safe(url)));
}

impl TestTally {
    fn plus(self, other: Self) -> Self {
        Self {
            tests: self.tests + other.tests,
            failures: self.failures + other.failures,
            errors: self.errors + other.errors,
            skipped: self.skipped + other.skipped,
        }
    }

    /// Those that both suites and their sum may have.
    fn attributes(self) -> String {
        let Self { tests, failures, errors, .. } = self;
        format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"")
    }
}

/// XML text without the characters that XML 1.0 forbids.
fn safe(text: &str) -> String {
    xml_text(&crate::shown::printable(text)).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{audited, blocked};
    use super::*;

    #[test]
    fn each_check_is_a_case_and_counts_agree() {
        let outcome = audited();
        let counts = outcome.result.as_ref().unwrap().counts;
        let failures = counts.errors + counts.warnings;
        let xml = render(&[outcome], Lang::En);
        assert_eq!(xml.matches("<testcase ").count(), checks::all().count());
        assert_eq!(xml.matches("<failure ").count(), failures as usize);
        assert_eq!(xml.matches(&format!(" failures=\"{failures}\" errors=\"0\"")).count(), 2, "in suite and sum");
        let skipped = xml.matches("<skipped ").count();
        assert_eq!(xml.matches(&format!(" skipped=\"{skipped}\"")).count(), 1);
    }

    #[test]
    fn a_page_that_could_not_be_audited_is_an_error() {
        let xml = render(&[blocked(), audited()], Lang::En);
        assert!(xml.contains("<error type=\"target_blocked\" message=\"A firewall of the target"));
        assert!(xml.contains(" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\""));
        assert!(xml.contains(&format!(" tests=\"{}\" ", checks::all().count() + 1)));
    }

    #[test]
    fn cases_of_two_pages_have_two_classes() {
        let other = crate::format::PageOutcome { url: "https://example.com/other".to_owned(), ..blocked() };
        let xml = render(&[blocked(), other], Lang::En);
        assert_eq!(xml.matches("classname=\"https://example.com/other\"").count(), 1);
    }
}
