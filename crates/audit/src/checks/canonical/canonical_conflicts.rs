//! Canonicals that contradict something else that the page says.

use super::canonical::{own, place, rewritten};
use crate::check::prelude::*;
use crate::facts::canonical::{language_versions, mended, numbered, page_of_list, version};
use crate::facts::robots_directives::for_google;
use crate::facts::url_identity::same_page;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "canonical-conflicts",
    category: Category::Canonical,
    landing: Landing {
        title: text(
            "Canonical, hreflang and noindex conflict checker",
            "Verificador de conflitos entre canônica, hreflang e noindex",
        ),
        h1: text("Does my canonical contradict the page?", "Minha canônica contradiz a página?"),
        description: text(
            "Find canonicals that conflict with hreflang, noindex or pagination and so take language versions or later pages out of search.",
            "Encontre canônicas em conflito com hreflang, noindex ou paginação, que tiram da busca versões de idioma ou páginas seguintes.",
        ),
        lead: text(
            "A canonical that points to another language version or to the first page of a list takes pages out of search. This tool reads canonical, hreflang, robots directives and the URL together.",
            "Uma canônica que aponta para outra versão de idioma ou para a primeira página de uma lista tira páginas da busca. Esta ferramenta lê canônica, hreflang, diretivas robots e a URL em conjunto.",
        ),
        example: include_str!("canonical_conflicts/bad_hreflang.html"),
    },
    checks: &[HREFLANG, PAGINATION, NOINDEX],
};

const HREFLANG: Check = Check {
    code: "canonical_hreflang_conflict",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("Canonical points to another language version", "Canônica aponta para outra versão de idioma"),
    why: text(
        "hreflang presents the page as a version of its own, but the canonical as a copy of another. Search engines then drop this language version.",
        "O hreflang apresenta a página como uma versão própria, mas a canônica, como cópia de outra. Os buscadores descartam então esta versão de idioma.",
    ),
    how: text(
        "Point the canonical of each language version to itself.",
        "Aponte a canônica de cada versão de idioma para ela mesma.",
    ),
    reference: "https://developers.google.com/search/docs/specialty/international/localized-versions",
    rule: text(
        "Fails when the hreflang entries of the page, in head and header, list the page itself and its single canonical under two different language codes, and the two URLs differ. `x-default` entries are not counted. The canonical is taken from the head, or from the `Link` header if the head has none.",
        "Falha quando as entradas hreflang da página, no head e no cabeçalho, listam a própria página e a sua única canônica sob dois códigos de idioma diferentes, e as duas URLs diferem. Entradas `x-default` não contam. A canônica é lida do head, ou do cabeçalho `Link` se o head não tem nenhuma.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: hreflang,
};

const PAGINATION: Check = Check {
    code: "canonical_pagination_to_first",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Paginated page with page 1 as its canonical", "Página de lista com a página 1 como canônica"),
    why: text(
        "A later page is not a copy of the first one. Search engines may not find what only this page lists.",
        "Uma página seguinte não é cópia da primeira. Os buscadores podem não encontrar o que só esta página lista.",
    ),
    how: text(
        "Point the canonical of each page of the list to that page itself.",
        "Aponte a canônica de cada página da lista para ela mesma.",
    ),
    reference: "https://developers.google.com/search/docs/specialty/ecommerce/pagination-and-incremental-page-loading",
    rule: text(
        "Fails when the final URL has a page number of 2 or more (`page`, `paged` or `pg` in the query, or `/page/N` in the path) and the page's single canonical is the same URL without it, or with number 1. The canonical is taken from the head, or from the `Link` header if the head has none.",
        "Falha quando a URL final tem um número de página a partir de 2 (`page`, `paged` ou `pg` na query, ou `/page/N` no caminho) e a única canônica da página é a mesma URL sem ele, ou com o número 1. A canônica é lida do head, ou do cabeçalho `Link` se o head não tem nenhuma.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: pagination,
};

const NOINDEX: Check = Check {
    code: "canonical_with_noindex",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("noindex with a canonical to another page", "noindex com canônica para outra página"),
    why: text(
        "noindex asks search engines to drop the page, the canonical to merge it with another. They may apply the noindex to both pages, or ignore one of the two signals.",
        "O noindex pede que os buscadores descartem a página; a canônica, que a unam a outra. Eles podem aplicar o noindex às duas páginas ou ignorar um dos sinais.",
    ),
    how: text(
        "Keep noindex to hide the page, or keep the canonical to merge it with the other page. Don't use both.",
        "Mantenha o noindex para esconder a página, ou a canônica para uni-la à outra. Não use os dois.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls#define-canonical",
    rule: text(
        "Fails when a tag or header says `noindex` or `none` to all crawlers or to Googlebot, and the page's single canonical points to another page. A canonical to the page itself passes, also over http or with tracking parameters. The canonical is taken from the head, or from the `Link` header if the head has none.",
        "Falha quando uma tag ou um cabeçalho diz `noindex` ou `none` a todos os robôs ou ao Googlebot, e a única canônica da página aponta para outra página. Uma canônica para a própria página passa, também por http ou com parâmetros de rastreamento. A canônica é lida do head, ou do cabeçalho `Link` se o head não tem nenhuma.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: WHOLE,
    run: noindex,
};

const OWN: Text = text("the final URL of this page", "a URL final desta página");

fn hreflang(facts: &Facts<'_>) -> Verdict {
    let declared = facts.single_canonical()?;
    let canonical = declared.url;
    let own = own(facts)?;
    if version(facts, &own).is_none() || version(facts, canonical).is_none() {
        return Err(NotMeasured::Absent);
    }
    let Some((page, other)) = language_versions(facts, &own, canonical) else { return PASS };
    const FOLDS: Text = text(
        "hreflang lists this page as {lang}, but its canonical {canonical} is the version for {other}.",
        "O hreflang lista esta página como {lang}, mas a canônica {canonical} é a versão para {other}.",
    );
    let values = [
        ("lang", page.lang.as_str().into()),
        ("canonical", canonical.as_str().into()),
        ("other", other.lang.as_str().into()),
    ];
    let html = facts.page()?;
    let fix = rewritten(facts, &declared, &own, OWN)?;
    let alternates = [page, other].into_iter().filter_map(|alternate| html.element(alternate.node?));
    problem(FOLDS, &values, fix).at(place(facts, &declared)).on(alternates).fail()
}

fn pagination(facts: &Facts<'_>) -> Verdict {
    let declared = facts.single_canonical()?;
    let canonical = declared.url;
    let own = own(facts)?;
    if numbered(&own).0.is_none_or(|number| number < 2) {
        return Err(NotMeasured::Absent);
    }
    let Some(number) = page_of_list(&own, canonical) else { return PASS };
    const FIRST: Text = text(
        "This is page {number} of a list, but its canonical points to the first page, {canonical}.",
        "Esta é a página {number} de uma lista, mas a canônica aponta para a primeira, {canonical}.",
    );
    let values = [("number", number.into()), ("canonical", canonical.as_str().into())];
    let fix = rewritten(facts, &declared, &own, OWN)?;
    problem(FIRST, &values, fix).at(place(facts, &declared)).fail()
}

fn noindex(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let declared = facts.single_canonical()?;
    let canonical = declared.url;
    let says = facts.directives().iter().find(|d| for_google(d) && matches!(d.name.as_str(), "noindex" | "none"));
    let Some(says) = says else { return Err(NotMeasured::Absent) };
    if same_page(&mended(facts.url()?, canonical), &own(facts)?) {
        return PASS;
    }
    const BOTH: Text = text(
        "The page says {directive}, but its canonical points to {canonical}.",
        "A página diz {directive}, mas a canônica aponta para {canonical}.",
    );
    const CHOOSE: Text = text(
        "Keep {directive} if the page should be hidden, or the canonical if the page is a copy of {canonical}. Remove the other.",
        "Mantenha {directive} se a página deve ficar fora da busca, ou a canônica se ela é cópia de {canonical}. Remova o outro.",
    );
    let values = [("directive", says.name.as_str().into()), ("canonical", canonical.as_str().into())];
    let fix = FixDraft::instruction(FixTarget::Head, CHOOSE, &values);
    let tag = says.tag().and_then(|node| html.element(node)).map(Element::place);
    problem(BOTH, &values, fix).at(place(facts, &declared)).at(tag).fail()
}
