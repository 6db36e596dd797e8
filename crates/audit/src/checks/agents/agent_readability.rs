//! What a page costs a program that reads it, and how it finds the content.

use crate::check::prelude::*;
use crate::facts::content_type::media_type;
use crate::facts::discovery::llms::{self, RootFile};
use crate::facts::document::{Namespace, trimmed};
use crate::facts::headings::outline;
use crate::facts::listed::is_common_part;
use crate::facts::page::Html;
use crate::facts::resolved::content::has_other_class;
use crate::facts::resolved::headline;
use crate::facts::text::is_seen;
use crate::facts::visibility::hides;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "agent-readability",
    category: Category::Agents,
    landing: LANDING,
    checks: &[MAIN_MISSING, TOKENS_HIGH, MARKDOWN_MISSING],
};

const LANDING: Landing = Landing {
    title: text("AI readability checker", "Verificador de legibilidade para IA"),
    h1: text("How easily can an AI agent read your page?", "Um agente de IA lê sua página com facilidade?"),
    description: text(
        "Estimates what a page costs in tokens, and checks whether its main content is marked and whether a Markdown version exists.",
        "Estima quanto uma página custa em tokens e verifica se o conteúdo principal está marcado e se existe uma versão em Markdown.",
    ),
    lead: text(
        "AI agents read pages as text and pay per token. A page that marks its main content and keeps its markup small is read in full, at low cost, and without the menu.",
        "Agentes de IA leem páginas como texto e pagam por token. Uma página que marca o conteúdo principal e mantém a marcação enxuta é lida inteira, a baixo custo e sem o menu.",
    ),
    example: include_str!("agent_readability/bad_main.html"),
};

/// Bytes of a page that make about one token: 10 KB are about 2,500 (Anthropic, web fetch tool).
const BYTES_PER_TOKEN: usize = 4;
/// Tokens from which on an agent's tool may cut a page: the limit of the vendor's own example (Anthropic, web fetch tool).
const MOST_TOKENS: usize = 100_000;

const MAIN_MISSING: Check = Check {
    code: "main_landmark_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Main content not marked", "Conteúdo principal não marcado"),
    why: text(
        "Screen readers and AI agents have to guess where the menu ends and the content begins.",
        "Leitores de tela e agentes de IA precisam adivinhar onde termina o menu e começa o conteúdo.",
    ),
    how: text(
        "Wrap the main content in one `<main>` element.",
        "Envolva o conteúdo principal em um elemento `<main>`.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/grouping-content.html#the-main-element",
    rule: text(
        "Fails when the HTML has no `main` element, no `role=main`, and not exactly one `article` outside other articles. Not measured when a script builds the page or the page was cut off.",
        "Falha quando o HTML não tem um elemento `main`, nem `role=main`, nem exatamente um `article` fora de outros. Não é medido quando um script monta a página ou quando a página foi cortada.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Body),
    since: WHOLE,
    run: main_missing,
};

const TOKENS_HIGH: Check = Check {
    code: "agent_token_cost_high",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Page costs AI agents many tokens", "Página custa muitos tokens aos agentes de IA"),
    why: text(
        "Agents that take the HTML as it is pay for every byte and cut off what is too long, so they lose the end of the page.",
        "Agentes que recebem o HTML como está pagam por cada byte e cortam o que é longo demais; assim, perdem o fim da página.",
    ),
    how: text(
        "Move scripts, styles and data into files, remove wrapper elements, or offer a Markdown version.",
        "Mova scripts, estilos e dados para arquivos, remova elementos que só envolvem outros ou ofereça uma versão em Markdown.",
    ),
    reference: "https://docs.claude.com/en/docs/agents-and-tools/tool-use/web-fetch-tool",
    rule: text(
        "Fails when the HTML costs more than 100,000 tokens, estimated at four bytes per token, and the visible text makes up less than half of that. A page whose text itself is long passes. Tools that strip the markup first pay less.",
        "Falha quando o HTML custa mais de 100.000 tokens, estimados em quatro bytes por token, e o texto visível é menos da metade disso. Uma página cujo próprio texto é longo passa. Ferramentas que removem a marcação antes pagam menos.",
    ),
    thresholds: &[threshold("tokens", MOST_TOKENS as u64, "tokens")],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: tokens_high,
};

const MARKDOWN_MISSING: Check = Check {
    code: "markdown_alternate_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("No Markdown version of the page", "Sem versão em Markdown da página"),
    why: text(
        "The site offers other pages in Markdown but not this one, so agents have to extract its content from the HTML.",
        "O site oferece outras páginas em Markdown, mas não esta; nela, os agentes precisam extrair o conteúdo do HTML.",
    ),
    how: text(
        "Serve a Markdown version of the page and declare it: `<link rel=\"alternate\" type=\"text/markdown\" href=\"…\">`.",
        "Sirva uma versão em Markdown da página e declare-a: `<link rel=\"alternate\" type=\"text/markdown\" href=\"…\">`.",
    ),
    reference: "https://llmstxt.org/#proposal",
    // Asking for it by `Accept` would take a request of its own, so only what is declared can be told; and where
    // nothing says that there are such versions, the absence of one is no news.
    rule: text(
        "Fails when the site's valid `/llms.txt` links to `.md` files but to none for this page's URL, and no `link` element or `Link` header declares an alternate of type `text/markdown`. Whether the server sends Markdown when asked for it by `Accept` is not tested. Not applicable to sites whose llms.txt lists no Markdown files, since they are optional.",
        "Falha quando o `/llms.txt` válido do site tem links para arquivos `.md`, mas nenhum para a URL desta página, e nenhum elemento `link` nem cabeçalho `Link` declara uma alternativa do tipo `text/markdown`. Não se testa se o servidor envia Markdown quando pedido por `Accept`. Não se aplica a sites cujo llms.txt não lista arquivos Markdown, pois eles são opcionais.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Head),
    since: WHOLE,
    run: markdown_missing,
};

/// Fails when nothing marks the content.
fn main_missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.filled_page()?;
    facts.whole_page()?;
    let is_outer = |article: &Element<'_>| !article.ancestors().any(|around| around.is("article"));
    if !html.listed.mains.is_empty() || html.elements(&html.listed.articles).filter(is_outer).take(2).count() == 1 {
        return PASS;
    }
    const NONE: Text = text(
        "The page has no <main> element to mark its main content.",
        "A página não tem um elemento <main> que marque o conteúdo principal.",
    );
    const WRAP: Text = text(
        "The listed element holds more than half of the text. Make it the <main> element, or wrap the content in one.",
        "O elemento indicado contém mais da metade do texto. Transforme-o no elemento <main> ou envolva o conteúdo em um.",
    );
    const SOMEWHERE: Text = text(
        "Wrap the part that differs from page to page in one <main> element.",
        "Envolva em um elemento <main> a parte que muda de uma página para outra.",
    );
    let candidate = most_text(html).and_then(|part| with_headline(html, part));
    let note = if candidate.is_some() { WRAP } else { SOMEWHERE };
    let fix = FixDraft::instruction(FixTarget::Body, note, &[]);
    problem(NONE, &[], fix).on(candidate).fail()
}

/// A part, or the one around it that holds the page's headline too: a main without it would leave out what the page is
/// called. `None` where only the body does.
fn with_headline<'h>(html: &'h Html, part: Element<'h>) -> Option<Element<'h>> {
    let first_h1 = || outline(html).find(|(level, _)| *level == 1);
    let Some((_, heading)) = headline::element(html).or_else(first_h1) else { return Some(part) };
    let holds = |part: &Element<'_>| heading == *part || heading.ancestors().any(|around| around == *part);
    std::iter::once(part).chain(part.ancestors()).take_while(|around| !around.is("body")).find(holds)
}

/// The innermost part that holds more than half of what is read outside of header, nav, footer and aside.
fn most_text(html: &Html) -> Option<Element<'_>> {
    let is_part = |element: &Element<'_>| {
        matches!(element.name(), "div" | "section" | "article") && element.namespace() == Namespace::Html
    };
    let is_left_out = |element: Element<'_>| {
        !is_seen(element) || hides(element) || is_common_part(element) || has_other_class(element)
    };
    let body = html.document.body()?;
    // By the number of a node.
    let mut left_out = vec![false; html.document.node_count()];
    let mut read: Vec<Element<'_>> = Vec::new();
    for element in body.descendants() {
        let is_out = |around: Element<'_>| left_out.get(around.id().index()).copied().unwrap_or_default();
        if !element.parent().is_some_and(is_out) && !is_left_out(element) {
            read.push(element);
        } else if let Some(is_out) = left_out.get_mut(element.id().index()) {
            *is_out = true;
        }
    }
    // From the last to the first: what an element holds is known before it is counted for its parent.
    let mut bytes = vec![0; html.document.node_count()];
    for element in read.iter().rev() {
        let own: usize = element.own_texts().map(|run| trimmed(run).len()).sum();
        let Some(held) = bytes.get_mut(element.id().index()) else { continue };
        *held += own;
        let held = *held;
        if let Some(around) = element.parent().and_then(|parent| bytes.get_mut(parent.id().index())) {
            *around += held;
        }
    }
    let held_by = |element: Element<'_>| bytes.get(element.id().index()).copied().unwrap_or_default();
    let total = held_by(body);
    // Those that hold more than half lie one inside the other.
    let mut last: Option<(usize, Element<'_>)> = None;
    for part in read.into_iter().filter(is_part) {
        let held = held_by(part);
        if held * 2 > total && last.is_none_or(|(least, _)| held <= least) {
            last = Some((held, part));
        }
    }
    last.map(|(_, part)| part)
}

/// Fails when the markup alone costs more than an agent's tool may take.
fn tokens_high(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let tokens = html.document.source().len() / BYTES_PER_TOKEN;
    let text_tokens = html.text.text.len() / BYTES_PER_TOKEN;
    if tokens <= MOST_TOKENS || text_tokens * 2 >= tokens {
        return PASS;
    }
    const DEAR: Text = text(
        "The HTML costs about {tokens} tokens, its text only about {text} (estimated at four bytes per token).",
        "O HTML custa cerca de {tokens} tokens; só o texto, cerca de {text} (estimativa de quatro bytes por token).",
    );
    const SPARE: Text = text(
        "Start with inline scripts, styles and data: they cost tokens and tell an agent nothing.",
        "Comece por scripts, estilos e dados embutidos: eles custam tokens e não dizem nada a um agente.",
    );
    let values = [("tokens", tokens.into()), ("text", text_tokens.into())];
    problem(DEAR, &values, FixDraft::instruction(FixTarget::Page, SPARE, &[])).fail()
}

/// Fails when a site that expects agents names no Markdown version of the page.
fn markdown_missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let site = facts.site()?;
    let url = facts.url()?;
    let file = llms::root_text(&site).filter(|file| llms::is_useful(file, url));
    let file = file.filter(|_| facts.llms_txt() == Ok(RootFile::There));
    let file = file.filter(|file| file.contains(".md)") || file.contains(".md \"")).ok_or(NotMeasured::Absent)?;
    let is_markdown = |kind: Option<&str>| kind.is_some_and(|kind| media_type(kind) == "text/markdown");
    let by_element = html
        .links_rel("alternate")
        .any(|link| is_markdown(html.element(link.node).and_then(|element| element.attribute("type"))));
    let by_header = facts.header_links().iter().any(|link| link.is("alternate") && is_markdown(link.parameter("type")));
    let path = url.path().trim_end_matches('/').trim_end_matches(".html");
    let is_listed = [format!("{path}.md"), format!("{path}/index.md"), format!("{path}.html.md")]
        .iter()
        .any(|name| file.contains(&format!("{name})")) || file.contains(&format!("{name} \"")));
    if by_element || by_header || is_listed {
        return PASS;
    }
    facts.whole_page()?;
    const NONE: Text = text(
        "The site's llms.txt lists Markdown versions of other pages, but not of this one.",
        "O llms.txt do site lista versões em Markdown de outras páginas, mas não desta.",
    );
    const SERVE: Text = text(
        "Serve the content as text/markdown first, usually at the page's URL with .md added. Then add this tag with that URL.",
        "Antes, sirva o conteúdo como text/markdown, em geral na URL da página com .md no fim. Depois, adicione esta tag com essa URL.",
    );
    let tag = "<link rel=\"alternate\" type=\"text/markdown\" href=\"{{MARKDOWN_URL}}\">";
    problem(NONE, &[], FixDraft::template(FixTarget::Head, tag).note(SERVE, &[])).fail()
}
