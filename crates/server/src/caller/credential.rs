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
/// What a guest token begins with.
const GUEST: &str = "pa_";

/// What was sent in the headers and the query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    /// None.
    None,
    /// A guest token, not yet looked up.
    Guest(String),
}

/// A new guest token of 32 random bytes.
pub fn new_guest_token(bytes: [u8; 32]) -> String {
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
    let text = digits.iter().filter_map(|digit| BASE62.get(usize::from(*digit)));
    text.fold(GUEST.to_owned(), |token, digit| token + char::from(*digit).encode_utf8(&mut [0; 4]))
}

/// What is kept of a token. The tokens are random, so a plain digest can't be reversed.
pub fn token_digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// The credential of headers and query. Several ways to send it must agree.
pub fn sent(headers: &HeaderMap, query_token: Option<&str>) -> Result<Credential, ApiError> {
    if headers.contains_key("x-api-key") {
        return Err(ApiError::new(Code::InvalidApiKey));
    }
    if headers.contains_key("x-credito") {
        return Err(ApiError::new(Code::InvalidCredential));
    }
    let header = header_text(headers, "x-guest-token")?.map(str::to_owned);
    let tokens = [bearer(headers)?, header, query_token.map(str::to_owned)];
    agreed(tokens).map(|token| token.map_or(Credential::None, Credential::Guest))
}

/// The guest token of the credential and of the body, which must agree.
pub fn guest_token(sent: &Credential, body_token: Option<&str>) -> Result<Option<String>, ApiError> {
    let sent = match sent {
        Credential::None => None,
        Credential::Guest(token) => Some(token.clone()),
    };
    agreed([sent, body_token.map(str::to_owned), None])
}

fn agreed(tokens: [Option<String>; 3]) -> Result<Option<String>, ApiError> {
    let mut known: Option<String> = None;
    for token in tokens.into_iter().flatten() {
        match &known {
            Some(known) if *known != token => {
                const TWO: Text =
                    text("guest_token: two different ones were sent", "guest_token: foram enviados dois diferentes");
                return Err(ApiError::new(Code::InvalidParameter).explained(TWO.into()));
            }
            _ => known = Some(token),
        }
    }
    match known {
        // What can't be a token of ours needs no look-up.
        Some(token) if !is_guest_token(&token) => Err(ApiError::new(Code::GuestTokenInvalid)),
        known => Ok(known),
    }
}

fn is_guest_token(text: &str) -> bool {
    text.strip_prefix(GUEST)
        .is_some_and(|digits| digits.len() == DIGITS && digits.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// The guest token in `Authorization: Bearer`; other schemes are somebody else's, a proxy's perhaps.
fn bearer(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let Some(text) = header_text(headers, AUTHORIZATION.as_str())? else { return Ok(None) };
    let (scheme, token) = text.split_once([' ', '\t']).unwrap_or((text, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Ok(None);
    }
    match token.trim() {
        token if token.starts_with(GUEST) => Ok(Some(token.to_owned())),
        token if token.starts_with("mmk_") => Err(ApiError::new(Code::InvalidApiKey)),
        _ => Err(ApiError::new(Code::InvalidCredential)),
    }
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
        let zero = new_guest_token([0; 32]);
        assert_eq!(zero, format!("pa_{}", "0".repeat(43)));
        let last = new_guest_token([255; 32]);
        assert!(is_guest_token(&last) && last != zero, "{last}");
        let mut one = [0; 32];
        one[31] = 61;
        assert!(new_guest_token(one).ends_with("0z"));
    }

    #[test]
    fn a_token_is_taken_from_each_place_and_must_agree() {
        let (token, other) = (new_guest_token([1; 32]), new_guest_token([2; 32]));
        let bearer = format!("Bearer {token}");
        let guest = Ok(Credential::Guest(token.clone()));
        let sent = |list: &[(&'static str, &str)], query: Option<&str>| {
            super::sent(&headers(list), query).map_err(|error| error.code)
        };
        assert_eq!(sent(&[], None), Ok(Credential::None));
        assert_eq!(sent(&[("x-guest-token", &token)], None), guest);
        assert_eq!(sent(&[("authorization", &bearer)], Some(&token)), guest);
        assert_eq!(sent(&[], Some(&token)), guest);
        assert_eq!(sent(&[("authorization", &bearer)], Some(&other)), Err(Code::InvalidParameter));
        assert_eq!(sent(&[("authorization", "Basic eDp5")], None), Ok(Credential::None));
        assert_eq!(sent(&[("authorization", "Bearer mmk_x")], None), Err(Code::InvalidApiKey));
        assert_eq!(sent(&[("authorization", "Bearer cred_x")], None), Err(Code::InvalidCredential));
        for wrong in ["Bearer x", "Bearer", "bearer ", "Bearer\tx"] {
            assert_eq!(sent(&[("authorization", wrong)], None), Err(Code::InvalidCredential), "{wrong:?}");
        }
        assert_eq!(sent(&[("authorization", "Bearers")], None), Ok(Credential::None));
        assert_eq!(sent(&[("x-api-key", "mmk_x")], None), Err(Code::InvalidApiKey));
        assert_eq!(sent(&[("x-guest-token", "pa_short")], None), Err(Code::GuestTokenInvalid));
        let both = guest_token(&Credential::Guest(token.clone()), Some(&other)).map_err(|error| error.code);
        assert_eq!(both, Err(Code::InvalidParameter));
        assert_eq!(guest_token(&Credential::None, Some(&other)).unwrap(), Some(other));
    }
}
