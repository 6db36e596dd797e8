//! The consolidated patch of an audit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fix::FixTarget;
use crate::lang::{Lang, Phrase};

/// All fixes of an audit together (Patch). Applying it = every `edits` entry, then `head` directly after the `<head>` tag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Patch")]
pub struct Patch<T = Phrase> {
    /// Final audited URL.
    pub url: Option<String>,
    /// Ready head tags that the page lacks, one per line, in head order; at most one per key.
    pub head: String,
    /// Files to create or replace at the host root, one per path.
    #[serde(rename = "arquivos")]
    pub files: Vec<FilePatch>,
    /// Deterministic changes of what exists, or lies outside `<head>`.
    #[serde(rename = "edicoes")]
    pub edits: Vec<Edit>,
    /// Templates for what only the owner can fill in.
    #[serde(rename = "moldes")]
    pub templates: Vec<TemplatePatch<T>>,
    /// Decisions and infrastructure.
    #[serde(rename = "sem_patch")]
    pub instructions: Vec<Instruction<T>>,
    /// Fixes by class.
    #[serde(rename = "resumo")]
    pub totals: PatchTotals,
    /// One sentence on how to apply it.
    #[serde(rename = "como_aplicar")]
    pub how_to_apply: T,
}

/// One file of a patch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ArquivoPatch")]
pub struct FilePatch {
    /// First finding that needs the file.
    pub code: String,
    /// Absolute path on the host.
    pub path: String,
    /// Full content, without placeholders.
    #[serde(rename = "conteudo")]
    pub content: String,
}

/// One exact replacement in the page's source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EdicaoPatch")]
pub struct Edit {
    /// First finding that needs the change.
    pub code: String,
    /// Other findings fixed by the same edit: changes of one tag are one edit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// Location in the source.
    #[serde(rename = "alvo")]
    pub target: FixTarget,
    /// 1-based line of the first character.
    pub line: u32,
    /// Byte offset of the first character in the page decoded to UTF-8.
    pub offset: usize,
    /// Byte offset of the first character in the file itself, whatever its encoding (ISO-8859-1, UTF-16, Shift_JIS).
    /// Absent where the characters can't be told apart in the file.
    #[serde(default, rename = "byteOffset", skip_serializing_if = "Option::is_none")]
    pub byte_offset: Option<usize>,
    /// Bytes of the file that `original` takes. `snippet`, written in the encoding of the file, goes in their place.
    #[serde(default, rename = "byteLength", skip_serializing_if = "Option::is_none")]
    pub byte_length: Option<usize>,
    /// Exact source text.
    pub original: String,
    /// Its replacement; may be empty.
    pub snippet: String,
}

/// A change that was drafted as ready and is not offered, since it did not hold on the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Demoted {
    /// Code of the finding.
    pub code: String,
    /// What was wrong with it.
    pub reason: Unproven,
    /// Findings that it caused, the fact that it moved, or the tag that would be there twice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub detail: Vec<String>,
}

/// Why a change is not ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unproven {
    /// Its finding stays.
    Stays,
    /// It causes another finding.
    CausesFinding,
    /// It changes how other parts of the page are read.
    ChangesText,
    /// The declared encoding comes to lie past the bytes in which it is looked for.
    MovesCharset,
    /// An attribute is written twice.
    DoublesAttribute,
    /// An attribute is lost.
    LosesAttribute,
    /// The effective value of another fact changes.
    MovesFact,
    /// A single-use tag is in the page twice.
    DoublesTag,
    /// Its place can't be found in the file.
    NoPlace,
    /// The page is too large to prove it.
    TooLarge,
    /// It was not tried: the page is one of many.
    NotTried,
}

impl Unproven {
    /// Its name in data.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stays => "stays",
            Self::CausesFinding => "causes_finding",
            Self::ChangesText => "changes_text",
            Self::MovesCharset => "moves_charset",
            Self::DoublesAttribute => "doubles_attribute",
            Self::LosesAttribute => "loses_attribute",
            Self::MovesFact => "moves_fact",
            Self::DoublesTag => "doubles_tag",
            Self::NoPlace => "no_place",
            Self::TooLarge => "too_large",
            Self::NotTried => "not_tried",
        }
    }
}

/// One template of a patch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MoldePatch")]
pub struct TemplatePatch<T = Phrase> {
    /// Code of the finding.
    pub code: String,
    /// `head`, `corpo` or `img`.
    #[serde(rename = "alvo")]
    pub target: FixTarget,
    /// Tag with `{{PLACEHOLDER}}`.
    pub snippet: String,
    /// Suggestion from the page.
    #[serde(rename = "fonte")]
    pub origin: Option<T>,
    /// How to fill it in.
    #[serde(rename = "nota")]
    pub note: T,
}

/// One instruction of a patch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SemPatch")]
pub struct Instruction<T = Phrase> {
    /// Code of the finding.
    pub code: String,
    /// What to decide or do.
    #[serde(rename = "nota")]
    pub note: T,
}

/// Fixes by the list that has them. A template for a file or the server is told as an instruction, and counted there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ResumoPatch")]
pub struct PatchTotals {
    /// Ready to paste.
    #[serde(rename = "deterministicos")]
    pub deterministic: u32,
    /// Templates.
    #[serde(rename = "moldes")]
    pub templates: u32,
    /// Instructions.
    #[serde(rename = "sem_patch")]
    pub instructions: u32,
    /// Total.
    pub total: u32,
}

impl Patch<Phrase> {
    /// The patch as a reader of `lang` gets it.
    pub fn in_lang(&self, lang: Lang) -> Patch<String> {
        let pick = |phrase: &Phrase| phrase.in_lang(lang).to_owned();
        Patch {
            url: self.url.clone(),
            head: self.head.clone(),
            files: self.files.clone(),
            edits: self.edits.clone(),
            templates: self
                .templates
                .iter()
                .map(|template| TemplatePatch {
                    code: template.code.clone(),
                    target: template.target,
                    snippet: template.snippet.clone(),
                    origin: template.origin.as_ref().map(pick),
                    note: pick(&template.note),
                })
                .collect(),
            instructions: self
                .instructions
                .iter()
                .map(|instruction| Instruction { code: instruction.code.clone(), note: pick(&instruction.note) })
                .collect(),
            totals: self.totals,
            how_to_apply: pick(&self.how_to_apply),
        }
    }
}
