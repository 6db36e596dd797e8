//! The API catalog (RFC 9727) as a linkset (RFC 9264).

use serde_json::json;

use super::source::DocumentSource;

/// The `Link` header of the catalog.
pub(super) const LINKS: &str = "</.well-known/api-catalog>; rel=\"api-catalog\", </api/>; rel=\"item\"";

/// The catalog.
pub(super) fn document(source: &DocumentSource<'_>) -> String {
    let typed = |path: &str, kind: &str| json!({"href": source.url(path), "type": kind});
    let api = source.url("/api/");
    json!({
        "linkset": [
            {
                "anchor": source.url("/.well-known/api-catalog"),
                "item": [{"href": api, "title": format!("{} API", source.config.product.name)}],
            },
            {
                "anchor": api,
                "service-desc": [typed("/openapi.json", "application/json"), typed("/apis.json", "application/json")],
                "service-doc": [typed("/llms-full.txt", "text/markdown"), typed("/okf/index.md", "text/markdown")],
                "service-meta": [
                    typed("/.well-known/x402", "application/json"),
                    typed("/api/pricing", "application/json"),
                    typed("/agent.json", "application/json"),
                    typed("/.well-known/jwks.json", "application/jwk-set+json"),
                ],
                "status": [typed("/api/health", "application/json")],
            },
            {
                "anchor": source.url("/mcp"),
                "service-desc": [typed("/mcp/server-card", "application/mcp-server-card+json")],
            },
        ],
    })
    .to_string()
}
