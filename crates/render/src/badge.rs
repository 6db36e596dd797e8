//! The badge of a shared audit: an SVG in the geometry that README badges have (flat style of shields, height 20).
//!
//! Widths are those of Verdana at 11 pixels, without kerning, so that a badge is as wide wherever it is drawn.

use std::fmt::Write as _;

use audit::escape::attribute;
use data_encoding::HEXLOWER;

use crate::band::Band;

/// Advances of Verdana per 1,000 em, code points 32 to 126 (the font's own table, `hmtx`).
const ADVANCES: [u32; 95] = [
    351, 393, 458, 818, 635, 1076, 726, 268, 454, 454, 635, 818, 363, 454, 363, 454, 635, 635, 635, 635, 635, 635, 635,
    635, 635, 635, 454, 454, 818, 818, 818, 545, 1000, 683, 685, 698, 770, 632, 574, 775, 751, 420, 454, 692, 556, 842,
    748, 787, 603, 787, 695, 683, 616, 731, 683, 988, 685, 615, 685, 454, 454, 454, 818, 635, 635, 600, 623, 520, 623,
    595, 351, 623, 632, 274, 344, 591, 274, 972, 632, 606, 623, 623, 426, 520, 394, 632, 591, 818, 591, 591, 525, 634,
    454, 634, 818,
];
/// The advance of `m`, which stands for characters that the table has not.
const OTHER: u32 = 972;
/// Size of the text in pixels.
const TEXT_PX: u32 = 11;
/// Pixels beside each text, on both sides together.
const PADDING: u32 = 10;
/// Characters of a label at most.
const LABEL_LENGTH: usize = 24;
/// Behind the label; white text on it has 15.3:1.
const LABEL_COLOUR: &str = "#24292f";
/// Background of a message without a score; white text on it has a contrast of 6.4:1.
const NO_COLOUR: &str = "#57606a";

/// Default label of a badge.
pub const LABEL: &str = "seo audit";

/// Style of a badge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BadgeStyle {
    /// Round corners and a little shine.
    #[default]
    Flat,
    /// Neither.
    FlatSquare,
}

/// Options of a badge in its query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadgeOptions {
    label: String,
    style: BadgeStyle,
}

impl BadgeOptions {
    /// Reads a query. Invalid options are ignored, as a picture has no room for an error.
    pub fn of_query(query: Option<&str>) -> Self {
        let mut choice = Self { label: LABEL.to_owned(), style: BadgeStyle::default() };
        for (name, value) in url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
            match &*name {
                "label" if is_label(&value) => choice.label = value.into_owned(),
                "style" if value == "flat-square" => choice.style = BadgeStyle::FlatSquare,
                _ => {}
            }
        }
        choice
    }
}

fn is_label(text: &str) -> bool {
    let is_printable = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    is_printable && text.len() <= LABEL_LENGTH && !text.trim().is_empty()
}

/// The text at the right of a badge: the score, or that there is none.
pub fn message(score: Option<u32>) -> String {
    score.map_or_else(|| "n/a".to_owned(), |score| format!("{score}/100"))
}

/// The badge of a score; `None`: there is no score, or the share was revoked. `alarm` is said of a page that no search engine can
/// show, in the badge's title.
pub fn svg(score: Option<u32>, alarm: Option<&str>, choice: &BadgeOptions) -> String {
    let colour =
        score.map_or_else(|| NO_COLOUR.to_owned(), |score| format!("#{}", HEXLOWER.encode(&Band::of(score).colour())));
    drawn(&choice.label, &message(score), alarm, &colour, choice.style)
}

fn drawn(label: &str, message: &str, alarm: Option<&str>, colour: &str, style: BadgeStyle) -> String {
    let (label_width, message_width) = (text_width(label), text_width(message));
    let (left, right) = (label_width + PADDING, message_width + PADDING);
    let total = left + right;
    let alarm = alarm.map(|alarm| format!(". {alarm}")).unwrap_or_default();
    let name = attribute(&format!("{label}: {message}{alarm}"));
    let (radius, shine) = match style {
        BadgeStyle::Flat => (3, "<rect width=\"100%\" height=\"20\" fill=\"url(#s)\"/>"),
        BadgeStyle::FlatSquare => (0, ""),
    };
    // In tenths of a pixel, as the texts are drawn ten times as large and scaled.
    let label_middle = 10 + 5 * label_width + 50;
    let message_middle = 10 * (left - 1) + 5 * message_width + 50;
    let mut texts = String::new();
    for (text, middle, width) in [(label, label_middle, label_width), (message, message_middle, message_width)] {
        let (text, length) = (attribute(text), 10 * width);
        if style == BadgeStyle::Flat {
            // Writing to a string can't fail, here and below.
            let _written = write!(
                texts,
                "<text aria-hidden=\"true\" x=\"{middle}\" y=\"150\" fill=\"#010101\" fill-opacity=\".3\" \
                 transform=\"scale(.1)\" textLength=\"{length}\">{text}</text>"
            );
        }
        let _written = write!(
            texts,
            "<text x=\"{middle}\" y=\"140\" transform=\"scale(.1)\" textLength=\"{length}\">{text}</text>"
        );
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{total}\" height=\"20\" role=\"img\" aria-label=\"{name}\">\
         <title>{name}</title>\
         <linearGradient id=\"s\" x2=\"0\" y2=\"100%\"><stop offset=\"0\" stop-color=\"#bbb\" stop-opacity=\".1\"/>\
         <stop offset=\"1\" stop-opacity=\".1\"/></linearGradient>\
         <clipPath id=\"r\"><rect width=\"{total}\" height=\"20\" rx=\"{radius}\"/></clipPath>\
         <g clip-path=\"url(#r)\"><rect width=\"{left}\" height=\"20\" fill=\"{LABEL_COLOUR}\"/>\
         <rect x=\"{left}\" width=\"{right}\" height=\"20\" fill=\"{colour}\"/>{shine}</g>\
         <g fill=\"#fff\" text-anchor=\"middle\" font-family=\"Verdana,Geneva,DejaVu Sans,sans-serif\" \
         text-rendering=\"geometricPrecision\" font-size=\"110\">{texts}</g></svg>\n"
    )
}

/// Whole pixels, made odd: odd widths sit on the pixel grid.
fn text_width(text: &str) -> u32 {
    let advance = |character: char| {
        let at = u32::from(character).checked_sub(32).and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| ADVANCES.get(at)).copied().unwrap_or(OTHER)
    };
    let width = text.chars().map(advance).sum::<u32>() * TEXT_PX / 1000;
    width | 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_reference() {
        for (label, message, left, right) in [
            ("build", "passing", 37, 51),
            ("seo", "92", 29, 23),
            ("seo", "100", 29, 31),
            ("seo audit", "92/100", 61, 49),
            ("seo audit", "n/a", 61, 29),
        ] {
            let svg = drawn(label, message, None, "#000", BadgeStyle::Flat);
            for part in [
                format!("width=\"{}\" height=\"20\" role", left + right),
                format!("<rect width=\"{left}\" height=\"20\" fill"),
                format!("<rect x=\"{left}\" width=\"{right}\" height=\"20\" fill"),
            ] {
                assert!(svg.contains(&part), "{label}|{message}: {part} is not in {svg}");
            }
        }
    }

    /// The pictures are kept beside this file, for people to look at.
    #[test]
    fn badges_are_drawn_as_they_are_kept() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/badge");
        for (name, score, query) in [
            ("bad", Some(49), None),
            ("warn", Some(50), None),
            ("good", Some(92), None),
            ("full", Some(100), None),
            ("revoked", None, None),
            ("square", Some(92), Some("style=flat-square")),
            ("label", Some(92), Some("label=seo")),
            ("hostile", Some(92), Some("label=%22%3E%3Cscript%3E%26%3C/g%3E")),
        ] {
            let drawn = svg(score, None, &BadgeOptions::of_query(query));
            let kept = folder.join(name).with_extension("svg");
            assert_eq!(drawn, std::fs::read_to_string(&kept).unwrap_or_default(), "{}", kept.display());
        }
    }

    #[test]
    fn the_title_says_that_a_page_can_not_be_found() {
        let svg = svg(Some(74), Some("No search engine shows this page."), &BadgeOptions::of_query(None));
        assert!(svg.contains("<title>seo audit: 74/100. No search engine shows this page.</title>"), "{svg}");
    }

    #[test]
    fn a_bad_choice_is_none() {
        let none = BadgeOptions::of_query(None);
        for query in [
            "label=",
            "label=%20",
            "label=a%00",
            "label=%F0%9F%A6%80",
            "label=1234567890123456789012345",
            "style=x",
            "label=a%0Ab",
        ] {
            assert_eq!(BadgeOptions::of_query(Some(query)), none, "{query}");
        }
        assert_eq!(BadgeOptions::of_query(Some("label=my+score&style=flat-square")).label, "my score");
    }

    #[test]
    fn o03_a_label_stays_text() {
        let svg = svg(Some(1), None, &BadgeOptions::of_query(Some("label=%22%3E%3Cscript%3E%26%3C/g%3E")));
        assert!(svg.contains("&quot;&gt;&lt;script&gt;&amp;&lt;/g&gt;") && !svg.contains("<script"), "{svg}");
    }
}
