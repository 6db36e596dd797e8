//! Examples that are answers of real calls. The tests of the program record them, and fail when a call answers otherwise:
//! `crates/site-audit/tests/it/api/errors.rs` writes `refusals.json`, `crates/site-audit/tests/it/api/examples.rs`
//! `answers.json`.

use serde_json::{Map, Value};
use service::error::Code;

/// The recorded answers.
#[derive(Debug)]
pub(super) struct RecordedExamples {
    /// By code and status.
    refusals: Map<String, Value>,
    /// By name of the operation.
    answers: Map<String, Value>,
}

impl RecordedExamples {
    /// Reads them.
    pub(super) fn read() -> Self {
        let read = |text| serde_json::from_str(text).expect("a test wrote it, and reads it");
        Self { refusals: read(include_str!("refusals.json")), answers: read(include_str!("answers.json")) }
    }

    /// The English body of a refusal; `None` for a code that no test can come to.
    pub(super) fn refusal(&self, code: Code) -> Option<&Value> {
        self.refusals.get(&format!("{} {}", code.wire(), code.status()))?.get("en")
    }

    /// The answer of an operation; `None` where none is recorded.
    pub(super) fn answer(&self, operation: &str) -> Option<&Value> {
        self.answers.get(operation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_demand_for_payment_says_how_to_pay() {
        let recorded = RecordedExamples::read();
        let spent = recorded.refusal(Code::AllowanceSpent).unwrap();
        assert_eq!(spent["accepts"][0]["scheme"], "exact", "{spent}");
        let token = recorded.answer("buy_credit").unwrap()["token"].as_str().unwrap();
        assert!(token.starts_with("cred_"), "{token}");
    }
}
