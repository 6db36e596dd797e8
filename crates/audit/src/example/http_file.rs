//! What a server answers, as a person writes it down: `.http` files.
//!
//! ```text
//! What stands before the first request is a comment. The first request is for the page.
//!
//! GET https://example.com/page
//! 301
//! Location: /new
//!
//! GET https://example.com/new
//! 200
//! Content-Type: text/html; charset=utf-8
//! @ttfb 2100
//!
//! <!doctype html>
//! <title>Rye bread</title>
//!
//! GET https://example.com/robots.txt
//! failed timeout headers
//! ```
//!
//! After a line `GET` with the whole URL come the status, the headers, and after an empty line the body, decoded, up to
//! the next such line; empty lines at its end do not count. A status with `Location` is a redirect that is followed to
//! another answer of the file. Addresses that the file does not name answer 404, and give no answer where the page names
//! them (its canonical, its images, its language versions, itself over http). Instead of a status, `failed` with the
//! words of a `FetchFailure` is no answer. Among the headers, lines with `@` say what is no header:
//!
//! | line | says |
//! |---|---|
//! | `@dns 12`, `@connect 12`, `@tls 12`, `@ttfb 12` | milliseconds that a phase took |
//! | `@certificate 2026-10-01 2026-12-30 Example CA` | the days of the TLS certificate's validity, and its issuer |
//! | `@http 2` | the version of HTTP that was spoken |
//! | `@cut size` (`time`, `connection`) | the body ends before its end |
//! | `@supplied` | the page was supplied by a caller: nothing was asked of the network |
//! | `@broken` | the body is not in the coding that `Content-Encoding` names |
//! | `@hex` | the body is written as hexadecimal digits |
//! | `@times 20` | each line of the body that begins with `~` stands there so often, `{n}` in it counting from 0 |

use std::collections::VecDeque;

use model::capture::{Body, BodyCut, Certificate, Coding, Exchange, FailureKind, FetchFailure, Fetched, Timing};
use model::time::Timestamp;
use serde::de::DeserializeOwned;
use url::Url;

/// The mark of a page that was supplied, without its sign.
const SUPPLIED: &str = "supplied";

/// Whether a file says that its page was supplied.
pub(super) fn is_supplied(text: &str) -> bool {
    text.lines().any(|line| line.strip_prefix('@') == Some(SUPPLIED))
}

/// The answers of a file by URL, in its order; or its first fault, with the line.
pub(super) fn read(text: &str) -> Result<Vec<(String, Fetched)>, String> {
    let mut parts: Vec<FileReader<'_>> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.starts_with("GET ") {
            parts.push(FileReader { number: at + 1, rest: VecDeque::new() });
        }
        if let Some(part) = parts.last_mut() {
            part.rest.push_back(line);
        }
    }
    let mut answers: Vec<(String, Fetched)> = Vec::new();
    for part in parts {
        let number = part.number;
        let (url, answer) = part.answer()?;
        if answers.iter().any(|(known, _)| *known == url) {
            return Err(format!("line {number}: {url} has an answer already"));
        }
        answers.push((url, answer));
    }
    if answers.is_empty() { Err("no line begins with GET".to_owned()) } else { Ok(answers) }
}

/// One answer that is being read.
struct FileReader<'t> {
    /// Of the first line that is left, or the one after the last.
    number: usize,
    rest: VecDeque<&'t str>,
}

/// What marks say of an answer's body.
#[derive(Default)]
struct Marks {
    is_broken: bool,
    is_hex: bool,
    /// How often each line of the body that begins with `~` stands there; 0 where nothing says so.
    times: usize,
}

impl<'t> FileReader<'t> {
    fn fault<T>(&self, what: &str) -> Result<T, String> {
        Err(format!("line {}: {what}", self.number))
    }

    /// On to the next line.
    fn pass(&mut self) {
        self.rest.pop_front();
        self.number += 1;
    }

    fn answer(mut self) -> Result<(String, Fetched), String> {
        let url = self.rest.front().map_or("", |line| line.trim_start_matches("GET ")).to_owned();
        if Url::parse(&url).map(String::from).as_ref() != Ok(&url) {
            return self.fault("after GET comes a whole URL, in its normal form");
        }
        self.pass();
        let Some(status) = self.rest.front().copied() else { return self.fault("the status is missing") };
        let answer = match status.strip_prefix("failed ") {
            Some(failure) => Fetched::Failed(self.failure(failure, &url)?),
            None => Fetched::Response(self.response(status, &url)?),
        };
        Ok((url, answer))
    }

    fn failure(mut self, words: &str, url: &str) -> Result<FetchFailure, String> {
        let (kind, reason) = words.split_once(' ').unwrap_or((words, ""));
        let Some(kind) = word::<FailureKind>(kind).filter(|_| !reason.is_empty()) else {
            return self.fault("after failed come a kind and a reason, as in: failed unreachable dns");
        };
        self.pass();
        if self.rest.iter().any(|line| !line.is_empty()) {
            return self.fault("what failed has neither headers nor a body");
        }
        Ok(FetchFailure { kind, reason: reason.to_owned(), hops: Vec::new(), url: url.to_owned() })
    }

    fn response(mut self, status: &str, url: &str) -> Result<Exchange, String> {
        let Ok(status @ 100..=999) = status.parse() else {
            return self.fault("the status is a number of three digits, or failed with a kind and a reason");
        };
        let mut exchange = Exchange {
            hops: Vec::new(),
            url: url.to_owned(),
            status,
            headers: Vec::new(),
            body: Body::default(),
            timing: Timing { ttfb_ms: Some(20), total_ms: 30, ..Timing::default() },
            ambiguous_length: false,
            certificate: None,
        };
        self.pass();
        let mut marks = Marks::default();
        while let Some(line) = self.rest.front().copied().filter(|line| !line.is_empty()) {
            self.header(line, &mut exchange, &mut marks)?;
            self.pass();
        }
        let has = |name| exchange.header(name).is_some();
        exchange.ambiguous_length = has("content-length") && has("transfer-encoding");
        exchange.body.coding = match exchange.header("content-encoding").map(str::to_owned) {
            None if marks.is_broken => return self.fault("@broken wants a Content-Encoding"),
            None => Coding::Identity,
            Some(name) if marks.is_broken => Coding::Broken(name),
            Some(name) if ["gzip", "deflate", "br", "zstd"].contains(&name.as_str()) => Coding::Decoded(name),
            Some(name) => Coding::Unknown(name),
        };
        let body = repeated(self.body(), marks.times);
        if !body.is_empty() && matches!(exchange.body.coding, Coding::Broken(_) | Coding::Unknown(_)) {
            return self.fault("of a coding that can't be undone there is no body");
        }
        exchange.body.bytes = match marks.is_hex.then(|| hex(&body)) {
            None => body.into(),
            Some(Some(bytes)) => bytes.into(),
            Some(None) => return self.fault("the body is not pairs of hexadecimal digits"),
        };
        Ok(exchange)
    }

    /// Takes over a header, or what a mark says.
    fn header(&self, line: &str, exchange: &mut Exchange, marks: &mut Marks) -> Result<(), String> {
        let Some(mark) = line.strip_prefix('@') else {
            let Some((name, value)) = line.split_once(": ") else {
                return self.fault("a header is a name, a colon, a space and a value");
            };
            exchange.headers.push((name.to_ascii_lowercase(), value.to_owned()));
            return Ok(());
        };
        let (name, value) = mark.split_once(' ').unwrap_or((mark, ""));
        let timing = &mut exchange.timing;
        let phase = match name {
            "hex" => {
                marks.is_hex = true;
                return Ok(());
            }
            SUPPLIED => return Ok(()),
            "broken" => {
                marks.is_broken = true;
                return Ok(());
            }
            "certificate" => {
                exchange.certificate = certificate(value);
                let is_read = exchange.certificate.is_some();
                return if is_read { Ok(()) } else { self.fault("@certificate wants two days and an issuer") };
            }
            "times" => {
                marks.times = value.parse().unwrap_or_default();
                return if marks.times > 0 { Ok(()) } else { self.fault("after @times comes a number") };
            }
            "http" => {
                timing.http_version = format!("HTTP/{value}");
                return Ok(());
            }
            "cut" => {
                exchange.body.cut = word::<BodyCut>(value);
                let is_known = exchange.body.cut.is_some();
                return if is_known { Ok(()) } else { self.fault("@cut is size, time or connection") };
            }
            "dns" => &mut timing.dns_ms,
            "connect" => &mut timing.connect_ms,
            "tls" => &mut timing.tls_ms,
            "ttfb" => &mut timing.ttfb_ms,
            _ => {
                return self
                    .fault("no such mark; there are @dns, @connect, @tls, @ttfb, @certificate, @http, @cut, @supplied, @broken, @hex, @times");
            }
        };
        *phase = value.parse().ok();
        if phase.is_some() { Ok(()) } else { self.fault("a time is a number of milliseconds") }
    }

    /// What is left of the answer, without the empty lines around it; with a line end where there is anything.
    fn body(&self) -> String {
        let body: Vec<&str> = self.rest.iter().copied().skip_while(|line| line.is_empty()).collect();
        let end = body.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        body.iter().take(end).flat_map(|line| [line, "\n"]).collect()
    }
}

/// Two days and a name.
fn certificate(value: &str) -> Option<Certificate> {
    let mut parts = value.splitn(3, ' ');
    let mut day = || Timestamp::parse(&format!("{}T00:00:00Z", parts.next()?));
    let (not_before, not_after) = (Some(day()?), day()?);
    Some(Certificate { not_before, not_after, issuer: parts.next()?.to_owned() })
}

/// The body with each line that begins with `~` so many times, numbered where it says `{n}`.
fn repeated(body: String, times: usize) -> String {
    if times == 0 {
        return body;
    }
    let line = |line: &str| match line.strip_prefix('~') {
        Some(line) => (0..times).map(|n| line.replace("{n}", &n.to_string())).collect(),
        None => line.to_owned(),
    };
    body.split_inclusive('\n').map(line).collect()
}

/// A word of a capture's JSON.
fn word<T: DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(serde_json::Value::from(word)).ok()
}

fn hex(body: &str) -> Option<Vec<u8>> {
    let digits: String = body.split_whitespace().collect();
    let pairs = digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2));
    pairs.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_file_is_said_with_its_line() {
        for (text, fault) in [
            ("", "no line begins with GET"),
            ("GET /page\n200\n", "line 1: after GET comes a whole URL, in its normal form"),
            ("GET https://example.com\n200\n", "line 1: after GET comes a whole URL, in its normal form"),
            ("GET https://example.com/", "line 2: the status is missing"),
            (
                "GET https://a.com/\n20\n",
                "line 2: the status is a number of three digits, or failed with a kind and a reason",
            ),
            (
                "GET https://a.com/\nfailed dns\n",
                "line 2: after failed come a kind and a reason, as in: failed unreachable dns",
            ),
            ("GET https://a.com/\nfailed timeout dns\n\nx", "line 3: what failed has neither headers nor a body"),
            ("GET https://a.com/\n200\nServer:x\n", "line 3: a header is a name, a colon, a space and a value"),
            (
                "GET https://a.com/\n200\n@slow\n",
                "line 3: no such mark; there are @dns, @connect, @tls, @ttfb, @certificate, @http, @cut, @supplied, @broken, @hex, @times",
            ),
            ("GET https://a.com/\n200\n@ttfb x\n", "line 3: a time is a number of milliseconds"),
            ("GET https://a.com/\n200\n@times x\n", "line 3: after @times comes a number"),
            ("GET https://a.com/\n200\n@cut off\n", "line 3: @cut is size, time or connection"),
            ("GET https://a.com/\n200\n@broken\n", "line 4: @broken wants a Content-Encoding"),
            (
                "GET https://a.com/\n200\nContent-Encoding: exi\n\nx",
                "line 4: of a coding that can't be undone there is no body",
            ),
            ("GET https://a.com/\n200\n@hex\n\n4\n", "line 4: the body is not pairs of hexadecimal digits"),
            ("GET https://a.com/\n200\nGET https://a.com/\n200\n", "line 3: https://a.com/ has an answer already"),
        ] {
            assert_eq!(read(text).unwrap_err(), fault, "{text}");
        }
    }
}
