//! The addresses that sitemaps list. (sitemaps.org protocol 0.9, `loc`)
//!
//! Addresses of other hosts are not judged: a site may list them where the other host's robots.txt names the sitemap,
//! and that file is not asked for. An unescaped `&` ends the reading of a file and is told as its fault.

use url::Url;

use super::sitemap::nothing_found;
use crate::check::prelude::*;
use crate::facts::sitemap::{BadLoc, SitemapFile};
use crate::facts::sitemap_draft;
use crate::fix::FileChange;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "sitemap-urls",
    category: Category::Crawl,
    landing: Landing {
        title: text("Sitemap URL validator", "Validador de URLs do sitemap"),
        h1: text("Are the URLs in my sitemap valid?", "As URLs do meu sitemap são válidas?"),
        description: text(
            "Check every loc of a sitemap: relative URLs, http on an https site, URLs that are too long, and duplicates.",
            "Verifique cada loc de um sitemap: URLs relativas, http em um site https, URLs longas demais e duplicadas.",
        ),
        lead: text(
            "Search engines drop invalid entries and waste crawling on duplicates. This tool checks all URLs in the site's sitemaps and shows the first of each kind, corrected.",
            "Os buscadores descartam entradas inválidas e desperdiçam rastreamento com duplicatas. Esta ferramenta verifica todas as URLs nos sitemaps do site e mostra as primeiras de cada tipo, corrigidas.",
        ),
        example: include_str!("sitemap_urls/bad_relative.http"),
    },
    checks: &[INVALID, DUPLICATE],
};

const INVALID: Check = Check {
    code: "sitemap_url_invalid",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Incorrect URLs in the sitemap", "URLs incorretas no sitemap"),
    why: text(
        "Search engines drop relative and overlong URLs, and reach http URLs only through a redirect.",
        "Os buscadores descartam URLs relativas ou longas demais e só chegam às URLs http por um redirecionamento.",
    ),
    how: text(
        "Write each `loc` as an absolute https URL of at most 2,048 characters.",
        "Escreva cada `loc` como uma URL https absoluta de no máximo 2.048 caracteres.",
    ),
    reference: "https://www.sitemaps.org/protocol.html#locdef",
    rule: text(
        "Fails when a `loc` is not an absolute http(s) URL, has more than 2,048 bytes, or uses http on the page's own host although the page uses https. URLs of other hosts pass, since another robots.txt may authorize them.",
        "Falha quando um `loc` não é uma URL http(s) absoluta, tem mais de 2.048 bytes, ou usa http no próprio host da página, embora a página use https. URLs de outros hosts passam, pois outro robots.txt pode autorizá-las.",
    ),
    thresholds: &[threshold("most_bytes", sitemap_draft::MOST_LOC as u64, "bytes")],
    remedy: remedy(FixClass::Deterministic, FixTarget::File),
    since: WHOLE,
    run: invalid,
};

const DUPLICATE: Check = Check {
    code: "sitemap_duplicate_urls",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Duplicate URLs in the sitemap", "URLs duplicadas no sitemap"),
    why: text(
        "Duplicates waste space in the file, and if they have different dates, search engines can't trust either.",
        "Duplicatas desperdiçam espaço no arquivo e, se têm datas diferentes, os buscadores não podem confiar em nenhuma.",
    ),
    how: text("List each page once.", "Liste cada página uma vez."),
    reference: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap",
    rule: text(
        "Fails when a file lists the same URL twice, spelled exactly alike. The same URL in two files passes, since a news sitemap repeats entries of the general one.",
        "Falha quando um arquivo lista a mesma URL duas vezes, escrita exatamente igual. A mesma URL em dois arquivos passa, pois um sitemap de notícias repete entradas do geral.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::File),
    since: WHOLE,
    run: duplicate,
};

fn invalid(facts: &Facts<'_>) -> Verdict {
    let sitemaps = facts.sitemaps()?;
    let bad: Vec<&SitemapFile> = sitemaps.relevant().filter(|file| file.tally.bad_locs > 0).collect();
    let Some((file, (kind, loc))) = bad.first().and_then(|file| Some((file, file.tally.shown_bad_locs.first()?)))
    else {
        return nothing_found(sitemaps);
    };
    let message = match kind {
        BadLoc::Relative => text(
            "{sitemap} has {count} incorrect {count|URL: “{loc}” is not absolute|URLs; the first, “{loc}”, is not absolute}.",
            "{sitemap} tem {count} {count|URL incorreta: “{loc}” não é absoluta|URLs incorretas; a primeira, “{loc}”, não é absoluta}.",
        ),
        BadLoc::Insecure => text(
            "{sitemap} has {count} incorrect {count|URL: “{loc}” uses http, but the site uses https|URLs; the first, “{loc}”, uses http, but the site uses https}.",
            "{sitemap} tem {count} {count|URL incorreta: “{loc}” usa http, mas o site usa https|URLs incorretas; a primeira, “{loc}”, usa http, mas o site usa https}.",
        ),
        BadLoc::TooLong => text(
            "{sitemap} has {count} incorrect {count|URL: “{loc}…” is too long|URLs; the first, “{loc}…”, is too long}.",
            "{sitemap} tem {count} {count|URL incorreta: “{loc}…” é longa demais|URLs incorretas; a primeira, “{loc}…”, é longa demais}.",
        ),
    };
    let shown = &file.tally.shown_bad_locs;
    let pairs: Vec<(&str, Url)> = shown
        .iter()
        .filter_map(|(kind, loc)| Some((loc.as_str(), sitemap_draft::corrected(file, *kind, loc)?)))
        .collect();
    let values =
        [("count", file.tally.bad_locs.into()), ("sitemap", file.url.as_str().into()), ("loc", loc.as_str().into())];
    let fix = ready(facts, &bad).unwrap_or_else(|| {
        const WRITE: Text = text(
            "Write absolute https URLs in the program that generates {sitemap}, for example: {entries}",
            "Escreva URLs https absolutas no programa que gera {sitemap}, por exemplo: {entries}",
        );
        const SHORTEN: Text = text(
            "Shorten URLs of more than 2,048 characters, or leave them out of {sitemap}.",
            "Encurte as URLs de mais de 2.048 caracteres ou deixe-as fora de {sitemap}.",
        );
        let entries = pairs.iter().map(|(_, url)| sitemap_draft::entry(url, None, "")).collect::<Vec<_>>().join(" ");
        let note = if pairs.is_empty() { SHORTEN } else { WRITE };
        let values = [("sitemap", file.url.as_str().into()), ("entries", entries.into())];
        FixDraft::instruction(FixTarget::File, note, &values)
    });
    let places = shown.iter().map(|(_, loc)| Place {
        url: Some(file.url.clone()),
        snippet: Some(loc.clone()),
        ..Place::default()
    });
    problem(message, &values, fix).at(places).fail()
}

/// The files with every wrong address corrected, where all are known.
fn ready(facts: &Facts<'_>, bad: &[&SitemapFile]) -> Option<FixDraft> {
    const CORRECTED: Text =
        text("the site's own file, with corrected URLs", "o arquivo do próprio site, com as URLs corrigidas");
    let mut files = bad.iter().map(|file| sitemap_draft::replaced(facts, file, &[]));
    let first = files.next()??;
    let fix = FixDraft::file(&first.path, first.content).from(CORRECTED, &[]);
    files.try_fold(fix, |fix, own| {
        let own = own?;
        Some(fix.with_file_change(&own.path, FileChange::Whole(own.content)))
    })
}

fn duplicate(facts: &Facts<'_>) -> Verdict {
    let sitemaps = facts.sitemaps()?;
    let bad: Vec<&SitemapFile> = sitemaps.relevant().filter(|file| file.tally.repeated > 0).collect();
    let Some((file, loc)) = bad.first().and_then(|file| Some((file, file.tally.first_repeated.as_deref()?))) else {
        return nothing_found(sitemaps);
    };
    const TWICE: Text = text(
        "{sitemap} repeats {count} {count|URL: {loc}|URLs; the first is {loc}}.",
        "{sitemap} repete {count} {count|URL: {loc}|URLs; a primeira é {loc}}.",
    );
    const ONCE: Text = text(
        "List each page once, with one date, in the program that generates {sitemap}.",
        "Liste cada página uma vez, com uma só data, no programa que gera {sitemap}.",
    );
    let values = [("sitemap", file.url.as_str().into()), ("count", file.tally.repeated.into()), ("loc", loc.into())];
    let places = bad.iter().map(|file| Place {
        url: Some(file.url.clone()),
        snippet: file.tally.first_repeated.clone(),
        ..Place::default()
    });
    problem(TWICE, &values, FixDraft::instruction(FixTarget::File, ONCE, &values)).at(places).fail()
}
