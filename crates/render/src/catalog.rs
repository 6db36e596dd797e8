//! Read access to the catalog of checks, for the API, the pages and the command line.

pub mod calls;
pub mod check;
mod conditions;
pub mod near;
pub mod search;
pub mod tool;

pub use site::checks::{FAMILIES as SITE_FAMILIES, SiteFamily};

use std::collections::BTreeMap;

use audit::check::{Category, Check, Family};
use audit::checks::FAMILIES;

/// A check with the family it belongs to.
pub type CatalogEntry = (&'static Family, &'static Check);

/// Every check, in catalog order.
pub fn entries() -> impl Iterator<Item = CatalogEntry> {
    FAMILIES.iter().flat_map(|family| family.checks.iter().map(move |check| (*family, check)))
}

/// The check of a code.
pub fn entry(code: &str) -> Option<CatalogEntry> {
    entries().find(|(_, check)| check.code == code)
}

/// The family of a slug.
pub fn family(slug: &str) -> Option<&'static Family> {
    FAMILIES.iter().copied().find(|family| family.slug == slug)
}

/// Whether a finding's code is of a family.
pub fn has(family: &Family, code: &str) -> bool {
    family.checks.iter().any(|check| check.code == code)
}

/// Families by category; within one, in catalog order.
pub fn by_category() -> impl Iterator<Item = (Category, Vec<&'static Family>)> {
    let mut groups: BTreeMap<Category, Vec<&'static Family>> = BTreeMap::new();
    for family in FAMILIES {
        groups.entry(family.category).or_default().push(family);
    }
    groups.into_iter()
}
