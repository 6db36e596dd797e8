//! Passwords: policy and hashing (NIST SP 800-63B §3.1.1, OWASP Password Storage Cheat Sheet).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context as _, Result, anyhow};
use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use model::lang::{Text, text};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::memory::returned_at_once;
use crate::blocking::off_worker;
use crate::config::{Auth, SecretText};
use crate::error::{Code, ServiceError};

/// Characters of a password. Chosen: 10 keeps guessing expensive, 128 fits every passphrase.
const LENGTH: std::ops::RangeInclusive<usize> = 10..=128;
/// Size limit of a password, in bytes: 128 characters of four bytes each.
pub const MOST_BYTES: usize = 512;
/// Guesses that every password must withstand: attackers try all of the lists of common passwords, the longest of
/// which has 30,000, and their usual variations.
const TOO_FEW_GUESSES: u64 = 100_000;
/// Characters of a context word (address, product) that a password must not contain. Shorter words occur by chance.
const TELLING: usize = 4;
/// Bytes of a salt (RFC 9106 §3.1 recommends 16 for passwords).
const SALT_BYTES: usize = 16;
/// Concurrency limit of hashing; each takes 19 MiB.
const AT_ONCE: usize = 4;
/// Hashes that may wait for it; further ones are refused.
const WAITING: usize = 32;

/// Password hashing and verification, a few at a time.
#[derive(Debug)]
pub struct Passwords {
    params: Params,
    /// A hash that no password has: its digest is random. Sign-ins without an account are compared with it, so that they take
    /// as long.
    nobodys: String,
    working: Arc<Semaphore>,
    queue: Arc<Semaphore>,
    made: AtomicU64,
}

/// Result of a password verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasswordCheck {
    /// No match.
    Wrong,
    /// Match.
    Right {
        /// The hash was made with weaker parameters than configured.
        is_outdated: bool,
    },
}

impl Passwords {
    /// As configured; `random` makes the dummy hash for sign-ins without an account.
    pub fn new(config: &Auth, random: [u8; 32]) -> Result<Self> {
        let params = Params::new(config.argon2_kib, config.argon2_passes, 1, None)
            .map_err(|error| anyhow!("auth.argon2_kib, auth.argon2_passes: {error}"))?;
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let at_once = cores.min(AT_ONCE);
        let (salt, _) = random.split_at(SALT_BYTES);
        let nobodys =
            Output::new(&random).context("a digest").and_then(|output| phc(&params, Salt::new(salt)?, output));
        Ok(Self {
            nobodys: nobodys.map_err(|error| anyhow!("a password's hash: {error}"))?,
            params,
            working: Arc::new(Semaphore::new(at_once)),
            queue: Arc::new(Semaphore::new(at_once + WAITING)),
            made: AtomicU64::new(0),
        })
    }

    /// Hashes computed so far. It counts the same for known and unknown accounts.
    pub fn made(&self) -> u64 {
        self.made.load(Ordering::Relaxed)
    }

    /// Hashes a new password, as a PHC string; [`Code::PasswordRefused`] when it is easy to guess. `telling` are
    /// context words that an attacker tries first: address and product.
    pub async fn accept(
        &self,
        password: SecretText,
        telling: Vec<String>,
        random: [u8; 32],
    ) -> Result<String, ServiceError> {
        judge_length(password.expose())?;
        let permit = self.permit().await?;
        let params = self.params.clone();
        off_worker(move || {
            let _held = permit;
            judge(password.expose(), &telling)?;
            hashed(&params, password.expose().as_bytes(), &random).map_err(broken)
        })
        .await?
    }

    /// Verifies a password against a hash; without one, against the dummy hash.
    pub async fn compare(&self, password: SecretText, phc: Option<String>) -> Result<PasswordCheck, ServiceError> {
        let permit = self.permit().await?;
        let (params, is_somebodys) = (self.params.clone(), phc.is_some());
        let phc = phc.unwrap_or_else(|| self.nobodys.clone());
        off_worker(move || {
            let _held = permit;
            let hash = PasswordHash::new(&phc).map_err(broken)?;
            // Longer inputs are cut: they can't match, and must not take longer.
            let bytes = password.expose().as_bytes();
            let bytes = bytes.get(..MOST_BYTES + 1).unwrap_or(bytes);
            let was = Params::try_from(&hash).map_err(broken)?;
            let is_right = is_of(bytes, &hash, &was).map_err(broken)? && is_somebodys;
            let is_outdated = was.m_cost() < params.m_cost() || was.t_cost() < params.t_cost();
            Ok(if is_right { PasswordCheck::Right { is_outdated } } else { PasswordCheck::Wrong })
        })
        .await?
    }

    async fn permit(&self) -> Result<(OwnedSemaphorePermit, OwnedSemaphorePermit), ServiceError> {
        let overloaded = || ServiceError::new(Code::Overloaded).retry_after(2);
        let waiting = Arc::clone(&self.queue).try_acquire_owned().map_err(|_| {
            tracing::warn!("too many sign-ins at once for password hashing");
            overloaded()
        })?;
        let working = Arc::clone(&self.working).acquire_owned().await.map_err(|_| overloaded())?;
        self.made.fetch_add(1, Ordering::Relaxed);
        Ok((waiting, working))
    }
}

fn hashed(params: &Params, password: &[u8], random: &[u8; 32]) -> Result<String> {
    let (salt, _) = random.split_at(SALT_BYTES);
    let salt = Salt::new(salt)?;
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone());
    let output = output(&argon2, password, &salt, Params::DEFAULT_OUTPUT_LEN)?;
    phc(params, salt, output)
}

/// A hash as a PHC string.
fn phc(params: &Params, salt: Salt, output: Output) -> Result<String> {
    let hash = PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(params)?,
        salt: Some(salt),
        hash: Some(output),
    };
    Ok(hash.to_string())
}

/// Whether a hash is of this password; compared in constant time.
fn is_of(password: &[u8], hash: &PasswordHash, params: &Params) -> Result<bool> {
    let (Some(salt), Some(expected)) = (hash.salt, hash.hash) else { return Ok(false) };
    let version = hash.version.map(Version::try_from).transpose()?.unwrap_or_default();
    let argon2 = Argon2::new(Algorithm::try_from(hash.algorithm.as_str())?, version, params.clone());
    Ok(output(&argon2, password, &salt, expected.len())? == expected)
}

/// Runs Argon2 in memory of its own that is given back at once.
fn output(argon2: &Argon2<'_>, password: &[u8], salt: &Salt, length: usize) -> Result<Output> {
    let mut memory = returned_at_once(Block::new(), argon2.params().block_count());
    let mut output = [0; Output::MAX_LENGTH];
    let output = output.get_mut(..length).context("a hash of this length")?;
    argon2.hash_password_into_with_memory(password, salt, output, &mut memory)?;
    Ok(Output::new(output)?)
}

fn broken(error: impl std::fmt::Display) -> ServiceError {
    tracing::error!(%error, "a password's hash can't be made or read");
    ServiceError::new(Code::Internal)
}

fn refused(why: Text) -> ServiceError {
    ServiceError::new(Code::PasswordRefused).explained(why.into())
}

fn judge_length(password: &str) -> Result<(), ServiceError> {
    if LENGTH.contains(&password.chars().count()) && password.len() <= MOST_BYTES {
        return Ok(());
    }
    Err(refused(text(
        "password: use 10 to 128 characters, at most 512 bytes",
        "password: use de 10 a 128 caracteres, no máximo 512 bytes",
    )))
}

fn judge(password: &str, telling: &[String]) -> Result<(), ServiceError> {
    let lower = password.to_lowercase();
    let holds = |word: &&String| word.chars().count() >= TELLING && lower.contains(&word.to_lowercase());
    if telling.iter().any(|word| holds(&word)) {
        return Err(refused(text(
            "password: it contains your email address or the name of this product",
            "password: ela contém o seu endereço de e-mail ou o nome deste produto",
        )));
    }
    let telling: Vec<&str> = telling.iter().map(String::as_str).collect();
    if zxcvbn::zxcvbn(password, &telling).guesses() < TOO_FEW_GUESSES {
        return Err(refused(text(
            "password: it is one of the most common passwords",
            "password: ela é uma das senhas mais comuns",
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(password: &str) -> Result<(), Code> {
        let telling = vec!["ana.silva".to_owned(), "Site Audit".to_owned(), "al".to_owned()];
        judge_length(password).and_then(|()| judge(password, &telling)).map_err(|error| error.code)
    }

    #[test]
    fn a_password_is_long_enough_and_not_the_first_that_is_tried() {
        for password in [
            "short",
            "123456789",
            "1234567890",
            "password123",
            "qwertyuiop",
            "aaaaaaaaaaaa",
            "iloveyou123",
            "Ana.Silva plus some more words",
            "my site audit password",
            &"a b c ".repeat(30),
            &"\u{1F600}".repeat(129),
        ] {
            assert_eq!(judged(password), Err(Code::PasswordRefused), "{password}");
        }
        for password in ["correct horse battery", "xkqpvmzwtr", "  spaces count  x9", "senha do café 7 vezes"] {
            assert_eq!(judged(password), Ok(()), "{password}");
        }
    }

    /// What they take together is [`AT_ONCE`] times `auth.argon2_kib`, whoever comes.
    #[tokio::test]
    async fn a_few_are_compared_at_once_some_wait_and_the_others_are_sent_away() {
        let few = Auth { argon2_kib: 8, argon2_passes: 1, ..Auth::default() };
        let passwords = Passwords::new(&few, [1; 32]).unwrap();
        let at_once = passwords.working.available_permits();
        assert!((1..=AT_ONCE).contains(&at_once));
        // As if as many were being compared, for as long as this looks.
        let others = Arc::clone(&passwords.working).acquire_many_owned(u32::try_from(at_once).unwrap()).await.unwrap();
        let compare = |_| passwords.compare(SecretText::new("correct horse battery"), None);
        let flood = futures_util::future::join_all((0..200).map(compare));
        tokio::pin!(flood);
        tokio::select! {
            biased;
            _ = &mut flood => panic!("passwords were compared without a permit"),
            () = std::future::ready(()) => {}
        }
        assert_eq!((passwords.made(), passwords.queue.available_permits()), (0, 0));
        drop(others);
        let (borne, sent_away): (Vec<_>, Vec<_>) = flood.await.into_iter().partition(Result::is_ok);
        assert_eq!((borne.len(), sent_away.len()), (at_once + WAITING, 200 - at_once - WAITING));
        for refusal in sent_away {
            let refusal = refusal.unwrap_err();
            assert_eq!((refusal.code, refusal.retry_after), (Code::Overloaded, Some(2)));
        }
        assert_eq!(passwords.made(), borne.len() as u64);
        assert_eq!(passwords.working.available_permits(), at_once);
    }

    #[tokio::test]
    async fn a_password_fits_its_own_hash_only() {
        let passwords = Passwords::new(&Auth::default(), [1; 32]).unwrap();
        let phc = passwords.accept(SecretText::new("correct horse battery"), Vec::new(), [2; 32]).await.unwrap();
        assert!(phc.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{phc}");
        let compare = |text: &str, phc: Option<&String>| passwords.compare(SecretText::new(text), phc.cloned());
        let right = PasswordCheck::Right { is_outdated: false };
        assert_eq!(compare("correct horse battery", Some(&phc)).await.unwrap(), right);
        assert_eq!(compare("correct horse batterz", Some(&phc)).await.unwrap(), PasswordCheck::Wrong);
        assert_eq!(compare("", Some(&phc)).await.unwrap(), PasswordCheck::Wrong);
        assert_eq!(compare("correct horse battery", None).await.unwrap(), PasswordCheck::Wrong);
        assert_eq!(passwords.made(), 5);
        let more = Passwords::new(&Auth { argon2_passes: 3, ..Auth::default() }, [1; 32]).unwrap();
        let outdated = more.compare(SecretText::new("correct horse battery"), Some(phc)).await.unwrap();
        assert_eq!(outdated, PasswordCheck::Right { is_outdated: true });
    }
}
