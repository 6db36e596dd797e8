//! Tokens that callers hold: their kinds, their shape, and the digest that is kept of them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use crate::error::Code;

/// Digits of base 62, in the order that is usual.
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Digits of 32 bytes in base 62: the smallest number n with 62^n >= 2^256.
const DIGITS: usize = 43;

/// Kinds of tokens that a caller holds, told apart by what they begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A guest's.
    Guest,
    /// A program's, of an account or organization.
    Key,
    /// Prepaid money.
    Credit,
}

impl TokenKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Guest, Self::Key, Self::Credit];

    /// What its tokens begin with.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Guest => "pa_",
            Self::Key => "mmk_",
            Self::Credit => "cred_",
        }
    }

    /// The refusal of a token of this kind that is not known.
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

/// Whether a text can be one of our random tokens: 32 bytes in base64url.
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
