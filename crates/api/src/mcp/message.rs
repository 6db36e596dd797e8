//! One message of JSON-RPC 2.0, as MCP narrows it: no batches, ids that are texts or whole numbers.

use http::StatusCode;
use model::lang::{Lang, Phrase, Text, text};
use serde_json::{Map, Value, json};

/// Error codes: of JSON-RPC 2.0 §5.1, then of MCP 2026-07-28.
pub mod code {
    pub(crate) const PARSE_ERROR: i32 = -32_700;
    pub(crate) const INVALID_REQUEST: i32 = -32_600;
    pub(crate) const METHOD_NOT_FOUND: i32 = -32_601;
    pub(crate) const INVALID_PARAMS: i32 = -32_602;
    pub(crate) const HEADER_MISMATCH: i32 = -32_020;
    pub(crate) const UNSUPPORTED_VERSION: i32 = -32_022;
}

/// A received message.
#[derive(Debug, PartialEq)]
pub enum McpMessage {
    /// A request.
    Request(McpRequest),
    /// A notification, or a response to a request that was never sent: neither is answered.
    Unanswered,
}

/// A request of JSON-RPC.
#[derive(Debug, PartialEq)]
pub struct McpRequest {
    /// Its id: a text or a whole number.
    pub id: Value,
    /// Name of the method.
    pub method: String,
    /// Its parameters.
    pub params: Map<String, Value>,
}

/// An error of JSON-RPC. Small, as every `Result` carries it.
#[derive(Debug)]
pub struct McpRefusal {
    /// Status of the HTTP response.
    pub status: StatusCode,
    code: i32,
    why: Box<Phrase>,
    data: Option<Box<Value>>,
}

impl McpRefusal {
    /// With status 400.
    pub fn new(code: i32, why: impl Into<Phrase>) -> Self {
        Self { status: StatusCode::BAD_REQUEST, code, why: Box::new(why.into()), data: None }
    }

    /// With another status.
    pub fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// With `data` for programs.
    pub fn data(mut self, data: Value) -> Self {
        self.data = Some(Box::new(data));
        self
    }

    /// As an answer. `id`: null where the message's own could not be read.
    pub fn answer(&self, id: &Value, lang: Lang) -> Value {
        let mut error = json!({"code": self.code, "message": self.why.in_lang(lang)});
        if let (Some(data), Some(fields)) = (&self.data, error.as_object_mut()) {
            fields.insert("data".to_owned(), Value::clone(data));
        }
        json!({"jsonrpc": "2.0", "id": id, "error": error})
    }
}

/// Reads a body.
pub fn read(body: &[u8]) -> Result<McpMessage, McpRefusal> {
    const NOT_JSON: Text = text("The body is not JSON.", "O corpo não é JSON.");
    const NO_MESSAGE: Text = text(
        "The body must be one JSON-RPC 2.0 message. Batches are not supported.",
        "O corpo deve ser uma mensagem JSON-RPC 2.0. Lotes não são suportados.",
    );
    const BAD_ID: Text = text("id: must be a string or a whole number", "id: deve ser um texto ou um número inteiro");
    const BAD_PARAMS: Text = text("params: must be an object", "params: deve ser um objeto");
    let no_message = || McpRefusal::new(code::INVALID_REQUEST, NO_MESSAGE);
    let value = serde_json::from_slice(body).map_err(|_| McpRefusal::new(code::PARSE_ERROR, NOT_JSON))?;
    let Value::Object(mut fields) = value else { return Err(no_message()) };
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(no_message());
    }
    let method = match fields.remove("method") {
        Some(Value::String(method)) => method,
        None if fields.contains_key("result") || fields.contains_key("error") => return Ok(McpMessage::Unanswered),
        _ => return Err(no_message()),
    };
    let Some(id) = fields.remove("id") else { return Ok(McpMessage::Unanswered) };
    if !(id.is_string() || id.is_i64() || id.is_u64()) {
        return Err(McpRefusal::new(code::INVALID_REQUEST, BAD_ID));
    }
    let params = match fields.remove("params") {
        Some(Value::Object(params)) => params,
        None => Map::new(),
        Some(_) => return Err(McpRefusal::new(code::INVALID_REQUEST, BAD_PARAMS)),
    };
    Ok(McpMessage::Request(McpRequest { id, method, params }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(body: &str) -> i32 {
        read(body.as_bytes()).unwrap_err().code
    }

    #[test]
    fn a_message_is_one_object_of_json_rpc() {
        let asked = read(br#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#).unwrap();
        let wanted = McpRequest { id: "a".into(), method: "ping".to_owned(), params: Map::new() };
        assert_eq!(asked, McpMessage::Request(wanted));
        for body in ["", "{", "\u{0}", &"[".repeat(1_000)] {
            assert_eq!(refused(body), code::PARSE_ERROR, "{body}");
        }
        for body in [
            "[]",
            "1",
            "null",
            "{}",
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":1}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#,
        ] {
            assert_eq!(refused(body), code::INVALID_REQUEST, "{body}");
        }
    }

    #[test]
    fn what_asks_nothing_gets_no_answer() {
        for body in [
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","method":"anything"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{}}"#,
        ] {
            assert_eq!(read(body.as_bytes()).unwrap(), McpMessage::Unanswered, "{body}");
        }
    }
}
