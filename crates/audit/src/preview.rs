//! What a search result may show of a page: an approximation, since engines write results themselves.

use model::capture::Capture;
use model::summary::PageSummary;

use crate::facts::document::collapse;
use crate::facts::fitting::{self, LONGEST_DESCRIPTION};
use crate::facts::resolved::{description, title};
use crate::facts::walk::Page;

/// Title, address and description as a result on a desktop may show them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResult {
    /// The title, cut where a result is cut; the first h1 or the host where the page has none.
    pub title: String,
    /// The address after all redirects.
    pub url: String,
    /// The meta description, else the first paragraph, cut where a result is cut; empty where the page has neither.
    pub description: String,
}

/// The result of a page. Nothing, where the answer is no HTML.
pub fn search_result(capture: &Capture, page: &Page) -> Option<SearchResult> {
    let html = page.html.as_ref()?;
    let url = capture.page.response()?.url.clone();
    let declared = html.title().map(|title| html.as_meant(&title)).filter(|title| !title.is_empty());
    let title = match declared {
        Some(title) => shortened(&title, fitting::title(&title)),
        None => title::made(html).map(|title| title.value).or_else(|| host(&url))?,
    };
    let described = html.meta("description").map(|text| html.as_meant(&collapse(text)));
    let description = match described.filter(|text| !text.is_empty()) {
        Some(text) => shortened(&text, fitting::cut(&text, LONGEST_DESCRIPTION)),
        None => description::first_paragraph(html).map(|paragraph| paragraph.value).unwrap_or_default(),
    };
    Some(SearchResult { title, url, description })
}

/// The result of a page of which only the summary is left: what it declares, else its first heading or its host, and no
/// paragraph of it.
pub fn declared_result(summary: &PageSummary) -> Option<SearchResult> {
    let texts = summary.title.iter().chain(&summary.h1s);
    let named = texts.map(|text| collapse(text)).find(|text| !text.is_empty());
    let title = match named {
        Some(title) => shortened(&title, fitting::title(&title)),
        None => host(&summary.final_url)?,
    };
    let description = collapse(summary.meta_description.as_deref().unwrap_or_default());
    let description = shortened(&description, fitting::cut(&description, LONGEST_DESCRIPTION));
    Some(SearchResult { title, url: summary.final_url.clone(), description })
}

/// With a sign that something was left out.
fn shortened(whole: &str, shown: String) -> String {
    if shown.len() < whole.len() { shown + " …" } else { shown }
}

fn host(url: &str) -> Option<String> {
    url::Url::parse(url).ok()?.host_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    fn check(source: &str, title: &str, description: &str) {
        let capture = example::capture(source).unwrap();
        let shown = search_result(&capture, &Page::read(&capture)).unwrap();
        assert_eq!((shown.title.as_str(), shown.description.as_str()), (title, description));
        assert_eq!(shown.url, example::PAGE_URL);
    }

    #[test]
    fn a_result_shows_what_the_page_says_of_itself() {
        check("<title>Rye  bread</title><meta name=description content=' Dark. '>", "Rye bread", "Dark.");
    }

    #[test]
    fn what_is_missing_is_taken_from_the_content() {
        let paragraph = "A dark loaf of rye flour, water and salt, baked slowly.";
        check(&format!("<h1>Rye bread</h1><p>{paragraph}"), "Rye bread", paragraph);
        check("<p>Short", "example.com", "");
    }

    #[test]
    fn what_is_too_long_is_cut() {
        let long = "word ".repeat(80);
        let capture = example::capture(&format!("<title>{long}</title><meta name=description content='{long}'>"));
        let capture = capture.unwrap();
        let shown = search_result(&capture, &Page::read(&capture)).unwrap();
        assert!(shown.title.ends_with("word …") && shown.title.len() < 100, "{}", shown.title);
        assert!(shown.description.ends_with("word …") && shown.description.len() < 165, "{}", shown.description);
    }

    #[test]
    fn a_summary_has_the_result_of_what_the_page_declares() {
        for (source, title, description) in [
            ("<title>Rye  bread</title><meta name=description content=' Dark. '>", "Rye bread", "Dark."),
            ("<h1></h1><h1>Rye bread</h1><p>A dark loaf of rye flour, water and salt, baked slowly.", "Rye bread", ""),
            ("<p>Short", "example.com", ""),
        ] {
            let report = crate::report(&example::capture(source).unwrap());
            let shown = declared_result(&report.summary.unwrap()).unwrap();
            assert_eq!((shown.title.as_str(), shown.description.as_str()), (title, description));
            assert_eq!(shown.url, example::PAGE_URL);
        }
    }

    #[test]
    fn what_is_no_page_has_no_result() {
        let capture = example::capture("GET https://a.example/\n200\nContent-Type: application/pdf\n\n%PDF").unwrap();
        assert_eq!(search_result(&capture, &Page::read(&capture)), None);
    }
}
