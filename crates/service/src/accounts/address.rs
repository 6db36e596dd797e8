//! E-mail addresses of accounts.

use model::lang::{Phrase, Text, text};

use unicode_normalization::UnicodeNormalization as _;

use crate::error::{Code, ServiceError};
use crate::mail::is_address;
use crate::services::Services;

/// An e-mail address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// As it was typed, without spaces around it, the domain in ASCII, letters of other scripts composed (NFC).
    pub typed: String,
    /// Canonical form, for comparison: lower case. Dots and `+` suffixes are kept, as they may name another mailbox.
    pub canonical: String,
}

impl Address {
    /// Parses a typed address; [`Code::InvalidEmail`] when it is not one. Whether mail reaches it is for [`reachable`].
    pub fn parse(text: &str) -> Result<Self, ServiceError> {
        let read = || {
            let (local, domain) = text.trim().rsplit_once('@')?;
            let (local, domain): (String, String) = (local.nfc().collect(), idna::domain_to_ascii(domain).ok()?);
            let typed = format!("{local}@{domain}");
            is_address(&typed).then(|| Self { canonical: typed.to_lowercase(), typed })
        };
        read().ok_or_else(|| ServiceError::new(Code::InvalidEmail).explained(TAKES.into()))
    }

    /// Whether mail can be sent there, else why not, of the `field` that it was sent in: letters outside ASCII need a mail server
    /// with SMTPUTF8 (RFC 6531).
    pub(crate) async fn must_be_reachable(&self, services: &Services, field: &str) -> Result<(), Phrase> {
        if self.typed.is_ascii() {
            return Ok(());
        }
        let takes = match services.mailer() {
            Some(mailer) => mailer.takes_any_script().await,
            None => Some(false),
        };
        match takes {
            Some(true) => Ok(()),
            Some(false) => Err(NOT_ASCII.phrase(&[("field", field.into())])),
            None => Err(NOT_KNOWN.phrase(&[("field", field.into())])),
        }
    }

    /// The local part, before the `@`.
    pub fn local(&self) -> &str {
        self.typed.rsplit_once('@').map_or(self.typed.as_str(), |(local, _)| local)
    }
}

/// Parses an address that mail is to be sent to; [`Code::InvalidEmail`] also where the mail server can't send there.
pub(crate) async fn reachable(services: &Services, text: &str) -> Result<Address, ServiceError> {
    let address = Address::parse(text)?;
    let refused = |why| ServiceError::new(Code::InvalidEmail).explained(why);
    address.must_be_reachable(services, "email").await.map_err(refused)?;
    Ok(address)
}

const TAKES: Text =
    text("email: use an address such as ana@example.com", "email: use um endereço como ana@example.com");

const NOT_ASCII: Text = text(
    "{field}: the part before the @ has letters outside ASCII, and this server's mail server does not accept such addresses \
     (SMTPUTF8); use another address",
    "{field}: a parte antes do @ tem letras fora do ASCII, e o servidor de e-mail deste serviço não aceita endereços assim \
     (SMTPUTF8); use outro endereço",
);
const NOT_KNOWN: Text = text(
    "{field}: the part before the @ has letters outside ASCII, and this server's mail server is not responding, so it is not \
     known whether it accepts such addresses; try again in a minute, or use another address",
    "{field}: a parte antes do @ tem letras fora do ASCII, e o servidor de e-mail deste serviço não está respondendo; não se sabe \
     se ele aceita endereços assim. Tente de novo em um minuto ou use outro endereço",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_compared_in_lower_case_and_the_domain_in_ascii() {
        for (typed, canonical) in [
            (" Ana@Example.COM ", Some("ana@example.com")),
            ("a.n+a@bücher.example", Some("a.n+a@xn--bcher-kva.example")),
            ("Аня@Example.com", Some("аня@example.com")),
            ("jose\u{301}@example.com", Some("josé@example.com")),
            ("संपर्क@डाटामेल.भारत", Some("संपर्क@xn--c2bd4bq1db8d.xn--h2brj9c")),
            ("а\u{202e}я@example.com", None),
            ("ana", None),
            ("@example.com", None),
            ("ana@", None),
            ("ana@example.com\r\nBcc: b@example.com", None),
            ("a\0@example.com", None),
        ] {
            let read = Address::parse(typed).ok().map(|address| address.canonical);
            assert_eq!(read.as_deref(), canonical, "{typed:?}");
        }
    }
}
