//! What a site says about the use of its content by AI: signals, licences, and words that nobody reads.

use url::Url;

use crate::check::prelude::*;
use crate::facts::content_type::media_type;
use crate::facts::crawlers::{Purpose, tokens};
use crate::facts::page::Html;
use crate::facts::robots_directives::DirectiveOrigin;
use crate::facts::robots_txt::signals::{self, SignalFault, SignalLine};
use crate::facts::robots_txt::{RobotsState, RobotsTxt};
use crate::fix::FileChange;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "ai-usage-policy",
    category: Category::Agents,
    landing: LANDING,
    checks: &[SIGNAL_INVALID, LICENSE_BROKEN, NOAI_DECLARED],
};

const LANDING: Landing = Landing {
    title: text("Content-Signal and RSL checker", "Verificador de Content-Signal e RSL"),
    h1: text("Can AI crawlers read your terms of use?", "Os robôs de IA conseguem ler suas condições de uso?"),
    description: text(
        "Checks Content-Signal lines, RSL licences and noai: what is misspelled, contradictory, or read by nobody.",
        "Verifica linhas Content-Signal, licenças RSL e noai: o que está escrito errado, se contradiz ou ninguém lê.",
    ),
    lead: text(
        "Whether machines may search, quote or learn from your pages is your decision. It counts only when it is written so that a program can read it.",
        "Se máquinas podem pesquisar, citar ou aprender com suas páginas é decisão sua. Ela só vale se estiver escrita de modo que um programa consiga ler.",
    ),
    example: include_str!("ai_usage/bad_signal.http"),
};

const PATH: &str = "/robots.txt";
const RSL_TYPE: &str = "application/rsl+xml";

const SIGNAL_INVALID: Check = Check {
    code: "content_signal_invalid",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Content-Signal that can't be followed", "Content-Signal que não pode ser seguido"),
    why: text(
        "A signal that no program can read, or that the rules beside it deny, says nothing about your content.",
        "Um sinal que nenhum programa consegue ler, ou que as regras ao lado negam, não diz nada sobre seu conteúdo.",
    ),
    how: text(
        "Write `search`, `ai-input` and `ai-train`, each with `=yes` or `=no`, separated by commas.",
        "Escreva `search`, `ai-input` e `ai-train`, cada um com `=yes` ou `=no`, separados por vírgulas.",
    ),
    reference: "https://contentsignals.org/",
    rule: text(
        "Fails on a `Content-Signal` line of robots.txt with a part that is not `search`, `ai-input` or `ai-train` with `=yes` or `=no` (Cloudflare's `use=` passes), or that says yes in a group which disallows everything and allows nothing. Case and spaces are free. Not applicable without such a line.",
        "Falha em uma linha `Content-Signal` do robots.txt com uma parte que não seja `search`, `ai-input` ou `ai-train` com `=yes` ou `=no` (o `use=` da Cloudflare passa), ou que diga sim em um grupo que proíbe tudo e não permite nada. Maiúsculas e espaços são livres. Não se aplica sem uma linha dessas.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::File),
    since: WHOLE,
    run: signal_invalid,
};

const LICENSE_BROKEN: Check = Check {
    code: "rsl_license_broken",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("AI licence that can't be found", "Licença para IA que não pode ser encontrada"),
    why: text(
        "Crawlers that honour RSL look for the licence at the declared address, find none, and know of no terms.",
        "Robôs que respeitam RSL procuram a licença no endereço declarado, não a encontram e não conhecem condição alguma.",
    ),
    how: text(
        "Give the absolute address of the licence: `License: https://example.com/license.xml`.",
        "Dê o endereço absoluto da licença: `License: https://example.com/license.xml`.",
    ),
    reference: "https://rslstandard.org/rsl",
    rule: text(
        "Fails when a `License` line of robots.txt has a path or host but is no absolute http(s) address, when a `link rel=license` of type `application/rsl+xml` has no http(s) address, or when a script of that type holds no `<rsl` element. The file at the address is not asked for. Not applicable without a declaration.",
        "Falha quando uma linha `License` do robots.txt tem um caminho ou host mas não é um endereço http(s) absoluto, quando um `link rel=license` do tipo `application/rsl+xml` não tem endereço http(s), ou quando um script desse tipo não contém um elemento `<rsl`. O arquivo no endereço não é pedido. Não se aplica sem uma declaração.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::File),
    since: WHOLE,
    run: license_broken,
};

const NOAI_DECLARED: Check = Check {
    code: "noai_declared",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("“noai” stands where nobody must read it", "“noai” está onde ninguém é obrigado a ler"),
    why: text(
        "noai and noimageai are a convention of some platforms: no search engine and no vendor of models documents to obey them.",
        "noai e noimageai são uma convenção de algumas plataformas: nenhum buscador e nenhum fornecedor de modelos documenta que os respeita.",
    ),
    how: text(
        "Say it in robots.txt, by the names of the training crawlers, which their vendors promise to obey.",
        "Diga isso no robots.txt, pelos nomes dos robôs de treinamento, que os fornecedores prometem respeitar.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag#directives",
    rule: text(
        "Reports a `noai` or `noimageai` in a robots `meta` or `X-Robots-Tag` while robots.txt lets a crawler of training fetch the page. Where all of them are kept out it passes; not measured where robots.txt can't be read.",
        "Relata um `noai` ou `noimageai` em um `meta` robots ou `X-Robots-Tag` enquanto o robots.txt deixa um robô de treinamento buscar a página. Se todos estão barrados, passa; não é medido quando o robots.txt não pode ser lido.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::File),
    since: WHOLE,
    run: noai_declared,
};

/// The site's robots.txt, when there is one to read.
fn robots_file<'f>(facts: &'f Facts<'_>) -> Result<&'f RobotsTxt, NotMeasured> {
    match facts.robots()? {
        RobotsState::Found(file) => Ok(file),
        RobotsState::Missing(_) | RobotsState::Html => Err(NotMeasured::Absent),
        RobotsState::Unreachable(_) => Err(NotMeasured::Robots),
    }
}

fn line_place(facts: &Facts<'_>, line: u32, text: &str) -> Place {
    Place { url: facts.robots_url(), line: Some(line), snippet: Some(text.to_owned()), ..Place::default() }
}

/// Fails on signals that can't be read, or that their group denies.
fn signal_invalid(facts: &Facts<'_>) -> Verdict {
    let file = robots_file(facts)?;
    let found = signals::faults(&file.text).ok_or(NotMeasured::Absent)?;
    let Some(first) = found.first() else { return PASS };
    const UNKNOWN: Text = text(
        "A Content-Signal on line {line} of robots.txt is no known signal with yes or no: “{part}”.",
        "Um Content-Signal na linha {line} do robots.txt não é um sinal conhecido com yes ou no: “{part}”.",
    );
    const CLOSED: Text = text(
        "A Content-Signal on line {line} of robots.txt says yes to {part}, but its group lets its crawlers fetch nothing.",
        "Um Content-Signal na linha {line} do robots.txt diz sim a {part}, mas o grupo não deixa seus robôs buscarem nada.",
    );
    let (message, part) = match &first.fault {
        SignalFault::Unknown(part) => (UNKNOWN, part),
        SignalFault::Closed(key) => (CLOSED, key),
    };
    let change = |line: &SignalLine| Some(FileChange::Line(line.line, line.corrected.clone()?));
    let changes: Option<Vec<FileChange>> = found.iter().map(change).collect();
    let fix = match changes.filter(|_| !file.truncated) {
        Some(changes) => {
            const CORRECTED: Text = text("the site's own file, corrected", "o arquivo do próprio site, corrigido");
            FixDraft::file_changes(PATH, &file.text, changes).from(CORRECTED, &[])
        }
        None => {
            const DECIDE: Text = text(
                "Decide what you mean, and write it on these lines: {lines}.",
                "Decida o que você quer dizer e escreva nestas linhas: {lines}.",
            );
            let lines: Vec<String> = found.iter().take(20).map(|line| line.line.to_string()).collect();
            FixDraft::instruction(FixTarget::File, DECIDE, &[("lines", lines.join(", ").into())])
        }
    };
    let values = [("count", found.len().into()), ("line", first.line.into()), ("part", part.as_str().into())];
    problem(message, &values, fix).at(found.iter().map(|line| line_place(facts, line.line, &line.text))).fail()
}

/// `License` lines of robots.txt: number, line, and value.
fn license_lines(file: &RobotsTxt) -> impl Iterator<Item = (u32, &str, &str)> {
    file.unsupported.iter().filter_map(|(number, line)| {
        let (name, value) = line.split('#').next()?.split_once(':')?;
        // A bare name, such as that of a Creative Commons licence, is no attempt at an address.
        let is_declared = name.trim().eq_ignore_ascii_case("license") && value.contains('/');
        is_declared.then_some((*number, line.as_str(), value.trim()))
    })
}

fn is_address(value: &str) -> bool {
    Url::parse(value).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

/// Elements of a page that declare a licence and lead to none, and whether there are any that declare one.
fn broken_elements(html: &Html) -> (Vec<Element<'_>>, bool) {
    let is_rsl = |element: Element<'_>| element.attribute("type").is_some_and(|kind| media_type(kind) == RSL_TYPE);
    let links = html.links_rel("license").filter_map(|link| Some((link, html.element(link.node)?)));
    let links = links.filter(|(_, element)| is_rsl(*element));
    let links = links.map(|(link, element)| {
        (element, link.url.as_ref().is_some_and(|url| matches!(url.scheme(), "http" | "https")))
    });
    let scripts = html.elements(&html.scripts).filter(|script| is_rsl(*script) && !script.has("src"));
    let scripts = scripts.map(|script| (script, script.raw_text().contains("<rsl")));
    let all: Vec<(Element<'_>, bool)> = links.chain(scripts).collect();
    let is_declared = !all.is_empty();
    (all.into_iter().filter(|(_, is_right)| !is_right).map(|(element, _)| element).collect(), is_declared)
}

/// Fails when a declared licence has no address, or no content.
fn license_broken(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let (elements, mut is_declared) = broken_elements(html);
    let file = robots_file(facts);
    let lines: Vec<(u32, &str, &str)> = file.iter().copied().flat_map(license_lines).collect();
    is_declared |= !lines.is_empty();
    let bad: Vec<(u32, &str, &str)> = lines.into_iter().filter(|(_, _, value)| !is_address(value)).collect();
    if bad.is_empty() && elements.is_empty() {
        // Nothing in the page is broken; what robots.txt declares is known only where it was read.
        return match file {
            Err(unknown) if unknown != NotMeasured::Absent => Err(unknown),
            _ if is_declared => PASS,
            _ => Err(NotMeasured::Absent),
        };
    }
    const BROKEN: Text = text(
        "{count} RSL {count|licence is declared and leads|licences are declared and lead} nowhere.",
        "{count} {count|licença RSL é declarada e não leva|licenças RSL são declaradas e não levam} a lugar nenhum.",
    );
    const WHERE: Text = text(
        "Give the absolute https address of the licence file at each place named.",
        "Dê o endereço https absoluto do arquivo da licença em cada lugar indicado.",
    );
    // A path can be completed with certainty; anything else can't.
    let completed = |(line, _, value): &(u32, &str, &str)| {
        let url = facts.url().ok()?.join(value).ok().filter(|_| value.starts_with('/'))?;
        Some(FileChange::Line(*line, format!("License: {url}")))
    };
    let changes: Option<Vec<FileChange>> = bad.iter().map(completed).collect();
    let fix = match (file, changes) {
        (Ok(file), Some(changes)) if elements.is_empty() && !file.truncated => {
            const CORRECTED: Text = text("the site's own file, corrected", "o arquivo do próprio site, corrigido");
            FixDraft::file_changes(PATH, &file.text, changes).from(CORRECTED, &[])
        }
        _ => FixDraft::instruction(FixTarget::File, WHERE, &[]),
    };
    let places = bad.iter().map(|(line, text, _)| line_place(facts, *line, text));
    let places = places.chain(elements.iter().map(|element| element.place()));
    problem(BROKEN, &[("count", (bad.len() + elements.len()).into())], fix).at(places).fail()
}

/// Reports noai where robots.txt does not say it.
fn noai_declared(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let mut declared = facts.directives().iter().filter(|one| matches!(one.name.as_str(), "noai" | "noimageai"));
    let first = declared.next().ok_or(NotMeasured::Absent)?;
    let mut open = Vec::new();
    for token in tokens(Purpose::Training) {
        if facts.robots_verdict(token)?.allowed {
            open.push(token);
        }
    }
    if open.is_empty() {
        return PASS;
    }
    const DECLARED: Text = text(
        "The page says {word}, but robots.txt lets {count} training {count|crawler|crawlers} fetch it: {names}.",
        "A página diz {word}, mas o robots.txt deixa {count} {count|robô|robôs} de treinamento buscá-la: {names}.",
    );
    const SAY: Text = text(
        "If you mean it, add this group with the part of the site that it is for.",
        "Se é isso que você quer, adicione este grupo com a parte do site a que ele se aplica.",
    );
    let mut group: String = open.iter().map(|token| format!("User-agent: {token}\n")).collect();
    group.push_str("Disallow: /{{SCOPE}}\n");
    let place = match &first.source {
        DirectiveOrigin::Meta(node) => html.element(*node).map(Element::place),
        DirectiveOrigin::Header(line) => {
            Some(Place { snippet: Some(format!("X-Robots-Tag: {line}")), ..Place::default() })
        }
    };
    let values =
        [("word", first.name.as_str().into()), ("count", open.len().into()), ("names", open.join(", ").into())];
    problem(DECLARED, &values, FixDraft::file_template(PATH, group).note(SAY, &[])).at(place).fail()
}
