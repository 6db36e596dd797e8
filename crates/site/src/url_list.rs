//! Addresses in an order, each kept by what it does not share with the one before: a sitemap lists a hundred thousand, most of
//! which differ in their last letters.

use std::fmt::{self, Formatter};

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Addresses in the order in which they were added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UrlList {
    /// Of each the number of bytes that it shares with the one before, the number of the others (LEB128), and these.
    bytes: Vec<u8>,
    len: usize,
    last: String,
}

/// A place in a list.
#[derive(Debug, Clone, Default)]
pub(crate) struct UrlCursor {
    at: usize,
    url: String,
}

impl UrlList {
    /// Adds an address.
    pub fn push(&mut self, url: &str) {
        let same = self.last.bytes().zip(url.bytes()).take_while(|(a, b)| a == b).count();
        // A letter is not parted.
        let same = url.floor_char_boundary(same);
        let rest = url.get(same..).unwrap_or_default();
        self.put(same);
        self.put(rest.len());
        self.bytes.extend_from_slice(rest.as_bytes());
        self.last.truncate(same);
        self.last.push_str(rest);
        self.len += 1;
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The addresses.
    pub fn iter(&self) -> impl Iterator<Item = String> {
        let mut cursor = UrlCursor::default();
        std::iter::from_fn(move || cursor.next(self).map(str::to_owned))
    }

    /// Leaves out what comes after the first `most`.
    pub fn truncate(&mut self, most: usize) {
        if most < self.len {
            *self = self.iter().take(most).collect();
        }
    }

    fn put(&mut self, mut number: usize) {
        while number >= 0x80 {
            self.bytes.push((number & 0x7F) as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }
}

impl UrlCursor {
    /// The next address; `None` at the end.
    pub(crate) fn next(&mut self, list: &UrlList) -> Option<&str> {
        if self.is_at_end(list) {
            return None;
        }
        let (same, length) = (self.number(list), self.number(list));
        let rest = list.bytes.get(self.at..self.at + length)?;
        self.at += length;
        self.url.truncate(same);
        self.url.push_str(std::str::from_utf8(rest).ok()?);
        Some(&self.url)
    }

    /// Whether nothing is left.
    pub(crate) fn is_at_end(&self, list: &UrlList) -> bool {
        self.at >= list.bytes.len()
    }

    fn number(&mut self, list: &UrlList) -> usize {
        let mut number = 0;
        for shift in (0..usize::BITS).step_by(7) {
            let byte = list.bytes.get(self.at).copied().unwrap_or_default();
            self.at += 1;
            number |= usize::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        number
    }
}

impl<U: AsRef<str>> FromIterator<U> for UrlList {
    fn from_iter<I: IntoIterator<Item = U>>(urls: I) -> Self {
        let mut list = Self::default();
        urls.into_iter().for_each(|url| list.push(url.as_ref()));
        list
    }
}

impl Serialize for UrlList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for UrlList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Urls;

        impl<'de> Visitor<'de> for Urls {
            type Value = UrlList;

            fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.write_str("a list of addresses")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut urls: A) -> Result<UrlList, A::Error> {
                let mut list = UrlList::default();
                while let Some(url) = urls.next_element::<String>()? {
                    list.push(&url);
                }
                Ok(list)
            }
        }

        deserializer.deserialize_seq(Urls)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lists_are_as_vectors(urls in prop::collection::vec("[a-c/é€]{0,5}", 0..20), most in 0usize..25) {
            let mut list: UrlList = urls.iter().collect();
            prop_assert_eq!(list.iter().collect::<Vec<_>>(), urls.clone());
            prop_assert_eq!((list.len(), list.is_empty()), (urls.len(), urls.is_empty()));
            let written = serde_json::to_string(&list).unwrap();
            prop_assert_eq!(&written, &serde_json::to_string(&urls).unwrap());
            prop_assert_eq!(&serde_json::from_str::<UrlList>(&written).unwrap(), &list);
            list.truncate(most);
            prop_assert_eq!(list.iter().collect::<Vec<_>>(), urls.get(..most).unwrap_or(&urls));
        }
    }

    #[test]
    fn long_addresses_are_whole() {
        let urls = ["a".repeat(100_000), "a".repeat(70_000) + "b", String::new(), "x".repeat(300)];
        assert!(urls.iter().collect::<UrlList>().iter().eq(urls));
    }
}
