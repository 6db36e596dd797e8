//! Cookies that the response sets without the attributes that protect them.

use crate::check::prelude::*;
use crate::facts::cookies::{self, Cookie};

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "cookie-security", category: Category::Security, landing: LANDING, checks: &[FLAGS_MISSING] };

const LANDING: Landing = Landing {
    title: text("Cookie security checker", "Verificador de segurança de cookies"),
    h1: text("Are your cookies marked Secure and HttpOnly?", "Seus cookies têm Secure e HttpOnly?"),
    description: text(
        "Lists the cookies that a page sets without Secure, HttpOnly or SameSite. Names only: values are never shown.",
        "Lista os cookies que uma página define sem Secure, HttpOnly ou SameSite. Só os nomes: valores nunca aparecem.",
    ),
    lead: text(
        "Whoever has a session cookie is logged in. Three attributes keep it off plain http, away from scripts, and out of requests that other sites start.",
        "Quem tem o cookie de sessão está logado. Três atributos o mantêm fora do http sem criptografia, longe dos scripts e fora de requisições iniciadas por outros sites.",
    ),
    example: include_str!("cookies/bad.http"),
};

const FLAGS_MISSING: Check = Check {
    code: "cookie_flags_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Cookies without protection", "Cookies sem proteção"),
    why: text(
        "A cookie without Secure also travels over http; a session cookie without HttpOnly can be read by any injected script, and without SameSite some browsers send it along with requests of other sites.",
        "Um cookie sem Secure também viaja por http; um cookie de sessão sem HttpOnly pode ser lido por qualquer script injetado e, sem SameSite, alguns navegadores o enviam em requisições de outros sites.",
    ),
    how: text(
        "Add `Secure` to every cookie, and `HttpOnly; SameSite=Lax` to those that stand for a login.",
        "Adicione `Secure` a todos os cookies, e `HttpOnly; SameSite=Lax` aos que representam um login.",
    ),
    reference: "https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis#section-4.1.2",
    rule: text(
        "Fails when the final https response sets a cookie without `Secure`, or one whose name marks a session or login without `HttpOnly` or without a known `SameSite`. Cookies that are deleted (empty, `Max-Age=0`, expired) don't count, and tokens against request forgery are no sessions, since scripts must read them. Not applicable to a response that sets none.",
        "Falha quando a resposta https final define um cookie sem `Secure`, ou um cujo nome indica sessão ou login sem `HttpOnly` ou sem um `SameSite` conhecido. Cookies apagados (vazios, `Max-Age=0`, expirados) não contam, e tokens contra falsificação de requisições não são sessões, pois scripts precisam lê-los. Não se aplica a uma resposta que não define nenhum.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: flags_missing,
};

/// Names that a message lists.
const MOST_NAMES: usize = 10;

/// What a cookie lacks.
fn lacks(cookie: &Cookie) -> Vec<&'static str> {
    let wanted = [
        ("Secure", cookie.secure),
        ("HttpOnly", cookie.http_only || !cookie.is_session),
        ("SameSite", cookie.same_site || !cookie.is_session),
    ];
    wanted.into_iter().filter(|(_, is_there)| !is_there).map(|(name, _)| name).collect()
}

/// Fails when the response sets a cookie that lacks what protects it.
fn flags_missing(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.successful_response()?;
    facts.https()?;
    let set = cookies::read(exchange, facts.capture.started_at);
    if set.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let bad: Vec<(&Cookie, Vec<&str>)> =
        set.iter().map(|cookie| (cookie, lacks(cookie))).filter(|(_, lacks)| !lacks.is_empty()).collect();
    if bad.is_empty() {
        return PASS;
    }
    const UNPROTECTED: Text = text(
        "{count} {count|cookie lacks|cookies lack} protecting attributes: {names}.",
        "{count} {count|cookie não tem|cookies não têm} atributos de proteção: {names}.",
    );
    const ADD: Text = text("Add to Set-Cookie: {lines}", "Adicione ao Set-Cookie: {lines}");
    let listed = |name: fn(&(&Cookie, Vec<&str>)) -> String, by: &str| {
        bad.iter().take(MOST_NAMES).map(name).collect::<Vec<_>>().join(by)
    };
    let names = listed(|(cookie, lacks)| format!("{} ({})", cookie.name, lacks.join(", ")), ", ");
    let lines = listed(
        |(cookie, lacks)| {
            let attributes = lacks.iter().map(|name| if *name == "SameSite" { "SameSite=Lax" } else { name });
            format!("{}: {}", cookie.name, attributes.collect::<Vec<_>>().join("; "))
        },
        " · ",
    );
    let fix = FixDraft::instruction(FixTarget::Page, ADD, &[("lines", lines.into())]);
    let place = |(cookie, lacks): &(&Cookie, Vec<&str>)| Place {
        snippet: Some(format!("Set-Cookie: {}=… (− {})", cookie.name, lacks.join(", "))),
        ..Place::default()
    };
    let values = [("count", bad.len().into()), ("names", names.into())];
    problem(UNPROTECTED, &values, fix).at(bad.iter().map(place)).fail()
}
