//! Operations as tools: names, texts, hints, and schemas without references, as models and strict clients read them.

use model::lang::Lang;
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::operation::error_schema;
use crate::operation::{Access, Effect, Operation};
use service::config::Config;

/// Fields left out of a tool's arguments: a credential belongs into a header, where no model sees it.
const NO_ARGUMENTS: [&str; 1] = ["guest_token"];
/// The argument that every tool takes.
pub(crate) const LANG: &str = "lang";

/// The operations that are tools, in the order of the catalog: clients keep the list, and prompts that hold it.
pub fn tools(operations: &[Operation]) -> impl Iterator<Item = &Operation> {
    // What a session is for is done by a person: the cookie of one never comes in here.
    operations.iter().filter(|operation| {
        operation.is_tool && matches!(operation.access, Access::Open | Access::Owner | Access::Credit)
    })
}

/// A tool as an entry of `tools/list`.
pub fn described(operation: &Operation, config: &Config) -> Value {
    let mut tool = json!({
        "name": operation.name,
        "title": operation.title,
        "description": description(operation, config),
        "inputSchema": input_schema(operation),
        "annotations": {
            "title": operation.title,
            "readOnlyHint": operation.effect == Effect::Reads,
            "destructiveHint": operation.effect == Effect::Removes,
            "idempotentHint": operation.effect != Effect::Adds,
            "openWorldHint": operation.reaches_out,
        },
    });
    if let (Some(schema), Some(fields)) = (output_schema(operation), tool.as_object_mut()) {
        fields.insert("outputSchema".to_owned(), schema);
    }
    tool
}

fn description(operation: &Operation, config: &Config) -> String {
    let mut out = operation.doc.to_owned();
    if operation.access == Access::Owner {
        out.push_str(
            "\n\nNeeds a guest token in the header X-Guest-Token (create_guest makes one), or an API key in X-Api-Key.",
        );
    }
    if operation.access == Access::Credit {
        out.push_str("\n\nNeeds the credit's token in the header X-Credito.");
    }
    if let Some(sku) = operation.price {
        out.push_str(&format!("\n\nBeyond the free allowance a call costs {} USD (x402).", config.prices.of(sku)));
    }
    out
}

/// Path, query and body of an operation as one object of arguments.
fn input_schema(operation: &Operation) -> Value {
    let mut schema = (operation.input)(&mut generator(SchemaSettings::for_deserialize)).to_value();
    narrow(&mut schema);
    let part = |name: &str| schema.get(name).cloned();
    let mut properties = part("properties").and_then(|value| value.as_object().cloned()).unwrap_or_default();
    // A tool answers in structured form, which other forms are not.
    properties
        .retain(|name, _| !NO_ARGUMENTS.contains(&name.as_str()) && (name != "format" || operation.forms.is_empty()));
    properties.insert(
        LANG.to_owned(),
        json!({
            "type": "string",
            "enum": [Lang::En.tag(), Lang::PtBr.tag()],
            "description": "Language of the texts; by default that of the connection, else English.",
        }),
    );
    let mut out = Map::new();
    out.insert("type".to_owned(), "object".into());
    out.insert("properties".to_owned(), properties.into());
    if let Some(required) = part("required").filter(|required| required.as_array().is_some_and(|all| !all.is_empty())) {
        out.insert("required".to_owned(), required);
    }
    if let Some(least) = part("minProperties").as_ref().and_then(Value::as_u64) {
        // Of what is asked for beside the path, which is counted here too.
        let in_path = operation.path_parameters().count() as u64;
        out.insert("minProperties".to_owned(), (least + in_path).into());
    }
    out.insert("additionalProperties".to_owned(), false.into());
    Value::Object(out)
}

/// Output schema of a tool: the answer or an error, as clients validate errors too and would drop the payment demand in
/// one. `None` where the answer is not JSON.
fn output_schema(operation: &Operation) -> Option<Value> {
    let (_, schema) = (operation.output)(&mut generator(SchemaSettings::for_serialize));
    let mut schema = schema.map(Schema::to_value)?;
    // Of an answer that a model has before it, the names tell enough; a list of tools is read at every start.
    plain(&mut schema);
    let mut refusal = error_schema();
    plain(&mut refusal);
    Some(json!({"type": "object", "anyOf": [schema, refusal]}))
}

fn generator(contract: fn(SchemaSettings) -> SchemaSettings) -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    SchemaGenerator::from(contract(settings))
}

/// The schemas that a schema holds, whatever the names of its properties are.
fn inner(schema: &mut Map<String, Value>) -> impl Iterator<Item = &mut Value> {
    schema.iter_mut().flat_map(|(keyword, value)| -> Box<dyn Iterator<Item = &mut Value>> {
        match (keyword.as_str(), value) {
            ("properties" | "patternProperties" | "$defs", Value::Object(named)) => Box::new(named.values_mut()),
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => Box::new(list.iter_mut()),
            ("items" | "additionalProperties", one) => Box::new(std::iter::once(one)),
            _ => Box::new(std::iter::empty()),
        }
    })
}

/// Leaves out what clients with a smaller dialect refuse or misread: null as another name for leaving a field out, and
/// formats of numbers that are Rust's.
fn narrow(schema: &mut Value) {
    let Value::Object(fields) = schema else { return };
    inner(fields).for_each(narrow);
    if fields
        .get("format")
        .and_then(Value::as_str)
        .is_some_and(|format| ["int", "uint", "float", "double"].iter().any(|kind| format.starts_with(kind)))
    {
        fields.remove("format");
    }
    if fields.get("default").is_some_and(Value::is_null) {
        fields.remove("default");
    }
    if let Some(Value::Array(types)) = fields.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            fields.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = fields.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type").and_then(Value::as_str) != Some("null"));
        if let [Value::Object(only)] = choices.as_mut_slice() {
            let only = std::mem::take(only);
            fields.remove("anyOf");
            for (keyword, value) in only {
                fields.entry(keyword).or_insert(value);
            }
        }
    }
}

/// Writes the schema of an answer as clients with a smaller dialect read it: without texts, a type by itself, and any
/// value as the list of what there is.
fn plain(schema: &mut Value) {
    if let Value::Object(fields) = schema {
        inner(fields).for_each(plain);
        fields.remove("description");
        fields.remove("title");
        fields.remove("default");
        if let Some(Value::Array(types)) = fields.get("type").cloned() {
            let mut choices = Vec::new();
            for kind in types {
                let mut choice = if kind == "null" { Map::new() } else { fields.clone() };
                choice.insert("type".to_owned(), kind);
                choices.push(Value::Object(choice));
            }
            *fields = Map::from_iter([("anyOf".to_owned(), choices.into())]);
        }
    }
    if *schema == json!(true) || *schema == json!({}) {
        let kinds = ["object", "array", "string", "number", "boolean", "null"].map(|kind| json!({ "type": kind }));
        *schema = json!({ "anyOf": kinds });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handlers;

    fn references(value: &Value) -> usize {
        match value {
            Value::Object(fields) => {
                usize::from(fields.contains_key("$ref")) + fields.values().map(references).sum::<usize>()
            }
            Value::Array(items) => items.iter().map(references).sum(),
            _ => 0,
        }
    }

    #[test]
    fn tools_are_told_as_the_protocol_takes_them() {
        let operations = handlers::catalog();
        let config = Config::default();
        for operation in tools(&operations) {
            let tool = described(operation, &config);
            let name = tool["name"].as_str().unwrap();
            let is_good = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
            assert!(name.len() <= 64 && name.bytes().all(is_good), "{name}");
            assert_eq!(references(&tool), 0, "{name} refers to another schema");
            let input = &tool["inputSchema"];
            assert_eq!((&input["type"], &input["additionalProperties"]), (&"object".into(), &false.into()), "{name}");
            assert!(input["properties"].get("guest_token").is_none(), "{name} takes a credential");
            assert!(!input.to_string().contains("\"null\""), "{name}: {input}");
            for parameter in operation.path_parameters() {
                assert!(input["required"].as_array().unwrap().contains(&parameter.into()), "{name}: {parameter}");
            }
            if let Some(output) = tool.get("outputSchema") {
                assert_eq!(output["type"], "object", "{name}");
                assert!(!output.to_string().contains("\"type\":["), "{name}: a list of types");
            }
        }
    }

    #[test]
    fn a_field_that_may_be_left_out_is_never_null() {
        let mut schema = json!({
            "properties": {
                "format": {"type": ["integer", "null"], "format": "uint32", "default": null},
                "kind": {"anyOf": [{"enum": ["a"], "type": "string"}, {"type": "null"}], "description": "x"},
            },
        });
        narrow(&mut schema);
        let wanted = json!({
            "properties": {
                "format": {"type": "integer"},
                "kind": {"description": "x", "enum": ["a"], "type": "string"},
            },
        });
        assert_eq!(schema, wanted);
    }

    #[test]
    fn an_answer_that_may_be_null_or_anything_says_so_in_small_words() {
        let mut schema = json!({"properties": {"a": {"type": ["string", "null"], "enum": ["x"]}, "b": true, "c": {"description": "x"}}});
        plain(&mut schema);
        let a = json!({"anyOf": [{"enum": ["x"], "type": "string"}, {"type": "null"}]});
        assert_eq!(schema["properties"]["a"], a);
        assert_eq!(schema["properties"]["b"], schema["properties"]["c"]);
        assert_eq!(schema["properties"]["b"]["anyOf"].as_array().unwrap().len(), 6);
    }
}
