//! Which checks a fix can touch: what no check looks at need not be judged again.
//!
//! The table says of families what they look at, and was made by reading them; what it leaves out looks at everything. In
//! builds with debug assertions, which tests are, each trial runs the checks that it could have spared too, and compares.

use std::sync::LazyLock;

use super::subject::FixSubject;
use crate::check::{Check, Family};
use crate::checks;

/// Kinds of things that a page says or has, a bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds(u32);

const TITLE: u32 = 1;
const DESCRIPTION: u32 = 1 << 1;
const CANONICAL: u32 = 1 << 2;
const ROBOTS: u32 = 1 << 3;
const VIEWPORT: u32 = 1 << 4;
const LANG: u32 = 1 << 5;
const HREFLANG: u32 = 1 << 6;
const SOCIAL: u32 = 1 << 7;
/// `twitter:card`: no other check reads it.
const CARD: u32 = 1 << 8;
const REFRESH: u32 = 1 << 9;
const ICONS: u32 = 1 << 10;
const DATA: u32 = 1 << 11;
const HEADING: u32 = 1 << 12;
const IMAGE: u32 = 1 << 13;
const LINK: u32 = 1 << 14;
const FRAME: u32 = 1 << 15;
const SCRIPT: u32 = 1 << 16;
const FILE: u32 = 1 << 17;
const DOCTYPE: u32 = 1 << 18;
const LOADED: u32 = 1 << 19;
const ALL: u32 = u32::MAX;

/// What only says how the page is shown or found, and not what it is about.
const FORM: u32 = VIEWPORT | CARD | ROBOTS | FILE | REFRESH | ICONS | FRAME | SCRIPT | LOADED | DOCTYPE;
/// Elements that load what they name by an address.
const LOADING: u32 = IMAGE | FRAME | SCRIPT | LOADED | LINK | ICONS | CANONICAL | HREFLANG;

/// What checks of structured data look at, which compare it with the page. Markup may hold it too, in any element.
const OF_DATA: u32 = ALL & !FORM | FRAME | SCRIPT | LOADED;

/// What families look at, by their name in addresses; or single checks, by their code.
///
/// That a page may be indexed is not looked at by its name here: no fix changes it, and where one did, every check is judged.
const TABLE: &[(&str, u32)] = &[
    // Of the body: a `title` may stand there too.
    ("placeholder-text", TITLE | HEADING),
    ("thin-content", TITLE | HEADING | IMAGE | FRAME | SCRIPT | LOADED),
    ("legacy-markup", TITLE | HEADING | IMAGE | FRAME | LOADED),
    ("duplicate-ids", ALL & !(VIEWPORT | CARD | ROBOTS | LANG | FILE | DOCTYPE)),
    ("main_landmark_missing", HEADING | SCRIPT),
    ("form-labels", HEADING | IMAGE | LINK | SCRIPT),
    ("iframe-titles", HEADING | FRAME),
    ("headings", HEADING | IMAGE | LINK | FRAME | SCRIPT),
    ("contact-links", LINK),
    ("crawlable-links", HEADING | IMAGE | LINK | SCRIPT),
    ("fragment-links", HEADING | IMAGE | LINK | SCRIPT),
    ("link-syntax", HEADING | IMAGE | LINK | SCRIPT),
    ("link-targets", LOADING | SOCIAL),
    ("link-text", HEADING | IMAGE | LINK | SCRIPT | LANG | HREFLANG | SOCIAL | CANONICAL),
    ("nofollow-links", LINK),
    ("image-alt", HEADING | IMAGE | LINK | SCRIPT),
    ("image-dimensions", ALL & !(FORM | LANG)),
    ("image-sources", HEADING | IMAGE | SCRIPT),
    ("inline-images", LOADING),
    ("srcset", IMAGE),
    ("lazy-loading", ALL & !(FORM | CANONICAL | HREFLANG | LANG)),
    ("document-write", SCRIPT),
    ("lazy-iframes", TITLE | HEADING | FRAME),
    ("preconnect", LOADING),
    ("blocking-scripts", SCRIPT),
    ("render-blocking-css", SCRIPT | LOADED | ICONS | CANONICAL | HREFLANG),
    ("mixed-content", LOADING),
    ("content-security-policy", LOADING | DATA),
    ("subresource-integrity", SCRIPT | LOADED | ICONS | CANONICAL | HREFLANG),
    // Answers of the server, but for what the page says of its own.
    ("cookie-security", 0),
    ("hsts", 0),
    ("ssl-certificate", 0),
    ("bot-access", 0),
    ("core-web-vitals", 0),
    // What the page says of itself in words.
    ("content-language", TITLE | HEADING | LANG | HREFLANG | SOCIAL | CANONICAL | SCRIPT),
    ("title", ALL & !(FORM | LINK)),
    ("title-length", ALL & !(FORM | LINK | CANONICAL | HREFLANG)),
    ("title-wording", ALL & !(FORM | LINK | CANONICAL | HREFLANG | LANG)),
    ("meta-description", ALL & !(FORM | LINK | CANONICAL | HREFLANG)),
    ("meta-description-length", ALL & !(FORM | LINK | CANONICAL | HREFLANG)),
    ("soft-404", ALL & !(FORM | LINK | IMAGE)),
    ("open-graph", ALL & !FORM),
    ("og-image", ALL & !FORM),
    ("twitter-card", CARD | SOCIAL),
    ("viewport", VIEWPORT),
    // Structured data, which is compared with the page.
    ("breadcrumb-schema", OF_DATA),
    ("json-ld-graph", OF_DATA),
    ("structured-data-guidelines", OF_DATA),
    ("json-ld", OF_DATA),
    ("video-and-image-schema", OF_DATA),
    ("json-ld-texts", OF_DATA),
    ("json-ld-values", OF_DATA),
    ("schema-org-vocabulary", OF_DATA),
    ("structured-data", OF_DATA),
    ("rich-results", OF_DATA),
    ("site-name", OF_DATA),
    ("page-dates", OF_DATA),
    // Its subject is the page's own address.
    ("canonical-page", ALL & !(FORM | IMAGE | DESCRIPTION) | FILE),
];

impl Kinds {
    /// Everything.
    pub(super) const ALL: Self = Self(ALL);

    /// What fixes of some subjects touch.
    pub(super) fn touched<'s>(subjects: impl Iterator<Item = &'s FixSubject>) -> Self {
        Self(subjects.fold(0, |kinds, subject| kinds | kind(subject)))
    }

    /// Whether one of these is looked at.
    pub(super) fn meet(self, looked_at: Self) -> bool {
        self.0 & looked_at.0 != 0
    }
}

fn kind(subject: &FixSubject) -> u32 {
    use FixSubject as S;
    match subject {
        S::Title => TITLE,
        S::Description => DESCRIPTION,
        S::Canonical => CANONICAL,
        S::Robots => ROBOTS,
        S::Viewport => VIEWPORT,
        S::Lang => LANG,
        S::Hreflang => HREFLANG,
        S::Social(key) if key == "twitter:card" => CARD,
        S::Social(_) => SOCIAL,
        S::Refresh => REFRESH,
        S::Icons => ICONS,
        S::Data => DATA,
        S::Heading => HEADING,
        S::Image => IMAGE,
        S::Link => LINK,
        S::Frame => FRAME,
        S::Script => SCRIPT,
        S::Loaded => LOADED,
        S::File => FILE,
        // It makes another tree of some pages, which no trial lets pass.
        S::Doctype => DOCTYPE,
        // How the page is read at all.
        S::Encoding | S::Base | S::Other => ALL,
    }
}

static CHECKS: LazyLock<Vec<(&'static Check, Kinds)>> = LazyLock::new(|| {
    let of_family = |family: &&'static Family| {
        let of_family = listed(family.slug);
        family.checks.iter().map(move |check| (check, listed(check.code).or(of_family).unwrap_or(Kinds::ALL)))
    };
    checks::FAMILIES.iter().flat_map(of_family).collect()
});

/// Every check with what it looks at, in the order of the catalog.
pub(super) fn checks() -> impl Iterator<Item = (&'static Check, Kinds)> {
    CHECKS.iter().copied()
}

fn listed(name: &str) -> Option<Kinds> {
    TABLE.iter().find(|(known, _)| *known == name).map(|(_, kinds)| Kinds(*kinds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_of_the_catalog() {
        let slug = |family: &&Family| family.slug;
        for (name, _) in TABLE {
            let is_known = checks::FAMILIES.iter().map(slug).any(|slug| slug == *name) || checks::find(name).is_some();
            assert!(is_known, "{name}");
            assert_eq!(TABLE.iter().filter(|(other, _)| other == name).count(), 1, "{name}");
        }
    }

    #[test]
    fn a_check_looks_at_what_its_row_says_or_at_everything() {
        let looks_at = |code: &str| checks().find(|(check, _)| check.code == code).map(|(_, kinds)| kinds).unwrap();
        let touched = |subject: FixSubject| Kinds::touched([subject].iter());
        assert!(!touched(FixSubject::Viewport).meet(looks_at("placeholder_text")));
        assert!(touched(FixSubject::Heading).meet(looks_at("placeholder_text")));
        assert!(touched(FixSubject::Encoding).meet(looks_at("viewport_missing")));
        assert!(!touched(FixSubject::Viewport).meet(looks_at("main_landmark_missing")));
        assert!(touched(FixSubject::Viewport).meet(looks_at("agent_token_cost_high")));
    }
}
