//! Bar charts as SVG, without scripts: each bar is labelled with its number, so that nothing depends on colour.

use audit::escape::html_text;
use model::lang::Lang;

use super::words;

/// Height of a bar with its gap in pixels of the picture.
const ROW: usize = 26;
/// Width of the picture, of the labels and of the longest bar.
const WIDTH: usize = 480;
/// Holds the longest label, 29 characters of 13 pixels.
const LABELS: usize = 210;
const LONGEST: usize = 200;

/// A chart of bars, from top to bottom. `title` names it for those who can't see it.
pub(super) fn bars(title: &str, values: &[(String, u32)], lang: Lang) -> String {
    let most = values.iter().map(|(_, value)| *value).max().unwrap_or_default().max(1) as usize;
    let height = values.len() * ROW;
    let mut svg = format!(
        "<svg role=\"img\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\"><title>{}</title>",
        html_text(title)
    );
    for (at, (label, value)) in values.iter().enumerate() {
        let (top, middle) = (at * ROW + 4, at * ROW + 18);
        let width = (*value as usize * LONGEST / most).max(usize::from(*value > 0) * 2);
        let (end, after) = (LABELS - 8, LABELS + width + 6);
        let number = words::count(*value as usize, lang);
        svg.push_str(&format!(
            "<text x=\"{end}\" y=\"{middle}\" text-anchor=\"end\">{}</text><rect x=\"{LABELS}\" y=\"{top}\" width=\"{width}\" height=\"18\" rx=\"3\"/><text x=\"{after}\" y=\"{middle}\">{number}</text>",
            html_text(label)
        ));
    }
    svg + "</svg>"
}
