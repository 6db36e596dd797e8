//! Content-Security-Policy: there, and of use against injected scripts.

use std::collections::BTreeSet;

use crate::check::prelude::*;
use crate::facts::csp::{self, Policy, Weakness};
use crate::facts::page::Html;
use crate::facts::plain_address::is_data;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "content-security-policy",
    category: Category::Security,
    landing: LANDING,
    checks: &[MISSING, WEAK],
};

const LANDING: Landing = Landing {
    title: text("Content-Security-Policy checker", "Verificador de Content-Security-Policy"),
    h1: text("Does your CSP stop injected scripts?", "Sua CSP impede scripts injetados?"),
    description: text(
        "Check whether the Content-Security-Policy of a page lets injected scripts run, and get a policy to start from.",
        "Confira se a Content-Security-Policy de uma página deixa scripts injetados rodarem e receba uma política inicial.",
    ),
    lead: text(
        "A content security policy is a second line of defense: if an attacker manages to inject markup into the page, it stops the injected script from running. It has no effect on search.",
        "A política de segurança de conteúdo é uma segunda linha de defesa: se alguém conseguir injetar marcação na página, ela impede o script injetado de rodar. Não afeta a busca.",
    ),
    example: include_str!("content_security_policy/bad_inline.http"),
};

const STANDARD: &str = "https://www.w3.org/TR/CSP3/";

const MISSING: Check = Check {
    code: "csp_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("No Content-Security-Policy", "Sem Content-Security-Policy"),
    why: text(
        "Without a policy, nothing stops a script that an attacker injects through a flaw in the site.",
        "Sem uma política, nada impede um script que alguém injete por uma falha do site.",
    ),
    how: text(
        "Start with `Content-Security-Policy-Report-Only`, read the reports, then enforce the policy.",
        "Comece com `Content-Security-Policy-Report-Only`, leia os relatórios e depois aplique a política.",
    ),
    reference: STANDARD,
    rule: text(
        "Fails when neither a `Content-Security-Policy` header nor a `meta` of that kind in the head sets a policy. A report-only policy doesn't count. Not measured for uploaded HTML, whose headers are unknown.",
        "Falha quando nem um cabeçalho `Content-Security-Policy` nem um `meta` desse tipo no head define uma política. Uma política que só gera relatórios não conta. Não é medido em HTML enviado pelo usuário, cujos cabeçalhos são desconhecidos.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: missing,
};

const WEAK: Check = Check {
    code: "csp_weak",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Content-Security-Policy allows injected scripts", "Content-Security-Policy permite scripts injetados"),
    why: text(
        "With this policy an injected script runs as if there were no policy. The policy may still help in other ways, for example against framing.",
        "Com esta política, um script injetado roda como se não houvesse política. Ela ainda pode ajudar de outras formas, por exemplo contra a exibição em frames.",
    ),
    how: text(
        "Replace `'unsafe-inline'` with a nonce or hash for each inline script, and replace `*` and `https:` with host names.",
        "Troque `'unsafe-inline'` por um nonce ou hash em cada script embutido, e `*` e `https:` por nomes de hosts.",
    ),
    reference: "https://www.w3.org/TR/CSP3/#csp-directives",
    rule: text(
        "Fails when policies are enforced and every one of them lets injected scripts run. A policy does so when it has neither `script-src` nor `default-src`; when it has `'unsafe-inline'` without nonce, hash or `'strict-dynamic'`; or when it has `*`, `http:`, `https:` or `data:` without `'strict-dynamic'`. All policies apply at once, so one strong policy passes. Styles, images and `'unsafe-eval'` are not judged.",
        "Falha quando há políticas aplicadas e todas elas deixam scripts injetados rodarem. É o caso de uma política sem `script-src` nem `default-src`; com `'unsafe-inline'` sem nonce, hash ou `'strict-dynamic'`; ou com `*`, `http:`, `https:` ou `data:` sem `'strict-dynamic'`. Todas as políticas valem ao mesmo tempo, então uma forte basta. Estilos, imagens e `'unsafe-eval'` não são avaliados.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: weak,
};

/// Elements that are looked at for the origins of a first policy.
const MOST_LOOKED_AT: usize = 1_000;
/// Origins that a directive of a first policy names.
const MOST_ORIGINS: usize = 10;

/// Fails when no policy is enforced.
fn missing(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.measured_response()?;
    let html = facts.page()?;
    if !csp::read(Some(html), exchange).is_empty() {
        return PASS;
    }
    facts.whole_page()?;
    const NONE: Text =
        text("The response has no Content-Security-Policy.", "A resposta não tem Content-Security-Policy.");
    const START: Text = text(
        "Start with this report-only policy, based on what the page loads: {line}",
        "Comece com esta política, que só gera relatórios, baseada no que a página carrega: {line}",
    );
    let fix = FixDraft::instruction(FixTarget::Page, START, &[("line", starter(html).into())]);
    problem(NONE, &[], fix).fail()
}

/// A policy that reports what this page does not do today.
fn starter(html: &Html) -> String {
    let mut out = String::from("Content-Security-Policy-Report-Only: default-src 'self'");
    for (directive, names, attribute) in [
        ("script-src", &["script"][..], "src"),
        ("style-src", &["link"], "href"),
        ("img-src", &["img"], "src"),
        ("frame-src", &["iframe"], "src"),
        ("form-action", &["form"], "action"),
    ] {
        let origins = origins(html, names, attribute);
        // What `default-src` does not stand in for must be said anyway (CSP3 §6.4.1).
        if !origins.is_empty() || directive == "form-action" {
            out.push_str(&format!("; {directive} 'self'"));
            origins.iter().for_each(|origin| out.push_str(&format!(" {origin}")));
        }
    }
    out + "; object-src 'none'; base-uri 'self'"
}

/// The foreign https origins that elements of these names ask.
fn origins(html: &Html, names: &[&str], attribute: &str) -> BTreeSet<String> {
    let sheets = html.links_rel("stylesheet").filter_map(|link| html.element(link.node));
    let own = html.url.origin();
    let own_name = own.ascii_serialization();
    let origin = |address: &str| match html.plain_target(address) {
        Some(target) => {
            let name = target.is_https.then(|| format!("https://{}", target.host));
            name.filter(|name| *name != own_name)
        }
        None if is_data(address) => None,
        None => {
            let url = html.resolve(address).filter(|url| url.scheme() == "https")?;
            Some(url.origin()).filter(|origin| *origin != own).map(|origin| origin.ascii_serialization())
        }
    };
    html.elements(&html.addressed)
        .chain(sheets)
        .take(MOST_LOOKED_AT)
        .filter(|element| names.iter().any(|name| element.is(name)))
        .filter_map(|element| origin(element.attribute(attribute)?))
        .take(MOST_ORIGINS)
        .collect()
}

/// Fails when every policy lets injected scripts run.
fn weak(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.measured_response()?;
    let html = facts.page()?;
    let policies = csp::read(Some(html), exchange);
    if policies.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let weak: Option<Vec<(&Policy, Weakness)>> =
        policies.iter().map(|policy| Some((policy, policy.weakness()?))).collect();
    let Some((_, weakness)) = weak.as_ref().and_then(|weak| weak.first()) else { return PASS };
    const NO_LIMIT: Text = text(
        "The Content-Security-Policy doesn't restrict scripts: it has neither script-src nor default-src.",
        "A Content-Security-Policy não restringe scripts: não tem script-src nem default-src.",
    );
    const INLINE: Text = text(
        "The Content-Security-Policy allows every inline script: 'unsafe-inline' without nonce or hash.",
        "A Content-Security-Policy permite qualquer script embutido: 'unsafe-inline' sem nonce nem hash.",
    );
    const ANY_HOST: Text = text(
        "The Content-Security-Policy allows scripts from any host.",
        "A Content-Security-Policy permite scripts de qualquer host.",
    );
    const NONCES: Text = text(
        "Send script-src 'nonce-{{RANDOM}}' 'strict-dynamic'; object-src 'none'; base-uri 'none'. Use a new nonce in each response, and put it on each script tag.",
        "Envie script-src 'nonce-{{RANDOM}}' 'strict-dynamic'; object-src 'none'; base-uri 'none'. Use um nonce novo em cada resposta e coloque-o em cada tag de script.",
    );
    let message = match weakness {
        Weakness::NoLimit => NO_LIMIT,
        Weakness::Inline => INLINE,
        Weakness::AnyHost => ANY_HOST,
    };
    let place = |policy: &Policy| match policy.node.and_then(|node| html.element(node)) {
        Some(meta) => meta.place(),
        None => Place { snippet: Some(format!("Content-Security-Policy: {}", policy.raw)), ..Place::default() },
    };
    let fix = FixDraft::instruction(FixTarget::Page, NONCES, &[]);
    problem(message, &[], fix).at(policies.iter().map(place)).fail()
}
