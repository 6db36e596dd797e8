//! The Model Context Protocol: the operations of the catalog as tools, in both eras of the protocol. Both are spoken at one
//! address: 2026-07-28, where each request stands for itself, and the versions before it, which begin with a handshake.
//! Neither needs state: there are no sessions and no streams, and every answer is one JSON object.

mod card;
mod description;
mod digest;
pub mod era;
pub mod message;
pub(crate) mod one_guest;
pub(crate) mod pair;
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
pub(crate) use tool::{is_listed, listed, tools};

/// The MCP server: identity and card, and the tools, which are described once, when they are first listed.
#[derive(Debug)]
pub struct Server {
    pub(crate) identity: ServerIdentity,
    pub(crate) tools: LazyLock<ToolList, Box<dyn FnOnce() -> ToolList + Send>>,
    pub(crate) card: Bytes,
}

/// The tools of a server.
#[derive(Debug)]
pub(crate) struct ToolList {
    /// Every one that can be called by its name, with the schema of its answer.
    all: Vec<Value>,
    /// Those of `tools/list`.
    pub(crate) listed: Vec<Value>,
    /// The same with the schemas of their answers.
    pub(crate) with_answers: Vec<Value>,
}

impl ToolList {
    fn new(all: Vec<Value>) -> Self {
        let is_listed = |tool: &&Value| tool.get("name").and_then(Value::as_str).is_some_and(is_listed);
        let with_answers: Vec<Value> = all.iter().filter(is_listed).cloned().chain(pair::described()).collect();
        let mut listed = with_answers.clone();
        for tool in listed.iter_mut().filter_map(Value::as_object_mut) {
            tool.remove("outputSchema");
        }
        Self { all, listed, with_answers }
    }
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
            tools: LazyLock::new(Box::new(move || ToolList::new(tools()))),
            card: serde_json::to_vec(&identity.card(base_url))?.into(),
            identity,
        })
    }

    /// Names of the arguments of a tool.
    pub fn arguments(&self, name: &str) -> Vec<&str> {
        let tool = self.tools.all.iter().find(|tool| tool.get("name").and_then(Value::as_str) == Some(name));
        let properties = tool.and_then(|tool| tool.pointer("/inputSchema/properties")).and_then(Value::as_object);
        properties.into_iter().flatten().map(|(name, _)| name.as_str()).collect()
    }
}
