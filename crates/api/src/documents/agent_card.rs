//! The agent card (A2A 1.0.1), with fields of our own.

use serde_json::{Value, json};

use super::source::DocumentSource;
use crate::mcp;
use crate::operation::Effect;

/// Protocol binding of the card: MCP, as the service has no tasks of A2A.
const BINDING: &str = "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http";

/// The card.
pub(super) fn document(source: &DocumentSource<'_>) -> String {
    let config = source.config;
    let skills: Vec<Value> = mcp::tools(source.operations)
        .map(|operation| {
            let kind = if operation.effect == Effect::Reads { "read" } else { "act" };
            let mut skill = json!({
                "id": operation.name,
                "name": operation.title.en,
                "description": operation.description(),
                "tags": ["seo", kind],
            });
            if let (true, Some(fields)) = (operation.name == "audit_page", skill.as_object_mut()) {
                fields.insert("examples".to_owned(), json!(["Audit https://example.com/"]));
            }
            skill
        })
        .collect();
    json!({
        "name": config.product.name,
        "description": super::llms::SUMMARY,
        "version": env!("CARGO_PKG_VERSION"),
        "provider": {"organization": config.organization.name(config), "url": config.organization.url(source.base_url)},
        "protocol": "mcp",
        "interfaces": [
            {
                "protocol": "mcp",
                "transport": "streamable-http",
                "url": source.url("/mcp"),
                "protocolVersions": mcp::versions(),
            },
            {"protocol": "openapi", "url": source.url("/openapi.json")},
        ],
        // The version is that of A2A.
        "supportedInterfaces": [{"url": source.url("/mcp"), "protocolBinding": BINDING, "protocolVersion": "1.0"}],
        "documentationUrl": source.url("/llms.txt"),
        "capabilities": {"streaming": false, "pushNotifications": false},
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": skills,
    })
    .to_string()
}
