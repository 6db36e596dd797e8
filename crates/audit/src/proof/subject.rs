//! What a fix is about: which facts of the page it may change.

use std::ops::Range;

use super::ids::{may_change_ids, may_hold_ids};
use crate::facts::document::{Element, Namespace};
use crate::facts::page::Html;
use crate::fix::{FixChange, FixDraft, HeadKey};

/// One thing that a page says or has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FixSubject {
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
    /// Another file that the page loads: style sheets, video, audio, embedded objects.
    Loaded,
    /// When an image is loaded.
    Loading,
    /// When a frame is loaded.
    FrameLoading,
    /// The address of an image, video or sound, by https where it was by http.
    SecuredMedia,
    /// The address of a frame, script, style sheet or embedded object, by https where it was by http.
    SecuredCode,
    /// Ids of elements, and what names elements by them.
    Ids,
    /// A file of the host.
    File,
    /// Anything else.
    Other,
}

/// What a draft changes.
pub(super) fn of(draft: &FixDraft, html: Option<&Html>) -> Vec<FixSubject> {
    let mut subjects: Vec<FixSubject> = draft.head_tags.iter().map(|tag| of_key(&tag.key)).collect();
    subjects.extend(draft.file_edits.iter().map(|_| FixSubject::File));
    if let Some(html) = html {
        subjects.extend(draft.edits.iter().map(|edit| of_change(&edit.change, html)));
        let touches_ids = |change: &FixChange| match change {
            FixChange::Replace { span, .. } => !matches!(of_span(span, html), FixSubject::Data | FixSubject::Doctype),
            other => may_change_ids(other, html),
        };
        if draft.edits.iter().any(|edit| touches_ids(&edit.change)) {
            subjects.push(FixSubject::Ids);
        }
    }
    let is_markup = |key: &HeadKey| !matches!(key, HeadKey::JsonLd(_));
    if draft.head_tags.iter().any(|tag| is_markup(&tag.key) && may_hold_ids(&tag.tag)) {
        subjects.push(FixSubject::Ids);
    }
    subjects.sort();
    subjects.dedup();
    subjects
}

fn of_key(key: &HeadKey) -> FixSubject {
    match key {
        HeadKey::Charset => FixSubject::Encoding,
        HeadKey::Base => FixSubject::Base,
        HeadKey::Viewport => FixSubject::Viewport,
        HeadKey::Title => FixSubject::Title,
        HeadKey::Name(name) | HeadKey::Property(name) => of_meta(name),
        HeadKey::Canonical => FixSubject::Canonical,
        HeadKey::Hreflang(_) => FixSubject::Hreflang,
        HeadKey::Icon => FixSubject::Icons,
        HeadKey::JsonLd(_) => FixSubject::Data,
    }
}

/// What a `meta` of a name or property is about.
pub(super) fn of_meta(name: &str) -> FixSubject {
    match name {
        "description" => FixSubject::Description,
        "viewport" => FixSubject::Viewport,
        "robots" | "googlebot" | "bingbot" | "googlebot-news" => FixSubject::Robots,
        _ => FixSubject::Social(name.to_owned()),
    }
}

fn of_change(change: &FixChange, html: &Html) -> FixSubject {
    match change {
        FixChange::SetAttribute { node, name, value } => {
            html.element(*node).map_or(FixSubject::Other, |element| of_attribute(element, name, value))
        }
        FixChange::RemoveAttribute { node, .. } | FixChange::SetContent { node, .. } | FixChange::Remove { node } => {
            html.element(*node).map_or(FixSubject::Other, of_element)
        }
        // What is put in is the first heading of the page, or what the head had to give up.
        FixChange::InsertBefore { .. } | FixChange::InsertInside { .. } => FixSubject::Heading,
        FixChange::Replace { span, .. } => of_span(span, html),
    }
}

fn of_span(span: &Range<usize>, html: &Html) -> FixSubject {
    let holds = |script: Element<'_>| {
        script
            .start_tag()
            .zip(script.end_tag())
            .is_some_and(|(start, end)| start.end <= span.start && span.end <= end.start)
    };
    if html.elements(&html.json_ld_scripts).any(holds) {
        return FixSubject::Data;
    }
    let before_all =
        || html.document.html().and_then(|root| root.start_tag()).is_none_or(|root| span.end <= root.start);
    if html.document.doctype.as_ref() == Some(span) || before_all() {
        return FixSubject::Doctype;
    }
    let starts = |element: Element<'_>| element.start_tag().as_ref() == Some(span);
    let metas = html.metas.iter().filter_map(|meta| html.element(meta.node));
    metas.into_iter().find(|element| starts(*element)).map_or(FixSubject::Other, of_element)
}

/// What an attribute that is set is about: of images and files more checks read what they show than when and how they come.
fn of_attribute(element: Element<'_>, name: &str, value: &str) -> FixSubject {
    let whole = of_element(element);
    let is_by = |address: &str, scheme: &str| {
        address.trim_start().get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    let is_secured =
        || is_by(value, "https://") && element.attribute(name).is_some_and(|before| is_by(before, "http://"));
    match whole {
        FixSubject::Image if matches!(name, "loading" | "fetchpriority") => FixSubject::Loading,
        FixSubject::Frame if matches!(name, "loading" | "fetchpriority") => FixSubject::FrameLoading,
        FixSubject::Image | FixSubject::Frame | FixSubject::Script | FixSubject::Loaded
            if is_secured() && !may_state(element) =>
        {
            match element.name() {
                "img" | "source" | "picture" | "video" | "audio" | "track" => FixSubject::SecuredMedia,
                _ => FixSubject::SecuredCode,
            }
        }
        whole => whole,
    }
}

/// Whether the address of an element may be a value of structured data, in microdata or RDFa: then checks of it read the address too.
fn may_state(element: Element<'_>) -> bool {
    ["itemprop", "itemscope", "property", "typeof", "resource"].into_iter().any(|name| element.has(name))
}

fn of_element(element: Element<'_>) -> FixSubject {
    if element.namespace() != Namespace::Html {
        return FixSubject::Other;
    }
    let lower = |name: &str| element.attribute(name).map(|value| value.trim().to_ascii_lowercase());
    match element.name() {
        "html" => FixSubject::Lang,
        "base" => FixSubject::Base,
        "title" => FixSubject::Title,
        "meta" if element.has("charset") => FixSubject::Encoding,
        "meta" => match lower("http-equiv").as_deref() {
            Some("content-type") => FixSubject::Encoding,
            Some("refresh") => FixSubject::Refresh,
            Some("content-language") => FixSubject::Lang,
            _ => lower("property").or_else(|| lower("name")).map_or(FixSubject::Other, |name| of_meta(&name)),
        },
        "link" => of_link(element),
        "video" | "audio" | "track" | "embed" | "object" => FixSubject::Loaded,
        "script" if lower("type").is_some_and(|kind| kind.starts_with("application/ld+json")) => FixSubject::Data,
        "script" => FixSubject::Script,
        "img" | "source" | "picture" => FixSubject::Image,
        "a" | "area" => FixSubject::Link,
        "iframe" => FixSubject::Frame,
        name => match name.as_bytes() {
            [b'h', b'1'..=b'6'] => FixSubject::Heading,
            _ => FixSubject::Other,
        },
    }
}

/// What a `link` is about; one that is several things may be about anything.
fn of_link(link: Element<'_>) -> FixSubject {
    let is = |rel: &str| link.has_token("rel", rel);
    let loads = ["stylesheet", "preload", "modulepreload"].into_iter().any(is);
    let kinds = [
        (is("canonical"), FixSubject::Canonical),
        // A style sheet to choose from.
        (is("alternate") && !loads, FixSubject::Hreflang),
        (is("icon"), FixSubject::Icons),
        (loads, FixSubject::Loaded),
    ];
    let mut told = kinds.into_iter().filter(|(is_told, _)| *is_told).map(|(_, subject)| subject);
    match (told.next(), told.next()) {
        (Some(only), None) => only,
        _ => FixSubject::Other,
    }
}

#[cfg(test)]
mod tests {
    use model::fix::FixTarget;

    use super::*;
    use crate::example::page;
    use crate::facts::walk::Page;
    use crate::fix::DraftEdit;

    fn html(source: &str) -> Html {
        Page::read(&page("https://example.com/page", source)).html.unwrap()
    }

    #[test]
    fn an_element_is_about_what_it_says() {
        let check = |source: &str, name: &str, wanted: FixSubject| {
            let html = html(source);
            let element = html.document.elements().find(|element| element.name() == name).unwrap();
            assert_eq!(of_element(element), wanted, "{source}");
        };
        check("<html lang=en>", "html", FixSubject::Lang);
        check("<base href=/>", "base", FixSubject::Base);
        check("<title>a</title>", "title", FixSubject::Title);
        check("<meta charset=utf-8>", "meta", FixSubject::Encoding);
        check("<meta http-equiv=' Content-Type ' content='text/html'>", "meta", FixSubject::Encoding);
        check("<meta http-equiv=refresh content=5>", "meta", FixSubject::Refresh);
        check("<meta http-equiv=Content-Language content=pt>", "meta", FixSubject::Lang);
        check("<meta http-equiv=other name=description>", "meta", FixSubject::Description);
        check("<meta name=Viewport>", "meta", FixSubject::Viewport);
        for name in ["robots", "googlebot", "bingbot", "googlebot-news"] {
            check(&format!("<meta name={name}>"), "meta", FixSubject::Robots);
        }
        check("<meta property=og:title name=description>", "meta", FixSubject::Social("og:title".to_owned()));
        check("<meta itemprop=x>", "meta", FixSubject::Other);
        check("<link rel=canonical href=/>", "link", FixSubject::Canonical);
        check("<link rel=alternate href=/>", "link", FixSubject::Hreflang);
        check("<link rel='shortcut icon' href=/>", "link", FixSubject::Icons);
        check("<link rel=preconnect href=/>", "link", FixSubject::Other);
        check("<script type=application/ld+json>{}</script>", "script", FixSubject::Data);
        check("<script src=/a.js></script>", "script", FixSubject::Script);
        for name in ["img", "source", "picture"] {
            check(&format!("<{name}>"), name, FixSubject::Image);
        }
        check("<a href=/>a</a>", "a", FixSubject::Link);
        check("<area href=/>", "area", FixSubject::Link);
        check("<iframe src=/></iframe>", "iframe", FixSubject::Frame);
        check("<link rel='Preload x' href=/>", "link", FixSubject::Loaded);
        check("<link rel='alternate stylesheet' href=/>", "link", FixSubject::Loaded);
        check("<link rel='shortcut icon' href=/>", "link", FixSubject::Icons);
        check("<link rel='canonical alternate' href=/>", "link", FixSubject::Other);
        check("<link rel='icon preload' href=/>", "link", FixSubject::Other);
        check("<link rel=search href=/>", "link", FixSubject::Other);
        check("<video src=/>", "video", FixSubject::Loaded);
        check("<h1>a</h1>", "h1", FixSubject::Heading);
        check("<h6>a</h6>", "h6", FixSubject::Heading);
        check("<p>a</p>", "p", FixSubject::Other);
        check("<svg><a>b</a></svg>", "a", FixSubject::Other);
    }

    #[test]
    fn a_span_is_about_what_lies_there() {
        const SOURCE: &str = "<!doctype html><html><head><meta name=description content=a>\
            <script type=application/ld+json>{}</script></head><body><p>b</p></body></html>";
        let check = |source: &str, at: &str, wanted: FixSubject| {
            let html = html(source);
            let start = html.document.source().find(at).unwrap();
            assert_eq!(of_span(&(start..start + at.len()), &html), wanted, "{at} of {source}");
        };
        check(SOURCE, "{}", FixSubject::Data);
        check(SOURCE, "<!doctype html>", FixSubject::Doctype);
        check(SOURCE, "<meta name=description content=a>", FixSubject::Description);
        check(SOURCE, "<meta", FixSubject::Other);
        check(SOURCE, "<p>", FixSubject::Other);
        check("<!-- x --><html><body>", "<!-- x -->", FixSubject::Doctype);
        check("<!doctype html><p>b</p>", "<p>", FixSubject::Doctype);
    }

    #[test]
    fn an_attribute_may_say_less_than_its_element() {
        let check = |source: &str, name: &str, value: &str, wanted: FixSubject| {
            let html = html(source);
            let element = html.document.body().unwrap().children().next().unwrap();
            assert_eq!(of_attribute(element, name, value), wanted, "{name}={value} of {source}");
        };
        const IMAGE: &str = "<body><img src=' HTTP://a.example/b.png' alt=c>";
        check(IMAGE, "loading", "lazy", FixSubject::Loading);
        check("<body><iframe src=/a></iframe>", "loading", "lazy", FixSubject::FrameLoading);
        check(IMAGE, "src", "https://a.example/b.png", FixSubject::SecuredMedia);
        let stated = "<body><img itemprop=image src=http://a.example/b.png>";
        check(stated, "src", "https://a.example/b.png", FixSubject::Image);
        check(IMAGE, "src", "/b.png", FixSubject::Image);
        check(
            "<body><script src=http://a.example/b.js></script>",
            "src",
            "https://a.example/b.js",
            FixSubject::SecuredCode,
        );
        check("<body><a href=http://a.example/>b</a>", "href", "https://a.example/", FixSubject::Link);
    }

    #[test]
    fn a_draft_is_about_each_of_its_changes_once() {
        let html = html("<title>a</title><h1>b</h1><p>c</p>");
        let element = |name: &str| html.document.elements().find(|element| element.is(name)).unwrap().id();
        let (name, value) = ("class".to_owned(), "x".to_owned());
        let change = |change: FixChange| of_change(&change, &html);
        assert_eq!(
            change(FixChange::SetAttribute { node: element("h1"), name: name.clone(), value }),
            FixSubject::Heading
        );
        assert_eq!(change(FixChange::RemoveAttribute { node: element("title"), name }), FixSubject::Title);
        assert_eq!(
            change(FixChange::InsertBefore { node: element("p"), html: "<h1>d</h1>".to_owned() }),
            FixSubject::Heading
        );
        assert_eq!(
            change(FixChange::InsertInside { node: element("p"), html: "<h1>d</h1>".to_owned() }),
            FixSubject::Heading
        );
        let edit = |node| DraftEdit { target: FixTarget::Head, change: FixChange::Remove { node } };
        let draft = FixDraft {
            edits: vec![edit(element("title")), edit(element("title")), edit(element("h1"))],
            ..FixDraft::instruction(FixTarget::Head, model::lang::text("a", "b"), &[])
        };
        assert_eq!(of(&draft, Some(&html)), [FixSubject::Title, FixSubject::Heading]);
        assert_eq!(of(&draft, None), []);
    }
}
