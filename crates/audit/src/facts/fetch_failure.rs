//! What a failed request is called in a sentence, by the step that failed.

use model::lang::{Text, text};

/// The sentence for the reason of a `FetchFailure`, about the place `{url}`.
pub(crate) fn sentence(reason: &str) -> Text {
    match reason {
        "dns" => {
            text("{url} can't be reached: the DNS lookup failed.", "{url} está inacessível: a consulta DNS falhou.")
        }
        "connect" => {
            text("{url} can't be reached: the connection failed.", "{url} está inacessível: a conexão falhou.")
        }
        "cert_expired" => text(
            "{url} can't be reached: its TLS certificate has expired.",
            "{url} está inacessível: o certificado TLS expirou.",
        ),
        "cert_not_yet_valid" => text(
            "{url} can't be reached: its TLS certificate is not valid yet.",
            "{url} está inacessível: o certificado TLS ainda não é válido.",
        ),
        "cert_name_mismatch" => text(
            "{url} can't be reached: its TLS certificate is for another host name.",
            "{url} está inacessível: o certificado TLS é de outro host.",
        ),
        "cert_untrusted" => text(
            "{url} can't be reached: the issuer of its TLS certificate is not trusted.",
            "{url} está inacessível: o emissor do certificado TLS não é confiável.",
        ),
        "tls" | "tls_version" | "tls_handshake" => {
            text("{url} can't be reached: the TLS handshake failed.", "{url} está inacessível: o handshake TLS falhou.")
        }
        "first_byte" | "headers" => text(
            "{url} can't be reached: the server did not answer in time.",
            "{url} está inacessível: o servidor não respondeu a tempo.",
        ),
        "headers_too_large" => text(
            "{url} can't be reached: its response headers are too large.",
            "{url} está inacessível: os cabeçalhos da resposta são grandes demais.",
        ),
        "protocol" => text(
            "{url} can't be reached: its response is not valid HTTP.",
            "{url} está inacessível: a resposta não é HTTP válido.",
        ),
        "redirect_loop" | "too_many_redirects" => text(
            "{url} can't be reached: its redirects don't end.",
            "{url} está inacessível: os redirecionamentos não terminam.",
        ),
        _ => text("{url} can't be reached.", "{url} está inacessível."),
    }
}

/// What to look at, by the same reason.
pub(crate) fn advice(reason: &str) -> Text {
    match reason {
        "dns" => text(
            "Check the DNS records of the host name, or correct the host name in the URL.",
            "Verifique os registros DNS do host ou corrija o nome do host na URL.",
        ),
        "cert_expired" | "cert_not_yet_valid" | "cert_name_mismatch" | "cert_untrusted" => text(
            "Install a valid certificate for this host name, with its whole chain, and renew it automatically.",
            "Instale um certificado válido para este host, com a cadeia completa, e renove-o automaticamente.",
        ),
        "tls" | "tls_version" | "tls_handshake" => {
            text("Enable TLS 1.2 or 1.3 in the web server.", "Ative o TLS 1.2 ou 1.3 no servidor web.")
        }
        _ => text(
            "Check that the web server runs and can be reached from the internet, and read its error log.",
            "Verifique se o servidor web está no ar e acessível pela internet, e leia o log de erros dele.",
        ),
    }
}
