//! Links to places within the page that are not there.

use std::collections::HashSet;

use crate::check::prelude::*;
use crate::facts::page::Html;
use crate::facts::page_controls::{has_mark, is_marked, names_control};
use crate::facts::url_identity::{percent_decoded, same_page};

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "fragment-links", category: Category::Links, landing: LANDING, checks: &[MISSING] };

const LANDING: Landing = Landing {
    title: text("Broken anchor link checker", "Verificador de âncoras quebradas"),
    h1: text("Do the jump links on your page work?", "Os links para trechos da sua página funcionam?"),
    description: text(
        "Find links to a section of the same page whose target id doesn't exist, such as in an outdated table of contents.",
        "Encontre links para um trecho da mesma página cujo id de destino não existe, como em um sumário desatualizado.",
    ),
    lead: text(
        "A link to `#prices` jumps to the element with that id, and does nothing if there is none. Search engines can show such jump links in results. This tool looks up each target.",
        "Um link para `#precos` pula para o elemento com esse id e não faz nada se ele não existe. Os buscadores podem mostrar esses atalhos nos resultados. Esta ferramenta confere cada destino.",
    ),
    example: include_str!("fragment_links/bad.html"),
};

const MISSING: Check = Check {
    code: "link_fragment_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Broken jump links", "Links para trechos inexistentes"),
    why: text(
        "A click on the link does nothing, so visitors don't reach the section they chose.",
        "O clique no link não faz nada, e o visitante não chega ao trecho que escolheu.",
    ),
    how: text(
        "Give the target section the id in the link, or correct the link.",
        "Dê ao trecho de destino o id que está no link ou corrija o link.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/browsing-the-web.html#scrolling-to-a-fragment",
    rule: text(
        "Fails when the `href` of an `a` begins with `#`, leads to this page, and no element has the text after `#` as its `id` and no `a` has it as its `name`, either as written or percent-decoded. The check skips `#`, `#top`, text directives (`:~:`), script routes (`#/`, `#!`) and hidden links. It skips links that scripts use: those with `onclick`, `role`, `data-*`, `aria-controls` and the like, and those that open or close an overlay, a menu or a tab, recognized by a word of `control_words.tsv` in their name, class, id, `rel` or target. Not measured when the document was cut or is an empty app shell; not applicable without such links.",
        "Falha quando o `href` de um `a` começa com `#`, leva a esta página, e nenhum elemento tem o texto depois de `#` como `id` e nenhum `a` o tem como `name`, como está escrito ou com os percentuais decodificados. A verificação ignora `#`, `#top`, diretivas de texto (`:~:`), rotas de scripts (`#/`, `#!`) e links ocultos. Ignora também links usados por scripts: os que têm `onclick`, `role`, `data-*`, `aria-controls` e semelhantes, e os que abrem ou fecham uma sobreposição, um menu ou uma aba, reconhecidos por uma palavra de `control_words.tsv` no nome, classe, id, `rel` ou destino. Não é medido quando o documento foi cortado ou é a casca vazia de um aplicativo; não se aplica sem esses links.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Body),
    since: WHOLE,
    run: missing,
};

/// Whether a script may use a link for something else than a jump: to open or close an overlay, a menu or a tab.
fn is_of_script(link: Element<'_>, target: &str) -> bool {
    let is_handled = link.attributes().any(|(name, _)| matches!(name, "onclick" | "role") || name.starts_with("data-"));
    let named = || link.attribute("aria-label").map_or_else(|| link.text(), str::to_owned);
    is_handled || has_mark(target) || is_marked(link) || names_control(&named())
}

/// Names of anchors, which are targets of jumps as ids are.
fn anchor_names(html: &Html) -> HashSet<&str> {
    html.elements(&html.hyperlinks).filter_map(|anchor| anchor.attribute("name")).collect()
}

fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    facts.filled_page()?;
    let jumps: Vec<(Element<'_>, &str)> = html
        .anchors
        .iter()
        .filter_map(|anchor| {
            let link = html.element(anchor.node)?;
            let id = link.attribute("href")?.trim().strip_prefix('#')?;
            let url = anchor.url().filter(|url| url.fragment().is_some())?;
            same_page(url, &html.url).then_some((link, id))
        })
        .filter(|(_, id)| !id.is_empty() && !id.starts_with(['/', '!']) && !id.contains(":~:"))
        .filter(|(_, id)| !id.eq_ignore_ascii_case("top"))
        .collect();
    let is_jump = |(link, id): &(Element<'_>, &str)| !is_of_script(*link, id);
    if !jumps.iter().any(is_jump) {
        return Err(NotMeasured::Absent);
    }
    let names = anchor_names(html);
    // Ids of all elements, those of pictures too.
    let is_target = |id: &str| html.document.by_id(id).is_some() || names.contains(id);
    let is_there = |id: &str| is_target(id) || is_target(&percent_decoded(id));
    let found: Vec<(Element<'_>, &str)> = jumps
        .into_iter()
        .filter(|(link, id)| !is_there(id) && !html.listed.is_unseen(*link) && is_jump(&(*link, *id)))
        .collect();
    let Some((_, first)) = found.first() else { return PASS };
    const NOWHERE: Text = text(
        "{count|A link jumps to a section that doesn't exist on this page: #{id}.|{count} links jump to sections that don't exist on this page; the first jumps to #{id}.}",
        "{count|Um link aponta para um trecho que não existe nesta página: #{id}.|{count} links apontam para trechos que não existem nesta página; o primeiro é #{id}.}",
    );
    let values = [("count", found.len().into()), ("id", (*first).into())];
    let fix = FixDraft::instruction(FixTarget::Body, MISSING.how, &[]);
    problem(NOWHERE, &values, fix).on(found.iter().map(|(link, _)| link)).fail()
}
