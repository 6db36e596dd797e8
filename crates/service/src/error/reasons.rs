//! Why a page gave no response, in sentences for people: what happened, why, what to do. The words they are chosen by are
//! those of the fetching client, which programs get as `detail`.

use model::capture::{FailureKind, FetchFailure};
use model::lang::{Text, text};

/// The sentence for a failure; `None` where that of its code is enough.
pub(super) fn sentence(failure: &FetchFailure) -> Option<Text> {
    match failure.kind {
        FailureKind::InvalidUrl => Some(url_sentence(&failure.reason)),
        FailureKind::Unreachable => unreachable(&failure.reason, &failure.url),
        FailureKind::Timeout => late(&failure.reason),
        FailureKind::AddressNotAllowed
        | FailureKind::RedirectNotAllowed
        | FailureKind::TargetBusy
        | FailureKind::OwnLimit => None,
    }
}

fn unreachable(reason: &str, url: &str) -> Option<Text> {
    Some(match reason {
        "dns" => text(
            "The site's host name could not be resolved. Check the spelling. A new domain can take a few hours to work.",
            "O nome do host não pôde ser resolvido. Confira a grafia. Um domínio novo pode levar algumas horas para funcionar.",
        ),
        "connect" if url.starts_with("https:") => text(
            "The site refused the https connection. Check the address, or start it with http:// if the site has no https.",
            "O site recusou a conexão https. Confira o endereço, ou comece-o com http:// se o site não tem https.",
        ),
        "connect" => text(
            "The site refused the connection. Check the address and its port, or try again later.",
            "O site recusou a conexão. Confira o endereço e a porta, ou tente de novo mais tarde.",
        ),
        "tls_handshake" => text(
            "The site's TLS handshake failed. Check its TLS settings, or start the address with http:// if the site has no https.",
            "O handshake TLS do site falhou. Confira as configurações de TLS, ou comece o endereço com http:// se o site não tem https.",
        ),
        "tls_version" => text(
            "The site's TLS is older than version 1.2. Enable TLS 1.2 or 1.3 on its server.",
            "O TLS do site é anterior à versão 1.2. Ative o TLS 1.2 ou 1.3 no servidor.",
        ),
        "cert_expired" => text(
            "The site's certificate has expired. Renew it, then audit again.",
            "O certificado do site expirou. Renove-o e audite de novo.",
        ),
        "cert_not_yet_valid" => text(
            "The site's certificate is not valid yet. Check its dates and the clock of the server.",
            "O certificado do site ainda não é válido. Confira as datas dele e o relógio do servidor.",
        ),
        "cert_name_mismatch" => text(
            "The site's certificate is for a different host name. Get one for this name, or check the address.",
            "O certificado do site é de outro host. Obtenha um para este nome, ou confira o endereço.",
        ),
        "cert_untrusted" => text(
            "The site's certificate is not trusted. Use one from a public certificate authority, and send its whole chain.",
            "O certificado do site não é confiável. Use um de uma autoridade certificadora pública e envie a cadeia completa.",
        ),
        "protocol" => text(
            "The site's response is not valid HTTP. Check the address and its port.",
            "A resposta do site não é HTTP válido. Confira o endereço e a porta.",
        ),
        "headers_too_large" => text(
            "The site's response headers are too large. Make them shorter, starting with cookies.",
            "Os cabeçalhos da resposta do site são grandes demais. Reduza-os, começando pelos cookies.",
        ),
        "redirect_loop" => text(
            "The site's redirects form a loop. Correct them, then audit again.",
            "Os redirecionamentos do site formam um ciclo. Corrija-os e audite de novo.",
        ),
        "too_many_redirects" => text(
            "The site redirects too many times. Link to the final address, then audit again.",
            "O site redireciona vezes demais. Aponte para o endereço final e audite de novo.",
        ),
        _ => return None,
    })
}

fn late(phase: &str) -> Option<Text> {
    Some(match phase {
        "dns" => text(
            "The site's name servers did not respond in time. Check them, or try again later.",
            "Os servidores de nomes do site não responderam a tempo. Confira-os, ou tente de novo mais tarde.",
        ),
        "connect" => text(
            "The connection to the site timed out. Check the address and the site's firewall, or try again later.",
            "A conexão com o site expirou. Confira o endereço e o firewall do site, ou tente de novo mais tarde.",
        ),
        "tls" => text(
            "The site did not finish its TLS handshake in time. Try again later.",
            "O site não concluiu o handshake TLS a tempo. Tente de novo mais tarde.",
        ),
        "first_byte" => text(
            "The site accepted the connection but did not respond in time. Try again later.",
            "O site aceitou a conexão, mas não respondeu a tempo. Tente de novo mais tarde.",
        ),
        "headers" => text(
            "The site started to respond but did not finish its headers in time. Try again later.",
            "O site começou a responder, mas não terminou os cabeçalhos a tempo. Tente de novo mais tarde.",
        ),
        _ => return None,
    })
}

/// Why an address can't be audited as it is written.
fn url_sentence(reason: &str) -> Text {
    match reason {
        "scheme" => text(
            "Only addresses that start with http:// or https:// can be audited.",
            "Só endereços que começam com http:// ou https:// podem ser auditados.",
        ),
        "userinfo" => text(
            "The address contains a user name or a password. Remove them.",
            "O endereço contém usuário ou senha. Remova-os.",
        ),
        "control_character" => text(
            "The address contains a tab, a line break or another control character. Remove it.",
            "O endereço contém tabulação, quebra de linha ou outro caractere de controle. Remova-o.",
        ),
        "too_long" => text(
            "The address is longer than 2,048 bytes. Use a shorter one.",
            "O endereço tem mais de 2.048 bytes. Use um mais curto.",
        ),
        "port" => text(
            "This server does not audit this port. Remove it, or use an allowed one.",
            "Este servidor não audita esta porta. Retire-a, ou use uma permitida.",
        ),
        "host" => text(
            "The address has an invalid host name. Check the spelling.",
            "O endereço tem um nome de host inválido. Confira a grafia.",
        ),
        _ => text("That is not a valid URL. Check the address.", "Esta não é uma URL válida. Confira o endereço."),
    }
}

/// The same for programs: a stable word, then what the field takes.
pub(super) fn url_detail(reason: &str) -> Text {
    match reason {
        "scheme" => {
            text("scheme: url must start with http:// or https://", "scheme: url deve começar com http:// ou https://")
        }
        "userinfo" => text(
            "userinfo: url must not contain a user name or password",
            "userinfo: url não pode conter usuário nem senha",
        ),
        "control_character" => text(
            "control_character: url must not contain a tab, line break or other control character",
            "control_character: url não pode conter tabulação, quebra de linha nem outro caractere de controle",
        ),
        "too_long" => text(
            "too_long: url can have at most 2,048 bytes, as typed and percent-encoded",
            "too_long: url pode ter no máximo 2.048 bytes, como digitada e com percent-encoding",
        ),
        "port" => {
            text("port: this server does not audit the port of url", "port: este servidor não audita a porta de url")
        }
        "host" => text(
            "host: the host of url is not a valid host name (labels of 1 to 63 bytes, 253 in total)",
            "host: o host de url não é um nome de host válido (rótulos de 1 a 63 bytes, 253 no total)",
        ),
        _ => text("syntax: url is not a valid URL", "syntax: url não é uma URL válida"),
    }
}
