//! Which findings of a report a reader wants to see: by severity, subject and words. Links and a form, so that it works
//! without a script.

use model::finding::{Counts, Finding, Severity};
use model::lang::Lang;
use url::form_urlencoded::{Serializer, parse};

use crate::hub_filter::{HubFilter, SubjectChoice};
use crate::words::severities;
use render::catalog;

/// The filter that a query asks for.
#[derive(Debug)]
pub(crate) struct Filter {
    severity: Option<Severity>,
    subject: HubFilter,
    lang: Lang,
}

/// The filter as the page shows it.
pub(super) struct FilterView<'a> {
    pub(super) chips: Vec<Chip>,
    /// `action` of the form.
    pub(super) action: String,
    /// Hidden fields of the form: name and value.
    pub(super) hidden: Vec<(&'static str, &'a str)>,
    pub(super) words: &'a str,
    /// The subjects that have findings.
    pub(super) subjects: Vec<SubjectChoice>,
    /// Path of the unfiltered report; `None` without a filter.
    pub(super) whole: Option<String>,
}

/// A link to the findings of a severity.
pub(super) struct Chip {
    pub(super) name: &'static str,
    /// CSS class; empty for all.
    pub(super) class: &'static str,
    pub(super) count: u32,
    pub(super) address: String,
    pub(super) is_chosen: bool,
}

const SEVERITIES: [Severity; 3] = [Severity::Error, Severity::Warn, Severity::Info];

impl Filter {
    /// The filter of a query. Unknown severities and subjects are ignored.
    pub(crate) fn of(query: Option<&str>, lang: Lang) -> Self {
        let pair = parse(query.unwrap_or_default().as_bytes()).find(|(name, _)| name == "severity");
        let severity = pair.and_then(|(_, word)| SEVERITIES.into_iter().find(|severity| severity.word() == word));
        Self { severity, subject: HubFilter::of(query, lang), lang }
    }

    /// Whether anything may be left out.
    pub(super) fn is_set(&self) -> bool {
        self.severity.is_some() || self.subject.is_set()
    }

    /// Whether a finding passes the filter. A finding whose code left the catalog has no subject.
    pub(super) fn takes(&self, finding: &Finding) -> bool {
        self.severity.is_none_or(|severity| severity == finding.severity)
            && match catalog::entry(&finding.code) {
                Some((family, check)) => {
                    let texts =
                        [finding.code.as_str(), check.title.in_lang(self.lang), finding.message.in_lang(self.lang)];
                    self.subject.takes(family, &texts)
                }
                None => !self.subject.is_set(),
            }
    }

    /// The address of the page with this filter but another severity and, where given, another subject.
    pub(super) fn address(
        &self,
        path: &str,
        tool: Option<&str>,
        severity: Option<Severity>,
        subject: Option<&str>,
    ) -> String {
        let mut query = Serializer::new(String::new());
        query.append_pair("lang", self.lang.tag());
        let chosen = self.subject.chosen();
        let pairs = [
            ("tool", tool),
            ("severity", severity.map(Severity::word)),
            ("category", subject.or(chosen)),
            ("q", Some(self.subject.words.as_str()).filter(|words| !words.is_empty())),
        ];
        query.extend_pairs(pairs.into_iter().filter_map(|(name, value)| Some((name, value?))));
        format!("{path}?{}#findings", query.finish())
    }

    /// The filter as the page at `path` shows it.
    pub(super) fn view<'a>(
        &'a self,
        path: &str,
        tool: Option<&'a str>,
        counts: Counts,
        findings: &[Finding],
    ) -> FilterView<'a> {
        let all = match self.lang {
            Lang::En => "All",
            Lang::PtBr => "Todos",
        };
        let Counts { errors, warnings, info } = counts;
        let of = [(None, errors + warnings + info)].into_iter();
        let of = of.chain(SEVERITIES.map(Some).into_iter().zip([errors, warnings, info]));
        let chips = of.map(|(severity, count)| Chip {
            name: severity.map_or(all, |severity| severities(severity, count).in_lang(self.lang)),
            class: severity.map_or("", Severity::word),
            count,
            address: self.address(path, tool, severity, None),
            is_chosen: severity == self.severity,
        });
        let has = |word: &str| {
            let mut entries = findings.iter().filter_map(|finding| catalog::entry(&finding.code));
            entries.any(|(family, _)| family.category.word() == word)
        };
        let hidden = [("lang", Some(self.lang.tag())), ("tool", tool), ("severity", self.severity.map(Severity::word))];
        FilterView {
            chips: chips.collect(),
            action: format!("{path}#findings"),
            hidden: hidden.into_iter().filter_map(|(name, value)| Some((name, value?))).collect(),
            words: &self.subject.words,
            subjects: self.subject.choices().into_iter().filter(|choice| has(choice.word)).collect(),
            whole: self.is_set().then(|| format!("{path}?lang={}#findings", self.lang.tag())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use audit::example;

    fn findings() -> Vec<Finding> {
        audit::report(&example::page(example::PAGE_URL, "<title>a</title><title>b</title><h1>c</h1>")).findings
    }

    fn taken(query: &str) -> Vec<String> {
        let filter = Filter::of(Some(query), Lang::En);
        findings().into_iter().filter(|finding| filter.takes(finding)).map(|finding| finding.code).collect()
    }

    #[test]
    fn findings_are_wanted_by_severity_subject_and_words() {
        let all = taken("").len();
        let by_severity = ["error", "warn", "info"].map(|word| taken(&format!("severity={word}")).len());
        assert_eq!(by_severity.iter().sum::<usize>(), all);
        assert_eq!(taken("q=title_multiple"), ["title_multiple"]);
        assert_eq!(taken("q=title_multiple&category=head"), ["title_multiple"]);
        assert_eq!(taken("q=title_multiple&category=crawl"), [""; 0]);
        assert_eq!(taken("severity=fatal&category=weather").len(), all);
    }

    #[test]
    fn links_keep_what_else_was_chosen() {
        let filter = Filter::of(Some("severity=warn&q=a+%26+b&category=head&x=1"), Lang::PtBr);
        assert_eq!(
            filter.address("/r/x", Some("title"), Some(Severity::Info), None),
            "/r/x?lang=pt-BR&tool=title&severity=info&category=head&q=a+%26+b#findings"
        );
        let counts = Counts { errors: 1, warnings: 2, info: 3 };
        let findings = findings();
        let view = filter.view("/r/x", None, counts, &findings);
        let chips: Vec<(u32, bool)> = view.chips.iter().map(|chip| (chip.count, chip.is_chosen)).collect();
        assert_eq!(chips, [(6, false), (1, false), (2, true), (3, false)]);
        assert_eq!(view.hidden, [("lang", "pt-BR"), ("severity", "warn")]);
        assert_eq!(view.whole.as_deref(), Some("/r/x?lang=pt-BR#findings"));
        assert!(view.subjects.iter().any(|choice| choice.is_chosen && choice.word == "head"));
    }
}
