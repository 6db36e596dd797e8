//! Signatures of receipts: JSON Web Signatures (RFC 7515) by Ed25519 (RFC 8037), their payload detached (RFC 7515 appendix F),
//! and their public keys as a JWK set (RFC 7517).

use anyhow::Context as _;
use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// What the header says that is signed, so that no other signature of this key passes for a receipt (RFC 8725 §3.11).
const TYPE: &str = "site-audit-receipt";
/// The algorithm (RFC 8037 §3.1).
const ALGORITHM: &str = "EdDSA";
/// Family and curve of the keys (RFC 8037 §2).
const FAMILY: &str = "OKP";
const CURVE: &str = "Ed25519";
/// Bytes of a signature as text at most; ours have some 300.
const MOST_BYTES: usize = 4096;

/// A public key as JSON (JWK). Members that are not needed are passed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ReceiptKey")]
pub struct Jwk {
    /// Family: `OKP`.
    pub kty: String,
    /// Curve: `Ed25519`.
    #[serde(default)]
    pub crv: String,
    /// The 32 bytes of the key, base64url.
    #[serde(default)]
    pub x: String,
    /// Its thumbprint (RFC 7638), which receipts name.
    #[serde(default)]
    pub kid: String,
    /// `sig`: it signs.
    #[serde(default, rename = "use")]
    pub purpose: String,
    /// `EdDSA`.
    #[serde(default)]
    pub alg: String,
}

/// Public keys (JWK set, RFC 7517 §5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ReceiptKeys")]
pub struct JwkSet {
    /// The current key first.
    pub keys: Vec<Jwk>,
}

impl Jwk {
    /// The key with these bytes.
    pub fn new(public_key: &[u8; 32]) -> Self {
        let x = URL_SAFE_NO_PAD.encode(public_key);
        Self {
            kid: thumbprint(&x),
            x,
            kty: FAMILY.to_owned(),
            crv: CURVE.to_owned(),
            purpose: "sig".to_owned(),
            alg: ALGORITHM.to_owned(),
        }
    }

    /// Its bytes; `None` for a key of another kind.
    fn bytes(&self) -> Option<[u8; 32]> {
        let is_ours = self.kty == FAMILY && self.crv == CURVE;
        URL_SAFE_NO_PAD.decode(&self.x).ok().filter(|_| is_ours)?.try_into().ok()
    }
}

/// The thumbprint of a key: SHA-256 of its members that are needed, in alphabetical order (RFC 7638 §3, RFC 8037 §2).
fn thumbprint(x: &str) -> String {
    let members = format!("{{\"crv\":\"{CURVE}\",\"kty\":\"{FAMILY}\",\"x\":\"{x}\"}}");
    URL_SAFE_NO_PAD.encode(Sha256::digest(members))
}

/// The header of a signature. One with other members is refused, so nothing that changes what is verified (`b64`, `crit`) is
/// passed over.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    alg: String,
    kid: String,
    typ: String,
    /// Who signed: the public origin of a server (a claim as a header parameter, RFC 7519 §5.3).
    iss: String,
}

/// A private key.
#[derive(Debug)]
pub(super) struct Signer {
    pair: Ed25519KeyPair,
    public: Jwk,
    public_key: [u8; 32],
}

impl Signer {
    /// The key of a seed (RFC 8032 §5.1.5).
    pub(super) fn new(seed: &[u8; 32]) -> anyhow::Result<Self> {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).context("the key of receipts")?;
        let public_key: [u8; 32] = pair.public_key().as_ref().try_into().context("the key of receipts")?;
        Ok(Self { pair, public: Jwk::new(&public_key), public_key })
    }

    /// Its public key.
    pub(super) fn public(&self) -> &Jwk {
        &self.public
    }

    /// The bytes of that.
    pub(super) fn public_key(&self) -> [u8; 32] {
        self.public_key
    }

    /// The signature of a payload, without the payload: `HEADER..SIGNATURE`. `issuer` is the public origin of the server.
    pub(super) fn sign(&self, issuer: &str, payload: &str) -> anyhow::Result<String> {
        let header = Header {
            alg: ALGORITHM.to_owned(),
            kid: self.public.kid.clone(),
            typ: TYPE.to_owned(),
            iss: issuer.to_owned(),
        };
        let header = URL_SAFE_NO_PAD.encode(serde_json::to_vec(&header)?);
        let signature = self.pair.sign(signed(&header, payload).as_bytes());
        Ok(format!("{header}..{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

/// The bytes that are signed (RFC 7515 §5.1).
fn signed(header: &str, payload: &str) -> String {
    format!("{header}.{}", URL_SAFE_NO_PAD.encode(payload))
}

/// Who signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// The public origin of the server, as it says itself.
    pub issuer: String,
    /// Thumbprint of the key.
    pub key: String,
}

/// Why a signature is not valid.
#[derive(Debug, Clone, thiserror::Error, PartialEq, Eq)]
pub enum InvalidSignature {
    /// It has not the shape of one.
    #[error("the signature is no detached JWS of a receipt (EdDSA)")]
    Shape,
    /// Its key is not among those that are trusted; with the thumbprint.
    #[error("it was signed with the key {0}, which is not among the keys given")]
    UnknownKey(String),
    /// The report is not the one that was signed.
    #[error("the report is not the one that was signed")]
    Changed,
}

/// Verifies the detached signature of a payload with one of these keys.
pub(super) fn verify(signature: &str, payload: &str, keys: &[Jwk]) -> Result<Signed, InvalidSignature> {
    let header_of = |signature: &str| {
        let (header, rest) = signature.split_once('.').filter(|_| signature.len() <= MOST_BYTES)?;
        let bytes = URL_SAFE_NO_PAD.decode(rest.strip_prefix('.')?).ok()?;
        let read: Header = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(header).ok()?).ok()?;
        (read.alg == ALGORITHM && read.typ == TYPE).then(|| (header.to_owned(), read, bytes))
    };
    let (header, read, bytes) = header_of(signature).ok_or(InvalidSignature::Shape)?;
    // By the thumbprint that is made of the key itself, not by the name that a file gives it.
    let key = keys.iter().find(|key| thumbprint(&key.x) == read.kid).and_then(Jwk::bytes);
    let Some(key) = key else { return Err(InvalidSignature::UnknownKey(read.kid)) };
    UnparsedPublicKey::new(&ED25519, key)
        .verify(signed(&header, payload).as_bytes(), &bytes)
        .map_err(|_| InvalidSignature::Changed)?;
    Ok(Signed { issuer: read.iss, key: read.kid })
}

#[cfg(test)]
mod tests {
    use data_encoding::HEXLOWER;

    use super::*;

    /// The key of RFC 8037 appendix A.
    const SEED: &[u8] = b"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";

    fn signer() -> Signer {
        Signer::new(&HEXLOWER.decode(SEED).unwrap().try_into().unwrap()).unwrap()
    }

    #[test]
    fn key_thumbprint_and_signature_are_those_of_the_standard() {
        let signer = signer();
        // RFC 8037 A.2 and A.3.
        assert_eq!(signer.public().x, "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
        assert_eq!(signer.public().kid, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
        // A.4.
        let input = signed("eyJhbGciOiJFZERTQSJ9", "Example of Ed25519 signing");
        assert_eq!(input, "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc");
        assert_eq!(
            URL_SAFE_NO_PAD.encode(signer.pair.sign(input.as_bytes())),
            "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        );
    }

    #[test]
    fn only_what_was_signed_is_verified_and_by_its_key_only() {
        let (ours, other) = (signer(), Signer::new(&[7; 32]).unwrap());
        let signature = ours.sign("https://audit.example", "{}").unwrap();
        let keys = [other.public().clone(), ours.public().clone()];
        let right = Signed { issuer: "https://audit.example".to_owned(), key: ours.public().kid.clone() };
        assert_eq!(verify(&signature, "{}", &keys), Ok(right));
        assert_eq!(verify(&signature, "{ }", &keys), Err(InvalidSignature::Changed));
        let unknown = InvalidSignature::UnknownKey(ours.public().kid.clone());
        assert_eq!(verify(&signature, "{}", &keys[..1]), Err(unknown.clone()));
        // A key that only bears the name of the right one.
        let named = Jwk { kid: ours.public().kid.clone(), ..other.public().clone() };
        assert_eq!(verify(&signature, "{}", &[named]), Err(unknown));
        let (header, bytes) = signature.split_once("..").unwrap();
        let with = |json: &str| format!("{}..{bytes}", URL_SAFE_NO_PAD.encode(json));
        let header_with = |alg: &str, typ: &str, more: &str| {
            with(&format!(r#"{{"alg":"{alg}","kid":"{}","typ":"{typ}","iss":"x"{more}}}"#, ours.public().kid))
        };
        // Another issuer than the one that was signed.
        assert_eq!(verify(&header_with(ALGORITHM, TYPE, ""), "{}", &keys), Err(InvalidSignature::Changed));
        for broken in [
            header_with("none", TYPE, ""),
            header_with("HS256", TYPE, ""),
            header_with(ALGORITHM, "JWT", ""),
            header_with(ALGORITHM, TYPE, r#","b64":false,"crit":["b64"]"#),
            with("{}"),
            format!("{header}.e30.{bytes}"),
            format!("{header}..%"),
            format!("{header}.{bytes}"),
            "a".repeat(MOST_BYTES + 1),
            String::new(),
        ] {
            assert_eq!(verify(&broken, "{}", &keys), Err(InvalidSignature::Shape), "{broken}");
        }
    }
}
