//! A wallet that signs payments as clients of x402 do (EIP-712, EIP-3009), and the recovery of the signer.

use k256::ecdsa::{RecoveryId, Signature, SigningKey, VerifyingKey};
use serde_json::{Value, json};
use sha3::{Digest as _, Keccak256};

/// Chain id, name of the token and its contract, of the test network, from the `exact` scheme of x402 on Base Sepolia.
const BASE_SEPOLIA: (u64, &str, &str) = (84_532, "USDC", "036CbD53842c5426634e7929541eC2318f3dCF7e");

/// An authorization of one payment between two instants (EIP-3009).
#[derive(Debug, Clone)]
pub struct TransferAuthorization {
    /// The payer's address, 0x and 40 hex digits.
    pub from: String,
    /// Who is paid.
    pub to: String,
    /// Atomic units, decimal.
    pub value: String,
    /// Seconds since 1970, decimal.
    pub valid_after: String,
    /// Seconds since 1970, decimal.
    pub valid_before: String,
    /// 0x and 64 hex digits.
    pub nonce: String,
}

impl TransferAuthorization {
    /// The JSON of a payment.
    pub fn json(&self) -> Value {
        json!({
            "from": self.from, "to": self.to, "value": self.value, "validAfter": self.valid_after,
            "validBefore": self.valid_before, "nonce": self.nonce,
        })
    }

    /// Reads [`TransferAuthorization::json`].
    pub fn of(json: &Value) -> Option<Self> {
        let text = |name: &str| json.get(name)?.as_str().map(str::to_owned);
        Some(Self {
            from: text("from")?,
            to: text("to")?,
            value: text("value")?,
            valid_after: text("validAfter")?,
            valid_before: text("validBefore")?,
            nonce: text("nonce")?,
        })
    }

    /// The EIP-712 digest of it, on the test network.
    pub fn digest(&self) -> [u8; 32] {
        digest(self, BASE_SEPOLIA)
    }
}

/// A plain account.
#[derive(Debug, Clone)]
pub struct Wallet {
    key: SigningKey,
}

impl Wallet {
    /// The account of a private key.
    pub fn new(key: [u8; 32]) -> Self {
        Self { key: SigningKey::from_slice(&key).unwrap() }
    }

    /// Its address.
    pub fn address(&self) -> String {
        address(self.key.verifying_key())
    }

    /// Signs an authorization; 0x and 130 hex digits.
    pub fn sign(&self, authorization: &TransferAuthorization) -> String {
        let (signature, recovery) = self.key.sign_prehash_recoverable(&authorization.digest());
        format!("0x{}{:02x}", hex(&signature.to_bytes()), 27 + recovery.to_byte())
    }
}

/// The signer of an authorization, if the signature is valid.
pub fn signer(authorization: &TransferAuthorization, signature: &str) -> Option<String> {
    let bytes = bytes(signature)?;
    let (signature, recovery) = bytes.split_at_checked(64)?;
    let recovery = RecoveryId::from_byte(recovery.first()?.checked_sub(27)?)?;
    let signature = Signature::from_slice(signature).ok()?;
    let key = VerifyingKey::recover_from_prehash(&authorization.digest(), &signature, recovery).ok()?;
    Some(address(&key))
}

fn digest(authorization: &TransferAuthorization, (chain, token, contract): (u64, &str, &str)) -> [u8; 32] {
    const DOMAIN: &[u8] = b"EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";
    const TRANSFER: &[u8] = b"TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)";
    let domain = keccak(&[
        &keccak(&[DOMAIN]),
        &keccak(&[token.as_bytes()]),
        &keccak(&[b"2"]),
        &number(&chain.to_string()),
        &word(contract),
    ]);
    let message = keccak(&[
        &keccak(&[TRANSFER]),
        &word(&authorization.from),
        &word(&authorization.to),
        &number(&authorization.value),
        &number(&authorization.valid_after),
        &number(&authorization.valid_before),
        &word(&authorization.nonce),
    ]);
    keccak(&[b"\x19\x01", &domain, &message])
}

fn keccak(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Keccak256::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// The address of a key: the last 20 bytes of its digest.
fn address(key: &VerifyingKey) -> String {
    let point = key.to_sec1_point(false);
    let digest = keccak(&[point.as_bytes().get(1..).unwrap()]);
    format!("0x{}", hex(digest.get(12..).unwrap()))
}

/// Hex digits at the end of 32 bytes.
fn word(digits: &str) -> [u8; 32] {
    let bytes = bytes(digits).unwrap();
    let mut word = [0; 32];
    word.get_mut(32 - bytes.len()..).unwrap().copy_from_slice(&bytes);
    word
}

/// A decimal number as 32 bytes; tests need no more than 128 bits.
fn number(decimal: &str) -> [u8; 32] {
    word(&format!("{:032x}", decimal.parse::<u128>().unwrap()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.strip_prefix("0x").unwrap_or(digits);
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A known signature, made with a public test key.
    #[test]
    fn a_payment_is_signed_as_the_specifications_have_it() {
        let key = bytes("59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d").unwrap();
        let wallet = Wallet::new(key.try_into().unwrap());
        assert_eq!(wallet.address(), "0x70997970c51812dc3a010c7d01b50e0d17dc79c8");
        let authorization = TransferAuthorization {
            from: wallet.address(),
            to: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C".to_owned(),
            value: "20000".to_owned(),
            valid_after: "0".to_owned(),
            valid_before: "1893456000".to_owned(),
            nonce: format!("0x{}", "01".repeat(32)),
        };
        let base = (8453, "USD Coin", "833589fCD6eDb6E08f4c7C32D4f71b54bdA02913");
        for (network, wanted) in [
            (base, "db5fa047a183daf0ed38bae3bfa47c3f0e0451837d82733a033c41d1bbe3ccaa"),
            (BASE_SEPOLIA, "e62926f91c4fd46035a43748a577e3f89090da7aee1027c9e7ca5b5c5e0ebe39"),
        ] {
            assert_eq!(hex(&digest(&authorization, network)), wanted);
        }
        let signature = wallet.sign(&authorization);
        assert_eq!(
            signature,
            "0x7eb99de1c50a070886572d6e1b4c5af8eecd6716294f999ca3ba786d7a52ce714ed14adc08cd1aa47c244293aedc1c3be3175c56904d7aa3e87d0418594e728c1c"
        );
        assert_eq!(signer(&authorization, &signature), Some(wallet.address()));
    }
}
