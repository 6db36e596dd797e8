//! One @id for different things.

use std::cmp::Reverse;

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "entity_id_conflict",
    severity: Severity::Warn,
    title: text("One @id for different entities", "Um @id para entidades diferentes"),
    why: text(
        "An @id identifies one entity. Search engines merge what pages say about it, so two entities are mixed up.",
        "Um @id identifica uma só entidade. Os buscadores juntam o que as páginas dizem sobre ela e misturam duas.",
    ),
    how: text(
        "Give each entity an @id of its own, and describe it the same way everywhere.",
        "Dê a cada entidade um @id próprio e descreva-a da mesma forma em toda parte.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/structured-data/sd-policies",
    rule: text(
        "Fails when pages give one @id different types or names.",
        "Falha quando páginas dão a um mesmo @id tipos ou nomes diferentes.",
    ),
    message: text(
        "{cases} {cases|@id identifies|@ids identify} different entities on {pages} {pages|page|pages}.",
        "{cases} {cases|@id identifica|@ids identificam} entidades diferentes em {pages} {pages|página|páginas}.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text =
        text("Pages describe it as {one} and as {other}.", "As páginas o descrevem como {one} e como {other}.");
    if site.entities.is_empty() {
        return Err(Unmeasured::Absent);
    }
    let mut cases = Vec::new();
    for (id, forms) in &site.entities {
        let Some(((kind, name), _)) = forms.iter().max_by_key(|(form, pages)| (pages.len(), Reverse(*form))) else {
            continue;
        };
        let differs = |(other_kind, other_name): &(String, String)| {
            other_kind != kind || !other_name.is_empty() && !name.is_empty() && other_name != name
        };
        let others: Vec<_> = forms.iter().filter(|(form, _)| differs(form)).collect();
        let Some((other, _)) = others.first() else { continue };
        let mut pages: Vec<PageId> = others.iter().flat_map(|(_, pages)| pages.iter().copied()).collect();
        pages.sort_unstable();
        pages.dedup();
        let shown = |(kind, name): (&String, &String)| format!("{kind} “{name}”");
        let values = [("one", shown((kind, name)).into()), ("other", shown((&other.0, &other.1)).into())];
        cases.push(case_of(id, NOTE, &values, pages));
    }
    Ok(cases)
}
