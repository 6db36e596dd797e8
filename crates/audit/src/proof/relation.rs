//! Which fixes could hide what others do: those are proven apart too.

use super::subject::FixSubject;

/// What is known of a page, on which it depends which subjects are related.
#[derive(Debug, Clone, Copy)]
pub(super) struct Relations {
    /// `max_image_preview_not_large` passed on the page as it is. It is the only check that reads robots directives together with what
    /// marks an article. Where the page has that finding already, no fix can cause it, and the directive alone removes it.
    pub(super) preview_passed: bool,
    /// All fixes together change whether the page may be indexed, on which many checks depend: no fix is to.
    pub(super) hides_otherwise: bool,
}

impl Relations {
    /// Whether a fix of one could hide what a fix of the other does: whether some check, or the reading of the page, looks at
    /// both. Fixes of things that are not related are proven together as surely as each alone.
    pub(super) fn are_related(self, a: &[FixSubject], b: &[FixSubject]) -> bool {
        self.hides_otherwise && [a, b].iter().any(|all| all.contains(&FixSubject::Robots))
            || a.iter().any(|a| b.iter().any(|b| self.related(a, b) || self.related(b, a)))
    }

    fn related(self, a: &FixSubject, b: &FixSubject) -> bool {
        use FixSubject as S;
        match a {
            // How the page is read at all.
            S::Encoding | S::Base | S::Other => !matches!(b, S::File),
            // That the page may be indexed is all that checks of a canonical ask. Of articles more is asked.
            S::Robots => match b {
                S::Social(key) => self.preview_passed && (key == "og:type" || key.starts_with("article:")),
                S::Data => self.preview_passed,
                other => *other == S::Robots,
            },
            // The keys of a card are read together.
            S::Social(key) if is_apart(key) => {
                matches!(b, S::Social(other) if other.split(':').next() == key.split(':').next())
            }
            // The texts of a page are made of each other.
            S::Title | S::Description | S::Heading | S::Social(_) | S::Data => is_wording(b),
            // Addresses of the page and its versions.
            S::Canonical => matches!(b, S::Canonical | S::Hreflang | S::Data) || is_address(b),
            S::Hreflang => matches!(b, S::Hreflang | S::Lang | S::Data) || is_address(b),
            S::Lang => *b == S::Lang || *b != S::Data && is_wording(b),
            // What an image says is text of its link or heading, and it may be the page's own.
            S::Image => {
                matches!(b, S::Image | S::Link | S::Heading | S::Data) || matches!(b, S::Social(key) if !is_apart(key))
            }
            // What loads late is told by the headline, by the picture of the tags, and by what is preloaded.
            S::Loading => match b {
                S::Social(key) => matches!(key.as_str(), "og:image" | "twitter:image"),
                other => matches!(other, S::Loading | S::Image | S::Heading | S::Loaded),
            },
            S::FrameLoading => matches!(b, S::FrameLoading | S::Frame | S::Heading),
            S::SecuredMedia => matches!(b, S::SecuredMedia | S::Image | S::Loaded),
            S::SecuredCode => matches!(b, S::SecuredCode | S::Frame | S::Script | S::Loaded),
            S::Doctype | S::Viewport | S::Refresh | S::Icons | S::Link => a == b,
            S::Frame | S::Script | S::Loaded | S::Ids | S::File => a == b,
        }
    }
}

/// Whether a `meta` of this key has readers of its own: no check reads it together with another subject.
fn is_apart(key: &str) -> bool {
    match key.strip_prefix("twitter:") {
        Some("title" | "description") => false,
        Some(rest) => !rest.starts_with("image") && !rest.starts_with("url"),
        None => key == "referrer",
    }
}

/// Whether this says what the page is about, in words.
fn is_wording(subject: &FixSubject) -> bool {
    use FixSubject as S;
    match subject {
        S::Social(key) => !is_apart(key),
        other => matches!(other, S::Title | S::Description | S::Heading | S::Data),
    }
}

/// Whether this is an address of the page in a `meta`.
fn is_address(subject: &FixSubject) -> bool {
    matches!(subject, FixSubject::Social(key) if key.ends_with(":url") || key.ends_with(":locale"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixes_are_related_by_what_reads_both() {
        use FixSubject as S;
        let social = |key: &str| S::Social(key.to_owned());
        let related = [
            (S::Encoding, S::Image),
            (S::Robots, social("og:type")),
            (social("twitter:card"), social("twitter:player")),
            (S::Title, social("og:title")),
            (social("og:title"), social("twitter:title")),
            (S::Heading, S::Data),
            (S::Canonical, S::Hreflang),
            (S::Canonical, social("og:url")),
            (S::Hreflang, social("og:locale")),
            (S::Hreflang, S::Lang),
            (S::Lang, S::Description),
            (S::Image, S::Link),
            (S::File, S::File),
            (S::Viewport, S::Viewport),
            (S::Loading, social("og:image")),
            (S::SecuredCode, S::Script),
            (S::SecuredMedia, S::Image),
            (S::FrameLoading, S::Frame),
            (S::Ids, S::Ids),
        ];
        let apart = [
            (S::Encoding, S::File),
            (S::Robots, S::Viewport),
            (S::Robots, S::Canonical),
            (S::Robots, S::Title),
            (S::Loading, S::FrameLoading),
            (S::Loading, S::SecuredMedia),
            (S::SecuredMedia, S::SecuredCode),
            (S::SecuredMedia, S::Data),
            (S::SecuredMedia, social("og:image")),
            (social("twitter:site"), S::Lang),
            (social("twitter:label1"), S::Data),
            (social("twitter:card"), social("og:title")),
            (social("twitter:card"), S::Image),
            (social("referrer"), S::Description),
            (social("referrer"), S::Lang),
            (S::Lang, S::Data),
            (S::Robots, S::File),
            (S::Title, S::Image),
            (S::Canonical, S::Title),
            (S::Canonical, social("og:title")),
            (S::Hreflang, social("og:image")),
            (S::Lang, S::Image),
            (S::Viewport, S::Refresh),
            (S::Link, S::Frame),
            (S::Loaded, S::Image),
            (S::Doctype, S::Title),
            (S::Ids, S::Heading),
        ];
        for (pairs, wanted) in [(&related[..], true), (&apart[..], false)] {
            for (a, b) in pairs {
                let [a, b] = [std::slice::from_ref(a), std::slice::from_ref(b)];
                let relations = Relations { preview_passed: true, hides_otherwise: false };
                let found = (relations.are_related(a, b), relations.are_related(b, a));
                assert_eq!(found, (wanted, wanted), "{a:?} and {b:?}");
            }
        }
    }

    #[test]
    fn robots_directives_are_related_to_more_where_more_is_read_with_them() {
        use FixSubject as S;
        let related = |preview_passed, hides_otherwise, other: S| {
            Relations { preview_passed, hides_otherwise }.are_related(&[S::Robots], &[other])
        };
        assert_eq!([S::Data, S::Robots, S::Link].map(|other| related(true, false, other)), [true, true, false]);
        assert_eq!([S::Data, S::Robots, S::Link].map(|other| related(false, false, other)), [false, true, false]);
        assert_eq!([S::Data, S::Robots, S::Link].map(|other| related(false, true, other)), [true; 3]);
    }
}
