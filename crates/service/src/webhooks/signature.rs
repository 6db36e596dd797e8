//! Signatures of webhooks (Standard Webhooks, <https://www.standardwebhooks.com>, "Signature scheme"), and their secrets.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use model::time::Timestamp;
use sha2::Sha256;

use crate::error::{Code, ServiceError};
use crate::services::Services;

/// What a secret begins with, as it is shown.
const PREFIX: &str = "whsec_";
/// Characters of the id of a sealing key.
const KEY_ID: usize = 8;

/// A secret as its owner gets it, once.
pub(super) fn secret_text(secret: &[u8]) -> String {
    PREFIX.to_owned() + &STANDARD.encode(secret)
}

/// The header `webhook-signature`: a signature of the message for each secret, with a space between them.
pub(super) fn signatures(secrets: &[Vec<u8>], id: &str, at: Timestamp, payload: &str) -> String {
    let signed = |secret: &Vec<u8>| {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes keys of any length");
        mac.update(format!("{id}.{}.{payload}", at.seconds()).as_bytes());
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    };
    secrets.iter().map(signed).collect::<Vec<_>>().join(" ")
}

/// Encrypts a value of a webhook for the database: the id of the key, then the ciphertext. [`Code::AuthUnavailable`] where
/// this server has no key.
pub(super) fn seal(services: &Services, webhook: &str, value: &[u8]) -> Result<Vec<u8>, ServiceError> {
    let random = services.ports().entropy.bytes();
    let sealed = services.vault().keys()?.seal(&owner_of(webhook), value, random);
    let (sealed, key_id) = sealed.ok_or_else(|| ServiceError::new(Code::Internal))?;
    Ok([key_id.as_bytes(), &sealed].concat())
}

/// Decrypts what [`seal`] made; `None` where the key is gone.
pub(super) fn unseal(services: &Services, webhook: &str, stored: &[u8]) -> Option<Vec<u8>> {
    let (key_id, sealed) = stored.split_at_checked(KEY_ID)?;
    let key_id = std::str::from_utf8(key_id).ok()?;
    services.vault().keys().ok()?.unseal(&owner_of(webhook), sealed, key_id)
}

fn owner_of(webhook: &str) -> String {
    format!("webhook:{webhook}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_those_of_the_standard() {
        // The example of the reference implementations of Standard Webhooks.
        let secret = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let (id, at, payload) =
            ("msg_p5jXN8AQM9LWM0D4loKWxJek", Timestamp(1_614_265_330_000), r#"{"test": 2432232314}"#);
        let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(signatures(std::slice::from_ref(&secret), id, at, payload), signature);
        let both = signatures(&[secret.clone(), vec![1; 32]], id, at, payload);
        assert!(both.starts_with(&format!("{signature} v1,")), "{both}");
        assert_eq!(secret_text(&secret), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    }
}
