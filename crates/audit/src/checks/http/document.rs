//! Whether what came is an HTML document that can be read.

use model::capture::{BodyCut, Coding};

use crate::check::prelude::*;
use crate::facts::content_type;
use crate::facts::document::{Complexity, Limits};
use crate::facts::lost_head::is_page_metadata;
use crate::facts::page::looks_like_html;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "document",
    category: Category::Http,
    checks: &[CONTENT_TYPE_WRONG, EMPTY, ENCODING_INVALID, OVER_LIMIT, TOO_COMPLEX, FRAMING, NOT_HTML],
};

const CONTENT_TYPE_WRONG: Check = Check {
    code: "content_type_wrong",
    severity: Severity::Error,
    title: text("HTML sent under another type", "HTML enviado com outro tipo"),
    why: text(
        "Browsers show the source or offer a download, and crawlers may not read it as a page.",
        "Os navegadores mostram o código ou oferecem um download, e os robôs podem não ler como página.",
    ),
    how: text("Send `Content-Type: text/html; charset=utf-8`.", "Envie `Content-Type: text/html; charset=utf-8`."),
    reference: "https://mimesniff.spec.whatwg.org/",
    run: content_type_wrong,
};

const EMPTY: Check = Check {
    code: "html_empty",
    severity: Severity::Error,
    title: text("Empty page", "Página vazia"),
    why: text("There is nothing to show and nothing to index.", "Não há nada para mostrar nem para indexar."),
    how: text("Find out why the server answers without content.", "Descubra por que o servidor responde sem conteúdo."),
    reference: "https://developers.google.com/search/docs/essentials/technical",
    run: empty,
};

const ENCODING_INVALID: Check = Check {
    code: "content_encoding_invalid",
    severity: Severity::Error,
    title: text("Compression can't be undone", "Compressão que não se desfaz"),
    why: text(
        "The response names a content coding that its bytes are not in, or one that nobody offered to read: browsers show an error.",
        "A resposta declara uma codificação em que seus bytes não estão, ou uma que ninguém se ofereceu a ler: os navegadores mostram um erro.",
    ),
    how: text(
        "Send the coding that the client asked for, and compress only once.",
        "Envie a codificação que o cliente pediu, e comprima uma vez só.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc9110#section-8.4",
    run: encoding_invalid,
};

const OVER_LIMIT: Check = Check {
    code: "html_over_crawl_limit",
    severity: Severity::Error,
    title: text("Page larger than crawlers read", "Página maior do que os robôs leem"),
    why: text(
        "Googlebot reads the first 2 MB of a page; what stands behind is not indexed.",
        "O Googlebot lê os primeiros 2 MB de uma página; o que vem depois não é indexado.",
    ),
    how: text(
        "Move inline data, styles and scripts into files, and split very long pages.",
        "Mova dados, estilos e scripts embutidos para arquivos, e divida páginas muito longas.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/googlebot",
    run: over_limit,
};

const TOO_COMPLEX: Check = Check {
    code: "html_too_complex",
    severity: Severity::Warn,
    title: text("Markup too complex to read whole", "Marcação complexa demais para ler inteira"),
    why: text(
        "The markup passes limits that browsers and crawlers have too; what stands behind the limit was not read.",
        "A marcação passa de limites que navegadores e robôs também têm; o que vem depois do limite não foi lido.",
    ),
    how: text(
        "Close the elements that a template leaves open, and take apart elements with hundreds of attributes.",
        "Feche os elementos que um modelo deixa abertos, e divida elementos com centenas de atributos.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/parsing.html",
    run: too_complex,
};

const FRAMING: Check = Check {
    code: "response_framing_ambiguous",
    severity: Severity::Warn,
    title: text("Two lengths for one response", "Dois tamanhos para uma resposta"),
    why: text(
        "A response with both Content-Length and Transfer-Encoding is read differently by different proxies; attackers use that.",
        "Uma resposta com Content-Length e Transfer-Encoding é lida de formas diferentes por proxies diferentes; atacantes se aproveitam disso.",
    ),
    how: text("Send one of the two.", "Envie só um dos dois."),
    reference: "https://www.rfc-editor.org/rfc/rfc9112#section-6.1",
    run: framing,
};

const NOT_HTML: Check = Check {
    code: "page_not_html",
    severity: Severity::Info,
    title: text("Not an HTML page", "Não é uma página HTML"),
    why: text(
        "The checks of a page's content were not made: this is another kind of file.",
        "As verificações do conteúdo da página não foram feitas: este é outro tipo de arquivo.",
    ),
    how: text("Audit the page that links to it instead.", "Audite a página que leva a ele."),
    reference: "https://www.rfc-editor.org/rfc/rfc9110#section-8.3",
    run: not_html,
};

/// Fails when the body is HTML by its bytes and the type is absent or another.
fn content_type_wrong(facts: &Facts<'_>) -> Verdict {
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
        Some(kind) => fail(OTHER, &[("type", kind.into())], fix),
        None => fail(NONE, &[], fix),
    }
}

/// Fails on a successful response whose body has no bytes, or no text, no element but metadata in `body`, and no script.
fn empty(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.response()?;
    if !exchange.is_success() {
        return Err(NotMeasured::Status);
    }
    if !matches!(exchange.body.coding, Coding::Identity | Coding::Decoded(_)) {
        return Err(NotMeasured::Html);
    }
    let bytes = exchange.body.bytes.len();
    let blank = exchange.body.bytes.iter().all(u8::is_ascii_whitespace);
    if !blank {
        let html = facts.page()?;
        let has_content = |body: Element<'_>| {
            body.children().any(|child| !is_page_metadata(child)) || body.own_texts().any(|run| !run.trim().is_empty())
        };
        let filled = html.document.body().is_none_or(has_content);
        if filled || !html.scripts.is_empty() {
            return PASS;
        }
    }
    // What was cut off may have been the content.
    if !blank {
        facts.whole_page()?;
    } else if exchange.body.cut.is_some() {
        return Err(NotMeasured::Truncated);
    }
    const NOTHING: Text =
        text("The page has {bytes} bytes and no content.", "A página tem {bytes} bytes e nenhum conteúdo.");
    const WHY: Text =
        text("Find out why the server answers without content.", "Descubra por que o servidor responde sem conteúdo.");
    fail(NOTHING, &[("bytes", bytes.into())], FixDraft::instruction(FixTarget::Page, WHY, &[]))
}

/// Fails when the content coding is not what the bytes are in, or is unknown.
fn encoding_invalid(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.measured_response()?;
    let (message, name) = match &exchange.body.coding {
        Coding::Identity | Coding::Decoded(_) => return PASS,
        Coding::Broken(name) => (
            text(
                "The response says Content-Encoding: {coding}, but its bytes are not that.",
                "A resposta diz Content-Encoding: {coding}, mas seus bytes não são isso.",
            ),
            name,
        ),
        Coding::Unknown(name) => (
            text(
                "The response uses the content coding {coding}, which was not offered.",
                "A resposta usa a codificação {coding}, que não foi oferecida.",
            ),
            name,
        ),
    };
    const ONCE: Text = text(
        "Compress responses in one place only, with gzip or br, as `Accept-Encoding` asks.",
        "Comprima as respostas em um só lugar, com gzip ou br, como pede `Accept-Encoding`.",
    );
    fail(message, &[("coding", name.as_str().into())], FixDraft::instruction(FixTarget::Page, ONCE, &[]))
}

/// Fails when the body reached our cap of 2 MiB, which is Googlebot's.
fn over_limit(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.response()?;
    facts.page()?;
    if exchange.body.cut != Some(BodyCut::Size) {
        return PASS;
    }
    const CUT: Text = text(
        "The page is longer than 2 MB; {bytes} bytes of it were read.",
        "A página tem mais de 2 MB; {bytes} bytes dela foram lidos.",
    );
    const MOVE: Text = text(
        "Move inline data, styles and scripts into files of their own.",
        "Mova dados, estilos e scripts embutidos para arquivos próprios.",
    );
    fail(CUT, &[("bytes", exchange.body.bytes.len().into())], FixDraft::instruction(FixTarget::Page, MOVE, &[]))
}

/// Fails when parsing stopped at a limit, or attributes were left out.
fn too_complex(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let Some(limit) = html.document.too_complex else { return PASS };
    let message = match limit {
        Complexity::Depth => {
            text("Elements are nested more than {limit} deep.", "Há elementos aninhados em mais de {limit} níveis.")
        }
        Complexity::Attributes => {
            text("An element has more than {limit} attributes.", "Um elemento tem mais de {limit} atributos.")
        }
        Complexity::Work => text(
            "The markup makes the parser repeat itself without end.",
            "A marcação faz o leitor se repetir sem fim.",
        ),
    };
    const CLOSE: Text = text(
        "Look for elements that a template opens and never closes.",
        "Procure elementos que um modelo abre e nunca fecha.",
    );
    const MOVE: Text = text(
        "Look for a quotation mark that is missing, or move the data out of the attributes.",
        "Procure uma aspa que falta, ou tire os dados dos atributos.",
    );
    let (limit, advice) = match limit {
        Complexity::Attributes => (u32::from(Limits::default().attributes), MOVE),
        Complexity::Depth | Complexity::Work => (Limits::default().depth, CLOSE),
    };
    fail(message, &[("limit", limit.into())], FixDraft::instruction(FixTarget::Page, advice, &[]))
}

/// Fails when both `Content-Length` and `Transfer-Encoding` came.
fn framing(facts: &Facts<'_>) -> Verdict {
    if !facts.measured_response()?.ambiguous_length {
        return PASS;
    }
    const BOTH: Text = text(
        "The response has both Content-Length and Transfer-Encoding.",
        "A resposta tem Content-Length e Transfer-Encoding.",
    );
    const ONE: Text = text(
        "Let the server or proxy drop Content-Length when it sends chunks.",
        "Faça o servidor ou proxy omitir Content-Length quando enviar em partes.",
    );
    fail(BOTH, &[], FixDraft::instruction(FixTarget::Page, ONE, &[]))
}

/// Says that this is no HTML document, where it is none by its bytes either.
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
        Some(kind) => fail(KIND, &[("type", kind.into())], fix),
        None => fail(UNKNOWN, &[], fix),
    }
}
