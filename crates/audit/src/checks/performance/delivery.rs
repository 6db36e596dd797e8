//! How the page's bytes are delivered: compressed, and soon.

use model::capture::Coding;

use crate::check::prelude::*;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "delivery",
    category: Category::Performance,
    landing: Landing::TO_WRITE,
    checks: &[COMPRESSION_MISSING, RESPONSE_SLOW],
};

const COMPRESSION_MISSING: Check = Check {
    code: "compression_missing",
    severity: Severity::Warn,
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
    rule: text("Fails on HTML over one packet without a content coding, although several were offered.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: compression_missing,
};

const RESPONSE_SLOW: Check = Check {
    code: "server_response_slow",
    severity: Severity::Warn,
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
    rule: text("Fails when the first byte took longer than web.dev calls poor. One sample from one place.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: response_slow,
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
    fail(PLAIN, &[("bytes", bytes.len().into()), ("gzip", gzip_size(bytes).into())], fix)
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
    fail(
        SLOW,
        &[("ms", ttfb.into()), ("limit", POOR_TTFB_MS.into())],
        FixDraft::instruction(FixTarget::Page, PHASES, &values),
    )
}
