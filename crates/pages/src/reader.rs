//! The reader of a page: language, theme, whether they are signed in, and what they have just done.

use api::cookies::CookieKind;
use api::request::language;
use http::HeaderMap;
use model::lang::{Lang, Text};

use crate::done;
use crate::theme::Theme;

/// The reader of a page, as their request says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader {
    /// The language they read.
    pub(crate) lang: Lang,
    /// Light or dark.
    pub(crate) theme: Theme,
    /// Whether the browser has a session cookie. It may have expired: pages of the account look it up, the header of every page
    /// doesn't, as that would cost each page a query.
    pub(crate) has_session: bool,
    /// What a form has just done, for the status line of the page that it led to.
    pub(crate) done: Option<Text>,
}

impl Reader {
    /// The reader behind a request. A language that we don't speak is no reason to show nothing.
    pub(crate) fn of(headers: &HeaderMap, query: Option<&str>) -> Self {
        let has_session =
            [true, false].into_iter().any(|is_https| CookieKind::Session.read(is_https, headers).is_some());
        Self {
            lang: language(headers, query).unwrap_or_default(),
            theme: Theme::of(headers),
            has_session,
            done: done::of_query(query),
        }
    }
}
