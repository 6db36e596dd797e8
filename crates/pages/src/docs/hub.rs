//! All operations of the API, with a search.

use api::documents::openapi::{OperationTag, TAGS};
use api::operation::Operation;
use api::site::Site;
use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use model::lang::{Lang, Text, text};
use render::catalog::search;
use service::blocking::off_worker;

use super::layout::DocsPage;
use crate::address::with_lang;
use crate::api_index::DOCS_PATH;
use crate::error;
use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::lasting;

/// Characters of the search words; the rest is ignored.
const LONGEST_WORDS: usize = 100;

#[derive(Template)]
#[template(path = "docs.html")]
struct HubPage<'a> {
    frame: Frame<'a>,
    docs: DocsPage<'a>,
    words: String,
    groups: Vec<OperationGroup<'a>>,
    shown: usize,
    count: usize,
    first_call: String,
    tools: usize,
}

/// The operations of a tag.
struct OperationGroup<'a> {
    name: &'static str,
    about: &'static str,
    lines: Vec<OperationLine<'a>>,
}

/// An operation in the list.
struct OperationLine<'a> {
    method: &'a str,
    path: &'a str,
    title: &'static str,
    address: String,
}

/// All operations; with `?q=` those that have all of the words.
pub(super) async fn show(State(site): State<Site>, request: Request) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let on_failure = site.clone();
    let made = off_worker(move || lasting(&hub_page(&site, &request), reader.lang)).await;
    made.unwrap_or_else(|failure| error::page(on_failure.services(), &failure, reader))
}

fn hub_page<'a>(site: &'a Site, request: &Request) -> HubPage<'a> {
    const TITLE: Text = text("API documentation", "Documentação da API");
    const DESCRIPTION: Text = text(
        "Every operation of the API with its parameters, answers, errors and examples in curl, JavaScript, Python and Rust.",
        "Toda operação da API com parâmetros, respostas, erros e exemplos em curl, JavaScript, Python e Rust.",
    );
    let query = request.uri().query();
    let lang = Reader::of(request.headers(), query).lang;
    let mut pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    let words = pairs.find(|(name, _)| name == "q").map(|(_, words)| words.into_owned()).unwrap_or_default();
    let words: String = words.trim().chars().take(LONGEST_WORDS).collect();
    let found: Vec<&Operation> =
        site.operations().iter().filter(|operation| has_words(operation, &words, lang)).collect();
    let group = |tag: &OperationTag| {
        let of_tag = found.iter().filter(|operation| tag.holds(operation.path));
        let lines: Vec<OperationLine<'a>> = of_tag.map(|operation| line(operation, query, lang)).collect();
        let (name, about) = (tag.name.in_lang(lang), tag.description.in_lang(lang));
        (!lines.is_empty()).then_some(OperationGroup { name, about, lines })
    };
    let groups: Vec<OperationGroup<'a>> = TAGS.iter().filter_map(group).collect();
    let docs = DocsPage::new(site.services(), request, DOCS_PATH, TITLE.in_lang(lang), DESCRIPTION.in_lang(lang));
    HubPage {
        frame: docs.frame.clone(),
        docs,
        shown: groups.iter().map(|group| group.lines.len()).sum(),
        count: site.operations().len(),
        groups,
        words,
        first_call: render::catalog::calls::curl(site.services().base_url()),
        tools: site.operations().iter().filter(|operation| operation.is_tool).count(),
    }
}

/// Whether an operation has all of the words: in English and, for a reader of Portuguese, in either language.
fn has_words(operation: &Operation, words: &str, lang: Lang) -> bool {
    let Operation { name, title, path, doc, .. } = operation;
    let mut text = format!("{name} {path} {} {}", title.en, doc.en);
    if lang == Lang::PtBr {
        text.extend([" ", title.pt, " ", doc.pt]);
    }
    let text = search::plain(&text);
    search::plain(words).split_whitespace().all(|word| text.contains(word))
}

fn line<'a>(operation: &'a Operation, query: Option<&str>, lang: Lang) -> OperationLine<'a> {
    OperationLine {
        method: operation.method.as_str(),
        path: operation.path,
        title: operation.title.in_lang(lang),
        address: with_lang(&format!("/docs/api/{}", operation.name), query, lang),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(words: &str, lang: Lang) -> Vec<&'static str> {
        let operations = api::handlers::catalog();
        let found = operations.iter().filter(|operation| has_words(operation, words, lang));
        found.map(|operation| operation.name).collect()
    }

    #[test]
    fn operations_are_found_by_words_of_the_readers_language_and_by_english_ones() {
        for words in ["share audit", "compartilhar auditoria", "SHARE endereço", "compartilhar endereco"] {
            assert!(found(words, Lang::PtBr).contains(&"share_audit"), "{words}");
        }
        assert!(found("share audit", Lang::En).contains(&"share_audit"));
        assert_eq!(found("compartilhar", Lang::En), [""; 0]);
        assert_eq!(found("share xyzzy", Lang::PtBr), [""; 0]);
        assert_eq!(found(" ", Lang::PtBr).len(), api::handlers::catalog().len());
    }
}
