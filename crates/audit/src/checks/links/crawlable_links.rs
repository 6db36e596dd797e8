//! Links that crawlers can follow: whether there are any, and which are only for scripts.

use std::collections::BTreeSet;

use super::link_syntax::is_mistyped;
use crate::check::MAX_PLACES;
use crate::check::prelude::*;
use crate::facts::page::{Html, Reach};
use crate::facts::url_identity::{same_page, same_site};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "crawlable-links",
    category: Category::Links,
    landing: LANDING,
    checks: &[NOT_CRAWLABLE, HASH_ROUTE, NONE_INTERNAL],
};

const LANDING: Landing = Landing {
    title: text("Crawlable links checker", "Verificador de links rastreáveis"),
    h1: text("Can search engines follow the links of your page?", "Os buscadores conseguem seguir os links da página?"),
    description: text(
        "Find links that only scripts can open, pages behind # routes, and pages from which no link leads on to the site.",
        "Encontre links que só scripts abrem, páginas atrás de rotas com # e páginas das quais nenhum link leva ao resto do site.",
    ),
    lead: text(
        "Crawlers go from page to page by the addresses in `href`. What opens by a script alone, or only changes what stands behind `#`, is not found; this tool reads the links of a page as a crawler does.",
        "Os robôs vão de página em página pelos endereços em `href`. O que só um script abre, ou só muda o que vem depois de `#`, não é encontrado; esta ferramenta lê os links de uma página como um robô.",
    ),
    example: include_str!("crawlable_links/bad_script.html"),
};

const NOT_CRAWLABLE: Check = Check {
    code: "link_not_crawlable",
    severity: Severity::Warn,
    title: text("Links that crawlers can't follow", "Links que robôs não seguem"),
    why: text(
        "Crawlers follow addresses in `href`. What only a script opens is not found.",
        "Robôs seguem endereços em `href`. O que só um script abre não é encontrado.",
    ),
    how: text(
        "Use `<a href=\"…\">` with a real address; let the script take over the click.",
        "Use `<a href=\"…\">` com um endereço de verdade; deixe o script assumir o clique.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/links-crawlable#crawlable-links",
    rule: text(
        "Fails when an `a` acts as a link but gives no address: an `href` of `javascript:` with code, or one that is missing, empty or `#` beside `onclick`, `ng-click` or `routerlink`. Anchors without any of these attributes, and those with a `role` other than `link`, pass: they don't pretend to lead anywhere. Not applicable without anchors.",
        "Falha quando um `a` age como link mas não dá um endereço: um `href` de `javascript:` com código, ou ausente, vazio ou `#` ao lado de `onclick`, `ng-click` ou `routerlink`. Âncoras sem nenhum desses atributos, e as com `role` que não seja `link`, passam: não fingem levar a algum lugar. Não se aplica sem âncoras.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Body),
    since: FIRST,
    run: not_crawlable,
};

const HASH_ROUTE: Check = Check {
    code: "link_hash_route",
    severity: Severity::Warn,
    title: text("Pages behind # routes", "Páginas atrás de rotas com #"),
    why: text(
        "Search engines drop what stands behind `#`: all these links are one and the same page to them, and what a script shows for each is not indexed.",
        "Os buscadores descartam o que vem depois de `#`: para eles todos esses links são a mesma página, e o que um script mostra em cada um não é indexado.",
    ),
    how: text(
        "Give each view an address with a path of its own, by the History API, and let the server answer it.",
        "Dê a cada tela um endereço com caminho próprio, pela History API, e faça o servidor responder a ele.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics#use-history-api",
    rule: text(
        "Fails when three or more different links lead to this very page with a fragment that begins with `/` or `!`, as script routers write them. Other fragments are places in the page. Not applicable without links.",
        "Falha quando três ou mais links diferentes levam a esta mesma página com um fragmento que começa com `/` ou `!`, como escrevem os roteadores de scripts. Outros fragmentos são lugares da página. Não se aplica sem links.",
    ),
    thresholds: &[threshold("routes", TOO_MANY_ROUTES as u64, "links")],
    remedy: remedy(FixClass::Instruction, FixTarget::Body),
    since: WHOLE,
    run: hash_route,
};

const NONE_INTERNAL: Check = Check {
    code: "links_internal_none",
    severity: Severity::Warn,
    title: text("No link to the rest of the site", "Nenhum link para o resto do site"),
    why: text(
        "The page is a dead end: crawlers that come here find nothing else of the site, and the page passes nothing on.",
        "A página é um beco sem saída: os robôs que chegam não encontram mais nada do site, e ela não passa nada adiante.",
    ),
    how: text(
        "Link to the home page and to related pages with `<a href=\"…\">`.",
        "Aponte para a página inicial e páginas relacionadas com `<a href=\"…\">`.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/links-crawlable#internal-links",
    rule: text(
        "Fails when no `a[href]` or `area[href]` leads to another http(s) page of the page's registrable domain; subdomains count, links to the page itself and mistyped ones (`link_href_invalid`) don't. A home page with links to places within it passes, as a site of one page. Not measured when the document was cut, is an empty app shell, or asks not to be indexed.",
        "Falha quando nenhum `a[href]` ou `area[href]` leva a outra página http(s) do domínio registrável da página; subdomínios contam, links para a própria página e digitados errado (`link_href_invalid`) não. Uma página inicial com links para lugares dela mesma passa, como site de uma página só. Não é medido quando o documento foi cortado, é a casca vazia de um aplicativo ou pede para não ser indexado.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Body),
    since: WHOLE,
    run: none_internal,
};

/// Links to routes from which on a script routes by the fragment (catalog).
const TOO_MANY_ROUTES: usize = 3;

fn not_crawlable(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let mut any = false;
    let mut found = Vec::new();
    for link in html.elements(&html.addressed).filter(|element| element.is("a")) {
        any = true;
        if link
            .attribute("role")
            .is_some_and(|role| !role.trim().is_empty() && !role.trim().eq_ignore_ascii_case("link"))
        {
            continue;
        }
        let href = link.attribute("href").map(str::trim);
        let script =
            href.is_some_and(|href| href.get(..11).is_some_and(|start| start.eq_ignore_ascii_case("javascript:")));
        let void = href.is_none_or(|href| href.is_empty() || href == "#");
        let handler = link.has("onclick") || link.has("ng-click") || link.has("routerlink");
        let empty_script = href.is_some_and(|href| {
            matches!(href.to_ascii_lowercase().as_str(), "javascript:" | "javascript:;") && !handler
        });
        if (script && !empty_script) || void && handler {
            found.push(link);
        }
    }
    if !any {
        return Err(NotMeasured::Absent);
    }
    let Some(first) = found.first() else { return PASS };
    const SCRIPTED: Text = text(
        "{count} {count|link gives|links give} no address that a crawler can follow; the first reads “{text}”.",
        "{count} {count|link não dá|links não dão} um endereço que um robô possa seguir; o primeiro diz “{text}”.",
    );
    const NOW: Text = text("now: {tag}", "agora: {tag}");
    let shown = first.text();
    let fix = FixDraft::template(FixTarget::Body, format!("<a href=\"{{{{URL}}}}\">{}</a>", html_text(&shown)))
        .from(NOW, &[("tag", first.start_tag_source().unwrap_or_default().into())]);
    let values = [("count", found.len().into()), ("text", shown.into())];
    Ok(Some(problem(SCRIPTED, &values, fix).at(found.iter().map(|link| link.place()))))
}

fn hash_route(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    if html.anchors.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let is_route = |url: &url::Url| url.fragment().is_some_and(|fragment| fragment.starts_with(['/', '!']));
    let mut routes: BTreeSet<&str> = BTreeSet::new();
    let mut found = Vec::new();
    for anchor in html.anchors.iter().filter(|anchor| anchor.reach == Reach::Internal) {
        let Some(url) = anchor.url.as_ref().filter(|url| is_route(url) && same_page(url, &html.url)) else { continue };
        if routes.insert(url.fragment().unwrap_or_default()) {
            found.push(anchor.node);
        }
    }
    if routes.len() < TOO_MANY_ROUTES {
        return PASS;
    }
    const ROUTES: Text = text(
        "{count} links lead to other views of this page by their fragment alone, such as #{route}.",
        "{count} links levam a outras telas desta página só pelo fragmento, como #{route}.",
    );
    let values = [("count", routes.len().into()), ("route", routes.first().copied().unwrap_or_default().into())];
    let fix = FixDraft::instruction(FixTarget::Body, HASH_ROUTE.how, &[]);
    let places = found.into_iter().take(MAX_PLACES).filter_map(|id| html.element(id)).map(Element::place);
    Ok(Some(problem(ROUTES, &values, fix).at(places)))
}

/// Whether an address is another page of the site.
fn is_way_on(html: &Html, url: &url::Url) -> bool {
    matches!(url.scheme(), "http" | "https")
        && (url.host_str() == html.url.host_str() || same_site(url, &html.url))
        && !same_page(url, &html.url)
}

fn none_internal(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    facts.filled_page()?;
    facts.indexable()?;
    let areas = || html.elements(&html.addressed).filter(|one| one.is("area") || one.is("frame"));
    let area_urls = || areas().filter_map(|area| html.resolve(area.attribute("href").or(area.attribute("src"))?));
    let leads_on = html.anchors.iter().any(|anchor| {
        let is_sound = || html.element(anchor.node).is_some_and(|link| !is_mistyped(link, html));
        anchor.url.as_ref().is_some_and(|url| is_way_on(html, url)) && is_sound()
    });
    if leads_on || area_urls().any(|url| is_way_on(html, &url)) {
        return PASS;
    }
    let is_home = matches!(html.url.path(), "/" | "") && html.url.query().is_none();
    let is_within = |url: &url::Url| url.fragment().is_some_and(|f| !f.is_empty()) && same_page(url, &html.url);
    if is_home && html.anchors.iter().filter_map(|anchor| anchor.url.as_ref()).any(is_within) {
        return PASS;
    }
    const DEAD_END: Text = text(
        "None of {count} {count|link|links} leads to another page of this site.",
        "Nenhum de {count} {count|link|links} leva a outra página deste site.",
    );
    const NO_LINKS: Text = text("The page has no links.", "A página não tem links.");
    let count = html.anchors.len();
    let message = if count == 0 { NO_LINKS } else { DEAD_END };
    fail(message, &[("count", count.into())], FixDraft::instruction(FixTarget::Body, NONE_INTERNAL.how, &[]))
}
