//! Random documents, the same for the same number.

use super::fragments::{CLASSES, TEXT};

/// Most fragments of a document. More make differences rarer than they make them bigger.
const LONGEST: u64 = 24;
/// Most classes that a document takes its fragments from.
const MOST_CLASSES: u64 = 5;
/// One fragment in so many is text.
const TEXT_EVERY: u64 = 5;

/// A generator of numbers (SplitMix64, Steele, Lea and Flood 2014): small, and the same on every machine.
#[derive(Debug)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        let at = usize::try_from(self.below(all.len() as u64)).ok()?;
        all.get(at).copied()
    }
}

/// The fragments of a document; joined they are its source.
pub(super) fn document(seed: u64, number: u64) -> Vec<&'static str> {
    let mut random = Random(seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(number));
    let classes: Vec<&[&str]> = (0..1 + random.below(MOST_CLASSES))
        .filter_map(|_| random.one_of(&CLASSES))
        .map(|(_, fragments)| fragments)
        .collect();
    (0..1 + random.below(LONGEST))
        .filter_map(|_| match random.below(TEXT_EVERY) {
            0 => random.one_of(&TEXT),
            _ => random.one_of(&classes).and_then(|class| random.one_of(class)),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_document_is_the_same_every_time_and_unlike_others() {
        assert_eq!(document(1, 2), document(1, 2));
        let all: HashSet<String> = (0..100).map(|number| document(1, number).concat()).collect();
        assert!(all.len() > 90);
    }

    #[test]
    fn every_fragment_comes_up() {
        let met: HashSet<&str> = (0..20_000).flat_map(|number| document(1, number)).collect();
        let all: HashSet<&str> =
            CLASSES.iter().flat_map(|(_, class)| class.iter()).chain(TEXT.iter()).copied().collect();
        assert_eq!(met, all);
    }
}
