//! What the canonical names: this page, another, or this one under a worse address. (RFC 6596)

use url::Url;

use super::canonical::{own, place, rewritten};
use crate::check::prelude::*;
use crate::facts::canonical::{Canonical, is_home, mended, names_home};
use crate::facts::url_identity::{has_tracking, same_page, same_site};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "canonical-page",
    category: Category::Canonical,
    landing: Landing {
        title: text("Self-referencing canonical checker", "Verificador de canônica autorreferente"),
        h1: text("Does my canonical point to the right page?", "Minha canônica aponta para a página certa?"),
        description: text(
            "See whether a canonical points to this page, the home page, another page or site, http instead of https, or a tracked URL.",
            "Veja se a canônica aponta para esta página, a inicial, outra página ou site, http em vez de https ou uma URL rastreada.",
        ),
        lead: text(
            "A canonical that points to another page takes yours out of search. This tool compares it with the final URL of your page, ignoring tracking parameters and differences such as letter case in the host.",
            "Uma canônica que aponta para outra página tira a sua da busca. Esta ferramenta a compara com a URL final da sua página, sem contar parâmetros de rastreamento nem diferenças como maiúsculas no host.",
        ),
        example: include_str!("canonical_page/bad_home.html"),
    },
    checks: &[TO_HOMEPAGE, OTHER_PAGE, CROSS_ORIGIN, INSECURE, TRACKING],
};

const TO_HOMEPAGE: Check = Check {
    code: "canonical_to_homepage",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("Canonical points to the home page", "Canônica aponta para a página inicial"),
    why: text(
        "The page declares itself a copy of the home page, often because of a template. Search engines then show the home page instead.",
        "A página se declara cópia da inicial, muitas vezes por causa de um template. Os buscadores mostram então a página inicial no lugar dela.",
    ),
    how: text(
        "Point the canonical of each page to its own URL.",
        "Aponte a canônica de cada página para a própria URL.",
    ),
    reference: "https://developers.google.com/search/blog/2013/04/5-common-mistakes-with-relcanonical",
    rule: text(
        "Fails when the page's single canonical is the root of the page's own host and the page is not. A path of `/` counts as the home page, and so do its aliases: `index`, `home` or `default` with any extension, `amp`, or a language such as `/en/` or `/pt-br`. The canonical is taken from the head, or from the `Link` header if the head has none.",
        "Falha quando a única canônica da página é a raiz do próprio host e a página não é. O caminho `/` conta como página inicial, assim como os equivalentes: `index`, `home` ou `default` com qualquer extensão, `amp`, ou um idioma como `/en/` ou `/pt-br`. A canônica é lida do head, ou do cabeçalho `Link` se o head não tem nenhuma.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: to_homepage,
};

const OTHER_PAGE: Check = Check {
    code: "canonical_other_page",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("Canonical points to another page", "Canônica aponta para outra página"),
    why: text(
        "The page declares itself a duplicate. Search engines show the other page in its place.",
        "A página se declara uma duplicata. Os buscadores mostram a outra página no lugar dela.",
    ),
    how: text(
        "Point the canonical to this page if it should be found in search.",
        "Aponte a canônica para esta página se ela deve ser encontrada na busca.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc6596#section-3",
    rule: text(
        "Fails when the page's single canonical points to a URL on the same registrable domain that is not the page's final URL. The host's letter case, the default port, the fragment, percent-encoding, and tracking and session parameters don't count; a slash at the end does. It is only a note when the URLs differ just by that slash, letter case, `www.`, or a query that the canonical leaves out: the canonical is then a tidier form of this page's URL. A difference of only http and https has its own check. The canonical is taken from the head, or from the `Link` header if the head has none.",
        "Falha quando a única canônica da página aponta para uma URL do mesmo domínio registrável que não é a URL final da página. Maiúsculas no host, porta padrão, fragmento, codificação percentual e parâmetros de rastreamento e sessão não contam; a barra no fim conta. É só uma observação quando as URLs diferem apenas nessa barra, em maiúsculas, em `www.` ou em uma query que a canônica omite: a canônica é então uma forma mais limpa da URL desta página. A diferença só de http e https tem verificação própria. A canônica é lida do head, ou do cabeçalho `Link` se o head não tem nenhuma.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: FIRST,
    run: other_page,
};

const CROSS_ORIGIN: Check = Check {
    code: "canonical_cross_origin",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("Canonical points to another site", "Canônica aponta para outro site"),
    why: text(
        "Search engines show the other site instead of this page. That is right only for syndicated copies.",
        "Os buscadores mostram o outro site em vez desta página. Isso só é certo para cópias republicadas (syndication).",
    ),
    how: text(
        "Point the canonical to this page if this site is the original.",
        "Aponte a canônica para esta página se este site é o original.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/canonicalization-troubleshooting",
    rule: text(
        "Fails when the page's single canonical points to a host with a different registrable domain, by the Public Suffix List. Hosts of the same domain, including `www.` and the bare domain, are reported by `canonical_other_page`. The canonical is taken from the head, or from the `Link` header if the head has none.",
        "Falha quando a única canônica da página aponta para um host com outro domínio registrável, segundo a Public Suffix List. Hosts do mesmo domínio, inclusive `www.` e o domínio sem ele, são relatados por `canonical_other_page`. A canônica é lida do head, ou do cabeçalho `Link` se o head não tem nenhuma.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: FIRST,
    run: cross_origin,
};

const INSECURE: Check = Check {
    code: "canonical_insecure",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("https page with an http canonical", "Página https com canônica http"),
    why: text(
        "The page tells search engines to prefer its unencrypted URL, which redirects or no longer exists.",
        "A página diz aos buscadores que prefiram a URL sem criptografia, que redireciona ou não existe mais.",
    ),
    how: text("Change the canonical to https.", "Mude a canônica para https."),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls#define-canonical",
    rule: text(
        "Fails when the page's final URL is https and its single canonical is an http URL of the same registrable domain. Canonicals to other sites pass, since those may not support https. The canonical is taken from the head, or from the `Link` header if the head has none.",
        "Falha quando a URL final da página é https e a sua única canônica é uma URL http do mesmo domínio registrável. Canônicas para outros sites passam, pois eles podem não oferecer https. A canônica é lida do head, ou do cabeçalho `Link` se o head não tem nenhuma.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: insecure,
};

const TRACKING: Check = Check {
    code: "canonical_tracking_parameters",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Canonical with tracking parameters", "Canônica com parâmetros de rastreamento"),
    why: text(
        "Search results show the tracked URL, and analytics credit every visit from search to the wrong campaign.",
        "Os resultados de busca mostram a URL rastreada, e a análise atribui cada visita da busca à campanha errada.",
    ),
    how: text(
        "Remove `utm_…`, `gclid` and similar parameters from the canonical.",
        "Remova da canônica `utm_…`, `gclid` e parâmetros parecidos.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/url-structure",
    rule: text(
        "Fails when the query of the page's single canonical has a known tracking parameter, on any host of the page's registrable domain. The canonical is taken from the head, or from the `Link` header if the head has none.",
        "Falha quando a query da única canônica da página tem um parâmetro de rastreamento conhecido, em qualquer host do domínio registrável da página. A canônica é lida do head, ou do cabeçalho `Link` se o head não tem nenhuma.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: tracking,
};

fn to_homepage(facts: &Facts<'_>) -> Verdict {
    let canonical = facts.single_canonical()?;
    let url = canonical.url;
    let page = facts.url()?;
    if url.host_str() != page.host_str() || is_home(page.path()) {
        return Err(NotMeasured::Absent);
    }
    if !names_home(page, url) {
        return PASS;
    }
    const HOME: Text = text(
        "The canonical of {page} points to the home page, {canonical}.",
        "A canônica de {page} aponta para a página inicial, {canonical}.",
    );
    const OWN: Text = text("the final URL of this page", "a URL final desta página");
    let values = [("page", page.as_str().into()), ("canonical", url.as_str().into())];
    let fix = rewritten(facts, &canonical, &own(facts)?, OWN)?;
    problem(HOME, &values, fix).at(place(facts, &canonical)).fail()
}

fn other_page(facts: &Facts<'_>) -> Verdict {
    let canonical = facts.single_canonical()?;
    let url = canonical.url;
    if !same_site(url, facts.url()?) {
        return Err(NotMeasured::Absent);
    }
    if same_page(&mended(facts.url()?, url), &own(facts)?) {
        return PASS;
    }
    const NAMES: Text = text(
        "The canonical points to {canonical} instead of this page, {page}.",
        "A canônica aponta para {canonical} em vez desta página, {page}.",
    );
    let is_tidier = tidied(facts.url()?, url.query().is_none()) == tidied(url, false);
    differs(facts, &canonical, NAMES, is_tidier)
}

/// What two spellings of one page have in common: host without `www.`, path in lower case without a slash at its end, and the
/// query where it counts.
fn tidied(url: &Url, is_without_query: bool) -> (String, String, Option<String>) {
    let host = url.host_str().unwrap_or_default();
    let query = url.query().filter(|_| !is_without_query).map(str::to_owned);
    (host.trim_start_matches("www.").to_owned(), url.path().trim_end_matches('/').to_lowercase(), query)
}

fn cross_origin(facts: &Facts<'_>) -> Verdict {
    let canonical = facts.single_canonical()?;
    let url = canonical.url;
    if same_site(url, facts.url()?) {
        return PASS;
    }
    const NAMES: Text =
        text("The canonical points to another site: {canonical}", "A canônica aponta para outro site: {canonical}");
    differs(facts, &canonical, NAMES, false)
}

fn differs(facts: &Facts<'_>, canonical: &Canonical<'_>, message: Text, is_minor: bool) -> Verdict {
    const DECIDE: Text = text(
        "Change the canonical to {page} if this page should be found in search. Keep it if this page is a copy of {canonical}.",
        "Mude a canônica para {page} se esta página deve ser encontrada na busca. Mantenha-a se esta página é uma cópia de {canonical}.",
    );
    let values = [("canonical", canonical.url.as_str().into()), ("page", facts.url()?.as_str().into())];
    let fix = FixDraft::instruction(FixTarget::Head, DECIDE, &values);
    problem(message, &values, fix).at(place(facts, canonical)).minor_if(is_minor).fail()
}

fn insecure(facts: &Facts<'_>) -> Verdict {
    let page = facts.https()?;
    let canonical = facts.single_canonical()?;
    let url = canonical.url;
    if url.scheme() == "https" || !same_site(url, page) {
        return PASS;
    }
    const PLAIN: Text = text(
        "The canonical {canonical} uses http, but the page uses https.",
        "A canônica {canonical} usa http, mas a página usa https.",
    );
    const SECURE: Text = text("the declared URL with https", "a URL declarada, com https");
    let fix = rewritten(facts, &canonical, &mended(facts.url()?, url), SECURE)?;
    problem(PLAIN, &[("canonical", url.as_str().into())], fix).at(place(facts, &canonical)).fail()
}

fn tracking(facts: &Facts<'_>) -> Verdict {
    let canonical = facts.single_canonical()?;
    let url = canonical.url;
    if !same_site(url, facts.url()?) {
        return Err(NotMeasured::Absent);
    }
    if !has_tracking(url) {
        return PASS;
    }
    const TRACKED: Text = text(
        "The canonical has tracking parameters: {canonical}",
        "A canônica tem parâmetros de rastreamento: {canonical}",
    );
    const WITHOUT: Text =
        text("the declared URL without the tracking parameters", "a URL declarada, sem os parâmetros de rastreamento");
    let fix = rewritten(facts, &canonical, &mended(facts.url()?, url), WITHOUT)?;
    problem(TRACKED, &[("canonical", url.as_str().into())], fix).at(place(facts, &canonical)).fail()
}
