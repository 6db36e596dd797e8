//! Names of the parts of an answer, which `fields` asks for: judged by the schema of the answer, before anything is done.

use model::lang::{Text, text};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::input::unknown_at;
use service::error::{Code, ServiceError};

/// Names in `fields` at most.
const MOST_FIELDS: usize = 64;
/// Depth to which references and alternatives are followed: deeper than any schema of ours.
const DEEPEST: usize = 16;
/// The field beside which an answer has those of an excerpt.
const FINDINGS: &str = "issues";

/// The schema of an answer with a report.
#[derive(Debug, Clone)]
pub(crate) struct AnswerFields {
    /// The whole answer, then an excerpt of its report.
    shapes: Vec<Value>,
    definitions: Map<String, Value>,
}

impl AnswerFields {
    /// Of the answer that `describe` describes (`IntoReply::describe`), whose alternatives begin with the whole and the
    /// excerpt.
    pub(crate) fn of(output: fn(&mut SchemaGenerator) -> (&'static str, Option<schemars::Schema>)) -> Self {
        let mut generator = SchemaGenerator::from(SchemaSettings::draft2020_12().for_serialize());
        let schema = output(&mut generator).1.map(schemars::Schema::to_value).unwrap_or_default();
        let shapes = schema.get("anyOf").and_then(Value::as_array).map(|all| all.iter().take(2).cloned().collect());
        Self { shapes: shapes.unwrap_or_else(|| vec![schema]), definitions: generator.take_definitions(true) }
    }

    /// Refuses names that no answer has where they stand, with the nearest.
    pub(crate) fn judge(&self, fields: &str) -> Result<(), ServiceError> {
        const TOO_MANY: Text = text("fields: takes at most {most} names", "fields: recebe no máximo {most} nomes");
        if fields.split(',').nth(MOST_FIELDS).is_some() {
            let why = TOO_MANY.phrase(&[("most", MOST_FIELDS.into())]);
            return Err(ServiceError::new(Code::InvalidParameter).explained(why));
        }
        for field in fields.split(',').map(str::trim) {
            let mut places: Vec<&Value> = self.shapes.first().into_iter().collect();
            for (depth, name) in field.split('.').enumerate() {
                let objects: Vec<&Map<String, Value>> =
                    places.iter().flat_map(|place| self.objects(place, 0)).collect();
                let is_excerpt = |object: &&Map<String, Value>| properties(object).any(|(name, _)| name == FINDINGS);
                let excerpt = self.shapes.get(1).filter(|_| objects.iter().any(is_excerpt));
                let objects: Vec<&Map<String, Value>> =
                    objects.into_iter().chain(excerpt.into_iter().flat_map(|shape| self.objects(shape, 0))).collect();
                // Past a value without fields, or one of any shape, nothing is known.
                if objects.is_empty() {
                    break;
                }
                places = objects.iter().filter_map(|object| inner(object, name)).collect();
                if places.is_empty() {
                    let mut known: Vec<&str> =
                        objects.iter().flat_map(|object| properties(object)).map(|(name, _)| name.as_str()).collect();
                    known.sort_unstable();
                    known.dedup();
                    let parent: Vec<&str> = std::iter::once("fields").chain(field.split('.').take(depth)).collect();
                    return Err(unknown_at(Code::InvalidParameter, &parent.join("."), name, &known));
                }
            }
        }
        Ok(())
    }

    /// The objects that a schema stands for, through references, alternatives and lists.
    fn objects<'s>(&'s self, schema: &'s Value, depth: usize) -> Vec<&'s Map<String, Value>> {
        let Some(fields) = schema.as_object().filter(|_| depth < DEEPEST) else { return Vec::new() };
        let of = |schema: &'s Value| self.objects(schema, depth + 1);
        let mut out = Vec::new();
        if let Some(name) = fields.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next()) {
            out.extend(self.definitions.get(name).map(of).into_iter().flatten());
        }
        for word in ["anyOf", "oneOf", "allOf"] {
            out.extend(fields.get(word).and_then(Value::as_array).into_iter().flatten().flat_map(of));
        }
        out.extend(fields.get("items").map(of).into_iter().flatten());
        if fields.contains_key("properties") || fields.contains_key("additionalProperties") {
            out.push(fields);
        }
        out
    }
}

fn properties(object: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    object.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// The schema of a field of an object, whose names may be free.
fn inner<'s>(object: &'s Map<String, Value>, name: &str) -> Option<&'s Value> {
    let free = || object.get("additionalProperties").filter(|schema| **schema != Value::Bool(false));
    properties(object).find(|(known, _)| *known == name).map(|(_, schema)| schema).or_else(free)
}

#[cfg(test)]
mod tests {
    use crate::handlers;

    #[test]
    fn names_of_every_depth_are_known_and_others_are_not() {
        let catalog = handlers::catalog();
        let judge = |name: &str, fields: &str| {
            let operation = catalog.iter().find(|operation| operation.name == name).unwrap();
            operation.answer_fields().judge(fields).map_err(|error| error.detail.unwrap().en.clone())
        };
        for (operation, fields) in [
            ("get_audit", "score,issues.code, issues.points,summary.robotsTxt,summary.robotsTxt.agents.Googlebot.rule"),
            ("get_audit", "remaining,cursor,coverage.notMeasured.title_missing"),
            ("run_tab", "result.score,result.issues.code,tab.id,result.remaining"),
            ("get_workspace", "tabs.alias,active_result.score"),
            ("verify_page", "score,fixed,broke,revealed"),
        ] {
            assert_eq!(judge(operation, fields), Ok(()), "{fields}");
        }
        for (operation, fields, told) in [
            ("get_audit", "scor", "did you mean: score"),
            ("get_audit", "score,issues.cod", "did you mean: code"),
            ("get_audit", "summary.robotstxt", "robotsTxt"),
            ("run_tab", "score", "accepted fields: "),
            ("get_audit", "", "accepted fields: "),
            ("get_audit", &"score,".repeat(65), "at most 64"),
        ] {
            let detail = judge(operation, fields).unwrap_err();
            assert!(detail.starts_with("fields") && detail.contains(told), "{fields}: {detail}");
        }
    }
}
