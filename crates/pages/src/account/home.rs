//! The account: overview, profile, sessions, deletion.

use askama::Template;
use axum::extract::Request;
use axum::response::Response;
use model::account::{Profile, SecurityEvent, SessionInfo, Trial};
use model::lang::{Text, text};

use super::events;
use super::form::{FormField, FormPage, Needs};
use super::visit::{AccountVisit, AppState, leads_away, refused, visit};
use crate::error::FormProblem;
use crate::filters;
use crate::frame::Frame;
use service::accounts::entry;
use service::accounts::{claim, departure, profile as profiles, session};
use service::error::ServiceError;

const SIGN_OUT: Text = text("Sign out", "Sair");
const ACCOUNT: Text = text("Your account", "A sua conta");
/// Events that the page shows; the API has more.
const EVENTS_SHOWN: usize = 10;
/// Fields of the profile that an error may name, as it names them.
const PROFILE_FIELDS: [&str; 2] = ["name", "timeZone"];

#[derive(Template)]
#[template(path = "account.html")]
struct AccountPage<'a> {
    frame: Frame<'a>,
    csrf: &'a str,
    email: &'a str,
    /// This browser has a guest with something to claim.
    is_guest_too: bool,
    profile: Profile,
    /// Names of time zones, to choose from.
    zones: Vec<&'static str>,
    /// Why the profile was refused.
    problem: Option<FormProblem>,
    has_factor: bool,
    trial: Trial,
    sessions: Vec<SessionInfo>,
    events: Vec<SecurityEvent>,
}

impl AccountPage<'_> {
    fn event<'e>(&self, event: &'e SecurityEvent) -> &'e str {
        events::name(&event.kind).map_or(&event.kind, |name| name.in_lang(self.frame.reader.lang))
    }
}

/// The account at a glance.
pub(super) async fn show(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| match shown(&visit, None).await {
        Ok(response) => response,
        Err(error) => refused(&visit, &error, "/conta"),
    })
    .await
}

/// The page; with a profile that was refused, and why.
async fn shown(visit: &AccountVisit, refused: Option<(Profile, ServiceError)>) -> Result<Response, ServiceError> {
    let current = visit.cx.caller.required_session()?;
    let account = session::account(&visit.cx, current).await?;
    let mut events = session::events(&visit.cx).await?;
    events.truncate(EVENTS_SHOWN);
    let is_guest_too = match &visit.guest {
        Some(token) => !claim::offered(&visit.cx, token).await?.is_empty(),
        None => false,
    };
    let stored = profiles::read(&visit.cx).await?;
    let (profile, error) = match refused {
        // The typed values with the current revision, so that the corrected form can be saved.
        Some((typed, error)) => (Profile { revision: stored.revision, ..typed }, Some(error)),
        None => (stored, None),
    };
    let page = AccountPage {
        frame: visit.frame().below("/conta"),
        csrf: &visit.csrf,
        email: &current.email,
        is_guest_too,
        problem: error.as_ref().map(|error| FormProblem::of(error, &PROFILE_FIELDS, visit.lang())),
        profile,
        zones: profiles::time_zones(),
        has_factor: entry::has_factor(&visit.cx, &account),
        trial: service::accounts::trial(current.trial_started_at, visit.cx.services.ports().now()),
        sessions: session::list(&visit.cx).await?,
        events,
    };
    Ok(visit.form_page(error.as_ref(), &page))
}

/// Changes the profile.
pub(super) async fn profile(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        if !visit.is_sent {
            return visit.lead("/conta");
        }
        let changed = Profile {
            name: visit.field("name").to_owned(),
            locale: visit.field("locale").to_owned(),
            time_zone: visit.field("time_zone").to_owned(),
            theme: visit.field("theme").to_owned(),
            revision: visit.field("revision").parse().unwrap_or_default(),
        };
        let answer = match profiles::write(&visit.cx, changed.clone()).await {
            Ok(_) => Ok(visit.lead_after("/conta", "saved")),
            Err(error) if leads_away(&error) => Err(error),
            Err(error) => shown(&visit, Some((changed, error))).await,
        };
        answer.unwrap_or_else(|error| refused(&visit, &error, "/conta"))
    })
    .await
}

/// Ends one session.
pub(super) async fn end_session(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        if !visit.is_sent {
            return visit.lead("/conta");
        }
        match session::end(&visit.cx, visit.field("id")).await {
            Ok(()) => visit.lead_after("/conta", "session_ended"),
            Err(error) => refused(&visit, &error, "/conta"),
        }
    })
    .await
}

/// Ends all sessions.
pub(super) async fn end_all(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let form = FormPage {
            title: Some(text("End all sessions", "Encerrar todas as sessões")),
            lead: vec![text(
                "This ends the current session too, and revokes all API keys of the account.",
                "Isto também encerra a sessão atual e revoga todas as chaves de API da conta.",
            )],
            action: "/conta/sessions/end-all",
            button: Some(text("End all sessions", "Encerrar todas as sessões")),
            is_danger: true,
            links: vec![(ACCOUNT, "/conta")],
            ..FormPage::default()
        };
        form.answer(visit, Needs::Proof, async |visit| {
            session::end_all(&visit.cx).await?;
            visit.forget();
            Ok(visit.lead_after("/conta/global", "sessions_ended"))
        })
        .await
    })
    .await
}

/// Signs out.
pub(super) async fn sign_out(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |mut visit| {
        if !visit.is_sent {
            let form = FormPage {
                title: Some(SIGN_OUT),
                action: "/conta/out",
                button: Some(SIGN_OUT),
                links: vec![(ACCOUNT, "/conta")],
                ..FormPage::default()
            };
            return match visit.cx.caller.required_session() {
                Ok(_) => form.page(&visit, None),
                Err(error) => refused(&visit, &error, "/conta"),
            };
        }
        match session::sign_out(&visit.cx).await {
            Ok(()) => {
                visit.forget();
                visit.lead_after("/conta/global", "signed_out")
            }
            Err(error) => visit.refuse(&error),
        }
    })
    .await
}

/// Closes the account.
pub(super) async fn delete(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let form = FormPage {
            title: Some(text("Delete account", "Excluir conta")),
            lead: vec![
                text(
                    "Your account is closed immediately: all sessions end, API keys are revoked, and you leave all organizations.",
                    "A sua conta é encerrada imediatamente: as sessões terminam, as chaves de API são revogadas e você sai de todas as organizações.",
                ),
                text(
                    "All your data is deleted after 7 days. Until then the operator of this server can restore the account.",
                    "Todos os seus dados são excluídos após 7 dias. Até lá, o operador deste servidor pode restaurar a conta.",
                ),
            ],
            action: "/conta/delete",
            fields: vec![FormField::email(visit.field("email"))],
            button: Some(text("Delete account", "Excluir conta")),
            is_danger: true,
            links: vec![(ACCOUNT, "/conta")],
            ..FormPage::default()
        };
        form.answer(visit, Needs::Proof, async |visit| {
            departure::close(&visit.cx, visit.field("email")).await?;
            visit.forget();
            Ok(visit.lead_after("/", "account_closed"))
        })
        .await
    })
    .await
}
