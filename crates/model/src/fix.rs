//! Fixes: what makes a finding go away.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::Severity;
use crate::lang::{Lang, Phrase};

/// How ready a fix is. Ordered from the readiest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum FixClass {
    /// Whole from the page: ready to paste.
    #[serde(rename = "deterministico")]
    Deterministic,
    /// A draft: has a `{{NAME}}` placeholder to fill in, or values to confirm, whose source is in `fonte`.
    #[serde(rename = "molde")]
    Template,
    /// An instruction: needs a decision or infrastructure.
    #[serde(rename = "sem_patch")]
    Instruction,
}

/// Where a fix goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum FixTarget {
    /// Inside `<head>`.
    #[serde(rename = "head")]
    Head,
    /// Inside `<body>`.
    #[serde(rename = "corpo")]
    Body,
    /// An image tag.
    #[serde(rename = "img")]
    Image,
    /// A file at the host root.
    #[serde(rename = "arquivo")]
    File,
    /// The document as a whole, its response headers, or the server.
    #[serde(rename = "pagina")]
    Page,
}

/// One ready fix (Correcao); one per finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Correcao")]
pub struct Fix<T = Phrase> {
    /// Code of the finding.
    pub code: String,
    /// Severity of the finding.
    pub severity: Severity,
    /// How ready the fix is.
    #[serde(rename = "classe")]
    pub class: FixClass,
    /// Where the fix goes.
    #[serde(rename = "alvo")]
    pub target: FixTarget,
    /// Ready tag; null for files and instructions.
    pub snippet: Option<String>,
    /// The file to create, with its whole content.
    #[serde(rename = "arquivo")]
    pub file: Option<HostFile>,
    /// Source of the value, or what the page already had.
    #[serde(rename = "fonte")]
    pub origin: Option<T>,
    /// How to apply the fix, or what to decide.
    #[serde(rename = "nota")]
    pub note: Option<T>,
    /// The changes of the page's source that a ready fix makes by itself, in source order. Applied alone, they make the
    /// finding go away. `edicoes` and `head` of the patch have the same changes of all fixes together: there, changes of
    /// one tag are one edit.
    #[serde(default)]
    pub edits: Vec<FixEdit>,
    /// Where it is made in the system that wrote the page; absent where no system is known, or it does not make this.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    pub place: Option<FixPlace<T>>,
}

/// Where a fix is made in a system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FixPlace<T = Phrase> {
    /// Name of the system, one of `summary.platform`.
    pub system: String,
    /// Path in the system: menus and fields by their names.
    pub steps: T,
}

/// Kind of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "VerboEdicao")]
pub enum Verb {
    /// Inserts `after` at `offset`; `before` is empty.
    Add,
    /// Replaces `before` with `after`.
    Replace,
    /// Removes `before` and inserts `after` at `to`.
    Move,
    /// Removes `before`; `after` is empty, or the one space that must stay.
    Delete,
}

/// One change of the page's source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EdicaoCorrecao")]
pub struct FixEdit {
    /// What it does.
    pub verb: Verb,
    /// Exact current source text.
    pub before: String,
    /// The new text; for a move, the text at `to`.
    pub after: String,
    /// Where `before` stands, or `after` comes.
    #[serde(flatten)]
    pub at: SourcePlace,
    /// Target of a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<SourcePlace>,
}

/// A place in the page's source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LugarEdicao")]
pub struct SourcePlace {
    /// 1-based line.
    pub line: u32,
    /// Byte offset in the page decoded to UTF-8.
    pub offset: usize,
    /// Byte offset in the file itself, whatever its encoding; absent where the characters can't be told apart in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byte_offset: Option<usize>,
    /// Bytes of the file that `before` takes; 0 where something is added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byte_length: Option<usize>,
}

/// A file at the host root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ArquivoCorrecao")]
pub struct HostFile {
    /// Absolute path on the host, `/robots.txt`.
    pub path: String,
    /// Full content.
    #[serde(rename = "conteudo")]
    pub content: String,
}

impl Fix<Phrase> {
    /// The fix as a reader of `lang` gets it.
    pub fn in_lang(&self, lang: Lang) -> Fix<String> {
        let pick = |phrase: &Option<Phrase>| phrase.as_ref().map(|phrase| phrase.in_lang(lang).to_owned());
        Fix {
            code: self.code.clone(),
            severity: self.severity,
            class: self.class,
            target: self.target,
            snippet: self.snippet.clone(),
            file: self.file.clone(),
            origin: pick(&self.origin),
            note: pick(&self.note),
            place: self
                .place
                .as_ref()
                .map(|place| FixPlace { system: place.system.clone(), steps: place.steps.in_lang(lang).to_owned() }),
            edits: self.edits.clone(),
        }
    }
}
