//! A head that ends before its metadata does.

use std::collections::BTreeSet;

use crate::check::prelude::*;
use crate::facts::elements::Meta;
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
    h1: text("Do search engines see all of your head?", "Os buscadores veem todo o seu head?"),
    description: text(
        "Find the element that closes the head of a page early, so that title, canonical, robots and hreflang tags behind it are ignored.",
        "Encontre o elemento que fecha o head de uma página antes da hora, deixando title, canonical, robots e hreflang ignorados.",
    ),
    lead: text(
        "One `<div>` or `<img>` in the head ends it, and all metadata behind it lands in the body, where search engines ignore it. The page looks right all the same, so nobody notices: this tool parses it as a browser does and names the line.",
        "Um `<div>` ou `<img>` no head o encerra, e todos os metadados depois dele caem no corpo, onde os buscadores os ignoram. A página parece certa mesmo assim, e ninguém percebe: esta ferramenta a lê como um navegador e aponta a linha.",
    ),
    example: include_str!("head_structure/bad.html"),
};

const BROKEN: Check = Check {
    code: "head_broken_by_element",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("An element breaks the head", "Um elemento quebra o cabeçalho"),
    why: text(
        "`<head>` may hold only metadata. At the first other element the parser closes it, and what follows lands in the body, where search engines ignore it.",
        "`<head>` só pode conter metadados. No primeiro outro elemento o leitor o fecha, e o que vem depois cai no corpo, onde os buscadores o ignoram.",
    ),
    how: text(
        "Move the offending element into `<body>`, or put all metadata in front of it.",
        "Mova o elemento culpado para dentro de `<body>`, ou coloque todos os metadados antes dele.",
    ),
    reference: VALID_HEAD,
    rule: text(
        "Fails when the parser closes the head at an element that may not stand in it, although the source closes it only later, and at least one title, `meta` description, robots, googlebot or viewport, canonical or hreflang link with a value lands in the body for it. Read with scripting on, so what stands in `noscript` does not count. Metadata behind the source's own `</head>` is not lost, but misplaced.",
        "Falha quando o leitor fecha o cabeçalho em um elemento que não pode estar nele, embora o código só o feche depois, e ao menos um título, `meta` description, robots, googlebot ou viewport, link canonical ou hreflang com valor cai no corpo por causa disso. Lido com scripts ligados, então o que está em `noscript` não conta. Metadados depois do próprio `</head>` não estão perdidos, e sim fora do lugar.",
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
    title: text("Body markup in a noscript of the head", "Marcação de corpo em um noscript do head"),
    why: text(
        "Readers without scripts, many crawlers and link previewers among them, parse what stands in `noscript`: an image or frame there ends the head, and all metadata behind it is lost to them.",
        "Leitores sem scripts, entre eles muitos robôs e prévias de link, leem o que está em `noscript`: uma imagem ou um frame ali encerra o head, e todos os metadados depois dele se perdem para eles.",
    ),
    how: text(
        "Move the `noscript` with the tracking pixel to the start of `<body>`.",
        "Mova o `noscript` com o pixel de rastreamento para o início do `<body>`.",
    ),
    reference: VALID_HEAD,
    rule: text(
        "Fails when a `noscript` in the head holds, outside of comments, a start tag other than `link`, `meta` or `style`. These three are what the HTML standard allows there.",
        "Falha quando um `noscript` do cabeçalho contém, fora de comentários, uma tag de abertura que não seja `link`, `meta` ou `style`. São as três que o padrão HTML permite ali.",
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
    title: text("Meta tags with value in place of content", "Meta tags com value no lugar de content"),
    why: text(
        "A `meta` says what it has to say in `content`. With `value` in its place browsers, search engines and networks read nothing at all.",
        "Um `meta` diz o que tem a dizer em `content`. Com `value` no lugar, navegadores, buscadores e redes não leem nada.",
    ),
    how: text(
        "Write `content=\"…\"` in place of `value=\"…\"` in these tags, mostly in one template.",
        "Escreva `content=\"…\"` no lugar de `value=\"…\"` nessas tags, em geral num só modelo.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/semantics.html#attr-meta-content",
    rule: text(
        "Fails when a `meta` with a `name`, `property` or `http-equiv` has a filled `value` and no `content`. Checks for a missing description, viewport, `og:` tag or card are then not measured for these keys, and the message counts them.",
        "Falha quando um `meta` com `name`, `property` ou `http-equiv` tem um `value` preenchido e não tem `content`. As verificações de descrição, viewport, tag `og:` ou cartão ausentes não são medidas para essas chaves, e a mensagem as conta.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: PRECISION,
    run: misspelt,
};

/// Keys, and the finding that a page without them would have.
const EXPLAINED: [(&str, &str); 10] = [
    ("description", "meta_description_missing"),
    ("viewport", "viewport_missing"),
    ("og:title", "og_title_missing"),
    ("og:image", "og_image_missing"),
    ("og:image:url", "og_image_missing"),
    ("og:image:secure_url", "og_image_missing"),
    ("og:type", "og_core_incomplete"),
    ("og:url", "og_core_incomplete"),
    ("og:description", "og_core_incomplete"),
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
    let explained: BTreeSet<&str> =
        EXPLAINED.iter().filter(|(key, _)| html.is_misspelt(key)).map(|(_, code)| *code).collect();
    const UNREAD: Text = text(
        "{count} meta {count|tag says|tags say} value= in place of content=, so nothing reads {count|it|them}: {list}.",
        "{count} meta {count|tag diz|tags dizem} value= no lugar de content=, e nada {count|a|as} lê: {list}.",
    );
    const EXPLAINS: Text = text(
        "{count} meta {count|tag says|tags say} value= in place of content=, so nothing reads {count|it|them}: {list}. This explains {explained} {explained|finding|findings}: {codes}.",
        "{count} meta {count|tag diz|tags dizem} value= no lugar de content=, e nada {count|a|as} lê: {list}. Isso explica {explained} {explained|achado|achados}: {codes}.",
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
            elements.iter().fold(fix, |fix, element| {
                let value = element.attribute("value").unwrap_or_default();
                fix.set(*element, "content", value).unset(*element, "value")
            })
        }
        None => FixDraft::instruction(FixTarget::Head, MISSPELT.how, &[]),
    };
    problem(message, values, fix).on(elements.into_iter().flatten()).fail()
}

/// A tag as it should be.
fn content_tag(meta: &Meta, key: &str) -> String {
    let name = match (&meta.property, &meta.name) {
        (Some(_), _) => "property",
        (None, Some(_)) => "name",
        (None, None) => "http-equiv",
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
        "<{offender}> on line {line} closes the head; {count} metadata {count|element|elements} after it {count|lands|land} in the body.",
        "<{offender}> na linha {line} fecha o cabeçalho; {count} {count|elemento|elementos} de metadados depois dele {count|cai|caem} no corpo.",
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
        "Put the metadata into the head, before <{offender}>. The <{name}> on line {line} is the second of its kind: decide which one holds.",
        "Ponha os metadados no cabeçalho, antes de <{offender}>. O <{name}> da linha {line} é o segundo do seu tipo: decida qual vale.",
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
    let in_head: Vec<Element<'_>> =
        html.elements(&html.listed.noscripts).filter(|noscript| noscript.is_in_head()).collect();
    if in_head.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let found: Vec<Element<'_>> = in_head.into_iter().filter(|noscript| ends_head(&noscript.raw_text())).collect();
    if found.is_empty() {
        return PASS;
    }
    const BODY: Text = text(
        "{count} noscript {count|element|elements} of the head {count|holds|hold} markup that ends it where scripts are off.",
        "{count} {count|elemento|elementos} noscript do cabeçalho {count|contém|contêm} marcação que o encerra onde não há scripts.",
    );
    const MOVED: Text = text("the same element, first in the body", "o mesmo elemento, no início do corpo");
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
