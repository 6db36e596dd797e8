//! Data export, and closing an account.

use model::account::{Account, Profile, SecurityEvent, SessionInfo};
use model::lang::text;
use model::tab::Tab;
use model::time::{DAY_MS, Timestamp};
use render::mail::letters;
use schemars::JsonSchema;
use serde::Serialize;
use store::Denied;

use super::address::Address;
use super::change::{language, own_event};
use super::unavailable::unavailable;
use super::{keys, organizations, passkeys, profile, session};
use crate::caller::Cx;
use crate::error::{Code, ServiceError};
use crate::job::Job;

/// Days between closing an account and its removal.
pub(crate) const REMOVAL_DAYS: i64 = 7;
/// Audits in an export: the newest. Chosen: one response of a few megabytes; each line links to its full report.
const AUDITS: u32 = 1_000;

/// Everything that is kept of an account, but for reports, to which it leads, and secrets, which are kept as digests.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Export {
    /// The account.
    account: Account,
    /// When the account was created.
    created_at: Timestamp,
    /// The profile.
    profile: Profile,
    /// Sessions, most recently used first.
    sessions: Vec<SessionInfo>,
    /// Security events, newest first, at most 100.
    events: Vec<SecurityEvent>,
    /// Passkeys, oldest first.
    passkeys: Vec<ExportedName>,
    /// API keys that act as the account.
    keys: Vec<ExportedName>,
    /// Organizations of the account, oldest first.
    organizations: Vec<ExportedName>,
    /// By what is shown of their addresses.
    webhooks: Vec<ExportedName>,
    /// Followed pages, oldest first.
    tabs: Vec<Tab>,
    /// The newest 1,000.
    audits: Vec<ExportedAudit>,
}

/// Something by its name.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Named")]
struct ExportedName {
    id: String,
    name: String,
    created_at: Timestamp,
}

/// An audit, and where the whole of it is.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AuditLine")]
struct ExportedAudit {
    id: String,
    url: String,
    score: u8,
    created_at: Timestamp,
    api: String,
}

/// Exports the caller's account.
pub async fn export(cx: &Cx) -> Result<Export, ServiceError> {
    let current = cx.caller.required_session()?;
    let (account, owner) = (session::account(cx, current).await?, cx.caller.required_owner()?);
    let database = cx.services.database();
    let tabs = database.ask(|store| store.tabs_of(&owner)).await.map_err(unavailable)?;
    let audits = database.ask(|store| store.audit_lines(&owner, AUDITS)).await.map_err(unavailable)?;
    let webhooks = database.ask(|store| store.webhooks_of(&owner)).await.map_err(unavailable)?.into_iter();
    let passkeys = passkeys::list(cx).await?.into_iter();
    let keys = keys::list(cx).await?.into_iter().filter(|key| key.organization.is_none());
    let organizations = organizations::list(cx).await?.into_iter();
    Ok(Export {
        created_at: account.created_at,
        account: Account { id: account.id.0, email: account.email },
        profile: profile::read(cx).await?,
        sessions: session::list(cx).await?,
        events: session::events(cx).await?,
        passkeys: passkeys.map(|of| ExportedName { id: of.id, name: of.name, created_at: of.created_at }).collect(),
        keys: keys.map(|of| ExportedName { id: of.id.0, name: of.name, created_at: of.created_at }).collect(),
        organizations: organizations
            .map(|of| ExportedName { id: of.id.0, name: of.name, created_at: of.created_at })
            .collect(),
        webhooks: webhooks.map(|of| ExportedName { id: of.id, name: of.shown, created_at: of.created_at }).collect(),
        tabs,
        audits: audits
            .into_iter()
            .map(|line| ExportedAudit {
                api: cx.services.url(&format!("/api/audits/{}", line.id)),
                id: line.id.0,
                url: line.url,
                score: line.score,
                created_at: line.created_at,
            })
            .collect(),
    })
}

/// Closes the caller's account; it is removed after [`REMOVAL_DAYS`]. The caller types their address as confirmation.
/// The owner gets a notice by mail.
pub async fn close(cx: &Cx, email: &str) -> Result<(), ServiceError> {
    let account = session::account(cx, session::fresh(cx)?).await?;
    if Address::parse(email)?.canonical != Address::parse(&account.email)?.canonical {
        let own =
            text("email: enter the email address of your account", "email: informe o endereço de e-mail da sua conta");
        return Err(ServiceError::new(Code::InvalidEmail).explained(own.into()));
    }
    let now = cx.services.ports().now();
    let what = text(
        "Your account is closed and will be deleted in 7 days; until then the operator of this server can restore it",
        "A sua conta foi encerrada e será excluída em 7 dias; até lá, o operador deste servidor pode restaurá-la",
    );
    let mail = letters::notice(&cx.services.sender(), what).to(&account.email, language(&account));
    let (mail, event) = (Job::SendMail(mail).queued(cx.services.ports(), None), own_event(cx, &account.id, "closed"));
    let after = now.plus_ms(REMOVAL_DAYS * DAY_MS);
    let closed =
        cx.services.database().write(|store| store.close_account(&account.id, after, event, vec![mail], now)).await;
    match closed.map_err(unavailable)? {
        Ok(()) => {
            tracing::info!("an account was closed");
            Ok(())
        }
        Err(Denied::LastOwner) => Err(ServiceError::new(Code::LastOwner)),
        Err(_) => Err(ServiceError::new(Code::SessionEnded)),
    }
}
