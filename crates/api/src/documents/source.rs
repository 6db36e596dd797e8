//! The source of the documents: the catalog of operations, the configuration, the build.

use serde_json::Value;

use super::openapi;
use crate::operation::Operation;
use service::config::Config;
use service::services::Build;

/// The input of every document.
pub struct DocumentSource<'s> {
    pub(super) operations: &'s [Operation],
    pub(super) config: &'s Config,
    /// The public origin, without a slash at its end.
    pub(super) base_url: &'s str,
    pub(super) build: Build,
    /// The OpenAPI description.
    pub(super) openapi: Value,
}

impl<'s> DocumentSource<'s> {
    /// A service with these operations.
    pub fn new(operations: &'s [Operation], config: &'s Config, base_url: &'s str, build: Build) -> Self {
        Self { openapi: openapi::document(operations, config, base_url), operations, config, base_url, build }
    }

    /// The absolute address of a path.
    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }

    /// The host, as names in documents take it.
    pub(super) fn host(&self) -> String {
        let host = url::Url::parse(self.base_url).ok().and_then(|url| url.host_str().map(str::to_owned));
        host.unwrap_or_else(|| "localhost".to_owned())
    }
}
