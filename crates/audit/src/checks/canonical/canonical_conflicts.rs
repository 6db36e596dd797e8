//! Canonicals that contradict something else that the page says.

use super::canonical::{own, place, rewritten};
use crate::check::prelude::*;
use crate::facts::canonical::{language_versions, numbered, page_of_list, version};
use crate::facts::robots_directives::for_google;
use crate::facts::url_identity::same_page;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "canonical-conflicts",
    category: Category::Canonical,
    landing: Landing {
        title: text("Canonical vs. hreflang and noindex", "Canonical contra hreflang e noindex"),
        h1: text("Does my canonical contradict the page?", "Minha canônica contradiz a página?"),
        description: text(
            "Find canonicals at odds with hreflang, with noindex, or with pagination: language versions and later pages folded into one.",
            "Encontre canônicas em conflito com hreflang, noindex ou paginação: versões de idioma e páginas seguintes fundidas em uma só.",
        ),
        lead: text(
            "A canonical that names another language version or the first page of a list takes pages out of search one by one. This tool reads canonical, hreflang, robots directives and address together.",
            "Uma canônica que indica outra versão de idioma ou a primeira página de uma lista tira páginas da busca, uma a uma. Esta ferramenta lê canônica, hreflang, diretivas robots e endereço juntos.",
        ),
        example: include_str!("canonical_conflicts/bad_hreflang.html"),
    },
    checks: &[HREFLANG, PAGINATION, NOINDEX],
};

const HREFLANG: Check = Check {
    code: "canonical_hreflang_conflict",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("Canonical names another language version", "A canônica indica outra versão de idioma"),
    why: text(
        "The page calls itself a version of its own and a copy of another at once: search drops its language.",
        "A página se diz uma versão própria e cópia de outra ao mesmo tempo: a busca descarta o idioma dela.",
    ),
    how: text(
        "Let each language version name itself as canonical.",
        "Faça cada versão de idioma indicar a si mesma como canônica.",
    ),
    reference: "https://developers.google.com/search/docs/specialty/international/localized-versions",
    rule: text(
        "Fails when the page's hreflang entries, of head and header, name the page itself and the one canonical, of the head or where it has none of the `Link` header, under two different language codes, and the two addresses differ. Entries for `x-default` are not counted.",
        "Falha quando as entradas hreflang da página, do head e do cabeçalho, indicam a própria página e a única canônica, do head ou na falta dela do cabeçalho `Link`, sob dois códigos de idioma diferentes, e os dois endereços diferem. Entradas `x-default` não contam.",
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
    title: text(
        "Later page of a list names the first as canonical",
        "Página seguinte de uma lista indica a primeira como canônica",
    ),
    why: text(
        "The page is no copy of the first one: what only it lists is not found through it.",
        "A página não é cópia da primeira: o que só ela lista não é encontrado por meio dela.",
    ),
    how: text(
        "Let each page of the list name itself as canonical.",
        "Faça cada página da lista indicar a si mesma como canônica.",
    ),
    reference: "https://developers.google.com/search/docs/specialty/ecommerce/pagination-and-incremental-page-loading",
    rule: text(
        "Fails when the final address holds a page number of 2 or more (`page`, `paged` or `pg` in the query, or `/page/N` in the path) and the one canonical, of the head or where it has none of the `Link` header, is the same address without it, or with number 1.",
        "Falha quando o endereço final contém um número de página a partir de 2 (`page`, `paged` ou `pg` na query, ou `/page/N` no caminho) e a única canônica, do head ou na falta dela do cabeçalho `Link`, é o mesmo endereço sem ele, ou com o número 1.",
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
    title: text("noindex and a canonical to another page", "noindex e uma canônica para outra página"),
    why: text(
        "The one says that the page must vanish, the other that it counts for another: search engines may carry the noindex over, or drop both.",
        "Um diz que a página deve sumir, a outra que ela conta para outra página: os buscadores podem levar o noindex junto ou descartar ambos.",
    ),
    how: text(
        "Keep the noindex to hide the page, or the canonical to merge it with the other; not both.",
        "Mantenha o noindex para esconder a página, ou a canônica para uni-la à outra; não os dois.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls#define-canonical",
    rule: text(
        "Fails when `noindex` or `none` is said to everyone or to Googlebot, by tag or header, and the one canonical, of the head or where it has none of the `Link` header, names another page. A canonical to the page itself passes.",
        "Falha quando `noindex` ou `none` é dito a todos ou ao Googlebot, por tag ou cabeçalho, e a única canônica, do head ou na falta dela do cabeçalho `Link`, indica outra página. Uma canônica para a própria página passa.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: WHOLE,
    run: noindex,
};

const OWN: Text = text("the final URL of this request", "a URL final desta requisição");

fn hreflang(facts: &Facts<'_>) -> Verdict {
    let declared = facts.single_canonical()?;
    let canonical = declared.url;
    let own = own(facts)?;
    if version(facts, &own).is_none() || version(facts, canonical).is_none() {
        return Err(NotMeasured::Absent);
    }
    let Some((page, other)) = language_versions(facts, &own, canonical) else { return PASS };
    const FOLDS: Text = text(
        "The page is the version for {lang}, but its canonical names {canonical}, the one for {other}.",
        "A página é a versão para {lang}, mas a canônica indica {canonical}, a de {other}.",
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
        "This is page {number} of a list, but its canonical names the first, {canonical}.",
        "Esta é a página {number} de uma lista, mas a canônica indica a primeira, {canonical}.",
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
    if same_page(canonical, &own(facts)?) {
        return PASS;
    }
    const BOTH: Text = text(
        "The page says {directive}, and names {canonical} as its canonical.",
        "A página diz {directive} e indica {canonical} como canônica.",
    );
    const CHOOSE: Text = text(
        "Keep {directive} if the page should be hidden, or the canonical if it is a copy of {canonical}; remove the other.",
        "Mantenha {directive} se a página deve ficar escondida, ou a canônica se ela é cópia de {canonical}; remova o outro.",
    );
    let values = [("directive", says.name.as_str().into()), ("canonical", canonical.as_str().into())];
    let fix = FixDraft::instruction(FixTarget::Head, CHOOSE, &values);
    let tag = says.tag().and_then(|node| html.element(node)).map(Element::place);
    problem(BOTH, &values, fix).at(place(facts, &declared)).at(tag).fail()
}
