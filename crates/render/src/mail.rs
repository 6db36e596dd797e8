//! Texts of mail: each message in the reader's language, as plain text and HTML.

pub mod contact;
pub mod letters;
pub mod site_watch;
pub mod watch;

pub use askama::Error;

use askama::Template;
use model::finding::Severity;
use model::lang::Lang;
use serde::{Deserialize, Serialize};

use crate::shown::without_controls;

/// A message to one person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mail {
    /// The recipient's address.
    pub to: String,
    /// One line.
    pub subject: String,
    /// Plain text.
    pub text: String,
    /// The same as HTML; `None` for a message of plain text.
    pub html: Option<String>,
    /// Address at which one click ends mail of this kind (RFC 8058); `None` where nobody subscribed to anything.
    pub unsubscribe: Option<String>,
    /// The address of the person who wrote it, for the answer; `None` where the service writes by itself.
    #[serde(default)]
    pub reply_to: Option<String>,
}

/// The service that writes: its name, and where its links lead.
#[derive(Debug, Clone, Copy)]
pub struct Sender<'a> {
    /// Name of the product.
    pub product: &'a str,
    /// The public origin, without a slash at its end.
    pub base_url: &'a str,
}

/// What every HTML message has: the values of `templates/mail.html`.
#[derive(Debug, Clone, Copy)]
struct MailFrame<'a> {
    /// Language tag of the texts.
    lang: &'static str,
    subject: &'a str,
    product: &'a str,
    /// The public origin.
    home: &'a str,
}

impl Sender<'_> {
    /// The absolute URL of a path of ours.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }

    /// Where one click ends the alerts of a watch.
    fn stop(&self, token: &str, lang: Lang) -> String {
        self.url(&format!("/watch/stop?token={token}&lang={}", lang.tag()))
    }
}

impl Mail {
    /// An alert of a watch, as text and HTML; `stop` ends such alerts.
    fn alert(to: &str, subject: &str, stop: &str, text: &impl Template, html: &impl Template) -> Result<Self, Error> {
        Ok(Self {
            to: to.to_owned(),
            subject: subject.to_owned(),
            text: without_controls(text.render()?),
            html: Some(without_controls(html.render()?)),
            unsubscribe: Some(stop.to_owned()),
            reply_to: None,
        })
    }
}

/// Class and light colour of the name of a severity in HTML.
fn look(severity: Severity) -> (&'static str, &'static str) {
    match severity {
        Severity::Error => ("error", "#a81329"),
        Severity::Warn => ("warn", "#764500"),
        Severity::Info => ("muted", "#4d5170"),
    }
}
