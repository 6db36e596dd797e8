//! Directives of the page that keep it, or its links, out of search.

use super::robots_meta::{IF_FOUND, decide, place};
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
        h1: text("Does noindex keep my page out of search?", "O noindex deixa minha página fora da busca?"),
        description: text(
            "Read robots meta tags as Google does: noindex, none, nofollow and indexifembedded, for everyone or for one search engine.",
            "Leia as meta tags robots como o Google: noindex, none, nofollow e indexifembedded, para todos ou para um só buscador.",
        ),
        lead: text(
            "One forgotten noindex removes a page from search altogether. This tool reads every robots tag on the page and shows which crawlers it addresses. It advises removing a noindex only if you want the page to be found.",
            "Um noindex esquecido tira a página da busca. Esta ferramenta lê cada tag robots da página e mostra a quais robôs ela se dirige. Só aconselha remover um noindex se você quer que a página seja encontrada.",
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
    title: text("noindex in a robots meta tag", "noindex em uma meta tag robots"),
    why: text(
        "A robots meta tag with noindex removes the page from search results altogether.",
        "Uma meta tag robots com noindex tira a página dos resultados de busca por completo.",
    ),
    how: text(
        "If the page should appear in search results, remove noindex. Otherwise, leave it.",
        "Se a página deve aparecer na busca, remova noindex. Caso contrário, deixe como está.",
    ),
    reference: RULES,
    rule: text(
        "Fails when a `meta` named `robots` or `googlebot`, anywhere in the page and in any letter case, contains `noindex` or `none`. A page that is hidden on purpose fails too, because only its owner knows. A separate check covers headers.",
        "Falha quando um `meta` de nome `robots` ou `googlebot`, em qualquer lugar da página e em maiúsculas ou minúsculas, contém `noindex` ou `none`. Uma página escondida de propósito também falha, porque só o dono sabe. Os cabeçalhos têm verificação própria.",
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
    title: text("noindex for another search engine", "noindex para outro buscador"),
    why: text(
        "The page is missing from that search engine and from the assistants that use it, although Google shows it.",
        "A página não aparece nesse buscador nem nos assistentes que o usam, embora o Google a mostre.",
    ),
    how: text(
        "If the page should appear in that search engine, remove its noindex. Otherwise, leave it.",
        "Se a página deve aparecer nesse buscador, remova o noindex dele. Caso contrário, deixe como está.",
    ),
    reference: SPEC,
    rule: text(
        "Fails when a meta tag or `X-Robots-Tag` sets `noindex` or `none` for a named search crawler other than Google's, but not for Google. Tags for Google News, for images and for crawlers other than search crawlers are skipped.",
        "Falha quando uma meta tag ou `X-Robots-Tag` define `noindex` ou `none` para um robô de busca que não é do Google, mas não para o Google. Tags para o Google Notícias, para imagens e para robôs que não são de busca são ignoradas.",
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
    title: text("nofollow for the whole page", "nofollow na página inteira"),
    why: text(
        "Crawlers don't discover other pages of the site from here, and the links pass no value to them.",
        "Os robôs não descobrem outras páginas do site a partir daqui, e os links não transferem valor a elas.",
    ),
    how: text(
        "Remove nofollow from the page, or set it only on individual links.",
        "Remova nofollow da página ou use-o só em links específicos.",
    ),
    reference: RULES,
    rule: text(
        "Fails when a meta tag or `X-Robots-Tag` sets `nofollow` or `none` for everyone or for Googlebot, and the page has at least one link to its own host. `rel=\"nofollow\"` on individual links doesn't count.",
        "Falha quando uma meta tag ou `X-Robots-Tag` define `nofollow` ou `none` para todos ou para o Googlebot, e a página tem ao menos um link para o próprio host. `rel=\"nofollow\"` em links específicos não conta.",
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
    title: text("indexifembedded without noindex has no effect", "indexifembedded sem noindex não tem efeito"),
    why: text(
        "indexifembedded only lifts a noindex for pages that embed this one. Without noindex it has no effect.",
        "indexifembedded só suspende um noindex para páginas que incorporam esta. Sem noindex, não tem efeito.",
    ),
    how: text(
        "Add noindex if the page should appear in search only as part of other pages. Otherwise, remove indexifembedded.",
        "Adicione noindex se a página só deve aparecer na busca como parte de outras. Caso contrário, remova indexifembedded.",
    ),
    reference: RULES,
    rule: text(
        "Fails when `indexifembedded` is set for everyone or for Googlebot, and no tag or header sets `noindex` or `none` for them.",
        "Falha quando `indexifembedded` é definido para todos ou para o Googlebot, e nenhuma tag ou cabeçalho define `noindex` ou `none` para eles.",
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
    let Some(first) = all.iter().find(|directive| directive.is_in_page()) else { return PASS };
    const ASKS: Text = text(
        "The {tag} meta tag contains “{directive}”, which keeps the page out of Google Search.",
        "A meta tag {tag} contém “{directive}”, o que deixa a página fora da Busca do Google.",
    );
    let tag = first.agent.as_deref().unwrap_or("robots");
    decide(facts, &all, ASKS, &[("tag", tag.into()), ("directive", first.name.as_str().into())], IF_FOUND)
}

fn scoped(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    let noindexes: Vec<&Directive> = facts.directives().iter().filter(|directive| says_noindex(directive)).collect();
    if noindexes.iter().any(|directive| for_google(directive)) {
        return Err(NotMeasured::NoIndex);
    }
    let found: Vec<&Directive> = noindexes.into_iter().filter(|d| d.agent.as_deref().is_some_and(is_engine)).collect();
    let Some(first) = found.first() else { return PASS };
    let agent = first.agent.clone().unwrap_or_default();
    const ASKED: Text = text(
        "The page sets “{directive}” for {agent}, which keeps it out of that search engine.",
        "A página define “{directive}” para {agent}, o que a deixa fora desse buscador.",
    );
    const IF_FOUND_THERE: Text = text(
        "If the page should appear in that search engine, remove “{directive}” there. Otherwise, leave it.",
        "Se a página deve aparecer nesse buscador, remova “{directive}” dele. Caso contrário, deixe como está.",
    );
    let values = [("agent", agent.into()), ("directive", first.name.as_str().into())];
    decide(facts, &found, ASKED, &values, IF_FOUND_THERE)
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
        "The page contains “{directive}”, so crawlers don't follow its {count|only internal link|{count} internal links}.",
        "A página contém “{directive}”, e os robôs não seguem {count|seu único link interno|seus {count} links internos}.",
    );
    const IF_FOLLOWED: Text = text(
        "If crawlers should follow the links on this page, remove “{directive}”. Otherwise, leave it.",
        "Se os robôs devem seguir os links desta página, remova “{directive}”. Caso contrário, deixe como está.",
    );
    let name = found.first().map_or("", |directive| directive.name.as_str());
    decide(facts, &found, LINKS, &[("count", internal.into()), ("directive", name.into())], IF_FOLLOWED)
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
    const ALONE: Text = text(
        "The page has indexifembedded without noindex, which has no effect.",
        "A página tem indexifembedded sem noindex, o que não tem efeito.",
    );
    const CHOOSE: Text = text(
        "Add noindex if the page's content should appear in search only as part of pages that embed it. Otherwise, remove indexifembedded.",
        "Adicione noindex se o conteúdo desta página só deve aparecer na busca como parte das páginas que a incorporam. Caso contrário, remova indexifembedded.",
    );
    let fix = FixDraft::instruction(FixTarget::Head, CHOOSE, &[]);
    problem(ALONE, &[], fix).at(found.iter().filter_map(|directive| place(facts, directive))).fail()
}
