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
        "Check the doctype of a page, and whether browsers render it by current standards or in quirks mode like 1990s browsers.",
        "Verifique o doctype da página e se os navegadores a renderizam pelos padrões atuais ou em modo quirks, como nos anos 90.",
    ),
    lead: text(
        "The doctype decides by which rules browsers lay out a page. This tool reads it as the HTML standard requires, and gives you the correct line.",
        "O doctype decide por quais regras os navegadores montam a página. Esta ferramenta o lê como o padrão HTML exige e mostra a linha correta.",
    ),
    example: include_str!("doctype/bad_old.html"),
};

const MISSING: Check = Check {
    code: "doctype_missing",
    severity: Severity::Warn,
    impact: Impact::Rendering,
    title: text("Page in quirks mode", "Página em modo quirks"),
    why: text(
        "Without a current doctype, browsers render the page by rules of the 1990s, and differently from each other.",
        "Sem um doctype atual, os navegadores renderizam a página por regras dos anos 90, cada um de um jeito.",
    ),
    how: text(
        "Make `<!DOCTYPE html>` the first line of the document.",
        "Coloque `<!DOCTYPE html>` na primeira linha do documento.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/syntax.html#the-doctype",
    rule: text(
        "Fails when the page is in quirks mode by the HTML standard: there is no doctype before the first element or text, or the doctype is an old one that the standard lists. A doctype further down is ignored, and the message names its line. Limited quirks mode is not reported here; `doctype_legacy` reports the doctypes that cause it.",
        "Falha quando a página está em modo quirks pelo padrão HTML: não há doctype antes do primeiro elemento ou texto, ou o doctype é um dos antigos que o padrão lista. Um doctype mais abaixo é ignorado, e a mensagem diz a linha dele. O modo quirks limitado não é relatado aqui; `doctype_legacy` relata os doctypes que o causam.",
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
    title: text("Outdated doctype", "Doctype antigo"),
    why: text(
        "A doctype of HTML 4 or XHTML 1 does not select a version; browsers read the page as HTML anyway. Some of these doctypes cause limited quirks mode, which shifts images in table cells.",
        "Um doctype de HTML 4 ou XHTML 1 não seleciona uma versão; os navegadores leem a página como HTML de qualquer forma. Alguns desses doctypes causam o modo quirks limitado, que desloca imagens em células de tabela.",
    ),
    how: text(
        "Replace it with `<!DOCTYPE html>`, then check tables that contain images.",
        "Troque-o por `<!DOCTYPE html>` e depois confira as tabelas que contêm imagens.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/syntax.html#the-doctype",
    rule: text(
        "Fails when a doctype that does not cause quirks mode has a public or system identifier. `SYSTEM \"about:legacy-compat\"` passes, since the standard allows it. Not applicable without a doctype, or when it causes quirks mode, which `doctype_missing` reports.",
        "Falha quando um doctype que não causa o modo quirks tem um identificador público ou de sistema. `SYSTEM \"about:legacy-compat\"` passa, pois o padrão o permite. Não se aplica sem um doctype, ou quando ele causa o modo quirks, o que `doctype_missing` relata.",
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
    const NONE: Text = text(
        "The page has no doctype, so browsers use quirks mode.",
        "A página não tem doctype; os navegadores usam o modo quirks.",
    );
    const OLD: Text = text(
        "The doctype “{doctype}” makes browsers use quirks mode.",
        "O doctype “{doctype}” faz os navegadores usarem o modo quirks.",
    );
    const LATE: Text = text(
        "The doctype on line {line} comes after other content, so browsers ignore it.",
        "O doctype na linha {line} vem depois de outro conteúdo, por isso os navegadores o ignoram.",
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
        "First move the table on line {line} out of its paragraph, since a doctype makes the paragraph end before the table. Then make <!DOCTYPE html> the first line.",
        "Primeiro, tire a tabela da linha {line} do parágrafo, pois com um doctype o parágrafo termina antes da tabela. Depois, coloque <!DOCTYPE html> na primeira linha.",
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
    const OLD: Text = text("The doctype is outdated: “{doctype}”.", "O doctype é antigo: “{doctype}”.");
    let place = document.place_of(span.clone());
    let fix = FixDraft::edit(FixTarget::Page, DOCTYPE).replace(span, DOCTYPE);
    problem(OLD, &[("doctype", collapse(source).into())], fix).at([place]).fail()
}
