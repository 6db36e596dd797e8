//! A JSON text as a tree in which every value knows its place, numbers stay as written, and no member is lost.

use std::ops::Range;

/// Bytes read of one block.
pub(crate) const LARGEST_BLOCK: usize = 512 * 1024;

/// Levels read, those of the parser that judged the text before.
const MOST_LEVELS: usize = 128;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ValueTree {
    /// Bytes of the text that it was read from.
    pub(crate) span: Range<usize>,
    /// What it is.
    pub(crate) kind: TreeKind,
}

/// The kinds of value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TreeKind {
    /// An object, its members in order.
    Object(Vec<Member>),
    /// An array.
    Array(Vec<ValueTree>),
    /// A string, escapes resolved.
    Text(String),
    /// A number as written.
    Number(String),
    /// `true` or `false`.
    Bool(bool),
    /// `null`.
    Null,
}

/// One member of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    /// Its name, escapes resolved.
    pub(crate) name: String,
    /// Where the name stands.
    pub(crate) at: usize,
    /// Its value.
    pub(crate) value: ValueTree,
}

impl ValueTree {
    /// Reads a text that is JSON; `None` for one that is not, or nested too deep.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut reader = TreeReader { text, at: 0 };
        let tree = reader.value(0)?;
        reader.skip_space();
        (reader.at == text.len()).then_some(tree)
    }

    /// Moves every place by so many bytes.
    pub(crate) fn shift(&mut self, by: isize) {
        let moved = |at: usize| at.saturating_add_signed(by);
        self.span = moved(self.span.start)..moved(self.span.end);
        match &mut self.kind {
            TreeKind::Object(members) => {
                for member in members {
                    member.at = moved(member.at);
                    member.value.shift(by);
                }
            }
            TreeKind::Array(values) => values.iter_mut().for_each(|value| value.shift(by)),
            TreeKind::Text(_) | TreeKind::Number(_) | TreeKind::Bool(_) | TreeKind::Null => {}
        }
    }

    /// Members, where it is an object.
    pub(crate) fn members(&self) -> Option<&[Member]> {
        match &self.kind {
            TreeKind::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The string, where it is one.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            TreeKind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The members of an array, else the value itself.
    pub(crate) fn each(&self) -> &[Self] {
        match &self.kind {
            TreeKind::Array(values) => values,
            _ => std::slice::from_ref(self),
        }
    }

    /// Bytes that a copy of it takes, about.
    pub(crate) fn weight(&self) -> usize {
        let below: usize = match &self.kind {
            TreeKind::Object(members) => members.iter().map(|member| member.name.len() + member.value.weight()).sum(),
            TreeKind::Array(values) => values.iter().map(Self::weight).sum(),
            TreeKind::Text(text) | TreeKind::Number(text) => text.len(),
            TreeKind::Bool(_) | TreeKind::Null => 0,
        };
        size_of::<Self>() + below
    }

    /// The first member whose name its object has had before: where it stands, and the name.
    pub(crate) fn duplicate(&self) -> Option<(usize, &str)> {
        match &self.kind {
            TreeKind::Object(members) => {
                let mut seen = std::collections::BTreeSet::new();
                members.iter().find_map(|member| {
                    let again = !seen.insert(member.name.as_str());
                    if again { Some((member.at, member.name.as_str())) } else { member.value.duplicate() }
                })
            }
            TreeKind::Array(values) => values.iter().find_map(Self::duplicate),
            _ => None,
        }
    }
}

struct TreeReader<'t> {
    text: &'t str,
    at: usize,
}

impl TreeReader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    /// Takes a byte if it comes next, past white space.
    fn take(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.text.as_bytes().get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, level: usize) -> Option<ValueTree> {
        self.skip_space();
        let start = self.at;
        let kind = match self.text.as_bytes().get(start)? {
            b'{' | b'[' if level == MOST_LEVELS => return None,
            b'{' => TreeKind::Object(self.object(level)?),
            b'[' => TreeKind::Array(self.array(level)?),
            b'"' => TreeKind::Text(self.string()?),
            _ => self.word()?,
        };
        Some(ValueTree { span: start..self.at, kind })
    }

    fn object(&mut self, level: usize) -> Option<Vec<Member>> {
        let mut members = Vec::new();
        self.at += 1;
        if self.take(b'}') {
            return Some(members);
        }
        loop {
            self.skip_space();
            let at = self.at;
            let name = self.string()?;
            if !self.take(b':') {
                return None;
            }
            members.push(Member { name, at, value: self.value(level + 1)? });
            if !self.take(b',') {
                return self.take(b'}').then_some(members);
            }
        }
    }

    fn array(&mut self, level: usize) -> Option<Vec<ValueTree>> {
        let mut values = Vec::new();
        self.at += 1;
        if self.take(b']') {
            return Some(values);
        }
        loop {
            values.push(self.value(level + 1)?);
            if !self.take(b',') {
                return self.take(b']').then_some(values);
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        let start = self.at;
        let bytes = self.text.as_bytes().get(start..)?.strip_prefix(b"\"")?;
        let mut escaped = false;
        let length = bytes.iter().position(|byte| {
            let ends = *byte == b'"' && !escaped;
            escaped = *byte == b'\\' && !escaped;
            ends
        })?;
        self.at = start + length + 2;
        serde_json::from_str(self.text.get(start..self.at)?).ok()
    }

    fn word(&mut self) -> Option<TreeKind> {
        let rest = self.rest();
        let length = rest.find(|c: char| matches!(c, ',' | '}' | ']') || c.is_ascii_whitespace()).unwrap_or(rest.len());
        let word = rest.get(..length)?;
        let kind = match serde_json::from_str(word).ok()? {
            serde_json::Value::Bool(value) => TreeKind::Bool(value),
            serde_json::Value::Null => TreeKind::Null,
            serde_json::Value::Number(_) => TreeKind::Number(word.to_owned()),
            _ => return None,
        };
        self.at += length;
        Some(kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_stand_where_they_are_written() {
        let source = r#" {"a": [1.50, -2e3, 100000000000000000000000000001], "b\"c": {"d": "\u00e9\\"}, "e": null} "#;
        let tree = ValueTree::read(source).unwrap();
        let [a, b, e] = tree.members().unwrap() else { panic!("{tree:?}") };
        let written: Vec<&str> = a.value.each().iter().map(|number| &source[number.span.clone()]).collect();
        assert_eq!(written, ["1.50", "-2e3", "100000000000000000000000000001"]);
        assert_eq!((b.name.as_str(), e.value.kind.clone()), ("b\"c", TreeKind::Null));
        let d = &b.value.members().unwrap()[0].value;
        assert_eq!((d.text(), &source[d.span.clone()]), (Some("é\\"), r#""\u00e9\\""#));
    }

    #[test]
    fn a_name_that_comes_twice_is_found_wherever_it_is() {
        let duplicate =
            |source: &str| ValueTree::read(source).unwrap().duplicate().map(|(at, name)| (at, name.to_owned()));
        assert_eq!(duplicate(r#"{"a":{"a":1},"b":2}"#), None);
        assert_eq!(duplicate(r#"[{"a":[{"b":1,"c":2,"b":1}]}]"#), Some((20, "b".to_owned())));
        assert_eq!(duplicate(r#"{"a":1,"\u0061":2}"#), Some((7, "a".to_owned())));
    }

    #[test]
    fn what_is_not_json_is_not_read() {
        for source in ["", "{", "{} x", "{\"a\":1,}", "NaN", "{a:1}", "[01]", "\"a", "[1 2]", "{\"a\" 1}"] {
            assert_eq!(ValueTree::read(source), None, "{source}");
        }
        assert_eq!(ValueTree::read(&"[".repeat(100_000)), None);
    }

    proptest! {
        #[test]
        fn it_reads_what_the_parser_reads(source in "[\\[\\]{}\":,a1\\\\.é \\n-]{0,40}") {
            let parsed = serde_json::from_str::<serde_json::Value>(&source).is_ok();
            prop_assert_eq!(ValueTree::read(&source).is_some(), parsed, "{}", source);
        }
    }
}
