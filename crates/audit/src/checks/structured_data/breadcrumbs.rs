//! The breadcrumb trail as structured data.

use crate::check::prelude::*;
use crate::facts::{breadcrumbs, new_nodes};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "breadcrumb-schema",
    category: Category::StructuredData,
    landing: Landing {
        title: text("Breadcrumb schema generator", "Gerador de schema de breadcrumb"),
        h1: text("Is your breadcrumb trail marked up?", "Sua trilha de navegação está marcada?"),
        description: text(
            "Find a visible breadcrumb trail without BreadcrumbList markup, and get the JSON-LD made from the page's own links.",
            "Encontre uma trilha visível sem marcação BreadcrumbList e receba o JSON-LD feito com os links da própria página.",
        ),
        lead: text(
            "A page that shows a trail such as Home › Bread › Rye has everything that Google needs for a breadcrumb result. This tool reads the trail and writes the `BreadcrumbList` for it.",
            "Uma página que mostra uma trilha como Início › Pães › Centeio tem tudo de que o Google precisa para um resultado com breadcrumb. Esta ferramenta lê a trilha e escreve o `BreadcrumbList` dela.",
        ),
        example: include_str!("breadcrumbs/bad_list.html"),
    },
    checks: &[MISSING],
};

const MISSING: Check = Check {
    code: "breadcrumb_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Breadcrumb trail without markup", "Trilha de navegação sem marcação"),
    why: text(
        "With `BreadcrumbList` markup, results on desktop show the trail in place of the bare address, and machines learn where the page belongs.",
        "Com a marcação `BreadcrumbList`, os resultados no computador mostram a trilha no lugar do endereço, e as máquinas aprendem a que lugar do site a página pertence.",
    ),
    how: text(
        "Mark the trail up as `BreadcrumbList`, with the same names and addresses.",
        "Marque a trilha como `BreadcrumbList`, com os mesmos nomes e endereços.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/structured-data/breadcrumb",
    rule: text(
        "Fails when an element whose class, id or `aria-label` says `breadcrumb` shows a trail of 2 to 10 steps, each but the last a link with a name, and there is no `BreadcrumbList` in JSON-LD, microdata or RDFa. The home page, hidden trails and pages without a trail are left alone. Not measured on a page with noindex.",
        "Falha quando um elemento cuja classe, id ou `aria-label` diz `breadcrumb` mostra uma trilha de 2 a 10 passos, cada um menos o último um link com nome, e não há `BreadcrumbList` em JSON-LD, microdados ou RDFa. A página inicial, trilhas ocultas e páginas sem trilha ficam de fora. Não é medido em página com noindex.",
    ),
    thresholds: &[threshold("steps_least", 2, "steps"), threshold("steps_most", 10, "steps")],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: missing,
};

/// Fails when the page shows a trail that is nowhere marked up.
fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    facts.indexable()?;
    let is_list = |kind: &str| kind == "BreadcrumbList" || kind.ends_with("/Breadcrumb");
    let marked =
        facts.graph().is_ok_and(|graph| graph.nodes.iter().flat_map(|node| &node.types).any(|kind| is_list(kind)));
    let unread = !html.json_ld.errors.is_empty() || html.json_ld.types.iter().any(|kind| is_list(kind));
    if marked || unread {
        return PASS;
    }
    let trail = breadcrumbs::shown(facts, html).filter(|_| facts.url().is_ok_and(|url| url.path() != "/"));
    let Some(trail) = trail else { return Err(NotMeasured::Absent) };
    const UNMARKED: Text = text(
        "The page shows a trail of {count} steps that is not marked up as BreadcrumbList.",
        "A página mostra uma trilha de {count} passos que não está marcada como BreadcrumbList.",
    );
    let place = trail.node.and_then(|node| html.element(node)).map(Element::place);
    let fix = FixDraft::block(&new_nodes::breadcrumbs(&trail), html);
    problem(UNMARKED, &[("count", trail.steps.len().into())], fix).at(place).fail()
}
