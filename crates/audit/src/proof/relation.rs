//! Which fixes could hide what others do: those are proven apart too.

use super::subject::FixSubject;

/// Whether a fix of one could hide what a fix of the other does: whether some check, or the reading of the page, looks at
/// both. Fixes of things that are not related are proven together as surely as each alone.
pub(super) fn are_related(a: &[FixSubject], b: &[FixSubject]) -> bool {
    a.iter().any(|a| b.iter().any(|b| related(a, b) || related(b, a)))
}

/// Whether a `meta` of this key has readers of its own: no check reads it together with another subject.
fn is_apart(key: &str) -> bool {
    matches!(key, "twitter:card" | "referrer")
}

/// Whether this says what the page is about, in words.
fn is_wording(subject: &FixSubject) -> bool {
    use FixSubject as S;
    match subject {
        S::Social(key) => !is_apart(key),
        other => matches!(other, S::Title | S::Description | S::Heading | S::Data),
    }
}

fn related(a: &FixSubject, b: &FixSubject) -> bool {
    use FixSubject as S;
    match a {
        // How the page is read at all.
        S::Encoding | S::Base | S::Other => !matches!(b, S::File),
        // Whether the page may be indexed, on which many checks depend, no fix changes: see `Proof::hides_otherwise`. That is
        // all that checks of a canonical ask. Of articles more is asked.
        S::Robots => match b {
            S::Social(key) => key == "og:type" || key.starts_with("article:"),
            other => matches!(other, S::Robots | S::Data),
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
            other => matches!(other, S::Loading | S::Image | S::Frame | S::Heading | S::Loaded),
        },
        S::Secured => matches!(b, S::Secured | S::Image | S::Frame | S::Script | S::Loaded | S::Data),
        S::Doctype | S::Viewport | S::Refresh | S::Icons | S::Link => a == b,
        S::Frame | S::Script | S::Loaded | S::Ids | S::File => a == b,
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
            (S::Secured, S::Script),
            (S::Ids, S::Ids),
        ];
        let apart = [
            (S::Encoding, S::File),
            (S::Robots, S::Viewport),
            (S::Robots, S::Canonical),
            (S::Robots, S::Title),
            (S::Loading, S::Secured),
            (S::Secured, social("og:image")),
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
                assert_eq!((are_related(a, b), are_related(b, a)), (wanted, wanted), "{a:?} and {b:?}");
            }
        }
    }
}
