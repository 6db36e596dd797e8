//! What a report keeps: texts, lists, and its size as a whole. What is cut is told in `truncated`.

use model::lang::{Phrase, Value};
use model::report::{Cut, Report};
use model::summary::PageSummary;

use super::json_bound::json_bound;

/// Characters kept of one text.
const TEXT_CHARACTERS: usize = 2_000;
/// Entries kept of one list.
const LIST_ENTRIES: usize = 200;
/// Bytes of a report's JSON before compression.
const REPORT_BYTES: usize = 1024 * 1024;

/// Brings a report within its limits.
pub(super) fn keep(report: &mut Report) {
    let mut cuts = Cuts::default();
    if let Some(summary) = &mut report.summary {
        cuts.summary(summary);
    }
    for value in report.headers.values_mut() {
        cuts.text(value);
    }
    for finding in &mut report.findings {
        cuts.phrase(&mut finding.message);
        for value in finding.values.values_mut() {
            if let Value::Text(text) = value {
                cuts.text(text);
            }
        }
    }
    for phrase in report.fixes.iter_mut().flat_map(|fix| [&mut fix.origin, &mut fix.note]).flatten() {
        cuts.phrase(phrase);
    }
    for template in &mut report.patch.templates {
        template.origin.iter_mut().for_each(|phrase| cuts.phrase(phrase));
        cuts.phrase(&mut template.note);
    }
    report.patch.instructions.iter_mut().for_each(|instruction| cuts.phrase(&mut instruction.note));
    report.truncated.extend(cuts.text.then_some(Cut::TextOver2000));
    report.truncated.extend(cuts.list.then_some(Cut::ListOver200));
    shrink(report);
    report.truncated.sort_unstable();
    report.truncated.dedup();
}

/// Drops one thing after the other until the report fits: JSON-LD, evidence, summary lists; never issues or fixes.
fn shrink(report: &mut Report) {
    let steps: [fn(&mut Report); 3] = [
        |report| {
            report.json_ld.clear();
            report.json_ld_stored = 0;
        },
        |report| report.findings.iter_mut().for_each(|finding| finding.evidence.clear()),
        |report| {
            if let Some(summary) = &mut report.summary {
                summary.h1s.clear();
                summary.hreflang.clear();
                summary.headings.outline.clear();
                summary.scripts.third_party_origins.clear();
                summary.open_graph.clear();
                summary.twitter.clear();
                summary.json_ld_types.clear();
                summary.robots_txt.sitemaps.clear();
                summary.sitemap.declared.clear();
                summary.sitemap.checked.clear();
            }
        },
    ];
    // Nearly every report is so short that none of its letters need be counted.
    if json_bound(report).is_some_and(|most| most <= REPORT_BYTES) {
        return;
    }
    for step in steps {
        if size(report) <= REPORT_BYTES {
            return;
        }
        step(report);
        report.truncated.push(Cut::ResultSize);
    }
}

fn size(report: &Report) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    serde_json::to_writer(&mut count, report).map_or(usize::MAX, |()| count.0)
}

#[derive(Default)]
struct Cuts {
    text: bool,
    list: bool,
}

impl Cuts {
    fn text(&mut self, text: &mut String) {
        if text.len() > TEXT_CHARACTERS
            && let Some((end, _)) = text.char_indices().nth(TEXT_CHARACTERS)
        {
            text.truncate(end);
            self.text = true;
        }
    }

    fn phrase(&mut self, phrase: &mut Phrase) {
        self.text(&mut phrase.en);
        self.text(&mut phrase.pt);
    }

    fn list<T>(&mut self, list: &mut Vec<T>) {
        self.list |= list.len() > LIST_ENTRIES;
        list.truncate(LIST_ENTRIES);
    }

    fn texts(&mut self, list: &mut Vec<String>) {
        self.list(list);
        list.iter_mut().for_each(|text| self.text(text));
    }

    fn map(&mut self, map: &mut std::collections::BTreeMap<String, String>) {
        self.list |= map.len() > LIST_ENTRIES;
        while map.len() > LIST_ENTRIES {
            map.pop_last();
        }
        map.values_mut().for_each(|text| self.text(text));
    }

    fn summary(&mut self, summary: &mut PageSummary) {
        let texts = [
            &mut summary.content_type,
            &mut summary.title,
            &mut summary.meta_description,
            &mut summary.canonical,
            &mut summary.robots,
            &mut summary.viewport,
            &mut summary.charset,
            &mut summary.lang,
            &mut summary.favicon,
            &mut summary.robots_txt.rule,
            &mut summary.sitemap.url,
            &mut summary.sitemap.lastmod,
        ];
        for text in texts.into_iter().flatten() {
            self.text(text);
        }
        for check in summary.discovery.iter_mut().flat_map(|discovery| discovery.checks_mut()) {
            self.phrase(&mut check.message);
            check.url.iter_mut().for_each(|url| self.text(url));
        }
        self.texts(&mut summary.h1s);
        self.texts(&mut summary.json_ld_types);
        self.texts(&mut summary.robots_txt.sitemaps);
        for rule in summary.robots_txt.agents.values_mut().filter_map(|agent| agent.rule.as_mut()) {
            self.text(rule);
        }
        self.texts(&mut summary.sitemap.declared);
        self.texts(&mut summary.sitemap.checked);
        self.texts(&mut summary.scripts.third_party_origins);
        self.texts(&mut summary.x_robots_tag.raw);
        self.map(&mut summary.open_graph);
        self.map(&mut summary.twitter);
        self.list(&mut summary.hreflang);
        self.list(&mut summary.redirects);
        self.list(&mut summary.x_robots_tag.directives);
        summary.hreflang.iter_mut().for_each(|alternate| {
            self.text(&mut alternate.lang);
            self.text(&mut alternate.href);
        });
        summary.headings.outline.iter_mut().for_each(|entry| self.text(&mut entry.text));
    }
}
