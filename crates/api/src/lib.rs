//! The HTTP interface: the catalog of operations, their handlers, authentication, and the documents that describe the API to
//! programs. A handler only translates: what it does is a use case of the crate `service`.

pub mod caller;
pub mod cookies;
pub mod documents;
pub mod gate;
pub mod handlers;
pub mod mcp;
pub mod operation;
pub mod reading;
pub mod request;
pub mod response;
pub mod site;
pub mod web;
