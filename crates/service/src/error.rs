//! Errors of use cases: a code of the table, details, and their JSON body.

mod codes;
mod next;
mod reasons;

use model::capture::{FailureKind, FetchFailure};
use model::lang::{Lang, Phrase, Text};
use serde_json::{Map, Value, json};

pub use codes::Code;
pub use next::{Next, OPERATIONS};

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
    /// The sentence for people, where it is more exact than the code's: it says what happened, why and what to do, so the
    /// detail is for programs.
    pub sentence: Option<Text>,
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
    /// The browser goes on without human verification for a while.
    pub pass: Option<BrowserPass>,
    /// Name of the operation that failed.
    pub operation: Option<&'static str>,
    /// The call that helps, where it is another than the code's.
    pub next: Option<Next>,
}

/// Proof that a browser is verified, for its cookie.
#[derive(Clone, PartialEq, Eq)]
pub struct BrowserPass {
    /// The cookie's value: digits, a dot, and base64url.
    pub value: String,
    /// How long it holds, in seconds.
    pub seconds: u32,
    /// Until when, in seconds since 1970-01-01 (UTC).
    pub until: i64,
}

impl std::fmt::Debug for BrowserPass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BrowserPass").field("until", &self.until).finish_non_exhaustive()
    }
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

    /// With a sentence for people that is more exact than the code's.
    #[must_use]
    pub fn saying(mut self, sentence: Text) -> Self {
        self.more.get_or_insert_default().sentence = Some(sentence);
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

    /// With a pass for a browser that nobody can verify at the moment.
    #[must_use]
    pub(crate) fn with_pass(mut self, pass: BrowserPass) -> Self {
        self.more.get_or_insert_default().pass = Some(pass);
        self
    }

    /// With the operation that failed, whose description the body names where the code suggests no other call.
    #[must_use]
    pub fn of_operation(mut self, name: &'static str) -> Self {
        self.more.get_or_insert_default().operation = Some(name);
        self
    }

    /// With the call that helps, where it is another than the code's.
    #[must_use]
    pub fn leading_to(mut self, next: Next) -> Self {
        self.more.get_or_insert_default().next = Some(next);
        self
    }

    /// With the end of the caller's session.
    #[must_use]
    pub fn ending_session(mut self) -> Self {
        self.more.get_or_insert_default().ends_session = true;
        self
    }

    /// The sentence for people.
    pub fn sentence(&self) -> Text {
        self.more.as_ref().and_then(|more| more.sentence).unwrap_or_else(|| self.code.sentence())
    }

    /// Error, detail and fix on one line, for logs, agents and the command line: the detail keeps the name of its field.
    pub fn message(&self, lang: Lang) -> String {
        self.with_fix(self.with_detail(lang, |detail| detail), lang)
    }

    /// Error, detail and fix on one line, for a person at a form: without the name of the field before the detail, and without
    /// words about bodies and parameters.
    pub fn message_for_person(&self, lang: Lang) -> String {
        let is_of_call = matches!(self.code, Code::InvalidBody | Code::InvalidParameter | Code::InvalidRequest);
        let explained = self.detail.as_ref().filter(|detail| is_of_call && detail.en != detail.pt);
        let message = match explained {
            Some(detail) => sentence_of(capitalized(without_field(detail.in_lang(lang)))),
            None => self.with_detail(lang, without_field),
        };
        self.with_fix(message, lang)
    }

    /// The sentence, followed by the detail where the sentence is not exact: a detail in words is a sentence of its own,
    /// and an untranslated one, such as a stable word, completes the first sentence.
    fn with_detail(&self, lang: Lang, shown: impl Fn(&str) -> &str) -> String {
        let sentence = self.sentence().in_lang(lang);
        let is_exact = self.more.as_ref().is_some_and(|more| more.sentence.is_some());
        let Some(detail) = self.detail.as_ref().filter(|_| !is_exact) else { return sentence.to_owned() };
        let shown = shown(detail.in_lang(lang));
        if detail.en == detail.pt {
            return match sentence.split_once(". ") {
                Some((first, rest)) => format!("{first}: {shown}. {rest}"),
                None => format!("{}: {shown}.", sentence.trim_end_matches('.')),
            };
        }
        let has_field = shown.split_once(": ").is_some_and(|(field, _)| is_field(field));
        let shown = if has_field { shown.to_owned() } else { capitalized(shown) };
        format!("{sentence} {}", sentence_of(shown))
    }

    fn with_fix(&self, message: String, lang: Lang) -> String {
        match self.more.as_ref().and_then(|more| more.fix.as_ref()) {
            Some(fix) => format!("{message} {}", fix.in_lang(lang)),
            None => message,
        }
    }

    /// The call that helps, and where it is described.
    fn next(&self) -> Option<Value> {
        if let Some(next) = self.more.as_ref().and_then(|more| more.next).or_else(|| self.code.next()) {
            let help = format!("{OPERATIONS}{}", next.operation);
            return Some(json!({"operation": next.operation, "method": next.method, "path": next.path, "help": help}));
        }
        let failed = self.more.as_ref()?.operation?;
        Some(json!({"operation": "get_operation", "method": "GET", "path": format!("{OPERATIONS}{failed}")}))
    }

    /// The JSON body in `lang`.
    pub fn body(&self, lang: Lang) -> Map<String, Value> {
        let mut body = Map::new();
        body.insert("error".to_owned(), self.sentence().in_lang(lang).into());
        if let Some(detail) = &self.detail {
            body.insert("detail".to_owned(), detail.in_lang(lang).into());
        }
        body.insert("code".to_owned(), self.code.wire().into());
        if let Some(seconds) = self.retry_after {
            body.insert("retry_after".to_owned(), seconds.into());
        }
        if let Some(next) = self.next() {
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

/// Whether the start of a detail is a field's name or a stable word, not the start of a sentence.
fn is_field(start: &str) -> bool {
    !start.contains(' ')
}

/// A detail without the field that it is about.
fn without_field(detail: &str) -> &str {
    match detail.split_once(": ") {
        Some((field, explanation)) if is_field(field) => explanation,
        _ => detail,
    }
}

/// A text as a sentence, which has an end.
fn sentence_of(text: String) -> String {
    if text.ends_with(['.', '?']) { text } else { format!("{text}.") }
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

impl From<FetchFailure> for ServiceError {
    fn from(failure: FetchFailure) -> Self {
        let error = match failure.kind {
            FailureKind::InvalidUrl => {
                Self::new(Code::InvalidUrl).explained(reasons::url_detail(&failure.reason).into())
            }
            // A fixed sentence, which reveals neither the address nor how it was resolved.
            FailureKind::AddressNotAllowed => Self::new(Code::AddressNotAllowed),
            FailureKind::RedirectNotAllowed => {
                let way: Vec<&str> = failure.hops.iter().map(|hop| hop.url.as_str()).collect();
                Self::new(Code::RedirectNotAllowed).detail(way.join(" -> "))
            }
            FailureKind::Unreachable => Self::new(Code::TargetUnreachable).detail(failure.reason.as_str()),
            FailureKind::Timeout => Self::new(Code::TargetTimeout).detail(failure.reason.as_str()),
            FailureKind::TargetBusy => Self::new(Code::TargetBusy).retry_after(5),
            FailureKind::OwnLimit => Self::new(Code::Overloaded).retry_after(5),
        };
        match reasons::sentence(&failure) {
            Some(sentence) => error.saying(sentence),
            None => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::lang::text;
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
    fn a_failure_of_a_target_is_said_in_a_sentence_and_its_word_is_for_programs() {
        let failure = |kind, reason: &str, url: &str| {
            ServiceError::from(FetchFailure { kind, reason: reason.to_owned(), hops: Vec::new(), url: url.to_owned() })
        };
        let unknown = failure(FailureKind::Unreachable, "dns", "https://example.com/");
        assert_eq!(unknown.message(Lang::En), unknown.body(Lang::En)["error"]);
        assert!(unknown.message(Lang::En).contains("name could not be resolved"), "{}", unknown.message(Lang::En));
        assert_eq!(unknown.body(Lang::En)["detail"], "dns");
        let refused = |url| failure(FailureKind::Unreachable, "connect", url).message(Lang::En);
        assert!(
            refused("https://example.com/").contains("http://") && !refused("http://example.com/").contains("http://")
        );
        for (kind, reason) in [
            (FailureKind::Unreachable, "a new word"),
            (FailureKind::Timeout, "a new word"),
            (FailureKind::TargetBusy, "connections"),
        ] {
            let error = failure(kind, reason, "https://example.com/");
            assert_eq!(error.sentence(), error.code.sentence());
        }
        let own = failure(FailureKind::OwnLimit, "descriptors", "https://example.com/");
        assert_eq!((own.code, own.retry_after), (Code::Overloaded, Some(5)));
    }

    #[test]
    fn a_detail_follows_as_a_sentence_and_loses_its_field_for_a_person() {
        let weak = ServiceError::new(Code::PasswordRefused)
            .explained(text("password: use 10 characters", "password: use 10 caracteres").into());
        assert_eq!(weak.message(Lang::En), "Choose a stronger password. password: use 10 characters.");
        assert_eq!(weak.message_for_person(Lang::En), "Choose a stronger password. Use 10 characters.");
        assert_eq!(weak.message_for_person(Lang::PtBr), "Escolha uma senha mais forte. Use 10 caracteres.");
        let unknown = ServiceError::new(Code::CheckNotFound).explained(text("did you mean a?", "seria a?").into());
        assert_eq!(unknown.message(Lang::En), "No check has this code. Did you mean a?");
        let refused = ServiceError::new(Code::PaymentRefused).detail("insufficient_funds");
        assert_eq!(
            refused.message(Lang::En),
            "The payment was refused and nothing was charged: insufficient_funds. Sign a new one and repeat the same call."
        );
        let named = ServiceError::new(Code::InvalidBody).detail("role");
        assert_eq!(named.message_for_person(Lang::En), "The request body is invalid: role.");
        let long =
            ServiceError::new(Code::InvalidBody).explained(text("alias: use one line", "alias: use uma linha").into());
        assert_eq!(long.message(Lang::En), "The request body is invalid. alias: use one line.");
        assert_eq!(long.message_for_person(Lang::En), "Use one line.");
        assert_eq!(long.message_for_person(Lang::PtBr), "Use uma linha.");
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
