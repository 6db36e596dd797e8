//! Versions of pages that are known of an earlier run.

use fetch::KnownVersion;
use site::{Spill, SpillMap};

/// The versions of an earlier run's pages by key, with the places of the pages there. What has not changed since is not judged
/// again.
#[derive(Debug)]
pub struct KnownVersions(SpillMap);

impl KnownVersions {
    /// None yet; what comes goes to `spill`.
    pub fn new(spill: &Spill) -> Self {
        Self(SpillMap::new(spill))
    }

    /// Adds a page's version. One that no header could hold is left out, as is what there is no room for: such a page is asked for
    /// without conditions.
    pub fn add(&mut self, url: &str, place: i64, version: &KnownVersion) {
        let KnownVersion { etag, last_modified } = version;
        let [etag, last_modified] = [etag, last_modified].map(|value| value.as_deref().unwrap_or_default());
        if !etag.contains('\n') && !last_modified.contains('\n') {
            self.0.add(url, format!("{place}\n{etag}\n{last_modified}").as_bytes());
        }
    }

    /// The version of a page, and the page's place.
    pub(super) fn get(&self, url: &str) -> Option<(i64, KnownVersion)> {
        let stored = String::from_utf8(self.0.get(url).pop()?).ok()?;
        let mut lines = stored.split('\n');
        let place = lines.next()?.parse().ok()?;
        let mut value = || lines.next().filter(|value| !value.is_empty()).map(str::to_owned);
        Some((place, KnownVersion { etag: value(), last_modified: value() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crawl_spill;

    #[test]
    fn versions_are_those_that_were_added() {
        let version = |etag: Option<&str>, last_modified: Option<&str>| KnownVersion {
            etag: etag.map(str::to_owned),
            last_modified: last_modified.map(str::to_owned),
        };
        let mut known = KnownVersions::new(&crawl_spill(None));
        let versions = [
            version(Some("W/\"1\""), None),
            version(None, Some("Sun, 29 Nov 2026 08:00:00 GMT")),
            version(Some("\"2\""), Some("x")),
        ];
        for (place, version) in versions.iter().enumerate() {
            known.add(&format!("https://e.com/{place}"), place as i64, version);
        }
        for (place, version) in versions.into_iter().enumerate() {
            assert_eq!(known.get(&format!("https://e.com/{place}")), Some((place as i64, version)));
        }
        assert_eq!(known.get("https://e.com/3"), None);
        // What comes later is what the page has now; no line may be added to a request.
        known.add("https://e.com/0", 7, &version(None, Some("later")));
        known.add("https://e.com/0", 8, &version(Some("a\nb"), None));
        assert_eq!(known.get("https://e.com/0"), Some((7, version(None, Some("later")))));
    }
}
