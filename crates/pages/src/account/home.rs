//! The account of who is signed in: profile, security, sessions.

use api::response::status;
use askama::Template;
use axum::extract::Request;
use axum::response::Response;
use http::StatusCode;
use model::account::{Profile, SecurityEvent, SessionInfo, Trial};
use model::lang::{Text, text};

use super::form::{Field, Form, Needs, problem, said};
use super::{AppState, Visit, events, leads_away, refused, visit, way_on};
use crate::{Frame, filters};
use service::accounts::entry::{self, SecondFactor};
use service::accounts::security::{self, Proof};
use service::accounts::{claim, departure, profile as profiles, recovery, session};
use service::config::Secret;
use service::error::{Code, ServiceError};

const ACCOUNT: Text = text("Your account", "A sua conta");
const NEW_PASSWORD: Text = text("New password", "Nova senha");
const PASSWORD: Text = text("Password", "Senha");
/// Events that the page shows; the API has more.
const EVENTS_SHOWN: usize = 10;

#[derive(Template)]
#[template(path = "account.html")]
struct AccountPage<'a> {
    frame: Frame<'a>,
    csrf: &'a str,
    email: &'a str,
    /// The browser has things of a guest.
    is_guest_too: bool,
    profile: Profile,
    /// Why the profile was refused.
    problem: Option<String>,
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

#[derive(Template)]
#[template(path = "account_factor.html")]
struct FactorPage<'a> {
    frame: Frame<'a>,
    csrf: &'a str,
    secret: String,
    path: String,
    width: i32,
    problem: Option<&'static str>,
}

#[derive(Template)]
#[template(path = "account_codes.html")]
struct CodesPage<'a> {
    frame: Frame<'a>,
    codes: &'a [String],
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
async fn shown(visit: &Visit, refused: Option<(Profile, ServiceError)>) -> Result<Response, ServiceError> {
    let current = visit.cx.caller.required_session()?;
    let account = session::account(&visit.cx, current).await?;
    let mut events = session::events(&visit.cx).await?;
    events.truncate(EVENTS_SHOWN);
    let is_guest_too = match &visit.guest {
        Some(token) => !claim::offered(&visit.cx, token).await?.is_empty(),
        None => false,
    };
    let kept = profiles::read(&visit.cx).await?;
    let (profile, error) = match refused {
        // What was typed, to be corrected and sent again on what is kept now.
        Some((typed, error)) => (Profile { revision: kept.revision, ..typed }, Some(error)),
        None => (kept, None),
    };
    let page = AccountPage {
        frame: visit.frame(),
        csrf: &visit.csrf,
        email: &current.email,
        is_guest_too,
        problem: error.as_ref().map(|error| problem(error, visit.lang())),
        profile,
        has_factor: entry::has_factor(&visit.cx, &account),
        trial: service::accounts::trial(current.trial_started_at, visit.cx.services.ports().now()),
        sessions: session::list(&visit.cx).await?,
        events,
    };
    Ok(visit.page(error.as_ref().map_or(StatusCode::OK, status), &page))
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
            Ok(_) => Ok(visit.lead("/conta")),
            Err(error) if leads_away(&error) => Err(error),
            Err(error) => shown(&visit, Some((changed, error))).await,
        };
        answer.unwrap_or_else(|error| refused(&visit, &error, "/conta"))
    })
    .await
}

/// Proves again who somebody is, and leads back to what asked for it.
pub(super) async fn proof(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let back = way_on(visit.field("return_to")).to_owned();
        let has_factor = async {
            let current = visit.cx.caller.required_session()?;
            let account = session::account(&visit.cx, current).await?;
            Ok::<_, ServiceError>((entry::has_factor(&visit.cx, &account), account.email))
        };
        let (has_factor, email) = match has_factor.await {
            Ok(found) => found,
            Err(error) => return refused(&visit, &error, &back),
        };
        let form = Form {
            title: Some(text("Is it you?", "É você?")),
            lead: vec![text(
                "For what comes next, prove again who you are. It holds for five minutes.",
                "Para o que vem a seguir, prove de novo quem você é. Vale por cinco minutos.",
            )],
            action: "/conta/proof",
            button: Some(text("Go on", "Continuar")),
            fields: if has_factor {
                vec![Field::code()]
            } else {
                vec![Field::email(&email).fixed(), Field::password("password", PASSWORD, "current-password")]
            },
            hidden: vec![("return_to", back.clone())],
            links: vec![(ACCOUNT, "/conta")],
            ..Form::default()
        };
        form.answer(visit, Needs::Session, async |visit| {
            let proof = if has_factor {
                Proof::Factor(SecondFactor::of(&Secret::new(visit.field("code"))))
            } else {
                Proof::Password(Secret::new(visit.field("password")))
            };
            let token = security::prove(&visit.cx, proof).await?;
            visit.keep(&token);
            Ok(visit.lead(&back))
        })
        .await
    })
    .await
}

/// Changes the password.
pub(super) async fn password(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let account = async { session::account(&visit.cx, visit.cx.caller.required_session()?).await };
        let email = match account.await {
            Ok(account) => account.email,
            Err(error) => return refused(&visit, &error, "/conta/password"),
        };
        let form = Form {
            title: Some(text("Change the password", "Mudar a senha")),
            lead: vec![text(
                "Your other sessions end, and all API keys of the account are revoked; a mail lists them.",
                "As suas outras sessões terminam e todas as chaves de API da conta são revogadas; um e-mail as lista.",
            )],
            action: "/conta/password",
            button: Some(text("Change the password", "Mudar a senha")),
            fields: vec![
                Field::email(&email).fixed(),
                Field::password("current", text("Current password", "Senha atual"), "current-password"),
                Field::password("password", NEW_PASSWORD, "new-password"),
            ],
            links: vec![(ACCOUNT, "/conta")],
            ..Form::default()
        };
        form.answer(visit, Needs::Proof, async |visit| {
            let (current, new) = (Secret::new(visit.field("current")), Secret::new(visit.field("password")));
            let token = security::change_password(&visit.cx, current, new).await?;
            visit.keep(&token);
            Ok(visit.lead("/conta"))
        })
        .await
    })
    .await
}

/// Asks for another address.
pub(super) async fn email(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let form = Form {
            title: Some(text("Change the address", "Mudar o endereço")),
            lead: vec![text(
                "We send a link to the new address. The one until now is told, and can take the change back for 7 days.",
                "Enviamos um link ao novo endereço. O atual é avisado e pode desfazer a mudança por 7 dias.",
            )],
            action: "/conta/email",
            button: Some(text("Send the link", "Enviar o link")),
            fields: vec![Field::email(visit.field("email"))],
            links: vec![(ACCOUNT, "/conta")],
            ..Form::default()
        };
        form.answer(visit, Needs::Proof, async |visit| {
            recovery::change_email(&visit.cx, visit.field("email")).await?;
            let title = text("Look into your mail", "Veja o seu e-mail");
            Ok(said(visit, title, &[], vec![(ACCOUNT, "/conta")]))
        })
        .await
    })
    .await
}

/// Adds a second factor: shows its secret, and confirms it with a code.
pub(super) async fn factor(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |mut visit| match enrol(&mut visit).await {
        Ok(response) => response,
        Err(error) => refused(&visit, &error, "/conta/factor"),
    })
    .await
}

async fn enrol(visit: &mut Visit) -> Result<Response, ServiceError> {
    session::fresh(&visit.cx)?;
    let (offer, problem) = if visit.is_sent {
        match security::confirm_factor(&visit.cx, visit.field("code")).await {
            Ok((token, codes)) => {
                visit.keep(&token);
                return Ok(visit.page(StatusCode::OK, &CodesPage { frame: visit.frame(), codes: &codes }));
            }
            Err(error) if error.code == Code::InvalidCode => {
                let offer = security::offered(&visit.cx, visit.cx.caller.required_session()?).await?;
                (offer, Some(error))
            }
            Err(error) => return Err(error),
        }
    } else {
        // The one that is on offer, so that a reload shows the same.
        match security::offered(&visit.cx, visit.cx.caller.required_session()?).await {
            Err(error) if error.code == Code::NotFound => (security::offer_factor(&visit.cx).await?, None),
            offer => (offer?, None),
        }
    };
    let (path, width) = render::qr::qr_path(&offer.uri).ok_or_else(|| ServiceError::new(Code::Internal))?;
    let status = problem.as_ref().map_or(StatusCode::OK, status);
    let problem = problem.map(|error| error.code.sentence().in_lang(visit.lang()));
    let page =
        FactorPage { frame: visit.frame(), csrf: &visit.csrf, secret: grouped(&offer.secret), path, width, problem };
    Ok(visit.page(status, &page))
}

/// A secret in groups of four, as people type it.
fn grouped(secret: &str) -> String {
    let mut out = String::new();
    for (at, digit) in secret.chars().enumerate() {
        if at > 0 && at % 4 == 0 {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// Takes the second factor away.
pub(super) async fn remove_factor(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let form = Form {
            title: Some(text("Remove the second factor", "Remover o segundo fator")),
            lead: vec![text("Your recovery codes end with it.", "Os seus códigos de recuperação terminam com ele.")],
            action: "/conta/factor/remove",
            button: Some(text("Remove it", "Remover")),
            is_danger: true,
            fields: vec![Field::code()],
            links: vec![(ACCOUNT, "/conta")],
            ..Form::default()
        };
        form.answer(visit, Needs::Proof, async |visit| {
            security::remove_factor(&visit.cx, visit.field("code")).await?;
            Ok(visit.lead("/conta"))
        })
        .await
    })
    .await
}

/// Makes new recovery codes.
pub(super) async fn recovery_codes(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let form = Form {
            title: Some(text("New recovery codes", "Novos códigos de recuperação")),
            lead: vec![text("Those that you have end.", "Os que você tem deixam de valer.")],
            action: "/conta/recovery-codes",
            button: Some(text("Make ten new codes", "Criar dez códigos novos")),
            fields: vec![Field::code()],
            links: vec![(ACCOUNT, "/conta")],
            ..Form::default()
        };
        form.answer(visit, Needs::Proof, async |visit| {
            let codes = security::new_recovery_codes(&visit.cx, visit.field("code")).await?;
            Ok(visit.page(StatusCode::OK, &CodesPage { frame: visit.frame(), codes: &codes }))
        })
        .await
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
            Ok(()) => visit.lead("/conta"),
            Err(error) => refused(&visit, &error, "/conta"),
        }
    })
    .await
}

/// Ends all sessions.
pub(super) async fn end_all(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let form = Form {
            title: Some(text("End all sessions", "Encerrar todas as sessões")),
            lead: vec![text(
                "This one too; and all API keys of the account are revoked.",
                "Esta também; e todas as chaves de API da conta são revogadas.",
            )],
            action: "/conta/sessions/end-all",
            button: Some(text("End all sessions", "Encerrar todas as sessões")),
            is_danger: true,
            links: vec![(ACCOUNT, "/conta")],
            ..Form::default()
        };
        form.answer(visit, Needs::Proof, async |visit| {
            session::end_all(&visit.cx).await?;
            visit.forget();
            Ok(visit.lead("/conta/global"))
        })
        .await
    })
    .await
}

/// Signs out.
pub(super) async fn sign_out(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |mut visit| {
        if !visit.is_sent {
            return visit.lead("/conta");
        }
        match session::sign_out(&visit.cx).await {
            Ok(()) => {
                visit.forget();
                visit.lead("/conta/global")
            }
            Err(error) => visit.refuse(&error),
        }
    })
    .await
}

/// Closes the account.
pub(super) async fn delete(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let form = Form {
            title: Some(text("Delete your account", "Excluir a sua conta")),
            lead: vec![
                text(
                    "It is closed at once: sessions end, API keys are revoked, and you are in no organization any more.",
                    "Ela é encerrada na hora: as sessões terminam, as chaves de API são revogadas e você sai de todas as organizações.",
                ),
                text(
                    "In 7 days everything that is yours is removed. Until then the operator of this server can bring it back.",
                    "Em 7 dias tudo o que é seu é removido. Até lá, quem opera este servidor pode trazê-la de volta.",
                ),
            ],
            action: "/conta/delete",
            fields: vec![Field::email(visit.field("email"))],
            button: Some(text("Delete the account", "Excluir a conta")),
            is_danger: true,
            links: vec![(ACCOUNT, "/conta")],
            ..Form::default()
        };
        form.answer(visit, Needs::Proof, async |visit| {
            departure::close(&visit.cx, visit.field("email")).await?;
            visit.forget();
            Ok(visit.lead("/"))
        })
        .await
    })
    .await
}
