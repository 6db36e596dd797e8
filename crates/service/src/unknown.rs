//! Errors for misspelled names of the catalog, with the nearest names.

use audit::checks::FAMILIES;
use model::lang::{Text, text};
use render::catalog;
use render::catalog::near::nearest;

use crate::error::{Code, ServiceError};

/// The error for an unknown check code.
pub fn check(code: &str) -> ServiceError {
    with_nearest(Code::CheckNotFound, nearest(code, catalog::entries().map(|(_, check)| check.code)))
}

/// The error for an unknown tool slug.
pub fn tool(slug: &str) -> ServiceError {
    with_nearest(Code::ToolNotFound, nearest(slug, FAMILIES.iter().map(|family| family.slug)))
}

/// An error with the nearest names as detail.
fn with_nearest(code: Code, near: Vec<&'static str>) -> ServiceError {
    const NEAREST: Text = text("nearest: {names}", "mais próximos: {names}");
    let error = ServiceError::new(code);
    if near.is_empty() { error } else { error.explained(NEAREST.phrase(&[("names", near.join(", ").into())])) }
}
