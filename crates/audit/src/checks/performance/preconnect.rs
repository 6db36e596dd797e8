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
    h1: text("Does your page open too many early connections?", "Sua página abre conexões antecipadas demais?"),
    description: text(
        "Count the origins that a page preconnects to, and see which of them the page doesn't use.",
        "Conte as origens com preconnect em uma página e veja quais delas a página não usa.",
    ),
    lead: text(
        "An early connection helps when the page uses it within seconds. More than a few compete with each other and with the page itself. This tool lists them and shows which ones nothing in the page uses.",
        "Uma conexão antecipada ajuda quando a página a usa em poucos segundos. Mais do que algumas competem entre si e com a própria página. Esta ferramenta as lista e mostra quais nada na página usa.",
    ),
    example: include_str!("preconnect/bad.html"),
};

const EXCESS: Check = Check {
    code: "preconnect_excess",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Too many preconnects", "Preconnects demais"),
    why: text(
        "Each preconnect costs a DNS lookup and a handshake while the page itself is loading. Browsers close an unused connection after about ten seconds.",
        "Cada preconnect custa uma consulta DNS e um handshake enquanto a própria página carrega. Os navegadores fecham uma conexão sem uso após cerca de dez segundos.",
    ),
    how: text(
        "Keep `preconnect` only for the few origins that the first screen needs. Use `dns-prefetch` for the others.",
        "Mantenha `preconnect` só nas poucas origens de que a primeira tela precisa. Use `dns-prefetch` nas outras.",
    ),
    reference: "https://developer.chrome.com/docs/performance/insights/network-dependency-tree",
    rule: text(
        "Fails when `link rel=preconnect` lists more than 4 different http(s) origins. The same origin with and without `crossorigin` counts once. The message lists the origins that no element in the page refers to; what scripts and style sheets load is unknown. Not applicable without such links.",
        "Falha quando `link rel=preconnect` lista mais de 4 origens http(s) diferentes. A mesma origem com e sem `crossorigin` conta uma vez. A mensagem lista as origens que nenhum elemento da página usa; o que scripts e folhas de estilo carregam não é conhecido. Não se aplica sem esses links.",
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
    let loads = |name: &str| !matches!(name, "area" | "form");
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
        "The page preconnects to {count} origins. No element in it uses {list}.",
        "A página faz preconnect com {count} origens. Nenhum elemento dela usa {list}.",
    );
    let message = if idle.is_empty() { MANY } else { IDLE };
    let list = idle.iter().take(MAX_PLACES).copied().collect::<Vec<_>>().join(", ");
    let values = [("count", origins.len().into()), ("list", list.into())];
    let fix = FixDraft::instruction(FixTarget::Head, EXCESS.how, &[]);
    problem(message, &values, fix).on(origins.values()).fail()
}
