//! Lab tests in words: scores, metrics beside those of real visitors, savings, failed audits, and what scripts change.

use std::collections::BTreeMap;

use model::field_data::{FieldData, FieldMetric};
use model::lab::{LabMetric, LabScores, LabStatus, LabTest, Strategy};
use model::lang::{Lang, Text, text};
use model::rendered::{Rendered, RenderedDifference, RenderedPart};

use crate::band::Band;

/// A metric of Lighthouse, and the same of the Chrome UX Report where there is one.
struct MetricName {
    /// Lighthouse's name.
    lab: &'static str,
    /// The report's, and its limits: good up to the first, poor over the second (web.dev, Web Vitals).
    field: Option<(&'static str, f64, f64)>,
    name: Text,
}

/// In the order in which they are shown. `interaction_to_next_paint` has no lab metric: nobody interacts in a lab.
const METRICS: [MetricName; 8] = [
    MetricName {
        lab: "largest-contentful-paint",
        field: Some(("largest_contentful_paint", 2_500.0, 4_000.0)),
        name: text("Largest Contentful Paint (LCP)", "Largest Contentful Paint (LCP)"),
    },
    MetricName {
        lab: "",
        field: Some(("interaction_to_next_paint", 200.0, 500.0)),
        name: text("Interaction to Next Paint (INP)", "Interaction to Next Paint (INP)"),
    },
    MetricName {
        lab: "cumulative-layout-shift",
        field: Some(("cumulative_layout_shift", 0.1, 0.25)),
        name: text("Cumulative Layout Shift (CLS)", "Cumulative Layout Shift (CLS)"),
    },
    MetricName {
        lab: "total-blocking-time",
        field: None,
        name: text("Total Blocking Time (TBT)", "Total Blocking Time (TBT)"),
    },
    MetricName {
        lab: "first-contentful-paint",
        field: Some(("first_contentful_paint", 1_800.0, 3_000.0)),
        name: text("First Contentful Paint (FCP)", "First Contentful Paint (FCP)"),
    },
    MetricName { lab: "speed-index", field: None, name: text("Speed Index", "Speed Index") },
    MetricName {
        lab: "server-response-time",
        field: Some(("experimental_time_to_first_byte", 800.0, 1_800.0)),
        name: text("Time to First Byte (TTFB)", "Tempo até o primeiro byte (TTFB)"),
    },
    MetricName { lab: "interactive", field: None, name: text("Time to Interactive", "Tempo até ficar interativa") },
];

/// A score of Lighthouse from which on a metric is good, and one from which on it is fair (its own limits).
const GOOD_SCORE: f64 = 0.9;
const FAIR_SCORE: f64 = 0.5;

/// One metric for a reader.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricLine {
    /// Its name.
    pub name: &'static str,
    /// What the lab measured.
    pub lab: Option<LabLine>,
    /// What real visitors experienced.
    pub field: Option<FieldLine>,
}

/// One metric of the lab.
#[derive(Debug, Clone, PartialEq)]
pub struct LabLine {
    /// The value.
    pub value: String,
    /// Its band, where Lighthouse gives it a score.
    pub band: Option<Band>,
    /// Where it is on a bar whose three parts are equally long, in percent. By its score, as the limits differ between
    /// devices; none for the server's response time, whose score is all or nothing.
    pub at: Option<u32>,
}

/// One metric of real visitors.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldLine {
    /// The 75th percentile.
    pub p75: String,
    /// Its band.
    pub band: Band,
    /// Whole percents of visits that are good, fair and poor.
    pub shares: [u32; 3],
    /// The limits: good up to the first, poor over the second.
    pub limits: [String; 2],
    /// Where the 75th percentile is on a bar whose three parts are equally long, in percent.
    pub at: u32,
}

/// Metrics that the lab or real visitors have, in the order in which they are shown.
pub fn metrics(test: Option<&LabTest>, field: Option<&FieldData>, lang: Lang) -> Vec<MetricLine> {
    let line = |metric: &MetricName| {
        let lab = test.and_then(|test| test.metrics.get(metric.lab));
        let lab = lab.map(|of| LabLine {
            value: measure(of.value, is_time(of), lang),
            band: band(of),
            at: place(metric, of),
        });
        let field = metric
            .field
            .and_then(|(name, good, poor)| field?.metrics.get(name).map(|field| field_line(field, [good, poor], lang)));
        (lab.is_some() || field.is_some()).then(|| MetricLine { name: metric.name.in_lang(lang), lab, field })
    };
    METRICS.iter().filter_map(line).collect()
}

fn is_time(metric: &LabMetric) -> bool {
    metric.unit.as_deref() == Some("millisecond")
}

fn band(metric: &LabMetric) -> Option<Band> {
    metric.score.map(|score| match score {
        _ if score >= GOOD_SCORE => Band::Good,
        _ if score >= FAIR_SCORE => Band::Fair,
        _ => Band::Bad,
    })
}

/// The place of a metric of the lab on its bar: full score at its start, none at its end.
fn place(metric: &MetricName, of: &LabMetric) -> Option<u32> {
    let score = of.score.filter(|_| metric.lab != "server-response-time")?.clamp(0.0, 1.0);
    let part = match () {
        () if score >= GOOD_SCORE => (1.0 - score) / (1.0 - GOOD_SCORE),
        () if score >= FAIR_SCORE => 1.0 + (GOOD_SCORE - score) / (GOOD_SCORE - FAIR_SCORE),
        () => 2.0 + (FAIR_SCORE - score) / FAIR_SCORE,
    };
    Some((part / 3.0 * 100.0).round() as u32)
}

fn field_line(metric: &FieldMetric, [good, poor]: [f64; 2], lang: Lang) -> FieldLine {
    // Layout shifts have no unit and limits below one.
    let is_time = poor > 1.0;
    let p75 = metric.p75;
    let (band, part) = match () {
        () if p75 <= good => (Band::Good, p75 / good),
        () if p75 <= poor => (Band::Fair, 1.0 + (p75 - good) / (poor - good)),
        // The last part ends at twice the limit.
        () => (Band::Bad, 2.0 + ((p75 - poor) / poor).min(1.0)),
    };
    let percent = |share: f64| (share.clamp(0.0, 1.0) * 100.0).round() as u32;
    FieldLine {
        p75: measure(p75, is_time, lang),
        band,
        shares: [metric.good, metric.needs_improvement, metric.poor].map(percent),
        limits: [good, poor].map(|limit| measure(limit, is_time, lang)),
        at: (part / 3.0 * 100.0).round() as u32,
    }
}

/// A measured value as people read it: `180 ms`, `4.1 s`, `0.031`.
pub fn measure(value: f64, is_time: bool, lang: Lang) -> String {
    let decimal = |text: String| if lang == Lang::PtBr { text.replace('.', ",") } else { text };
    match (is_time, value) {
        (true, ms) if ms < 1_000.0 => format!("{ms:.0} ms"),
        (true, ms) => decimal(format!("{:.1} s", ms / 1_000.0)),
        (false, plain) => {
            let text = format!("{plain:.3}");
            decimal(text.trim_end_matches('0').trim_end_matches('.').to_owned())
        }
    }
}

/// The four categories with their scores, in Lighthouse's order.
pub fn scores(scores: &LabScores, lang: Lang) -> [(&'static str, Option<u32>); 4] {
    let named = |name: Text, score: Option<u8>| (name.in_lang(lang), score.map(u32::from));
    [
        named(text("Performance", "Desempenho"), scores.performance),
        named(text("Accessibility", "Acessibilidade"), scores.accessibility),
        named(text("Best practices", "Boas práticas"), scores.best_practices),
        named(text("SEO", "SEO"), scores.seo),
    ]
}

/// Metrics of two tests: name, earlier and later value, and the difference, in the order in which they are shown.
pub fn pairs(metrics: &BTreeMap<String, [f64; 2]>, lang: Lang) -> Vec<(&'static str, [String; 3])> {
    let pair = |metric: &MetricName| {
        let values = metrics.get(metric.lab)?;
        // All but the layout shift are durations.
        let is_time = metric.lab != "cumulative-layout-shift";
        let [before, after] = values.map(|value| measure(value, is_time, lang));
        Some((metric.name.in_lang(lang), [before, after, difference(*values, is_time, lang)]))
    };
    METRICS.iter().filter_map(pair).collect()
}

/// The difference of two values, with its sign: `−1.2 s`, `+0.05`; `0` where they are shown alike.
fn difference([before, after]: [f64; 2], is_time: bool, lang: Lang) -> String {
    let size = measure((after - before).abs(), is_time, lang);
    let is_nothing = !size.chars().any(|digit| ('1'..='9').contains(&digit));
    match after - before {
        _ if is_nothing => "0".to_owned(),
        more if more > 0.0 => format!("+{size}"),
        _ => format!("\u{2212}{size}"),
    }
}

/// The name of a strategy.
pub fn strategy(strategy: Strategy) -> Text {
    match strategy {
        Strategy::Mobile => text("Mobile", "Celular"),
        Strategy::Desktop => text("Desktop", "Computador"),
    }
}

/// What an opportunity saves: `1.2 s, 240 KB`.
pub fn savings(ms: u32, bytes: Option<u64>, lang: Lang) -> String {
    const SIZE: Text = text("{bytes:size}", "{bytes:size}");
    let time = (ms > 0).then(|| measure(f64::from(ms), true, lang));
    let size = bytes.map(|bytes| SIZE.phrase(&[("bytes", bytes.into())]).in_lang(lang).to_owned());
    [time, size].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// That scripts change nothing that is compared.
pub const UNCHANGED: Text =
    text("Scripts change nothing that search engines read.", "Scripts não alteram nada que os buscadores leem.");

/// What scripts change, part by part: its name, the value in the HTML, and the one that scripts render.
pub fn differences(page: &Rendered, lang: Lang) -> Vec<(&'static str, String, String)> {
    const FEMININE: [RenderedPart; 3] = [RenderedPart::Robots, RenderedPart::Canonical, RenderedPart::MetaDescription];
    let none = |part| text("none", if FEMININE.contains(&part) { "nenhuma" } else { "nenhum" }).in_lang(lang);
    let row = |one: &RenderedDifference| {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| none(one.part).to_owned());
        (audit::rendered::part_name(one.part).in_lang(lang), value(&one.source), value(&one.rendered))
    };
    page.differences.iter().map(row).collect()
}

/// A rendered page as lines of plain text: the finding, each difference, why it matters and the fix.
fn rendered_lines(page: &Rendered, lang: Lang) -> Vec<String> {
    const DIFFERENCE: Text = text(
        "{part}: {source} in the HTML, {rendered} after scripts",
        "{part}: {source} no HTML, {rendered} depois dos scripts",
    );
    let Some(finding) = &page.finding else { return vec![UNCHANGED.in_lang(lang).to_owned()] };
    let mut lines = vec![format!("{}: {}", finding.code, finding.message.in_lang(lang))];
    for (part, source, rendered) in differences(page, lang) {
        let values = [("part", part.into()), ("source", source.into()), ("rendered", rendered.into())];
        lines.push(DIFFERENCE.phrase(&values).in_lang(lang).to_owned());
    }
    lines.extend([&finding.why, &finding.fix].map(|text| text.in_lang(lang).to_owned()));
    lines
}

/// A lab test as lines of plain text: a heading, then metrics, savings, failed audits, and what scripts change.
pub fn lines(test: &LabTest, field: Option<&FieldData>, page: Option<&Rendered>, lang: Lang) -> Vec<String> {
    const HEADING: Text = text("Lab test, {strategy}: {result}", "Teste de laboratório, {strategy}: {result}");
    const RUNNING: Text = text("running", "em andamento");
    const FAILED: Text = text("failed. {message}", "falhou. {message}");
    const VISITORS: Text = text("real visitors {p75}, {word}", "visitantes reais {p75}, {word}");
    const SAVES: Text = text("could save {savings}: {title}", "pode economizar {savings}: {title}");
    const FAILS: Text = text("failed in {category}: {title}", "reprovada em {category}: {title}");
    let message = test.message.as_ref().map_or("", |message| message.in_lang(lang));
    let result = match (test.status, &test.scores) {
        (LabStatus::Finished, Some(of)) => {
            let scores = scores(of, lang).map(|(name, score)| {
                format!("{name} {}", score.map_or_else(|| "–".to_owned(), |score| score.to_string()))
            });
            scores.join(", ")
        }
        (LabStatus::Running, _) => RUNNING.in_lang(lang).to_owned(),
        _ => FAILED.phrase(&[("message", message.into())]).in_lang(lang).to_owned(),
    };
    let name = strategy(test.strategy).in_lang(lang).to_lowercase();
    let heading = HEADING.phrase(&[("strategy", name.as_str().into()), ("result", result.into())]);
    let mut lines = vec![heading.in_lang(lang).to_owned()];
    if test.status != LabStatus::Finished {
        return lines;
    }
    for metric in metrics(Some(test), field, lang) {
        let lab = metric.lab.map(|lab| match lab.band {
            Some(band) => format!("{}, {}", lab.value, band.word().in_lang(lang)),
            None => lab.value,
        });
        let visitors = metric.field.map(|field| {
            let values = [("p75", field.p75.into()), ("word", field.band.word().in_lang(lang).into())];
            VISITORS.phrase(&values).in_lang(lang).to_owned()
        });
        let both = [lab, visitors].into_iter().flatten().collect::<Vec<_>>().join("; ");
        lines.push(format!("{}: {both}", metric.name));
    }
    for one in &test.opportunities {
        let savings = savings(one.savings_ms, one.savings_bytes, lang);
        let values = [("savings", savings.into()), ("title", one.title.as_str().into())];
        lines.push(SAVES.phrase(&values).in_lang(lang).to_owned());
    }
    for one in &test.failing {
        let values = [("category", one.category.as_str().into()), ("title", one.title.as_str().into())];
        lines.push(FAILS.phrase(&values).in_lang(lang).to_owned());
    }
    lines.extend(page.into_iter().flat_map(|page| rendered_lines(page, lang)));
    lines
}

#[cfg(test)]
mod tests {
    use model::field_data::FieldScope;

    use super::*;

    fn field(p75: f64, name: &str) -> FieldData {
        let metric = FieldMetric { p75, good: 0.72, needs_improvement: 0.17, poor: 0.11 };
        let metrics = BTreeMap::from([(name.to_owned(), metric)]);
        FieldData { scope: FieldScope::Url, form_factor: None, metrics, collection_period: None }
    }

    fn test() -> LabTest {
        serde_json::from_value(
            serde_json::json!({"status": "finished", "strategy": "mobile", "startedAt": "", "message": null}),
        )
        .unwrap()
    }

    #[test]
    fn differences_have_their_sign() {
        let of = |before, after, name: &str| {
            pairs(&BTreeMap::from([(name.to_owned(), [before, after])]), Lang::PtBr)[0].1[2].clone()
        };
        assert_eq!(of(4_120.5, 2_910.0, "speed-index"), "\u{2212}1,2 s");
        assert_eq!(of(0.1, 0.15, "cumulative-layout-shift"), "+0,05");
        assert_eq!(of(200.1, 200.2, "total-blocking-time"), "0");
    }

    #[test]
    fn what_scripts_change_is_told_with_both_values_in_either_language() {
        let page: Rendered = serde_json::from_value(serde_json::json!({"url": "https://example.com/",
            "differences": [{"part": "canonical", "source": null, "rendered": "https://example.com/other"}],
            "finding": {"code": "rendered_differs", "severity": "warn", "message": {"en": "It differs.", "pt": "Difere."},
                "why": {"en": "Why.", "pt": "Porquê."}, "fix": {"en": "Fix.", "pt": "Correção."}}}))
        .unwrap();
        let told = |lang| {
            lines(&LabTest { scores: Some(LabScores::default()), ..test() }, None, Some(&page), lang)[1..].to_vec()
        };
        assert_eq!(
            told(Lang::En),
            [
                "rendered_differs: It differs.",
                "canonical URL: none in the HTML, https://example.com/other after scripts",
                "Why.",
                "Fix."
            ]
        );
        assert_eq!(told(Lang::PtBr)[1], "URL canônica: nenhuma no HTML, https://example.com/other depois dos scripts");
        let same = Rendered { differences: Vec::new(), finding: None, ..page };
        assert_eq!(rendered_lines(&same, Lang::En), [UNCHANGED.en]);
    }

    #[test]
    fn values_are_shown_with_their_unit_in_the_language() {
        for (value, is_time, en, pt) in [
            (180.4, true, "180 ms", "180 ms"),
            (18_107.5, true, "18.1 s", "18,1 s"),
            (0.0312, false, "0.031", "0,031"),
            (0.0, false, "0", "0"),
        ] {
            assert_eq!(
                (measure(value, is_time, Lang::En).as_str(), measure(value, is_time, Lang::PtBr).as_str()),
                (en, pt)
            );
        }
        assert_eq!(savings(1_200, Some(245_760), Lang::En), "1.2 s, 240 KB");
        assert_eq!(savings(0, None, Lang::En), "");
    }

    #[test]
    fn a_percentile_has_its_band_and_its_place() {
        for (p75, band, at) in [
            (0.0, Band::Good, 0),
            (2_500.0, Band::Good, 33),
            (3_250.0, Band::Fair, 50),
            (4_000.0, Band::Fair, 67),
            (6_000.0, Band::Bad, 83),
            (90_000.0, Band::Bad, 100),
        ] {
            let lines = metrics(None, Some(&field(p75, "largest_contentful_paint")), Lang::En);
            let line = lines[0].field.as_ref().unwrap();
            assert_eq!((line.band, line.at, line.shares), (band, at, [72, 17, 11]), "{p75}");
            assert_eq!(line.limits, ["2.5 s", "4.0 s"]);
        }
        let lab = |name: &str, score: f64| {
            let metric = LabMetric { value: 1.0, unit: None, display: None, score: Some(score) };
            let test = LabTest { metrics: BTreeMap::from([(name.to_owned(), metric)]), ..test() };
            metrics(Some(&test), None, Lang::En)[0].lab.as_ref().unwrap().at
        };
        let places: Vec<_> = [1.0, 0.9, 0.7, 0.5, 0.25, 0.0].map(|score| lab("speed-index", score)).into();
        assert_eq!(places, [0, 33, 50, 67, 83, 100].map(Some));
        assert_eq!(lab("server-response-time", 1.0), None);
        let shift = metrics(None, Some(&field(0.12, "cumulative_layout_shift")), Lang::PtBr);
        assert_eq!(shift[0].field.as_ref().unwrap().p75, "0,12");
        assert_eq!(metrics(None, Some(&field(1.0, "form_factors")), Lang::En), []);
    }
}
