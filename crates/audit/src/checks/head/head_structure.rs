//! A head that ends before its metadata does.

use std::collections::BTreeSet;

use crate::check::prelude::*;
use crate::facts::lost_head;
use crate::facts::page::Html;
use crate::fix::HeadKey;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "head-structure", category: Category::Head, landing: Landing::TO_WRITE, checks: &[BROKEN] };

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
    rule: text("Fails when a non-metadata element closes the head early and metadata lands in the body.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: broken,
};

/// Fails when a non-metadata element closes the head early and metadata lands in the body.
fn broken(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let Some(broken) = &html.lost_head else { return PASS };
    let Some(offender) = html.element(broken.offender) else { return PASS };
    let lost: Vec<Element<'_>> = html.elements(&broken.lost).collect();
    let fix = rivalry(html, &lost, offender).unwrap_or_else(|| moved(html, &lost));
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
    Ok(Some(problem(CLOSES, &values, fix).at(places)))
}

/// The lost metadata, taken out of the body and put into the head.
fn moved(html: &Html, lost: &[Element<'_>]) -> FixDraft {
    let source = html.document.source();
    let mut fix = FixDraft::edit(FixTarget::Head, "");
    let mut snippet = Vec::new();
    for element in lost {
        let Some(tag) = element.source_span().and_then(|span| source.get(span)) else { continue };
        snippet.push(tag);
        fix = fix.remove(*element).with_head(key(*element), tag);
    }
    fix.snippet = Some(snippet.join("\n"));
    fix
}

/// What to decide where several of a kind would come together in the head.
fn rivalry(html: &Html, lost: &[Element<'_>], offender: Element<'_>) -> Option<FixDraft> {
    let in_head = html.document.head().into_iter().flat_map(|head| head.descendants());
    let mut keys: BTreeSet<HeadKey> = in_head.filter(|e| lost_head::is_page_metadata(*e)).map(key).collect();
    let second = lost.iter().find(|element| !keys.insert(key(**element)))?;
    const SECOND: Text = text(
        "Put the metadata into the head, before <{offender}>. The <{name}> on line {line} is the second of its kind: decide which one holds.",
        "Ponha os metadados no cabeçalho, antes de <{offender}>. O <{name}> da linha {line} é o segundo do seu tipo: decida qual vale.",
    );
    let values = [
        ("offender", offender.name().into()),
        ("name", second.name().into()),
        ("line", second.line().unwrap_or_default().into()),
    ];
    Some(FixDraft::instruction(FixTarget::Head, SECOND, &values))
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
