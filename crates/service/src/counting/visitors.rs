//! Visitors without a cookie: a keyed hash of network, user agent and day, of which only a HyperLogLog sketch is kept.
//!
//! The key is made each day and forgotten with it, so hashes of different days say nothing of each other.

use datasketches::hll::{HllSketch, HllType, HllUnion};
use hmac::{Hmac, KeyInit as _, Mac as _};
use model::time::Day;
use sha2::Sha256;

use crate::network::Network;

/// Binary logarithm of the registers: 16,384 of them, for an error of 0.8%.
const LG_REGISTERS: u8 = 14;
/// Six bits a register, so a sketch has 12 KiB at most.
const REGISTERS: HllType = HllType::Hll6;

/// A sketch of visitors.
#[derive(Debug)]
pub(super) struct Visitors(HllSketch);

impl Visitors {
    /// A sketch of nobody.
    pub(super) fn none() -> Option<Self> {
        HllSketch::new(LG_REGISTERS, REGISTERS).ok().map(Self)
    }

    /// Adds a visitor.
    pub(super) fn add(&mut self, key: &[u8; 32], day: Day, network: Network, user_agent: &str) {
        let Ok(mut hash) = Hmac::<Sha256>::new_from_slice(key) else { return };
        hash.update(format!("visitor {} {network} {user_agent}", day.0).as_bytes());
        let digest: [u8; 32] = hash.finalize().into_bytes().into();
        let [a, b, c, d, e, f, g, h, ..] = digest;
        self.0.update(u64::from_be_bytes([a, b, c, d, e, f, g, h]));
    }

    /// As it is stored.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.0.serialize()
    }
}

/// Joins two stored sketches of a day. One that can't be read, which is a defect, gives way to the other.
pub fn merge(stored: &[u8], ours: &[u8]) -> Vec<u8> {
    let read = |bytes| {
        HllSketch::deserialize(bytes).inspect_err(|error| tracing::error!(%error, "a visitor sketch is corrupt"))
    };
    let (Ok(stored), Ok(mut union)) = (read(stored), HllUnion::new(LG_REGISTERS)) else { return ours.to_vec() };
    let Ok(ours) = read(ours) else { return stored.serialize() };
    union.update(&stored);
    union.update(&ours);
    union.to_sketch(REGISTERS).serialize()
}

/// How many visitors a stored sketch has; `None` where it can't be read.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an estimate of a number of people")]
pub fn estimate(sketch: &[u8]) -> Option<u64> {
    let sketch = HllSketch::deserialize(sketch).ok()?;
    Some(sketch.estimate().round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    const KEY: [u8; 32] = [7; 32];

    fn of(visitors: std::ops::Range<u32>) -> Vec<u8> {
        let mut sketch = Visitors::none().unwrap();
        for visitor in visitors {
            sketch.add(&KEY, Day(1), Network::of(Ipv4Addr::from(visitor).into()), "Firefox");
        }
        sketch.bytes()
    }

    #[test]
    fn sketches_of_two_servers_count_a_shared_visitor_once() {
        assert_eq!(estimate(&merge(&of(0..60), &of(40..100))), Some(100));
        let many = merge(&of(0..60_000), &of(40_000..100_000));
        let found = f64::from(u32::try_from(estimate(&many).unwrap()).unwrap());
        assert!((found / 100_000.0 - 1.0).abs() < 0.025, "{found}");
        assert!(many.len() <= 16 * 1024, "{}", many.len());
    }

    #[test]
    fn a_damaged_sketch_gives_way_to_the_other() {
        assert_eq!(merge(b"x", &of(0..3)), of(0..3));
        assert_eq!(estimate(&merge(&of(0..3), b"x")), Some(3));
        assert_eq!(estimate(b"x"), None);
    }

    #[test]
    fn another_day_or_key_is_another_visitor() {
        let mut sketch = Visitors::none().unwrap();
        let network = Network::of(Ipv4Addr::LOCALHOST.into());
        for (key, day, agent) in [(KEY, 1, "a"), (KEY, 1, "a"), (KEY, 2, "a"), ([8; 32], 1, "a"), (KEY, 1, "b")] {
            sketch.add(&key, Day(day), network, agent);
        }
        assert_eq!(estimate(&sketch.bytes()), Some(4));
    }
}
