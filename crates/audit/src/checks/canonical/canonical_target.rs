//! Whether the page that the canonical names is there.

use crate::check::prelude::*;
use crate::facts::named_page::TargetFault;
use crate::facts::url_identity::{same_page, without_tracking};

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "canonical-target", category: Category::Canonical, landing: LANDING, checks: &[NOT_OK] };

const LANDING: Landing = Landing {
    title: text("Canonical target checker", "Verificador do destino da canônica"),
    h1: text("Does your canonical lead to a real page?", "Sua URL canônica leva a uma página de verdade?"),
    description: text(
        "Fetches the address that your canonical tag names and tells whether it answers 200, redirects, or is gone.",
        "Busca o endereço que a sua tag canônica nomeia e diz se ele responde 200, redireciona ou não existe mais.",
    ),
    lead: text(
        "A canonical hands the page's place in search over to another address. If that address redirects or is gone, search engines drop the hint, or the page.",
        "Uma canônica entrega o lugar da página na busca a outro endereço. Se esse endereço redireciona ou não existe, os buscadores descartam a indicação, ou a página.",
    ),
    example: include_str!("canonical_target/bad_gone.http"),
};

const NOT_OK: Check = Check {
    code: "canonical_target_not_ok",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("Canonical leads to no page", "A canônica não leva a uma página"),
    why: text(
        "The page gives up its place in search in favour of an address that is not there, or leads elsewhere.",
        "A página abre mão do seu lugar na busca em favor de um endereço que não existe ou leva a outro lugar.",
    ),
    how: text(
        "Let the canonical name the address that answers 200 itself, mostly the page's own.",
        "Faça a canônica nomear o endereço que responde 200 diretamente, em geral o da própria página.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    rule: text(
        "Fails when head and header name one canonical, it is another address of the page's origin, and a GET of it is answered with a redirect or with 4xx. 401, 403, 429, 5xx, a bot challenge and silence tell nothing: then it is not measured, as where the requests for additional files ran out.",
        "Falha quando o head e o cabeçalho nomeiam uma só canônica, ela é outro endereço da origem da página, e um GET dela recebe um redirecionamento ou 4xx. 401, 403, 429, 5xx, um desafio contra robôs e silêncio não dizem nada: então não é medido, como quando acabam as requisições para arquivos adicionais.",
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
    const GONE: Text = text("The canonical {canonical} answers {status}.", "A canônica {canonical} responde {status}.");
    const LEADS: Text = text(
        "The canonical {canonical} answers {status} and leads to {target}.",
        "A canônica {canonical} responde {status} e leva a {target}.",
    );
    const OWN: Text =
        text("the address that the canonical leads to: this page", "o endereço a que a canônica leva: esta página");
    const DECIDE: Text = text(
        "Name in the canonical an address that answers 200 itself: {page}, unless another page is meant.",
        "Nomeie na canônica um endereço que responda 200 diretamente: {page}, a menos que outra página seja a certa.",
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
