//! What a finding hides until it is fixed.
//!
//! A finding that shows only then was there before: it is told as revealed, and is neither new nor caused by the fix.

/// A finding, and those that it may hide besides the ones that it silences. A trailing `*` stands for every code with that
/// start.
const TABLE: &[(&str, &[&str])] = &[
    ("jsonld_syntax_error", OF_DATA),
    ("jsonld_context_invalid", OF_DATA),
    ("jsonld_type_unknown", OF_DATA),
    ("jsonld_property_unknown", OF_DATA),
    // Garbled text is judged once it can be read.
    ("charset_missing", OF_TEXT),
    ("charset_late", OF_TEXT),
    ("charset_invalid", OF_TEXT),
    // A date that could not be read is compared with nothing.
    ("jsonld_value_invalid", &["date_signals_disagree"]),
    // Sizes and kinds of icons are looked at where there is one.
    ("favicon_missing", &["apple_touch_icon_missing"]),
];

/// Structured data that can't be read, or not as it is meant, is judged once it can be.
const OF_DATA: &[&str] = &["jsonld_*", "review_self_serving", "paywall_selector_unmatched"];

/// Checks that read the words of a page, or their number.
const OF_TEXT: &[&str] = &[
    "title_*",
    "meta_description_*",
    "h1_*",
    "heading_*",
    "link_text_*",
    "image_alt_*",
    "placeholder_text",
    "text_*",
    "html_lang_*",
    "jsonld_*",
];

/// A finding, and the reason for which others are not measured because of it.
const UNMEASURED: &[(&str, &str)] = &[("jsonld_syntax_error", "jsonld"), ("meta_content_misspelt", "misspelt")];

/// Whether fixing the finding `cause` may show any other.
pub(crate) fn hides(cause: &str) -> bool {
    TABLE.iter().any(|(of, _)| *of == cause)
}

/// Whether fixing the finding `cause` may show the finding `code`.
pub(crate) fn may_show(cause: &str, code: &str) -> bool {
    let hidden = TABLE.iter().filter(|(of, _)| *of == cause).flat_map(|(_, hidden)| *hidden);
    cause != code && hidden.into_iter().any(|pattern| crate::silence::matches(pattern, code))
}

/// Whether fixing the finding `cause` may be why the finding `code` shows: it hides it, or keeps it from being measured.
/// `reason`: why the check of `code` was not measured before, if it was not.
pub(crate) fn may_bring(cause: &str, code: &str, reason: Option<&str>) -> bool {
    may_show(cause, code) || reason.is_some_and(|reason| UNMEASURED.contains(&(cause, reason)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks;

    #[test]
    fn every_line_names_checks_of_the_catalog() {
        for (cause, _) in UNMEASURED {
            assert!(checks::find(cause).is_some(), "{cause}");
        }
        for (cause, hidden) in TABLE {
            assert!(checks::find(cause).is_some(), "{cause}");
            for pattern in *hidden {
                assert!(checks::all().any(|check| crate::silence::matches(pattern, check.code)), "{pattern}");
            }
        }
    }

    #[test]
    fn a_repaired_block_shows_what_it_says() {
        assert!(may_show("jsonld_syntax_error", "jsonld_required_missing"));
        assert!(!may_show("jsonld_syntax_error", "jsonld_syntax_error"));
        assert!(!may_show("title_missing", "jsonld_required_missing"));
        assert!(may_show("charset_missing", "title_too_long"));
        assert!(!may_show("charset_missing", "charset_late"));
        assert!(may_show("favicon_missing", "apple_touch_icon_missing"));
        assert!(!may_show("apple_touch_icon_missing", "favicon_missing"));
        assert!(hides("favicon_missing") && !hides("apple_touch_icon_missing"));
    }

    #[test]
    fn what_was_not_measured_is_once_its_cause_is_gone() {
        assert!(may_bring("jsonld_syntax_error", "breadcrumb_missing", Some("jsonld")));
        assert!(!may_bring("jsonld_syntax_error", "breadcrumb_missing", Some("misspelt")));
        assert!(!may_bring("jsonld_syntax_error", "breadcrumb_missing", None));
        assert!(!may_bring("title_missing", "breadcrumb_missing", Some("jsonld")));
        assert!(may_bring("meta_content_misspelt", "viewport_missing", Some("misspelt")));
        // What it hides it brings, for whatever reason that was not measured.
        assert!(may_bring("charset_missing", "title_too_long", None));
        assert!(may_bring("charset_missing", "title_too_long", Some("shell")));
    }
}
