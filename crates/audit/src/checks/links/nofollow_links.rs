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
        "Find links to your own site with rel=nofollow, except logins, carts and filters, where it makes sense.",
        "Encontre links para o próprio site com rel=nofollow, exceto logins, carrinhos e filtros, onde ele faz sentido.",
    ),
    lead: text(
        "`nofollow` is for links that you don't vouch for. On links to your own pages it keeps crawlers from finding them and saves no crawl budget. This tool lists such links and writes them without it.",
        "`nofollow` serve para links que você não recomenda. Em links para as próprias páginas, impede os robôs de encontrá-las e não economiza rastreamento. Esta ferramenta lista esses links e os escreve sem ele.",
    ),
    example: include_str!("nofollow_links/bad.html"),
};

const INTERNAL: Check = Check {
    code: "link_internal_nofollow",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Internal links with nofollow", "Links internos com nofollow"),
    why: text(
        "Crawlers don't follow a nofollow link, so they may find your page later or never. The link passes no value to it either.",
        "Os robôs não seguem um link nofollow; por isso, podem encontrar sua página mais tarde ou nunca. O link também não transfere valor a ela.",
    ),
    how: text(
        "Remove `nofollow` from `rel`. To keep a page out of search, use `noindex` on that page.",
        "Remova `nofollow` de `rel`. Para manter uma página fora da busca, use `noindex` nela.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/qualify-outbound-links",
    rule: text(
        "Fails when an `a[href]` to an http(s) URL on the page's own host has `nofollow` in `rel`, whose values are separated by white space or commas. The check skips links that also have `ugc` or `sponsored`, links with a query, links to places in this page, and links with a word of `private_paths.txt` in their path (accounts, carts, search, feeds and the like). It also skips partner links, recognized by a class or the first path segment in `by_design.tsv` (`/go/`, `/recommends/`), because search engines ask for `nofollow` or `sponsored` there, and links in reader comments, recognized by a class or `id`. Not applicable without links to the page's own host.",
        "Falha quando um `a[href]` para uma URL http(s) do próprio host da página tem `nofollow` em `rel`, cujos valores são separados por espaço ou vírgula. A verificação ignora links que também têm `ugc` ou `sponsored`, links com query, links para lugares desta página e links com uma palavra de `private_paths.txt` no caminho (contas, carrinhos, busca, feeds e semelhantes). Ignora também links para parceiros, reconhecidos por uma classe ou pelo primeiro segmento do caminho em `by_design.tsv` (`/go/`, `/recommends/`), porque ali os buscadores pedem `nofollow` ou `sponsored`, e links em comentários de leitores, reconhecidos por uma classe ou `id`. Não se aplica sem links para o próprio host.",
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
        .filter_map(|anchor| Some((html.element(anchor.node)?, anchor.url()?)))
        .collect();
    let Some((_, first)) = found.first() else { return PASS };
    const HIDDEN: Text = text(
        "{count|An internal link has nofollow: {url}.|{count} internal links have nofollow; the first leads to {url}.}",
        "{count|Um link interno tem nofollow: {url}.|{count} links internos têm nofollow; o primeiro leva a {url}.}",
    );
    const HIDDEN_OF_MORE: Text = text(
        "{count|An internal link has nofollow: {url}.|{count} internal links have nofollow; the first leads to {url}.} {others|Another link with nofollow is|Another {others} links with nofollow are} fine: external, paid, to forms, accounts or feeds, or written by readers.",
        "{count|Um link interno tem nofollow: {url}.|{count} links internos têm nofollow; o primeiro leva a {url}.} {others|Outro link com nofollow está correto|Outros {others} links com nofollow estão corretos}: externos, pagos, para formulários, contas ou feeds, ou escritos por leitores.",
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
    let others = html.anchors.iter().filter(|anchor| anchor.nofollow).count() - found.len();
    let values = [("count", found.len().into()), ("url", first.as_str().into()), ("others", others.into())];
    let (message, values) = if others == 0 { (HIDDEN, &values[..2]) } else { (HIDDEN_OF_MORE, &values[..]) };
    problem(message, values, fix).on(found.iter().map(|(link, _)| link)).fail()
}
