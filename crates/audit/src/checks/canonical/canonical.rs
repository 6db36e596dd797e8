//! Canonical URL: missing, several, invalid, relative, or naming another page. (RFC 6596)

use url::Url;

use crate::check::MAX_PLACES;
use crate::check::prelude::*;
use crate::facts::lost_head;
use crate::facts::page::LinkElement;
use crate::facts::url_identity::{names_page, same_page, without_tracking};
use crate::fix::HeadKey;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "canonical",
    category: Category::Canonical,
    landing: Landing::TO_WRITE,
    checks: &[MULTIPLE, HEADER_MISMATCH, INVALID, RELATIVE, OTHER_PAGE, CROSS_ORIGIN, MISSING],
};

const GOOGLE: &str = "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls";
const RFC: &str = "https://www.rfc-editor.org/rfc/rfc6596";

const MISSING: Check = Check {
    code: "canonical_missing",
    severity: Severity::Info,
    title: text("No canonical URL", "Sem URL canônica"),
    why: text(
        "Pages are reached under several addresses. A canonical says which one to show and to count links for; it is optional.",
        "As páginas são alcançadas por vários endereços. A canônica diz qual mostrar e a qual somar os links; é opcional.",
    ),
    how: text(
        "Add `<link rel=\"canonical\">` with the page's own address.",
        "Adicione `<link rel=\"canonical\">` com o endereço da própria página.",
    ),
    reference: GOOGLE,
    rule: text("Fails when neither head nor header names one, on a page that may be indexed.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: missing,
};

const MULTIPLE: Check = Check {
    code: "canonical_multiple",
    severity: Severity::Error,
    title: text("Several canonical URLs", "Várias URLs canônicas"),
    why: text("When they differ, search engines ignore all of them.", "Quando diferem, os buscadores ignoram todas."),
    how: text(
        "Keep the one that names the page and remove the others.",
        "Mantenha a que nomeia a página e remova as outras.",
    ),
    reference: RFC,
    rule: text("Fails on two or more different canonicals in the head.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: multiple,
};

const HEADER_MISMATCH: Check = Check {
    code: "canonical_header_mismatch",
    severity: Severity::Error,
    title: text("Header and page name different canonicals", "Cabeçalho e página nomeiam canônicas diferentes"),
    why: text(
        "Two answers to one question: search engines may ignore both.",
        "Duas respostas para uma pergunta: os buscadores podem ignorar ambas.",
    ),
    how: text(
        "Send the same address in both places, or in one only.",
        "Envie o mesmo endereço nos dois lugares, ou em um só.",
    ),
    reference: GOOGLE,
    rule: text("Fails when header and head name different ones.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: header_mismatch,
};

const INVALID: Check = Check {
    code: "canonical_invalid",
    severity: Severity::Error,
    title: text("Canonical is no address", "A canônica não é um endereço"),
    why: text("An empty or broken address is ignored.", "Um endereço vazio ou quebrado é ignorado."),
    how: text("Write the page's absolute address.", "Escreva o endereço absoluto da página."),
    reference: RFC,
    rule: text("Fails when an `href` is empty, unreadable, not http(s), or has a fragment that changes the page.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: invalid,
};

const RELATIVE: Check = Check {
    code: "canonical_relative",
    severity: Severity::Warn,
    title: text("Canonical not absolute", "Canônica não absoluta"),
    why: text(
        "It resolves against wherever the page was fetched from: on a mirror or staging host it names that host.",
        "Ela é resolvida a partir de onde a página foi buscada: em um espelho ou host de teste, nomeia aquele host.",
    ),
    how: text("Write the whole address, with scheme and host.", "Escreva o endereço inteiro, com esquema e host."),
    reference: GOOGLE,
    rule: text("Fails when the one canonical is not written out whole.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: relative,
};

const OTHER_PAGE: Check = Check {
    code: "canonical_other_page",
    severity: Severity::Warn,
    title: text("Canonical names another page", "A canônica nomeia outra página"),
    why: text(
        "The page declares itself a duplicate: search shows the other one in its place.",
        "A página se declara uma duplicata: a busca mostra a outra no lugar.",
    ),
    how: text(
        "If this page should be found, let the canonical name it.",
        "Se esta página deve ser encontrada, faça a canônica nomeá-la.",
    ),
    reference: GOOGLE,
    rule: text(
        "Fails when it names a page of the same site other than this one; tracking and session parameters don't count.",
        "",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: FIRST,
    run: other_page,
};

const CROSS_ORIGIN: Check = Check {
    code: "canonical_cross_origin",
    severity: Severity::Warn,
    title: text("Canonical names another site", "A canônica nomeia outro site"),
    why: text(
        "The page gives itself up in favour of another site. That is right for syndicated copies only.",
        "A página abre mão de si em favor de outro site. Isso só é certo para cópias republicadas.",
    ),
    how: text(
        "If this site is the original, let the canonical name this page.",
        "Se este site é o original, faça a canônica nomear esta página.",
    ),
    reference: GOOGLE,
    rule: text("Fails when it names a page under another registrable domain.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: FIRST,
    run: cross_origin,
};

/// The page's own address as a canonical should name it: without fragment and tracking parameters.
fn own(facts: &Facts<'_>) -> Result<Url, NotMeasured> {
    Ok(without_tracking(facts.url()?))
}

fn tag(url: &Url) -> String {
    format!("<link rel=\"canonical\" href=\"{}\">", attribute(url.as_str()))
}

fn places(facts: &Facts<'_>, links: &[&LinkElement]) -> Vec<Place> {
    links.iter().take(MAX_PLACES).filter_map(|link| facts.markup()?.element(link.node)).map(Element::place).collect()
}

fn is_valid(link: &LinkElement) -> bool {
    link.url.as_ref().is_some_and(names_page)
}

/// Whether the address is written out whole.
fn is_absolute(link: &LinkElement) -> bool {
    let lower = link.href.as_deref().unwrap_or_default().to_ascii_lowercase();
    lower.starts_with("http://") || lower.starts_with("https://")
}

/// The canonical of the head when there is one valid and no rival: what the checks of its target look at.
fn single<'f>(facts: &'f Facts<'_>) -> Result<(&'f LinkElement, &'f Url), NotMeasured> {
    let links = facts.canonical_links()?;
    let mut valid = links.into_iter().filter(|link| is_valid(link)).filter_map(|link| Some((link, link.url.as_ref()?)));
    let first = valid.next().ok_or(NotMeasured::Absent)?;
    if valid.any(|(_, url)| url != first.1) { Err(NotMeasured::Absent) } else { Ok(first) }
}

/// Fails when neither head nor header names one, on a page that may be indexed.
fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    if facts.shell().is_some() {
        return Err(NotMeasured::Shell);
    }
    facts.indexable()?;
    let in_body = html.links_rel("canonical").any(|link| !link.in_head);
    let lost = lost_head::lost(html, |element| element.is("link") && element.has_token("rel", "canonical"));
    if !facts.canonical_links()?.is_empty() || facts.canonical_header().is_some() || in_body || lost {
        return PASS;
    }
    const NONE: Text = text("The page names no canonical URL.", "A página não nomeia uma URL canônica.");
    const OWN: Text = text("the final URL of this request", "a URL final desta requisição");
    fail(NONE, &[], FixDraft::head(HeadKey::Canonical, tag(&own(facts)?)).from(OWN, &[]))
}

/// Fails on two or more different canonicals in the head.
fn multiple(facts: &Facts<'_>) -> Verdict {
    let links: Vec<&LinkElement> = facts.canonical_links()?.into_iter().filter(|link| is_valid(link)).collect();
    if links.is_empty() {
        facts.whole_page()?;
        return Err(NotMeasured::Absent);
    }
    let mut urls: Vec<&Url> = links.iter().filter_map(|link| link.url.as_ref()).collect();
    urls.sort();
    urls.dedup();
    if urls.len() < 2 {
        facts.whole_page()?;
        return PASS;
    }
    const RIVALS: Text = text(
        "The head names {count} different canonical URLs.",
        "O cabeçalho nomeia {count} URLs canônicas diferentes.",
    );
    const CHOOSE: Text = text(
        "None of them is this page: decide which address is meant and keep that one.",
        "Nenhuma delas é esta página: decida qual endereço vale e mantenha só ele.",
    );
    const KEEP: Text = text("Keeps the one that names this page.", "Mantém a que nomeia esta página.");
    let html = facts.page()?;
    let own = own(facts)?;
    let keep = links.iter().position(|link| link.url.as_ref().is_some_and(|url| same_page(url, &own)));
    let fix = match keep {
        Some(keep) => {
            let fix = FixDraft::edit(FixTarget::Head, tag(&own)).note(KEEP, &[]);
            links.iter().enumerate().fold(fix, |fix, (at, link)| match html.element(link.node) {
                Some(rival) if at != keep => fix.remove(rival),
                // Without rivals it is looked at closer.
                Some(kept) if !is_absolute(link) => fix.set(kept, "href", own.as_str()),
                _ => fix,
            })
        }
        None => FixDraft::instruction(FixTarget::Head, CHOOSE, &[]),
    };
    Ok(Some(problem(RIVALS, &[("count", urls.len().into())], fix).at(places(facts, &links))))
}

/// Fails when header and head name different ones.
fn header_mismatch(facts: &Facts<'_>) -> Verdict {
    facts.measured_response()?;
    let Some((header, raw)) = facts.canonical_header() else { return Err(NotMeasured::Absent) };
    let (link, url) = single(facts)?;
    if url.as_str() == header {
        return PASS;
    }
    const DIFFER: Text =
        text("The Link header names {header}, the page {page}.", "O cabeçalho Link nomeia {header}, a página {page}.");
    const SAME: Text = text(
        "Send `<{page}>; rel=\"canonical\"` in the header too, or drop it there.",
        "Envie `<{page}>; rel=\"canonical\"` também no cabeçalho, ou remova-o de lá.",
    );
    let fix = FixDraft::instruction(FixTarget::Page, SAME, &[("page", url.as_str().into())]);
    let header_place = Place { snippet: Some(format!("Link: {raw}")), ..Place::default() };
    let values = [("header", header.as_str().into()), ("page", url.as_str().into())];
    Ok(Some(problem(DIFFER, &values, fix).at(places(facts, &[link])).at([header_place])))
}

/// Fails when an `href` is empty, unreadable, not http(s), or has a fragment that changes the page.
fn invalid(facts: &Facts<'_>) -> Verdict {
    let links = facts.canonical_links()?;
    if links.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let bad: Vec<&LinkElement> = links.iter().copied().filter(|link| !is_valid(link)).collect();
    let Some(first) = bad.first() else { return PASS };
    const NO_ADDRESS: Text =
        text("The canonical “{href}” is no usable address.", "A canônica “{href}” não é um endereço utilizável.");
    const OWN: Text = text("the final URL of this request", "a URL final desta requisição");
    let html = facts.page()?;
    let own = own(facts)?;
    let good = links.iter().any(|link| is_valid(link));
    let mut elements =
        bad.iter().filter_map(|link| html.element(link.node)).filter(|element| element.start_tag().is_some());
    let fix = FixDraft::edit(FixTarget::Head, tag(&own)).from(OWN, &[]);
    let fix = match elements.next().filter(|_| !good) {
        Some(element) => elements.fold(fix.set(element, "href", own.as_str()), FixDraft::remove),
        None => bad.iter().filter_map(|link| html.element(link.node)).fold(fix, FixDraft::remove),
    };
    let href = first.href.clone().unwrap_or_default();
    Ok(Some(problem(NO_ADDRESS, &[("href", href.into())], fix).at(places(facts, &bad))))
}

/// Fails when the one canonical is not written out whole.
fn relative(facts: &Facts<'_>) -> Verdict {
    let (link, url) = single(facts)?;
    if is_absolute(link) {
        return PASS;
    }
    let href = link.href.clone().unwrap_or_default();
    const SHORT: Text = text("The canonical is written as “{href}”.", "A canônica está escrita como “{href}”.");
    const RESOLVED: Text = text("the declared address, resolved", "o endereço declarado, resolvido");
    let html = facts.page()?;
    let fix = FixDraft::edit(FixTarget::Head, tag(url)).from(RESOLVED, &[]);
    let fix = html.element(link.node).into_iter().fold(fix, |fix, element| fix.set(element, "href", url.as_str()));
    Ok(Some(problem(SHORT, &[("href", href.into())], fix).at(places(facts, &[link]))))
}

fn registrable(url: &Url) -> Option<&str> {
    let host = url.host_str()?;
    Some(psl::domain_str(host).unwrap_or(host))
}

/// Fails when it names a page of the same site other than this one; tracking and session parameters don't count.
fn other_page(facts: &Facts<'_>) -> Verdict {
    let (link, url) = single(facts)?;
    let page = facts.url()?;
    if registrable(url) != registrable(page) {
        return Err(NotMeasured::Absent);
    }
    if same_page(&without_tracking(url), &own(facts)?) {
        return PASS;
    }
    differs(
        facts,
        link,
        url,
        text(
            "The canonical names {canonical}, not this page, {page}.",
            "A canônica nomeia {canonical}, não esta página, {page}.",
        ),
    )
}

/// Fails when it names a page under another registrable domain.
fn cross_origin(facts: &Facts<'_>) -> Verdict {
    let (link, url) = single(facts)?;
    if registrable(url) == registrable(facts.url()?) {
        return PASS;
    }
    differs(
        facts,
        link,
        url,
        text("The canonical names another site, {canonical}.", "A canônica nomeia outro site, {canonical}."),
    )
}

fn differs(facts: &Facts<'_>, link: &LinkElement, url: &Url, message: Text) -> Verdict {
    const DECIDE: Text = text(
        "If {page} should be found itself, name it; if it is a copy of {canonical}, leave the canonical as it is.",
        "Se {page} deve ser encontrada, nomeie-a; se é uma cópia de {canonical}, deixe a canônica como está.",
    );
    let values = [("canonical", url.as_str().into()), ("page", facts.url()?.as_str().into())];
    let fix = FixDraft::instruction(FixTarget::Head, DECIDE, &values);
    Ok(Some(problem(message, &values, fix).at(places(facts, &[link]))))
}
