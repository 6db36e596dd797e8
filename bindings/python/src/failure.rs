//! Errors of this module, as exceptions of Python or as values of a row.

use arrow_schema::ArrowError;
use audit::supplied::SuppliedFault;
use model::lang::{Lang, Text, text};
use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;

create_exception!(
    site_audit,
    AuditError,
    PyValueError,
    "The page can't be audited; the message says why and what to do."
);

/// Why a page has no report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PageFault {
    /// What the caller supplied can't be audited.
    Supplied(SuppliedFault),
    /// A required value is null.
    Null(&'static str),
    /// The core panicked.
    Defect,
}

impl PageFault {
    /// What happened and what to do.
    pub(crate) fn message(&self, lang: Lang) -> String {
        const NULL: Text = text("{column}: is null", "{column}: é nulo");
        const DEFECT: Text = text(
            "The audit of this page failed; this is a bug in Site Audit.",
            "A auditoria desta página falhou; é um defeito do Site Audit.",
        );
        match self {
            Self::Supplied(fault) => fault.message().in_lang(lang).to_owned(),
            Self::Null(column) => NULL.phrase(&[("column", (*column).into())]).in_lang(lang).to_owned(),
            Self::Defect => DEFECT.in_lang(lang).to_owned(),
        }
    }

    /// The same as an exception.
    pub(crate) fn exception(&self, lang: Lang) -> PyErr {
        AuditError::new_err(self.message(lang))
    }
}

impl From<SuppliedFault> for PageFault {
    fn from(fault: SuppliedFault) -> Self {
        Self::Supplied(fault)
    }
}

/// An error of Arrow as an exception.
pub(crate) fn arrow_error(error: &ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
