//! Plots that are drawn here as SVG: bars over days with a table of the same numbers below them, or a table with a bar in each row.

use model::lang::{Lang, Text, text};

/// Width of a drawing, in its own units.
const WIDTH: f64 = 640.0;
/// Height of the bars of a plot over days, and room for their labels.
const HEIGHT: f64 = 140.0;
const LABEL: f64 = 20.0;
/// A plot with its table.
#[derive(Debug)]
pub(crate) struct Plot {
    /// Id of its heading.
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    /// Heads of the columns; the first one names the rows.
    pub(crate) heads: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<String>>,
    pub(crate) bars: Vec<Bar>,
    pub(crate) labels: Vec<Label>,
    pub(crate) height: String,
    /// The width of the bar in each row, 0 to 100; empty for a plot over days, which is drawn above its table.
    pub(crate) shares: Vec<String>,
    /// Days without a value, which have neither bar nor row.
    pub(crate) without: usize,
}

/// A bar.
#[derive(Debug)]
pub(crate) struct Bar {
    pub(crate) x: String,
    pub(crate) y: String,
    pub(crate) width: String,
    pub(crate) height: String,
    /// What it stands for.
    pub(crate) title: String,
}

/// A text beside bars.
#[derive(Debug)]
pub(crate) struct Label {
    pub(crate) x: String,
    pub(crate) y: String,
    /// `start` or `end`.
    pub(crate) anchor: &'static str,
    pub(crate) text: String,
}

/// A row of a plot: its cells, of which the first names it, and the height of its bar; `None` for one without.
pub(crate) type PlotRow = (Vec<String>, Option<f64>);

impl Plot {
    /// The cells of a row, each with the head of its column.
    pub(crate) fn named<'r>(&'r self, row: &'r [String]) -> impl Iterator<Item = (&'static str, &'r String)> {
        self.heads.iter().copied().zip(row)
    }

    /// The rows, each with the width of its bar where it has one.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (&Vec<String>, Option<&String>)> {
        self.rows.iter().enumerate().map(|(at, row)| (row, self.shares.get(at)))
    }

    /// Over days, oldest first: a bar for each, the highest one as high as the plot.
    pub(crate) fn over_days(
        id: &'static str,
        title: &'static str,
        heads: Vec<&'static str>,
        rows: Vec<PlotRow>,
    ) -> Self {
        let most = rows.iter().filter_map(|(_, value)| *value).fold(0.0, f64::max);
        let label = top(most, &rows);
        Self::up_to((most, label), id, title, heads, rows)
    }

    /// The same with a value, and its name, that is as high as the plot.
    pub(crate) fn up_to(
        (most, label): (f64, String),
        id: &'static str,
        title: &'static str,
        heads: Vec<&'static str>,
        rows: Vec<PlotRow>,
    ) -> Self {
        let step = WIDTH / count(rows.len().max(1));
        let bars = rows.iter().enumerate().filter_map(|(at, (cells, value))| {
            let height = share((*value)?, most) * HEIGHT;
            let (x, width) = (count(at) * step + step * 0.1, (step * 0.8).min(48.0));
            Some(Bar {
                x: unit(x),
                y: unit(LABEL + HEIGHT - height),
                width: unit(width),
                height: unit(height),
                title: cells.join(", "),
            })
        });
        let bars = bars.collect();
        let name = |cells: Option<&PlotRow>| cells.and_then(|(cells, _)| cells.first()).cloned().unwrap_or_default();
        let bottom = unit(LABEL + HEIGHT + 16.0);
        let mut labels = vec![Label { x: unit(0.0), y: unit(12.0), anchor: "start", text: label }];
        labels.push(Label { x: unit(0.0), y: bottom.clone(), anchor: "start", text: name(rows.first()) });
        if rows.len() > 1 {
            labels.push(Label { x: unit(WIDTH), y: bottom, anchor: "end", text: name(rows.last()) });
        }
        let days = rows.len();
        let rows: Vec<Vec<String>> =
            rows.into_iter().rev().filter(|(_, value)| value.is_some()).map(|(cells, _)| cells).collect();
        let without = days - rows.len();
        Self { id, title, heads, rows, bars, labels, height: unit(LABEL + HEIGHT + LABEL), shares: Vec::new(), without }
    }

    /// By name, in the order of the rows: each row of the table has its bar.
    pub(crate) fn by_name(id: &'static str, title: &'static str, heads: Vec<&'static str>, rows: Vec<PlotRow>) -> Self {
        let most = rows.iter().filter_map(|(_, value)| *value).fold(0.0, f64::max);
        let shares = rows.iter().map(|(_, value)| unit(share(value.unwrap_or_default(), most) * 100.0)).collect();
        let rows = rows.into_iter().map(|(cells, _)| cells).collect();
        Self { id, title, heads, rows, bars: Vec::new(), labels: Vec::new(), height: String::new(), shares, without: 0 }
    }
}

/// The label of the largest bar: the second cell of its row.
fn top(most: f64, rows: &[PlotRow]) -> String {
    let highest = rows.iter().find(|(_, value)| *value == Some(most));
    highest.and_then(|(cells, _)| cells.get(1)).cloned().unwrap_or_default()
}

/// A whole number for people, in a language.
pub(crate) fn number(n: u64, lang: Lang) -> String {
    const N: Text = text("{n}", "{n}");
    N.phrase(&[("n", n.into())]).in_lang(lang).to_owned()
}

/// A value as the height of a bar.
#[expect(clippy::cast_precision_loss, reason = "a drawing")]
pub(crate) fn value(n: u64) -> f64 {
    n as f64
}

#[expect(clippy::cast_precision_loss, reason = "a drawing of at most some hundred bars")]
fn count(n: usize) -> f64 {
    n as f64
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 }
}

fn unit(length: f64) -> String {
    format!("{length:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(values: &[(&str, Option<u64>)]) -> Vec<PlotRow> {
        let row = |(name, n): &(&str, Option<u64>)| (vec![(*name).to_owned(), format!("{n:?}")], n.map(value));
        values.iter().map(row).collect()
    }

    #[test]
    fn the_largest_day_fills_the_height_and_a_day_that_was_not_measured_has_no_bar() {
        let plot = Plot::over_days("a", "A", vec!["day", "n"], rows(&[("1", Some(5)), ("2", None), ("3", Some(10))]));
        let heights: Vec<&str> = plot.bars.iter().map(|bar| bar.height.as_str()).collect();
        assert_eq!(heights, ["70.0", "140.0"]);
        assert_eq!((plot.rows.len(), plot.without), (2, 1));
        assert_eq!(plot.rows[0][0], "3", "the table begins with the newest");
    }

    #[test]
    fn a_plot_with_a_scale_keeps_to_it() {
        let scale = (20.0, "20".to_owned());
        let plot = Plot::up_to(scale, "a", "A", vec!["day", "n"], rows(&[("1", Some(5)), ("2", Some(10))]));
        let heights: Vec<&str> = plot.bars.iter().map(|bar| bar.height.as_str()).collect();
        assert_eq!((heights, plot.labels[0].text.as_str()), (vec!["35.0", "70.0"], "20"));
    }

    #[test]
    fn a_row_of_a_plot_by_name_has_its_bar() {
        let plot = Plot::by_name("a", "A", vec!["name", "n"], rows(&[("a", Some(4)), ("b", Some(1)), ("c", None)]));
        assert_eq!(plot.shares, ["100.0", "25.0", "0.0"]);
        assert_eq!(plot.rows[1][0], "b");
    }

    #[test]
    fn nothing_and_zeros_draw_nothing_wrong() {
        assert!(Plot::over_days("a", "A", vec![], Vec::new()).bars.is_empty());
        let plot = Plot::by_name("a", "A", vec![], rows(&[("b", Some(0))]));
        assert_eq!(plot.shares, ["0.0"]);
    }
}
