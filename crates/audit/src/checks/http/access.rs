//! Whether the page can be reached at all.

use model::capture::{FailureKind, FetchFailure};

use crate::check::prelude::*;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "access",
    category: Category::Http,
    landing: Landing::TO_WRITE,
    checks: &[UNREACHABLE, REDIRECT_LOOP, CHALLENGE, CLIENT_ERROR, SERVER_ERROR],
};

const GOOGLE_HTTP: &str = "https://developers.google.com/search/docs/crawling-indexing/http-network-errors";

const UNREACHABLE: Check = Check {
    code: "page_unreachable",
    severity: Severity::Error,
    title: text("Page can't be reached", "Página inalcançável"),
    why: text(
        "Neither people nor crawlers get the page. What stays unreachable drops out of the index.",
        "Nem pessoas nem robôs recebem a página. O que continua inalcançável sai do índice.",
    ),
    how: text(
        "Mend the name, the server or the certificate, as the message says.",
        "Conserte o nome, o servidor ou o certificado, como diz a mensagem.",
    ),
    reference: GOOGLE_HTTP,
    rule: text("Fails when no response head came, for another reason than redirects.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: unreachable,
};

const REDIRECT_LOOP: Check = Check {
    code: "redirect_loop",
    severity: Severity::Error,
    title: text("Redirects never end", "Redirecionamentos sem fim"),
    why: text(
        "The addresses redirect in a circle, or more than ten times. Browsers and crawlers give up.",
        "Os endereços redirecionam em círculo, ou mais de dez vezes. Navegadores e robôs desistem.",
    ),
    how: text(
        "Let the first address redirect straight to the page.",
        "Faça o primeiro endereço redirecionar direto para a página.",
    ),
    reference: GOOGLE_HTTP,
    rule: text("Fails when a URL repeats in the chain, or after more than ten hops.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: redirect_loop,
};

const CHALLENGE: Check = Check {
    code: "bot_challenge_detected",
    severity: Severity::Warn,
    title: text("A firewall answered instead of the page", "Um firewall respondeu no lugar da página"),
    why: text(
        "Crawlers that are no browsers get the same: the page can't be indexed or quoted.",
        "Robôs que não são navegadores recebem o mesmo: a página não pode ser indexada nem citada.",
    ),
    how: text(
        "Let the crawlers you want through by their user agent and published addresses.",
        "Libere os robôs que você quer pelo user agent e pelos endereços publicados.",
    ),
    reference: GOOGLE_HTTP,
    rule: text("Fails when the body is an interstitial.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: challenge,
};

const CLIENT_ERROR: Check = Check {
    code: "http_status_client_error",
    severity: Severity::Error,
    title: text("Page answers with a client error", "Página responde com erro de cliente"),
    why: text(
        "Search engines drop pages that answer 4xx, whatever their content says.",
        "Os buscadores descartam páginas que respondem 4xx, diga o conteúdo o que disser.",
    ),
    how: text(
        "Answer 200 where the page exists, or redirect to where it went.",
        "Responda 200 onde a página existe, ou redirecione para onde ela foi.",
    ),
    reference: GOOGLE_HTTP,
    rule: text("Fails on a final status of 400 to 499, 429 excepted.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: client_error,
};

const SERVER_ERROR: Check = Check {
    code: "http_status_server_error",
    severity: Severity::Error,
    title: text("Page answers with a server error", "Página responde com erro de servidor"),
    why: text(
        "On 5xx crawlers slow down; pages that keep failing drop out of the index.",
        "Com 5xx os robôs diminuem o ritmo; páginas que continuam falhando saem do índice.",
    ),
    how: text("Look into the server's log for the cause.", "Procure a causa no log do servidor."),
    reference: GOOGLE_HTTP,
    rule: text("Fails on a final status of 500 and above.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: server_error,
};

/// The failure of the page's own fetch, if it failed.
fn failure<'f>(facts: &'f Facts<'_>) -> Option<&'f FetchFailure> {
    match &facts.capture.page {
        model::capture::Fetched::Failed(failure) => Some(failure),
        model::capture::Fetched::Response(_) => None,
    }
}

fn is_loop(failure: &FetchFailure) -> bool {
    matches!(failure.reason.as_str(), "redirect_loop" | "too_many_redirects")
}

/// Fails when no response head came, for another reason than redirects.
fn unreachable(facts: &Facts<'_>) -> Verdict {
    let Some(failure) = failure(facts).filter(|failure| !is_loop(failure)) else { return PASS };
    const TIMED_OUT: Text = text("{url} did not answer in time ({reason}).", "{url} não respondeu a tempo ({reason}).");
    const FAILED: Text = text("{url} could not be reached ({reason}).", "Não foi possível alcançar {url} ({reason}).");
    let message = if failure.kind == FailureKind::Timeout { TIMED_OUT } else { FAILED };
    const CAUSE: Text = text("The step that failed: {reason}.", "A etapa que falhou: {reason}.");
    let fix = FixDraft::instruction(FixTarget::Page, CAUSE, &[("reason", failure.reason.as_str().into())]);
    fail(message, &[("url", failure.url.as_str().into()), ("reason", failure.reason.as_str().into())], fix)
}

/// Fails when a URL repeats in the chain, or after more than ten hops.
fn redirect_loop(facts: &Facts<'_>) -> Verdict {
    let Some(failure) = failure(facts).filter(|failure| is_loop(failure)) else { return PASS };
    const CIRCLE: Text = text(
        "The redirects don't end after {count} hops.",
        "Os redirecionamentos não terminam depois de {count} saltos.",
    );
    const HOPS: Text = text("The chain: {chain}", "A cadeia: {chain}");
    let chain = failure.hops.iter().map(|hop| hop.url.as_str()).collect::<Vec<_>>().join(" → ");
    let fix = FixDraft::instruction(FixTarget::Page, HOPS, &[("chain", chain.into())]);
    let places = failure.hops.iter().map(|hop| Place { url: Some(hop.url.clone()), ..Place::default() });
    Ok(Some(problem(CIRCLE, &[("count", failure.hops.len().into())], fix).at(places)))
}

/// Fails when the body is an interstitial.
fn challenge(facts: &Facts<'_>) -> Verdict {
    facts.any_response()?;
    let Some(blocked) = facts.blocked().filter(|blocked| !blocked.rate_limited) else { return PASS };
    const ANSWERED: Text = text(
        "{vendor} answered with a challenge (status {status}).",
        "{vendor} respondeu com um desafio (status {status}).",
    );
    const ALLOW: Text =
        text("Allow this service's user agent in {vendor}.", "Libere o user agent deste serviço em {vendor}.");
    let vendor = || Value::from(blocked.vendor.as_str());
    let fix = FixDraft::instruction(FixTarget::Page, ALLOW, &[("vendor", vendor())]);
    fail(ANSWERED, &[("vendor", vendor()), ("status", blocked.status.into())], fix)
}

/// Fails on a final status of 400 to 499, 429 excepted.
fn client_error(facts: &Facts<'_>) -> Verdict {
    let status = facts.response()?.status;
    if !(400..500).contains(&status) || status == 429 {
        return PASS;
    }
    status_error(facts, status)
}

/// Fails on a final status of 500 and above.
fn server_error(facts: &Facts<'_>) -> Verdict {
    let status = facts.response()?.status;
    if status < 500 { PASS } else { status_error(facts, status) }
}

fn status_error(facts: &Facts<'_>, status: u16) -> Verdict {
    const STATUS: Text = text("{url} answers with status {status}.", "{url} responde com o status {status}.");
    const ANSWER: Text = text(
        "Answer 200 at {url}, or redirect it permanently to the page that replaces it.",
        "Responda 200 em {url}, ou redirecione de forma permanente para a página que a substitui.",
    );
    let url = || Value::from(facts.final_url());
    fail(
        STATUS,
        &[("url", url()), ("status", status.into())],
        FixDraft::instruction(FixTarget::Page, ANSWER, &[("url", url())]),
    )
}
