//! The text of a result whose content is structured: what a model needs to go on, and where the rest is. It names fields and
//! counts lists, and repeats only what is short.

use serde_json::{Map, Value};

/// Characters of a value that is repeated.
const VALUE_CHARACTERS: usize = 160;
/// Findings that are named.
const MOST_FINDINGS: usize = 20;
/// Bytes of a digest, roughly: past it no more lines come.
pub(super) const DIGEST_BYTES: usize = 2_000;
/// Where the rest is.
const REST: &str = "The whole answer is in structuredContent; with format=json it comes as text instead.";

/// The digest of an answer.
pub(super) fn digest(title: &str, body: &Value) -> String {
    let mut lines = vec![format!("{title}.")];
    match body {
        Value::Object(fields) => of_fields("", fields, &mut lines),
        other => lines.push(counted("answer", other)),
    }
    let mut out = String::new();
    for line in lines {
        if out.len() + line.len() > DIGEST_BYTES {
            out.push_str("…\n");
            break;
        }
        out.push_str(&line);
        out.push('\n');
    }
    out.push_str(REST);
    out
}

/// A line for each field; the fields of an object that holds findings too.
fn of_fields(within: &str, fields: &Map<String, Value>, lines: &mut Vec<String>) {
    for (name, value) in fields {
        let shown = format!("{within}{name}");
        match value {
            Value::Array(findings) if name == "issues" => lines.extend(of_findings(findings)),
            Value::Object(inner) if inner.contains_key("issues") => of_fields(&format!("{shown}."), inner, lines),
            Value::Null => {}
            Value::Array(_) | Value::Object(_) => lines.push(counted(&shown, value)),
            Value::String(text) => {
                let short: String = text.chars().take(VALUE_CHARACTERS).collect();
                let more = if short.len() < text.len() { "…" } else { "" };
                lines.push(format!("{shown}: {}{more}", short.replace('\n', " ")));
            }
            short => lines.push(format!("{shown}: {short}")),
        }
    }
}

/// How much a list or an object holds.
fn counted(name: &str, value: &Value) -> String {
    match value {
        Value::Array(items) => format!("{name}: {} items", items.len()),
        Value::Object(_) if value.to_string().len() <= VALUE_CHARACTERS => format!("{name}: {value}"),
        Value::Object(fields) => {
            let names: Vec<&str> = fields.keys().map(String::as_str).take(MOST_FINDINGS).collect();
            format!("{name}: {{{}}}", names.join(", "))
        }
        other => format!("{name}: {other}"),
    }
}

/// Findings by code, with what they weigh.
fn of_findings(findings: &[Value]) -> Vec<String> {
    let text = |finding: &Value, name: &str| finding.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut lines = vec![format!("issues: {} items", findings.len())];
    lines.extend(findings.iter().take(MOST_FINDINGS).map(|finding| {
        let points = finding.get("points").map(|points| format!(", {points} points")).unwrap_or_default();
        format!("- {} {}{points}", text(finding, "severity"), text(finding, "code"))
    }));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_digest_names_what_there_is_and_repeats_no_long_text() {
        let finding = json!({"severity": "error", "code": "title_missing", "points": 18, "message": "ä".repeat(900)});
        let body = json!({
            "score": 82, "id": "x", "issues": vec![finding; 300], "summary": {"title": "t"}, "note": "n".repeat(900),
        });
        let text = digest("Audit one page", &json!({"ok": true, "result": body}));
        assert!(text.len() < DIGEST_BYTES + 200, "{}", text.len());
        for part in ["result.score: 82", "issues: 300 items", "- error title_missing, 18 points", "structuredContent"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(!text.contains("ää"));
        assert_eq!(digest("x", &json!([1, 2])), format!("x.\nanswer: 2 items\n{REST}"));
    }
}
