//! Pages that give no response.

use crate::check::prelude::*;
use crate::page_facts::PageRole;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "unresponsive_pages",
    severity: Severity::Error,
    title: text("Pages that don't respond", "Páginas que não respondem"),
    why: text(
        "Visitors can't open them. Search engines treat them as server errors: they crawl more slowly and drop these pages.",
        "Os visitantes não conseguem abri-las. Os buscadores as tratam como erros de servidor: reduzem o ritmo de rastreamento e removem essas páginas.",
    ),
    how: text(
        "Open these addresses, look them up in the logs of your server and of its firewall, and correct the cause.",
        "Abra esses endereços, procure-os nos logs do servidor e do firewall e corrija a causa.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors",
    rule: text(
        "Fails when an address of the site gives no response: a timeout, a refused or reset connection, a failed TLS handshake, or invalid HTTP. Failures on our side don't count.",
        "Falha quando um endereço do site não responde: tempo esgotado, conexão recusada ou interrompida, falha no handshake TLS, ou HTTP inválido. Falhas do nosso lado não contam.",
    ),
    message: text(
        "{cases} {cases|address doesn't|addresses don't} respond.",
        "{cases} {cases|endereço não responde|endereços não respondem}.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    let mut cases = Vec::new();
    for (id, page) in site.pages().filter(|(_, page)| page.role == PageRole::Page && !site.is_probe(page.url)) {
        let NodeAnswer::Failed(reason) = page.answer else { continue };
        if let Some(note) = sentence(&site.text(reason)) {
            cases.push(case(site.text(page.url), note, &[], site.link_places(id)));
        }
    }
    Ok(cases)
}

/// What happened, by the word of the fetching client; `None` where the failure is ours.
fn sentence(reason: &str) -> Option<Text> {
    Some(match reason {
        "defect" | "address" | "redirect_not_allowed" | "port" | "connections" | "descriptors" | "overloaded" => {
            return None;
        }
        "dns" => text("The host name could not be resolved.", "O nome do host não pôde ser resolvido."),
        "connect" => text("The connection was refused or timed out.", "A conexão foi recusada ou o tempo se esgotou."),
        "tls" | "tls_handshake" | "tls_version" => text("The TLS handshake failed.", "O handshake TLS falhou."),
        "cert_expired" | "cert_not_yet_valid" | "cert_name_mismatch" | "cert_untrusted" => {
            text("The certificate is not valid.", "O certificado não é válido.")
        }
        "first_byte" => text("The response timed out.", "O tempo de resposta se esgotou."),
        "headers" => {
            text("The response headers did not arrive in time.", "Os cabeçalhos da resposta não chegaram a tempo.")
        }
        "headers_too_large" => {
            text("The response headers are too large.", "Os cabeçalhos da resposta são grandes demais.")
        }
        "protocol" => text(
            "The connection was closed or the response is not valid HTTP.",
            "A conexão foi encerrada ou a resposta não é HTTP válido.",
        ),
        _ => text("No response arrived.", "Nenhuma resposta chegou."),
    })
}
