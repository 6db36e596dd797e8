//! `GET /api/operations/{name}`: one operation whole, in a few kilobytes. Errors lead here, and agents that need one call and
//! not the description of all.

use bytes::Bytes;
use model::lang::{Text, text};
use render::catalog::calls::{SampleCredential, SampleRequest};
use render::catalog::near::nearest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::source::DocumentSource;
use crate::mcp;
use crate::operation::{Access, Call, LASTING, Operation, WrittenJson};
use service::error::{Code, OPERATIONS, ServiceError};

/// Characters of a description of a field.
const FIELD_CHARACTERS: usize = 90;
/// Fields of an answer that are named at most.
const MOST_FIELDS: usize = 32;

/// The endpoints of this file.
pub fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/operations/{name}", "get_operation", read)
            .title("Get an operation", "Obter uma operação")
            .doc(
                "One operation in full: parameters and body, a complete example, the fields of its answer, its price, \
                 and its error codes. Names are those of `GET /api/`; for an unknown one, the error suggests similar \
                 ones. The `next` of an error leads here where no other call helps.",
                "Uma operação completa: parâmetros e corpo, um exemplo inteiro, os campos da resposta, o preço e os \
                 códigos de erro. Os nomes são os de `GET /api/`; para um nome desconhecido, o erro sugere os \
                 parecidos. O `next` de um erro leva aqui se nenhuma outra chamada ajuda.",
            )
            .cacheable(LASTING)
            .errors(&[Code::NotFound])
            .without_tool(),
    ]
}

/// Which operation.
#[derive(Debug, Deserialize, JsonSchema)]
struct OperationPath {
    /// Its name, `audit_page`.
    #[schemars(extend("x-pt" = "Nome da operação, `audit_page`."))]
    name: String,
}

/// One operation (Operation).
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OperationDescription")]
pub(super) struct OperationDescription {
    /// Stable name.
    name: &'static str,
    /// Short title.
    title: &'static str,
    /// GET, POST…
    method: String,
    /// Path, parameters in braces.
    path: &'static str,
    /// What it does, its limits.
    description: &'static str,
    /// `none`, `guest`, `api_key`, `session`, `credito` or `operator`.
    auth: &'static str,
    /// Price beyond the free allowance, in US dollars; null for free.
    price_usd: Option<f64>,
    /// Where the input goes, but for `in_path`: `query`, `body` as JSON, or `path` where there is nothing else.
    input_in: &'static str,
    /// The fields of the input that go into the path.
    in_path: Vec<&'static str>,
    /// JSON Schema of the input.
    input: Value,
    /// A complete request.
    example: String,
    /// Status of the answer.
    status: u16,
    /// Media types of the answer.
    media_types: Vec<&'static str>,
    /// Fields of the answer, with a few words on each.
    answer: Map<String, Value>,
    /// Possible error codes.
    errors: Vec<&'static str>,
    /// Related addresses.
    #[serde(rename = "_links")]
    links: Value,
}

async fn read(call: Call, input: OperationPath) -> Result<WrittenJson<OperationDescription>, ServiceError> {
    const NEAREST: Text = text("did you mean {names}?", "você quis dizer {names}?");
    let path = format!("{OPERATIONS}{}", input.name);
    WrittenJson::document(&call, &path).map_err(|_| {
        let documents = &call.resources.documents;
        let names: Vec<&str> = documents.paths().filter_map(|path| path.strip_prefix(OPERATIONS)).collect();
        let near = nearest(&input.name, names.into_iter());
        let error = ServiceError::new(Code::NotFound);
        if near.is_empty() { error } else { error.explained(NEAREST.phrase(&[("names", near.join(", ").into())])) }
    })
}

/// The description of each operation, by path.
pub(super) fn files(source: &DocumentSource<'_>) -> Vec<(String, Bytes)> {
    let file = |operation: &Operation| {
        let written = json!(describe(source, operation)).to_string();
        (format!("{OPERATIONS}{}", operation.name), written.into())
    };
    source.operations.iter().map(file).collect()
}

/// Name of an access that everybody has.
pub(super) const NO_CREDENTIAL: &str = "none";

/// Who may call, in one word.
pub(super) fn auth(access: Access) -> &'static str {
    match access {
        Access::Open => NO_CREDENTIAL,
        Access::Owner => "guest",
        Access::Account => "api_key",
        Access::Session | Access::Browser => "session",
        Access::Credit => "credito",
        Access::Operator => "operator",
    }
}

fn describe(source: &DocumentSource<'_>, operation: &Operation) -> OperationDescription {
    let described = described(&source.openapi, operation);
    let (media_type, answer) = mcp::tool::answer_schema(operation);
    let forms = operation.forms.iter().map(|form| form.media_type);
    OperationDescription {
        name: operation.name,
        title: operation.title.en,
        method: operation.method.to_string(),
        path: operation.path,
        description: operation.doc.en,
        auth: auth(operation.access),
        price_usd: operation.price.map(|sku| source.config.prices.of(sku).dollars()),
        input_in: input_in(operation),
        in_path: operation.path_parameters().collect(),
        input: mcp::tool::own_input(operation),
        example: sample(source.base_url, operation, described).curl(),
        status: operation.status.as_u16(),
        media_types: std::iter::once(media_type).chain(forms).filter(|media_type| !media_type.is_empty()).collect(),
        answer: fields(answer),
        errors: operation.all_errors().map(|code| code.wire()).collect(),
        links: json!({
            "self": source.url(&format!("{OPERATIONS}{}", operation.name)),
            "api_index": source.url("/api/"),
            "openapi": source.url("/openapi.json"),
        }),
    }
}

/// Where the fields of an input go that are not in the path.
fn input_in(operation: &Operation) -> &'static str {
    let in_path = |name: &&str| operation.path_parameters().any(|parameter| parameter == *name);
    let is_all_path = operation.path_parameters().next().is_some()
        && operation.field_names().is_some_and(|names| names.iter().all(in_path));
    match (is_all_path, operation.takes_body()) {
        (true, _) => "path",
        (false, true) => "body",
        (false, false) => "query",
    }
}

/// A request of an operation, to be copied. `described`: its entry in the OpenAPI description, which has the examples.
pub fn sample(base_url: &str, operation: &Operation, described: &Value) -> SampleRequest {
    let mut path = operation.path.to_owned();
    let mut query = Vec::new();
    for parameter in described.get("parameters").and_then(Value::as_array).into_iter().flatten() {
        let part = |name: &str| parameter.get(name).and_then(Value::as_str).unwrap_or_default();
        let value =
            parameter.get("example").map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        let value = value.unwrap_or_default();
        if part("in") == "path" {
            path = path.replace(&format!("{{{}}}", part("name")), &value);
        } else if parameter.get("required") == Some(&true.into()) {
            query.push(format!("{}={value}", part("name")));
        }
    }
    let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
    SampleRequest {
        method: operation.method.to_string(),
        url: format!("{base_url}{path}{query}"),
        credential: match operation.access {
            Access::Owner => Some(SampleCredential { header: "X-Guest-Token", scheme: "", variable: "TOKEN" }),
            Access::Account => Some(SampleCredential { header: "X-Api-Key", scheme: "", variable: "API_KEY" }),
            Access::Credit => Some(SampleCredential { header: "X-Credito", scheme: "", variable: "CREDIT" }),
            Access::Operator => {
                Some(SampleCredential { header: "Authorization", scheme: "Bearer ", variable: "OPERATOR_TOKEN" })
            }
            Access::Open | Access::Session | Access::Browser => None,
        },
        body: described.pointer("/requestBody/content/application~1json/example").map(Value::to_string),
    }
}

/// The entry of an operation in the OpenAPI description; null where it has none.
pub fn described<'o>(openapi: &'o Value, operation: &Operation) -> &'o Value {
    let method = operation.method.as_str().to_ascii_lowercase();
    let entry = openapi.get("paths").and_then(|paths| paths.get(operation.path)?.get(&method));
    entry.unwrap_or(&Value::Null)
}

/// The fields of an answer, with the beginnings of their descriptions. Of an answer in several shapes, the first: the whole.
fn fields(schema: Option<Value>) -> Map<String, Value> {
    let schema = schema.unwrap_or_default();
    let whole = ["anyOf", "oneOf"].iter().find_map(|word| schema.get(*word)?.get(0)).unwrap_or(&schema);
    let properties = whole.get("properties").and_then(Value::as_object).into_iter().flatten();
    let about = |field: &Value| {
        let text = field.get("description").and_then(Value::as_str).unwrap_or_default();
        let short: String = text.chars().take(FIELD_CHARACTERS).collect();
        if short.len() < text.len() { format!("{short}…") } else { short }
    };
    properties.take(MOST_FIELDS).map(|(name, field)| (name.clone(), about(field).into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handlers;
    use service::config::Config;
    use service::services::Build;

    #[test]
    fn each_operation_is_described_in_less_than_six_kilobytes() {
        let (operations, config) = (handlers::catalog(), Config::default());
        let source = DocumentSource::new(
            &operations,
            &config,
            "https://audit.example.com",
            Build { commit: "0000000", day: "2026-01-31" },
        );
        for (path, file) in files(&source) {
            assert!(file.len() < 6_000, "{path}: {} bytes", file.len());
            let read: Value = serde_json::from_slice(&file).unwrap();
            assert!(read["example"].as_str().unwrap().starts_with("curl -s "), "{path}");
        }
    }
}
