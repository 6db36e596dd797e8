//! The meta description.

use crate::check::prelude::*;
use crate::facts::{derive, lost_head};
use crate::fix::HeadKey;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "meta-description", category: Category::Head, landing: Landing::TO_WRITE, checks: &[MISSING] };

const MISSING: Check = Check {
    code: "meta_description_missing",
    severity: Severity::Warn,
    title: text("No meta description", "Sem meta description"),
    why: text(
        "Search engines often show the description under the title. Without one they cut a passage out of the page, which may be a menu or a cookie notice.",
        "Os buscadores costumam mostrar a descrição sob o título. Sem ela, recortam um trecho da página, que pode ser um menu ou um aviso de cookies.",
    ),
    how: text(
        "Add `<meta name=\"description\">` to `<head>`: one or two sentences that say what this page offers.",
        "Adicione `<meta name=\"description\">` ao `<head>`: uma ou duas frases que digam o que esta página oferece.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/snippet",
    rule: text("Fails when no `meta name=description` in the head has content.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: missing,
};

/// Fails when no `meta name=description` in the head has content.
fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    let is_description = |name: Option<&str>| name.is_some_and(|name| name.trim().eq_ignore_ascii_case("description"));
    let in_head: Vec<_> = html.metas_named("description").filter(|meta| meta.in_head).collect();
    let filled = in_head.iter().any(|meta| meta.content.as_deref().is_some_and(|content| !content.is_empty()));
    if filled || lost_head::lost(html, |element| element.is("meta") && is_description(element.attribute("name"))) {
        return PASS;
    }
    if facts.shell().is_some() {
        return Err(NotMeasured::Shell);
    }
    const NONE: Text = text("The head has no description.", "O cabeçalho não tem descrição.");
    const EMPTY: Text = text("The description is empty.", "A descrição está vazia.");
    let message = if in_head.is_empty() { NONE } else { EMPTY };
    let blank = in_head
        .iter()
        .find(|meta| meta.has_one_reader())
        .and_then(|meta| html.element(meta.node))
        .filter(|meta| meta.start_tag().is_some());
    let Some(derived) = derive::description(html) else {
        let template = FixDraft::template(FixTarget::Head, "<meta name=\"description\" content=\"{{DESCRIPTION}}\">");
        return fail(message, &[], template);
    };
    let tag = format!("<meta name=\"description\" content=\"{}\">", attribute(&derived.value));
    let fix = match blank {
        Some(meta) => FixDraft::edit(FixTarget::Head, tag).set(meta, "content", &derived.value),
        None => FixDraft::head(HeadKey::Name("description".to_owned()), tag),
    };
    Ok(Some(problem(message, &[], fix.from(derived.origin, &[])).at(blank.map(Element::place))))
}
