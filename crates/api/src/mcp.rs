//! The Model Context Protocol: the operations of the catalog as tools, in both eras of the protocol. Both are spoken at one
//! address: 2026-07-28, where each request stands for itself, and the versions before it, which begin with a handshake.
//! Neither needs state: there are no sessions and no streams, and every answer is one JSON object.

mod card;
mod description;
pub mod era;
pub mod message;
pub mod result;
pub mod tool;

use std::sync::LazyLock;

use bytes::Bytes;
use serde_json::Value;

use card::ServerIdentity;
use service::config::Config;

pub(crate) use card::{MEDIA_TYPE, PATH as CARD_PATH, instructions};
pub(crate) use description::described;
pub(crate) use era::versions;
pub(crate) use tool::tools;

/// The MCP server: identity and card, and the tools, which are described once, when they are first listed.
#[derive(Debug)]
pub struct Server {
    pub(crate) identity: ServerIdentity,
    pub(crate) tools: LazyLock<Vec<Value>, Box<dyn FnOnce() -> Vec<Value> + Send>>,
    pub(crate) card: Bytes,
}

impl Server {
    /// The server with the tools that `tools` describes, as [`tool::described`] does.
    pub fn new(
        tools: impl FnOnce() -> Vec<Value> + Send + 'static,
        config: &Config,
        base_url: &str,
    ) -> serde_json::Result<Self> {
        let identity = ServerIdentity::new(config, base_url);
        Ok(Self {
            tools: LazyLock::new(Box::new(tools)),
            card: serde_json::to_vec(&identity.card(base_url))?.into(),
            identity,
        })
    }

    /// Names of the arguments of a tool.
    pub fn arguments(&self, name: &str) -> Vec<&str> {
        let tool = self.tools.iter().find(|tool| tool.get("name").and_then(Value::as_str) == Some(name));
        let properties = tool.and_then(|tool| tool.pointer("/inputSchema/properties")).and_then(Value::as_object);
        properties.into_iter().flatten().map(|(name, _)| name.as_str()).collect()
    }
}
