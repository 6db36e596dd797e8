//! Operations as tools: names, texts, hints, and schemas without references, as models and strict clients read them.

use model::lang::Lang;
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::operation::{Access, Effect, Operation, error_schema};
use service::config::Config;

/// The argument that every tool takes: language of the texts.
pub(crate) const LANG: &str = "lang";
/// The argument that every tool takes: who calls, for clients that can't set headers.
pub(crate) const GUEST_TOKEN: &str = "guest_token";
/// The argument that every tool takes: `json` for the answer as text, and the forms of a report.
pub(crate) const FORMAT: &str = "format";
/// The format that every tool has.
pub(crate) const AS_TEXT: &str = "json";
/// The two tools that reach every operation which has no place in the list: one tells them, one calls them.
pub(crate) const PAIR: [&str; 2] = ["list_operations", "call_operation"];
/// Characters of a description, before what it costs and needs. Models read every description at every start.
const DESCRIPTION_CHARACTERS: usize = 320;
/// What the description of a tool ends with that is for an owner of audits.
pub(super) const NEEDS_TOKEN: &str = " Needs `guest_token` (create_guest), or a header X-Guest-Token or X-Api-Key.";
/// The same of a tool that guests can't call.
const NEEDS_KEY: &str = " Needs a header X-Api-Key; guests can't call it.";
/// The tool that makes a guest.
pub(super) const CREATE_GUEST: &str = "create_guest";
/// The tools of the core tasks, which `tools/list` has: audit a page or a site, fix, prove, share, follow, look up. Every other
/// operation is called by name as well, and told by `list_operations`.
const LISTED: [&str; 23] = [
    "audit_page",
    "get_audit",
    "get_patch",
    "apply_patch",
    "get_robots",
    "audit_site",
    "get_site",
    "start_lab_test",
    "get_lab_tests",
    "share_audit",
    "unshare_audit",
    "get_shared",
    "list_checks",
    "get_check",
    "verify_page",
    CREATE_GUEST,
    "get_workspace",
    "open_tab",
    "get_tab",
    "change_tab",
    "run_tab",
    "get_tab_history",
    "get_gate",
];

/// The operations that are tools, in the order of the catalog: clients keep the list, and prompts that hold it.
pub fn tools(operations: &[Operation]) -> impl Iterator<Item = &Operation> {
    // What a session is for is done by a person: the cookie of one never comes in here.
    let is_for_people = |access| matches!(access, Access::Session | Access::Browser | Access::Operator);
    operations.iter().filter(move |operation| operation.is_tool && !is_for_people(operation.access))
}

/// Whether a tool has a place in `tools/list`.
pub(crate) fn is_listed(name: &str) -> bool {
    LISTED.contains(&name)
}

/// Names of `tools/list`.
pub(crate) fn listed(operations: &[Operation]) -> Vec<&'static str> {
    let names = tools(operations).map(|operation| operation.name).filter(|name| is_listed(name));
    names.chain(PAIR).collect()
}

/// A tool with the schema of its answer, as an entry of `tools/list` has it that is asked for schemas.
pub fn described(operation: &Operation, config: &Config) -> Value {
    let mut tool = json!({
        "name": operation.name,
        "title": operation.title.en,
        "description": description(operation, config),
        "inputSchema": input_schema(operation),
        "annotations": {
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

/// The first sentences of a documentation, as many as fit.
pub(crate) fn brief(doc: &str) -> String {
    let mut out = String::new();
    for sentence in doc.split("\n\n").next().unwrap_or_default().split_inclusive(". ") {
        if !out.is_empty() && out.chars().count() + sentence.chars().count() > DESCRIPTION_CHARACTERS {
            break;
        }
        out.push_str(sentence);
    }
    out.trim_end().to_owned()
}

fn description(operation: &Operation, config: &Config) -> String {
    let mut out = brief(operation.doc.en);
    out.push_str(match operation.access {
        Access::Owner => NEEDS_TOKEN,
        Access::Account => NEEDS_KEY,
        Access::Credit => " Needs the credit's token in the header X-Credito.",
        Access::Open | Access::Session | Access::Browser | Access::Operator => "",
    });
    if let Some(sku) = operation.price {
        out.push_str(&format!(" Beyond the free allowance: {} USD (x402).", config.prices.of(sku)));
    }
    out
}

/// Schema of the argument `lang`.
pub(super) fn lang() -> Value {
    json!({"type": "string", "enum": [Lang::En.tag(), Lang::PtBr.tag()]})
}

/// Schema of the argument `guest_token`.
pub(super) fn guest_token() -> Value {
    json!({"type": "string", "description": "Guest token (pa_…), instead of the header X-Guest-Token."})
}

/// Schema of the argument `format`.
fn format_of(operation: &Operation) -> Value {
    let forms = operation.forms.iter().map(|form| form.name);
    let formats: Vec<&str> = std::iter::once(AS_TEXT).chain(forms).collect();
    json!({"type": "string", "enum": formats, "description": "As text, not structured."})
}

/// Path, query and body of an operation as one object of arguments.
fn input_schema(operation: &Operation) -> Value {
    let mut schema = operation.input_schema(&mut generator(SchemaSettings::for_deserialize)).to_value();
    narrow(&mut schema);
    let part = |name: &str| schema.get(name).cloned();
    let mut properties = part("properties").and_then(|value| value.as_object().cloned()).unwrap_or_default();
    for (name, value) in operation.tool_defaults {
        let Some(Value::Object(property)) = properties.get_mut(*name) else { continue };
        property.insert("default".to_owned(), (*value).into());
    }
    for (name, schema) in [(FORMAT, format_of(operation)), (GUEST_TOKEN, guest_token()), (LANG, lang())] {
        properties.insert(name.to_owned(), schema);
    }
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

/// Schema of the input that an operation has of its own, without references.
pub(crate) fn own_input(operation: &Operation) -> Value {
    let mut schema = operation.input_schema(&mut generator(SchemaSettings::for_deserialize)).to_value();
    narrow(&mut schema);
    if let Some(fields) = schema.as_object_mut() {
        fields.remove("title");
        fields.remove("description");
    }
    schema
}

/// Media type of an operation's answer, and its schema where it is JSON, without references.
pub(crate) fn answer_schema(operation: &Operation) -> (&'static str, Option<Value>) {
    let (media_type, schema) = (operation.output)(&mut generator(SchemaSettings::for_serialize));
    (media_type, schema.map(Schema::to_value))
}

/// Output schema of a tool: the answer or an error, as clients validate errors too and would drop the payment demand in
/// one. `None` where the answer is not JSON.
fn output_schema(operation: &Operation) -> Option<Value> {
    let mut schema = answer_schema(operation).1?;
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
            for every in [GUEST_TOKEN, LANG, FORMAT] {
                assert!(input["properties"].get(every).is_some(), "{name} takes no {every}");
            }
            let description = tool["description"].as_str().unwrap();
            assert!(description.ends_with('.') && description.chars().count() < 480, "{name}: {description}");
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

    /// The words in backticks that look like names of ours.
    fn named(text: &str) -> impl Iterator<Item = &str> {
        let is_name = |word: &&str| {
            word.starts_with(|c: char| c.is_ascii_lowercase())
                && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_' || byte.is_ascii_digit())
        };
        text.split('`').skip(1).step_by(2).filter(is_name)
    }

    /// Every name and every value of an enumeration in a schema.
    fn words(schema: &Value, out: &mut Vec<String>) {
        match schema {
            Value::Object(fields) => {
                for (name, value) in fields {
                    out.push(name.clone());
                    words(value, out);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| words(item, out)),
            Value::String(text) => out.push(text.clone()),
            _ => {}
        }
    }

    #[test]
    fn descriptions_name_only_what_the_schemas_have() {
        let operations = handlers::catalog();
        let names: Vec<&str> = tools(&operations).map(|operation| operation.name).collect();
        for operation in tools(&operations).filter(|operation| is_listed(operation.name)) {
            let tool = described(operation, &Config::default());
            let mut known: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            known.extend(["json", "true", "false", "null"].map(str::to_owned));
            known.extend(audit::checks::all().map(|check| check.code.to_owned()));
            known.push(audit::rendered::CODE.to_owned());
            words(&tool["inputSchema"], &mut known);
            words(&tool["outputSchema"], &mut known);
            let mut texts = vec![tool["description"].as_str().unwrap().to_owned()];
            for property in tool["inputSchema"]["properties"].as_object().unwrap().values() {
                texts.extend(property["description"].as_str().map(str::to_owned));
            }
            for text in &texts {
                for name in named(text) {
                    assert!(known.iter().any(|word| word == name), "{}: {name} in {text}", operation.name);
                }
            }
        }
    }

    #[test]
    fn the_list_holds_tools_that_there_are() {
        let operations = handlers::catalog();
        for name in LISTED {
            assert!(tools(&operations).any(|operation| operation.name == name), "{name}");
        }
        assert!(!brief("One. Two.\n\nExample: x").contains("Example"));
        assert_eq!(brief(&format!("One. {}.", "x".repeat(400))), "One.");
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
