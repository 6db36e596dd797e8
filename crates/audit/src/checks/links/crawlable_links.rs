//! Links that crawlers can follow: whether there are any, and which are only for scripts.

use std::collections::BTreeSet;

use super::link_syntax::is_mistyped;
use crate::check::prelude::*;
use crate::facts::by_design::is_consent_control;
use crate::facts::document::collapse;
use crate::facts::elements::Reach;
use crate::facts::page::Html;
use crate::facts::page_controls::is_control;
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
    h1: text("Can search engines follow the links on your page?", "Os buscadores conseguem seguir os links da página?"),
    description: text(
        "Find links that only scripts can open, pages behind # routes, and pages with no link to the rest of the site.",
        "Encontre links que só scripts abrem, páginas em rotas com # e páginas sem nenhum link para o resto do site.",
    ),
    lead: text(
        "Crawlers go from page to page by the URLs in `href`. They can't find pages that only a script opens, or that differ only after `#`. This tool reads the links on a page as a crawler does.",
        "Os robôs vão de página em página pelas URLs em `href`. Não encontram páginas que só um script abre nem as que só mudam depois de `#`. Esta ferramenta lê os links de uma página como um robô.",
    ),
    example: include_str!("crawlable_links/bad_script.html"),
};

const NOT_CRAWLABLE: Check = Check {
    code: "link_not_crawlable",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Links that crawlers can't follow", "Links que os robôs não conseguem seguir"),
    why: text(
        "Crawlers follow URLs in `href`. They don't find pages that only a script opens.",
        "Os robôs seguem URLs em `href`. Não encontram páginas que só um script abre.",
    ),
    how: text(
        "Use `<a href=\"…\">` with a real URL and let the script handle the click. If the link leads to no page, use a `<button>`.",
        "Use `<a href=\"…\">` com uma URL de verdade e deixe o script tratar o clique. Se o link não leva a uma página, use um `<button>`.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/links-crawlable#crawlable-links",
    rule: text(
        "Fails when an `a` acts as a link but has no URL to follow: its `href` is `javascript:`, with code or with nothing to do (such as `javascript:void(0)`), or its `href` is missing, empty or `#` and it has `onclick`, `ng-click` or `routerlink`. Code that only tracks the click, prints, closes or goes back (`ga(…)`, `print()`) doesn't count, nor does an `onclick` that only returns. The check skips page controls: links with a `role` other than `link`; links with `aria-expanded`, `aria-controls` and the like; links with nothing but `data-*` attributes for a script; links directly before the list they open; links of a consent tool in `by_design.tsv`; and links whose name, class, id or function is in `control_words.tsv` (consent, share, log out, print, menu, close). A note when less than 5% of the anchors are affected. Not applicable without anchors.",
        "Falha quando um `a` age como link mas não tem uma URL a seguir: seu `href` é `javascript:`, com código ou sem nada a fazer (como `javascript:void(0)`), ou seu `href` falta, está vazio ou é `#` e ele tem `onclick`, `ng-click` ou `routerlink`. Código que só registra o clique, imprime, fecha ou volta (`ga(…)`, `print()`) não conta, nem um `onclick` que só retorna. A verificação ignora controles da página: links com `role` que não seja `link`; links com `aria-expanded`, `aria-controls` e semelhantes; links só com atributos `data-*` para um script; links logo antes da lista que abrem; links de uma ferramenta de consentimento em `by_design.tsv`; e links cujo nome, classe, id ou função está em `control_words.tsv` (consentimento, compartilhar, sair, imprimir, menu, fechar). É uma observação quando menos de 5% das âncoras são afetadas. Não se aplica sem âncoras.",
    ),
    thresholds: &[threshold("note_below", NOTE_BELOW as u64, "percent")],
    remedy: remedy(FixClass::Template, FixTarget::Body),
    since: FIRST,
    run: not_crawlable,
};

const HASH_ROUTE: Check = Check {
    code: "link_hash_route",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Pages behind # routes", "Páginas em rotas com #"),
    why: text(
        "Search engines ignore the part after `#`. To them all these links are the same page, so they don't index the views that a script shows.",
        "Os buscadores ignoram a parte depois de `#`. Para eles, todos esses links são a mesma página, e as telas que um script mostra não são indexadas.",
    ),
    how: text(
        "Give each view its own URL path with the History API, and make the server answer it.",
        "Dê a cada tela um caminho de URL próprio com a History API e faça o servidor responder a ele.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics#use-history-api",
    rule: text(
        "Fails when three or more different links lead to this same page with a fragment that begins with `/` or `!`, as script routers write them. Other fragments are places in the page and don't count. Not applicable without links.",
        "Falha quando três ou mais links diferentes levam a esta mesma página com um fragmento que começa com `/` ou `!`, como escrevem os roteadores de scripts. Outros fragmentos são lugares da página e não contam. Não se aplica sem links.",
    ),
    thresholds: &[threshold("routes", TOO_MANY_ROUTES as u64, "links")],
    remedy: remedy(FixClass::Instruction, FixTarget::Body),
    since: WHOLE,
    run: hash_route,
};

const NONE_INTERNAL: Check = Check {
    code: "links_internal_none",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("No link to the rest of the site", "Nenhum link para o resto do site"),
    why: text(
        "Crawlers find no other pages of the site from here, and visitors have no link to go on.",
        "A partir daqui, os robôs não encontram outras páginas do site, e o visitante não tem um link para continuar.",
    ),
    how: text(
        "Link to the home page and to related pages with `<a href=\"…\">`.",
        "Adicione links para a página inicial e para páginas relacionadas com `<a href=\"…\">`.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/links-crawlable#internal-links",
    rule: text(
        "Fails when no `a[href]`, `area[href]` or `frame` leads to another http(s) page of the page's registrable domain. Subdomains count. Links to the page itself and invalid links (`link_href_invalid`) don't count. A home page with links to places within it passes, as a one-page site. Not measured when the document was cut, is an empty app shell, or is set to noindex.",
        "Falha quando nenhum `a[href]`, `area[href]` ou `frame` leva a outra página http(s) do domínio registrável da página. Subdomínios contam. Links para a própria página e links com URL inválida (`link_href_invalid`) não contam. Uma página inicial com links para lugares dela mesma passa, como site de uma página só. Não é medido quando o documento foi cortado, é a casca vazia de um aplicativo ou tem noindex.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Body),
    since: WHOLE,
    run: none_internal,
};

/// Percent of a page's anchors below which those for scripts are a note: crawlers find the site by the others.
const NOTE_BELOW: usize = 5;
/// Links to routes from which on a script routes by the fragment.
const TOO_MANY_ROUTES: usize = 3;

/// How an address that is code begins.
const SCRIPT: &str = "javascript:";
/// Calls that open no page: those that count a click (analytics.js, gtag.js, Tag Manager, Matomo, Meta Pixel), and those of
/// the browser itself.
const IDLE_CALLS: [&str; 12] = [
    "ga(",
    "gtag(",
    "_gaq.push(",
    "dataLayer.push(",
    "_paq.push(",
    "fbq(",
    "__gaTracker(",
    "trackEvent(",
    "print(",
    "close(",
    "history.back(",
    "history.go(-",
];

/// A statement without `return` and `window.` in front of it.
fn bare(statement: &str) -> &str {
    let statement = statement.trim();
    let statement = statement.strip_prefix("return ").unwrap_or(statement).trim_start();
    statement.trim_start_matches("window.")
}

/// Whether a statement does nothing at all.
fn does_nothing(statement: &str) -> bool {
    let statement = bare(statement);
    let words = statement.trim_start_matches("return").trim_matches([' ', '(', ')']);
    matches!(words, "" | "{}" | "false" | "true" | "0" | "void 0" | "void(0" | "void (0" | "event.preventDefault")
        || statement.starts_with("//")
}

/// Whether code does nothing at all: an address that gives none, and no control that a script of its own would be.
fn is_nothing(code: &str) -> bool {
    code.split(';').all(does_nothing)
}

/// Whether code may open a page: it does more than return, count, and use the browser's own controls.
fn may_lead(code: &str) -> bool {
    let is_idle =
        |statement: &str| does_nothing(statement) || IDLE_CALLS.iter().any(|call| bare(statement).starts_with(call));
    !code.split(';').all(is_idle)
}

/// Whether a script of the page has attributes of its own on a link, by which it finds it and knows what to do.
fn is_bound(link: Element<'_>) -> bool {
    link.attributes().any(|(name, _)| name.starts_with("data-") || name.contains([':', '@']))
}

/// Whether a link stands in front of the list that it opens: the head of a menu.
fn opens_list(link: Element<'_>) -> bool {
    link.next_element()
        .is_some_and(|next| next.is("ul") || next.is("ol") || next.is("div") && next.has_token("class", "sub-menu"))
}

/// What a link is called: its text, else its label, its title or the alternative of its image.
fn name(link: Element<'_>) -> Option<String> {
    let filled =
        |element: Element<'_>, name: &str| element.attribute(name).map(collapse).filter(|value| !value.is_empty());
    Some(link.text())
        .filter(|text| !text.is_empty())
        .or_else(|| filled(link, "aria-label"))
        .or_else(|| filled(link, "title"))
        .or_else(|| link.descendants().find_map(|image| filled(image, "alt")))
}

fn not_crawlable(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let mut total = 0;
    let mut found = Vec::new();
    for link in html.elements(&html.hyperlinks) {
        total += 1;
        if link
            .attribute("role")
            .is_some_and(|role| !role.trim().is_empty() && !role.trim().eq_ignore_ascii_case("link"))
        {
            continue;
        }
        let href = link.attribute("href").map(str::trim);
        let code = href.and_then(|href| {
            let (start, code) = href.split_at_checked(SCRIPT.len())?;
            start.eq_ignore_ascii_case(SCRIPT).then_some(code)
        });
        let gives_nothing = href.is_none_or(|href| href.is_empty() || href == "#") || code.is_some();
        if !gives_nothing {
            continue;
        }
        let is_routed = link.has("ng-click") || link.has("routerlink");
        let handlers: Vec<&str> = [code, link.attribute("onclick")].into_iter().flatten().collect();
        let leads = is_routed
            || handlers.iter().any(|code| may_lead(code))
            || code.is_some() && handlers.iter().all(|code| is_nothing(code)) && !is_bound(link);
        let is_of_page = || is_control(link, name(link).as_deref(), &handlers) || is_consent_control(link);
        if leads && !opens_list(link) && !is_of_page() {
            found.push(link);
        }
    }
    if total == 0 {
        return Err(NotMeasured::Absent);
    }
    let Some(first) = found.first() else { return PASS };
    const SCRIPTED: Text = text(
        "{count|A link has no URL that crawlers can follow: “{text}”.|{count} links have no URL that crawlers can follow; the first is “{text}”.}",
        "{count|Um link não tem URL que os robôs possam seguir: “{text}”.|{count} links não têm URL que os robôs possam seguir; o primeiro é “{text}”.}",
    );
    const NOW: Text = text("the link is now {tag}", "o link agora é {tag}");
    const OR_BUTTON: Text = text(
        "Replace `{{URL}}` with the URL of the page that the link leads to. If it leads to no page but does something on this one, use <button type=\"button\"> instead.",
        "Troque `{{URL}}` pela URL da página a que o link leva. Se ele não leva a uma página, mas faz algo nesta, use <button type=\"button\"> no lugar dele.",
    );
    const NAMELESS: Text = text(
        "{count|A link has no URL that crawlers can follow: {tag}.|{count} links have no URL that crawlers can follow; the first is {tag}.}",
        "{count|Um link não tem URL que os robôs possam seguir: {tag}.|{count} links não têm URL que os robôs possam seguir; o primeiro é {tag}.}",
    );
    let tag = first.start_tag_source().unwrap_or("<a>");
    let with_address = first
        .start_tag_with("href", "{{URL}}")
        .unwrap_or_else(|| format!("{} href=\"{{{{URL}}}}\">", tag.trim_end_matches('>').trim_end()));
    // A link around a picture keeps it: only the tag changes.
    let snippet = match first.text() {
        text if text.is_empty() => with_address,
        text => format!("{with_address}{}</a>", html_text(&text)),
    };
    let fix = FixDraft::template(FixTarget::Body, snippet).from(NOW, &[("tag", tag.into())]).note(OR_BUTTON, &[]);
    let is_minor = is_few(found.len(), total, NOTE_BELOW);
    let (count, total) = (("count", found.len().into()), ("total", total.into()));
    let found = match name(*first) {
        Some(name) => problem(SCRIPTED, &[count, total, ("text", name.into())], fix).on(&found),
        None => problem(NAMELESS, &[count, total, ("tag", first.quoted().into())], fix).on(&found),
    };
    found.minor_if(is_minor).fail()
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
        let Some(url) = anchor.url().filter(|url| is_route(url) && same_page(url, &html.url)) else { continue };
        if routes.insert(url.fragment().unwrap_or_default()) {
            found.push(anchor.node);
        }
    }
    if routes.len() < TOO_MANY_ROUTES {
        return PASS;
    }
    const ROUTES: Text = text(
        "{count} links lead to other views of this page only by their fragment, such as #{route}.",
        "{count} links levam a outras telas desta página só pelo fragmento, como #{route}.",
    );
    let values = [("count", routes.len().into()), ("route", routes.first().copied().unwrap_or_default().into())];
    let fix = FixDraft::instruction(FixTarget::Body, HASH_ROUTE.how, &[]);
    problem(ROUTES, &values, fix).on(found.into_iter().filter_map(|id| html.element(id))).fail()
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
        anchor.url().is_some_and(|url| is_way_on(html, url)) && is_sound()
    });
    if leads_on || area_urls().any(|url| is_way_on(html, &url)) {
        return PASS;
    }
    let is_home = matches!(html.url.path(), "/" | "") && html.url.query().is_none();
    let is_within = |url: &url::Url| url.fragment().is_some_and(|f| !f.is_empty()) && same_page(url, &html.url);
    if is_home && html.anchors.iter().filter_map(|anchor| anchor.url()).any(is_within) {
        return PASS;
    }
    const DEAD_END: Text = text(
        "{count|The only link on the page doesn't lead|None of the {count} links on the page leads} to another page of this site.",
        "{count|O único link da página não leva|Nenhum dos {count} links da página leva} a outra página deste site.",
    );
    const NO_LINKS: Text = text("The page has no links.", "A página não tem links.");
    let count = html.anchors.len();
    let message = if count == 0 { NO_LINKS } else { DEAD_END };
    problem(message, &[("count", count.into())], FixDraft::instruction(FixTarget::Body, NONE_INTERNAL.how, &[])).fail()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_may_open_a_page_is_told_from_code_that_does_not() {
        for code in ["show(2)", "ga('send', 'event'); go('/a')", "location='/a'", "void(open())", "return show(3)"] {
            assert!(may_lead(code), "{code}");
        }
        for code in [
            "",
            ";",
            "void(0)",
            "void 0;",
            "return false;",
            "//",
            "window.ga('send', 'event', 'x')",
            "{}",
            "window.print()",
            "history.back()",
        ] {
            assert!(!may_lead(code), "{code}");
        }
    }
}
