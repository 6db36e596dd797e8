//! Organizations: settings, members, invitations and removal.

use model::account::Assurance;
use model::id::{AccountId, InvitationId, OrganizationId};
use model::lang::{Text, text};
use model::organization::Role;
use model::time::DAY_MS;
use render::mail::letters;
use store::{
    Actor, Denied, InvitationRecord, MemberRecord, NewEvent, NewInvitation, NewJob, OrganizationChange,
    OrganizationRecord, Session,
};

use super::address::reachable;
use super::change::{OneTimeToken, event, own_event};
use super::entry;
use super::session::require_fresh;
use super::unavailable::unavailable;
use crate::caller::Cx;
use crate::credential::{is_random_token, token_digest};
use crate::database::DatabaseError;
use crate::error::{Code, ServiceError};
use crate::job::Job;

/// Characters of an organization's name at most. Chosen: it stands in one line of a page and a mail.
pub(crate) const NAME_CHARS: usize = 80;
/// Rate limit: invitations that one network may send per hour. Chosen: more than an organization may have open at
/// once.
const INVITATIONS_PER_NETWORK: u32 = 30;
/// Rate limit: invitations to one address per hour. Chosen: a mistake can be corrected, a mailbox can't be flooded.
const INVITATIONS_PER_ADDRESS: u32 = 5;
/// Lifetime of an invitation. Chosen: a week, so that a holiday does not end it.
const INVITATION_MS: i64 = 7 * DAY_MS;
/// How long a removal can be undone. Chosen: a week, as for accounts.
const UNDO_MS: i64 = 7 * DAY_MS;

/// Settings to change; `None` leaves one as it is.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The display name.
    pub name: Option<String>,
    /// Whether members need two-factor authentication.
    pub require_second_factor: Option<bool>,
    /// Whether it may have API keys for this product.
    pub keys: Option<bool>,
}

/// The caller's organizations, including those whose required second factor the session lacks.
pub async fn list(cx: &Cx) -> Result<Vec<OrganizationRecord>, ServiceError> {
    let session = cx.caller.required_session()?;
    let product = cx.services.config().product.id.as_str();
    cx.services.database().ask(|store| store.organizations(&session.account, product)).await.map_err(unavailable)
}

/// Creates an organization owned by the caller.
pub async fn create(cx: &Cx, name: &str) -> Result<OrganizationRecord, ServiceError> {
    let session = cx.caller.required_session()?;
    let name = organization_name(name)?;
    let (id, now) = (OrganizationId(cx.services.ports().id()), cx.services.ports().now());
    let product = cx.services.config().product.id.as_str();
    let database = cx.services.database();
    let event = about(&id, own_event(cx, &session.account, "organization_made"));
    let made =
        database.write(|store| store.create_organization(&id, &name, &session.account, product, event, now)).await;
    made.map_err(unavailable)?.map_err(|denied| refusal(denied, Code::SessionEnded, OF_ACCOUNT))?;
    tracing::info!(organization.id = %id, "an organization was created");
    find(cx, session, &id).await
}

/// Reads an organization of which the caller is a member.
pub async fn read(cx: &Cx, id: &str) -> Result<OrganizationRecord, ServiceError> {
    let session = cx.caller.required_session()?;
    let organization = find(cx, session, &organization_id(id)?).await?;
    // A member without the required factor may only set one up, or leave.
    if organization.requires_second_factor {
        with_second_factor(session).map(|()| organization)
    } else {
        Ok(organization)
    }
}

/// Changes settings. Switching API keys on or off needs a fresh two-factor session, as creating a key does; requiring
/// two-factor of members needs a two-factor session.
pub async fn set(cx: &Cx, id: &str, settings: Settings) -> Result<OrganizationRecord, ServiceError> {
    if settings.name.is_none() && settings.require_second_factor.is_none() && settings.keys.is_none() {
        let nothing = text(
            "body: send at least one of name, require_second_factor and keys",
            "body: envie ao menos um de name, require_second_factor e keys",
        );
        return Err(ServiceError::new(Code::InvalidBody).explained(nothing.into()));
    }
    let session = cx.caller.required_session()?;
    let mut changes = Vec::new();
    if let Some(name) = settings.name {
        changes.push(OrganizationChange::Rename(organization_name(&name)?));
    }
    if settings.keys.is_some() {
        require_fresh(session, cx.services.ports().now())?;
    }
    let record = read(cx, id).await?;
    if settings.keys.is_some() || settings.require_second_factor == Some(true) {
        with_second_factor(session)?;
    }
    changes.extend(settings.require_second_factor.map(OrganizationChange::RequireSecondFactor));
    let product = &cx.services.config().product.id;
    changes.extend(settings.keys.map(|enabled| OrganizationChange::Enable(product.clone(), enabled)));
    make(cx, session, &record.id, changes, Vec::new(), Code::OrganizationNotFound).await?;
    find(cx, session, &record.id).await
}

/// Schedules an organization for removal in 7 days, or cancels that.
pub async fn close(cx: &Cx, id: &str, closes: bool) -> Result<OrganizationRecord, ServiceError> {
    let (session, record) = decisive(cx, id).await?;
    if record.role == Role::Owner {
        with_second_factor(session)?;
    }
    let after = closes.then(|| cx.services.ports().now().plus_ms(UNDO_MS));
    // Closing it again does not extend the deadline.
    let after = record.delete_after.filter(|_| closes).or(after);
    let change = vec![OrganizationChange::DeleteAfter(after)];
    make(cx, session, &record.id, change, Vec::new(), Code::OrganizationNotFound).await?;
    tracing::info!(organization.id = %record.id, closes, "an organization's deletion was scheduled or cancelled");
    find(cx, session, &record.id).await
}

/// The members of an organization of which the caller is one.
pub async fn members(cx: &Cx, id: &str) -> Result<Vec<MemberRecord>, ServiceError> {
    let session = cx.caller.required_session()?;
    let record = read(cx, id).await?;
    cx.services.database().ask(|store| store.members(&session.account, &record.id)).await.map_err(unavailable)
}

/// Sets a member's role.
pub async fn set_role(cx: &Cx, id: &str, member: &str, role: Role) -> Result<(), ServiceError> {
    let (session, record) = decisive(cx, id).await?;
    let change = vec![OrganizationChange::SetRole(account_id(member)?, role)];
    make(cx, session, &record.id, change, Vec::new(), Code::MemberNotFound).await
}

/// Removes a member from an organization; `with_keys` also revokes the keys that they created.
pub async fn remove(cx: &Cx, id: &str, member: &str, with_keys: bool) -> Result<(), ServiceError> {
    let (session, record) = decisive(cx, id).await?;
    let change = vec![OrganizationChange::Remove { account: account_id(member)?, with_keys }];
    make(cx, session, &record.id, change, Vec::new(), Code::MemberNotFound).await
}

/// Removes the caller from an organization. Keys that they created stay with the organization.
pub async fn leave(cx: &Cx, id: &str) -> Result<(), ServiceError> {
    let session = cx.caller.required_session()?;
    let change = vec![OrganizationChange::Remove { account: session.account.clone(), with_keys: false }];
    make(cx, session, &organization_id(id)?, change, Vec::new(), Code::OrganizationNotFound).await
}

/// The open invitations of an organization.
pub async fn invitations(cx: &Cx, id: &str) -> Result<Vec<InvitationRecord>, ServiceError> {
    let session = cx.caller.required_session()?;
    let (record, now) = (read(cx, id).await?, cx.services.ports().now());
    cx.services.database().ask(|store| store.invitations(&session.account, &record.id, now)).await.map_err(unavailable)
}

/// Invites an address by mail, in the caller's language. Replaces an earlier invitation to the same address.
pub async fn invite(cx: &Cx, id: &str, email: &str, role: Role) -> Result<InvitationRecord, ServiceError> {
    let address = reachable(&cx.services, email).await?;
    if cx.services.mailer().is_none() {
        return Err(ServiceError::new(Code::MailUnavailable));
    }
    let (session, record) = decisive(cx, id).await?;
    if !record.role.admits(role) {
        return Err(ServiceError::new(Code::OrganizationForbidden));
    }
    let (allowance, network) = (cx.services.allowance(), cx.caller.network);
    allowance
        .spend_hourly(cx.services.database(), cx.services.ports(), network, "invitations", INVITATIONS_PER_NETWORK)
        .await?;
    if let Some(seconds) = entry::spend_mail(cx, "invitations", &address, INVITATIONS_PER_ADDRESS).await? {
        return Err(ServiceError::new(Code::RateLimited).retry_after(seconds));
    }
    let (token, expires_at) =
        (OneTimeToken::new(cx.services.ports()), cx.services.ports().now().plus_ms(INVITATION_MS));
    let letter = letters::invitation(&cx.services.sender(), &record.name, &session.email, &token.text);
    let mail = Job::SendMail(letter.to(&address.typed, cx.lang)).queued(cx.services.ports(), None);
    let invitation = NewInvitation {
        id: InvitationId(cx.services.ports().id()),
        token_digest: token.digest,
        email: address.typed,
        email_canonical: address.canonical,
        role,
        expires_at,
    };
    let shown = InvitationRecord {
        id: invitation.id.clone(),
        organization: record.id.clone(),
        organization_name: record.name,
        email: invitation.email.clone(),
        role,
        expires_at,
    };
    let change = vec![OrganizationChange::Invite(invitation)];
    make(cx, session, &record.id, change, vec![mail], Code::OrganizationNotFound).await?;
    Ok(shown)
}

/// Revokes an open invitation.
pub async fn uninvite(cx: &Cx, id: &str, invitation: &str) -> Result<(), ServiceError> {
    let session = cx.caller.required_session()?;
    let record = read(cx, id).await?;
    let invitation = uuid::Uuid::try_parse(invitation).map_err(|_| ServiceError::new(Code::InvitationNotFound))?;
    let change = vec![OrganizationChange::Uninvite(InvitationId(invitation.to_string()))];
    make(cx, session, &record.id, change, Vec::new(), Code::InvitationNotFound).await
}

/// Looks up an invitation by its token, for the account of its address only.
pub async fn invitation(cx: &Cx, token: &str) -> Result<InvitationRecord, ServiceError> {
    let session = cx.caller.required_session()?;
    let (digest, now) = (invitation_digest(token)?, cx.services.ports().now());
    let invitation = cx.services.database().ask(|store| store.invitation(&digest, &session.account, now)).await;
    invitation.map_err(unavailable)?.ok_or_else(|| ServiceError::new(Code::InvitationNotFound))
}

/// Accepts an invitation sent to the caller's address: makes the caller a member.
pub async fn accept(cx: &Cx, token: &str) -> Result<OrganizationRecord, ServiceError> {
    let session = cx.caller.required_session()?;
    let (digest, now) = (invitation_digest(token)?, cx.services.ports().now());
    let (database, event) = (cx.services.database(), own_event(cx, &session.account, "invitation_accepted"));
    let accepted = database.write(|store| store.accept_invitation(&digest, &session.account, event, now)).await;
    let accepted = accepted.map_err(unavailable)?;
    let id = accepted.map_err(|denied| refusal(denied, Code::InvitationNotFound, OF_BOTH))?;
    tracing::info!(organization.id = %id, "an invitation was accepted");
    find(cx, session, &id).await
}

/// Preconditions of changes to members and of removal: a fresh session, and the organization.
async fn decisive<'c>(cx: &'c Cx, id: &str) -> Result<(&'c Session, OrganizationRecord), ServiceError> {
    let session = cx.caller.required_session()?;
    require_fresh(session, cx.services.ports().now())?;
    Ok((session, read(cx, id).await?))
}

async fn find(cx: &Cx, session: &Session, id: &OrganizationId) -> Result<OrganizationRecord, ServiceError> {
    let product = cx.services.config().product.id.as_str();
    let organization = cx.services.database().ask(|store| store.organization(&session.account, id, product)).await;
    organization.map_err(|error| match error {
        DatabaseError::NotFound => ServiceError::new(Code::OrganizationNotFound),
        other => unavailable(other),
    })
}

async fn make(
    cx: &Cx,
    session: &Session,
    id: &OrganizationId,
    changes: Vec<OrganizationChange>,
    jobs: Vec<NewJob>,
    missing: Code,
) -> Result<(), ServiceError> {
    let (database, now) = (cx.services.database(), cx.services.ports().now());
    let changes = changes.into_iter().map(|change| {
        let event = about(id, event_of(cx, session, &change));
        (change, event)
    });
    let changes = changes.collect();
    let made = database.write(|store| store.change_organization(&session.account, id, changes, jobs, now)).await;
    made.map_err(unavailable)?.map_err(|denied| refusal(denied, missing, OF_INVITATIONS))
}

/// The security event of a change: the account that it concerns, and its kind.
fn event_of(cx: &Cx, session: &Session, change: &OrganizationChange) -> NewEvent {
    let own = &session.account;
    let (whom, kind) = match change {
        OrganizationChange::Rename(_) => (own, "organization_renamed"),
        OrganizationChange::RequireSecondFactor(true) => (own, "second_factor_required"),
        OrganizationChange::RequireSecondFactor(false) => (own, "second_factor_not_required"),
        OrganizationChange::Enable(_, true) => (own, "organization_keys_enabled"),
        OrganizationChange::Enable(_, false) => (own, "organization_keys_disabled"),
        OrganizationChange::DeleteAfter(Some(_)) => (own, "organization_closed"),
        OrganizationChange::DeleteAfter(None) => (own, "organization_restored"),
        OrganizationChange::SetRole(account, Role::Member) => (account, "role_set_to_member"),
        OrganizationChange::SetRole(account, Role::Admin) => (account, "role_set_to_admin"),
        OrganizationChange::SetRole(account, Role::Owner) => (account, "role_set_to_owner"),
        OrganizationChange::Remove { account, .. } if account == own => (own, "organization_left"),
        OrganizationChange::Remove { account, .. } => (account, "removed_from_organization"),
        OrganizationChange::Invite(_) => (own, "member_invited"),
        OrganizationChange::Uninvite(_) => (own, "invitation_ended"),
    };
    event(cx, Actor::Account(own.clone()), whom, kind)
}

fn about(id: &OrganizationId, event: NewEvent) -> NewEvent {
    NewEvent { organization: Some(id.clone()), ..event }
}

/// The limit of an account, of an organization's open invitations, and of both sides where a member joins: which of them
/// was reached.
const OF_ACCOUNT: Text = text(
    "You have reached the limit of 50 organizations. Leave or delete one first.",
    "Você atingiu o limite de 50 organizações. Saia de uma ou exclua uma antes.",
);
const OF_INVITATIONS: Text = text(
    "This organization has reached the limit of 20 open invitations. Cancel one first.",
    "Esta organização atingiu o limite de 20 convites abertos. Cancele um antes.",
);
const OF_BOTH: Text = text(
    "You are in 50 organizations or this one has 500 members, which is the limit. Leave an organization, or contact an owner of this one.",
    "Você já está em 50 organizações ou esta já tem 500 membros, que é o limite. Saia de uma organização ou fale com um dos proprietários desta.",
);

/// Maps a denial to the caller's error; `missing` is the code for an object that was not found, `full` says which limit was
/// reached.
fn refusal(denied: Denied, missing: Code, full: Text) -> ServiceError {
    match denied {
        Denied::Missing => ServiceError::new(missing),
        Denied::Forbidden => ServiceError::new(Code::OrganizationForbidden),
        Denied::LastOwner => ServiceError::new(Code::LastOwner),
        Denied::Full => ServiceError::new(Code::OrganizationLimit).saying(full),
        Denied::Taken => ServiceError::new(Code::AlreadyDone),
    }
}

fn with_second_factor(session: &Session) -> Result<(), ServiceError> {
    let has_two = session.assurance >= Assurance::Aal2;
    if has_two { Ok(()) } else { Err(ServiceError::new(Code::OrganizationMfaRequired)) }
}

/// Parses an organization's name: trimmed, 1 to 80 characters, no control characters.
fn organization_name(typed: &str) -> Result<String, ServiceError> {
    let name = typed.trim();
    let is_name = !name.is_empty() && name.chars().count() <= NAME_CHARS && !name.chars().any(char::is_control);
    if is_name { Ok(name.to_owned()) } else { Err(ServiceError::new(Code::InvalidOrganizationName)) }
}

/// Parses an organization's id; an invalid id is "not found", without a query.
fn organization_id(text: &str) -> Result<OrganizationId, ServiceError> {
    let id = uuid::Uuid::try_parse(text).map_err(|_| ServiceError::new(Code::OrganizationNotFound))?;
    Ok(OrganizationId(id.to_string()))
}

fn account_id(text: &str) -> Result<AccountId, ServiceError> {
    let id = uuid::Uuid::try_parse(text).map_err(|_| ServiceError::new(Code::MemberNotFound))?;
    Ok(AccountId(id.to_string()))
}

fn invitation_digest(token: &str) -> Result<[u8; 32], ServiceError> {
    if is_random_token(token) { Ok(token_digest(token)) } else { Err(ServiceError::new(Code::InvitationNotFound)) }
}
