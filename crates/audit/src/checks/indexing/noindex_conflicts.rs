//! A noindex that other files of the site work against.

use super::robots_meta::place;
use crate::check::prelude::*;
use crate::facts::robots_directives::{Directive, for_google};
use crate::facts::sitemap_draft;
use crate::facts::url_identity::same_page;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "noindex-conflicts",
    category: Category::Indexing,
    landing: Landing {
        title: text("Noindex vs. robots.txt and sitemap", "Noindex contra robots.txt e sitemap"),
        h1: text("Does my noindex reach search engines?", "Meu noindex chega aos buscadores?"),
        description: text(
            "Find out whether robots.txt hides a noindex from Google, or whether a sitemap lists a page that is set to noindex.",
            "Descubra se o robots.txt esconde um noindex do Google ou se um sitemap lista uma página com noindex.",
        ),
        lead: text(
            "A noindex works only if crawlers may fetch the page that contains it. This tool reads the page, robots.txt and the sitemaps together and shows where they contradict each other.",
            "Um noindex só funciona se os robôs puderem buscar a página que o contém. Esta ferramenta lê a página, o robots.txt e os sitemaps juntos e mostra onde se contradizem.",
        ),
        example: include_str!("noindex_conflicts/bad_hidden.http"),
    },
    checks: &[HIDDEN, IN_SITEMAP],
};

const HIDDEN: Check = Check {
    code: "noindex_hidden_by_robots",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("robots.txt hides the page's noindex", "O robots.txt esconde o noindex da página"),
    why: text(
        "Google can't fetch the page, so it never sees the noindex. It may still list the bare URL in search results.",
        "O Google não consegue buscar a página e, por isso, nunca vê o noindex. Mesmo assim, pode listar a URL nos resultados.",
    ),
    how: text(
        "Allow the page in robots.txt until it has left the index. After that you can block it again.",
        "Libere a página no robots.txt até ela sair do índice. Depois disso, você pode bloqueá-la de novo.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/block-indexing",
    rule: text(
        "Fails when a tag or header sets `noindex` or `none` for everyone or for Googlebot, and robots.txt blocks the page's final URL for Googlebot.",
        "Falha quando uma tag ou cabeçalho define `noindex` ou `none` para todos ou para o Googlebot, e o robots.txt bloqueia a URL final da página para o Googlebot.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::File),
    since: WHOLE,
    run: hidden,
};

const IN_SITEMAP: Check = Check {
    code: "noindex_in_sitemap",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Sitemap lists a noindex page", "O sitemap lista uma página com noindex"),
    why: text(
        "The sitemap asks search engines to index a page that forbids it. Crawlers waste visits on it, and Search Console reports it as an error.",
        "O sitemap pede aos buscadores que indexem uma página que o proíbe. Os robôs desperdiçam visitas com ela, e o Search Console a aponta como erro.",
    ),
    how: text(
        "Remove the sitemap entry. If the page should appear in search results, remove the noindex instead.",
        "Remova a entrada do sitemap. Se a página deve aparecer na busca, remova o noindex em vez disso.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap#general-guidelines",
    rule: text(
        "Fails when the page is excluded from Google's index, by `noindex`, `none` or an `unavailable_after` in the past, and one of the sitemaps read lists its final URL. Reading stops at the first entry for the page, so only one is reported.",
        "Falha quando a página está excluída do índice do Google, por `noindex`, `none` ou um `unavailable_after` no passado, e um dos sitemaps lidos lista a URL final dela. A leitura para na primeira entrada da página, por isso só uma é apontada.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::File),
    since: WHOLE,
    run: in_sitemap,
};

fn hidden(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    let says = |d: &&Directive| for_google(d) && matches!(d.name.as_str(), "noindex" | "none");
    let found: Vec<&Directive> = facts.directives().iter().filter(says).collect();
    if found.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let verdict = facts.robots_verdict("Googlebot")?;
    let Some((rule, line)) = verdict.rule.filter(|_| !verdict.allowed) else { return PASS };
    const NEVER: Text = text(
        "The page is set to noindex, but line {line} of robots.txt blocks Googlebot from reading it: {rule}",
        "A página tem noindex, mas a linha {line} do robots.txt impede o Googlebot de lê-la: {rule}",
    );
    const LIFT: Text = text(
        "Change line {line} of robots.txt ({rule}) so that it allows this page. The noindex alone keeps it out of the index.",
        "Mude a linha {line} do robots.txt ({rule}) para liberar esta página. O noindex sozinho a mantém fora do índice.",
    );
    let values = [("line", line.into()), ("rule", rule.as_str().into())];
    let fix = FixDraft::instruction(FixTarget::File, LIFT, &values);
    let rule_place = Place { url: facts.robots_url(), line: Some(line), snippet: Some(rule), ..Place::default() };
    let tags = found.iter().filter_map(|directive| place(facts, directive));
    problem(NEVER, &values, fix).at(tags).at([rule_place]).fail()
}

fn in_sitemap(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    if facts.indexable().is_ok() {
        return Err(NotMeasured::Absent);
    }
    let sitemaps = facts.sitemaps()?;
    let own = facts.url()?;
    let listed = sitemaps.listings().find(|(_, entry)| entry.url().is_some_and(|url| same_page(&url, own)));
    let Some((file, entry)) = listed else {
        return if sitemaps.is_complete() { PASS } else { Err(NotMeasured::Sitemap) };
    };
    const LISTED: Text = text(
        "The page is excluded from indexing, but {sitemap} lists it.",
        "A página está excluída da indexação, mas {sitemap} a lista.",
    );
    const DROP: Text = text(
        "Remove this entry from {sitemap}: {entry} If the page should appear in search results, remove the noindex instead.",
        "Remova esta entrada de {sitemap}: {entry} Se a página deve aparecer na busca, remova o noindex em vez disso.",
    );
    let shown = sitemap_draft::entry(own, entry.lastmod.as_deref(), "");
    let values = [("sitemap", file.url.as_str().into()), ("entry", shown.into())];
    let fix = FixDraft::instruction(FixTarget::File, DROP, &values);
    let place = Place { url: Some(file.url.clone()), snippet: Some(entry.loc.clone()), ..Place::default() };
    problem(LISTED, &values, fix).at([place]).fail()
}
