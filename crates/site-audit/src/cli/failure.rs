//! Why a page has no report: the API's errors, with remedies for the command line.

use model::capture::{FailureKind, FetchFailure};
use model::lang::{Lang, Phrase, Text, text};
use render::format::Unaudited;

use engine::AuditFailure;
use service::audits;
use service::error::{Code, ServiceError};

const LIFT: Text = text(
    "To audit your own machines, run it again with --allow-private.",
    "Para auditar as suas próprias máquinas, rode de novo com --allow-private.",
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
    const FEWER: Text = text("audit fewer pages at once with --jobs", "audite menos páginas ao mesmo tempo com --jobs");
    match failure {
        AuditFailure::Fetch(failure) => of_fetch(failure),
        AuditFailure::Blocked(blocked) => audits::blocked_error(&blocked),
        AuditFailure::Overloaded => ServiceError::new(Code::Overloaded).explained(FEWER.into()),
        AuditFailure::Defect => ServiceError::new(Code::Internal),
    }
}

/// The API error of a page without a response, with the option that lifts a rule of ours.
fn of_fetch(failure: FetchFailure) -> ServiceError {
    let is_lifted = match failure.kind {
        FailureKind::AddressNotAllowed | FailureKind::RedirectNotAllowed => true,
        FailureKind::InvalidUrl => failure.reason == "port",
        FailureKind::Unreachable | FailureKind::Timeout | FailureKind::TargetBusy | FailureKind::OwnLimit => false,
    };
    let mut error = ServiceError::from(failure);
    if !is_lifted {
        return error;
    }
    if error.detail.is_none() {
        let sentence = error.sentence();
        error = error.saying(sentence).explained(LIFT.into());
    }
    error.fix(LIFT.into())
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
        let address = message(FailureKind::AddressNotAllowed, "address", Lang::En);
        assert!(address.ends_with(". To audit your own machines, run it again with --allow-private."), "{address}");
        assert!(!address.contains('('), "{address}");
        assert!(
            message(FailureKind::Unreachable, "dns", Lang::PtBr).starts_with("O nome do host não pôde ser resolvido.")
        );
        assert!(message(FailureKind::InvalidUrl, "port", Lang::En).contains("--allow-private"));
        assert!(!message(FailureKind::InvalidUrl, "syntax", Lang::En).contains("--allow-private"));
    }

    #[test]
    fn a_blocked_audit_says_what_the_owner_of_the_target_can_do() {
        let blocked = Blocked { vendor: "Cloudflare".to_owned(), status: 403, rate_limited: false };
        let error = of_audit(AuditFailure::Blocked(blocked));
        assert!(error.message(Lang::En).ends_with("in the Cloudflare firewall, then audit again."));
        assert_eq!(error.body(Lang::En)["blocked"]["status"], 403);
    }

    #[test]
    fn a_limit_without_a_name_is_worded_in_both_languages() {
        let blocked = Blocked { vendor: "unknown".to_owned(), status: 429, rate_limited: true };
        let error = of_audit(AuditFailure::Blocked(blocked));
        assert!(error.message(Lang::En).contains("Status 429, from an unknown firewall."));
        assert!(error.message(Lang::PtBr).contains("Status 429, de um firewall desconhecido."));
        assert_eq!(error.body(Lang::PtBr)["blocked"]["vendor"], "unknown", "the word on the wire is stable");
    }
}
