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
            "Check the rel=canonical of a page: missing, several that contradict each other, invalid URLs, and relative URLs.",
            "Verifique o rel=canonical de uma página: ausente, vários que se contradizem, URLs inválidas e URLs relativas.",
        ),
        lead: text(
            "The canonical tells search engines which of several URLs of a page to show. This tool reads it from the head and the Link header as they do, and writes the right tag for your page.",
            "A canônica diz aos buscadores qual das várias URLs de uma página mostrar. Esta ferramenta a lê no head e no cabeçalho Link como eles e escreve a tag certa para a sua página.",
        ),
        example: include_str!("canonical/bad_several.html"),
    },
    checks: &[MULTIPLE, INVALID, RELATIVE, MISSING],
};

const MULTIPLE: Check = Check {
    code: "canonical_multiple",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Conflicting canonical URLs", "URLs canônicas em conflito"),
    why: text(
        "Search engines ignore all canonicals of a page when they differ.",
        "Os buscadores ignoram todas as canônicas de uma página quando elas diferem.",
    ),
    how: text(
        "Keep the canonical that points to this page and remove the others.",
        "Mantenha a canônica que aponta para esta página e remova as outras.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc6596#section-5",
    rule: text(
        "Fails when the `link rel=\"canonical\"` elements of the head point to two or more different URLs. If the head has none, the `Link` header is judged the same way. URLs are compared after resolution, so relative and absolute forms count alike. Invalid URLs and repetitions of one URL are not counted.",
        "Falha quando os elementos `link rel=\"canonical\"` do head apontam para duas ou mais URLs diferentes. Se o head não tem nenhum, o cabeçalho `Link` é avaliado da mesma forma. As URLs são comparadas depois de resolvidas; formas relativas e absolutas contam por igual. URLs inválidas e repetições de uma mesma URL não contam.",
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
    title: text("Invalid canonical URL", "URL canônica inválida"),
    why: text(
        "Search engines ignore a canonical with an empty or invalid URL.",
        "Os buscadores ignoram uma canônica com URL vazia ou inválida.",
    ),
    how: text("Write the absolute URL of the page.", "Escreva a URL absoluta da página."),
    reference: "https://www.rfc-editor.org/rfc/rfc6596#section-3",
    rule: text(
        "Fails when the `href` of a `link rel=\"canonical\"` in the head is missing, empty, not a valid http(s) URL, or has a fragment that a script turns into another page (`#!…`, `#/…`). Other fragments pass. If the head has no canonical, the `Link` header is judged the same way.",
        "Falha quando o `href` de um `link rel=\"canonical\"` no head falta, está vazio, não é uma URL http(s) válida ou tem um fragmento que um script transforma em outra página (`#!…`, `#/…`). Outros fragmentos passam. Se o head não tem canônica, o cabeçalho `Link` é avaliado da mesma forma.",
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
    title: text("Relative canonical URL", "URL canônica relativa"),
    why: text(
        "A relative canonical depends on the host that serves the page. On a mirror or staging host it points to that host.",
        "Uma canônica relativa depende do host que serve a página. Em um espelho ou ambiente de teste, ela aponta para aquele host.",
    ),
    how: text("Write the absolute URL, with scheme and host.", "Escreva a URL absoluta, com esquema e host."),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls#rel-canonical-link-method",
    rule: text(
        "Fails when the page's single canonical does not begin with `http://` or `https://`: a path, or a URL without a scheme. It is judged as written, whatever it resolves to. The canonical is taken from the head, or from the `Link` header if the head has none.",
        "Falha quando a única canônica da página não começa com `http://` ou `https://`: um caminho, ou uma URL sem esquema. Ela é avaliada como está escrita, seja qual for o resultado. A canônica é lida do head, ou do cabeçalho `Link` se o head não tem nenhuma.",
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
        "Most pages can be reached at several URLs. A canonical says which one to show and to credit links to. It is optional.",
        "A maioria das páginas pode ser acessada por várias URLs. A canônica diz qual mostrar e a qual atribuir os links. Ela é opcional.",
    ),
    how: text(
        "Add `<link rel=\"canonical\">` with the page's own URL.",
        "Adicione `<link rel=\"canonical\">` com a URL da própria página.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls#rel-canonical-link-method",
    rule: text(
        "Fails when neither the head nor the `Link` header of an indexable page with status 200 has a canonical. A canonical in the body, or one lost from a broken head, has its own check. Not measured on an empty app shell, where a script may add one.",
        "Falha quando nem o head nem o cabeçalho `Link` de uma página indexável com status 200 tem uma canônica. Uma canônica no body, ou perdida de um head quebrado, tem verificação própria. Não é medido na casca vazia de um aplicativo, em que um script pode adicionar uma.",
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
        "Send this header in place of the current one: Link: <{url}>; rel=\"canonical\"",
        "Envie este cabeçalho no lugar do atual: Link: <{url}>; rel=\"canonical\"",
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
    const NONE: Text = text("The page has no canonical URL.", "A página não tem URL canônica.");
    const OWN: Text = text("the final URL of this page", "a URL final desta página");
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
        "The head has canonical tags for {count} different URLs.",
        "O head tem tags canonical para {count} URLs diferentes.",
    );
    const CHOOSE: Text = text(
        "None of the canonicals points to this page. Decide which URL is right and keep only that one.",
        "Nenhuma das canônicas aponta para esta página. Decida qual URL está certa e mantenha só ela.",
    );
    const KEEP: Text = text(
        "Keeps the canonical that points to this page and removes the others.",
        "Mantém a canônica que aponta para esta página e remove as outras.",
    );
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
        "The Link header points to {count} different canonical URLs.",
        "O cabeçalho Link aponta para {count} URLs canônicas diferentes.",
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
    text("The canonical “{href}” is not a usable URL.", "A canônica “{href}” não é uma URL utilizável.");

fn invalid(facts: &Facts<'_>) -> Verdict {
    let links = facts.canonical_links()?;
    if links.is_empty() {
        return invalid_in_header(facts);
    }
    let bad: Vec<&LinkElement> = links.iter().copied().filter(|link| !is_valid(link)).collect();
    let Some(first) = bad.first() else { return PASS };
    const OWN: Text = text("the final URL of this page", "a URL final desta página");
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
    const SHORT: Text =
        text("The canonical “{href}” is not an absolute URL.", "A canônica “{href}” não é uma URL absoluta.");
    const RESOLVED: Text = text("the declared URL, made absolute", "a URL declarada, na forma absoluta");
    let fix = rewritten(facts, &canonical, &mended(facts.url()?, canonical.url), RESOLVED)?;
    problem(SHORT, &[("href", href.into())], fix).at(place(facts, &canonical)).fail()
}
