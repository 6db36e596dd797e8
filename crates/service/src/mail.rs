//! Mail delivery: multipart messages over the operator's SMTP server.
//!
//! Mail is sent in the background, by [`crate::job::Job::SendMail`], which is queued in the same transaction as its
//! cause. Delivery is at-least-once: after a crash between the server's acceptance and our record of it, a mail is
//! sent twice. Its `Message-ID` is the job's id, so that mail programs can deduplicate.

mod server;

use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use lettre::address::Envelope;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart, SinglePart};
use lettre::{Address, Message};
use model::time::Timestamp;
use render::mail::Mail;
use unicode_normalization::char::is_combining_mark;
use unicode_normalization::is_nfc;
use url::Url;

use crate::config::Config;
use server::SmtpServer;

/// SMTP timeout of one mail. Chosen: well within a job's lease.
const SEND_TIME: Duration = Duration::from_secs(30);

/// Bytes of an address at most: the longest that fits into an SMTP path (RFC 5321 §4.5.3.1.3).
const ADDRESS_BYTES: usize = 254;
/// Bytes before the `@` at most (RFC 5321 §4.5.3.1.1).
const LOCAL_BYTES: usize = 64;
/// Characters besides letters and digits that a local part may have without quotes (RFC 5322 §3.2.3).
const ATOM: &str = "!#$%&'*+-/=?^_`{|}~";

/// Why a mail was not sent.
#[derive(Debug, thiserror::Error)]
pub enum NotSent {
    /// Temporary: retry.
    #[error("{0}")]
    Later(String),
    /// Permanent: the server rejected it, or it can't be encoded.
    #[error("{0}")]
    Never(String),
}

/// The operator's mail server.
#[derive(Debug)]
pub struct Mailer {
    server: SmtpServer,
    from: Mailbox,
    /// Host name for message ids and EHLO.
    host: String,
}

impl Mailer {
    /// As configured; `None` without `smtp.url`. The host of `base_url` is used in EHLO.
    pub fn new(config: &Config, base_url: &str) -> Result<Option<Self>> {
        let (Some(url), Some(from)) = (&config.smtp.url, &config.smtp.from) else { return Ok(None) };
        let host = Url::parse(base_url).ok().and_then(|url| url.host_str().map(str::to_owned));
        let host = host.unwrap_or_else(|| "localhost".to_owned());
        Ok(Some(Self {
            server: SmtpServer::new(url, &host).context("smtp.url")?,
            from: from.parse().context("smtp.from")?,
            host,
        }))
    }

    /// Connects and signs in as for a mail, and sends none.
    pub(crate) async fn check(&self) -> Result<(), String> {
        match tokio::time::timeout(SEND_TIME, self.server.answers()).await {
            Ok(Ok(true)) => Ok(()),
            Ok(Ok(false)) => Err("the mail server does not answer as one".to_owned()),
            Ok(Err(error)) => Err(in_full(&error)),
            Err(_) => Err("the mail server did not answer in time".to_owned()),
        }
    }

    /// Sends a mail; `id` is the job's.
    pub async fn send(&self, id: &str, mail: &Mail, now: Timestamp) -> Result<(), NotSent> {
        let message = self.message(id, mail, now).map_err(|error| NotSent::Never(format!("{error:#}")))?;
        let is_international =
            [Some(&mail.to), mail.reply_to.as_ref()].into_iter().flatten().any(|one| !one.is_ascii());
        match tokio::time::timeout(SEND_TIME, self.server.send(&message, is_international)).await {
            Ok(Ok(Some(()))) => Ok(()),
            Ok(Ok(None)) => Err(NotSent::Later("the mail server does not announce SMTPUTF8 any more".to_owned())),
            Ok(Err(error)) if error.is_permanent() => Err(NotSent::Never(in_full(&error))),
            Ok(Err(error)) => Err(NotSent::Later(in_full(&error))),
            Err(_) => Err(NotSent::Later("the mail server did not answer in time".to_owned())),
        }
    }

    /// Whether the server takes addresses with letters outside ASCII before the `@` (SMTPUTF8, RFC 6531); `None` while it
    /// does not answer.
    pub(crate) async fn takes_any_script(&self) -> Option<bool> {
        self.server.takes_any_script().await
    }

    fn message(&self, id: &str, mail: &Mail, now: Timestamp) -> Result<Message> {
        let to = address(&mail.to).context("the recipient's address")?;
        let mut builder = Message::builder()
            .envelope(Envelope::new(Some(self.from.email.clone()), vec![to.clone()])?)
            .message_id(Some(format!("<{id}@{}>", self.host)))
            .date(UNIX_EPOCH + Duration::from_millis(u64::try_from(now.0).unwrap_or_default()))
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(one_line(&mail.subject));
        builder = match &mail.reply_to {
            // A person wrote it, and may get an automatic reply.
            Some(writer) => builder.reply_to(Mailbox::new(None, address(writer).context("the writer's address")?)),
            // Suppresses automatic replies (RFC 3834 §5).
            None => builder.raw_header(header("Auto-Submitted", "auto-generated")),
        };
        if let Some(address) = &mail.unsubscribe {
            builder = builder
                .raw_header(header("List-Unsubscribe", &format!("<{}>", one_line(address))))
                .raw_header(header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"));
        }
        let message = match &mail.html {
            Some(html) => builder.multipart(MultiPart::alternative_plain_html(mail.text.clone(), html.clone())),
            None => builder.singlepart(SinglePart::plain(mail.text.clone())),
        };
        message.context("the message")
    }
}

/// Whether a text is one e-mail address, without a display name, its domain in ASCII. Before the `@` there may be letters of any
/// script, normalized (NFC, RFC 6532 §3.1): no invisible characters, and none that turn the direction of writing.
pub(crate) fn is_address(text: &str) -> bool {
    address(text).is_some()
}

fn address(text: &str) -> Option<Address> {
    if text.len() > ADDRESS_BYTES {
        return None;
    }
    if text.is_ascii() {
        return text.parse().ok();
    }
    let (local, domain) = text.rsplit_once('@')?;
    let is_letter = |c: char| c.is_alphanumeric() || is_combining_mark(c) && !is_invisible(c);
    let is_word = |word: &str| !word.is_empty() && word.chars().all(|c| ATOM.contains(c) || is_letter(c));
    if !domain.is_ascii() || !is_nfc(local) || local.len() > LOCAL_BYTES || !local.split('.').all(is_word) {
        return None;
    }
    // The domain is judged as that of any address; the library takes no vowel signs in a local part.
    let known = Address::new("local", domain).ok()?;
    Some(Address::new_dangerous(local, known.domain()))
}

/// Marks without a shape: the grapheme joiner and variation selectors.
fn is_invisible(mark: char) -> bool {
    matches!(mark, '\u{34F}' | '\u{180B}'..='\u{180F}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}

fn header(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned())
}

/// Replaces control characters, so that a value can't inject a header.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// An error with the chain of its sources.
fn in_full(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(next) = source {
        let next_text = next.to_string();
        if !text.contains(&next_text) {
            text = format!("{text}: {next_text}");
        }
        source = next.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SecretText;

    fn mailer() -> Mailer {
        let mut config = Config::default();
        config.smtp.url = Some(SecretText::new("smtp://127.0.0.1:1"));
        config.smtp.from = Some("Site Audit <audit@example.com>".to_owned());
        Mailer::new(&config, "https://audit.example.com").unwrap().unwrap()
    }

    fn mail() -> Mail {
        Mail {
            to: "ana@example.com".to_owned(),
            subject: "Ação".to_owned(),
            text: "Olá".to_owned(),
            html: Some("<p>Olá</p>".to_owned()),
            unsubscribe: Some("https://audit.example.com/stop?t=1".to_owned()),
            reply_to: None,
        }
    }

    fn written(mail: &Mail) -> Result<String> {
        let message = mailer().message("0192", mail, Timestamp(1_769_851_800_000))?;
        Ok(String::from_utf8(message.formatted()).unwrap())
    }

    #[test]
    fn a_message_says_who_when_and_how_to_end_it() {
        let text = written(&mail()).unwrap();
        for line in [
            "Message-ID: <0192@audit.example.com>",
            "Date: Sat, 31 Jan 2026 09:30:00 +0000",
            "From: \"Site Audit\" <audit@example.com>",
            "To: ana@example.com",
            "Auto-Submitted: auto-generated",
            "List-Unsubscribe: <https://audit.example.com/stop?t=1>",
            "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
        ] {
            assert!(text.contains(&format!("{line}\r\n")), "{line}: {text}");
        }
    }

    #[test]
    fn a_message_of_a_person_is_plain_text_with_their_address() {
        let mail = Mail { html: None, unsubscribe: None, reply_to: Some("bo@example.com".to_owned()), ..mail() };
        let text = written(&mail).unwrap();
        assert!(text.contains("Reply-To: bo@example.com\r\n"), "{text}");
        assert!(text.contains("Content-Type: text/plain; charset=utf-8\r\n"), "{text}");
        assert!(!text.contains("Auto-Submitted") && !text.contains("multipart"), "{text}");
        for address in ["bo@example.com\r\nBcc: eve@example.com", "Bo <bo@example.com>", ""] {
            let mail = Mail { reply_to: Some(address.to_owned()), ..mail.clone() };
            assert!(written(&mail).is_err(), "{address:?}");
        }
    }

    #[test]
    fn nothing_that_is_said_begins_another_header() {
        let hostile = Mail {
            subject: "a\r\nBcc: eve@example.com".to_owned(),
            unsubscribe: Some("https://a.example/\r\nBcc: eve@example.com".to_owned()),
            ..mail()
        };
        let text = written(&hostile).unwrap();
        assert!(!text.contains("\nBcc:"), "{text}");
        for to in ["a@example.com\r\nBcc: b@example.com", "a@example.com, b@example.com", "", "a"] {
            let mail = Mail { to: to.to_owned(), ..mail() };
            assert!(written(&mail).is_err(), "{to:?}");
            assert!(!is_address(to), "{to:?}");
        }
        assert!(is_address("ana.b+c@mail.example.com"));
        assert!(!is_address(&format!("{}@example.com", "a".repeat(250))));
    }

    #[test]
    fn letters_of_any_script_may_stand_before_the_at() {
        for local in ["аня", "संपर्क", "josé.silva+a", "用户", "δοκιμή", "ana_ß"] {
            let to = format!("{local}@example.com");
            assert!(is_address(&to), "{to}");
            let text = written(&Mail { to: to.clone(), reply_to: Some(to.clone()), html: None, ..mail() }).unwrap();
            assert!(text.contains(&format!("To: {to}\r\n")) && text.contains(&format!("Reply-To: {to}\r\n")), "{text}");
        }
        let decomposed = "jose\u{301}";
        for local in [
            decomposed,
            "а\u{202e}б",
            "а\u{200b}",
            "а б",
            "а\u{a0}б",
            "а\u{9b}",
            "а..б",
            ".а",
            "а\r\nb",
            "а,б",
            "а<б",
            "а\u{fe0f}",
            "а\u{34f}",
            "а\u{200d}б",
            &"я".repeat(33),
        ] {
            assert!(!is_address(&format!("{local}@example.com")), "{local:?}");
        }
        for domain in ["", "пример.рф", "example..com", "a b.com"] {
            assert!(!is_address(&format!("аня@{domain}")), "{domain:?}");
        }
    }
}
