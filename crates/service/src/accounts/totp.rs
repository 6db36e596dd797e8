//! Time-based one-time passwords (RFC 6238: SHA-1, 6 digits, 30 seconds; RFC 4226).

use data_encoding::BASE32_NOPAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use model::time::Timestamp;
use sha1::Sha1;
use subtle::ConstantTimeEq as _;
use url::form_urlencoded;

/// Bytes of a secret (RFC 4226 §4, R6: 160 bits recommended).
pub(crate) const SECRET_BYTES: usize = 20;
/// Time step, in seconds (RFC 6238 §5.2).
const STEP_SECONDS: i64 = 30;

/// The time step of a code: the current or the previous one, never a future one. `None` when the code is wrong.
pub(crate) fn step_of(secret: &[u8], code: &str, now: Timestamp) -> Option<i64> {
    let code: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    let current = now.seconds().div_euclid(STEP_SECONDS);
    // Both are compared in every case, so that the time does not reveal which one matched.
    let fits = [current, current - 1].map(|step| bool::from(code_of(secret, step).as_bytes().ct_eq(code.as_bytes())));
    match fits {
        [true, _] => Some(current),
        [false, true] => Some(current - 1),
        [false, false] => None,
    }
}

/// The code of a time step.
fn code_of(secret: &[u8], step: i64) -> String {
    let mut mac = Hmac::<Sha1>::new_from_slice(secret).expect("HMAC takes keys of any length");
    mac.update(&step.to_be_bytes());
    let digest = mac.finalize().into_bytes();
    let offset = usize::from(digest.last().copied().unwrap_or_default() & 0xf);
    let four = digest.iter().skip(offset).take(4);
    let number = four.fold(0_u32, |number, byte| number << 8 | u32::from(*byte)) & 0x7fff_ffff;
    format!("{:06}", number % 1_000_000)
}

/// Base 32 (RFC 4648 §6), without padding.
pub(crate) fn base32(bytes: &[u8]) -> String {
    BASE32_NOPAD.encode(bytes)
}

/// The key URI that authenticator apps read.
pub fn uri(product: &str, email: &str, secret: &[u8]) -> String {
    let escaped = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20");
    let (product, email) = (escaped(product), escaped(email));
    format!("otpauth://totp/{product}:{email}?secret={}&issuer={product}", base32(secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The secret of RFC 6238, appendix B.
    const SECRET: &[u8; 20] = b"12345678901234567890";

    #[test]
    fn codes_are_those_of_the_standard() {
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(code_of(SECRET, seconds / 30), code, "{seconds}");
        }
    }

    #[test]
    fn the_current_and_the_previous_step_count_and_no_future_one() {
        let now = Timestamp(59_000);
        for (step, wanted) in [(0, Some(0)), (1, Some(1)), (2, None), (-1, None)] {
            assert_eq!(step_of(SECRET, &code_of(SECRET, step), now), wanted, "{step}");
        }
        assert_eq!(step_of(SECRET, "287 082", now), Some(1));
        for code in ["", "28708", "2870820", "abcdef"] {
            assert_eq!(step_of(SECRET, code, now), None, "{code}");
        }
    }

    #[test]
    fn base_32_is_that_of_the_standard() {
        for (bytes, text) in
            [("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB")]
        {
            assert_eq!(base32(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn an_authenticator_is_told_whose_code_it_is() {
        let uri = uri("Site Audit", "ana+x@example.com", SECRET);
        assert_eq!(
            uri,
            "otpauth://totp/Site%20Audit:ana%2Bx%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Site%20Audit"
        );
    }
}
