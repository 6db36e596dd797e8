//! Verification of Web Authentication ceremonies (level 3, W3C): registration (§7.1) and assertion (§7.2). Pure:
//! challenges and stored credentials are parameters.
//!
//! Attestation is neither requested nor verified: the make of an authenticator does not matter here.

mod cbor;

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use url::Url;

use crate::origin::is_own;
use cbor::{CborItem, take};

/// Accepted COSE signature algorithms in order of preference: ES256, EdDSA, RS256. Every authenticator supports one of
/// them.
pub(crate) const ALGORITHMS: [i64; 3] = [-7, -8, -257];
/// Bytes of a credential id at most (§4, credential id).
const MOST_ID_BYTES: usize = 1_023;
/// Flag UP: user present (§6.1).
const USER_PRESENT: u8 = 0x01;
/// Flag UV: user verified.
const USER_VERIFIED: u8 = 0x04;
/// Flag BE: backup eligible.
const BACKUP_ELIGIBLE: u8 = 0x08;
/// Flag BS: backed up.
const BACKED_UP: u8 = 0x10;
/// Flag AT: attested credential data included.
const HAS_CREDENTIAL: u8 = 0x40;

/// The relying party.
#[derive(Debug, Clone)]
pub(super) struct RelyingParty {
    /// Our public origin.
    pub origin: Url,
    /// The RP ID: the domain that credentials are bound to.
    pub id: String,
}

/// A public key credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Credential {
    /// Its id, as the authenticator chose it.
    pub id: Vec<u8>,
    /// COSE_Key encoding of the public key.
    pub public_key: Vec<u8>,
    /// Signature counter; 0 when the authenticator has none.
    pub sign_count: u32,
}

/// An authentication assertion.
#[derive(Debug)]
pub(super) struct SignedAssertion<'p> {
    /// `authenticatorData`.
    pub authenticator_data: &'p [u8],
    /// `clientDataJSON`.
    pub client_data: &'p [u8],
    /// Signature over both.
    pub signature: &'p [u8],
}

/// The collected client data (§5.8.1).
#[derive(Deserialize)]
struct ClientData {
    #[serde(rename = "type")]
    kind: String,
    challenge: String,
    origin: String,
    #[serde(rename = "crossOrigin", default)]
    cross_origin: bool,
}

impl RelyingParty {
    /// The challenge in the client data, if its origin is ours and its type is `kind` (`webauthn.create` or
    /// `webauthn.get`).
    pub(super) fn challenge(&self, client_data: &[u8], kind: &str) -> Option<[u8; 32]> {
        let client_data: ClientData = serde_json::from_slice(client_data).ok()?;
        let is_ours = client_data.kind == kind
            && !client_data.cross_origin
            && Url::parse(&client_data.origin).is_ok_and(|origin| is_own(&self.origin, &origin));
        if is_ours { URL_SAFE_NO_PAD.decode(client_data.challenge).ok()?.try_into().ok() } else { None }
    }

    /// The credential of an `attestationObject`; `None` when the RP ID does not match, the user was not verified, or
    /// the algorithm was not requested.
    pub(super) fn credential(&self, attestation: &[u8]) -> Option<Credential> {
        let attestation = CborItem::read(&mut &*attestation)?;
        let mut rest = attestation.get(&CborItem::Text("authData"))?.bytes()?;
        let (flags, sign_count) = self.head(&mut rest)?;
        if flags & HAS_CREDENTIAL == 0 {
            return None;
        }
        let _model = take(&mut rest, 16)?;
        let [high, low] = *take(&mut rest, 2)? else { return None };
        let length = usize::from(u16::from_be_bytes([high, low]));
        let id = take(&mut rest, length).filter(|id| !id.is_empty() && id.len() <= MOST_ID_BYTES)?;
        let key_and_more = rest;
        let key = CborItem::read(&mut rest)?;
        PublicKey::of(&key)?;
        let public_key = key_and_more.get(..key_and_more.len() - rest.len())?;
        Some(Credential { id: id.to_vec(), public_key: public_key.to_vec(), sign_count })
    }

    /// The new signature counter of a valid assertion; `None` when it is not valid, or the counter reveals a cloned
    /// authenticator (§6.1.1).
    pub(super) fn proven(&self, proof: &SignedAssertion<'_>, credential: &Credential) -> Option<u32> {
        let mut rest = proof.authenticator_data;
        let (_, sign_count) = self.head(&mut rest)?;
        let key = CborItem::read(&mut &*credential.public_key)?;
        let mut signed = proof.authenticator_data.to_vec();
        signed.extend_from_slice(&Sha256::digest(proof.client_data));
        let counts = sign_count != 0 || credential.sign_count != 0;
        let is_copy = counts && sign_count <= credential.sign_count;
        let is_good = PublicKey::of(&key)?.has_signed(&signed, proof.signature);
        (is_good && !is_copy).then_some(sign_count)
    }

    /// Flags and signature counter of authenticator data; `None` unless RP ID, user presence and user verification
    /// check out (§6.1).
    fn head(&self, rest: &mut &[u8]) -> Option<(u8, u32)> {
        let site = take(rest, 32)?;
        let [flags] = *take(rest, 1)? else { return None };
        let count: [u8; 4] = take(rest, 4)?.try_into().ok()?;
        let is_right = site == Sha256::digest(self.id.as_bytes()).as_slice()
            && flags & (USER_PRESENT | USER_VERIFIED) == USER_PRESENT | USER_VERIFIED
            // BS without BE is invalid (§6.1.3).
            && flags & (BACKUP_ELIGIBLE | BACKED_UP) != BACKED_UP;
        is_right.then_some((flags, u32::from_be_bytes(count)))
    }
}

/// A COSE public key (RFC 9053 §7, RFC 8230 §4).
enum PublicKey<'k> {
    Es256([u8; 65]),
    EdDsa(&'k [u8]),
    Rs256 { n: &'k [u8], e: &'k [u8] },
}

impl<'k> PublicKey<'k> {
    fn of(key: &CborItem<'k>) -> Option<Self> {
        let number = |label: i64| key.get(&CborItem::Integer(label)).and_then(CborItem::integer);
        let bytes = |label: i64| key.get(&CborItem::Integer(label)).and_then(CborItem::bytes);
        // COSE labels: 1 key type, 3 algorithm, -1 curve or modulus, -2 x or exponent, -3 y.
        match (number(1)?, number(3)?) {
            (2, -7) if number(-1)? == 1 => {
                let (x, y): ([u8; 32], [u8; 32]) = (bytes(-2)?.try_into().ok()?, bytes(-3)?.try_into().ok()?);
                let mut point = [4; 65];
                for (place, byte) in point.iter_mut().skip(1).zip(x.into_iter().chain(y)) {
                    *place = byte;
                }
                Some(Self::Es256(point))
            }
            (1, -8) if number(-1)? == 6 => Some(Self::EdDsa(bytes(-2).filter(|x| x.len() == 32)?)),
            (3, -257) => Some(Self::Rs256 { n: bytes(-1)?, e: bytes(-2)? }),
            _ => None,
        }
    }

    fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        let verified = match self {
            Self::Es256(point) => UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point).verify(message, signature),
            Self::EdDsa(x) => UnparsedPublicKey::new(&ED25519, x).verify(message, signature),
            Self::Rs256 { n, e } => {
                RsaPublicKeyComponents { n, e }.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
        };
        verified.is_ok()
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "an authenticator has randomness of its own")]
mod tests {
    use super::*;
    use aws_lc_rs::rand::SystemRandom;
    use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _};

    fn site() -> RelyingParty {
        RelyingParty { origin: Url::parse("https://audit.example.com").unwrap(), id: "audit.example.com".to_owned() }
    }

    fn key() -> EcdsaKeyPair {
        EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).unwrap()
    }

    /// A key as COSE writes it.
    fn cose(key: &EcdsaKeyPair) -> Vec<u8> {
        let point = key.public_key().as_ref();
        let mut bytes = vec![0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20];
        bytes.extend_from_slice(&point[1..33]);
        bytes.extend_from_slice(&[0x22, 0x58, 0x20]);
        bytes.extend_from_slice(&point[33..]);
        bytes
    }

    fn data(site: &str, flags: u8, count: u32) -> Vec<u8> {
        let mut data = Sha256::digest(site.as_bytes()).to_vec();
        data.push(flags);
        data.extend_from_slice(&count.to_be_bytes());
        data
    }

    fn attestation(mut data: Vec<u8>, id: &[u8], key: &[u8]) -> Vec<u8> {
        data.extend_from_slice(&[0; 16]);
        data.extend_from_slice(&u16::try_from(id.len()).unwrap().to_be_bytes());
        data.extend_from_slice(id);
        data.extend_from_slice(key);
        let mut bytes = vec![0xa3, 0x63];
        bytes.extend_from_slice(b"fmt");
        bytes.push(0x64);
        bytes.extend_from_slice(b"none");
        bytes.push(0x67);
        bytes.extend_from_slice(b"attStmt");
        bytes.extend_from_slice(&[0xa0, 0x68]);
        bytes.extend_from_slice(b"authData");
        bytes.extend_from_slice(&[
            0x59,
            u8::try_from(data.len() / 256).unwrap(),
            u8::try_from(data.len() % 256).unwrap(),
        ]);
        bytes.extend(data);
        bytes
    }

    #[test]
    fn a_new_credential_is_read_where_it_is_ours_and_its_holder_was_there() {
        let (key, site) = (key(), site());
        let cose = cose(&key);
        let made = |of: &str, flags| site.credential(&attestation(data(of, flags, 7), b"id", &cose));
        let wanted = Credential { id: b"id".to_vec(), public_key: cose.clone(), sign_count: 7 };
        assert_eq!(made("audit.example.com", 0x45), Some(wanted));
        assert!(made("audit.example.com", 0x4d).is_some() && made("audit.example.com", 0x5d).is_some());
        // Of another site, without verification, without presence, without a key, backed up although it can't be.
        for (of, flags) in [
            ("example.com", 0x45),
            ("audit.example.com", 0x41),
            ("audit.example.com", 0x44),
            ("audit.example.com", 0x05),
            ("audit.example.com", 0x55),
        ] {
            assert_eq!(made(of, flags), None, "{of} {flags:x}");
        }
        let whole = attestation(data("audit.example.com", 0x45, 7), b"id", &cose);
        for length in 0..whole.len() {
            assert_eq!(site.credential(&whole[..length]), None, "{length}");
        }
        assert_eq!(site.credential(&attestation(data("audit.example.com", 0x45, 7), b"", &cose)), None);
        assert_eq!(site.credential(&attestation(data("audit.example.com", 0x45, 7), &[1; 1_024], &cose)), None);
        // Another algorithm than those asked for.
        let mut other = cose.clone();
        other[4] = 0x38;
        assert_eq!(site.credential(&attestation(data("audit.example.com", 0x45, 7), b"id", &other)), None);
    }

    #[test]
    fn a_proof_is_good_when_the_key_signed_both_parts_and_the_count_grew() {
        let (key, site) = (key(), site());
        let proven = |of: &str, flags, before: u32, after: u32, signed: &[u8]| {
            let authenticator_data = data(of, flags, after);
            let mut message = authenticator_data.clone();
            message.extend_from_slice(&Sha256::digest(signed));
            let signature = key.sign(&SystemRandom::new(), &message).unwrap();
            let proof = SignedAssertion {
                authenticator_data: &authenticator_data,
                client_data: b"said",
                signature: signature.as_ref(),
            };
            let credential = Credential { id: b"id".to_vec(), public_key: cose(&key), sign_count: before };
            site.proven(&proof, &credential)
        };
        let id = "audit.example.com";
        assert_eq!(proven(id, 0x05, 7, 8, b"said"), Some(8));
        // One that does not count.
        assert_eq!(proven(id, 0x05, 0, 0, b"said"), Some(0));
        assert_eq!(proven(id, 0x05, 7, 7, b"said"), None);
        assert_eq!(proven(id, 0x05, 7, 0, b"said"), None);
        assert_eq!(proven(id, 0x05, 7, 8, b"other"), None);
        assert_eq!(proven(id, 0x01, 7, 8, b"said"), None);
        assert_eq!(proven("example.com", 0x05, 7, 8, b"said"), None);
    }

    #[test]
    fn a_challenge_is_answered_by_our_own_pages_only() {
        let challenge = URL_SAFE_NO_PAD.encode([7; 32]);
        let said = |kind: &str, origin: &str, cross: bool, challenge: &str| {
            let said =
                serde_json::json!({ "type": kind, "origin": origin, "crossOrigin": cross, "challenge": challenge });
            site().challenge(said.to_string().as_bytes(), "webauthn.get")
        };
        let own = "https://audit.example.com";
        assert_eq!(said("webauthn.get", own, false, &challenge), Some([7; 32]));
        assert_eq!(said("webauthn.create", own, false, &challenge), None);
        assert_eq!(said("webauthn.get", "https://evil.example", false, &challenge), None);
        assert_eq!(said("webauthn.get", own, true, &challenge), None);
        assert_eq!(said("webauthn.get", own, false, "short"), None);
        assert_eq!(site().challenge(b"{}", "webauthn.get"), None);
        assert_eq!(site().challenge(b"", "webauthn.get"), None);
    }
}
