//! The two tools that reach every operation which has no place in the list: one tells them, one calls them.

use serde_json::{Value, json};

use super::tool;
use crate::operation::Operation;

/// Tells what else can be called.
pub(crate) const LIST: &str = tool::PAIR[0];
/// Calls it.
pub(crate) const CALL: &str = tool::PAIR[1];

/// The two tools, as entries of `tools/list`.
pub(super) fn described() -> [Value; 2] {
    let tool = |name: &str, title: &str, description: &str, properties: Value, required: Value, reads: bool| {
        json!({
            "name": name,
            "title": title,
            "description": description,
            "inputSchema": {
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": false,
            },
            "annotations": {
                "readOnlyHint": reads,
                "destructiveHint": !reads,
                "idempotentHint": reads,
                "openWorldHint": !reads,
            },
        })
    };
    [
        tool(
            LIST,
            "List further operations",
            "Operations beside these tools (credit, contact, statistics…), to be called with call_operation. With `name`, \
             one operation or tool whole: its arguments, an example, the fields of its answer, its errors.",
            json!({
                "name": {"type": "string", "description": "An operation or a tool to describe."},
                "guest_token": tool::guest_token(),
                "lang": tool::lang(),
            }),
            json!([]),
            true,
        ),
        tool(
            CALL,
            "Call an operation",
            "Calls an operation of list_operations by its `name`, with its `arguments`; it answers as a tool does.",
            json!({
                "name": {"type": "string", "description": "The operation."},
                "arguments": {"type": "object", "description": "As list_operations describes them.", "additionalProperties": true},
                "guest_token": tool::guest_token(),
                "lang": tool::lang(),
            }),
            json!(["name"]),
            false,
        ),
    ]
}

/// The operations that have no place in the list of tools.
pub(crate) fn further(operations: &[Operation]) -> Value {
    let told = tool::tools(operations)
        .filter(|operation| !tool::is_listed(operation.name))
        .map(|operation| json!({"name": operation.name, "description": tool::brief(operation.doc.en)}));
    json!({"operations": told.collect::<Vec<_>>()})
}
