//! How much a page makes browsers hold and crawlers read.

use crate::check::prelude::*;
use crate::facts::document::{Document, Namespace, NodeId};
use crate::facts::page::Html;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "page-weight",
    category: Category::Performance,
    landing: LANDING,
    checks: &[DOM_LARGE, INLINE_LARGE],
};

const LANDING: Landing = Landing {
    title: text("DOM size and inline weight checker", "Verificador de tamanho do DOM e peso embutido"),
    h1: text("Is your HTML heavier than it needs to be?", "Seu HTML é mais pesado do que precisa?"),
    description: text(
        "Counts elements, depth and children of a page, and weighs the scripts, styles and data that stand in its HTML.",
        "Conta elementos, profundidade e filhos de uma página e pesa scripts, estilos e dados que estão no HTML.",
    ),
    lead: text(
        "Every element costs memory and layout time at each change; every inline byte is sent again with each page and stands before the content that crawlers read.",
        "Cada elemento custa memória e tempo de layout a cada mudança; cada byte embutido é reenviado com cada página e fica antes do conteúdo que os robôs leem.",
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
    title: text("Large document tree", "Árvore do documento grande"),
    why: text(
        "Each change of the page makes the browser look at its elements again; on phones many of them make scrolling and input slow.",
        "A cada mudança na página o navegador reexamina os elementos; em celulares, muitos deles deixam a rolagem e a interação lentas.",
    ),
    how: text(
        "Drop wrappers that only wrap, show long parts when they are asked for, and use `content-visibility` for what is far below.",
        "Remova invólucros que só envolvem, mostre partes longas quando forem pedidas e use `content-visibility` no que está bem abaixo.",
    ),
    reference: "https://developer.chrome.com/docs/performance/insights/dom-size",
    rule: text(
        "Fails at more than 1,500 elements in the HTML as sent, more than 32 inside one another, or more than 60 children of one element. Of children, paragraphs, headings, line breaks and what is not shown don't count, and the rows and items of tables, lists and selects, and the parts of drawings and formulas, are what they are for. Templates are left out.",
        "Falha com mais de 1.500 elementos no HTML como enviado, mais de 32 um dentro do outro, ou mais de 60 filhos de um elemento. Dos filhos, parágrafos, títulos, quebras de linha e o que não é exibido não contam, e linhas e itens de tabelas, listas e seletores, e as partes de desenhos e fórmulas, existem para isso. Modelos (`template`) ficam de fora.",
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
    title: text("Much script, style or data in the HTML", "Muito script, estilo ou dado no HTML"),
    why: text(
        "Inline bytes can't be cached, delay the content behind them, and use up what crawlers read of a page: Googlebot reads the first 2 MB.",
        "Bytes embutidos não ficam em cache, atrasam o conteúdo que vem depois e consomem o que os robôs leem de uma página: o Googlebot lê os primeiros 2 MB.",
    ),
    how: text(
        "Move large scripts, styles and images into files of their own, and send less state to the browser.",
        "Mova scripts, estilos e imagens grandes para arquivos próprios e envie menos estado ao navegador.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/googlebot",
    rule: text(
        "Fails when inline scripts (data blocks too), styles and `data:` addresses take more than 300 KiB of the HTML, or more than 60 % of it and at least 50 KiB.",
        "Falha quando scripts embutidos (blocos de dados também), estilos e endereços `data:` ocupam mais de 300 KiB do HTML, ou mais de 60 % dele e pelo menos 50 KiB.",
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

/// A document's measures, and where the deepest and the widest element are.
#[derive(Debug, Default, PartialEq, Eq)]
struct TreeSize {
    elements: usize,
    depth: (usize, Option<NodeId>),
    children: (usize, Option<NodeId>),
}

/// One walk, with the elements around the current one and their counted children.
fn measure(document: &Document) -> TreeSize {
    let mut size = TreeSize::default();
    let mut around: Vec<(Element<'_>, usize)> = Vec::new();
    for element in document.elements() {
        size.elements += 1;
        let parent = element.parent();
        while around.last().is_some_and(|(last, _)| Some(*last) != parent) {
            around.pop();
        }
        if let Some((parent, children)) = around.last_mut().filter(|_| is_counted(element)) {
            *children += 1;
            if *children > size.children.0 && !is_row_of_many(*parent) {
                size.children = (*children, Some(parent.id()));
            }
        }
        around.push((element, 0));
        if around.len() > size.depth.0 {
            size.depth = (around.len(), Some(element.id()));
        }
    }
    size
}

/// Whether a child adds to its parent's layout more than a line of text.
fn is_counted(child: Element<'_>) -> bool {
    const NOT: [&str; 17] = [
        "p", "h1", "h2", "h3", "h4", "h5", "h6", "br", "wbr", "hr", "script", "style", "link", "meta", "noscript",
        "template", "title",
    ];
    !NOT.contains(&child.name())
}

/// Whether an element is made to hold many; drawings and formulas are laid out as a whole.
fn is_row_of_many(parent: Element<'_>) -> bool {
    const MANY: [&str; 18] = [
        "ul", "ol", "dl", "menu", "table", "thead", "tbody", "tfoot", "tr", "colgroup", "select", "optgroup",
        "datalist", "p", "pre", "code", "head", "map",
    ];
    parent.namespace() != Namespace::Html || MANY.contains(&parent.name())
}

/// Fails on many elements, deep or wide ones.
fn dom_large(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    let size = measure(&html.document);
    let (depth, children) = (size.depth.0, size.children.0);
    let (is_deep, is_wide) = (depth > MOST_DEPTH, children > MOST_CHILDREN);
    if size.elements <= MOST_ELEMENTS && !is_deep && !is_wide {
        return PASS;
    }
    const LARGE: Text = text(
        "The HTML has {elements} elements, up to {depth} inside one another and up to {children} in one (at most {most}, {deepest} and {widest}).",
        "O HTML tem {elements} elementos, até {depth} um dentro do outro e até {children} em um só (no máximo {most}, {deepest} e {widest}).",
    );
    const TAKE: Text = text(
        "Begin at the places named: they hold the most, or lie the deepest.",
        "Comece pelos lugares indicados: são os que contêm mais elementos ou os mais profundos.",
    );
    const SPREAD: Text = text(
        "No part stands out: show less at once, such as the first comments or products, and drop elements that only wrap others.",
        "Nenhuma parte se destaca: mostre menos de uma vez, como os primeiros comentários ou produtos, e tire elementos que só envolvem outros.",
    );
    let note = if is_wide || is_deep { TAKE } else { SPREAD };
    let places = [size.children.1.filter(|_| is_wide), size.depth.1.filter(|_| is_deep)];
    let values = [
        ("elements", size.elements.into()),
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
        ["src", "srcset", "href", "poster", "data"]
            .iter()
            .filter_map(|name| element.attribute(name))
            .filter(|value| value.trim_start().get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data:")))
            .map(str::len)
            .sum::<usize>()
    };
    let links = html.links.iter().filter_map(|link| html.element(link.node));
    let addresses = html.elements(&html.addressed).chain(links).map(|element| (data(element), element));
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
        "Scripts, styles and data take {bytes} bytes of the HTML ({share} %); the largest block has {largest}.",
        "Scripts, estilos e dados ocupam {bytes} bytes do HTML ({share} %); o maior bloco tem {largest}.",
    );
    const MOVE: Text = text(
        "Begin with the blocks named first; they are sorted by weight.",
        "Comece pelos primeiros blocos indicados; estão ordenados por peso.",
    );
    let largest = found.first().map_or(0, |(bytes, _)| *bytes);
    let values = [("bytes", bytes.into()), ("share", share.into()), ("largest", largest.into())];
    problem(HEAVY, &values, FixDraft::instruction(FixTarget::Page, MOVE, &[]))
        .on(found.iter().map(|(_, element)| element))
        .fail()
}
