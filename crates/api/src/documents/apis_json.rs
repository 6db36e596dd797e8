//! The index of APIs.json 0.19.

use serde_json::json;

use super::source::DocumentSource;

/// Characters of a name at most.
const NAME_CHARACTERS: usize = 50;
/// Characters of a name at least.
const LEAST_CHARACTERS: usize = 3;

/// The index.
pub(super) fn document(source: &DocumentSource<'_>) -> String {
    let (config, host) = (source.config, source.host());
    let image = source.url("/favicon.svg");
    let mut name: String = config.product.name.chars().take(NAME_CHARACTERS).collect();
    if name.chars().count() < LEAST_CHARACTERS {
        name.push_str(" API");
    }
    let mut maintainer = json!({
        "FN": config.organization.name(config),
        "url": config.organization.url(source.base_url),
    });
    if let (Some(email), Some(fields)) = (&config.organization.email, maintainer.as_object_mut()) {
        fields.insert("email".to_owned(), email.as_str().into());
    }
    let property = |kind: &str, path: &str| json!({"type": kind, "url": source.url(path)});
    json!({
        "aid": host,
        "name": name,
        "description": super::llms::SUMMARY,
        "image": image,
        "url": source.url("/apis.json"),
        "type": "Index",
        "created": "2026-11-20",
        "modified": source.build.day,
        "specificationVersion": "0.19",
        "tags": ["SEO", "Audit", "Agents"],
        "apis": [{
            "aid": format!("{host}:{}", config.product.id),
            "name": name,
            "description": super::llms::SUMMARY,
            "image": image,
            "baseURL": source.url("/api"),
            "humanURL": source.url("/"),
            "tags": ["SEO"],
            "properties": [
                {"type": "OpenAPI", "url": source.url("/openapi.json"), "mediaType": "application/json"},
                property("Documentation", "/llms-full.txt"),
                property("GettingStarted", "/api/"),
                property("Pricing", "/api/pricing"),
                property("StatusPage", "/api/health"),
                property("X-Payment", "/.well-known/x402"),
                property("X-MCPServer", "/mcp"),
            ],
        }],
        "common": [
            property("X-LLMsTxt", "/llms.txt"),
            property("X-LinkSet", "/.well-known/api-catalog"),
            property("X-AgentCard", "/agent.json"),
        ],
        "maintainers": [maintainer],
    })
    .to_string()
}
