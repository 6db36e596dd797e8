//! The call that audits a page, in a few languages, to be copied.

/// With curl, which everybody has.
pub fn curl(origin: &str) -> String {
    format!("curl -s {origin}/api/audit -H 'content-type: application/json' -d '{{\"url\":\"https://example.com/\"}}'")
}

/// The same call in each language, with its name.
pub fn all(origin: &str) -> [(&'static str, String); 4] {
    [
        ("curl", curl(origin)),
        (
            "JavaScript",
            format!(
                "const answer = await fetch(\"{origin}/api/audit\", {{\n  method: \"POST\",\n  headers: {{ \"content-type\": \
                 \"application/json\" }},\n  body: JSON.stringify({{ url: \"https://example.com/\" }}),\n}});\nconst {{ score, \
                 issues }} = await answer.json();"
            ),
        ),
        (
            "Python",
            format!(
                "import json, urllib.request\n\ncall = urllib.request.Request(\n    \"{origin}/api/audit\",\n    \
                 json.dumps({{\"url\": \"https://example.com/\"}}).encode(),\n    {{\"content-type\": \
                 \"application/json\"}},\n)\naudit = json.load(urllib.request.urlopen(call))\nprint(audit[\"score\"], \
                 audit[\"issues\"])"
            ),
        ),
        (
            "Rust",
            format!(
                "// reqwest with the features json and blocking, serde_json\nlet audit: serde_json::Value = \
                 reqwest::blocking::Client::new()\n    .post(\"{origin}/api/audit\")\n    .json(&serde_json::json!({{ \"url\": \
                 \"https://example.com/\" }}))\n    .send()?\n    .json()?;\nprintln!(\"{{}}\", audit[\"score\"]);"
            ),
        ),
    ]
}
