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
    h1: text("Which security headers does your page lack?", "Que cabeçalhos de segurança faltam na sua página?"),
    description: text(
        "Reads nosniff, frame protection, Referrer-Policy and version banners of a page, with the line to send for each.",
        "Lê nosniff, proteção contra quadros, Referrer-Policy e versões expostas de uma página, com a linha a enviar.",
    ),
    lead: text(
        "A few response headers take away whole classes of attacks at no cost. None of them moves a page in search, so each is told as advice.",
        "Alguns cabeçalhos de resposta eliminam classes inteiras de ataques sem custo. Nenhum muda a posição na busca, por isso cada um é dado como conselho.",
    ),
    example: include_str!("security_headers/bad_bare.http"),
};

const CONTENT_TYPE_OPTIONS: Check = Check {
    code: "content_type_options_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Browsers may guess the type of files", "Navegadores podem adivinhar o tipo dos arquivos"),
    why: text(
        "Without nosniff a browser may run a file as a script that was sent as something else, such as an upload.",
        "Sem nosniff, um navegador pode executar como script um arquivo enviado como outra coisa, por exemplo um upload.",
    ),
    how: text("Send `X-Content-Type-Options: nosniff`.", "Envie `X-Content-Type-Options: nosniff`."),
    reference: "https://fetch.spec.whatwg.org/#x-content-type-options-header",
    rule: text(
        "Fails when the final response has no `X-Content-Type-Options` whose first value is `nosniff`, in any case.",
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
    title: text("Any site may frame the page", "Qualquer site pode exibir a página em um quadro"),
    why: text(
        "A foreign page can lay this one invisibly under its own buttons, so that a click means something else here.",
        "Uma página alheia pode colocar esta, invisível, sob os próprios botões, e um clique passa a significar outra coisa aqui.",
    ),
    how: text(
        "Send `Content-Security-Policy: frame-ancestors 'self'`, unless others are meant to embed the page.",
        "Envie `Content-Security-Policy: frame-ancestors 'self'`, a menos que outros devam incorporar a página.",
    ),
    reference: "https://www.w3.org/TR/CSP3/#directive-frame-ancestors",
    rule: text(
        "Fails when the final response has neither `frame-ancestors` in an enforced policy of a header (browsers pass over it in a `meta`) nor `X-Frame-Options` with `DENY` or `SAMEORIGIN`; `ALLOW-FROM` no longer works.",
        "Falha quando a resposta final não tem `frame-ancestors` em uma política aplicada por cabeçalho (os navegadores o ignoram em um `meta`) nem `X-Frame-Options` com `DENY` ou `SAMEORIGIN`; `ALLOW-FROM` não funciona mais.",
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
    title: text("Full addresses are told to other sites", "Endereços completos são contados a outros sites"),
    why: text(
        "Path and query go along with each link and each file from elsewhere: search terms, names, sometimes tokens. The default of browsers tells less.",
        "Caminho e parâmetros vão junto com cada link e cada arquivo externo: termos de busca, nomes, às vezes tokens. O padrão dos navegadores revela menos.",
    ),
    how: text(
        "Use `strict-origin-when-cross-origin`, the default of browsers, or leave the policy out.",
        "Use `strict-origin-when-cross-origin`, o padrão dos navegadores, ou remova a política.",
    ),
    reference: "https://www.w3.org/TR/referrer-policy/#referrer-policy-unsafe-url",
    rule: text(
        "Fails when the policy in force is `unsafe-url` or `no-referrer-when-downgrade` (in a `meta` also `always`). In force is the last `meta name=referrer` of the head with a known policy, else the last known policy of the header. No policy is fine; policies of single elements are not judged.",
        "Falha quando a política em vigor é `unsafe-url` ou `no-referrer-when-downgrade` (em um `meta`, também `always`). Em vigor está o último `meta name=referrer` do head com uma política conhecida, senão a última política conhecida do cabeçalho. Sem política está certo; políticas de elementos isolados não são avaliadas.",
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
    title: text("Response tells the versions of its software", "A resposta revela as versões do software"),
    why: text(
        "Who scans for a version with a known hole finds this server at once. Nobody else needs the number.",
        "Quem procura uma versão com falha conhecida encontra este servidor na hora. Ninguém mais precisa do número.",
    ),
    how: text(
        "Leave the version out: `server_tokens off` (nginx), `ServerTokens Prod` (Apache), `expose_php = Off` (PHP).",
        "Omita a versão: `server_tokens off` (nginx), `ServerTokens Prod` (Apache), `expose_php = Off` (PHP).",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc9110#section-10.2.4",
    rule: text(
        "Fails when `Server` or `X-Powered-By` of the final response has a product with a version of two numbers or more (`nginx/1.18`), or when `X-AspNet-Version` or `X-AspNetMvc-Version` has a digit. A bare product name passes.",
        "Falha quando `Server` ou `X-Powered-By` da resposta final traz um produto com uma versão de dois números ou mais (`nginx/1.18`), ou quando `X-AspNet-Version` ou `X-AspNetMvc-Version` tem um dígito. Só o nome do produto passa.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: server_version,
};

const LINE: Text = text("Send: {line}", "Envie: {line}");

/// Fails without `nosniff`.
fn content_type_options(facts: &Facts<'_>) -> Verdict {
    let value = facts.successful_response()?.header("x-content-type-options").unwrap_or_default();
    if value.split(',').next().is_some_and(|first| first.trim().eq_ignore_ascii_case("nosniff")) {
        return PASS;
    }
    const NONE: Text = text(
        "The response has no X-Content-Type-Options: nosniff.",
        "A resposta não tem X-Content-Type-Options: nosniff.",
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
        "The response has neither frame-ancestors nor a valid X-Frame-Options.",
        "A resposta não tem frame-ancestors nem um X-Frame-Options válido.",
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
        "The referrer policy “{policy}” tells other sites the whole address of the page.",
        "A política de referrer “{policy}” conta a outros sites o endereço completo da página.",
    );
    const STRICTER: Text = text("the default of browsers", "o padrão dos navegadores");
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
    const TELLS: Text = text("The response tells versions: {headers}.", "A resposta revela versões: {headers}.");
    const OMIT: Text = text(
        "Send these headers without numbers, or not at all: {names}.",
        "Envie estes cabeçalhos sem números, ou não os envie: {names}.",
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
