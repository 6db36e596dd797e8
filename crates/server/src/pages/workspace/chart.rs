//! The scores of a tab over time, as numbers for an inline SVG: y is fixed at 0 to 100, x is time.

use model::tab::Run;

/// Width and height of the drawing, in its own units.
const WIDTH: f64 = 640.0;
/// Room at the left for the labels of the scores, and at the right for half a point.
const LEFT: f64 = 32.0;
const RIGHT: f64 = 8.0;
/// Room above 100 and below 0.
const TOP: f64 = 8.0;
/// Units per point of the score.
const UNIT: f64 = 2.0;

/// A chart.
#[derive(Debug)]
pub(super) struct Chart {
    /// One for each stretch of runs with a score: where the page was not reached, the line breaks.
    pub(super) lines: Vec<String>,
    /// Oldest first.
    pub(super) points: Vec<Point>,
}

/// A run in a chart.
#[derive(Debug)]
pub(super) struct Point {
    pub(super) x: String,
    pub(super) y: String,
    pub(super) score: Option<u32>,
    pub(super) audit_id: String,
    /// RFC 3339, to the minute.
    pub(super) at: String,
}

impl Chart {
    /// Of runs, newest first; `None` where there are fewer than two.
    pub(super) fn of(runs: &[Run]) -> Option<Self> {
        let (newest, oldest) = (runs.first()?, runs.last()?);
        if runs.len() < 2 {
            return None;
        }
        let span = newest.created_at.0.saturating_sub(oldest.created_at.0);
        let mut chart = Self { lines: Vec::new(), points: Vec::with_capacity(runs.len()) };
        let mut line = String::new();
        for run in runs.iter().rev() {
            let along = share(run.created_at.0.saturating_sub(oldest.created_at.0), span);
            let x = format!("{:.1}", LEFT + along * (WIDTH - LEFT - RIGHT));
            let y = format!("{:.1}", TOP + (100.0 - f64::from(run.score.unwrap_or(0).min(100))) * UNIT);
            match run.score {
                Some(_) => line.push_str(&format!("{x},{y} ")),
                None => chart.end(&mut line),
            }
            let at = run.created_at.to_string().get(..16).unwrap_or_default().to_owned();
            chart.points.push(Point { x, y, score: run.score, audit_id: run.audit_id.clone(), at });
        }
        chart.end(&mut line);
        Some(chart)
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
        Run { audit_id: text.clone(), score, counts, created_at: Timestamp(at), change: None, shared: None, api: text }
    }

    fn drawn(runs: &[(i64, Option<u32>)]) -> Option<Vec<String>> {
        let runs: Vec<Run> = runs.iter().map(|(at, score)| run(*at, *score)).collect();
        Chart::of(&runs).map(|chart| chart.lines)
    }

    #[test]
    fn a_line_goes_from_the_oldest_run_to_the_newest() {
        assert_eq!(drawn(&[]), None);
        assert_eq!(drawn(&[(1, Some(50))]), None);
        let line = |text: &str| Some(vec![text.to_owned()]);
        assert_eq!(drawn(&[(10, Some(100)), (5, Some(50)), (0, Some(0))]), line("32.0,208.0 332.0,108.0 632.0,8.0"));
        // All at one instant.
        assert_eq!(drawn(&[(5, Some(100)), (5, Some(0))]), line("32.0,208.0 32.0,8.0"));
    }

    #[test]
    fn a_line_breaks_where_the_page_was_not_reached() {
        let lines = drawn(&[(4, Some(0)), (3, None), (2, Some(0)), (1, Some(0)), (0, None)]).unwrap();
        assert_eq!(lines.len(), 2, "{lines:?}");
    }
}
