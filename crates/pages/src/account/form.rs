//! Forms of the account flows: one form on a page.

use askama::Template;
use axum::response::Response;
use model::lang::{Phrase, Text, text};

use super::visit::{AccountVisit, leads_away, refused, way_on, with_return};
use crate::error;
use crate::filters;
use crate::frame::Frame;
use service::accounts::session;
use service::error::{Code, ServiceError};

pub(super) const SIGN_IN: Text = text("Sign in", "Entrar");
pub(super) const PASSWORD: Text = text("Password", "Senha");
pub(super) const PASSKEY: Text = text("Sign in with a passkey", "Entrar com uma chave de acesso");
pub(super) const FORGOTTEN: Text = text("Forgot your password?", "Esqueceu a senha?");

/// The texts and fields of a page with one form.
#[derive(Debug, Default)]
pub(super) struct FormPage {
    /// The heading.
    pub(super) title: Option<Text>,
    /// What the form is about, with values, before the other paragraphs.
    pub(super) about: Option<Phrase>,
    /// Paragraphs before the form.
    pub(super) lead: Vec<Text>,
    /// Path of the `action`.
    pub(super) action: &'static str,
    /// Label of the button.
    pub(super) button: Option<Text>,
    /// It destroys something.
    pub(super) is_danger: bool,
    pub(super) fields: Vec<FormField>,
    /// Hidden fields: name and value.
    pub(super) hidden: Vec<(&'static str, String)>,
    /// Links below the form: label and path.
    pub(super) links: Vec<(Text, &'static str)>,
    /// For forms of a mailed link: label and path of the form that sends a new link.
    pub(super) again: Option<(Text, &'static str)>,
}

/// Authentication that a form needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    /// None.
    Nothing,
    /// A session.
    Session,
    /// A session with a fresh proof.
    Proof,
}

/// One field.
#[derive(Debug)]
pub(super) struct FormField {
    name: &'static str,
    label: Text,
    kind: &'static str,
    autocomplete: &'static str,
    hint: Option<Text>,
    value: String,
    is_required: bool,
    is_fixed: bool,
}

impl FormField {
    /// The address that one signs in with.
    pub(super) fn email(value: &str) -> Self {
        let label = text("Email address", "Endereço de e-mail");
        Self { kind: "email", ..Self::text("email", label, "username", value) }
    }

    /// A password that exists (`current-password`) or is to be (`new-password`).
    pub(super) fn password(name: &'static str, label: Text, autocomplete: &'static str) -> Self {
        let hint = (autocomplete == "new-password").then(|| {
            text(
                "10 to 128 characters of any kind. A few random words are best.",
                "De 10 a 128 caracteres de qualquer tipo. O melhor são algumas palavras aleatórias.",
            )
        });
        Self { kind: "password", hint, ..Self::text(name, label, autocomplete, "") }
    }

    /// A code of the authenticator or a recovery code.
    pub(super) fn code() -> Self {
        let label = text("Code", "Código");
        let hint = text(
            "The 6-digit code from your authenticator app, or a recovery code.",
            "O código de 6 dígitos do seu aplicativo autenticador, ou um código de recuperação.",
        );
        Self { hint: Some(hint), ..Self::text("code", label, "one-time-code", "") }
    }

    /// A line of text.
    pub(super) fn text(name: &'static str, label: Text, autocomplete: &'static str, value: &str) -> Self {
        Self {
            name,
            label,
            kind: "text",
            autocomplete,
            hint: None,
            value: value.to_owned(),
            is_required: true,
            is_fixed: false,
        }
    }

    /// Read-only: for password managers, and to show whose form it is.
    pub(super) fn fixed(self) -> Self {
        Self { is_fixed: true, ..self }
    }

    /// It may stay empty.
    pub(super) fn optional(self) -> Self {
        Self { is_required: false, ..self }
    }
}

#[derive(Template)]
#[template(path = "account_form.html")]
struct FormTemplate<'a> {
    frame: Frame<'a>,
    form: &'a FormPage,
    csrf: &'a str,
    problem: Option<String>,
}

impl FormTemplate<'_> {
    /// Address of a link below the form. From one page that leads to an account to another the way back stays.
    fn link(&self, to: &str) -> String {
        let back = self.form.hidden.iter().find(|(name, _)| *name == "return_to");
        let path = match back {
            Some((_, back)) if back != way_on("") => with_return(to, back),
            _ => to.to_owned(),
        };
        let mark = if path.contains('?') { '&' } else { '?' };
        format!("{path}{mark}lang={}", self.frame.tag())
    }

    fn of(&self, text: &Text) -> &'static str {
        text.in_lang(self.frame.reader.lang)
    }

    /// What the form is about, in the reader's language.
    fn about(&self) -> Option<&str> {
        self.form.about.as_ref().map(|about| about.in_lang(self.frame.reader.lang))
    }
}

impl FormPage {
    /// The second step of signing in.
    pub(super) fn factor(visit: &AccountVisit, challenge: String) -> Self {
        Self {
            title: Some(text("Two-factor authentication", "Autenticação em dois fatores")),
            action: "/conta/global/factor",
            button: Some(SIGN_IN),
            fields: vec![FormField::code()],
            hidden: vec![("challenge", challenge), ("return_to", way_on(visit.field("return_to")).to_owned())],
            links: vec![(text("Start over", "Começar de novo"), "/conta/global")],
            ..Self::default()
        }
    }

    /// Whether it is for people who are not signed in yet.
    pub(super) fn is_entry(&self) -> bool {
        self.action.starts_with("/conta/global")
    }

    /// Shows the form, or runs `work` on a sent form and answers with its outcome: for an error in the input, the form
    /// with the message.
    pub(super) async fn answer(
        self,
        mut visit: AccountVisit,
        needs: Needs,
        work: impl AsyncFnOnce(&mut AccountVisit) -> Result<Response, ServiceError>,
    ) -> Response {
        let entitled = match needs {
            Needs::Nothing => Ok(()),
            Needs::Session => visit.cx.caller.required_session().map(drop),
            Needs::Proof => session::fresh(&visit.cx).map(drop),
        };
        if let Err(error) = entitled {
            return refused(&visit, &error, self.action);
        }
        if !visit.is_sent {
            return self.page(&visit, None);
        }
        match work(&mut visit).await {
            Ok(response) => response,
            Err(error) => self.refused(&visit, &error),
        }
    }

    /// The page of an error: an expired link, wrong input, or missing authentication.
    pub(super) fn refused(&self, visit: &AccountVisit, error: &ServiceError) -> Response {
        match (error.code, self.again) {
            (Code::InvalidLink, Some(again)) => {
                let title = text("This link no longer works", "Este link não funciona mais");
                Self { title: Some(title), links: vec![again], ..Self::default() }.page(visit, Some(error))
            }
            (Code::NotFound, _) => visit.refuse(error),
            _ if leads_away(error) => refused(visit, error, self.action),
            _ => self.page(visit, Some(error)),
        }
    }

    /// The page with the form, and the error of the input, if any.
    pub(super) fn page(&self, visit: &AccountVisit, error: Option<&ServiceError>) -> Response {
        let problem = error.map(|error| error::message(error, visit.lang()));
        let page = FormTemplate { frame: visit.frame(), form: self, csrf: &visit.csrf, problem };
        visit.form_page(error, &page)
    }
}

/// A page with a message and no form.
pub(super) fn message_page(
    visit: &AccountVisit,
    title: Text,
    lead: &[Text],
    links: Vec<(Text, &'static str)>,
) -> Response {
    FormPage { title: Some(title), lead: lead.to_vec(), links, ..FormPage::default() }.page(visit, None)
}
