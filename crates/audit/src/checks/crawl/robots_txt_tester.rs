//! What robots.txt says about this page and what it needs. (RFC 9309)

use std::collections::BTreeSet;

use super::robots_txt::{PATH, place};
use crate::check::prelude::*;
use crate::facts::crawlers::{self, Purpose};
use crate::facts::robots_txt::{RobotsState, RobotsVerdict};
use url::Url;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "robots-txt-tester",
    category: Category::Crawl,
    landing: Landing {
        title: text("robots.txt tester", "Testador de robots.txt"),
        h1: text("Does robots.txt block my page?", "O robots.txt bloqueia minha página?"),
        description: text(
            "Test a URL against robots.txt as Googlebot and other search crawlers read it, with the deciding line, and its styles and scripts too.",
            "Teste uma URL contra o robots.txt como o leem o Googlebot e outros robôs de busca, com a linha decisiva, e também estilos e scripts.",
        ),
        lead: text(
            "One broad rule can forbid a page, or the styles it needs to be rendered. This tool asks robots.txt for each search crawler by the rules of RFC 9309 and names the line that decides.",
            "Uma regra ampla demais pode proibir uma página, ou os estilos de que ela precisa para ser renderizada. Esta ferramenta consulta o robots.txt para cada robô de busca pelas regras da RFC 9309 e aponta a linha que decide.",
        ),
        example: include_str!("robots_txt_tester/bad_blocked.http"),
    },
    checks: &[BLOCKS_PAGE, BLOCKS_ENGINE, BLOCKS_RESOURCES],
};

const BLOCKS_PAGE: Check = Check {
    code: "robots_txt_blocks_page",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("robots.txt forbids this page", "O robots.txt proíbe esta página"),
    why: text(
        "Google does not fetch the page. It may still list the bare address, without a title or snippet of yours.",
        "O Google não busca a página. Ainda pode listar o endereço puro, sem título ou trecho seu.",
    ),
    how: text(
        "If the page should be found, allow its path in the group that forbids it.",
        "Se a página deve ser encontrada, permita o caminho dela no grupo que a proíbe.",
    ),
    reference: "https://developers.google.com/crawling/docs/robots-txt/robots-txt-spec#order-of-precedence-for-rules",
    rule: text(
        "Fails when Googlebot may not fetch path and query of the final address. The group is the one that names Googlebot, all such groups taken together, else `*`; of the rules that match the longest wins, and `Allow` wins a tie; `*` and `$` count, percent-encoding is made alike.",
        "Falha quando o Googlebot não pode buscar o caminho e a query do endereço final. O grupo é o que nomeia o Googlebot, todos esses grupos juntos, ou então `*`; das regras que combinam vence a mais longa, e `Allow` vence o empate; `*` e `$` valem, e a codificação percentual é uniformizada.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::File),
    since: FIRST,
    run: blocks_page,
};

const BLOCKS_ENGINE: Check = Check {
    code: "robots_txt_blocks_engine",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text(
        "robots.txt forbids the page to another search engine",
        "O robots.txt proíbe a página a outro buscador",
    ),
    why: text(
        "The page can't be found there, nor by the assistants that search with that engine.",
        "A página não pode ser encontrada ali, nem pelos assistentes que pesquisam com esse buscador.",
    ),
    how: text(
        "Allow the path in a group for that crawler, unless you keep it out on purpose.",
        "Permita o caminho em um grupo para esse robô, a não ser que o barre de propósito.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc9309#section-2.2.1",
    rule: text(
        "Fails when Googlebot may fetch the final address and another crawler of a search engine may not: Bingbot, DuckDuckBot, Applebot, YandexBot, Baiduspider or Yahoo's Slurp, each by its own group, else by `*`.",
        "Falha quando o Googlebot pode buscar o endereço final e outro robô de buscador não pode: Bingbot, DuckDuckBot, Applebot, YandexBot, Baiduspider ou o Slurp do Yahoo, cada um pelo próprio grupo, ou então por `*`.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::File),
    since: WHOLE,
    run: blocks_engine,
};

const BLOCKS_RESOURCES: Check = Check {
    code: "robots_txt_blocks_resources",
    severity: Severity::Warn,
    impact: Impact::Rendering,
    title: text("robots.txt forbids styles or scripts of the page", "O robots.txt proíbe estilos ou scripts da página"),
    why: text(
        "Google renders pages with what it may fetch: without these files it may see another page than your visitors.",
        "O Google renderiza páginas com o que pode buscar: sem esses arquivos talvez veja outra página que a dos visitantes.",
    ),
    how: text(
        "Allow the folders of styles and scripts that the page needs.",
        "Permita as pastas de estilos e scripts de que a página precisa.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics",
    rule: text(
        "Fails when robots.txt forbids Googlebot a `link rel=\"stylesheet\"` or `script src` of the page's own origin. Only the page's own robots.txt is asked. Left alone: alternate styles, data blocks, and what Cloudflare adds below /cdn-cgi/, which a page does without.",
        "Falha quando o robots.txt proíbe ao Googlebot um `link rel=\"stylesheet\"` ou `script src` da própria origem da página. Só o robots.txt da própria página é consultado. Ficam de fora: estilos alternativos, blocos de dados e o que a Cloudflare acrescenta em /cdn-cgi/, dispensável para a página.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::File),
    since: WHOLE,
    run: blocks_resources,
};

/// Bytes of rules that are matched for the files of one page: each file costs all of robots.txt once.
const MOST_RULE_BYTES: usize = 8 * 1024 * 1024;

fn blocks_page(facts: &Facts<'_>) -> Verdict {
    let path = facts.robots_path()?;
    let verdict = facts.robots_verdict("Googlebot")?;
    let Some((rule, line)) = verdict.rule.filter(|_| !verdict.allowed) else { return PASS };
    const FORBIDS: Text = text(
        "Line {line} of robots.txt forbids this page to Googlebot: {rule}",
        "A linha {line} do robots.txt proíbe esta página ao Googlebot: {rule}",
    );
    const ABOVE: Text =
        text("Goes next to line {line}, {rule}, in its group.", "Vai junto da linha {line}, {rule}, no grupo dela.");
    let values = [("line", line.into()), ("rule", rule.as_str().into())];
    let fix = FixDraft::file_template(PATH, format!("Allow: {path}{{{{SCOPE}}}}\n")).note(ABOVE, &values);
    problem(FORBIDS, &values, fix).at([place(facts, Some(line), Some(rule))]).fail()
}

fn blocks_engine(facts: &Facts<'_>) -> Verdict {
    if !facts.robots_verdict("Googlebot")?.allowed {
        return Err(NotMeasured::Absent);
    }
    let mut blocked: Vec<(&str, String, u32)> = Vec::new();
    for token in crawlers::tokens(Purpose::Search).filter(|token| *token != "Googlebot") {
        let verdict = facts.robots_verdict(token)?;
        blocked.extend(verdict.rule.filter(|_| !verdict.allowed).map(|(rule, line)| (token, rule, line)));
    }
    if blocked.is_empty() {
        return PASS;
    }
    const OUT: Text = text(
        "robots.txt allows the page to Googlebot, but not to {names}.",
        "O robots.txt permite a página ao Googlebot, mas não a {names}.",
    );
    const POLICY: Text = text(
        "Should people find the page there? Then add a group that allows it.",
        "As pessoas devem encontrar a página ali? Então adicione um grupo que permita.",
    );
    let mut group: String = blocked.iter().map(|(token, _, _)| format!("User-agent: {token}\n")).collect();
    group.push_str(&format!("Allow: {}{{{{SCOPE}}}}\n", facts.robots_path()?));
    let fix = FixDraft::file_template(PATH, group).note(POLICY, &[]);
    let names = blocked.iter().map(|(token, _, _)| *token).collect::<Vec<_>>().join(", ");
    let places =
        blocked.into_iter().map(|(token, rule, line)| place(facts, Some(line), Some(format!("{token}: {rule}"))));
    problem(OUT, &[("names", names.into())], fix).at(places).fail()
}

/// Styles and scripts of the page's origin, each once.
fn resources<'f>(facts: &'f Facts<'_>) -> Result<Vec<(Element<'f>, Url)>, NotMeasured> {
    let html = facts.page()?;
    let styles = html.links_rel("stylesheet").filter(|link| !link.is("alternate"));
    let styles = styles.filter_map(|link| Some((html.element(link.node)?, link.url.clone()?)));
    let is_code = |script: &Element<'_>| {
        script.attribute("type").is_none_or(|kind| {
            let kind = kind.trim().to_ascii_lowercase();
            kind.is_empty() || kind == "module" || kind.contains("javascript") || kind.contains("ecmascript")
        })
    };
    let scripts = html.elements(&html.scripts).filter(is_code);
    let scripts = scripts.filter_map(|script| Some((script, html.resolve(script.attribute("src")?.trim())?)));
    let mut seen = BTreeSet::new();
    let own = |url: &Url| url.origin() == html.url.origin() && !url.path().starts_with("/cdn-cgi/");
    Ok(styles.chain(scripts).filter(|(_, url)| own(url) && seen.insert(url.clone())).collect())
}

fn blocks_resources(facts: &Facts<'_>) -> Verdict {
    let resources = resources(facts)?;
    let most = match facts.robots()? {
        RobotsState::Found(file) => MOST_RULE_BYTES / file.text.len().max(1),
        _ => usize::MAX,
    };
    let mut blocked: Vec<(Element<'_>, Url, RobotsVerdict)> = Vec::new();
    for (element, url) in resources.iter().take(most) {
        let verdict = facts.robots_verdict_on("Googlebot", url)?;
        if !verdict.allowed {
            blocked.push((*element, url.clone(), verdict));
        }
    }
    let Some((_, first, verdict)) = blocked.first() else {
        facts.whole_page()?;
        return if resources.is_empty() { Err(NotMeasured::Absent) } else { PASS };
    };
    const BLOCKED: Text = text(
        "robots.txt keeps Googlebot from {count} {count|file|files} that the page loads, {url} first: {rule}",
        "O robots.txt impede o Googlebot de buscar {count} {count|arquivo|arquivos} que a página carrega, a começar por {url}: {rule}",
    );
    const FOLDERS: Text = text(
        "In the group for Googlebot, or for everyone; narrow the folders down if they hold other things too.",
        "No grupo do Googlebot, ou no de todos; restrinja as pastas se contêm outras coisas também.",
    );
    let folders: BTreeSet<&str> =
        blocked.iter().map(|(_, url, _)| url.path().rsplit_once('/').map_or("", |(folder, _)| folder)).collect();
    let lines: String = folders.iter().map(|folder| format!("Allow: {folder}/{{{{FILES}}}}\n")).collect();
    let rule = verdict.rule.as_ref().map_or("", |(rule, _)| rule.as_str());
    let values = [("count", blocked.len().into()), ("url", first.as_str().into()), ("rule", rule.into())];
    let fix = FixDraft::file_template(PATH, lines).note(FOLDERS, &[]);
    problem(BLOCKED, &values, fix).on(blocked.iter().map(|(element, _, _)| element)).fail()
}
