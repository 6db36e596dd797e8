//! How much a page makes browsers hold and crawlers read.

use crate::check::prelude::*;
use crate::facts::document::{Document, NodeId};
use crate::facts::elements::Reach;
use crate::facts::page::Html;
use crate::facts::plain_address::is_data;
use crate::facts::tree_size::{TreeSize, is_counted, is_row_of_many};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "page-weight",
    category: Category::Performance,
    landing: LANDING,
    checks: &[DOM_LARGE, INLINE_LARGE],
};

const LANDING: Landing = Landing {
    title: text("DOM size and inline weight checker", "Verificador de tamanho do DOM e peso embutido"),
    h1: text("Is your HTML heavier than necessary?", "Seu HTML é mais pesado do que o necessário?"),
    description: text(
        "Count the elements, nesting depth and children of a page, and measure the scripts, styles and data inlined in its HTML.",
        "Conte os elementos, a profundidade e os filhos de uma página e meça os scripts, estilos e dados embutidos no HTML.",
    ),
    lead: text(
        "Every element costs memory and layout time on each change. Every inline byte is downloaded again with each page, and delays the content that crawlers read.",
        "Cada elemento custa memória e tempo de layout a cada mudança. Cada byte embutido é baixado de novo com cada página e atrasa o conteúdo que os robôs leem.",
    ),
    example: include_str!("page_weight/bad_deep.html"),
};

/// Elements of a page (Lighthouse, dom-size).
const MOST_ELEMENTS: usize = 1_500;
/// Elements inside one another (Lighthouse, dom-size).
const MOST_DEPTH: usize = 32;
/// Children of one element (Lighthouse, dom-size).
const MOST_CHILDREN: usize = 60;
/// Bytes that stand inline.
const MOST_INLINE: usize = 300 * 1024;
/// Percent of the HTML that they may be, from [`LEAST_INLINE`] on.
const MOST_SHARE: usize = 60;
/// Bytes below which a share says nothing: a short page with its styles inline is quick.
const LEAST_INLINE: usize = 50 * 1024;

const DOM_LARGE: Check = Check {
    code: "dom_size_large",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Large DOM", "DOM grande"),
    why: text(
        "On each change, the browser has to process the page's elements again. On phones, a large DOM makes scrolling and input slow.",
        "A cada mudança, o navegador precisa processar de novo os elementos da página. Em celulares, um DOM grande deixa a rolagem e a interação lentas.",
    ),
    how: text(
        "Remove needless wrapper elements, load long parts on demand, and use `content-visibility` for content far down the page.",
        "Remova elementos que só envolvem outros, carregue partes longas sob demanda e use `content-visibility` no conteúdo bem abaixo.",
    ),
    reference: "https://developer.chrome.com/docs/performance/insights/dom-size",
    rule: text(
        "Fails when the HTML as sent has more than 1,500 elements, elements nested more than 32 levels deep, or an element with more than 60 children. Paragraphs, headings, line breaks and invisible elements don't count as children. Elements made to hold many parts are exempt: tables, lists, selects, drawings and formulas. The content of `template` is not counted.",
        "Falha quando o HTML como enviado tem mais de 1.500 elementos, mais de 32 níveis de aninhamento ou um elemento com mais de 60 filhos. Parágrafos, títulos, quebras de linha e elementos invisíveis não contam como filhos. Elementos feitos para conter muitas partes são isentos: tabelas, listas, seletores, desenhos e fórmulas. O conteúdo de `template` não é contado.",
    ),
    thresholds: &[
        threshold("elements", MOST_ELEMENTS as u64, "elements"),
        threshold("depth", MOST_DEPTH as u64, "elements"),
        threshold("children", MOST_CHILDREN as u64, "elements"),
    ],
    remedy: remedy(FixClass::Instruction, FixTarget::Body),
    since: WHOLE,
    run: dom_large,
};

const INLINE_LARGE: Check = Check {
    code: "inline_payload_large",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Too much inline script, style or data", "Scripts, estilos ou dados embutidos demais"),
    why: text(
        "Browsers can't cache inline code apart from the page, and it delays the content after it. It also uses up the first 2 MB of a page, which is all that Googlebot reads.",
        "O navegador não guarda em cache o código embutido separado da página, e ele atrasa o conteúdo que vem depois. Também consome os primeiros 2 MB da página, que são tudo o que o Googlebot lê.",
    ),
    how: text(
        "Move large scripts, styles and images into separate files, and send less state to the browser.",
        "Mova scripts, estilos e imagens grandes para arquivos separados e envie menos estado ao navegador.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/googlebot",
    rule: text(
        "Fails when inline scripts (including data blocks), styles and `data:` URLs take more than 300 KB of the HTML, or at least 50 KB and more than 60% of it.",
        "Falha quando scripts embutidos (inclusive blocos de dados), estilos e URLs `data:` ocupam mais de 300 KB do HTML, ou pelo menos 50 KB e mais de 60% dele.",
    ),
    thresholds: &[
        threshold("inline", MOST_INLINE as u64, "bytes"),
        threshold("share", MOST_SHARE as u64, "percent"),
        threshold("least_inline", LEAST_INLINE as u64, "bytes"),
    ],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: inline_large,
};

/// Where the deepest and the widest element are: one walk, with the elements around the current one and their counted
/// children.
fn extremes(document: &Document) -> (Option<NodeId>, Option<NodeId>) {
    let (mut deepest, mut widest) = ((0, None), (0, None));
    let mut around: Vec<(Element<'_>, usize)> = Vec::new();
    for element in document.elements() {
        let parent = element.parent();
        while around.last().is_some_and(|(last, _)| Some(*last) != parent) {
            around.pop();
        }
        if let Some((parent, children)) = around.last_mut().filter(|_| is_counted(element)) {
            *children += 1;
            if *children > widest.0 && !is_row_of_many(*parent) {
                widest = (*children, Some(parent.id()));
            }
        }
        around.push((element, 0));
        if around.len() > deepest.0 {
            deepest = (around.len(), Some(element.id()));
        }
    }
    (deepest.1, widest.1)
}

/// Fails on many elements, deep or wide ones.
fn dom_large(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    let TreeSize { elements, depth, children } = html.size();
    let (is_deep, is_wide) = (depth > MOST_DEPTH, children > MOST_CHILDREN);
    if elements <= MOST_ELEMENTS && !is_deep && !is_wide {
        return PASS;
    }
    const LARGE: Text = text(
        "The HTML has {elements} elements, up to {depth} nesting levels and up to {children} children per element. The limits are {most}, {deepest} and {widest}.",
        "O HTML tem {elements} elementos, até {depth} níveis de aninhamento e até {children} filhos por elemento. Os limites são {most}, {deepest} e {widest}.",
    );
    const TAKE: Text = text(
        "Start with the places listed: they are the widest or the deepest.",
        "Comece pelos lugares listados: são os mais largos ou os mais profundos.",
    );
    const SPREAD: Text = text(
        "No single part is too large. Show less at once, such as only the first comments or products, and remove needless wrapper elements.",
        "Nenhuma parte isolada é grande demais. Mostre menos de uma vez, como só os primeiros comentários ou produtos, e remova elementos que só envolvem outros.",
    );
    let note = if is_wide || is_deep { TAKE } else { SPREAD };
    let is_shown = (is_wide || is_deep) && !html.document.lacks_places();
    let (deepest, widest) = if is_shown { extremes(&html.document) } else { (None, None) };
    let places = [widest.filter(|_| is_wide), deepest.filter(|_| is_deep)];
    let values = [
        ("elements", elements.into()),
        ("depth", depth.into()),
        ("children", children.into()),
        ("most", MOST_ELEMENTS.into()),
        ("deepest", MOST_DEPTH.into()),
        ("widest", MOST_CHILDREN.into()),
    ];
    problem(LARGE, &values, FixDraft::instruction(FixTarget::Body, note, &[]))
        .on(places.into_iter().flatten().filter_map(|id| html.element(id)))
        .fail()
}

/// What stands inline, with its bytes.
fn inline(html: &Html) -> Vec<(usize, Element<'_>)> {
    let length = |element: Element<'_>| element.texts().map(str::len).sum::<usize>();
    let scripts = html.elements(&html.scripts).filter(|script| !script.has("src"));
    let blocks = scripts.chain(html.elements(&html.styles)).map(|block| (length(block), block));
    let data = |element: Element<'_>| {
        let addresses = [
            element.attribute("src"),
            element.attribute("srcset"),
            element.attribute("href"),
            element.attribute("poster"),
            element.attribute("data"),
        ];
        addresses.into_iter().flatten().filter(|value| is_data(value)).map(str::len).sum::<usize>()
    };
    let links = html.links.iter().filter_map(|link| html.element(link.node));
    let anchors = html.anchors.iter().filter(|anchor| anchor.reach == Reach::Other);
    let anchors = anchors.filter_map(|anchor| html.element(anchor.node));
    let addresses = html.elements(&html.addressed).chain(links).chain(anchors).map(|element| (data(element), element));
    blocks.chain(addresses).filter(|(bytes, _)| *bytes > 0).collect()
}

/// Fails when scripts, styles and data weigh too much in the HTML.
fn inline_large(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    let mut found = inline(html);
    let bytes: usize = found.iter().map(|(bytes, _)| bytes).sum();
    let whole = html.document.source().len().max(1);
    let share = bytes.min(whole) * 100 / whole;
    if bytes <= MOST_INLINE && (share <= MOST_SHARE || bytes < LEAST_INLINE) {
        return PASS;
    }
    found.sort_by_key(|(bytes, element)| (std::cmp::Reverse(*bytes), element.id()));
    const HEAVY: Text = text(
        "Inline scripts, styles and data take {bytes:size} of the HTML ({share}%). The largest block has {largest:size}.",
        "Scripts, estilos e dados embutidos ocupam {bytes:size} do HTML ({share}%). O maior bloco tem {largest:size}.",
    );
    const MOVE: Text = text(
        "Start with the first blocks listed: they are sorted by size.",
        "Comece pelos primeiros blocos listados: estão em ordem de tamanho.",
    );
    let largest = found.first().map_or(0, |(bytes, _)| *bytes);
    let values = [("bytes", bytes.into()), ("share", share.into()), ("largest", largest.into())];
    problem(HEAVY, &values, FixDraft::instruction(FixTarget::Page, MOVE, &[]))
        .on(found.iter().map(|(_, element)| element))
        .fail()
}
