//! Why a page has no report: the API's errors, with remedies for the command line.

use model::capture::{FailureKind, FetchFailure};
use model::lang::{Lang, Phrase, Text, text};
use render::format::Unaudited;

use engine::AuditFailure;
use service::audits;
use service::error::{Code, ServiceError};

const LIFT: Text = text(
    "--allow-private lifts this for your own machines",
    "--allow-private libera isto para as suas próprias máquinas",
);

/// Why a page has no report, where its audit failed.
pub(super) fn unaudited(failure: AuditFailure) -> Unaudited {
    shown(&of_audit(failure))
}

/// Why a page has no report, where it gave no response.
pub(super) fn unfetched(failure: FetchFailure) -> Unaudited {
    shown(&of_fetch(failure))
}

/// An error as formats show it.
fn shown(error: &ServiceError) -> Unaudited {
    Unaudited {
        code: error.code.wire(),
        message: Phrase { en: error.message(Lang::En), pt: error.message(Lang::PtBr) },
        fields_en: error.body(Lang::En),
        fields_pt: error.body(Lang::PtBr),
    }
}

/// The API error of a failed audit.
fn of_audit(failure: AuditFailure) -> ServiceError {
    const FEWER: Text =
        text("audit fewer pages at once, with --jobs", "audite menos páginas ao mesmo tempo, com --jobs");
    match failure {
        AuditFailure::Fetch(failure) => of_fetch(failure),
        AuditFailure::Blocked(blocked) => audits::blocked_error(&blocked),
        AuditFailure::Overloaded => ServiceError::new(Code::Overloaded).explained(FEWER.into()),
        AuditFailure::Defect => ServiceError::new(Code::Internal),
    }
}

/// The API error of a page without a response. Its detail begins as in the API.
fn of_fetch(failure: FetchFailure) -> ServiceError {
    let (gap, more) = match failure.kind {
        FailureKind::AddressNotAllowed | FailureKind::RedirectNotAllowed => ("; ", Some(LIFT)),
        FailureKind::InvalidUrl => ("; ", (failure.reason == "port").then_some(LIFT)),
        FailureKind::Unreachable => (": ", unreachable(&failure.reason)),
        FailureKind::Timeout => (": ", late(&failure.reason)),
        FailureKind::TargetBusy => ("", None),
    };
    let mut error = ServiceError::from(failure);
    let Some(more) = more else { return error };
    let detail = match error.detail.take() {
        Some(before) => {
            Phrase { en: format!("{}{gap}{}", before.en, more.en), pt: format!("{}{gap}{}", before.pt, more.pt) }
        }
        None => more.into(),
    };
    error.explained(detail)
}

/// The explanation of a reason of `target_unreachable`.
fn unreachable(reason: &str) -> Option<Text> {
    Some(match reason {
        "dns" => text("the name has no address", "o nome não tem endereço"),
        "connect" => text("no connection could be made", "não foi possível conectar"),
        "tls_handshake" => {
            text("no secure connection could be agreed on", "não foi possível combinar uma conexão segura")
        }
        "tls_version" => text("the server's TLS is older than 1.2", "o TLS do servidor é anterior ao 1.2"),
        "cert_expired" => text("the certificate has expired", "o certificado expirou"),
        "cert_not_yet_valid" => text("the certificate is not valid yet", "o certificado ainda não é válido"),
        "cert_name_mismatch" => text("the certificate is for another name", "o certificado é de outro nome"),
        "cert_untrusted" => text("the certificate's issuer is not trusted", "o emissor do certificado não é confiável"),
        "protocol" => text("the answer is not valid HTTP", "a resposta não é HTTP válido"),
        "headers_too_large" => text("the response head is too large", "o cabeçalho da resposta é grande demais"),
        "redirect_loop" => text("the redirects lead in a circle", "os redirecionamentos dão voltas"),
        "too_many_redirects" => text("there are too many redirects", "há redirecionamentos demais"),
        _ => return None,
    })
}

/// The explanation of a phase of `target_timeout`.
fn late(phase: &str) -> Option<Text> {
    Some(match phase {
        "dns" => text("while the name was looked up", "durante a consulta do nome"),
        "connect" => text("while connecting", "durante a conexão"),
        "tls" => text("while TLS was agreed on", "durante o acordo de TLS"),
        "first_byte" => text("before the first byte", "antes do primeiro byte"),
        "headers" => text("before the end of the headers", "antes do fim dos cabeçalhos"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use audit::Blocked;

    fn message(kind: FailureKind, reason: &str, lang: Lang) -> String {
        let failure = FetchFailure { kind, reason: reason.to_owned(), hops: Vec::new(), url: String::new() };
        of_fetch(failure).message(lang)
    }

    #[test]
    fn a_failure_says_what_happened_and_what_to_do() {
        assert_eq!(
            message(FailureKind::AddressNotAllowed, "address", Lang::En),
            "The host is not on the public internet (--allow-private lifts this for your own machines)."
        );
        assert_eq!(
            message(FailureKind::Unreachable, "dns", Lang::PtBr),
            "O endereço não deu resposta utilizável (dns: o nome não tem endereço)."
        );
        assert!(message(FailureKind::InvalidUrl, "port", Lang::En).contains("don't go to; --allow-private"));
        assert!(!message(FailureKind::InvalidUrl, "syntax", Lang::En).contains("--allow-private"));
    }

    #[test]
    fn a_blocked_audit_says_what_the_owner_of_the_target_can_do() {
        let blocked = Blocked { vendor: "Cloudflare".to_owned(), status: 403, rate_limited: false };
        let error = of_audit(AuditFailure::Blocked(blocked));
        assert!(error.message(Lang::En).ends_with("in the firewall (Cloudflare), then audit again."));
        assert_eq!(error.body(Lang::En)["blocked"]["status"], 403);
    }

    #[test]
    fn a_limit_without_a_name_is_worded_in_both_languages() {
        let blocked = Blocked { vendor: "unknown".to_owned(), status: 429, rate_limited: true };
        let error = of_audit(AuditFailure::Blocked(blocked));
        assert!(error.message(Lang::En).contains("(429, from nobody known)."));
        assert!(error.message(Lang::PtBr).contains("(429, de ninguém conhecido)."));
        assert_eq!(error.body(Lang::PtBr)["blocked"]["vendor"], "unknown", "the word on the wire is stable");
    }
}
