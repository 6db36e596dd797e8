//! What changed from one version of the catalog to the next.

use std::collections::BTreeMap;

use crate::checks;
use crate::report::CATALOG_VERSION;

/// What the checks themselves do not say.
const TABLE: &str = include_str!("data/catalog_changes.tsv");

/// One version of the catalog. Codes are sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Version {
    /// Its name, which is also its day (ISO 8601).
    pub version: &'static str,
    /// Codes that are new.
    pub added: Vec<&'static str>,
    /// Codes whose severity, rule or threshold is another.
    pub changed: Vec<&'static str>,
    /// Codes that are no more.
    pub removed: Vec<&'static str>,
}

/// Every version, the newest first.
pub fn versions() -> Vec<Version> {
    of(CATALOG_VERSION, checks::all().map(|check| (check.since, check.code)), TABLE)
}

/// `newest` is there though nothing came with it: texts alone may make a version.
fn of(
    newest: &'static str,
    added: impl Iterator<Item = (&'static str, &'static str)>,
    table: &'static str,
) -> Vec<Version> {
    let mut versions = BTreeMap::from([(newest, Version::default())]);
    for (version, code) in added {
        versions.entry(version).or_default().added.push(code);
    }
    for (version, what, code) in rows(table) {
        let entry = versions.entry(version).or_default();
        match what {
            "changed" => entry.changed.push(code),
            "removed" => entry.removed.push(code),
            _ => {}
        }
    }
    let sorted = versions.into_iter().rev().map(|(version, mut entry)| {
        for codes in [&mut entry.added, &mut entry.changed, &mut entry.removed] {
            codes.sort_unstable();
        }
        Version { version, ..entry }
    });
    sorted.collect()
}

fn rows(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    table.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut columns = line.split('\t');
        Some((columns.next()?, columns.next()?, columns.next()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_is_the_catalogs() {
        let versions = versions();
        assert_eq!(versions.first().map(|version| version.version), Some(CATALOG_VERSION));
        assert_eq!(versions.iter().map(|version| version.added.len()).sum::<usize>(), checks::all().count());
    }

    #[test]
    fn every_row_of_the_table_is_of_the_catalog() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(rows(TABLE).count(), lines, "a row has three columns");
        for (version, what, code) in rows(TABLE) {
            assert!(version <= CATALOG_VERSION, "{version}");
            assert!(["changed", "removed"].contains(&what), "{what}");
            assert_eq!(checks::find(code).is_some(), what == "changed", "{code}");
        }
    }

    #[test]
    fn versions_go_back_in_time_and_codes_are_sorted() {
        let table = "# v\twhat\tcode\n2026-02-01\tchanged\tb\n2026-02-01\tchanged\ta\n2026-03-01\tremoved\tc\n";
        let found =
            of("2026-04-01", [("2026-01-01", "b"), ("2026-02-01", "d"), ("2026-01-01", "a")].into_iter(), table);
        let version = |version| Version { version, ..Version::default() };
        assert_eq!(
            found,
            [
                version("2026-04-01"),
                Version { removed: vec!["c"], ..version("2026-03-01") },
                Version { added: vec!["d"], changed: vec!["a", "b"], ..version("2026-02-01") },
                Version { added: vec!["a", "b"], ..version("2026-01-01") },
            ]
        );
    }
}
