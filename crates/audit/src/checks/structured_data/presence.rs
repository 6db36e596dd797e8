//! Whether a page has structured data, and whether anyone uses it.

use crate::check::prelude::*;
use crate::facts::jsonld::graph::{Graph, GraphNode};
use crate::facts::jsonld::rich_results;
use crate::facts::jsonld::types_of;
use crate::facts::new_nodes;
use crate::facts::resolved::breadcrumb;
use crate::facts::source_marks::SourceMark;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "structured-data",
    category: Category::StructuredData,
    landing: Landing {
        title: text("Structured data checker and generator", "Verificador e gerador de dados estruturados"),
        h1: text("Does this page have structured data?", "Esta página tem dados estruturados?"),
        description: text(
            "See whether a page has JSON-LD, microdata or RDFa and which types no longer bring a Google result. Get a first block made from the page.",
            "Veja se a página tem JSON-LD, microdados ou RDFa e que tipos já não geram resultado no Google. Receba um primeiro bloco feito com a página.",
        ),
        lead: text(
            "Structured data tells search engines and AI assistants what a page is about. This tool finds it in every syntax, shows which types still bring a rich result, and writes a first block using only the page's own content.",
            "Dados estruturados dizem a buscadores e assistentes de IA do que a página trata. Esta ferramenta os encontra em todas as sintaxes, mostra que tipos ainda geram resultado avançado e escreve um primeiro bloco só com o conteúdo da própria página.",
        ),
        example: include_str!("presence/bad_missing_article.html"),
    },
    checks: &[MISSING, RETIRED, DATA_VOCABULARY, ON_NOINDEX],
};

const INTRO: &str = "https://developers.google.com/search/docs/appearance/structured-data/intro-structured-data";

const MISSING: Check = Check {
    code: "structured_data_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("No structured data", "Sem dados estruturados"),
    why: text(
        "Structured data tells search engines what the page is about and makes rich results possible. It is optional.",
        "Dados estruturados dizem aos buscadores do que a página trata e permitem resultados avançados. São opcionais.",
    ),
    how: text(
        "Add a JSON-LD block of the type that fits the page, such as Article, Product, Organization or BreadcrumbList.",
        "Adicione um bloco JSON-LD do tipo adequado à página, como Article, Product, Organization ou BreadcrumbList.",
    ),
    reference: INTRO,
    rule: text(
        "Fails when the page has no `script` of type `application/ld+json`, no `itemscope` and no `typeof`. An unreadable block counts as structured data, and so do items of other vocabularies. Not measured on a page with noindex, on a cut page, or on an empty app shell, which a script may fill.",
        "Falha quando a página não tem `script` do tipo `application/ld+json`, nem `itemscope`, nem `typeof`. Um bloco ilegível conta como dado estruturado, assim como itens de outros vocabulários. Não é medido em página com noindex, em página cortada ou na casca vazia de um aplicativo, que um script pode preencher.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: missing,
};

const RETIRED: Check = Check {
    code: "jsonld_retired_type",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Type without a Google rich result", "Tipo sem resultado avançado no Google"),
    why: text(
        "Google no longer shows rich results for this type. The markup is still valid, and other services may read it.",
        "O Google não mostra mais resultados avançados deste tipo. A marcação continua válida, e outros serviços podem lê-la.",
    ),
    how: text(
        "You can keep the markup, but don't expect a rich result from it.",
        "Você pode manter a marcação, mas não espere um resultado avançado dela.",
    ),
    reference: "https://developers.google.com/search/updates",
    rule: text(
        "Lists the types on the page, in any syntax, whose Google rich result has ended, with the month in which it ended: `HowTo`, `FAQPage`, `SearchAction` of a `WebSite` (sitelinks search box), `ReadAction` of a `Book`, `ClaimReview`, `CourseInstance` and others of a dated table. It never advises deleting them. A subtype is not judged by its parent type.",
        "Lista os tipos da página, em qualquer sintaxe, cujo resultado avançado do Google foi encerrado, com o mês do fim: `HowTo`, `FAQPage`, `SearchAction` de um `WebSite` (caixa de busca de sitelinks), `ReadAction` de um `Book`, `ClaimReview`, `CourseInstance` e outros de uma tabela datada. Nunca aconselha apagá-los. Um subtipo não é julgado pelo tipo pai.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: FIRST,
    run: |facts| facts.unless_unread(retired(facts)),
};

const ON_NOINDEX: Check = Check {
    code: "jsonld_on_noindex_page",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Rich result markup on a noindex page", "Marcação de resultado avançado em página noindex"),
    why: text(
        "The page has markup for a rich result, but excludes itself from all results. One of the two is probably a mistake.",
        "A página tem marcação para um resultado avançado, mas se exclui de todos os resultados. Um dos dois provavelmente é um engano.",
    ),
    how: text(
        "If the page should appear in search results, remove the noindex. Otherwise, you can leave everything as it is.",
        "Se a página deve aparecer na busca, remova o noindex. Caso contrário, pode deixar tudo como está.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/structured-data/sd-policies#technical-guidelines",
    rule: text(
        "Fails when the page is excluded from Google's index (noindex, none, or an `unavailable_after` in the past, in a meta tag or header) and its main nodes have a type with a Google rich result. Types that sites put on every page don't count: `Organization`, `LocalBusiness`, `WebSite`, `BreadcrumbList`, `ImageObject` and lists.",
        "Falha quando a página está excluída do índice do Google (noindex, none ou um `unavailable_after` no passado, em meta tag ou cabeçalho) e seus nós principais têm um tipo com resultado avançado do Google. Tipos que os sites põem em todas as páginas não contam: `Organization`, `LocalBusiness`, `WebSite`, `BreadcrumbList`, `ImageObject` e listas.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: WHOLE,
    run: |facts| facts.unless_unread(on_noindex(facts)),
};

const DATA_VOCABULARY: Check = Check {
    code: "data_vocabulary_markup",
    severity: Severity::Warn,
    impact: Impact::RichResult,
    title: text("Obsolete data-vocabulary.org markup", "Marcação obsoleta do data-vocabulary.org"),
    why: text(
        "Google stopped reading this vocabulary in January 2021. Breadcrumbs, ratings and prices marked up with it bring no rich result.",
        "O Google deixou de ler esse vocabulário em janeiro de 2021. Trilhas, notas e preços marcados com ele não geram resultado avançado.",
    ),
    how: text(
        "Replace it with schema.org types, ideally as JSON-LD.",
        "Troque-a por tipos do schema.org, de preferência em JSON-LD.",
    ),
    reference: "https://developers.google.com/search/blog/2020/01/data-vocabulary",
    rule: text(
        "Fails when an element has an `itemtype` of data-vocabulary.org, or a `typeof` inside a declaration of its RDFa namespace. A note when the page also has schema.org nodes, which may contain the same data.",
        "Falha quando um elemento tem um `itemtype` do data-vocabulary.org, ou um `typeof` dentro de uma declaração do namespace RDFa dele. É uma observação quando a página também tem nós do schema.org, que podem conter os mesmos dados.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Body),
    since: PRECISION,
    run: data_vocabulary,
};

/// Types whose result has ended, with source and date in the file.
const RETIRED_TYPES: &str = include_str!("../../data/retired_types.tsv");

/// The third column of a type that needs no other.
const ANY: &str = "-";

/// Whether a node is an action of one of a type: an action of another kind of thing never had a result.
fn is_action_of<'t>(graph: &Graph<'t>, node: &GraphNode<'t>, name: &str, of: &str) -> bool {
    let is_of = |(parent, property): &(usize, &str)| {
        *property == "potentialAction" && graph.nodes.get(*parent).is_some_and(|parent| graph.is_any(parent, &[of]))
    };
    node.types.contains(&name) && node.within.iter().any(is_of)
}

/// Says which types no longer give a rich result. Never advises to delete them.
fn retired(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let graph = facts.graph();
    if html.json_ld.blocks.is_empty() && graph.is_err() {
        return Err(NotMeasured::Absent);
    }
    let nodes = html.json_ld.nodes();
    let is_there = |name: &str, of: &str| {
        if of != ANY {
            return graph.is_ok_and(|graph| graph.nodes.iter().any(|node| is_action_of(graph, node, name, of)));
        }
        let in_items = || graph.is_ok_and(|graph| graph.nodes.iter().any(|node| node.types.contains(&name)));
        nodes.iter().any(|node| types_of(node).any(|kind| kind == name)) || in_items()
    };
    let rows = RETIRED_TYPES.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut columns = line.split('\t');
        Some((columns.next()?, columns.next()?, columns.next()?))
    });
    let found: Vec<(&str, &str)> =
        rows.filter(|(name, _, of)| is_there(name, of)).map(|(name, since, _)| (name, since)).collect();
    if found.is_empty() {
        return PASS;
    }
    const ENDED: Text = text(
        "Google no longer shows rich results for {count|this type|these types}: {list}.",
        "O Google não mostra mais resultados avançados {count|deste tipo|destes tipos}: {list}.",
    );
    const KEEP: Text = text(
        "You can keep the markup, but don't expect a rich result from it.",
        "Você pode manter a marcação, mas não espere um resultado avançado dela.",
    );
    let list = found.iter().map(|(name, since)| format!("{name} ({since})")).collect::<Vec<_>>().join(", ");
    let types = found.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let values = [("count", found.len().into()), ("list", list.into()), ("types", types.into())];
    problem(ENDED, &values, FixDraft::instruction(FixTarget::Head, KEEP, &[])).fail()
}

/// Fails when the page has items of a vocabulary that nobody reads any more.
fn data_vocabulary(facts: &Facts<'_>) -> Verdict {
    const DOMAIN: &str = "data-vocabulary.org";
    /// Elements around an item in which its namespace is looked for.
    const MOST_LEVELS: usize = 64;
    let html = facts.page()?;
    if !html.has_items() {
        return Err(NotMeasured::Absent);
    }
    // Few pages have it.
    if html.lacks(SourceMark::DataVocabulary) {
        return PASS;
    }
    let is_declared = |element: Element<'_>| {
        let mut declarations = element.attributes().filter(|(name, _)| name.starts_with("xmlns") || *name == "prefix");
        declarations.any(|(_, value)| value.contains(DOMAIN))
    };
    let is_ended = |element: &Element<'_>| {
        element.attribute("itemtype").is_some_and(|kind| kind.contains(DOMAIN))
            || element.has("typeof")
                && std::iter::once(*element).chain(element.ancestors().take(MOST_LEVELS)).any(is_declared)
    };
    let found: Vec<Element<'_>> = html.document.elements().filter(is_ended).collect();
    let Some(first) = found.first() else { return PASS };
    const ENDED: Text = text(
        "{count|An item uses|{count} items use} data-vocabulary.org, which Google no longer reads{count|: {kind}|; the first is {kind}}.",
        "{count|Um item usa|{count} itens usam} data-vocabulary.org, que o Google não lê mais{count|: {kind}|; o primeiro é {kind}}.",
    );
    let kind = first.attribute("itemtype").or(first.attribute("typeof")).unwrap_or_default();
    let values = [("count", found.len().into()), ("kind", kind.trim().into())];
    let fix = FixDraft::instruction(FixTarget::Body, DATA_VOCABULARY.how, &[]);
    problem(ENDED, &values, fix).minor_if(facts.graph().is_ok()).on(&found).fail()
}

/// Fails when there is no structured data in any syntax on a page that may be indexed.
fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    facts.indexable()?;
    if facts.shell().is_some() {
        return Err(NotMeasured::Shell);
    }
    if html.has_items() || !html.json_ld_scripts.is_empty() {
        return PASS;
    }
    const NONE: Text =
        text("The page has no JSON-LD, microdata or RDFa.", "A página não tem JSON-LD, microdados nem RDFa.");
    const TYPE: Text = text("Choose the type that fits the page.", "Escolha o tipo adequado à página.");
    let is_home = facts.url()?.path() == "/";
    let ready = match is_home {
        true => new_nodes::web_site(facts, html),
        false => new_nodes::article(facts, html)
            .or_else(|| breadcrumb::of_page(facts, html).as_ref().map(new_nodes::breadcrumbs)),
    };
    if let Some(block) = ready {
        return problem(NONE, &[], FixDraft::block(&block)).fail();
    }
    let name = html.headline();
    let block = serde_json::json!({
        "@context": "https://schema.org",
        "@type": "{{TYPE}}",
        "name": name.map_or("{{NAME}}", |name| name.value.as_str()),
        "url": facts.own_url()?.as_str(),
    });
    let snippet = format!("<script type=\"application/ld+json\">{}</script>", crate::escape::json_in_html(&block));
    problem(NONE, &[], FixDraft::template(FixTarget::Head, snippet).note(TYPE, &[])).fail()
}

/// Pages of Google's documentation whose types a site has on every page.
const EVERYWHERE: [&str; 8] = [
    "breadcrumb",
    "organization",
    "local-business",
    "site-names",
    "carousel",
    "image-license-metadata",
    "review-snippet",
    "employer-rating",
];

/// Fails when a page that may not be indexed is marked up for a rich result of its own.
fn on_noindex(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let graph = facts.graph()?;
    if facts.indexable().is_ok() {
        return PASS;
    }
    let subjects = rich_results::subjects(graph, &EVERYWHERE);
    let Some(first) = subjects.first() else { return PASS };
    const HIDDEN: Text = text(
        "The page is excluded from indexing, but has {kind} markup for a rich result.",
        "A página está excluída da indexação, mas tem marcação {kind} para um resultado avançado.",
    );
    const DECIDE: Text = text(
        "If the page should appear in search results, remove the noindex. Otherwise, leave it: the markup does no harm.",
        "Se a página deve aparecer na busca, remova o noindex. Caso contrário, deixe como está: a marcação não faz mal.",
    );
    let kind = first.types.first().copied().unwrap_or_default();
    let places = subjects.iter().filter_map(|node| html.source(node.block)?.place(html, &node.tree.span));
    let fix = FixDraft::instruction(FixTarget::Head, DECIDE, &[]);
    problem(HIDDEN, &[("kind", kind.into())], fix).at(places).fail()
}
