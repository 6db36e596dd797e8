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
    h1: text("Can AI crawlers read your usage terms?", "Os robôs de IA conseguem ler suas condições de uso?"),
    description: text(
        "Checks Content-Signal lines, RSL licenses and noai directives for typos, contradictions, and rules that no crawler obeys.",
        "Verifica linhas Content-Signal, licenças RSL e diretivas noai: erros de escrita, contradições e regras que nenhum robô obedece.",
    ),
    lead: text(
        "Whether machines may index, quote or train on your pages is your decision. It only takes effect in a form that programs can read.",
        "Se máquinas podem indexar, citar ou treinar com suas páginas é decisão sua. Ela só tem efeito em um formato que programas consigam ler.",
    ),
    example: include_str!("ai_usage/bad_signal.http"),
};

const PATH: &str = "/robots.txt";
const RSL_TYPE: &str = "application/rsl+xml";

const SIGNAL_INVALID: Check = Check {
    code: "content_signal_invalid",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Invalid Content-Signal", "Content-Signal inválido"),
    why: text(
        "Crawlers ignore a signal that they can't parse, or that the rules of its own group contradict.",
        "Os robôs ignoram um sinal que não conseguem interpretar ou que as regras do próprio grupo contradizem.",
    ),
    how: text(
        "Write `search`, `ai-input` and `ai-train`, each with `=yes` or `=no`, separated by commas.",
        "Escreva `search`, `ai-input` e `ai-train`, cada um com `=yes` ou `=no`, separados por vírgulas.",
    ),
    reference: "https://contentsignals.org/",
    rule: text(
        "Fails when a `Content-Signal` line of robots.txt has a part other than `search`, `ai-input` or `ai-train` with `=yes` or `=no`, or says yes in a group that disallows everything and allows nothing. Cloudflare's `use=` passes. Letter case and spaces don't matter. Not applicable without such a line.",
        "Falha quando uma linha `Content-Signal` do robots.txt tem uma parte que não seja `search`, `ai-input` ou `ai-train` com `=yes` ou `=no`, ou diz yes em um grupo que proíbe tudo e não permite nada. O `use=` da Cloudflare passa. Maiúsculas e espaços não importam. Não se aplica sem uma linha dessas.",
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
    title: text("AI license has no valid URL", "Licença para IA sem URL válida"),
    why: text(
        "Crawlers that support RSL find no license at the declared address and so don't know your terms.",
        "Robôs compatíveis com RSL não encontram a licença no endereço declarado e, por isso, não conhecem suas condições.",
    ),
    how: text(
        "Write the absolute URL of the license: `License: https://example.com/license.xml`.",
        "Escreva a URL absoluta da licença: `License: https://example.com/license.xml`.",
    ),
    reference: "https://rslstandard.org/rsl",
    rule: text(
        "Fails in three cases: a `License` line of robots.txt has a path or host but no absolute http(s) URL; a `link rel=license` of type `application/rsl+xml` has no http(s) URL; or an inline script of that type holds no `<rsl` element. The license file itself is not fetched. Not applicable without such a declaration.",
        "Falha em três casos: uma linha `License` do robots.txt tem um caminho ou host, mas não uma URL http(s) absoluta; um `link rel=license` do tipo `application/rsl+xml` não tem uma URL http(s); ou um script embutido desse tipo não contém um elemento `<rsl`. O arquivo da licença em si não é buscado. Não se aplica sem uma declaração dessas.",
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
    title: text("noai directive that crawlers don't obey", "Diretiva noai que os robôs não obedecem"),
    why: text(
        "noai and noimageai are a convention of some platforms. No search engine or AI vendor documents that it obeys them.",
        "noai e noimageai são uma convenção de algumas plataformas. Nenhum buscador e nenhum fornecedor de IA documenta que as obedece.",
    ),
    how: text(
        "Block the training crawlers by name in robots.txt, which their vendors promise to obey.",
        "Bloqueie os robôs de treinamento pelo nome no robots.txt, que os fornecedores prometem respeitar.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag#directives",
    rule: text(
        "Reports a `noai` or `noimageai` in a robots `meta` tag or `X-Robots-Tag` header while robots.txt allows at least one training crawler to fetch the page. Passes when robots.txt blocks all of them. Not measured when robots.txt can't be read.",
        "Relata um `noai` ou `noimageai` em uma tag `meta` robots ou no cabeçalho `X-Robots-Tag` enquanto o robots.txt permite que pelo menos um robô de treinamento acesse a página. Passa quando o robots.txt bloqueia todos. Não é medido quando o robots.txt não pode ser lido.",
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
        "Line {line} of robots.txt has an invalid Content-Signal: “{part}”.",
        "A linha {line} do robots.txt tem um Content-Signal inválido: “{part}”.",
    );
    const CLOSED: Text = text(
        "Line {line} of robots.txt allows {part}, but its group blocks the crawlers from every page.",
        "A linha {line} do robots.txt permite {part}, mas o grupo bloqueia os robôs em todas as páginas.",
    );
    let (message, part) = match &first.fault {
        SignalFault::Unknown(part) => (UNKNOWN, part),
        SignalFault::Closed(key) => (CLOSED, key),
    };
    let change = |line: &SignalLine| Some(FileChange::Line(line.line, line.corrected.clone()?));
    let changes: Option<Vec<FileChange>> = found.iter().map(change).collect();
    let fix = match changes.filter(|_| !file.truncated) {
        Some(changes) => {
            const CORRECTED: Text = text("the site's robots.txt, corrected", "o robots.txt do site, corrigido");
            FixDraft::file_changes(PATH, &file.text, changes).from(CORRECTED, &[])
        }
        None => {
            const DECIDE: Text = text(
                "Correct the Content-Signal on these lines of robots.txt, or the rules of their groups: {lines}.",
                "Corrija o Content-Signal nestas linhas do robots.txt, ou as regras dos grupos delas: {lines}.",
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
        "{count} RSL {count|license declaration has|license declarations have} no usable license.",
        "{count} {count|declaração de licença RSL não tem|declarações de licença RSL não têm} uma licença utilizável.",
    );
    const WHERE: Text = text(
        "Write the absolute https URL of the license file at each listed place.",
        "Escreva a URL https absoluta do arquivo da licença em cada lugar indicado.",
    );
    // A path can be completed with certainty; anything else can't.
    let completed = |(line, _, value): &(u32, &str, &str)| {
        let url = facts.url().ok()?.join(value).ok().filter(|_| value.starts_with('/'))?;
        Some(FileChange::Line(*line, format!("License: {url}")))
    };
    let changes: Option<Vec<FileChange>> = bad.iter().map(completed).collect();
    let fix = match (file, changes) {
        (Ok(file), Some(changes)) if elements.is_empty() && !file.truncated => {
            const CORRECTED: Text = text("the site's robots.txt, corrected", "o robots.txt do site, corrigido");
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
        "A página diz {word}, mas o robots.txt deixa {count} {count|robô|robôs} de treinamento acessá-la: {names}.",
    );
    const SAY: Text = text(
        "If you want to keep training crawlers out, add this group to robots.txt. Replace `{{SCOPE}}` with the path that it applies to, or remove it for the whole site.",
        "Se você quer bloquear os robôs de treinamento, adicione este grupo ao robots.txt. Troque `{{SCOPE}}` pelo caminho a que ele se aplica, ou apague-o para o site inteiro.",
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
