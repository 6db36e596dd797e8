//! Lookups of accounts. Changes of them are [`crate::Step`]s.

use model::id::{AccountId, OrganizationId, SessionId};
use model::time::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::statement::Statement;
use crate::steps::{AccountLink, AccountStatus, ProfileRecord};
use crate::store::Store;

/// Events of an account that are listed at most.
const EVENTS_LISTED: i64 = 100;
/// Rows that one purging statement deletes at most.
const PURGE_BATCH: i64 = 500;
/// Wrong codes after which a sign-in challenge ends. Chosen: a typo or two, and no guessing of six digits.
const CHALLENGE_TRIES: i64 = 5;

/// An account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountRecord {
    /// Its id.
    pub id: AccountId,
    /// Its verified address.
    pub email: String,
    /// The profile.
    pub profile: ProfileRecord,
    /// PHC string; `None` where there is no password.
    pub password: Option<String>,
    /// Its status.
    pub status: AccountStatus,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Its confirmed second factor.
    pub totp: Option<TotpRecord>,
}

/// A second factor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TotpRecord {
    /// Encrypted.
    pub secret: Vec<u8>,
    /// Which key it is encrypted with.
    pub key_id: String,
    /// When an operator's removal of it takes effect.
    pub remove_after: Option<Timestamp>,
}

/// A link that was sent by mail and is still valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkRecord {
    /// The address concerned.
    pub email: String,
    /// The account concerned, if any.
    pub account: Option<AccountId>,
    /// The page that it follows, with alerts, where it registers an account.
    pub followed_url: Option<String>,
}

/// A live session in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    /// Its id.
    pub id: SessionId,
    /// When it started.
    pub created_at: Timestamp,
    /// When it was last seen.
    pub last_seen_at: Timestamp,
    /// The browser's family.
    pub agent: String,
    /// The network's /24 or /48.
    pub network: String,
    /// Authentication methods, separated by spaces.
    pub methods: String,
}

/// A security event of an account, by itself or in an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRecord {
    /// When.
    pub at: Timestamp,
    /// The kind of actor: `account`, `operator` or `nobody`.
    pub actor: String,
    /// The acting account, if there is one.
    pub actor_id: Option<AccountId>,
    /// The account that it happened to.
    pub account: Option<AccountId>,
    /// The organization concerned, if any.
    pub organization: Option<OrganizationId>,
    /// Its kind, a stable word.
    pub kind: String,
    /// The network's /24 or /48.
    pub network: String,
    /// The browser's family.
    pub agent: String,
}

macro_rules! select_account {
    ($rest:literal) => {
        concat!(
            "SELECT accounts.id, email, name, locale, time_zone, theme, revision, password, status, created_at, \
             totp_secrets.secret, totp_secrets.key_id, totp_secrets.remove_after FROM accounts \
             LEFT JOIN totp_secrets ON totp_secrets.account_id = accounts.id \
             AND totp_secrets.confirmed_at IS NOT NULL ",
            $rest
        )
    };
}

// The attempt is counted before the code is checked, so that every attempt counts.
const TRY_CHALLENGE: &str = "UPDATE signin_challenges SET tries = tries + 1 WHERE token_digest = $1 \
    AND browser_digest = $2 AND used_at IS NULL AND expires_at > $3 AND tries < $4 RETURNING account_id";

const START_TRIAL: &str = "UPDATE accounts SET trial_started_at = COALESCE(trial_started_at, $2) WHERE id = $1 \
    RETURNING trial_started_at";

const SESSIONS: &str = "SELECT id, created_at, last_seen_at, agent, network, methods FROM sessions \
    WHERE account_id = $1 AND ended_at IS NULL AND idle_expires_at > $2 AND absolute_expires_at > $2 \
    ORDER BY last_seen_at DESC, id DESC LIMIT 100";

const EVENTS: &str = "SELECT at, actor_kind, actor_id, account_id, organization_id, kind, network, agent \
    FROM security_events WHERE account_id = $1 ORDER BY at DESC, id DESC LIMIT $2";

const ALL_EVENTS: &str = "SELECT at, actor_kind, actor_id, account_id, organization_id, kind, network, agent \
    FROM security_events ORDER BY at DESC, id DESC LIMIT $1";

const PURGES: [&str; 5] = [
    "DELETE FROM email_tokens WHERE token_digest IN \
     (SELECT token_digest FROM email_tokens WHERE expires_at < $1 ORDER BY expires_at, token_digest LIMIT $2) \
     RETURNING purpose",
    "DELETE FROM signin_challenges WHERE token_digest IN (SELECT token_digest FROM signin_challenges \
     WHERE expires_at < $1 ORDER BY expires_at, token_digest LIMIT $2) RETURNING tries",
    "DELETE FROM invitations WHERE id IN \
     (SELECT id FROM invitations WHERE expires_at < $1 ORDER BY expires_at, id LIMIT $2) RETURNING id",
    "DELETE FROM sessions WHERE id IN \
     (SELECT id FROM sessions WHERE absolute_expires_at < $1 ORDER BY absolute_expires_at, id LIMIT $2) RETURNING id",
    "DELETE FROM throttles WHERE window_start < $1 AND blocked_until < $1 AND (scope, key_digest) IN \
     (SELECT scope, key_digest FROM throttles WHERE window_start < $1 ORDER BY window_start, scope, key_digest LIMIT $2) \
     RETURNING failures",
];

impl Store {
    /// The account with this canonical address, if any.
    pub async fn account_by_email(&self, canonical: &str) -> Result<Option<AccountRecord>, StoreError> {
        let sql = select_account!("WHERE email_canonical = $1");
        self.account("looking up an address", sqlx::query(sql).bind(canonical.to_owned())).await
    }

    /// The account with this id, if any.
    pub async fn account_by_id(&self, id: &AccountId) -> Result<Option<AccountRecord>, StoreError> {
        let sql = select_account!("WHERE accounts.id = $1");
        self.account("looking up an account", sqlx::query(sql).bind(id.0.clone())).await
    }

    async fn account(&self, subject: &'static str, statement: Statement) -> Result<Option<AccountRecord>, StoreError> {
        self.db.read(subject, statement).await?.map(|row| account(subject, &row)).transpose()
    }

    /// At most `limit` accounts, the newest first.
    pub async fn accounts(&self, limit: u32) -> Result<Vec<AccountRecord>, StoreError> {
        let subject = "listing accounts";
        let sql = select_account!("ORDER BY created_at DESC, accounts.id DESC LIMIT $1");
        let rows = self.db.read_all(subject, sqlx::query(sql).bind(i64::from(limit))).await?;
        rows.iter().map(|row| account(subject, row)).collect()
    }

    /// The second factor that an account was offered and has not confirmed.
    pub async fn offered_totp(&self, account: &AccountId) -> Result<Option<TotpRecord>, StoreError> {
        let subject = "looking up an offered factor";
        let sql =
            "SELECT secret, key_id, remove_after FROM totp_secrets WHERE account_id = $1 AND confirmed_at IS NULL";
        let row = self.db.read(subject, sqlx::query(sql).bind(account.0.clone())).await?;
        let totp = row.map(|row| totp(&row)).transpose().map_err(|error| StoreError::of_driver(subject, error))?;
        Ok(totp.flatten())
    }

    /// The link with this digest, if it is valid at `now`.
    pub async fn link(
        &self,
        digest: &[u8; 32],
        purpose: AccountLink,
        now: Timestamp,
    ) -> Result<Option<LinkRecord>, StoreError> {
        let subject = "looking up a link";
        let sql = "SELECT purpose, email, account_id, followed_url FROM email_tokens \
            WHERE token_digest = $1 AND used_at IS NULL AND expires_at > $2";
        let Some(row) = self.db.read(subject, sqlx::query(sql).bind(digest.to_vec()).bind(now.0)).await? else {
            return Ok(None);
        };
        let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
        let word: String = row.try_get("purpose").map_err(failed)?;
        if AccountLink::of_word(&word) != Some(purpose) {
            return Ok(None);
        }
        let account: Option<String> = row.try_get("account_id").map_err(failed)?;
        Ok(Some(LinkRecord {
            email: row.try_get("email").map_err(failed)?,
            account: account.map(AccountId),
            followed_url: row.try_get("followed_url").map_err(failed)?,
        }))
    }

    /// Counts an attempt at a challenge of this browser; the account whose second factor it requires.
    pub async fn try_challenge(
        &self,
        digest: &[u8; 32],
        browser: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<AccountId>, StoreError> {
        let subject = "trying a challenge";
        let statement =
            sqlx::query(TRY_CHALLENGE).bind(digest.to_vec()).bind(browser.to_vec()).bind(now.0).bind(CHALLENGE_TRIES);
        let rows = self.db.write(subject, statement).await?;
        let account = rows.first().map(|row| row.try_get("account_id").map(AccountId)).transpose();
        account.map_err(|error| StoreError::of_driver(subject, error))
    }

    /// Starts an account's trial at `now` unless it has started; when it started.
    pub async fn start_trial(&self, account: &AccountId, now: Timestamp) -> Result<Timestamp, StoreError> {
        let subject = "beginning a trial";
        let rows = self.db.write(subject, sqlx::query(START_TRIAL).bind(account.0.clone()).bind(now.0)).await?;
        let row = rows.first().ok_or(StoreError::NotFound { subject })?;
        row.try_get("trial_started_at").map(Timestamp).map_err(|error| StoreError::of_driver(subject, error))
    }

    /// The live sessions of an account, the last seen first.
    pub async fn sessions_of(&self, account: &AccountId, now: Timestamp) -> Result<Vec<SessionRecord>, StoreError> {
        let subject = "listing sessions";
        let rows = self.db.read_all(subject, sqlx::query(SESSIONS).bind(account.0.clone()).bind(now.0)).await?;
        let read = |row: &AnyRow| {
            Ok(SessionRecord {
                id: SessionId(row.try_get("id")?),
                created_at: Timestamp(row.try_get("created_at")?),
                last_seen_at: Timestamp(row.try_get("last_seen_at")?),
                agent: row.try_get("agent")?,
                network: row.try_get("network")?,
                methods: row.try_get("methods")?,
            })
        };
        rows.iter().map(read).collect::<Result<_, sqlx::Error>>().map_err(|error| StoreError::of_driver(subject, error))
    }

    /// The last hundred events of an account, the newest first.
    pub async fn events_of(&self, account: &AccountId) -> Result<Vec<EventRecord>, StoreError> {
        let subject = "listing events";
        self.events(subject, sqlx::query(EVENTS).bind(account.0.clone()).bind(EVENTS_LISTED)).await
    }

    /// At most `limit` events of all accounts and organizations, the newest first.
    pub async fn newest_events(&self, limit: u32) -> Result<Vec<EventRecord>, StoreError> {
        self.events("listing all events", sqlx::query(ALL_EVENTS).bind(i64::from(limit))).await
    }

    async fn events(&self, subject: &'static str, statement: Statement) -> Result<Vec<EventRecord>, StoreError> {
        let rows = self.db.read_all(subject, statement).await?;
        let read = |row: &AnyRow| {
            Ok(EventRecord {
                at: Timestamp(row.try_get("at")?),
                actor: row.try_get("actor_kind")?,
                actor_id: row.try_get::<Option<String>, _>("actor_id")?.map(AccountId),
                account: row.try_get::<Option<String>, _>("account_id")?.map(AccountId),
                organization: row.try_get::<Option<String>, _>("organization_id")?.map(OrganizationId),
                kind: row.try_get("kind")?,
                network: row.try_get("network")?,
                agent: row.try_get("agent")?,
            })
        };
        rows.iter().map(read).collect::<Result<_, sqlx::Error>>().map_err(|error| StoreError::of_driver(subject, error))
    }

    /// Deletes links, challenges, invitations, sessions and failures that expired before `before`; how many.
    pub async fn purge_auth(&self, before: Timestamp) -> Result<u64, StoreError> {
        let mut purged = 0;
        for sql in PURGES {
            loop {
                let rows = self
                    .db
                    .write("purging what signed people in", sqlx::query(sql).bind(before.0).bind(PURGE_BATCH))
                    .await?;
                if rows.is_empty() {
                    break;
                }
                purged += rows.len() as u64;
            }
        }
        Ok(purged)
    }
}

fn account(subject: &'static str, row: &AnyRow) -> Result<AccountRecord, StoreError> {
    let read = || {
        let status: String = row.try_get("status")?;
        let record = |status| {
            Ok::<_, sqlx::Error>(AccountRecord {
                id: AccountId(row.try_get("id")?),
                email: row.try_get("email")?,
                profile: ProfileRecord {
                    name: row.try_get("name")?,
                    locale: row.try_get("locale")?,
                    time_zone: row.try_get("time_zone")?,
                    theme: row.try_get("theme")?,
                    revision: row.try_get("revision")?,
                },
                password: row.try_get("password")?,
                status,
                created_at: Timestamp(row.try_get("created_at")?),
                totp: totp(row)?,
            })
        };
        AccountStatus::of_word(&status).map(record).transpose()
    };
    let record = read().map_err(|error| StoreError::of_driver(subject, error))?;
    record.ok_or_else(|| StoreError::corrupt(subject, "its status is not known"))
}

/// The second factor of a row, if it has one.
fn totp(row: &AnyRow) -> Result<Option<TotpRecord>, sqlx::Error> {
    let Some(secret) = row.try_get::<Option<Vec<u8>>, _>("secret")? else { return Ok(None) };
    let remove_after: Option<i64> = row.try_get("remove_after")?;
    Ok(Some(TotpRecord { secret, key_id: row.try_get("key_id")?, remove_after: remove_after.map(Timestamp) }))
}
