//! The operator's SMTP server: how it is reached, and what it takes.

use std::time::Duration;

use anyhow::Result;
use lettre::message::Message;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, Tls, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use lettre::transport::smtp::{Error, SMTP_PORT, SUBMISSIONS_PORT};
use percent_encoding::percent_decode_str;
use tokio::sync::Mutex;
use tokio::time::Instant;
use url::{Host, Url};

use crate::config::SecretText;

/// How long a caller waits for the server's greeting and its extensions. Chosen: 5 s, well within the time of a call.
const HELLO_TIME: Duration = Duration::from_secs(5);
/// How long the server's extensions are known. Chosen: an hour, so that an upgraded one is noticed without a restart.
const KNOWN_TIME: Duration = Duration::from_secs(3_600);
/// How long a server that did not answer is not asked again.
const UNKNOWN_TIME: Duration = Duration::from_secs(10);

/// An SMTP server, and what is known of it.
#[derive(Debug)]
pub(super) struct SmtpServer {
    host: String,
    port: u16,
    tls: Tls,
    credentials: Option<Credentials>,
    hello: ClientId,
    /// When it was asked last, and whether it announced SMTPUTF8; `None` where it never answered.
    smtputf8: Mutex<Option<(Instant, Option<bool>)>>,
}

impl SmtpServer {
    /// The server at an address of the configuration; `hello` is our name in EHLO. Over `smtp`, STARTTLS is required with a
    /// password, otherwise opportunistic; loopback is unencrypted.
    pub(super) fn new(address: &SecretText, hello: &str) -> Result<Self> {
        let url = Url::parse(address.expose())?;
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let is_local = match url.host() {
            Some(Host::Ipv4(ip)) => ip.is_loopback(),
            Some(Host::Ipv6(ip)) => ip.is_loopback(),
            // In a scheme that is not special (URL Standard), IP addresses are parsed as names.
            _ => host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback()),
        };
        let secret = || TlsParameters::new(host.clone());
        let (port, tls) = match (url.scheme(), url.password()) {
            ("smtps", _) => (SUBMISSIONS_PORT, Tls::Wrapper(secret()?)),
            _ if is_local => (SMTP_PORT, Tls::None),
            (_, Some(_)) => (SMTP_PORT, Tls::Required(secret()?)),
            (_, None) => (SMTP_PORT, Tls::Opportunistic(secret()?)),
        };
        let decoded = |text| percent_decode_str(text).decode_utf8().map(std::borrow::Cow::into_owned);
        let credentials = match url.password() {
            Some(password) => Some(Credentials::new(decoded(url.username())?, decoded(password)?)),
            None => None,
        };
        let (port, hello) = (url.port().unwrap_or(port), ClientId::Domain(hello.to_owned()));
        Ok(Self { host, port, tls, credentials, hello, smtputf8: Mutex::new(None) })
    }

    /// A connection that is signed in. The caller limits its time.
    #[expect(clippy::disallowed_methods, reason = "the room of mail")]
    async fn connect(&self) -> Result<AsyncSmtpConnection, Error> {
        let wrapper = if let Tls::Wrapper(parameters) = &self.tls { Some(parameters.clone()) } else { None };
        let server = (self.host.as_str(), self.port);
        let mut connection = AsyncSmtpConnection::connect_tokio1(server, None, &self.hello, wrapper, None).await?;
        match &self.tls {
            Tls::Opportunistic(parameters) if connection.can_starttls() => {
                connection.starttls(parameters.clone(), &self.hello).await?;
            }
            Tls::Required(parameters) => connection.starttls(parameters.clone(), &self.hello).await?,
            _ => {}
        }
        if let Some(credentials) = &self.credentials {
            connection.auth(DEFAULT_MECHANISMS, credentials).await?;
        }
        Ok(connection)
    }

    /// Connects and signs in as for a mail, and sends none: whether it answers.
    pub(super) async fn answers(&self) -> Result<bool, Error> {
        let mut connection = self.connect().await?;
        let answers = connection.test_connected().await;
        connection.abort().await;
        Ok(answers)
    }

    /// Sends a message. `is_international`: its headers or its envelope have an address outside ASCII, which needs SMTPUTF8
    /// (RFC 6531); `None` where the server does not announce that.
    pub(super) async fn send(&self, message: &Message, is_international: bool) -> Result<Option<()>, Error> {
        let mut connection = self.connect().await?;
        let takes = !is_international || connection.server_info().supports_feature(Extension::SmtpUtfEight);
        let sent = if takes { submit(&mut connection, message, is_international).await.map(Some) } else { Ok(None) };
        connection.abort().await;
        sent
    }

    /// Whether the server announces SMTPUTF8. It is asked when this is first needed, and again after [`KNOWN_TIME`]; `None`
    /// while it does not answer and never did.
    pub(super) async fn takes_any_script(&self) -> Option<bool> {
        // Callers who come meanwhile wait for this answer.
        let mut known = self.smtputf8.lock().await;
        if let Some((at, answer)) = *known
            && at.elapsed() < answer.map_or(UNKNOWN_TIME, |_| KNOWN_TIME)
        {
            return answer;
        }
        let answer = match tokio::time::timeout(HELLO_TIME, self.connect()).await {
            Ok(Ok(connection)) => Some(connection.server_info().supports_feature(Extension::SmtpUtfEight)),
            Ok(Err(error)) => {
                tracing::warn!(error = super::in_full(&error), "the mail server was not asked for SMTPUTF8");
                None
            }
            Err(_) => {
                tracing::warn!("the mail server did not tell in time whether it has SMTPUTF8");
                None
            }
        };
        // What it told before holds while it is away.
        let answer = answer.or_else(|| known.and_then(|(_, before)| before));
        *known = Some((Instant::now(), answer));
        answer
    }
}

/// The commands of one mail.
async fn submit(connection: &mut AsyncSmtpConnection, message: &Message, is_international: bool) -> Result<(), Error> {
    let (envelope, bytes) = (message.envelope(), message.formatted());
    let mut options = Vec::new();
    if is_international {
        // A server that announces SMTPUTF8 has 8BITMIME (RFC 6531 §3.1). Without it all of a message is ASCII.
        options.extend([MailParameter::SmtpUtfEight, MailParameter::Body(MailBodyParameter::EightBitMime)]);
    }
    connection.command(Mail::new(envelope.from().cloned(), options)).await?;
    for to in envelope.to() {
        connection.command(Rcpt::new(to.clone(), Vec::new())).await?;
    }
    connection.command(Data).await?;
    connection.message(&bytes).await.map(drop)
}
