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
    h1: text("Is your page always served over HTTPS?", "Sua página é sempre servida por HTTPS?"),
    description: text(
        "Check whether a page uses https, and whether its http URL redirects there instead of answering unencrypted.",
        "Confira se uma página usa https e se a URL http redireciona para lá em vez de responder sem criptografia.",
    ),
    lead: text(
        "Over http, anyone on the network path can read and change a page. A certificate protects only visitors who use https, so the http URL must redirect there.",
        "Por http, qualquer um no caminho da rede pode ler e alterar uma página. O certificado só protege quem usa https; por isso, a URL http precisa redirecionar para lá.",
    ),
    example: include_str!("https/bad_http.http"),
};

const HTTPS_MISSING: Check = Check {
    code: "https_missing",
    severity: Severity::Error,
    impact: Impact::Use,
    title: text("Page not served over HTTPS", "Página sem HTTPS"),
    why: text(
        "Anyone on the network path can read and change the page. Browsers mark it “Not secure”, and search engines prefer secure pages.",
        "Qualquer um no caminho da rede pode ler e alterar a página. Os navegadores a marcam como “Não seguro”, e os buscadores preferem páginas seguras.",
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
    title: text("http doesn't redirect to https", "http não redireciona para https"),
    why: text(
        "Visitors who type the address or follow an old link get the page unencrypted. Search engines may find the page under two URLs.",
        "Quem digita o endereço ou segue um link antigo recebe a página sem criptografia. Os buscadores podem encontrar a página em duas URLs.",
    ),
    how: text(
        "Redirect every http request with a 301 to the same URL over https.",
        "Redirecione toda requisição http com um 301 para a mesma URL em https.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc6797#section-7.2",
    rule: text(
        "Fails when the audited URL is https, and the same final URL over http answers a GET with 2xx and a page that doesn't redirect to https by itself (`Refresh`). A redirect to https passes, and so does an error. Not measured when a redirect stays on http, when there is no answer, or when the page has its own port. When the audited URL is http, its own redirects show the answer.",
        "Falha quando a URL auditada é https e a mesma URL final por http responde a um GET com 2xx e uma página que não redireciona sozinha para https (`Refresh`). Um redirecionamento para https passa, assim como um erro. Não é medido quando um redirecionamento fica em http, quando não há resposta ou quando a página tem uma porta própria. Quando a URL auditada é http, os próprios redirecionamentos mostram a resposta.",
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
        "Serve {host} over https, and redirect http with a 301 to the same path.",
        "Sirva {host} por https e redirecione http com um 301 para o mesmo caminho.",
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
        "{url} shows the page over http instead of redirecting to https.",
        "{url} mostra a página por http em vez de redirecionar para https.",
    );
    const REDIRECT: Text =
        text("Redirect http requests to https: {line}", "Redirecione as requisições http para https: {line}");
    let line = format!("301, Location: {}", facts.url()?);
    let fix = FixDraft::instruction(FixTarget::Page, REDIRECT, &[("line", line.into())]);
    let place = Place { url: Some(url.clone()), ..Place::default() };
    problem(OPEN, &[("url", url.into())], fix).at([place]).fail()
}
