//! How much of a page there is: nothing, too much, or more than can be read.

use model::capture::{BodyCut, Coding};

use crate::check::prelude::*;
use crate::facts::document::{Complexity, Limits};
use crate::facts::lost_head::is_page_metadata;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "page-size",
    category: Category::Http,
    landing: Landing {
        title: text("HTML page size checker", "Verificador do tamanho do HTML"),
        h1: text("Is my page too large for Googlebot?", "Minha página é grande demais para o Googlebot?"),
        description: text(
            "Measure the HTML of a page against Googlebot's limit of 2 MB, and find empty pages and markup too deep to be read whole.",
            "Meça o HTML da página em relação ao limite de 2 MB do Googlebot e encontre páginas vazias e marcação funda demais para ser lida.",
        ),
        lead: text(
            "Googlebot reads the first 2 MB of a page and drops the rest, links and structured data included. This tool measures the decoded HTML and says how near the limit it is.",
            "O Googlebot lê os primeiros 2 MB de uma página e descarta o resto, inclusive links e dados estruturados. Esta ferramenta mede o HTML decodificado e diz quanto falta para o limite.",
        ),
        example: include_str!("page_size/bad_no_content.html"),
    },
    checks: &[EMPTY, OVER_LIMIT, NEAR_LIMIT, TOO_COMPLEX],
};

const EMPTY: Check = Check {
    code: "html_empty",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("Empty page", "Página vazia"),
    why: text("There is nothing to show and nothing to index.", "Não há nada para mostrar nem para indexar."),
    how: text("Find out why the server answers without content.", "Descubra por que o servidor responde sem conteúdo."),
    reference: "https://developers.google.com/search/docs/essentials/technical",
    rule: text(
        "Fails on a successful response whose body has no bytes but white space, or whose document has no script, and in `body` neither text nor any element but metadata. What may stand behind a cut is left open.",
        "Falha em uma resposta bem-sucedida cujo corpo não tem bytes além de espaços, ou cujo documento não tem script e, no `body`, nem texto nem elemento além de metadados. O que pode vir depois de um corte fica em aberto.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: empty,
};

const OVER_LIMIT: Check = Check {
    code: "html_over_crawl_limit",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("Page larger than crawlers read", "Página maior do que os robôs leem"),
    why: text(
        "Googlebot reads the first 2 MB of a page; what stands behind is not indexed.",
        "O Googlebot lê os primeiros 2 MB de uma página; o que vem depois não é indexado.",
    ),
    how: text(
        "Move inline data, styles and scripts into files, and split very long pages.",
        "Mova dados, estilos e scripts embutidos para arquivos, e divida páginas muito longas.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/googlebot",
    rule: text(
        "Fails when the decoded page is longer than 2 MiB, where reading stops here as at Googlebot. What is told of other checks then concerns the part that was read.",
        "Falha quando a página decodificada passa de 2 MiB, onde a leitura para aqui como no Googlebot. O que as outras verificações dizem vale então para a parte lida.",
    ),
    thresholds: &[threshold("most_bytes", LIMIT as u64, "bytes")],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: over_limit,
};

const NEAR_LIMIT: Check = Check {
    code: "html_near_crawl_limit",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Page near the size that crawlers read", "Página perto do tamanho que os robôs leem"),
    why: text(
        "A little more inline data, and Googlebot drops the end of the page without a word.",
        "Um pouco mais de dados embutidos, e o Googlebot descarta o fim da página sem aviso.",
    ),
    how: text(
        "Move inline data, styles and scripts into files.",
        "Mova dados, estilos e scripts embutidos para arquivos.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/googlebot",
    rule: text(
        "Fails when the decoded page has 80 % of Googlebot's 2 MiB or more, and was read to its end.",
        "Falha quando a página decodificada tem 80 % ou mais dos 2 MiB do Googlebot e foi lida até o fim.",
    ),
    thresholds: &[threshold("fewest_bytes", NEAR as u64, "bytes"), threshold("limit", LIMIT as u64, "bytes")],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: near_limit,
};

const TOO_COMPLEX: Check = Check {
    code: "html_too_complex",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Markup too complex to read whole", "Marcação complexa demais para ler inteira"),
    why: text(
        "The markup passes limits that browsers and crawlers have too; what stands behind the limit was not read.",
        "A marcação passa de limites que navegadores e robôs também têm; o que vem depois do limite não foi lido.",
    ),
    how: text(
        "Close the elements that a template leaves open, and take apart elements with hundreds of attributes.",
        "Feche os elementos que um modelo deixa abertos, e divida elementos com centenas de atributos.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/parsing.html",
    rule: text(
        "Fails when reading stopped at a limit: elements nested deeper than any real page needs, an element with more attributes than are kept, or misnested markup that makes a parser repeat itself. The limits count steps, never time.",
        "Falha quando a leitura parou em um limite: elementos aninhados mais fundo do que qualquer página real precisa, um elemento com mais atributos do que se guarda, ou marcação mal aninhada que faz o leitor se repetir. Os limites contam passos, nunca tempo.",
    ),
    thresholds: &[
        threshold("deepest", MOST.depth as u64, "levels"),
        threshold("most_attributes", MOST.attributes as u64, "attributes"),
    ],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: too_complex,
};

/// Decoded bytes of a page that Googlebot reads, and the fetcher with it (Search Central, "Inside Googlebot", March 2026).
const LIMIT: usize = 2 * 1024 * 1024;
/// Bytes from which the limit is near: 80 % of it.
const NEAR: usize = LIMIT / 10 * 8;
/// What the parser reads at most.
const MOST: Limits = Limits::PAGE;

fn empty(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.response()?;
    if !exchange.is_success() {
        return Err(NotMeasured::Status);
    }
    if !matches!(exchange.body.coding, Coding::Identity | Coding::Decoded(_)) {
        return Err(NotMeasured::Html);
    }
    let bytes = exchange.body.bytes.len();
    let blank = exchange.body.bytes.iter().all(u8::is_ascii_whitespace);
    if !blank {
        let html = facts.page()?;
        let has_content = |body: Element<'_>| {
            body.children().any(|child| !is_page_metadata(child)) || body.own_texts().any(|run| !run.trim().is_empty())
        };
        let filled = html.document.body().is_none_or(has_content);
        if filled || !html.scripts.is_empty() {
            return PASS;
        }
    }
    // What was cut off may have been the content.
    if !blank {
        facts.whole_page()?;
    } else if exchange.body.cut.is_some() {
        return Err(NotMeasured::Truncated);
    }
    const NOTHING: Text =
        text("The page has {bytes} bytes and no content.", "A página tem {bytes} bytes e nenhum conteúdo.");
    const WHY: Text =
        text("Find out why the server answers without content.", "Descubra por que o servidor responde sem conteúdo.");
    problem(NOTHING, &[("bytes", bytes.into())], FixDraft::instruction(FixTarget::Page, WHY, &[])).fail()
}

fn over_limit(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.response()?;
    facts.page()?;
    if exchange.body.cut != Some(BodyCut::Size) {
        return PASS;
    }
    const CUT: Text = text(
        "The page is longer than 2 MB; {bytes} bytes of it were read.",
        "A página tem mais de 2 MB; {bytes} bytes dela foram lidos.",
    );
    const MOVE: Text = text(
        "Move inline data, styles and scripts into files of their own.",
        "Mova dados, estilos e scripts embutidos para arquivos próprios.",
    );
    problem(CUT, &[("bytes", exchange.body.bytes.len().into())], FixDraft::instruction(FixTarget::Page, MOVE, &[]))
        .fail()
}

fn near_limit(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    let body = &facts.response()?.body;
    if body.cut.is_some() || body.bytes.len() < NEAR {
        return PASS;
    }
    const NEAR_IT: Text = text(
        "The page has {bytes} bytes, {percent} % of what Googlebot reads.",
        "A página tem {bytes} bytes, {percent} % do que o Googlebot lê.",
    );
    const MOVE: Text = text(
        "Move inline data, styles and scripts into files of their own.",
        "Mova dados, estilos e scripts embutidos para arquivos próprios.",
    );
    let values = [("bytes", body.bytes.len().into()), ("percent", (body.bytes.len() * 100 / LIMIT).into())];
    problem(NEAR_IT, &values, FixDraft::instruction(FixTarget::Page, MOVE, &[])).fail()
}

fn too_complex(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let Some(limit) = html.document.too_complex else { return PASS };
    let message = match limit {
        Complexity::Depth => {
            text("Elements are nested more than {limit} deep.", "Há elementos aninhados em mais de {limit} níveis.")
        }
        Complexity::Attributes => {
            text("An element has more than {limit} attributes.", "Um elemento tem mais de {limit} atributos.")
        }
        Complexity::Work => text(
            "The markup makes the parser repeat itself without end.",
            "A marcação faz o leitor se repetir sem fim.",
        ),
    };
    const CLOSE: Text = text(
        "Look for elements that a template opens and never closes.",
        "Procure elementos que um modelo abre e nunca fecha.",
    );
    const MOVE: Text = text(
        "Look for a quotation mark that is missing, or move the data out of the attributes.",
        "Procure uma aspa que falta, ou tire os dados dos atributos.",
    );
    let (limit, advice) = match limit {
        Complexity::Attributes => (u32::from(MOST.attributes), MOVE),
        Complexity::Depth | Complexity::Work => (MOST.depth, CLOSE),
    };
    problem(message, &[("limit", limit.into())], FixDraft::instruction(FixTarget::Page, advice, &[])).fail()
}
