//! The doctype, and what its absence does.

use crate::check::prelude::*;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "doctype", category: Category::Head, landing: Landing::TO_WRITE, checks: &[MISSING] };

const MISSING: Check = Check {
    code: "doctype_missing",
    severity: Severity::Warn,
    title: text("Page in quirks mode", "Página em modo quirks"),
    why: text(
        "Without a current doctype, browsers lay the page out by the rules of the nineties, and differently from each other.",
        "Sem um doctype atual, os navegadores montam a página pelas regras dos anos noventa, cada um de um jeito.",
    ),
    how: text(
        "Make `<!DOCTYPE html>` the first line of the document.",
        "Faça de `<!DOCTYPE html>` a primeira linha do documento.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/syntax.html#the-doctype",
    rule: text("Fails when the parser ended in quirks mode. Limited quirks is not reported.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Page),
    since: FIRST,
    run: missing,
};

/// Fails when the parser ended in quirks mode. Limited quirks is not reported.
fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let document = &html.document;
    if !document.quirks {
        return PASS;
    }
    const DOCTYPE: &str = "<!DOCTYPE html>";
    const NONE: Text = text("The document has no doctype.", "O documento não tem doctype.");
    const OLD: Text = text(
        "The doctype “{doctype}” puts browsers into quirks mode.",
        "O doctype “{doctype}” põe os navegadores em modo quirks.",
    );
    let existing = document.doctype.clone().and_then(|span| Some((span.clone(), document.source().get(span)?)));
    let ready = FixDraft::edit(FixTarget::Page, DOCTYPE);
    let (message, values, ready) = match existing {
        Some((span, source)) => (OLD, vec![("doctype", source.into())], ready.replace(span, DOCTYPE)),
        None => (NONE, Vec::new(), ready.replace(0..0, format!("{DOCTYPE}\n"))),
    };
    let Some(table) = document.elements().find(|element| is_in_paragraph(*element)) else {
        return fail(message, &values, ready);
    };
    const MOVE: Text = text(
        "Take the table on line {line} out of its paragraph, which a doctype would end in front of it; then make `<!DOCTYPE html>` the first line.",
        "Tire a tabela da linha {line} do parágrafo, que um doctype encerraria antes dela; depois faça de `<!DOCTYPE html>` a primeira linha.",
    );
    let line = table.line().unwrap_or_default();
    fail(message, &values, FixDraft::instruction(FixTarget::Page, MOVE, &[("line", line.into())]))
}

/// Whether this is a table in a paragraph. Only in quirks mode a paragraph goes on around a table (WHATWG HTML
/// §13.2.6.4.7); else links that began in the paragraph end in front of the table too, and are left empty.
fn is_in_paragraph(table: Element<'_>) -> bool {
    table.is("table") && table.ancestors().take_while(|around| !around.is("table")).any(|around| around.is("p"))
}
