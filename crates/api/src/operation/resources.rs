//! What handlers may use.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use render::catalog::tool::Examples;
use service::Services;

/// Documents that describe the API, written when the service starts, by path: nothing in them changes while it runs.
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

/// What handlers may use: the service, the documents, the worked examples of the catalog. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Resources {
    /// The service.
    pub services: Services,
    /// What describes the API.
    pub documents: Arc<Documents>,
    /// The worked examples of the catalog.
    pub examples: Arc<Examples>,
}
