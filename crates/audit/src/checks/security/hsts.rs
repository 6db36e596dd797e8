//! Strict-Transport-Security: there, and strong enough to help. (RFC 6797)

use crate::check::prelude::*;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "hsts", category: Category::Security, landing: LANDING, checks: &[MISSING, WEAK] };

const LANDING: Landing = Landing {
    title: text("HSTS header checker", "Verificador do cabeçalho HSTS"),
    h1: text("Do browsers remember that your site is https?", "Os navegadores lembram que seu site é https?"),
    description: text(
        "Reads the Strict-Transport-Security header of a page: whether it is there, readable, sent once and long enough.",
        "Lê o cabeçalho Strict-Transport-Security de uma página: se existe, é legível, vem uma só vez e dura o bastante.",
    ),
    lead: text(
        "With HSTS a browser never again asks for your site over http, so that nobody can catch the first request. It helps visitors and does nothing for search.",
        "Com HSTS, o navegador nunca mais pede seu site por http, e ninguém pode interceptar a primeira requisição. Ajuda os visitantes e não muda nada na busca.",
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
    rule: text(
        "Fails on an https response without a `Strict-Transport-Security` header, whatever its status. Not measured over http, where browsers pass over the header, nor on supplied HTML.",
        "Falha em uma resposta https sem o cabeçalho `Strict-Transport-Security`, qualquer que seja o status. Não é medido por http, onde os navegadores ignoram o cabeçalho, nem em HTML fornecido.",
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
    title: text("HSTS that hardly protects", "HSTS que quase não protege"),
    why: text(
        "Browsers drop a header that they can't read, use only the first of several, and forget a short one between two visits.",
        "Os navegadores descartam um cabeçalho que não conseguem ler, usam só o primeiro de vários e esquecem um curto entre duas visitas.",
    ),
    how: text("Send the header once, with `max-age=31536000`.", "Envie o cabeçalho uma vez, com `max-age=31536000`."),
    reference: "https://www.rfc-editor.org/rfc/rfc6797#section-6.1.1",
    rule: text(
        "Fails when the header of an https response has no `max-age`, one that is no number, one of less than 15552000 seconds (180 days; 0 switches it off), or when the header is sent more than once with different values. `preload` and `includeSubDomains` are left to the owner.",
        "Falha quando o cabeçalho de uma resposta https não tem `max-age`, tem um que não é número, um menor que 15552000 segundos (180 dias; 0 o desliga), ou quando o cabeçalho vem mais de uma vez com valores diferentes. `preload` e `includeSubDomains` ficam a critério do dono.",
    ),
    thresholds: &[threshold("max_age", SHORTEST, "seconds")],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: weak,
};

const LINE: Text = text("Send: {line}", "Envie: {line}");

/// Fails on an https response without the header.
fn missing(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.measured_response()?;
    facts.https()?;
    if exchange.header(HEADER).is_some() {
        return PASS;
    }
    const NONE: Text =
        text("The response has no Strict-Transport-Security.", "A resposta não tem Strict-Transport-Security.");
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
        "Strict-Transport-Security is sent {count} times with different values; browsers use the first.",
        "Strict-Transport-Security é enviado {count} vezes com valores diferentes; os navegadores usam o primeiro.",
    );
    const UNREADABLE: Text = text(
        "Strict-Transport-Security has no readable max-age: “{value}”.",
        "Strict-Transport-Security não tem um max-age legível: “{value}”.",
    );
    const SHORT: Text = text(
        "Strict-Transport-Security lasts {seconds} seconds; below {least} (180 days) it protects little.",
        "Strict-Transport-Security dura {seconds} segundos; abaixo de {least} (180 dias) protege pouco.",
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
