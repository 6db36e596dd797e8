//! How wide a text is in a search result: sums of Arial advances, no kerning.

/// Advance of each code point from 32 to 126, in thousandths of the font size. Source: the metrics of Arial.
const ARIAL: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
    722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
    556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
    260, 334, 584,
];
/// Advance of a full-width character.
const FULL_WIDTH: u16 = 1000;
/// Size of a title in a result, in pixels.
const TITLE_SIZE: u32 = 20;
/// Size of a description in a result, in pixels.
const DESCRIPTION_SIZE: u32 = 14;

/// Width of a title, in pixels.
pub fn title_px(text: &str) -> u32 {
    px(text, TITLE_SIZE)
}

/// Width of a description, in pixels.
pub fn description_px(text: &str) -> u32 {
    px(text, DESCRIPTION_SIZE)
}

/// Columns that a text takes, where a full-width character takes two and a combining one none.
pub fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// Columns of one character.
pub fn columns_of(character: char) -> usize {
    match advance(character) {
        0 => 0,
        advance if advance == FULL_WIDTH && !character.is_ascii() => 2,
        _ => 1,
    }
}

fn px(text: &str, size: u32) -> u32 {
    let advances: u64 = text.chars().map(|character| u64::from(advance(character))).sum();
    u32::try_from((advances * u64::from(size) + 500) / 1000).unwrap_or(u32::MAX)
}

fn advance(character: char) -> u16 {
    let ascii = |code: u32| code.checked_sub(32).and_then(|at| ARIAL.get(at as usize)).copied();
    match character as u32 {
        code @ 32..=126 => ascii(code).unwrap_or(556),
        0x0300..=0x036F | 0x200B..=0x200F | 0xFE00..=0xFE0F => 0,
        0x00C0..=0x00C5 => 667,
        0x00C7 => 722,
        0x00C8..=0x00CB => 667,
        0x00CC..=0x00CF => 278,
        0x00D1 | 0x00D9..=0x00DC => 722,
        0x00D2..=0x00D6 => 778,
        0x00E7 => 500,
        0x00EC..=0x00EF => 278,
        0x00FD | 0x00FF => 500,
        0x0370..=0x052F => 580,
        0x1100..=0x11FF | 0x2E80..=0xD7FF | 0xF900..=0xFAFF | 0xFF00..=0xFFEF | 0x1F000..=0x3FFFF => FULL_WIDTH,
        _ => 556,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_arial() {
        assert_eq!(title_px("WILL WILLIAM WIN WIMBLEDON AGAIN"), 376);
        assert_eq!(title_px("日本語"), 60);
        assert_eq!(description_px("日本語"), 42);
        assert_eq!(title_px("é"), title_px("e"));
        assert_eq!(title_px("e\u{301}"), title_px("e"));
        assert_eq!(title_px(""), 0);
        assert_eq!([columns("日本語"), columns("rye@"), columns("e\u{301}")], [6, 4, 1]);
    }
}
