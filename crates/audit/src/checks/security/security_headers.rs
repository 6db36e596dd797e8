//! Response headers that protect a page's readers, and some that tell too much.

use crate::check::prelude::*;
use crate::facts::csp;
use crate::facts::elements::Meta;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "security-headers",
    category: Category::Security,
    landing: LANDING,
    checks: &[CONTENT_TYPE_OPTIONS, FRAME_PROTECTION, REFERRER_POLICY, SERVER_VERSION],
};

const LANDING: Landing = Landing {
    title: text("Security headers checker", "Verificador de cabeçalhos de segurança"),
    h1: text("Which security headers are missing?", "Que cabeçalhos de segurança faltam na sua página?"),
    description: text(
        "Check nosniff, frame protection, Referrer-Policy and exposed software versions of a page, and get the header to send.",
        "Confira nosniff, proteção contra frames, Referrer-Policy e versões expostas de uma página e receba o cabeçalho a enviar.",
    ),
    lead: text(
        "A few response headers prevent whole classes of attacks at no cost. None of them affects rankings, so these findings are notes.",
        "Alguns cabeçalhos de resposta evitam classes inteiras de ataques sem custo. Nenhum afeta a posição na busca; por isso, são notas.",
    ),
    example: include_str!("security_headers/bad_bare.http"),
};

const CONTENT_TYPE_OPTIONS: Check = Check {
    code: "content_type_options_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("No X-Content-Type-Options: nosniff", "Sem X-Content-Type-Options: nosniff"),
    why: text(
        "Without nosniff, a browser may guess the type of a file and run it as a script, for example an upload.",
        "Sem nosniff, um navegador pode adivinhar o tipo de um arquivo, como um upload, e executá-lo como script.",
    ),
    how: text("Send `X-Content-Type-Options: nosniff`.", "Envie `X-Content-Type-Options: nosniff`."),
    reference: "https://fetch.spec.whatwg.org/#x-content-type-options-header",
    rule: text(
        "Fails when the final response has no `X-Content-Type-Options` whose first value is `nosniff`, in any letter case.",
        "Falha quando a resposta final não tem um `X-Content-Type-Options` cujo primeiro valor seja `nosniff`, em maiúsculas ou minúsculas.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: content_type_options,
};

const FRAME_PROTECTION: Check = Check {
    code: "frame_protection_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("No clickjacking protection", "Sem proteção contra clickjacking"),
    why: text(
        "Another site can place this page invisibly in a frame over its own buttons. Visitors then click something here without knowing it (clickjacking).",
        "Outro site pode colocar esta página, invisível, em um frame sobre os próprios botões. O visitante então clica em algo aqui sem saber (clickjacking).",
    ),
    how: text(
        "Send `Content-Security-Policy: frame-ancestors 'self'`, unless other sites are meant to embed the page.",
        "Envie `Content-Security-Policy: frame-ancestors 'self'`, a menos que outros sites devam incorporar a página.",
    ),
    reference: "https://www.w3.org/TR/CSP3/#directive-frame-ancestors",
    rule: text(
        "Fails when the final response has neither `frame-ancestors` in an enforced policy header nor `X-Frame-Options` with `DENY` or `SAMEORIGIN`. Browsers ignore `frame-ancestors` in a `meta`, and `ALLOW-FROM` no longer works.",
        "Falha quando a resposta final não tem `frame-ancestors` em uma política aplicada por cabeçalho nem `X-Frame-Options` com `DENY` ou `SAMEORIGIN`. Os navegadores ignoram `frame-ancestors` em um `meta`, e `ALLOW-FROM` não funciona mais.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: frame_protection,
};

const REFERRER_POLICY: Check = Check {
    code: "referrer_policy_unsafe",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Unsafe referrer policy", "Política de referrer insegura"),
    why: text(
        "The browser sends the page's full URL, with path and query, to every linked site and external file. It can contain search terms, names or tokens. The browsers' default policy sends less.",
        "O navegador envia a URL completa da página, com caminho e query, a cada site linkado e arquivo externo. Ela pode conter termos de busca, nomes ou tokens. A política padrão dos navegadores envia menos.",
    ),
    how: text(
        "Use `strict-origin-when-cross-origin`, the browsers' default, or remove the policy.",
        "Use `strict-origin-when-cross-origin`, o padrão dos navegadores, ou remova a política.",
    ),
    reference: "https://www.w3.org/TR/referrer-policy/#referrer-policy-unsafe-url",
    rule: text(
        "Fails when the effective policy is `unsafe-url` or `no-referrer-when-downgrade`, or `always` in a `meta`. The effective policy is the last `meta name=referrer` in the head with a known policy, or else the last known policy in the header. No policy passes. Policies of single elements are not judged.",
        "Falha quando a política em vigor é `unsafe-url` ou `no-referrer-when-downgrade`, ou `always` em um `meta`. A política em vigor é a do último `meta name=referrer` no head com uma política conhecida ou, sem ele, a última política conhecida no cabeçalho. Sem política, passa. Políticas de elementos isolados não são avaliadas.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: referrer_policy,
};

const SERVER_VERSION: Check = Check {
    code: "server_version_exposed",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Software versions in response headers", "Versões de software nos cabeçalhos"),
    why: text(
        "Attackers scan for versions with known vulnerabilities, and find this server at once. Nobody else needs the version.",
        "Atacantes procuram versões com falhas conhecidas e encontram este servidor na hora. Ninguém mais precisa da versão.",
    ),
    how: text(
        "Remove the version: `server_tokens off` (nginx), `ServerTokens Prod` (Apache), `expose_php = Off` (PHP).",
        "Remova a versão: `server_tokens off` (nginx), `ServerTokens Prod` (Apache), `expose_php = Off` (PHP).",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc9110#section-10.2.4",
    rule: text(
        "Fails when `Server` or `X-Powered-By` of the final response names a product with a version of two or more numbers (`nginx/1.18`), or when `X-AspNet-Version` or `X-AspNetMvc-Version` contains a digit. A product name alone passes.",
        "Falha quando `Server` ou `X-Powered-By` da resposta final traz um produto com uma versão de dois ou mais números (`nginx/1.18`), ou quando `X-AspNet-Version` ou `X-AspNetMvc-Version` contém um dígito. Só o nome do produto passa.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: server_version,
};

const LINE: Text = text("Send this header: {line}", "Envie este cabeçalho: {line}");

/// Fails without `nosniff`.
fn content_type_options(facts: &Facts<'_>) -> Verdict {
    let value = facts.successful_response()?.header("x-content-type-options").unwrap_or_default();
    if value.split(',').next().is_some_and(|first| first.trim().eq_ignore_ascii_case("nosniff")) {
        return PASS;
    }
    const NONE: Text = text(
        "The response has no X-Content-Type-Options: nosniff header.",
        "A resposta não tem o cabeçalho X-Content-Type-Options: nosniff.",
    );
    let line = "X-Content-Type-Options: nosniff";
    problem(NONE, &[], FixDraft::instruction(FixTarget::Page, LINE, &[("line", line.into())])).fail()
}

/// Fails when any site may frame the page.
fn frame_protection(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.measured_response()?;
    facts.page()?;
    let policies = csp::read(None, exchange);
    let mut options = exchange.headers_named("x-frame-options").flat_map(|value| value.split(','));
    let is_known = |value: &str| ["deny", "sameorigin"].iter().any(|known| value.trim().eq_ignore_ascii_case(known));
    if policies.iter().any(|policy| policy.directive("frame-ancestors").is_some()) || options.any(is_known) {
        return PASS;
    }
    const NONE: Text = text(
        "The response has no clickjacking protection: neither frame-ancestors nor a valid X-Frame-Options.",
        "A resposta não tem proteção contra clickjacking: nem frame-ancestors nem um X-Frame-Options válido.",
    );
    let line = "Content-Security-Policy: frame-ancestors 'self'";
    problem(NONE, &[], FixDraft::instruction(FixTarget::Page, LINE, &[("line", line.into())])).fail()
}

/// Policies that browsers know (Referrer Policy §3), and the legacy words of the `meta` element (WHATWG HTML §4.2.5.1).
const POLICIES: [&str; 12] = [
    "no-referrer",
    "no-referrer-when-downgrade",
    "same-origin",
    "origin",
    "strict-origin",
    "origin-when-cross-origin",
    "strict-origin-when-cross-origin",
    "unsafe-url",
    "never",
    "default",
    "always",
    "origin-when-crossorigin",
];
/// How many of them a header may have too.
const IN_HEADERS: usize = 8;
/// Those that tell other sites the whole address.
const UNSAFE: [&str; 3] = ["unsafe-url", "no-referrer-when-downgrade", "always"];
const DEFAULT_POLICY: &str = "strict-origin-when-cross-origin";

/// Fails when the policy in force tells other sites whole addresses.
fn referrer_policy(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.measured_response()?;
    let html = facts.page()?;
    let known = |policies: &'static [&'static str], value: &str| {
        policies.iter().find(|known| value.trim().eq_ignore_ascii_case(known)).copied()
    };
    let of_meta = |meta: &Meta| known(&POLICIES, meta.content.as_deref()?);
    let metas = html.metas_named("referrer").filter(|meta| meta.in_head);
    let meta = metas.filter_map(|meta| Some((meta, of_meta(meta)?))).last();
    let values = exchange.headers_named("referrer-policy").flat_map(|value| value.split(','));
    let header = values.filter_map(|value| known(POLICIES.get(..IN_HEADERS)?, value)).last();
    let Some(policy) = meta.as_ref().map(|(_, policy)| *policy).or(header) else { return Err(NotMeasured::Absent) };
    if !UNSAFE.contains(&policy) {
        return PASS;
    }
    const TELLS: Text = text(
        "The referrer policy “{policy}” sends the page's full URL to other sites.",
        "A política de referrer “{policy}” envia a URL completa da página a outros sites.",
    );
    const STRICTER: Text = text("the browsers' default policy", "a política padrão dos navegadores");
    let values = [("policy", policy.into())];
    let element = meta.filter(|(meta, _)| meta.has_one_reader()).and_then(|(meta, _)| html.element(meta.node));
    let found = match element.filter(|element| element.start_tag().is_some()) {
        Some(element) => {
            let tag = format!("<meta name=\"referrer\" content=\"{DEFAULT_POLICY}\">");
            let fix = FixDraft::edit(FixTarget::Head, tag).from(STRICTER, &[]).set(element, "content", DEFAULT_POLICY);
            problem(TELLS, &values, fix).on([element])
        }
        None => {
            let line = format!("Referrer-Policy: {DEFAULT_POLICY}");
            let fix = FixDraft::instruction(FixTarget::Page, LINE, &[("line", line.into())]);
            let snippet = Some(format!("Referrer-Policy: {policy}"));
            problem(TELLS, &values, fix).at([Place { snippet, ..Place::default() }])
        }
    };
    found.fail()
}

/// Fails when a header tells a version.
fn server_version(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.successful_response()?;
    let tells = |(name, value): &&(String, String)| match name.as_str() {
        "server" | "x-powered-by" => value.split_ascii_whitespace().any(has_version),
        "x-aspnet-version" | "x-aspnetmvc-version" => value.bytes().any(|b| b.is_ascii_digit()),
        _ => false,
    };
    let found: Vec<String> =
        exchange.headers.iter().filter(tells).map(|(name, value)| format!("{}: {value}", spelled(name))).collect();
    if found.is_empty() {
        return PASS;
    }
    const TELLS: Text = text(
        "Response headers reveal software versions: {headers}.",
        "Os cabeçalhos da resposta revelam versões de software: {headers}.",
    );
    const OMIT: Text = text(
        "Remove the version numbers from these headers, or don't send them: {names}.",
        "Remova os números de versão destes cabeçalhos ou não os envie: {names}.",
    );
    let names: Vec<&str> = found.iter().filter_map(|line| line.split(':').next()).collect();
    let fix = FixDraft::instruction(FixTarget::Page, OMIT, &[("names", names.join(", ").into())]);
    let values = [("headers", found.join("; ").into())];
    let place = |line: &String| Place { snippet: Some(line.clone()), ..Place::default() };
    problem(TELLS, &values, fix).at(found.iter().map(place)).fail()
}

/// `name/1.2`: a product with a version of two numbers or more (RFC 9110 §10.1.5).
fn has_version(product: &str) -> bool {
    let Some((name, version)) = product.split_once('/') else { return false };
    let version = version.trim_start_matches(['v', 'V']);
    let mut numbers = version.split('.');
    let mut is_number = || numbers.next().is_some_and(|part| part.starts_with(|c: char| c.is_ascii_digit()));
    !name.is_empty() && is_number() && is_number()
}

/// The usual spelling of a header's name.
fn spelled(name: &str) -> &str {
    match name {
        "server" => "Server",
        "x-powered-by" => "X-Powered-By",
        "x-aspnet-version" => "X-AspNet-Version",
        _ => "X-AspNetMvc-Version",
    }
}
