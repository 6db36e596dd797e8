//! Sign-in, registration and recovery: the forms that need no session.

use axum::extract::Request;
use axum::response::Response;
use model::lang::{Text, text};
use url::Url;

use super::alerts;
use super::form::{FORGOTTEN, FormField, FormPage, Needs, PASSKEY, PASSWORD, SIGN_IN, message_page};
use super::visit::{AccountVisit, AppState, visit, way_on};
use crate::address::tab_to_watch;
use service::accounts::claim;
use service::accounts::entry::{self, SecondFactor, SignIn};
use service::accounts::recovery;
use service::config::SecretText;
use service::error::{Code, ServiceError};
use service::tabs;

const NEW_PASSWORD: Text = text("New password", "Nova senha");
const MAKE: Text = text("Create account", "Criar conta");
/// The same with alerts about a page.
const MAKE_WITH_ALERTS: Text = text("Create account and turn on alerts", "Criar conta e ativar os alertas");

/// Signs in, or asks for the second factor.
pub(super) async fn sign_in(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        if visit.is_signed_in() && !visit.is_sent {
            return visit.lead(way_on(visit.field("return_to")));
        }
        let form = FormPage {
            title: Some(SIGN_IN),
            action: "/conta/global",
            button: Some(SIGN_IN),
            fields: vec![
                FormField::email(visit.field("email")),
                FormField::password("password", PASSWORD, "current-password"),
            ],
            hidden: vec![("return_to", way_on(visit.field("return_to")).to_owned())],
            links: vec![
                (PASSKEY, "/conta/passkey"),
                (MAKE, "/conta/global/register"),
                (FORGOTTEN, "/conta/global/reset"),
            ],
            ..FormPage::default()
        };
        form.answer(visit, Needs::Nothing, async |visit| {
            let password = SecretText::new(visit.field("password"));
            Ok(match entry::sign_in(&visit.cx, visit.field("email"), password).await? {
                SignIn::Done(token) => {
                    visit.begin_session(&token);
                    visit.lead(&visit.way_in())
                }
                SignIn::SecondFactor(challenge) => FormPage::factor(visit, challenge.text).page(visit, None),
            })
        })
        .await
    })
    .await
}

/// The second step of a sign-in.
pub(super) async fn factor(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        if !visit.is_sent {
            return visit.lead("/conta/global");
        }
        let form = FormPage::factor(&visit, visit.field("challenge").to_owned());
        form.answer(visit, Needs::Nothing, async |visit| {
            let given = SecondFactor::of(&SecretText::new(visit.field("code")));
            let token = entry::second_factor(&visit.cx, visit.field("challenge"), given).await?;
            if let Some(link) = alerts::link_token(visit.field("return_to")) {
                return Ok(alerts::signed_in(visit, &token, &link).await);
            }
            visit.begin_session(&token);
            Ok(visit.lead(&visit.way_in()))
        })
        .await
    })
    .await
}

/// Says that a mail is on its way, whether the account exists or not.
fn sent(visit: &AccountVisit) -> Response {
    let lead = text(
        "If the address is correct, you will receive an email within a few minutes. Check your spam folder too.",
        "Se o endereço estiver correto, você receberá um e-mail em alguns minutos. Confira também a pasta de spam.",
    );
    let again = text("Back to sign in", "Voltar para o login");
    message_page(
        visit,
        text("Check your inbox", "Confira a sua caixa de entrada"),
        &[lead],
        vec![(again, "/conta/global")],
    )
}

/// Asks for an account.
pub(super) async fn register(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let form = FormPage {
            title: Some(MAKE),
            lead: vec![text(
                "We will email you a link to create the account.",
                "Enviaremos um link por e-mail para criar a conta.",
            )],
            action: "/conta/global/register",
            button: Some(text("Send link", "Enviar link")),
            fields: vec![FormField::email(visit.field("email"))],
            hidden: vec![("return_to", way_on(visit.field("return_to")).to_owned())],
            links: vec![(text("Sign in to an existing account", "Entrar em uma conta existente"), "/conta/global")],
            ..FormPage::default()
        };
        form.answer(visit, Needs::Nothing, async |visit| {
            let followed = page_to_follow(visit).await?;
            entry::register(&visit.cx, visit.field("email"), followed.as_ref()).await?;
            visit.keep_return();
            Ok(sent(visit))
        })
        .await
    })
    .await
}

/// The page whose alerts a guest wants, who was led to an account for them.
async fn page_to_follow(visit: &AccountVisit) -> Result<Option<Url>, ServiceError> {
    let tab = tab_to_watch(visit.field("return_to")).and_then(|tab| tabs::tab_id(tab).ok());
    let (Some(guest), Some(tab)) = (&visit.guest, tab) else { return Ok(None) };
    let page = claim::guests_page(&visit.cx, guest, &tab).await?;
    page.map(|page| tabs::page_of(&visit.cx.services, &page)).transpose()
}

/// Completes the registration of a mailed link. GET changes nothing, as mail scanners open links too.
pub(super) async fn complete(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let again = (MAKE, "/conta/global/register");
        let mut link = match entry::registration(&visit.cx, visit.field("token")).await {
            Ok(link) => link,
            Err(error) => return link_gone(&visit, &error, again),
        };
        let followed = link.followed_url.take();
        let guest = match followed {
            Some(url) if link.account.is_some() => return alerts::confirm(visit, link, url).await,
            Some(ref url) => alerts::asking_guest(&visit, url).await,
            None => Ok(None),
        };
        let guest = match guest {
            Ok(guest) => guest,
            Err(error) => return visit.refuse(&error),
        };
        let name = text("Your name (optional)", "O seu nome (opcional)");
        let form = FormPage {
            title: Some(MAKE),
            about: followed.as_ref().map(|url| alerts::asked(url, &link.email)),
            lead: guest.iter().map(|_| alerts::WITH_GUEST).collect(),
            action: alerts::COMPLETE,
            button: Some(if followed.is_some() { MAKE_WITH_ALERTS } else { MAKE }),
            fields: vec![
                FormField::email(&link.email).fixed(),
                FormField::password("password", PASSWORD, "new-password"),
                FormField::text("display_name", name, "name", visit.field("display_name")).optional(),
            ],
            hidden: vec![("token", visit.field("token").to_owned())],
            again: Some(again),
            ..FormPage::default()
        };
        form.answer(visit, Needs::Nothing, async |visit| {
            let password = SecretText::new(visit.field("password"));
            let name = visit.field("display_name");
            let token = entry::complete(&visit.cx, visit.field("token"), password, name).await?;
            visit.keep(&token);
            let place = visit.begins_at.take().unwrap_or_default();
            visit.forget_return();
            Ok(match &followed {
                Some(url) => alerts::made(visit, &token, guest, url).await,
                None => visit.lead(&visit.way_in_to(&place)),
            })
        })
        .await
    })
    .await
}

/// The page of an invalid or expired link, with the way to a new one; other errors as usual.
fn link_gone(visit: &AccountVisit, error: &ServiceError, again: (Text, &'static str)) -> Response {
    if error.code != Code::InvalidLink {
        return visit.refuse(error);
    }
    let form = FormPage { again: Some(again), ..FormPage::default() };
    form.refused(visit, error)
}

/// Asks for a new password.
pub(super) async fn reset(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let form = FormPage {
            title: Some(text("Set a new password", "Definir uma nova senha")),
            lead: vec![text(
                "We will email you a link to set a new password.",
                "Enviaremos um link por e-mail para definir uma nova senha.",
            )],
            action: "/conta/global/reset",
            button: Some(text("Send link", "Enviar link")),
            fields: vec![FormField::email(visit.field("email"))],
            links: vec![(SIGN_IN, "/conta/global")],
            ..FormPage::default()
        };
        form.answer(visit, Needs::Nothing, async |visit| {
            recovery::reset(&visit.cx, visit.field("email")).await?;
            Ok(sent(visit))
        })
        .await
    })
    .await
}

/// Sets a new password by a link.
pub(super) async fn new_password(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let again = (FORGOTTEN, "/conta/global/reset");
        let found = match recovery::reset_of(&visit.cx, visit.field("token")).await {
            Ok(found) => found,
            Err(error) => return link_gone(&visit, &error, again),
        };
        let mut fields = vec![
            FormField::email(&found.account.email).fixed(),
            FormField::password("password", NEW_PASSWORD, "new-password"),
        ];
        if found.wants_factor {
            fields.push(FormField::code());
        }
        let form = FormPage {
            title: Some(text("Set a new password", "Definir uma nova senha")),
            lead: vec![text(
                "A new password ends all sessions of the account and revokes all its API keys.",
                "Uma nova senha encerra todas as sessões da conta e revoga todas as chaves de API dela.",
            )],
            action: "/conta/global/password",
            button: Some(text("Set password", "Definir senha")),
            fields,
            hidden: vec![("token", visit.field("token").to_owned())],
            again: Some(again),
            ..FormPage::default()
        };
        form.answer(visit, Needs::Nothing, async |visit| {
            let factor = found.wants_factor.then(|| SecondFactor::of(&SecretText::new(visit.field("code"))));
            let password = SecretText::new(visit.field("password"));
            recovery::complete_reset(&visit.cx, visit.field("token"), password, factor).await?;
            visit.forget();
            let done = text("Password set", "Senha definida");
            Ok(message_page(visit, done, &[], vec![(SIGN_IN, "/conta/global")]))
        })
        .await
    })
    .await
}

/// Confirms the e-mail address of a mailed link.
pub(super) async fn confirm_email(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let form = FormPage {
            title: Some(text("Confirm your email address", "Confirme o seu endereço de e-mail")),
            action: "/conta/global/email",
            button: Some(text("Confirm address", "Confirmar endereço")),
            hidden: vec![("token", visit.field("token").to_owned())],
            again: Some((SIGN_IN, "/conta/global")),
            ..FormPage::default()
        };
        form.answer(visit, Needs::Nothing, async |visit| {
            recovery::confirm_email(&visit.cx, visit.field("token")).await?;
            let done = text("Email address changed", "Endereço de e-mail alterado");
            Ok(message_page(visit, done, &[], vec![(text("Your account", "A sua conta"), "/conta")]))
        })
        .await
    })
    .await
}

/// Undoes a change of the e-mail address.
pub(super) async fn undo_email(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let form = FormPage {
            title: Some(text("Undo the email change", "Desfazer a mudança de e-mail")),
            lead: vec![text(
                "This restores the previous email address, ends all sessions and revokes all API keys.",
                "Isto restaura o endereço de e-mail anterior, encerra todas as sessões e revoga todas as chaves de API.",
            )],
            action: "/conta/global/undo",
            button: Some(text("Undo change", "Desfazer mudança")),
            is_danger: true,
            hidden: vec![("token", visit.field("token").to_owned())],
            again: Some((SIGN_IN, "/conta/global")),
            ..FormPage::default()
        };
        form.answer(visit, Needs::Nothing, async |visit| {
            recovery::undo_email(&visit.cx, visit.field("token")).await?;
            visit.forget();
            let done = text("Email change undone", "Mudança de e-mail desfeita");
            let then = text(
                "Set a new password: the person who changed the address may know the old one.",
                "Defina uma nova senha: quem mudou o endereço pode saber a antiga.",
            );
            Ok(message_page(visit, done, &[then], vec![(FORGOTTEN, "/conta/global/reset")]))
        })
        .await
    })
    .await
}
