//! Differences that were judged: what makes them, and who is right.

/// A group of differences that have one cause.
#[derive(Debug)]
pub(super) struct Expected {
    /// What a report calls it; explained in `docs/html-parser/`.
    pub(super) name: &'static str,
    /// What the smallest source of such a difference holds, each part in lower case. Without the fragments that hold the
    /// first part, a document does not show it.
    pub(super) parts: &'static [&'static str],
}

impl Expected {
    /// Whether a source made small is of this group.
    pub(super) fn explains(&self, source: &str) -> bool {
        let source = source.to_ascii_lowercase();
        self.parts.iter().all(|part| source.contains(part))
    }

    /// Whether a fragment is needed for such a difference.
    pub(super) fn is_caused_by(&self, fragment: &str) -> bool {
        self.parts.first().is_some_and(|part| fragment.to_ascii_lowercase().contains(part))
    }
}

/// Where html5ever 0.40.1 is known to differ.
pub(super) const HTML5EVER: [Expected; 0] = [];

/// Where Chromium 156 is known to differ.
pub(super) const CHROMIUM: [Expected; 0] = [];
