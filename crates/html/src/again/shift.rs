//! Where places of a changed source lie.

use std::ops::Range;

use super::TextSplice;
use crate::arena::{NONE, narrow};

/// Where places of the source lie afterwards.
pub(super) struct Shift<'c> {
    changes: &'c [TextSplice<'c>],
    /// What is added behind so many changes, wrapping around.
    added: Vec<u32>,
    /// What lies between two changes, and what is added there: the next place is mostly there, too.
    between: (Range<u32>, u32),
}

impl<'c> Shift<'c> {
    pub(super) fn of(changes: &'c [TextSplice<'c>]) -> Self {
        let added = changes.iter().scan(0_u32, |added, (span, text)| {
            *added = added.wrapping_add(narrow(text.len())).wrapping_sub(narrow(span.len()));
            Some(*added)
        });
        Self { changes, added: std::iter::once(0).chain(added).collect(), between: (0..0, 0) }
    }

    pub(super) fn place(&mut self, offset: u32) -> u32 {
        if offset == NONE {
            return NONE;
        }
        if !self.between.0.contains(&offset) {
            self.look_up(offset);
        }
        offset.wrapping_add(self.between.1)
    }

    /// Finds the changes that end before or at a place.
    fn look_up(&mut self, offset: u32) {
        let behind = self.changes.partition_point(|(span, _)| span.end <= offset as usize);
        let (past, coming) = self.changes.split_at(behind);
        let start = past.last().map_or(0, |(span, _)| narrow(span.end));
        let end = coming.first().map_or(NONE, |(span, _)| narrow(span.end));
        self.between = (start..end, self.added.get(behind).copied().unwrap_or_default());
    }
}
