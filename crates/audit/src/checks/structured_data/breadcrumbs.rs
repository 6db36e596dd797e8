//! The breadcrumb trail as structured data.

use crate::check::prelude::*;
use crate::escape::json_text_in_html;
use crate::facts::jsonld::graph::{GraphNode, local};
use crate::facts::jsonld::tree::ValueTree;
use crate::facts::new_nodes;
use crate::facts::resolved::breadcrumb;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "breadcrumb-schema",
    category: Category::StructuredData,
    landing: Landing {
        title: text("Breadcrumb schema generator", "Gerador de schema de breadcrumb"),
        h1: text("Is your breadcrumb trail marked up?", "Sua trilha de navegação está marcada?"),
        description: text(
            "Find a visible breadcrumb trail without BreadcrumbList markup, and get JSON-LD made from the page's own links.",
            "Encontre uma trilha de navegação visível sem marcação BreadcrumbList e receba o JSON-LD feito com os links da própria página.",
        ),
        lead: text(
            "A page with a trail such as Home › Bread › Rye has everything Google needs for a breadcrumb result. This tool reads the trail and writes its `BreadcrumbList`.",
            "Uma página com uma trilha como Início › Pães › Centeio tem tudo de que o Google precisa para um resultado com breadcrumb. Esta ferramenta lê a trilha e escreve o `BreadcrumbList` dela.",
        ),
        example: include_str!("breadcrumbs/bad_list.html"),
    },
    checks: &[DOUBLED, MISSING],
};

const MISSING: Check = Check {
    code: "breadcrumb_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Breadcrumb trail without markup", "Trilha de navegação sem marcação"),
    why: text(
        "With `BreadcrumbList` markup, desktop results show the trail instead of the URL, and machines learn where the page belongs on the site.",
        "Com a marcação `BreadcrumbList`, os resultados no computador mostram a trilha em vez da URL, e as máquinas descobrem onde a página fica no site.",
    ),
    how: text(
        "Mark up the trail as `BreadcrumbList`, with the same names and URLs.",
        "Marque a trilha como `BreadcrumbList`, com os mesmos nomes e URLs.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/structured-data/breadcrumb",
    rule: text(
        "Fails when a page shows a breadcrumb trail but has no `BreadcrumbList` in JSON-LD, microdata or RDFa. A trail is an element with `breadcrumb` in its class, id or `aria-label` and 2 to 10 steps. Each step except the last is a link with a name, and the trail begins at the home page or goes down from folder to folder. The check skips the home page, hidden trails and lists of categories. Not measured on a page with noindex, or when a JSON-LD block, which may hold the list, can't be read.",
        "Falha quando a página mostra uma trilha de navegação mas não tem `BreadcrumbList` em JSON-LD, microdados ou RDFa. Uma trilha é um elemento com `breadcrumb` na classe, id ou `aria-label` e de 2 a 10 passos. Cada passo menos o último é um link com nome, e a trilha começa na página inicial ou desce de pasta em pasta. A verificação ignora a página inicial, trilhas ocultas e listas de categorias. Não é medido em página com noindex nem quando um bloco JSON-LD, que pode conter a lista, não pode ser lido.",
    ),
    thresholds: &[threshold("steps_least", 2, "steps"), threshold("steps_most", 10, "steps")],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: missing,
};

const DOUBLED: Check = Check {
    code: "breadcrumb_url_doubled",
    severity: Severity::Warn,
    impact: Impact::RichResult,
    title: text("Doubled URLs in the breadcrumb", "URLs duplicadas no breadcrumb"),
    why: text(
        "A breadcrumb step whose URL repeats its file extension or host leads nowhere, and crawlers follow it.",
        "Um passo do breadcrumb cuja URL repete a extensão ou o host não leva a lugar nenhum, e os robôs o seguem.",
    ),
    how: text(
        "Correct the template that builds these URLs, so that it joins their parts only once.",
        "Corrija o template que monta essas URLs para que junte as partes uma vez só.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/structured-data/breadcrumb",
    rule: text(
        "Fails when the URL of a `BreadcrumbList` step ends in the same file extension twice (`.html.html`), or contains a second scheme and host in its path (`https://example.com/https://example.com/…`).",
        "Falha quando a URL de um passo de `BreadcrumbList` termina duas vezes com a mesma extensão (`.html.html`) ou contém um segundo esquema e host no caminho (`https://example.com/https://example.com/…`).",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: PRECISION,
    run: |facts| facts.unless_unread(doubled(facts)),
};

/// An address without what stands in it twice; `None` for one that is fine.
fn undoubled(address: &str) -> Option<String> {
    /// Endings of pages.
    const ENDINGS: [&str; 6] = [".html", ".htm", ".php", ".aspx", ".jsp", ".shtml"];
    let (address, query) =
        address.trim().split_once('?').map_or((address.trim(), None), |(path, query)| (path, Some(query)));
    let with_query = |path: &str| query.map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
    for ending in ENDINGS {
        if let Some(once) = address.strip_suffix(ending).filter(|rest| rest.ends_with(ending)) {
            return Some(with_query(once));
        }
    }
    let (start, _) = address.split_once("://")?;
    let inner = address.get(start.len() + 3..)?;
    let second = inner.find("/http://").or_else(|| inner.find("/https://"))?;
    Some(with_query(inner.get(second + 1..)?))
}

/// Fails when a step of a trail leads to an address that was joined twice.
fn doubled(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let graph = facts.graph()?;
    let is_step = |node: &&GraphNode<'_>| {
        let of_list = |(parent, property): &(usize, &str)| {
            let types = graph.nodes.get(*parent).map(|parent| parent.types.as_slice()).unwrap_or_default();
            *property == "itemListElement" && types.contains(&"BreadcrumbList")
        };
        node.within.iter().any(of_list)
    };
    let mut has_any = false;
    let mut bad: Vec<(&GraphNode<'_>, &ValueTree, String)> = Vec::new();
    for node in graph.nodes.iter().filter(is_step) {
        let members = node.tree.members().into_iter().flatten().filter(|member| local(&member.name) == "item");
        for value in members.flat_map(|member| member.value.each()).filter_map(address) {
            has_any = true;
            bad.extend(value.text().and_then(undoubled).map(|once| (node, value, once)));
        }
    }
    let Some((_, first, once)) = bad.first() else { return if has_any { PASS } else { Err(NotMeasured::Absent) } };
    const TWICE: Text = text(
        "{count|A breadcrumb step has a doubled URL:|{count} breadcrumb steps have doubled URLs; the first is} {url} instead of {once}.",
        "{count|Um passo do breadcrumb tem a URL duplicada:|{count} passos do breadcrumb têm URLs duplicadas; a primeira é} {url} em vez de {once}.",
    );
    const ONCE: Text = text("the same URL, without the repetition", "a mesma URL, sem a repetição");
    let values =
        [("count", bad.len().into()), ("url", first.text().unwrap_or_default().into()), ("once", once.as_str().into())];
    let json = |once: &str| json_text_in_html(&serde_json::Value::from(once).to_string());
    let lines: Vec<String> = bad.iter().map(|(_, _, once)| format!("\"item\": {}", json(once))).collect();
    let ready = FixDraft::edit(FixTarget::Head, lines.join("\n")).from(ONCE, &[]);
    // Ready where the page itself links to what is meant.
    let is_linked = |once: &str| {
        let meant = html.resolve(once);
        meant.is_some_and(|meant| html.anchors.iter().any(|anchor| anchor.url() == Some(&meant)))
    };
    let ready = bad.iter().try_fold(ready, |fix, (node, value, once)| {
        let block = html.source(node.block)?.block().filter(|block| block.is_in_source(&html.document))?;
        let span = block.start + value.span.start..block.start + value.span.end;
        is_linked(once).then(|| fix.replace(span, json(once)))
    });
    let fix = ready.unwrap_or_else(|| FixDraft::instruction(FixTarget::Head, DOUBLED.how, &[]));
    let places = bad.iter().filter_map(|(node, value, _)| html.source(node.block)?.place(html, &value.span));
    problem(TWICE, &values, fix).at(places).fail()
}

/// The address that a step is, or that it names by `@id` or `url`.
fn address(value: &ValueTree) -> Option<&ValueTree> {
    match value.members() {
        Some(members) => {
            let of = |name: &str| members.iter().find(|member| local(&member.name) == name);
            Some(&of("@id").or_else(|| of("url"))?.value)
        }
        None => Some(value).filter(|value| value.text().is_some()),
    }
}

/// Fails when the page shows a trail that is nowhere marked up.
fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    facts.indexable()?;
    let is_list = |kind: &str| kind == "BreadcrumbList" || kind.ends_with("/Breadcrumb");
    let marked =
        facts.graph().is_ok_and(|graph| graph.nodes.iter().flat_map(|node| &node.types).any(|kind| is_list(kind)));
    // One that lacks its context is told as that.
    if marked || html.json_ld.types.iter().any(|kind| is_list(kind)) {
        return PASS;
    }
    if facts.has_unread_json_ld() {
        return Err(NotMeasured::JsonLd);
    }
    let trail = breadcrumb::shown(html).filter(|_| facts.url().is_ok_and(|url| url.path() != "/"));
    let Some(trail) = trail else { return Err(NotMeasured::Absent) };
    const UNMARKED: Text = text(
        "The page shows a breadcrumb trail of {count} steps without BreadcrumbList markup.",
        "A página mostra uma trilha de navegação de {count} passos sem marcação BreadcrumbList.",
    );
    let place = trail.node.and_then(|node| html.element(node)).map(Element::place);
    let fix = FixDraft::block(&new_nodes::breadcrumbs(&trail));
    problem(UNMARKED, &[("count", trail.steps.len().into())], fix).at(place).fail()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubled_addresses_are_told_from_others() {
        for (address, once) in [
            ("https://e.com/rye.html.html", Some("https://e.com/rye.html")),
            ("/rye.html.html?a=1", Some("/rye.html?a=1")),
            ("https://e.com/https://e.com/rye", Some("https://e.com/rye")),
            ("https://e.com/rye.html", None),
            ("https://e.com/rye?u=https://e.com/", None),
            ("https://e.com/rye/rye", None),
        ] {
            assert_eq!(undoubled(address).as_deref(), once, "{address}");
        }
    }
}
