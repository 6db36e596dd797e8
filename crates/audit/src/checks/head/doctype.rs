//! The doctype, and what its absence does.

use std::ops::Range;

use crate::check::prelude::*;
use crate::facts::document::collapse;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "doctype", category: Category::Head, landing: LANDING, checks: &[MISSING, LEGACY] };

const LANDING: Landing = Landing {
    title: text("Doctype and quirks mode checker", "Verificador de doctype e modo quirks"),
    h1: text("Is your page in quirks mode?", "Sua página está em modo quirks?"),
    description: text(
        "Check the doctype of a page and whether browsers lay it out by today's rules or imitate the browsers of the nineties.",
        "Verifique o doctype de uma página e se os navegadores a montam pelas regras de hoje ou imitam os navegadores dos anos noventa.",
    ),
    lead: text(
        "The first line of a document decides by which rules browsers lay it out. This tool reads it as the HTML standard says and gives you the line to put in its place.",
        "A primeira linha de um documento decide por quais regras os navegadores o montam. Esta ferramenta a lê como o padrão HTML manda e dá a linha para pôr no lugar.",
    ),
    example: include_str!("doctype/bad_old.html"),
};

const MISSING: Check = Check {
    code: "doctype_missing",
    severity: Severity::Warn,
    impact: Impact::Rendering,
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
    rule: text(
        "Fails when the parser ends in quirks mode by the HTML standard: there is no doctype before the first element or text, or one of the old kinds that the standard lists. A doctype that comes later is ignored, and the message names its line. Limited quirks mode is not reported here; `doctype_legacy` tells of the doctypes that cause it.",
        "Falha quando o leitor termina em modo quirks pelo padrão HTML: não há doctype antes do primeiro elemento ou texto, ou há um dos tipos antigos que o padrão lista. Um doctype que vem depois é ignorado, e a mensagem diz a linha dele. O modo quirks limitado não é apontado aqui; `doctype_legacy` fala dos doctypes que o causam.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Page),
    since: FIRST,
    run: missing,
};

const LEGACY: Check = Check {
    code: "doctype_legacy",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Doctype of an older HTML", "Doctype de um HTML antigo"),
    why: text(
        "A doctype of HTML 4 or XHTML 1 does not choose a version: browsers read the page as HTML all the same, and with some of them in limited quirks mode, where images in table cells sit differently.",
        "Um doctype de HTML 4 ou XHTML 1 não escolhe uma versão: os navegadores leem a página como HTML do mesmo jeito, e com alguns deles em modo quirks limitado, em que imagens dentro de células de tabela ficam em outra posição.",
    ),
    how: text(
        "Put `<!DOCTYPE html>` in its place, and look at tables that hold pictures.",
        "Coloque `<!DOCTYPE html>` no lugar e confira as tabelas que contêm imagens.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/syntax.html#the-doctype",
    rule: text(
        "Fails when a doctype that does not bring quirks mode has a public or system identifier; `SYSTEM \"about:legacy-compat\"` is allowed by the standard and passes. Not applicable where there is no doctype or it brings quirks mode, which is `doctype_missing`.",
        "Falha quando um doctype que não leva ao modo quirks tem um identificador público ou de sistema; `SYSTEM \"about:legacy-compat\"` é permitido pelo padrão e passa. Não se aplica quando não há doctype ou ele leva ao modo quirks, que é `doctype_missing`.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Page),
    since: WHOLE,
    run: legacy,
};

const DOCTYPE: &str = "<!DOCTYPE html>";

fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let document = &html.document;
    if !document.quirks {
        return PASS;
    }
    const NONE: Text = text("The document has no doctype.", "O documento não tem doctype.");
    const OLD: Text = text(
        "The doctype “{doctype}” puts browsers into quirks mode.",
        "O doctype “{doctype}” põe os navegadores em modo quirks.",
    );
    const LATE: Text = text(
        "The doctype on line {line} comes after other content, so browsers ignore it.",
        "O doctype da linha {line} vem depois de outro conteúdo, então os navegadores o ignoram.",
    );
    let source_of =
        |span: Option<Range<usize>>| span.and_then(|span| Some((span.clone(), document.source().get(span)?)));
    let ready = FixDraft::edit(FixTarget::Page, DOCTYPE);
    let first = |fix: FixDraft| fix.replace(0..0, format!("{DOCTYPE}\n"));
    let late = document.ignored_doctype.clone();
    let (message, values, ready) = match (source_of(document.doctype.clone()), late.clone()) {
        (Some((span, source)), _) => (OLD, vec![("doctype", collapse(source).into())], ready.replace(span, DOCTYPE)),
        (None, Some(span)) => {
            let line = document.position(span.start).line;
            (LATE, vec![("line", line.into())], first(ready.replace(span, "")))
        }
        (None, None) => (NONE, Vec::new(), first(ready)),
    };
    let place = late.filter(|_| document.doctype.is_none()).map(|span| document.place_of(span));
    let Some(table) = document.elements().find(|element| is_in_paragraph(*element)) else {
        return problem(message, &values, ready).at(place).fail();
    };
    const MOVE: Text = text(
        "Take the table on line {line} out of its paragraph, which a doctype would end in front of it; then make `<!DOCTYPE html>` the first line.",
        "Tire a tabela da linha {line} do parágrafo, que um doctype encerraria antes dela; depois faça de `<!DOCTYPE html>` a primeira linha.",
    );
    let line = table.line().unwrap_or_default();
    problem(message, &values, FixDraft::instruction(FixTarget::Page, MOVE, &[("line", line.into())])).at(place).fail()
}

/// Whether this is a table in a paragraph. Only in quirks mode a paragraph goes on around a table (WHATWG HTML
/// §13.2.6.4.7); else links that began in the paragraph end in front of the table too, and are left empty.
fn is_in_paragraph(table: Element<'_>) -> bool {
    table.is("table") && table.is_in_paragraph()
}

fn legacy(facts: &Facts<'_>) -> Verdict {
    let document = &facts.page()?.document;
    let Some((span, source)) =
        document.doctype.clone().and_then(|span| Some((span.clone(), document.source().get(span)?)))
    else {
        return Err(NotMeasured::Absent);
    };
    if document.quirks {
        return Err(NotMeasured::Absent);
    }
    let lower = source.to_ascii_lowercase();
    let words: Vec<&str> = lower.trim_end_matches('>').split_ascii_whitespace().collect();
    let is_current = match words.as_slice() {
        ["<!doctype", "html"] | ["<!doctypehtml"] => true,
        [.., "html", "system", identifier] => identifier.trim_matches(['"', '\'']) == "about:legacy-compat",
        _ => false,
    };
    if is_current {
        return PASS;
    }
    const OLD: Text = text("The doctype is “{doctype}”.", "O doctype é “{doctype}”.");
    let place = document.place_of(span.clone());
    let fix = FixDraft::edit(FixTarget::Page, DOCTYPE).replace(span, DOCTYPE);
    problem(OLD, &[("doctype", collapse(source).into())], fix).at([place]).fail()
}
