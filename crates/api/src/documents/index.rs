//! `GET /api/`: the service in one document, for a program that knows nothing but its address.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::operations::{NO_CREDENTIAL, auth};
use super::source::DocumentSource;
use crate::mcp;
use crate::operation::{Call, LASTING, Nothing, Operation, WrittenJson};
use crate::request::BODY_BYTES;
use service::config::PaymentMode;
use service::error::{OPERATIONS, ServiceError};

/// Where it is.
pub(super) const PATH: &str = "/api/";

/// The endpoints of this file.
pub fn operations() -> Vec<Operation> {
    vec![
        Operation::get(PATH, "get_index", index)
            .title("Get the API index", "Obter o índice da API")
            .doc(
                "Endpoints, credentials, limits and first steps of this service, in one document.",
                "Endpoints, credenciais, limites e primeiros passos deste serviço, em um só documento.",
            )
            .cacheable(LASTING),
    ]
}

/// The index.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Index {
    /// Name of the product.
    name: String,
    /// What it does.
    description: &'static str,
    /// Short id of the commit.
    build: &'static str,
    /// Public origin.
    base_url: String,
    /// Documents, by name.
    docs: Value,
    /// Rules for every call.
    conventions: Vec<String>,
    /// Credentials.
    auth: Value,
    /// Every endpoint.
    endpoints: Vec<Endpoint>,
    /// Data retention.
    data_retention: Value,
    /// Free allowance and prices.
    quota: Value,
    /// The MCP server.
    mcp: Value,
    /// First calls to try.
    quickstart: Vec<String>,
}

/// One endpoint, in a line: `GET /api/operations/{name}` has the rest.
#[derive(Debug, Serialize, JsonSchema)]
struct Endpoint {
    /// Stable name.
    name: &'static str,
    /// GET, POST…
    method: String,
    /// Path, parameters in braces.
    path: &'static str,
    /// Credential: `guest`, `session`, `credito` or `operator`; absent where none is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    auth: Option<&'static str>,
    /// Price beyond the free allowance, in US dollars; absent where it is free.
    #[serde(skip_serializing_if = "Option::is_none")]
    price_usd: Option<f64>,
}

async fn index(call: Call, _: Nothing) -> Result<WrittenJson<Index>, ServiceError> {
    WrittenJson::document(&call, PATH)
}

/// The index of these operations.
// Long, as it is one JSON document.
pub(super) fn document(source: &DocumentSource<'_>) -> Index {
    let (operations, config, base) = (source.operations, source.config, source.base_url);
    let url = |path: &str| format!("{base}{path}");
    let endpoints = operations.iter().map(|operation| Endpoint {
        name: operation.name,
        method: operation.method.to_string(),
        path: operation.path,
        auth: Some(auth(operation.access)).filter(|credential| *credential != NO_CREDENTIAL),
        price_usd: operation.price.map(|sku| config.prices.of(sku).dollars()),
    });
    Index {
        name: config.product.name.clone(),
        description: "Technical SEO audits of single pages: score, findings, what the page declares, and the fix for each finding.",
        build: source.build.commit,
        base_url: base.to_owned(),
        docs: json!({
            "openapi": url("/openapi.json"),
            "llms": url("/llms.txt"),
            "llms_full": url("/llms-full.txt"),
            "mcp": url("/mcp"),
            "pricing": url("/api/pricing"),
            "billing": url("/api/billing"),
            "ui": url("/"),
        }),
        conventions: vec![
            "Requests and responses are JSON.".to_owned(),
            body_limits(operations),
            format!("One operation in full: GET {OPERATIONS}{{name}}."),
            "An error is {error, detail?, code, next?}: code is stable, error for people, next a call that helps."
                .to_owned(),
            "No auth: no credential needed.".to_owned(),
            "Unknown parameters and members are 400, with similar names.".to_owned(),
            "Calls that answer with a report take fields, budget (tokens) and format (markdown, csv, sarif)."
                .to_owned(),
            "Texts are English; ?lang=pt-BR or Accept-Language asks for Portuguese.".to_owned(),
            "Times are UTC, ISO 8601. Prices are US dollars.".to_owned(),
            "429 and 503 have Retry-After.".to_owned(),
        ],
        auth: json!({
            "guest": {
                "get": {"method": "POST", "url": url("/api/guest")},
                "send": ["X-Guest-Token: pa_…", "Authorization: Bearer pa_…", "?guest_token=pa_…"],
            },
            "api_key": {
                "get": {"method": "POST", "url": url("/api/account/keys/create")},
                "send": ["Authorization: Bearer mmk_…", "X-Api-Key: mmk_…"],
            },
            "credito": {
                "get": {"method": "POST", "url": url("/api/credito?usd=1")},
                "send": ["Authorization: Bearer cred_…", "X-Credito: cred_…"],
            },
            "payment": {
                "get": {"method": "GET", "url": url("/api/pricing")},
                "send": ["PAYMENT-SIGNATURE: base64 of JSON", "X-PAYMENT: base64 of JSON"],
            },
            "session": {"send": ["Cookie: __Host-mm-auth=…", "X-CSRF-Token: …"]},
            "operator": {"send": ["Authorization: Bearer …"]},
        }),
        endpoints: endpoints.collect(),
        data_retention: json!({
            "audits_without_owner_days": config.retention.nobody_days,
            "guest_audits_days_after_last_visit": config.retention.guest_days,
            "never_kept": ["page HTML", "Set-Cookie of the target", "bodies of discovery files", "IP addresses"],
        }),
        quota: json!({
            "free_audits_per_day": config.limits.free_audits_per_day,
            "audits_per_hour": config.limits.audits_per_hour,
            "price_usd": config.prices.audit_usd.dollars(),
            "charges": config.payment_mode() == PaymentMode::Live,
            "live": url("/api/gate"),
        }),
        mcp: json!({
            "url": url("/mcp"),
            "transport": "streamable-http",
            "server_card": url("/mcp/server-card"),
            "tools": mcp::listed(operations),
        }),
        quickstart: quickstart(base),
    }
}

/// How long a body may be: as a rule, and of the operations that take more.
fn body_limits(operations: &[Operation]) -> String {
    // Of 1,024 and 1,048,576 bytes, as in every text for people.
    const KB: usize = 1024;
    const MB: usize = 1024 * KB;
    let shown = |bytes: usize| if bytes < MB { format!("{} KB", bytes / KB) } else { format!("{} MB", bytes / MB) };
    let larger = operations.iter().filter(|operation| operation.body_bytes > BODY_BYTES);
    let larger = larger.map(|operation| format!("{} {}", operation.name, shown(operation.body_bytes)));
    let larger: Vec<String> = larger.collect();
    format!("A body is at most {}, except: {}.", shown(BODY_BYTES), larger.join(", "))
}

/// First calls, to be pasted into a shell one after the other.
fn quickstart(base: &str) -> Vec<String> {
    let json = "-H 'content-type: application/json'";
    let taken = |name: &str| format!("| sed 's/.*\"{name}\":\"\\([^\"]*\\)\".*/\\1/'");
    vec![
        format!(
            "A=$(curl -s {base}/api/audit {json} -d '{{\"url\":\"https://example.com/\",\"guest\":true,\"fields\":\"id,guest_token,score\"}}'); echo $A"
        ),
        format!("ID=$(echo $A {}); TOKEN=$(echo $A {})", taken("id"), taken("guest_token")),
        format!("curl -s {base}/api/audits/$ID?budget=1500 -H \"X-Guest-Token: $TOKEN\""),
        format!("curl -s {base}/api/audits/$ID/patch -H \"X-Guest-Token: $TOKEN\""),
    ]
}
