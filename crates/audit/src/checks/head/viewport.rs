//! The viewport: how a phone lays the page out.

use crate::check::prelude::*;
use crate::facts::lost_head;
use crate::fix::HeadKey;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "viewport", category: Category::Head, landing: Landing::TO_WRITE, checks: &[MISSING] };

const MISSING: Check = Check {
    code: "viewport_missing",
    severity: Severity::Error,
    title: text("No viewport for phones", "Sem viewport para celulares"),
    why: text(
        "Without it, phones lay the page out 980 pixels wide and shrink it: text can't be read without zooming. Search indexes pages as phones see them.",
        "Sem ele, os celulares montam a página com 980 pixels de largura e a encolhem: não se lê o texto sem zoom. A busca indexa as páginas como os celulares as veem.",
    ),
    how: text(
        "Add `<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">` to `<head>`.",
        "Adicione `<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">` ao `<head>`.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/mobile/mobile-sites-mobile-first-indexing",
    rule: text(
        "Fails when no `meta name=viewport` has content. One in the body works too; browsers read it anywhere.",
        "",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: missing,
};

const CONTENT: &str = "width=device-width, initial-scale=1";

/// Fails when no `meta name=viewport` has content. One in the body works too; browsers read it anywhere.
fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    if html.meta("viewport").is_some() || lost_head::lost(html, |element| element.attribute("name") == Some("viewport"))
    {
        return PASS;
    }
    let tag = format!("<meta name=\"viewport\" content=\"{CONTENT}\">");
    // An empty one in the body stays: filled, it would be metadata outside the head.
    let blank = html
        .metas_named("viewport")
        .filter(|meta| meta.in_head && meta.has_one_reader())
        .find_map(|meta| html.element(meta.node).filter(|e| e.start_tag().is_some()));
    let fix = match blank {
        Some(meta) => FixDraft::edit(FixTarget::Head, tag).set(meta, "content", CONTENT),
        None => FixDraft::head(HeadKey::Viewport, tag),
    };
    const NONE: Text = text("The page declares no viewport.", "A página não declara viewport.");
    Ok(Some(problem(NONE, &[], fix).at(blank.map(Element::place))))
}
