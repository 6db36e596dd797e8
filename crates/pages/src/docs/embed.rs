//! The widget with a preview, the badge, and a bookmarklet.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use http::{HeaderValue, header};
use model::lang::{Text, text};
use service::Services;
use service::widget::{self, Widget, WidgetOptions};

use super::layout::{DocsPage, EMBED_PATH};
use crate::assets;
use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::{POLICY, lasting};

#[derive(Template)]
#[template(path = "docs_embed.html")]
struct EmbedDocsPage<'a> {
    frame: Frame<'a>,
    docs: DocsPage<'a>,
    brand: &'a str,
    color: String,
    /// Word and name of each theme, and whether it is chosen.
    themes: [(&'static str, &'static str, bool); 3],
    /// Path of the widget with these options.
    preview: String,
    snippet: String,
    badge: String,
    bookmarklet: String,
    script: &'static str,
}

pub(super) async fn show(State(services): State<Services>, request: Request) -> Response {
    const TITLE: Text = text("Widget, badge and bookmarklet", "Widget, selo e favorito");
    const DESCRIPTION: Text = text(
        "Put an audit form on your site, a badge with your score into a README, and a button into your browser's bookmarks.",
        "Ponha um formulário de auditoria no seu site, um selo com a nota em um README e um botão nos favoritos do navegador.",
    );
    let pairs: Vec<_> = url::form_urlencoded::parse(request.uri().query().unwrap_or_default().as_bytes()).collect();
    let value = |wanted: &str| pairs.iter().find(|(name, _)| name == wanted).map(|(_, value)| &**value);
    let lang = Reader::of(request.headers(), request.uri().query()).lang;
    let options = WidgetOptions { brand: value("brand"), color: value("color"), theme: value("theme"), url: None };
    let widget = Widget::new(&services, options);
    let (color, theme) = (widget.color(), widget.theme_word().unwrap_or("auto"));
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs([("brand", widget.brand.as_str()), ("color", &color), ("theme", theme), ("lang", lang.tag())]);
    let origin = services.base_url();
    let docs = DocsPage::new(&services, &request, EMBED_PATH, TITLE.in_lang(lang), DESCRIPTION.in_lang(lang));
    let page = EmbedDocsPage {
        frame: docs.frame.clone(),
        docs,
        brand: &widget.brand,
        preview: format!("{}?{}", widget::PATH, query.finish()),
        snippet: widget.snippet(&services, text("Audit a page", "Auditar uma página").in_lang(lang)),
        badge: format!("[![SEO]({origin}/badge/SLUG.svg)]({origin}/r/SLUG)"),
        bookmarklet: format!("javascript:location.href='{origin}/?url='+encodeURIComponent(location.href)"),
        color,
        themes: [("auto", "System", "Sistema"), ("light", "Light", "Claro"), ("dark", "Dark", "Escuro")]
            .map(|(word, en, pt)| (word, text(en, pt).in_lang(lang), word == theme)),
        script: assets::DOCS_PATH,
    };
    let mut response = lasting(&page, lang);
    // The preview is the only frame that a page of ours has.
    if let Ok(policy) = HeaderValue::from_str(&format!("{POLICY}; frame-src 'self'")) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}
