//! The theme, light or dark: the system's, or the reader's choice in a cookie, so that it needs no script and no page
//! flashes.

use api::cookies::CookieKind;
use http::HeaderMap;

/// Colour theme of the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Theme {
    /// The preference of the system.
    #[default]
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// All of them, in the order of the switch.
    pub(crate) const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// The word in forms, cookies and style.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The theme of a word in a form or cookie.
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.word() == word)
    }

    /// The reader's choice; the system's where there is none, or an unknown one.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        // Either name: a page does not know how it was reached, and a theme is no secret.
        let word = [true, false].into_iter().find_map(|is_https| CookieKind::Theme.read(is_https, headers));
        word.and_then(|word| Self::of_word(&word)).unwrap_or_default()
    }
}
