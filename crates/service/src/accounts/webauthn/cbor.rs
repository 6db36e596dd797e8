//! The CTAP2 subset of CBOR (RFC 8949; CTAP 2.1 §8): definite lengths, integers, byte and text strings, arrays, maps
//! and simple values, nested four deep at most.

/// Nesting depth at most (CTAP 2.1 §8).
const MOST_NESTED: u8 = 4;

/// A data item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CborItem<'b> {
    /// An integer.
    Integer(i64),
    /// A byte string.
    Bytes(&'b [u8]),
    /// A text string.
    Text(&'b str),
    /// An array.
    List(Vec<CborItem<'b>>),
    /// A map, in its encoded order.
    Map(Vec<(CborItem<'b>, CborItem<'b>)>),
    /// A simple value: false, true, null or undefined, by number.
    Plain(u8),
}

impl<'b> CborItem<'b> {
    /// Decodes one item from the start of `bytes`; `None` when it is malformed, truncated or outside the subset.
    pub(super) fn read(bytes: &mut &'b [u8]) -> Option<Self> {
        read(bytes, MOST_NESTED)
    }

    /// The value of a map's key; `None` when it is no map, or the key is missing or duplicate.
    pub(super) fn get(&self, key: &CborItem<'_>) -> Option<&CborItem<'b>> {
        let Self::Map(pairs) = self else { return None };
        let mut found = pairs.iter().filter(|(name, _)| name == key);
        match (found.next(), found.next()) {
            (Some((_, value)), None) => Some(value),
            _ => None,
        }
    }

    /// The content of a byte string.
    pub(super) fn bytes(&self) -> Option<&'b [u8]> {
        if let Self::Bytes(bytes) = self { Some(bytes) } else { None }
    }

    /// The content of an integer.
    pub(super) fn integer(&self) -> Option<i64> {
        if let Self::Integer(integer) = self { Some(*integer) } else { None }
    }
}

/// Takes `length` bytes off the beginning.
pub(super) fn take<'b>(bytes: &mut &'b [u8], length: usize) -> Option<&'b [u8]> {
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

fn read<'b>(bytes: &mut &'b [u8], depth: u8) -> Option<CborItem<'b>> {
    let depth = depth.checked_sub(1)?;
    let [head] = *take(bytes, 1)? else { return None };
    let (kind, low) = (head >> 5, head & 0x1f);
    if kind == 7 {
        // Floats and other simple values don't occur in authenticator data.
        return (20..=23).contains(&low).then_some(CborItem::Plain(low));
    }
    let argument = argument(bytes, low)?;
    Some(match kind {
        0 => CborItem::Integer(i64::try_from(argument).ok()?),
        1 => CborItem::Integer(-1 - i64::try_from(argument).ok()?),
        2 => CborItem::Bytes(take(bytes, usize::try_from(argument).ok()?)?),
        3 => CborItem::Text(std::str::from_utf8(take(bytes, usize::try_from(argument).ok()?)?).ok()?),
        4 => {
            let mut items = Vec::new();
            for _ in 0..argument {
                // A false length can't loop for long: decoding ends with the bytes.
                items.push(read(bytes, depth)?);
            }
            CborItem::List(items)
        }
        5 => {
            let mut pairs = Vec::new();
            for _ in 0..argument {
                let key = read(bytes, depth)?;
                pairs.push((key, read(bytes, depth)?));
            }
            CborItem::Map(pairs)
        }
        _ => return None,
    })
}

/// The argument of an item's head (RFC 8949 §3): the low bits, or the bytes that they announce.
fn argument(bytes: &mut &[u8], low: u8) -> Option<u64> {
    let length = match low {
        0..=23 => return Some(u64::from(low)),
        24 => 1,
        25 => 2,
        26 => 4,
        27 => 8,
        _ => return None,
    };
    Some(take(bytes, length)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn items_are_read_as_the_standard_shows_them() {
        // RFC 8949, appendix A.
        for (bytes, item) in [
            (&[0x00][..], Some(CborItem::Integer(0))),
            (&[0x18, 0x64], Some(CborItem::Integer(100))),
            (&[0x39, 0x03, 0xe7], Some(CborItem::Integer(-1000))),
            (&[0x44, 1, 2, 3, 4], Some(CborItem::Bytes(&[1, 2, 3, 4]))),
            (&[0x62, 0xc3, 0xbc], Some(CborItem::Text("\u{fc}"))),
            (&[0x61, 0xc3], None),
            (&[0x82, 1, 2], Some(CborItem::List(vec![CborItem::Integer(1), CborItem::Integer(2)]))),
            (&[0xa1, 1, 2], Some(CborItem::Map(vec![(CborItem::Integer(1), CborItem::Integer(2))]))),
            (&[0xf6], Some(CborItem::Plain(22))),
            // Indefinite, a float, a tag, too deep, cut, and longer than there is.
            (&[0x9f, 0xff], None),
            (&[0xf9, 0, 0], None),
            (&[0xc0, 0x60], None),
            (&[0x81, 0x81, 0x81, 0x81, 0x00], None),
            (&[0x44, 1], None),
            (&[0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], None),
            (&[0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], None),
            (&[], None),
        ] {
            let mut rest = bytes;
            assert_eq!(CborItem::read(&mut rest), item, "{bytes:x?}");
        }
    }

    #[test]
    fn a_key_that_comes_twice_has_no_value() {
        let map = CborItem::read(&mut &[0xa2, 1, 2, 1, 3][..]).unwrap();
        assert_eq!(map.get(&CborItem::Integer(1)), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut rest = &bytes[..];
            let read = CborItem::read(&mut rest);
            prop_assert!(read.is_none() || rest.len() < bytes.len());
        }
    }
}
