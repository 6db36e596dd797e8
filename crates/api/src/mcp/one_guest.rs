//! The list of tools of a server all of whose calls are those of one guest: none takes a token, and none makes a guest.

use model::lang::{Text, text};
use serde_json::Value;
use service::error::{Code, ServiceError};

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

/// A refusal of an address, with the option of the command line that lifts it.
pub(crate) fn lifted(error: ServiceError) -> ServiceError {
    const LIFT: Text = text(
        "to audit your own machines, start the server with --allow-private",
        "para auditar as suas próprias máquinas, inicie o servidor com --allow-private",
    );
    let is_port = || error.detail.as_ref().is_some_and(|detail| detail.en == "port");
    let is_lifted = match error.code {
        Code::AddressNotAllowed | Code::RedirectNotAllowed => true,
        Code::InvalidUrl => is_port(),
        _ => false,
    };
    if is_lifted { error.explained(LIFT.into()) } else { error }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::lang::Lang;
    use serde_json::json;

    #[test]
    fn a_refusal_of_a_private_address_names_the_option() {
        let message = |error| lifted(error).message(Lang::En);
        for code in [Code::AddressNotAllowed, Code::RedirectNotAllowed] {
            assert!(message(ServiceError::new(code)).contains("--allow-private"), "{code:?}");
        }
        assert!(message(ServiceError::new(Code::InvalidUrl).detail("port")).contains("--allow-private"));
        assert!(!message(ServiceError::new(Code::InvalidUrl).detail("syntax")).contains("--allow-private"));
    }

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
