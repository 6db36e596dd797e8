//! The contact form for people, without a script. Fields of a proposal are shown once a proposal is chosen.

use api::caller::same_origin;
use api::request::{BODY_BYTES, client, read_body};
use api::response::{of_error, status};
use askama::Template;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};
use model::lang::{Text, text};
use serde_json::Value;
use service::Services;
use service::caller::{Caller, Cx};
use service::contact::{
    self, BUDGETS, Choice, ContactForm, DURATIONS, EMAIL_CHARS, KINDS, MEANS, MESSAGE_CHARS, NAME_CHARS, TEXT_CHARS,
};
use service::error::{Code, ServiceError};

use crate::address::Addresses;
use crate::card::{Card, CardSubject};
use crate::error;
use crate::filters;
use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::{html, private, unstored};

/// Path of the page.
pub(super) const PATH: &str = "/contact";

/// Bytes of a sent form: the longest message, each character of four bytes in percent-encoding, and the other fields.
const CONTACT_FORM_BYTES: usize = 2 * BODY_BYTES;

#[derive(Template)]
#[template(path = "contact.html")]
struct ContactPage<'a> {
    frame: Frame<'a>,
    addresses: Addresses,
    card: Card,
    /// Whether messages can be sent from here.
    is_configured: bool,
    /// Another way to write, if the operator gave one.
    email: Option<&'a str>,
    was_sent: bool,
    form: SentForm,
    /// Id and name of each placement, and whether it is chosen.
    placements: Vec<(&'a str, &'a str, bool)>,
    problem: Option<ContactProblem>,
}

/// The values of the fields.
#[derive(Debug, Default)]
struct SentForm {
    name: String,
    email: String,
    message: String,
    kind: String,
    company: String,
    site: String,
    budget: String,
    placements: Vec<String>,
    duration: String,
    payment: String,
}

/// What is wrong with a sent form.
struct ContactProblem {
    sentence: &'static str,
    /// Name of the field; empty where it is none of them.
    field: &'static str,
}

impl ContactPage<'_> {
    const NAME_CHARS: usize = NAME_CHARS;
    const EMAIL_CHARS: usize = EMAIL_CHARS;
    const MESSAGE_CHARS: usize = MESSAGE_CHARS;
    const TEXT_CHARS: usize = TEXT_CHARS;

    /// Word and label of each choice, and whether it is chosen.
    fn choices(&self, choices: &'static [Choice], chosen: &str) -> Vec<(&'static str, &'static str, bool)> {
        let lang = self.frame.reader.lang;
        choices.iter().map(|choice| (choice.word, choice.label.in_lang(lang), choice.word == chosen)).collect()
    }

    fn kinds(&self) -> Vec<(&'static str, &'static str, bool)> {
        self.choices(&KINDS, &self.form.kind)
    }

    fn budgets(&self) -> Vec<(&'static str, &'static str, bool)> {
        self.choices(&BUDGETS, &self.form.budget)
    }

    fn durations(&self) -> Vec<(&'static str, &'static str, bool)> {
        self.choices(&DURATIONS, &self.form.duration)
    }

    fn means(&self) -> Vec<(&'static str, &'static str, bool)> {
        self.choices(&MEANS, &self.form.payment)
    }

    /// Whether the fields of a proposal are shown.
    fn is_proposal(&self) -> bool {
        !self.form.kind.is_empty()
    }

    /// Whether a field was refused.
    fn is_wrong(&self, field: &str) -> bool {
        self.problem.as_ref().is_some_and(|problem| problem.field == field)
    }
}

impl SentForm {
    /// The fields of a query or a sent form.
    fn of(pairs: &[u8]) -> Self {
        let mut form = Self::default();
        for (name, value) in url::form_urlencoded::parse(pairs) {
            let field = match name.as_ref() {
                "name" => &mut form.name,
                "email" => &mut form.email,
                "message" => &mut form.message,
                "tipo" => &mut form.kind,
                "empresa" => &mut form.company,
                "site" => &mut form.site,
                "orcamento" => &mut form.budget,
                "duracao" => &mut form.duration,
                "pagamento" => &mut form.payment,
                "espaco" => {
                    form.placements.push(value.into_owned());
                    continue;
                }
                _ => continue,
            };
            *field = value.into_owned();
        }
        form
    }

    /// The form as the API takes it.
    fn contact(&self) -> ContactForm {
        let text = |text: &str| Value::from(text);
        let placements = self.placements.iter().filter(|id| !id.is_empty()).map(|id| text(id)).collect();
        ContactForm {
            name: text(&self.name),
            email: text(&self.email),
            message: text(&self.message),
            kind: text(&self.kind),
            company: text(&self.company),
            site: text(&self.site),
            budget: text(&self.budget),
            placements: Value::Array(placements),
            duration: text(&self.duration),
            payment: text(&self.payment),
        }
    }
}

/// The form, with the values that the query gives; a page that sends a reader here can fill some in.
pub(super) async fn show(State(services): State<Services>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let query = parts.uri.query().unwrap_or_default();
    let was_sent = url::form_urlencoded::parse(query.as_bytes()).any(|(name, _)| name == "sent");
    page(&services, &parts, SentForm::of(query.as_bytes()), was_sent, None)
}

/// Takes a message, and leads to the page that says so: loading it again sends nothing twice.
pub(super) async fn send(State(services): State<Services>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let form = match received(&services, &parts, body).await {
        Ok(form) => form,
        Err(refusal) => return error::page(&services, &refusal, reader),
    };
    let network = client(&parts.extensions, &parts.headers);
    let cx = Cx::new(&services, Caller::unknown(network, "browser"), reader.lang);
    match contact::send(&cx, &form.contact()).await {
        Ok(()) => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::SEE_OTHER;
            let place = format!("{PATH}?sent&lang={}", reader.lang.tag());
            response.headers_mut().extend(HeaderValue::from_str(&place).ok().map(|place| (header::LOCATION, place)));
            private(response)
        }
        Err(refusal) => page(&services, &parts, form, false, Some(&refusal)),
    }
}

/// The sent form; refused from another site.
async fn received(services: &Services, parts: &Parts, body: Body) -> Result<SentForm, ServiceError> {
    same_origin(services, parts)?;
    let received = read_body(services, parts, body, CONTACT_FORM_BYTES).await?;
    Ok(SentForm::of(&received.bytes))
}

fn page(
    services: &Services,
    parts: &Parts,
    form: SentForm,
    was_sent: bool,
    refusal: Option<&ServiceError>,
) -> Response {
    const TITLE: Text = text("Contact", "Contato");
    const DESCRIPTION: Text = text(
        "Write to the team behind this service, or send a proposal.",
        "Escreva para a equipe deste serviço, ou envie uma proposta.",
    );
    let query = parts.uri.query();
    let reader = Reader::of(&parts.headers, query);
    let lang = reader.lang;
    let addresses = Addresses::new(services, PATH, None, lang);
    let title = TITLE.in_lang(lang);
    let subject = CardSubject {
        kind: "ContactPage",
        title: &[title],
        description: DESCRIPTION.in_lang(lang),
        way: &[(title, PATH.to_owned())],
    };
    let is_configured = contact::is_configured(services);
    let partners = &services.config().partners;
    let offered = partners.placements.iter().filter(|_| partners.enabled);
    let placements = offered.map(|placement| {
        let is_chosen = form.placements.contains(&placement.id);
        (placement.id.as_str(), placement.name.in_lang(lang), is_chosen)
    });
    let page = ContactPage {
        frame: Frame::new(services, reader).keeping_query(query),
        card: Card::new(services, &addresses, lang, &subject),
        addresses,
        is_configured,
        email: services.config().organization.email.as_deref(),
        was_sent,
        placements: placements.collect(),
        form,
        problem: refusal
            .map(|error| ContactProblem { sentence: problem(error).in_lang(lang), field: field(error.code) }),
    };
    let unconfigured = ServiceError::new(Code::ContactUnconfigured);
    let refusal = refusal.or((!is_configured).then_some(&unconfigured));
    let response = html(refusal.map_or(StatusCode::OK, status), &page, lang);
    // The bare form is the same for everybody and may be found. What was typed or sent is its reader's alone.
    let is_bare = refusal.is_none() && query.is_none_or(is_language);
    let mut response = if is_bare { unstored(response) } else { private(response) };
    if let Some(error) = refusal {
        of_error(response.headers_mut(), error, services.is_https());
    }
    response
}

/// Whether a query only chooses the language.
fn is_language(query: &str) -> bool {
    url::form_urlencoded::parse(query.as_bytes()).all(|(name, _)| name == "lang")
}

/// The name of the field that an error is about; empty for none.
fn field(code: Code) -> &'static str {
    match code {
        Code::InvalidName => "name",
        Code::InvalidEmail => "email",
        Code::InvalidMessage => "message",
        Code::InvalidProposal => "tipo",
        Code::InvalidCompany => "empresa",
        Code::InvalidSite => "site",
        Code::InvalidBudget => "orcamento",
        Code::InvalidPlacements => "espaco",
        Code::InvalidDuration => "duracao",
        Code::InvalidMeans => "pagamento",
        _ => "",
    }
}

/// The message for a person, who knows labels and not names of fields.
fn problem(error: &ServiceError) -> Text {
    match error.code {
        Code::InvalidName => text(
            "Enter your name: at most 120 characters on one line.",
            "Informe o seu nome: no máximo 120 caracteres em uma linha.",
        ),
        Code::InvalidEmail => text(
            "Enter the email address we should reply to, such as ana@example.com.",
            "Informe o e-mail para a resposta, como ana@example.com.",
        ),
        Code::InvalidMessage => text(
            "Enter a message of at most 8,000 characters, without tabs or other control characters.",
            "Escreva uma mensagem de no máximo 8.000 caracteres, sem tabulações nem outros caracteres de controle.",
        ),
        Code::InvalidCompany => text(
            "The company's name can have at most 200 characters on one line.",
            "O nome da empresa pode ter no máximo 200 caracteres em uma linha.",
        ),
        Code::InvalidSite => text(
            "The address of the site can have at most 200 characters on one line.",
            "O endereço do site pode ter no máximo 200 caracteres em uma linha.",
        ),
        Code::RateLimited => text(
            "Too many messages from your network are waiting to be sent. Try again in a minute.",
            "Há mensagens demais da sua rede esperando envio. Tente de novo em um minuto.",
        ),
        _ => error.sentence(),
    }
}
