//! Where a fix is made in the system that wrote the page, in the words of its menus.

use std::collections::HashMap;
use std::sync::LazyLock;

use model::fix::{Fix, FixPlace};
use model::lang::Text;
use model::summary::{Platform, PlatformKind};

use crate::facts::platform::Platforms;

/// What a fix is about, by code.
const SUBJECTS: &str = include_str!("../data/fix_subjects.tsv");
/// The way to each subject in each system, with sources and date in the file.
const PLACES: &str = include_str!("../data/fix_places.tsv");
/// Which systems are asked first: a plugin writes over what its system says, and a template writes what is left.
const ORDER: [PlatformKind; 4] =
    [PlatformKind::SeoPlugin, PlatformKind::Shop, PlatformKind::Cms, PlatformKind::Framework];

fn rows(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.starts_with('#'))
}

/// Subjects by code of a finding.
static SUBJECT_OF: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let pairs = rows(SUBJECTS).filter_map(|line| line.split_once('\t'));
    pairs.flat_map(|(subject, codes)| codes.split(' ').map(move |code| (code, subject))).collect()
});

/// Ways by system, then by subject.
static WAYS: LazyLock<HashMap<&'static str, HashMap<&'static str, Text>>> = LazyLock::new(|| {
    let mut ways: HashMap<&'static str, HashMap<&'static str, Text>> = HashMap::new();
    for line in rows(PLACES) {
        let cells: Vec<&'static str> = line.split('\t').collect();
        let &[system, subject, en, pt] = cells.as_slice() else { continue };
        ways.entry(system).or_default().insert(subject, Text { en, pt });
    }
    ways
});

/// Says of each fix where it is made, as far as that is known.
pub(super) fn add(fixes: &mut [Fix], platforms: &Platforms) {
    for fix in fixes {
        fix.place = place(&fix.code, platforms);
    }
}

/// The place of a fix. Where two systems of a kind both make the thing, it is in doubt, and none is named.
fn place(code: &str, platforms: &Platforms) -> Option<FixPlace> {
    let subject = SUBJECT_OF.get(code)?;
    let way = |platform: &Platform| {
        let steps = WAYS.get(platform.name.as_str())?.get(subject)?;
        Some(FixPlace { system: platform.name.clone(), steps: (*steps).into() })
    };
    let ways = ORDER.iter().map(|kind| platforms.of_kind(*kind).filter_map(way).collect::<Vec<_>>());
    let mut found = ways.into_iter().find(|ways| !ways.is_empty())?;
    if found.len() == 1 { found.pop() } else { None }
}

#[cfg(test)]
mod tests;
