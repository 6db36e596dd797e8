//! Whether what came is an HTML document, and says so.

use crate::check::prelude::*;
use crate::facts::content_type;
use crate::facts::content_type::looks_like_html;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "content-type",
    category: Category::Http,
    landing: Landing {
        title: text("Content-Type checker for web pages", "Verificador de Content-Type de páginas"),
        h1: text("Is my page sent as HTML?", "Minha página é enviada como HTML?"),
        description: text(
            "Compare the Content-Type header of a page with what its bytes are, so that browsers display it and crawlers read it.",
            "Compare o cabeçalho Content-Type da página com o que os bytes são, para que navegadores a exibam e robôs a leiam.",
        ),
        lead: text(
            "A wrong Content-Type turns a page into a download or into plain source code. This tool reads the first bytes as browsers do and says when header and content disagree.",
            "Um Content-Type errado transforma a página em um download ou em código-fonte puro. Esta ferramenta lê os primeiros bytes como os navegadores e diz quando cabeçalho e conteúdo não combinam.",
        ),
        example: include_str!("content_type/bad_type.http"),
    },
    checks: &[WRONG, NOT_HTML],
};

const WRONG: Check = Check {
    code: "content_type_wrong",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("HTML sent with the wrong Content-Type", "HTML enviado com o Content-Type errado"),
    why: text(
        "Browsers show the source code or offer a download, and crawlers may not read the file as a page.",
        "Os navegadores mostram o código-fonte ou oferecem um download, e os robôs podem não ler o arquivo como página.",
    ),
    how: text("Send `Content-Type: text/html; charset=utf-8`.", "Envie `Content-Type: text/html; charset=utf-8`."),
    reference: "https://mimesniff.spec.whatwg.org/#rules-for-identifying-an-unknown-mime-type",
    rule: text(
        "Fails when the body begins like HTML, by the patterns of the MIME Sniffing Standard, and `Content-Type` is missing or names a type other than `text/html` or `application/xhtml+xml`. Not measured for uploaded HTML, which has no headers.",
        "Falha quando o corpo começa como HTML, pelos padrões do MIME Sniffing Standard, e o `Content-Type` falta ou indica um tipo diferente de `text/html` e `application/xhtml+xml`. Não é medido em HTML enviado pelo usuário, que não tem cabeçalhos.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: wrong,
};

const NOT_HTML: Check = Check {
    code: "page_not_html",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Not an HTML page", "Não é uma página HTML"),
    why: text(
        "This URL returns another kind of file, so the checks of page content did not run.",
        "Esta URL devolve outro tipo de arquivo; por isso, as verificações do conteúdo da página não foram feitas.",
    ),
    how: text(
        "Audit the HTML page that links to this file instead.",
        "Audite a página HTML que tem o link para este arquivo.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc9110#section-8.3",
    rule: text(
        "Reports that the response is not HTML, neither by its `Content-Type` nor by its first bytes, whatever its status. An empty body and HTML with a wrong type have their own checks.",
        "Relata que a resposta não é HTML, nem pelo `Content-Type` nem pelos primeiros bytes, seja qual for o status. Um corpo vazio e HTML com tipo errado têm verificações próprias.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: not_html,
};

fn wrong(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.measured_response()?;
    let declared = content_type::declared(exchange);
    let is_declared = declared.as_deref().and_then(content_type::extract).is_some_and(|kind| kind.is_html());
    if is_declared || !looks_like_html(&exchange.body.bytes) {
        return PASS;
    }
    const OTHER: Text = text("The page is HTML but is sent as {type}.", "A página é HTML, mas é enviada como {type}.");
    const NONE: Text = text(
        "The page is HTML but is sent without a Content-Type header.",
        "A página é HTML, mas é enviada sem o cabeçalho Content-Type.",
    );
    const LINE: Text = text("Send this header: {line}", "Envie este cabeçalho: {line}");
    let fix =
        FixDraft::instruction(FixTarget::Page, LINE, &[("line", "Content-Type: text/html; charset=utf-8".into())]);
    match declared {
        Some(kind) => problem(OTHER, &[("type", kind.into())], fix).fail(),
        None => problem(NONE, &[], fix).fail(),
    }
}

fn not_html(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.response()?;
    if facts.markup().is_some() || looks_like_html(&exchange.body.bytes) || exchange.body.bytes.is_empty() {
        return PASS;
    }
    const KIND: Text = text(
        "The URL returns a file of type {type}, not an HTML page.",
        "A URL devolve um arquivo do tipo {type}, não uma página HTML.",
    );
    const UNKNOWN: Text = text(
        "The URL returns a file without a Content-Type, not an HTML page.",
        "A URL devolve um arquivo sem Content-Type, não uma página HTML.",
    );
    const OTHER: Text =
        text("Audit the HTML page that links to this file.", "Audite a página HTML que tem o link para este arquivo.");
    let fix = FixDraft::instruction(FixTarget::Page, OTHER, &[]);
    match content_type::declared(exchange) {
        Some(kind) => problem(KIND, &[("type", kind.into())], fix).fail(),
        None => problem(UNKNOWN, &[], fix).fail(),
    }
}
