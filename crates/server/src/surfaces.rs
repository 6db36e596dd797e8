//! Views of the catalog: what lists or describes its endpoints.

pub(crate) mod index;
pub mod openapi;
