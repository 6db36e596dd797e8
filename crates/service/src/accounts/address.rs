//! E-mail addresses of accounts.

use model::lang::{Text, text};

use crate::error::{Code, ServiceError};
use crate::mail::is_address;

/// An address that mail can be sent to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// As it was typed, without spaces around it, the domain in ASCII.
    pub typed: String,
    /// Canonical form, for comparison: lower case. Dots and `+` suffixes are kept, as they may name another mailbox.
    pub canonical: String,
}

impl Address {
    /// Parses a typed address; [`Code::InvalidEmail`] when it is not one.
    pub fn parse(text: &str) -> Result<Self, ServiceError> {
        let read = || {
            let (local, domain) = text.trim().rsplit_once('@')?;
            let domain = idna::domain_to_ascii(domain).ok()?;
            let typed = format!("{local}@{domain}");
            is_address(&typed).then(|| Self { canonical: typed.to_ascii_lowercase(), typed })
        };
        read().ok_or_else(|| {
            let takes = if has_local_script(text) { NOT_ASCII } else { TAKES };
            ServiceError::new(Code::InvalidEmail).explained(takes.into())
        })
    }

    /// The local part, before the `@`.
    pub fn local(&self) -> &str {
        self.typed.rsplit_once('@').map_or(self.typed.as_str(), |(local, _)| local)
    }
}

/// Whether the part before the `@` has letters of another script.
pub(crate) fn has_local_script(text: &str) -> bool {
    text.rsplit_once('@').is_some_and(|(local, _)| !local.is_ascii())
}

const TAKES: Text =
    text("email: use an address such as ana@example.com", "email: use um endereço como ana@example.com");

/// Internationalized mailboxes need SMTPUTF8 (RFC 6531) on every server of the way, which can't be known beforehand.
const NOT_ASCII: Text = text(
    "email: the part before the @ has letters outside ASCII, which this server can't send to; use another address",
    "email: a parte antes do @ tem letras fora do ASCII, para as quais este servidor não envia; use outro endereço",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_compared_in_lower_case_and_ascii() {
        for (typed, canonical) in [
            (" Ana@Example.COM ", Some("ana@example.com")),
            ("a.n+a@bücher.example", Some("a.n+a@xn--bcher-kva.example")),
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

    #[test]
    fn an_address_of_another_script_is_refused_by_that_name() {
        let detail = |typed| Address::parse(typed).unwrap_err().detail.unwrap().en;
        assert!(detail("аня@example.com").contains("outside ASCII"));
        assert!(!detail("ana").contains("outside ASCII"));
    }
}
