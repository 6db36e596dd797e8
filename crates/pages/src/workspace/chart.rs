//! The scores of a tab over time, as numbers for an inline SVG: y is fixed at 0 to 100, x is time.

use model::lang::{Lang, Text, text};
use model::tab::Run;
use render::shown::{minute, short_day};

/// Width and height of the drawing, in its own units.
const WIDTH: f64 = 860.0;
/// Room at the left for the labels of the scores, and at the right for half a point.
const LEFT: f64 = 36.0;
const RIGHT: f64 = 16.0;
/// Room above 100, for the marks of what was fixed.
const TOP: f64 = 36.0;
/// Units per point of the score.
const UNIT: f64 = 1.6;
/// Units between the texts of two days, and between those of two marks.
const DAYS_APART: f64 = 84.0;
const MARKS_APART: f64 = 64.0;

const FIXED: Text = text("{n} fixed", "{n} {n|corrigido|corrigidos}");
const NEW: Text = text("{n} new", "{n} {n|novo|novos}");

/// A chart.
#[derive(Debug)]
pub(super) struct Chart {
    /// One for each stretch of runs with a score: where the page was not reached, the line breaks.
    pub(super) lines: Vec<String>,
    /// Oldest first.
    pub(super) points: Vec<Point>,
    /// Days below the drawing: where, which side of the text is there, and the day.
    pub(super) days: Vec<(String, &'static str, String)>,
    /// What broke and what was fixed, in words, where there is room: where, and the text.
    pub(super) notes: Vec<(String, String, String)>,
}

/// A run in a chart.
#[derive(Debug)]
pub(super) struct Point {
    pub(super) x: String,
    pub(super) y: String,
    pub(super) score: Option<u32>,
    /// Mail was sent about the run: the page had got worse.
    pub(super) alerted: bool,
    /// Triangles: below the point where something broke, above it where something was fixed.
    pub(super) broke: Option<String>,
    pub(super) fixed: Option<String>,
    pub(super) audit_id: String,
    /// Accessible label.
    pub(super) label: String,
}

/// The label of a point: when, which score, and whether an alert was sent.
fn label(run: &Run, lang: Lang) -> String {
    const NOT_REACHED: Text = text("can't be reached", "inacessível");
    const ALERTED: Text = text("alert sent", "alerta enviado");
    let score = run.score.map_or(NOT_REACHED.in_lang(lang).to_owned(), |score| score.to_string());
    const CHANGED: Text =
        text(", {broke} new, {fixed} fixed", ", {broke} {broke|novo|novos}, {fixed} {fixed|corrigido|corrigidos}");
    let change = match changes(run) {
        (0, 0) => String::new(),
        (broke, fixed) => CHANGED.phrase(&[("broke", broke.into()), ("fixed", fixed.into())]).in_lang(lang).to_owned(),
    };
    let alert = if run.alerted { format!(", {}", ALERTED.in_lang(lang)) } else { String::new() };
    format!("{}: {score}{change}{alert}", minute(run.created_at, lang))
}

/// How many findings a run broke and fixed.
fn changes(run: &Run) -> (usize, usize) {
    run.change.as_ref().map_or((0, 0), |change| (change.broke.len(), change.fixed.len()))
}

impl Chart {
    /// Of runs, newest first; `None` where there are fewer than two.
    pub(super) fn of(runs: &[Run], lang: Lang) -> Option<Self> {
        let (newest, oldest) = (runs.first()?, runs.last()?);
        if runs.len() < 2 {
            return None;
        }
        let span = newest.created_at.0.saturating_sub(oldest.created_at.0);
        let points = Vec::with_capacity(runs.len());
        let mut chart = Self { lines: Vec::new(), points, days: Vec::new(), notes: Vec::new() };
        let mut line = String::new();
        // Where the last day, the last text above the line and the last one below it are.
        let [mut day, mut above, mut below] = [f64::NEG_INFINITY; 3];
        for run in runs.iter().rev() {
            let along = share(run.created_at.0.saturating_sub(oldest.created_at.0), span);
            let (place, height) = (
                LEFT + along * (WIDTH - LEFT - RIGHT),
                TOP + (100.0 - f64::from(run.score.unwrap_or(0).min(100))) * UNIT,
            );
            let (x, y) = (format!("{place:.1}"), format!("{height:.1}"));
            chart.name_day(run, (place, &x), &mut day, lang);
            match run.score {
                Some(_) => line.push_str(&format!("{x},{y} ")),
                None => chart.end(&mut line),
            }
            let (score, alerted, audit_id) = (run.score, run.alerted, run.audit_id.clone());
            let (broke, fixed) = changes(run);
            for (last, count, words, away) in [(&mut above, fixed, FIXED, -28.0), (&mut below, broke, NEW, 38.0)] {
                if count > 0 && place - *last >= MARKS_APART {
                    let text = words.phrase(&[("n", count.into())]).in_lang(lang).to_owned();
                    chart.notes.push((x.clone(), format!("{:.1}", height + away), text));
                    *last = place;
                }
            }
            let triangle = |dy: i32, size: i32| format!("M{x} {y}m0 {dy}l{size} {size}h{}z", -2 * size);
            let (broke, fixed) = ((broke > 0).then(|| triangle(20, -6)), (fixed > 0).then(|| triangle(-20, 6)));
            chart.points.push(Point { x, y, score, alerted, broke, fixed, audit_id, label: label(run, lang) });
        }
        chart.end(&mut line);
        Some(chart)
    }

    /// Writes the day of a run below the drawing, where there is room since the last one and before the newest.
    fn name_day(&mut self, run: &Run, (place, x): (f64, &str), last: &mut f64, lang: Lang) {
        let is_newest = place >= WIDTH - RIGHT;
        let day = short_day(run.created_at, lang);
        let is_known = self.days.last().is_some_and(|(_, _, known)| *known == day);
        let has_room = place - *last >= DAYS_APART && (is_newest || WIDTH - RIGHT - place >= DAYS_APART);
        if has_room && !is_known {
            let side = match (self.days.is_empty(), is_newest) {
                (true, _) => "start",
                (_, true) => "end",
                _ => "middle",
            };
            self.days.push((x.to_owned(), side, day));
            *last = place;
        }
    }

    fn end(&mut self, line: &mut String) {
        let line = std::mem::take(line);
        if !line.is_empty() {
            self.lines.push(line.trim_end().to_owned());
        }
    }
}

/// How far `part` is along `whole`, 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "milliseconds of centuries are exact, and it is a drawing")]
fn share(part: i64, whole: i64) -> f64 {
    if whole <= 0 { 0.0 } else { (part as f64 / whole as f64).clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::finding::Counts;
    use model::time::Timestamp;

    fn run(at: i64, score: Option<u32>) -> Run {
        let counts = Counts::default();
        let text = String::new();
        let (audit_id, created_at) = (text.clone(), Timestamp(at));
        Run { audit_id, score, counts, created_at, change: None, alerted: false, shared: None, api: text }
    }

    fn drawn(runs: &[(i64, Option<u32>)]) -> Option<Vec<String>> {
        let runs: Vec<Run> = runs.iter().map(|(at, score)| run(*at, *score)).collect();
        Chart::of(&runs, Lang::En).map(|chart| chart.lines)
    }

    #[test]
    fn a_line_goes_from_the_oldest_run_to_the_newest() {
        assert_eq!(drawn(&[]), None);
        assert_eq!(drawn(&[(1, Some(50))]), None);
        let line = |text: &str| Some(vec![text.to_owned()]);
        assert_eq!(drawn(&[(10, Some(100)), (5, Some(50)), (0, Some(0))]), line("36.0,196.0 440.0,116.0 844.0,36.0"));
        // All at one instant.
        assert_eq!(drawn(&[(5, Some(100)), (5, Some(0))]), line("36.0,196.0 36.0,36.0"));
    }

    #[test]
    fn a_point_says_when_what_and_whether_mail_was_sent() {
        let runs = [(60_000, Some(50)), (0, None)].map(|(at, score)| Run { alerted: at > 0, ..run(at, score) });
        let labels =
            |lang| Chart::of(&runs, lang).unwrap().points.into_iter().map(|point| point.label).collect::<Vec<_>>();
        assert_eq!(
            labels(Lang::En),
            ["1 Jan 1970, 00:00 UTC: can't be reached", "1 Jan 1970, 00:01 UTC: 50, alert sent"]
        );
        assert_eq!(
            labels(Lang::PtBr),
            ["1 jan. 1970, 00:00 UTC: inacessível", "1 jan. 1970, 00:01 UTC: 50, alerta enviado"]
        );
    }

    #[test]
    fn days_are_named_where_there_is_room() {
        const DAY: i64 = model::time::DAY_MS;
        let days = |days: &[i64]| {
            let runs: Vec<Run> = days.iter().rev().map(|day| run(day * DAY, Some(50))).collect();
            Chart::of(&runs, Lang::En).unwrap().days.into_iter().map(|(_, side, day)| (side, day)).collect::<Vec<_>>()
        };
        let named = |side, day: &str| (side, day.to_owned());
        assert_eq!(days(&[0, 5, 10]), [named("start", "1 Jan"), named("middle", "6 Jan"), named("end", "11 Jan")]);
        assert_eq!(days(&[0, 99, 100]), [named("start", "1 Jan"), named("end", "11 Apr")]);
        assert_eq!(days(&[0, 0]), [named("start", "1 Jan")]);
    }

    #[test]
    fn a_line_breaks_where_the_page_was_not_reached() {
        let lines = drawn(&[(4, Some(0)), (3, None), (2, Some(0)), (1, Some(0)), (0, None)]).unwrap();
        assert_eq!(lines.len(), 2, "{lines:?}");
    }
}
