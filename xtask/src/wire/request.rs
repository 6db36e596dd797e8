//! A call of a script as a request, and what a script keeps of its answer.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::http::{HttpRequest, Response};
use super::script::ScriptCall;

/// A picture of 2 by 2 pixels.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==";
/// Between the parts of a form.
const BOUNDARY: &str = "boundary-of-recordings";
/// Characters of a file's name.
const NAME_CHARS: usize = 80;

/// Cookies and CSRF token of one browser of a script.
#[derive(Debug, Default)]
pub(super) struct BrowserState {
    pub(super) cookies: BTreeMap<String, String>,
    pub(super) csrf: String,
}

/// Destination and sender of a call.
#[derive(Debug)]
pub(super) struct CallPlace<'p> {
    pub(super) host: String,
    pub(super) origin: String,
    /// `X-Forwarded-For`, where the server believes it.
    pub(super) from: Option<String>,
    pub(super) browser: Option<&'p BrowserState>,
}

/// A call with one thing changed; see `script.rs`.
pub(super) fn varied(call: &ScriptCall, variant: &str, etag: Option<&str>) -> Result<ScriptCall> {
    let mut varied = ScriptCall { variants: Vec::new(), ..call.clone() };
    // What an answer shows is kept once.
    varied.lines.retain(|line| !["keep ", "cut ", "head "].iter().any(|word| line.starts_with(word)));
    let mark = if call.target.contains('?') { '&' } else { '?' };
    match variant {
        "pt" => varied.target.push_str(&format!("{mark}lang=pt-BR")),
        "xx" => varied.target.push_str(&format!("{mark}lang=xx")),
        "accept" => varied.lines.push("Accept-Language: fr, pt;q=0.9, en;q=0.5".to_owned()),
        "md" => varied.lines.push("Accept: text/markdown".to_owned()),
        "json" => varied.lines.push("Accept: application/json".to_owned()),
        "gzip" => varied.lines.push("Accept-Encoding: gzip".to_owned()),
        "etag" => varied.lines.push(format!("If-None-Match: {}", etag.unwrap_or("\"none\""))),
        "head" => "HEAD".clone_into(&mut varied.method),
        "options" => {
            "OPTIONS".clone_into(&mut varied.method);
            varied.lines.push("Origin: https://elsewhere.example.com".to_owned());
            varied.lines.push(format!("Access-Control-Request-Method: {}", call.method));
        }
        _ => bail!("there is no variant {variant}"),
    }
    Ok(varied)
}

/// A call as a recording shows it. Validators are of an answer, and may differ.
pub(super) fn shown(call: &ScriptCall) -> String {
    let lines = call.lines.iter().map(|line| if line.starts_with("If-None-Match: ") { "If-None-Match" } else { line });
    let lines: Vec<&str> = lines.collect();
    format!("{} {}\n{}", call.method, call.target, lines.join("\n"))
}

/// The request of a call.
pub(super) fn built(
    call: &ScriptCall,
    place: &CallPlace<'_>,
    filled: &dyn Fn(&str) -> Result<String>,
) -> Result<HttpRequest> {
    let mut request = HttpRequest {
        method: call.method.clone(),
        target: filled(&call.target)?,
        headers: Vec::new(),
        body: Vec::new(),
    };
    let mut is_bare = false;
    for line in &call.lines {
        match line.split_once(' ').unwrap_or((line, "")) {
            ("keep" | "cut" | "head", _) => {}
            ("bare", "") => is_bare = true,
            ("json", text) => body(&mut request, "application/json", filled(text)?),
            ("form", text) => body(&mut request, "application/x-www-form-urlencoded", filled(text)?),
            ("body", text) => request.body = filled(text)?.replace("\\n", "\n").into_bytes(),
            ("big", count) => request.body = vec![b' '; count.parse()?],
            ("multipart", text) => multipart(&mut request, &filled(text)?)?,
            _ => {
                let (name, value) = line.split_once(':').with_context(|| format!("{line} is no line of a call"))?;
                request.headers.push((name.to_owned(), filled(value.trim())?));
            }
        }
    }
    let mut add = |name: &str, value: String| {
        if request.header(name).is_none() {
            request.headers.push((name.to_owned(), value));
        }
    };
    add("Host", place.host.clone());
    add("Connection", "close".to_owned());
    if let Some(from) = &place.from {
        add("X-Forwarded-For", from.clone());
    }
    if let Some(browser) = place.browser {
        if !browser.cookies.is_empty() {
            let pairs: Vec<String> = browser.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            add("Cookie", pairs.join("; "));
        }
        if !is_bare && !matches!(call.method.as_str(), "GET" | "HEAD" | "OPTIONS") {
            add("Origin", place.origin.clone());
            add("X-CSRF-Token", browser.csrf.clone());
        }
    }
    Ok(request)
}

fn body(request: &mut HttpRequest, media_type: &str, text: String) {
    if request.header("content-type").is_none() {
        request.headers.push(("Content-Type".to_owned(), media_type.to_owned()));
    }
    request.body = text.into_bytes();
}

/// Fields of a form, `name=value; name=@png`, where `@png` is a file with a picture and `@text` one without.
fn multipart(request: &mut HttpRequest, fields: &str) -> Result<()> {
    let mut content = Vec::new();
    for field in fields.split("; ") {
        let (name, value) = field.split_once('=').context("multipart NAME=VALUE; …")?;
        let (file, bytes) = match value {
            "@png" => ("; filename=\"a.png\"\r\nContent-Type: image/png", STANDARD.decode(PNG)?),
            "@text" => ("; filename=\"a.png\"\r\nContent-Type: image/png", b"This is no picture.".to_vec()),
            _ => ("", value.as_bytes().to_vec()),
        };
        let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n");
        content.extend([head.as_bytes(), &bytes, b"\r\n"].concat());
    }
    content.extend(format!("--{BOUNDARY}--\r\n").into_bytes());
    let media_type = format!("multipart/form-data; boundary={BOUNDARY}");
    request.headers.push(("Content-Type".to_owned(), media_type));
    request.body = content;
    Ok(())
}

/// What a line of a call keeps of its answer: name and value.
pub(super) fn kept(line: &str, response: &Response) -> Result<Option<(String, String)>> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let Some((name, what)) = rest.split_once(' ').filter(|_| ["keep", "cut", "head"].contains(&word)) else {
        return Ok(None);
    };
    let body = response.text().unwrap_or_default();
    let value = match word {
        "keep" => {
            let json: Value = serde_json::from_str(body).with_context(|| format!("no JSON: {body}"))?;
            json.pointer(what).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        }
        "cut" => {
            let (before, after) = what.split_once('|').context("cut NAME BEFORE|AFTER")?;
            let rest = body.split_once(before).map(|(_, rest)| rest);
            rest.and_then(|rest| rest.split_once(after)).map(|(value, _)| value.to_owned())
        }
        _ => response.header(what).map(str::to_owned),
    };
    let value = value.with_context(|| format!("{what} is not in the answer {}: {body}", response.status))?;
    Ok(Some((name.to_owned(), value)))
}

/// Hex digits of SHA-256.
pub(super) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A name of a file: lower-case letters, digits and hyphens.
pub(super) fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.to_ascii_lowercase().chars().take(NAME_CHARS) {
        match c {
            'a'..='z' | '0'..='9' => slug.push(c),
            _ if !slug.ends_with('-') => slug.push('-'),
            _ => {}
        }
    }
    slug.trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_without_a_browser_is_sent_as_it_stands() {
        let lines = vec!["X-Test: {a}".to_owned(), "json {\"b\": 1}".to_owned(), "keep c /c".to_owned()];
        let call = ScriptCall { method: "POST".to_owned(), target: "/x".to_owned(), lines, ..ScriptCall::default() };
        let place = CallPlace { host: "h".to_owned(), origin: "http://h".to_owned(), from: None, browser: None };
        let request = built(&call, &place, &|text| Ok(text.replace("{a}", "1"))).unwrap();
        let head = "POST /x HTTP/1.1\r\nX-Test: 1\r\nContent-Type: application/json\r\nHost: h\r\nConnection: close\r\n\
                    content-length: 8\r\n";
        assert_eq!(request.head(), head);
    }

    #[test]
    fn an_answer_is_kept_by_pointer_and_between_texts() {
        let response = Response { body: b"{\"a\": {\"b\": 1}}".to_vec(), ..Response::default() };
        let check = |line: &str| kept(line, &response).unwrap().map(|(_, value)| value);
        assert_eq!(check("keep x /a/b").as_deref(), Some("1"));
        assert_eq!(check("cut x {\"a|\"").as_deref(), Some(""));
        assert_eq!(check("json {}"), None);
        assert!(kept("keep x /c", &response).is_err());
    }
}
