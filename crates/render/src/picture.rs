//! The picture that networks show for a shared report: 1,200 × 630 pixels, drawn from glyphs and shapes, never parsed
//! from markup.

mod canvas;
mod png;

use std::io;

use model::finding::Counts;
use model::lang::{Lang, Text, text};
use model::searchable::Searchable;
use model::time::Timestamp;

use crate::band::{Band, UNREACHED};
use crate::shown;
use canvas::{Area, Canvas, Colour, Ring, Type};

/// Width in pixels, as Open Graph pictures are shown.
pub const WIDTH: u16 = 1200;
/// Height in pixels.
pub(crate) const HEIGHT: u16 = 630;
/// Characters of a text at most: bounds the work for texts of audited pages; longer ones would not fit anyway.
const LONGEST_TEXT: usize = 120;

/// Free on all sides.
const MARGIN: f32 = 64.0;
/// Across the ring, its line included.
const RING: f32 = 320.0;
/// Width of the ring's line: 8 of 116 across, as on pages.
const LINE: f32 = 22.0;
/// Left edge of the column beside the ring.
const TEXT_LEFT: f32 = MARGIN + RING + MARGIN;
/// Room beside the ring.
const TEXT_WIDTH: f32 = 1200.0 - TEXT_LEFT - MARGIN;

const PAPER: Colour = [0xff, 0xff, 0xff];
const INK: Colour = [0x1f, 0x23, 0x28];
const MUTED: Colour = [0x59, 0x63, 0x6e];
/// What keeps a page out of search engines.
const ALARM: Colour = [0xb3, 0x20, 0x2c];
const TRACK: Colour = [0xea, 0xee, 0xf2];
/// Ground and text of the counts: errors, warnings, notes.
const CHIPS: [(Colour, Colour); 3] = [
    ([0xff, 0xeb, 0xe9], [0xb3, 0x20, 0x2c]),
    ([0xff, 0xf4, 0xd1], [0x7a, 0x4e, 0x00]),
    ([0xdd, 0xf4, 0xff], [0x07, 0x57, 0xba]),
];

/// Content of a preview picture.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// Host of the audited page.
    pub host: &'a str,
    /// 0 to 100; `None` where the page could not be reached.
    pub score: Option<u32>,
    /// Whether a search engine can show the page: what keeps it out is said in the place of the verdict on its score.
    pub searchable: Option<&'a Searchable>,
    /// Findings per severity.
    pub counts: Counts,
    /// When the audit was made.
    pub created_at: Timestamp,
    /// Name of the product.
    pub product: &'a str,
}

/// Draws it: a PNG, about 40 KB. Takes some milliseconds. An error is a defect.
pub fn png(scene: &Scene<'_>, lang: Lang) -> io::Result<Vec<u8>> {
    let letters = Type::load().ok_or_else(|| io::Error::other("the font can't be read"))?;
    let mut canvas = Canvas::new(WIDTH, HEIGHT, PAPER);
    score(&mut canvas, &letters, scene.score);
    beside(&mut canvas, &letters, scene, lang);
    let product = ended(&letters, &drawable(scene.product), 28.0, TEXT_WIDTH);
    let baseline = f32::from(HEIGHT) - MARGIN;
    canvas.text(&letters, &product, 28.0, (MARGIN, baseline), INK);
    let date = shown::date(scene.created_at, lang);
    let left = f32::from(WIDTH) - MARGIN - letters.width(&date, 28.0);
    canvas.text(&letters, &date, 28.0, (left, baseline), MUTED);
    canvas.png()
}

/// The ring with the number in it.
fn score(canvas: &mut Canvas, letters: &Type, score: Option<u32>) {
    const SIZE: f32 = 140.0;
    /// Height of a digit above its baseline, in em, by half of which the number is lowered.
    const DIGIT: f32 = 0.727;
    let middle = (MARGIN + RING / 2.0, 32.0 + MARGIN + RING / 2.0);
    let ring = Ring { middle, radius: (RING - LINE) / 2.0, line: LINE };
    canvas.arc(ring, 1.0, TRACK);
    let percent = score.map(|score| u16::try_from(score).unwrap_or(100).min(100));
    // The round ends reach further, each by half the line.
    let ends = LINE / (ring.radius * std::f32::consts::TAU);
    match percent {
        None | Some(0) => {}
        Some(100) => canvas.arc(ring, 1.0, Band::of(100).colour()),
        Some(part) => canvas.arc(ring, (f32::from(part) / 100.0 - ends).max(0.0), Band::of(part.into()).colour()),
    }
    let number = percent.map_or_else(|| "–".to_owned(), |percent| percent.to_string());
    let left = middle.0 - letters.width(&number, SIZE) / 2.0;
    canvas.text(letters, &number, SIZE, (left, middle.1 + SIZE * DIGIT / 2.0), INK);
}

/// Host, sentence and counts.
fn beside(canvas: &mut Canvas, letters: &Type, scene: &Scene<'_>, lang: Lang) {
    let host = middled(letters, &drawable(scene.host), 56.0, TEXT_WIDTH);
    canvas.text(letters, &host, 56.0, (TEXT_LEFT, 176.0), INK);
    match scene.searchable.and_then(|searchable| searchable.alarm(lang)) {
        Some(alarm) => {
            let baselines = [238.0, 282.0, 326.0];
            for (line, baseline) in lines(letters, &drawable(alarm), 34.0, baselines.len()).iter().zip(baselines) {
                canvas.text(letters, line, 34.0, (TEXT_LEFT, baseline), ALARM);
            }
        }
        None => {
            let verdict = scene.score.map_or(UNREACHED, |score| Band::of(score).verdict()).in_lang(lang);
            for (line, baseline) in wrapped(letters, verdict, 40.0, TEXT_WIDTH).iter().zip([248.0, 300.0]) {
                canvas.text(letters, line, 40.0, (TEXT_LEFT, baseline), MUTED);
            }
        }
    }
    let Counts { errors, warnings, info } = scene.counts;
    let mut left = TEXT_LEFT;
    for ((count, name), (ground, ink)) in [
        (errors, text("{n} {n|error|errors}", "{n} {n|erro|erros}")),
        (warnings, text("{n} {n|warning|warnings}", "{n} {n|aviso|avisos}")),
        (info, text("{n} {n|note|notes}", "{n} {n|observação|observações}")),
    ]
    .into_iter()
    .zip(CHIPS)
    {
        let label = chip(name, count, lang);
        let width = letters.width(&label, 28.0) + 40.0;
        canvas.rectangle(Area { left, top: 360.0, width, height: 60.0 }, 12.0, ground);
        canvas.text(letters, &label, 28.0, (left + 20.0, 400.0), ink);
        left += width + 16.0;
    }
}

fn chip(name: Text, count: u32, lang: Lang) -> String {
    name.phrase(&[("n", count.into())]).in_lang(lang).to_owned()
}

/// A text from outside as it may be drawn: without what turns the direction of writing, and not without end.
fn drawable(text: &str) -> String {
    text.chars().filter(|c| !shown::turns(*c) && !c.is_control()).take(LONGEST_TEXT).collect()
}

/// A text that fits, else its beginning and its end.
fn middled(letters: &Type, text: &str, size: f32, width: f32) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut length = characters.len();
    let mut fitting = text.to_owned();
    while letters.width(&fitting, size) > width && length > 0 {
        length -= 1;
        let beginning = characters.iter().take(length.div_ceil(2));
        let end = characters.iter().skip(characters.len() - length / 2);
        fitting = beginning.chain(&['…']).chain(end).collect();
    }
    fitting
}

/// A text that fits, else its beginning.
fn ended(letters: &Type, text: &str, size: f32, width: f32) -> String {
    let mut fitting = text.to_owned();
    let mut length = text.chars().count();
    while letters.width(&fitting, size) > width && length > 0 {
        length -= 1;
        fitting = text.chars().take(length).chain(['…']).collect();
    }
    fitting
}

/// A text of ours in lines that fit.
fn wrapped(letters: &Type, text: &str, size: f32, width: f32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if letters.width(&format!("{line} {word}"), size) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The same in so many lines at most, the last of them cut.
fn lines(letters: &Type, text: &str, size: f32, most: usize) -> Vec<String> {
    let mut lines = wrapped(letters, text, size, TEXT_WIDTH);
    if lines.len() > most {
        let rest = lines.split_off(most.saturating_sub(1)).join(" ");
        lines.push(ended(letters, &rest, size, TEXT_WIDTH));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::searchable::SearchState;

    /// Bytes of a picture at most. Chosen: messengers skip large previews.
    const MOST_BYTES: usize = 120 * 1024;

    fn scene<'a>(host: &'a str, score: Option<u32>, product: &'a str) -> Scene<'a> {
        let counts = Counts { errors: 12, warnings: 34, info: 56 };
        Scene { host, score, searchable: None, counts, created_at: Timestamp(1_769_851_800_000), product }
    }

    #[test]
    fn pictures_are_small_and_whatever_the_text() {
        let endless = "w".repeat(5_000);
        let marks = "e\u{301}".repeat(5_000);
        for host in
            ["example.com", "δοκιμή.пример", "\u{202e}moc.elpmaxe\u{1b}[2J", "例え.テスト", &endless, &marks, ""]
        {
            for score in [None, Some(0), Some(1), Some(72), Some(99), Some(100), Some(u32::MAX)] {
                let drawn = png(&scene(host, score, host), Lang::PtBr).unwrap();
                assert!(drawn.len() <= MOST_BYTES, "{host} {score:?}: {} bytes", drawn.len());
                assert_eq!(drawn.get(16..24), Some(&[0, 0, 4, 176, 0, 0, 2, 118][..]));
            }
        }
        assert_eq!(
            png(&scene("a", Some(7), "b"), Lang::En).unwrap(),
            png(&scene("a", Some(7), "b"), Lang::En).unwrap()
        );
    }

    #[test]
    fn what_keeps_a_page_out_is_drawn_in_place_of_the_verdict() {
        let alarm = |state| Searchable {
            state,
            reasons: vec!["noindex_meta".to_owned()],
            text: Text { en: "No search engine shows this page.", pt: "Nenhum buscador mostra esta página." }.into(),
        };
        let [kept_out, shown] = [SearchState::No, SearchState::Yes].map(alarm);
        let plain = scene("example.com", Some(72), "Site Audit");
        let drawn = |searchable| png(&Scene { searchable, ..plain }, Lang::En).unwrap();
        assert_ne!(drawn(Some(&kept_out)), drawn(None));
        assert_eq!(drawn(Some(&shown)), drawn(None));
        let letters = Type::load().unwrap();
        let long = lines(&letters, &"kept out of it ".repeat(40), 34.0, 3);
        assert_eq!(long.len(), 3);
        assert!(long.iter().all(|line| letters.width(line, 34.0) <= TEXT_WIDTH), "{long:?}");
        assert!(long[2].ends_with('…'));
    }

    #[test]
    fn o04_texts_are_cut_to_what_fits() {
        let letters = Type::load().unwrap();
        assert_eq!(drawable("a\u{202e}b\u{7}c"), "abc");
        assert_eq!(drawable(&"x".repeat(500)).len(), LONGEST_TEXT);
        let host =
            middled(&letters, "a-very-long-name-of-a-host-that-nobody-would-ever-type.example.com", 56.0, TEXT_WIDTH);
        assert!(host.starts_with("a-very-") && host.ends_with(".com") && host.contains('…'), "{host}");
        assert!(letters.width(&host, 56.0) <= TEXT_WIDTH);
        assert!(ended(&letters, &"Product ".repeat(20), 28.0, 300.0).ends_with('…'));
        for lang in [Lang::En, Lang::PtBr] {
            for score in [0, 50, 90] {
                assert!(wrapped(&letters, Band::of(score).verdict().in_lang(lang), 40.0, TEXT_WIDTH).len() <= 2);
            }
        }
    }
}
