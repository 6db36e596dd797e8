//! The language of a page: what `<html>` says, else what the page says of itself elsewhere.
//!
//! What a check reads of it must be what the fix of a missing or wrong `lang` writes there: else that fix would uncover
//! findings.

use super::hreflang::Alternate;
use super::url_identity::same_page;
use super::{Facts, language_tag};

/// The language of `<html>`, a misspelled one corrected; else what the page declares elsewhere.
pub fn read(facts: &Facts<'_>) -> Option<String> {
    let root = facts.markup()?.document.html()?;
    let declared = root.attribute("lang").and_then(|lang| language_tag::corrected(lang.trim()));
    declared.map(|tag| tag.to_string()).or_else(|| elsewhere(facts).map(|(lang, _)| lang))
}

/// The language by `Content-Language`, the hreflang entry of this very page, or `og:locale`; and which of them says it.
pub fn elsewhere(facts: &Facts<'_>) -> Option<(String, &'static str)> {
    let valid = |text: &str| language_tag::read(text).map(|tag| tag.to_string());
    let header = facts.response().ok()?.header("content-language").filter(|value| !value.contains(','));
    if let Some(lang) = header.and_then(|value| valid(value.trim())) {
        return Some((lang, "Content-Language"));
    }
    let own = facts.own_url().ok()?;
    let is_own = |alternate: &&Alternate| alternate.url.as_ref().is_some_and(|url| same_page(url, &own));
    if let Some(tag) = facts.alternates().iter().filter(is_own).find_map(|own| language_tag::corrected(&own.lang)) {
        return Some((tag.to_string(), "hreflang"));
    }
    let locale = facts.markup()?.social("og:locale")?.replace('_', "-");
    valid(&locale).map(|lang| (lang, "og:locale"))
}
