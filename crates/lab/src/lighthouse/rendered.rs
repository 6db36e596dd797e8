//! The rendered page in a Lighthouse result: an audit of ours, which [`super::Runner`] adds where it is wanted.

use serde_json::Value;

/// Size limit of a rendered page in UTF-16 code units, as scripts count. A longer one is not passed on.
pub const CHARACTERS: u32 = 2_000_000;

/// A page as its document tree was after its scripts had run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedPage {
    /// Where the browser ended up, redirects of scripts followed.
    pub url: String,
    /// The HTML, with the document type in front.
    pub html: String,
}

/// The rendered page of a result; `None` where it was not asked for, was longer than [`CHARACTERS`], or the page failed.
pub fn rendered(result: &[u8]) -> Option<RenderedPage> {
    let result: Value = serde_json::from_slice(result).ok()?;
    let html = result.pointer("/audits/rendered-page/details/html")?.as_str()?;
    let url = result.get("finalDisplayedUrl")?.as_str()?;
    Some(RenderedPage { url: url.to_owned(), html: html.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_taken_from_its_audit() {
        let result = br#"{"finalDisplayedUrl": "https://example.com/", "audits": {"rendered-page": {"details": {"html": "<p>a"}}}}"#;
        let page = RenderedPage { url: "https://example.com/".to_owned(), html: "<p>a".to_owned() };
        assert_eq!(rendered(result), Some(page));
        for none in [&b"{}"[..], b"no JSON", br#"{"audits": {"rendered-page": {"details": {"html": null}}}}"#] {
            assert_eq!(rendered(none), None);
        }
    }
}
