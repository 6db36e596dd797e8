//! Which checks a fix can touch: what no check looks at need not be judged again.
//!
//! The table says of families what they look at, and was made by reading them; what it leaves out looks at everything. In
//! builds with debug assertions, which tests are, each trial runs the checks that it could have spared too, and compares.

use std::sync::LazyLock;

use super::subject::FixSubject;
use crate::check::Check;
use crate::checks;

/// A kind of thing that a page says or has.
#[derive(Debug, Clone, Copy)]
enum Aspect {
    Title,
    Description,
    Canonical,
    Robots,
    Viewport,
    Lang,
    Hreflang,
    /// Keys of Open Graph and other `meta`, but for those below.
    Social,
    /// `og:image`, `twitter:image`, and what is said of them.
    SocialImage,
    /// `og:url`.
    SocialUrl,
    /// `og:locale`.
    Locale,
    /// `twitter:card`: no other check reads it.
    Card,
    Refresh,
    Icons,
    Data,
    Heading,
    Image,
    Link,
    Frame,
    Script,
    File,
    Doctype,
    Loaded,
    /// When images are loaded.
    Loading,
    /// When frames are loaded.
    FrameLoading,
    /// Addresses of images, video and sound, by https where they were by http.
    SecuredMedia,
    /// Addresses of frames, scripts, style sheets and embedded objects, by https where they were by http.
    SecuredCode,
    /// Ids of elements, and what names elements by them.
    Ids,
    /// The language of the page, which several things say. No fix is about it, nor about the next: they are compared.
    Language,
    /// Structured data, wherever it stands.
    Graph,
}

/// Kinds of things that a page says or has, a bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds(u32);

impl Kinds {
    /// Everything.
    pub(super) const ALL: Self = Self(u32::MAX);

    /// Nothing.
    pub(super) const NONE: Self = Self(0);

    /// What fixes of some subjects touch.
    pub(super) fn touched<'s>(subjects: impl Iterator<Item = &'s FixSubject>) -> Self {
        subjects.fold(Self::NONE, |kinds, subject| kinds.or(of_subject(subject)))
    }

    /// What is compared, of which these are no longer as they were.
    pub(super) fn compared(is_language: bool, is_graph: bool) -> Self {
        let all = [(is_language, Aspect::Language), (is_graph, Aspect::Graph)];
        all.into_iter().filter(|(differs, _)| *differs).fold(Self::NONE, |kinds, (_, aspect)| kinds.and([aspect]))
    }

    /// These and others.
    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether one of these is looked at.
    pub(super) fn meet(self, looked_at: Self) -> bool {
        self.0 & looked_at.0 != 0
    }

    fn of<const N: usize>(aspects: [Aspect; N]) -> Self {
        Self::NONE.and(aspects)
    }

    fn and<const N: usize>(self, aspects: [Aspect; N]) -> Self {
        aspects.into_iter().fold(self, |kinds, aspect| Self(kinds.0 | (1 << aspect as u32)))
    }

    fn without<const N: usize>(self, aspects: [Aspect; N]) -> Self {
        Self(self.0 & !Self::of(aspects).0)
    }
}

/// All but what only says how the page is shown or found, and not what it is about.
fn content() -> Kinds {
    use Aspect::{Card, Doctype, File, Frame, FrameLoading, Icons, Ids, Loaded, Loading};
    use Aspect::{Refresh, Robots, Script, SecuredCode, SecuredMedia, Viewport};
    let of_files = [Frame, Script, Loaded, Loading, FrameLoading, SecuredCode, SecuredMedia];
    Kinds::ALL.without([Viewport, Card, Robots, File, Refresh, Icons, Doctype, Ids]).without(of_files)
}

/// Elements that load what they name by an address.
fn loading() -> Kinds {
    use Aspect::{Canonical, Frame, Hreflang, Icons, Image, Link, Loaded, Script, SecuredCode, SecuredMedia};
    Kinds::of([Image, Frame, Script, Loaded, Link, Icons, Canonical, Hreflang, SecuredCode, SecuredMedia])
}

/// What checks of structured data look at, which compare it with the page. Markup may hold it too, in any element.
fn of_data() -> Kinds {
    content().and([Aspect::Frame, Aspect::Script, Aspect::Loaded])
}

/// What families look at, by their name in addresses; or single checks, by their code.
///
/// That a page may be indexed is not looked at by its name here: no fix changes it, and where one did, every check is judged.
fn table() -> Vec<(&'static str, Kinds)> {
    use Aspect::{
        Canonical, Card, Description, File, Frame, FrameLoading, Graph, Heading, Hreflang, Icons, Ids, Image, Lang,
        Language, Link, Loaded, Loading, Locale, Robots, Script, SecuredCode, SecuredMedia, Social, SocialImage,
        SocialUrl, Title, Viewport,
    };
    vec![
        ("h1", content().and([Frame, Script])),
        ("max_image_preview_not_large", content().and([Robots, Frame, Script, Loaded])),
        ("robots_txt_blocks_resources", loading().and([File])),
        // Of the body: a `title` may stand there too.
        ("placeholder-text", Kinds::of([Title, Heading])),
        ("thin-content", Kinds::of([Title, Heading, Image, Frame, Script, Loaded])),
        ("legacy-markup", Kinds::of([Title, Heading, Image, Frame, Loaded])),
        ("duplicate-ids", Kinds::of([Ids])),
        ("main_landmark_missing", Kinds::of([Heading, Script])),
        ("form-labels", Kinds::of([Heading, Image, Link, Script])),
        ("iframe-titles", Kinds::of([Heading, Frame])),
        ("headings", Kinds::of([Heading, Image, Link, Frame, Script])),
        ("contact-links", Kinds::of([Link])),
        ("crawlable-links", Kinds::of([Heading, Image, Link, Script])),
        ("fragment-links", Kinds::of([Heading, Image, Link, Script])),
        ("link-syntax", Kinds::of([Heading, Image, Link, Script])),
        // Neither scheme of http makes a host another one.
        ("link_local_target", loading().and([SocialImage, SocialUrl]).without([SecuredCode, SecuredMedia])),
        ("link-targets", loading().and([Social, SocialImage, SocialUrl])),
        ("link_text_generic", Kinds::of([Heading, Image, Link, Script, Language])),
        ("link-text", Kinds::of([Heading, Image, Link, Script])),
        ("nofollow-links", Kinds::of([Link])),
        ("image-alt", Kinds::of([Heading, Image, Link, Script])),
        ("image-dimensions", Kinds::of([Heading, Image, Link, Script, SecuredMedia])),
        ("image-sources", Kinds::of([Heading, Image, Script, SecuredMedia])),
        ("inline-images", loading()),
        ("srcset", Kinds::of([Image])),
        (
            "lazy-loading",
            content().without([Canonical, Hreflang, Lang, Description, SocialUrl, Locale]).and([Loading, SecuredMedia]),
        ),
        ("document-write", Kinds::of([Script])),
        ("lazy-iframes", Kinds::of([Title, Heading, Frame, FrameLoading])),
        ("preconnect", loading()),
        ("blocking-scripts", Kinds::of([Script])),
        ("render-blocking-css", Kinds::of([Script, Loaded, Icons, Canonical, Hreflang, SecuredCode])),
        ("mixed_content_active", Kinds::of([Frame, Script, Loaded, SecuredCode])),
        ("mixed_content_passive", Kinds::of([Image, Loaded, SecuredMedia])),
        ("form_action_insecure", Kinds::of([])),
        // A policy stands in a header, or in a tag that no fix is about; what the page loads is only named beside it.
        ("content-security-policy", Kinds::of([])),
        ("subresource-integrity", Kinds::of([Script, Loaded])),
        // Files that only a link of another kind names.
        ("llms-txt", Kinds::of([])),
        ("security-txt", Kinds::of([])),
        ("favicon", Kinds::of([Icons])),
        // Answers of the server, but for what the page says of its own.
        ("cookie-security", Kinds::of([])),
        ("hsts", Kinds::of([])),
        ("ssl-certificate", Kinds::of([])),
        ("bot-access", Kinds::of([])),
        ("core-web-vitals", Kinds::of([])),
        // What the page says of itself in words.
        // Of a title or description that is missing or too long the rest of the page is only the fix.
        ("title_missing", Kinds::of([Title])),
        ("title_too_long", Kinds::of([Title])),
        ("meta_description_missing", Kinds::of([Description])),
        ("content-language", Kinds::of([Title, Heading, Lang, Hreflang, Social, Locale, Canonical, Script])),
        ("title", content().without([Link])),
        ("title-length", content().without([Link, Canonical, Hreflang])),
        ("title-wording", content().without([Link, Canonical, Hreflang, Lang])),
        ("meta-description", content().without([Link, Canonical, Hreflang])),
        ("meta-description-length", content().without([Link, Canonical, Hreflang])),
        ("soft-404", content().without([Link, Image])),
        ("open-graph", content().and([SecuredMedia])),
        ("og-image", content().and([SecuredMedia])),
        ("twitter-card", Kinds::of([Card, Social, SocialImage, SocialUrl, Locale])),
        ("viewport", Kinds::of([Viewport])),
        // Structured data, which is compared with the page.
        ("breadcrumb-schema", of_data()),
        ("json-ld-graph", of_data()),
        ("structured-data-guidelines", of_data()),
        ("json-ld", Kinds::of([Graph])),
        ("video-and-image-schema", of_data()),
        ("json-ld-texts", of_data()),
        ("json-ld-values", of_data()),
        ("schema-org-vocabulary", Kinds::of([Graph])),
        ("structured-data", of_data()),
        ("rich-results", of_data()),
        ("site-name", of_data()),
        ("page-dates", of_data()),
        // Its subject is the page's own address.
        ("canonical-page", content().without([Image, Description]).and([File])),
    ]
}

fn of_subject(subject: &FixSubject) -> Kinds {
    use FixSubject as S;
    let aspect = match subject {
        S::Title => Aspect::Title,
        S::Description => Aspect::Description,
        S::Canonical => Aspect::Canonical,
        S::Robots => Aspect::Robots,
        S::Viewport => Aspect::Viewport,
        S::Lang => Aspect::Lang,
        S::Hreflang => Aspect::Hreflang,
        S::Social(key) => match key.as_str() {
            "twitter:card" => Aspect::Card,
            "og:url" => Aspect::SocialUrl,
            "og:locale" => Aspect::Locale,
            key if ["og:image", "twitter:image"].iter().any(|start| key.starts_with(start)) => Aspect::SocialImage,
            _ => Aspect::Social,
        },
        S::Refresh => Aspect::Refresh,
        S::Icons => Aspect::Icons,
        S::Data => Aspect::Data,
        S::Heading => Aspect::Heading,
        S::Image => Aspect::Image,
        S::Link => Aspect::Link,
        S::Frame => Aspect::Frame,
        S::Script => Aspect::Script,
        S::Loaded => Aspect::Loaded,
        S::Loading => Aspect::Loading,
        S::FrameLoading => Aspect::FrameLoading,
        S::SecuredMedia => Aspect::SecuredMedia,
        S::SecuredCode => Aspect::SecuredCode,
        S::Ids => Aspect::Ids,
        S::File => Aspect::File,
        // It makes another tree of some pages, which no trial lets pass.
        S::Doctype => Aspect::Doctype,
        // How the page is read at all.
        S::Encoding | S::Base | S::Other => return Kinds::ALL,
    };
    Kinds::of([aspect])
}

static CHECKS: LazyLock<Vec<(&'static Check, Kinds)>> = LazyLock::new(|| {
    let table = table();
    let listed = |name: &str| table.iter().find(|(known, _)| *known == name).map(|(_, kinds)| *kinds);
    let mut checks = Vec::new();
    for family in checks::FAMILIES.iter() {
        let of_family = listed(family.slug);
        checks
            .extend(family.checks.iter().map(|check| (check, listed(check.code).or(of_family).unwrap_or(Kinds::ALL))));
    }
    checks
});

/// Every check with what it looks at, in the order of the catalog.
pub(super) fn checks() -> &'static [(&'static Check, Kinds)] {
    &CHECKS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Family;

    #[test]
    fn every_row_is_of_the_catalog() {
        let slug = |family: &&Family| family.slug;
        let table = table();
        for (name, _) in &table {
            let is_known = checks::FAMILIES.iter().map(slug).any(|slug| slug == *name) || checks::find(name).is_some();
            assert!(is_known, "{name}");
            assert_eq!(table.iter().filter(|(other, _)| other == name).count(), 1, "{name}");
        }
    }

    #[test]
    fn a_check_looks_at_what_its_row_says_or_at_everything() {
        let looks_at = |code: &str| checks().iter().find(|(check, _)| check.code == code).unwrap().1;
        let touched = |subject: FixSubject| Kinds::touched([subject].iter());
        assert!(!touched(FixSubject::Viewport).meet(looks_at("placeholder_text")));
        assert!(touched(FixSubject::Heading).meet(looks_at("placeholder_text")));
        assert!(touched(FixSubject::Encoding).meet(looks_at("viewport_missing")));
        assert!(!touched(FixSubject::Viewport).meet(looks_at("main_landmark_missing")));
        assert!(touched(FixSubject::Viewport).meet(looks_at("agent_token_cost_high")));
    }

    #[test]
    fn kinds_are_sets() {
        use Aspect::{Card, Image, Loaded, Title};
        let [title, image, loaded] = [Title, Image, Loaded].map(|one| Kinds::of([one]));
        assert_eq!([title, image, loaded].map(|one| one.meet(Kinds::of([Image, Loaded]))), [false, true, true]);
        assert_eq!(Kinds::of([Title, Image]), title.and([Image]));
        assert_eq!(title.and([Title]), title);
        assert_eq!(title.and([Image]).without([Title, Card]), image);
        assert!(!Kinds::of([]).meet(Kinds::ALL));
        let both = Kinds::touched([FixSubject::Title, FixSubject::Title, FixSubject::Image].iter());
        assert_eq!(both, Kinds::of([Title, Image]));
    }

    #[test]
    fn what_is_compared_counts_where_it_differs() {
        let looks_at = |code: &str| checks().iter().find(|(check, _)| check.code == code).unwrap().1;
        assert_eq!(Kinds::compared(false, false), Kinds::NONE);
        assert!(Kinds::compared(true, false).meet(looks_at("link_text_generic")));
        assert!(!Kinds::compared(false, true).meet(looks_at("link_text_generic")));
        assert!(Kinds::compared(false, true).meet(looks_at("jsonld_property_unknown")));
        assert!(!Kinds::compared(true, false).meet(looks_at("jsonld_property_unknown")));
        assert_eq!(Kinds::NONE.or(Kinds::compared(true, true)), Kinds::of([Aspect::Language, Aspect::Graph]));
    }

    #[test]
    fn a_card_is_read_by_its_own_check_alone() {
        let social = |key: &str| of_subject(&FixSubject::Social(key.to_owned()));
        assert_eq!(social("twitter:card"), Kinds::of([Aspect::Card]));
        assert_eq!(social("twitter:title"), Kinds::of([Aspect::Social]));
        assert_eq!(social("og:url"), Kinds::of([Aspect::SocialUrl]));
        assert_eq!(social("og:locale"), Kinds::of([Aspect::Locale]));
        assert_eq!(social("og:image:alt"), Kinds::of([Aspect::SocialImage]));
        assert_eq!(of_subject(&FixSubject::Title), Kinds::of([Aspect::Title]));
        // What is read together with the page, and what the server says.
        assert!(!content().without([Aspect::Title]).meet(Kinds::of([Aspect::Title, Aspect::Doctype])));
        assert!(loading().meet(Kinds::of([Aspect::Icons])) && !loading().meet(Kinds::of([Aspect::Title])));
        assert!(of_data().meet(Kinds::of([Aspect::Loaded])) && !of_data().meet(Kinds::of([Aspect::Card])));
    }
}
