//! Texts of operations in both languages. The builder takes title and documentation in pairs. What a parameter is for is the
//! docstring of its field and, below it in Portuguese, an extension of the field's schema (other fields: `field_texts.rs`):
//!
//! ```text
//! /// Id of the followed page.
//! #[schemars(extend("x-pt" = "Id da página seguida."))]
//! id: String,
//! ```
//!
//! Programs read the English only: the extension is taken out of every schema that they get.

use std::collections::BTreeMap;

use model::lang::{Text, text};
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};

use super::{Operation, ReportWish};

/// The extension of a schema that holds its description in Portuguese.
const PORTUGUESE: &str = "x-pt";

/// What the parameter `lang` is for, which every call takes.
pub(crate) const LANG_TEXT: Text = text(
    "Language of the texts; by default that of Accept-Language, else English.",
    "Idioma dos textos; por padrão o de Accept-Language, senão inglês.",
);

impl Operation {
    /// Its documentation and its example in English, as programs read them.
    pub fn description(&self) -> String {
        match self.example {
            Some(example) => format!("{}\n\nExample: {example}", self.doc.en),
            None => self.doc.en.to_owned(),
        }
    }

    /// What its parameters are for, in Portuguese, by name.
    pub fn parameters_in_portuguese(&self) -> BTreeMap<String, String> {
        let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
        let mut generator = SchemaGenerator::from(settings.for_deserialize());
        let own = (self.input)(&mut generator);
        let mut fields = own.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        if self.reports {
            fields.extend(ReportWish::properties(&mut generator, true));
        }
        let every_call = ("lang".to_owned(), LANG_TEXT.pt.to_owned());
        let own =
            fields.into_iter().filter_map(|(name, field)| Some((name, field.get(PORTUGUESE)?.as_str()?.to_owned())));
        own.chain([every_call]).collect()
    }
}

/// Takes the Portuguese out of the schema of an input, and of the definition that it refers to.
pub(super) fn keep_english(schema: &mut Schema, generator: &mut SchemaGenerator) {
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next()).map(str::to_owned);
    let definition = name.and_then(|name| generator.definitions_mut().get_mut(&name)).and_then(Value::as_object_mut);
    for object in definition.into_iter().chain(schema.as_object_mut()) {
        let properties = object.get_mut("properties").and_then(Value::as_object_mut).into_iter();
        let fields = properties.flat_map(Map::values_mut).filter_map(Value::as_object_mut);
        fields.for_each(|field| field.retain(|keyword, _| keyword != PORTUGUESE));
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::documents::openapi;
    use crate::{handlers, mcp};
    use service::config::Config;

    /// Codes of a text, in order: names that a translation keeps.
    fn codes(text: &str) -> Vec<&str> {
        let mut codes: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
        codes.sort_unstable();
        codes
    }

    /// What is wrong with a translation.
    pub(in crate::operation) fn fault(en: &str, pt: &str) -> Option<String> {
        let paragraphs = |text: &str| text.split("\n\n").count();
        let is_right = !en.is_empty() && !pt.is_empty() && en != pt;
        (!is_right || codes(en) != codes(pt) || paragraphs(en) != paragraphs(pt)).then(|| format!("{en:?}: {pt:?}"))
    }

    #[test]
    fn every_operation_is_described_in_both_languages() {
        let faults: Vec<String> = handlers::catalog()
            .iter()
            .flat_map(|operation| [operation.title, operation.doc].map(|text| (operation.name, text)))
            .filter_map(|(name, text)| Some(format!("{name}: {}", fault(text.en, text.pt)?)))
            .collect();
        assert_eq!(faults, [""; 0]);
    }

    #[test]
    fn every_parameter_is_described_in_both_languages_and_nothing_else_is() {
        let (mut faults, mut used) = (Vec::new(), BTreeMap::new());
        for operation in handlers::catalog() {
            let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
            let english = operation.input_schema(&mut SchemaGenerator::from(settings.for_deserialize())).to_value();
            let mut portuguese = operation.parameters_in_portuguese();
            assert_eq!(portuguese.remove("lang").as_deref(), Some(LANG_TEXT.pt), "{operation:?}");
            for (name, schema) in english["properties"].as_object().into_iter().flatten() {
                let is_parameter = !operation.takes_body() || operation.path_parameters().any(|own| own == name);
                let text = portuguese.get(name);
                if is_parameter {
                    let pt = text.map_or("", String::as_str);
                    let en = schema["description"].as_str().unwrap_or_default();
                    faults.extend(fault(en, pt).map(|fault| format!("{operation:?} {name}: {fault}")));
                }
                if let Some(text) = text {
                    // Of an input that has a body, too, some fields are parameters of other calls.
                    *used.entry((name.clone(), text.clone())).or_insert(false) |= is_parameter;
                }
            }
        }
        assert_eq!(faults, [""; 0]);
        used.retain(|_, is_parameter| !*is_parameter);
        assert_eq!(used, BTreeMap::new(), "of no parameter");
    }

    #[test]
    fn programs_get_english_only() {
        let (operations, config) = (handlers::catalog(), Config::default());
        let description = openapi::document(&operations, &config, "https://audit.example.com").to_string();
        let tools = operations.iter().map(|operation| mcp::tool::described(operation, &config).to_string());
        let inputs = operations.iter().map(|operation| mcp::tool::own_input(operation).to_string());
        for text in tools.chain(inputs).chain([description]) {
            assert!(!text.contains(PORTUGUESE), "{text}");
        }
    }

    #[test]
    fn an_example_comes_after_the_documentation() {
        let operations = handlers::catalog();
        let find = |name: &str| operations.iter().find(|operation| operation.name == name).unwrap();
        let audit = find("audit_page").description();
        assert!(audit.ends_with("costs nothing.\n\nExample: `{\"url\": \"https://example.com/\"}`"), "{audit}");
        assert_eq!(find("get_pricing").description(), find("get_pricing").doc.en);
    }
}
