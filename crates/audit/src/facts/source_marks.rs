//! Texts that few sources have and checks ask for. That a page lacks one is found out once; of a changed page only what
//! stands around the changes is looked through.

use std::sync::OnceLock;

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
    /// What a secret key begins with.
    SecretStart,
}

/// Bytes of the longest mark, at least.
const LONGEST: usize = 32;

impl SourceMark {
    const ALL: [Self; 4] = [Self::Nul, Self::NoSnippet, Self::DataVocabulary, Self::SecretStart];

    fn is_in(self, text: &str) -> bool {
        let has = |mark: &str| memchr::memmem::find(text.as_bytes(), mark.as_bytes()).is_some();
        match self {
            Self::Nul => memchr::memchr(0, text.as_bytes()).is_some(),
            Self::NoSnippet => has("data-nosnippet"),
            Self::DataVocabulary => has("data-vocabulary.org"),
            Self::SecretStart => secrets::may_begin_in(text),
        }
    }
}

/// Which marks a source lacks, each found out when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct SourceMarks {
    lacks: [OnceLock<bool>; SourceMark::ALL.len()],
}

impl SourceMarks {
    fn cell(&self, mark: SourceMark) -> Option<&OnceLock<bool>> {
        self.lacks.get(mark as usize)
    }

    /// Whether a mark is nowhere in the source, which is the same each time.
    pub(super) fn lacks(&self, mark: SourceMark, source: &str) -> bool {
        self.cell(mark).is_some_and(|cell| *cell.get_or_init(|| !mark.is_in(source)))
    }

    /// What is known of a source that comes of this one's by changes, which are in its order and apart.
    pub(super) fn after(&self, source: &str, changes: &[TextSplice<'_>]) -> Self {
        let after = Self::default();
        let was_lacking = |mark: &SourceMark| self.cell(*mark).and_then(OnceLock::get) == Some(&true);
        for mark in SourceMark::ALL.into_iter().filter(was_lacking) {
            if let Some(cell) = after.cell(mark)
                && around(source, changes).all(|part| !mark.is_in(part))
            {
                cell.get_or_init(|| true);
            }
        }
        after
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
        "data-vocabulary.org",
        "data-vocabulary",
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
            let marks = SourceMarks::default();
            for mark in SourceMark::ALL {
                prop_assert_eq!(marks.lacks(mark, &source), !mark.is_in(&source));
            }
            let after = marks.after(&changed, &changes);
            for mark in SourceMark::ALL {
                prop_assert_eq!(after.lacks(mark, &changed), !mark.is_in(&changed), "{:?} of {}", mark, &changed);
            }
        }
    }

    #[test]
    fn no_mark_is_longer_than_what_is_looked_at_around_a_change() {
        assert!(secrets::longest_start() <= LONGEST && "data-vocabulary.org".len() <= LONGEST);
    }

    #[test]
    fn what_no_change_brings_is_known_without_a_look() {
        let marks = SourceMarks::default();
        assert!(marks.lacks(SourceMark::Nul, "a b"));
        let after = marks.after("a c", &[(2..3, "c")]);
        assert_eq!(after.cell(SourceMark::Nul).unwrap().get(), Some(&true));
        assert_eq!(after.cell(SourceMark::NoSnippet).unwrap().get(), None);
        assert_eq!(marks.after("a\0", &[(1..3, "\0")]).cell(SourceMark::Nul).unwrap().get(), None);
    }
}
