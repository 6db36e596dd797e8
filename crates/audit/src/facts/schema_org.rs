//! The vocabulary of schema.org: its types with what is above them, and its properties with the types that have them.
//!
//! Both tables are text sorted by bytes and searched as they are, so nothing is built when a process starts.

use std::collections::BTreeMap;

/// Types; the file says what its columns mean, and which release it is.
const TYPES: &str = include_str!("../data/schema_types.tsv");
/// Properties; the file says the same.
const PROPERTIES: &str = include_str!("../data/schema_properties.tsv");

/// Letters that two names of the vocabulary may differ in for one to be a slip of the other.
const MOST_EDITS: usize = 2;
/// Letters that a name has at least for two of them to be slips.
const LONG_NAME: usize = 8;
/// Letters that a name has at least for one of them to be a slip.
const SHORTEST_SLIP: usize = 4;
/// Letters of the longest name that is compared with others: the vocabulary has none as long.
const LONGEST_NAME: usize = 64;

/// The rest of the line that starts with a name, of a table whose lines are sorted by bytes.
fn line(table: &'static str, name: &str) -> Option<&'static str> {
    let bytes = table.as_bytes();
    let (mut low, mut high) = (0, bytes.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let before = memchr::memrchr(b'\n', bytes.get(low..middle)?);
        let start = before.map_or(low, |at| low + at + 1);
        let rest = bytes.get(start..)?;
        let whole = table.get(start..start + memchr::memchr(b'\n', rest).unwrap_or(rest.len()))?;
        let at_tab = memchr::memchr(b'\t', whole.as_bytes()).unwrap_or(whole.len());
        let (key, columns) = (whole.get(..at_tab)?, whole.get(at_tab + 1..).unwrap_or_default());
        // The comment lines stand in front: `#` sorts before every letter and digit.
        match key.cmp(name) {
            std::cmp::Ordering::Equal => return Some(columns),
            std::cmp::Ordering::Less => low = start + whole.len() + 1,
            std::cmp::Ordering::Greater => high = start,
        }
    }
    None
}

fn names(table: &'static str) -> impl Iterator<Item = &'static str> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split('\t').next().unwrap_or_default())
}

/// Whether a type is in the vocabulary.
pub fn is_type(name: &str) -> bool {
    is_name(name) && line(TYPES, name).is_some()
}

/// Whether a property is in the vocabulary.
pub fn is_property(name: &str) -> bool {
    is_name(name) && line(PROPERTIES, name).is_some()
}

/// Members of an enumeration.
pub fn members(enumeration: &str) -> impl Iterator<Item = &'static str> {
    line(TYPES, enumeration).and_then(|columns| columns.split('\t').nth(1)).unwrap_or_default().split_ascii_whitespace()
}

fn parents(kind: &str) -> impl Iterator<Item = &'static str> {
    line(TYPES, kind).and_then(|columns| columns.split('\t').next()).unwrap_or_default().split_ascii_whitespace()
}

/// A name of the vocabulary has only letters and digits, so that no text of a page can match a comment line.
fn is_name(text: &str) -> bool {
    text.len() <= LONGEST_NAME && text.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// What was looked up of the vocabulary for one page: pages name few types, many times.
#[derive(Debug, Default)]
pub struct Lookup<'p> {
    known: BTreeMap<&'p str, Vec<&'static str>>,
}

impl<'p> Lookup<'p> {
    /// The types above a type.
    fn above(&mut self, kind: &'p str) -> &[&'static str] {
        self.known.entry(kind).or_insert_with(|| {
            let mut all = Vec::new();
            collect_above(kind, &mut all);
            all
        })
    }

    /// Whether a type is one of some, or below one.
    pub fn is_any(&mut self, kind: &'p str, wanted: &[&str]) -> bool {
        wanted.contains(&kind) || self.above(kind).iter().any(|above| wanted.contains(above))
    }

    /// Whether nodes of a type have a property, by the type or one above it.
    pub fn has(&mut self, kind: &'p str, property: &str) -> bool {
        let Some(domains) = is_name(property).then(|| line(PROPERTIES, property)).flatten() else { return false };
        let above = self.above(kind);
        domains.split(' ').any(|domain| domain == kind || above.contains(&domain))
    }
}

fn collect_above(kind: &str, all: &mut Vec<&'static str>) {
    for parent in parents(kind) {
        if !all.contains(&parent) {
            all.push(parent);
            collect_above(parent, all);
        }
    }
}

/// The one type that a name is a slip of.
pub fn meant_type(name: &str) -> Option<&'static str> {
    meant(name, names(TYPES), |_| true)
}

/// The one property, of those that `fits` takes, that a name is a slip of.
pub fn meant_property(name: &str, fits: impl FnMut(&'static str) -> bool) -> Option<&'static str> {
    meant(name, names(PROPERTIES), fits)
}

/// The name that differs only in case; else the one that differs least, where it is the only one.
fn meant(
    name: &str,
    known: impl Iterator<Item = &'static str>,
    mut fits: impl FnMut(&'static str) -> bool,
) -> Option<&'static str> {
    if !name.is_ascii() || name.len() > LONGEST_NAME {
        return None;
    }
    let most = if name.len() >= LONG_NAME { MOST_EDITS } else { 1 };
    let own_letters = letters(name);
    let mut best: Option<(usize, &'static str, bool)> = None;
    for candidate in known {
        // A short name is one letter away from too much.
        let is_near = name.len() >= SHORTEST_SLIP
            && candidate.len().abs_diff(name.len()) <= most
            // An edit takes one letter away and brings one at most.
            && (letters(candidate) ^ own_letters).count_ones() as usize <= 2 * most;
        let edits = match candidate.eq_ignore_ascii_case(name) {
            true => 0,
            false if is_near => edits(name.as_bytes(), candidate.as_bytes()),
            false => continue,
        };
        if edits > most || !fits(candidate) {
            continue;
        }
        best = match best {
            Some((least, known, alone)) if least < edits => Some((least, known, alone)),
            Some((least, known, _)) if least == edits => Some((least, known, false)),
            _ => Some((edits, candidate, true)),
        };
    }
    best.filter(|(.., alone)| *alone).map(|(_, name, _)| name)
}

/// Which letters and digits a name has, a bit each, case left aside; some share one.
fn letters(name: &str) -> u32 {
    name.bytes().fold(0, |letters, byte| letters | 1 << (byte & 0x1F))
}

/// Letters to add, drop, change or swap with their neighbour to make one name of another, case left aside (optimal
/// string alignment). Only the first [`LONGEST_NAME`] letters count.
pub(crate) fn edits(a: &[u8], b: &[u8]) -> usize {
    /// A line of the table: its length is that of the longest name, and one.
    type EditRow = [usize; LONGEST_NAME + 1];
    let b = b.get(..LONGEST_NAME).unwrap_or(b);
    let at = |line: &EditRow, column: usize| line.get(column).copied().unwrap_or(usize::MAX / 2);
    let mut older: EditRow = [0; LONGEST_NAME + 1];
    let mut old: EditRow = std::array::from_fn(|column| column);
    for (row, left) in a.iter().take(LONGEST_NAME).enumerate() {
        let mut new: EditRow = [row + 1; LONGEST_NAME + 1];
        for (column, right) in b.iter().enumerate() {
            let changed = at(&old, column) + usize::from(!left.eq_ignore_ascii_case(right));
            let mut least = changed.min(at(&old, column + 1) + 1).min(at(&new, column) + 1);
            let before = |text: &[u8], at: usize| at.checked_sub(1).and_then(|at| text.get(at)).copied();
            if before(a, row) == Some(*right) && before(b, column) == Some(*left) {
                least = least.min(at(&older, column.saturating_sub(1)) + 1);
            }
            if let Some(slot) = new.get_mut(column + 1) {
                *slot = least;
            }
        }
        older = std::mem::replace(&mut old, new);
    }
    at(&old, b.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted_and_every_name_in_them_is_found() {
        for table in [TYPES, PROPERTIES] {
            let all: Vec<&str> = names(table).collect();
            assert!(all.is_sorted() && all.len() > 900);
            for name in all {
                assert!(is_name(name) && line(table, name).is_some(), "{name}");
            }
            assert_eq!((line(table, ""), line(table, "zzz"), line(table, "A")), (None, None, None));
        }
        for domain in PROPERTIES.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'))
        {
            assert!(domain.1.split(' ').all(is_type), "{domain:?}");
        }
        assert!(names(TYPES).flat_map(parents).all(is_type));
    }

    #[test]
    fn types_stand_below_others_and_have_their_properties() {
        let mut lookup = Lookup::default();
        for (kind, wanted, is_it) in [
            ("Bakery", "LocalBusiness", true),
            ("Bakery", "Organization", true),
            ("Bakery", "Thing", true),
            ("Bakery", "Bakery", true),
            ("Bakery", "Product", false),
            ("Nothing", "Thing", false),
            ("# Types", "Thing", false),
        ] {
            assert_eq!(lookup.is_any(kind, &["Nowhere", wanted]), is_it, "{kind} {wanted}");
        }
        assert!(lookup.has("Bakery", "servesCuisine") && lookup.has("Bakery", "name") && lookup.has("Offer", "price"));
        assert!(!lookup.has("Product", "price") && !lookup.has("Bakery", "headline") && !lookup.has("Thing", "# x"));
        assert!(members("ItemAvailability").any(|member| member == "InStock"));
    }

    #[test]
    fn a_slip_has_one_reading_or_none() {
        for (name, meant) in [
            ("Website", Some("WebSite")),
            ("product", Some("Product")),
            ("Prodcut", Some("Product")),
            ("Organisation", Some("Organization")),
            ("BreadCrumbList", Some("BreadcrumbList")),
            ("Shop", None),
            ("Xyz", None),
            ("Loaf", None),
            ("Köche", None),
        ] {
            assert_eq!(meant_type(name), meant, "{name}");
        }
        assert_eq!(meant_property("datepublished", |_| true), Some("datePublished"));
        assert_eq!(meant_property("pricecurency", |_| true), Some("priceCurrency"));
        assert_eq!(meant_property("colour", |_| true), Some("color"));
    }
}
