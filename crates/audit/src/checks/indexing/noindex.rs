//! Directives of the page that keep it, or its links, out of search.

use super::robots_meta::{decide, place};
use crate::check::prelude::*;
use crate::facts::crawlers::{self, Purpose};
use crate::facts::elements::Reach;
use crate::facts::robots_directives::{Directive, for_google};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "noindex",
    category: Category::Indexing,
    landing: Landing {
        title: text("Noindex and nofollow checker", "Verificador de noindex e nofollow"),
        h1: text("Is my page kept out of search by noindex?", "Minha página está fora da busca por noindex?"),
        description: text(
            "Read robots meta tags as Google does: noindex, none, nofollow and indexifembedded, for everyone or for one search engine.",
            "Leia as meta tags robots como o Google: noindex, none, nofollow e indexifembedded, para todos ou para um só buscador.",
        ),
        lead: text(
            "One forgotten noindex takes a page out of search altogether. This tool reads every robots tag of the page, says whom it addresses, and never advises to lift one unless you want the page found.",
            "Um noindex esquecido tira a página toda da busca. Esta ferramenta lê cada tag robots da página, diz a quem ela se dirige e só aconselha a removê-la se você quer que a página seja encontrada.",
        ),
        example: include_str!("noindex/bad_noindex.html"),
    },
    checks: &[META, SCOPED, NOFOLLOW, EMBEDDED],
};

const SPEC: &str = "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag";
const RULES: &str = "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag#directives";

const META: Check = Check {
    code: "noindex_meta",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("Page asks not to be indexed", "A página pede para não ser indexada"),
    why: text(
        "A robots meta tag with noindex keeps the page out of search results altogether.",
        "Uma meta tag robots com noindex mantém a página totalmente fora dos resultados de busca.",
    ),
    how: text("If the page should be found, remove noindex.", "Se a página deve ser encontrada, remova noindex."),
    reference: RULES,
    rule: text(
        "Fails when a `meta` named `robots` or `googlebot`, anywhere in the page and in any case, holds `noindex` or `none`. A page that hides on purpose fails too: only its owner knows. Headers are told by their own check.",
        "Falha quando um `meta` de nome `robots` ou `googlebot`, em qualquer lugar da página e em maiúsculas ou minúsculas, contém `noindex` ou `none`. Uma página escondida de propósito também falha: só o dono sabe. Os cabeçalhos têm verificação própria.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: FIRST,
    run: meta,
};

const SCOPED: Check = Check {
    code: "noindex_scoped_bot",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Another search engine is asked not to index", "Outro buscador recebe pedido de não indexar"),
    why: text(
        "The page is missing in that engine, and in the assistants that search with it, while Google shows it.",
        "A página falta nesse buscador, e nos assistentes que pesquisam com ele, enquanto o Google a mostra.",
    ),
    how: text(
        "Remove noindex for that engine if the page should be found there.",
        "Remova o noindex para esse buscador se a página deve ser encontrada nele.",
    ),
    reference: SPEC,
    rule: text(
        "Fails when `noindex` or `none` is said to a named search crawler other than Google's, by meta tag or `X-Robots-Tag`, and not to Google. Tags for Google News, for images and for crawlers that don't search are left alone.",
        "Falha quando `noindex` ou `none` é dito a um robô de busca nomeado que não é do Google, por meta tag ou `X-Robots-Tag`, e não ao Google. Tags para o Google Notícias, para imagens e para robôs que não são de busca ficam de fora.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: WHOLE,
    run: scoped,
};

const NOFOLLOW: Check = Check {
    code: "nofollow_page",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Page asks that no link be followed", "A página pede que nenhum link seja seguido"),
    why: text(
        "Crawlers don't find other pages of the site from here, and the links count for nothing.",
        "Os robôs não encontram outras páginas do site a partir daqui, e os links não contam.",
    ),
    how: text("Remove nofollow, or set it on single links only.", "Remova nofollow, ou use-o só em links isolados."),
    reference: RULES,
    rule: text(
        "Fails when a meta tag or `X-Robots-Tag` says `nofollow` or `none` to everyone or to Googlebot, and the page has at least one link to its own host. `rel=\"nofollow\"` on single links is left alone.",
        "Falha quando uma meta tag ou `X-Robots-Tag` diz `nofollow` ou `none` a todos ou ao Googlebot, e a página tem ao menos um link para o próprio host. `rel=\"nofollow\"` em links isolados fica de fora.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: FIRST,
    run: nofollow,
};

const EMBEDDED: Check = Check {
    code: "indexifembedded_without_noindex",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("indexifembedded without noindex does nothing", "indexifembedded sem noindex não faz nada"),
    why: text(
        "The rule only lifts a noindex for pages that embed this one; alone it has no effect.",
        "A regra só suspende um noindex para páginas que incorporam esta; sozinha não tem efeito.",
    ),
    how: text(
        "Add noindex if the page should be found inside others only; else drop indexifembedded.",
        "Acrescente noindex se a página só deve ser encontrada dentro de outras; se não, tire indexifembedded.",
    ),
    reference: RULES,
    rule: text(
        "Fails when `indexifembedded` is said to everyone or to Googlebot and neither a tag nor a header says `noindex` or `none` to the same.",
        "Falha quando `indexifembedded` é dito a todos ou ao Googlebot e nem tag nem cabeçalho lhes diz `noindex` ou `none`.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: WHOLE,
    run: embedded,
};

fn says_noindex(directive: &Directive) -> bool {
    matches!(directive.name.as_str(), "noindex" | "none")
}

fn meta(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    let all: Vec<&Directive> = facts.directives().iter().filter(|d| for_google(d) && says_noindex(d)).collect();
    if !all.iter().any(|directive| directive.is_in_page()) {
        return PASS;
    }
    const ASKS: Text = text("The page's robots meta tag says noindex.", "A meta tag robots da página diz noindex.");
    decide(facts, &all, ASKS, &[])
}

fn scoped(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    let noindexes: Vec<&Directive> = facts.directives().iter().filter(|directive| says_noindex(directive)).collect();
    if noindexes.iter().any(|directive| for_google(directive)) {
        return Err(NotMeasured::NoIndex);
    }
    let found: Vec<&Directive> = noindexes.into_iter().filter(|d| d.agent.as_deref().is_some_and(is_engine)).collect();
    let Some(agent) = found.first().and_then(|directive| directive.agent.clone()) else { return PASS };
    const ASKED: Text =
        text("{agent} is asked not to index the page.", "{agent} recebe o pedido de não indexar a página.");
    decide(facts, &found, ASKED, &[("agent", agent.into())])
}

/// Whether a name is a search crawler's other than Google's, whole or as its engine shortens it (`yandex`).
fn is_engine(agent: &str) -> bool {
    /// Shorter starts could be anybody's.
    const SHORTEST: usize = 4;
    let mut engines = crawlers::tokens(Purpose::Search).map(str::to_ascii_lowercase);
    agent.len() >= SHORTEST
        && !agent.starts_with("google")
        && engines.any(|engine| engine.starts_with(agent) && !engine.starts_with("google"))
}

fn nofollow(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let internal = html.anchors.iter().filter(|anchor| anchor.reach == Reach::Internal).count();
    let found: Vec<&Directive> =
        facts.directives().iter().filter(|d| for_google(d) && matches!(d.name.as_str(), "nofollow" | "none")).collect();
    if internal == 0 {
        return if found.is_empty() { PASS } else { Err(NotMeasured::Absent) };
    }
    const LINKS: Text = text(
        "The page says nofollow; {count} internal {count|link is|links are} not followed.",
        "A página diz nofollow; {count} {count|link interno não é seguido|links internos não são seguidos}.",
    );
    decide(facts, &found, LINKS, &[("count", internal.into())])
}

fn embedded(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    let found: Vec<&Directive> =
        facts.directives().iter().filter(|d| for_google(d) && d.name == "indexifembedded").collect();
    if found.is_empty() {
        return Err(NotMeasured::Absent);
    }
    if facts.directives().iter().any(|directive| for_google(directive) && says_noindex(directive)) {
        return PASS;
    }
    const ALONE: Text =
        text("The page says indexifembedded, but not noindex.", "A página diz indexifembedded, mas não noindex.");
    const CHOOSE: Text = text(
        "Add noindex if only pages that embed this one should be found with its content; else drop indexifembedded.",
        "Acrescente noindex se só páginas que incorporam esta devem ser encontradas com o conteúdo dela; se não, tire indexifembedded.",
    );
    let fix = FixDraft::instruction(FixTarget::Head, CHOOSE, &[]);
    problem(ALONE, &[], fix).at(found.iter().filter_map(|directive| place(facts, directive))).fail()
}
