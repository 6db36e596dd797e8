//! Whether a source is that of an audited page, as far as the audit knows the page. Its HTML is not stored, so what it declares
//! is compared.
//!
//! The rule: of the title, the description, the canonical address and the list of `h1` headings that the audited page has, at
//! least half are the same in the source. Where it has only one of them or none, the language and the numbers of words, links
//! and images must be the same too, but for one of these four. So a page that changed a little still takes its patch, and
//! another page of the same site, which shares its language and its menu, does not.

use audit::supplied::Supplied;
use model::capture::Capture;
use model::report::Report;
use model::summary::PageSummary;
use model::time::Timestamp;
use url::Url;

/// Names of a page that have to be known before they decide alone.
const ENOUGH_NAMES: usize = 2;
/// What may differ of language, words, links and images.
const MOST_OTHER: usize = 1;

/// How the bytes of a source are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SourceReading {
    /// As UTF-8, whatever the audited page was.
    AsUtf8,
    /// As they would be if they were served like the audited page: a page that declares no encoding is guessed to have another
    /// than UTF-8, and so the audit read letters that its author does not see.
    AsServed,
}

/// A source as the page of an audit, to be judged like it.
pub(super) fn capture(url: Url, report: &Report, source: &str, reading: SourceReading, now: Timestamp) -> Capture {
    let declared = report.headers.get("content-type").map_or("text/html", String::as_str);
    let content_type = Some(match reading {
        SourceReading::AsUtf8 => format!("{}; charset=utf-8", declared.split(';').next().unwrap_or("text/html")),
        SourceReading::AsServed => declared.to_owned(),
    });
    Supplied { content_type, ..Supplied::page(url, source.into()) }.capture(now)
}

/// Whether two summaries are of one page.
pub(super) fn agree<T>(audited: &PageSummary<T>, sent: &PageSummary<T>) -> bool {
    let names = [
        (audited.title.is_some(), audited.title == sent.title),
        (audited.meta_description.is_some(), audited.meta_description == sent.meta_description),
        (audited.canonical.is_some(), audited.canonical == sent.canonical),
        (!audited.h1s.is_empty(), audited.h1s == sent.h1s),
    ];
    let known = names.iter().filter(|(is_known, _)| *is_known).count();
    let same = names.iter().filter(|(is_known, is_same)| *is_known && *is_same).count();
    if same * 2 < known {
        return false;
    }
    if known >= ENOUGH_NAMES {
        return true;
    }
    let rest = [
        audited.lang == sent.lang,
        audited.words == sent.words,
        audited.links.total == sent.links.total,
        audited.images.total == sent.images.total,
    ];
    rest.iter().filter(|is_same| !**is_same).count() <= MOST_OTHER
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://example.com/rye";
    const PAGE: &str = "<!doctype html><html lang=en><head><title>Rye bread</title><meta name=description content=Bake></head>\
        <body><h1>Rye</h1><p>Flour, water, salt</p><a href=/>Home</a></body></html>";

    fn report(page: &str) -> Report {
        let page = Supplied::page(Url::parse(URL).unwrap(), page.into());
        audit::report(&page.capture(Timestamp(0)))
    }

    fn is_same(audited: &Report, source: &str) -> bool {
        let sent =
            audit::report(&capture(Url::parse(URL).unwrap(), audited, source, SourceReading::AsUtf8, Timestamp(0)));
        agree(audited.summary.as_ref().unwrap(), &sent.summary.unwrap())
    }

    #[test]
    fn a_page_that_changed_a_little_is_the_same_and_another_is_not() {
        for (page, sent, wanted) in [
            (PAGE, PAGE.to_owned(), true),
            (PAGE, PAGE.replace("Flour", "Rye flour"), true),
            (PAGE, PAGE.replace("Rye bread", "Rye bread, simple"), true),
            (PAGE, PAGE.replace("Rye", "Wheat"), false),
            (PAGE, "<!doctype html><html lang=en><title>Other</title><p>Flour, water, salt</p>".to_owned(), false),
            (PAGE, String::new(), false),
            (
                "<html lang=en><title>Home</title><p>a b c d",
                "<html lang=en><title>Home</title><p>a b c d e".to_owned(),
                true,
            ),
            (
                "<html lang=en><title>Home</title><p>a b c",
                "<html lang=pt><title>Home</title><p>x<a href=/>y</a>".to_owned(),
                false,
            ),
            ("<p>a b c", "<p>a b c".to_owned(), true),
            ("<p>a b c", "<p>a<img src=x><a href=/>b".to_owned(), false),
        ] {
            assert_eq!(is_same(&report(page), &sent), wanted, "{page}\n{sent}");
        }
    }
}
