//! The language of a page: what `<html>` says, else what the page says of itself elsewhere.
//!
//! What a check reads of it must be what the fix of a missing or wrong `lang` writes there: else that fix would uncover
//! findings.

use super::detected_language::LanguageFit;
use super::hreflang::DeclaredAlternate;
use super::known::Facts;
use super::url_identity::same_page;
use super::{detected_language, language_tag};

/// The language of `<html>`, a misspelled one corrected; else what the page declares elsewhere.
pub fn read(facts: &Facts<'_>) -> Option<String> {
    let root = facts.markup()?.document.html()?;
    let declared = root.attribute("lang").and_then(|lang| language_tag::corrected(lang.trim()));
    declared.map(|tag| tag.to_string()).or_else(|| elsewhere(facts).map(|(lang, _)| lang))
}

/// What of a page says its language besides `<html>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LanguageSource {
    /// A header or tag.
    By(&'static str),
    /// Its text itself.
    ByText,
}

/// The language by `Content-Language` as header or meta, the hreflang entry of this very page, `og:locale`, or else the
/// text, which also corrects what is plainly wrong; and which of them says it.
pub fn elsewhere(facts: &Facts<'_>) -> Option<(String, LanguageSource)> {
    if let Some((lang, place)) = declared_elsewhere(facts) {
        return Some(match fit(facts, &lang) {
            LanguageFit::Other(written) => (written.to_owned(), LanguageSource::ByText),
            LanguageFit::Fits | LanguageFit::Unclear => (lang, LanguageSource::By(place)),
        });
    }
    detected_language::detect(facts.markup()?.language_sample()).map(|lang| (lang.to_owned(), LanguageSource::ByText))
}

/// Whether the text is written in a language.
fn fit(facts: &Facts<'_>, lang: &str) -> LanguageFit {
    let primary = lang.split('-').next().unwrap_or_default().to_ascii_lowercase();
    facts.markup().map_or(LanguageFit::Unclear, |html| detected_language::compare(html.language_sample(), &primary))
}

/// Whether a language may be written into `lang` as it is: not where the text is of another one, nor where the text is too
/// short to tell and only `og:locale` says it, which plugins fill with the language of their own.
pub fn is_certain(facts: &Facts<'_>, lang: &str, source: LanguageSource) -> bool {
    match fit(facts, lang) {
        LanguageFit::Fits => true,
        LanguageFit::Other(_) => false,
        LanguageFit::Unclear => source != LanguageSource::By(OG_LOCALE) || !lang.starts_with("en"),
    }
}

/// The social tag of a page's language and region.
const OG_LOCALE: &str = "og:locale";

fn declared_elsewhere(facts: &Facts<'_>) -> Option<(String, &'static str)> {
    let valid = |text: &str| language_tag::read(text).map(|tag| tag.to_string());
    let header = facts.response().ok()?.header("content-language").filter(|value| !value.contains(','));
    if let Some(lang) = header.and_then(|value| valid(value.trim())) {
        return Some((lang, "Content-Language"));
    }
    // HTML §3.2.6.2: where no `lang` says it, the pragma does.
    let html = facts.markup()?;
    let pragma = html.metas.iter().find(|meta| meta.http_equiv.as_deref() == Some("content-language"));
    if let Some(lang) = pragma.and_then(|meta| valid(meta.content.as_deref()?)) {
        return Some((lang, "meta content-language"));
    }
    let own = facts.own_url().ok()?;
    let is_own = |alternate: &&DeclaredAlternate| alternate.url.as_ref().is_some_and(|url| same_page(url, &own));
    if let Some(tag) = facts.alternates().iter().filter(is_own).find_map(|own| language_tag::corrected(&own.lang)) {
        return Some((tag.to_string(), "hreflang"));
    }
    let locale = facts.markup()?.social(OG_LOCALE)?.replace('_', "-");
    valid(&locale).map(|lang| (lang, OG_LOCALE))
}
