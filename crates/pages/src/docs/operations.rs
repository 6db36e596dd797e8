//! The page of one operation of the API.

use std::collections::BTreeMap;

use api::documents::operations::{described, sample};
use api::operation::{Access, Operation, field_texts};
use api::site::Site;
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use model::lang::{Lang, Text, text};
use serde_json::Value;
use service::blocking::off_worker;
use service::error::{Code, ServiceError};

use super::layout::DocsPage;
use crate::address::with_lang;
use crate::api_index::DOCS_PATH;
use crate::frame::Frame;
use crate::pieces::{CodePiece, pieces, plain};
use crate::reader::Reader;
use crate::response::lasting;
use crate::{assets, error, filters};

#[derive(Template)]
#[template(path = "docs_operation.html")]
struct OperationPage<'a> {
    frame: Frame<'a>,
    docs: DocsPage<'a>,
    operation: &'a Operation,
    title: &'static str,
    hub: String,
    about: Vec<Vec<CodePiece<'static>>>,
    access: &'static str,
    price: Option<String>,
    parameters: Vec<Parameter>,
    samples: [(&'static str, String); 4],
    answer: Vec<(String, ShownText)>,
    media_types: Vec<String>,
    errors: Vec<ErrorRow>,
    attempt: Option<TryIt>,
    script: &'static str,
}

/// A parameter, or a member of the body.
struct Parameter {
    name: String,
    /// Where a request has it, in words.
    place: &'static str,
    kind: String,
    is_required: bool,
    about: ShownText,
}

/// What a parameter or a field is for, in the language of the page.
struct ShownText {
    text: String,
    /// In English on a page in Portuguese, as it is not translated.
    is_foreign: bool,
}

impl ShownText {
    /// The description of `schema`. `own`: its Portuguese where that is written at the field, as for parameters.
    fn of(schema: &Value, own: Option<&String>, lang: Lang) -> Self {
        let english = text_of(schema, "description");
        match (lang, own.map(String::as_str).or_else(|| field_texts::in_portuguese(&english))) {
            (Lang::En, _) => Self { text: english, is_foreign: false },
            (Lang::PtBr, Some(portuguese)) => Self { text: portuguese.to_owned(), is_foreign: false },
            (Lang::PtBr, None) => Self { text: english, is_foreign: true },
        }
    }
}

/// An error that the operation may answer with.
struct ErrorRow {
    status: u16,
    code: &'static str,
    sentence: &'static str,
}

/// The form that calls the operation from the page.
struct TryIt {
    /// Name and example of each parameter in path and query.
    fields: Vec<(String, String, bool)>,
    body: Option<String>,
}

/// The description of the API, parsed.
fn openapi(site: &Site) -> Value {
    site.documents().get("/openapi.json").and_then(|text| serde_json::from_slice(text).ok()).unwrap_or_default()
}

/// One operation.
pub(super) async fn show(
    State(site): State<Site>,
    name: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let name = name.map(|Path(name)| name).unwrap_or_default();
    let on_failure = site.clone();
    let made = off_worker(move || {
        let operation = site.operations().iter().find(|operation| operation.name == name)?;
        Some(lasting(&page(&site, operation, &request, &openapi(&site)), reader.lang))
    });
    let missing = || Err(ServiceError::new(Code::NotFound));
    let made = made.await.and_then(|page| page.map_or_else(missing, Ok));
    made.unwrap_or_else(|failure| error::page(on_failure.services(), &failure, reader))
}

fn page<'a>(site: &'a Site, operation: &'a Operation, request: &Request, openapi: &Value) -> OperationPage<'a> {
    let query = request.uri().query();
    let lang = Reader::of(request.headers(), query).lang;
    let services = site.services();
    let entry = described(openapi, operation);
    let (title, about) = (operation.title.in_lang(lang), operation.doc.in_lang(lang));
    let path = format!("/docs/api/{}", operation.name);
    let docs = DocsPage::new(services, request, &path, title, &plain(about));
    let mut errors: Vec<Code> = operation.all_errors().collect();
    errors.sort_by_key(|code| (code.status(), code.wire()));
    let request = sample(services.base_url(), operation, entry);
    let parameters = parameters(openapi, entry, operation, lang);
    let answer = answer(openapi, entry, operation, lang);
    OperationPage {
        frame: docs.frame.clone(),
        operation,
        title,
        hub: with_lang(DOCS_PATH, query, lang),
        about: about.split("\n\n").map(pieces).collect(),
        access: access(operation.access).in_lang(lang),
        price: operation.price.map(|sku| docs.frame.decimal(services.config().prices.of(sku))),
        parameters,
        samples: request.all(),
        answer,
        media_types: media_types(entry, operation),
        errors: errors
            .into_iter()
            .map(|code| ErrorRow { status: code.status(), code: code.wire(), sentence: code.sentence().in_lang(lang) })
            .collect(),
        attempt: attempt(entry, operation, request.body.as_deref()),
        script: assets::DOCS_PATH,
        docs,
    }
}

fn access(access: Access) -> Text {
    match access {
        Access::Open => text("No token needed.", "Não precisa de token."),
        Access::Owner => text(
            "Needs a guest token (`X-Guest-Token`), an API key (`X-Api-Key`) or a signed-in browser.",
            "Precisa de um token de visitante (`X-Guest-Token`), uma chave de API (`X-Api-Key`) ou um navegador com sessão.",
        ),
        Access::Account => text(
            "Needs an account: an API key (`X-Api-Key`) or a signed-in browser. A guest token is refused.",
            "Precisa de uma conta: uma chave de API (`X-Api-Key`) ou um navegador com sessão. Um token de visitante é recusado.",
        ),
        Access::Session => text(
            "Needs a signed-in browser: its cookie, and for writes `Origin` and `X-CSRF-Token`.",
            "Precisa de um navegador com sessão: o cookie e, para escrever, `Origin` e `X-CSRF-Token`.",
        ),
        Access::Browser => text(
            "For pages of this site: writes need `Origin` and `X-CSRF-Token`.",
            "Para páginas deste site: escrever precisa de `Origin` e `X-CSRF-Token`.",
        ),
        Access::Credit => text(
            "Needs the token of a credit (`X-Credito` or `Authorization: Bearer`).",
            "Precisa do token de um crédito (`X-Credito` ou `Authorization: Bearer`).",
        ),
        Access::Operator => text(
            "Needs the operator's token (`Authorization: Bearer`).",
            "Precisa do token do operador (`Authorization: Bearer`).",
        ),
    }
}

/// A schema, or the one that it refers to.
fn resolved<'v>(openapi: &'v Value, schema: &'v Value) -> &'v Value {
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
    name.and_then(|pointer| openapi.pointer(pointer)).unwrap_or(schema)
}

fn text_of(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The type of a schema in a word or two. That it may be null is not said: so may everything that may be left out.
fn kind(openapi: &Value, schema: &Value) -> String {
    let is_some = |schema: &&Value| schema.get("type").is_none_or(|name| name != "null");
    let schema = resolved(openapi, schema);
    let shapes = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
    let schema = shapes.and_then(|shapes| shapes.iter().find(is_some)).map_or(schema, |shape| resolved(openapi, shape));
    // Words with a description each.
    if let Some(words) = schema.get("oneOf").and_then(Value::as_array) {
        let words: Option<Vec<&str>> = words.iter().map(|word| word.get("const")?.as_str()).collect();
        if let Some(words) = words {
            return words.join(" | ");
        }
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        let words = words.iter().map(|word| word.as_str().map_or_else(|| word.to_string(), str::to_owned));
        return words.collect::<Vec<_>>().join(" | ");
    }
    match schema.get("type") {
        Some(Value::String(name)) => name.clone(),
        Some(Value::Array(names)) => {
            let names = names.iter().filter_map(Value::as_str).filter(|name| *name != "null");
            names.collect::<Vec<_>>().join(" | ")
        }
        _ => "any".to_owned(),
    }
}

fn parameters(openapi: &Value, entry: &Value, operation: &Operation, lang: Lang) -> Vec<Parameter> {
    const PATH: Text = text("In the path", "No caminho");
    const HEADER: Text = text("In a header", "Em um cabeçalho");
    const QUERY: Text = text("In the query string", "Na query string");
    const BODY: Text = text("In the body", "No corpo");
    let portuguese = match lang {
        Lang::En => BTreeMap::new(),
        Lang::PtBr => operation.parameters_in_portuguese(),
    };
    let own = entry.get("parameters").and_then(Value::as_array).into_iter().flatten();
    let own = own.map(|parameter| resolved(openapi, parameter)).map(|parameter| Parameter {
        name: text_of(parameter, "name"),
        place: match parameter.get("in").and_then(Value::as_str) {
            Some("path") => PATH.in_lang(lang),
            Some("header") => HEADER.in_lang(lang),
            _ => QUERY.in_lang(lang),
        },
        kind: kind(openapi, parameter.get("schema").unwrap_or(&Value::Null)),
        is_required: parameter.get("required") == Some(&true.into()),
        about: ShownText::of(parameter, portuguese.get(&text_of(parameter, "name")), lang),
    });
    let body = entry.pointer("/requestBody/content/application~1json/schema").unwrap_or(&Value::Null);
    let body = resolved(openapi, body);
    let required: Vec<&str> =
        body.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let members = body.get("properties").and_then(Value::as_object).into_iter().flatten();
    let members = members.map(|(name, schema)| Parameter {
        name: name.clone(),
        place: BODY.in_lang(lang),
        kind: kind(openapi, schema),
        is_required: required.contains(&name.as_str()),
        about: ShownText::of(schema, portuguese.get(name), lang),
    });
    own.chain(members).collect()
}

fn content<'v>(entry: &'v Value, operation: &Operation) -> impl Iterator<Item = (&'v String, &'v Value)> {
    let content = entry.pointer(&format!("/responses/{}/content", operation.status.as_u16()));
    content.and_then(Value::as_object).into_iter().flatten()
}

fn media_types(entry: &Value, operation: &Operation) -> Vec<String> {
    content(entry, operation).map(|(media_type, _)| media_type.clone()).collect()
}

/// Name and description of each field of the answer. Of an answer in several shapes, the first: the whole.
fn answer(openapi: &Value, entry: &Value, operation: &Operation, lang: Lang) -> Vec<(String, ShownText)> {
    let schema = content(entry, operation).find_map(|(_, content)| content.get("schema")).unwrap_or(&Value::Null);
    let schema = resolved(openapi, schema);
    let whole = ["anyOf", "oneOf"].iter().find_map(|word| schema.get(*word)?.get(0)).unwrap_or(schema);
    let fields = resolved(openapi, whole).get("properties").and_then(Value::as_object).into_iter().flatten();
    fields.map(|(name, field)| (name.clone(), ShownText::of(field, None, lang))).collect()
}

/// The form for a try; `None` where a page can't make the call with a token alone.
fn attempt(entry: &Value, operation: &Operation, body: Option<&str>) -> Option<TryIt> {
    let takes_token = matches!(operation.access, Access::Open | Access::Owner | Access::Account | Access::Credit);
    if !takes_token || operation.takes_form || operation.is_beacon {
        return None;
    }
    let parameters = entry.get("parameters").and_then(Value::as_array).into_iter().flatten();
    let of_address =
        parameters.filter(|parameter| matches!(parameter.get("in").and_then(Value::as_str), Some("path" | "query")));
    let field = |parameter: &Value| {
        let is_path = parameter.get("in").and_then(Value::as_str) == Some("path");
        let is_required = is_path || parameter.get("required") == Some(&true.into());
        let example =
            parameter.get("example").map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        (text_of(parameter, "name"), example.filter(|_| is_required).unwrap_or_default(), is_required)
    };
    Some(TryIt { fields: of_address.map(field).collect(), body: body.map(str::to_owned) })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use service::config::Config;

    use super::*;

    /// Where the Portuguese of a field is written.
    const CATALOG: &str = "crates/api/src/operation/fields.pt.tsv";

    #[test]
    fn every_field_is_described_in_both_languages_and_the_catalog_has_no_other() {
        let operations = api::handlers::catalog();
        let openapi = api::documents::openapi::document(&operations, &Config::default(), "https://audit.example.com");
        let (mut faults, mut used) = (BTreeSet::new(), BTreeSet::new());
        for operation in &operations {
            let entry = described(&openapi, operation);
            let shown = |lang| {
                let input = parameters(&openapi, entry, operation, lang).into_iter();
                input.map(|field| (field.name, field.about)).chain(answer(&openapi, entry, operation, lang))
            };
            for ((name, english), (_, portuguese)) in shown(Lang::En).zip(shown(Lang::PtBr)) {
                let english = field_texts::one_line(&english.text);
                if english.is_empty() {
                    faults.insert(format!("add a docstring to the field {name} of {}", operation.name));
                } else if portuguese.is_foreign {
                    faults.insert(format!("add to {CATALOG}: {english}\t… ({name} of {})", operation.name));
                } else {
                    used.insert((english, portuguese.text));
                }
            }
        }
        for (english, portuguese) in field_texts::all() {
            if !used.contains(&(english.to_owned(), portuguese.to_owned())) {
                faults.insert(format!("remove from {CATALOG}, as no field has it: {english}"));
            }
        }
        assert!(faults.is_empty(), "{faults:#?}");
    }
}
