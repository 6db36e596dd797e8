//! How the page's bytes are delivered: compressed, and soon.

use model::capture::Coding;

use crate::check::prelude::*;
use crate::facts::gzip_size::gzip_size;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "delivery",
    category: Category::Performance,
    landing: LANDING,
    checks: &[COMPRESSION_MISSING, RESPONSE_SLOW, CACHE_HEADERS_MISSING],
};

const LANDING: Landing = Landing {
    title: text("TTFB, gzip and caching checker", "Verificador de TTFB, gzip e cache"),
    h1: text("Does your server send the page fast and compressed?", "Seu servidor envia a página rápido e comprimida?"),
    description: text(
        "Measure the time to first byte of a page, what compression would save, and whether browsers can revalidate a cached copy.",
        "Meça o tempo até o primeiro byte de uma página, o que a compressão economizaria e se os navegadores podem revalidar uma cópia em cache.",
    ),
    lead: text(
        "A browser can't show anything until the server responds and the HTML arrives. This tool shows how long that took from one place, and what you can save.",
        "O navegador não mostra nada até o servidor responder e o HTML chegar. Esta ferramenta mostra quanto isso levou a partir de um lugar e o que dá para economizar.",
    ),
    example: include_str!("delivery/bad_slow.http"),
};

const COMPRESSION_MISSING: Check = Check {
    code: "compression_missing",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("Page sent uncompressed", "Página enviada sem compressão"),
    why: text(
        "Compressed HTML is about a quarter of the size. Without compression, every visitor and crawler waits for the rest.",
        "HTML comprimido fica com cerca de um quarto do tamanho. Sem compressão, todo visitante e robô espera pelo resto.",
    ),
    how: text(
        "Turn on gzip or Brotli for `text/html` on the web server or CDN.",
        "Ative gzip ou Brotli para `text/html` no servidor web ou na CDN.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc9110#section-8.4",
    rule: text(
        "Fails when an HTML document of more than 1,400 bytes is sent without a content coding, although the request accepted gzip, br, zstd and deflate. Smaller documents fit into one packet anyway. Not measured for uploaded HTML.",
        "Falha quando um documento HTML de mais de 1.400 bytes é enviado sem codificação de conteúdo, embora a requisição aceite gzip, br, zstd e deflate. Documentos menores cabem em um pacote de qualquer forma. Não é medido em HTML enviado pelo usuário.",
    ),
    thresholds: &[threshold("document", ONE_PACKET as u64, "bytes")],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: compression_missing,
};

const RESPONSE_SLOW: Check = Check {
    code: "server_response_slow",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("Slow server response", "Resposta lenta do servidor"),
    why: text(
        "Browsers can't show anything before the first byte arrives. Crawlers also fetch fewer pages from a slow server.",
        "O navegador não mostra nada antes de chegar o primeiro byte. Os robôs também buscam menos páginas de um servidor lento.",
    ),
    how: text(
        "Cache the page, look for slow database queries, and serve the page from a location near its readers.",
        "Armazene a página em cache, procure consultas lentas ao banco de dados e sirva a página de um lugar próximo dos leitores.",
    ),
    reference: "https://web.dev/articles/ttfb",
    rule: text(
        "Fails when the first byte of the final response arrives more than 1,800 ms after the request. The value is a single sample from one place, as the message says. Up to 1,800 ms, the time appears only in the summary.",
        "Falha quando o primeiro byte da resposta final chega mais de 1.800 ms depois da requisição. O valor é uma única amostra de um só lugar, como diz a mensagem. Até 1.800 ms, o tempo aparece só no resumo.",
    ),
    thresholds: &[threshold("first_byte", POOR_TTFB_MS as u64, "ms")],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: response_slow,
};

const CACHE_HEADERS_MISSING: Check = Check {
    code: "cache_headers_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("No caching headers", "Sem cabeçalhos de cache"),
    why: text(
        "Returning browsers and crawlers can't ask whether the page has changed, so they download all of it again.",
        "Navegadores e robôs que voltam não podem perguntar se a página mudou e a baixam inteira de novo.",
    ),
    how: text(
        "Send `ETag` or `Last-Modified`, and a `Cache-Control` that states how long a copy stays fresh.",
        "Envie `ETag` ou `Last-Modified` e um `Cache-Control` que diga por quanto tempo uma cópia continua válida.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc9111#section-4",
    rule: text(
        "Fails when the final response has none of `Cache-Control`, `Expires`, `ETag` and `Last-Modified`. Any of them passes, including `no-store`, which is a deliberate choice. Not measured for uploaded HTML.",
        "Falha quando a resposta final não tem `Cache-Control`, `Expires`, `ETag` nem `Last-Modified`. Qualquer um deles passa, inclusive `no-store`, que é uma escolha deliberada. Não é medido em HTML enviado pelo usuário.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: cache_headers_missing,
};

/// Bytes that fit into the first packet anyway: compressing less saves nothing.
const ONE_PACKET: usize = 1_400;
/// Milliseconds to the first byte that web.dev calls poor.
const POOR_TTFB_MS: u32 = 1_800;

/// Fails on HTML over one packet without a content coding, although several were offered.
fn compression_missing(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.measured_response()?;
    facts.page()?;
    let bytes = &exchange.body.bytes;
    if exchange.body.coding != Coding::Identity || bytes.len() <= ONE_PACKET {
        return PASS;
    }
    const PLAIN: Text = text(
        "The server sent the page uncompressed ({bytes:size}). With gzip, it would be about {gzip:size}.",
        "O servidor enviou a página sem compressão ({bytes:size}). Com gzip, seriam cerca de {gzip:size}.",
    );
    const TURN_ON: Text = text(
        "Send `Content-Encoding: gzip` (or br) with `Vary: Accept-Encoding` for text responses.",
        "Envie `Content-Encoding: gzip` (ou br) com `Vary: Accept-Encoding` nas respostas de texto.",
    );
    let fix = FixDraft::instruction(FixTarget::Page, TURN_ON, &[]);
    problem(PLAIN, &[("bytes", bytes.len().into()), ("gzip", gzip_size(bytes).into())], fix).fail()
}

/// Fails when nothing says how long the page holds, or how to ask whether it has changed.
fn cache_headers_missing(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.measured_response()?;
    facts.page()?;
    if ["cache-control", "expires", "etag", "last-modified"].iter().any(|name| exchange.header(name).is_some()) {
        return PASS;
    }
    const NONE: Text = text(
        "The response has no caching headers: no Cache-Control, Expires, ETag or Last-Modified.",
        "A resposta não tem cabeçalhos de cache: nem Cache-Control, nem Expires, nem ETag, nem Last-Modified.",
    );
    const LINES: Text = text(
        "Send {line} and an ETag. Browsers then revalidate their copy, and download the page again only when it has changed.",
        "Envie {line} e um ETag. Assim, os navegadores revalidam a cópia e só baixam a página de novo quando ela mudou.",
    );
    let values = [("line", "Cache-Control: no-cache".into())];
    problem(NONE, &[], FixDraft::instruction(FixTarget::Page, LINES, &values)).fail()
}

/// Fails when the first byte took longer than web.dev calls poor. One sample from one place.
fn response_slow(facts: &Facts<'_>) -> Verdict {
    let timing = &facts.measured_response()?.timing;
    let Some(ttfb) = timing.ttfb_ms else { return Err(NotMeasured::Offline) };
    if ttfb <= POOR_TTFB_MS {
        return PASS;
    }
    const SLOW: Text = text(
        "The first byte arrived after {ms} ms (one sample, from one place). More than {limit} ms is poor.",
        "O primeiro byte chegou depois de {ms} ms (uma amostra, de um só lugar). Mais de {limit} ms é ruim.",
    );
    const PHASES: Text = text(
        "Start with the slowest phase: DNS {dns} ms, connection {connect} ms, TLS {tls} ms, first byte {ms} ms.",
        "Comece pela fase mais lenta: DNS {dns} ms, conexão {connect} ms, TLS {tls} ms, primeiro byte {ms} ms.",
    );
    let phase = |ms: Option<u32>| Value::from(ms.unwrap_or_default());
    let values = [
        ("dns", phase(timing.dns_ms)),
        ("connect", phase(timing.connect_ms)),
        ("tls", phase(timing.tls_ms)),
        ("ms", ttfb.into()),
    ];
    problem(
        SLOW,
        &[("ms", ttfb.into()), ("limit", POOR_TTFB_MS.into())],
        FixDraft::instruction(FixTarget::Page, PHASES, &values),
    )
    .fail()
}
