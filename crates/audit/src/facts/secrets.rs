//! Keys that open something, in the source of a page: one pass over its bytes.
//!
//! Only what nobody publishes on purpose: formats with a prefix of their own and random characters behind, private
//! keys, and AWS key ids beside their secret. What stands in `code` and `pre` is read as documentation.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Input, MatchKind};

/// Kinds, prefixes, lengths and alphabets, with source and date in the file.
const TABLE: &str = include_str!("../data/secret_patterns.tsv");
/// Secrets that are told of one page.
const MOST: usize = 10;
/// Keys that are looked at closer: a page of documentation may have many, and is not gone through for each.
const MOST_LOOKED_AT: usize = 100;
/// Bytes before a key in which the start of a code block is looked for.
const LOOK_BACK: usize = 64 * 1024;
/// Different characters that a random key has at least: fewer are a placeholder, as `ghp_xxxxxxxx`.
const LEAST_DIFFERENT: usize = 10;
/// Characters in a row that count up or stay the same: more are a placeholder, as `1234567890` or `AAAAAA`.
const LONGEST_ROW: usize = 5;
/// Bytes around an AWS key id in which its secret is looked for.
const NEAR: usize = 300;
/// Characters of an AWS secret (AWS, "AWS security credentials").
const AWS_SECRET: usize = 40;
/// Characters of base64 that a private key has at least: the smallest, of Ed25519, has 64.
const LEAST_KEY: usize = 60;
/// Bytes behind the head of a private key in which they are looked for.
const KEY_BYTES: usize = 400;
const KEY_HEAD: &str = "-----BEGIN ";

/// A secret that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Secret {
    /// What it is, in the vendor's words.
    pub(crate) kind: &'static str,
    /// Its bytes in the source.
    pub(crate) span: Range<usize>,
    /// What may be shown of it: how it begins.
    pub(crate) shown: &'static str,
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
struct SecretPattern {
    kind: &'static str,
    prefix: &'static str,
    least: usize,
    alphabet: Alphabet,
    most: usize,
}

/// Which characters follow a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Alphabet {
    Word,
    Dashed,
    LowerHex,
    Upper,
}

impl Alphabet {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::Dashed => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Self::LowerHex => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        }
    }
}

/// The table, and where its prefixes stand in a text: nearly all of a page is passed over many bytes at a time.
struct SecretFinder {
    patterns: Vec<SecretPattern>,
    starts: AhoCorasick,
}

static FINDER: LazyLock<SecretFinder> = LazyLock::new(|| {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
    let patterns: Vec<SecretPattern> = rows
        .filter_map(|line| {
            let mut cells = line.split('\t');
            let (kind, prefix) = (cells.next()?, cells.next()?);
            let least = cells.next()?.parse().ok()?;
            let alphabet = match cells.next()? {
                "w" => Alphabet::Word,
                "d" => Alphabet::Dashed,
                "x" => Alphabet::LowerHex,
                _ => Alphabet::Upper,
            };
            Some(SecretPattern { kind, prefix, least, alphabet, most: cells.next()?.parse().ok()? })
        })
        .collect();
    let prefixes = patterns.iter().map(|pattern| pattern.prefix).chain([KEY_HEAD]);
    // It fails on more patterns than a program can hold.
    // Leftmost: only then are prefixes looked for many bytes at a time.
    let starts = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(prefixes);
    let starts = starts.expect("a table of some twenty short words is small enough");
    SecretFinder { patterns, starts }
});

/// What a secret may begin with.
pub(super) fn starts() -> impl Iterator<Item = &'static str> {
    FINDER.patterns.iter().map(|pattern| pattern.prefix).chain([KEY_HEAD])
}

/// The secrets of a source, in order; at most [`MOST`].
pub(crate) fn find(source: &str) -> Vec<Secret> {
    let (bytes, finder) = (source.as_bytes(), &*FINDER);
    let mut out: Vec<Secret> = Vec::new();
    let (mut from, mut looked_at) = (0, 0);
    while let Some(start) = finder.starts.find(Input::new(source).range(from..)) {
        let at = start.start();
        from = at + 1;
        // A key begins where no word goes on.
        let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied().unwrap_or(b' ');
        if before.is_ascii_alphanumeric() || before == b'_' {
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let found = finder.patterns.iter().find_map(|pattern| token(rest, *pattern)).or_else(|| private_key(rest));
        let Some((kind, shown, length)) = found else { continue };
        from = at + length;
        looked_at += 1;
        if looked_at > MOST_LOOKED_AT {
            break;
        }
        let is_whole = !kind.starts_with("AWS") || has_aws_secret(bytes, at, from);
        if is_whole && !is_documented(source, at) {
            out.push(Secret { kind, span: at..from, shown });
            if out.len() == MOST {
                break;
            }
        }
    }
    out
}

/// Kind, prefix and length of a token that `rest` begins with.
fn token(rest: &[u8], pattern: SecretPattern) -> Option<(&'static str, &'static str, usize)> {
    let tail = rest.strip_prefix(pattern.prefix.as_bytes())?;
    let length = tail.iter().take(pattern.most + 1).take_while(|byte| pattern.alphabet.has(**byte)).count();
    let is_fit = (pattern.least..=pattern.most).contains(&length) && is_random(tail.get(..length)?);
    is_fit.then_some((pattern.kind, pattern.prefix, pattern.prefix.len() + length))
}

/// Whether characters look as drawn by lot: many different ones, digits among them, no run, no word of an example.
fn is_random(bytes: &[u8]) -> bool {
    let mut seen = [false; 256];
    let (mut different, mut row, mut before) = (0, 1, 0_u8);
    for byte in bytes {
        if let Some(known) = seen.get_mut(usize::from(*byte)).filter(|known| !**known) {
            *known = true;
            different += 1;
        }
        row = if *byte == before || before.checked_add(1) == Some(*byte) { row + 1 } else { 1 };
        if row > LONGEST_ROW {
            return false;
        }
        before = *byte;
    }
    let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
    let is_example = ["example", "your", "test", "fake", "dummy", "sample", "secret", "token"]
        .iter()
        .any(|word| text.contains(word));
    different >= LEAST_DIFFERENT && bytes.iter().any(u8::is_ascii_digit) && !is_example
}

/// A private key in PEM (RFC 7468), as lines or with escaped line ends; not one behind a password.
fn private_key(rest: &[u8]) -> Option<(&'static str, &'static str, usize)> {
    const KINDS: [&str; 6] = ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "PGP "];
    let label = rest.strip_prefix(KEY_HEAD.as_bytes())?;
    let body = KINDS.iter().find_map(|kind| {
        let rest = label.strip_prefix(kind.as_bytes())?.strip_prefix(b"PRIVATE KEY")?;
        rest.strip_prefix(b"-----").or_else(|| rest.strip_prefix(b" BLOCK-----"))
    })?;
    let body = body.get(..KEY_BYTES).unwrap_or(body);
    let text = String::from_utf8_lossy(body).replace("\\n", "").replace("\\r", "");
    let digits = text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '\r' | '\n' | ' ')));
    let first = digits.map(|part| part.bytes().filter(|b| !b.is_ascii_whitespace()).collect::<Vec<u8>>()).next()?;
    let is_key = first.len() >= LEAST_KEY && !text.contains("ENCRYPTED") && is_random(first.get(..LEAST_KEY)?);
    is_key.then_some(("Private key", KEY_HEAD, rest.len() - label.len() + 1))
}

/// Whether an AWS key id has a secret beside it: forty characters of base64 between quotes.
fn has_aws_secret(bytes: &[u8], start: usize, end: usize) -> bool {
    let around = bytes.get(start.saturating_sub(NEAR)..(end + NEAR).min(bytes.len())).unwrap_or_default();
    let mut parts = around.split(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    parts.any(|part| {
        let is_digits = part.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
        part.len() == AWS_SECRET && is_digits && is_random(part)
    })
}

/// Whether an offset lies in the text of a `code`, `pre` or `textarea`, where articles show examples.
fn is_documented(source: &str, at: usize) -> bool {
    let start = source.floor_char_boundary(at.saturating_sub(LOOK_BACK));
    // Few keys are looked at, so a copy is cheap; names of tags may be in any case.
    let before = source.get(start..at).unwrap_or_default().to_ascii_lowercase();
    let last = |tag: &str| before.rfind(tag);
    [("<code", "</code"), ("<pre", "</pre"), ("<textarea", "</textarea")]
        .iter()
        .any(|(open, close)| last(open).is_some_and(|open| last(close).is_none_or(|close| close < open)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Made up here, and cut in two so that scanners of repositories leave it alone.
    fn github() -> String {
        ["gh", "p_R7k2Wq9LzX4mBv8Tn3Yc6Hd1Js5Fg0PaQeUi"].concat()
    }

    fn kinds(source: &str) -> Vec<&'static str> {
        find(source).into_iter().map(|secret| secret.kind).collect()
    }

    #[test]
    fn keys_are_found_by_their_form() {
        let key = github();
        assert_eq!(kinds(&format!("<script>const t = '{key}';</script>")), ["GitHub personal access token"]);
        let found = find(&key);
        assert_eq!(found.first().map(|secret| (secret.span.clone(), secret.shown)), Some((0..40, "ghp_")));
        let stripe = ["sk_", "live_51Hq8RkJ2eZvKYlo2C0aXbNcVd"].concat();
        assert_eq!(kinds(&format!("key={stripe}&")), ["Stripe secret key"]);
    }

    #[test]
    fn placeholders_parts_of_words_and_documentation_are_none() {
        let key = github();
        for fine in [
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
            "sk_live_YOURSECRETKEY1a2b3c4d5e6f7g8h",
            "pk_live_51Hq8RkJ2eZvKYlo2C0aXbNcVd",
            &format!("x{key}"),
            &format!("{key}{key}{key}{key}{key}{key}{key}"),
            &format!("<pre>{key}</pre>"),
            &format!("<p><code class=a>{key}</code>"),
            "AKIAIOSFODNN7EXAMPLE",
            "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
            "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA0vx7agoebGcQSuuPiLJXZptN9nndrQ",
        ] {
            assert_eq!(kinds(fine), Vec::<&str>::new(), "{fine}");
        }
        assert_eq!(kinds(&format!("<code>a</code>{key}")).len(), 1);
    }

    #[test]
    fn of_many_examples_only_so_many_are_looked_at() {
        let examples = |count: usize| format!("<pre>{}</pre>{}", format!("{} ", github()).repeat(count), github());
        assert_eq!(kinds(&examples(MOST_LOOKED_AT - 1)).len(), 1);
        assert!(kinds(&examples(MOST_LOOKED_AT)).is_empty());
    }

    #[test]
    fn private_keys_are_told_by_their_body_and_aws_ids_by_their_secret() {
        let body = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v8VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9gQk2T";
        for key in [
            format!("-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----"),
            format!("{{\"private_key\": \"-----BEGIN RSA PRIVATE KEY-----\\n{body}\\n\"}}"),
            format!("-----BEGIN PRIVATE KEY-----\\r\\n{body}\\r\\n"),
        ] {
            assert_eq!(kinds(&key), ["Private key"], "{key}");
        }
        assert!(kinds(&format!("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n{body}")).is_empty());
        let id = ["AK", "IAQ3EGRZN5TWX7KPLM"].concat();
        let secret = "wJ4lrXUtnF9EMIK7MDQENGbPxRf3iCYzVb8KLoqa";
        assert_eq!(kinds(&format!("{{id:\"{id}\",key:\"{secret}\"}}")), ["AWS access key"]);
        assert!(kinds(&format!("{{id:\"{id}\"}}")).is_empty());
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "\\PC{0,60}", tail in "[-_A-Za-z0-9. \\\\]{0,120}") {
            for prefix in ["ghp_", "-----BEGIN PRIVATE KEY-----", "AKIA", "SG."] {
                for secret in find(&format!("{text} {prefix}{tail}")) {
                    prop_assert!(secret.span.start < secret.span.end);
                }
            }
        }
    }
}
