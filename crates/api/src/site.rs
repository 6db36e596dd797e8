//! The state of the web side: the services, the catalog of operations, and the documents that describe them.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use axum::extract::FromRef;
use render::catalog::tool::Examples;
use serde_json::{Map, Value};
use service::Services;
use service::config::Sku;
use service::error::{Code, ServiceError};
use service::x402::Priced;

use crate::documents::{self, DocumentSource};
use crate::handlers;
use crate::mcp;
use crate::operation::{DocumentTexts, Documents, Operation, Resources};
use crate::request::Proxies;

/// The state of all routes: shared state of handlers, the catalog of operations, the MCP server, the proxies. Cheap to
/// clone. Routes extract [`Services`] or [`Resources`] from it where they need no more.
#[derive(Debug, Clone)]
pub struct Site {
    resources: Resources,
    inner: Arc<SiteInner>,
}

#[derive(Debug)]
struct SiteInner {
    operations: Vec<Operation>,
    mcp: mcp::Server,
    proxies: Arc<Proxies>,
}

impl Site {
    /// Builds the catalog and the MCP server of a service.
    pub fn new(services: Services) -> Result<Self> {
        let operations = handlers::catalog();
        let (config, base_url) = (services.config(), services.base_url());
        let tools = {
            let services = services.clone();
            move || tools(&services)
        };
        let mcp = mcp::Server::new(tools, config, base_url).context("the description of the MCP server")?;
        let inner = SiteInner { mcp, proxies: Arc::new(Proxies::new(config.trusted_proxies.clone())), operations };
        let documents = Documents::new({
            let services = services.clone();
            move || texts(&services)
        });
        let resources = Resources {
            services,
            documents: Arc::new(documents),
            examples: Arc::new(Examples::default()),
            pages: Arc::default(),
        };
        Ok(Self { resources, inner: Arc::new(inner) })
    }

    /// What use cases use.
    pub fn services(&self) -> &Services {
        &self.resources.services
    }

    /// State shared by all calls.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }

    /// Discovery documents.
    pub fn documents(&self) -> &Documents {
        &self.resources.documents
    }

    /// Every endpoint of the API, in the order of the documentation.
    pub fn operations(&self) -> &[Operation] {
        &self.inner.operations
    }

    /// The MCP server.
    pub fn mcp(&self) -> &mcp::Server {
        &self.inner.mcp
    }

    /// The proxies in front of the service.
    pub(crate) fn proxies(&self) -> &Arc<Proxies> {
        &self.inner.proxies
    }

    /// The price of an audit beyond the free ones, as x402 describes it.
    pub fn audit_price(&self) -> Result<Priced, ServiceError> {
        let audit = self.operations().iter().find(|operation| operation.price == Some(Sku::Audit));
        let no_input = Map::new();
        let call = audit.and_then(|operation| operation.priced_call(&no_input));
        call.map(|call| self.services().payments().priced(&call)).ok_or_else(|| ServiceError::new(Code::Internal))
    }
}

/// The documents of a service.
fn texts(services: &Services) -> DocumentTexts {
    let operations = handlers::catalog();
    let (config, no_input) = (services.config(), Map::new());
    let calls: Vec<_> = operations.iter().filter_map(|operation| operation.priced_call(&no_input)).collect();
    let manifest = services.payments().manifest(&calls, &config.limits, services.started_at());
    documents::written(&DocumentSource::new(&operations, config, services.base_url(), services.build()), &manifest)
}

/// The MCP tools of a service.
fn tools(services: &Services) -> Vec<Value> {
    let operations = handlers::catalog();
    mcp::tools(&operations).map(|operation| mcp::tool::described(operation, services.config())).collect()
}

impl FromRef<Site> for Services {
    fn from_ref(site: &Site) -> Self {
        site.services().clone()
    }
}

impl FromRef<Site> for Resources {
    fn from_ref(site: &Site) -> Self {
        site.resources().clone()
    }
}
