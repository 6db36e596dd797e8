//! Texts that few sources have and checks ask for. Which of them a page lacks is found out once, in one pass for all; of a
//! changed page only what stands around the changes is looked through.

use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, Input, MatchKind};
use memchr::memmem::Finder;

use super::document::TextSplice;
use super::secrets;

/// A text that few sources have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SourceMark {
    /// NUL characters.
    Nul,
    /// The attribute `data-nosnippet`, as every author writes it.
    NoSnippet,
    /// The domain of a vocabulary that is no more.
    DataVocabulary,
    /// A call that writes into the document.
    Write,
    /// A class, id or label of a breadcrumb.
    Breadcrumb,
    /// What a secret key begins with.
    SecretStart,
}

/// The words that marks are found by. The rarer a word is in other text, the fewer places are looked at in vain.
const TEXTS: [(&str, SourceMark); 6] = [
    ("nosnippet", SourceMark::NoSnippet),
    ("vocabulary.org", SourceMark::DataVocabulary),
    (".write", SourceMark::Write),
    ("crumb", SourceMark::Breadcrumb),
    ("Crumb", SourceMark::Breadcrumb),
    ("CRUMB", SourceMark::Breadcrumb),
];

/// Bytes of the longest mark, at least.
const LONGEST: usize = 32;

/// Bytes of the shortest word that is searched for together with the others. One with fewer would make the search compare fewer
/// bytes of all of them, and stop at many places in vain.
const LEAST_COMPARED: usize = 4;

/// Finds marks.
struct MarkFinder {
    /// Where words stand, all of [`TEXTS`] before the beginnings of secrets.
    words: AhoCorasick,
    /// Beginnings of secrets that are shorter.
    short: Vec<Finder<'static>>,
}

static FINDER: LazyLock<MarkFinder> = LazyLock::new(|| {
    let (long, short): (Vec<&str>, Vec<&str>) = secrets::starts().partition(|start| start.len() >= LEAST_COMPARED);
    let words = TEXTS.iter().map(|(text, _)| *text).chain(long);
    // It fails on more patterns than a program can hold. Leftmost: only then are they looked for many bytes at a time.
    let words = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(words);
    MarkFinder {
        words: words.expect("a table of some thirty short words is small enough"),
        short: short.into_iter().map(Finder::new).collect(),
    }
});

/// Some marks.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct MarkSet(u8);

impl MarkSet {
    #[cfg(test)]
    const ALL: [SourceMark; 6] = [
        SourceMark::Nul,
        SourceMark::NoSnippet,
        SourceMark::DataVocabulary,
        SourceMark::Write,
        SourceMark::Breadcrumb,
        SourceMark::SecretStart,
    ];

    fn has(self, mark: SourceMark) -> bool {
        self.0 & 1 << mark as u8 != 0
    }

    fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Those of a text.
    fn of(text: &str) -> Self {
        let has_nul = memchr::memchr(0, text.as_bytes()).is_some();
        let has_short = FINDER.short.iter().any(|start| start.find(text.as_bytes()).is_some());
        let bit = |has: bool, mark: SourceMark| u8::from(has) << mark as u8;
        let mut found = Self(bit(has_nul, SourceMark::Nul) | bit(has_short, SourceMark::SecretStart));
        let mut from = 0;
        // One mark may begin in another.
        while let Some(place) = FINDER.words.find(Input::new(text).range(from..)) {
            let mark = TEXTS.get(place.pattern().as_usize()).map_or(SourceMark::SecretStart, |(_, mark)| *mark);
            found.0 |= 1 << mark as u8;
            from = place.start() + 1;
        }
        found
    }
}

/// Which marks a source has, found out when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct SourceMarks {
    /// Those that it may have.
    may_have: OnceLock<MarkSet>,
}

impl SourceMarks {
    /// Whether a mark is nowhere in the source, which is the same each time.
    pub(super) fn lacks(&self, mark: SourceMark, source: &str) -> bool {
        !self.may_have.get_or_init(|| MarkSet::of(source)).has(mark)
    }

    /// What is known of a source that comes of this one's by changes, which are in its order and apart. A mark that was
    /// changed away is still taken to be there.
    pub(super) fn after(&self, source: &str, changes: &[TextSplice<'_>]) -> Self {
        let Some(before) = self.may_have.get() else { return Self::default() };
        let brought = around(source, changes).map(MarkSet::of);
        Self { may_have: OnceLock::from(brought.fold(*before, MarkSet::and)) }
    }
}

/// Each changed part of the source as it is now, with as much around it as a mark may reach.
fn around<'s>(source: &'s str, changes: &[TextSplice<'_>]) -> impl Iterator<Item = &'s str> {
    let (mut added, mut gone) = (0, 0);
    changes.iter().map(move |(span, text)| {
        let start = span.start + added - gone;
        (added, gone) = (added + text.len(), gone + span.len());
        let first = source.floor_char_boundary(start.saturating_sub(LONGEST));
        let last = source.ceil_char_boundary((start + text.len() + LONGEST).min(source.len()));
        source.get(first..last).unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    const PARTS: [&str; 12] = [
        "\0",
        "data-nosnippet",
        "data-no",
        "snippet",
        "vocabulary.org",
        "vocabulary",
        ".org",
        "sk_",
        "live_",
        "ü",
        "a",
        "",
    ];

    proptest! {
        #[test]
        fn what_is_known_after_changes_is_true(
            before in prop::collection::vec(select(&PARTS[..]), 0..8),
            changes in prop::collection::vec((0..9_usize, select(&PARTS[..])), 0..3),
            apart in 0..40_usize,
        ) {
            let parts: Vec<String> = before.iter().map(|part| format!("{part}{}", "-".repeat(apart))).collect();
            let source = parts.concat();
            let mut places: Vec<(usize, &str)> = changes;
            places.sort_unstable();
            places.dedup_by_key(|(at, _)| *at);
            let start = |at: usize| parts.iter().take(at).map(String::len).sum::<usize>();
            let changes: Vec<TextSplice<'_>> =
                places.iter().map(|(at, text)| (start(*at)..start(*at) + before.get(*at).map_or(0, |part| part.len()), *text)).collect();
            let mut changed = source.clone();
            for (span, text) in changes.iter().rev() {
                changed.replace_range(span.clone(), text);
            }
            let has = |source: &str, mark: SourceMark| match mark {
                SourceMark::SecretStart => secrets::starts().any(|start| source.contains(start)),
                SourceMark::Nul => source.contains('\0'),
                _ => TEXTS.iter().any(|(text, of)| *of == mark && source.contains(text)),
            };
            let marks = SourceMarks::default();
            for mark in MarkSet::ALL {
                prop_assert_eq!(marks.lacks(mark, &source), !has(&source, mark));
            }
            let after = marks.after(&changed, &changes);
            for mark in MarkSet::ALL {
                let is_lacking = after.lacks(mark, &changed);
                prop_assert!(!is_lacking || !has(&changed, mark), "{:?} of {}", mark, &changed);
                prop_assert!(is_lacking || has(&changed, mark) || has(&source, mark), "{:?} of {}", mark, &changed);
            }
        }
    }

    #[test]
    fn no_mark_is_longer_than_what_is_looked_at_around_a_change() {
        assert!(TEXTS.iter().map(|(text, _)| *text).chain(secrets::starts()).all(|mark| mark.len() <= LONGEST));
    }

    #[test]
    fn what_no_change_brings_is_known_without_a_look() {
        let marks = SourceMarks::default();
        assert_eq!(marks.after("a c", &[(2..3, "c")]).may_have.get(), None);
        assert!(marks.lacks(SourceMark::Nul, "a b"));
        assert_eq!(marks.after("a c", &[(2..3, "c")]).may_have.get(), Some(&MarkSet::default()));
        assert!(!marks.after("a\0", &[(1..3, "\0")]).lacks(SourceMark::Nul, "a\0"));
    }

    #[test]
    fn a_mark_that_begins_in_another_is_found() {
        let start = secrets::starts().next().unwrap();
        let found = MarkSet::of(&format!("nosnippe{start}x nosnippet{start}"));
        assert!(found.has(SourceMark::NoSnippet) && found.has(SourceMark::SecretStart));
    }
}
