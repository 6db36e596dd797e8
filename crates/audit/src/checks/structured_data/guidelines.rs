//! What Google's guidelines for structured data ask besides its form: that the page shows what is marked up.

use crate::check::prelude::*;
use crate::facts::jsonld::graph::{Graph, GraphNode, PathValue, local};
use crate::facts::jsonld::placeholder::is_placeholder;
use crate::facts::jsonld::tree::{TreeKind, ValueTree};
use crate::facts::jsonld::value::plain;
use crate::facts::page::Html;
use crate::facts::url_identity::same_site;
use crate::facts::{shown_markup, simple_selector};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "structured-data-guidelines",
    category: Category::StructuredData,
    landing: Landing {
        title: text("Structured data guidelines checker", "Verificador das diretrizes de dados estruturados"),
        h1: text("Does your markup follow Google's guidelines?", "Sua marcação segue as diretrizes do Google?"),
        description: text(
            "Check that the headline, rating and paywalled part in your structured data are on the page, and that no business rates itself.",
            "Confira se o título, a nota e a parte paga dos seus dados estruturados estão na página e se nenhuma empresa avalia a si mesma.",
        ),
        lead: text(
            "Google can remove rich results by a manual action if markup describes invisible content, or if a business marks up reviews of itself. This tool compares the markup with what the page shows.",
            "O Google pode remover resultados avançados por uma ação manual se a marcação descreve conteúdo invisível ou se uma empresa marca avaliações de si mesma. Esta ferramenta compara a marcação com o que a página mostra.",
        ),
        example: include_str!("guidelines/bad_headline.html"),
    },
    checks: &[NOT_VISIBLE, SELF_SERVING, PAYWALL],
};

const NOT_VISIBLE: Check = Check {
    code: "jsonld_content_not_visible",
    severity: Severity::Warn,
    impact: Impact::RichResult,
    title: text("Structured data not shown on the page", "Dados estruturados que a página não mostra"),
    why: text(
        "Google requires that visitors can see marked-up content. It treats invisible content as spam and may take a manual action.",
        "O Google exige que os visitantes possam ver o conteúdo marcado. Ele trata conteúdo invisível como spam e pode aplicar uma ação manual.",
    ),
    how: text(
        "Show the content on the page, or remove it from the markup.",
        "Mostre o conteúdo na página ou remova-o da marcação.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/structured-data/sd-policies#content",
    rule: text(
        "Fails when the page shows less than half of the words in the headline or name of its only main node (article, product, recipe, event, job, video, course, movie, software, book, forum post), or neither the value nor the count of its `aggregateRating`. The check looks at visible text, alt text, labels and form values, and finds numbers with any separators, rounded or as thousands (`1.2k`). It skips microdata and RDFa, names in scripts without word spaces, pages with a known review widget, and pages with several main nodes. Not measured on an empty app shell or a cut page.",
        "Falha quando a página mostra menos da metade das palavras do título ou nome do seu único nó principal (artigo, produto, receita, evento, vaga, vídeo, curso, filme, programa, livro, post de fórum), ou nem o valor nem a contagem do `aggregateRating` dele. A verificação olha o texto visível, textos alternativos, rótulos e valores de formulário, e encontra números com qualquer separador, arredondados ou em milhares (`1,2 mil`). Ignora microdados e RDFa, nomes em escritas sem espaço entre palavras, páginas com um widget de avaliações conhecido e páginas com vários nós principais. Não é medido na casca vazia de um aplicativo ou em página cortada.",
    ),
    thresholds: &[threshold("words_shown", LEAST_SHARE as u64, "percent")],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: WHOLE,
    run: |facts| facts.unless_unread(not_visible(facts)),
};

const SELF_SERVING: Check = Check {
    code: "review_self_serving",
    severity: Severity::Warn,
    impact: Impact::RichResult,
    title: text("Reviews of a business on its own site", "Avaliações da empresa no próprio site"),
    why: text(
        "Google shows no stars for a business or organization that is rated on its own site. Such markup violates Google's guidelines.",
        "O Google não mostra estrelas para uma empresa ou organização avaliada no próprio site. Essa marcação viola as diretrizes do Google.",
    ),
    how: text(
        "Remove `review` and `aggregateRating` from the node of the business. Mark up ratings of products, recipes or services instead, each on its own page.",
        "Remova `review` e `aggregateRating` do nó da empresa. Marque avaliações de produtos, receitas ou serviços, cada uma na própria página.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/structured-data/review-snippet#guidelines",
    rule: text(
        "Fails when a main node of the type `Organization` or a subtype (including every `LocalBusiness`) has `review` or `aggregateRating` and belongs to the site itself. It does when its `url` is the root of this site, or when the page is the home page and the node has no URL of another site. Directories of other businesses, with their own URLs or pages, are skipped.",
        "Falha quando um nó principal do tipo `Organization` ou de um subtipo (inclusive todo `LocalBusiness`) tem `review` ou `aggregateRating` e pertence ao próprio site. É o caso quando seu `url` é a raiz deste site, ou quando a página é a inicial e o nó não tem a URL de outro site. Guias de outras empresas, com URLs ou páginas próprias, são ignorados.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: WHOLE,
    run: |facts| facts.unless_unread(self_serving(facts)),
};

const PAYWALL: Check = Check {
    code: "paywall_selector_unmatched",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Paywall selector matches nothing", "Seletor de paywall sem correspondência"),
    why: text(
        "Google uses `cssSelector` to find the paid part of the page and to tell a paywall from cloaking. A selector that matches nothing identifies no part.",
        "O Google usa `cssSelector` para achar a parte paga da página e distinguir um paywall de cloaking. Um seletor sem correspondência não identifica parte nenhuma.",
    ),
    how: text(
        "Give the paid part a class, and use that class in `cssSelector`.",
        "Dê uma classe à parte paga e use essa classe em `cssSelector`.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/structured-data/paywalled-content",
    rule: text(
        "Fails when a node has `isAccessibleForFree` set to false and a `cssSelector` in its `hasPart` that matches no element in the HTML. Only selectors made of a tag, classes and an id, and lists of them, are read; others are skipped. A note, because a site may serve the paid part only to verified crawlers. Not measured on a cut page or an empty app shell.",
        "Falha quando um nó tem `isAccessibleForFree` falso e um `cssSelector` em `hasPart` que não corresponde a nenhum elemento do HTML. Só são lidos seletores formados por tag, classes e id, e listas deles; os outros são ignorados. É uma observação, porque um site pode servir a parte paga só a robôs verificados. Não é medido em página cortada ou na casca vazia de um aplicativo.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: WHOLE,
    run: |facts| facts.unless_unread(paywall(facts)),
};

/// Percent of the words of a name that the page shows at least.
const LEAST_SHARE: usize = 50;
/// Types that a page is about, with a name that it shows.
const SUBJECTS: [&str; 11] = [
    "Article",
    "Product",
    "Recipe",
    "Event",
    "JobPosting",
    "VideoObject",
    "Course",
    "Movie",
    "SoftwareApplication",
    "Book",
    "DiscussionForumPosting",
];
/// Characters shown of a text.
const SHOWN_CHARACTERS: usize = 120;

/// Fails when the page does not show what its main node says.
fn not_visible(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    facts.filled_page()?;
    let graph = facts.graph()?;
    let mut subjects = graph.nodes.iter().filter(|node| {
        let in_block = html.source(node.block).is_some_and(|source| source.block().is_some());
        in_block && graph.leads(node) && graph.is_any(node, &SUBJECTS)
    });
    let Some(subject) = subjects.next().filter(|_| subjects.next().is_none()) else { return Err(NotMeasured::Absent) };
    if !graph.is_subject(subject) {
        return Err(NotMeasured::Absent);
    }
    let place = |value: &ValueTree| html.source(subject.block)?.place(html, &value.span);
    let kind = subject.types.first().copied().unwrap_or_default();
    for property in ["headline", "name"] {
        let PathValue::Value(value) = graph.look(subject.tree, property) else { continue };
        // What was never filled in is told as that.
        let Some(stated) = value.text().filter(|stated| !is_placeholder(stated)) else { continue };
        if shown_markup::share_of_words(html, stated).is_some_and(|share| share < LEAST_SHARE) {
            const HIDDEN: Text = text(
                "The page doesn't show {kind}.{property}: “{text}”.",
                "A página não mostra {kind}.{property}: “{text}”.",
            );
            let shown: String = stated.chars().take(SHOWN_CHARACTERS).collect();
            let values = [("kind", kind.into()), ("property", property.into()), ("text", shown.into())];
            return problem(HIDDEN, &values, show_it()).at(place(value)).fail();
        }
    }
    let number = |path: &str| match graph.look(subject.tree, path) {
        PathValue::Value(value) => Some((value, plain(value)?.trim())),
        PathValue::Absent | PathValue::Unknown => None,
    };
    let rating = number("aggregateRating.ratingValue");
    let count = number("aggregateRating.reviewCount").or_else(|| number("aggregateRating.ratingCount"));
    let Some(((value, rating), (_, count))) = rating.zip(count) else { return PASS };
    if shown_markup::shows_number(html, rating)
        || shown_markup::shows_number(html, count)
        || shown_markup::has_review_widget(html)
    {
        return PASS;
    }
    const UNSEEN: Text = text(
        "The page shows neither the rating ({rating}) nor the count ({count}) of {kind}.aggregateRating.",
        "A página não mostra nem a nota ({rating}) nem a contagem ({count}) de {kind}.aggregateRating.",
    );
    let shown = |number: &str| number.chars().take(SHOWN_CHARACTERS).collect::<String>();
    let values = [("rating", shown(rating).into()), ("count", shown(count).into()), ("kind", kind.into())];
    problem(UNSEEN, &values, show_it()).at(place(value)).fail()
}

fn show_it() -> FixDraft {
    const SHOW: Text = text(
        "Show this content on the page, or remove it from the markup.",
        "Mostre este conteúdo na página ou remova-o da marcação.",
    );
    FixDraft::instruction(FixTarget::Head, SHOW, &[])
}

/// Fails when the node of the site's own business is rated.
fn self_serving(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let graph = facts.graph()?;
    let businesses = graph.nodes.iter().filter(|node| graph.leads(node) && graph.is_any(node, &["Organization"]));
    let mut businesses = businesses.peekable();
    if businesses.peek().is_none() {
        return Err(NotMeasured::Absent);
    }
    let rated: Vec<(&GraphNode<'_>, &str)> = businesses
        .filter(|node| is_own(html, graph, node))
        .filter_map(|node| {
            let property = ["aggregateRating", "review"].into_iter();
            let mut has = property.filter(|name| matches!(graph.look(node.tree, name), PathValue::Value(_)));
            Some((node, has.next()?))
        })
        .collect();
    let Some((first, property)) = rated.first() else { return PASS };
    const OWN: Text = text(
        "The site marks up {property} of its own organization ({kind}).",
        "O site marca {property} da própria organização ({kind}).",
    );
    const REMOVE: Text =
        text("Remove review and aggregateRating from this node.", "Remova review e aggregateRating deste nó.");
    let kind = first.types.first().copied().unwrap_or_default();
    let places = rated.iter().filter_map(|(node, _)| html.source(node.block)?.place(html, &node.tree.span));
    let fix = FixDraft::instruction(FixTarget::Head, REMOVE, &[]);
    problem(OWN, &[("kind", kind.into()), ("property", (*property).into())], fix).at(places).fail()
}

/// Whether a business is the one whose site this is.
fn is_own<'t>(html: &Html, graph: &Graph<'t>, node: &GraphNode<'t>) -> bool {
    let url = match graph.look(node.tree, "url") {
        PathValue::Value(value) => value.text().and_then(|url| html.resolve(url)),
        PathValue::Absent | PathValue::Unknown => None,
    };
    let is_root = |url: &url::Url| url.path() == "/" && url.query().is_none();
    match url {
        Some(url) => same_site(&url, &html.url) && is_root(&url),
        None => is_root(&html.url),
    }
}

/// Fails when the part of the page that is said to be paid for is not there.
fn paywall(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    facts.filled_page()?;
    let graph = facts.graph()?;
    let mut read = 0;
    let mut lost: Vec<(&GraphNode<'_>, &ValueTree)> = Vec::new();
    for node in graph.nodes.iter().filter(|node| is_closed(node.tree)) {
        let parts = node.tree.members().into_iter().flatten().filter(|member| local(&member.name) == "hasPart");
        let parts = parts.flat_map(|member| member.value.each()).filter(|part| is_closed(part));
        let members =
            parts.filter_map(ValueTree::members).flatten().filter(|member| local(&member.name) == "cssSelector");
        for selector in members.flat_map(|member| member.value.each()).take(MOST_SELECTORS.saturating_sub(read)) {
            let found = selector.text().and_then(|text| simple_selector::matches_any(&html.document, text));
            read += usize::from(found.is_some());
            lost.extend((found == Some(false)).then_some((node, selector)));
        }
    }
    if read == 0 {
        return Err(NotMeasured::Absent);
    }
    let Some((_, first)) = lost.first() else { return PASS };
    const NOTHING: Text = text(
        "No element on the page matches the cssSelector “{selector}”.",
        "Nenhum elemento da página corresponde ao cssSelector “{selector}”.",
    );
    const CLASS: Text = text(
        "Use the class of the paid part in cssSelector, or give that part this class.",
        "Use em cssSelector a classe da parte paga ou dê essa classe a ela.",
    );
    let shown: String = first.text().unwrap_or_default().chars().take(SHOWN_CHARACTERS).collect();
    let places = lost.iter().filter_map(|(node, value)| html.source(node.block)?.place(html, &value.span));
    let fix = FixDraft::instruction(FixTarget::Head, CLASS, &[]);
    problem(NOTHING, &[("selector", shown.into())], fix).at(places).fail()
}

/// Selectors of one page that are looked for.
const MOST_SELECTORS: usize = 10;

/// Whether a thing says that it is not free.
fn is_closed(node: &ValueTree) -> bool {
    let mut free = node.members().into_iter().flatten().filter(|member| local(&member.name) == "isAccessibleForFree");
    free.any(|member| match &member.value.kind {
        TreeKind::Bool(free) => !free,
        TreeKind::Text(text) => local(text.trim()).eq_ignore_ascii_case("false"),
        _ => false,
    })
}
