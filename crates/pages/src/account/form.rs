//! One form on a page: everything that the flows of accounts ask for.

use api::response::{of_error, status};
use askama::Template;
use axum::response::Response;
use http::StatusCode;
use model::lang::{Lang, Text, text};

use super::{Visit, leads_away, refused};
use crate::{Frame, filters};
use service::accounts::session;
use service::error::{Code, ServiceError};

/// What a page of a flow says and asks for.
#[derive(Debug, Default)]
pub(super) struct Form {
    /// The heading.
    pub(super) title: Option<Text>,
    /// What stands before the form.
    pub(super) lead: Vec<Text>,
    /// Where it is sent, a path.
    pub(super) action: &'static str,
    /// What the button does.
    pub(super) button: Option<Text>,
    /// It destroys something.
    pub(super) is_danger: bool,
    pub(super) fields: Vec<Field>,
    /// Names and values that go along unseen.
    pub(super) hidden: Vec<(&'static str, String)>,
    /// Where else to go.
    pub(super) links: Vec<(Text, &'static str)>,
    /// What a mail's link is for, and where another one is had when it can't be used any more.
    pub(super) again: Option<(Text, &'static str)>,
}

/// What a reader has to be for a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    /// Anybody.
    Nothing,
    /// Signed in.
    Session,
    /// Signed in, and just proved who they are.
    Proof,
}

/// One field.
#[derive(Debug)]
pub(super) struct Field {
    name: &'static str,
    label: Text,
    kind: &'static str,
    autocomplete: &'static str,
    hint: Option<Text>,
    value: String,
    is_required: bool,
    is_fixed: bool,
}

impl Field {
    /// The address that one signs in with.
    pub(super) fn email(value: &str) -> Self {
        let label = text("E-mail address", "Endereço de e-mail");
        Self { kind: "email", ..Self::text("email", label, "username", value) }
    }

    /// A password that exists (`current-password`) or is to be (`new-password`).
    pub(super) fn password(name: &'static str, label: Text, autocomplete: &'static str) -> Self {
        let hint = (autocomplete == "new-password").then(|| {
            text(
                "10 to 128 characters, any. A few words that nobody would guess are best.",
                "De 10 a 128 caracteres, quaisquer. O melhor são algumas palavras que ninguém adivinharia.",
            )
        });
        Self { kind: "password", hint, ..Self::text(name, label, autocomplete, "") }
    }

    /// A code of the authenticator or a recovery code.
    pub(super) fn code() -> Self {
        let label = text("Code", "Código");
        let hint = text(
            "Six digits of your authenticator, or one of your recovery codes.",
            "Seis dígitos do seu autenticador, ou um dos seus códigos de recuperação.",
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

    /// It can't be changed: there for password managers, and for people to see whose form it is.
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
struct FormPage<'a> {
    frame: Frame<'a>,
    form: &'a Form,
    csrf: &'a str,
    problem: Option<String>,
}

impl FormPage<'_> {
    fn of(&self, text: &Text) -> &'static str {
        text.in_lang(self.frame.reader.lang)
    }
}

impl Form {
    /// Shows the form, or does what it is for and answers with what came of it: the form again, with what is wrong, where
    /// that is about what was sent.
    pub(super) async fn answer(
        self,
        mut visit: Visit,
        needs: Needs,
        work: impl AsyncFnOnce(&mut Visit) -> Result<Response, ServiceError>,
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

    /// A refusal: of a link that is over, of what was sent, or of who sent it.
    pub(super) fn refused(&self, visit: &Visit, error: &ServiceError) -> Response {
        match (error.code, self.again) {
            (Code::InvalidLink, Some(again)) => {
                let title = text("This link can't be used", "Este link não pode ser usado");
                Self { title: Some(title), links: vec![again], ..Self::default() }.page(visit, Some(error))
            }
            (Code::NotFound, _) => visit.refuse(error),
            _ if leads_away(error) => refused(visit, error, self.action),
            _ => self.page(visit, Some(error)),
        }
    }

    /// The page, with what is wrong with what was sent.
    pub(super) fn page(&self, visit: &Visit, error: Option<&ServiceError>) -> Response {
        let problem = error.map(|error| problem(error, visit.lang()));
        let page = FormPage { frame: visit.frame(), form: self, csrf: &visit.csrf, problem };
        let mut response = visit.page(error.map_or(StatusCode::OK, status), &page);
        if let Some(error) = error {
            of_error(response.headers_mut(), error, visit.cx.services.is_https());
        }
        response
    }
}

/// What is wrong with what was sent, for a person.
pub(super) fn problem(error: &ServiceError, lang: Lang) -> String {
    let sentence = error.code.sentence().in_lang(lang);
    match &error.detail {
        // A person has no use for the name of the field before the explanation.
        Some(detail) => {
            let detail = detail.in_lang(lang);
            format!("{sentence} ({})", detail.split_once(": ").map_or(detail, |(_, explanation)| explanation))
        }
        None => sentence.to_owned(),
    }
}

/// A page that only says something.
pub(super) fn said(visit: &Visit, title: Text, lead: &[Text], links: Vec<(Text, &'static str)>) -> Response {
    Form { title: Some(title), lead: lead.to_vec(), links, ..Form::default() }.page(visit, None)
}
