//! Whether the page that the canonical names is there.

use crate::check::prelude::*;
use crate::facts::named_page::TargetFault;
use crate::facts::url_identity::{same_page, without_tracking};

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "canonical-target", category: Category::Canonical, landing: LANDING, checks: &[NOT_OK] };

const LANDING: Landing = Landing {
    title: text("Canonical target checker", "Verificador do destino da canônica"),
    h1: text("Does your canonical lead to a real page?", "Sua canônica leva a uma página de verdade?"),
    description: text(
        "Fetches the URL that your canonical points to, and checks whether it answers 200, redirects, or is gone.",
        "Busca a URL para a qual a sua canônica aponta e verifica se ela responde 200, redireciona ou não existe mais.",
    ),
    lead: text(
        "A canonical passes the page's place in search results on to another URL. If that URL redirects or is gone, search engines ignore the canonical or drop the page.",
        "Uma canônica passa o lugar da página nos resultados de busca a outra URL. Se essa URL redireciona ou não existe, os buscadores ignoram a canônica ou descartam a página.",
    ),
    example: include_str!("canonical_target/bad_gone.http"),
};

const NOT_OK: Check = Check {
    code: "canonical_target_not_ok",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("Canonical URL redirects or is missing", "URL canônica redireciona ou não existe"),
    why: text(
        "The page gives up its place in search results for a URL that doesn't exist or leads elsewhere.",
        "A página abre mão do lugar nos resultados de busca por uma URL que não existe ou leva a outro lugar.",
    ),
    how: text(
        "Point the canonical to a URL that answers 200, in most cases the page's own.",
        "Aponte a canônica para uma URL que responda 200, em geral a da própria página.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    rule: text(
        "Fails when the page's single canonical is another URL of the same origin and answers with a redirect or 4xx. Not measured when it answers 401, 403, 429, 5xx or a bot challenge, when it times out, or when the audit's limit of additional requests is reached.",
        "Falha quando a única canônica da página é outra URL da mesma origem e responde com um redirecionamento ou 4xx. Não é medido quando ela responde 401, 403, 429, 5xx ou um desafio contra robôs, quando o tempo se esgota, ou quando a auditoria atinge o limite de requisições adicionais.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: not_ok,
};

/// Fails when a GET of the one canonical, another address of this origin, gets a redirect or 4xx.
fn not_ok(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let Some((url, fault)) = facts.canonical_target_fault()? else { return PASS };
    const GONE: Text =
        text("The canonical URL {canonical} answers {status}.", "A URL canônica {canonical} responde {status}.");
    const LEADS: Text = text(
        "The canonical URL {canonical} answers {status} and redirects to {target}.",
        "A URL canônica {canonical} responde {status} e redireciona para {target}.",
    );
    const OWN: Text = text(
        "the URL that the canonical redirects to, which is this page",
        "a URL para a qual a canônica redireciona, que é esta página",
    );
    const DECIDE: Text = text(
        "Point the canonical to a URL that answers 200: {page}, unless another page is the original.",
        "Aponte a canônica para uma URL que responda 200: {page}, a menos que outra página seja a original.",
    );
    let page = facts.url()?;
    let elements: Vec<Element<'_>> = html.links_rel("canonical").filter_map(|link| html.element(link.node)).collect();
    let by_header = facts.canonical_header().map(|(_, raw)| raw);
    let (message, status, target) = match fault {
        TargetFault::Redirect(status, target) => (LEADS, status, target),
        TargetFault::Status(status) => (GONE, status, String::new()),
        TargetFault::NoIndex | TargetFault::NoReturn => return PASS,
    };
    let leads_here = url::Url::parse(&target).is_ok_and(|target| same_page(&target, page));
    let fix = match elements.as_slice() {
        [tag] if leads_here && by_header.is_none() && tag.start_tag().is_some() => {
            let own = without_tracking(page);
            let snippet = format!("<link rel=\"canonical\" href=\"{}\">", attribute(own.as_str()));
            FixDraft::edit(FixTarget::Head, snippet).from(OWN, &[]).set(*tag, "href", own.as_str())
        }
        _ => FixDraft::instruction(FixTarget::Head, DECIDE, &[("page", page.as_str().into())]),
    };
    let values = [("canonical", url.as_str().into()), ("status", status.into()), ("target", target.into())];
    let header = by_header.map(|raw| Place { snippet: Some(format!("Link: {raw}")), ..Place::default() });
    problem(message, &values, fix).on(&elements).at(header).fail()
}
