//! Values by text that lie in a [`Spill`]: what sitemaps say of each page.

use crate::column::Column;
use crate::facts::{TextLog, TextTable};
use crate::spill::Spill;

/// Any number of values for each text, as bytes.
#[derive(Debug)]
pub struct SpillMap {
    keys: TextTable,
    /// The last value of each key by its number, counted from 1.
    last: Column<u32>,
    values: TextLog,
    /// The value of the same key before each, counted from 1; 0 for the first.
    before: Column<u32>,
}

impl SpillMap {
    /// An empty map.
    pub fn new(spill: &Spill) -> Self {
        Self {
            keys: TextTable::new(spill),
            last: Column::new(spill),
            values: TextLog::new(spill),
            before: Column::new(spill),
        }
    }

    /// Adds a value. All keys, and all values, have less than a gigabyte: what is more is left out.
    pub fn add(&mut self, key: &str, value: &[u8]) {
        if !self.keys.has_room(key.len()) || !self.values.has_room(value.len()) {
            return;
        }
        let key = self.keys.add(key).0 as usize;
        self.last.grow(key + 1);
        self.before.push(self.last.get(key).unwrap_or_default());
        self.values.add(value);
        self.last.set(key, self.values.len() as u32);
    }

    /// The values of a key, in the order in which they came.
    pub fn get(&self, key: &str) -> Vec<Vec<u8>> {
        let mut values = Vec::new();
        let key = self.keys.known(key);
        let mut number = key.and_then(|key| self.last.get(key.0 as usize)).unwrap_or_default();
        // Ends: each is before the other.
        while let Some(at) = number.checked_sub(1) {
            values.push(self.values.get(at as usize));
            number = self.before.get(at as usize).unwrap_or_default().min(at);
        }
        values.reverse();
        values
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::spill::BLOCK;

    #[test]
    fn values_are_by_their_keys() {
        let spill = Spill::new(4 * BLOCK, || Ok(Box::new(Cursor::new(Vec::new()))));
        let mut map = SpillMap::new(&spill);
        for number in 0..9_000_u32 {
            map.add(&format!("key {}", number % 7_000), &number.to_le_bytes());
        }
        let of = |key: &str| map.get(key).into_iter().map(|value| u32::from_le_bytes(value.try_into().unwrap()));
        assert!(of("key 5").eq([5, 7_005]));
        assert!(of("key 6999").eq([6_999]));
        assert_eq!(of("key 7000").count(), 0);
        map.add("", b"");
        assert_eq!(map.get(""), [b""]);
        assert_eq!(spill.frames(), 4);
    }
}
