//! Where places of a changed source lie.

use super::TextSplice;
use crate::arena::{NONE, narrow};

/// Where places of the source lie afterwards.
#[derive(Clone)]
pub(super) struct Shift<'c> {
    changes: &'c [TextSplice<'c>],
    /// What is added behind so many changes, wrapping around.
    added: Vec<u32>,
    /// Between which changes the last place lay, and how much lies there: the next place is mostly there, too. [`NONE`] is
    /// in no such part.
    start: u32,
    length: u32,
    /// What is added there.
    by: u32,
}

impl<'c> Shift<'c> {
    pub(super) fn of(changes: &'c [TextSplice<'c>]) -> Self {
        let added = changes.iter().scan(0_u32, |added, (span, text)| {
            *added = added.wrapping_add(narrow(text.len())).wrapping_sub(narrow(span.len()));
            Some(*added)
        });
        Self { changes, added: std::iter::once(0).chain(added).collect(), start: 0, length: 0, by: 0 }
    }

    /// What is added to every place from one on, where no change stands behind that.
    pub(super) fn behind_all(&self, place: usize) -> Option<u32> {
        let is_before = |(span, _): &TextSplice<'_>| span.end <= place;
        self.changes.last().is_none_or(is_before).then(|| self.added.last().copied().unwrap_or_default())
    }

    #[inline]
    pub(super) fn place(&mut self, offset: u32) -> u32 {
        if offset.wrapping_sub(self.start) < self.length {
            return offset.wrapping_add(self.by);
        }
        self.look_up(offset)
    }

    /// Finds the changes that end before or at a place.
    #[cold]
    #[inline(never)]
    fn look_up(&mut self, offset: u32) -> u32 {
        if offset == NONE {
            return NONE;
        }
        let behind = self.changes.partition_point(|(span, _)| span.end <= offset as usize);
        let (past, coming) = self.changes.split_at(behind);
        self.start = past.last().map_or(0, |(span, _)| narrow(span.end));
        let end = coming.first().map_or(NONE, |(span, _)| narrow(span.end));
        self.length = end - self.start;
        self.by = self.added.get(behind).copied().unwrap_or_default();
        offset.wrapping_add(self.by)
    }
}
