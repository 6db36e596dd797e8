//! Word diff of two sentences.

/// Words of a sentence that are compared; a longer one counts as changed completely.
const MOST_WORDS: usize = 200;

/// A word of the diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    pub kind: WordKind,
}

/// Which of the two sentences contains a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordKind {
    /// Both.
    Same,
    /// The earlier one.
    Gone,
    /// The later one.
    New,
}

/// The word diff, by longest common subsequence.
pub(super) fn words(before: &str, after: &str) -> Vec<Word> {
    let (before, after): (Vec<&str>, Vec<&str>) =
        (before.split_whitespace().collect(), after.split_whitespace().collect());
    let word = |kind| move |text: &&str| Word { text: (*text).to_owned(), kind };
    if before.len() > MOST_WORDS || after.len() > MOST_WORDS {
        return before.iter().map(word(WordKind::Gone)).chain(after.iter().map(word(WordKind::New))).collect();
    }
    // Length of the longest common subsequence of the remaining words, row by row from the end.
    let mut rows = vec![vec![0_u32; after.len() + 1]];
    for old in before.iter().rev() {
        let below = rows.last().map_or(&[][..], Vec::as_slice);
        let mut row = vec![0; after.len() + 1];
        for (at, new) in after.iter().enumerate().rev() {
            let here = |row: &[u32], at: usize| row.get(at).copied().unwrap_or_default();
            let common = if old == new { here(below, at + 1) + 1 } else { here(below, at).max(here(&row, at + 1)) };
            if let Some(cell) = row.get_mut(at) {
                *cell = common;
            }
        }
        rows.push(row);
    }
    rows.reverse();
    let common = |i: usize, j: usize| rows.get(i).and_then(|row| row.get(j)).copied().unwrap_or_default();
    let (mut i, mut j) = (0, 0);
    let mut words = Vec::with_capacity(before.len() + after.len());
    loop {
        match (before.get(i), after.get(j)) {
            (None, None) => return words,
            (Some(old), Some(new)) if old == new => {
                words.push(word(WordKind::Same)(old));
                (i, j) = (i + 1, j + 1);
            }
            (Some(old), new) if new.is_none() || common(i + 1, j) >= common(i, j + 1) => {
                words.push(word(WordKind::Gone)(old));
                i += 1;
            }
            (_, Some(new)) => {
                words.push(word(WordKind::New)(new));
                j += 1;
            }
            // One or both sentences are exhausted: matched above.
            (Some(_), None) => return words,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(before: &str, after: &str) -> String {
        let mark = |word: &Word| match word.kind {
            WordKind::Same => word.text.clone(),
            WordKind::Gone => format!("-{}", word.text),
            WordKind::New => format!("+{}", word.text),
        };
        words(before, after).iter().map(mark).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn only_what_changed_is_marked() {
        for (before, after, wanted) in [
            ("", "", ""),
            ("a b", "a b", "a b"),
            ("a", "", "-a"),
            ("", "a b", "+a +b"),
            ("3 images have no alt", "12 images have no alt", "-3 +12 images have no alt"),
            ("a b c d", "a c x d", "a -b c +x d"),
            ("a b", "b a", "-a b +a"),
        ] {
            assert_eq!(marked(before, after), wanted, "{before:?} {after:?}");
        }
        let long = "w ".repeat(MOST_WORDS + 1);
        assert_eq!(words(&long, "w").len(), MOST_WORDS + 2);
    }
}
