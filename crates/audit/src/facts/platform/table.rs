//! The marks of systems, as the table has them, by the place in which they are looked for.

use std::collections::HashMap;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use model::summary::PlatformKind;

/// Systems, places and marks, with sources and date in the file.
const TABLE: &str = include_str!("../../data/platforms.tsv");
/// Characters that a version has at most: more are none.
const LONGEST_VERSION: usize = 24;

/// Where a mark is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Where {
    Generator,
    Meta,
    Comment,
    ScriptId,
    ScriptClass,
    ScriptType,
    Id,
    Root,
    Attribute,
    Rel,
    /// Path of a file of the same site.
    Own,
    /// Host and path of a file of any site.
    Address,
    /// Path of a file of any site.
    Path,
    Field,
    Header,
}

impl Where {
    fn read(word: &str) -> Option<Self> {
        Some(match word {
            "generator" => Self::Generator,
            "meta" => Self::Meta,
            "comment" => Self::Comment,
            "script-id" => Self::ScriptId,
            "script-class" => Self::ScriptClass,
            "script-type" => Self::ScriptType,
            "id" => Self::Id,
            "root" => Self::Root,
            "attribute" => Self::Attribute,
            "rel" => Self::Rel,
            "own" => Self::Own,
            "address" => Self::Address,
            "path" => Self::Path,
            "field" => Self::Field,
            "header" => Self::Header,
            _ => return None,
        })
    }
}

fn kind(word: &str) -> Option<PlatformKind> {
    Some(match word {
        "seo_plugin" => PlatformKind::SeoPlugin,
        "amp" => PlatformKind::Amp,
        "cms" => PlatformKind::Cms,
        "shop" => PlatformKind::Shop,
        "framework" => PlatformKind::Framework,
        "consent" => PlatformKind::Consent,
        "spam_guard" => PlatformKind::SpamGuard,
        "affiliate" => PlatformKind::Affiliate,
        _ => return None,
    })
}

/// A system, in the order of the table.
#[derive(Debug)]
pub(super) struct System {
    pub(super) name: &'static str,
    pub(super) kind: PlatformKind,
    /// The system that must be there too.
    pub(super) lives_in: Option<&'static str>,
}

/// A mark of a system.
#[derive(Debug, Clone, Copy)]
pub(super) struct MarkRow {
    /// Place of the system in [`Table::systems`].
    pub(super) system: usize,
    /// Place of the row in the table.
    pub(super) order: usize,
    pub(super) place: Where,
    pub(super) mark: Mark,
}

/// What is looked for: a text, and where it has a version or a gap, what follows that.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    pub(super) head: &'static str,
    gap: Option<(MarkGap, &'static str)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarkGap {
    Version,
    Anything,
}

impl Mark {
    fn read(text: &'static str) -> Self {
        let split = |sign, gap| text.split_once(sign).map(|(head, tail)| Self { head, gap: Some((gap, tail)) });
        split('#', MarkGap::Version).or_else(|| split('*', MarkGap::Anything)).unwrap_or(Self { head: text, gap: None })
    }

    /// A mark of a header: its name, and what its value begins with, where that is said.
    pub(super) fn named(&self) -> (&'static str, Option<Self>) {
        match self.head.split_once(": ") {
            Some((name, head)) => (name, Some(Self { head, ..*self })),
            None => (self.head, None),
        }
    }

    /// Whether a text is the mark, ASCII case ignored.
    pub(super) fn is(&self, text: &str) -> bool {
        self.gap.is_none() && text.eq_ignore_ascii_case(self.head)
    }

    /// Whether a header's value is the mark, or begins with it where it states a version; with the version.
    pub(super) fn is_value(&self, value: &str) -> Option<Option<String>> {
        if self.gap.is_some() { self.begins(value) } else { self.is(value.trim()).then_some(None) }
    }

    /// Whether a text begins with the mark as a whole word, ASCII case ignored; with the version.
    pub(super) fn begins(&self, text: &str) -> Option<Option<String>> {
        let start = text.get(..self.head.len()).filter(|start| start.eq_ignore_ascii_case(self.head))?;
        self.after(text.get(start.len()..)?, |rest| !rest.starts_with(|next: char| next.is_alphanumeric()))
    }

    /// Whether a text holds the mark; with the version.
    pub(super) fn held(&self, text: &str) -> Option<Option<String>> {
        let mut places = memchr::memmem::find_iter(text.as_bytes(), self.head.as_bytes());
        places.find_map(|at| self.after(text.get(at + self.head.len()..)?, |_| true))
    }

    /// Whether a path or address begins with the mark, or, `anywhere`, holds it.
    pub(super) fn fits(&self, address: &str, anywhere: bool) -> bool {
        let rest = if anywhere {
            address.find(self.head).and_then(|at| address.get(at + self.head.len()..))
        } else {
            address.strip_prefix(self.head)
        };
        rest.is_some_and(|rest| self.gap.is_none_or(|(_, tail)| rest.contains(tail)))
    }

    /// Whether what follows the head is right; `ends` judges it where the mark has no version.
    fn after(&self, rest: &str, ends: impl Fn(&str) -> bool) -> Option<Option<String>> {
        match self.gap {
            Some((MarkGap::Version, tail)) => {
                let version = version(rest)?;
                rest.get(version.len()..)?.starts_with(tail).then(|| Some(version.to_owned()))
            }
            _ => ends(rest).then_some(None),
        }
    }
}

/// The version that a text begins with: a digit first, then digits, letters, dots and dashes.
fn version(text: &str) -> Option<&str> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let length = text.bytes().take_while(|byte| is_part(byte)).count();
    let version = text.get(..length)?.trim_end_matches(['.', '-']);
    (version.starts_with(|first: char| first.is_ascii_digit()) && version.len() <= LONGEST_VERSION).then_some(version)
}

/// The table as it is asked.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) systems: Vec<System>,
    places: HashMap<Where, Vec<MarkRow>>,
    /// Rows of files, and where their heads stand in an address: one pass finds all.
    files: Vec<MarkRow>,
    heads: AhoCorasick,
    /// Where the heads of rows of comments stand in one.
    of_comments: AhoCorasick,
}

/// The table, read once.
pub(super) static SYSTEMS: LazyLock<Table> = LazyLock::new(Table::read);

impl Table {
    fn read() -> Self {
        let mut systems: Vec<System> = Vec::new();
        let mut places: HashMap<Where, Vec<MarkRow>> = HashMap::new();
        for (order, line) in TABLE.lines().filter(|line| !line.starts_with('#')).enumerate() {
            let cells: Vec<&'static str> = line.split('\t').collect();
            let &[name, word, place, mark, lives_in] = cells.as_slice() else { continue };
            let (Some(kind), Some(place)) = (kind(word), Where::read(place)) else { continue };
            let known = systems.iter().position(|system| system.name == name);
            let system = known.unwrap_or(systems.len());
            if known.is_none() {
                systems.push(System { name, kind, lives_in: Some(lives_in).filter(|other| *other != "-") });
            }
            places.entry(place).or_default().push(MarkRow { system, order, place, mark: Mark::read(mark) });
        }
        let files: Vec<MarkRow> = [Where::Own, Where::Address, Where::Path]
            .iter()
            .flat_map(|place| places.get(place).cloned().unwrap_or_default())
            .collect();
        // It fails on more patterns than a program can hold. A page has few addresses of files: to make the table of the
        // fastest kind takes longer than to look through those of a hundred pages.
        let kind = AhoCorasickKind::ContiguousNFA;
        let heads = AhoCorasick::builder().kind(Some(kind)).build(files.iter().map(|row| row.mark.head));
        let heads = heads.expect("a table of some hundred short words is small enough");
        let comments = places.get(&Where::Comment).map(Vec::as_slice).unwrap_or_default();
        let of_comments = AhoCorasick::builder().kind(Some(kind)).build(comments.iter().map(|row| row.mark.head));
        let of_comments = of_comments.expect("a table of some short texts is small enough");
        Self { systems, places, files, heads, of_comments }
    }

    /// The rows of a place, in order.
    pub(super) fn at(&self, place: Where) -> &[MarkRow] {
        self.places.get(&place).map(Vec::as_slice).unwrap_or_default()
    }

    /// The rows that a comment may hold, in order: none, of nearly every comment.
    pub(super) fn in_comment(&self, text: &str) -> &[MarkRow] {
        if self.of_comments.is_match(text) { self.at(Where::Comment) } else { &[] }
    }

    /// The rows of files whose heads stand in an address as it is written.
    pub(super) fn in_address<'t>(&'t self, address: &'t str) -> impl Iterator<Item = &'t MarkRow> {
        let found = self.heads.find_overlapping_iter(address);
        found.filter_map(|hit| self.files.get(hit.pattern().as_usize()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_read() {
        let rows = TABLE.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(SYSTEMS.places.values().map(Vec::len).sum::<usize>(), rows);
        for system in &SYSTEMS.systems {
            let is_known = |name: &str| SYSTEMS.systems.iter().any(|other| other.name == name);
            assert!(system.lives_in.is_none_or(is_known), "{}", system.name);
        }
        for row in SYSTEMS.places.values().flatten() {
            assert!(row.mark.head.len() >= 3, "a mark of {row:?} is too short to be certain");
        }
    }

    #[test]
    fn marks_end_where_a_word_ends_and_have_versions_that_begin_with_a_digit() {
        let begins = |mark: &'static str, text: &str| Mark::read(mark).begins(text);
        assert_eq!(begins("WordPress #", "wordpress 6.4.2"), Some(Some("6.4.2".to_owned())));
        assert_eq!(begins("Drupal #", "Drupal 10 (https://www.drupal.org)"), Some(Some("10".to_owned())));
        assert_eq!(begins("Ghost #", "Ghost writer"), None);
        assert_eq!(begins("Joomla!", "Joomla! - Open Source Content Management"), Some(None));
        assert_eq!(begins("blogger", "bloggers"), None);
        let held = |mark: &'static str, text: &str| Mark::read(mark).held(text);
        assert_eq!(
            held("SEO # - aioseo.com", "<!-- All in One SEO 4.6 - aioseo.com -->"),
            Some(Some("4.6".to_owned()))
        );
        assert_eq!(held("SEO # - aioseo.com", "<!-- All in One SEO 4.6 is gone -->"), None);
        assert!(Mark::read("/static/version*/frontend/").fits("/pub/static/version12/frontend/a.css", true));
        assert!(!Mark::read("/static/version*/frontend/").fits("/frontend/static/version12/a.css", true));
        assert!(!Mark::read("cdn.example/*/css/").fits("www.cdn.example/1/css/a.css", false));
    }
}
