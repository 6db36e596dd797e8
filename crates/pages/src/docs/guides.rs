//! The guides that the service carries, which are Markdown, as pages.

use api::documents::guides::GUIDES;
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use service::Services;
use service::error::{Code, ServiceError};

use super::layout::DocsPage;
use crate::error;
use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::lasting;

#[derive(Template)]
#[template(path = "docs_guide.html")]
struct GuidePage<'a> {
    frame: Frame<'a>,
    docs: DocsPage<'a>,
    title: &'static str,
    /// HTML of a text of ours.
    content: String,
}

pub(super) async fn show(
    State(services): State<Services>,
    slug: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let slug = slug.map(|Path(slug)| slug).unwrap_or_default();
    let Some(guide) = GUIDES.iter().find(|guide| guide.slug == slug) else {
        return error::page(&services, &ServiceError::new(Code::NotFound), reader);
    };
    let title = guide.title.in_lang(reader.lang);
    let markdown = guide.markdown(reader.lang, services.base_url());
    let docs = DocsPage::new(&services, &request, &format!("/docs/guides/{slug}"), title, &first_line(&markdown));
    lasting(&GuidePage { frame: docs.frame.clone(), docs, title, content: html(&markdown) }, reader.lang)
}

/// The first paragraph, in one line.
fn first_line(markdown: &str) -> String {
    let paragraph = markdown.trim().split("\n\n").next().unwrap_or_default();
    paragraph.replace('\n', " ").replace("**", "")
}

/// Markdown of ours as HTML: no heading above the second level, and blocks of code with room for their button.
fn html(markdown: &str) -> String {
    let events = Parser::new_ext(markdown, Options::ENABLE_TABLES).flat_map(|event| match event {
        Event::Start(Tag::Heading { level: HeadingLevel::H1, id, classes, attrs }) => {
            vec![Event::Start(Tag::Heading { level: HeadingLevel::H2, id, classes, attrs })]
        }
        Event::End(TagEnd::Heading(HeadingLevel::H1)) => vec![Event::End(TagEnd::Heading(HeadingLevel::H2))],
        Event::Start(Tag::CodeBlock(kind)) => {
            vec![Event::Html("<div class=\"block\">".into()), Event::Start(Tag::CodeBlock(kind))]
        }
        Event::End(TagEnd::CodeBlock) => vec![Event::End(TagEnd::CodeBlock), Event::Html("</div>".into())],
        Event::Html(text) | Event::InlineHtml(text) => vec![Event::Text(text)],
        event => vec![event],
    });
    let mut out = String::with_capacity(markdown.len() * 2);
    html::push_html(&mut out, events);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_becomes_html_without_raw_html() {
        let made = html("# A\n\n<b>x</b> `y`\n\n```text\nz <i>\n```\n");
        assert!(made.contains("<h2>A</h2>") && made.contains("&lt;b&gt;x&lt;/b&gt; <code>y</code>"), "{made}");
        assert!(
            made.contains("<div class=\"block\">\n<pre><code class=\"language-text\">z &lt;i&gt;\n</code></pre>"),
            "{made}"
        );
        assert_eq!(first_line("\nOne\ntwo.\n\nThree."), "One two.");
    }
}
