//! A mail as it was sent, and its parts without their transfer encoding (RFC 2045 §6).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// A mail.
#[derive(Debug, Clone)]
pub(super) struct RecordedMail {
    /// Recipients of the envelope.
    pub(super) to: Vec<String>,
    /// Headers as they came, and the content of every part, decoded, with lines ending in LF.
    pub(super) text: String,
}

impl RecordedMail {
    /// Reads a message with lines ending in LF.
    pub(super) fn new(to: Vec<String>, source: &str) -> Self {
        Self { to, text: shown(source) }
    }

    /// The token of the first link that has one.
    pub(super) fn token(&self) -> Option<String> {
        let (_, after) = self.text.split_once("token=")?;
        let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').unwrap_or(after.len());
        Some(after.get(..end)?.to_owned())
    }
}

fn shown(source: &str) -> String {
    let (head, body) = source.split_once("\n\n").unwrap_or((source, ""));
    let content_type = field(head, "content-type");
    let Some((_, boundary)) = content_type.split_once("boundary=") else {
        return format!("{head}\n\n{}", decoded(head, body));
    };
    let boundary = format!("--{}", boundary.trim_matches('"'));
    let parts: Vec<String> = body.split(&boundary).map(|part| shown(part.trim_start())).collect();
    // The boundary is random; where it stood is seen without it.
    format!("{head}\n\n{}", parts.join("--BOUNDARY\n")).replace(boundary.trim_start_matches('-'), "BOUNDARY")
}

fn field(head: &str, name: &str) -> String {
    let unfolded = head.replace("\n ", " ").replace("\n\t", " ");
    let mut fields = unfolded.lines().filter_map(|line| line.split_once(": "));
    fields.find(|(key, _)| key.eq_ignore_ascii_case(name)).map_or(String::new(), |(_, value)| value.to_owned())
}

fn decoded(head: &str, body: &str) -> String {
    let bytes = match field(head, "content-transfer-encoding").as_str() {
        "base64" => STANDARD.decode(body.replace('\n', "")).unwrap_or_default(),
        "quoted-printable" => unquoted(&body.replace("=\n", "")),
        _ => body.as_bytes().to_vec(),
    };
    String::from_utf8_lossy(&bytes).replace("\r\n", "\n")
}

fn unquoted(text: &str) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((&byte, after)) = rest.split_first() {
        let code = after
            .split_at_checked(2)
            .and_then(|(hex, after)| Some((u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()?, after)));
        match code {
            Some((code, after)) if byte == b'=' => {
                bytes.push(code);
                rest = after;
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_decoded_and_the_token_is_found() {
        let source = "Subject: x\nContent-Type: multipart/alternative; boundary=\"Zx9Qw\"\n\n--Zx9Qw\n\
                      Content-Transfer-Encoding: quoted-printable\n\nhttp://x/?tok=\nen=3Dabc_1\n--Zx9Qw--\n";
        let letter = RecordedMail::new(vec!["a@example.com".to_owned()], source);
        assert_eq!(letter.token().as_deref(), Some("abc_1"));
        assert!(!letter.text.contains("Zx9Qw"), "{}", letter.text);
    }
}
