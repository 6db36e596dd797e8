//! Language versions that can not be indexed.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "hreflang_to_noncanonical",
    severity: Severity::Warn,
    title: text("hreflang to pages that can't be indexed", "hreflang para páginas que não podem ser indexadas"),
    why: text(
        "Search engines show only indexable pages, so this version is never offered to its readers.",
        "Os buscadores só mostram páginas indexáveis, e essa versão nunca é oferecida a seus leitores.",
    ),
    how: text(
        "List an address that answers 200, has no noindex, and is its own canonical.",
        "Liste um endereço que responda 200, não tenha noindex e seja a própria canônica.",
    ),
    reference: "https://developers.google.com/search/docs/specialty/international/localized-versions",
    rule: text(
        "Fails when a page lists as a language version an address of the site that redirects, answers 4xx, has noindex, is blocked by robots.txt, or whose canonical is another address.",
        "Falha quando uma página lista como versão de idioma um endereço do site que redireciona, responde 4xx, tem noindex, é bloqueado pelo robots.txt, ou cuja canônica é outro endereço.",
    ),
    message: text(
        "{pages} {pages|page lists|pages list} {cases} language {cases|version|versions} that can't be indexed.",
        "{pages} {pages|página lista|páginas listam} {cases} {cases|versão|versões} de idioma que não {cases|pode ser indexada|podem ser indexadas}.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const REDIRECTS: Text = text("Redirects to {target}.", "Redireciona para {target}.");
    const GONE: Text = text("Answers {status}.", "Responde {status}.");
    const BLOCKED: Text = text("Disallowed by robots.txt.", "Bloqueada pelo robots.txt.");
    const NOINDEX: Text = text("Has noindex.", "Tem noindex.");
    const ELSEWHERE: Text = text("Its canonical is {target}.", "A canônica dela é {target}.");
    let mut cases = Vec::new();
    for (target, places) in site.version_targets()? {
        let Some(node) = site.page(target) else { continue };
        let document = site.document(target);
        let canonical = document.and_then(|document| document.canonical).filter(|canonical| *canonical != node.url);
        let (note, status, leads) = match node.answer {
            NodeAnswer::Redirect(status, to) => (REDIRECTS, status, to),
            NodeAnswer::Error(status) if node.answer.is_gone() => (GONE, status, None),
            NodeAnswer::Blocked => (BLOCKED, 0, None),
            _ if document.is_some_and(|document| document.noindex) => (NOINDEX, 0, None),
            _ if canonical.is_some() => (ELSEWHERE, 0, canonical),
            _ => continue,
        };
        let leads = leads.map(|url| site.text(url)).unwrap_or_default();
        cases.push(case(site.url(target), note, &[("status", status.into()), ("target", leads.into())], places));
    }
    Ok(cases)
}
