//! The page's own entry in the site's sitemaps. (sitemaps.org protocol 0.9)

use url::Url;

use crate::check::prelude::*;
use crate::facts::robots_txt::RobotsState;
use crate::facts::sitemap::{SitemapEntry, SitemapFile};
use crate::facts::sitemap_draft;
use crate::facts::sitemap_survey::Presence;
use crate::facts::url_identity::same_page;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "sitemap-entry",
    category: Category::Crawl,
    landing: Landing {
        title: text("Is my URL in the sitemap? Checker", "Minha URL está no sitemap? Verificador"),
        h1: text("Is my page in the sitemap?", "Minha página está no sitemap?"),
        description: text(
            "Look for a page in all sitemaps of its site, and see whether it is listed under the address that search engines should index.",
            "Procure uma página em todos os sitemaps do site e veja se ela está listada com o endereço que os buscadores devem indexar.",
        ),
        lead: text(
            "A sitemap should list each page once, under its canonical address. This tool searches the sitemaps of the site for your page, through indexes and gzip, and writes the entry that is missing or wrong.",
            "Um sitemap deve listar cada página uma vez, com o endereço canônico. Esta ferramenta procura sua página nos sitemaps do site, em índices e gzip, e escreve a entrada que falta ou está errada.",
        ),
        example: include_str!("sitemap_entry/bad_absent.http"),
    },
    checks: &[REDIRECT, NONCANONICAL, ABSENT],
};

const GOOGLE: &str = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap";
const GUIDELINES: &str =
    "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap#general-guidelines";

const ABSENT: Check = Check {
    code: "sitemap_page_absent",
    severity: Severity::Info,
    impact: Impact::Hygiene,
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
        "Fails when a page with status 200 that may be indexed, may be fetched and names no other canonical is in none of the site's sitemaps under any of its addresses, and every one of them was read to its end.",
        "Falha quando uma página com status 200 que pode ser indexada, pode ser buscada e não indica outra canônica não está em nenhum dos sitemaps do site sob nenhum de seus endereços, e todos foram lidos até o fim.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::File),
    since: FIRST,
    run: absent,
};

const NONCANONICAL: Check = Check {
    code: "sitemap_lists_noncanonical",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Sitemap lists an address that is not canonical", "O sitemap lista um endereço que não é canônico"),
    why: text(
        "The sitemap suggests one address for the index, the page another: search engines have to choose, and crawl in vain.",
        "O sitemap sugere um endereço para o índice, a página outro: os buscadores têm de escolher, e rastreiam em vão.",
    ),
    how: text("List the canonical address only.", "Liste só o endereço canônico."),
    reference: GUIDELINES,
    rule: text(
        "Fails when a sitemap lists the page's final address and its canonical, of the head or else of the `Link` header, is another one. Pages that say noindex are told by their own check.",
        "Falha quando um sitemap lista o endereço final da página e a canônica dela, do cabeçalho do documento ou então do cabeçalho `Link`, é outra. Páginas com noindex têm verificação própria.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::File),
    since: WHOLE,
    run: noncanonical,
};

const REDIRECT: Check = Check {
    code: "sitemap_lists_redirect",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Sitemap lists an address that redirects", "O sitemap lista um endereço que redireciona"),
    why: text(
        "Search engines are sent to the page by a detour, and reports show the entry as an error.",
        "Os buscadores chegam à página por um desvio, e os relatórios mostram a entrada como erro.",
    ),
    how: text("List the address to which it leads.", "Liste o endereço a que ele leva."),
    reference: GUIDELINES,
    rule: text(
        "Fails when the address asked for redirects and a sitemap of the site it leads to lists it. Other entries are not asked for, so nothing is said of them.",
        "Falha quando o endereço pedido redireciona e um sitemap do site a que ele leva o lista. As outras entradas não são consultadas, então nada se diz delas.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::File),
    since: WHOLE,
    run: redirect,
};

fn absent(facts: &Facts<'_>) -> Verdict {
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
    const NOWHERE: Text = text(
        "{count} {count|sitemap|sitemaps} with {urls} {urls|URL|URLs} {count|was|were} read; none lists {url}",
        "{count} {count|sitemap|sitemaps} com {urls} {urls|URL|URLs} {count|foi lido|foram lidos}; nenhum lista {url}",
    );
    let url = facts.own_url()?;
    let urls: u64 = sitemaps.files.iter().map(|file| file.urls).sum();
    let values = [("count", sitemaps.relevant().count().into()), ("urls", urls.into()), ("url", url.as_str().into())];
    let lastmod = sitemap_draft::modified(facts, html, &url);
    let fix = match sitemap_draft::with_page(sitemaps, &url, lastmod.as_deref()) {
        Some(file) => {
            const OWN: Text = text("the site's own file", "o arquivo do próprio site");
            FixDraft::file(&file.path, file.content).from(OWN, &[])
        }
        None => {
            const ADD: Text = text(
                "Add this entry to a sitemap of the site, in the program that writes it: {entry}",
                "Acrescente esta entrada a um sitemap do site, no programa que o escreve: {entry}",
            );
            let entry = sitemap_draft::entry(&url, lastmod.as_deref(), "");
            FixDraft::instruction(FixTarget::File, ADD, &[("entry", entry.into())])
        }
    };
    let places = sitemaps.relevant().map(|file| Place { url: Some(file.url.clone()), ..Place::default() });
    problem(NOWHERE, &values, fix).at(places).fail()
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

/// The entries of the page under one of its addresses.
fn entries<'f>(facts: &'f Facts<'_>, wanted: &Url) -> Result<Vec<(&'f SitemapFile, &'f SitemapEntry)>, NotMeasured> {
    let listings = facts.sitemaps()?.listings();
    Ok(listings.filter(|(_, entry)| entry.url().is_some_and(|url| same_page(&url, wanted))).collect())
}

/// A finding on entries with an address that should be another.
fn listed_as(facts: &Facts<'_>, message: Text, wrong: &Url, right: &Url) -> Verdict {
    let sitemaps = facts.sitemaps()?;
    let found = entries(facts, wrong)?;
    let Some((file, entry)) = found.first() else {
        return if sitemaps.is_complete() || sitemaps.listed().is_some() { PASS } else { Err(NotMeasured::Sitemap) };
    };
    const REPLACED: Text = text("the site's own file, with {right}", "o arquivo do próprio site, com {right}");
    const REPLACE: Text =
        text("In {sitemap}, list {right} instead of {wrong}.", "Em {sitemap}, liste {right} em vez de {wrong}.");
    let values =
        [("sitemap", file.url.as_str().into()), ("wrong", wrong.as_str().into()), ("right", right.as_str().into())];
    // Several wrong entries of one page are for the program that writes them.
    let is_only = sitemaps.listings().count() == 1;
    let fix = match sitemap_draft::replaced(facts, file, &[(&entry.loc, right)]).filter(|_| is_only) {
        Some(own) => FixDraft::file(&own.path, own.content).from(REPLACED, &values),
        None => FixDraft::instruction(FixTarget::File, REPLACE, &values),
    };
    let place = |(file, entry): &(&SitemapFile, &SitemapEntry)| Place {
        url: Some(file.url.clone()),
        snippet: Some(entry.loc.clone()),
        ..Place::default()
    };
    problem(message, &values, fix).at(found.iter().map(place)).fail()
}

fn noncanonical(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    facts.indexable()?;
    facts.sitemaps()?;
    let (own, canonical) = (facts.url()?, facts.own_url()?);
    if same_page(own, &canonical) {
        return Err(NotMeasured::Absent);
    }
    const OTHER: Text = text(
        "{sitemap} lists {wrong}, whose canonical is {right}.",
        "{sitemap} lista {wrong}, cuja canônica é {right}.",
    );
    listed_as(facts, OTHER, own, &canonical)
}

fn redirect(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    facts.sitemaps()?;
    let requested = Url::parse(&facts.capture.requested_url).map_err(|_| NotMeasured::Absent)?;
    if same_page(&requested, facts.url()?) {
        return Err(NotMeasured::Absent);
    }
    const LEADS: Text = text("{sitemap} lists {wrong}, which redirects.", "{sitemap} lista {wrong}, que redireciona.");
    listed_as(facts, LEADS, &requested, &facts.own_url()?)
}
