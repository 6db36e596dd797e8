//! Canonicals that name a page that is not there.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "canonical_to_error",
    severity: Severity::Error,
    title: text("Canonicals to missing pages", "Canônicas para páginas inexistentes"),
    why: text(
        "The page asks search engines to show another page instead, and that page doesn't exist.",
        "A página pede aos buscadores que mostrem outra em seu lugar, e essa outra não existe.",
    ),
    how: text(
        "Name a page that answers 200, in most cases the page itself.",
        "Indique uma página que responda 200, em geral a própria.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    rule: text(
        "Fails when a page's canonical is an address of the site that answers 4xx or 5xx. 401, 403, 408 and 429 don't count.",
        "Falha quando a canônica de uma página é um endereço do site que responde 4xx ou 5xx. 401, 403, 408 e 429 não contam.",
    ),
    message: text(
        "{pages} {pages|page names|pages name} a canonical that answers with an error.",
        "{pages} {pages|página indica|páginas indicam} uma canônica que responde com erro.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("Answers {status}.", "Responde {status}.");
    Ok(site.canonical_cases(|_, page| match page.answer {
        NodeAnswer::Error(status) if page.answer.is_gone() || page.answer.server_error().is_some() => {
            Some((NOTE, vec![("status", status.into())]))
        }
        _ => None,
    }))
}
