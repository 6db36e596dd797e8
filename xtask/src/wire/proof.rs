//! Values that a client computes: one-time codes, what an authenticator says about a passkey, payments.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use hmac::{Hmac, KeyInit as _, Mac as _};
use model::time::Timestamp;
use serde_json::{Value, json};
use sha1::Sha1;
use sha2::{Digest as _, Sha256};

use super::{moment, peers};

/// How long a one-time code is shown, in milliseconds (RFC 6238 §5.2).
const STEP: i64 = 30_000;
/// Coordinates of the base point of P-256 (SP 800-186 §3.2.1.3): the public key whose private key is 1.
const POINT: [[u8; 32]; 2] = [
    *b"\x6b\x17\xd1\xf2\xe1\x2c\x42\x47\xf8\xbc\xe6\xe5\x63\xa4\x40\xf2\x77\x03\x7d\x81\x2d\xeb\x33\xa0\xf4\xa1\x39\x45\xd8\x98\xc2\x96",
    *b"\x4f\xe3\x42\xe2\xfe\x1a\x7f\x9b\x8e\xe7\xeb\x4a\x7c\x0f\x9e\x16\x2b\xce\x33\x57\x6b\x31\x5e\xce\xcb\xb6\x40\x68\x37\xbf\x51\xf5",
];
/// Order of that point (the same place).
const ORDER: [u8; 32] = *b"\xff\xff\xff\xff\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xbc\xe6\xfa\xad\xa7\x17\x9e\x84\xf3\xb9\xca\xc2\xfc\x63\x25\x51";
/// Who pays.
const PAYER: &str = "0x1111111111111111111111111111111111111111";

/// The value of a kind; see `script.rs`.
pub(super) fn value(kind: &str, arguments: &[String]) -> Result<String> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match (kind, arguments.as_slice()) {
        // The code of the step before counts too, so two codes can be used in a row.
        ("code", [secret]) => Ok(code(secret, 0)),
        ("earlier-code", [secret]) => Ok(code(secret, -1)),
        ("new-passkey", [origin, challenge]) => Ok(created(origin, challenge).to_string()),
        ("passkey", [origin, challenge, user]) => Ok(asserted(origin, challenge, user).to_string()),
        ("payment-1", [asked, nonce]) => payment(asked, nonce, 1),
        ("payment-2", [asked, nonce]) => payment(asked, nonce, 2),
        ("base64", [text]) => Ok(STANDARD.encode(text)),
        ("page", [name]) => Ok(serde_json::Value::from(peers::page(name)?).to_string()),
        ("day", [days]) => {
            let at = moment::now() + days.parse::<i64>().context("a number of days")? * 24 * 3_600_000;
            Ok(Timestamp(at).to_string().chars().take("2026-01-31".len()).collect())
        }
        ("last-part", [address]) => {
            let path = address.split('?').next().unwrap_or_default();
            Ok(path.rsplit('/').next().unwrap_or_default().to_owned())
        }
        ("text", words) => Ok(words.join(" ")),
        _ => bail!("there is no value {kind} of so many arguments"),
    }
}

/// The code that an authenticator shows (RFC 6238), so many steps from now. It waits where the step is about to end.
fn code(secret: &str, steps: i64) -> String {
    let left = STEP - moment::now() % STEP;
    if left < STEP / 6 {
        std::thread::sleep(Duration::from_millis(u64::try_from(left).unwrap_or_default() + 100));
    }
    let (mut key, mut held, mut bits) = (Vec::new(), 0_usize, 0);
    for digit in secret.chars().filter_map(|digit| "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".find(digit)) {
        held = (held << 5 | digit) & 0xfff;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            key.push(u8::try_from(held >> bits & 0xff).unwrap_or_default());
        }
    }
    let Ok(mut mac) = Hmac::<Sha1>::new_from_slice(&key) else { return String::new() };
    mac.update(&(moment::now() / STEP + steps).to_be_bytes());
    let digest = mac.finalize().into_bytes();
    let offset = usize::from(digest.last().copied().unwrap_or_default() & 15);
    let four = digest.iter().skip(offset).take(4);
    let number = four.fold(0_u32, |number, byte| number << 8 | u32::from(*byte)) & 0x7fff_ffff;
    format!("{:06}", number % 1_000_000)
}

fn credential() -> String {
    URL_SAFE_NO_PAD.encode("passkey of recordings")
}

fn client_data(kind: &str, origin: &str, challenge: &str) -> String {
    json!({ "type": kind, "challenge": challenge, "origin": origin, "crossOrigin": false }).to_string()
}

/// Authenticator data of `localhost` (Web Authentication, level 3, §6.1) without a counter.
fn data(flags: u8) -> Vec<u8> {
    [&Sha256::digest("localhost")[..], &[flags, 0, 0, 0, 0]].concat()
}

/// A credential that was made, without attestation (§6.5.4, RFC 9052 §7).
fn created(origin: &str, challenge: &str) -> Value {
    let [x, y] = POINT;
    let id = b"passkey of recordings";
    let key = [&b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20"[..], &x, b"\x22\x58\x20", &y].concat();
    let data = [&data(0x45)[..], &[0; 16], &[0, 21], id, &key].concat();
    let length = u8::try_from(data.len()).unwrap_or_default();
    let object = [&b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58"[..], &[length], &data].concat();
    json!({"id": credential(), "type": "public-key", "response": {
        "clientDataJSON": URL_SAFE_NO_PAD.encode(client_data("webauthn.create", origin, challenge)),
        "attestationObject": URL_SAFE_NO_PAD.encode(object),
    }})
}

/// The proof of a credential (§7.2).
fn asserted(origin: &str, challenge: &str, user: &str) -> Value {
    let client_data = client_data("webauthn.get", origin, challenge);
    let data = data(0x05);
    let message = [&data[..], &Sha256::digest(&client_data)].concat();
    json!({"id": credential(), "type": "public-key", "response": {
        "clientDataJSON": URL_SAFE_NO_PAD.encode(client_data),
        "authenticatorData": URL_SAFE_NO_PAD.encode(data),
        "signature": URL_SAFE_NO_PAD.encode(signature(&message)),
        "userHandle": user,
    }})
}

/// An ECDSA signature (FIPS 186-5 §6.4.1) by the private key 1 with the per-message number 1: `r` is the base point's first
/// coordinate, `s` the digest plus `r`. It protects nothing, and needs no arithmetic of curves.
fn signature(message: &[u8]) -> Vec<u8> {
    let [r, _] = POINT;
    let s = sum(&Sha256::digest(message).into(), &r);
    let [r, s] = [integer(&r), integer(&s)];
    let length = u8::try_from(r.len() + s.len()).unwrap_or_default();
    [&[0x30, length][..], &r, &s].concat()
}

/// A sum modulo the order.
fn sum(a: &[u8; 32], b: &[u8; 32]) -> [u8; 32] {
    let mut sum = [0; 33];
    let mut carry = 0_u16;
    for ((digit, a), b) in sum.iter_mut().skip(1).rev().zip(a.iter().rev()).zip(b.iter().rev()) {
        let total = u16::from(*a) + u16::from(*b) + carry;
        *digit = u8::try_from(total & 0xff).unwrap_or_default();
        carry = total >> 8;
    }
    if let Some(first) = sum.first_mut() {
        *first = u8::try_from(carry).unwrap_or_default();
    }
    let order: Vec<u8> = std::iter::once(0).chain(ORDER).collect();
    while sum.as_slice() >= order.as_slice() {
        let mut borrow = 0_i16;
        for (digit, order) in sum.iter_mut().rev().zip(order.iter().rev()) {
            let total = i16::from(*digit) - i16::from(*order) - borrow;
            borrow = i16::from(total < 0);
            *digit = u8::try_from(total.rem_euclid(256)).unwrap_or_default();
        }
    }
    let mut rest = [0; 32];
    for (to, from) in rest.iter_mut().zip(sum.iter().skip(1)) {
        *to = *from;
    }
    rest
}

/// A positive integer in DER (X.690 §8.3).
fn integer(bytes: &[u8; 32]) -> Vec<u8> {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    let digits = bytes.get(zeros..).unwrap_or_default();
    let sign: &[u8] = if digits.first().is_none_or(|first| *first >= 0x80) { &[0] } else { &[] };
    let length = u8::try_from(sign.len() + digits.len()).unwrap_or_default();
    [&[0x02, length][..], sign, digits].concat()
}

/// A payment of what a 402 asks for in its header `PAYMENT-REQUIRED`, in a version of x402, in base64.
fn payment(asked: &str, nonce: &str, version: u8) -> Result<String> {
    let asked: Value = serde_json::from_slice(&STANDARD.decode(asked)?)?;
    let accepted = asked.pointer("/accepts/0").context("nothing is asked for")?;
    let text = |name: &str| accepted.get(name).and_then(Value::as_str).unwrap_or_default();
    let now = moment::now() / 1_000;
    let payload = json!({
        "signature": format!("0x{}", "1b".repeat(65)),
        "authorization": {
            "from": PAYER, "to": text("payTo"), "value": text("amount"), "validAfter": (now - 300).to_string(),
            "validBefore": (now + 600).to_string(), "nonce": format!("0x{nonce:0>64}"),
        },
    });
    let payment = match version {
        1 => json!({"x402Version": 1, "scheme": "exact", "network": "base-sepolia", "payload": payload}),
        _ => json!({"x402Version": 2, "accepted": accepted, "payload": payload}),
    };
    Ok(STANDARD.encode(payment.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_stay_below_the_order() {
        let mut one = [0; 32];
        one[31] = 1;
        let mut before = ORDER;
        before[31] -= 1;
        assert_eq!(sum(&before, &one), [0; 32]);
        assert_eq!(sum(&one, &one)[31], 2);
        assert_eq!(sum(&[0xff; 32], &[0; 32])[31], 0xff - 0x51);
    }

    #[test]
    fn integers_are_positive() {
        assert_eq!(integer(&POINT[0]).get(..3), Some(&[2, 32, 0x6b][..]));
        assert_eq!(integer(&ORDER).get(..4), Some(&[2, 33, 0, 0xff][..]));
    }
}
