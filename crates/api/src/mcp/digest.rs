//! The text of a result whose content is structured: what a model needs to go on, and where the rest is. It names fields and
//! counts lists, and repeats only what is short.

use model::lang::{Lang, Text, text};
use serde_json::{Map, Value};

/// Characters of a value that is repeated.
const VALUE_CHARACTERS: usize = 160;
/// Findings that are named.
const MOST_FINDINGS: usize = 20;
/// Bytes of a digest, roughly: past it no more lines come.
pub(super) const DIGEST_BYTES: usize = 2_000;
/// Where the rest is.
const REST: Text = text(
    "The whole answer is in structuredContent; with format=json it comes as text instead.",
    "A resposta inteira está em structuredContent; com format=json ela vem como texto.",
);

/// The digest of an answer of the tool `name`. Names of fields and values are those of the answer in either language.
pub(super) fn digest(name: &str, body: &Value, lang: Lang) -> String {
    let mut lines = vec![format!("{name}:")];
    match body {
        Value::Object(fields) => of_fields("", fields, lang, &mut lines),
        other => lines.push(counted("answer", other, lang)),
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
    out.push_str(REST.in_lang(lang));
    out
}

/// A line for each field; the fields of an object that holds findings too.
fn of_fields(within: &str, fields: &Map<String, Value>, lang: Lang, lines: &mut Vec<String>) {
    for (name, value) in fields {
        let shown = format!("{within}{name}");
        match value {
            Value::Array(findings) if name == "issues" => lines.extend(of_findings(findings, lang)),
            Value::Object(inner) if inner.contains_key("issues") => of_fields(&format!("{shown}."), inner, lang, lines),
            Value::Null => {}
            Value::Array(_) | Value::Object(_) => lines.push(counted(&shown, value, lang)),
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
fn counted(name: &str, value: &Value, lang: Lang) -> String {
    match value {
        Value::Array(items) => of_list(name, items, lang),
        Value::Object(_) if value.to_string().len() <= VALUE_CHARACTERS => format!("{name}: {value}"),
        Value::Object(fields) => {
            let names: Vec<&str> = fields.keys().map(String::as_str).take(MOST_FINDINGS).collect();
            format!("{name}: {{{}}}", names.join(", "))
        }
        other => format!("{name}: {other}"),
    }
}

/// A list, by its length.
fn of_list(name: &str, items: &[Value], lang: Lang) -> String {
    const ITEMS: Text = text("{name}: {count} {count|item|items}", "{name}: {count} {count|item|itens}");
    ITEMS.phrase(&[("name", name.into()), ("count", items.len().into())]).in_lang(lang).to_owned()
}

/// Findings by code, with what they weigh.
fn of_findings(findings: &[Value], lang: Lang) -> Vec<String> {
    const POINTS: Text = text(", {points} {points|point|points}", ", {points} {points|ponto|pontos}");
    let text = |finding: &Value, name: &str| finding.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut lines = vec![of_list("issues", findings, lang)];
    lines.extend(findings.iter().take(MOST_FINDINGS).map(|finding| {
        let points = finding.get("points").and_then(Value::as_i64).filter(|points| *points != 0);
        let points = points.map(|points| POINTS.phrase(&[("points", points.into())]).in_lang(lang).to_owned());
        let points = points.unwrap_or_default();
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
        let text = digest("run_tab", &json!({"ok": true, "result": body}), Lang::En);
        assert!(text.len() < DIGEST_BYTES + 200, "{}", text.len());
        for part in ["result.score: 82", "issues: 300 items", "- error title_missing, 18 points", "structuredContent"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(!text.contains("ää"));
        let whole = digest("x", &json!([1, 2]), Lang::PtBr);
        assert_eq!(whole, format!("x:\nanswer: 2 itens\n{}", REST.in_lang(Lang::PtBr)));
        let finding = json!({"issues": [{"severity": "warn", "code": "title_too_long", "points": 8}]});
        assert!(digest("x", &finding, Lang::PtBr).contains("issues: 1 item\n- warn title_too_long, 8 pontos\n"));
    }
}
