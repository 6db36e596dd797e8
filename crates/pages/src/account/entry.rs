//! Sign-in, registration and recovery: the forms that need no session.

use axum::extract::Request;
use axum::response::Response;
use model::lang::{Text, text};

use super::claim;
use super::form::{FormField, FormPage, Needs, message_page};
use super::visit::{AccountVisit, AppState, visit, way_on};
use crate::address::tab_to_watch;
use service::accounts::entry::{self, SecondFactor, SignIn};
use service::accounts::recovery;
use service::config::SecretText;
use service::error::{Code, ServiceError};
use service::identity;

const SIGN_IN: Text = text("Sign in", "Entrar");
const PASSWORD: Text = text("Password", "Senha");
const NEW_PASSWORD: Text = text("New password", "Nova senha");
/// Before the account of a guest who asked for the watch of a page.
const WITH_WATCH: Text = text(
    "Your account also gets the pages that this browser followed and its audits, and you get an email when the page gets worse.",
    "A sua conta também recebe as páginas que este navegador seguiu e as auditorias dele, e você recebe um e-mail quando a página piorar.",
);
const MAKE: Text = text("Create account", "Criar conta");
/// The same for the account of such a guest.
const MAKE_WITH_WATCH: Text = text("Create account and turn on alerts", "Criar conta e ligar os alertas");
const PASSKEY: Text = text("Sign in with a passkey", "Entrar com uma chave de acesso");
const FORGOTTEN: Text = text("Forgot your password?", "Esqueceu a senha?");

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
                (MAKE, "/conta/global/register"),
                (FORGOTTEN, "/conta/global/reset"),
                (PASSKEY, "/conta/passkey"),
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
                SignIn::SecondFactor(challenge) => factor_form(visit, challenge.text).page(visit, None),
            })
        })
        .await
    })
    .await
}

fn factor_form(visit: &AccountVisit, challenge: String) -> FormPage {
    FormPage {
        title: Some(text("Two-factor authentication", "Autenticação em dois fatores")),
        action: "/conta/global/factor",
        button: Some(SIGN_IN),
        fields: vec![FormField::code()],
        hidden: vec![("challenge", challenge), ("return_to", way_on(visit.field("return_to")).to_owned())],
        links: vec![(text("Start over", "Começar de novo"), "/conta/global")],
        ..FormPage::default()
    }
}

/// The second step of a sign-in.
pub(super) async fn factor(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        if !visit.is_sent {
            return visit.lead("/conta/global");
        }
        let form = factor_form(&visit, visit.field("challenge").to_owned());
        form.answer(visit, Needs::Nothing, async |visit| {
            let given = SecondFactor::of(&SecretText::new(visit.field("code")));
            let token = entry::second_factor(&visit.cx, visit.field("challenge"), given).await?;
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
            entry::register(&visit.cx, visit.field("email")).await?;
            visit.keep_return();
            Ok(sent(visit))
        })
        .await
    })
    .await
}

/// Completes the registration of a mailed link. GET changes nothing, as mail scanners open links too.
pub(super) async fn complete(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let again = (MAKE, "/conta/global/register");
        let address = match entry::address_of(&visit.cx, visit.field("token")).await {
            Ok(address) => address,
            Err(error) => return link_gone(&visit, &error, again),
        };
        let name = text("Your name (optional)", "O seu nome (opcional)");
        let begins_watch =
            visit.guest.is_some() && visit.begins_at.as_deref().is_some_and(|place| tab_to_watch(place).is_some());
        let form = FormPage {
            title: Some(MAKE),
            lead: if begins_watch { vec![WITH_WATCH] } else { Vec::new() },
            action: "/conta/global/complete",
            button: Some(if begins_watch { MAKE_WITH_WATCH } else { MAKE }),
            fields: vec![
                FormField::email(&address).fixed(),
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
            if let (Some(tab), Some(guest)) = (tab_to_watch(&place), visit.guest.clone()) {
                // The account is there whatever comes of the watch, so an error is none of this form.
                let watched = async {
                    visit.cx.caller.identity = identity::of_session(&visit.cx.services, &token.text).await?.identity;
                    claim::take_and_watch(visit, &guest, tab).await
                };
                return Ok(match watched.await {
                    Ok(response) => response,
                    Err(error) => visit.refuse(&error),
                });
            }
            Ok(visit.lead(&visit.way_in_to(&place)))
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
