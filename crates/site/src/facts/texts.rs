//! Texts kept once, each with a number: addresses, titles, texts of links.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use crate::column::{Column, Record};
use crate::spill::Spill;

/// The number of a text. After [`TextTable::sort`] numbers compare as their texts do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextId(pub(crate) u32);

impl Record for TextId {
    const BYTES: usize = u32::BYTES;

    fn write(self, bytes: &mut [u8]) {
        self.0.write(bytes);
    }

    fn read(bytes: &[u8]) -> Self {
        Self(u32::read(bytes))
    }
}

/// Size limit of all texts in bytes; what comes after is the empty text. A hundred thousand pages take a tenth. So there are
/// fewer than 2³¹ texts, since only one of them is empty.
const MOST_BYTES: usize = 1024 * 1024 * 1024;
/// Bytes of texts that are sorted in memory, and the most of their number.
const RUN: (usize, usize) = (1024 * 1024, 16 * 1024);

/// Texts, each once, one after the other.
#[derive(Debug)]
pub struct TextTable {
    spill: Spill,
    texts: TextLog,
    /// Numbers of texts, counted from 1, each at its hash or the next free place: a power of two of places, of which a quarter is
    /// free at least. In memory, since they are asked for in no order.
    places: Vec<u32>,
    /// Bits of the hash of each of them: so that a text is read, to be compared, only where it is the same.
    tags: Vec<u8>,
    state: RandomState,
}

/// Texts in a row.
#[derive(Debug)]
pub(crate) struct TextLog {
    bytes: Column<u8>,
    /// Where each ends.
    ends: Column<u32>,
}

impl TextLog {
    /// No texts.
    pub(crate) fn new(spill: &Spill) -> Self {
        Self { bytes: Column::new(spill), ends: Column::new(spill) }
    }

    /// Adds a text; only where there is room.
    pub(crate) fn add(&mut self, text: &[u8]) {
        self.bytes.extend(text);
        self.ends.push(self.bytes.len() as u32);
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether one more of so many bytes is kept.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.bytes.len() + bytes <= MOST_BYTES
    }

    /// Where a text is.
    fn span(&self, at: usize) -> Range<usize> {
        let end = self.ends.get(at).unwrap_or_default() as usize;
        at.checked_sub(1).map_or(0, |before| self.ends.get(before).unwrap_or_default() as usize)..end
    }

    /// A text.
    pub(crate) fn get(&self, at: usize) -> Vec<u8> {
        self.bytes.range(self.span(at))
    }

    fn compare(&self, at: usize, text: &[u8]) -> Ordering {
        let span = self.span(at);
        self.bytes.compare(span, text)
    }
}

impl TextTable {
    /// No texts.
    pub fn new(spill: &Spill) -> Self {
        Self {
            spill: spill.clone(),
            texts: TextLog::new(spill),
            places: Vec::new(),
            tags: Vec::new(),
            state: RandomState::new(),
        }
    }

    /// The number of a text, which is kept where it is new.
    pub(crate) fn add(&mut self, text: &str) -> TextId {
        if (self.texts.len() + 1) * 4 > self.places.len() * 3 {
            self.grow();
        }
        let hash = self.state.hash_one(text);
        let place = match self.find_place(hash, text) {
            Ok(known) => return known,
            Err(free) => free,
        };
        if !self.has_room(text.len()) && !text.is_empty() {
            return self.add("");
        }
        self.texts.add(text.as_bytes());
        let number = self.texts.len() as u32;
        self.put(place, hash, number);
        TextId(number - 1)
    }

    /// Whether one more text of so many bytes is kept.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.texts.has_room(bytes)
    }

    /// Whether a text is kept; only before [`Self::sort`].
    pub(crate) fn contains(&self, text: &str) -> bool {
        self.known(text).is_some()
    }

    /// The number of a text, where it is kept; only before [`Self::sort`].
    pub(crate) fn known(&self, text: &str) -> Option<TextId> {
        if self.places.is_empty() {
            return None;
        }
        self.find_place(self.state.hash_one(text), text).ok()
    }

    /// The number of a text that is kept, or the place where it goes.
    fn find_place(&self, hash: u64, text: &str) -> Result<TextId, usize> {
        let mask = self.places.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            let Some(number) = self.places.get(place).copied().unwrap_or_default().checked_sub(1) else {
                return Err(place);
            };
            if self.tags.get(place) == Some(&tag(hash))
                && self.texts.compare(number as usize, text.as_bytes()) == Ordering::Equal
            {
                return Ok(TextId(number));
            }
            place = (place + 1) & mask;
        }
    }

    fn put(&mut self, place: usize, hash: u64, number: u32) {
        if let Some((slot, own)) = self.places.get_mut(place).zip(self.tags.get_mut(place)) {
            (*slot, *own) = (number, tag(hash));
        }
    }

    fn grow(&mut self) {
        let room = (self.places.len() * 2).max(64);
        self.places = vec![0; room];
        self.tags = vec![0; room];
        for at in 0..self.texts.len() {
            let text = self.text(at);
            let hash = self.state.hash_one(&*text);
            // No text is there twice: the first free place is its.
            let mut place = hash as usize & (room - 1);
            while self.places.get(place).is_some_and(|number| *number != 0) {
                place = (place + 1) & (room - 1);
            }
            self.put(place, hash, at as u32 + 1);
        }
    }

    /// The text of a number.
    pub fn get(&self, id: TextId) -> String {
        self.text(id.0 as usize)
    }

    fn text(&self, at: usize) -> String {
        String::from_utf8(self.texts.get(at)).unwrap_or_default()
    }

    /// Whether a text has this number.
    pub(crate) fn is(&self, id: TextId, text: &str) -> bool {
        self.texts.compare(id.0 as usize, text.as_bytes()) == Ordering::Equal
    }

    /// The number of a text that is kept; only after [`Self::sort`].
    pub fn find(&self, text: &str) -> Option<TextId> {
        let (mut low, mut high) = (0, self.texts.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.texts.compare(middle, text.as_bytes()) == Ordering::Less {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (low < self.texts.len() && self.is(TextId(low as u32), text)).then_some(TextId(low as u32))
    }

    /// Numbers the texts in their order; the new number of each old one. No text may be added afterwards.
    pub(crate) fn sort(&mut self) -> Column<TextId> {
        (self.places, self.tags) = (Vec::new(), Vec::new());
        // Runs that fit in memory are sorted, and then merged: all texts together do not.
        let mut runs = SortedRuns::new(&self.spill);
        let mut run: Vec<(Vec<u8>, u32)> = Vec::new();
        let mut bytes = 0;
        for old in 0..self.texts.len() {
            let text = self.texts.get(old);
            bytes += text.len();
            run.push((text, old as u32));
            if bytes >= RUN.0 || run.len() >= RUN.1 {
                runs.add(std::mem::take(&mut run));
                bytes = 0;
            }
        }
        runs.add(run);
        self.texts = TextLog::new(&self.spill);
        let mut numbers = Column::new(&self.spill);
        numbers.grow(runs.texts.len());
        runs.merge(|text, old| {
            numbers.set(old as usize, TextId(self.texts.len() as u32));
            self.texts.add(text);
        });
        numbers
    }
}

/// Bits of a hash that its place does not depend on.
fn tag(hash: u64) -> u8 {
    (hash >> 56) as u8
}

/// Sorted runs of texts, one after the other.
struct SortedRuns {
    texts: TextLog,
    /// The old number of each.
    numbers: Column<u32>,
    /// Where each run ends.
    ends: Vec<usize>,
}

impl SortedRuns {
    fn new(spill: &Spill) -> Self {
        Self { texts: TextLog::new(spill), numbers: Column::new(spill), ends: Vec::new() }
    }

    fn add(&mut self, mut run: Vec<(Vec<u8>, u32)>) {
        run.sort_unstable();
        for (text, old) in run {
            self.texts.add(&text);
            self.numbers.push(old);
        }
        self.ends.push(self.texts.len());
    }

    /// Gives each text with its old number, in order.
    fn merge(&self, mut take: impl FnMut(&[u8], u32)) {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let mut heads: BinaryHeap<Reverse<(Vec<u8>, usize, usize)>> = BinaryHeap::new();
        for (start, end) in starts.zip(self.ends.iter().copied()).filter(|(start, end)| start < end) {
            heads.push(Reverse((self.texts.get(start), start, end)));
        }
        while let Some(Reverse((text, at, end))) = heads.pop() {
            take(&text, self.numbers.get(at).unwrap_or_default());
            if at + 1 < end {
                heads.push(Reverse((self.texts.get(at + 1), at + 1, end)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::spill::BLOCK;

    #[test]
    fn texts_are_kept_once_and_numbered_in_order() {
        let mut texts = TextTable::new(&Spill::default());
        let old: Vec<TextId> = ["pear", "apple", "", "pear", "fig"].map(|text| texts.add(text)).into();
        assert_eq!(old.first(), old.get(3));
        let new = texts.sort();
        let of = |at: usize| new.get(old[at].0 as usize).unwrap();
        assert_eq!([0, 1, 2, 4].map(|at| texts.get(of(at))), ["pear", "apple", "", "fig"]);
        assert!(of(2) < of(1) && of(1) < of(4) && of(4) < of(0));
        assert_eq!(texts.find("fig"), Some(of(4)));
        assert_eq!((texts.find("grape"), texts.find("zebra")), (None, None));
    }

    #[test]
    fn many_texts_are_told_apart_and_do_not_fill_the_memory() {
        let spill = Spill::new(16 * BLOCK, || Ok(Box::new(Cursor::new(Vec::new()))));
        let mut texts = TextTable::new(&spill);
        let old: Vec<TextId> = (0..60_000_u32).map(|number| texts.add(&number.to_string())).collect();
        let again: Vec<TextId> = (0..60_000_u32).map(|number| texts.add(&number.to_string())).collect();
        assert_eq!(old, again);
        assert!(texts.contains("59999") && !texts.contains("60000"));
        let new = texts.sort();
        let of = |old: &TextId| new.get(old.0 as usize).unwrap();
        assert!(old.iter().zip(0_u32..).all(|(old, number)| texts.get(of(old)) == number.to_string()));
        let mut ordered: Vec<String> = (0..60_000_u32).map(|number| number.to_string()).collect();
        ordered.sort_unstable();
        assert!(ordered.iter().zip(0..).all(|(text, at)| texts.is(TextId(at), text)));
        assert_eq!(spill.frames(), 16);
    }
}
