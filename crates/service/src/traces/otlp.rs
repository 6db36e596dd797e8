//! Spans as the JSON of OTLP 1.x (opentelemetry.io/docs/specs/otlp, "JSON Protobuf Encoding"): ids in hexadecimal digits,
//! names in camel case, enumerations as numbers, 64-bit numbers as texts.

use serde_json::{Map, Value, json};

use super::context::hex;
use super::finished::{FinishedSpan, SpanValue};

/// The value of a status that says that the span failed (`StatusCode` of OTLP).
const FAILED: u32 = 2;

/// What sends spans.
#[derive(Debug, Clone)]
pub(super) struct Resource {
    /// Name of the service.
    pub(super) service: String,
    /// Its version.
    pub(super) version: String,
    /// Id of this process, random.
    pub(super) instance: String,
}

/// A request to export spans (`ExportTraceServiceRequest`).
pub(super) fn request(resource: &Resource, spans: &[FinishedSpan]) -> Value {
    let of_resource = [
        ("service.name", SpanValue::from(resource.service.clone())),
        ("service.version", resource.version.clone().into()),
        ("service.instance.id", resource.instance.clone().into()),
    ];
    json!({"resourceSpans": [{
        "resource": {"attributes": attributes(&of_resource)},
        "scopeSpans": [{
            "scope": {"name": "site-audit", "version": resource.version},
            "spans": spans.iter().map(span).collect::<Vec<Value>>(),
        }],
    }]})
}

fn span(span: &FinishedSpan) -> Value {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("traceId", hex(&span.context.trace).into());
    put("spanId", hex(&span.context.span).into());
    if let Some(parent) = &span.parent {
        put("parentSpanId", hex(parent).into());
    }
    put("name", span.name.as_ref().into());
    put("kind", (span.kind as u32).into());
    put("startTimeUnixNano", span.from.to_string().into());
    put("endTimeUnixNano", span.to.to_string().into());
    put("attributes", attributes(&span.attributes));
    if span.has_failed {
        put("status", json!({"code": FAILED}));
    }
    Value::Object(fields)
}

fn attributes(attributes: &[(&'static str, SpanValue)]) -> Value {
    let value = |attribute: &SpanValue| match attribute {
        SpanValue::Text(text) => json!({"stringValue": text}),
        SpanValue::Int(number) => json!({"intValue": number.to_string()}),
    };
    attributes.iter().map(|(key, attribute)| json!({"key": key, "value": value(attribute)})).collect()
}

/// Spans that the receiver did not take although it answered with success (`ExportTraceServiceResponse`).
pub(super) fn rejected(answer: &[u8]) -> u64 {
    let Ok(answer) = serde_json::from_slice::<Value>(answer) else { return 0 };
    let rejected = answer.get("partialSuccess").and_then(|partial| partial.get("rejectedSpans"));
    rejected.and_then(|count| count.as_u64().or_else(|| count.as_str()?.parse().ok())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::context::TraceContext;
    use super::super::finished::SpanKind;
    use super::*;

    #[test]
    fn a_span_is_written_as_the_specification_has_it() {
        let resource =
            Resource { service: "site-audit".to_owned(), version: "1.0".to_owned(), instance: "i".to_owned() };
        let context = TraceContext::read("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01").unwrap();
        let finished = FinishedSpan {
            context,
            parent: Some([1; 8]),
            name: "GET /".into(),
            kind: SpanKind::Server,
            from: 1_544_712_660_000_000_000,
            to: 1_544_712_661_000_000_000,
            attributes: vec![("http.response.status_code", 500_u32.into()), ("http.route", "/".into())],
            has_failed: true,
        };
        let request = request(&resource, std::slice::from_ref(&finished));
        let of_scope = &request["resourceSpans"][0]["scopeSpans"][0];
        assert_eq!(
            of_scope["spans"][0],
            json!({
                "traceId": "4bf92f3577b34da6a3ce929d0e0e4736", "spanId": "00f067aa0ba902b7",
                "parentSpanId": "0101010101010101", "name": "GET /", "kind": 2,
                "startTimeUnixNano": "1544712660000000000", "endTimeUnixNano": "1544712661000000000",
                "attributes": [
                    {"key": "http.response.status_code", "value": {"intValue": "500"}},
                    {"key": "http.route", "value": {"stringValue": "/"}},
                ],
                "status": {"code": 2},
            })
        );
        let first = &request["resourceSpans"][0]["resource"]["attributes"][0];
        assert_eq!(*first, json!({"key": "service.name", "value": {"stringValue": "site-audit"}}));
        let whole = FinishedSpan { parent: None, has_failed: false, ..finished };
        let written = span(&whole);
        assert_eq!((written.get("parentSpanId"), written.get("status")), (None, None));
    }

    #[test]
    fn what_a_receiver_rejects_is_counted() {
        for (answer, count) in [
            ("{}", 0),
            ("", 0),
            (r#"{"partialSuccess":{}}"#, 0),
            (r#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"full"}}"#, 3),
            (r#"{"partialSuccess":{"rejectedSpans":3}}"#, 3),
        ] {
            assert_eq!(rejected(answer.as_bytes()), count, "{answer}");
        }
    }
}
