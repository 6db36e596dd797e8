//! Organizations of the account: the list, one organization, and the page of an invitation.

use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request};
use axum::response::Response;
use http::StatusCode;
use model::account::Assurance;
use model::organization::Role;
use store::{InvitationRecord, MemberRecord, OrganizationRecord};

use super::visit::{AccountVisit, AppState, leads_away, refused, visit};
use crate::error;
use crate::filters;
use crate::frame::Frame;
use service::accounts::organizations::{self, Settings};
use service::error::{Code, ServiceError};

const PATH: &str = "/conta/organizations";

#[derive(Template)]
#[template(path = "organizations.html")]
struct ListPage<'a> {
    frame: Frame<'a>,
    csrf: &'a str,
    organizations: Vec<OrganizationRecord>,
    name: &'a str,
    problem: Option<String>,
}

#[derive(Template)]
#[template(path = "organization.html")]
struct OnePage<'a> {
    frame: Frame<'a>,
    csrf: &'a str,
    organization: OrganizationRecord,
    members: Vec<MemberRecord>,
    invitations: Vec<InvitationRecord>,
    /// Roles that the reader may invite to.
    invited: Vec<Role>,
    /// The reader's own account.
    own: String,
    /// The session has used two factors.
    has_two: bool,
    problem: Option<String>,
    /// The form that was refused, with its fields.
    refused: Option<&'a AccountVisit>,
}

#[derive(Template)]
#[template(path = "invitation.html")]
struct InvitationPage<'a> {
    frame: Frame<'a>,
    csrf: &'a str,
    token: &'a str,
    invitation: InvitationRecord,
}

/// The name of a role.
fn role_name(frame: &Frame<'_>, role: Role) -> &'static str {
    let (en, pt) = match role {
        Role::Member => ("Member", "Membro"),
        Role::Admin => ("Admin", "Administrador"),
        Role::Owner => ("Owner", "Proprietário"),
    };
    model::lang::text(en, pt).in_lang(frame.reader.lang)
}

impl ListPage<'_> {
    fn role(&self, role: &Role) -> &'static str {
        role_name(&self.frame, *role)
    }
}

impl OnePage<'_> {
    fn role(&self, role: &Role) -> &'static str {
        role_name(&self.frame, *role)
    }

    /// Whether the form of an action was refused.
    fn is_refused(&self, action: &str) -> bool {
        self.refused.is_some_and(|visit| visit.field("do") == action)
    }

    /// What was typed into the form of an action that was refused; else nothing.
    fn typed(&self, action: &str, field: &str) -> &str {
        self.refused.filter(|_| self.is_refused(action)).map_or("", |visit| visit.field(field))
    }

    /// Whether the problem is that of a form at which it is shown.
    fn has_own_place(&self) -> bool {
        !self.invited.is_empty() && (self.is_refused("invite") || self.is_refused("rename"))
    }

    /// The role that the form of a member chooses.
    fn chosen_role(&self, member: &MemberRecord) -> Role {
        let typed = Some(self.typed("role", "role")).filter(|_| self.typed("role", "member") == member.account.0);
        typed.and_then(Role::of_word).unwrap_or(member.role)
    }

    /// Whether removing a member is to revoke the keys that they created.
    fn revokes(&self, member: &MemberRecord) -> bool {
        self.typed("remove", "member") != member.account.0 || self.typed("remove", "on") == "1"
    }

    /// Whether the reader may remove a member.
    fn may_remove(&self, member: &MemberRecord) -> bool {
        member.account.0 != self.own && self.organization.role.admits(member.role)
    }
}

impl InvitationPage<'_> {
    fn role(&self, role: &Role) -> &'static str {
        role_name(&self.frame, *role)
    }
}

/// The list, or a new organization.
pub(super) async fn list(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let mut problem = None;
        if visit.is_sent {
            match organizations::create(&visit.cx, visit.field("name")).await {
                Ok(made) => return visit.lead_after(&format!("{PATH}/{}", made.id), "organization_created"),
                Err(error) if leads_away(&error) => return refused(&visit, &error, PATH),
                Err(error) => problem = Some(error),
            }
        }
        let organizations = match organizations::list(&visit.cx).await {
            Ok(organizations) => organizations,
            Err(error) => return refused(&visit, &error, PATH),
        };
        let page = ListPage {
            frame: visit.frame().below(PATH),
            csrf: &visit.csrf,
            organizations,
            name: visit.field("name"),
            problem: problem.as_ref().map(|error| error::sentence(error, visit.lang())),
        };
        visit.form_page(problem.as_ref(), &page)
    })
    .await
}

/// One organization, or an action on it.
pub(super) async fn one(state: AppState, id: Result<Path<String>, PathRejection>, request: Request) -> Response {
    // An id that is not UTF-8 matches no organization.
    let id = id.map_or_else(|_| String::new(), |Path(id)| id);
    visit(state.0, request, async |visit| {
        // A malformed id has no page to lead back to.
        let back = uuid::Uuid::try_parse(&id).map_or(PATH.to_owned(), |id| format!("{PATH}/{id}"));
        let mut problem = None;
        if visit.is_sent {
            match act(&visit, &id).await {
                Ok(()) if visit.field("do") == "leave" => return visit.lead_after(PATH, "left"),
                Ok(()) => return visit.lead_after(&back, done(visit.field("do"))),
                Err(error) if leads_away(&error) => return refused(&visit, &error, &back),
                Err(error) => problem = Some(error),
            }
        }
        match page(&visit, &id, problem.as_ref()).await {
            Ok(page) => visit.form_page(problem.as_ref(), &page),
            Err(error) => refused(&visit, &error, &back),
        }
    })
    .await
}

async fn page<'a>(
    visit: &'a AccountVisit,
    id: &str,
    problem: Option<&ServiceError>,
) -> Result<OnePage<'a>, ServiceError> {
    let session = visit.cx.caller.required_session()?;
    let organization = organizations::read(&visit.cx, id).await?;
    Ok(OnePage {
        frame: visit.frame().below(PATH),
        csrf: &visit.csrf,
        members: organizations::members(&visit.cx, id).await?,
        invitations: organizations::invitations(&visit.cx, id).await?,
        invited: Role::ALL.into_iter().filter(|role| organization.role.admits(*role)).collect(),
        organization,
        own: session.account.0.clone(),
        has_two: session.assurance >= Assurance::Aal2,
        problem: problem.map(|error| error::sentence(error, visit.lang())),
        refused: problem.map(|_| visit),
    })
}

/// Runs the action that the button of a form names.
async fn act(visit: &AccountVisit, id: &str) -> Result<(), ServiceError> {
    let (cx, field) = (&visit.cx, |name| visit.field(name));
    let role = || Role::of_word(field("role")).ok_or_else(|| ServiceError::new(Code::InvalidBody).detail("role"));
    let is_on = || field("on") == "1";
    match field("do") {
        "rename" => {
            let settings = Settings { name: Some(field("name").to_owned()), ..Settings::default() };
            organizations::set(cx, id, settings).await.map(drop)
        }
        "factor" => {
            let settings = Settings { require_second_factor: Some(is_on()), ..Settings::default() };
            organizations::set(cx, id, settings).await.map(drop)
        }
        "keys" => organizations::set(cx, id, Settings { keys: Some(is_on()), ..Settings::default() }).await.map(drop),
        "close" => organizations::close(cx, id, true).await.map(drop),
        "restore" => organizations::close(cx, id, false).await.map(drop),
        "leave" => organizations::leave(cx, id).await,
        "invite" => organizations::invite(cx, id, field("email"), role()?).await.map(drop),
        "uninvite" => organizations::uninvite(cx, id, field("invitation")).await,
        "role" => organizations::set_role(cx, id, field("member"), role()?).await,
        "remove" => organizations::remove(cx, id, field("member"), is_on()).await,
        _ => Err(ServiceError::new(Code::InvalidBody).detail("do")),
    }
}

/// The word of the confirmation of an action.
fn done(action: &str) -> &'static str {
    match action {
        "rename" => "renamed",
        "close" => "organization_closed",
        "restore" => "organization_restored",
        "invite" => "invited",
        "uninvite" => "invitation_ended",
        "role" => "role_changed",
        "remove" => "member_removed",
        _ => "setting_changed",
    }
}

/// Shows an invitation, or accepts it.
pub(super) async fn invitation(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let token = visit.field("token");
        let is_token = service::credential::is_random_token(token);
        let back = if is_token { format!("/conta/invitation?token={token}") } else { PATH.to_owned() };
        if visit.is_sent {
            return match organizations::accept(&visit.cx, token).await {
                Ok(joined) => visit.lead_after(&format!("{PATH}/{}", joined.id), "joined"),
                Err(error) => refused(&visit, &error, &back),
            };
        }
        match organizations::invitation(&visit.cx, token).await {
            Ok(invitation) => {
                let page = InvitationPage { frame: visit.frame(), csrf: &visit.csrf, token, invitation };
                visit.page(StatusCode::OK, &page)
            }
            Err(error) => refused(&visit, &error, &back),
        }
    })
    .await
}
