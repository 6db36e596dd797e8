//! Lists of pages, one after the other in a few large pieces of memory: a list of its own for each takes what the allocator adds, and
//! leaves holes where it is put between what lasts shorter.

use std::ops::Range;

/// Members of a piece, and so of a list at most. Facts of a page have at most 5,000 links.
const PIECE: usize = 1 << 16;

/// Many lists. Their members together are fewer than 2³².
#[derive(Debug)]
pub(crate) struct Lists<T>(Vec<Vec<T>>);

/// Where a list is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ListPlace {
    start: u32,
    length: u32,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Copy> Lists<T> {
    /// Keeps a list; of one that is longer than a piece the beginning.
    pub(crate) fn add(&mut self, list: &[T]) -> ListPlace {
        let list = list.get(..PIECE).unwrap_or(list);
        if self.0.last().is_none_or(|piece| piece.len() + list.len() > PIECE) {
            if let Some(full) = self.0.last_mut() {
                full.shrink_to_fit();
            }
            self.0.push(Vec::new());
        }
        let at = self.0.len() - 1;
        let Some(piece) = self.0.last_mut() else { return ListPlace::default() };
        let start = (at * PIECE + piece.len()) as u32;
        piece.extend_from_slice(list);
        ListPlace { start, length: list.len() as u32 }
    }

    /// A list.
    pub(crate) fn get(&self, place: ListPlace) -> &[T] {
        let (piece, range) = place.of();
        self.0.get(piece).and_then(|piece| piece.get(range)).unwrap_or_default()
    }

    /// A list, to change its members.
    pub(crate) fn get_mut(&mut self, place: ListPlace) -> &mut [T] {
        let (piece, range) = place.of();
        self.0.get_mut(piece).and_then(|piece| piece.get_mut(range)).unwrap_or_default()
    }
}

impl ListPlace {
    fn of(self) -> (usize, Range<usize>) {
        let start = self.start as usize % PIECE;
        (self.start as usize / PIECE, start..start + self.length as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_as_they_were_put_in() {
        let mut lists = Lists::default();
        let of = |length: usize| (0..length).map(|at| at * length).collect::<Vec<_>>();
        let lengths: Vec<usize> = (0..2_000).map(|at| at * 37 % 401).chain([PIECE, 0, 5, PIECE - 1, 2]).collect();
        let places: Vec<ListPlace> = lengths.iter().map(|length| lists.add(&of(*length))).collect();
        for (length, place) in lengths.iter().zip(&places) {
            assert_eq!(lists.get(*place), of(*length));
        }
        lists.get_mut(places[3]).reverse();
        assert_eq!(lists.get(places[3]).first(), of(lengths[3]).last());
        assert_eq!(lists.get(places[4]), of(lengths[4]));
        let long = lists.add(&of(PIECE + 1));
        assert_eq!(lists.get(long).len(), PIECE);
    }
}
