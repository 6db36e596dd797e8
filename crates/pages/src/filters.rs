//! Filters of the templates.
#![expect(unreachable_pub, reason = "askama makes a public type of a filter")]

use std::fmt::Display;

use askama::Values;
use askama::filters::Safe;
use audit::escape::html_text;

use render::shown::undirected;

/// Text from outside for a reader: characters that reverse or hide what stands beside them become visible escapes, as
/// the command line shows them (UAX #9; CVE-2021-42574). Texts to be copied keep them.
#[askama::filter_fn]
pub(super) fn visible(text: impl Display, _: &dyn Values) -> askama::Result<String> {
    Ok(undirected(&text.to_string()))
}

/// Text between tags: quotes need no escape there, and a report is full of them. Never for a value of an attribute.
#[askama::filter_fn]
pub(super) fn body(text: impl Display, _: &dyn Values) -> askama::Result<Safe<String>> {
    Ok(Safe(html_text(&text.to_string())))
}

/// A sentence of ours that quotes the audited page: what stands between “ and ” is marked as a sample of its text. Nobody, person
/// or program, takes it for a text of this page then.
#[askama::filter_fn]
pub(super) fn quoting(text: impl Display, _: &dyn Values) -> askama::Result<Safe<String>> {
    let shown = html_text(&undirected(&text.to_string()));
    Ok(Safe(shown.replace('“', "“<samp>").replace('”', "</samp>”")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_a_sample() {
        let shown = |text: &str| quoting::default().execute(text, askama::NO_VALUES).unwrap().0;
        assert_eq!(shown("It says “a {{b}} <i>”."), "It says “<samp>a {{b}} &lt;i&gt;</samp>”.");
    }

    #[test]
    fn text_between_tags_opens_no_tag_and_keeps_its_quotes() {
        let shown = |text: &str| body::default().execute(text, askama::NO_VALUES).unwrap().0;
        assert_eq!(shown("<a href=\"/\">&amp;</a>"), "&lt;a href=\"/\"&gt;&amp;amp;&lt;/a&gt;");
    }

    #[test]
    fn reversing_characters_are_shown_and_letters_of_every_script_stay() {
        let shown = |text: &str| visible::default().execute(text, askama::NO_VALUES).unwrap();
        assert_eq!(shown("a\u{202e}b\u{2066}c\u{200f}"), "a\\u{202e}b\\u{2066}c\\u{200f}");
        assert_eq!(shown("לחם <b> pão"), "לחם <b> pão");
    }
}
