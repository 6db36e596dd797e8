//! Makes a difference small: takes away what it does not need, fragments first, then characters.

use anyhow::Result;

/// Tries that one difference may take: some have dozens of characters that all count.
const TRIES: usize = 3_000;

/// The smallest part of `parts` found that still differs. `differing` gives back the first of several candidates that
/// does.
pub(super) fn shrink<T: Clone>(
    parts: &[T],
    mut differing: impl FnMut(&[Vec<T>]) -> Result<Option<usize>>,
) -> Result<Vec<T>> {
    let mut kept = parts.to_vec();
    let mut size = kept.len().div_ceil(2).max(1);
    let mut tries = 0;
    while tries < TRIES {
        let without = |start: usize| -> Vec<T> {
            let is_kept = |(at, _): &(usize, &T)| *at < start || *at >= start + size;
            kept.iter().enumerate().filter(is_kept).map(|(_, part)| part.clone()).collect()
        };
        let candidates: Vec<Vec<T>> = (0..kept.len()).step_by(size).map(without).collect();
        tries += candidates.len();
        match differing(&candidates)?.and_then(|found| candidates.into_iter().nth(found)) {
            Some(smaller) => {
                kept = smaller;
                size = size.min(kept.len()).max(1);
            }
            None if size == 1 => break,
            None => size = size.div_ceil(2),
        }
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_difference_needs_is_left() {
        let needed = |candidate: &Vec<u32>| candidate.contains(&3) && candidate.contains(&17);
        let all: Vec<u32> = (0..20).collect();
        let small = shrink(&all, |candidates| Ok(candidates.iter().position(needed))).unwrap();
        assert_eq!(small, [3, 17]);
    }

    #[test]
    fn a_difference_that_needs_nothing_becomes_nothing() {
        assert_eq!(shrink(&[1, 2, 3], |_| Ok(Some(0))).unwrap(), [0; 0]);
    }
}
