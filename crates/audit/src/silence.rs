//! Silenced findings: one root cause, one deduction.
//!
//! A check that is silenced by what caused it yields no finding and takes no points; coverage names the cause.
//! Silencing of single elements (a lost tag, an image without source) is inside the checks concerned.

use crate::check::Check;

/// What fires, and what it silences. A trailing `*` stands for every code with that start.
const TABLE: &[(&str, &[&str])] = &[
    (
        "https_missing",
        &[
            "hsts_*",
            "mixed_content_*",
            "canonical_insecure",
            "link_insecure_internal",
            "cookie_flags_missing",
            "form_action_insecure",
        ],
    ),
    ("noindex_meta", NOT_IN_RESULTS),
    ("noindex_header", NOT_IN_RESULTS),
    ("unavailable_after_past", NOT_IN_RESULTS),
    ("noindex_meta", &["noindex_header"]),
    (
        "robots_txt_unreachable",
        &[
            "robots_txt_blocks_*",
            "robots_txt_syntax_error",
            "robots_txt_html_response",
            "robots_txt_sitemap_*",
            "ai_*_blocked",
        ],
    ),
    (
        "robots_txt_html_response",
        &["robots_txt_syntax_error", "robots_txt_sitemap_missing", "robots_txt_unsupported_rule"],
    ),
    // One rule that forbids the page forbids its files and the crawlers of assistants too.
    ("robots_txt_blocks_page", &["robots_txt_blocks_resources", "ai_*_blocked"]),
    // Both say that there is no page; the one that takes more points stays.
    ("html_empty", &["http_status_no_content"]),
    // The tag that settles a contradiction is one tag.
    ("robots_directives_conflict", &["robots_meta_multiple"]),
    ("robots_txt_sitemap_invalid", &["robots_txt_sitemap_missing"]),
    ("sitemap_empty", &["sitemap_page_absent"]),
    ("sitemap_missing", &["robots_txt_sitemap_missing", "sitemap_*"]),
    ("title_missing", &["title_multiple", "title_too_short", "title_too_long", "title_placeholder"]),
    (
        "title_placeholder",
        &[
            "title_too_short",
            "title_repetitive",
            "title_separator_dangling",
            "title_h1_disjoint",
            "title_script_mismatch",
        ],
    ),
    ("title_site_name", &["title_too_short", "title_h1_disjoint"]),
    ("meta_description_placeholder", &["meta_description_too_short", "meta_description_too_long"]),
    ("canonical_target_not_ok", WRONG_CANONICAL),
    ("canonical_hreflang_conflict", WRONG_CANONICAL),
    ("canonical_to_homepage", WRONG_CANONICAL),
    ("canonical_pagination_to_first", WRONG_CANONICAL),
    ("canonical_hreflang_conflict", &["canonical_to_homepage", "canonical_pagination_to_first"]),
    ("canonical_pagination_to_first", &["canonical_to_homepage"]),
    ("canonical_with_noindex", &["canonical_other_page", "canonical_cross_origin"]),
    ("charset_missing", &["charset_late", "charset_invalid"]),
    ("image_lazy_script_only", &["image_src_missing"]),
    (
        "app_shell_empty",
        &["h1_missing", "links_internal_none", "text_thin", "main_landmark_missing", "structured_data_missing"],
    ),
    ("soft_404_missing_path", &["discovery_file_masked"]),
];

/// How a canonical is written matters no more where it names the wrong page: it is rewritten.
const WRONG_CANONICAL: &[&str] =
    &["canonical_other_page", "canonical_insecure", "canonical_relative", "canonical_tracking_parameters"];

/// Advice on how a page looks in results, pointless for one that asks not to be in them.
const NOT_IN_RESULTS: &[&str] = &[
    "title_too_short",
    "title_too_long",
    "title_placeholder",
    "title_repetitive",
    "title_h1_disjoint",
    "title_script_mismatch",
    "meta_description_missing",
    "meta_description_too_long",
    "meta_description_too_short",
    "meta_description_placeholder",
    "og_*",
    "twitter_card_*",
    "jsonld_recommended_missing",
    "sitemap_page_absent",
    "site_name_missing",
];

/// Which of the checks that fired are silenced, each with the code of its cause, in the order of `fired`.
pub(crate) fn silenced(fired: &[&'static Check]) -> Vec<(&'static Check, &'static str)> {
    let rows = rows_of(fired);
    fired.iter().filter_map(|check| Some((*check, silencer(check.code, &rows)?))).collect()
}

/// A cause, and what it silences.
type SilenceRow = (&'static str, &'static [&'static str]);

/// The rows of the table whose cause fired: few of them, looked for once.
fn rows_of(fired: &[&'static Check]) -> Vec<SilenceRow> {
    TABLE.iter().copied().filter(|(cause, _)| fired.iter().any(|fired| fired.code == *cause)).collect()
}

/// The cause among some rows that silences `code`, if any.
fn silencer(code: &str, rows: &[SilenceRow]) -> Option<&'static str> {
    rows.iter()
        .filter(|(cause, _)| *cause != code)
        .find(|(_, silenced)| silenced.iter().any(|pattern| matches(pattern, code)))
        .map(|(cause, _)| *cause)
}

/// Whether a pattern of a table, which may end in `*`, stands for a code.
pub(crate) fn matches(pattern: &str, code: &str) -> bool {
    // Nearly all are told apart by their first letters.
    if !pattern.starts_with('*') && pattern.bytes().next() != code.bytes().next() {
        return false;
    }
    match pattern.split_once('*') {
        Some((start, end)) => code.len() >= start.len() + end.len() && code.starts_with(start) && code.ends_with(end),
        None => pattern == code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::find;

    fn silencer(code: &str, fired: &[&str]) -> Option<&'static str> {
        let fired: Vec<&'static Check> = fired.iter().map(|code| find(code).unwrap()).collect();
        super::silencer(code, &rows_of(&fired))
    }

    #[test]
    fn a_cause_silences_what_follows_from_it() {
        assert_eq!(silencer("hsts_missing", &["title_missing", "https_missing"]), Some("https_missing"));
        assert_eq!(silencer("sitemap_missing", &["sitemap_missing"]), None);
        assert_eq!(silencer("ai_user_fetch_blocked", &["robots_txt_unreachable"]), Some("robots_txt_unreachable"));
        assert_eq!(silencer("h1_missing", &["title_missing"]), None);
    }

    #[test]
    fn a_pattern_stands_for_codes_with_its_ends() {
        let check = |pattern: &str, code: &str, wanted: bool| assert_eq!(matches(pattern, code), wanted, "{pattern}");
        check("og_*", "og_title_missing", true);
        check("og_*", "h1_missing", false);
        check("ai_*_blocked", "ai_user_fetch_blocked", true);
        check("ai_*_blocked", "ai_user_fetch_open", false);
        check("ai_*_blocked", "bot_fetch_blocked", false);
        check("*_missing", "og_title_missing", true);
        check("*", "h1_missing", true);
        // The ends don't overlap, but may touch.
        check("ab*bc", "abc", false);
        check("ab*bc", "abbc", true);
        check("h1_missing", "h1_missing", true);
        check("h1_missing", "h1_missing_too", false);
    }
}
