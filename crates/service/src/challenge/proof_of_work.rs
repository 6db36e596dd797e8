//! Proof of work in the format of ALTCHA, version 1: find the number that, after the salt, has the challenge as its SHA-256.
//! The salt has the expiry, and ends with a delimiter, so that none of its digits can be moved into the number.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use data_encoding::HEXLOWER;
use model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::vault::{Keys, SigningPurpose};

/// The largest number that a challenge asks for, so a browser makes 10,000 hashes on average and 20,001 at most. Chosen: slow
/// phones make about 10,000 a second through Web Crypto, so they are done in two seconds.
pub const MOST_NUMBER: u32 = 20_000;
/// The only algorithm.
const ALGORITHM: &str = "SHA-256";
/// Random bytes of a salt.
const SALT_BYTES: usize = 12;
/// Between the random part of a salt and the expiry, in seconds since 1970; after it comes [`END`].
const EXPIRES: &str = "?expires=";
/// The end of a salt.
const END: char = '&';
/// Digits of an expiry at most.
const EXPIRY_DIGITS: usize = 12;
/// Bytes of a solution at most; one has about 350.
const SOLUTION_BYTES: usize = 1024;

/// A challenge.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Challenge")]
pub struct ProofOfWork {
    /// Always `SHA-256`.
    algorithm: &'static str,
    /// SHA-256 of the salt followed by the number to find, in hexadecimal.
    challenge: String,
    /// Upper limit of the number.
    maxnumber: u32,
    /// Random text with the expiry, valid for ten minutes.
    salt: String,
    /// The server's signature of the challenge, in hexadecimal.
    signature: String,
}

/// A solution, as it is sent: JSON in base64.
#[derive(Deserialize)]
struct Solution {
    algorithm: String,
    challenge: String,
    number: u32,
    salt: String,
    signature: String,
}

/// A challenge that was solved.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Solved {
    /// What tells it from all others.
    pub(super) digest: [u8; 32],
}

/// Why a solution is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unsolved {
    /// It can't be read, is not of a challenge of ours, or has another number.
    Wrong,
    /// The challenge has expired.
    Expired,
}

impl ProofOfWork {
    /// A new challenge from random bytes.
    pub(super) fn new(keys: &Keys, expires_at: Timestamp, random: [u8; 32]) -> Self {
        let (salt_bytes, rest) = random.split_at(SALT_BYTES);
        let salt = format!("{}{EXPIRES}{}{END}", HEXLOWER.encode(salt_bytes), expires_at.seconds());
        let seed = rest.iter().take(4).fold(0_u32, |seed, byte| (seed << 8) | u32::from(*byte));
        let challenge = HEXLOWER.encode(&digest(&salt, seed % (MOST_NUMBER + 1)));
        let signature = HEXLOWER.encode(&keys.sign(SigningPurpose::Challenge, &challenge));
        Self { algorithm: ALGORITHM, challenge, maxnumber: MOST_NUMBER, salt, signature }
    }
}

/// Checks a solution: two signatures and a hash at most, a few microseconds. Whether it was used is not looked up.
pub(super) fn check(keys: &Keys, now: Timestamp, solution: &str) -> Result<Solved, Unsolved> {
    let solution = read(solution).ok_or(Unsolved::Wrong)?;
    let expires_at = expiry(&solution.salt).ok_or(Unsolved::Wrong)?;
    let signature = HEXLOWER.decode(solution.signature.as_bytes()).map_err(|_| Unsolved::Wrong)?;
    let is_ours =
        solution.algorithm == ALGORITHM && keys.is_signed(SigningPurpose::Challenge, &solution.challenge, &signature);
    let digest = digest(&solution.salt, solution.number);
    if !is_ours || HEXLOWER.encode(&digest) != solution.challenge {
        return Err(Unsolved::Wrong);
    }
    if expires_at > now.seconds() { Ok(Solved { digest }) } else { Err(Unsolved::Expired) }
}

fn read(solution: &str) -> Option<Solution> {
    let solution = Some(solution).filter(|text| text.len() <= SOLUTION_BYTES)?;
    serde_json::from_slice(&STANDARD.decode(solution).ok()?).ok()
}

/// The expiry in a salt of ours, in seconds since 1970; `None` for any other salt.
fn expiry(salt: &str) -> Option<i64> {
    let (random, expiry) = salt.split_once(EXPIRES)?;
    let digits = expiry.strip_suffix(END)?;
    let is_ours = random.len() == SALT_BYTES * 2
        && random.bytes().all(|byte| byte.is_ascii_hexdigit())
        && digits.len() <= EXPIRY_DIGITS
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_ours { digits.parse().ok() } else { None }
}

fn digest(salt: &str, number: u32) -> [u8; 32] {
    Sha256::new().chain_update(salt).chain_update(number.to_string()).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SecretText;
    use serde_json::{Value, json};

    const EXPIRES_AT: Timestamp = Timestamp(2_000_000_000_000);

    fn keys(secret: char) -> Keys {
        Keys::new(&SecretText::new(secret.to_string().repeat(32)), None)
    }

    /// The number of a challenge, as a browser finds it.
    fn number(challenge: &ProofOfWork) -> u32 {
        let is_it = |number: &u32| HEXLOWER.encode(&digest(&challenge.salt, *number)) == challenge.challenge;
        (0..=challenge.maxnumber).find(is_it).unwrap()
    }

    fn fields(challenge: &ProofOfWork, number: u32) -> Value {
        let mut fields = serde_json::to_value(challenge).unwrap();
        fields.as_object_mut().unwrap().insert("number".to_owned(), number.into());
        fields
    }

    fn encoded(fields: &Value) -> String {
        STANDARD.encode(fields.to_string())
    }

    #[test]
    fn a_solved_challenge_is_taken_until_it_expires() {
        let keys = keys('k');
        for seed in [0, 1, 255] {
            let challenge = ProofOfWork::new(&keys, EXPIRES_AT, [seed; 32]);
            let solution = encoded(&fields(&challenge, number(&challenge)));
            let checked = |now: i64| check(&keys, Timestamp(now), &solution);
            let digest: [u8; 32] = HEXLOWER.decode(challenge.challenge.as_bytes()).unwrap().try_into().unwrap();
            assert_eq!(checked(0), Ok(Solved { digest }));
            assert!(checked(EXPIRES_AT.0 - 1000).is_ok());
            assert_eq!(checked(EXPIRES_AT.0), Err(Unsolved::Expired));
        }
    }

    /// A slow phone makes 10,000 hashes a second: done in 2 seconds, of the 3 that a person is to wait at most.
    #[test]
    fn a_browser_makes_20_001_hashes_at_most() {
        let keys = keys('k');
        for seed in [0, 1, 7, 128, 254, 255] {
            let challenge = ProofOfWork::new(&keys, EXPIRES_AT, [seed; 32]);
            assert_eq!(challenge.maxnumber, 20_000);
            // Fails where the number is larger.
            number(&challenge);
        }
    }

    #[test]
    fn a_solution_is_checked_in_under_a_millisecond() {
        let keys = keys('k');
        let challenge = ProofOfWork::new(&keys, EXPIRES_AT, [7; 32]);
        let solution = encoded(&fields(&challenge, number(&challenge)));
        // The fastest of many: the others waited for a core.
        let took = (0..100).map(|_| {
            let begun = tokio::time::Instant::now();
            assert!(check(&keys, Timestamp(0), &solution).is_ok());
            begun.elapsed()
        });
        assert!(took.min().unwrap().as_micros() < 1_000);
    }

    #[test]
    fn what_is_wrong_forged_or_moved_is_refused() {
        let keys = keys('k');
        let challenge = ProofOfWork::new(&keys, EXPIRES_AT, [7; 32]);
        let right = fields(&challenge, number(&challenge));
        assert!(check(&keys, Timestamp(0), &encoded(&right)).is_ok());
        let with = |name: &str, value: Value| {
            let mut fields = right.clone();
            fields.as_object_mut().unwrap().insert(name.to_owned(), value);
            encoded(&fields)
        };
        let number = number(&challenge);
        // The same text of salt and number, with a digit of the number moved into the expiry.
        let digits = number.to_string();
        let (first, rest) = digits.split_at(1);
        let mut moved = right.clone();
        moved["salt"] = format!("{}{first}", challenge.salt).into();
        moved["number"] = rest.parse::<u32>().unwrap().into();
        let forged = ProofOfWork::new(&self::keys('o'), EXPIRES_AT, [7; 32]);
        for (solution, what) in [
            (with("number", (number + 1).into()), "another number"),
            (with("number", json!(-1)), "no number"),
            (with("number", json!("1")), "a text"),
            (with("algorithm", "SHA-1".into()), "another algorithm"),
            (with("signature", forged.signature.into()), "the signature of another key"),
            (with("signature", "".into()), "no signature"),
            (with("salt", challenge.salt.replace("2000000000", "3000000000").into()), "a later expiry"),
            (with("salt", "aa".into()), "another salt"),
            (encoded(&moved), "a moved digit"),
            (with("extra", "a".repeat(2000).into()), "too long"),
            (encoded(&json!([])), "no object"),
            ("%".to_owned(), "no base64"),
            (String::new(), "nothing"),
        ] {
            assert_eq!(check(&keys, Timestamp(0), &solution), Err(Unsolved::Wrong), "{what}");
        }
    }

    #[test]
    fn a_salt_has_one_reading() {
        let random = "0a".repeat(SALT_BYTES);
        for (salt, expires_at) in [
            (format!("{random}?expires=12&"), Some(12)),
            (format!("{random}?expires=12"), None),
            (format!("{random}?expires=12&&"), None),
            (format!("{random}?expires=&"), None),
            (format!("{random}?expires=+1&"), None),
            (format!("{random}?expires=1?expires=2&"), None),
            (format!("{random}?expires={}&", "9".repeat(13)), None),
            ("0a?expires=12&".to_owned(), None),
        ] {
            assert_eq!(expiry(&salt), expires_at, "{salt}");
        }
    }
}
