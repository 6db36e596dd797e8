//! Eras of MCP: versions with a handshake, and stateless ones (since 2026-07-28).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use model::lang::{Text, text};
use serde_json::{Map, Value, json};

use super::message::{McpRefusal, McpRequest, code};

/// The stateless version.
pub const MODERN: &str = "2026-07-28";
/// The newest version that begins with a handshake.
pub(crate) const NEWEST_LEGACY: &str = "2025-11-25";
/// Versions that begin with a handshake, the newest first.
const LEGACY: [&str; 3] = [NEWEST_LEGACY, "2025-06-18", "2025-03-26"];

/// An era.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// Since 2026-07-28.
    Modern,
    /// Until 2025-11-25.
    Legacy,
}

/// Every supported version, the newest first.
pub fn versions() -> [&'static str; 4] {
    let [newest, middle, oldest] = LEGACY;
    [MODERN, newest, middle, oldest]
}

/// The negotiated version of a handshake: the one that the client asks for, else the newest.
pub fn agreed(params: &Map<String, Value>) -> &'static str {
    let requested = params.get("protocolVersion").and_then(Value::as_str);
    LEGACY.into_iter().find(|version| Some(*version) == requested).unwrap_or(NEWEST_LEGACY)
}

/// The era of a request, once its headers agree with it.
pub fn of(headers: &HeaderMap, request: &McpRequest) -> Result<Era, McpRefusal> {
    let version = header(headers, "mcp-protocol-version");
    let in_meta = meta(request).and_then(|meta| meta.get("io.modelcontextprotocol/protocolVersion")?.as_str());
    let is_modern = in_meta.is_some_and(|version| !LEGACY.contains(&version))
        || version == Some(MODERN)
        || request.method == "server/discover"
        || version.is_none() && headers.contains_key("mcp-method");
    if is_modern {
        return judge_modern(headers, request, version, in_meta).map(|()| Era::Modern);
    }
    match version {
        Some(version) if !LEGACY.contains(&version) => Err(unsupported(version)),
        _ => Ok(Era::Legacy),
    }
}

fn meta(request: &McpRequest) -> Option<&Map<String, Value>> {
    request.params.get("_meta")?.as_object()
}

fn judge_modern(
    headers: &HeaderMap,
    request: &McpRequest,
    version: Option<&str>,
    in_meta: Option<&str>,
) -> Result<(), McpRefusal> {
    const NO_VERSION: Text = text(
        "_meta: io.modelcontextprotocol/protocolVersion is missing",
        "_meta: falta io.modelcontextprotocol/protocolVersion",
    );
    const NO_CAPABILITIES: Text = text(
        "_meta: io.modelcontextprotocol/clientCapabilities is missing",
        "_meta: falta io.modelcontextprotocol/clientCapabilities",
    );
    const OTHER_VERSION: Text = text(
        "MCP-Protocol-Version: the header and _meta must agree",
        "MCP-Protocol-Version: o cabeçalho e _meta devem coincidir",
    );
    const OTHER_METHOD: Text =
        text("Mcp-Method: the header and method must agree", "Mcp-Method: o cabeçalho e method devem coincidir");
    const OTHER_NAME: Text =
        text("Mcp-Name: the header and params must agree", "Mcp-Name: o cabeçalho e params devem coincidir");
    let version_in_meta = in_meta.ok_or_else(|| McpRefusal::new(code::INVALID_PARAMS, NO_VERSION))?;
    if !meta(request)
        .is_some_and(|meta| meta.get("io.modelcontextprotocol/clientCapabilities").is_some_and(Value::is_object))
    {
        return Err(McpRefusal::new(code::INVALID_PARAMS, NO_CAPABILITIES));
    }
    if version != Some(version_in_meta) {
        return Err(McpRefusal::new(code::HEADER_MISMATCH, OTHER_VERSION));
    }
    if version_in_meta != MODERN {
        return Err(unsupported(version_in_meta));
    }
    if header(headers, "mcp-method") != Some(&request.method) {
        return Err(McpRefusal::new(code::HEADER_MISMATCH, OTHER_METHOD));
    }
    let named = match request.method.as_str() {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return Ok(()),
    };
    let wanted = request.params.get(named).and_then(Value::as_str);
    let sent = header(headers, "mcp-name").and_then(decoded);
    if sent.is_none() || sent.as_deref() != wanted {
        return Err(McpRefusal::new(code::HEADER_MISMATCH, OTHER_NAME));
    }
    Ok(())
}

fn unsupported(version: &str) -> McpRefusal {
    const UNSUPPORTED: Text = text("Unsupported protocol version.", "Versão do protocolo não suportada.");
    McpRefusal::new(code::UNSUPPORTED_VERSION, UNSUPPORTED).data(json!({"supported": versions(), "requested": version}))
}

/// The one value of a header; none where it is no text, or came more than once.
fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() { None } else { value.to_str().ok().map(str::trim) }
}

/// A name, which may come as `=?base64?…?=` where it holds what no header may.
fn decoded(value: &str) -> Option<String> {
    match value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        Some(coded) => String::from_utf8(STANDARD.decode(coded).ok()?).ok(),
        None => Some(value.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::lang::Lang;

    fn headers(list: &[(&'static str, &str)]) -> HeaderMap {
        list.iter().map(|(name, value)| (name.parse::<http::HeaderName>().unwrap(), value.parse().unwrap())).collect()
    }

    fn request(method: &str, params: &Value) -> McpRequest {
        McpRequest { id: 1.into(), method: method.to_owned(), params: params.as_object().cloned().unwrap() }
    }

    fn about(version: &str) -> Value {
        json!({
            "name": "b",
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": version,
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        })
    }

    fn check(list: &[(&'static str, &str)], method: &str, params: &Value, wanted: Result<Era, i64>) {
        let found = of(&headers(list), &request(method, params))
            .map_err(|refusal| refusal.answer(&Value::Null, Lang::En)["error"]["code"].as_i64().unwrap());
        assert_eq!(found, wanted, "{list:?} {method} {params}");
    }

    #[test]
    fn the_era_is_told_by_version_and_method() {
        let none = json!({});
        check(&[], "tools/list", &none, Ok(Era::Legacy));
        check(&[("mcp-protocol-version", "2025-06-18")], "tools/list", &none, Ok(Era::Legacy));
        // A header of the new era beside a version of the old one.
        check(&[("mcp-protocol-version", "2025-11-25"), ("mcp-method", "x")], "tools/list", &none, Ok(Era::Legacy));
        check(&[("mcp-protocol-version", "1999-01-01")], "tools/list", &none, Err(-32_022));
        check(&[("mcp-method", "tools/list")], "tools/list", &none, Err(-32_602));
        check(&[], "server/discover", &none, Err(-32_602));
        let good = [("mcp-protocol-version", MODERN), ("mcp-method", "tools/list")];
        check(&good, "tools/list", &about(MODERN), Ok(Era::Modern));
        check(&good, "tools/list", &none, Err(-32_602));
    }

    #[test]
    fn a_modern_request_agrees_with_its_headers() {
        let version = ("mcp-protocol-version", MODERN);
        check(&[("mcp-method", "tools/list")], "tools/list", &about(MODERN), Err(-32_020));
        check(&[version], "tools/list", &about(MODERN), Err(-32_020));
        check(&[version, ("mcp-method", "TOOLS/LIST")], "tools/list", &about(MODERN), Err(-32_020));
        check(&[version, version, ("mcp-method", "tools/list")], "tools/list", &about(MODERN), Err(-32_020));
        check(&[("mcp-protocol-version", "2099-01-01")], "tools/list", &about("2099-01-01"), Err(-32_022));
        let call = [version, ("mcp-method", "tools/call")];
        check(&call, "tools/call", &about(MODERN), Err(-32_020));
        for (name, wanted) in [
            ("b", Ok(Era::Modern)),
            ("=?base64?Yg==?=", Ok(Era::Modern)),
            ("a", Err(-32_020)),
            ("=?base64?!?=", Err(-32_020)),
        ] {
            check(&[call[0], call[1], ("mcp-name", name)], "tools/call", &about(MODERN), wanted);
        }
    }

    #[test]
    fn a_handshake_agrees_on_a_version_that_both_know() {
        for (requested, agreed_on) in
            [("2025-03-26", "2025-03-26"), ("1999-01-01", NEWEST_LEGACY), (MODERN, NEWEST_LEGACY)]
        {
            let params = json!({ "protocolVersion": requested });
            assert_eq!(agreed(params.as_object().unwrap()), agreed_on);
        }
    }
}
