//! Strict-Transport-Security: there, and strong enough to help. (RFC 6797)

use crate::check::prelude::*;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "hsts", category: Category::Security, landing: LANDING, checks: &[MISSING, WEAK] };

const LANDING: Landing = Landing {
    title: text("HSTS header checker", "Verificador do cabeçalho HSTS"),
    h1: text("Do browsers always use https for your site?", "Os navegadores sempre usam https no seu site?"),
    description: text(
        "Check the Strict-Transport-Security header of a page: whether it exists, is valid, is sent once and lasts long enough.",
        "Confira o cabeçalho Strict-Transport-Security de uma página: se existe, é válido, vem uma só vez e dura o bastante.",
    ),
    lead: text(
        "With HSTS, a browser never requests your site over http again, so nobody can intercept the first request. It protects visitors and has no effect on search.",
        "Com HSTS, o navegador nunca mais pede seu site por http, e ninguém pode interceptar a primeira requisição. Protege os visitantes e não afeta a busca.",
    ),
    example: include_str!("hsts/bad_missing.http"),
};

/// Seconds below which browsers forget too soon: 180 days, the least that scanners such as Mozilla's call sufficient.
const SHORTEST: u64 = 15_552_000;
/// Seconds that are proposed: a year.
const PROPOSED: u64 = 31_536_000;
const HEADER: &str = "strict-transport-security";

const MISSING: Check = Check {
    code: "hsts_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("No HSTS header", "Sem cabeçalho HSTS"),
    why: text(
        "Without Strict-Transport-Security, a browser's first request may use http, where others can intercept it. The header has no effect on search.",
        "Sem Strict-Transport-Security, a primeira requisição do navegador pode ir por http, onde outros podem interceptá-la. O cabeçalho não afeta a busca.",
    ),
    how: text(
        "Send `Strict-Transport-Security: max-age=31536000` once the whole site works over https.",
        "Envie `Strict-Transport-Security: max-age=31536000` quando todo o site funcionar por https.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc6797#section-6.1",
    rule: text(
        "Fails when an https response has no `Strict-Transport-Security` header, whatever its status. Not measured over http, where browsers ignore the header, nor for uploaded HTML.",
        "Falha quando uma resposta https não tem o cabeçalho `Strict-Transport-Security`, qualquer que seja o status. Não é medido por http, onde os navegadores ignoram o cabeçalho, nem em HTML enviado pelo usuário.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: missing,
};

const WEAK: Check = Check {
    code: "hsts_weak",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Weak HSTS header", "Cabeçalho HSTS fraco"),
    why: text(
        "Browsers ignore an invalid header and use only the first of several. They forget a header with a short max-age between two visits.",
        "Os navegadores ignoram um cabeçalho inválido e usam só o primeiro de vários. Eles esquecem um cabeçalho com max-age curto entre duas visitas.",
    ),
    how: text("Send the header once, with `max-age=31536000`.", "Envie o cabeçalho uma vez, com `max-age=31536000`."),
    reference: "https://www.rfc-editor.org/rfc/rfc6797#section-6.1.1",
    rule: text(
        "Fails when the header of an https response has no `max-age`, a `max-age` that isn't a number, or one below 15,552,000 seconds (180 days; 0 turns HSTS off). Also fails when the header is sent more than once with different values. `preload` and `includeSubDomains` are up to the owner.",
        "Falha quando o cabeçalho de uma resposta https não tem `max-age`, tem um `max-age` que não é número ou um abaixo de 15.552.000 segundos (180 dias; 0 desliga o HSTS). Falha também quando o cabeçalho vem mais de uma vez com valores diferentes. `preload` e `includeSubDomains` ficam a critério do dono.",
    ),
    thresholds: &[threshold("max_age", SHORTEST, "seconds")],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: weak,
};

const LINE: Text = text("Send this header: {line}", "Envie este cabeçalho: {line}");

/// Fails on an https response without the header.
fn missing(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.measured_response()?;
    facts.https()?;
    if exchange.header(HEADER).is_some() {
        return PASS;
    }
    const NONE: Text = text(
        "The response has no Strict-Transport-Security header.",
        "A resposta não tem o cabeçalho Strict-Transport-Security.",
    );
    let line = format!("Strict-Transport-Security: max-age={PROPOSED}");
    problem(NONE, &[], FixDraft::instruction(FixTarget::Page, LINE, &[("line", line.into())])).fail()
}

/// Fails on a header that browsers drop, or forget within half a year.
fn weak(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.measured_response()?;
    facts.https()?;
    let mut all: Vec<&str> = exchange.headers_named(HEADER).map(str::trim).collect();
    let Some(first) = all.first().copied() else { return Err(NotMeasured::Absent) };
    all.dedup();
    const REPEATED: Text = text(
        "The response sends Strict-Transport-Security {count} times with different values. Browsers use only the first.",
        "A resposta envia Strict-Transport-Security {count} vezes com valores diferentes. Os navegadores usam só o primeiro.",
    );
    const UNREADABLE: Text = text(
        "Strict-Transport-Security has no valid max-age: “{value}”.",
        "Strict-Transport-Security não tem um max-age válido: “{value}”.",
    );
    const SHORT: Text = text(
        "Strict-Transport-Security has a max-age of only {seconds} {seconds|second|seconds}. It should be at least {least} (180 days).",
        "Strict-Transport-Security tem um max-age de só {seconds} {seconds|segundo|segundos}. Deveria ser pelo menos {least} (180 dias).",
    );
    let seconds = max_age(first);
    let (message, values) = match seconds {
        None => (UNREADABLE, vec![("value", first.into())]),
        Some(seconds) if seconds < SHORTEST => (SHORT, vec![("seconds", seconds.into()), ("least", SHORTEST.into())]),
        Some(_) if all.len() > 1 => (REPEATED, vec![("count", all.len().into())]),
        Some(_) => return PASS,
    };
    let others = ["includeSubDomains", "preload"].into_iter().filter(|name| directive(first, name).is_some());
    let others: String = others.map(|name| format!("; {name}")).collect();
    let age = seconds.filter(|seconds| *seconds >= SHORTEST).unwrap_or(PROPOSED);
    let line = format!("Strict-Transport-Security: max-age={age}{others}");
    let fix = FixDraft::instruction(FixTarget::Page, LINE, &[("line", line.into())]);
    let place =
        |value: &&str| Place { snippet: Some(format!("Strict-Transport-Security: {value}")), ..Place::default() };
    problem(message, &values, fix).at(all.iter().map(place)).fail()
}

/// The value of a directive, unquoted; empty for one without.
fn directive<'h>(header: &'h str, name: &str) -> Option<&'h str> {
    header.split(';').find_map(|part| {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        key.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches('"'))
    })
}

fn max_age(header: &str) -> Option<u64> {
    let digits = directive(header, "max-age")?;
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u64::MAX))
}
