//! Links within the site that crawlers are told not to follow.

use url::Url;

use crate::check::MAX_PLACES;
use crate::check::prelude::*;
use crate::facts::elements::{Reach, rel_values};
use crate::facts::nofollow;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "nofollow-links", category: Category::Links, landing: LANDING, checks: &[INTERNAL] };

const LANDING: Landing = Landing {
    title: text("Internal nofollow link checker", "Verificador de links internos nofollow"),
    h1: text("Do you hide your own pages from crawlers?", "Você esconde suas próprias páginas dos robôs?"),
    description: text(
        "Find links to your own site that carry rel=nofollow, leaving out logins, carts and filters, where it makes sense.",
        "Encontre links para o próprio site com rel=nofollow, fora logins, carrinhos e filtros, onde ele faz sentido.",
    ),
    lead: text(
        "`nofollow` is for links that you don't vouch for. On links to your own pages it keeps crawlers from finding them and saves nothing; this tool lists them and writes them without it.",
        "`nofollow` serve para links que você não recomenda. Em links para as próprias páginas, impede os robôs de encontrá-las e não economiza nada; esta ferramenta os lista e os escreve sem ele.",
    ),
    example: include_str!("nofollow_links/bad.html"),
};

const INTERNAL: Check = Check {
    code: "link_internal_nofollow",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Own pages linked with nofollow", "Páginas próprias com links nofollow"),
    why: text(
        "Crawlers are asked not to follow a link to your own page, so it may be found later or not at all, and the link counts for nothing.",
        "Os robôs são instruídos a não seguir um link para a sua própria página; ela pode ser achada mais tarde ou nunca, e o link não vale nada.",
    ),
    how: text(
        "Take `nofollow` out of `rel`. To keep a page out of search, use `noindex` on that page.",
        "Tire `nofollow` de `rel`. Para manter uma página fora da busca, use `noindex` nela.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/qualify-outbound-links",
    rule: text(
        "Fails when an `a[href]` to an http(s) address of the page's own host has `nofollow` in `rel`, whose values are parted by white space or commas. Left alone are links with `ugc` or `sponsored` too, with a query, to places in this page, and with a word of `private_paths.txt` in their path (accounts, carts, search, feeds and the like), links to partners by a class or a first part of the path in `by_design.tsv` (`/go/`, `/recommends/`), where search engines ask for `nofollow` or `sponsored`, and links among readers' comments, by a class or `id` there. Not applicable without links to the own host.",
        "Falha quando um `a[href]` para um endereço http(s) do próprio host da página tem `nofollow` em `rel`, cujos valores são separados por espaço ou vírgula. Ficam de fora links que também têm `ugc` ou `sponsored`, com query, para lugares desta página, e com uma palavra de `private_paths.txt` no caminho (contas, carrinhos, busca, feeds e semelhantes), links para parceiros, por uma classe ou uma primeira parte do caminho em `by_design.tsv` (`/go/`, `/recommends/`), onde os buscadores pedem `nofollow` ou `sponsored`, e links entre comentários de leitores, por uma classe ou `id` de lá. Não se aplica sem links para o próprio host.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Body),
    since: WHOLE,
    run: internal,
};

fn internal(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let own = || html.anchors.iter().filter(|anchor| anchor.reach == Reach::Internal);
    if own().next().is_none() {
        return Err(NotMeasured::Absent);
    }
    let found: Vec<(Element<'_>, &Url)> = own()
        .filter(|anchor| nofollow::is_needless(html, anchor))
        .filter_map(|anchor| Some((html.element(anchor.node)?, anchor.url.as_ref()?)))
        .collect();
    let Some((_, first)) = found.first() else { return PASS };
    const HIDDEN: Text = text(
        "{count} {count|link|links} to this site {count|has|have} nofollow; the first leads to {url}.",
        "{count} {count|link|links} para este site {count|tem|têm} nofollow; o primeiro leva a {url}.",
    );
    const SAME: Text = text("the same links without nofollow", "os mesmos links sem nofollow");
    let rest = |link: Element<'_>| {
        rel_values(link).filter(|value| !value.eq_ignore_ascii_case("nofollow")).collect::<Vec<_>>().join(" ")
    };
    let tag = |link: Element<'_>| match rest(link) {
        rest if rest.is_empty() => {
            let href = link.attribute("href").unwrap_or_default();
            Some(format!("<a href=\"{}\">", attribute(href)))
        }
        rest => link.start_tag_with("rel", &rest),
    };
    let snippet: Vec<String> = found.iter().take(MAX_PLACES).filter_map(|(link, _)| tag(*link)).collect();
    let is_ready = found.iter().all(|(link, _)| link.start_tag().is_some());
    let fix = if is_ready {
        found.iter().fold(FixDraft::edit(FixTarget::Body, snippet.join("\n")).from(SAME, &[]), |fix, (link, _)| {
            let rest = rest(*link);
            if rest.is_empty() { fix.unset(*link, "rel") } else { fix.set(*link, "rel", &rest) }
        })
    } else {
        FixDraft::instruction(FixTarget::Body, INTERNAL.how, &[])
    };
    let values = [("count", found.len().into()), ("url", first.as_str().into())];
    problem(HIDDEN, &values, fix).on(found.iter().map(|(link, _)| link)).fail()
}
