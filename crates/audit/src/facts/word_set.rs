//! Words of a data file, asked for each of many names.

/// A set of words. Most names that are none are told so by their length and their first byte.
#[derive(Debug)]
pub(crate) struct WordSet {
    /// Lengths in bytes of the words that begin with a byte, a bit each; the highest bit stands for all that are longer.
    lengths: [u64; 256],
    /// In order.
    words: Vec<&'static str>,
}

impl Default for WordSet {
    fn default() -> Self {
        Self { lengths: [0; 256], words: Vec::new() }
    }
}

/// The bit of a length.
fn bit(length: usize) -> u64 {
    1 << length.min(63)
}

impl WordSet {
    /// The lines of a file, but for empty ones and comments, which begin with `#`.
    pub(crate) fn of_lines(text: &'static str) -> Self {
        Self::of(text.lines().filter(|line| !line.starts_with('#')))
    }

    /// Some words; empty ones are left out.
    pub(crate) fn of(words: impl Iterator<Item = &'static str>) -> Self {
        let mut lengths = [0; 256];
        let mut words: Vec<&'static str> = words.collect();
        for word in &words {
            let Some(first) = word.bytes().next() else { continue };
            if let Some(known) = lengths.get_mut(usize::from(first)) {
                *known |= bit(word.len());
            }
        }
        words.retain(|word| !word.is_empty());
        words.sort_unstable();
        Self { lengths, words }
    }

    /// All of them, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'static str> {
        self.words.iter().copied()
    }

    /// Whether a word is one of them. Letter case counts.
    pub(crate) fn contains(&self, word: &str) -> bool {
        self.may_contain(word) && self.words.binary_search(&word).is_ok()
    }

    /// Whether a word may be one of them, by its length and its first byte.
    pub(crate) fn may_contain(&self, word: &str) -> bool {
        word.bytes().next().is_some_and(|first| self.has_length(first, word.len()))
    }

    /// Whether a word in ASCII may be one of them in lower case, by its length and its first letter.
    pub(crate) fn may_contain_ignoring_case(&self, word: &str) -> bool {
        word.bytes().next().is_some_and(|first| self.has_length(first.to_ascii_lowercase(), word.len()))
    }

    /// Whether any of them begins with this letter in lower case.
    pub(crate) fn begins_ignoring_case(&self, letter: char) -> bool {
        let mut bytes = [0; 4];
        let first = letter.to_lowercase().next().and_then(|lower| lower.encode_utf8(&mut bytes).bytes().next());
        first.and_then(|first| self.lengths.get(usize::from(first))).is_some_and(|lengths| *lengths != 0)
    }

    fn has_length(&self, first: u8, length: usize) -> bool {
        self.lengths.get(usize::from(first)).is_some_and(|lengths| lengths & bit(length) != 0)
    }
}

/// Texts of a data file, of which those that end in `*` stand for every text that begins so.
#[derive(Debug)]
pub(crate) struct TextList {
    whole: WordSet,
    starts: Vec<&'static str>,
}

impl TextList {
    /// The lines of a file, but for empty ones and comments, which begin with `#`.
    pub(crate) fn of_lines(text: &'static str) -> Self {
        let lines = || text.lines().filter(|line| !line.starts_with('#'));
        let starts = lines().filter_map(|line| line.strip_suffix('*')).collect();
        Self { whole: WordSet::of(lines().filter(|line| !line.ends_with('*'))), starts }
    }

    /// Whether a text is one of them. Letter case counts.
    pub(crate) fn contains(&self, text: &str) -> bool {
        self.whole.contains(text) || self.starts.iter().any(|start| text.starts_with(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_ending() {
        let list = TextList::of_lines("# *\nuntitled\n\nvite + *");
        for text in ["untitled", "vite + ", "vite + react"] {
            assert!(list.contains(text), "{text}");
        }
        for text in ["", "# *", "untitled page", "vite", "my vite + react", "*"] {
            assert!(!list.contains(text), "{text}");
        }
    }

    #[test]
    fn only_words_of_the_list_are_contained() {
        let long = "a".repeat(70);
        let set = WordSet::of_lines("# comment\nbanner\n\nmenu\nmenus");
        for word in ["banner", "menu", "menus"] {
            assert!(set.contains(word), "{word}");
        }
        assert!(set.begins_ignoring_case('M') && set.begins_ignoring_case('b'));
        assert!(!set.begins_ignoring_case('a') && !set.begins_ignoring_case('é'));
        assert!(set.may_contain_ignoring_case("MENU") && !set.may_contain_ignoring_case("Men"));
        for word in ["", "# comment", "Menu", "menux", "benner", "men", &long] {
            assert!(!set.contains(word), "{word}");
        }
    }
}
