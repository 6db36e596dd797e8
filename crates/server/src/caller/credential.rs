//! Credentials in a request: where they stand, which kind they are.

use http::HeaderMap;
use http::header::AUTHORIZATION;
use model::lang::{Text, text};
use sha2::{Digest as _, Sha256};

use crate::error::{ApiError, Code};

/// Digits of base 62, in the order that is usual.
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Digits of 32 bytes in base 62: the smallest number n with 62^n >= 2^256.
const DIGITS: usize = 43;

/// Kinds of tokens that a caller holds, told apart by what they begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A guest's.
    Guest,
    /// A program's, of an account or organization.
    Key,
    /// Prepaid money.
    Credit,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Guest, Self::Key, Self::Credit];

    /// What its tokens begin with.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Guest => "pa_",
            Self::Key => "mmk_",
            Self::Credit => "cred_",
        }
    }

    /// The refusal of a token of this kind that is not known.
    fn unknown(self) -> Code {
        match self {
            Self::Guest => Code::GuestTokenInvalid,
            Self::Key => Code::InvalidApiKey,
            Self::Credit => Code::InvalidCredential,
        }
    }

    /// A new token of 32 random bytes.
    pub fn token(self, bytes: [u8; 32]) -> String {
        self.prefix().to_owned() + &base62(bytes)
    }

    /// The kind whose prefix a text has.
    pub fn of(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| text.starts_with(kind.prefix()))
    }

    /// Whether a text can be a token of this kind; what can't be needs no look-up.
    pub fn fits(self, text: &str) -> bool {
        text.strip_prefix(self.prefix())
            .is_some_and(|digits| digits.len() == DIGITS && digits.bytes().all(|b| b.is_ascii_alphanumeric()))
    }
}

/// What was sent in headers and query: at most one of each kind, of the right shape, not yet looked up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sent {
    /// A guest token.
    pub guest: Option<String>,
    /// An API key.
    pub key: Option<String>,
    /// A credit token: it pays, and says nothing about who calls.
    pub credit: Option<String>,
    /// A bearer token without a prefix of ours: the operator's, or nobody's.
    pub operator: Option<String>,
}

fn base62(bytes: [u8; 32]) -> String {
    let mut digits = [0_u8; DIGITS];
    for byte in bytes {
        // Multiplies the number by 256 and adds the byte, digit by digit from the smallest.
        let mut carry = u32::from(byte);
        for digit in digits.iter_mut().rev() {
            carry += u32::from(*digit) * 256;
            *digit = u8::try_from(carry % 62).unwrap_or_default();
            carry /= 62;
        }
    }
    digits.iter().filter_map(|digit| BASE62.get(usize::from(*digit))).map(|digit| char::from(*digit)).collect()
}

/// What is kept of a token. The tokens are random, so a plain digest can't be reversed.
pub fn token_digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// The credentials of headers and query. Several ways to send one must agree.
pub fn sent(headers: &HeaderMap, query_token: Option<&str>) -> Result<Sent, ApiError> {
    let of = |name: &str| header_text(headers, name).map(|text| text.map(str::to_owned));
    let mut sent = Sent {
        guest: agreed(Kind::Guest, [of("x-guest-token")?, query_token.map(str::to_owned)])?,
        key: agreed(Kind::Key, [of("x-api-key")?, None])?,
        credit: agreed(Kind::Credit, [of("x-credito")?, None])?,
        operator: None,
    };
    let Some(token) = bearer(headers)? else { return Ok(sent) };
    match Kind::of(token) {
        Some(kind) => {
            let place = match kind {
                Kind::Guest => &mut sent.guest,
                Kind::Key => &mut sent.key,
                Kind::Credit => &mut sent.credit,
            };
            *place = agreed(kind, [place.take(), Some(token.to_owned())])?;
        }
        None if token.is_empty() => return Err(ApiError::new(Code::InvalidCredential)),
        None => sent.operator = Some(token.to_owned()),
    }
    Ok(sent)
}

/// The guest token of the headers and of the body, which must agree.
pub fn guest_token(sent: Option<String>, body_token: Option<&str>) -> Result<Option<String>, ApiError> {
    agreed(Kind::Guest, [sent, body_token.map(str::to_owned)])
}

fn agreed(kind: Kind, tokens: [Option<String>; 2]) -> Result<Option<String>, ApiError> {
    let mut known: Option<String> = None;
    for token in tokens.into_iter().flatten() {
        match &known {
            Some(known) if *known != token => {
                const TWO: Text =
                    text("{name}: two different ones were sent", "{name}: foram enviados dois diferentes");
                let name = match kind {
                    Kind::Guest => "guest_token",
                    Kind::Key => "X-Api-Key",
                    Kind::Credit => "X-Credito",
                };
                return Err(ApiError::new(Code::InvalidParameter).explained(TWO.phrase(&[("name", name.into())])));
            }
            _ => known = Some(token),
        }
    }
    match known {
        Some(token) if !kind.fits(&token) => Err(ApiError::new(kind.unknown())),
        known => Ok(known),
    }
}

/// The token in `Authorization: Bearer`; other schemes are somebody else's, a proxy's perhaps.
fn bearer(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    let Some(text) = header_text(headers, AUTHORIZATION.as_str())? else { return Ok(None) };
    let (scheme, token) = text.split_once([' ', '\t']).unwrap_or((text, ""));
    Ok(scheme.eq_ignore_ascii_case("bearer").then(|| token.trim()))
}

/// The one value of a header.
fn header_text<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, ApiError> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        const AGAIN: Text = text("{name}: the header came more than once", "{name}: o cabeçalho veio mais de uma vez");
        return Err(ApiError::new(Code::InvalidParameter).explained(AGAIN.phrase(&[("name", name.into())])));
    }
    let text = value.to_str().map_err(|_| ApiError::new(Code::InvalidCredential))?;
    Ok(Some(text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(list: &[(&'static str, &str)]) -> HeaderMap {
        list.iter().map(|(name, value)| (name.parse::<http::HeaderName>().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn tokens_are_43_digits_and_differ() {
        let zero = Kind::Guest.token([0; 32]);
        assert_eq!(zero, format!("pa_{}", "0".repeat(43)));
        let last = Kind::Key.token([255; 32]);
        assert!(Kind::Key.fits(&last) && !Kind::Guest.fits(&last), "{last}");
        let mut one = [0; 32];
        one[31] = 61;
        assert!(Kind::Credit.token(one).ends_with("0z"));
    }

    #[test]
    fn a_token_is_taken_from_each_place_and_must_agree() {
        let (token, other) = (Kind::Guest.token([1; 32]), Kind::Guest.token([2; 32]));
        let bearer = format!("Bearer {token}");
        let guest = Ok(Sent { guest: Some(token.clone()), ..Sent::default() });
        let sent = |list: &[(&'static str, &str)], query: Option<&str>| {
            super::sent(&headers(list), query).map_err(|error| error.code)
        };
        assert_eq!(sent(&[], None), Ok(Sent::default()));
        assert_eq!(sent(&[("x-guest-token", &token)], None), guest);
        assert_eq!(sent(&[("authorization", &bearer)], Some(&token)), guest);
        assert_eq!(sent(&[], Some(&token)), guest);
        assert_eq!(sent(&[("authorization", &bearer)], Some(&other)), Err(Code::InvalidParameter));
        assert_eq!(sent(&[("authorization", "Basic eDp5")], None), Ok(Sent::default()));
        assert_eq!(sent(&[("authorization", "Bearers")], None), Ok(Sent::default()));
        for (header, text, code) in [
            ("authorization", "Bearer pa_x", Code::GuestTokenInvalid),
            ("authorization", "Bearer mmk_x", Code::InvalidApiKey),
            ("authorization", "Bearer cred_x", Code::InvalidCredential),
            ("authorization", "Bearer", Code::InvalidCredential),
            ("authorization", "bearer ", Code::InvalidCredential),
            ("x-api-key", "mmk_x", Code::InvalidApiKey),
            ("x-api-key", &token, Code::InvalidApiKey),
            ("x-credito", "cred_x", Code::InvalidCredential),
            ("x-guest-token", "pa_short", Code::GuestTokenInvalid),
        ] {
            assert_eq!(sent(&[(header, text)], None), Err(code), "{header}: {text}");
        }
        let both = guest_token(Some(token), Some(&other)).map_err(|error| error.code);
        assert_eq!(both, Err(Code::InvalidParameter));
        assert_eq!(guest_token(None, Some(&other)).unwrap(), Some(other));
    }

    #[test]
    fn a_prefix_says_what_a_bearer_token_is() {
        let tokens = Kind::ALL.map(|kind| kind.token([3; 32]));
        let of = |token: &str| super::sent(&headers(&[("authorization", &format!("bearer\t{token}"))]), None).unwrap();
        let [guest, key, credit] = tokens.clone();
        assert_eq!(of(&guest), Sent { guest: Some(guest.clone()), ..Sent::default() });
        assert_eq!(of(&key), Sent { key: Some(key.clone()), ..Sent::default() });
        assert_eq!(of(&credit), Sent { credit: Some(credit.clone()), ..Sent::default() });
        assert_eq!(of("other"), Sent { operator: Some("other".to_owned()), ..Sent::default() });
        // A key beside a credit that pays.
        let both = super::sent(&headers(&[("x-api-key", &key), ("x-credito", &credit)]), None).unwrap();
        assert_eq!(both, Sent { key: Some(key), credit: Some(credit), ..Sent::default() });
    }
}
