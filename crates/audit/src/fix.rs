//! Fixes as data, so that those of all findings can be merged into one patch.

use std::collections::BTreeSet;
use std::ops::Range;

use model::fix::{FixClass, FixTarget, HostFile};
use model::lang::{Phrase, Text, Value, text};

use crate::facts::document::{Element, NodeId};
use crate::facts::new_nodes::NewBlock;
use crate::facts::resolved::Resolved;

/// The site's own files at the host root, as far as they were read whole: path and text.
pub(crate) type OwnFiles<'f> = &'f [(&'f str, String)];

/// A fix before it is merged: the ready text, and the operations it stands for.
#[derive(Debug)]
pub struct FixDraft {
    pub(crate) class: FixClass,
    pub(crate) target: FixTarget,
    pub(crate) snippet: Option<String>,
    pub(crate) file: Option<HostFile>,
    pub(crate) origin: Option<Phrase>,
    pub(crate) note: Option<Phrase>,
    pub(crate) head_tags: Vec<HeadTag>,
    pub(crate) edits: Vec<DraftEdit>,
    pub(crate) file_edits: Vec<FileEdit>,
}

/// A tag that the head lacks.
#[derive(Debug, Clone)]
pub struct HeadTag {
    /// Its identity: a head holds one tag of each key.
    pub key: HeadKey,
    /// The tag, escaped.
    pub tag: String,
}

/// Identity of a head tag, in head order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HeadKey {
    /// `meta charset`.
    Charset,
    /// `base`.
    Base,
    /// `meta name=viewport`.
    Viewport,
    /// `title`.
    Title,
    /// `meta name=…`.
    Name(String),
    /// `link rel=canonical`.
    Canonical,
    /// `link rel=alternate hreflang=…`.
    Hreflang(String),
    /// `link rel=icon`.
    Icon,
    /// `meta property=…`.
    Property(String),
    /// A JSON-LD block, by the code that asks for it.
    JsonLd(String),
}

/// One change of the page's source.
#[derive(Debug, Clone)]
pub(crate) struct DraftEdit {
    pub(crate) target: FixTarget,
    pub(crate) change: FixChange,
}

/// The kinds of change. Those of attributes on one element merge into one edit.
#[derive(Debug, Clone)]
pub(crate) enum FixChange {
    SetAttribute {
        node: NodeId,
        name: String,
        value: String,
    },
    RemoveAttribute {
        node: NodeId,
        name: String,
    },
    /// Everything between start and end tag; already escaped.
    SetContent {
        node: NodeId,
        content: String,
    },
    /// The element with its content.
    Remove {
        node: NodeId,
    },
    /// Put in front of an element's start tag; already escaped.
    InsertBefore {
        node: NodeId,
        html: String,
    },
    /// Put directly after an element's start tag; already escaped.
    InsertInside {
        node: NodeId,
        html: String,
    },
    /// A span of the source itself.
    Replace {
        span: Range<usize>,
        text: String,
    },
}

/// One change of a file at the host root.
#[derive(Debug, Clone)]
pub struct FileEdit {
    /// Absolute path on the host.
    pub path: String,
    /// What to do.
    pub change: FileChange,
}

/// The kinds of change of a file. Those of one path are merged over the site's own file.
#[derive(Debug, Clone)]
pub enum FileChange {
    /// The file as a whole. Wins over nothing: line changes come on top.
    Whole(String),
    /// Replaces one 1-based line; an empty text drops it.
    Line(u32, String),
    /// Adds a line at the end, unless the file has it.
    Append(String),
}

impl FixDraft {
    /// Tags, edits and files that it changes.
    pub(crate) fn changes(&self) -> u32 {
        let files: BTreeSet<&str> = self.file_edits.iter().map(|edit| edit.path.as_str()).collect();
        u32::try_from(self.head_tags.len() + self.edits.len() + files.len()).unwrap_or(u32::MAX)
    }

    /// A new block of structured data, with the origin of each value.
    pub(crate) fn block(block: &NewBlock) -> Self {
        let fix = Self::head(HeadKey::JsonLd(block.key().to_owned()), block.tag());
        let fix = Self { origin: Some(block.origin()), ..fix };
        if block.is_ready() { fix } else { fix.into_draft() }
    }

    fn new(class: FixClass, target: FixTarget) -> Self {
        Self {
            class,
            target,
            snippet: None,
            file: None,
            origin: None,
            note: None,
            head_tags: Vec::new(),
            edits: Vec::new(),
            file_edits: Vec::new(),
        }
    }

    /// A ready tag for the head that the page lacks.
    pub fn head(key: HeadKey, tag: impl Into<String>) -> Self {
        Self::heads([(key, tag.into())])
    }

    /// Several ready tags for the head.
    pub fn heads(tags: impl IntoIterator<Item = (HeadKey, String)>) -> Self {
        let head_tags: Vec<HeadTag> = tags.into_iter().map(|(key, tag)| HeadTag { key, tag }).collect();
        let snippet = head_tags.iter().map(|tag| tag.tag.as_str()).collect::<Vec<_>>().join("\n");
        Self { snippet: Some(snippet), head_tags, ..Self::new(FixClass::Deterministic, FixTarget::Head) }
    }

    /// A ready change of what the page has. `snippet` is what it reads afterwards; add the operations with
    /// [`Self::set`], [`Self::unset`], [`Self::content`], [`Self::remove`], [`Self::before`] and [`Self::replace`].
    pub fn edit(target: FixTarget, snippet: impl Into<String>) -> Self {
        Self { snippet: Some(snippet.into()), ..Self::new(FixClass::Deterministic, target) }
    }

    /// A tag with `{{PLACEHOLDER}}`, or with values that its owner has to confirm.
    pub fn template(target: FixTarget, snippet: impl Into<String>) -> Self {
        Self { snippet: Some(snippet.into()), ..Self::new(FixClass::Template, target) }
    }

    /// A file with placeholders: its lines go into the note of an instruction in the patch.
    pub fn file_template(path: &str, content: impl Into<String>) -> Self {
        Self {
            file: Some(HostFile { path: path.to_owned(), content: content.into() }),
            ..Self::new(FixClass::Template, FixTarget::File)
        }
    }

    /// A rule with placeholders for the server's own configuration, which is no file of the host: the note holds it.
    pub fn server_rule(note: Text, values: &[(&str, Value)]) -> Self {
        Self { note: Some(note.phrase(values)), ..Self::new(FixClass::Template, FixTarget::File) }
    }

    /// What to decide or to do on the server.
    pub fn instruction(target: FixTarget, note: Text, values: &[(&str, Value)]) -> Self {
        Self { note: Some(note.phrase(values)), ..Self::new(FixClass::Instruction, target) }
    }

    /// A whole file at the host root.
    pub fn file(path: &str, content: impl Into<String>) -> Self {
        let content = content.into();
        let change = FileChange::Whole(content.clone());
        Self {
            file: Some(HostFile { path: path.to_owned(), content }),
            file_edits: vec![FileEdit { path: path.to_owned(), change }],
            ..Self::new(FixClass::Deterministic, FixTarget::File)
        }
    }

    /// Changes of the site's own file, given as it is now.
    pub fn file_changes(path: &str, current: &str, changes: Vec<FileChange>) -> Self {
        let content = apply_to_file(current, &changes);
        Self {
            file: Some(HostFile { path: path.to_owned(), content }),
            file_edits: changes.into_iter().map(|change| FileEdit { path: path.to_owned(), change }).collect(),
            ..Self::new(FixClass::Deterministic, FixTarget::File)
        }
    }

    /// Where the value came from, or what the page had.
    pub fn from(mut self, origin: Text, values: &[(&str, Value)]) -> Self {
        self.origin = Some(origin.phrase(values));
        self
    }

    /// With the source of the value that it holds; a draft where that value is not certain.
    pub(crate) fn of(self, resolved: &Resolved) -> Self {
        let fix = self.from(resolved.source.words(), &[]);
        if resolved.is_ready() { fix } else { fix.into_draft() }
    }

    /// The same for its owner to confirm: it shows its text, and enters no ready change.
    pub(crate) fn into_draft(self) -> Self {
        const CONFIRM: Text = text(
            "Check that this describes the page correctly, edit it if needed, then paste it.",
            "Confira se isto descreve bem a página, edite se necessário e depois cole.",
        );
        Self {
            class: FixClass::Template,
            note: self.note.or_else(|| Some(CONFIRM.into())),
            head_tags: Vec::new(),
            edits: Vec::new(),
            file_edits: Vec::new(),
            ..self
        }
    }

    /// How to apply it, or what to decide.
    pub fn note(mut self, note: Text, values: &[(&str, Value)]) -> Self {
        self.note = Some(note.phrase(values));
        self
    }

    /// Also adds a head tag.
    pub fn with_head(mut self, key: HeadKey, tag: impl Into<String>) -> Self {
        self.head_tags.push(HeadTag { key, tag: tag.into() });
        self
    }

    /// Also changes another file of the host.
    pub fn with_file_change(mut self, path: &str, change: FileChange) -> Self {
        self.file_edits.push(FileEdit { path: path.to_owned(), change });
        self
    }

    /// Also does what another ready change does; snippets are joined, the rest of the text stays.
    pub fn and(mut self, other: Self) -> Self {
        let snippets = [self.snippet.take(), other.snippet];
        let joined =
            snippets.into_iter().flatten().filter(|snippet| !snippet.is_empty()).collect::<Vec<_>>().join("\n");
        self.snippet = Some(joined);
        self.head_tags.extend(other.head_tags);
        self.edits.extend(other.edits);
        self.file_edits.extend(other.file_edits);
        self
    }

    /// Sets an attribute of an element of the source; the value is escaped when it is written.
    pub fn set(self, element: Element<'_>, name: &str, value: &str) -> Self {
        let (name, value) = (name.to_owned(), value.to_owned());
        self.change(FixChange::SetAttribute { node: element.id(), name, value })
    }

    /// Takes an attribute off.
    pub fn unset(self, element: Element<'_>, name: &str) -> Self {
        self.change(FixChange::RemoveAttribute { node: element.id(), name: name.to_owned() })
    }

    /// Replaces what lies between the tags; `content` is already escaped.
    pub fn content(self, element: Element<'_>, content: impl Into<String>) -> Self {
        self.change(FixChange::SetContent { node: element.id(), content: content.into() })
    }

    /// Takes the element away.
    pub fn remove(self, element: Element<'_>) -> Self {
        self.change(FixChange::Remove { node: element.id() })
    }

    /// Puts escaped HTML in front of an element.
    pub fn before(self, element: Element<'_>, html: impl Into<String>) -> Self {
        self.change(FixChange::InsertBefore { node: element.id(), html: html.into() })
    }

    /// Puts escaped HTML directly after an element's start tag.
    pub fn inside(self, element: Element<'_>, html: impl Into<String>) -> Self {
        self.change(FixChange::InsertInside { node: element.id(), html: html.into() })
    }

    /// Replaces a span of the source. An empty span inserts.
    pub fn replace(self, span: Range<usize>, text: impl Into<String>) -> Self {
        self.change(FixChange::Replace { span, text: text.into() })
    }

    fn change(mut self, change: FixChange) -> Self {
        self.edits.push(DraftEdit { target: self.target, change });
        self
    }
}

/// A file's text with changes applied: whole first, then lines, then appended ones.
pub(crate) fn apply_to_file(current: &str, changes: &[FileChange]) -> String {
    let mut base = current.to_owned();
    for change in changes {
        if let FileChange::Whole(content) = change {
            base.clone_from(content);
        }
    }
    let mut lines: Vec<Option<String>> = base.lines().map(|line| Some(line.to_owned())).collect();
    for change in changes {
        if let FileChange::Line(number, text) = change
            && let Some(line) = (*number as usize).checked_sub(1).and_then(|at| lines.get_mut(at))
        {
            *line = (!text.is_empty()).then(|| text.clone());
        }
    }
    let mut lines: Vec<String> = lines.into_iter().flatten().collect();
    for change in changes {
        if let FileChange::Append(text) = change
            && !lines.contains(text)
        {
            lines.push(text.clone());
        }
    }
    let mut out = lines.join("\n");
    out.push('\n');
    out
}
