//! The scripts that texts are written in, as far as languages are told by them.

/// Scripts that are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WritingSystem {
    Latin,
    Cyrillic,
    Greek,
    Hebrew,
    Arabic,
    Devanagari,
    Thai,
    Kana,
    Hangul,
    Han,
    Other,
}

impl WritingSystem {
    /// Every one, by its number.
    pub(super) const ALL: [Self; 11] = [
        Self::Latin,
        Self::Cyrillic,
        Self::Greek,
        Self::Hebrew,
        Self::Arabic,
        Self::Devanagari,
        Self::Thai,
        Self::Kana,
        Self::Hangul,
        Self::Han,
        Self::Other,
    ];

    pub(super) fn of(letter: char) -> Self {
        match letter {
            'A'..='Z' | 'a'..='z' | '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' => Self::Latin,
            '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => Self::Greek,
            '\u{400}'..='\u{52F}' => Self::Cyrillic,
            '\u{590}'..='\u{5FF}' => Self::Hebrew,
            '\u{600}'..='\u{6FF}' | '\u{750}'..='\u{77F}' => Self::Arabic,
            '\u{900}'..='\u{97F}' => Self::Devanagari,
            '\u{E00}'..='\u{E7F}' => Self::Thai,
            '\u{3040}'..='\u{30FF}' => Self::Kana,
            '\u{AC00}'..='\u{D7AF}' | '\u{1100}'..='\u{11FF}' => Self::Hangul,
            '\u{4E00}'..='\u{9FFF}' | '\u{3400}'..='\u{4DBF}' => Self::Han,
            _ => Self::Other,
        }
    }
}

/// How many letters of each script a text has.
#[derive(Debug, Default)]
pub(super) struct LetterCounts {
    /// By the number of the script.
    by_script: [usize; WritingSystem::ALL.len()],
    /// Letters of any script.
    pub(super) all: usize,
}

impl LetterCounts {
    /// The letters of a text.
    pub(super) fn of(text: &str) -> Self {
        let mut counts = Self::default();
        let mut rest = text;
        while !rest.is_empty() {
            // Bytes of ASCII say which of them are letters.
            let (plain, behind) = split_where(rest, |byte| !byte.is_ascii());
            counts.add(WritingSystem::Latin, plain.bytes().filter(u8::is_ascii_alphabetic).count());
            let (other, behind) = split_where(behind, |byte| byte.is_ascii());
            for letter in other.chars().filter(|c| c.is_alphabetic()) {
                counts.add(WritingSystem::of(letter), 1);
            }
            rest = behind;
        }
        counts
    }

    fn add(&mut self, script: WritingSystem, letters: usize) {
        self.all += letters;
        if let Some(known) = self.by_script.get_mut(script as usize) {
            *known += letters;
        }
    }

    /// Letters of a script.
    pub(super) fn of_script(&self, script: WritingSystem) -> usize {
        self.by_script.get(script as usize).copied().unwrap_or_default()
    }
}

/// A text before and from the first byte that is wanted, which begins a character or is ASCII behind one.
fn split_where(text: &str, is_wanted: impl Fn(u8) -> bool) -> (&str, &str) {
    text.split_at_checked(text.bytes().position(is_wanted).unwrap_or(text.len())).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_counted_by_script() {
        use WritingSystem as W;
        let counts = LetterCounts::of("Ab é, Жук 1 Ω!漢字かな");
        let found = [W::Latin, W::Cyrillic, W::Greek, W::Han, W::Kana, W::Thai].map(|script| counts.of_script(script));
        assert_eq!((found, counts.all), ([3, 3, 1, 2, 2, 0], 11));
        assert_eq!(LetterCounts::of("").all, 0);
        assert!(W::ALL.into_iter().enumerate().all(|(number, script)| script as usize == number));
    }
}
