//! What a fix is about: which facts of the page it may change, and which other fixes could hide what it does.

use std::ops::Range;

use crate::facts::document::{Element, Namespace};
use crate::facts::page::Html;
use crate::fix::{Change, FixDraft, HeadKey};

/// One thing that a page says or has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Subject {
    Title,
    Description,
    Canonical,
    Robots,
    Viewport,
    Lang,
    Encoding,
    Base,
    Hreflang,
    /// A key of Open Graph or of another `meta`.
    Social(String),
    Refresh,
    Icons,
    /// Structured data.
    Data,
    Doctype,
    Heading,
    Image,
    Link,
    Frame,
    Script,
    /// A file of the host.
    File,
    /// Anything else.
    Other,
}

/// What a draft changes.
pub(super) fn of(draft: &FixDraft, html: Option<&Html>) -> Vec<Subject> {
    let mut subjects: Vec<Subject> = draft.head_tags.iter().map(|tag| of_key(&tag.key)).collect();
    subjects.extend(draft.file_edits.iter().map(|_| Subject::File));
    if let Some(html) = html {
        subjects.extend(draft.edits.iter().map(|edit| of_change(&edit.change, html)));
    }
    subjects.sort();
    subjects.dedup();
    subjects
}

fn of_key(key: &HeadKey) -> Subject {
    match key {
        HeadKey::Charset => Subject::Encoding,
        HeadKey::Base => Subject::Base,
        HeadKey::Viewport => Subject::Viewport,
        HeadKey::Title => Subject::Title,
        HeadKey::Name(name) | HeadKey::Property(name) => of_meta(name),
        HeadKey::Canonical => Subject::Canonical,
        HeadKey::Hreflang(_) => Subject::Hreflang,
        HeadKey::Icon => Subject::Icons,
        HeadKey::JsonLd(_) => Subject::Data,
    }
}

/// What a `meta` of a name or property is about.
pub(super) fn of_meta(name: &str) -> Subject {
    match name {
        "description" => Subject::Description,
        "viewport" => Subject::Viewport,
        "robots" | "googlebot" | "bingbot" | "googlebot-news" => Subject::Robots,
        _ => Subject::Social(name.to_owned()),
    }
}

fn of_change(change: &Change, html: &Html) -> Subject {
    match change {
        Change::SetAttribute { node, .. }
        | Change::RemoveAttribute { node, .. }
        | Change::SetContent { node, .. }
        | Change::Remove { node } => html.element(*node).map_or(Subject::Other, of_element),
        // What is put in is the first heading of the page, or what the head had to give up.
        Change::InsertBefore { .. } | Change::InsertInside { .. } => Subject::Heading,
        Change::Replace { span, .. } => of_span(span, html),
    }
}

fn of_span(span: &Range<usize>, html: &Html) -> Subject {
    let holds = |script: Element<'_>| {
        script
            .start_tag()
            .zip(script.end_tag())
            .is_some_and(|(start, end)| start.end <= span.start && span.end <= end.start)
    };
    if html.elements(&html.json_ld_scripts).any(holds) {
        return Subject::Data;
    }
    let before_all =
        || html.document.html().and_then(|root| root.start_tag()).is_none_or(|root| span.end <= root.start);
    if html.document.doctype.as_ref() == Some(span) || before_all() {
        return Subject::Doctype;
    }
    let starts = |element: Element<'_>| element.start_tag().as_ref() == Some(span);
    let metas = html.metas.iter().filter_map(|meta| html.element(meta.node));
    metas.into_iter().find(|element| starts(*element)).map_or(Subject::Other, of_element)
}

fn of_element(element: Element<'_>) -> Subject {
    if element.namespace() != Namespace::Html {
        return Subject::Other;
    }
    let lower = |name: &str| element.attribute(name).map(|value| value.trim().to_ascii_lowercase());
    match element.name() {
        "html" => Subject::Lang,
        "base" => Subject::Base,
        "title" => Subject::Title,
        "meta" if element.has("charset") => Subject::Encoding,
        "meta" => match lower("http-equiv").as_deref() {
            Some("content-type") => Subject::Encoding,
            Some("refresh") => Subject::Refresh,
            _ => lower("property").or_else(|| lower("name")).map_or(Subject::Other, |name| of_meta(&name)),
        },
        "link" if element.has_token("rel", "canonical") => Subject::Canonical,
        "link" if element.has_token("rel", "alternate") => Subject::Hreflang,
        "link" if element.has_token("rel", "icon") => Subject::Icons,
        "script" if lower("type").is_some_and(|kind| kind.starts_with("application/ld+json")) => Subject::Data,
        "script" => Subject::Script,
        "img" | "source" | "picture" => Subject::Image,
        "a" | "area" => Subject::Link,
        "iframe" => Subject::Frame,
        name => match name.as_bytes() {
            [b'h', b'1'..=b'6'] => Subject::Heading,
            _ => Subject::Other,
        },
    }
}

/// Whether a fix of one could hide what a fix of the other does: whether some check, or the reading of the page, looks at
/// both. Fixes of things that are not related are proven together as surely as each alone.
pub(super) fn are_related(a: &[Subject], b: &[Subject]) -> bool {
    a.iter().any(|a| b.iter().any(|b| related(a, b) || related(b, a)))
}

fn related(a: &Subject, b: &Subject) -> bool {
    use Subject as S;
    match a {
        // How the page is read at all.
        S::Doctype | S::Encoding | S::Base | S::Other => !matches!(b, S::File),
        // Asks for no entry in results, on which many checks depend.
        S::Robots => !matches!(b, S::File | S::Viewport | S::Image | S::Script | S::Frame),
        // The texts of a page are made of each other.
        S::Title | S::Description | S::Heading | S::Social(_) | S::Data => {
            matches!(b, S::Title | S::Description | S::Heading | S::Social(_) | S::Data)
        }
        // Addresses of the page and its versions.
        S::Canonical => matches!(b, S::Canonical | S::Hreflang | S::Data) || is_address(b),
        S::Hreflang => matches!(b, S::Hreflang | S::Lang | S::Data) || is_address(b),
        S::Lang => matches!(b, S::Lang | S::Title | S::Description | S::Heading | S::Social(_)),
        // What an image says is text of its link or heading, and it may be the page's own.
        S::Image => matches!(b, S::Image | S::Link | S::Heading | S::Social(_) | S::Data),
        S::Viewport | S::Refresh | S::Icons | S::Link | S::Frame | S::Script | S::File => a == b,
    }
}

/// Whether this is an address of the page in a `meta`.
fn is_address(subject: &Subject) -> bool {
    matches!(subject, Subject::Social(key) if key.ends_with(":url") || key.ends_with(":locale"))
}
