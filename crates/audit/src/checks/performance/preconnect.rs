//! Connections that a page opens ahead of need.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::MAX_PLACES;
use crate::check::prelude::*;
use crate::facts::page::Html;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "preconnect", category: Category::Performance, landing: LANDING, checks: &[EXCESS] };

const LANDING: Landing = Landing {
    title: text("Preconnect checker", "Verificador de preconnect"),
    h1: text("Does your page open too many connections early?", "Sua página abre conexões cedo demais?"),
    description: text(
        "Count the origins that a page preconnects to and see which of them nothing in the page refers to.",
        "Conte as origens para as quais uma página faz preconnect e veja quais delas nada na página usa.",
    ),
    lead: text(
        "A connection opened early helps where it is used within seconds. More than a few compete with each other and with the page itself; this tool lists them and names those that the page shows no use for.",
        "Uma conexão aberta cedo ajuda quando é usada em poucos segundos. Mais do que algumas disputam entre si e com a própria página; esta ferramenta as lista e aponta as que a página não mostra usar.",
    ),
    example: include_str!("preconnect/bad.html"),
};

const EXCESS: Check = Check {
    code: "preconnect_excess",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Too many early connections", "Conexões antecipadas demais"),
    why: text(
        "Each one costs a name lookup and a handshake at the very moment when the page itself loads, and is closed unused after ten seconds.",
        "Cada uma custa uma consulta de nome e um handshake no momento em que a própria página carrega, e é fechada sem uso após dez segundos.",
    ),
    how: text(
        "Keep `preconnect` for the few origins that the first screen needs; use `dns-prefetch` for the others.",
        "Deixe `preconnect` só para as poucas origens de que a primeira tela precisa; use `dns-prefetch` para as outras.",
    ),
    reference: "https://developer.chrome.com/docs/performance/insights/network-dependency-tree",
    rule: text(
        "Fails when `link rel=preconnect` names more than 4 different http(s) origins. The same origin with and without `crossorigin` counts once. The message names those to which no address of an element in the page leads; what scripts and style sheets fetch is not known. Not applicable without such links.",
        "Falha quando `link rel=preconnect` nomeia mais de 4 origens http(s) diferentes. A mesma origem com e sem `crossorigin` conta uma vez. A mensagem cita aquelas às quais nenhum endereço de elemento da página leva; o que scripts e folhas de estilo buscam não se sabe. Não se aplica sem links assim.",
    ),
    thresholds: &[threshold("origins", MOST_ORIGINS as u64, "origins")],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: WHOLE,
    run: excess,
};

/// Origins that a page may preconnect to (Lighthouse, network dependency tree insight).
const MOST_ORIGINS: usize = 4;

/// Origins to which an address of an element that loads something leads.
fn used_origins(html: &Html) -> BTreeSet<String> {
    let loads = |name: &str| !matches!(name, "a" | "area" | "form");
    let others = html
        .elements(&html.addressed)
        .filter(|element| loads(element.name()))
        .filter_map(|element| html.resolve(element.attribute("src")?));
    let links = html.links.iter().filter(|link| !link.is("preconnect") && !link.is("dns-prefetch"));
    let links = links.filter_map(|link| link.url.clone());
    others.chain(links).map(|url| url.origin().ascii_serialization()).collect()
}

fn excess(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let mut origins: BTreeMap<String, Element<'_>> = BTreeMap::new();
    for link in html.links_rel("preconnect") {
        let url = link.url.as_ref().filter(|url| matches!(url.scheme(), "http" | "https"));
        if let Some((url, element)) = url.zip(html.element(link.node)) {
            origins.entry(url.origin().ascii_serialization()).or_insert(element);
        }
    }
    if origins.is_empty() {
        return Err(NotMeasured::Absent);
    }
    if origins.len() <= MOST_ORIGINS {
        return PASS;
    }
    let used = used_origins(html);
    let idle: Vec<&str> = origins.keys().filter(|origin| !used.contains(*origin)).map(String::as_str).collect();
    const MANY: Text = text("The page preconnects to {count} origins.", "A página faz preconnect com {count} origens.");
    const IDLE: Text = text(
        "The page preconnects to {count} origins; nothing in it refers to {list}.",
        "A página faz preconnect com {count} origens; nada nela usa {list}.",
    );
    let message = if idle.is_empty() { MANY } else { IDLE };
    let list = idle.iter().take(MAX_PLACES).copied().collect::<Vec<_>>().join(", ");
    let values = [("count", origins.len().into()), ("list", list.into())];
    let fix = FixDraft::instruction(FixTarget::Head, EXCESS.how, &[]);
    problem(message, &values, fix).on(origins.values()).fail()
}
