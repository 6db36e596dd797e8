//! Which texts are addresses of pages, in a bit each: pages are numbered as their addresses are, so the number of a page is that of
//! the bits before its.

use super::PageId;
use super::texts::TextId;

/// Bits of a word.
const WORD: u32 = u64::BITS;

/// A set of texts, and the place of each among them.
#[derive(Debug, Default)]
pub(crate) struct PagePlaces {
    words: Vec<u64>,
    /// Number of bits before each word.
    before: Vec<u32>,
}

impl PagePlaces {
    /// Takes a text; `false` where it is known. Only before [`Self::count`].
    pub(super) fn add(&mut self, text: TextId) -> bool {
        let at = (text.0 / WORD) as usize;
        if self.words.len() <= at {
            self.words.resize(at + 1, 0);
        }
        let Some(word) = self.words.get_mut(at) else { return false };
        let bit = 1 << (text.0 % WORD);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Counts the bits, for [`Self::of`].
    pub(super) fn count(&mut self) {
        let mut total = 0;
        self.before = self
            .words
            .iter()
            .map(|word| {
                let before = total;
                total += word.count_ones();
                before
            })
            .collect();
    }

    /// The place of a text; `None` for one that is not of the set.
    pub(super) fn of(&self, text: TextId) -> Option<PageId> {
        let at = (text.0 / WORD) as usize;
        let word = *self.words.get(at)?;
        let bit = 1 << (text.0 % WORD);
        let before = (word & (bit - 1)).count_ones();
        (word & bit != 0).then(|| self.before.get(at).copied().unwrap_or_default() + before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_numbers_of_what_is_before() {
        let texts = [700, 3, 64, 0, 63, 65, 128, 3].map(TextId);
        let mut places = PagePlaces::default();
        assert_eq!(texts.map(|text| places.add(text)), [true, true, true, true, true, true, true, false]);
        places.count();
        let of = |text: u32| places.of(TextId(text));
        assert_eq!([0, 3, 63, 64, 65, 128, 700].map(of), [0, 1, 2, 3, 4, 5, 6].map(Some));
        assert_eq!([1, 62, 66, 701, 9_999].map(of), [None; 5]);
    }
}
