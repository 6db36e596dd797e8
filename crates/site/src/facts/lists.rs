//! Lists of pages, one after the other in one column.

use crate::column::{Column, Record, record};
use crate::spill::Spill;

/// Members of a list at most. Facts of a page have at most 5,000 links.
const MOST: usize = 1 << 16;

/// Many lists. Their members together are fewer than 2³².
#[derive(Debug)]
pub(crate) struct Lists<T>(Column<T>);

/// Where a list is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ListPlace {
    start: u32,
    length: u32,
}

record!(ListPlace { start: u32, length: u32 });

impl ListPlace {
    /// Number of members.
    pub(crate) fn len(self) -> usize {
        self.length as usize
    }
}

impl<T: Record> Lists<T> {
    /// No lists.
    pub(crate) fn new(spill: &Spill) -> Self {
        Self(Column::new(spill))
    }

    /// Keeps a list; of one that is too long the beginning.
    pub(crate) fn add(&mut self, list: &[T]) -> ListPlace {
        let list = list.get(..MOST).unwrap_or(list);
        let start = self.0.len() as u32;
        self.0.extend(list);
        ListPlace { start, length: list.len() as u32 }
    }

    /// A list.
    pub(crate) fn get(&self, place: ListPlace) -> Vec<T> {
        let start = place.start as usize;
        self.0.range(start..start + place.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_as_they_were_put_in() {
        let mut lists = Lists::new(&Spill::default());
        let of = |length: usize| (0..length).map(|at| (at * length) as u32).collect::<Vec<_>>();
        let lengths: Vec<usize> = (0..2_000).map(|at| at * 37 % 401).chain([MOST, 0, 5, MOST - 1, 2]).collect();
        let places: Vec<ListPlace> = lengths.iter().map(|length| lists.add(&of(*length))).collect();
        for (length, place) in lengths.iter().zip(&places) {
            assert_eq!(lists.get(*place), of(*length));
        }
        let long = lists.add(&of(MOST + 1));
        assert_eq!(lists.get(long).len(), MOST);
    }
}
