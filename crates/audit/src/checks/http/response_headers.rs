//! How the response is sent: framing, coding, protocol, and the `Link` header.

use model::capture::Coding;

use crate::check::prelude::*;
use crate::facts::link_header;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "response-headers",
    category: Category::Http,
    landing: Landing {
        title: text("HTTP response header checker", "Verificador de cabeçalhos de resposta"),
        h1: text("Are the response headers of my page correct?", "Os cabeçalhos de resposta da página estão certos?"),
        description: text(
            "Check how a page is sent: content encoding, message length, the syntax of the Link header, and the server's HTTP version.",
            "Verifique como a página é enviada: codificação do conteúdo, tamanho da mensagem, sintaxe do cabeçalho Link e versão do HTTP.",
        ),
        lead: text(
            "Headers decide whether a response can be read at all. This tool checks those that break a page without a trace in the HTML, and shows what to send instead.",
            "Os cabeçalhos decidem se uma resposta pode ser lida. Esta ferramenta verifica os que quebram a página sem deixar rastro no HTML e mostra o que enviar no lugar.",
        ),
        example: include_str!("response_headers/bad_link.http"),
    },
    checks: &[ENCODING_INVALID, FRAMING, LINK_MALFORMED, VERSION_OLD],
};

const ENCODING_INVALID: Check = Check {
    code: "content_encoding_invalid",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("Content-Encoding can't be decoded", "Content-Encoding impossível de decodificar"),
    why: text(
        "The response declares an encoding that its bytes don't have, or one that the client doesn't support. Browsers show an error.",
        "A resposta declara uma codificação que os bytes não têm, ou que o cliente não aceita. Os navegadores mostram um erro.",
    ),
    how: text(
        "Use an encoding from the request's `Accept-Encoding`, and compress only once.",
        "Use uma codificação do `Accept-Encoding` da requisição e comprima uma vez só.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc9110#section-8.4",
    rule: text(
        "Fails when `Content-Encoding` names gzip, deflate, br or zstd and the bytes can't be decoded with it, or when it names an encoding that the request did not offer. Not measured for uploaded HTML.",
        "Falha quando o `Content-Encoding` indica gzip, deflate, br ou zstd e os bytes não podem ser decodificados assim, ou quando indica uma codificação que a requisição não ofereceu. Não é medido em HTML enviado pelo usuário.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: encoding_invalid,
};

const FRAMING: Check = Check {
    code: "response_framing_ambiguous",
    severity: Severity::Warn,
    impact: Impact::Rendering,
    title: text("Both Content-Length and Transfer-Encoding", "Content-Length e Transfer-Encoding juntos"),
    why: text(
        "Proxies disagree on where a response with both headers ends. Attackers use that to smuggle requests.",
        "Proxies discordam sobre onde termina uma resposta com os dois cabeçalhos. Atacantes usam isso para contrabandear requisições (request smuggling).",
    ),
    how: text("Send only one of the two headers.", "Envie só um dos dois cabeçalhos."),
    reference: "https://www.rfc-editor.org/rfc/rfc9112#section-6.3",
    rule: text(
        "Fails when an HTTP/1 response has both `Content-Length` and `Transfer-Encoding`, whatever their values. Not measured for uploaded HTML.",
        "Falha quando uma resposta HTTP/1 tem `Content-Length` e `Transfer-Encoding`, quaisquer que sejam os valores. Não é medido em HTML enviado pelo usuário.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: framing,
};

const LINK_MALFORMED: Check = Check {
    code: "link_header_malformed",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Malformed Link header", "Cabeçalho Link malformado"),
    why: text(
        "Parsers stop at the first syntax error. A canonical, alternate or preload after it is lost.",
        "Os parsers param no primeiro erro de sintaxe. Uma canônica, um alternate ou um preload depois dele se perde.",
    ),
    how: text(
        "Write each link as `<URL>; rel=\"relation\"`, and separate links with commas.",
        "Escreva cada link como `<URL>; rel=\"relação\"` e separe os links com vírgulas.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc8288#section-3",
    rule: text(
        "Fails when a `Link` header has something other than `<` at the start of a link, no `>` after a target, no `rel` parameter in a link, or a quotation mark that is not closed. Empty list members and unknown relations pass.",
        "Falha quando um cabeçalho `Link` tem algo diferente de `<` no início de um link, não tem `>` depois de um destino, não tem o parâmetro `rel` em um link, ou tem aspas não fechadas. Membros vazios da lista e relações desconhecidas passam.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: link_malformed,
};

const VERSION_OLD: Check = Check {
    code: "http_version_old",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Server doesn't support HTTP/2", "Servidor sem suporte a HTTP/2"),
    why: text(
        "Over HTTP/1 a browser loads a page's files a few at a time. HTTP/2 loads them together over one connection.",
        "No HTTP/1, o navegador carrega os arquivos da página poucos por vez. O HTTP/2 os carrega juntos por uma só conexão.",
    ),
    how: text(
        "Enable HTTP/2 in the web server or the CDN. Browsers then choose it by themselves over TLS.",
        "Ative o HTTP/2 no servidor web ou na CDN. Com TLS, os navegadores o escolhem sozinhos.",
    ),
    reference: "https://developer.chrome.com/docs/lighthouse/best-practices/uses-http2",
    rule: text(
        "Fails when the server answers over TLS with HTTP/1.0 or HTTP/1.1 although HTTP/2 was offered. HTTP/3 is not tested. An http page is ignored, since browsers use HTTP/2 only over TLS.",
        "Falha quando o servidor responde por TLS com HTTP/1.0 ou HTTP/1.1, embora o HTTP/2 tenha sido oferecido. O HTTP/3 não é testado. Uma página http é ignorada, pois os navegadores só usam HTTP/2 sobre TLS.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: version_old,
};

fn encoding_invalid(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.measured_response()?;
    let (message, name) = match &exchange.body.coding {
        Coding::Identity | Coding::Decoded(_) => return PASS,
        Coding::Broken(name) => (
            text(
                "The response declares Content-Encoding: {coding}, but its bytes can't be decoded that way.",
                "A resposta declara Content-Encoding: {coding}, mas os bytes não podem ser decodificados assim.",
            ),
            name,
        ),
        Coding::Unknown(name) => (
            text(
                "The response uses Content-Encoding: {coding}, which the request did not offer.",
                "A resposta usa Content-Encoding: {coding}, que a requisição não ofereceu.",
            ),
            name,
        ),
    };
    const ONCE: Text = text(
        "Compress responses in one place only, with gzip or br, as the request's Accept-Encoding allows.",
        "Comprima as respostas em um só lugar, com gzip ou br, conforme o Accept-Encoding da requisição.",
    );
    problem(message, &[("coding", name.as_str().into())], FixDraft::instruction(FixTarget::Page, ONCE, &[])).fail()
}

fn framing(facts: &Facts<'_>) -> Verdict {
    if !facts.measured_response()?.ambiguous_length {
        return PASS;
    }
    const BOTH: Text = text(
        "The response has both Content-Length and Transfer-Encoding.",
        "A resposta tem Content-Length e Transfer-Encoding ao mesmo tempo.",
    );
    const ONE: Text = text(
        "Remove Content-Length in the server or proxy when it sends chunks.",
        "Remova o Content-Length no servidor ou proxy quando ele enviar em partes (chunked).",
    );
    problem(BOTH, &[], FixDraft::instruction(FixTarget::Page, ONE, &[])).fail()
}

fn link_malformed(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.measured_response()?;
    if exchange.header("link").is_none() {
        return Err(NotMeasured::Absent);
    }
    let bad: Vec<(&str, link_header::LinkFault)> =
        exchange.headers_named("link").filter_map(|value| Some((value, link_header::fault(value)?))).collect();
    let Some((_, fault)) = bad.first() else { return PASS };
    let message = match fault {
        link_header::LinkFault::NoTarget => {
            text("A link in the Link header does not begin with <.", "Um link no cabeçalho Link não começa com <.")
        }
        link_header::LinkFault::OpenTarget => {
            text("A target in the Link header is not closed with >.", "Um destino no cabeçalho Link não termina com >.")
        }
        link_header::LinkFault::NoRelation => text(
            "A link in the Link header has no rel parameter.",
            "Um link no cabeçalho Link não tem o parâmetro rel.",
        ),
        link_header::LinkFault::OpenQuote => {
            text("A quotation mark in the Link header is not closed.", "O cabeçalho Link tem aspas não fechadas.")
        }
    };
    const GRAMMAR: Text = text(
        "Write each link as <URL>; rel=\"relation\", and separate links with commas.",
        "Escreva cada link como <URL>; rel=\"relação\" e separe os links com vírgulas.",
    );
    let places = bad.iter().map(|(value, _)| Place { snippet: Some(format!("Link: {value}")), ..Place::default() });
    problem(message, &[], FixDraft::instruction(FixTarget::Page, GRAMMAR, &[])).at(places).fail()
}

fn version_old(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.measured_response()?;
    facts.https()?;
    let version = exchange.timing.http_version.as_str();
    if version.is_empty() {
        return Err(NotMeasured::Offline);
    }
    if !version.starts_with("HTTP/1") {
        return PASS;
    }
    const OLD: Text = text(
        "The server answered with {version} although HTTP/2 was offered.",
        "O servidor respondeu com {version}, embora o HTTP/2 tenha sido oferecido.",
    );
    const SWITCH: Text = text(
        "Enable HTTP/2 in the web server, or in the proxy or CDN in front of it.",
        "Ative o HTTP/2 no servidor web, ou no proxy ou na CDN à frente dele.",
    );
    problem(OLD, &[("version", version.into())], FixDraft::instruction(FixTarget::Page, SWITCH, &[])).fail()
}
