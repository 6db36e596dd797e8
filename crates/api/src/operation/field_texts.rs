//! Descriptions of fields in Portuguese: of members of a body, and of fields of an answer.
//!
//! The English is the docstring of the field, and nowhere else. The Portuguese is a catalog by that text, not an attribute of
//! the field as parameters have it (`texts.rs`): there are hundreds of fields, many described in the same words, and attributes
//! would drown the types.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A line for each description: the English, a tab, the Portuguese. Sorted; each English once.
const TABLE: &str = include_str!("fields.pt.tsv");

static PORTUGUESE: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| all().collect());

/// Each description of the catalog, and its Portuguese.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE.lines().filter_map(|line| line.split_once('\t'))
}

/// The Portuguese of a description; `None` where the catalog lacks it. Docstrings are wrapped, so line breaks count as spaces.
pub fn in_portuguese(english: &str) -> Option<&'static str> {
    PORTUGUESE.get(one_line(english).as_str()).copied()
}

/// A description as the catalog has it, on one line.
pub fn one_line(description: &str) -> String {
    description.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::texts::tests::fault;

    #[test]
    fn each_line_is_a_translation() {
        assert_eq!(all().count(), TABLE.lines().count(), "a line has no tab");
        let faults: Vec<String> = all().filter_map(|(en, pt)| fault(en, pt)).collect();
        assert_eq!(faults, [""; 0]);
        let is_one_line = |(en, pt): (&str, &str)| one_line(en) == en && one_line(pt) == pt;
        assert!(all().all(is_one_line), "a line has a second tab or space");
    }

    #[test]
    fn lines_are_sorted_and_each_description_has_one() {
        let unsorted = all().zip(all().skip(1)).find(|((before, _), (after, _))| before >= after);
        assert_eq!(unsorted, None);
    }

    #[test]
    fn a_wrapped_docstring_is_found() {
        assert_eq!(in_portuguese("The\npage."), Some("A página."));
        assert_eq!(in_portuguese("No such text."), None);
    }
}
