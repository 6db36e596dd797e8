//! How the page's bytes are delivered: compressed, and soon.

use model::capture::Coding;

use crate::check::prelude::*;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "delivery",
    category: Category::Performance,
    landing: LANDING,
    checks: &[COMPRESSION_MISSING, RESPONSE_SLOW, CACHE_HEADERS_MISSING],
};

const LANDING: Landing = Landing {
    title: text("TTFB, gzip and caching checker", "Verificador de TTFB, gzip e cache"),
    h1: text("Does your server send the page fast and small?", "Seu servidor envia a página rápido e compacta?"),
    description: text(
        "Measures the time to the first byte of a page, what compression would save, and whether its copy can be checked.",
        "Mede o tempo até o primeiro byte de uma página, o que a compressão pouparia e se a cópia dela pode ser conferida.",
    ),
    lead: text(
        "Before a browser can do anything, the server must answer, and every byte must arrive. Here it shows how long that took from one place, and what could be spared.",
        "Antes que o navegador possa fazer algo, o servidor precisa responder e cada byte precisa chegar. Aqui se vê quanto isso levou a partir de um lugar e o que poderia ser poupado.",
    ),
    example: include_str!("delivery/bad_slow.http"),
};

const COMPRESSION_MISSING: Check = Check {
    code: "compression_missing",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("Page sent uncompressed", "Página enviada sem compressão"),
    why: text(
        "HTML shrinks to about a quarter when compressed; every visitor and crawler waits for the rest.",
        "HTML comprimido fica com cerca de um quarto do tamanho; todo visitante e robô espera pelo resto.",
    ),
    how: text(
        "Turn on gzip or Brotli for `text/html` at the web server or CDN.",
        "Ative gzip ou Brotli para `text/html` no servidor web ou na CDN.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc9110#section-8.4",
    rule: text(
        "Fails when an HTML document of more than 1,400 bytes comes without a content coding, although gzip, br, zstd and deflate were offered. Smaller ones fit into one packet anyway. Not measured on supplied HTML.",
        "Falha quando um documento HTML de mais de 1.400 bytes vem sem codificação de conteúdo, embora gzip, br, zstd e deflate tenham sido oferecidos. Os menores cabem em um pacote de qualquer forma. Não é medido em HTML fornecido.",
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
    title: text("Server answers slowly", "Servidor responde devagar"),
    why: text(
        "Nothing can be shown before the first byte. Crawlers also fetch fewer pages from a slow server.",
        "Nada pode ser mostrado antes do primeiro byte. Os robôs também buscam menos páginas de um servidor lento.",
    ),
    how: text(
        "Cache the page, look for slow queries behind it, and serve it from near its readers.",
        "Guarde a página em cache, procure consultas lentas por trás dela e sirva-a de perto dos leitores.",
    ),
    reference: "https://web.dev/articles/ttfb",
    rule: text(
        "Fails when the first byte of the final response came more than 1,800 ms after it was asked for. It is one sample from one place, which the message says; up to 1,800 ms the time is in the summary only.",
        "Falha quando o primeiro byte da resposta final veio mais de 1.800 ms depois do pedido. É uma amostra de um só lugar, e a mensagem diz isso; até 1.800 ms o tempo fica só no resumo.",
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
    title: text("Copies of the page can't be checked", "Cópias da página não podem ser conferidas"),
    why: text(
        "Crawlers and browsers that come again must fetch the whole page anew, since they can't ask whether it has changed.",
        "Robôs e navegadores que voltam precisam buscar a página inteira de novo, pois não podem perguntar se ela mudou.",
    ),
    how: text(
        "Send `ETag` or `Last-Modified`, and a `Cache-Control` that says how long a copy may be used.",
        "Envie `ETag` ou `Last-Modified`, e um `Cache-Control` que diga por quanto tempo uma cópia pode ser usada.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc9111#section-4",
    rule: text(
        "Fails when the final response has none of `Cache-Control`, `Expires`, `ETag` and `Last-Modified`. Any of them passes, `no-store` too: that is a decision. Not measured on supplied HTML.",
        "Falha quando a resposta final não tem nenhum de `Cache-Control`, `Expires`, `ETag` e `Last-Modified`. Qualquer um deles passa, `no-store` também: é uma decisão. Não é medido em HTML fornecido.",
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
        "The page was sent as {bytes} bytes without compression; gzip makes them {gzip}.",
        "A página foi enviada com {bytes} bytes sem compressão; com gzip seriam {gzip}.",
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
        "The response has neither Cache-Control nor Expires, ETag or Last-Modified.",
        "A resposta não tem Cache-Control nem Expires, ETag ou Last-Modified.",
    );
    const LINES: Text = text(
        "Send {line} and an ETag; then a copy is asked about, and sent again only when it has changed.",
        "Envie {line} e um ETag; assim pergunta-se pela cópia, e ela só é reenviada quando mudou.",
    );
    let values = [("line", "Cache-Control: no-cache".into())];
    problem(NONE, &[], FixDraft::instruction(FixTarget::Page, LINES, &values)).fail()
}

/// Size after gzip at the level of a web server that was told nothing else (nginx, `gzip_comp_level`).
fn gzip_size(bytes: &[u8]) -> usize {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    // Writing to memory has no errors to report.
    encoder.write_all(bytes).and_then(|()| encoder.finish()).map_or(bytes.len(), |packed| packed.len())
}

/// Fails when the first byte took longer than web.dev calls poor. One sample from one place.
fn response_slow(facts: &Facts<'_>) -> Verdict {
    let timing = &facts.measured_response()?.timing;
    let Some(ttfb) = timing.ttfb_ms else { return Err(NotMeasured::Offline) };
    if ttfb <= POOR_TTFB_MS {
        return PASS;
    }
    const SLOW: Text = text(
        "The first byte came after {ms} ms (one sample, from one place); over {limit} ms is poor.",
        "O primeiro byte veio depois de {ms} ms (uma amostra, de um só lugar); acima de {limit} ms é ruim.",
    );
    const PHASES: Text = text(
        "DNS {dns} ms, connect {connect} ms, TLS {tls} ms, waiting {ms} ms: begin with the longest.",
        "DNS {dns} ms, conexão {connect} ms, TLS {tls} ms, espera {ms} ms: comece pela maior.",
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
