//! What a page costs a program that reads it, and how it finds the content.

use std::collections::{HashMap, HashSet};

use crate::check::prelude::*;
use crate::facts::content_type::media_type;
use crate::facts::discovery::llms::{self, RootFile};
use crate::facts::document::NodeId;
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
        "Tells what a page costs in tokens, whether its content is marked as main, and whether it has a Markdown version.",
        "Diz quanto uma página custa em tokens, se o conteúdo está marcado como principal e se há uma versão em Markdown.",
    ),
    lead: text(
        "Agents read pages as text and pay for each piece of it. A page that marks its content and keeps its markup small is read whole, cheaply, and without the menu.",
        "Agentes leem páginas como texto e pagam por cada pedaço. Uma página que marca seu conteúdo e mantém a marcação pequena é lida inteira, barato e sem o menu.",
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
    title: text("Content not marked as main", "Conteúdo não marcado como principal"),
    why: text(
        "Readers of text and screen readers must guess where the menu ends and the content begins.",
        "Leitores de texto e de tela precisam adivinhar onde acaba o menu e começa o conteúdo.",
    ),
    how: text("Put the content into one `<main>` element.", "Coloque o conteúdo em um elemento `<main>`."),
    reference: "https://html.spec.whatwg.org/multipage/grouping-content.html#the-main-element",
    rule: text(
        "Fails when the HTML has neither a `main` element nor `role=main`, and not exactly one `article` outside others. Not measured where a script builds the page or it was cut.",
        "Falha quando o HTML não tem um elemento `main` nem `role=main`, nem exatamente um `article` fora de outros. Não é medido quando um script monta a página ou ela foi cortada.",
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
    title: text("Page is expensive to read for AI agents", "Página cara de ler para agentes de IA"),
    why: text(
        "Agents that take the HTML as it is pay for every byte, and cut what is too long: the end of the page is lost to them.",
        "Agentes que recebem o HTML como está pagam por cada byte e cortam o que é longo demais: perdem o fim da página.",
    ),
    how: text(
        "Move scripts, styles and data into files, drop markup that only wraps, or offer a Markdown version.",
        "Mova scripts, estilos e dados para arquivos, remova marcação que só envolve ou ofereça uma versão em Markdown.",
    ),
    reference: "https://docs.claude.com/en/docs/agents-and-tools/tool-use/web-fetch-tool",
    rule: text(
        "Fails when the HTML comes to more than 100,000 tokens at four bytes each, while its visible text comes to less than half of that: a long text is not told. An estimate, which the message says; fetchers that strip the markup pay less.",
        "Falha quando o HTML passa de 100.000 tokens, a quatro bytes cada, enquanto o texto visível não chega à metade disso: um texto longo não é apontado. É uma estimativa, e a mensagem diz isso; quem remove a marcação paga menos.",
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
        "The site gives agents its pages in Markdown, and not this one: for it they must take the HTML apart.",
        "O site oferece suas páginas em Markdown aos agentes, mas não esta: nela eles precisam decompor o HTML.",
    ),
    how: text(
        "Serve the page as Markdown too, and name it: `<link rel=\"alternate\" type=\"text/markdown\" href=\"…\">`.",
        "Sirva a página também em Markdown e declare: `<link rel=\"alternate\" type=\"text/markdown\" href=\"…\">`.",
    ),
    reference: "https://llmstxt.org/#proposal",
    // Asking for it by `Accept` would take a request of its own, so only what is declared can be told; and where
    // nothing says that there are such versions, the absence of one is no news.
    rule: text(
        "Fails when the site's valid `/llms.txt` links to `.md` files, so that there are Markdown versions, but not to one of this page's address, and neither a `link` nor the `Link` header names an alternate of type `text/markdown`. Whether the server would send Markdown if asked for it is not tried. Not applicable to other sites: it is optional.",
        "Falha quando o `/llms.txt` válido do site tem links para arquivos `.md`, de modo que há versões em Markdown, mas nenhum do endereço desta página, e nem um `link` nem o cabeçalho `Link` declara uma alternativa do tipo `text/markdown`. Não se testa se o servidor enviaria Markdown a pedido. Não se aplica a outros sites: é opcional.",
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
    let mut articles = 0;
    for element in html.document.elements() {
        if element.is("main") || element.has_token("role", "main") {
            return PASS;
        }
        if element.is("article") && !element.ancestors().any(|around| around.is("article")) {
            articles += 1;
        }
    }
    if articles == 1 {
        return PASS;
    }
    const NONE: Text = text("Nothing in the HTML marks the main content.", "Nada no HTML marca o conteúdo principal.");
    const WRAP: Text = text(
        "The element named holds more than half of the text: make it the <main>, or put one around the content.",
        "O elemento indicado contém mais da metade do texto: torne-o o <main>, ou coloque um em volta do conteúdo.",
    );
    const SOMEWHERE: Text = text(
        "Put one <main> around what is different on each page.",
        "Coloque um <main> em volta do que muda em cada página.",
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
    let is_part = |element: &Element<'_>| ["div", "section", "article"].iter().any(|name| element.is(name));
    let is_left_out = |element: Element<'_>| {
        let is_around = is_common_part(element) || has_other_class(element);
        !is_seen(element) || hides(element) || is_around
    };
    let body = html.document.body()?;
    let mut left_out: HashSet<NodeId> = HashSet::new();
    let mut read: Vec<Element<'_>> = Vec::new();
    for element in body.descendants() {
        let is_within = element.parent().is_some_and(|parent| left_out.contains(&parent.id()));
        if is_within || is_left_out(element) {
            left_out.insert(element.id());
        } else {
            read.push(element);
        }
    }
    // From the last to the first: what an element holds is known before it is counted for its parent.
    let mut bytes: HashMap<NodeId, usize> = HashMap::new();
    for element in read.iter().rev() {
        let held = bytes.entry(element.id()).or_default();
        *held += element.own_texts().map(|run| run.trim().len()).sum::<usize>();
        let held = *held;
        if let Some(parent) = element.parent() {
            *bytes.entry(parent.id()).or_default() += held;
        }
    }
    let total = bytes.get(&body.id()).copied().unwrap_or_default();
    // Those that hold more than half lie one inside the other.
    let mut last: Option<(usize, Element<'_>)> = None;
    for part in read.into_iter().filter(is_part) {
        let held = bytes.get(&part.id()).copied().unwrap_or_default();
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
        "The HTML comes to about {tokens} tokens, its text to about {text} (estimated at four bytes a token).",
        "O HTML dá cerca de {tokens} tokens, e o texto, cerca de {text} (estimativa de quatro bytes por token).",
    );
    const SPARE: Text = text(
        "Begin with inline scripts, data and styles; they cost tokens and tell an agent nothing.",
        "Comece por scripts, dados e estilos embutidos; eles custam tokens e não dizem nada a um agente.",
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
        "The site's llms.txt lists Markdown versions, but none of this page.",
        "O llms.txt do site lista versões em Markdown, mas nenhuma desta página.",
    );
    const SERVE: Text = text(
        "Serve the content there as text/markdown first; the usual address is that of the page with .md.",
        "Antes, sirva o conteúdo ali como text/markdown; o endereço usual é o da página com .md.",
    );
    let tag = "<link rel=\"alternate\" type=\"text/markdown\" href=\"{{MARKDOWN_URL}}\">";
    problem(NONE, &[], FixDraft::template(FixTarget::Head, tag).note(SERVE, &[])).fail()
}
