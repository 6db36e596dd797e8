//! Whether the page comes over https, and http leads there.

use crate::check::prelude::*;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "https",
    category: Category::Security,
    landing: LANDING,
    checks: &[HTTPS_MISSING, REDIRECT_MISSING],
};

const LANDING: Landing = Landing {
    title: text("HTTPS and redirect checker", "Verificador de HTTPS e redirecionamento"),
    h1: text("Is your page served over HTTPS, always?", "Sua página é sempre servida por HTTPS?"),
    description: text(
        "Tells whether a page ends on https, and whether its http address leads there instead of answering in the clear.",
        "Diz se uma página termina em https e se o endereço http leva até lá em vez de responder sem criptografia.",
    ),
    lead: text(
        "Over http anyone on the way can read and change a page. A certificate helps only those who come by https: the http address must lead there too.",
        "Por http, qualquer um no caminho pode ler e alterar uma página. O certificado só ajuda quem chega por https: o endereço http também precisa levar até lá.",
    ),
    example: include_str!("https/bad_http.http"),
};

const HTTPS_MISSING: Check = Check {
    code: "https_missing",
    severity: Severity::Error,
    impact: Impact::Use,
    title: text("Page not on HTTPS", "Página sem HTTPS"),
    why: text(
        "Anyone on the way can read and change the page. Browsers mark it “Not secure”, and search prefers secure pages.",
        "Qualquer um no caminho pode ler e alterar a página. Os navegadores a marcam como “Não seguro”, e a busca prefere páginas seguras.",
    ),
    how: text(
        "Install a certificate, serve the site over https, and redirect http to it permanently.",
        "Instale um certificado, sirva o site por https e redirecione http para ele de forma permanente.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/page-experience",
    rule: text(
        "Fails when the final URL, after all redirects, is http.",
        "Falha quando a URL final, depois de todos os redirecionamentos, é http.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: https_missing,
};

const REDIRECT_MISSING: Check = Check {
    code: "https_redirect_missing",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("http does not lead to https", "http não leva a https"),
    why: text(
        "Whoever types the address or follows an old link gets the page in the clear, and search engines may find it twice.",
        "Quem digita o endereço ou segue um link antigo recebe a página sem criptografia, e os buscadores podem encontrá-la duas vezes.",
    ),
    how: text(
        "Answer every http request with a 301 to the same address over https.",
        "Responda a toda requisição http com um 301 para o mesmo endereço em https.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc6797#section-7.2",
    rule: text(
        "Fails when https was asked for and the final URL with `http:` in its place answers a GET with 2xx and a page that does not lead to https by itself (`Refresh`). A redirect to https and an error pass. Not measured where a redirect stays on http, no answer comes, or the page has a port of its own; where http was asked for, the redirects to the page have told.",
        "Falha quando se pediu https e a URL final com `http:` no lugar responde a um GET com 2xx e uma página que não leva sozinha a https (`Refresh`). Um redirecionamento para https e um erro passam. Não é medido quando um redirecionamento fica em http, não há resposta, ou a página tem uma porta própria; quando se pediu http, os redirecionamentos até a página já disseram.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: redirect_missing,
};

/// Fails when the final URL is http.
fn https_missing(facts: &Facts<'_>) -> Verdict {
    facts.response()?;
    let url = facts.url()?;
    if url.scheme() == "https" {
        return PASS;
    }
    const PLAIN: Text = text("The page is served over http: {url}.", "A página é servida por http: {url}.");
    const SERVE: Text = text(
        "Serve {host} over https and answer http with a 301 to the same path.",
        "Sirva {host} por https e responda http com um 301 para o mesmo caminho.",
    );
    let host = url.host_str().unwrap_or_default();
    problem(
        PLAIN,
        &[("url", url.as_str().into())],
        FixDraft::instruction(FixTarget::Page, SERVE, &[("host", host.into())]),
    )
    .fail()
}

/// Fails when the http form of the final URL answers 2xx and leads nowhere.
fn redirect_missing(facts: &Facts<'_>) -> Verdict {
    facts.measured_response()?;
    let Some(url) = facts.insecure_form()? else { return PASS };
    const OPEN: Text = text(
        "{url} answers with a page instead of leading to https.",
        "{url} responde com uma página em vez de levar a https.",
    );
    const REDIRECT: Text = text("Answer http requests with: {line}", "Responda às requisições http com: {line}");
    let line = format!("301, Location: {}", facts.url()?);
    let fix = FixDraft::instruction(FixTarget::Page, REDIRECT, &[("line", line.into())]);
    let place = Place { url: Some(url.clone()), ..Place::default() };
    problem(OPEN, &[("url", url.into())], fix).at([place]).fail()
}
