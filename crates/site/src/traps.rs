//! Traps for crawlers: addresses without end that a site makes of few pages, as calendars, filters and sessions do.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use url::Url;

/// Different queries of one path that are asked, by the number of their parameters: one, two, three and more. Chosen: a
/// catalog may have thousands of pages behind `?id=`, but nobody needs the combinations of three filters.
const MOST_QUERIES: [u32; 3] = [5_000, 500, 50];
/// Pages in a row that each lead to the next of their kind, in tenths: 100 that lead to nothing else new, or 1,000 that do.
/// Chosen: a calendar has no end, and a list of several pages leads to what it lists.
const MOST_IN_A_ROW: u32 = 1_000;
/// Segments of a path. Chosen: relative links that lead ever deeper grow past it, and no site is so deep.
const MOST_SEGMENTS: usize = 24;
/// Times that a run of segments may stand in a path in a row: `/a/b/a/b/a/b` is a relative link gone wrong.
const MOST_REPEATS: usize = 2;
/// Traps that are told.
pub(crate) const MOST_TRAPS: usize = 100;

/// A trap, with the addresses that were left out for it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Trap {
    /// The kind.
    pub kind: TrapKind,
    /// Address of the path, without query.
    pub path: String,
    /// One address that was left out: the least.
    pub example: String,
    /// Key of a page that links it: the least.
    pub source: String,
    /// Addresses left out, as often as they were met.
    pub left_out: u64,
}

/// Kinds of traps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrapKind {
    /// One path with ever more queries.
    Queries,
    /// Pages that lead to the next of their kind without end.
    Row,
    /// A path in which segments repeat, or that grows without end.
    Repeats,
}

/// What was met of each path.
#[derive(Debug, Default)]
pub(crate) struct Traps {
    /// Queries by path and number of parameters.
    queries: BTreeMap<(String, usize), u32>,
    /// Told traps.
    found: BTreeMap<(TrapKind, String), Trap>,
}

impl Traps {
    /// Judges a new address, which the page `source` links; `row` is the number of its kind in a row, in tenths. `true` where it is asked.
    pub(crate) fn admit(&mut self, url: &Url, source: &str, row: u32) -> bool {
        let kind = if repeats(url) {
            TrapKind::Repeats
        } else if row > MOST_IN_A_ROW {
            TrapKind::Row
        } else if self.has_many_queries(url) {
            TrapKind::Queries
        } else {
            return true;
        };
        self.tell(kind, url, source);
        false
    }

    fn has_many_queries(&mut self, url: &Url) -> bool {
        let parameters = url.query().map_or(0, |query| query.split('&').filter(|pair| !pair.is_empty()).count());
        let Some(most) = parameters.checked_sub(1).and_then(|at| MOST_QUERIES.get(at.min(MOST_QUERIES.len() - 1)))
        else {
            return false;
        };
        let count = self.queries.entry((path(url), parameters.min(MOST_QUERIES.len()))).or_default();
        if *count >= *most {
            return true;
        }
        *count += 1;
        false
    }

    fn tell(&mut self, kind: TrapKind, url: &Url, source: &str) {
        let path = match kind {
            // A path that repeats is another one each time: they are told by the host.
            TrapKind::Repeats => url.origin().ascii_serialization(),
            // Filters of one page have many combinations of parameters and one cause.
            TrapKind::Queries => path(url),
            TrapKind::Row => shape(url),
        };
        let known = self.found.len();
        let key = (kind, path.clone());
        if known >= MOST_TRAPS && !self.found.contains_key(&key) {
            return;
        }
        let trap = self.found.entry(key).or_insert_with(|| Trap {
            kind,
            path,
            example: url.as_str().to_owned(),
            source: source.to_owned(),
            left_out: 0,
        });
        trap.left_out += 1;
        if url.as_str() < trap.example.as_str() {
            trap.example = url.as_str().to_owned();
            trap.source = source.to_owned();
        }
    }

    /// All that were found, in order.
    pub(crate) fn found(&self) -> Vec<Trap> {
        self.found.values().cloned().collect()
    }
}

/// An address without its query.
fn path(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.into()
}

/// The kind of page that an address names: its path with each number as `0`, and the names of its parameters in order.
pub(crate) fn shape(url: &Url) -> String {
    let mut shape = url.origin().ascii_serialization();
    let mut is_number = false;
    for character in url.path().chars() {
        let digit = character.is_ascii_digit();
        if !(digit && is_number) {
            shape.push(if digit { '0' } else { character });
        }
        is_number = digit;
    }
    let names: BTreeSet<&str> = url
        .query()
        .into_iter()
        .flat_map(|query| query.split('&'))
        .filter_map(|pair| pair.split('=').next())
        .filter(|name| !name.is_empty())
        .collect();
    for (at, name) in names.into_iter().enumerate() {
        shape.push(if at == 0 { '?' } else { '&' });
        shape.push_str(name);
    }
    shape
}

/// Whether a path is longer than any is, or the same segments follow each other more than [`MOST_REPEATS`] times.
fn repeats(url: &Url) -> bool {
    let segments: Vec<&str> = url.path().split('/').filter(|segment| !segment.is_empty()).collect();
    if segments.len() > MOST_SEGMENTS {
        return true;
    }
    (1..=segments.len() / (MOST_REPEATS + 1)).any(|length| {
        let pieces: Vec<&[&str]> = segments.windows(length).collect();
        (0..pieces.len()).any(|at| {
            let piece = pieces.get(at);
            (1..=MOST_REPEATS).all(|times| piece.is_some() && pieces.get(at + times * length) == piece)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn admitted(traps: &mut Traps, urls: impl Iterator<Item = String>) -> usize {
        urls.filter(|text| traps.admit(&url(text), "https://e.com/", 1)).count()
    }

    #[test]
    fn combinations_of_filters_end_and_a_catalog_does_not() {
        let mut traps = Traps::default();
        let filters = (0..1_000).map(|n| format!("https://e.com/shop?color={n}&size=1&sort=a"));
        assert_eq!(admitted(&mut traps, filters), 50);
        assert_eq!(admitted(&mut traps, (0..1_000).map(|n| format!("https://e.com/item?id={n}"))), 1_000);
        assert_eq!(admitted(&mut traps, (0..1_000).map(|n| format!("https://e.com/item/{n}"))), 1_000);
        let [trap] = traps.found().try_into().unwrap();
        assert_eq!((trap.kind, trap.left_out), (TrapKind::Queries, 950));
        assert_eq!(trap.path, "https://e.com/shop");
    }

    #[test]
    fn one_page_of_filters_is_one_trap() {
        let mut traps = Traps::default();
        for names in ["a=0&b=0&c", "a=0&b=0&d", "a=0&c=0&d", "b=0&c=0&d"] {
            admitted(&mut traps, (0..100).map(|n| format!("https://e.com/shop?{names}={n}")));
        }
        assert_eq!(traps.found().len(), 1);
    }

    #[test]
    fn rows_end() {
        let mut traps = Traps::default();
        assert!(traps.admit(&url("https://e.com/cal/2026/11"), "https://e.com/cal/2026/10", 1_000));
        assert!(!traps.admit(&url("https://e.com/cal/2031/1"), "https://e.com/cal/2030/12", 1_001));
        assert_eq!(traps.found()[0].path, "https://e.com/cal/0/0");
        assert_eq!(shape(&url("https://e.com/cal/2031/1")), shape(&url("https://e.com/cal/2030/12")));
    }

    #[test]
    fn paths_that_repeat_are_links_gone_wrong() {
        for path in ["/a/a/a", "/x/a/b/a/b/a/b", "/x/a/b/c/a/b/c/a/b/c/d"] {
            assert!(repeats(&url(&format!("https://e.com{path}"))), "{path}");
        }
        for path in ["/", "/a/a/b", "/a/b/a/b", "/2024/11/11/a", "/1/2/3/4/5/6/7/8/9"] {
            assert!(!repeats(&url(&format!("https://e.com{path}"))), "{path}");
        }
        assert!(repeats(&url(&format!("https://e.com{}", (0..30).map(|n| format!("/{n}")).collect::<String>()))));
    }
}
