//! The `Sitemap` lines of robots.txt.

use super::robots_txt::{PATH, found, place, sitemap_line, unnamed_sitemap};
use crate::check::prelude::*;
use crate::facts::sitemap_survey::{Presence, is_address};
use crate::fix::FileChange;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "robots-txt-sitemap",
    category: Category::Crawl,
    landing: Landing {
        title: text("Sitemap in robots.txt checker", "Verificador do sitemap no robots.txt"),
        h1: text("Does robots.txt list my sitemap?", "O robots.txt indica o meu sitemap?"),
        description: text(
            "Check whether robots.txt has a Sitemap line that search engines can use, and get the line with the absolute URL to add.",
            "Verifique se o robots.txt tem uma linha Sitemap que os buscadores possam usar e receba a linha com a URL absoluta.",
        ),
        lead: text(
            "Search engines look for your sitemap in robots.txt and accept only an absolute URL. This tool reads the existing lines and finds a sitemap that is not listed.",
            "Os buscadores procuram o sitemap no robots.txt e só aceitam uma URL absoluta. Esta ferramenta lê as linhas existentes e encontra um sitemap que não está indicado.",
        ),
        example: include_str!("robots_txt_sitemap/bad_unnamed_sitemap.http"),
    },
    checks: &[MISSING, INVALID],
};

const MISSING: Check = Check {
    code: "robots_txt_sitemap_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Sitemap not listed in robots.txt", "Sitemap não indicado no robots.txt"),
    why: text(
        "Search engines find the sitemap through robots.txt. Without the line, they know the file only if you submit it to each of them.",
        "Os buscadores encontram o sitemap pelo robots.txt. Sem a linha, só conhecem o arquivo se você o enviar a cada um deles.",
    ),
    how: text(
        "Add a line `Sitemap:` with the absolute URL of the file, anywhere in robots.txt.",
        "Adicione uma linha `Sitemap:` com a URL absoluta do arquivo, em qualquer lugar do robots.txt.",
    ),
    reference: "https://www.sitemaps.org/protocol.html#submit_robots",
    rule: text(
        "Fails when robots.txt is a text file without a usable `Sitemap` line, and a sitemap exists at /sitemap.xml, /sitemap_index.xml or /sitemap.txt. Not applicable when none exists.",
        "Falha quando o robots.txt é um arquivo de texto sem uma linha `Sitemap` utilizável, e existe um sitemap em /sitemap.xml, /sitemap_index.xml ou /sitemap.txt. Não se aplica quando não existe nenhum.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::File),
    since: FIRST,
    run: missing,
};

const INVALID: Check = Check {
    code: "robots_txt_sitemap_invalid",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Sitemap line without an absolute URL", "Linha Sitemap sem URL absoluta"),
    why: text(
        "Search engines accept only an absolute URL in this line. With any other value they don't find the sitemap.",
        "Os buscadores só aceitam uma URL absoluta nessa linha. Com qualquer outro valor, não encontram o sitemap.",
    ),
    how: text("Write `Sitemap:` with scheme, host and path.", "Escreva `Sitemap:` com esquema, host e caminho."),
    reference: "https://www.sitemaps.org/protocol.html#submit_robots",
    rule: text(
        "Fails when the value of a `Sitemap` line is not an absolute http(s) URL: a path, a URL without a scheme or with another scheme, or nothing.",
        "Falha quando o valor de uma linha `Sitemap` não é uma URL http(s) absoluta: um caminho, uma URL sem esquema ou com outro esquema, ou nada.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::File),
    since: WHOLE,
    run: invalid,
};

/// The line with the address written out whole, as it is meant on this host; `None` where that can't be told.
pub(super) fn whole_line(facts: &Facts<'_>, value: &str) -> Option<String> {
    if is_address(value) {
        return Some(sitemap_line(value));
    }
    let base = facts.url().ok()?;
    let url = base.join(PATH).ok()?.join(value).ok().filter(|_| !value.is_empty())?;
    let is_own = url.origin() == base.origin() && is_address(url.as_str());
    is_own.then(|| sitemap_line(url.as_str()))
}

fn missing(facts: &Facts<'_>) -> Verdict {
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
        "robots.txt has no valid Sitemap line, although a sitemap exists: {url}",
        "O robots.txt não tem uma linha Sitemap válida, embora exista um sitemap: {url}",
    );
    let line = sitemap_line(url);
    let values = [("url", url.into())];
    let fix = if file.truncated {
        const ADD: Text = text("Add this line to robots.txt: {line}", "Adicione esta linha ao robots.txt: {line}");
        FixDraft::instruction(FixTarget::File, ADD, &[("line", line.into())])
    } else {
        const OWN: Text = text("the site's own file and {url}", "o arquivo do próprio site e {url}");
        FixDraft::file_changes(PATH, &file.text, vec![FileChange::Append(line)]).from(OWN, &values)
    };
    problem(UNNAMED, &values, fix).at([place(facts, None, None)]).fail()
}

fn invalid(facts: &Facts<'_>) -> Verdict {
    let file = found(facts)?;
    if file.sitemaps.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let bad: Vec<&(u32, String)> = file.sitemaps.iter().filter(|(_, value)| !is_address(value)).collect();
    let Some((line, value)) = bad.first() else { return PASS };
    const SHORT: Text = text(
        "Line {line} of robots.txt has a Sitemap value that is not an absolute URL: “{value}”.",
        "A linha {line} do robots.txt tem um valor de Sitemap que não é uma URL absoluta: “{value}”.",
    );
    const RESOLVED: Text =
        text("the site's own file, with absolute URLs", "o arquivo do próprio site, com URLs absolutas");
    const WRITE: Text = text(
        "Write the absolute URL of the sitemap on these lines: {lines}.",
        "Escreva a URL absoluta do sitemap nestas linhas: {lines}.",
    );
    let changes: Option<Vec<FileChange>> =
        bad.iter().map(|(line, value)| Some(FileChange::Line(*line, whole_line(facts, value)?))).collect();
    let fix = match changes.filter(|_| !file.truncated) {
        Some(changes) => FixDraft::file_changes(PATH, &file.text, changes).from(RESOLVED, &[]),
        None => {
            let lines = bad.iter().take(MAX_LINES).map(|(line, _)| line.to_string()).collect::<Vec<_>>().join(", ");
            FixDraft::instruction(FixTarget::File, WRITE, &[("lines", lines.into())])
        }
    };
    let values = [("line", (*line).into()), ("value", value.as_str().into())];
    let places = bad.iter().map(|(line, value)| place(facts, Some(*line), Some(format!("Sitemap: {value}"))));
    problem(SHORT, &values, fix).at(places).fail()
}

/// Lines named in an instruction.
const MAX_LINES: usize = 20;
