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
        title: text("Where does the canonical point? Checker", "Para onde aponta a canonical? Verificador"),
        h1: text("Does my canonical name the right page?", "Minha canônica indica a página certa?"),
        description: text(
            "See whether a canonical names this page, the home page, another page or another site, http instead of https, or a tracked link.",
            "Veja se a canônica indica esta página, a inicial, outra página, outro site, http em vez de https ou um link com rastreamento.",
        ),
        lead: text(
            "A canonical that names another page takes yours out of search. This tool compares it with the address the page was reached by, leaving tracking parameters and spelling aside.",
            "Uma canônica que indica outra página tira a sua da busca. Esta ferramenta a compara com o endereço pelo qual a página foi alcançada, sem contar parâmetros de rastreamento nem grafia.",
        ),
        example: include_str!("canonical_page/bad_home.html"),
    },
    checks: &[TO_HOMEPAGE, OTHER_PAGE, CROSS_ORIGIN, INSECURE, TRACKING],
};

const TO_HOMEPAGE: Check = Check {
    code: "canonical_to_homepage",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("Canonical names the home page", "A canônica indica a página inicial"),
    why: text(
        "The page declares itself a copy of the home page, as a template often does for all of them: search shows that one instead.",
        "A página se declara cópia da inicial, como um modelo costuma fazer com todas: a busca mostra a inicial no lugar.",
    ),
    how: text("Let each page name its own address.", "Faça cada página indicar o próprio endereço."),
    reference: "https://developers.google.com/search/blog/2013/04/5-common-mistakes-with-relcanonical",
    rule: text(
        "Fails when the one canonical, of the head or where it has none of the `Link` header, is the bare root of the page's own host, and the page is not: its path is neither `/` nor an alias of it (`index`, `home`, `default` with any ending, `amp`, or a language such as `/en/` or `/pt-br`).",
        "Falha quando a única canônica, do head ou na falta dela do cabeçalho `Link`, é a raiz do próprio host da página, e a página não é: o caminho não é `/` nem um equivalente (`index`, `home`, `default` com qualquer extensão, `amp`, ou um idioma como `/en/` ou `/pt-br`).",
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
    title: text("Canonical names another page", "A canônica nomeia outra página"),
    why: text(
        "The page declares itself a duplicate: search shows the other one in its place.",
        "A página se declara uma duplicata: a busca mostra a outra no lugar.",
    ),
    how: text(
        "If this page should be found, let the canonical name it.",
        "Se esta página deve ser encontrada, faça a canônica nomeá-la.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc6596#section-3",
    rule: text(
        "Fails when the one canonical, of the head or where it has none of the `Link` header, names another address of the same registrable domain than the page's final one. Addresses are compared with lower-case host, without default port and fragment and with percent-encoding made alike; tracking and session parameters don't count, a slash at the end does. A note where only that slash, letter case, `www.` or a query that the canonical leaves out tells them apart: then it names a tidier spelling of this page, which is what canonicals are for. A difference of http and https alone is told by its own check.",
        "Falha quando a única canônica, do head ou na falta dela do cabeçalho `Link`, indica outro endereço do mesmo domínio registrável que não o endereço final da página. Os endereços são comparados com host em minúsculas, sem porta padrão nem fragmento e com a codificação percentual uniformizada; parâmetros de rastreamento e sessão não contam, a barra no fim conta. É só uma nota quando só essa barra, maiúsculas, `www.` ou uma query que a canônica omite os distingue: então ela nomeia uma forma mais limpa desta página, que é para o que servem canônicas. A diferença só de http e https tem verificação própria.",
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
    title: text("Canonical names another site", "A canônica nomeia outro site"),
    why: text(
        "The page gives itself up in favour of another site. That is right for syndicated copies only.",
        "A página abre mão de si em favor de outro site. Isso só é certo para cópias republicadas.",
    ),
    how: text(
        "If this site is the original, let the canonical name this page.",
        "Se este site é o original, faça a canônica nomear esta página.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/canonicalization-troubleshooting",
    rule: text(
        "Fails when the one canonical, of the head or where it has none of the `Link` header, names a host under another registrable domain, by the public suffix list, than the page's. Hosts of one domain, `www.` and the bare domain among them, are told by `canonical_other_page`.",
        "Falha quando a única canônica, do head ou na falta dela do cabeçalho `Link`, indica um host de outro domínio registrável, segundo a lista de sufixos públicos, que não o da página. Hosts de um mesmo domínio, inclusive `www.` e o domínio puro, ficam com `canonical_other_page`.",
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
        "The page tells search engines to prefer its unencrypted address, which redirects or is gone.",
        "A página diz aos buscadores que prefiram o endereço sem criptografia, que redireciona ou não existe mais.",
    ),
    how: text("Write https in the canonical.", "Escreva https na canônica."),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls#define-canonical",
    rule: text(
        "Fails when the page was reached by https and the one canonical, of the head or where it has none of the `Link` header, is an http address of the same registrable domain. Of other sites it is not known whether they answer https.",
        "Falha quando a página foi alcançada por https e a única canônica, do head ou na falta dela do cabeçalho `Link`, é um endereço http do mesmo domínio registrável. De outros sites não se sabe se respondem por https.",
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
        "Search shows the tracked address, and every visit from it is counted for a campaign that it does not come from.",
        "A busca mostra o endereço rastreado, e toda visita vinda dela é contada para uma campanha de que não veio.",
    ),
    how: text(
        "Leave `utm_…`, `gclid` and the like out of the canonical.",
        "Deixe `utm_…`, `gclid` e parecidos fora da canônica.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/url-structure",
    rule: text(
        "Fails when the query of the one canonical, of the head or where it has none of the `Link` header, holds a parameter of the table of tracking parameters, on any host of the page's registrable domain.",
        "Falha quando a query da única canônica, do head ou na falta dela do cabeçalho `Link`, contém um parâmetro da tabela de parâmetros de rastreamento, em qualquer host do domínio registrável da página.",
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
        "The canonical of {page} names the home page, {canonical}.",
        "A canônica de {page} indica a página inicial, {canonical}.",
    );
    const OWN: Text = text("the final URL of this request", "a URL final desta requisição");
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
        "The canonical names {canonical}, not this page, {page}.",
        "A canônica nomeia {canonical}, não esta página, {page}.",
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
        text("The canonical names another site, {canonical}.", "A canônica nomeia outro site, {canonical}.");
    differs(facts, &canonical, NAMES, false)
}

fn differs(facts: &Facts<'_>, canonical: &Canonical<'_>, message: Text, is_minor: bool) -> Verdict {
    const DECIDE: Text = text(
        "If {page} should be found itself, name it; if it is a copy of {canonical}, leave the canonical as it is.",
        "Se {page} deve ser encontrada, nomeie-a; se é uma cópia de {canonical}, deixe a canônica como está.",
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
    const PLAIN: Text = text("The canonical is {canonical}, without https.", "A canônica é {canonical}, sem https.");
    const SECURE: Text = text("the declared address with https", "o endereço declarado, com https");
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
        "The canonical holds tracking parameters: {canonical}",
        "A canônica contém parâmetros de rastreamento: {canonical}",
    );
    const WITHOUT: Text = text("the declared address without them", "o endereço declarado, sem eles");
    let fix = rewritten(facts, &canonical, &mended(facts.url()?, url), WITHOUT)?;
    problem(TRACKED, &[("canonical", url.as_str().into())], fix).at(place(facts, &canonical)).fail()
}
