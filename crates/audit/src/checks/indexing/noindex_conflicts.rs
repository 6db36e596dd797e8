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
            "Find out whether robots.txt hides a noindex from Google, or a sitemap asks to index a page that says noindex.",
            "Descubra se o robots.txt esconde um noindex do Google, ou se um sitemap pede para indexar uma página que diz noindex.",
        ),
        lead: text(
            "A noindex works only if crawlers may fetch the page that says it. This tool reads the page, robots.txt and the sitemaps together and tells where they contradict each other.",
            "Um noindex só funciona se os robôs puderem buscar a página que o diz. Esta ferramenta lê a página, o robots.txt e os sitemaps juntos e mostra onde se contradizem.",
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
        "Google can't fetch the page, never reads the noindex, and may list the bare address all the same.",
        "O Google não pode buscar a página, nunca lê o noindex e ainda assim pode listar o endereço puro.",
    ),
    how: text(
        "Allow the page in robots.txt until it has left the index; then forbid it again if you like.",
        "Permita a página no robots.txt até ela sair do índice; depois, se quiser, proíba de novo.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/block-indexing",
    rule: text(
        "Fails when the page says `noindex` or `none` to everyone or to Googlebot, by tag or header, and robots.txt forbids its final address to Googlebot.",
        "Falha quando a página diz `noindex` ou `none` a todos ou ao Googlebot, por tag ou cabeçalho, e o robots.txt proíbe o endereço final dela ao Googlebot.",
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
    title: text("Sitemap lists a page that says noindex", "O sitemap lista uma página que diz noindex"),
    why: text(
        "The sitemap asks to index what the page forbids: crawlers spend visits on it, and reports fill with errors.",
        "O sitemap pede para indexar o que a página proíbe: os robôs gastam visitas nela e os relatórios se enchem de erros.",
    ),
    how: text(
        "Drop the entry, or the noindex if the page should be found.",
        "Tire a entrada, ou o noindex se a página deve ser encontrada.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap#general-guidelines",
    rule: text(
        "Fails when the page opts out of Google's index, by `noindex`, `none` or a past `unavailable_after`, and a sitemap that was read lists its final address. Reading ends where the page is found, so one listing is told.",
        "Falha quando a página se exclui do índice do Google, por `noindex`, `none` ou um `unavailable_after` já passado, e um sitemap lido lista o endereço final dela. A leitura termina onde a página é encontrada, por isso uma listagem é apontada.",
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
        "The page says noindex, but line {line} of robots.txt keeps Googlebot from reading it: {rule}",
        "A página diz noindex, mas a linha {line} do robots.txt impede o Googlebot de lê-la: {rule}",
    );
    const LIFT: Text = text(
        "Lift line {line} of robots.txt, {rule}, for this page; the noindex keeps it out of the index by itself.",
        "Suspenda a linha {line} do robots.txt, {rule}, para esta página; o noindex sozinho a mantém fora do índice.",
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
        "The page asks not to be indexed, but {sitemap} lists it.",
        "A página pede para não ser indexada, mas {sitemap} a lista.",
    );
    const DROP: Text = text(
        "Drop this entry from {sitemap}, or the noindex if the page should be found: {entry}",
        "Tire esta entrada de {sitemap}, ou o noindex se a página deve ser encontrada: {entry}",
    );
    let shown = sitemap_draft::entry(own, entry.lastmod.as_deref(), "");
    let values = [("sitemap", file.url.as_str().into()), ("entry", shown.into())];
    let fix = FixDraft::instruction(FixTarget::File, DROP, &values);
    let place = Place { url: Some(file.url.clone()), snippet: Some(entry.loc.clone()), ..Place::default() };
    problem(LISTED, &values, fix).at([place]).fail()
}
