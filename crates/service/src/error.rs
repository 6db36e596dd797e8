//! Everything a caller can be refused with: one table of codes, one shape on the wire.

mod codes;
mod next;

use model::capture::{FailureKind, FetchFailure};
use model::lang::{Lang, Phrase, Text, text};
use serde_json::{Map, Value};

pub use codes::Code;

/// What a handler fails with: `{error, detail?, code}` and what the code adds. Small, as every result carries it.
#[derive(Debug, Clone)]
pub struct ServiceError {
    /// Which refusal.
    pub code: Code,
    /// What exactly; begins with the field or the word that the contract names.
    pub detail: Option<Box<Phrase>>,
    /// Seconds until the same call may succeed.
    pub retry_after: Option<u32>,
    /// What few refusals have.
    pub more: Option<Box<More>>,
}

/// What few refusals have.
#[derive(Debug, Clone, Default)]
pub struct More {
    /// More fields of the answer (`accepts`, `blocked`).
    pub fields: Map<String, Value>,
    /// What the owner of a target that blocked us can do; answered as `blocked.fix`.
    pub fix: Option<Phrase>,
    /// What would be accepted as payment, as version 2 of x402 has it.
    pub offer: Option<Value>,
    /// What became of a payment that was refused by the chain.
    pub receipt: Option<Receipt>,
    /// What is left of the day's free audits.
    pub allowance: Option<DayAllowance>,
    /// The caller's session is over: a browser is to forget its cookie.
    pub ends_session: bool,
}

/// What became of a payment, for its payer: the transaction, or why there is none.
#[derive(Debug, Clone, PartialEq)]
pub struct Receipt {
    /// Version of x402 in which the payer speaks.
    pub version: i64,
    /// The settlement response of x402.
    pub content: Value,
}

/// What is left of a network's free audits today.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayAllowance {
    /// Free audits of a day.
    pub limit: u32,
    /// Those that are left.
    pub remaining: u32,
    /// Seconds until the next day, UTC.
    pub resets_in: u32,
}

impl ServiceError {
    /// A bare refusal.
    pub fn new(code: Code) -> Self {
        Self { code, detail: None, retry_after: None, more: None }
    }

    /// With what exactly, the same in both languages: a field, a word of the contract.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(Box::new(Phrase::verbatim(detail)));
        self
    }

    /// With a sentence on what exactly.
    #[must_use]
    pub fn explained(mut self, detail: Phrase) -> Self {
        self.detail = Some(Box::new(detail));
        self
    }

    /// With the seconds until the same call may succeed.
    #[must_use]
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// With one more field.
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

    /// With what would be accepted as payment, as version 2 of x402 has it.
    #[must_use]
    pub fn offering(mut self, offer: Value) -> Self {
        self.more.get_or_insert_default().offer = Some(offer);
        self
    }

    /// With what became of the payment.
    #[must_use]
    pub(crate) fn with_receipt(mut self, receipt: Receipt) -> Self {
        self.more.get_or_insert_default().receipt = Some(receipt);
        self
    }

    /// With what is left of the day's free audits.
    #[must_use]
    pub(crate) fn with_allowance(mut self, allowance: DayAllowance) -> Self {
        self.more.get_or_insert_default().allowance = Some(allowance);
        self
    }

    /// Because the caller's session is over.
    #[must_use]
    pub fn ending_session(mut self) -> Self {
        self.more.get_or_insert_default().ends_session = true;
        self
    }

    /// As a sentence or two, on one line.
    pub fn told(&self, lang: Lang) -> String {
        let said = self.code.sentence().in_lang(lang);
        let said = match &self.detail {
            Some(detail) => format!("{} ({}).", said.trim_end_matches('.'), detail.in_lang(lang)),
            None => said.to_owned(),
        };
        match self.more.as_ref().and_then(|more| more.fix.as_ref()) {
            Some(fix) => format!("{said} {}", fix.in_lang(lang)),
            None => said,
        }
    }

    /// The body in `lang`.
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
            // One fixed sentence: neither the address nor how it was found.
            FailureKind::AddressNotAllowed => Self::new(Code::AddressNotAllowed),
            FailureKind::RedirectNotAllowed => Self::new(Code::RedirectNotAllowed).detail(hops()),
            FailureKind::Unreachable => Self::new(Code::TargetUnreachable).detail(failure.reason),
            FailureKind::Timeout => Self::new(Code::TargetTimeout).detail(failure.reason),
            FailureKind::TargetBusy => Self::new(Code::TargetBusy).retry_after(5),
        }
    }
}

/// What is wrong with a URL: the word of the contract, then what to do.
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
