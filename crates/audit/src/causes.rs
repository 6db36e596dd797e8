//! Findings of one cause: together they cost what the first of them costs.
//!
//! Silencing (`silence.rs`) is for what can't be judged beside its cause, and leaves no finding. Findings of one cause are
//! all true and all worth reading, but one change at one place of the site's templates or settings ends them.

use model::finding::Severity;

use crate::check::Check;
use crate::silence::matches;

/// The finding that stands for the cause, and those that it explains: they become `info` where they are found beside it.
/// A trailing `*` stands for every code with that start.
///
/// Where a lead is itself explained by another row, that row lists all that it explains, so one row is enough.
const TABLE: &[(&str, &[&str])] = &[
    // There is no document: what a document should have is not missing besides.
    (
        "html_empty",
        &[
            "title_missing",
            "h1_missing",
            "meta_description_missing",
            "viewport_missing",
            "html_lang_missing",
            "doctype_missing",
            "links_internal_none",
            "text_thin",
            "og_*",
            "twitter_card_missing",
        ],
    ),
    // What follows the element that ends the head lies in the body.
    (
        "head_broken_by_element",
        &[
            "canonical_outside_head",
            "hreflang_outside_head",
            "head_noscript_markup",
            "charset_late",
            "mojibake_detected",
        ],
    ),
    // Bytes read in the wrong encoding.
    ("charset_missing", &["mojibake_detected"]),
    ("charset_invalid", &["charset_late", "mojibake_detected"]),
    ("charset_late", &["mojibake_detected"]),
    // One viewport tag.
    ("viewport_fixed_width", &["viewport_zoom_disabled"]),
    // The texts by which other services show the page. Templates and SEO plugins write description and card at one place, and
    // networks fill a card that lacks its text from the description.
    (
        "meta_description_missing",
        &["og_title_missing", "og_image_missing", "og_core_incomplete", "twitter_card_missing"],
    ),
    // One block of Open Graph tags that was never written.
    ("og_title_missing", &["og_image_missing", "og_core_incomplete", "twitter_card_missing"]),
    ("og_image_missing", &["og_core_incomplete", "twitter_card_missing"]),
    // Addresses in templates from before the site had https.
    (
        "mixed_content_active",
        &[
            "mixed_content_passive",
            "form_action_insecure",
            "link_insecure_internal",
            "canonical_insecure",
            "og_url_canonical_mismatch",
            "sitemap_lists_noncanonical",
        ],
    ),
    ("form_action_insecure", &["mixed_content_passive", "link_insecure_internal"]),
    ("mixed_content_passive", &["link_insecure_internal"]),
    // One rule for every crawler and every path.
    (
        "robots_txt_blocks_page",
        &[
            "noindex_hidden_by_robots",
            "robots_txt_blocks_engine",
            "robots_txt_blocks_resources",
            "ai_search_bot_blocked",
            "ai_user_fetch_blocked",
            "ai_training_bot_blocked",
        ],
    ),
    // The page is to stay out of the index, by accident or not; what contradicts that goes with it.
    ("noindex_meta", KEPT_OUT),
    ("noindex_header", KEPT_OUT),
    ("unavailable_after_past", KEPT_OUT),
    // A wrong canonical is said again wherever the page is named.
    ("canonical_target_not_ok", NAMED_ELSEWHERE),
    ("canonical_hreflang_conflict", NAMED_ELSEWHERE),
    ("canonical_to_homepage", NAMED_ELSEWHERE),
    ("canonical_pagination_to_first", NAMED_ELSEWHERE),
    ("canonical_other_page", NAMED_ELSEWHERE),
    ("canonical_cross_origin", NAMED_ELSEWHERE),
    ("canonical_insecure", NAMED_ELSEWHERE),
    ("canonical_tracking_parameters", NAMED_ELSEWHERE),
    // Data that can't be read says nothing, and nothing that it would have said is there.
    (
        "jsonld_syntax_error",
        &["structured_data_missing", "site_name_missing", "breadcrumb_missing", "jsonld_id_unresolved"],
    ),
    // A server that answers every path with its own page.
    ("soft_404_missing_path", &["robots_txt_html_response", "llms_txt_invalid", "security_txt_invalid"]),
    // Scripts write the page.
    ("app_shell_empty", &["link_not_crawlable", "link_hash_route"]),
];

/// What a noindex contradicts or explains.
const KEPT_OUT: &[&str] = &[
    "noindex_in_sitemap",
    "noindex_scoped_bot",
    "noindex_hidden_by_robots",
    "canonical_with_noindex",
    "jsonld_on_noindex_page",
    "nosnippet_set",
    "nofollow_page",
];

/// Other places at which the page's address is said.
const NAMED_ELSEWHERE: &[&str] = &["og_url_canonical_mismatch", "sitemap_lists_noncanonical"];

/// A check that found something, and how bad it is on its own.
pub(crate) type FoundCheck = (&'static Check, Severity);

/// The rows of the table whose lead was found: few of them, looked for once.
pub(crate) struct Leads(Vec<(FoundCheck, &'static [&'static str])>);

impl Leads {
    /// Those among what was found.
    pub(crate) fn among(found: &[FoundCheck]) -> Self {
        let row = |(lead, parts): &(&str, &'static [&'static str])| {
            let lead = found.iter().find(|(check, _)| check.code == *lead)?;
            Some((*lead, *parts))
        };
        Self(TABLE.iter().filter_map(row).collect())
    }

    /// The code that leads the one given, if any. A lead is never less severe than what it explains: a small extent of it is
    /// no excuse.
    pub(crate) fn lead(&self, (check, severity): FoundCheck) -> Option<&'static str> {
        let is_part = |parts: &[&str]| parts.iter().any(|pattern| matches(pattern, check.code));
        let led = self.0.iter().find(|((_, as_bad), parts)| *as_bad <= severity && is_part(parts));
        led.map(|((lead, _), _)| lead.code)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::checks::{all, find};

    fn explained(parts: &[&str]) -> BTreeSet<&'static str> {
        let is_part = |code: &str| parts.iter().any(|pattern| matches(pattern, code));
        all().map(|check| check.code).filter(|code| is_part(code)).collect()
    }

    #[test]
    fn every_code_of_the_table_is_of_the_catalog_and_no_row_leads_itself() {
        for (lead, parts) in TABLE {
            assert!(find(lead).is_some_and(|check| check.severity != Severity::Info), "{lead}");
            assert!(!explained(parts).contains(lead), "{lead}");
            for pattern in *parts {
                assert!(!explained(&[pattern]).is_empty(), "{lead}: {pattern}");
            }
        }
        let leads: BTreeSet<&str> = TABLE.iter().map(|(lead, _)| *lead).collect();
        assert_eq!(leads.len(), TABLE.len(), "a lead has one row");
    }

    #[test]
    fn a_lead_that_is_explained_leaves_nothing_to_explain() {
        for (lead, parts) in TABLE {
            for (other, others) in TABLE.iter().filter(|(_, others)| explained(others).contains(lead)) {
                let left: Vec<_> = explained(parts).difference(&explained(others)).copied().collect();
                assert_eq!(left, Vec::<&str>::new(), "{other} explains {lead}, but not these");
                let is_as_bad = find(other).map(|check| check.severity) <= find(lead).map(|check| check.severity);
                assert!(is_as_bad, "{other} is less severe than {lead}");
                let before = |code| TABLE.iter().position(|(lead, _)| *lead == code);
                assert!(before(*other) < before(*lead), "{other} comes before {lead}");
            }
        }
    }

    #[test]
    fn a_part_has_the_lead_that_is_there() {
        let found = |codes: &[&str]| -> Vec<FoundCheck> {
            codes.iter().map(|code| find(code).map(|check| (check, check.severity)).unwrap()).collect()
        };
        let check = |code: &str, beside: &[&str], wanted: Option<&str>| {
            assert_eq!(Leads::among(&found(beside)).lead(found(&[code])[0]), wanted, "{code} beside {beside:?}");
        };
        check(
            "link_insecure_internal",
            &["mixed_content_passive", "mixed_content_active"],
            Some("mixed_content_active"),
        );
        check("link_insecure_internal", &["mixed_content_passive"], Some("mixed_content_passive"));
        check("og_image_missing", &["og_title_missing", "title_missing"], Some("og_title_missing"));
        check("og_image_missing", &["title_missing"], None);
        // Of small extent it leads nothing that takes points.
        let minor = [(find("charset_late").unwrap(), Severity::Info)];
        assert_eq!(Leads::among(&minor).lead(found(&["mojibake_detected"])[0]), None);
    }
}
