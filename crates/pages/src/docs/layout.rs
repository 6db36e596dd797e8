//! What all pages of the documentation have: the list at their side, and their metadata.

use api::documents::guides::{GUIDES, Guide};
use axum::extract::Request;
use model::lang::{Lang, Text, text};
use service::Services;

use crate::address::{Addresses, with_lang};
use crate::api_index::DOCS_PATH as PATH;
use crate::card::{Card, CardSubject};
use crate::frame::Frame;
use crate::reader::Reader;

/// Where the widget is shown.
pub(super) const EMBED_PATH: &str = "/docs/embed";
const DOCS: Text = text("API documentation", "Documentação da API");

/// The frame, metadata and side list of a page of the documentation.
#[derive(Debug)]
pub(super) struct DocsPage<'a> {
    pub(super) frame: Frame<'a>,
    pub(super) card: Card,
    pub(super) addresses: Addresses,
    pub(super) side: Vec<SideLink>,
}

/// A page of the documentation, in the list at the side.
#[derive(Debug)]
pub(super) struct SideLink {
    pub(super) address: String,
    pub(super) name: &'static str,
    pub(super) is_here: bool,
}

impl<'a> DocsPage<'a> {
    /// The page at `path` with a title and a description.
    pub(super) fn new(services: &'a Services, request: &Request, path: &str, title: &str, description: &str) -> Self {
        let query = request.uri().query();
        let reader = Reader::of(request.headers(), query);
        let lang = reader.lang;
        let addresses = Addresses::new(services, path, query, lang);
        let docs = DOCS.in_lang(lang);
        let mut way = vec![(docs, PATH.to_owned())];
        if path != PATH {
            way.push((title, path.to_owned()));
        }
        let subject = CardSubject { kind: "WebPage", title: &[title, docs], description, way: &way };
        Self {
            frame: Frame::new(services, reader).below(PATH).keeping_query(query),
            card: Card::new(services, &addresses, lang, &subject),
            addresses,
            side: side(path, query, lang),
        }
    }
}

fn side(here: &str, query: Option<&str>, lang: Lang) -> Vec<SideLink> {
    let link = |path: &str, name: Text| SideLink {
        address: with_lang(path, query, lang),
        name: name.in_lang(lang),
        is_here: path == here,
    };
    let mut links = vec![link(PATH, text("Operations", "Operações"))];
    links.extend(GUIDES.iter().map(|Guide { slug, title, .. }| link(&format!("/docs/guides/{slug}"), *title)));
    links.push(link("/docs/errors", text("Errors", "Erros")));
    links.push(link(EMBED_PATH, text("Widget, badge, bookmarklet", "Widget, selo, favorito")));
    links
}
