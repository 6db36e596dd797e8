//! Transport security as a response shows it.

use crate::check::prelude::*;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "https",
    category: Category::Security,
    landing: Landing::TO_WRITE,
    checks: &[HTTPS_MISSING, HSTS_MISSING],
};

const HTTPS_MISSING: Check = Check {
    code: "https_missing",
    severity: Severity::Error,
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
    rule: text("Fails when the final URL is http.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: https_missing,
};

const HSTS_MISSING: Check = Check {
    code: "hsts_missing",
    severity: Severity::Info,
    title: text("No HSTS", "Sem HSTS"),
    why: text(
        "Without Strict-Transport-Security a browser's first request may still go over http, where it can be caught. It has no effect on search.",
        "Sem Strict-Transport-Security, a primeira requisição do navegador ainda pode ir por http, onde pode ser interceptada. Não afeta a busca.",
    ),
    how: text(
        "Send `Strict-Transport-Security: max-age=31536000` once the whole site works over https.",
        "Envie `Strict-Transport-Security: max-age=31536000` quando todo o site funcionar por https.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc6797#section-6.1",
    rule: text("Fails on an https response without the header.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: hsts_missing,
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
    fail(
        PLAIN,
        &[("url", url.as_str().into())],
        FixDraft::instruction(FixTarget::Page, SERVE, &[("host", host.into())]),
    )
}

/// Fails on an https response without the header.
fn hsts_missing(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.measured_response()?;
    facts.https()?;
    if exchange.header("strict-transport-security").is_some() {
        return PASS;
    }
    const NONE: Text =
        text("The response has no Strict-Transport-Security.", "A resposta não tem Strict-Transport-Security.");
    const LINE: Text = text("Send: {line}", "Envie: {line}");
    let fix =
        FixDraft::instruction(FixTarget::Page, LINE, &[("line", "Strict-Transport-Security: max-age=31536000".into())]);
    fail(NONE, &[], fix)
}
