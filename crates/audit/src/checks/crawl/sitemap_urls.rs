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
            "Check every loc of a sitemap: relative addresses, http on an https site, addresses that are too long, and duplicates.",
            "Verifique cada loc de um sitemap: endereços relativos, http em um site https, endereços longos demais e repetidos.",
        ),
        lead: text(
            "Search engines drop entries that break the protocol and crawl duplicates for nothing. This tool goes through all addresses of the sitemaps that it reads and shows the first of each kind, corrected.",
            "Os buscadores descartam entradas que quebram o protocolo e rastreiam repetidas à toa. Esta ferramenta percorre todos os endereços dos sitemaps que lê e mostra os primeiros de cada tipo, corrigidos.",
        ),
        example: include_str!("sitemap_urls/bad_relative.http"),
    },
    checks: &[INVALID, DUPLICATE],
};

const INVALID: Check = Check {
    code: "sitemap_url_invalid",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Sitemap entries with unusable addresses", "Entradas do sitemap com endereços inutilizáveis"),
    why: text(
        "Search engines drop a relative or overlong address, and follow an http one by a detour.",
        "Os buscadores descartam um endereço relativo ou longo demais, e seguem um http por um desvio.",
    ),
    how: text(
        "Write each `loc` as an absolute https URL of fewer than 2,048 characters.",
        "Escreva cada `loc` como uma URL https absoluta com menos de 2.048 caracteres.",
    ),
    reference: "https://www.sitemaps.org/protocol.html#locdef",
    rule: text(
        "Fails when a `loc` that was read is no absolute http(s) URL, has more than 2,048 bytes, or says http on the page's own host although the page was reached by https. Other hosts, which another robots.txt may allow, are left alone.",
        "Falha quando um `loc` lido não é uma URL http(s) absoluta, tem mais de 2.048 bytes, ou diz http no próprio host da página, embora ela tenha sido alcançada por https. Outros hosts, que outro robots.txt pode autorizar, ficam de fora.",
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
    title: text("Addresses listed twice in one sitemap", "Endereços repetidos no mesmo sitemap"),
    why: text(
        "Repeated entries take room in the file, and two dates for one page can't both be true.",
        "Entradas repetidas ocupam espaço no arquivo, e duas datas para uma página não podem ser ambas verdadeiras.",
    ),
    how: text("List each page once.", "Liste cada página uma vez."),
    reference: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap",
    rule: text(
        "Fails when a file that was read lists an address twice, written alike. The same address in two files passes: a news sitemap repeats what the general one has.",
        "Falha quando um arquivo lido lista um endereço duas vezes, escrito do mesmo jeito. O mesmo endereço em dois arquivos passa: um sitemap de notícias repete o que está no geral.",
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
            "{count} {count|address|addresses} in {sitemap} can't be used as written; “{loc}” is no absolute URL.",
            "{count} {count|endereço|endereços} em {sitemap} não {count|pode ser usado|podem ser usados} como {count|está|estão}; “{loc}” não é uma URL absoluta.",
        ),
        BadLoc::Insecure => text(
            "{count} {count|address|addresses} in {sitemap} can't be used as written; “{loc}” says http, the site https.",
            "{count} {count|endereço|endereços} em {sitemap} não {count|pode ser usado|podem ser usados} como {count|está|estão}; “{loc}” diz http, o site https.",
        ),
        BadLoc::TooLong => text(
            "{count} {count|address|addresses} in {sitemap} can't be used as written; “{loc}…” is too long.",
            "{count} {count|endereço|endereços} em {sitemap} não {count|pode ser usado|podem ser usados} como {count|está|estão}; “{loc}…” é longo demais.",
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
            "In the program that writes {sitemap}, write whole addresses, as in: {entries}",
            "No programa que escreve {sitemap}, escreva endereços completos, como em: {entries}",
        );
        const SHORTEN: Text = text(
            "Leave out of {sitemap} what is longer than 2,048 characters, or shorten the addresses.",
            "Deixe fora de {sitemap} o que passa de 2.048 caracteres, ou encurte os endereços.",
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
        text("the site's own file, its addresses whole", "o arquivo do próprio site, com endereços completos");
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
        "{sitemap} lists {count} {count|address|addresses} again, {loc} first.",
        "{sitemap} lista {count} {count|endereço|endereços} de novo, a começar por {loc}",
    );
    const ONCE: Text = text(
        "Let the program that writes {sitemap} list each page once, with one date.",
        "Faça o programa que escreve {sitemap} listar cada página uma vez, com uma só data.",
    );
    let values = [("sitemap", file.url.as_str().into()), ("count", file.tally.repeated.into()), ("loc", loc.into())];
    let places = bad.iter().map(|file| Place {
        url: Some(file.url.clone()),
        snippet: file.tally.first_repeated.clone(),
        ..Place::default()
    });
    problem(TWICE, &values, FixDraft::instruction(FixTarget::File, ONCE, &values)).at(places).fail()
}
