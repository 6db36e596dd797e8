//! JUnit XML, for build servers: a test case per check.

use audit::checks;
use audit::escape::xml_text;
use model::finding::Severity;
use model::lang::Lang;
use model::report::Report;

/// A suite for each page.
pub(super) fn render(reports: &[&Report], lang: Lang) -> String {
    let suites: String = reports.iter().map(|report| suite(report, lang)).collect();
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n{suites}</testsuites>\n")
}

/// One suite: errors and warnings fail, what was not measured is skipped.
fn suite(report: &Report, lang: Lang) -> String {
    let failures = report.counts.errors + report.counts.warnings;
    let skipped = report.coverage.not_measured.len() + report.coverage.not_applicable.len();
    let mut out = format!(
        "<testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">\n",
        safe(&report.url),
        checks::all().count()
    );
    for check in checks::all() {
        out.push_str(&format!("<testcase classname=\"site-audit\" name=\"{}\">", check.code));
        let finding = report.findings.iter().find(|finding| finding.code == check.code);
        match finding {
            Some(finding) if finding.severity != Severity::Info => {
                let message = safe(finding.message.in_lang(lang));
                let how = safe(check.how.in_lang(lang));
                out.push_str(&format!(
                    "<failure type=\"{}\" message=\"{message}\">{how}</failure>",
                    finding.severity.word()
                ));
            }
            Some(finding) => out.push_str(&format!("<system-out>{}</system-out>", safe(finding.message.in_lang(lang)))),
            None => {
                let absent = report.coverage.not_applicable.iter().any(|code| code == check.code).then_some("absent");
                let reason = report.coverage.not_measured.get(check.code).map(String::as_str).or(absent);
                if let Some(reason) = reason {
                    out.push_str(&format!("<skipped message=\"{}\"/>", safe(reason)));
                }
            }
        }
        out.push_str("</testcase>\n");
    }
    out.push_str("</testsuite>\n");
    out
}

/// XML text without the characters that XML 1.0 forbids.
fn safe(text: &str) -> String {
    xml_text(&super::printable(text)).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::super::tests::report;
    use super::*;

    #[test]
    fn each_check_is_a_case_and_counts_agree() {
        let report = report();
        let xml = render(&[&report], Lang::En);
        assert_eq!(xml.matches("<testcase ").count(), checks::all().count());
        assert_eq!(xml.matches("<failure ").count(), (report.counts.errors + report.counts.warnings) as usize);
        assert!(!xml.contains('\u{1b}'));
    }
}
