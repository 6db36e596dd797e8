//! The server's secret, and the keys derived from it.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::XChaCha20Poly1305;
use chacha20poly1305::aead::{Aead as _, Payload};
use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

use crate::config::{SECRET_BYTES, SecretText};

/// Bytes of a nonce of XChaCha20 (draft-irtf-cfrg-xchacha-03 §2).
const NONCE_BYTES: usize = 24;
/// Bytes read of a secret file; far above what is written there.
const FILE_BYTES: u64 = 4096;

/// Keys of the current secret and, during a rotation, of the previous one.
pub struct Keys {
    current: DerivedKeys,
    previous: Option<DerivedKeys>,
}

/// Keys derived from one secret, one per purpose, so that none can be used for another.
struct DerivedKeys {
    csrf: [u8; 32],
    context: [u8; 32],
    at_rest: [u8; 32],
    blind: [u8; 32],
    challenge: [u8; 32],
    verified: [u8; 32],
    receipt: [u8; 32],
}

/// What a signature is for. Each purpose has its own key, so that no signature passes for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SigningPurpose {
    /// A challenge of human verification that this server made.
    Challenge,
    /// That a browser is verified.
    Verified,
}

/// What a CSRF token is bound to.
#[derive(Debug, Clone, Copy)]
pub enum Binding<'a> {
    /// A session, by its id.
    Session(&'a str),
    /// A signed-out browser, by its bootstrap cookie.
    Browser(&'a str),
}

impl<'a> Binding<'a> {
    fn parts(self) -> [&'a [u8]; 2] {
        match self {
            Self::Session(id) => [b"session:", id.as_bytes()],
            Self::Browser(value) => [b"browser:", value.as_bytes()],
        }
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keys").finish_non_exhaustive()
    }
}

impl Keys {
    /// Derives the keys of the current and the previous secret.
    pub fn new(current: &SecretText, previous: Option<&SecretText>) -> Self {
        Self { current: DerivedKeys::of(current), previous: previous.map(DerivedKeys::of) }
    }

    /// The CSRF token of a session or browser: constant, so that every open page has a valid one.
    pub fn csrf(&self, binding: Binding<'_>) -> String {
        URL_SAFE_NO_PAD.encode(self.current.csrf(binding))
    }

    /// Verifies a CSRF token, in constant time.
    pub fn is_csrf(&self, binding: Binding<'_>, token: &str) -> bool {
        let Ok(token) = URL_SAFE_NO_PAD.decode(token) else { return false };
        let is_of = |keys: &DerivedKeys| bool::from(keys.csrf(binding).ct_eq(&token));
        is_of(&self.current) || self.previous.as_ref().is_some_and(is_of)
    }

    /// Seals (encrypts) a secret of `owner`, with 24 of the random bytes as nonce; returns the key id too.
    pub(crate) fn seal(&self, owner: &str, secret: &[u8], random: [u8; 32]) -> Option<(Vec<u8>, String)> {
        let nonce: [u8; NONCE_BYTES] = random.get(..NONCE_BYTES)?.try_into().ok()?;
        let payload = Payload { msg: secret, aad: owner.as_bytes() };
        let sealed = self.current.cipher().encrypt(&nonce.into(), payload).ok()?;
        Some(([&nonce[..], &sealed].concat(), self.current.id()))
    }

    /// Opens what [`Keys::seal`] made for `owner`; `None` when the key is gone or the ciphertext was changed.
    pub(crate) fn unseal(&self, owner: &str, sealed: &[u8], key_id: &str) -> Option<Vec<u8>> {
        let keys = [Some(&self.current), self.previous.as_ref()];
        let keys = keys.into_iter().flatten().find(|keys| keys.id() == key_id)?;
        let (nonce, sealed) = sealed.split_at_checked(NONCE_BYTES)?;
        let nonce: [u8; NONCE_BYTES] = nonce.try_into().ok()?;
        keys.cipher().decrypt(&nonce.into(), Payload { msg: sealed, aad: owner.as_bytes() }).ok()
    }

    /// Pseudonym of a value, for tables of failures and rate limits.
    pub(crate) fn blind(&self, value: &str) -> [u8; 32] {
        mac(&self.current.blind, &[value.as_bytes()])
    }

    /// Signs a text for a purpose.
    pub(crate) fn sign(&self, purpose: SigningPurpose, text: &str) -> [u8; 32] {
        self.current.signature(purpose, text)
    }

    /// Verifies a signature of [`Keys::sign`], in constant time.
    pub(crate) fn is_signed(&self, purpose: SigningPurpose, text: &str, signature: &[u8]) -> bool {
        let is_of = |keys: &DerivedKeys| bool::from(keys.signature(purpose, text).ct_eq(signature));
        is_of(&self.current) || self.previous.as_ref().is_some_and(is_of)
    }

    /// The seed of the key that signs receipts.
    pub(crate) fn receipt_seed(&self) -> &[u8; 32] {
        &self.current.receipt
    }

    /// A page view id; only this server can tell from it the session of the page.
    pub fn context(&self, binding: Binding<'_>, random: [u8; 32]) -> String {
        let [half, _] = halves(random);
        URL_SAFE_NO_PAD.encode(self.current.context(binding, half))
    }

    /// Whether a page view id belongs to this session or browser; `None` when it is not one of ours.
    pub fn is_context(&self, binding: Binding<'_>, context: &str) -> Option<bool> {
        let context: [u8; 32] = URL_SAFE_NO_PAD.decode(context).ok()?.try_into().ok()?;
        let [random, _] = halves(context);
        let is_of = |keys: &DerivedKeys| bool::from(keys.context(binding, random).ct_eq(&context));
        Some(is_of(&self.current) || self.previous.as_ref().is_some_and(is_of))
    }
}

fn halves(bytes: [u8; 32]) -> [[u8; 16]; 2] {
    let mut halves = [[0; 16]; 2];
    for (place, byte) in halves.iter_mut().flatten().zip(bytes) {
        *place = byte;
    }
    halves
}

impl DerivedKeys {
    fn of(secret: &SecretText) -> Self {
        let key = |purpose: &[u8]| mac(secret.expose().as_bytes(), &[purpose]);
        Self {
            csrf: key(b"csrf"),
            context: key(b"context"),
            at_rest: key(b"at rest"),
            blind: key(b"blind"),
            challenge: key(b"challenge"),
            verified: key(b"verified"),
            receipt: key(b"receipt"),
        }
    }

    /// Id of the sealing key; it reveals nothing about the key.
    fn id(&self) -> String {
        let [a, b, c, d, ..] = mac(&self.at_rest, &[b"id"]);
        HEXLOWER.encode(&[a, b, c, d])
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&self.at_rest.into())
    }

    fn signature(&self, purpose: SigningPurpose, text: &str) -> [u8; 32] {
        let key = match purpose {
            SigningPurpose::Challenge => &self.challenge,
            SigningPurpose::Verified => &self.verified,
        };
        mac(key, &[text.as_bytes()])
    }

    fn csrf(&self, binding: Binding<'_>) -> [u8; 32] {
        let [kind, text] = binding.parts();
        mac(&self.csrf, &[kind, text])
    }

    /// 16 random bytes, then a 16-byte MAC of them and the binding.
    fn context(&self, binding: Binding<'_>, random: [u8; 16]) -> [u8; 32] {
        let [kind, text] = binding.parts();
        let mark = mac(&self.context, &[&random, kind, text]);
        let mut context = [0; 32];
        for (place, byte) in context.iter_mut().zip(random.into_iter().chain(mark)) {
            *place = byte;
        }
        context
    }
}

/// HMAC-SHA-256 (RFC 2104).
fn mac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

/// The secret file beside the embedded database, readable by its owner only; created from `random` by the first
/// process to need it.
pub(super) fn beside(database: &Path, random: [u8; 32]) -> Result<SecretText> {
    let mut path = database.as_os_str().to_owned();
    path.push(".secret");
    let path = PathBuf::from(path);
    let secret = match read(&path) {
        Ok(secret) => secret,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            make(&path, random).and_then(|()| read(&path)).with_context(|| path.display().to_string())?
        }
        Err(error) => return Err(error).with_context(|| path.display().to_string()),
    };
    if secret.expose().len() < SECRET_BYTES {
        bail!("{}: a secret has at least {SECRET_BYTES} bytes", path.display());
    }
    Ok(secret)
}

fn read(path: &Path) -> std::io::Result<SecretText> {
    let mut text = String::new();
    File::open(path)?.take(FILE_BYTES).read_to_string(&mut text)?;
    Ok(SecretText::new(text.trim()))
}

/// Writes the file atomically; keeps one that another process wrote first.
fn make(path: &Path, random: [u8; 32]) -> std::io::Result<()> {
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".{}", std::process::id()));
    let draft = PathBuf::from(draft);
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&draft)?;
    file.write_all(URL_SAFE_NO_PAD.encode(random).as_bytes())?;
    file.sync_all()?;
    let linked = fs::hard_link(&draft, path);
    fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_made_once_and_kept_for_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("site-audit.db");
        let first = beside(&database, [1; 32]).unwrap();
        let second = beside(&database, [2; 32]).unwrap();
        assert_eq!(first.expose(), second.expose());
        assert_eq!(first.expose().len(), 43);
        let files: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert_eq!(files, ["site-audit.db.secret"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(folder.path().join("site-audit.db.secret")).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        fs::write(folder.path().join("site-audit.db.secret"), "short").unwrap();
        assert!(beside(&database, [1; 32]).is_err());
    }

    #[test]
    fn a_csrf_token_is_of_its_session_and_survives_one_rotation() {
        let (old, new) = (SecretText::new("o".repeat(32)), SecretText::new("n".repeat(32)));
        let before = Keys::new(&old, None);
        let token = before.csrf(Binding::Session("a"));
        assert!(before.is_csrf(Binding::Session("a"), &token));
        assert!(Keys::new(&new, Some(&old)).is_csrf(Binding::Session("a"), &token));
        for (keys, binding, token) in [
            (&before, Binding::Session("b"), token.as_str()),
            (&before, Binding::Browser("a"), &token),
            (&Keys::new(&new, None), Binding::Session("a"), &token),
            (&before, Binding::Session("a"), ""),
            (&before, Binding::Session("a"), "%"),
        ] {
            assert!(!keys.is_csrf(binding, token), "{binding:?} {token}");
        }
        let (sealed, id) = before.seal("ana", b"secret", [9; 32]).unwrap();
        assert!(!sealed.windows(6).any(|six| six == b"secret"));
        assert_eq!(before.unseal("ana", &sealed, &id).as_deref(), Some(&b"secret"[..]));
        assert_eq!(Keys::new(&new, Some(&old)).unseal("ana", &sealed, &id).as_deref(), Some(&b"secret"[..]));
        assert_eq!(before.unseal("bo", &sealed, &id), None);
        assert_eq!(Keys::new(&new, None).unseal("ana", &sealed, &id), None);
        assert_eq!(before.unseal("ana", &sealed[..20], &id), None);
        let context = before.context(Binding::Session("a"), [7; 32]);
        assert_eq!(before.is_context(Binding::Session("a"), &context), Some(true));
        assert_eq!(before.is_context(Binding::Session("b"), &context), Some(false));
        assert_eq!(before.is_context(Binding::Session("a"), "short"), None);
    }
}
