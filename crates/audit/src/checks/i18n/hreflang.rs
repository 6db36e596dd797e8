//! Language alternates one by one: their codes, addresses and place.

use std::collections::BTreeSet;

use crate::check::prelude::*;
use crate::facts::hreflang::{self, DeclaredAlternate};
use crate::facts::language_tag::{self, Tag};
use crate::facts::url_identity::same_page;
use crate::fix::HeadKey;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "hreflang",
    category: Category::I18n,
    landing: Landing {
        title: text("Hreflang tag checker", "Verificador de tags hreflang"),
        h1: text("Are your hreflang tags valid?", "Suas tags hreflang são válidas?"),
        description: text(
            "Check each hreflang entry of a page: its language and region code, absolute URL and place in the head. Get the corrected tag.",
            "Confira cada entrada hreflang de uma página: código de idioma e região, URL absoluta e lugar no head. Receba a tag corrigida.",
        ),
        lead: text(
            "Google silently ignores an hreflang entry with an unknown code, a relative URL, or a place outside the head. This tool reads the entries in the page and its `Link` header, and writes corrected ones.",
            "O Google ignora sem aviso uma entrada hreflang com código desconhecido, URL relativa ou fora do head. Esta ferramenta lê as entradas da página e do cabeçalho `Link` e escreve as corrigidas.",
        ),
        example: include_str!("hreflang/bad_code.html"),
    },
    checks: &[CODE_INVALID, RELATIVE_URL, OUTSIDE_HEAD],
};

/// Google's page on language versions.
pub(super) const GOOGLE: &str = "https://developers.google.com/search/docs/specialty/international/localized-versions";

const CODE_INVALID: Check = Check {
    code: "hreflang_code_invalid",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Invalid hreflang code", "Código hreflang inválido"),
    why: text(
        "Search engines ignore an entry whose code isn't a language or names a region that doesn't exist. They then can't offer that version to its readers.",
        "Os buscadores ignoram uma entrada cujo código não é um idioma ou traz uma região que não existe. Assim, aquela versão não é oferecida a seus leitores.",
    ),
    how: text(
        "Use a two-letter language code, optionally with a script and a region: `en`, `en-GB`, `zh-Hant`. The code for everyone else is `x-default`.",
        "Use um código de idioma de duas letras, com escrita e região se precisar: `pt`, `pt-BR`, `zh-Hant`. O código para todos os outros é `x-default`.",
    ),
    reference: GOOGLE,
    rule: text(
        "Fails when an `hreflang` value, in a link element or the `Link` header, is neither `x-default` nor a language of ISO 639-1, optionally with a script of ISO 15924 and a region of ISO 3166-1 alpha-2. The value is read as written, including white space; letter case doesn't matter. `en-UK`, `en_US`, `es-419`, three-letter languages and variants fail. A note when at most 10% of the entries fail, because the others still work.",
        "Falha quando um valor `hreflang`, em elemento link ou no cabeçalho `Link`, não é `x-default` nem um idioma da ISO 639-1, com escrita da ISO 15924 e região da ISO 3166-1 alfa-2 opcionais. O valor é lido como está escrito, com os espaços; maiúsculas e minúsculas não importam. `en-UK`, `en_US`, `es-419`, idiomas de três letras e variantes falham. É uma observação quando no máximo 10% das entradas falham, porque as outras continuam valendo.",
    ),
    thresholds: &[threshold("small_share", SMALL_SHARE as u64, "percent")],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: code_invalid,
};

/// Of 100 entries, those with an invalid code up to which the set is of use all the same: a site with fifty versions may
/// have some in languages that search engines don't know.
const SMALL_SHARE: usize = 10;

const RELATIVE_URL: Check = Check {
    code: "hreflang_relative_url",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("hreflang URL not absolute", "URL hreflang não absoluta"),
    why: text(
        "Google requires the full URL of each alternate, with scheme and host, and ignores other forms.",
        "O Google exige a URL completa de cada versão alternativa, com esquema e host, e ignora outras formas.",
    ),
    how: text(
        "Write the full URL: `https://example.com/page`.",
        "Escreva a URL completa: `https://example.com/pagina`.",
    ),
    reference: GOOGLE,
    rule: text(
        "Fails when the URL of an alternate, in a link element or the `Link` header, is empty or doesn't start with `http://` or `https://` as written. What it resolves to doesn't matter.",
        "Falha quando a URL de uma versão alternativa, em elemento link ou no cabeçalho `Link`, está vazia ou não começa com `http://` ou `https://` como está escrita. Não importa para onde ela resolve.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: relative_url,
};

const OUTSIDE_HEAD: Check = Check {
    code: "hreflang_outside_head",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("hreflang outside the head", "hreflang fora do head"),
    why: text(
        "Google reads hreflang links only in the head. In the body, anyone who can publish content could add them, so Google ignores them there.",
        "O Google só lê links hreflang no head. No body, qualquer autor de conteúdo poderia incluí-los; por isso, ali eles são ignorados.",
    ),
    how: text("Move the link elements into `<head>`.", "Mova os elementos link para o `<head>`."),
    reference: "https://developers.google.com/search/docs/specialty/international/localized-versions#html",
    rule: text(
        "Fails when a `link` element with `rel=alternate` and `hreflang` ends up in the body. No other hreflang check looks at such a link, because search engines ignore it anyway. Links that another element pushed out of the head are reported by `head_broken_by_element` instead. The `Link` header isn't affected.",
        "Falha quando um elemento `link` com `rel=alternate` e `hreflang` acaba no body. Nenhuma outra verificação de hreflang olha esse link, porque os buscadores o ignoram de qualquer forma. Links que outro elemento empurrou para fora do head são apontados por `head_broken_by_element`. O cabeçalho `Link` não é afetado.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: outside_head,
};

/// Alternates of the page itself; those of a sitemap are the sitemap's business.
pub(super) fn declared<'f>(facts: &'f Facts<'_>) -> Result<Vec<&'f DeclaredAlternate>, NotMeasured> {
    facts.page()?;
    let all: Vec<&DeclaredAlternate> = facts.alternates().iter().collect();
    if all.is_empty() { Err(NotMeasured::Absent) } else { Ok(all) }
}

/// Where an alternate is declared.
pub(super) fn place(facts: &Facts<'_>, alternate: &DeclaredAlternate) -> Place {
    let element = alternate.node.and_then(|node| facts.markup()?.element(node));
    element.map_or_else(|| Place { snippet: Some(alternate.href.clone()), ..Place::default() }, Element::place)
}

/// Whether Google accepts a code: `x-default`, or ISO 639-1, optionally with ISO 15924 and ISO 3166-1 alpha-2.
fn is_accepted(code: &str) -> bool {
    code.eq_ignore_ascii_case("x-default") || language_tag::read(code).is_some_and(|tag| is_supported(&tag))
}

/// Whether an alternate is the one for readers of no listed language.
pub(super) fn is_default(alternate: &DeclaredAlternate) -> bool {
    alternate.lang.trim().eq_ignore_ascii_case("x-default")
}

/// Whether Google takes a tag.
pub(super) fn is_supported(tag: &Tag) -> bool {
    tag.language.len() == 2 && tag.rest.is_empty() && tag.region.as_deref().is_none_or(language_tag::is_region)
}

/// The one reading of a wrong code: underscores, stray space, and `UK` for the United Kingdom.
fn corrected(code: &str) -> Option<String> {
    let code = code.trim().replace('_', "-");
    if code.eq_ignore_ascii_case("x-default") || code.eq_ignore_ascii_case("default") {
        return Some("x-default".to_owned());
    }
    let mut tag = language_tag::read(&code)?;
    if tag.region.as_deref() == Some("UK") {
        tag.region = Some("GB".to_owned());
    }
    is_supported(&tag).then(|| tag.to_string())
}

/// Fails on a code that Google does not take; the value counts as written, with its white space.
fn code_invalid(facts: &Facts<'_>) -> Verdict {
    let all = declared(facts)?;
    let bad: Vec<&DeclaredAlternate> = all.iter().copied().filter(|alternate| !is_accepted(&alternate.lang)).collect();
    let Some(first) = bad.first() else { return PASS };
    const NOT_ACCEPTED: Text = text(
        "{total|The only hreflang code is invalid: “{code}”.|{count} of {total} hreflang codes {count|is invalid: “{code}”|are invalid; the first is “{code}”}.}",
        "{total|O único código hreflang é inválido: “{code}”.|{count} de {total} códigos hreflang {count|é inválido: “{code}”|são inválidos; o primeiro é “{code}”}.}",
    );
    let elements: Option<Vec<(Element<'_>, String)>> = bad
        .iter()
        .map(|alternate| Some((facts.markup()?.element(alternate.node?)?, corrected(&alternate.lang)?)))
        .collect();
    let fix = match elements.filter(|elements| elements.iter().all(|(element, _)| element.start_tag().is_some())) {
        Some(elements) => {
            const CORRECTED: Text = text("the declared codes, corrected", "os códigos declarados, corrigidos");
            let tag = |(element, code): &(Element<'_>, String)| {
                alternate_tag(code, element.attribute("href").unwrap_or_default())
            };
            let snippet = elements.iter().map(tag).collect::<Vec<_>>().join("\n");
            let fix = FixDraft::edit(FixTarget::Head, snippet).from(CORRECTED, &[]);
            elements.iter().fold(fix, |fix, (element, code)| fix.set(*element, "hreflang", code))
        }
        None => {
            const OR_REMOVE: Text = text(
                "Write a two-letter language code, optionally with a region. If the language has no such code, remove the entry.",
                "Escreva um código de idioma de duas letras, com região se precisar. Se o idioma não tem um código assim, remova a entrada.",
            );
            let element = first.node.and_then(|node| facts.markup()?.element(node));
            let tag = element.and_then(|element| element.start_tag_with("hreflang", "{{CODE}}"));
            let tag = tag.unwrap_or_else(|| alternate_tag("{{CODE}}", &first.href));
            FixDraft::template(FixTarget::Head, tag).note(OR_REMOVE, &[])
        }
    };
    let values = [("count", bad.len().into()), ("total", all.len().into()), ("code", first.lang.as_str().into())];
    let is_small = bad.len() * 100 <= all.len() * SMALL_SHARE;
    problem(NOT_ACCEPTED, &values, fix)
        .at(bad.iter().map(|alternate| place(facts, alternate)))
        .minor_if(is_small)
        .fail()
}

/// An alternate as a tag.
pub(super) fn alternate_tag(code: &str, href: &str) -> String {
    format!("<link rel=\"alternate\" hreflang=\"{}\" href=\"{}\">", attribute(code), attribute(href))
}

/// Whether an address is fully qualified: scheme, colon, two slashes.
fn is_absolute(href: &str) -> bool {
    let lower = href.trim().to_ascii_lowercase();
    lower.starts_with("http://") || lower.starts_with("https://")
}

/// Fails on an empty address or one without scheme and host.
fn relative_url(facts: &Facts<'_>) -> Verdict {
    let bad: Vec<&DeclaredAlternate> =
        declared(facts)?.into_iter().filter(|alternate| !is_absolute(&alternate.href)).collect();
    let Some(first) = bad.first() else { return PASS };
    const RELATIVE: Text = text(
        "{count|An hreflang entry has no absolute URL: “{href}”.|{count} hreflang entries have no absolute URL; the first has “{href}”.}",
        "{count|Uma entrada hreflang não tem URL absoluta: “{href}”.|{count} entradas hreflang não têm URL absoluta; a primeira tem “{href}”.}",
    );
    let elements: Option<Vec<(Element<'_>, String)>> = bad
        .iter()
        .map(|alternate| {
            let element = facts.markup()?.element(alternate.node?).filter(|element| element.start_tag().is_some())?;
            let url = alternate.url.as_ref().filter(|_| !alternate.href.is_empty())?.to_string();
            is_absolute(&url).then_some((element, url))
        })
        .collect();
    let fix = match elements {
        Some(elements) => {
            const RESOLVED: Text = text("the declared URLs, made absolute", "as URLs declaradas, tornadas absolutas");
            let tag = |(element, url): &(Element<'_>, String)| {
                alternate_tag(element.attribute("hreflang").unwrap_or_default(), url)
            };
            let snippet = elements.iter().map(tag).collect::<Vec<_>>().join("\n");
            let fix = FixDraft::edit(FixTarget::Head, snippet).from(RESOLVED, &[]);
            elements.iter().fold(fix, |fix, (element, url)| fix.set(*element, "href", url))
        }
        None => FixDraft::template(FixTarget::Head, alternate_tag(&first.lang, "{{ABSOLUTE_URL}}")),
    };
    let values = [("count", bad.len().into()), ("href", first.href.as_str().into())];
    problem(RELATIVE, &values, fix).at(bad.iter().map(|alternate| place(facts, alternate))).fail()
}

/// Whether alternates that are moved into the head make a set there that has nothing wrong: in the body nothing is said of
/// what else is wrong with them.
fn makes_whole_set(facts: &Facts<'_>, stray: &[DeclaredAlternate]) -> Result<bool, NotMeasured> {
    let own = facts.own_url()?;
    let all = || facts.alternates().iter().chain(stray);
    let is_own = |alternate: &&DeclaredAlternate| alternate.url.as_ref().is_some_and(|url| same_page(url, &own));
    let is_default = |alternate: &DeclaredAlternate| alternate.lang.eq_ignore_ascii_case("x-default");
    let codes: BTreeSet<String> = all().map(|alternate| alternate.lang.to_ascii_lowercase()).collect();
    let lang = facts.page()?.document.html().and_then(|root| language_tag::read(root.attribute("lang")?.trim()));
    let fits = |alternate: &DeclaredAlternate| {
        let tag = language_tag::read(&alternate.lang);
        is_default(alternate) || lang.as_ref().is_none_or(|lang| tag.is_some_and(|tag| tag.language == lang.language))
    };
    Ok(stray.iter().all(|alternate| is_accepted(&alternate.lang) && is_absolute(&alternate.href))
        && codes.len() == all().count()
        && all().any(is_default)
        && all().any(|alternate| is_own(&alternate))
        && all().filter(is_own).all(fits))
}

/// Fails when an alternate stands in the body, by its author's own doing.
fn outside_head(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let alternates: Vec<DeclaredAlternate> = hreflang::outside_head(html).collect();
    if alternates.is_empty() {
        declared(facts)?;
        return PASS;
    }
    let stray: Vec<Element<'_>> = alternates.iter().filter_map(|one| html.element(one.node?)).collect();
    const OUTSIDE: Text = text(
        "{count|An hreflang link is|{count} hreflang links are} in the body, where search engines ignore {count|it|them}.",
        "{count|Um link hreflang está|{count} links hreflang estão} no body, onde os buscadores {count|o|os} ignoram.",
    );
    const MOVED: Text =
        text("the page's own links, moved into the head", "os links da própria página, movidos para o head");
    let is_whole = makes_whole_set(facts, &alternates)?;
    let moved: Option<Vec<(Element<'_>, HeadKey, &str)>> = stray
        .iter()
        .map(|link| {
            let (code, href) = (link.attribute("hreflang")?, link.attribute("href").unwrap_or_default());
            Some((*link, HeadKey::Hreflang(format!("{code} {href}")), link.start_tag_source()?))
        })
        .collect();
    let fix = match moved.filter(|_| is_whole) {
        Some(moved) => {
            let tags = moved.iter().map(|(.., tag)| *tag).collect::<Vec<_>>().join("\n");
            let fix = FixDraft::edit(FixTarget::Head, tags).from(MOVED, &[]);
            moved.into_iter().fold(fix, |fix, (link, key, tag)| fix.remove(link).with_head(key, tag))
        }
        None => {
            const MOVE: Text = text(
                "Move these links into the head. Then check that each has a valid code and a full URL, and that the set includes this page and x-default.",
                "Mova estes links para o head. Depois confira se cada um tem código válido e URL completa, e se o conjunto inclui esta página e x-default.",
            );
            FixDraft::instruction(FixTarget::Head, MOVE, &[])
        }
    };
    problem(OUTSIDE, &[("count", stray.len().into())], fix).on(&stray).fail()
}
