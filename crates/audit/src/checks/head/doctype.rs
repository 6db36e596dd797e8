//! The doctype, and what its absence does.

use crate::check::prelude::*;

/// The family.
pub(crate) const FAMILY: Family = Family { slug: "doctype", category: Category::Head, checks: &[MISSING] };

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
    let fix = FixDraft::edit(FixTarget::Page, DOCTYPE);
    match existing {
        Some((span, source)) => fail(OLD, &[("doctype", source.into())], fix.replace(span, DOCTYPE)),
        None => fail(NONE, &[], fix.replace(0..0, format!("{DOCTYPE}\n"))),
    }
}
