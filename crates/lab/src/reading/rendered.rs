//! The rendered page in a Lighthouse result: an audit of ours, which the driver of local runs adds where it is wanted.

use serde_json::Value;

use super::text;

/// A page as its document tree was after its scripts had run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedPage {
    /// Where the browser ended up, redirects of scripts followed.
    pub url: String,
    /// The HTML, with the document type in front.
    pub html: String,
}

/// The rendered page of a result; `None` where it was not asked for, or was too long to be passed on.
pub(super) fn rendered(result: &Value) -> Option<RenderedPage> {
    let html = text(result.pointer("/audits/rendered-page/details"), "html")?;
    let url = text(Some(result), "finalDisplayedUrl")?;
    Some(RenderedPage { url: url.to_owned(), html: html.to_owned() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_page_is_taken_from_its_audit() {
        let of = |html: Value| {
            rendered(&json!({"finalDisplayedUrl": "https://example.com/",
                "audits": {"rendered-page": {"details": {"html": html}}}}))
        };
        let page = RenderedPage { url: "https://example.com/".to_owned(), html: "<p>a".to_owned() };
        assert_eq!(of(json!("<p>a")), Some(page));
        assert_eq!((of(json!(null)), rendered(&json!({}))), (None, None));
    }
}
