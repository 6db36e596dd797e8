//! Long lists in blocks of a [`Spill`]: of all of them together only so much is in memory as that has room for.

use std::cmp::Ordering;
use std::marker::PhantomData;
use std::ops::Range;

use crate::spill::{BLOCK, Spill};

/// What a column holds: a value of a fixed number of bytes.
pub(crate) trait Record: Copy {
    /// Its bytes.
    const BYTES: usize;

    /// Writes it; `bytes` has [`Self::BYTES`].
    fn write(self, bytes: &mut [u8]);

    /// Reads it; of no bytes, what so many zeros are.
    fn read(bytes: &[u8]) -> Self;
}

macro_rules! number {
    ($($number:ty)*) => {$(
        impl Record for $number {
            const BYTES: usize = size_of::<Self>();

            fn write(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }

            fn read(bytes: &[u8]) -> Self {
                bytes.try_into().map(Self::from_le_bytes).unwrap_or_default()
            }
        }
    )*};
}

number!(u8 u16 u32 u64);

impl Record for bool {
    const BYTES: usize = 1;

    fn write(self, bytes: &mut [u8]) {
        bytes.fill(u8::from(self));
    }

    fn read(bytes: &[u8]) -> Self {
        bytes.first().is_some_and(|byte| *byte != 0)
    }
}

impl<T: Record> Record for Option<T> {
    const BYTES: usize = 1 + T::BYTES;

    fn write(self, bytes: &mut [u8]) {
        match self {
            Some(value) => (true, value).write(bytes),
            None => bytes.fill(0),
        }
    }

    fn read(bytes: &[u8]) -> Self {
        let (is_some, value) = Record::read(bytes);
        if is_some { Some(value) } else { None }
    }
}

impl<A: Record, B: Record> Record for (A, B) {
    const BYTES: usize = A::BYTES + B::BYTES;

    fn write(self, bytes: &mut [u8]) {
        let mut fields = Fields(bytes);
        fields.put(self.0);
        fields.put(self.1);
    }

    fn read(bytes: &[u8]) -> Self {
        let mut fields = Fields(bytes);
        (fields.take(), fields.take())
    }
}

/// The bytes of a record whose fields are written or read one after the other.
pub(crate) struct Fields<B>(pub(crate) B);

impl Fields<&mut [u8]> {
    /// Writes the next field.
    pub(crate) fn put<T: Record>(&mut self, value: T) {
        if let Some((now, later)) = std::mem::take(&mut self.0).split_at_mut_checked(T::BYTES) {
            value.write(now);
            self.0 = later;
        }
    }
}

impl Fields<&[u8]> {
    /// Reads the next field.
    pub(crate) fn take<T: Record>(&mut self) -> T {
        let (now, later) = self.0.split_at_checked(T::BYTES).unwrap_or_default();
        self.0 = later;
        T::read(now)
    }
}

/// Makes a struct a [`Record`]: its fields in a row.
macro_rules! record {
    ($name:ty { $($field:ident: $kind:ty),+ $(,)? }) => {
        impl $crate::column::Record for $name {
            const BYTES: usize = 0 $(+ <$kind as $crate::column::Record>::BYTES)+;

            fn write(self, bytes: &mut [u8]) {
                let mut fields = $crate::column::Fields(bytes);
                $(fields.put(self.$field);)+
            }

            fn read(bytes: &[u8]) -> Self {
                let mut fields = $crate::column::Fields(bytes);
                $(let $field = fields.take::<$kind>();)+
                Self { $($field),+ }
            }
        }
    };
}

pub(crate) use record;

/// A list of values.
#[derive(Debug)]
pub(crate) struct Column<T> {
    spill: Spill,
    blocks: Vec<u32>,
    len: usize,
    kind: PhantomData<T>,
}

impl<T: Record> Column<T> {
    /// Values of a block.
    const PER_BLOCK: usize = BLOCK / T::BYTES;

    /// An empty list.
    pub(crate) fn new(spill: &Spill) -> Self {
        Self { spill: spill.clone(), blocks: Vec::new(), len: 0, kind: PhantomData }
    }

    /// Its length.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Adds a value.
    pub(crate) fn push(&mut self, value: T) {
        self.extend(&[value]);
    }

    /// Adds values.
    pub(crate) fn extend(&mut self, mut values: &[T]) {
        while !values.is_empty() {
            let from = self.len % Self::PER_BLOCK;
            if from == 0 {
                self.blocks.push(self.spill.take());
            }
            let (now, later) = values.split_at(values.len().min(Self::PER_BLOCK - from));
            if let Some(block) = self.blocks.last() {
                self.spill.write(*block, |bytes| write(bytes, from, now));
            }
            self.len += now.len();
            values = later;
        }
    }

    /// Makes it so long, with values that are zero.
    pub(crate) fn grow(&mut self, len: usize) {
        let zeros = [T::read(&[]); 64];
        while self.len < len {
            self.extend(zeros.get(..len - self.len).unwrap_or(&zeros));
        }
    }

    /// A value.
    pub(crate) fn get(&self, at: usize) -> Option<T> {
        if at >= self.len {
            return None;
        }
        let block = self.blocks.get(at / Self::PER_BLOCK)?;
        let start = at % Self::PER_BLOCK * T::BYTES;
        self.spill.read(*block, |bytes| bytes.get(start..start + T::BYTES).map(T::read))
    }

    /// Overwrites a value; one past the end is left out.
    pub(crate) fn set(&mut self, at: usize, value: T) {
        self.set_all(at, &[value]);
    }

    /// Overwrites values from `at` on; values past the end are left out.
    pub(crate) fn set_all(&mut self, mut at: usize, values: &[T]) {
        let mut values = values.get(..self.len.saturating_sub(at)).unwrap_or(values);
        while !values.is_empty() {
            let from = at % Self::PER_BLOCK;
            let (now, later) = values.split_at(values.len().min(Self::PER_BLOCK - from));
            if let Some(block) = self.blocks.get(at / Self::PER_BLOCK) {
                self.spill.write(*block, |bytes| write(bytes, from, now));
            }
            at += now.len();
            values = later;
        }
    }

    /// Some values in a row, those that there are.
    pub(crate) fn range(&self, range: Range<usize>) -> Vec<T> {
        let mut values = Vec::with_capacity(range.end.min(self.len).saturating_sub(range.start));
        self.parts(range, |bytes| {
            values.extend(bytes.chunks_exact(T::BYTES).map(T::read));
            true
        });
        values
    }

    /// All values. What is in one block is read at once.
    pub(crate) fn iter(&self) -> impl Iterator<Item = T> {
        (0..self.len.div_ceil(Self::PER_BLOCK))
            .flat_map(|block| self.range(block * Self::PER_BLOCK..(block + 1) * Self::PER_BLOCK))
    }

    /// Gives the bytes of values to `take`, block by block, as long as it wants more.
    fn parts(&self, range: Range<usize>, mut take: impl FnMut(&[u8]) -> bool) {
        let end = range.end.min(self.len);
        let mut at = range.start;
        while at < end {
            let from = at % Self::PER_BLOCK;
            let count = (end - at).min(Self::PER_BLOCK - from);
            let Some(block) = self.blocks.get(at / Self::PER_BLOCK) else { return };
            let bytes = from * T::BYTES..(from + count) * T::BYTES;
            if !self.spill.read(*block, |all| take(all.get(bytes).unwrap_or_default())) {
                return;
            }
            at += count;
        }
    }
}

impl Column<u8> {
    /// How some bytes in a row compare to others.
    pub(crate) fn compare(&self, range: Range<usize>, other: &[u8]) -> Ordering {
        let mut left = other;
        let mut order = Ordering::Equal;
        self.parts(range, |bytes| {
            let (now, later) = left.split_at(left.len().min(bytes.len()));
            order = bytes.cmp(now);
            left = later;
            order == Ordering::Equal
        });
        if order == Ordering::Equal && !left.is_empty() { Ordering::Less } else { order }
    }
}

impl<T> Drop for Column<T> {
    fn drop(&mut self) {
        self.spill.release(&self.blocks);
    }
}

/// Writes values into a block from a place on.
fn write<T: Record>(bytes: &mut [u8], from: usize, values: &[T]) {
    let slots = bytes.chunks_exact_mut(T::BYTES).skip(from);
    slots.zip(values).for_each(|(slot, value)| value.write(slot));
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    /// Room for three blocks; the rest is in a file.
    fn small() -> Spill {
        Spill::new(3 * BLOCK, || Ok(Box::new(Cursor::new(Vec::new()))))
    }

    #[test]
    fn columns_are_as_lists() {
        let spill = small();
        let (mut column, mut other) = (Column::new(&spill), Column::<u8>::new(&spill));
        let mut list: Vec<u32> = Vec::new();
        for round in 0..300u32 {
            let more: Vec<u32> = (0..round * 7 % 401).map(|at| at * round).collect();
            column.extend(&more);
            list.extend(&more);
            other.extend(&[round as u8; 100]);
            let at = round as usize * 31 % list.len().max(1);
            column.set(at, round);
            list.get_mut(at).into_iter().for_each(|slot| *slot = round);
        }
        assert!(column.iter().eq(list.iter().copied()));
        assert_eq!(column.len(), list.len());
        for (start, end) in [(0, 0), (5, 9_000), (2_047, 2_049), (list.len() - 3, list.len() + 5), (99, 2)] {
            let expected = list.get(start..end.min(list.len())).unwrap_or_default();
            assert_eq!(column.range(start..end), expected, "{start}..{end}");
        }
        assert_eq!(column.get(list.len()), None);
        column.set_all(list.len() - 2, &[1, 2, 3]);
        assert_eq!(column.range(list.len() - 2..list.len() + 9), [1, 2]);
        assert_eq!(other.get(12_345), Some(123));
        column.grow(list.len() + 5_000);
        assert_eq!(column.len(), list.len() + 5_000);
        assert_eq!(column.get(list.len() + 4_999), Some(0));
        assert!(spill.frames() <= 3);
    }

    proptest! {
        #[test]
        fn bytes_compare_as_slices(
            a in prop::collection::vec(0u8..3, 0..6),
            b in prop::collection::vec(0u8..3, 0..6),
            before in prop::sample::select(vec![0usize, 3, BLOCK - 2, BLOCK]),
        ) {
            let mut column = Column::new(&small());
            column.grow(before);
            column.extend(&a);
            prop_assert_eq!(column.compare(before..before + a.len(), &b), a.cmp(&b));
        }
    }
}
