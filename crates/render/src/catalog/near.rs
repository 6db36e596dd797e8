//! Suggestions for misspelled names.

/// Suggestions at most.
const MOST_NEAR: usize = 5;
/// Bytes of an unknown name that are compared: names of the catalog are shorter.
const COMPARED: usize = 64;

/// The nearest of `names`, the nearest first.
pub fn nearest<'n>(unknown: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let unknown: String = plain(unknown.chars().take(COMPARED));
    let mut near: Vec<(usize, &str)> = names
        .map(|name| (distance(&unknown, &plain(name.chars())), name))
        .filter(|(distance, name)| {
            let name = plain(name.chars());
            *distance <= unknown.len().div_ceil(3)
                || first_word(&name) == first_word(&unknown)
                || name.contains(&unknown)
        })
        .collect();
    near.sort_unstable();
    near.into_iter().take(MOST_NEAR).map(|(_, name)| name).collect()
}

/// In lower case, with one separator of words.
fn plain(characters: impl Iterator<Item = char>) -> String {
    let separated = |character| if matches!(character, '-' | ' ' | '.') { '_' } else { character };
    characters.flat_map(char::to_lowercase).map(separated).collect()
}

fn first_word(name: &str) -> &str {
    name.split('_').next().unwrap_or_default()
}

/// Bytes to add, take away or change, and neighbours to swap, between two texts (optimal string alignment).
fn distance(from: &str, to: &str) -> usize {
    let (from, to) = (from.as_bytes(), to.as_bytes());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, byte) in from.iter().enumerate() {
        let mut left = index + 1;
        let mut next = vec![left];
        for (column, (other, above)) in to.iter().zip(row.windows(2)).enumerate() {
            let &[diagonal, above] = above else { continue };
            left = (diagonal + usize::from(byte != other)).min(above + 1).min(left + 1);
            let earlier = column.checked_sub(1);
            let are_swapped = earlier.and_then(|at| to.get(at)) == Some(byte)
                && index.checked_sub(1).and_then(|at| from.get(at)) == Some(other);
            if let (true, Some(swapped)) = (are_swapped, earlier.and_then(|at| before.get(at))) {
                left = left.min(swapped + 1);
            }
            next.push(left);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::entries;

    #[test]
    fn distances_count_changes() {
        for (from, to, expected) in
            [("", "", 0), ("abc", "abc", 0), ("abc", "", 3), ("kitten", "sitting", 3), ("ulr", "url", 1)]
        {
            assert_eq!((distance(from, to), distance(to, from)), (expected, expected), "{from} {to}");
        }
    }

    #[test]
    fn a_mistyped_code_finds_its_neighbours() {
        let near = |typed: &str| nearest(typed, entries().map(|(_, check)| check.code));
        for (typed, meant) in [
            ("titel_missing", "title_missing"),
            ("title_gone", "title_missing"),
            ("Canonical-Missing", "canonical_missing"),
            ("canonical", "canonical_missing"),
        ] {
            assert!(near(typed).contains(&meant), "{typed}: {:?}", near(typed));
        }
        assert!(near("zzzzzzzz").is_empty());
        assert!(near(&"x".repeat(1_000_000)).is_empty());
        assert!(near("").len() <= MOST_NEAR);
    }

    #[test]
    fn slugs_with_hyphens_and_underscores_are_near_each_other() {
        assert_eq!(nearest("open_graph", ["title", "open-graph"].into_iter()), ["open-graph"]);
    }
}
