//! State shared by all calls.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock};

use bytes::Bytes;
use render::catalog::tool::Examples;
use service::Services;

/// Contents of documents by path.
pub type DocumentTexts = BTreeMap<Cow<'static, str>, Bytes>;

/// Discovery documents by path (OpenAPI, llms.txt…), written once, when the first of them is requested: a service that
/// is asked for none, as in most tests, starts without them.
#[derive(Debug)]
pub struct Documents(LazyLock<DocumentTexts, Box<dyn FnOnce() -> DocumentTexts + Send>>);

impl Documents {
    /// The documents that `write` returns.
    pub fn new(write: impl FnOnce() -> DocumentTexts + Send + 'static) -> Self {
        Self(LazyLock::new(Box::new(write)))
    }

    /// The document at a path.
    pub fn get(&self, path: &str) -> Option<&Bytes> {
        self.0.get(path)
    }

    /// The paths of all documents.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(AsRef::as_ref)
    }
}

/// The pattern of the route of a page for people, by the path of an address; `None` for what is no page.
pub type PagePattern = fn(&str) -> Option<&'static str>;

/// State shared by all calls: the services, the discovery documents, the worked examples. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Resources {
    /// What use cases use.
    pub services: Services,
    /// Discovery documents.
    pub documents: Arc<Documents>,
    /// The worked examples of the catalog.
    pub examples: Arc<Examples>,
    /// The pages' own look-up of the pattern of a page's route, once they are routed.
    pub pages: Arc<OnceLock<PagePattern>>,
}
