//! Security of the account: reauthentication, password, e-mail address, second factor, recovery codes.

use askama::Template;
use axum::extract::Request;
use axum::response::Response;
use http::StatusCode;
use model::lang::{Text, text};

use super::form::{FormField, FormPage, Needs, message_page};
use super::visit::{AccountVisit, AppState, leads_away, refused, visit, way_on};
use crate::error;
use crate::frame::Frame;
use service::accounts::entry::{self, SecondFactor};
use service::accounts::security::{self, Proof};
use service::accounts::{recovery, session};
use service::config::SecretText;
use service::error::{Code, ServiceError};

const ACCOUNT: Text = text("Your account", "A sua conta");
const NEW_PASSWORD: Text = text("New password", "Nova senha");
const PASSWORD: Text = text("Password", "Senha");

#[derive(Template)]
#[template(path = "account_factor.html")]
struct FactorPage<'a> {
    frame: Frame<'a>,
    csrf: &'a str,
    secret: String,
    path: String,
    width: i32,
    problem: Option<String>,
}

#[derive(Template)]
#[template(path = "account_codes.html")]
struct CodesPage<'a> {
    frame: Frame<'a>,
    codes: &'a [String],
}

/// Reauthenticates the session, and leads back to the page that needed it.
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
        let form = FormPage {
            title: Some(text("Confirm it's you", "Confirme que é você")),
            lead: vec![text(
                "This action needs a recent sign-in. The confirmation lasts five minutes.",
                "Esta ação exige um login recente. A confirmação vale por cinco minutos.",
            )],
            action: "/conta/proof",
            button: Some(text("Continue", "Continuar")),
            fields: if has_factor {
                vec![FormField::code()]
            } else {
                vec![FormField::email(&email).fixed(), FormField::password("password", PASSWORD, "current-password")]
            },
            hidden: vec![("return_to", back.clone())],
            links: vec![(ACCOUNT, "/conta")],
            ..FormPage::default()
        };
        form.answer(visit, Needs::Session, async |visit| {
            let proof = if has_factor {
                Proof::Factor(SecondFactor::of(&SecretText::new(visit.field("code"))))
            } else {
                Proof::Password(SecretText::new(visit.field("password")))
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
        let form = FormPage {
            title: Some(text("Change password", "Mudar senha")),
            lead: vec![text(
                "This ends your other sessions and revokes all API keys of the account. You will get an email with the list of keys.",
                "Isto encerra as suas outras sessões e revoga todas as chaves de API da conta. Você receberá um e-mail com a lista das chaves.",
            )],
            action: "/conta/password",
            button: Some(text("Change password", "Mudar senha")),
            fields: vec![
                FormField::email(&email).fixed(),
                FormField::password("current", text("Current password", "Senha atual"), "current-password"),
                FormField::password("password", NEW_PASSWORD, "new-password"),
            ],
            links: vec![(ACCOUNT, "/conta")],
            ..FormPage::default()
        };
        form.answer(visit, Needs::Proof, async |visit| {
            let (current, new) = (SecretText::new(visit.field("current")), SecretText::new(visit.field("password")));
            let token = security::change_password(&visit.cx, current, new).await?;
            visit.keep(&token);
            Ok(visit.lead_after("/conta", "password_changed"))
        })
        .await
    })
    .await
}

/// Asks for another address.
pub(super) async fn email(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let form = FormPage {
            title: Some(text("Change email address", "Mudar endereço de e-mail")),
            lead: vec![text(
                "We will send a link to the new address. The current address is notified and can undo the change for 7 days.",
                "Enviaremos um link ao novo endereço. O endereço atual é avisado e pode desfazer a mudança por 7 dias.",
            )],
            action: "/conta/email",
            button: Some(text("Send link", "Enviar link")),
            fields: vec![FormField::email(visit.field("email"))],
            links: vec![(ACCOUNT, "/conta")],
            ..FormPage::default()
        };
        form.answer(visit, Needs::Proof, async |visit| {
            recovery::change_email(&visit.cx, visit.field("email")).await?;
            let title = text("Check your inbox", "Confira a sua caixa de entrada");
            Ok(message_page(visit, title, &[], vec![(ACCOUNT, "/conta")]))
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

async fn enrol(visit: &mut AccountVisit) -> Result<Response, ServiceError> {
    session::fresh(&visit.cx)?;
    let (offer, problem) = if visit.is_sent {
        match security::confirm_factor(&visit.cx, visit.field("code")).await {
            Ok((token, codes)) => {
                visit.keep(&token);
                return Ok(visit.page(StatusCode::OK, &CodesPage { frame: visit.frame(), codes: &codes }));
            }
            Err(error) if leads_away(&error) => return Err(error),
            Err(error) => match security::offered(&visit.cx, visit.cx.caller.required_session()?).await {
                Ok(offer) => (offer, Some(error)),
                // Without an offer there is no secret to show.
                Err(_) => return Err(error),
            },
        }
    } else {
        // The pending secret, so that a reload shows the same one.
        match security::offered(&visit.cx, visit.cx.caller.required_session()?).await {
            Err(error) if error.code == Code::NotFound => (security::offer_factor(&visit.cx).await?, None),
            offer => (offer?, None),
        }
    };
    let (path, width) = render::qr::qr_path(&offer.uri).ok_or_else(|| ServiceError::new(Code::Internal))?;
    let page = FactorPage {
        frame: visit.frame(),
        csrf: &visit.csrf,
        secret: grouped(&offer.secret),
        path,
        width,
        problem: problem.as_ref().map(|error| error::sentence(error, visit.lang())),
    };
    Ok(visit.form_page(problem.as_ref(), &page))
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

/// Removes the second factor.
pub(super) async fn remove_factor(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let form = FormPage {
            title: Some(text("Turn off two-factor authentication", "Desativar a autenticação em dois fatores")),
            lead: vec![text(
                "Your recovery codes stop working too.",
                "Os seus códigos de recuperação também deixam de funcionar.",
            )],
            action: "/conta/factor/remove",
            button: Some(text("Turn off", "Desativar")),
            is_danger: true,
            fields: vec![FormField::code()],
            links: vec![(ACCOUNT, "/conta")],
            ..FormPage::default()
        };
        form.answer(visit, Needs::Proof, async |visit| {
            security::remove_factor(&visit.cx, visit.field("code")).await?;
            Ok(visit.lead_after("/conta", "factor_removed"))
        })
        .await
    })
    .await
}

/// Makes new recovery codes.
pub(super) async fn recovery_codes(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let form = FormPage {
            title: Some(text("New recovery codes", "Novos códigos de recuperação")),
            lead: vec![text("Your current codes stop working.", "Os seus códigos atuais deixam de funcionar.")],
            action: "/conta/recovery-codes",
            button: Some(text("Create ten new codes", "Criar dez códigos novos")),
            fields: vec![FormField::code()],
            links: vec![(ACCOUNT, "/conta")],
            ..FormPage::default()
        };
        form.answer(visit, Needs::Proof, async |visit| {
            let codes = security::new_recovery_codes(&visit.cx, visit.field("code")).await?;
            Ok(visit.page(StatusCode::OK, &CodesPage { frame: visit.frame(), codes: &codes }))
        })
        .await
    })
    .await
}
