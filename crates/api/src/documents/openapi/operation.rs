//! One operation as OpenAPI describes it.

use std::collections::BTreeMap;

use http::StatusCode;
use model::money::Micros;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::example::{ExampleFields, example, of_field};
use super::recorded::RecordedExamples;
use super::tags;
use crate::operation::{Access, Operation, ReportWish};
use service::config::Config;
use service::error::Code;
use service::x402::PACKS;

/// Generators of the schemas of inputs and of answers. They differ: an optional field may be absent from an input, and is
/// null in an answer.
pub(super) struct Generators {
    pub(super) inputs: SchemaGenerator,
    pub(super) answers: SchemaGenerator,
    /// Answers of real calls.
    pub(super) recorded: RecordedExamples,
}

/// The object of a path and method.
pub(super) fn describe(operation: &Operation, config: &Config, schemas: &mut Generators) -> Value {
    let mut out = Map::new();
    out.insert("operationId".to_owned(), operation.name.into());
    out.insert("summary".to_owned(), operation.title.en.into());
    out.insert("description".to_owned(), operation.description().into());
    out.insert("tags".to_owned(), json!([tags::of(operation.path)]));
    let input = input_object(operation, &mut schemas.inputs);
    out.insert("parameters".to_owned(), parameters(operation, &input, &schemas.inputs).into());
    if let Some(body) = request_body(operation, &input, &mut schemas.inputs) {
        out.insert("requestBody".to_owned(), body);
    }
    out.insert("security".to_owned(), security(operation));
    out.insert("responses".to_owned(), responses(operation, schemas));
    if let Some(info) = payment_info(operation, config) {
        out.insert("x-payment-info".to_owned(), info);
    }
    Value::Object(out)
}

/// The price in dollars for directories of paid APIs: one price, or a range where it depends on what is bought; the 402 has
/// the exact one.
fn payment_info(operation: &Operation, config: &Config) -> Option<Value> {
    if let Some(sku) = operation.price {
        let price = config.prices.of(sku).to_string();
        return Some(json!({"protocols": ["x402"], "pricingMode": "fixed", "price": price}));
    }
    let [least, .., most] = PACKS.map(|usd| Micros::of_dollars(usd).to_string());
    let info = json!({"protocols": ["x402"], "pricingMode": "range", "minPrice": least, "maxPrice": most});
    operation.sells.then_some(info)
}

/// Any one of these is enough.
fn security(operation: &Operation) -> Value {
    let ways: &[&str] = match operation.access {
        Access::Open | Access::Owner => &["guestToken", "bearer", "apiKey", "session"],
        Access::Account => &["bearer", "apiKey", "session"],
        Access::Session | Access::Browser => &["session"],
        Access::Credit => &["bearer", "credit"],
        Access::Operator => &["bearer"],
    };
    let payment: &[&str] = match operation.price {
        Some(_) => &["payment", "paymentSignature", "credit"],
        None if operation.sells => &["payment", "paymentSignature"],
        None => &[],
    };
    if operation.is_beacon {
        return json!([{}]);
    }
    // The empty requirement: a credential may be sent, none is fine.
    let nothing = matches!(operation.access, Access::Open | Access::Browser).then(|| json!({}));
    nothing.into_iter().chain(ways.iter().chain(payment).map(|way| json!({*way: []}))).collect()
}

fn responses(operation: &Operation, schemas: &mut Generators) -> Value {
    let mut responses = Map::new();
    responses.insert(operation.status.as_str().to_owned(), success(operation, schemas));
    if let Some((status, says)) = operation.other_status {
        let mut response = match status {
            StatusCode::NO_CONTENT => json!({}),
            _ => success(operation, schemas),
        };
        if let Some(fields) = response.as_object_mut() {
            fields.insert("description".to_owned(), says.into());
        }
        responses.insert(status.as_str().to_owned(), response);
    }
    if operation.cache_control.is_some() {
        let headers = json!({"ETag": etag()});
        let known = json!({"description": "The caller's copy is still current (`If-None-Match`).", "headers": headers});
        responses.insert(StatusCode::NOT_MODIFIED.as_str().to_owned(), known);
    }
    let mut by_status: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for code in operation.all_errors() {
        by_status.entry(code.status()).or_default().push(code);
    }
    for (status, codes) in by_status {
        responses.insert(status.to_string(), refusal(status, &codes));
    }
    Value::Object(responses)
}

fn success(operation: &Operation, schemas: &mut Generators) -> Value {
    let (media_type, schema) = (operation.output)(&mut schemas.answers);
    if media_type.is_empty() {
        return json!({"description": operation.title.en});
    }
    let content = match schema.map(Schema::to_value) {
        Some(schema) => {
            let recorded = schemas.recorded.answer(operation.name).cloned();
            let example = recorded.unwrap_or_else(|| example(&schema, &schemas.answers, ExampleFields::All));
            json!({"schema": schema, "example": example})
        }
        None if media_type.contains("json") => json!({"schema": {"type": "object"}}),
        None => json!({"schema": {"type": "string"}}),
    };
    let essence = media_type.split(';').next().unwrap_or(media_type);
    let others = operation.forms.iter().map(|form| {
        let kind = if form.essence().ends_with("json") { "object" } else { "string" };
        (form.essence().to_owned(), json!({"schema": {"type": kind}}))
    });
    let content: Map<String, Value> = std::iter::once((essence.to_owned(), content)).chain(others).collect();
    let mut response = json!({"description": operation.title.en, "content": content});
    if let (Some(fields), true) = (response.as_object_mut(), operation.cache_control.is_some()) {
        fields.insert("headers".to_owned(), json!({"ETag": etag()}));
    }
    response
}

fn etag() -> Value {
    json!({"$ref": "#/components/headers/ETag"})
}

fn refusal(status: u16, codes: &[Code]) -> Value {
    let lines: Vec<String> = codes.iter().map(|code| format!("`{}`: {}", code.wire(), code.sentence().en)).collect();
    let examples: Map<String, Value> = codes
        .iter()
        .map(|code| (code.wire().to_owned(), json!({"$ref": format!("#/components/examples/{}", code.wire())})))
        .collect();
    let content = json!({"schema": {"$ref": "#/components/schemas/Error"}, "examples": examples});
    let mut response = json!({"description": lines.join("\n"), "content": {"application/json": content}});
    let headers: &[&str] = match status {
        401 => &["WWW-Authenticate"],
        402 => &["PAYMENT-REQUIRED"],
        429 | 503 => &["Retry-After"],
        _ => &[],
    };
    if let (Some(fields), false) = (response.as_object_mut(), headers.is_empty()) {
        let of = |name: &&str| ((*name).to_owned(), json!({"$ref": format!("#/components/headers/{name}")}));
        fields.insert("headers".to_owned(), headers.iter().map(of).collect::<Map<_, _>>().into());
    }
    response
}

/// An example refusal of each code that a text refers to, and the headers that answers bring.
pub(super) fn of_refusals(text: &str, recorded: &RecordedExamples) -> (Value, Value) {
    let used = |code: &&Code| text.contains(&format!("\"#/components/examples/{}\"", code.wire()));
    let examples = Code::ALL.iter().filter(used).map(|code| {
        let unrecorded = || Value::Object(service::error::ServiceError::new(*code).body(model::lang::Lang::En));
        let body = recorded.refusal(*code).cloned().unwrap_or_else(unrecorded);
        (code.wire().to_owned(), json!({"summary": code.sentence().en, "value": body}))
    });
    let text = |description: &str| json!({"description": description, "schema": {"type": "string"}});
    let headers = json!({
        "ETag": text("Name of this content, for `If-None-Match`."),
        "Retry-After": {"description": "Seconds until the same call may succeed.", "schema": {"type": "integer"}},
        "PAYMENT-REQUIRED": text("Payment requirements in version 2 of x402, in base64."),
        "WWW-Authenticate": text("Authentication scheme: `Bearer`."),
    });
    (Value::Object(examples.collect()), headers)
}

/// The input's own object schema, its reference followed.
fn input_object(operation: &Operation, generator: &mut SchemaGenerator) -> Value {
    let schema = operation.input_schema(generator).to_value();
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
    match name.and_then(|name| generator.definitions().get(name)) {
        Some(definition) => definition.clone(),
        None => schema,
    }
}

fn properties(input: &Value) -> Map<String, Value> {
    input.get("properties").and_then(Value::as_object).cloned().unwrap_or_default()
}

/// The body, but for what stands in the path. None where nothing is left.
fn request_body(operation: &Operation, input: &Value, generator: &mut SchemaGenerator) -> Option<Value> {
    let in_path: Vec<&str> = operation.path_parameters().collect();
    let own: Vec<String> = properties(input).into_iter().map(|(name, _)| name).collect();
    let is_in_path = |name: &str| in_path.contains(&name);
    if !operation.takes_body() || own.iter().all(|name| is_in_path(name)) {
        return None;
    }
    let mut schema = operation.input_schema(generator).to_value();
    if own.iter().any(|name| is_in_path(name)) {
        // Part of it is in the path: what is left is written out here.
        schema = input.clone();
        if let Some(Value::Object(fields)) = schema.get_mut("properties") {
            fields.retain(|name, _| !is_in_path(name));
        }
        if let Some(Value::Array(required)) = schema.get_mut("required") {
            required.retain(|name| !name.as_str().is_some_and(is_in_path));
        }
    }
    if operation.field_names().is_some() && !operation.takes_form && !operation.is_beacon {
        close(&mut schema, generator);
    }
    let example = example(&schema, generator, ExampleFields::Required);
    let is_required = input.get("minProperties").is_some()
        || schema.get("$ref").is_some_and(|_| input.get("required").is_some())
        || schema.get("required").and_then(Value::as_array).is_some_and(|required| !required.is_empty());
    let content = if operation.takes_form {
        json!({"multipart/form-data": {"schema": schema}})
    } else {
        json!({"application/json": {"schema": schema, "example": example}})
    };
    Some(json!({"required": is_required, "content": content}))
}

/// Says that an object has no other members than those of its schema, as a body with others is refused.
fn close(schema: &mut Value, generator: &mut SchemaGenerator) {
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
    let object = match name.map(str::to_owned) {
        Some(name) => generator.definitions_mut().get_mut(&name),
        None => Some(schema),
    };
    if let Some(Value::Object(fields)) = object {
        fields.insert("additionalProperties".to_owned(), false.into());
    }
}

/// Parameters of path and query, and the one that every call takes.
fn parameters(operation: &Operation, input: &Value, generator: &SchemaGenerator) -> Vec<Value> {
    let in_path: Vec<&str> = operation.path_parameters().collect();
    let required: Vec<&str> =
        input.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let mut out: Vec<Value> = properties(input)
        .into_iter()
        .filter(|(name, _)| in_path.contains(&name.as_str()) || !operation.takes_body())
        .map(|(name, mut schema)| {
            let place = if in_path.contains(&name.as_str()) { "path" } else { "query" };
            let example = of_field(&name, &schema, generator);
            let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
            let mut parameter = json!({
                "name": name,
                "in": place,
                "required": required.contains(&name.as_str()),
                "description": description.unwrap_or_else(|| "".into()),
                "schema": schema,
            });
            // What names parts of an answer depends on the answer: no made-up text does.
            if let (false, Value::Object(fields)) = (ReportWish::names_parts(&name), &mut parameter) {
                fields.insert("example".to_owned(), example);
            }
            parameter
        })
        .collect();
    out.push(json!({"$ref": "#/components/parameters/lang"}));
    out
}
