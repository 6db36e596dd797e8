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
            "Measure the HTML of a page against Googlebot's 2 MB limit, and find empty pages and markup that is too complex to parse.",
            "Compare o HTML da página com o limite de 2 MB do Googlebot e encontre páginas vazias e marcação complexa demais.",
        ),
        lead: text(
            "Googlebot reads the first 2 MB of a page and drops the rest, including links and structured data. This tool measures the decoded HTML and shows how close it is to the limit.",
            "O Googlebot lê os primeiros 2 MB de uma página e descarta o resto, inclusive links e dados estruturados. Esta ferramenta mede o HTML decodificado e mostra quanto falta para o limite.",
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
    why: text(
        "Visitors see a blank page, and there is nothing to index.",
        "Os visitantes veem uma página em branco, e não há nada para indexar.",
    ),
    how: text("Find out why the server sends no content.", "Descubra por que o servidor não envia conteúdo."),
    reference: "https://developers.google.com/search/docs/essentials/technical",
    rule: text(
        "Fails on a successful response whose body is empty or only white space, or whose document has no script and nothing in `body` except metadata. Not measured when the response was cut off, since content may have followed.",
        "Falha em uma resposta bem-sucedida cujo corpo está vazio ou só tem espaços, ou cujo documento não tem script nem nada no `body` além de metadados. Não é medido quando a resposta foi cortada, pois o conteúdo poderia vir depois.",
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
    title: text("Page exceeds Googlebot's 2 MB limit", "Página acima do limite de 2 MB do Googlebot"),
    why: text(
        "Googlebot reads the first 2 MB of a page. It does not index what comes after that.",
        "O Googlebot lê os primeiros 2 MB de uma página. Ele não indexa o que vem depois.",
    ),
    how: text(
        "Move inline data, styles and scripts into files, and split very long pages.",
        "Mova dados, estilos e scripts embutidos para arquivos e divida páginas muito longas.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/googlebot",
    rule: text(
        "Fails when the decoded page is larger than 2 MB (2,097,152 bytes). Reading stops there, as it does at Googlebot, so all other checks judge only that part.",
        "Falha quando a página decodificada passa de 2 MB (2.097.152 bytes). A leitura para ali, como no Googlebot, e as outras verificações avaliam só essa parte.",
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
    title: text("Page close to Googlebot's 2 MB limit", "Página perto do limite de 2 MB do Googlebot"),
    why: text(
        "With a little more inline data, Googlebot drops the end of the page without any warning.",
        "Com um pouco mais de dados embutidos, o Googlebot descarta o fim da página sem nenhum aviso.",
    ),
    how: text(
        "Move inline data, styles and scripts into files.",
        "Mova dados, estilos e scripts embutidos para arquivos.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/googlebot",
    rule: text(
        "Fails when the decoded page was read in full and has at least 80% of Googlebot's limit of 2 MB (2,097,152 bytes).",
        "Falha quando a página decodificada foi lida inteira e tem pelo menos 80% do limite de 2 MB (2.097.152 bytes) do Googlebot.",
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
    title: text("Markup too complex to parse", "Marcação complexa demais para ser lida"),
    why: text(
        "The markup exceeds limits that browsers and crawlers have too. The rest of the page was not read.",
        "A marcação ultrapassa limites que navegadores e robôs também têm. O resto da página não foi lido.",
    ),
    how: text(
        "Close the elements that a template leaves open, and split up elements with hundreds of attributes.",
        "Feche os elementos que um template deixa abertos e divida elementos com centenas de atributos.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/parsing.html",
    rule: text(
        "Fails when the parser stopped at a limit: elements nested far deeper than any real page needs, an element with too many attributes, or misnested markup that multiplies the parser's work. The limits count parsing steps, not time.",
        "Falha quando a leitura parou em um limite: elementos aninhados muito mais fundo do que uma página real precisa, um elemento com atributos demais, ou marcação mal aninhada que multiplica o trabalho do parser. Os limites contam passos da leitura, não tempo.",
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
        text("The response has {bytes:size} and no content.", "A resposta tem {bytes:size} e nenhum conteúdo.");
    const WHY: Text =
        text("Find out why the server sends no content.", "Descubra por que o servidor não envia conteúdo.");
    problem(NOTHING, &[("bytes", bytes.into())], FixDraft::instruction(FixTarget::Page, WHY, &[])).fail()
}

fn over_limit(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.response()?;
    facts.page()?;
    if exchange.body.cut != Some(BodyCut::Size) {
        return PASS;
    }
    const CUT: Text = text(
        "The page is larger than 2 MB; only the first {bytes:size} were read.",
        "A página passa de 2 MB; só os primeiros {bytes:size} foram lidos.",
    );
    const MOVE: Text = text(
        "Move inline data, styles and scripts into separate files.",
        "Mova dados, estilos e scripts embutidos para arquivos separados.",
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
        "The page has {bytes:size}, {percent}% of what Googlebot reads.",
        "A página tem {bytes:size}, {percent}% do que o Googlebot lê.",
    );
    const MOVE: Text = text(
        "Move inline data, styles and scripts into separate files.",
        "Mova dados, estilos e scripts embutidos para arquivos separados.",
    );
    let values = [("bytes", body.bytes.len().into()), ("percent", (body.bytes.len() * 100 / LIMIT).into())];
    problem(NEAR_IT, &values, FixDraft::instruction(FixTarget::Page, MOVE, &[])).fail()
}

fn too_complex(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let Some(limit) = html.document.too_complex else { return PASS };
    let message = match limit {
        Complexity::Depth => text(
            "Elements are nested more than {limit} levels deep.",
            "Há elementos aninhados em mais de {limit} níveis.",
        ),
        Complexity::Attributes => {
            text("An element has more than {limit} attributes.", "Um elemento tem mais de {limit} atributos.")
        }
        Complexity::Work => text(
            "Misnested elements made the parser stop before the end of the page.",
            "Elementos mal aninhados fizeram a leitura parar antes do fim da página.",
        ),
    };
    const CLOSE: Text = text(
        "Look for elements that a template opens but never closes.",
        "Procure elementos que um template abre, mas nunca fecha.",
    );
    const MOVE: Text = text(
        "Look for a missing quotation mark, or move data out of the attributes.",
        "Procure aspas que faltam ou tire os dados dos atributos.",
    );
    let (limit, advice) = match limit {
        Complexity::Attributes => (u32::from(MOST.attributes), MOVE),
        Complexity::Depth | Complexity::Work => (MOST.depth, CLOSE),
    };
    problem(message, &[("limit", limit.into())], FixDraft::instruction(FixTarget::Page, advice, &[])).fail()
}
