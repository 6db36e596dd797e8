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
            "Compare the Content-Type header of a page with what its bytes really are, so that browsers show it and crawlers read it.",
            "Compare o cabeçalho Content-Type da página com o que os bytes realmente são, para que navegadores a mostrem e robôs a leiam.",
        ),
        lead: text(
            "A wrong Content-Type turns a page into a download or into plain source. This tool reads the first bytes as browsers do and says when header and content disagree.",
            "Um Content-Type errado transforma a página em download ou em código puro. Esta ferramenta lê os primeiros bytes como os navegadores e diz quando cabeçalho e conteúdo não combinam.",
        ),
        example: include_str!("content_type/bad_type.http"),
    },
    checks: &[WRONG, NOT_HTML],
};

const WRONG: Check = Check {
    code: "content_type_wrong",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("HTML sent under another type", "HTML enviado com outro tipo"),
    why: text(
        "Browsers show the source or offer a download, and crawlers may not read it as a page.",
        "Os navegadores mostram o código ou oferecem um download, e os robôs podem não ler como página.",
    ),
    how: text("Send `Content-Type: text/html; charset=utf-8`.", "Envie `Content-Type: text/html; charset=utf-8`."),
    reference: "https://mimesniff.spec.whatwg.org/#rules-for-identifying-an-unknown-mime-type",
    rule: text(
        "Fails when the body begins as HTML does, by the patterns of the MIME Sniffing Standard, and `Content-Type` is absent or names another type than `text/html` or `application/xhtml+xml`. Not measured of supplied bytes, which have no headers.",
        "Falha quando o corpo começa como HTML, pelos padrões do MIME Sniffing Standard, e o `Content-Type` falta ou indica outro tipo que não `text/html` ou `application/xhtml+xml`. Não se mede em bytes fornecidos, que não têm cabeçalhos.",
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
        "The checks of a page's content were not made: this is another kind of file.",
        "As verificações do conteúdo da página não foram feitas: este é outro tipo de arquivo.",
    ),
    how: text("Audit the page that links to it instead.", "Audite a página que leva a ele."),
    reference: "https://www.rfc-editor.org/rfc/rfc9110#section-8.3",
    rule: text(
        "Says that the answer is no HTML document, neither by its `Content-Type` nor by its first bytes, whatever its status. An empty body and HTML under a wrong type have their own checks.",
        "Diz que a resposta não é um documento HTML, nem pelo `Content-Type` nem pelos primeiros bytes, seja qual for o status. Um corpo vazio e HTML com tipo errado têm verificações próprias.",
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
    const OTHER: Text = text("The page is HTML, but is sent as {type}.", "A página é HTML, mas é enviada como {type}.");
    const NONE: Text = text(
        "The page is HTML, but is sent without a Content-Type.",
        "A página é HTML, mas é enviada sem Content-Type.",
    );
    const LINE: Text = text("Send: {line}", "Envie: {line}");
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
        "The address answers with {type}, not with a page.",
        "O endereço responde com {type}, não com uma página.",
    );
    const UNKNOWN: Text = text(
        "The address answers with a file of no declared type, not with a page.",
        "O endereço responde com um arquivo sem tipo declarado, não com uma página.",
    );
    const OTHER: Text =
        text("Audit the HTML page that links to this file.", "Audite a página HTML que leva a este arquivo.");
    let fix = FixDraft::instruction(FixTarget::Page, OTHER, &[]);
    match content_type::declared(exchange) {
        Some(kind) => problem(KIND, &[("type", kind.into())], fix).fail(),
        None => problem(UNKNOWN, &[], fix).fail(),
    }
}
