//! Whether a page shows a text or a number that its structured data states.

use super::page::Html;

/// Words of a text that are looked for.
const MOST_WORDS: usize = 20;
/// What a page with a third-party review widget has in its source; the file says where it is from.
const WIDGETS: &str = include_str!("../data/review_widgets.txt");
/// The first letter of scripts that are written without spaces between words.
const UNSPACED: char = '\u{0E00}';

/// Percent of a text's words that the page shows; `None` where that can't be said: no words, or no spaces between them.
pub(crate) fn share_of_words(html: &Html, text: &str) -> Option<usize> {
    let text = super::document::collapse(text);
    if text.is_empty() || text.chars().any(|c| c >= UNSPACED && c.is_alphabetic()) {
        return None;
    }
    if html.text.text.contains(&text) {
        return Some(100);
    }
    let decoded = decoded(&text);
    let words: Vec<&str> = decoded
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 1)
        .take(MOST_WORDS)
        .collect();
    if words.is_empty() {
        return None;
    }
    // Most words are there as they are written, which spares a copy of the whole text.
    let missing = words.iter().filter(|word| !html.text.text.contains(**word));
    let mut missing: Vec<String> = missing.map(|word| word.to_lowercase()).collect();
    if !missing.is_empty() {
        let seen = html.text.text.to_lowercase();
        missing.retain(|word| !seen.contains(word));
    }
    if 2 * missing.len() > words.len() {
        let unseen = unseen_text(html).to_lowercase();
        missing.retain(|word| !unseen.contains(word));
    }
    Some(100 * (words.len() - missing.len()) / words.len())
}

/// A text without the character references that some programs leave in JSON.
fn decoded(text: &str) -> String {
    super::placeholders::without_visible_markup(&text.replace("&rsquo;", "’").replace("&#8217;", "’"))
}

/// Text of accessibility attributes and form fields.
fn unseen_text(html: &Html) -> String {
    let mut unseen = String::new();
    for element in html.document.elements() {
        for (name, value) in element.attributes() {
            if matches!(name, "alt" | "aria-label" | "title" | "value" | "placeholder" | "label") {
                unseen.push_str(value);
                unseen.push('\n');
            }
        }
    }
    unseen
}

/// Whether the page shows a number: in any of the ways to write it.
pub(crate) fn shows_number(html: &Html, number: &str) -> bool {
    let Ok(value) = number.replace(',', ".").parse::<f64>() else { return true };
    let forms = forms(value);
    let shows = |text: &str| forms.iter().any(|form| contains_number(text, form));
    shows(&html.text.text) || shows(&unseen_text(html))
}

/// The ways to write a number: as it is, rounded, grouped, and in thousands.
fn forms(value: f64) -> Vec<String> {
    let mut forms = vec![format!("{value}"), format!("{value:.1}"), format!("{value:.2}")];
    if value >= 1000.0 {
        let whole = format!("{value:.0}");
        let grouped = |mark: char| {
            let mut out = String::new();
            for (at, digit) in whole.chars().enumerate() {
                if at > 0 && (whole.len() - at).is_multiple_of(3) {
                    out.push(mark);
                }
                out.push(digit);
            }
            out
        };
        forms.extend(['.', ',', ' ', '\u{a0}', '\u{202f}', '\'', '’'].map(grouped));
        for size in [1e3, 1e6].into_iter().filter(|size| value >= *size) {
            // Both ways of rounding are in use.
            let tenths = value / size * 10.0;
            forms.extend([tenths.floor(), tenths.round()].map(|tenths| format!("{}", tenths / 10.0)));
            forms.push(format!("{:.0}", (value / size).floor()));
        }
    }
    let with_comma: Vec<String> =
        forms.iter().filter(|form| form.contains('.')).map(|form| form.replace('.', ",")).collect();
    forms.extend(with_comma);
    forms
}

/// Whether a text holds a number that is not a part of a longer one.
fn contains_number(text: &str, number: &str) -> bool {
    text.match_indices(number).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + number.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(|c| c.is_ascii_digit()) && !after.is_some_and(|c| c.is_ascii_digit())
    })
}

/// Whether a third party shows the ratings by script.
pub(crate) fn has_review_widget(html: &Html) -> bool {
    let source = html.document.source();
    WIDGETS.lines().filter(|line| !line.starts_with('#')).any(|mark| source.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_found_however_it_is_written() {
        for (value, text) in [
            (4.5, "Nota 4,5 de 5"),
            (4.47, "4.5 stars"),
            (5.0, "5 out of 5"),
            (1234.0, "1.234 avaliações"),
            (1234.0, "1,234 reviews"),
            (1234.0, "1.2k"),
            (12_345.0, "12 mil"),
        ] {
            assert!(forms(value).iter().any(|form| contains_number(text, form)), "{value} in {text}");
        }
        for (value, text) in [(4.5, "14.5"), (12.0, "2012"), (1234.0, "123")] {
            assert!(!forms(value).iter().any(|form| contains_number(text, form)), "{value} in {text}");
        }
    }
}
