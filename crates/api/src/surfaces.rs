//! Views of the catalog: what lists or describes its endpoints.

pub mod docs;
pub mod documents;
pub mod index;
pub mod mcp;
pub mod openapi;

use std::collections::BTreeMap;

use bytes::Bytes;

use service::config::Config;
use crate::operation::Operation;

/// What describes the API to programs, written once: nothing in it changes while the service runs.
#[derive(Debug)]
pub struct Documents {
    /// `GET /openapi.json`.
    pub openapi: Bytes,
    /// `GET /api/`.
    pub index: Bytes,
    /// The MCP server.
    pub mcp: mcp::Server,
    /// All others, by path.
    pub files: BTreeMap<&'static str, Bytes>,
}

impl Documents {
    /// Those of a service with these operations.
    pub fn new(operations: &[Operation], config: &Config, base_url: &str) -> serde_json::Result<Self> {
        let openapi = openapi::document(operations, config, base_url);
        let source = documents::Source { operations, config, base_url, openapi: &openapi };
        Ok(Self {
            index: serde_json::to_vec(&index::document(operations, config, base_url))?.into(),
            mcp: mcp::Server::new(operations, config, base_url)?,
            files: documents::written(&source),
            openapi: serde_json::to_vec(&openapi)?.into(),
        })
    }
}
