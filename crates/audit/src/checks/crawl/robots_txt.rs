//! robots.txt: whether it can be read, and what it says about this page. (RFC 9309)

use crate::check::prelude::*;
use crate::facts::robots_txt::{ProblemKind, RobotsState, RobotsTxt};
use crate::facts::sitemap::Presence;
use crate::fix::FileChange;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "robots-txt",
    category: Category::Crawl,
    landing: Landing::TO_WRITE,
    checks: &[UNREACHABLE, BLOCKS_PAGE, HTML_RESPONSE, SYNTAX_ERROR, MISSING, SITEMAP_MISSING],
};

const RFC: &str = "https://www.rfc-editor.org/rfc/rfc9309";
const GOOGLE: &str = "https://developers.google.com/crawling/docs/robots-txt/robots-txt-spec";
/// Where the file is on a host.
pub(super) const PATH: &str = "/robots.txt";
/// The whole file of a site that hides nothing.
const OPEN: &str = "User-agent: *\nAllow: /\n";

const MISSING: Check = Check {
    code: "robots_txt_missing",
    severity: Severity::Info,
    title: text("No robots.txt", "Sem robots.txt"),
    why: text(
        "Crawlers take a missing file as leave to fetch everything, which is fine. A file is where they look for your sitemap.",
        "Os robôs entendem a falta do arquivo como permissão para buscar tudo, e tudo bem. É no arquivo que procuram o seu sitemap.",
    ),
    how: text("Put a robots.txt at the root of the host.", "Coloque um robots.txt na raiz do host."),
    reference: RFC,
    rule: text("Fails on 400 to 499 except 429, and on more than five redirects.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::File),
    since: FIRST,
    run: missing,
};

const UNREACHABLE: Check = Check {
    code: "robots_txt_unreachable",
    severity: Severity::Error,
    title: text("robots.txt can't be reached", "robots.txt inalcançável"),
    why: text(
        "While robots.txt answers with an error or not at all, crawlers must assume that everything is forbidden, and stop.",
        "Enquanto o robots.txt responde com erro ou não responde, os robôs devem supor que tudo é proibido, e param.",
    ),
    how: text(
        "Let /robots.txt answer 200, or 404 if there is none.",
        "Faça /robots.txt responder 200, ou 404 se não houver.",
    ),
    reference: GOOGLE,
    rule: text("Fails on 429, 5xx, and when no answer came.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::File),
    since: FIRST,
    run: unreachable,
};

const BLOCKS_PAGE: Check = Check {
    code: "robots_txt_blocks_page",
    severity: Severity::Error,
    title: text("robots.txt forbids this page", "O robots.txt proíbe esta página"),
    why: text(
        "Google does not fetch the page. It may still list the bare address, without a title or snippet of yours.",
        "O Google não busca a página. Ainda pode listar o endereço puro, sem título ou trecho seu.",
    ),
    how: text(
        "If the page should be found, allow its path in the group that forbids it.",
        "Se a página deve ser encontrada, permita o caminho dela no grupo que a proíbe.",
    ),
    reference: GOOGLE,
    rule: text("Fails when Googlebot may not fetch the final URL.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::File),
    since: FIRST,
    run: blocks_page,
};

const HTML_RESPONSE: Check = Check {
    code: "robots_txt_html_response",
    severity: Severity::Warn,
    title: text("robots.txt answers with a web page", "O robots.txt responde com uma página web"),
    why: text(
        "The server sends its app or error page with status 200. Crawlers look for rules in it and find none.",
        "O servidor envia o aplicativo ou a página de erro com status 200. Os robôs procuram regras nela e não acham.",
    ),
    how: text("Serve a text file there, or answer 404.", "Sirva ali um arquivo de texto, ou responda 404."),
    reference: RFC,
    rule: text("Fails when an HTML document comes with status 200.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::File),
    since: FIRST,
    run: html_response,
};

const SYNTAX_ERROR: Check = Check {
    code: "robots_txt_syntax_error",
    severity: Severity::Warn,
    title: text("Lines of robots.txt that can't be read", "Linhas do robots.txt que não podem ser lidas"),
    why: text(
        "Crawlers skip lines they can't read, without a word; a rule you rely on may not be there.",
        "Os robôs pulam linhas que não conseguem ler, sem aviso; uma regra em que você confia pode não existir.",
    ),
    how: text("Write `Key: value`, and begin paths with `/`.", "Escreva `Chave: valor`, e comece os caminhos com `/`."),
    reference: RFC,
    rule: text("Fails on lines that can't be read, or only out of kindness; each is named.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::File),
    since: FIRST,
    run: syntax_error,
};

const SITEMAP_MISSING: Check = Check {
    code: "robots_txt_sitemap_missing",
    severity: Severity::Info,
    title: text("robots.txt does not name the sitemap", "O robots.txt não indica o sitemap"),
    why: text(
        "Search engines read the sitemap's address in robots.txt. Without it they know of the file only if you submit it to each.",
        "Os buscadores leem o endereço do sitemap no robots.txt. Sem ele, só conhecem o arquivo se você o enviar a cada um.",
    ),
    how: text(
        "Add a line `Sitemap:` with the file's absolute URL; it may stand anywhere.",
        "Acrescente uma linha `Sitemap:` com a URL absoluta do arquivo; pode ficar em qualquer lugar.",
    ),
    reference: "https://www.sitemaps.org/protocol.html#submit_robots",
    rule: text("Fails when a sitemap was found that no line names.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::File),
    since: FIRST,
    run: sitemap_missing,
};

fn place(facts: &Facts<'_>, line: Option<u32>, snippet: Option<String>) -> Place {
    Place { url: facts.robots_url(), line, snippet, ..Place::default() }
}

fn found<'f>(facts: &'f Facts<'_>) -> Result<&'f RobotsTxt, NotMeasured> {
    match facts.robots()? {
        RobotsState::Found(file) => Ok(file),
        RobotsState::Unreachable(_) => Err(NotMeasured::Robots),
        RobotsState::Missing(_) | RobotsState::Html => Err(NotMeasured::Absent),
    }
}

/// The sitemap that is there although robots.txt does not name it.
fn unnamed_sitemap<'f>(facts: &'f Facts<'_>) -> Option<&'f str> {
    let sitemaps = facts.sitemaps().ok().filter(|sitemaps| !sitemaps.is_declared)?;
    sitemaps.files.iter().find(|file| file.is_sitemap()).map(|file| file.url.as_str())
}

/// A file that allows everything and names the sitemap that was found.
fn open_file(facts: &Facts<'_>) -> String {
    unnamed_sitemap(facts).map_or_else(|| OPEN.to_owned(), |url| format!("{OPEN}{}\n", sitemap_line(url)))
}

/// The line of robots.txt that names a sitemap.
pub(super) fn sitemap_line(url: &str) -> String {
    format!("Sitemap: {url}")
}

/// Fails on 400 to 499 except 429, and on more than five redirects.
fn missing(facts: &Facts<'_>) -> Verdict {
    let RobotsState::Missing(status) = facts.robots()? else { return PASS };
    const NONE: Text = text("/robots.txt answers {status}.", "/robots.txt responde {status}.");
    const REDIRECTS: Text =
        text("/robots.txt redirects more than five times.", "/robots.txt redireciona mais de cinco vezes.");
    let message = if *status == 0 { REDIRECTS } else { NONE };
    const ALL: Text = text("A file that allows everything, as now.", "Um arquivo que permite tudo, como agora.");
    fail(message, &[("status", (*status).into())], FixDraft::file(PATH, open_file(facts)).note(ALL, &[]))
}

/// Fails on 429, 5xx, and when no answer came.
fn unreachable(facts: &Facts<'_>) -> Verdict {
    let RobotsState::Unreachable(reason) = facts.robots()? else { return PASS };
    const FAILED: Text =
        text("/robots.txt could not be read ({reason}).", "Não foi possível ler /robots.txt ({reason}).");
    const ANSWER: Text = text(
        "Let /robots.txt answer 200 with the file, or 404 if there is none; now: {reason}.",
        "Faça /robots.txt responder 200 com o arquivo, ou 404 se não houver; agora: {reason}.",
    );
    let values = [("reason", reason.as_str().into())];
    let fix = FixDraft::instruction(FixTarget::File, ANSWER, &values);
    Ok(Some(problem(FAILED, &values, fix).at([place(facts, None, None)])))
}

/// Fails when Googlebot may not fetch the final URL.
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
    Ok(Some(problem(FORBIDS, &values, fix).at([place(facts, Some(line), Some(rule))])))
}

/// Fails when an HTML document comes with status 200.
fn html_response(facts: &Facts<'_>) -> Verdict {
    match facts.robots()? {
        RobotsState::Html => {}
        RobotsState::Missing(_) => return Err(NotMeasured::Absent),
        RobotsState::Found(_) | RobotsState::Unreachable(_) => return PASS,
    }
    const PAGE: Text =
        text("/robots.txt answers with an HTML document.", "/robots.txt responde com um documento HTML.");
    const ALL: Text = text("A file that allows everything, as now.", "Um arquivo que permite tudo, como agora.");
    Ok(Some(problem(PAGE, &[], FixDraft::file(PATH, open_file(facts)).note(ALL, &[])).at([place(facts, None, None)])))
}

/// Fails on lines that can't be read, or only out of kindness; each is named.
fn syntax_error(facts: &Facts<'_>) -> Verdict {
    let file = found(facts)?;
    let Some(first) = file.problems.first() else { return PASS };
    let what = match first.kind {
        ProblemKind::NoColon => text("there is no colon", "falta o dois-pontos"),
        ProblemKind::EmptyAgent => text("User-agent has no value", "User-agent não tem valor"),
        ProblemKind::RuleBeforeAgent => {
            text("the rule stands before any User-agent", "a regra vem antes de qualquer User-agent")
        }
        ProblemKind::PathStart => text("the path does not begin with /", "o caminho não começa com /"),
        ProblemKind::DollarInside => text("$ stands inside the path", "há um $ no meio do caminho"),
        ProblemKind::Misspelled => text("the key is misspelled", "a chave está escrita errado"),
        ProblemKind::UnknownKey => text("the key is not known", "a chave não é conhecida"),
    };
    let values =
        [("count", file.problems.len().into()), ("line", first.line.into()), ("text", first.text.as_str().into())];
    let message = Text {
        en: "{count} {count|line|lines} of robots.txt can't be read as meant; on line {line}, {what}: {text}",
        pt: "{count} {count|linha|linhas} do robots.txt não {count|pode|podem} ser {count|lida|lidas} como se quis; na linha {line}, {what}: {text}",
    };
    let corrected: Option<Vec<FileChange>> =
        file.problems.iter().map(|problem| Some(FileChange::Line(problem.line, problem.corrected.clone()?))).collect();
    let fix = match corrected {
        Some(changes) => {
            const CORRECTED: Text = text("the site's own file, corrected", "o arquivo do próprio site, corrigido");
            FixDraft::file_changes(PATH, &file.text, changes).from(CORRECTED, &[])
        }
        None => {
            const LINES: Text = text("Correct these lines: {lines}.", "Corrija estas linhas: {lines}.");
            let lines: Vec<String> = file.problems.iter().take(20).map(|problem| problem.line.to_string()).collect();
            FixDraft::instruction(FixTarget::File, LINES, &[("lines", lines.join(", ").into())])
        }
    };
    let mut found = problem(message, &values, fix);
    // The kind differs by language, so it is filled in after the values.
    found.message.en = found.message.en.replace("{what}", what.en);
    found.message.pt = found.message.pt.replace("{what}", what.pt);
    Ok(Some(found.at(file.problems.iter().map(|problem| place(facts, Some(problem.line), Some(problem.text.clone()))))))
}

/// Fails when a sitemap was found that no line names.
fn sitemap_missing(facts: &Facts<'_>) -> Verdict {
    let file = found(facts)?;
    let sitemaps = facts.sitemaps()?;
    if sitemaps.is_declared {
        return PASS;
    }
    let Some(url) = unnamed_sitemap(facts) else {
        let nothing = sitemaps.presence() == Presence::Missing;
        return Err(if nothing { NotMeasured::Absent } else { NotMeasured::Sitemap });
    };
    const UNNAMED: Text = text(
        "robots.txt has no valid Sitemap line, but there is a sitemap: {url}",
        "O robots.txt não tem uma linha Sitemap válida, mas há um sitemap: {url}",
    );
    let line = sitemap_line(url);
    let values = [("url", url.into())];
    let fix = if file.truncated {
        const ADD: Text = text("Add this line to robots.txt: {line}", "Acrescente esta linha ao robots.txt: {line}");
        FixDraft::instruction(FixTarget::File, ADD, &[("line", line.into())])
    } else {
        const OWN: Text = text("the site's own file and {url}", "o arquivo do próprio site e {url}");
        FixDraft::file_changes(PATH, &file.text, vec![FileChange::Append(line)]).from(OWN, &values)
    };
    Ok(Some(problem(UNNAMED, &values, fix).at([place(facts, None, None)])))
}
