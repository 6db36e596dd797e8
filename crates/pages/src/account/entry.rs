//! Sign-in, registration and recovery: the forms that need no session.

use axum::extract::Request;
use axum::response::Response;
use model::lang::{Text, text};

use super::form::{FormField, FormPage, Needs, message_page};
use super::visit::{AccountVisit, AppState, visit, way_on};
use service::accounts::entry::{self, SecondFactor, SignIn};
use service::accounts::recovery;
use service::config::SecretText;
use service::error::{Code, ServiceError};

const SIGN_IN: Text = text("Sign in", "Entrar");
const PASSWORD: Text = text("Password", "Senha");
const NEW_PASSWORD: Text = text("New password", "Nova senha");
const MAKE: Text = text("Make an account", "Criar uma conta");
const PASSKEY: Text = text("Sign in with a passkey", "Entrar com uma chave de acesso");
const FORGOTTEN: Text = text("I forgot my password", "Esqueci a minha senha");

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
                    visit.keep(&token);
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
        title: Some(text("Second factor", "Segundo fator")),
        action: "/conta/global/factor",
        button: Some(SIGN_IN),
        fields: vec![FormField::code()],
        hidden: vec![("challenge", challenge), ("return_to", way_on(visit.field("return_to")).to_owned())],
        links: vec![(text("Begin again", "Começar de novo"), "/conta/global")],
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
            visit.keep(&token);
            Ok(visit.lead(&visit.way_in()))
        })
        .await
    })
    .await
}

/// Says that a mail is on its way, whether the account exists or not.
fn sent(visit: &AccountVisit) -> Response {
    let lead = text(
        "If the address is right, a mail is on its way. It can take a few minutes; look into the folder for spam too.",
        "Se o endereço estiver certo, um e-mail está a caminho. Pode levar alguns minutos; olhe também a pasta de spam.",
    );
    let again = text("Back to signing in", "Voltar para entrar");
    message_page(visit, text("Look into your mail", "Veja o seu e-mail"), &[lead], vec![(again, "/conta/global")])
}

/// Asks for an account.
pub(super) async fn register(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let form = FormPage {
            title: Some(MAKE),
            lead: vec![text(
                "We send a link to your address, with which you make the account.",
                "Enviamos um link ao seu endereço, com o qual você cria a conta.",
            )],
            action: "/conta/global/register",
            button: Some(text("Send the link", "Enviar o link")),
            fields: vec![FormField::email(visit.field("email"))],
            links: vec![(text("I have an account", "Já tenho conta"), "/conta/global")],
            ..FormPage::default()
        };
        form.answer(visit, Needs::Nothing, async |visit| {
            entry::register(&visit.cx, visit.field("email")).await?;
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
        let name = text("Your name, if you like", "O seu nome, se quiser");
        let form = FormPage {
            title: Some(MAKE),
            action: "/conta/global/complete",
            button: Some(MAKE),
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
            Ok(visit.lead(&visit.way_in()))
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
                "We send a link to the address of your account, with which you set a new password.",
                "Enviamos um link ao endereço da sua conta, com o qual você define uma nova senha.",
            )],
            action: "/conta/global/reset",
            button: Some(text("Send the link", "Enviar o link")),
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
                "With a new password all sessions of the account end, and all its API keys are revoked.",
                "Com uma nova senha todas as sessões da conta terminam e todas as suas chaves de API são revogadas.",
            )],
            action: "/conta/global/password",
            button: Some(text("Set the password", "Definir a senha")),
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
            let done = text("Your password is set", "A sua senha foi definida");
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
            title: Some(text("Confirm the address", "Confirmar o endereço")),
            action: "/conta/global/email",
            button: Some(text("This is my address", "Este é o meu endereço")),
            hidden: vec![("token", visit.field("token").to_owned())],
            again: Some((SIGN_IN, "/conta/global")),
            ..FormPage::default()
        };
        form.answer(visit, Needs::Nothing, async |visit| {
            recovery::confirm_email(&visit.cx, visit.field("token")).await?;
            let done = text("Your address was changed", "O seu endereço foi mudado");
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
            title: Some(text("Take the change of the address back", "Desfazer a mudança do endereço")),
            lead: vec![text(
                "The account gets its address back, all sessions end, and all API keys are revoked.",
                "A conta recupera o seu endereço, todas as sessões terminam e todas as chaves de API são revogadas.",
            )],
            action: "/conta/global/undo",
            button: Some(text("Take it back", "Desfazer")),
            is_danger: true,
            hidden: vec![("token", visit.field("token").to_owned())],
            again: Some((SIGN_IN, "/conta/global")),
            ..FormPage::default()
        };
        form.answer(visit, Needs::Nothing, async |visit| {
            recovery::undo_email(&visit.cx, visit.field("token")).await?;
            visit.forget();
            let done = text("The address is yours again", "O endereço é seu de novo");
            let then = text(
                "Whoever changed it may know the password: set a new one.",
                "Quem o mudou pode saber a senha: defina uma nova.",
            );
            Ok(message_page(visit, done, &[then], vec![(FORGOTTEN, "/conta/global/reset")]))
        })
        .await
    })
    .await
}
