//! A head that ends before its metadata does.

use std::collections::BTreeSet;

use crate::check::prelude::*;
use crate::facts::elements::{Meta, is_property};
use crate::facts::lost_head;
use crate::facts::page::Html;
use crate::fix::HeadKey;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "head-structure",
    category: Category::Head,
    landing: LANDING,
    checks: &[BROKEN, MISSPELT, NOSCRIPT],
};

const LANDING: Landing = Landing {
    title: text("HTML head validator", "Validador do head do HTML"),
    h1: text("Do search engines see your whole head?", "Os buscadores veem todo o seu head?"),
    description: text(
        "Find the element that closes a page's head too early, so that search engines ignore the title, canonical and hreflang tags after it.",
        "Encontre o elemento que fecha o head antes da hora e faz os buscadores ignorarem title, canonical e hreflang depois dele.",
    ),
    lead: text(
        "A single `<div>` or `<img>` in the head closes it. All metadata after it ends up in the body, where search engines ignore it, although the page looks fine. This tool parses the page as a browser does and shows the line.",
        "Um único `<div>` ou `<img>` no head o fecha. Todos os metadados depois dele vão parar no body, onde os buscadores os ignoram, embora a página pareça certa. Esta ferramenta interpreta a página como um navegador e mostra a linha.",
    ),
    example: include_str!("head_structure/bad.html"),
};

const BROKEN: Check = Check {
    code: "head_broken_by_element",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("Head closed early by an invalid element", "Head fechado antes da hora por um elemento inválido"),
    why: text(
        "`<head>` may contain only metadata. At the first other element the browser closes it, and the metadata after it ends up in the body, where search engines ignore it.",
        "O `<head>` só pode conter metadados. No primeiro outro elemento o navegador o fecha, e os metadados depois dele vão parar no body, onde os buscadores os ignoram.",
    ),
    how: text(
        "Move the invalid element into `<body>`, or move all metadata before it.",
        "Mova o elemento inválido para o `<body>` ou coloque todos os metadados antes dele.",
    ),
    reference: VALID_HEAD,
    rule: text(
        "Fails when an element that is not allowed in the head makes the parser close it before the source does, and at least one of these ends up in the body with a value: the title, a `meta` description, robots, googlebot or viewport, or a canonical or hreflang link. The page is parsed as with scripting enabled, so `noscript` doesn't count. Metadata after the source's own `</head>` is not counted.",
        "Falha quando um elemento não permitido no head faz o parser fechá-lo antes do código-fonte, e pelo menos um destes itens com valor vai parar no body: o title, um `meta` description, robots, googlebot ou viewport, ou um link canonical ou hreflang. A página é interpretada como com scripts ativados; por isso, `noscript` não conta. Metadados depois do próprio `</head>` do código-fonte não contam.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: broken,
};

const VALID_HEAD: &str = "https://developers.google.com/search/docs/crawling-indexing/valid-page-metadata";

const NOSCRIPT: Check = Check {
    code: "head_noscript_markup",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("noscript in the head with body elements", "noscript no head com elementos de body"),
    why: text(
        "Clients without scripts, such as many crawlers and link previews, parse the contents of `noscript`. An image or iframe there closes the head, and they lose all metadata after it.",
        "Clientes sem scripts, como muitos robôs e prévias de links, interpretam o conteúdo de `noscript`. Uma imagem ou um iframe ali fecha o head, e eles perdem todos os metadados depois dele.",
    ),
    how: text(
        "Move the `noscript` with the tracking pixel to the start of `<body>`.",
        "Mova o `noscript` com o pixel de rastreamento para o início do `<body>`.",
    ),
    reference: VALID_HEAD,
    rule: text(
        "Fails when a `noscript` in the head contains a start tag other than `link`, `meta` or `style`, the only ones that the HTML standard allows there. Comments are ignored.",
        "Falha quando um `noscript` no head contém uma tag de abertura que não seja `link`, `meta` ou `style`, as únicas que o padrão HTML permite ali. Comentários são ignorados.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: noscript,
};

const MISSPELT: Check = Check {
    code: "meta_content_misspelt",
    severity: Severity::Warn,
    impact: Impact::Sharing,
    title: text("Meta tags with value instead of content", "Meta tags com value em vez de content"),
    why: text(
        "Browsers, search engines and social networks read only the `content` attribute of a meta tag. They ignore `value`.",
        "Navegadores, buscadores e redes sociais só leem o atributo `content` de uma meta tag. Eles ignoram `value`.",
    ),
    how: text(
        "Change `value=\"…\"` to `content=\"…\"` in these tags, which often come from one template.",
        "Troque `value=\"…\"` por `content=\"…\"` nessas tags, que muitas vezes vêm de um só template.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/semantics.html#attr-meta-content",
    rule: text(
        "Fails when a `meta` with `name`, `property` or `http-equiv` has a non-empty `value` and no `content`. The checks for a missing description, viewport, `og:` tag or card are then not measured for these keys, and the message counts them. The fix also moves `og:` keys from `name` to `property`.",
        "Falha quando um `meta` com `name`, `property` ou `http-equiv` tem um `value` não vazio e não tem `content`. As verificações de descrição, viewport, tag `og:` ou cartão ausentes não são medidas então para essas chaves, e a mensagem as conta. A correção também passa chaves `og:` de `name` para `property`.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: PRECISION,
    run: misspelt,
};

/// The finding of a page that lacks any of several keys.
const CORE: &str = "og_core_incomplete";
/// Keys, and the finding that a page without them would have.
const EXPLAINED: [(&str, &str); 10] = [
    ("description", "meta_description_missing"),
    ("viewport", "viewport_missing"),
    ("og:title", "og_title_missing"),
    ("og:image", "og_image_missing"),
    ("og:image:url", "og_image_missing"),
    ("og:image:secure_url", "og_image_missing"),
    ("og:type", CORE),
    ("og:url", CORE),
    ("og:description", CORE),
    ("twitter:card", "twitter_card_missing"),
];
/// Keys that a message lists.
const MOST_LISTED: usize = 8;

/// Fails when `meta` elements say `value` in place of `content`.
fn misspelt(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let found: Vec<(&Meta, &str)> = html.misspelt_metas().collect();
    if found.is_empty() {
        return if html.metas.is_empty() { Err(NotMeasured::Absent) } else { PASS };
    }
    // What the page lacks in another way too is found beside this.
    let is_found = |code: &str| {
        let mut keys = EXPLAINED.iter().filter(|(_, of)| *of == code && code == CORE).map(|(key, _)| key);
        keys.any(|key| html.social(key).is_none() && !html.is_misspelt(key))
    };
    let explained: BTreeSet<&str> = EXPLAINED
        .iter()
        .filter(|(key, code)| html.is_misspelt(key) && !is_found(code))
        .map(|(_, code)| *code)
        .collect();
    const UNREAD: Text = text(
        "{count} meta {count|tag has|tags have} value instead of content and {count|is|are} ignored: {list}.",
        "{count} meta {count|tag tem|tags têm} value em vez de content e {count|é ignorada|são ignoradas}: {list}.",
    );
    const EXPLAINS: Text = text(
        "{count} meta {count|tag has|tags have} value instead of content and {count|is|are} ignored: {list}. This explains {explained} {explained|finding that is|findings that are} not listed separately: {codes}.",
        "{count} meta {count|tag tem|tags têm} value em vez de content e {count|é ignorada|são ignoradas}: {list}. Isso explica {explained} {explained|achado que não é listado|achados que não são listados} à parte: {codes}.",
    );
    const SAME: Text = text("the page's own tags, with content", "as próprias tags da página, com content");
    let mut list: Vec<&str> = found.iter().map(|(_, key)| *key).collect();
    list.sort_unstable();
    list.dedup();
    list.truncate(MOST_LISTED);
    let values = [
        ("count", found.len().into()),
        ("list", list.join(", ").into()),
        ("explained", explained.len().into()),
        ("codes", explained.iter().copied().collect::<Vec<_>>().join(", ").into()),
    ];
    let (message, values) = if explained.is_empty() { (UNREAD, &values[..2]) } else { (EXPLAINS, &values[..]) };
    let elements: Option<Vec<Element<'_>>> =
        found.iter().map(|(meta, _)| html.element(meta.node).filter(|element| element.start_tag().is_some())).collect();
    let fix = match &elements {
        Some(elements) => {
            let tags: Vec<String> = found.iter().map(|(meta, key)| content_tag(meta, key)).collect();
            let fix = FixDraft::edit(FixTarget::Head, tags.join("\n")).from(SAME, &[]);
            elements.iter().zip(&found).fold(fix, |fix, (element, (meta, key))| {
                let value = element.attribute("value").unwrap_or_default();
                let fix = fix.set(*element, "content", value).unset(*element, "value");
                match is_misnamed(meta, key) {
                    true => fix.unset(*element, "name").set(*element, "property", key),
                    false => fix,
                }
            })
        }
        None => FixDraft::instruction(FixTarget::Head, MISSPELT.how, &[]),
    };
    problem(message, values, fix).on(elements.into_iter().flatten()).fail()
}

/// Whether a key of Open Graph is in `name`: with its content it would be told as that.
fn is_misnamed(meta: &Meta, key: &str) -> bool {
    meta.property.is_none() && meta.name.is_some() && is_property(key)
}

/// A tag as it should be.
fn content_tag(meta: &Meta, key: &str) -> String {
    let name = match (&meta.property, &meta.name) {
        (None, Some(_)) if !is_misnamed(meta, key) => "name",
        (None, None) => "http-equiv",
        _ => "property",
    };
    let value = meta.misspelt_content.as_deref().unwrap_or_default();
    format!("<meta {name}=\"{}\" content=\"{}\">", attribute(key), attribute(value))
}

fn broken(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let Some(broken) = &html.lost_head else { return PASS };
    let Some(offender) = html.element(broken.offender) else { return PASS };
    let lost: Vec<Element<'_>> = html.elements(&broken.lost).collect();
    let fix = rivalry(html, &lost, offender).unwrap_or_else(|| moved(html, &lost));
    const CLOSES: Text = text(
        "<{offender}> on line {line} closes the head, so {count} metadata {count|element ends|elements end} up in the body.",
        "<{offender}> na linha {line} fecha o head, e {count} {count|elemento de metadados vai|elementos de metadados vão} parar no body.",
    );
    let values = [
        ("offender", offender.name().into()),
        ("line", offender.line().unwrap_or_default().into()),
        ("count", lost.len().into()),
    ];
    let places = std::iter::once(offender.place()).chain(lost.iter().map(|element| element.place()));
    problem(CLOSES, &values, fix).at(places).fail()
}

/// The lost metadata, taken out of the body and put into the head.
fn moved(html: &Html, lost: &[Element<'_>]) -> FixDraft {
    let source = html.document.source();
    let mut fix = FixDraft::edit(FixTarget::Head, "");
    let mut snippet = Vec::new();
    for element in lost {
        let Some(tag) = element.source_span().and_then(|span| source.get(span)) else { continue };
        snippet.push(tag);
        fix = fix.remove(*element).with_head(key(*element), tag);
    }
    fix.snippet = Some(snippet.join("\n"));
    fix
}

/// What to decide where several of a kind would come together in the head.
fn rivalry(html: &Html, lost: &[Element<'_>], offender: Element<'_>) -> Option<FixDraft> {
    let in_head = html.document.head().into_iter().flat_map(|head| head.descendants());
    let mut keys: BTreeSet<HeadKey> = in_head.filter(|e| lost_head::is_page_metadata(*e)).map(key).collect();
    let second = lost.iter().find(|element| !keys.insert(key(**element)))?;
    const SECOND: Text = text(
        "Move the metadata before <{offender}>. The <{name}> on line {line} is the second of its kind; decide which one to keep.",
        "Mova os metadados para antes de <{offender}>. O <{name}> na linha {line} é o segundo do tipo; decida qual manter.",
    );
    let values = [
        ("offender", offender.name().into()),
        ("name", second.name().into()),
        ("line", second.line().unwrap_or_default().into()),
    ];
    Some(FixDraft::instruction(FixTarget::Head, SECOND, &values))
}

fn key(element: Element<'_>) -> HeadKey {
    let name = || element.attribute("name").unwrap_or_default().trim().to_ascii_lowercase();
    match element.name() {
        "title" => HeadKey::Title,
        "meta" if name() == "viewport" => HeadKey::Viewport,
        "meta" => HeadKey::Name(name()),
        _ if element.has_token("rel", "canonical") => HeadKey::Canonical,
        _ => HeadKey::Hreflang(element.attribute("hreflang").unwrap_or_default().to_ascii_lowercase()),
    }
}

/// Whether what stands in a `noscript` of the head may not stand in a head.
fn ends_head(markup: &str) -> bool {
    let mut rest = markup;
    while let Some(at) = rest.find('<') {
        let tag = rest.get(at..).unwrap_or_default();
        if let Some(comment) = tag.strip_prefix("<!--") {
            let Some(end) = comment.find("-->") else { return false };
            rest = comment.get(end..).unwrap_or_default();
            continue;
        }
        let name = tag.get(1..).unwrap_or_default();
        let length = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
        let name = name.get(..length).unwrap_or_default();
        let is_allowed = ["link", "meta", "style"].iter().any(|allowed| name.eq_ignore_ascii_case(allowed));
        if !name.is_empty() && !is_allowed {
            return true;
        }
        rest = tag.get(1..).unwrap_or_default();
    }
    false
}

fn noscript(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    // Nothing in a head holds another element (WHATWG HTML §13.2.6.4.4).
    let is_in_head = |noscript: &Element<'_>| noscript.parent().is_some_and(|parent| parent.is("head"));
    let in_head: Vec<Element<'_>> = html.elements(&html.listed.noscripts).filter(is_in_head).collect();
    if in_head.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let found: Vec<Element<'_>> = in_head.into_iter().filter(|noscript| ends_head(&noscript.raw_text())).collect();
    if found.is_empty() {
        return PASS;
    }
    const BODY: Text = text(
        "{count} noscript {count|element|elements} in the head {count|has|have} elements that close the head for clients without scripts.",
        "{count} {count|elemento|elementos} noscript no head {count|tem|têm} conteúdo que fecha o head para clientes sem scripts.",
    );
    const MOVED: Text =
        text("the same element, moved to the start of the body", "o mesmo elemento, movido para o início do body");
    let source = html.document.source();
    let body = html.document.body().filter(|body| body.is("body") && body.start_tag().is_some());
    let whole = |noscript: &Element<'_>| {
        noscript.end_tag()?;
        source.get(noscript.source_span()?).map(ToOwned::to_owned)
    };
    let tags: Option<Vec<String>> = found.iter().map(whole).collect();
    let fix = match body.zip(tags) {
        Some((body, tags)) => {
            let moved = tags.join("\n");
            let fix = FixDraft::edit(FixTarget::Head, moved.clone()).from(MOVED, &[]).inside(body, moved);
            found.iter().fold(fix, |fix, noscript| fix.remove(*noscript))
        }
        None => FixDraft::instruction(FixTarget::Head, NOSCRIPT.how, &[]),
    };
    problem(BODY, &[("count", found.len().into())], fix).on(&found).fail()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_metadata_may_stand_in_a_noscript_of_the_head() {
        for markup in ["<img src=a>", "<style>a</style> <IFRAME>", "<!-- <link> --><p>", "a<b"] {
            assert!(ends_head(markup), "{markup}");
        }
        for markup in ["", "<link rel=stylesheet>", "<style>a > b</style>", "<!-- <img> --><META name=x>", "<!-- <img>"]
        {
            assert!(!ends_head(markup), "{markup}");
        }
    }
}
