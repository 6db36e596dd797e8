//! Whether the site says of missing pages that they are missing.

use model::capture::{Fetched, WantKind};

use crate::check::prelude::*;
use crate::facts::page_language;
use crate::facts::soft_404::{self, MOST_DIFFERENT, MOST_WORDS, MissingSign};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "soft-404",
    category: Category::Http,
    landing: Landing {
        title: text("Soft 404 checker", "Verificador de soft 404"),
        h1: text("Do missing pages on my site answer 404?", "As páginas inexistentes do meu site respondem 404?"),
        description: text(
            "Request a URL that can't exist and see whether the site answers 404. Soft 404 pages waste crawl budget.",
            "Peça uma URL que não pode existir e veja se o site responde 404. Páginas soft 404 desperdiçam o orçamento de rastreamento.",
        ),
        lead: text(
            "A page that says “not found” with status 200 gets indexed as if it existed. This tool requests a random URL of the site, compares the response with your page, and reads the page's title and h1.",
            "Uma página que diz “não encontrada” com status 200 é indexada como se existisse. Esta ferramenta pede uma URL aleatória do site, compara a resposta com a sua página e lê o título e o h1 dela.",
        ),
        example: include_str!("soft_404/bad.http"),
    },
    checks: &[PAGE, MISSING_PATH],
};

const REFERENCE: &str =
    "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#soft-404-errors";

const PAGE: Check = Check {
    code: "soft_404_page",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("“Not found” page with status 200 (soft 404)", "Página “não encontrada” com status 200 (soft 404)"),
    why: text(
        "Search engines recognize soft 404 pages and leave them out of the index. Every link to them is wasted.",
        "Os buscadores reconhecem páginas soft 404 e as deixam fora do índice. Todo link para elas é desperdiçado.",
    ),
    how: text(
        "Answer 404 or 410 if the page is gone. If it exists, find out why the error page is shown.",
        "Responda 404 ou 410 se a página não existe mais. Se existe, descubra por que a página de erro aparece.",
    ),
    reference: REFERENCE,
    rule: text(
        "Fails on a page with status 200 in two cases. First: the page has fewer than 200 words, and its title or first h1, or a part of it set off by a mark such as `|`, is a phrase for a missing page in the page's language or in English. Second: the page has the same title and the same words, except for at most 5, as the site's response to a random missing URL. The home page and empty app shells are not compared.",
        "Falha em uma página com status 200 em dois casos. Primeiro: a página tem menos de 200 palavras, e o título ou o primeiro h1, ou uma parte dele separada por um sinal como `|`, é uma frase de página inexistente no idioma da página ou em inglês. Segundo: a página tem o mesmo título e as mesmas palavras, com no máximo 5 de diferença, que a resposta do site a uma URL aleatória inexistente. A página inicial e aplicativos vazios não são comparados.",
    ),
    thresholds: &[
        threshold("fewest_words", MOST_WORDS as u64, "words"),
        threshold("most_different_words", MOST_DIFFERENT as u64, "words"),
    ],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: page,
};

const MISSING_PATH: Check = Check {
    code: "soft_404_missing_path",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Missing pages don't answer 404", "Páginas inexistentes não respondem 404"),
    why: text(
        "Crawlers index URLs that don't exist, and spend crawl budget on them that real pages need.",
        "Os robôs indexam URLs que não existem e gastam nelas o orçamento de rastreamento de que as páginas reais precisam.",
    ),
    how: text("Answer unknown URLs with status 404 or 410.", "Responda a URLs desconhecidas com o status 404 ou 410."),
    reference: REFERENCE,
    rule: text(
        "Fails when a path of 32 random digits ends in 2xx, directly or after redirects. 404, 410 and similar client errors pass. Not measured on 401, 403, 429, 5xx or a timeout.",
        "Falha quando um caminho de 32 dígitos aleatórios termina em 2xx, diretamente ou depois de redirecionamentos. 404, 410 e erros de cliente semelhantes passam. Não é medido com 401, 403, 429, 5xx ou um timeout.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: missing_path,
};

fn page(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    if facts.response()?.status != 200 {
        return Err(NotMeasured::Status);
    }
    let Some(sign) = soft_404::by_words(facts).or_else(|| soft_404::by_comparison(facts)) else {
        let known = page_language::read(facts).is_some_and(|language| soft_404::is_known_language(&language));
        return if known || html.text.words >= MOST_WORDS { PASS } else { Err(NotMeasured::Language) };
    };
    const ANSWER: Text = text(
        "Answer {url} with status 404 or 410. If the page exists, find out why the error page is shown.",
        "Responda {url} com o status 404 ou 410. Se a página existe, descubra por que a página de erro aparece.",
    );
    let url = ("url", facts.final_url().into());
    let fix = FixDraft::instruction(FixTarget::Page, ANSWER, std::slice::from_ref(&url));
    match sign {
        MissingSign::Says { text: words, node } => {
            const SAYS: Text =
                text("The page answers 200 but says “{text}”.", "A página responde 200, mas diz “{text}”.");
            let place = html.element(node).map(Element::place);
            problem(SAYS, &[("text", words.into())], fix).at(place).fail()
        }
        MissingSign::SameAsMissing => {
            const SAME: Text = text(
                "{url} answers 200 with the page that the site shows for missing URLs.",
                "{url} responde 200 com a página que o site mostra para URLs inexistentes.",
            );
            problem(SAME, &[url], fix).fail()
        }
    }
}

fn missing_path(facts: &Facts<'_>) -> Verdict {
    if !facts.capture.source.has_network() {
        return Err(NotMeasured::Offline);
    }
    let probe = facts.capture.extras.iter().find(|extra| extra.want.kind == WantKind::NotFound);
    let Some(Fetched::Response(exchange)) = probe.map(|extra| &extra.fetched) else { return Err(NotMeasured::Probe) };
    match exchange.status {
        401 | 403 | 429 | 500.. => return Err(NotMeasured::Probe),
        200..=299 => {}
        _ => return PASS,
    }
    const FOUND: Text = text(
        "A random URL that can't exist, {url}, answers {status}.",
        "Uma URL aleatória que não pode existir, {url}, responde {status}.",
    );
    const REDIRECTED: Text = text(
        "A random URL that can't exist, {url}, redirects to {target}, which answers {status}.",
        "Uma URL aleatória que não pode existir, {url}, redireciona para {target}, que responde {status}.",
    );
    const ANSWER: Text = text(
        "Answer missing URLs with 404, also where an app or front controller handles every URL.",
        "Responda 404 a URLs inexistentes, também onde um aplicativo ou front controller trata todas as URLs.",
    );
    let missing_url = probe.map_or("", |extra| extra.want.url.as_str());
    let message = if exchange.hops.is_empty() { FOUND } else { REDIRECTED };
    let values =
        [("url", missing_url.into()), ("target", exchange.url.as_str().into()), ("status", exchange.status.into())];
    let place = Place { url: Some(missing_url.to_owned()), ..Place::default() };
    problem(message, &values, FixDraft::instruction(FixTarget::Page, ANSWER, &[])).at([place]).fail()
}
