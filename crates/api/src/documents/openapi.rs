//! `/openapi.json`: OpenAPI 3.1 out of the catalog.

mod example;
mod operation;
mod recorded;
mod tags;

use std::collections::BTreeMap;

use bytes::Bytes;
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::mcp;
use crate::operation::{Call, IntoReply, LANG_TEXT, LASTING, Nothing, Operation, Reply, error_schema};
use operation::{Generators, describe, of_refusals};
use recorded::RecordedExamples;
use service::config::Config;
use service::error::{Code, ServiceError};
pub use tags::{OperationTag, TAGS};

/// Where it is.
pub(super) const PATH: &str = "/openapi.json";
/// JSON pointer of the definitions.
const SCHEMAS: &str = "/components/schemas";
/// JSON pointer of the definitions of inputs until they are joined with those of answers.
const INPUTS: &str = "/components/inputs";

/// The endpoints of this file.
pub fn operations() -> Vec<Operation> {
    vec![
        Operation::get(PATH, "get_openapi", openapi)
            .title("Get the OpenAPI description", "Obter a descrição OpenAPI")
            .doc(
                "This API as OpenAPI 3.1, with the schema of every input and answer.",
                "Esta API em OpenAPI 3.1, com o schema de cada entrada e resposta.",
            )
            .cacheable(LASTING)
            .without_tool(),
    ]
}

/// The document. It has no schema of its own.
#[derive(Debug)]
struct OpenApiDocument(Bytes);

impl IntoReply for OpenApiDocument {
    fn reply(self) -> Result<Reply, ServiceError> {
        Ok(Reply::json(self.0))
    }

    fn describe(_: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        ("application/json", None)
    }
}

async fn openapi(call: Call, _: Nothing) -> Result<OpenApiDocument, ServiceError> {
    let document = call.resources.documents.get(PATH).cloned();
    document.map(OpenApiDocument).ok_or_else(|| ServiceError::new(Code::Internal))
}

/// The description of these operations.
pub fn document(operations: &[Operation], config: &Config, base_url: &str) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = SCHEMAS.into();
        settings.meta_schema = None;
    });
    // Kept apart until the end: an input and an answer may have the same name.
    let of_inputs = settings.clone().with(|settings| settings.definitions_path = INPUTS.into());
    let mut schemas = Generators {
        inputs: SchemaGenerator::from(of_inputs.for_deserialize()),
        answers: SchemaGenerator::from(settings.for_serialize()),
        recorded: RecordedExamples::read(),
    };
    let mut paths: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for operation in operations {
        let described = describe(operation, config, &mut schemas);
        paths.entry(operation.path).or_default().insert(operation.method.as_str().to_ascii_lowercase(), described);
    }
    for (path, item) in mcp::described(tags::of("/mcp")) {
        paths.entry(path).or_default().extend(item);
    }
    let Generators { mut answers, mut inputs, recorded } = schemas;
    let (definitions, paths) = joined(answers.take_definitions(true), inputs.take_definitions(true), &paths);
    let written = Value::Object(paths.clone()).to_string();
    // Inputs that are all parameters are described there, and nowhere else.
    let mut schemas = used(definitions, &written);
    schemas.insert("Error".to_owned(), error_schema());
    let (examples, headers) = of_refusals(&written, &recorded);
    let tags = tags::described(paths.keys().map(String::as_str));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": config.product.name,
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Technical SEO audits of single pages. Texts come in English or Brazilian Portuguese (`lang`).",
            "contact": contact(config, base_url),
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": base_url}],
        "tags": tags,
        "paths": paths,
        "components": {
            "schemas": schemas,
            "examples": examples,
            "headers": headers,
            "parameters": {"lang": {
                "name": "lang",
                "in": "query",
                "required": false,
                "description": LANG_TEXT.en,
                "schema": {"type": "string", "enum": ["en", "pt-BR"]},
                "example": "en",
            }},
            "securitySchemes": security_schemes(),
        },
    })
}

/// `info.contact`: the organization that runs the service.
fn contact(config: &Config, base_url: &str) -> Value {
    let organization = &config.organization;
    let mut contact = json!({"name": organization.name(config), "url": organization.url(base_url)});
    if let (Some(email), Some(fields)) = (&organization.email, contact.as_object_mut()) {
        fields.insert("email".to_owned(), email.as_str().into());
    }
    contact
}

fn security_schemes() -> Value {
    let header = |name: &str, description: &str| json!({"type": "apiKey", "in": "header", "name": name, "description": description});
    json!({
        "guestToken": header("X-Guest-Token", "Guest token (`pa_…`) of `POST /api/guest`."),
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "description": "A guest token (`pa_`), an API key (`mmk_`), a credit (`cred_`) or the operator's token.",
        },
        "apiKey": header("X-Api-Key", "API key (`mmk_…`) of an account."),
        "session": {
            "type": "apiKey",
            "in": "cookie",
            "name": "__Host-mm-auth",
            "description": "Set on sign-in. Writes need `Origin` and `X-CSRF-Token` of `GET /api/auth/bootstrap`.",
        },
        "credit": header("X-Credito", "Token of prepaid credit (`cred_…`): pays for the call, but does not identify the caller."),
        "payment": header("X-PAYMENT", "Payment in version 1 of x402: base64 of JSON, after a 402."),
        "paymentSignature": header("PAYMENT-SIGNATURE", "Payment in version 2 of x402: base64 of JSON, after a 402."),
    })
}

/// Joins the definitions of answers and inputs, and updates the references of paths. An input that differs from the
/// answer of the same name is renamed with the suffix `Input`.
fn joined(
    answers: Map<String, Value>,
    inputs: Map<String, Value>,
    paths: &BTreeMap<&str, Map<String, Value>>,
) -> (Map<String, Value>, Map<String, Value>) {
    let names: Vec<(String, String)> = inputs
        .iter()
        .map(|(name, schema)| {
            let of_input = schema.to_string().replace(INPUTS, SCHEMAS);
            let is_taken = answers.get(name).map(Value::to_string).is_some_and(|answer| answer != of_input);
            (name.clone(), if is_taken { format!("{name}Input") } else { name.clone() })
        })
        .collect();
    let renamed = |value: &Value| {
        let mut text = value.to_string();
        for (name, new) in &names {
            text = text.replace(&format!("\"#{INPUTS}/{name}\""), &format!("\"#{SCHEMAS}/{new}\""));
        }
        let mut renamed = serde_json::from_str(&text).unwrap_or_default();
        without_null_defaults(&mut renamed);
        renamed
    };
    let mut definitions = answers;
    for ((_, schema), (_, name)) in inputs.iter().zip(&names) {
        definitions.insert(name.clone(), renamed(schema));
    }
    let paths = paths.iter().map(|(path, item)| ((*path).to_owned(), renamed(&Value::Object(item.clone()))));
    (definitions, paths.collect())
}

/// Removes `"default": null` of optional fields: it is wrong where null is not accepted, and says nothing elsewhere.
fn without_null_defaults(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, field| name != "default" || !field.is_null());
            fields.values_mut().for_each(without_null_defaults);
        }
        Value::Array(items) => items.iter_mut().for_each(without_null_defaults),
        _ => {}
    }
}

/// The schemas that a text refers to, and those that they refer to.
fn used(all: Map<String, Value>, text: &str) -> Map<String, Value> {
    let refers = |text: &str, name: &str| text.contains(&format!("\"#/components/schemas/{name}\""));
    let mut known: Vec<String> = all.keys().filter(|name| refers(text, name)).cloned().collect();
    let mut seen = 0;
    while let Some(name) = known.get(seen).cloned() {
        seen += 1;
        let text = all.get(&name).map(Value::to_string).unwrap_or_default();
        let more = all.keys().filter(|other| refers(&text, other) && !known.contains(other));
        known.extend(more.cloned().collect::<Vec<_>>());
    }
    all.into_iter().filter(|(name, _)| known.contains(name)).collect()
}
