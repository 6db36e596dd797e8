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
        "List the cookies that a page sets without Secure, HttpOnly or SameSite. Only names are shown, never values.",
        "Liste os cookies que uma página define sem Secure, HttpOnly ou SameSite. Só os nomes aparecem, nunca os valores.",
    ),
    lead: text(
        "Anyone with a session cookie is logged in. Three attributes keep it off unencrypted http, away from scripts, and out of requests that other sites start.",
        "Quem tem o cookie de sessão está logado. Três atributos o mantêm fora do http sem criptografia, longe dos scripts e fora de requisições iniciadas por outros sites.",
    ),
    example: include_str!("cookies/bad.http"),
};

const FLAGS_MISSING: Check = Check {
    code: "cookie_flags_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Cookies without security attributes", "Cookies sem atributos de segurança"),
    why: text(
        "Browsers also send a cookie without Secure over http. Injected scripts can read a session cookie without HttpOnly. Some browsers send one without SameSite with requests from other sites.",
        "Os navegadores também enviam por http um cookie sem Secure. Scripts injetados podem ler um cookie de sessão sem HttpOnly. Alguns navegadores enviam um sem SameSite em requisições de outros sites.",
    ),
    how: text(
        "Add `Secure` to every cookie, and `HttpOnly; SameSite=Lax` to session cookies.",
        "Adicione `Secure` a todos os cookies, e `HttpOnly; SameSite=Lax` aos de sessão.",
    ),
    reference: "https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis#section-4.1.2",
    rule: text(
        "Fails when the final https response sets a cookie without `Secure`, or a cookie whose name marks a session or login without `HttpOnly` or without a known `SameSite`. Deleted cookies (empty, `Max-Age=0`, expired) don't count. CSRF tokens don't count as sessions, because scripts must read them. Not applicable to a response without cookies.",
        "Falha quando a resposta https final define um cookie sem `Secure`, ou um cookie cujo nome indica sessão ou login sem `HttpOnly` ou sem um `SameSite` conhecido. Cookies apagados (vazios, `Max-Age=0`, expirados) não contam. Tokens de CSRF não contam como sessões, porque scripts precisam lê-los. Não se aplica a uma resposta sem cookies.",
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
        "{count|A cookie lacks|{count} cookies lack} security attributes: {names}.",
        "{count|Um cookie não tem|{count} cookies não têm} atributos de segurança: {names}.",
    );
    const ADD: Text =
        text("Add these attributes to Set-Cookie: {lines}", "Adicione estes atributos ao Set-Cookie: {lines}");
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
