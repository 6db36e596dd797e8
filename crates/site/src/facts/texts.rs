//! Texts kept once, each with a number: addresses, titles, texts of links.

use std::hash::{BuildHasher, RandomState};

/// The number of a text. After [`TextTable::sort`] numbers compare as their texts do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextId(pub(crate) u32);

/// Size limit of all texts in bytes; what comes after is the empty text. A hundred thousand pages take a tenth. So there are
/// fewer than 2³¹ texts, since only one of them is empty.
const MOST_BYTES: usize = 1024 * 1024 * 1024;

/// Texts, each once, in one piece of memory.
#[derive(Debug, Default)]
pub struct TextTable {
    bytes: String,
    /// Where each text begins and ends, by its number.
    spans: Vec<(u32, u32)>,
    /// Numbers of texts, counted from 1, each at its hash or the next free place: a power of two of places, of which a quarter is
    /// free at least. A map that keeps the hashes too takes twice the memory.
    places: Vec<u32>,
    state: RandomState,
}

impl TextTable {
    /// The number of a text, which is kept where it is new.
    pub(crate) fn add(&mut self, text: &str) -> TextId {
        if (self.spans.len() + 1) * 4 > self.places.len() * 3 {
            self.grow();
        }
        let place = match self.find_place(text) {
            Ok(known) => return known,
            Err(free) => free,
        };
        if !self.has_room(text.len()) && !text.is_empty() {
            return self.add("");
        }
        let start = self.bytes.len() as u32;
        self.bytes.push_str(text);
        self.spans.push((start, self.bytes.len() as u32));
        let number = self.spans.len() as u32;
        if let Some(slot) = self.places.get_mut(place) {
            *slot = number;
        }
        TextId(number - 1)
    }

    /// Whether one more text of so many bytes is kept.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.bytes.len() + bytes <= MOST_BYTES
    }

    /// Whether a text is kept; only before [`Self::sort`].
    pub(crate) fn contains(&self, text: &str) -> bool {
        !self.places.is_empty() && self.find_place(text).is_ok()
    }

    /// The number of a text that is kept, or the place where it goes.
    fn find_place(&self, text: &str) -> Result<TextId, usize> {
        let mask = self.places.len() - 1;
        let mut place = self.state.hash_one(text) as usize & mask;
        loop {
            match self.places.get(place).copied().unwrap_or_default().checked_sub(1) {
                None => return Err(place),
                Some(number) if self.at(number as usize) == text => return Ok(TextId(number)),
                Some(_) => place = (place + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        self.places = vec![0; (self.places.len() * 2).max(64)];
        for number in 0..self.spans.len() {
            let free = self.find_place(self.at(number)).err();
            let slot = free.and_then(|free| self.places.get_mut(free));
            slot.into_iter().for_each(|slot| *slot = number as u32 + 1);
        }
    }

    /// The text of a number.
    pub fn get(&self, id: TextId) -> &str {
        self.at(id.0 as usize)
    }

    fn at(&self, at: usize) -> &str {
        let (start, end) = self.spans.get(at).copied().unwrap_or_default();
        self.bytes.get(start as usize..end as usize).unwrap_or_default()
    }

    /// The number of a text that is kept; only after [`Self::sort`].
    pub fn find(&self, text: &str) -> Option<TextId> {
        let (mut low, mut high) = (0, self.spans.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.at(middle) < text {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (low < self.spans.len() && self.at(low) == text).then_some(TextId(low as u32))
    }

    /// Numbers the texts in their order; the new number of each old one. No text may be added afterwards.
    pub(crate) fn sort(&mut self) -> Vec<TextId> {
        // Nothing is added any more, and the texts stay where they are: a copy in order would take as much memory again.
        self.places = Vec::new();
        let mut order: Vec<u32> = (0..self.spans.len() as u32).collect();
        order.sort_unstable_by(|a, b| self.get(TextId(*a)).cmp(self.get(TextId(*b))));
        let mut numbers = vec![TextId(0); order.len()];
        for (new, old) in order.iter().enumerate() {
            if let Some(number) = numbers.get_mut(*old as usize) {
                *number = TextId(new as u32);
            }
        }
        self.spans = order.iter().map(|old| self.spans.get(*old as usize).copied().unwrap_or_default()).collect();
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

    #[test]
    fn many_texts_are_told_apart() {
        let mut texts = TextTable::default();
        let old: Vec<TextId> = (0..400_000_u32).map(|number| texts.add(&number.to_string())).collect();
        let again: Vec<TextId> = (0..400_000_u32).map(|number| texts.add(&number.to_string())).collect();
        assert_eq!(old, again);
        let new = texts.sort();
        assert!(old.iter().zip(0_u32..).all(|(old, number)| texts.get(new[old.0 as usize]) == number.to_string()));
    }
}
