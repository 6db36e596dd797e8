//! The list of tools of a server all of whose calls are those of one guest: none takes a token, and none makes a guest.

use serde_json::Value;

use super::tool::{CREATE_GUEST, GUEST_TOKEN, NEEDS_TOKEN};

/// The tools without the argument for a token, and without the one that makes a guest.
pub(crate) fn of_one_guest(tools: &[Value]) -> Vec<Value> {
    let is_other = |tool: &&Value| tool.get("name").and_then(Value::as_str) != Some(CREATE_GUEST);
    let mut tools: Vec<Value> = tools.iter().filter(is_other).cloned().collect();
    for tool in &mut tools {
        let arguments = tool.pointer_mut("/inputSchema/properties").and_then(Value::as_object_mut);
        arguments.map(|arguments| ["guest", GUEST_TOKEN].map(|name| arguments.remove(name)));
        if let Some(Value::String(text)) = tool.get_mut("description") {
            *text = text.replace(NEEDS_TOKEN, "");
        }
    }
    tools
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn no_tool_takes_a_token_or_makes_a_guest() {
        let audit = json!({
            "name": "get_audit",
            "description": format!("Reads it.{NEEDS_TOKEN}"),
            "inputSchema": {"properties": {"id": {}, "guest_token": {}, "guest": {}}},
        });
        let wanted = json!({
            "name": "get_audit",
            "description": "Reads it.",
            "inputSchema": {"properties": {"id": {}}},
        });
        assert_eq!(of_one_guest(&[json!({"name": CREATE_GUEST}), audit]), [wanted]);
    }
}
