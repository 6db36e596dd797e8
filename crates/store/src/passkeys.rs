//! Passkeys: credentials of authenticators, and the challenges that they answer.

use model::id::AccountId;
use model::time::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::refusal::Refusal;
use crate::statement::Statement;
use crate::store::Store;

/// Passkeys of an account at most. Chosen: more than anybody has devices.
pub const MOST_PASSKEYS: i64 = 20;
/// Expired challenges that one statement deletes at most.
const PURGE_BATCH: i64 = 500;

/// A passkey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasskeyRecord {
    /// Its id here, unique.
    pub id: String,
    /// Whose it is.
    pub account: AccountId,
    /// Its id as the authenticator chose it.
    pub credential_id: Vec<u8>,
    /// Its public key in COSE encoding.
    pub public_key: Vec<u8>,
    /// Its signature counter, 0 if it has none (WebAuthn §6.1.1).
    pub sign_count: u32,
    /// Its name.
    pub name: String,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it was last used.
    pub last_used_at: Option<Timestamp>,
}

/// One step of a change of passkeys.
#[derive(Debug, Clone)]
pub enum PasskeyStep {
    /// Uses up the challenge with this digest, of an account or of a sign-in; [`Refusal::Challenge`] when it was used
    /// or has expired.
    Answer([u8; 32], Option<AccountId>),
    /// Adds a passkey; [`Refusal::Taken`] when it exists, or the account has reached its limit.
    Add(PasskeyRecord),
    /// Records a use of the passkey with this id and its counter; [`Refusal::Code`] when the counter shows a cloned
    /// authenticator.
    Use(String, u32),
    /// Removes a passkey of an account; [`Refusal::Missing`] when it has none such.
    Remove(AccountId, String),
}

/// The columns of a [`PasskeyRecord`]. A macro, as `concat!` takes literals only.
macro_rules! columns {
    () => {
        "passkeys.id, account_id, credential_id, public_key, sign_count, passkeys.name, passkeys.created_at, last_used_at"
    };
}

const ANSWER: &str = "DELETE FROM webauthn_challenges WHERE challenge_digest = $1 AND expires_at > $2 \
    AND COALESCE(account_id, '') = $3";

// Locks the account: serializes the adding of passkeys.
const LOCK: &str = "UPDATE accounts SET name = name WHERE id = $1";

const ADD: &str = "INSERT INTO passkeys (id, account_id, credential_id, public_key, sign_count, transports, name, \
    created_at) SELECT $1, $2, $3, $4, $5, '', $6, $7 WHERE (SELECT COUNT(*) FROM passkeys AS own WHERE own.account_id = $2) < $8 ON CONFLICT DO NOTHING";

// A counter that does not grow is that of a cloned authenticator.
const USE: &str = "UPDATE passkeys SET sign_count = $2, last_used_at = $3 \
    WHERE id = $1 AND (sign_count < $2 OR (sign_count = 0 AND $2 = 0))";

const REMOVE: &str = "DELETE FROM passkeys WHERE account_id = $1 AND id = $2";

const LIST: &str =
    concat!("SELECT ", columns!(), " FROM passkeys WHERE account_id = $1 ORDER BY created_at, id LIMIT $2");

const FIND: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM passkeys JOIN accounts ON accounts.id = account_id WHERE credential_id = $1 AND status = 'active'"
);

const ADD_CHALLENGE: &str =
    "INSERT INTO webauthn_challenges (id, account_id, challenge_digest, expires_at) VALUES ($1, $2, $3, $4)";

const PURGE: &str = "DELETE FROM webauthn_challenges WHERE id IN \
    (SELECT id FROM webauthn_challenges WHERE expires_at <= $1 ORDER BY expires_at, id LIMIT $2) RETURNING id";

/// The statements of a step, each with its refusal when it changes no row.
pub(crate) fn statements(step: PasskeyStep, now: Timestamp) -> Vec<(Statement, Option<Refusal>)> {
    match step {
        PasskeyStep::Answer(digest, account) => {
            let account = account.map(|account| account.0).unwrap_or_default();
            let answer = sqlx::query(ANSWER).bind(digest.to_vec()).bind(now.0).bind(account);
            vec![(answer, Some(Refusal::Challenge))]
        }
        PasskeyStep::Add(passkey) => {
            let lock = sqlx::query(LOCK).bind(passkey.account.0.clone());
            let add = sqlx::query(ADD)
                .bind(passkey.id)
                .bind(passkey.account.0)
                .bind(passkey.credential_id)
                .bind(passkey.public_key)
                .bind(i64::from(passkey.sign_count))
                .bind(passkey.name)
                .bind(passkey.created_at.0)
                .bind(MOST_PASSKEYS);
            vec![(lock, Some(Refusal::Missing)), (add, Some(Refusal::Taken))]
        }
        PasskeyStep::Use(id, sign_count) => {
            vec![(sqlx::query(USE).bind(id).bind(i64::from(sign_count)).bind(now.0), Some(Refusal::Code))]
        }
        PasskeyStep::Remove(account, id) => {
            vec![(sqlx::query(REMOVE).bind(account.0).bind(id), Some(Refusal::Missing))]
        }
    }
}

impl Store {
    /// Stores a challenge, for a new passkey of an account or, without one, for a sign-in.
    pub async fn add_challenge(
        &self,
        id: &str,
        account: Option<&AccountId>,
        digest: &[u8; 32],
        expires_at: Timestamp,
    ) -> Result<(), StoreError> {
        let statement = sqlx::query(ADD_CHALLENGE)
            .bind(id.to_owned())
            .bind(account.map(|account| account.0.clone()))
            .bind(digest.to_vec())
            .bind(expires_at.0);
        self.db.write("keeping a challenge", statement).await.map(drop)
    }

    /// The passkeys of an account, oldest first.
    pub async fn passkeys(&self, account: &AccountId) -> Result<Vec<PasskeyRecord>, StoreError> {
        let subject = "listing passkeys";
        let statement = sqlx::query(LIST).bind(account.0.clone()).bind(MOST_PASSKEYS);
        let rows = self.db.read_all(subject, statement).await?;
        rows.iter().map(|row| record(subject, row)).collect()
    }

    /// The passkey with this credential id, of an active account.
    pub async fn passkey(&self, credential_id: &[u8]) -> Result<Option<PasskeyRecord>, StoreError> {
        let subject = "looking up a passkey";
        let statement = sqlx::query(FIND).bind(credential_id.to_vec());
        self.db.read(subject, statement).await?.map(|row| record(subject, &row)).transpose()
    }

    /// Deletes expired challenges; how many.
    pub async fn purge_passkey_challenges(&self, now: Timestamp) -> Result<u64, StoreError> {
        let mut purged = 0;
        loop {
            let gone = self.db.write("purging challenges", sqlx::query(PURGE).bind(now.0).bind(PURGE_BATCH)).await?;
            if gone.is_empty() {
                return Ok(purged);
            }
            purged += gone.len() as u64;
        }
    }
}

fn record(subject: &'static str, row: &AnyRow) -> Result<PasskeyRecord, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let sign_count: i64 = row.try_get("sign_count").map_err(failed)?;
    Ok(PasskeyRecord {
        id: row.try_get("id").map_err(failed)?,
        account: AccountId(row.try_get("account_id").map_err(failed)?),
        credential_id: row.try_get("credential_id").map_err(failed)?,
        public_key: row.try_get("public_key").map_err(failed)?,
        sign_count: u32::try_from(sign_count).map_err(|error| StoreError::corrupt(subject, error))?,
        name: row.try_get("name").map_err(failed)?,
        created_at: Timestamp(row.try_get("created_at").map_err(failed)?),
        last_used_at: row.try_get::<Option<i64>, _>("last_used_at").map_err(failed)?.map(Timestamp),
    })
}
