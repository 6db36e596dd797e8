//! `/openapi.json`: OpenAPI 3.1 out of the catalog.

use std::collections::BTreeMap;

use bytes::Bytes;
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::config::Config;
use crate::error::{ApiError, Code};
use crate::operation::{Access, Answer, Cx, Nothing, Operation, Reply};

/// The endpoints of this file.
pub(crate) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/openapi.json", "get_openapi", openapi)
            .text("See the OpenAPI description", "This API as OpenAPI 3.1, with the schema of every input and answer.")
            .without_tool(),
    ]
}

/// The document. It has no schema of its own.
#[derive(Debug)]
struct Document(Bytes);

impl Answer for Document {
    fn reply(self) -> Result<Reply, ApiError> {
        Ok(Reply::json(self.0))
    }

    fn describe(_: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        ("application/json", None)
    }
}

async fn openapi(cx: Cx, _: Nothing) -> Result<Document, ApiError> {
    Ok(Document(cx.app.documents().openapi.clone()))
}

/// The description of these operations.
pub fn document(operations: &[Operation], config: &Config, base_url: &str) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    // What a caller may leave out and what an answer may lack differ: an answer has its null fields too.
    let mut inputs = SchemaGenerator::from(settings.clone().for_deserialize());
    let mut answers = SchemaGenerator::from(settings.for_serialize());
    let mut paths: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for operation in operations {
        let described = describe(operation, &mut inputs, &mut answers);
        paths.entry(operation.path).or_default().insert(operation.method.as_str().to_ascii_lowercase(), described);
    }
    let definitions = answers.take_definitions(true).into_iter().chain(inputs.take_definitions(true));
    let mut schemas: Map<String, Value> = definitions.collect();
    schemas.insert("Error".to_owned(), error_schema());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": config.product.name,
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Technical SEO audits of single pages. Texts come in English or Brazilian Portuguese (`lang`).",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": base_url}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "guestToken": {"type": "apiKey", "in": "header", "name": "X-Guest-Token"},
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A guest token (`pa_`), an API key (`mmk_`) or the operator's token.",
                },
                "apiKey": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
                "session": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "__Host-mm-auth",
                    "description": "Set on sign-in. Writes need `Origin` and `X-CSRF-Token` of `GET /api/auth/bootstrap`.",
                },
            },
        },
    })
}

fn describe(operation: &Operation, inputs: &mut SchemaGenerator, answers: &mut SchemaGenerator) -> Value {
    let (media_type, schema) = (operation.output)(answers);
    let answer = match schema {
        Some(schema) => json!({media_type: {"schema": schema}}),
        None => json!({media_type: {}}),
    };
    let mut responses = Map::new();
    responses.insert("200".to_owned(), json!({"description": operation.title, "content": answer}));
    let mut by_status: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for code in operation.all_errors() {
        by_status.entry(code.status().as_u16()).or_default().push(code);
    }
    for (status, codes) in by_status {
        let lines: Vec<String> =
            codes.iter().map(|code| format!("`{}`: {}", code.wire(), code.sentence().en)).collect();
        let content = json!({"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}});
        responses.insert(status.to_string(), json!({"description": lines.join("\n"), "content": content}));
    }
    let mut out = Map::new();
    out.insert("operationId".to_owned(), operation.name.into());
    out.insert("summary".to_owned(), operation.title.into());
    out.insert("description".to_owned(), operation.doc.into());
    let input = input_object(operation, inputs);
    out.insert("parameters".to_owned(), parameters(operation, &input).into());
    if operation.takes_body() && !properties(&input).is_empty() {
        let schema = (operation.input)(inputs);
        out.insert(
            "requestBody".to_owned(),
            json!({"required": true, "content": {"application/json": {"schema": schema}}}),
        );
    }
    let security = match operation.access {
        Access::Owner => json!([{"guestToken": []}, {"bearer": []}, {"apiKey": []}, {"session": []}]),
        // The empty requirement: a token may be sent, none is fine.
        Access::Open => json!([{}, {"guestToken": []}, {"bearer": []}, {"apiKey": []}, {"session": []}]),
        Access::Session => json!([{"session": []}]),
        Access::Browser => json!([{}, {"session": []}]),
        Access::Operator => json!([{"bearer": []}]),
    };
    out.insert("security".to_owned(), security);
    out.insert("responses".to_owned(), responses.into());
    Value::Object(out)
}

/// The input's own object schema, its reference followed.
fn input_object(operation: &Operation, generator: &mut SchemaGenerator) -> Value {
    let schema = (operation.input)(generator).to_value();
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
    match name.and_then(|name| generator.definitions().get(name)) {
        Some(definition) => definition.clone(),
        None => schema,
    }
}

fn properties(input: &Value) -> Map<String, Value> {
    input.get("properties").and_then(Value::as_object).cloned().unwrap_or_default()
}

/// Parameters of path and query, and the one that every call takes.
fn parameters(operation: &Operation, input: &Value) -> Vec<Value> {
    let in_path: Vec<&str> = operation.path_parameters().collect();
    let required: Vec<&str> =
        input.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let mut out: Vec<Value> = properties(input)
        .into_iter()
        .filter(|(name, _)| in_path.contains(&name.as_str()) || !operation.takes_body())
        .map(|(name, mut schema)| {
            let place = if in_path.contains(&name.as_str()) { "path" } else { "query" };
            let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
            json!({
                "name": name,
                "in": place,
                "required": required.contains(&name.as_str()),
                "description": description.unwrap_or_default(),
                "schema": schema,
            })
        })
        .collect();
    out.push(json!({
        "name": "lang",
        "in": "query",
        "required": false,
        "description": "Language of the texts; by default that of Accept-Language, else English.",
        "schema": {"type": "string", "enum": ["en", "pt-BR"]},
    }));
    out
}

/// A refusal, as every call may answer.
pub(super) fn error_schema() -> Value {
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.wire()).collect();
    json!({
        "type": "object",
        "description": "A refusal.",
        "required": ["error"],
        "properties": {
            "error": {"type": "string", "description": "One sentence for a person, in the language of the call."},
            "detail": {"type": "string", "description": "What exactly; begins with the field or the word that is meant."},
            "code": {"type": "string", "enum": codes, "description": "Stable code."},
            "accepts": {"type": "array", "items": {"type": "object"}, "description": "How to pay (x402); with 402 only."},
            "blocked": {
                "type": "object",
                "description": "Who answered instead of the page, and what its owner can do.",
                "properties": {"vendor": {"type": "string"}, "status": {"type": "integer"}, "fix": {"type": "string"}},
            },
        },
    })
}
