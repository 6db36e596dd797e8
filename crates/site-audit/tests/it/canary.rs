//! Secrets as canaries: whatever a test of this process sends or is given as one must not come up again, in no line of the
//! log, and in no answer but those that hand it out.
//!
//! One set for all tests, as they share the log. What got out is told by the next call of any test.

use std::collections::HashSet;
use std::io;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::app::{Call, Response};

/// Answers that hand out a secret on purpose, once: method, path, and what.
const HANDED_OUT: &[(&str, &str, &str)] = &[
    ("POST", "/api/guest", "a guest's token"),
    ("POST", "/api/auth/sign-in", "the challenge that a second factor answers"),
    ("POST", "/api/auth/totp/start", "the secret of a second factor"),
    ("POST", "/api/auth/totp/confirm", "recovery codes"),
    ("POST", "/api/auth/recovery-codes", "recovery codes"),
    ("POST", "/api/auth/passkey/options", "a challenge"),
    ("POST", "/api/auth/passkeys/options", "a challenge"),
    ("POST", "/api/gate/challenge", "a challenge"),
    ("POST", "/api/account/keys/create", "an API key"),
    ("POST", "/api/webhooks", "the secret of a webhook"),
    ("POST", "/api/credito", "a credit's token"),
    ("POST", "/api/credito/pix", "a credit's token"),
    ("POST", "/mcp", "what the operations above answer, as tools"),
];

/// Fields of JSON, in calls and answers, whose texts are secrets.
const SECRET_FIELDS: &[&str] =
    &["token", "guest_token", "secret", "password", "current_password", "new_password", "challenge", "recovery_codes"];

/// Headers of calls whose values are secrets.
const SECRET_HEADERS: &[&str] = &["authorization", "x-api-key", "x-guest-token", "x-credito", "cookie"];

/// Secrets with spaces in them, or of the configuration.
const PHRASES: &[&str] = &[
    "yellow canary sings low",
    "low sings a yellow canary",
    "a secret of tests, of 32 bytes",
    "lab-canary",
    crate::api::people::OPERATOR,
];

/// Characters of a word that can be a secret: shorter ones are ids, hosts and names.
const LEAST: usize = 20;

#[derive(Default)]
struct Known {
    /// Secrets and their SHA-256, as words.
    secrets: HashSet<String>,
    /// Words of the log so far: a secret may be logged before the test is given it.
    logged: HashSet<String>,
    leaks: Vec<String>,
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

fn known<T>(of: impl FnOnce(&mut Known) -> T) -> T {
    let mut known: MutexGuard<'_, Option<Known>> = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    of(known.get_or_insert_default())
}

/// Hears every line that the service logs from now on, the finest too.
pub(crate) fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let filter = "info,site_audit=trace,store=trace,fetch=trace,audit=trace,lab=trace,service=trace";
        let builder = tracing_subscriber::fmt().with_env_filter(filter).json().with_writer(|| Listening);
        builder.try_init().unwrap();
    });
}

struct Listening;

impl io::Write for Listening {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        known(|known| {
            let told = PHRASES.iter().any(|phrase| text.contains(phrase)) || text.contains("$argon2");
            if told || words(&text).any(|word| looks_secret(word) || known.secrets.contains(word)) {
                known.leaks.push(format!("logged: {text}"));
            }
            known.logged.extend(words(&text).map(str::to_owned));
        });
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a call is about to send.
pub(crate) fn sent(call: &Call<'_>) {
    let headers = call.headers.iter().filter(|(name, _)| SECRET_HEADERS.contains(&name.as_str()));
    let query = call.path.split_once("token=").map(|(_, token)| token);
    learn(headers.flat_map(|(_, value)| words(value)).chain(query.into_iter().flat_map(words)));
    learn_fields(&call.body);
}

/// What came back. Fails where a secret got out, here or in the log of any test.
pub(crate) fn answered(call: &Call<'_>, response: &Response) {
    let path = call.path.split('?').next().unwrap_or_default();
    let is_page = response.status == 303 || response.header("content-type").starts_with("text/html");
    if !HANDED_OUT.iter().any(|(method, of, _)| (*method, *of) == (call.method, path)) {
        // A page's form holds the token of the address that opened it, and the choice of a theme leads back there.
        let own: HashSet<&str> =
            if is_page { words(&call.path).chain(words(&call.body)).collect() } else { HashSet::new() };
        let headers = response.headers.iter().filter(|(name, _)| *name != "set-cookie");
        let told = headers.flat_map(|(_, value)| words(value)).chain(words(&response.body));
        let body = &response.body;
        known(|known| {
            for word in told.filter(|word| !own.contains(word) && known.secrets.contains(*word)) {
                known.leaks.push(format!("{} {path} answered {word}", call.method));
            }
            if let Some(phrase) = PHRASES.iter().find(|phrase| body.contains(**phrase)) {
                known.leaks.push(format!("{} {path} answered {phrase}", call.method));
            }
        });
    }
    learn(words(response.header("set-cookie")));
    learn_fields(&response.body);
    known(|known| assert!(known.leaks.is_empty(), "secrets got out: {:#?}", known.leaks));
}

fn learn<'a>(secrets: impl Iterator<Item = &'a str>) {
    known(|known| {
        for secret in secrets.filter(|secret| !stands_for_one(secret)) {
            let digest = Sha256::digest(secret);
            let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            for word in [secret.to_owned(), hex, URL_SAFE_NO_PAD.encode(digest)] {
                if known.logged.contains(&word) {
                    known.leaks.push(format!("logged before: {word}"));
                }
                known.secrets.insert(word);
            }
        }
    });
}

/// Whether a word only stands for a secret, as `pa_000…` does in documents and in calls that must be refused.
fn stands_for_one(word: &str) -> bool {
    let value = word.rsplit_once('_').map_or(word, |(_, value)| value);
    value.chars().all(|c| value.starts_with(c))
}

/// Learns the secrets in a body of JSON, if it is one.
fn learn_fields(body: &str) {
    let Ok(value) = serde_json::from_str::<Value>(body) else { return };
    let Some(fields) = value.as_object() else { return };
    for (_, value) in fields.iter().filter(|(name, _)| SECRET_FIELDS.contains(&name.as_str())) {
        learn(
            value
                .as_array()
                .map_or_else(|| std::slice::from_ref(value), Vec::as_slice)
                .iter()
                .flat_map(|value| words(value.as_str().unwrap_or_default())),
        );
    }
}

/// Words that are long enough.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    text.split(move |c| !is_part(c)).filter(|word| word.len() >= LEAST)
}

/// Whether a word of the log has the shape of a token, a digest or the secret of a second factor, known or not.
fn looks_secret(word: &str) -> bool {
    let is_token = ["pa_", "mmk_", "cred_"].iter().any(|prefix| word.starts_with(prefix)) && word.len() >= 46;
    let holds = |of: fn(&u8) -> bool| word.bytes().any(|byte| of(&byte));
    let is_mixed = holds(u8::is_ascii_uppercase) && holds(u8::is_ascii_lowercase) && holds(u8::is_ascii_digit);
    let is_random = word.len() == 43 && is_mixed;
    let is_digest = word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_factor = word.len() == 32 && word.bytes().all(|byte| matches!(byte, b'A'..=b'Z' | b'2'..=b'7'));
    is_token || is_random || is_digest || is_factor
}
