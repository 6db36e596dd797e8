//! One line: key, value, and what is wrong with it.

/// Bytes after which Google cuts a line (eight times the longest URL it takes).
const LONGEST_LINE: usize = 8 * 2_083;
/// Problems kept of one line's text.
const SHOWN_CHARACTERS: usize = 160;

/// What a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKey {
    UserAgent,
    Allow,
    Disallow,
    Sitemap,
    /// Known, and ignored by Google.
    Unsupported,
    Unknown,
    /// Empty, or a comment only.
    Blank,
}

/// What is wrong with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// No colon between key and value.
    NoColon,
    /// `User-agent` without a value.
    EmptyAgent,
    /// A rule before any `User-agent`.
    RuleBeforeAgent,
    /// A path that starts neither with `/` nor with `*`.
    PathStart,
    /// `$` elsewhere than at the end, where it stands for itself.
    DollarInside,
    /// A key that Google reads although it is misspelled.
    Misspelled,
    /// A key nobody knows.
    UnknownKey,
}

/// One line that crawlers can't read, or read only out of kindness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineProblem {
    /// 1-based.
    pub line: u32,
    /// What is wrong.
    pub kind: ProblemKind,
    /// The line as written, shortened.
    pub text: String,
    /// The line as it should be, when there is one reading.
    pub corrected: Option<String>,
}

/// A line read.
#[derive(Debug)]
pub(super) struct RobotsLine<'t> {
    pub(super) key: LineKey,
    pub(super) value: &'t str,
    name: &'t str,
    colon: bool,
}

/// Lines with their 1-based numbers; CR, LF and CRLF end one.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let mut rest = Some(text);
    let mut number = 0;
    std::iter::from_fn(move || {
        let text = rest?;
        number += 1;
        let end = text.find(['\r', '\n']);
        rest = end.map(|end| {
            let after = text.get(end..).unwrap_or_default();
            after.strip_prefix("\r\n").or_else(|| after.get(1..)).unwrap_or_default()
        });
        let line = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
        let mut cut = line.len().min(LONGEST_LINE);
        while !line.is_char_boundary(cut) {
            cut -= 1;
        }
        Some((number, line.get(..cut).unwrap_or_default()))
    })
}

impl<'t> RobotsLine<'t> {
    /// Reads a line as Google's parser does: comments off, a space in place of a forgotten colon.
    pub(super) fn read(source: &'t str) -> Self {
        let text = source.split('#').next().unwrap_or_default().trim();
        if text.is_empty() {
            return Self { key: LineKey::Blank, value: "", name: "", colon: true };
        }
        let (name, value, colon) = match text.split_once(':') {
            Some((name, value)) => (name.trim(), value.trim(), true),
            None => match text.split_once(char::is_whitespace) {
                Some((name, value)) if !value.trim().contains(char::is_whitespace) => (name, value.trim(), false),
                _ => (text, "", false),
            },
        };
        Self { key: key(name), value, name, colon }
    }

    /// What is wrong with the line, if anything; `first`: no group has begun.
    pub(super) fn problem(&self, number: u32, source: &str, first: bool) -> Option<LineProblem> {
        let is_rule = matches!(self.key, LineKey::Allow | LineKey::Disallow);
        let inside = self.value.trim_end_matches('$').contains('$');
        let kind = match self.key {
            LineKey::Blank | LineKey::Unsupported if self.colon => return None,
            _ if !self.colon => ProblemKind::NoColon,
            LineKey::Unknown => ProblemKind::UnknownKey,
            LineKey::UserAgent if self.value.is_empty() => ProblemKind::EmptyAgent,
            _ if is_rule && first => ProblemKind::RuleBeforeAgent,
            _ if is_rule && !self.value.is_empty() && !self.value.starts_with(['/', '*']) => ProblemKind::PathStart,
            _ if is_rule && inside => ProblemKind::DollarInside,
            _ if !self.name.eq_ignore_ascii_case(self.canonical_name()) => ProblemKind::Misspelled,
            _ => return None,
        };
        let corrected = match kind {
            ProblemKind::Misspelled | ProblemKind::NoColon
                if self.key != LineKey::Unknown && !self.value.is_empty() =>
            {
                Some(format!("{}: {}", self.canonical_name(), self.value))
            }
            _ => None,
        };
        Some(LineProblem {
            line: number,
            kind,
            text: source.trim().chars().take(SHOWN_CHARACTERS).collect(),
            corrected,
        })
    }

    fn canonical_name(&self) -> &str {
        match self.key {
            LineKey::UserAgent => "User-agent",
            LineKey::Allow => "Allow",
            LineKey::Disallow => "Disallow",
            LineKey::Sitemap => "Sitemap",
            LineKey::Unsupported | LineKey::Unknown | LineKey::Blank => self.name,
        }
    }
}

/// Fields that are known and that Google ignores, with source and date in the file.
const FIELDS: &str = include_str!("../../data/robots_txt_fields.tsv");

/// Who reads a field that Google ignores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// No crawler does.
    Nobody,
    /// Crawlers of other engines do.
    Others,
    /// It is a statement for other readers than crawlers of search engines.
    Policy,
}

/// The readers of a line's field; `None` for one that is not in the table.
pub fn readers(line: &str) -> Option<Readers> {
    let name = line.split(':').next().unwrap_or_default().trim().to_ascii_lowercase();
    let rows = FIELDS.lines().filter(|row| !row.starts_with('#')).filter_map(|row| row.split_once('\t'));
    rows.filter(|(field, _)| *field == name).map(|(_, readers)| readers).next().map(|readers| match readers {
        "nobody" => Readers::Nobody,
        "others" => Readers::Others,
        _ => Readers::Policy,
    })
}

/// Keys by their start, as Google matches them; the misspellings are those that its parser takes.
fn key(name: &str) -> LineKey {
    let name = name.to_ascii_lowercase();
    let starts = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
    if starts(&["user-agent", "useragent", "user agent"]) {
        LineKey::UserAgent
    } else if starts(&["allow"]) {
        LineKey::Allow
    } else if starts(&["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"]) {
        LineKey::Disallow
    } else if starts(&["sitemap", "site-map"]) {
        LineKey::Sitemap
    } else if readers(&name).is_some() {
        LineKey::Unsupported
    } else {
        LineKey::Unknown
    }
}
