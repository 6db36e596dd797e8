//! What robots.txt says about this page and what it needs. (RFC 9309)

use std::collections::BTreeSet;

use super::robots_txt::{PATH, place};
use crate::check::prelude::*;
use crate::facts::crawlers::{self, Purpose};
use crate::facts::page::Html;
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
            "Test a URL against robots.txt as Googlebot and other search crawlers read it, including its styles and scripts.",
            "Teste uma URL contra o robots.txt como o Googlebot e outros robôs de busca o leem, inclusive os estilos e scripts dela.",
        ),
        lead: text(
            "One broad rule can block a page, or the styles that it needs for rendering. This tool evaluates robots.txt for each search crawler by the rules of RFC 9309 and shows the line that decides.",
            "Uma regra ampla demais pode bloquear uma página, ou os estilos de que ela precisa para ser renderizada. Esta ferramenta avalia o robots.txt para cada robô de busca pelas regras da RFC 9309 e mostra a linha que decide.",
        ),
        example: include_str!("robots_txt_tester/bad_blocked.http"),
    },
    checks: &[BLOCKS_PAGE, BLOCKS_ENGINE, BLOCKS_RESOURCES],
};

const BLOCKS_PAGE: Check = Check {
    code: "robots_txt_blocks_page",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("Page blocked by robots.txt", "Página bloqueada pelo robots.txt"),
    why: text(
        "Google does not fetch the page. It may still list the URL, but without your title and description.",
        "O Google não busca a página. Ainda pode listar a URL, mas sem o seu título e a sua descrição.",
    ),
    how: text(
        "Allow the page's path in the group that blocks it, if the page should be found in search.",
        "Libere o caminho da página no grupo que a bloqueia, se ela deve ser encontrada na busca.",
    ),
    reference: "https://developers.google.com/crawling/docs/robots-txt/robots-txt-spec#order-of-precedence-for-rules",
    rule: text(
        "Fails when Googlebot may not fetch the path and query of the final URL. All groups that name Googlebot apply together, otherwise the group `*`. The longest matching rule wins, and `Allow` wins a tie. `*` and `$` are supported, and percent-encoding is normalized.",
        "Falha quando o Googlebot não pode buscar o caminho e a query da URL final. Valem juntos todos os grupos que nomeiam o Googlebot, ou então o grupo `*`. Vence a regra mais longa que combina, e `Allow` vence o empate. `*` e `$` são aceitos, e a codificação percentual é normalizada.",
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
    title: text("Page blocked for another search engine", "Página bloqueada para outro buscador"),
    why: text(
        "The page can't be found in that search engine, nor by AI assistants that use it.",
        "A página não pode ser encontrada nesse buscador, nem por assistentes de IA que o usam.",
    ),
    how: text(
        "Allow the path in a group for that crawler, unless you block it on purpose.",
        "Libere o caminho em um grupo para esse robô, a menos que o bloqueio seja intencional.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc9309#section-2.2.1",
    rule: text(
        "Fails when Googlebot may fetch the final URL but another search crawler may not: Bingbot, DuckDuckBot, Applebot, YandexBot, Baiduspider or Yahoo's Slurp. Each is judged by its own group, otherwise by `*`.",
        "Falha quando o Googlebot pode buscar a URL final, mas outro robô de busca não pode: Bingbot, DuckDuckBot, Applebot, YandexBot, Baiduspider ou o Slurp do Yahoo. Cada um é avaliado pelo próprio grupo, ou então por `*`.",
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
    title: text("Styles or scripts blocked by robots.txt", "Estilos ou scripts bloqueados pelo robots.txt"),
    why: text(
        "Google renders a page with the files that it may fetch. Without these files it may see a different page than your visitors do.",
        "O Google renderiza a página com os arquivos que pode buscar. Sem estes arquivos, pode ver uma página diferente da que os visitantes veem.",
    ),
    how: text(
        "Allow the folders with the styles and scripts that the page needs.",
        "Libere as pastas com os estilos e scripts de que a página precisa.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics",
    rule: text(
        "Fails when robots.txt blocks Googlebot from a `link rel=\"stylesheet\"` or `script src` on the page's own origin. Files on other origins are not tested. Alternate style sheets, data blocks and files below Cloudflare's /cdn-cgi/ are ignored, since the page works without them.",
        "Falha quando o robots.txt bloqueia para o Googlebot um `link rel=\"stylesheet\"` ou `script src` na própria origem da página. Arquivos em outras origens não são testados. Folhas de estilo alternativas, blocos de dados e arquivos em /cdn-cgi/ da Cloudflare são ignorados, pois a página funciona sem eles.",
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
        "Line {line} of robots.txt blocks Googlebot from this page: {rule}",
        "A linha {line} do robots.txt bloqueia esta página para o Googlebot: {rule}",
    );
    const ABOVE: Text = text(
        "Add this line to the group of line {line}, {rule}. Replace `{{SCOPE}}` with `$` to allow only this page, or remove it to allow every URL that begins this way.",
        "Adicione esta linha ao grupo da linha {line}, {rule}. Troque `{{SCOPE}}` por `$` para liberar só esta página, ou apague-o para liberar todas as URLs que começam assim.",
    );
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
        "robots.txt allows Googlebot to fetch the page, but blocks {names}.",
        "O robots.txt permite a página ao Googlebot, mas bloqueia {names}.",
    );
    const POLICY: Text = text(
        "If people should find the page in these search engines, add this group to robots.txt. Replace `{{SCOPE}}` with `$` to allow only this page, or remove it to allow every URL that begins this way.",
        "Se as pessoas devem encontrar a página nesses buscadores, adicione este grupo ao robots.txt. Troque `{{SCOPE}}` por `$` para liberar só esta página, ou apague-o para liberar todas as URLs que começam assim.",
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
fn resources(html: &Html) -> Vec<(Element<'_>, Url)> {
    let styles = html.links_rel("stylesheet").filter(|link| !link.is("alternate"));
    let styles = styles.filter_map(|link| Some((html.element(link.node)?, link.url.clone()?)));
    let is_code = |script: &Element<'_>| {
        script.attribute("type").is_none_or(|kind| {
            let kind = kind.trim().to_ascii_lowercase();
            kind.is_empty() || kind == "module" || kind.contains("javascript") || kind.contains("ecmascript")
        })
    };
    let scripts = html.elements(&html.scripts).filter(is_code);
    // Most addresses of another host need no parsing to be told apart.
    let may_be_own = |src: &&str| html.plain_target(src).is_none_or(|target| Some(target.host) == html.url.host_str());
    let scripts = scripts.filter_map(|script| {
        let src = script.attribute("src").map(str::trim).filter(may_be_own)?;
        Some((script, html.resolve(src)?))
    });
    let mut seen = BTreeSet::new();
    let own = |url: &Url| url.origin() == html.url.origin() && !url.path().starts_with("/cdn-cgi/");
    styles.chain(scripts).filter(|(_, url)| own(url) && seen.insert(url.clone())).collect()
}

/// Addresses that are matched with a file of so many bytes.
fn most_matched(bytes: usize) -> usize {
    MOST_RULE_BYTES / bytes.max(1)
}

fn blocks_resources(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let most = if let RobotsState::Found(file) = facts.robots()? { most_matched(file.text.len()) } else { usize::MAX };
    let resources = resources(html);
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
        "robots.txt blocks Googlebot from {count|a file that the page loads, {url}|{count} files that the page loads; the first is {url}}: {rule}",
        "O robots.txt bloqueia para o Googlebot {count|um arquivo que a página carrega, {url}|{count} arquivos que a página carrega; o primeiro é {url}}: {rule}",
    );
    const FOLDERS: Text = text(
        "Add these lines to the group for Googlebot, or to the group for all crawlers. Remove `{{FILES}}` to allow the whole folder, or replace it with the name of a file.",
        "Adicione estas linhas ao grupo do Googlebot, ou ao de todos os robôs. Apague `{{FILES}}` para liberar a pasta inteira, ou troque-o pelo nome de um arquivo.",
    );
    let folders: BTreeSet<&str> =
        blocked.iter().map(|(_, url, _)| url.path().rsplit_once('/').map_or("", |(folder, _)| folder)).collect();
    let lines: String = folders.iter().map(|folder| format!("Allow: {folder}/{{{{FILES}}}}\n")).collect();
    let rule = verdict.rule.as_ref().map_or("", |(rule, _)| rule.as_str());
    let values = [("count", blocked.len().into()), ("url", first.as_str().into()), ("rule", rule.into())];
    let fix = FixDraft::file_template(PATH, lines).note(FOLDERS, &[]);
    problem(BLOCKED, &values, fix).on(blocked.iter().map(|(element, _, _)| element)).fail()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_the_file_the_fewer_addresses_are_matched() {
        assert_eq!(most_matched(0), MOST_RULE_BYTES);
        assert_eq!(most_matched(1024 * 1024), 8);
        assert_eq!(most_matched(MOST_RULE_BYTES + 1), 0);
    }
}
