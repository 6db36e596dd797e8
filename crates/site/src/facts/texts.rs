//! Texts kept once, each with a number: addresses, titles, texts of links.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// The number of a text. After [`TextTable::sort`] numbers compare as their texts do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextId(pub(crate) u32);

/// Size limit of all texts in bytes; what comes after is the empty text. A hundred thousand pages take a tenth.
const MOST_BYTES: usize = 1024 * 1024 * 1024;

/// Texts, each once, in one piece of memory.
#[derive(Debug, Default)]
pub struct TextTable {
    bytes: String,
    /// Where each text ends.
    ends: Vec<u32>,
    /// Numbers by hash; where two texts have one hash, the second has the next free one.
    numbers: HashMap<u64, u32>,
    state: RandomState,
}

impl TextTable {
    /// The number of a text, which is kept where it is new.
    pub(crate) fn add(&mut self, text: &str) -> TextId {
        let mut hash = self.state.hash_one(text);
        loop {
            match self.numbers.get(&hash) {
                Some(number) if self.get(TextId(*number)) == text => return TextId(*number),
                Some(_) => hash = hash.wrapping_add(1),
                None => break,
            }
        }
        if self.bytes.len() + text.len() > MOST_BYTES && !text.is_empty() {
            return self.add("");
        }
        let number = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        self.bytes.push_str(text);
        self.ends.push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
        self.numbers.insert(hash, number);
        TextId(number)
    }

    /// The text of a number.
    pub fn get(&self, id: TextId) -> &str {
        self.at(id.0 as usize)
    }

    fn at(&self, at: usize) -> &str {
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default();
        let end = self.ends.get(at).copied().unwrap_or(start);
        self.bytes.get(start as usize..end as usize).unwrap_or_default()
    }

    /// The number of a text that is kept; only after [`Self::sort`].
    pub fn find(&self, text: &str) -> Option<TextId> {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.at(middle) < text {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (low < self.ends.len() && self.at(low) == text).then(|| TextId(u32::try_from(low).unwrap_or(u32::MAX)))
    }

    /// Numbers the texts in their order; the new number of each old one. No text may be added afterwards.
    pub(crate) fn sort(&mut self) -> Vec<TextId> {
        let mut order: Vec<u32> = (0..u32::try_from(self.ends.len()).unwrap_or(u32::MAX)).collect();
        order.sort_unstable_by(|a, b| self.get(TextId(*a)).cmp(self.get(TextId(*b))));
        let mut numbers = vec![TextId(0); order.len()];
        let mut sorted = Self { bytes: String::with_capacity(self.bytes.len()), ..Self::default() };
        for (new, old) in order.into_iter().enumerate() {
            sorted.bytes.push_str(self.get(TextId(old)));
            sorted.ends.push(u32::try_from(sorted.bytes.len()).unwrap_or(u32::MAX));
            if let Some(number) = numbers.get_mut(old as usize) {
                *number = TextId(u32::try_from(new).unwrap_or(u32::MAX));
            }
        }
        *self = sorted;
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_kept_once_and_numbered_in_order() {
        let mut texts = TextTable::default();
        let old: Vec<TextId> = ["pear", "apple", "", "pear", "fig"].map(|text| texts.add(text)).into();
        assert_eq!(old.first(), old.get(3));
        let new = texts.sort();
        let of = |at: usize| new[old[at].0 as usize];
        assert_eq!([0, 1, 2, 4].map(|at| texts.get(of(at)).to_owned()), ["pear", "apple", "", "fig"]);
        assert!(of(2) < of(1) && of(1) < of(4) && of(4) < of(0));
        assert_eq!(texts.find("fig"), Some(of(4)));
        assert_eq!((texts.find("grape"), texts.find("zebra")), (None, None));
    }
}
