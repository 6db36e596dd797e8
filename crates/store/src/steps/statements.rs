//! The SQL of each step.

use model::id::Owner;
use model::time::Timestamp;

use super::{EndReason, Factor, NewSession, Step};
use crate::passkeys;
use crate::refusal::Refusal;
use crate::statement::Statement;

/// Live sessions of an account at most; the one unseen for longest ends. Chosen: more than anybody has browsers.
const MOST_SESSIONS: i64 = 20;

/// The statements of a step, each with its refusal when it changes no row.
// Longer than a screen: one arm per step, in the order of [`Step`].
pub(super) fn statements(step: Step, now: Timestamp) -> Vec<(Statement, Option<Refusal>)> {
    let one = |statement: Statement, refusal: Option<Refusal>| vec![(statement, refusal)];
    match step {
        Step::AddLink(link) => one(
            sqlx::query(
                "INSERT INTO email_tokens (token_digest, purpose, email, account_id, created_at, expires_at, \
                 followed_url) VALUES ($1, $2, $3, $4, $5, $6, $7)",
            )
            .bind(link.token_digest.to_vec())
            .bind(link.purpose.word())
            .bind(link.email)
            .bind(link.account.map(|account| account.0))
            .bind(now.0)
            .bind(link.expires_at.0)
            .bind(link.followed_url),
            None,
        ),
        Step::UseLink(digest, purpose) => one(
            sqlx::query(
                "UPDATE email_tokens SET used_at = $3 \
                 WHERE token_digest = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > $3",
            )
            .bind(digest.to_vec())
            .bind(purpose.word())
            .bind(now.0),
            Some(Refusal::Link),
        ),
        Step::DropLinks(account, purpose) => one(
            sqlx::query(
                "UPDATE email_tokens SET used_at = $3 WHERE account_id = $1 AND purpose = $2 AND used_at IS NULL",
            )
            .bind(account.0)
            .bind(purpose.word())
            .bind(now.0),
            None,
        ),
        Step::Register(account) => one(
            sqlx::query(
                "INSERT INTO accounts (id, email, email_canonical, name, locale, time_zone, theme, revision, password, \
                 password_set_at, status, created_at) VALUES ($1, $2, $3, $4, $5, 'UTC', 'system', 1, $6, $7, \
                 'active', $7) ON CONFLICT DO NOTHING",
            )
            .bind(account.id.0)
            .bind(account.email)
            .bind(account.email_canonical)
            .bind(account.name)
            .bind(account.locale)
            .bind(account.password)
            .bind(now.0),
            Some(Refusal::Taken),
        ),
        Step::SetPassword(account, password) => {
            let set = sqlx::query("UPDATE accounts SET password = $2, password_set_at = $3 WHERE id = $1")
                .bind(account.0.clone())
                .bind(password)
                .bind(now.0);
            let end =
                sqlx::query("UPDATE signin_challenges SET used_at = $2 WHERE account_id = $1 AND used_at IS NULL")
                    .bind(account.0)
                    .bind(now.0);
            vec![(set, Some(Refusal::Missing)), (end, None)]
        }
        // The update changes nothing: it serializes signing in and setting the password.
        Step::ExpectPassword(account, password) => one(
            sqlx::query("UPDATE accounts SET name = name WHERE id = $1 AND password = $2 AND status = 'active'")
                .bind(account.0)
                .bind(password),
            Some(Refusal::Stale),
        ),
        Step::Rehash(account, password) => {
            one(sqlx::query("UPDATE accounts SET password = $2 WHERE id = $1").bind(account.0).bind(password), None)
        }
        Step::SetEmail(account, email, canonical) => one(
            sqlx::query(
                "UPDATE accounts SET email = $2, email_canonical = $3 WHERE id = $1 AND NOT EXISTS \
                 (SELECT 1 FROM accounts AS others WHERE others.email_canonical = $3 AND others.id <> $1)",
            )
            .bind(account.0)
            .bind(email)
            .bind(canonical),
            Some(Refusal::Taken),
        ),
        Step::SetProfile(account, profile) => one(
            sqlx::query(
                "UPDATE accounts SET name = $2, locale = $3, time_zone = $4, theme = $5, revision = revision + 1 \
                 WHERE id = $1 AND revision = $6",
            )
            .bind(account.0)
            .bind(profile.name)
            .bind(profile.locale)
            .bind(profile.time_zone)
            .bind(profile.theme)
            .bind(profile.revision),
            Some(Refusal::Stale),
        ),
        Step::Suspend(account) => one(
            sqlx::query("UPDATE accounts SET status = 'suspended' WHERE id = $1 AND status = 'active'").bind(account.0),
            Some(Refusal::Stale),
        ),
        Step::Restore(account) => one(
            sqlx::query(
                "UPDATE accounts SET status = 'active', delete_after = NULL WHERE id = $1 \
                 AND (status = 'suspended' OR (status = 'deleting' AND (delete_after IS NULL OR delete_after > $2)))",
            )
            .bind(account.0)
            .bind(now.0),
            Some(Refusal::Stale),
        ),
        Step::BeginSession(session) => of_new_session(session, now),
        Step::ReplaceSession(id) => one(
            sqlx::query("UPDATE sessions SET ended_at = $2, end_reason = $3 WHERE id = $1 AND ended_at IS NULL")
                .bind(id.0)
                .bind(now.0)
                .bind(EndReason::Replaced.word()),
            None,
        ),
        Step::RotateSession(rotation) => one(
            sqlx::query(
                "UPDATE sessions SET previous_digest = token_digest, previous_until = $3, token_digest = $2, \
                 assurance = $4, methods = $5, proven_at = $6 WHERE id = $1 AND ended_at IS NULL",
            )
            .bind(rotation.id.0)
            .bind(rotation.token_digest.to_vec())
            .bind(rotation.previous_until.0)
            .bind(rotation.assurance.factors())
            .bind(rotation.methods)
            .bind(now.0),
            Some(Refusal::Missing),
        ),
        Step::EndSession(account, id, reason) => one(
            sqlx::query(
                "UPDATE sessions SET ended_at = $3, end_reason = $4 \
                 WHERE id = $1 AND account_id = $2 AND ended_at IS NULL",
            )
            .bind(id.0)
            .bind(account.0)
            .bind(now.0)
            .bind(reason.word()),
            Some(Refusal::Missing),
        ),
        Step::EndSessions(account, except, reason) => one(
            sqlx::query(
                "UPDATE sessions SET ended_at = $3, end_reason = $4 \
                 WHERE account_id = $1 AND id <> $2 AND ended_at IS NULL",
            )
            .bind(account.0)
            .bind(except.map(|id| id.0).unwrap_or_default())
            .bind(now.0)
            .bind(reason.word()),
            None,
        ),
        Step::RevokeKeys(account) => one(
            sqlx::query("UPDATE api_keys SET revoked_at = $2 WHERE owner = $1 AND revoked_at IS NULL")
                .bind(Owner::Account(account).to_string())
                .bind(now.0),
            None,
        ),
        Step::AddChallenge(digest, account, browser, expires_at) => one(
            sqlx::query(
                "INSERT INTO signin_challenges (token_digest, account_id, browser_digest, expires_at, tries) \
                 VALUES ($1, $2, $3, $4, 0)",
            )
            .bind(digest.to_vec())
            .bind(account.0)
            .bind(browser.to_vec())
            .bind(expires_at.0),
            None,
        ),
        Step::UseChallenge(digest) => one(
            sqlx::query("UPDATE signin_challenges SET used_at = $2 WHERE token_digest = $1 AND used_at IS NULL")
                .bind(digest.to_vec())
                .bind(now.0),
            Some(Refusal::Challenge),
        ),
        Step::Event(event) => one(
            sqlx::query(
                "INSERT INTO security_events (id, at, actor_kind, actor_id, account_id, organization_id, kind, network, \
                 agent, detail) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, '{}')",
            )
            .bind(event.id)
            .bind(now.0)
            .bind(event.actor.word())
            .bind(event.actor.id())
            .bind(event.account.0)
            .bind(event.organization.map(|id| id.0))
            .bind(event.kind)
            .bind(event.network)
            .bind(event.agent),
            None,
        ),
        Step::ForgetFailures(scope, key) => one(
            sqlx::query("DELETE FROM throttles WHERE scope = $1 AND key_digest = $2").bind(scope).bind(key.to_vec()),
            None,
        ),
        Step::Passkey(step) => passkeys::statements(step, now),
        Step::Factor(account, factor) => of_factor(account.0, factor, now),
    }
}

fn of_new_session(session: NewSession, now: Timestamp) -> Vec<(Statement, Option<Refusal>)> {
    let account = session.account.0.clone();
    let begin = sqlx::query(
        "INSERT INTO sessions (id, token_digest, account_id, assurance, methods, proven_at, created_at, last_seen_at, \
         idle_expires_at, absolute_expires_at, agent, network) VALUES ($1, $2, $3, $4, $5, $6, $6, $6, $7, $8, $9, $10)",
    )
    .bind(session.id.0)
    .bind(session.token_digest.to_vec())
    .bind(session.account.0)
    .bind(session.assurance.factors())
    .bind(session.methods)
    .bind(now.0)
    .bind(session.idle_expires_at.0)
    .bind(session.absolute_expires_at.0)
    .bind(session.agent)
    .bind(session.network);
    let trim = sqlx::query(
        "UPDATE sessions SET ended_at = $2, end_reason = $3 WHERE account_id = $1 AND ended_at IS NULL AND id NOT IN \
         (SELECT id FROM sessions WHERE account_id = $1 AND ended_at IS NULL ORDER BY last_seen_at DESC, id DESC LIMIT $4)",
    )
    .bind(account)
    .bind(now.0)
    .bind(EndReason::TooMany.word())
    .bind(MOST_SESSIONS);
    vec![(begin, None), (trim, None)]
}

/// The statements of a change of a second factor.
// Longer than a screen: one arm per change, in the order of [`Factor`].
fn of_factor(account: String, factor: Factor, now: Timestamp) -> Vec<(Statement, Option<Refusal>)> {
    let one = |statement: Statement, refusal: Option<Refusal>| vec![(statement, refusal)];
    match factor {
        Factor::Offer(secret, key_id) => one(
            sqlx::query(
                "INSERT INTO totp_secrets (account_id, secret, key_id, last_step) VALUES ($1, $2, $3, 0) \
                 ON CONFLICT (account_id) DO UPDATE SET secret = $2, key_id = $3, last_step = 0 \
                 WHERE totp_secrets.confirmed_at IS NULL",
            )
            .bind(account)
            .bind(secret)
            .bind(key_id),
            Some(Refusal::Taken),
        ),
        Factor::Confirm(secret, step) => one(
            sqlx::query(
                "UPDATE totp_secrets SET confirmed_at = $3, last_step = $2 \
                 WHERE account_id = $1 AND secret = $4 AND confirmed_at IS NULL",
            )
            .bind(account)
            .bind(step)
            .bind(now.0)
            .bind(secret),
            Some(Refusal::Taken),
        ),
        Factor::Use(step) => one(
            sqlx::query(
                "UPDATE totp_secrets SET last_step = $2 \
                 WHERE account_id = $1 AND last_step < $2 AND confirmed_at IS NOT NULL",
            )
            .bind(account)
            .bind(step),
            Some(Refusal::Code),
        ),
        Factor::Remove => {
            let codes = sqlx::query("DELETE FROM recovery_codes WHERE account_id = $1").bind(account.clone());
            let secret = sqlx::query("DELETE FROM totp_secrets WHERE account_id = $1").bind(account);
            vec![(codes, None), (secret, Some(Refusal::Missing))]
        }
        Factor::RemoveAfter(after) => one(
            sqlx::query("UPDATE totp_secrets SET remove_after = $2 WHERE account_id = $1").bind(account).bind(after.0),
            Some(Refusal::Missing),
        ),
        Factor::DropRecoveryCodes => {
            one(sqlx::query("DELETE FROM recovery_codes WHERE account_id = $1").bind(account), None)
        }
        Factor::AddRecoveryCode(digest) => one(
            sqlx::query("INSERT INTO recovery_codes (code_digest, account_id) VALUES ($1, $2)")
                .bind(digest.to_vec())
                .bind(account),
            None,
        ),
        Factor::UseRecoveryCode(digest) => one(
            sqlx::query(
                "UPDATE recovery_codes SET used_at = $3 WHERE code_digest = $2 AND account_id = $1 AND used_at IS NULL",
            )
            .bind(account)
            .bind(digest.to_vec())
            .bind(now.0),
            Some(Refusal::Code),
        ),
    }
}
