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
        title: text("Page in sitemap checker", "Verificador de página no sitemap"),
        h1: text("Is my page in the sitemap?", "Minha página está no sitemap?"),
        description: text(
            "Look for a page in all sitemaps of its site, and see whether it is listed with the URL that search engines should index.",
            "Procure uma página em todos os sitemaps do site e veja se ela está listada com a URL que os buscadores devem indexar.",
        ),
        lead: text(
            "A sitemap should list each page once, with its canonical URL. This tool searches the site's sitemaps for your page, including index files and gzip, and writes the missing or corrected entry.",
            "Um sitemap deve listar cada página uma vez, com a URL canônica. Esta ferramenta procura sua página nos sitemaps do site, inclusive em índices e gzip, e escreve a entrada que falta ou corrigida.",
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
    title: text("Page missing from the sitemap", "Página ausente do sitemap"),
    why: text(
        "The site's sitemaps don't list this page, so search engines learn of it and of its changes only through links.",
        "Os sitemaps do site não listam esta página; os buscadores só ficam sabendo dela e das mudanças por meio de links.",
    ),
    how: text(
        "List the page with its canonical URL, if it should be found in search.",
        "Liste a página com a URL canônica, se ela deve ser encontrada na busca.",
    ),
    reference: GOOGLE,
    rule: text(
        "Fails when an indexable and crawlable page with status 200 and no canonical to another page is in none of the site's sitemaps, under any of its URLs, and all sitemaps were read in full.",
        "Falha quando uma página indexável e rastreável, com status 200 e sem canônica para outra página, não está em nenhum sitemap do site, sob nenhuma de suas URLs, e todos os sitemaps foram lidos por inteiro.",
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
    title: text("Non-canonical URL in the sitemap", "URL não canônica no sitemap"),
    why: text(
        "The sitemap suggests one URL for the index, and the page suggests another. Search engines have to choose, and waste crawling.",
        "O sitemap sugere uma URL para o índice, e a página sugere outra. Os buscadores precisam escolher e desperdiçam rastreamento.",
    ),
    how: text("List only the canonical URL.", "Liste só a URL canônica."),
    reference: GUIDELINES,
    rule: text(
        "Fails when a sitemap lists the page's final URL although the page's canonical points to another one. The canonical is taken from the head, or from the `Link` header if the head has none. Pages with noindex have their own check.",
        "Falha quando um sitemap lista a URL final da página, embora a canônica da página aponte para outra. A canônica é lida do head, ou do cabeçalho `Link` se o head não tem nenhuma. Páginas com noindex têm verificação própria.",
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
    title: text("Redirecting URL in the sitemap", "URL que redireciona no sitemap"),
    why: text(
        "Search engines reach the page only through a redirect, and their reports show the entry as an error.",
        "Os buscadores só chegam à página por um redirecionamento, e os relatórios deles mostram a entrada como erro.",
    ),
    how: text("List the URL that it redirects to.", "Liste a URL para a qual ela redireciona."),
    reference: GUIDELINES,
    rule: text(
        "Fails when the requested URL redirects and a sitemap of the final site lists the requested URL. Other entries are not requested, so they are not judged.",
        "Falha quando a URL pedida redireciona e um sitemap do site final lista a URL pedida. As outras entradas não são pedidas e, por isso, não são avaliadas.",
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
        "{count|The site's only sitemap|None of the site's {count} sitemaps} ({urls} {urls|URL|URLs}) {count|doesn't list|lists} this page: {url}",
        "{count|O único sitemap do site|Nenhum dos {count} sitemaps do site} ({urls} {urls|URL|URLs}) {count|não lista|lista} esta página: {url}",
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
                "Add this entry to a sitemap, in the program that generates it: {entry}",
                "Adicione esta entrada a um sitemap, no programa que o gera: {entry}",
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
        "{sitemap} lists {wrong}, but the canonical of that page is {right}.",
        "{sitemap} lista {wrong}, mas a canônica dessa página é {right}.",
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
    const LEADS: Text = text(
        "{sitemap} lists {wrong}, which redirects to another URL.",
        "{sitemap} lista {wrong}, que redireciona para outra URL.",
    );
    listed_as(facts, LEADS, &requested, &facts.own_url()?)
}
