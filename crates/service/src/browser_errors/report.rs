//! Reading of error reports: those of our own pages, and those of browsers about the Content-Security-Policy.

use serde_json::Value;

use super::redaction::redacted;

/// Characters of a message at most.
const MESSAGE_CHARS: usize = 2_000;
/// Characters of a stack at most.
const STACK_CHARS: usize = 12_000;
/// Characters of a path at most.
const PATH_CHARS: usize = 200;
/// Reports of one body at most.
const REPORTS: usize = 20;

/// One error, redacted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BrowserError {
    /// `UI-` and letters, digits and hyphens.
    pub code: String,
    /// When it happened, in a word of lower case.
    pub phase: String,
    /// Path of the page, without ids.
    pub path: String,
    /// The message.
    pub message: String,
    /// The stack, line by line.
    pub stack: String,
    /// Path of the script.
    pub source: String,
    /// Line in it.
    pub line: Option<u64>,
    /// Column in it.
    pub column: Option<u64>,
    /// Whether the user saw it.
    pub visible: Option<bool>,
}

/// The reports in a body; none where it is none.
pub(super) fn read(body: &[u8]) -> Vec<BrowserError> {
    match serde_json::from_slice(body) {
        // The Reporting API sends lists (W3C Reporting API, section 3.1).
        Ok(Value::Array(reports)) => reports.iter().take(REPORTS).filter_map(of_policy).collect(),
        Ok(report) => match report.get("csp-report") {
            // As `report-uri` sends it (CSP Level 3, section 5.5).
            Some(old) => violation(old, "document-uri", "effective-directive", "blocked-uri").into_iter().collect(),
            None => of_page(&report).into_iter().collect(),
        },
        Err(_) => Vec::new(),
    }
}

/// A report of a page of ours; `None` without a code and a phase.
fn of_page(report: &Value) -> Option<BrowserError> {
    let text = |name: &str, most: usize| limited(&redacted(text(report, name)), most);
    let number = |name: &str| report.get(name).and_then(Value::as_u64).filter(|number| *number < 10_000_000);
    Some(BrowserError {
        code: word(report, "code", |rest| {
            let rest = rest.strip_prefix("UI-")?;
            (!rest.is_empty() && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')).then_some(())
        })?,
        phase: word(report, "phase", |phase| {
            let is_lower = phase.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_".contains(&b));
            (!phase.is_empty() && is_lower).then_some(())
        })?,
        path: path(self::text(report, "path")),
        message: text("message", MESSAGE_CHARS),
        stack: text("stack", STACK_CHARS),
        source: path(self::text(report, "source")),
        line: number("line"),
        column: number("column"),
        visible: report.get("visivel").and_then(Value::as_bool),
    })
}

/// One report of the Reporting API, where it is about the policy.
fn of_policy(report: &Value) -> Option<BrowserError> {
    let is_violation = report.get("type").and_then(Value::as_str) == Some("csp-violation");
    is_violation.then(|| violation(report.get("body")?, "documentURL", "effectiveDirective", "blockedURL")).flatten()
}

fn violation(report: &Value, document: &str, directive: &str, blocked: &str) -> Option<BrowserError> {
    let directive = text(report, directive);
    let message = format!("{directive} blocked {}", text(report, blocked));
    (!directive.is_empty()).then(|| BrowserError {
        code: "UI-CSP-001".to_owned(),
        phase: "csp".to_owned(),
        path: path(text(report, document)),
        message: limited(&redacted(&message), MESSAGE_CHARS),
        ..BrowserError::default()
    })
}

fn text<'r>(report: &'r Value, name: &str) -> &'r str {
    report.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A word that redaction leaves as it is, so a short one: from forty characters on it would be taken for a key.
fn word(report: &Value, name: &str, judge: impl Fn(&str) -> Option<()>) -> Option<String> {
    let word = text(report, name);
    judge(word)?;
    (redacted(word) == word).then(|| word.to_owned())
}

/// The path of a URL or path, without ids and slugs: a part that is long and has digits is one.
fn path(address: &str) -> String {
    let path = match url::Url::parse(address) {
        Ok(url) => url.path().to_owned(),
        Err(_) => address.split(['?', '#']).next().unwrap_or_default().to_owned(),
    };
    let is_id = |part: &str| part.len() >= 16 && part.bytes().any(|b| b.is_ascii_digit()) && !part.contains('.');
    let parts: Vec<&str> = path.split('/').map(|part| if is_id(part) { "*" } else { part }).collect();
    limited(&redacted(&parts.join("/")), PATH_CHARS).replace('\n', " ")
}

fn limited(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn one(report: &Value) -> Option<BrowserError> {
        read(report.to_string().as_bytes()).into_iter().next()
    }

    #[test]
    fn a_report_of_a_page_is_kept_field_by_field() {
        let whole = json!({"code": "UI-PROMESSA-001", "phase": "run", "path": "/reports/0192aaaa-bbbb-7ccc-8ddd-eeeeffff0000?x=1",
            "message": "no ana@example.com", "stack": "a\nb", "source": "https://a.example/assets/report.js?v=1",
            "line": 3, "column": 14, "visivel": true});
        let wanted = BrowserError {
            code: "UI-PROMESSA-001".to_owned(),
            phase: "run".to_owned(),
            path: "/reports/*".to_owned(),
            message: "no [email]".to_owned(),
            stack: "a\nb".to_owned(),
            source: "/assets/report.js".to_owned(),
            line: Some(3),
            column: Some(14),
            visible: Some(true),
        };
        assert_eq!(one(&whole), Some(wanted));
    }

    #[test]
    fn what_is_no_report_is_dropped() {
        for report in [
            json!({}),
            json!(7),
            json!({"code": "UI-", "phase": "run"}),
            json!({"code": "JS-001", "phase": "run"}),
            json!({"code": "UI-JS-001", "phase": "Run"}),
            json!({"code": "UI-JS-001"}),
            json!({"code": "UI-12345678", "phase": "run"}),
            json!([{"type": "deprecation", "body": {}}]),
            json!({"csp-report": {}}),
        ] {
            assert_eq!(one(&report), None, "{report}");
        }
        assert!(read(b"{").is_empty() && read(b"\xff").is_empty());
    }

    #[test]
    fn violations_of_the_policy_come_in_two_shapes() {
        let old = json!({"csp-report": {"document-uri": "https://a.example/tools?q=x", "effective-directive": "img-src",
            "blocked-uri": "https://b.example/x.png?y=1"}});
        let new = json!([{"type": "csp-violation", "url": "x", "body": {"documentURL": "https://a.example/tools?q=x",
            "effectiveDirective": "img-src", "blockedURL": "https://b.example/x.png?y=1"}}]);
        for report in [old, new] {
            let error = one(&report).unwrap();
            assert_eq!(
                (error.code.as_str(), error.phase.as_str(), error.path.as_str()),
                ("UI-CSP-001", "csp", "/tools")
            );
            assert_eq!(error.message, "img-src blocked https://b.example/x.png?…");
        }
    }

    #[test]
    fn of_a_list_the_first_twenty_are_read() {
        let violation = json!({"type": "csp-violation", "body": {"documentURL": "https://a.example/tools",
            "effectiveDirective": "img-src", "blockedURL": "https://b.example/x.png"}});
        let list = |count: usize| Value::Array(vec![violation.clone(); count]).to_string();
        assert_eq!(read(list(20).as_bytes()).len(), 20);
        assert_eq!(read(list(21).as_bytes()).len(), 20);
    }

    #[test]
    fn long_texts_are_cut_and_odd_values_left_out() {
        let long = json!({"code": "UI-JS-001", "phase": "run", "message": "x ".repeat(3_000), "stack": "y ".repeat(9_000),
            "line": -1, "column": "7", "visivel": "yes", "path": 7});
        let error = one(&long).unwrap();
        assert_eq!((error.message.len(), error.stack.len()), (2_000, 12_000));
        assert_eq!((error.line, error.column, error.visible, error.path.as_str()), (None, None, None, ""));
        let named = |code: &str, phase: &str| {
            one(&json!({"code": code, "phase": phase, "path": format!("/{}", "a.b".repeat(100)), "line": 9_999_999}))
        };
        // Forty would be taken for a key.
        let (code, phase) = (format!("UI-{}", "Z".repeat(36)), "p".repeat(39));
        let error = named(&code, &phase).unwrap();
        assert_eq!((error.code.len(), error.path.len(), error.line), (39, 200, Some(9_999_999)));
        assert_eq!((named(&format!("{code}Z"), "run"), named("UI-A", &format!("{phase}p"))), (None, None));
        assert_eq!(one(&json!({"code": "UI-A", "phase": "run", "line": 10_000_000})).unwrap().line, None);
    }

    #[test]
    fn a_phase_is_a_word_and_a_part_of_a_path_that_is_long_and_has_digits_is_an_id() {
        for (phase, is_one) in [("run", true), ("run2", true), ("a-b_c", true), ("Run", false), ("a b", false)] {
            assert_eq!(one(&json!({"code": "UI-A", "phase": phase})).is_some(), is_one, "{phase}");
        }
        let path = "/longpartsofwords/a1/0192aaaabbbbc.js/0192aaaabbbb7ccc";
        let error = one(&json!({"code": "UI-A", "phase": "run", "path": path})).unwrap();
        assert_eq!(error.path, "/longpartsofwords/a1/0192aaaabbbbc.js/*");
    }
}
