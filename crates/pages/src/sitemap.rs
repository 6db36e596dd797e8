//! What crawlers of this service ask for: robots.txt, and the sitemap of the pages that may be indexed.

use std::fmt::Write as _;

use audit::checks::{FAMILIES, all};
use audit::escape::xml_text;
use axum::extract::State;
use axum::response::Response;
use model::lang::Lang;

use super::assets::asset;
use service::Services;

/// How long both may be kept.
const CACHE: &str = "public, max-age=3600";

/// Asking for the API costs something. Reports are left open: to all but their readers they are 404, and a crawler that
/// may not ask could not see that either, nor their `noindex`.
pub(super) async fn robots(State(app): State<Services>) -> Response {
    let sitemap = app.url("/sitemap.xml");
    let text = format!("User-agent: *\nDisallow: /api/\n\nSitemap: {sitemap}\n");
    asset(text, "text/plain; charset=utf-8", CACHE)
}

/// Every page: as the reader's browser prefers it, and in each language.
pub(super) async fn show(State(app): State<Services>) -> Response {
    let named = ["/", "/bot", "/checks", "/credit", "/pricing", "/tools"].map(str::to_owned);
    let tools = FAMILIES.iter().map(|family| format!("/tools/{}", family.slug));
    let checks = all().map(|check| format!("/checks/{}", check.code));
    let queries = [String::new(), asking_for(Lang::En), asking_for(Lang::PtBr)];
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for path in named.into_iter().chain(tools).chain(checks) {
        for query in &queries {
            // Writing to a string can't fail.
            let _written = writeln!(text, "<url><loc>{}{query}</loc></url>", xml_text(&app.url(&path)));
        }
    }
    text.push_str("</urlset>\n");
    asset(text, "application/xml; charset=utf-8", CACHE)
}

fn asking_for(lang: Lang) -> String {
    format!("?lang={}", lang.tag())
}
