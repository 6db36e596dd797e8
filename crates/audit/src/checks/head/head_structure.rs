//! A head that ends before its metadata does.

use std::collections::BTreeSet;

use crate::check::prelude::*;
use crate::facts::lost_head;
use crate::fix::HeadKey;

/// The family.
pub(crate) const FAMILY: Family = Family { slug: "head-structure", category: Category::Head, checks: &[BROKEN] };

const BROKEN: Check = Check {
    code: "head_broken_by_element",
    severity: Severity::Error,
    title: text("An element breaks the head", "Um elemento quebra o cabeçalho"),
    why: text(
        "`<head>` may hold only metadata. At the first other element the parser closes it, and what follows lands in the body, where search engines ignore it.",
        "`<head>` só pode conter metadados. No primeiro outro elemento o leitor o fecha, e o que vem depois cai no corpo, onde os buscadores o ignoram.",
    ),
    how: text(
        "Move the offending element into `<body>`, or put all metadata in front of it.",
        "Mova o elemento culpado para dentro de `<body>`, ou coloque todos os metadados antes dele.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/valid-page-metadata",
    run: broken,
};

/// Fails when a non-metadata element closes the head early and metadata lands in the body.
fn broken(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let Some(broken) = &html.lost_head else { return PASS };
    let Some(offender) = html.element(broken.offender) else { return PASS };
    let lost: Vec<Element<'_>> = html.elements(&broken.lost).collect();
    let source = html.document.source();
    let mut fix = FixDraft::edit(FixTarget::Head, "");
    let mut snippet = Vec::new();
    let head = html.document.head();
    let in_head =
        head.iter().flat_map(|head| head.descendants()).filter(|element| lost_head::is_page_metadata(*element));
    let kept: BTreeSet<HeadKey> = in_head.map(key).collect();
    let filled: BTreeSet<HeadKey> = lost.iter().copied().filter(|e| lost_head::says_something(*e)).map(key).collect();
    for element in &lost {
        let Some(tag) = element.source_span().and_then(|span| source.get(span)) else { continue };
        snippet.push(tag.to_owned());
        fix = fix.remove(*element);
        // Of several of a kind one goes into the head: not an empty one, where another says something.
        let is_outdone = !lost_head::says_something(*element) && filled.contains(&key(*element));
        if !kept.contains(&key(*element)) && !is_outdone {
            fix = fix.with_head(key(*element), tag);
        }
    }
    fix.snippet = Some(snippet.join("\n"));
    const CLOSES: Text = text(
        "<{offender}> on line {line} closes the head; {count} metadata {count|element|elements} after it {count|lands|land} in the body.",
        "<{offender}> na linha {line} fecha o cabeçalho; {count} {count|elemento|elementos} de metadados depois dele {count|cai|caem} no corpo.",
    );
    let values = [
        ("offender", offender.name().into()),
        ("line", offender.line().unwrap_or_default().into()),
        ("count", lost.len().into()),
    ];
    let places = std::iter::once(offender.place()).chain(lost.iter().map(|element| element.place()));
    // A title without an end takes in all that follows: moved as it is, it would take in the rest of the head.
    if let Some(open) = lost.iter().find(|element| element.is("title") && element.end_tag().is_none()) {
        const CLOSE: Text = text(
            "Close the <title> on line {line}; then put the metadata into the head, before <{offender}>.",
            "Feche o <title> da linha {line}; depois ponha os metadados no cabeçalho, antes de <{offender}>.",
        );
        let values = [("line", open.line().unwrap_or_default().into()), ("offender", offender.name().into())];
        fix = FixDraft::instruction(FixTarget::Head, CLOSE, &values);
    }
    Ok(Some(problem(CLOSES, &values, fix).at(places)))
}

fn key(element: Element<'_>) -> HeadKey {
    let name = || element.attribute("name").unwrap_or_default().trim().to_ascii_lowercase();
    match element.name() {
        "title" => HeadKey::Title,
        "meta" if name() == "viewport" => HeadKey::Viewport,
        "meta" => HeadKey::Name(name()),
        _ if element.has_token("rel", "canonical") => HeadKey::Canonical,
        _ => HeadKey::Hreflang(element.attribute("hreflang").unwrap_or_default().to_ascii_lowercase()),
    }
}
