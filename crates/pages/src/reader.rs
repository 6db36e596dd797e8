//! The reader of a page: language and theme.

use api::request::language;
use http::HeaderMap;
use model::lang::Lang;

use crate::theme::Theme;

/// Language and theme of the reader of a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader {
    /// The language they read.
    pub(crate) lang: Lang,
    /// Light or dark.
    pub(crate) theme: Theme,
}

impl Reader {
    /// The reader behind a request. A language that we don't speak is no reason to show nothing.
    pub(crate) fn of(headers: &HeaderMap, query: Option<&str>) -> Self {
        Self { lang: language(headers, query).unwrap_or_default(), theme: Theme::of(headers) }
    }
}
