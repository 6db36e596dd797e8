//! Sessions: beginning, token rotation, listing and ending.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::account::{Assurance, SecurityEvent, SessionInfo};
use model::id::{AccountId, SessionId};
use model::time::{DAY_MS, Timestamp};
use render::mail::letters;
use store::{AccountRecord, EndReason, NewSession, Rotation, Session, Step};

use super::change::{AccountChange, OneTimeToken};
use super::unavailable::unavailable;
use crate::caller::Cx;
use crate::caller::Identity;
use crate::error::{Code, ServiceError};
use crate::services::Services;
use crate::vault::Binding;

/// Idle timeout of a session, in seconds: 30 days.
pub const SESSION_SECONDS: u32 = 30 * 86_400;

/// Absolute timeout of a session. Chosen: 180 days, however often it is used.
const LONGEST_MS: i64 = 180 * DAY_MS;
/// Grace period of a rotated token, for reads in flight. Chosen: 10 seconds.
const PREVIOUS_MS: i64 = 10_000;
/// How long a reauthentication stays fresh. Chosen: 5 minutes, one task.
const FRESH_MS: i64 = 300_000;

/// A new session and its token.
#[derive(Debug)]
pub struct Begun {
    /// Steps that create it and end the browser's previous one.
    pub steps: Vec<Step>,
    /// Its token.
    pub token: OneTimeToken,
}

/// Begins a session of an account in the caller's browser.
pub fn begin(cx: &Cx, account: &AccountId, assurance: Assurance, methods: &str) -> Begun {
    let (token, now) = (OneTimeToken::new(cx.services.ports()), cx.services.ports().now());
    let session = NewSession {
        id: SessionId(cx.services.ports().id()),
        token_digest: token.digest,
        account: account.clone(),
        assurance,
        methods: methods.to_owned(),
        idle_expires_at: now.plus_ms(i64::from(SESSION_SECONDS) * 1000),
        absolute_expires_at: now.plus_ms(LONGEST_MS),
        agent: cx.caller.agent.to_owned(),
        network: cx.caller.network.wide(),
    };
    let mut steps = Vec::new();
    if let Identity::Session(before) = &cx.caller.identity {
        steps.push(Step::ReplaceSession(before.id.clone()));
    }
    steps.push(Step::BeginSession(session));
    Begun { steps, token }
}

/// Rotates the session's token after reauthentication by `method`.
pub fn rotate(cx: &Cx, session: &Session, assurance: Assurance, method: &str) -> Begun {
    let (token, now) = (OneTimeToken::new(cx.services.ports()), cx.services.ports().now());
    let mut methods = session.methods.clone();
    if !methods.split(' ').any(|known| known == method) {
        methods = format!("{methods} {method}");
    }
    let rotation = Rotation {
        id: session.id.clone(),
        token_digest: token.digest,
        previous_until: now.plus_ms(PREVIOUS_MS),
        assurance: assurance.max(session.assurance),
        methods,
    };
    Begun { steps: vec![Step::RotateSession(rotation)], token }
}

/// [`Code::ReauthRequired`] unless the session was reauthenticated within five minutes.
pub(crate) fn require_fresh(session: &Session, now: Timestamp) -> Result<(), ServiceError> {
    // A proof dated in the future was given before the clock was set back: its age is unknown, so it is not fresh.
    let age_ms = now.0.saturating_sub(session.proven_at.0);
    if (0..FRESH_MS).contains(&age_ms) { Ok(()) } else { Err(ServiceError::new(Code::ReauthRequired)) }
}

/// The caller's session, which must be fresh.
pub fn fresh(cx: &Cx) -> Result<&Session, ServiceError> {
    let session = cx.caller.required_session()?;
    require_fresh(session, cx.services.ports().now())?;
    Ok(session)
}

/// The account of a session.
pub async fn account(cx: &Cx, session: &Session) -> Result<AccountRecord, ServiceError> {
    let account = cx.services.database().ask(|store| store.account_by_id(&session.account)).await;
    account.map_err(unavailable)?.ok_or_else(|| ServiceError::new(Code::InvalidSession))
}

/// Ends the caller's session. Idempotent.
pub async fn sign_out(cx: &Cx) -> Result<(), ServiceError> {
    let Identity::Session(session) = &cx.caller.identity else { return Ok(()) };
    let end = Step::EndSession(session.account.clone(), session.id.clone(), EndReason::SignedOut);
    // A session that another call ended meanwhile is fine too.
    AccountChange::new([end]).event(cx, &session.account, "signed_out").make(cx, "signing out").await.map(drop)
}

/// The caller's live sessions.
pub async fn list(cx: &Cx) -> Result<Vec<SessionInfo>, ServiceError> {
    let (session, now) = (cx.caller.required_session()?, cx.services.ports().now());
    let records =
        cx.services.database().ask(|store| store.sessions_of(&session.account, now)).await.map_err(unavailable)?;
    let sessions = records.into_iter().map(|record| SessionInfo {
        current: record.id == session.id,
        id: record.id.0,
        created_at: record.created_at,
        last_seen_at: record.last_seen_at,
        agent: record.agent,
        network: record.network,
        methods: record.methods.split(' ').map(str::to_owned).collect(),
    });
    Ok(sessions.collect())
}

/// The caller's security events.
pub async fn events(cx: &Cx) -> Result<Vec<SecurityEvent>, ServiceError> {
    let session = cx.caller.required_session()?;
    let records = cx.services.database().ask(|store| store.events_of(&session.account)).await.map_err(unavailable)?;
    let events = records.into_iter().map(|record| SecurityEvent {
        at: record.at,
        actor: record.actor,
        organization: record.organization.map(|id| id.0),
        kind: record.kind,
        network: record.network,
        agent: record.agent,
    });
    Ok(events.collect())
}

/// Ends one of the caller's sessions.
pub async fn end(cx: &Cx, id: &str) -> Result<(), ServiceError> {
    let session = cx.caller.required_session()?;
    let unknown = || ServiceError::new(Code::SessionNotFound);
    if uuid::Uuid::try_parse(id).is_err() {
        return Err(unknown());
    }
    let end = Step::EndSession(session.account.clone(), SessionId(id.to_owned()), EndReason::SignedOut);
    let change = AccountChange::new([end]).event(cx, &session.account, "session_ended");
    change.make(cx, "ending a session").await?.map_err(|_| unknown())
}

/// Ends all sessions of the caller's account, including this one, and revokes its API keys.
pub async fn end_all(cx: &Cx) -> Result<(), ServiceError> {
    let account = account(cx, fresh(cx)?).await?;
    let what = model::lang::text(
        "All sessions of your account were ended and its API keys were revoked",
        "Todas as sessões da sua conta foram encerradas e as suas chaves de API foram revogadas",
    );
    let change = AccountChange::new([
        Step::EndSessions(account.id.clone(), None, EndReason::SignedOut),
        Step::RevokeKeys(account.id.clone()),
    ]);
    let change = change.event(cx, &account.id, "sessions_ended").letter(
        cx,
        &letters::notice(&cx.services.sender(), what),
        &account.email,
        super::change::language(&account),
    );
    Ok(change.make(cx, "ending all sessions").await??)
}

/// Tokens that a page of ours sends with its writes.
#[derive(Debug)]
pub struct PageTokens {
    /// CSRF token of the session, or of the browser before anybody is signed in.
    pub csrf: String,
    /// Id of the page view; it grants nothing.
    pub context: String,
    /// Secret for the cookie that `csrf` is bound to; `None` where the caller has a session or the cookie.
    pub browser: Option<String>,
}

/// Makes the tokens of a page view.
pub fn page_tokens(cx: &Cx) -> Result<PageTokens, ServiceError> {
    let (services, bound) = (&cx.services, cx.caller.binding());
    let keys = services.vault().keys()?;
    let secret = browser_secret(services);
    let binding = bound.unwrap_or(Binding::Browser(&secret));
    let context = keys.context(binding, services.ports().entropy.bytes());
    Ok(PageTokens { csrf: keys.csrf(binding), context, browser: bound.is_none().then_some(secret) })
}

/// A new secret for the cookie that the CSRF tokens of a browser without a session are bound to.
pub fn browser_secret(services: &Services) -> String {
    URL_SAFE_NO_PAD.encode(services.ports().entropy.bytes())
}

#[cfg(test)]
mod tests {
    use store::FoundSession;

    use super::*;
    use crate::testing::{NOW, service_on};

    #[tokio::test]
    async fn a_session_lasts_30_days_without_use_and_180_with() {
        let test = service_on(|_| {}).await;
        let (cx, store) = (test.nobody(), test.services.database().store());
        let account = test.account("maria@example.com").await;
        let begun = begin(&cx, &account.id, Assurance::Aal1, "password");
        store.change_account("signing in", begun.steps, Vec::new(), NOW).await.unwrap().unwrap();
        let found = |day| store.session_by_digest(&begun.token.digest, NOW.plus_ms(day * DAY_MS));
        let FoundSession::Live(session) = found(29).await.unwrap() else { panic!("over before 30 days") };
        assert_eq!(found(30).await.unwrap(), FoundSession::Ended);
        store.touch_session(&session.id, NOW.plus_ms(1), NOW.plus_ms(365 * DAY_MS)).await.unwrap();
        assert!(matches!(found(179).await.unwrap(), FoundSession::Live(_)));
        assert_eq!(found(180).await.unwrap(), FoundSession::Ended);
    }

    #[tokio::test]
    async fn a_method_is_listed_once_however_often_it_proved_who_somebody_is() {
        let test = service_on(|_| {}).await;
        let account = test.account("maria@example.com").await;
        let cx = test.signed_in(&account, Assurance::Aal1).await;
        let session = cx.caller.required_session().unwrap();
        for (method, methods) in [("password", "password"), ("totp", "password totp")] {
            let begun = rotate(&cx, session, Assurance::Aal1, method);
            let [Step::RotateSession(rotation)] = begun.steps.as_slice() else { panic!("{:?}", begun.steps) };
            assert_eq!(rotation.methods, methods);
        }
    }
}
