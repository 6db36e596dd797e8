//! The catalog that AI clients look for (AI Catalog 1.0, a proposal).

use serde_json::json;

use super::source::DocumentSource;

/// The catalog.
pub(super) fn document(source: &DocumentSource<'_>) -> String {
    let (host, product) = (source.host(), &source.config.product);
    json!({
        "specVersion": "1.0",
        "entries": [
            {
                "identifier": format!("urn:air:{host}:mcp:{}", product.id),
                "displayName": format!("{} (MCP)", product.name),
                "type": "application/mcp-server-card+json",
                "url": source.url("/mcp/server-card"),
                "description": super::llms::SUMMARY,
                "representativeQueries": [
                    "audit the technical SEO of a page",
                    "which robots rules block a crawler from this page",
                    "prove that a changed page fixes its SEO problems",
                ],
            },
            {
                "identifier": format!("urn:air:{host}:agent:{}", product.id),
                "displayName": format!("{} (agent card)", product.name),
                "type": "application/a2a-agent-card+json",
                "url": source.url("/.well-known/agent-card.json"),
                "representativeQueries": ["audit a web page for SEO problems", "explain why a page is not indexed"],
            },
        ],
    })
    .to_string()
}
