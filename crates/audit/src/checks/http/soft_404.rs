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
        h1: text("Do missing pages of my site answer 404?", "As páginas inexistentes do meu site respondem 404?"),
        description: text(
            "Ask a site for an address that can't exist, and see whether it answers 404 or pretends: soft 404 pages waste crawl budget.",
            "Peça ao site um endereço que não pode existir e veja se ele responde 404 ou finge: páginas soft 404 desperdiçam rastreamento.",
        ),
        lead: text(
            "A page that says “not found” with status 200 is indexed as if it existed. This tool asks the site for a random address, compares the answer with your page, and reads its title and heading.",
            "Uma página que diz “não encontrada” com status 200 é indexada como se existisse. Esta ferramenta pede ao site um endereço aleatório, compara a resposta com a sua página e lê o título e o cabeçalho dela.",
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
    title: text("Page says it does not exist, with status 200", "A página diz que não existe, com status 200"),
    why: text(
        "Search engines recognise such pages and leave them out of the index, and every link to one leads nowhere.",
        "Os buscadores reconhecem essas páginas e as deixam fora do índice, e todo link para uma delas não leva a nada.",
    ),
    how: text(
        "Answer with 404 or 410 if the page is gone; if it exists, find out why the error page is shown.",
        "Responda com 404 ou 410 se a página não existe mais; se existe, descubra por que a página de erro aparece.",
    ),
    reference: REFERENCE,
    rule: text(
        "Fails on a page with status 200 in two cases. Its title or first h1, or a part of it set off by a mark such as `|`, is a phrase for a missing page in the page's language or in English, and the page has fewer than 200 words. Or it has the title and, but for at most 5, the words of what the site answers to a random missing address; the start page and empty app shells are not compared.",
        "Falha em uma página com status 200 em dois casos. O título ou o primeiro h1, ou uma parte dele separada por um sinal como `|`, é uma frase de página inexistente no idioma da página ou em inglês, e a página tem menos de 200 palavras. Ou ela tem o título e, com diferença de no máximo 5, as palavras do que o site responde a um endereço aleatório inexistente; a página inicial e aplicativos vazios não são comparados.",
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
    title: text("Missing pages answer as if they existed", "Páginas inexistentes respondem como se existissem"),
    why: text(
        "Crawlers index addresses that lead nowhere, and spend on them the visits meant for real pages.",
        "Os robôs indexam endereços que não levam a nada, e gastam neles as visitas destinadas às páginas de verdade.",
    ),
    how: text(
        "Answer unknown addresses with status 404 or 410.",
        "Responda a endereços desconhecidos com o status 404 ou 410.",
    ),
    reference: REFERENCE,
    rule: text(
        "Fails when a path of 32 random digits ends in 2xx, whether at once or after redirects. 404, 410 and other client errors of their kind pass; 401, 403, 429, 5xx and silence tell nothing.",
        "Falha quando um caminho de 32 dígitos aleatórios termina em 2xx, de imediato ou depois de redirecionamentos. 404, 410 e outros erros de cliente do tipo passam; 401, 403, 429, 5xx e o silêncio não dizem nada.",
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
        "Answer {url} with status 404 or 410; if the page exists, find out why it is not shown.",
        "Responda {url} com o status 404 ou 410; se a página existe, descubra por que ela não aparece.",
    );
    let url = ("url", facts.final_url().into());
    let fix = FixDraft::instruction(FixTarget::Page, ANSWER, std::slice::from_ref(&url));
    match sign {
        MissingSign::Says { text: words, node } => {
            const SAYS: Text = text("The page answers 200 and says “{text}”.", "A página responde 200 e diz “{text}”.");
            let place = html.element(node).map(Element::place);
            problem(SAYS, &[("text", words.into())], fix).at(place).fail()
        }
        MissingSign::SameAsMissing => {
            const SAME: Text = text(
                "{url} answers 200 with the page that the site shows for addresses that don't exist.",
                "{url} responde 200 com a página que o site mostra para endereços que não existem.",
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
    const FOUND: Text = text("{url} does not exist, but answers {status}.", "{url} não existe, mas responde {status}.");
    const REDIRECTED: Text = text(
        "{url} does not exist, but leads to {target}, which answers {status}.",
        "{url} não existe, mas leva a {target}, que responde {status}.",
    );
    const ANSWER: Text = text(
        "Answer addresses that don't exist with 404, also where an app or a front controller catches them.",
        "Responda com 404 aos endereços que não existem, também onde um aplicativo ou controlador os captura.",
    );
    let missing_url = probe.map_or("", |extra| extra.want.url.as_str());
    let message = if exchange.hops.is_empty() { FOUND } else { REDIRECTED };
    let values =
        [("url", missing_url.into()), ("target", exchange.url.as_str().into()), ("status", exchange.status.into())];
    let place = Place { url: Some(missing_url.to_owned()), ..Place::default() };
    problem(message, &values, FixDraft::instruction(FixTarget::Page, ANSWER, &[])).at([place]).fail()
}
