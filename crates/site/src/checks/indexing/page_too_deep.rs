//! Pages that are many clicks away.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "page_too_deep",
    severity: Severity::Warn,
    title: text("Pages far from the home page", "Páginas longe da página inicial"),
    why: text(
        "Pages many clicks away get fewer visits, are crawled later and are considered less important.",
        "Páginas a muitos cliques recebem menos visitas, são rastreadas mais tarde e são consideradas menos importantes.",
    ),
    how: text(
        "Link to these pages from a page nearer to the home page, for example from a category or an overview.",
        "Crie links para essas páginas em uma página mais próxima da inicial, por exemplo em uma categoria ou um índice.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/links-crawlable",
    rule: text(
        "Fails when the shortest path of links from the first page to an indexable page has more than 4 clicks. Pages of a list after the first don't count.",
        "Falha quando o menor caminho de links da primeira página a uma página indexável tem mais de 4 cliques. Páginas de uma lista após a primeira não contam.",
    ),
    message: text(
        "{cases} {cases|page is|pages are} more than 4 clicks away from the home page.",
        "{cases} {cases|página está|páginas estão} a mais de 4 cliques da página inicial.",
    ),
    run,
};

/// Clicks that are well. Chosen, as the field does: three to four.
const MOST_CLICKS: u32 = 4;

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("{clicks} clicks: {way}", "{clicks} cliques: {way}");
    let mut cases = Vec::new();
    for (id, page, document) in site.documents() {
        let Some(clicks) = site.depth(id).filter(|clicks| *clicks > MOST_CLICKS) else { continue };
        if site.is_indexable(id) && document.list_page.is_none_or(|(number, _)| number < 2) {
            let way: Vec<String> = site.way_to(id).into_iter().map(|id| site.url(id)).collect();
            let values = [("clicks", clicks.into()), ("way", shown(&way).into())];
            cases.push(case_of(site.text(page.url), NOTE, &values, [id]));
        }
    }
    Ok(cases)
}

/// A way in its first and last pages.
fn shown(way: &[String]) -> String {
    /// Pages of each end.
    const EACH: usize = 3;
    match (way.get(..EACH), way.len().checked_sub(EACH).filter(|from| *from > EACH).and_then(|from| way.get(from..))) {
        (Some(first), Some(last)) => format!("{} → … → {}", first.join(" → "), last.join(" → ")),
        _ => way.join(" → "),
    }
}
