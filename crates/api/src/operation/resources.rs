//! State shared by all calls.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use render::catalog::tool::Examples;
use service::Services;

/// Discovery documents by path (OpenAPI, llms.txt…), written once when the service starts.
#[derive(Debug, Default)]
pub struct Documents(BTreeMap<&'static str, Bytes>);

impl Documents {
    /// The document at a path.
    pub fn get(&self, path: &str) -> Option<&Bytes> {
        self.0.get(path)
    }
}

impl FromIterator<(&'static str, Bytes)> for Documents {
    fn from_iter<I: IntoIterator<Item = (&'static str, Bytes)>>(documents: I) -> Self {
        Self(documents.into_iter().collect())
    }
}

/// State shared by all calls: the services, the discovery documents, the worked examples. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Resources {
    /// What use cases use.
    pub services: Services,
    /// Discovery documents.
    pub documents: Arc<Documents>,
    /// The worked examples of the catalog.
    pub examples: Arc<Examples>,
}
