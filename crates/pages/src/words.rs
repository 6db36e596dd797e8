//! Names of severities and of fix classes for people.

use model::finding::Severity;
use model::fix::FixClass;
use model::lang::{Text, text};

/// A severity for a person.
pub(crate) fn severity_word(severity: Severity) -> Text {
    match severity {
        Severity::Error => text("Error", "Erro"),
        Severity::Warn => text("Warning", "Aviso"),
        Severity::Info => text("Note", "Observação"),
    }
}

/// How ready a fix is, for a person.
pub(crate) fn class(class: FixClass) -> Text {
    match class {
        FixClass::Deterministic => text("Ready to paste", "Pronto para colar"),
        FixClass::Template => text("Template: fill in", "Modelo: preencher"),
        FixClass::Instruction => text("Needs your decision", "Precisa da sua decisão"),
    }
}

/// What a reader calls several findings of a severity, or the only one.
pub(crate) fn severities(severity: Severity, count: u32) -> Text {
    match severity {
        _ if count == 1 => severity_word(severity),
        Severity::Error => text("Errors", "Erros"),
        Severity::Warn => text("Warnings", "Avisos"),
        Severity::Info => text("Notes", "Observações"),
    }
}
