//! robots.txt, and the sitemap of the pages that may be indexed.

use std::fmt::Write as _;

use api::documents::guides::GUIDES;
use api::site::Site;
use audit::checks::{FAMILIES, all};
use audit::escape::xml_text;
use axum::extract::State;
use axum::response::Response;
use model::lang::Lang;

use crate::assets::asset;
use service::Services;

/// `Cache-Control` of both.
const CACHE: &str = "public, max-age=3600";

/// robots.txt. The API is disallowed, as calls use up allowances. Reports are allowed: a crawler gets 404 or `noindex`,
/// which it could not see of a disallowed page.
pub(super) async fn robots(State(services): State<Services>) -> Response {
    let sitemap = services.url("/sitemap.xml");
    let text = format!("User-agent: *\nDisallow: /api/\n\nSitemap: {sitemap}\n");
    asset(text, "text/plain; charset=utf-8", CACHE)
}

/// Every page: as the reader's browser prefers it, and in each language.
pub(super) async fn show(State(site): State<Site>) -> Response {
    let services = site.services();
    let named =
        ["/", "/bot", "/checks", "/credit", "/docs", "/docs/embed", "/docs/errors", "/pricing", "/status", "/tools"]
            .map(str::to_owned);
    let contact = service::contact::is_configured(services).then(|| "/contact".to_owned());
    let partners = service::partners::is_on(services).then(|| service::partners::PAGE_PATH.to_owned());
    let operations = site.operations().iter().map(|operation| format!("/docs/api/{}", operation.name));
    let guides = GUIDES.iter().map(|guide| format!("/docs/guides/{}", guide.slug));
    let tools = FAMILIES.iter().map(|family| format!("/tools/{}", family.slug));
    let checks = all().map(|check| format!("/checks/{}", check.code));
    let queries = [String::new(), asking_for(Lang::En), asking_for(Lang::PtBr)];
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for path in
        named.into_iter().chain(contact).chain(partners).chain(operations).chain(guides).chain(tools).chain(checks)
    {
        for query in &queries {
            // Writing to a string can't fail.
            let _written = writeln!(text, "<url><loc>{}{query}</loc></url>", xml_text(&services.url(&path)));
        }
    }
    text.push_str("</urlset>\n");
    asset(text, "application/xml; charset=utf-8", CACHE)
}

fn asking_for(lang: Lang) -> String {
    format!("?lang={}", lang.tag())
}
