//! Errors for misspelled names of the catalog, with the nearest names.

use audit::checks::FAMILIES;
use model::lang::{Text, text};
use render::catalog;
use render::catalog::near::nearest;
use render::catalog::search::search;

use crate::error::{Code, ServiceError};

/// Checks at most that a text is told which is no code.
const MOST_FOUND: usize = 5;

/// The error for an unknown check code.
pub fn check(code: &str) -> ServiceError {
    let mut near = nearest(code, catalog::entries().map(|(_, check)| check.code));
    if near.is_empty() && code.contains(char::is_alphanumeric) {
        // Words of a text, not a misspelled code.
        near = search(code).into_iter().take(MOST_FOUND).map(|(_, check)| check.code).collect();
    }
    with_nearest(Code::CheckNotFound, near)
}

/// The error for an unknown tool slug.
pub fn tool(slug: &str) -> ServiceError {
    with_nearest(Code::ToolNotFound, nearest(slug, FAMILIES.iter().map(|family| family.slug)))
}

/// An error with the nearest names as detail.
fn with_nearest(code: Code, near: Vec<&'static str>) -> ServiceError {
    const NEAREST: Text = text("did you mean {names}?", "você quis dizer {names}?");
    let error = ServiceError::new(code);
    if near.is_empty() { error } else { error.explained(NEAREST.phrase(&[("names", near.join(", ").into())])) }
}
