//! The kind of page, as Open Graph calls it: an article, or a page as any other.

use super::content::is_boilerplate;
use super::{EvidenceSource, Resolved, author, dates, stated};
use crate::facts::document::{Element, NodeId};
use crate::facts::page::Html;

/// `og:type` of a single text with a date.
pub(crate) const ARTICLE: &str = "article";
/// `og:type` of a page that is nothing else (ogp.me, "Object Types").
pub(crate) const WEBSITE: &str = "website";
/// Words of an `og:type` that is none, such as `blogpost` or `news_story`, by which its owner means an article.
const ARTICLE_WORDS: [&str; 3] = ["article", "post", "story"];
/// Classes that systems give to the body of a page with one post or article.
const SINGLE: [&str; 14] = [
    "single-post",
    "post-template-default",
    "single-format-standard",
    "page-node-type-article",
    "page-node-type-blog",
    "page-node-type-blog-post",
    "page-node-type-news",
    "page-node-type-story",
    "node-type-article",
    "node-type-blog",
    "node-type-story",
    "post-template",
    "item-view",
    "article-page",
];
/// Classes of the body of a page that lists several.
const LISTS: [&str; 8] = ["home", "blog", "archive", "category", "tag", "search", "search-results", "author"];

impl Html {
    /// The kind of page; one that states nothing is a `website`.
    pub(crate) fn page_type(&self) -> &Resolved {
        self.resolved.page_type.get_or_init(|| read(self))
    }

    /// Whether the page is certainly an article.
    pub(crate) fn is_article(&self) -> bool {
        let kind = self.page_type();
        kind.value == ARTICLE && kind.is_ready()
    }
}

fn read(html: &Html) -> Resolved {
    let article = |source| Resolved::high(ARTICLE, source);
    let declared = stated(html, "og:type").map(|kind| kind.to_ascii_lowercase());
    if declared.as_deref() == Some(ARTICLE) {
        return article(EvidenceSource::SocialType);
    }
    if html.subject().is_article && !html.is_home() {
        return article(EvidenceSource::StructuredData);
    }
    if stated(html, "article:published_time").is_some() {
        return article(EvidenceSource::PublishedTag);
    }
    if html.is_home() {
        return Resolved::high(WEBSITE, EvidenceSource::HomePage);
    }
    if declared.is_some_and(|kind| ARTICLE_WORDS.iter().any(|word| kind.contains(word))) {
        return Resolved::medium(ARTICLE, EvidenceSource::SocialType);
    }
    let body = html.document.body();
    let has_class = |classes: &[&str]| body.is_some_and(|body| classes.iter().any(|one| body.has_token("class", one)));
    if has_class(&LISTS) {
        return Resolved::high(WEBSITE, EvidenceSource::NoSign);
    }
    if has_class(&SINGLE) {
        return article(EvidenceSource::BodyClass);
    }
    let entries = html.resolved.of_body.entries.get_or_init(|| entries(html));
    match entries.as_slice() {
        [entry] if html.element(*entry).is_some_and(is_dated) => article(EvidenceSource::EntryClass),
        [_, _] => Resolved::high(WEBSITE, EvidenceSource::NoSign),
        _ if may_be_article(html) => Resolved::medium(ARTICLE, EvidenceSource::DatedArticle),
        _ => Resolved::high(WEBSITE, EvidenceSource::NoSign),
    }
}

/// Entries as microformats and WordPress mark them, at most two: more of them are a list.
fn entries(html: &Html) -> Vec<NodeId> {
    let Some(body) = html.document.body() else { return Vec::new() };
    let is_marked = |classes: &str| {
        let (mut is_hentry, mut is_post, mut is_whole) = (false, false, false);
        for class in classes.split_ascii_whitespace() {
            is_hentry |= class.eq_ignore_ascii_case("hentry");
            is_post |= class.eq_ignore_ascii_case("post");
            is_whole |= class.eq_ignore_ascii_case("h-entry") || class.eq_ignore_ascii_case("type-post");
        }
        is_whole || is_hentry && is_post
    };
    let is_entry = |element: &Element<'_>| {
        element.attribute("class").is_some_and(is_marked)
            && !element.ancestors().any(|around| around.is("aside") || around.is("footer"))
    };
    body.descendants().filter(is_entry).take(2).map(Element::id).collect()
}

fn is_dated(entry: Element<'_>) -> bool {
    entry.descendants().any(|below| below.is("time") && below.has("datetime"))
}

/// Whether a page that nowhere says so may be an article: it has one `article` element, a date in its content or its address,
/// an author, many paragraphs, or an address such as `/article/12/rye-bread-of-the-mill`.
fn may_be_article(html: &Html) -> bool {
    let Some(body) = html.document.body() else { return false };
    let content = html.content().unwrap_or(body);
    let is_dated = || dates::times(html).any(|time| time.has("datetime") && !is_boilerplate(time, content));
    let known = &html.resolved.of_body;
    let has_time = || *known.has_time.get_or_init(is_dated);
    let in_body = html.elements(&html.listed.articles).filter(|article| !article.is_in_head());
    let articles = known.articles.get_or_init(|| in_body.take(2).map(Element::id).collect());
    let has_h1 = |article: &Element<'_>| article.descendants().any(|below| below.is("h1"));
    if articles.len() > 1 && !html.elements(articles).any(|article| has_h1(&article)) {
        // A list of teasers.
        return false;
    }
    let is_long = |paragraph: &Element<'_>| {
        paragraph.is("p") && paragraph.texts().map(|text| text.trim().len()).sum::<usize>() >= LONG_PARAGRAPH
    };
    let is_prose = || content.descendants().filter(is_long).take(MANY_PARAGRAPHS).count() == MANY_PARAGRAPHS;
    let has_prose = || *known.has_prose.get_or_init(is_prose);
    has_date(html.url.path())
        || is_in_folder_of_texts(html.url.path())
        || articles.len() == 1
        || has_time()
        || author::of_page(html).is_some()
        || has_prose()
}

/// Folders in which sites keep single texts.
const FOLDERS: [&str; 12] = [
    "article", "articles", "blog", "news", "post", "posts", "stories", "story", "artigo", "artigos", "noticia",
    "noticias",
];
/// Hyphens from which on a part of a path is the heading of one text.
const LEAST_HYPHENS: usize = 2;

/// Whether a path ends in the words of a heading, below a folder of texts.
fn is_in_folder_of_texts(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    parts.split_last().is_some_and(|(last, folders)| {
        last.matches('-').count() >= LEAST_HYPHENS && folders.iter().any(|folder| FOLDERS.contains(folder))
    })
}

/// Whether a path has a year and a month: `/2026/02/rye`, `/2026-02-03-rye`.
fn has_date(path: &str) -> bool {
    let digits: Vec<&str> = path.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
    digits.windows(2).any(|pair| {
        matches!(pair, [year, month] if year.len() == 4 && (year.starts_with("19") || year.starts_with("20"))
            && month.len() <= 2)
    })
}

/// Bytes of a paragraph of prose, and how many of them a text has that may be an article.
const LONG_PARAGRAPH: usize = 80;
const MANY_PARAGRAPHS: usize = 6;

#[cfg(test)]
mod tests {
    use super::super::testing::{at, html};
    use super::*;

    fn check(source: &str, expected: &str, is_ready: bool) {
        let html = html(source);
        let kind = html.page_type();
        assert_eq!((kind.value.as_str(), kind.is_ready()), (expected, is_ready), "{source}");
    }

    #[test]
    fn a_dated_post_is_an_article() {
        const TIME: &str = "<time datetime=2026-01-02>x</time>";
        check("<meta property=og:type content=Article>", ARTICLE, true);
        check("<meta property=article:published_time content=2026-01-02>", ARTICLE, true);
        check("<body class='post single-post'>", ARTICLE, true);
        check("<body class='page-node-type-article'>", ARTICLE, true);
        check(&format!("<div class='post hentry'>{TIME}</div>"), ARTICLE, true);
        check(&format!("<article><h1>Rye</h1>{TIME}</article>"), ARTICLE, false);
        let data = "<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"headline\":\"Rye\"}</script>";
        check(data, ARTICLE, true);
    }

    #[test]
    fn lists_and_plain_pages_are_none() {
        const TIME: &str = "<time datetime=2026-01-02>x</time>";
        check("<h1>Rye</h1>", WEBSITE, true);
        check(&format!("<div class='post hentry'>{TIME}</div><div class='post hentry'>{TIME}</div>"), WEBSITE, true);
        check("<body class='archive category single-post'>", WEBSITE, true);
        check(&format!("<main><article>{TIME}</article><article>{TIME}</article></main>"), WEBSITE, true);
        for (address, expected) in [
            ("https://example.com/article/12/rye-bread-of-the-mill", (ARTICLE, false)),
            ("https://example.com/articles/rye", (WEBSITE, true)),
            ("https://example.com/shop/rye-bread-of-the-mill", (WEBSITE, true)),
        ] {
            let page = at(address, "<h1>Rye</h1>");
            assert_eq!((page.page_type().value.as_str(), page.page_type().is_ready()), expected, "{address}");
        }
        let home = at("https://example.com/", "<body class=single-post>");
        assert_eq!(home.page_type().value, WEBSITE);
    }
}
