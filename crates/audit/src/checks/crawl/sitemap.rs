//! Sitemaps: whether there is one, whether it can be read, and whether the page is in it. (sitemaps.org protocol 0.9)

use super::robots_txt;
use crate::check::prelude::*;
use crate::facts::robots_txt::{RobotsState, RobotsTxt};
use crate::facts::sitemap::{Presence, SitemapFile, draft};
use crate::facts::url_identity::same_page;
use crate::fix::FileChange;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "sitemap",
    category: Category::Crawl,
    landing: Landing::TO_WRITE,
    checks: &[PARSE_ERROR, MISSING, PAGE_ABSENT],
};

const PROTOCOL: &str = "https://www.sitemaps.org/protocol.html";
const GOOGLE: &str = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap";
/// Where a first sitemap goes.
const PATH: &str = "/sitemap.xml";

const MISSING: Check = Check {
    code: "sitemap_missing",
    severity: Severity::Info,
    title: text("No sitemap", "Sem sitemap"),
    why: text(
        "A sitemap tells search engines which pages there are. A small site whose pages link to each other is found without one.",
        "Um sitemap diz aos buscadores quais páginas existem. Um site pequeno, com páginas ligadas entre si, é encontrado sem ele.",
    ),
    how: text(
        "Put a sitemap.xml at the root of the host and name it in robots.txt.",
        "Coloque um sitemap.xml na raiz do host e indique-o no robots.txt.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/overview",
    rule: text("Fails when robots.txt names no sitemap and none is at a usual place.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::File),
    since: FIRST,
    run: missing,
};

const PARSE_ERROR: Check = Check {
    code: "sitemap_parse_error",
    severity: Severity::Error,
    title: text("A sitemap that can't be read", "Um sitemap que não pode ser lido"),
    why: text(
        "Search engines stop at the first error of a sitemap, and may learn of none of the pages in it.",
        "Os buscadores param no primeiro erro de um sitemap, e podem não conhecer nenhuma das páginas dele.",
    ),
    how: text(
        "Correct the place named. In XML, write `&` as `&amp;`, close every element, and begin with `<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">`; in a text file, put one absolute URL on each line.",
        "Corrija o ponto indicado. Em XML, escreva `&` como `&amp;`, feche todo elemento e comece com `<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">`; num arquivo de texto, ponha uma URL absoluta em cada linha.",
    ),
    reference: PROTOCOL,
    rule: text("Fails on files that are no valid sitemap; each is named with its first fault.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::File),
    since: FIRST,
    run: parse_error,
};

const PAGE_ABSENT: Check = Check {
    code: "sitemap_page_absent",
    severity: Severity::Info,
    title: text("The page is in no sitemap", "A página não está em nenhum sitemap"),
    why: text(
        "The site's sitemaps don't list this page, so search engines learn of it and of its changes only by links.",
        "Os sitemaps do site não listam esta página; os buscadores só a conhecem, e às mudanças dela, por links.",
    ),
    how: text(
        "List the page under its canonical address, if it should be found.",
        "Liste a página com o endereço canônico dela, se deve ser encontrada.",
    ),
    reference: GOOGLE,
    rule: text(
        "Fails when an indexable page under its own canonical address is in no file, and all were read to their end.",
        "",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::File),
    since: FIRST,
    run: page_absent,
};

/// Fails when robots.txt names no sitemap and none is at a usual place.
fn missing(facts: &Facts<'_>) -> Verdict {
    let not_asked = |reason| if reason == NotMeasured::Sitemap { NotMeasured::Probe } else { reason };
    match facts.sitemaps().map_err(not_asked)?.presence() {
        Presence::Present => return PASS,
        Presence::Unknown => return Err(NotMeasured::Probe),
        Presence::Missing => {}
    }
    const NONE: Text = text(
        "robots.txt names no sitemap, and there is none at /sitemap.xml, /sitemap_index.xml or /sitemap.txt.",
        "O robots.txt não indica um sitemap, e não há nenhum em /sitemap.xml, /sitemap_index.xml ou /sitemap.txt.",
    );
    fail(NONE, &[], first_sitemap(facts))
}

/// A first file, named in robots.txt: else the next audit would ask for that.
fn first_sitemap(facts: &Facts<'_>) -> FixDraft {
    let address = facts.url().ok().and_then(|url| url.join(PATH).ok());
    let Some((content, address)) = draft::first(facts).zip(address) else {
        const WRITE: Text = text(
            "Put a sitemap.xml at the root of the host that lists the pages to be found, and name it in robots.txt.",
            "Coloque na raiz do host um sitemap.xml que liste as páginas a serem encontradas, e indique-o no robots.txt.",
        );
        return FixDraft::instruction(FixTarget::File, WRITE, &[]);
    };
    const LINKED: Text = text(
        "this page and the pages of the host that it links to",
        "esta página e as páginas do host para as quais ela aponta",
    );
    const COMPLETE: Text = text(
        "Add the other pages of the site; robots.txt gets the line {line}.",
        "Acrescente as outras páginas do site; o robots.txt recebe a linha {line}.",
    );
    let line = robots_txt::sitemap_line(address.as_str());
    let fix = FixDraft::file(PATH, content).from(LINKED, &[]).note(COMPLETE, &[("line", line.as_str().into())]);
    match facts.robots() {
        // Of a file that was not read whole, no whole file can be made.
        Ok(RobotsState::Found(RobotsTxt { truncated: true, .. }) | RobotsState::Unreachable(_)) | Err(_) => fix,
        Ok(_) => fix.with_file_change(robots_txt::PATH, FileChange::Append(line)),
    }
}

/// Fails on files that are no valid sitemap; each is named with its first fault.
fn parse_error(facts: &Facts<'_>) -> Verdict {
    let sitemaps = facts.sitemaps()?;
    let broken: Vec<&SitemapFile> = sitemaps.relevant().filter(|file| file.fault.is_some()).collect();
    let Some((first, fault)) = broken.first().and_then(|file| Some((file, file.fault.as_ref()?))) else {
        return match sitemaps.presence() {
            Presence::Missing => Err(NotMeasured::Absent),
            _ if sitemaps.is_complete() => PASS,
            _ => Err(NotMeasured::Sitemap),
        };
    };
    const BROKEN: Text = text(
        "{count} {count|sitemap|sitemaps} can't be read; {url}, line {line}, column {column}: {what}",
        "{count} {count|sitemap|sitemaps} não {count|pode|podem} ser {count|lido|lidos}; {url}, linha {line}, coluna {column}: {what}",
    );
    const CORRECT: Text = text(
        "Correct {url} at line {line}, column {column}, in the program that writes it.",
        "Corrija {url} na linha {line}, coluna {column}, no programa que o escreve.",
    );
    let values = [
        ("count", broken.len().into()),
        ("url", first.url.as_str().into()),
        ("line", fault.line.into()),
        ("column", fault.column.into()),
    ];
    let mut found = problem(BROKEN, &values, FixDraft::instruction(FixTarget::File, CORRECT, &values));
    // What is wrong differs by language, so it is filled in after the values.
    found.message.en = found.message.en.replacen("{what}", &fault.what.en, 1);
    found.message.pt = found.message.pt.replacen("{what}", &fault.what.pt, 1);
    Ok(Some(found.at(broken.iter().map(|file| Place {
        url: Some(file.url.clone()),
        line: file.fault.as_ref().map(|fault| fault.line),
        ..Place::default()
    }))))
}

/// Fails when an indexable page under its own canonical address is in no file, and all were read to their end.
fn page_absent(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    if facts.response()?.status != 200 {
        return Err(NotMeasured::Status);
    }
    facts.indexable()?;
    let sitemaps = facts.sitemaps()?;
    if sitemaps.listed().is_some() {
        return PASS;
    }
    if sitemaps.presence() == Presence::Missing || !is_own_address(facts)? {
        return Err(NotMeasured::Absent);
    }
    if !sitemaps.is_complete() {
        return Err(NotMeasured::Sitemap);
    }
    const ABSENT: Text = text(
        "{count} {count|sitemap|sitemaps} with {urls} {urls|URL|URLs} {count|was|were} read; none lists {url}",
        "{count} {count|sitemap|sitemaps} com {urls} {urls|URL|URLs} {count|foi lido|foram lidos}; nenhum lista {url}",
    );
    let url = facts.own_url()?;
    let urls: u64 = sitemaps.files.iter().map(|file| file.urls).sum();
    let values = [("count", sitemaps.relevant().count().into()), ("urls", urls.into()), ("url", url.as_str().into())];
    let lastmod = draft::modified(facts, html, &url);
    let fix = match draft::with_page(sitemaps, &url, lastmod.as_deref()) {
        Some(file) => {
            const OWN: Text = text("the site's own file", "o arquivo do próprio site");
            FixDraft::file(&file.path, file.content).from(OWN, &[])
        }
        None => {
            const ADD: Text = text(
                "Add this entry to a sitemap of the site, in the program that writes it: {entry}",
                "Acrescente esta entrada a um sitemap do site, no programa que o escreve: {entry}",
            );
            let entry = draft::entry(&url, lastmod.as_deref(), "");
            FixDraft::instruction(FixTarget::File, ADD, &[("entry", entry.into())])
        }
    };
    let places = sitemaps.relevant().map(|file| Place { url: Some(file.url.clone()), ..Place::default() });
    Ok(Some(problem(ABSENT, &values, fix).at(places)))
}

/// Whether the page is to be found under its own address: no canonical names another, and crawlers may fetch it.
fn is_own_address(facts: &Facts<'_>) -> Result<bool, NotMeasured> {
    let of_header = facts.canonical_header().is_some();
    if facts.canonical_links()?.is_empty() && !of_header {
        // The part of the page that was cut off may hold one.
        facts.whole_page()?;
    }
    let own = facts.own_url()?;
    let by_header = facts.canonical_header().and_then(|(url, _)| url::Url::parse(&url).ok());
    let is_own = same_page(&own, facts.url()?) && by_header.is_none_or(|url| same_page(&url, &own));
    let is_open = match facts.robots()? {
        RobotsState::Unreachable(_) => true,
        _ => facts.robots_verdict("Googlebot")?.allowed,
    };
    Ok(is_own && is_open)
}
