//! Language alternates: codes, addresses, and the page itself among them.

use crate::check::prelude::*;
use crate::facts::hreflang::{Alternate, AlternateSource};
use crate::facts::language_tag::{self, Tag};
use crate::facts::url_identity::same_page;
use crate::fix::HeadKey;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "hreflang",
    category: Category::I18n,
    landing: Landing::TO_WRITE,
    checks: &[CODE_INVALID, RELATIVE_URL, NO_SELF],
};

const GOOGLE: &str = "https://developers.google.com/search/docs/specialty/international/localized-versions";

const CODE_INVALID: Check = Check {
    code: "hreflang_code_invalid",
    severity: Severity::Error,
    title: text("hreflang code not valid", "Código hreflang inválido"),
    why: text(
        "An entry with a code that is no language, or a region that does not exist, is dropped: that version is not offered to its readers.",
        "Uma entrada com um código que não é idioma, ou com uma região que não existe, é descartada: aquela versão não é oferecida aos seus leitores.",
    ),
    how: text(
        "Use a two-letter language, optionally a script and a region: `en`, `en-GB`, `zh-Hant`, or `x-default`.",
        "Use um idioma de duas letras e, se preciso, escrita e região: `pt`, `pt-BR`, `zh-Hant`, ou `x-default`.",
    ),
    reference: GOOGLE,
    rule: text("Fails on a code that Google does not take; the value counts as written, with its white space.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: code_invalid,
};

const RELATIVE_URL: Check = Check {
    code: "hreflang_relative_url",
    severity: Severity::Error,
    title: text("hreflang address not absolute", "Endereço hreflang não absoluto"),
    why: text(
        "Alternates must be named by their full address, with scheme and host; others are ignored.",
        "As versões alternativas devem ter o endereço completo, com esquema e host; as outras são ignoradas.",
    ),
    how: text(
        "Write the whole address: `https://example.com/page`.",
        "Escreva o endereço inteiro: `https://example.com/pagina`.",
    ),
    reference: GOOGLE,
    rule: text("Fails on an empty address or one without scheme and host.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: relative_url,
};

const NO_SELF: Check = Check {
    code: "hreflang_no_self",
    severity: Severity::Warn,
    title: text("Page missing from its own hreflang set", "Página ausente do próprio conjunto hreflang"),
    why: text(
        "Each version must list itself along with all others; a set without the page may be ignored.",
        "Cada versão deve listar a si mesma junto com todas as outras; um conjunto sem a página pode ser ignorado.",
    ),
    how: text(
        "Add an entry for this page with its own language.",
        "Adicione uma entrada para esta página com o próprio idioma.",
    ),
    reference: GOOGLE,
    rule: text("Fails when there are alternates and none is the page's own address.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: no_self,
};

/// Alternates of the page itself; those of a sitemap are the sitemap's business.
fn declared<'f>(facts: &'f Facts<'_>) -> Result<Vec<&'f Alternate>, NotMeasured> {
    facts.page()?;
    let all: Vec<&Alternate> =
        facts.alternates().iter().filter(|alternate| alternate.source != AlternateSource::Sitemap).collect();
    if all.is_empty() { Err(NotMeasured::Absent) } else { Ok(all) }
}

fn place(facts: &Facts<'_>, alternate: &Alternate) -> Place {
    let element = alternate.node.and_then(|node| facts.markup()?.element(node));
    element.map_or_else(|| Place { snippet: Some(alternate.href.clone()), ..Place::default() }, Element::place)
}

/// Whether Google accepts a code: `x-default`, or ISO 639-1, optionally with ISO 15924 and ISO 3166-1 alpha-2.
fn is_accepted(code: &str) -> bool {
    code.eq_ignore_ascii_case("x-default") || language_tag::read(code).is_some_and(|tag| is_supported(&tag))
}

fn is_supported(tag: &Tag) -> bool {
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
    let bad: Vec<&Alternate> = declared(facts)?.into_iter().filter(|alternate| !is_accepted(&alternate.lang)).collect();
    let Some(first) = bad.first() else { return PASS };
    const NOT_ACCEPTED: Text = text(
        "{count} hreflang {count|code is|codes are} not valid; the first is “{code}”.",
        "{count} {count|código hreflang é inválido|códigos hreflang são inválidos}; o primeiro é “{code}”.",
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
        None => FixDraft::template(
            FixTarget::Head,
            format!("<link rel=\"alternate\" hreflang=\"{{{{CODE}}}}\" href=\"{}\">", attribute(&first.href)),
        ),
    };
    let values = [("count", bad.len().into()), ("code", first.lang.as_str().into())];
    Ok(Some(problem(NOT_ACCEPTED, &values, fix).at(bad.iter().map(|alternate| place(facts, alternate)))))
}

fn alternate_tag(code: &str, href: &str) -> String {
    format!("<link rel=\"alternate\" hreflang=\"{}\" href=\"{}\">", attribute(code), attribute(href))
}

/// Whether an address is fully qualified: scheme, colon, two slashes.
fn is_absolute(href: &str) -> bool {
    let lower = href.trim().to_ascii_lowercase();
    lower.starts_with("http://") || lower.starts_with("https://")
}

/// Fails on an empty address or one without scheme and host.
fn relative_url(facts: &Facts<'_>) -> Verdict {
    let bad: Vec<&Alternate> = declared(facts)?.into_iter().filter(|alternate| !is_absolute(&alternate.href)).collect();
    let Some(first) = bad.first() else { return PASS };
    const RELATIVE: Text = text(
        "{count} hreflang {count|address is|addresses are} not absolute; the first is “{href}”.",
        "{count} {count|endereço hreflang não é absoluto|endereços hreflang não são absolutos}; o primeiro é “{href}”.",
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
            const RESOLVED: Text = text("the declared addresses, resolved", "os endereços declarados, resolvidos");
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
    Ok(Some(problem(RELATIVE, &values, fix).at(bad.iter().map(|alternate| place(facts, alternate)))))
}

/// Fails when there are alternates and none is the page's own address.
fn no_self(facts: &Facts<'_>) -> Verdict {
    let all = declared(facts)?;
    let own = facts.own_url()?;
    if all.iter().any(|alternate| alternate.url.as_ref().is_some_and(|url| same_page(url, &own))) {
        return PASS;
    }
    const ABSENT: Text = text(
        "{count} {count|alternate is|alternates are} declared, but not this page, {url}.",
        "{count} {count|versão é declarada|versões são declaradas}, mas não esta página, {url}.",
    );
    let html = facts.page()?;
    let lang = html.document.html().and_then(|root| language_tag::read(root.attribute("lang")?.trim()));
    let lang = lang.filter(is_supported).map(|tag| tag.to_string());
    let taken = |lang: &String| all.iter().any(|alternate| alternate.lang.eq_ignore_ascii_case(lang));
    let fix = match lang.filter(|lang| !taken(lang)) {
        Some(lang) => {
            const OWN: Text =
                text("lang of <html> and the page's own address", "lang de <html> e o endereço da própria página");
            let tag = alternate_tag(&lang, own.as_str());
            FixDraft::head(HeadKey::Hreflang(lang.to_ascii_lowercase()), tag).from(OWN, &[])
        }
        None => FixDraft::template(FixTarget::Head, alternate_tag("{{LANG}}", own.as_str())),
    };
    let values = [("count", all.len().into()), ("url", own.as_str().into())];
    Ok(Some(problem(ABSENT, &values, fix).at(all.iter().map(|alternate| place(facts, alternate)))))
}
