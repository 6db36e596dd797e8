//! Sessions: browsers that are signed in to an account.

use model::account::Assurance;
use model::id::{AccountId, SessionId};
use model::time::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::store::Store;

/// A live session, with facts of its account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// Whose it is.
    pub account: AccountId,
    /// Their verified address.
    pub email: String,
    /// How strongly the holder was authenticated.
    pub assurance: Assurance,
    /// Authentication methods, separated by spaces.
    pub methods: String,
    /// When they last authenticated.
    pub proven_at: Timestamp,
    /// When they were last seen, as recorded.
    pub last_seen_at: Timestamp,
    /// Its absolute expiry.
    pub absolute_expires_at: Timestamp,
    /// When the account's trial began.
    pub trial_started_at: Option<Timestamp>,
    /// Found by the token before the last rotation, which is valid for reading only.
    pub is_rotated: bool,
}

/// Outcome of looking a session up by its token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundSession {
    /// A live session.
    Live(Session),
    /// One that was ended or has expired.
    Ended,
    /// No session.
    Unknown,
}

const SELECT: &str = "SELECT sessions.id, account_id, accounts.email, accounts.status, accounts.trial_started_at, \
    assurance, methods, proven_at, last_seen_at, idle_expires_at, absolute_expires_at, ended_at, previous_until, \
    CASE WHEN token_digest = $1 THEN 0 ELSE 1 END AS is_rotated \
    FROM sessions JOIN accounts ON accounts.id = account_id \
    WHERE token_digest = $1 OR previous_digest = $1 LIMIT 1";

const TOUCH: &str = "UPDATE sessions SET last_seen_at = $2, idle_expires_at = $3 \
    WHERE id = $1 AND ended_at IS NULL AND last_seen_at < $2";

impl Store {
    /// The session whose token has this digest. One of an account that is not active has ended.
    pub async fn session_by_digest(&self, digest: &[u8; 32], now: Timestamp) -> Result<FoundSession, StoreError> {
        let subject = "looking up a session";
        match self.db.read(subject, sqlx::query(SELECT).bind(digest.to_vec())).await? {
            Some(row) => found(&row, now).map_err(|error| StoreError::of_driver(subject, error)),
            None => Ok(FoundSession::Unknown),
        }
    }

    /// Records that a session was seen, and extends it to `idle_expires_at`.
    pub async fn touch_session(
        &self,
        id: &SessionId,
        now: Timestamp,
        idle_expires_at: Timestamp,
    ) -> Result<(), StoreError> {
        let statement = sqlx::query(TOUCH).bind(id.0.clone()).bind(now.0).bind(idle_expires_at.0);
        self.db.write("noting that a session was seen", statement).await.map(drop)
    }
}

fn found(row: &AnyRow, now: Timestamp) -> Result<FoundSession, sqlx::Error> {
    let instant = |name: &str| row.try_get(name).map(Timestamp);
    let is_rotated = row.try_get::<i64, _>("is_rotated")? == 1;
    let previous_until: Option<i64> = row.try_get("previous_until")?;
    let is_over = row.try_get::<Option<i64>, _>("ended_at")?.is_some()
        || row.try_get::<String, _>("status")? != "active"
        || instant("idle_expires_at")? <= now
        || instant("absolute_expires_at")? <= now
        || is_rotated && previous_until.is_none_or(|until| until <= now.0);
    if is_over {
        return Ok(FoundSession::Ended);
    }
    Ok(FoundSession::Live(Session {
        id: SessionId(row.try_get("id")?),
        account: AccountId(row.try_get("account_id")?),
        email: row.try_get("email")?,
        assurance: Assurance::of_factors(row.try_get("assurance")?),
        methods: row.try_get("methods")?,
        proven_at: instant("proven_at")?,
        last_seen_at: instant("last_seen_at")?,
        absolute_expires_at: instant("absolute_expires_at")?,
        trial_started_at: row.try_get::<Option<i64>, _>("trial_started_at")?.map(Timestamp),
        is_rotated,
    }))
}
