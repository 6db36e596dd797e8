//! The pass of a verified browser: until when, and a signature of that and of its network.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::time::Timestamp;

use crate::network::Network;
use crate::vault::{Keys, SigningPurpose};

/// The pass of a browser in a network: seconds since 1970, a dot, and the signature in base64url.
pub(super) fn new(keys: &Keys, network: Network, until: Timestamp) -> String {
    let seconds = until.seconds();
    let signature = keys.sign(SigningPurpose::Verified, &signed_text(seconds, network));
    format!("{seconds}.{}", URL_SAFE_NO_PAD.encode(signature))
}

/// Until when a pass holds; `None` for one that has expired, was changed, or belongs to another network.
pub(super) fn verified_until(keys: &Keys, network: Network, now: Timestamp, pass: &str) -> Option<Timestamp> {
    let (seconds, signature) = pass.split_once('.')?;
    let seconds: i64 = seconds.parse().ok()?;
    let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
    let is_ours = keys.is_signed(SigningPurpose::Verified, &signed_text(seconds, network), &signature);
    (is_ours && seconds > now.seconds()).then(|| Timestamp(seconds.saturating_mul(1000)))
}

fn signed_text(seconds: i64, network: Network) -> String {
    format!("{seconds} {network}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SecretText;

    #[test]
    fn a_pass_is_of_one_network_and_time() {
        let keys = Keys::new(&SecretText::new("k".repeat(32)), None);
        let network = |text: &str| Network::of(text.parse().unwrap());
        let (here, until) = (network("203.0.113.7"), Timestamp(1_000_000_000));
        let pass = new(&keys, here, until);
        let other = Keys::new(&SecretText::new("o".repeat(32)), None);
        let rotated = Keys::new(&SecretText::new("o".repeat(32)), Some(&SecretText::new("k".repeat(32))));
        let later = pass.replacen("1000000", "2000000", 1);
        for (keys, network, now, pass, holds) in [
            (&keys, here, 0, pass.as_str(), true),
            (&rotated, here, 0, &pass, true),
            (&keys, here, 999_999_000, &pass, true),
            (&keys, here, 1_000_000_000, &pass, false),
            (&keys, network("203.0.113.8"), 0, &pass, false),
            (&other, here, 0, &pass, false),
            (&keys, here, 0, &later, false),
            (&keys, here, 0, "1000000.", false),
            (&keys, here, 0, "", false),
            (&keys, here, 0, "é.é", false),
        ] {
            let verified = verified_until(keys, network, Timestamp(now), pass);
            assert_eq!(verified, holds.then_some(until), "{network} {now} {pass}");
        }
    }
}
