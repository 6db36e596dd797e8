//! Bearer tokens: kinds, format, and the stored digest.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use crate::error::Code;

/// Base 62 digits, in the usual order.
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Digits of 32 bytes in base 62: the smallest number n with 62^n >= 2^256.
const DIGITS: usize = 43;

/// Kinds of bearer tokens, told apart by prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A guest token.
    Guest,
    /// An API key, of an account or organization.
    Key,
    /// A token of prepaid credit.
    Credit,
}

impl TokenKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Guest, Self::Key, Self::Credit];

    /// The prefix of its tokens.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Guest => "pa_",
            Self::Key => "mmk_",
            Self::Credit => "cred_",
        }
    }

    /// The error for an unknown token of this kind.
    pub fn unknown(self) -> Code {
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

    /// The kind of a token, by its prefix.
    pub fn of(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| text.starts_with(kind.prefix()))
    }

    /// Whether a text has the format of this kind; other texts need no query.
    pub fn fits(self, text: &str) -> bool {
        text.strip_prefix(self.prefix())
            .is_some_and(|digits| digits.len() == DIGITS && digits.bytes().all(|b| b.is_ascii_alphanumeric()))
    }
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

/// The stored digest of a token. Tokens are random, so a plain SHA-256 can't be reversed.
pub fn token_digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// Whether a text has the format of our random tokens: 32 bytes in base64url.
pub fn is_random_token(text: &str) -> bool {
    URL_SAFE_NO_PAD.decode(text).is_ok_and(|bytes| bytes.len() == 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_43_digits_and_differ() {
        let zero = TokenKind::Guest.token([0; 32]);
        assert_eq!(zero, format!("pa_{}", "0".repeat(43)));
        let last = TokenKind::Key.token([255; 32]);
        assert!(TokenKind::Key.fits(&last) && !TokenKind::Guest.fits(&last), "{last}");
        let mut one = [0; 32];
        one[31] = 61;
        assert!(TokenKind::Credit.token(one).ends_with("0z"));
    }
}
