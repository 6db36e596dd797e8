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
        h1: text("Are the response headers of my page sound?", "Os cabeçalhos de resposta da página estão certos?"),
        description: text(
            "Check how a page is sent: content coding, message framing, the Link header's grammar, and the protocol version of the server.",
            "Verifique como a página é enviada: codificação do conteúdo, tamanho da mensagem, gramática do cabeçalho Link e versão do protocolo.",
        ),
        lead: text(
            "Headers decide whether a response can be read at all. This tool looks at those that break pages without a trace in the HTML, and says what to send instead.",
            "Os cabeçalhos decidem se uma resposta pode ser lida. Esta ferramenta olha os que quebram páginas sem deixar rastro no HTML e diz o que enviar no lugar.",
        ),
        example: include_str!("response_headers/bad_link.http"),
    },
    checks: &[ENCODING_INVALID, FRAMING, LINK_MALFORMED, VERSION_OLD],
};

const ENCODING_INVALID: Check = Check {
    code: "content_encoding_invalid",
    severity: Severity::Error,
    impact: Impact::Indexing,
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
    rule: text(
        "Fails when `Content-Encoding` names gzip, deflate, br or zstd and the bytes are not in that coding, or when it names a coding that the request did not offer. Not measured of supplied bytes.",
        "Falha quando o `Content-Encoding` indica gzip, deflate, br ou zstd e os bytes não estão nessa codificação, ou quando indica uma codificação que a requisição não ofereceu. Não se mede em bytes fornecidos.",
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
    title: text("Two lengths for one response", "Dois tamanhos para uma resposta"),
    why: text(
        "A response with both Content-Length and Transfer-Encoding is read differently by different proxies; attackers use that.",
        "Uma resposta com Content-Length e Transfer-Encoding é lida de formas diferentes por proxies diferentes; atacantes se aproveitam disso.",
    ),
    how: text("Send one of the two.", "Envie só um dos dois."),
    reference: "https://www.rfc-editor.org/rfc/rfc9112#section-6.3",
    rule: text(
        "Fails when an HTTP/1 response has both `Content-Length` and `Transfer-Encoding`, whatever their values. Not measured of supplied bytes.",
        "Falha quando uma resposta HTTP/1 tem tanto `Content-Length` quanto `Transfer-Encoding`, quaisquer que sejam os valores. Não se mede em bytes fornecidos.",
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
    title: text("Link header that can't be read", "Cabeçalho Link que não pode ser lido"),
    why: text(
        "Readers stop at the first place that breaks the grammar: a canonical, an alternate or a preload behind it is lost.",
        "Os leitores param no primeiro ponto que quebra a gramática: uma canônica, um alternate ou um preload depois dele se perde.",
    ),
    how: text(
        "Write each link as `<address>; rel=\"relation\"`, with commas between links.",
        "Escreva cada link como `<endereço>; rel=\"relação\"`, com vírgulas entre os links.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc8288#section-3",
    rule: text(
        "Fails when a value of the `Link` header has something other than `<` where a link begins, no `>` behind a target, no `rel` among a link's parameters, or a quotation mark that is never closed. Empty list members pass, and so does a relation that nobody knows.",
        "Falha quando um valor do cabeçalho `Link` tem algo que não é `<` onde um link começa, nenhum `>` depois de um destino, nenhum `rel` entre os parâmetros de um link, ou aspas que nunca se fecham. Membros vazios da lista passam, assim como uma relação que ninguém conhece.",
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
    title: text("Server speaks only HTTP/1", "O servidor só fala HTTP/1"),
    why: text(
        "Over HTTP/1 a browser fetches the files of a page a few at a time; HTTP/2 sends them together over one connection.",
        "No HTTP/1 o navegador busca os arquivos da página poucos por vez; o HTTP/2 os envia juntos por uma só conexão.",
    ),
    how: text(
        "Switch on HTTP/2 in the web server or the CDN; over TLS, browsers choose it by themselves.",
        "Ative o HTTP/2 no servidor web ou na CDN; com TLS, os navegadores o escolhem sozinhos.",
    ),
    reference: "https://developer.chrome.com/docs/lighthouse/best-practices/uses-http2",
    rule: text(
        "Fails when the page came over TLS by HTTP/1.0 or HTTP/1.1 although HTTP/2 was offered. HTTP/3 is not asked for; an http page is left alone, since browsers speak HTTP/2 over TLS only.",
        "Falha quando a página veio por TLS com HTTP/1.0 ou HTTP/1.1, embora se tenha oferecido HTTP/2. HTTP/3 não é pedido; uma página http fica de fora, pois os navegadores só falam HTTP/2 sobre TLS.",
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
    problem(message, &[("coding", name.as_str().into())], FixDraft::instruction(FixTarget::Page, ONCE, &[])).fail()
}

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
        link_header::LinkFault::NoTarget => text(
            "A link of the Link header does not begin with <, as it must.",
            "Um link do cabeçalho Link não começa com <, como deve.",
        ),
        link_header::LinkFault::OpenTarget => {
            text("A target in the Link header has no > at its end.", "Um destino no cabeçalho Link não tem > no fim.")
        }
        link_header::LinkFault::NoRelation => {
            text("A link of the Link header has no rel.", "Um link do cabeçalho Link não tem rel.")
        }
        link_header::LinkFault::OpenQuote => text(
            "A quotation mark in the Link header is never closed.",
            "Há aspas no cabeçalho Link que nunca se fecham.",
        ),
    };
    const GRAMMAR: Text = text(
        "Write each link as <address>; rel=\"relation\", with commas between links.",
        "Escreva cada link como <endereço>; rel=\"relação\", com vírgulas entre os links.",
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
        "The page came by {version} although HTTP/2 was offered.",
        "A página veio por {version}, embora se tenha oferecido HTTP/2.",
    );
    const SWITCH: Text = text(
        "Switch on HTTP/2 in the web server, or in the proxy or CDN before it.",
        "Ative o HTTP/2 no servidor web, ou no proxy ou CDN à frente dele.",
    );
    problem(OLD, &[("version", version.into())], FixDraft::instruction(FixTarget::Page, SWITCH, &[])).fail()
}
