//! Views of the catalog: what lists or describes its endpoints.

pub mod docs;
pub(crate) mod index;
pub mod openapi;
