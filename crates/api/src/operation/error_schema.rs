//! Schema of the errors of the API.

use serde_json::{Value, json};
use service::error::Code;

/// The schema of an error.
pub(crate) fn error_schema() -> Value {
    let mut codes: Vec<&str> = Vec::new();
    for code in Code::ALL {
        // A word may have two statuses.
        if !codes.contains(&code.wire()) {
            codes.push(code.wire());
        }
    }
    json!({
        "type": "object",
        "description": "A refusal.",
        "required": ["error"],
        "properties": {
            "error": {"type": "string", "description": "One sentence for a person, in the language of the call."},
            "detail": {"type": "string", "description": "Detail; starts with the name of the field, or with a stable word."},
            "code": {"type": "string", "enum": codes, "description": "Stable code."},
            "retry_after": {"type": "integer", "description": "Seconds until the same call may succeed; as `Retry-After`."},
            "next": {
                "type": "object",
                "description": "The suggested next call.",
                "required": ["operation", "method", "path"],
                "properties": {
                    "operation": {"type": "string"},
                    "method": {"type": "string"},
                    "path": {"type": "string"},
                    "help": {"type": "string", "description": "Path of its description."},
                },
            },
            "x402Version": {"type": "integer", "description": "Version of x402 that `accepts` follows; with 402 only."},
            "accepts": {"type": "array", "items": {"type": "object"}, "description": "How to pay (x402); with 402 only."},
            "saldo_micros": {
                "type": "integer",
                "description": "What is left of the credit, in millionths of a USD; with `insufficient_credit`.",
            },
            "credit": {"type": "string", "description": "Id of the credit that the payment bought; with `payment_used`."},
            "id": {"type": "string", "description": "Id of the Pix request; with `receipt_already_sent`."},
            "claimed": {
                "type": "object",
                "description": "Why the guest was not claimed; with `unknown_guest`.",
            },
            "blocked": {
                "type": "object",
                "description": "Which firewall answered, and what the site's owner can do.",
                "properties": {"vendor": {"type": "string"}, "status": {"type": "integer"}, "fix": {"type": "string"}},
            },
        },
    })
}
