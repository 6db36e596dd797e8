//! The paths of the MCP server in the OpenAPI description, as they are no operations of the catalog.

use serde_json::{Map, Value, json};

use super::card::{MEDIA_TYPE, PATH as CARD_PATH};
use super::message::code;

/// What `jsonrpc` of a message is.
const JSON_RPC: &str = "Version of JSON-RPC: always `2.0`.";

/// The objects of each path and method. `tag`: the group that they belong to.
// Long, as it is one JSON document.
pub(crate) fn described(tag: &str) -> [(&'static str, Map<String, Value>); 2] {
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
    let result = json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": []}});
    let refused = |why: &str, code: i32| {
        message(why, &json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": why}}))
    };
    let version = json!({
        "name": "MCP-Protocol-Version",
        "in": "header",
        "required": false,
        "description": "Protocol version; default 2025-03-26.",
        "schema": {"type": "string"},
        "example": "2025-11-25",
    });
    let call = json!({
        "operationId": "post_mcp",
        "summary": "Send a message to the MCP server",
        "description": "One JSON-RPC 2.0 message of the Model Context Protocol: `initialize`, `ping`, `server/discover`, \
                        `tools/list` or `tools/call`. No session, no stream. Credentials come in the usual headers, a \
                        payment there or as `params._meta[\"x402/payment\"]`; cookies are never read. What an operation \
                        refuses is a result with `isError`.",
        "tags": [tag],
        "parameters": [version, {"$ref": "#/components/parameters/lang"}],
        "security": [
            {}, {"guestToken": []}, {"bearer": []}, {"apiKey": []}, {"credit": []}, {"payment": []},
            {"paymentSignature": []},
        ],
        "requestBody": {"required": true, "content": {"application/json": {"schema": request(), "example": list}}},
        "responses": {
            "200": message("The answer: a result, or an error of the protocol.", &result),
            "202": {"description": "A notification: accepted, without a response."},
            "400": refused("The message is invalid, or does not match its headers.", code::INVALID_REQUEST),
            "403": refused("The origin is not allowed.", code::INVALID_REQUEST),
            "404": refused("Unknown method (2026-07-28).", code::METHOD_NOT_FOUND),
            "408": refused("The message did not arrive in time.", code::INVALID_REQUEST),
            "413": refused("The message is longer than 6 MB.", code::INVALID_REQUEST),
            "415": refused("The message has a Content-Encoding.", code::INVALID_REQUEST),
            "503": refused("The server is at its limit.", code::INVALID_REQUEST),
        },
    });
    let card = |id: &str, more: Value| {
        let mut responses = json!({
            "200": {
                "description": "The card.",
                "headers": {"ETag": {"$ref": "#/components/headers/ETag"}},
                "content": {MEDIA_TYPE: {"schema": {"type": "object"}}},
            },
            "304": {"description": "The caller's copy is still current."},
            "400": {
                "description": "`invalid_parameter`: the request names no host.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
            },
        });
        if let (Some(all), Value::Object(more)) = (responses.as_object_mut(), more) {
            all.extend(more);
        }
        json!({
            "operationId": id,
            "summary": "See the card of the MCP server",
            "description": "Who the server is, and where it is reached (MCP Server Card v1). Tools are told by `tools/list`.",
            "tags": [tag],
            "security": [],
            "responses": responses,
        })
    };
    let stream = json!({"405": {"description": "A stream was asked for; there is none."}});
    [
        ("/mcp", Map::from_iter([("get".to_owned(), card("get_mcp", stream)), ("post".to_owned(), call)])),
        (CARD_PATH, Map::from_iter([("get".to_owned(), card("get_mcp_server_card", json!({})))])),
    ]
}

fn message(description: &str, example: &Value) -> Value {
    json!({"description": description, "content": {"application/json": {"schema": answer(), "example": example}}})
}

/// A message that is sent.
fn request() -> Value {
    json!({
        "type": "object",
        "required": ["jsonrpc", "method"],
        "properties": {
            "jsonrpc": {"description": JSON_RPC, "const": "2.0"},
            "id": {"description": "Id of the request; a notification has none.", "type": ["string", "integer"]},
            "method": {"description": "Name of the method.", "type": "string"},
            "params": {"description": "Parameters of the method, by name.", "type": "object"},
        },
    })
}

/// A message that comes back.
fn answer() -> Value {
    json!({
        "type": "object",
        "required": ["jsonrpc", "id"],
        "properties": {
            "jsonrpc": {"description": JSON_RPC, "const": "2.0"},
            "id": {
                "description": "Id of the request; null where it could not be read.",
                "type": ["string", "integer", "null"],
            },
            "result": {"description": "Result of the method; absent on an error.", "type": "object"},
            "error": {
                "description": "The error; absent on success.",
                "type": "object",
                "properties": {
                    "code": {"description": "Number of the kind of error.", "type": "integer"},
                    "message": {"description": "The error in a sentence.", "type": "string"},
                },
            },
        },
    })
}
