//! The lab tests of a report, beside what real visitors experienced and what scripts change of the page.

use model::field_data::{FieldData, FieldScope};
use model::lab::{LabFrame, LabTest, Strategy};
use model::lang::Lang;
use model::rendered::Rendered;
use model::time::Timestamp;
use render::band::Band;
use render::lab::{self, MetricLine};
use service::Services;

use super::shown::{Eyes, Shown};
use crate::pieces::arc;
use crate::words::severity_word;

/// Bytes of the pictures of a test on its page. Chosen: eight of a usual page of 120 pixels fit.
const FILM_BYTES: usize = 48 * 1024;
/// The same on the page of a very long report, which has at most 120 KB with those of both devices.
const FILM_BYTES_IN_SHORT: usize = 3 * 1024;

/// The section of a report; absent where there is nothing to show and nothing to begin.
pub(super) struct LabSection<'a> {
    /// The latest test of each device.
    pub(super) tests: Vec<TestView<'a>>,
    /// Metrics of real visitors, where no test shows them.
    pub(super) field: Vec<MetricView>,
    /// Whether these are of the whole origin.
    pub(super) is_of_origin: bool,
    /// Word on the wire and name of what the owner can begin.
    pub(super) can_begin: Vec<(&'static str, &'static str)>,
    /// Seconds since the start of the test that runs longest. A page that loads itself again names them in its address: with
    /// the same address and fragment a browser would only scroll.
    pub(super) waited_s: Option<u32>,
}

/// One test.
pub(super) struct TestView<'a> {
    pub(super) name: &'static str,
    /// Seconds since its start, while it runs.
    pub(super) running_s: Option<u32>,
    /// Why it failed, or what Lighthouse warns of.
    pub(super) message: Option<&'a str>,
    pub(super) is_failed: bool,
    pub(super) rings: Vec<CategoryRing>,
    pub(super) metrics: Vec<MetricView>,
    /// What it saves, and the title.
    pub(super) opportunities: Vec<(String, &'a str)>,
    /// Category and title.
    pub(super) failing: Vec<(&'a str, &'a str)>,
    pub(super) version: Option<&'a str>,
    /// Pictures of the page while it loaded, each with its moment, for a while after the test.
    pub(super) frames: Vec<(String, String)>,
    /// What scripts change, where the test looked.
    pub(super) rendered: Option<RenderedView<'a>>,
}

/// What scripts change of the page.
pub(super) struct RenderedView<'a> {
    /// Class, word, sentence, reason and fix of the finding; none where scripts change nothing.
    pub(super) finding: Option<[&'a str; 5]>,
    /// Part, value in the HTML, and value after scripts.
    pub(super) differences: Vec<(&'static str, String, String)>,
    /// The sentence where there are none.
    pub(super) unchanged: &'static str,
}

/// The ring of a category.
pub(super) struct CategoryRing {
    pub(super) name: &'static str,
    pub(super) score: Option<u32>,
    pub(super) band: &'static str,
    pub(super) word: &'static str,
    pub(super) arc: Option<String>,
}

/// One metric, with the words of its bands.
pub(super) struct MetricView {
    pub(super) line: MetricLine,
    lang: Lang,
}

impl MetricView {
    /// The class of a band.
    pub(super) fn class(&self, band: &Band) -> &'static str {
        band.class()
    }

    /// The word for a band.
    pub(super) fn word(&self, band: &Band) -> &'static str {
        band.word().in_lang(self.lang)
    }
}

/// The section of a report, for its reader. An abridged page has less room for pictures.
pub(super) fn section<'a>(
    services: &Services,
    shown: &Shown<'a>,
    is_abridged: bool,
    lang: Lang,
) -> Option<LabSection<'a>> {
    let summary = shown.report.summary.as_ref()?;
    let crux = summary.crux.as_ref();
    let tests = summary.lab.as_ref();
    let of = |strategy| tests.and_then(|tests| tests.of(strategy));
    let now = services.ports().now();
    let frames = |test: &LabTest| match shown.eyes {
        Eyes::Owner(own) => {
            let frames = services.lab().filmstrip(own.id, test, now);
            let most = if is_abridged { FILM_BYTES_IN_SHORT } else { FILM_BYTES };
            film(&frames, most)
                .into_iter()
                .map(|one| (lab::measure(one.at_ms.into(), true, lang), one.image.clone()))
                .collect()
        }
        _ => Vec::new(),
    };
    let rendered = |strategy| summary.rendered.as_ref().and_then(|pages| pages.of(strategy));
    let is_running = |strategy| of(strategy).is_some_and(LabTest::is_running);
    let views: Vec<TestView<'a>> = Strategy::ALL
        .into_iter()
        .filter_map(|strategy| {
            let test = of(strategy)?;
            let rendered = rendered(strategy).map(|page| rendered_view(page, lang));
            Some(TestView { frames: frames(test), rendered, ..view(test, crux, now, lang) })
        })
        .collect();
    let lines = |lines: Vec<MetricLine>| lines.into_iter().map(|line| MetricView { line, lang }).collect::<Vec<_>>();
    let is_shown = views.iter().any(|view| !view.metrics.is_empty());
    let field = if is_shown { Vec::new() } else { lines(lab::metrics(None, crux, lang)) };
    let can_begin = match shown.eyes {
        Eyes::Owner(_) if services.lab().is_on() => Strategy::ALL
            .into_iter()
            .filter(|strategy| !is_running(*strategy))
            .map(|strategy| (strategy.name(), lab::strategy(strategy).in_lang(lang)))
            .collect(),
        _ => Vec::new(),
    };
    let section = LabSection {
        waited_s: views.iter().filter_map(|view| view.running_s).max(),
        is_of_origin: crux.is_some_and(|crux| crux.scope == FieldScope::Origin),
        tests: views,
        field,
        can_begin,
    };
    let has_any = !section.tests.is_empty() || !section.field.is_empty() || !section.can_begin.is_empty();
    has_any.then_some(section)
}

fn rendered_view(page: &Rendered, lang: Lang) -> RenderedView<'_> {
    let finding = page.finding.as_ref().map(|finding| {
        let [message, why, fix] = [&finding.message, &finding.why, &finding.fix].map(|text| text.in_lang(lang));
        [finding.severity.word(), severity_word(finding.severity).in_lang(lang), message, why, fix]
    });
    RenderedView { finding, differences: lab::differences(page, lang), unchanged: lab::UNCHANGED.in_lang(lang) }
}

/// Whole seconds since a test began.
fn seconds_since(started_at: &str, now: Timestamp) -> u32 {
    let started_at = Timestamp::parse(started_at).unwrap_or(now);
    u32::try_from(now.0.saturating_sub(started_at.0) / 1_000).unwrap_or_default()
}

fn view<'a>(test: &'a LabTest, crux: Option<&FieldData>, now: Timestamp, lang: Lang) -> TestView<'a> {
    let ring = |(name, score): (&'static str, Option<u32>)| {
        let band = Band::of(score.unwrap_or_default());
        CategoryRing {
            name,
            score,
            band: if score.is_some() { band.class() } else { "none" },
            word: band.word().in_lang(lang),
            arc: score.map(arc),
        }
    };
    let metrics = if test.scores.is_some() { lab::metrics(Some(test), crux, lang) } else { Vec::new() };
    TestView {
        name: lab::strategy(test.strategy).in_lang(lang),
        running_s: test.is_running().then(|| seconds_since(&test.started_at, now)),
        is_failed: !test.is_running() && test.scores.is_none(),
        message: test.message.as_ref().map(|message| message.in_lang(lang)),
        rings: test.scores.iter().flat_map(|scores| lab::scores(scores, lang)).map(ring).collect(),
        metrics: metrics.into_iter().map(|line| MetricView { line, lang }).collect(),
        opportunities: test
            .opportunities
            .iter()
            .map(|one| (lab::savings(one.savings_ms, one.savings_bytes, lang), one.title.as_str()))
            .collect(),
        failing: test.failing.iter().map(|one| (one.category.as_str(), one.title.as_str())).collect(),
        version: test.lighthouse_version.as_deref(),
        frames: Vec::new(),
        rendered: None,
    }
}

/// The pictures of a test in so many bytes: where not all fit those that show something new, and evenly less until they do. The last one
/// stays longest: it is the page as loaded.
fn film(frames: &[LabFrame], most: usize) -> Vec<&LabFrame> {
    let mut film: Vec<&LabFrame> = frames.iter().collect();
    let bytes = |film: &[&LabFrame]| film.iter().map(|frame| frame.image.len()).sum::<usize>();
    if bytes(&film) > most {
        film.dedup_by(|next, before| next.image == before.image);
    }
    while bytes(&film) > most {
        let last = film.len() - 1;
        let mut at = 0..=last;
        film.retain(|_| at.next().is_some_and(|at| last > 0 && (last - at).is_multiple_of(2)));
    }
    film
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_film_has_what_is_new_and_fits() {
        let frame = |(at_ms, image): (u32, &str)| LabFrame { at_ms, image: image.to_owned() };
        let frames: Vec<LabFrame> =
            [(1, "white"), (2, "white"), (3, "head"), (4, "text"), (5, "image"), (6, "image"), (7, "whole")]
                .map(frame)
                .into();
        let moments = |most| film(&frames, most).iter().map(|frame| frame.at_ms).collect::<Vec<_>>();
        assert_eq!(moments(33), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(moments(32), [1, 3, 4, 5, 7]);
        assert_eq!(moments(15), [1, 4, 7]);
        assert_eq!(moments(10), [1, 7]);
        assert_eq!(moments(9), [7]);
        assert_eq!((moments(4), film(&[], 0).len()), (vec![], 0));
    }
}
