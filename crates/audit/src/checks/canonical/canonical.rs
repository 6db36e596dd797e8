//! The canonical URL itself: that there is one, one only, and that it can be used. (RFC 6596)

use url::Url;

use crate::check::prelude::*;
use crate::facts::canonical::{Canonical, CanonicalOrigin, mended};
use crate::facts::elements::LinkElement;
use crate::facts::link_header::HeaderLink;
use crate::facts::url_identity::{names_page, same_page, without_tracking};
use crate::fix::HeadKey;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "canonical",
    category: Category::Canonical,
    landing: Landing {
        title: text("Canonical URL checker", "Verificador de URL canônica"),
        h1: text("Does my page have a valid canonical URL?", "Minha página tem uma URL canônica válida?"),
        description: text(
            "Check rel=canonical: missing, several that contradict each other, empty or unusable addresses, and relative ones.",
            "Verifique o rel=canonical: ausente, várias que se contradizem, endereços vazios ou inutilizáveis, e relativos.",
        ),
        lead: text(
            "The canonical tells search engines which of several addresses of a page to show. This tool reads it from head and header as they do, and writes the tag that names your page.",
            "A canônica diz aos buscadores qual dos vários endereços de uma página mostrar. Esta ferramenta a lê no head e no cabeçalho como eles e escreve a tag que nomeia a sua página.",
        ),
        example: include_str!("canonical/bad_several.html"),
    },
    checks: &[MULTIPLE, INVALID, RELATIVE, MISSING],
};

const MULTIPLE: Check = Check {
    code: "canonical_multiple",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Several canonical URLs", "Várias URLs canônicas"),
    why: text("When they differ, search engines ignore all of them.", "Quando diferem, os buscadores ignoram todas."),
    how: text(
        "Keep the one that names the page and remove the others.",
        "Mantenha a que nomeia a página e remova as outras.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc6596#section-5",
    rule: text(
        "Fails when `link rel=\"canonical\"` elements of the head, or where it has none those of the `Link` header, name two or more different addresses after URL parsing, relative and absolute ones taken alike. Those that are no usable address are not counted, nor are repetitions of one address.",
        "Falha quando elementos `link rel=\"canonical\"` do head, ou na falta deles os do cabeçalho `Link`, indicam dois ou mais endereços diferentes depois de interpretados como URL, relativos e absolutos por igual. Os que não são endereços utilizáveis não contam, nem as repetições de um mesmo endereço.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: multiple,
};

const INVALID: Check = Check {
    code: "canonical_invalid",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Canonical is no address", "A canônica não é um endereço"),
    why: text("An empty or broken address is ignored.", "Um endereço vazio ou quebrado é ignorado."),
    how: text("Write the page's absolute address.", "Escreva o endereço absoluto da página."),
    reference: "https://www.rfc-editor.org/rfc/rfc6596#section-3",
    rule: text(
        "Fails when the `href` of a `link rel=\"canonical\"` in the head, or where it has none the target of one in the `Link` header, is missing, empty, no URL, not http or https, or has a fragment that a script turns into another page (`#!…`, `#/…`). Other fragments pass.",
        "Falha quando o `href` de um `link rel=\"canonical\"` no head, ou na falta deles o destino de um no cabeçalho `Link`, falta, está vazio, não é URL, não é http nem https, ou tem um fragmento que um script transforma em outra página (`#!…`, `#/…`). Outros fragmentos passam.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: invalid,
};

const RELATIVE: Check = Check {
    code: "canonical_relative",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Canonical not absolute", "Canônica não absoluta"),
    why: text(
        "It resolves against wherever the page was fetched from: on a mirror or staging host it names that host.",
        "Ela é resolvida a partir de onde a página foi buscada: em um espelho ou host de teste, nomeia aquele host.",
    ),
    how: text("Write the whole address, with scheme and host.", "Escreva o endereço inteiro, com esquema e host."),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls#rel-canonical-link-method",
    rule: text(
        "Fails when the one canonical, of the head or where it has none of the `Link` header, does not begin with `http://` or `https://`: a path, or an address without a scheme. It is judged as written, whatever it resolves to.",
        "Falha quando a única canônica, do head ou na falta dela do cabeçalho `Link`, não começa com `http://` ou `https://`: um caminho, ou um endereço sem esquema. É julgada como está escrita, seja qual for o resultado.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: relative,
};

const MISSING: Check = Check {
    code: "canonical_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("No canonical URL", "Sem URL canônica"),
    why: text(
        "Pages are reached under several addresses. A canonical says which one to show and to count links for; it is optional.",
        "As páginas são alcançadas por vários endereços. A canônica diz qual mostrar e a qual somar os links; é opcional.",
    ),
    how: text(
        "Add `<link rel=\"canonical\">` with the page's own address.",
        "Adicione `<link rel=\"canonical\">` com o endereço da própria página.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls#rel-canonical-link-method",
    rule: text(
        "Fails when neither the head nor the `Link` header of an indexable page with status 200 names a canonical. One that stands in the body or was lost from a broken head is told by its own check; an empty app shell may still get one from its script.",
        "Falha quando nem o head nem o cabeçalho `Link` de uma página indexável com status 200 indica uma canônica. A que está no body ou se perdeu de um head quebrado tem verificação própria; um aplicativo vazio ainda pode receber uma do script.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: missing,
};

/// The page's own address as a canonical should name it: without fragment, tracking and session parameters.
pub(super) fn own(facts: &Facts<'_>) -> Result<Url, NotMeasured> {
    Ok(without_tracking(facts.url()?))
}

/// The tag of a canonical.
pub(super) fn tag(url: &Url) -> String {
    format!("<link rel=\"canonical\" href=\"{}\">", attribute(url.as_str()))
}

/// The elements of some canonicals.
pub(super) fn elements<'f>(facts: &'f Facts<'_>, links: &[&LinkElement]) -> Vec<Element<'f>> {
    links.iter().filter_map(|link| facts.markup()?.element(link.node)).collect()
}

/// Whether a canonical can name a page.
pub(super) fn is_valid(link: &LinkElement) -> bool {
    link.url.as_ref().is_some_and(names_page)
}

/// Whether an address is written out whole.
fn is_absolute(written: &str) -> bool {
    let lower = written.to_ascii_lowercase();
    lower.starts_with("http://") || lower.starts_with("https://")
}

/// Where a link of the `Link` header is.
fn header_place(link: &HeaderLink) -> Place {
    Place { snippet: Some(format!("Link: {}", link.raw)), ..Place::default() }
}

/// Where a canonical is declared.
pub(super) fn place(facts: &Facts<'_>, canonical: &Canonical<'_>) -> Option<Place> {
    match canonical.origin {
        CanonicalOrigin::Tag(link) => Some(facts.markup()?.element(link.node)?.place()),
        CanonicalOrigin::Header(link) => Some(header_place(link)),
    }
}

/// A fix that rewrites the address of a canonical.
pub(super) fn rewritten(
    facts: &Facts<'_>,
    canonical: &Canonical<'_>,
    url: &Url,
    origin: Text,
) -> Result<FixDraft, NotMeasured> {
    let CanonicalOrigin::Tag(link) = canonical.origin else { return Ok(sent(url)) };
    let html = facts.page()?;
    let fix = FixDraft::edit(FixTarget::Head, tag(url)).from(origin, &[]);
    Ok(html.element(link.node).into_iter().fold(fix, |fix, element| fix.set(element, "href", url.as_str())))
}

/// What the server has to send in place of the canonical of its header.
fn sent(url: &Url) -> FixDraft {
    const SEND: Text = text(
        "Send this in place of the canonical of the header: Link: <{url}>; rel=\"canonical\"",
        "Envie isto no lugar da canônica do cabeçalho: Link: <{url}>; rel=\"canonical\"",
    );
    FixDraft::instruction(FixTarget::Page, SEND, &[("url", url.as_str().into())])
}

fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    if facts.shell().is_some() {
        return Err(NotMeasured::Shell);
    }
    facts.indexable()?;
    let in_body = html.links_rel("canonical").any(|link| !link.in_head);
    let lost = html.has_lost(|element| element.is("link") && element.has_token("rel", "canonical"));
    if !facts.canonical_links()?.is_empty() || facts.canonical_header().is_some() || in_body || lost {
        return PASS;
    }
    const NONE: Text = text("The page names no canonical URL.", "A página não nomeia uma URL canônica.");
    const OWN: Text = text("the final URL of this request", "a URL final desta requisição");
    problem(NONE, &[], FixDraft::head(HeadKey::Canonical, tag(&own(facts)?)).from(OWN, &[])).fail()
}

fn multiple(facts: &Facts<'_>) -> Verdict {
    let links = facts.canonical_links()?;
    if links.is_empty() && facts.header_canonicals().next().is_some() {
        return several_in_header(facts);
    }
    let links: Vec<&LinkElement> = links.into_iter().filter(|link| is_valid(link)).collect();
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
                Some(element) if !is_absolute(link.href.as_deref().unwrap_or_default()) => {
                    fix.set(element, "href", own.as_str())
                }
                _ => fix,
            })
        }
        None => FixDraft::instruction(FixTarget::Head, CHOOSE, &[]),
    };
    problem(RIVALS, &[("count", urls.len().into())], fix).on(elements(facts, &links)).fail()
}

/// The same for a page whose canonicals are all in the header.
fn several_in_header(facts: &Facts<'_>) -> Verdict {
    let links = || facts.header_canonicals().filter(|link| link.url.as_ref().is_some_and(names_page));
    let urls: std::collections::BTreeSet<&Url> = links().filter_map(|link| link.url.as_ref()).collect();
    if urls.len() < 2 {
        facts.whole_page()?;
        return PASS;
    }
    const RIVALS: Text = text(
        "The Link header names {count} different canonical URLs.",
        "O cabeçalho Link nomeia {count} URLs canônicas diferentes.",
    );
    problem(RIVALS, &[("count", urls.len().into())], sent(&own(facts)?)).at(links().map(header_place)).fail()
}

/// The same for a page whose canonicals are all in the header.
fn invalid_in_header(facts: &Facts<'_>) -> Verdict {
    let bad: Vec<&HeaderLink> =
        facts.header_canonicals().filter(|link| !link.url.as_ref().is_some_and(names_page)).collect();
    let Some(first) = bad.first() else {
        return if facts.header_canonicals().next().is_some() { PASS } else { Err(NotMeasured::Absent) };
    };
    let values = [("href", first.target.as_str().into())];
    problem(NO_ADDRESS, &values, sent(&own(facts)?)).at(bad.iter().map(|link| header_place(link))).fail()
}

const NO_ADDRESS: Text =
    text("The canonical “{href}” is no usable address.", "A canônica “{href}” não é um endereço utilizável.");

fn invalid(facts: &Facts<'_>) -> Verdict {
    let links = facts.canonical_links()?;
    if links.is_empty() {
        return invalid_in_header(facts);
    }
    let bad: Vec<&LinkElement> = links.iter().copied().filter(|link| !is_valid(link)).collect();
    let Some(first) = bad.first() else { return PASS };
    const OWN: Text = text("the final URL of this request", "a URL final desta requisição");
    let html = facts.page()?;
    let own = own(facts)?;
    let good = links.iter().any(|link| is_valid(link));
    let mut rivals =
        bad.iter().filter_map(|link| html.element(link.node)).filter(|element| element.start_tag().is_some());
    let fix = FixDraft::edit(FixTarget::Head, tag(&own)).from(OWN, &[]);
    let fix = match rivals.next().filter(|_| !good) {
        Some(element) => rivals.fold(fix.set(element, "href", own.as_str()), FixDraft::remove),
        None => bad.iter().filter_map(|link| html.element(link.node)).fold(fix, FixDraft::remove),
    };
    let href = first.href.clone().unwrap_or_default();
    problem(NO_ADDRESS, &[("href", href.into())], fix).on(elements(facts, &bad)).fail()
}

fn relative(facts: &Facts<'_>) -> Verdict {
    let canonical = facts.single_canonical()?;
    let href = canonical.written();
    if is_absolute(href) {
        return PASS;
    }
    const SHORT: Text = text("The canonical is written as “{href}”.", "A canônica está escrita como “{href}”.");
    const RESOLVED: Text = text("the declared address, resolved", "o endereço declarado, resolvido");
    let fix = rewritten(facts, &canonical, &mended(facts.url()?, canonical.url), RESOLVED)?;
    problem(SHORT, &[("href", href.into())], fix).at(place(facts, &canonical)).fail()
}
