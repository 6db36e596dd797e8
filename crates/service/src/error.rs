//! Errors of use cases: a code of the table, details, and their JSON body.

mod codes;
mod next;

use model::capture::{FailureKind, FetchFailure};
use model::lang::{Lang, Phrase, text};
use serde_json::{Map, Value};

pub use codes::Code;

/// Error of a use case: `{error, detail?, code}` and what the code adds. Small, as every result carries it.
#[derive(Debug, Clone)]
pub struct ServiceError {
    /// The error code.
    pub code: Code,
    /// Detail; begins with the field's name, or with a stable word such as `scheme`.
    pub detail: Option<Box<Phrase>>,
    /// Seconds until a retry may succeed.
    pub retry_after: Option<u32>,
    /// Rare additions, boxed.
    pub more: Option<Box<More>>,
}

/// Rare additions to an error.
#[derive(Debug, Clone, Default)]
pub struct More {
    /// More fields of the body (`accepts`, `blocked`).
    pub fields: Map<String, Value>,
    /// What the owner of a blocking target can do; the body's `blocked.fix`.
    pub fix: Option<Phrase>,
    /// Payment requirements, in version 2 of x402.
    pub offer: Option<Value>,
    /// Receipt of a payment that the chain rejected.
    pub receipt: Option<PaymentReceipt>,
    /// The day's allowance of free audits.
    pub allowance: Option<DayAllowance>,
    /// The caller's session ended: the browser's cookie is to be deleted.
    pub ends_session: bool,
}

/// Receipt of a payment: the transaction, or why it failed.
#[derive(Debug, Clone, PartialEq)]
pub struct PaymentReceipt {
    /// The payer's version of x402.
    pub version: i64,
    /// Settlement response of x402.
    pub content: Value,
}

/// A network's allowance of free audits today.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayAllowance {
    /// Free audits of a day.
    pub limit: u32,
    /// Free audits left.
    pub remaining: u32,
    /// Seconds until the next day, UTC.
    pub resets_in: u32,
}

impl ServiceError {
    /// An error without detail.
    pub fn new(code: Code) -> Self {
        Self { code, detail: None, retry_after: None, more: None }
    }

    /// With a detail that is not translated: a field's name, a stable word.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(Box::new(Phrase::verbatim(detail)));
        self
    }

    /// With a detail in both languages.
    #[must_use]
    pub fn explained(mut self, detail: Phrase) -> Self {
        self.detail = Some(Box::new(detail));
        self
    }

    /// With the seconds until a retry may succeed.
    #[must_use]
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// With one more field of the body.
    #[must_use]
    pub fn with(mut self, name: &str, value: Value) -> Self {
        self.more.get_or_insert_default().fields.insert(name.to_owned(), value);
        self
    }

    /// With what the owner of a target can do.
    #[must_use]
    pub fn fix(mut self, fix: Phrase) -> Self {
        self.more.get_or_insert_default().fix = Some(fix);
        self
    }

    /// With payment requirements, in version 2 of x402.
    #[must_use]
    pub fn offering(mut self, offer: Value) -> Self {
        self.more.get_or_insert_default().offer = Some(offer);
        self
    }

    /// With the receipt of the payment.
    #[must_use]
    pub(crate) fn with_receipt(mut self, receipt: PaymentReceipt) -> Self {
        self.more.get_or_insert_default().receipt = Some(receipt);
        self
    }

    /// With the day's allowance of free audits.
    #[must_use]
    pub(crate) fn with_allowance(mut self, allowance: DayAllowance) -> Self {
        self.more.get_or_insert_default().allowance = Some(allowance);
        self
    }

    /// With the end of the caller's session.
    #[must_use]
    pub fn ending_session(mut self) -> Self {
        self.more.get_or_insert_default().ends_session = true;
        self
    }

    /// Error, detail and fix on one line.
    pub fn message(&self, lang: Lang) -> String {
        let message = self.code.sentence().in_lang(lang);
        let message = match &self.detail {
            Some(detail) => format!("{} ({}).", message.trim_end_matches('.'), detail.in_lang(lang)),
            None => message.to_owned(),
        };
        match self.more.as_ref().and_then(|more| more.fix.as_ref()) {
            Some(fix) => format!("{message} {}", fix.in_lang(lang)),
            None => message,
        }
    }

    /// The JSON body in `lang`.
    pub fn body(&self, lang: Lang) -> Map<String, Value> {
        let mut body = Map::new();
        body.insert("error".to_owned(), self.code.sentence().in_lang(lang).into());
        if let Some(detail) = &self.detail {
            body.insert("detail".to_owned(), detail.in_lang(lang).into());
        }
        body.insert("code".to_owned(), self.code.wire().into());
        if let Some(seconds) = self.retry_after {
            body.insert("retry_after".to_owned(), seconds.into());
        }
        if let Some(next) = self.code.next() {
            let next = serde_json::json!({"operation": next.operation, "method": next.method, "path": next.path});
            body.insert("next".to_owned(), next);
        }
        let Some(more) = &self.more else { return body };
        body.extend(more.fields.clone());
        if let (Some(fix), Some(blocked)) = (&more.fix, body.get_mut("blocked").and_then(Value::as_object_mut)) {
            blocked.insert("fix".to_owned(), fix.in_lang(lang).into());
        }
        body
    }
}

impl From<FetchFailure> for ServiceError {
    fn from(failure: FetchFailure) -> Self {
        let hops = || {
            let way: Vec<&str> = failure.hops.iter().map(|hop| hop.url.as_str()).collect();
            way.join(" -> ")
        };
        match failure.kind {
            FailureKind::InvalidUrl => Self::new(Code::InvalidUrl).explained(url_problem(&failure.reason)),
            // A fixed sentence, which reveals neither the address nor how it was resolved.
            FailureKind::AddressNotAllowed => Self::new(Code::AddressNotAllowed),
            FailureKind::RedirectNotAllowed => Self::new(Code::RedirectNotAllowed).detail(hops()),
            FailureKind::Unreachable => Self::new(Code::TargetUnreachable).detail(failure.reason),
            FailureKind::Timeout => Self::new(Code::TargetTimeout).detail(failure.reason),
            FailureKind::TargetBusy => Self::new(Code::TargetBusy).retry_after(5),
        }
    }
}

/// Detail of an invalid URL: a stable word, then what to do.
fn url_problem(reason: &str) -> Phrase {
    let what = match reason {
        "scheme" => text("scheme: url begins with http:// or https://", "scheme: url começa com http:// ou https://"),
        "userinfo" => {
            text("userinfo: url holds no user name or password", "userinfo: url não contém usuário nem senha")
        }
        "control_character" => text(
            "control_character: url holds no tab, line end or other control character",
            "control_character: url não contém tabulação, fim de linha nem outro caractere de controle",
        ),
        "too_long" => text(
            "too_long: url is at most 2,048 bytes, as typed and percent-encoded",
            "too_long: url tem no máximo 2.048 bytes, como digitada e com percent-encoding",
        ),
        "port" => text(
            "port: url names a port that audits don't go to",
            "port: url nomeia uma porta para onde auditorias não vão",
        ),
        "host" => text(
            "host: the host of url is not a host name (labels of 1 to 63 bytes, 253 in all)",
            "host: o host de url não é um nome de host (rótulos de 1 a 63 bytes, 253 no total)",
        ),
        _ => text("syntax: url is not a URL", "syntax: url não é uma URL"),
    };
    what.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn codes_are_distinct_and_say_something_in_both_languages() {
        // `payment_used` is one word with two statuses: of a call, and of a credit that was delivered.
        let wires: HashSet<_> = Code::ALL.iter().map(|code| (code.wire(), code.status())).collect();
        assert_eq!(wires.len(), Code::ALL.len());
        for code in Code::ALL {
            let sentence = code.sentence();
            assert!(sentence.en.ends_with('.') && sentence.pt.ends_with('.') && sentence.en != sentence.pt, "{code:?}");
        }
    }

    #[test]
    fn a_refused_address_tells_nothing() {
        let failure = FetchFailure {
            kind: FailureKind::AddressNotAllowed,
            reason: "address".to_owned(),
            hops: Vec::new(),
            url: "http://10.0.0.1/".to_owned(),
        };
        let body = serde_json::to_string(&ServiceError::from(failure).body(Lang::En)).unwrap();
        assert!(!body.contains("10.0.0.1") && !body.contains("detail"), "{body}");
    }
}
