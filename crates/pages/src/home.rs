//! The home page: the audit form.

use std::sync::Arc;

use api::caller::is_crawler;
use api::cookies::CookieKind;
use api::request::{BODY_BYTES, client, read_body, wish};
use api::response::{of_error, status};
use askama::Template;
use audit::check::Family;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::request::Parts;
use http::{StatusCode, header};
use model::id::AuditId;
use model::lang::{Lang, Text, text};

use crate::address::{Addresses, tool_of_query, with_lang};
use crate::allowance::NextAudit;
use crate::card::{Card, CardSubject};
use crate::challenge::{self, ChallengeView};
use crate::credit::CreditField;
use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::{html, private, see_other};
use crate::{csrf, error, filters, report, running};
use api::caller::same_origin;
use api::caller::{guard_form, of_page};
use api::site::Site;
use render::catalog;
use service::Services;
use service::caller::Cx;
use service::caller::Identity;
use service::error::{Code, ServiceError};
use service::form_audit::{self, AskedAudit, FormAudit, TypedUrl};
use service::gate;
use service::running::AuditEnding;
use service::x402::Priced;

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage<'a> {
    frame: Frame<'a>,
    addresses: Addresses,
    card: Card,
    /// The typed address.
    url: &'a str,
    /// Proves to a signed-in reader's session that the form is ours.
    csrf: Option<&'a str>,
    /// The credit that pays where no free audit is left.
    credit: Option<CreditField>,
    /// Slug of the tool that the form belongs to.
    tool: Option<&'static str>,
    /// Random: a form that is sent twice has the same, and begins one audit.
    attempt: String,
    challenge: Option<&'a ChallengeView>,
    problem: Option<AuditProblem>,
    free_per_day: u32,
    is_on_trial: bool,
    /// Checks of the catalog.
    checks: usize,
    base_url: &'a str,
}

/// The message of a failed audit.
struct AuditProblem {
    sentence: String,
    /// Whether the input is wrong.
    is_of_input: bool,
    /// A payment is asked for.
    is_of_payment: bool,
}

/// The message of [`Code::AllowanceSpent`] for people: only programs can pay for an audit at once.
const SPENT: Text = text(
    "Today's free audits are used up. Come back tomorrow (UTC), or pay {price} USD for this audit: with credit here, or through the API.",
    "As auditorias grátis de hoje acabaram. Volte amanhã (UTC), ou pague US$ {preco} por esta auditoria: com crédito aqui, ou pela API.",
);

pub(super) async fn show(State(services): State<Services>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let query = parts.uri.query();
    let reader = Reader::of(&parts.headers, query);
    let csrf = csrf::of_request(&services, &parts).await;
    let challenge = challenge::of_request(&services, &parts, csrf.is_some());
    let credit = CreditField::of(&services, &parts, "/");
    let is_on_trial = csrf.is_some() && NextAudit::is_on_trial(&services, &parts).await;
    let (url, tool) = (filled_in(query), tool_of_query(query));
    let typed = Typed { url, tool, csrf, attempt: None, challenge, credit, is_on_trial };
    let is_own =
        typed.csrf.is_some() || typed.challenge.is_some() || typed.credit.as_ref().is_some_and(CreditField::is_kept);
    let response = shown(StatusCode::OK, &services, query, reader, &typed, None);
    if is_own { private(response) } else { response }
}

/// The address that a link fills into the form.
fn filled_in(query: Option<&str>) -> String {
    let mut pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    pairs.find(|(name, _)| name == "url").map(|(_, url)| url.into_owned()).unwrap_or_default()
}

/// The fields of the form.
struct Typed {
    /// As it was typed.
    url: String,
    /// The tool that the form belongs to.
    tool: Option<&'static Family>,
    /// The token that proves to a signed-in reader's session that the form is ours.
    csrf: Option<String>,
    /// The random text that the form had.
    attempt: Option<String>,
    /// The challenge that comes before the audit.
    challenge: Option<ChallengeView>,
    /// The credit that pays where no free audit is left.
    credit: Option<CreditField>,
    /// Whether the reader's account is in its trial.
    is_on_trial: bool,
}

impl Typed {
    /// An address alone.
    fn of(url: String) -> Self {
        Self { url, tool: None, csrf: None, attempt: None, challenge: None, credit: None, is_on_trial: false }
    }

    /// What was typed, for the form to be shown once more.
    async fn again(self, services: &Services, parts: &Parts) -> Self {
        let csrf = csrf::of_request(services, parts).await;
        let challenge = challenge::of_request(services, parts, csrf.is_some());
        let is_on_trial = csrf.is_some() && NextAudit::is_on_trial(services, parts).await;
        Self { csrf, challenge, credit: CreditField::of(services, parts, "/"), is_on_trial, ..self }
    }
}

/// The page as a response.
fn shown(
    status: StatusCode,
    services: &Services,
    query: Option<&str>,
    reader: Reader,
    typed: &Typed,
    error: Option<&ServiceError>,
) -> Response {
    let mut response = html(status, &page(services, query, reader, typed, error), reader.lang);
    challenge::allow(&mut response, typed.challenge.as_ref());
    response
}

fn page<'a>(
    services: &'a Services,
    query: Option<&str>,
    reader: Reader,
    typed: &'a Typed,
    error: Option<&ServiceError>,
) -> HomePage<'a> {
    const TITLE: Text = text("Technical SEO audit of a page", "Auditoria técnica de SEO de uma página");
    const DESCRIPTION: Text = text(
        "Enter an address to get a score, the findings, and the fix for each. Free, without an account, in the browser or through an API.",
        "Informe um endereço e receba uma nota, os achados e a correção de cada um. Grátis, sem conta, pelo navegador ou por uma API.",
    );
    let lang = reader.lang;
    let addresses = Addresses::new(services, "/", query, lang);
    let (title, description) = (TITLE.in_lang(lang), DESCRIPTION.in_lang(lang));
    let subject = CardSubject { kind: "WebPage", title: &[title], description, way: &[] };
    HomePage {
        frame: Frame::new(services, reader).below("/").keeping_query(query),
        card: Card::new(services, &addresses, lang, &subject),
        addresses,
        url: &typed.url,
        csrf: typed.csrf.as_deref(),
        credit: typed.credit.clone(),
        tool: typed.tool.map(|family| family.slug),
        attempt: services.ports().nonce(),
        challenge: typed.challenge.as_ref(),
        problem: error.map(|error| problem(services, error, lang)),
        free_per_day: services.config().limits.free_audits_per_day,
        is_on_trial: typed.is_on_trial,
        checks: audit::checks::all().count(),
        base_url: services.base_url(),
    }
}

fn problem(services: &Services, error: &ServiceError, lang: Lang) -> AuditProblem {
    let sentence = match error.code {
        Code::AllowanceSpent => SPENT.phrase(&services.config().prices.audit_usd.values()).in_lang(lang).to_owned(),
        _ => error::message(error, lang),
    };
    let status = error.code.status();
    AuditProblem {
        sentence,
        is_of_input: status == StatusCode::BAD_REQUEST,
        is_of_payment: status == StatusCode::PAYMENT_REQUIRED,
    }
}

/// What comes of the form.
enum Submitted {
    /// A page of ours shows it: its path.
    Elsewhere(String),
    /// Nothing that has an address.
    Here(AuditEnding),
}

/// Audits the typed address. A browser is sent to the page that shows the stages, a program waits and is sent to the report.
pub(super) async fn submit(State(site): State<Site>, request: Request) -> Response {
    let services = site.services().clone();
    let (parts, body) = request.into_parts();
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let typed = match typed(&services, &parts, body).await {
        Ok(typed) => typed,
        Err(error) => return error::page(&services, &error, reader),
    };
    let (new_guest, submitted) = match admit(&site, &parts, &typed, reader.lang).await {
        Ok(admitted) if wish(&parts.headers, "text/html") > 0 => begun(admitted, &parts, &typed).await,
        Ok((cx, url, priced)) => {
            let FormAudit { new_guest, outcome } = form_audit::audit(&cx, url, &priced).await;
            let id = outcome.as_ref().ok().and_then(|finished| finished.id.clone());
            let submitted = match (form_audit::ending(outcome), id) {
                (AuditEnding::Stored, Some(id)) => Submitted::Elsewhere(way_on(&id, &parts, &typed, reader.lang)),
                (ending, _) => Submitted::Here(ending),
            };
            (new_guest, submitted)
        }
        Err(error) => (None, Submitted::Here(AuditEnding::Failed(Arc::new(error)))),
    };
    let cookie = new_guest.and_then(|token| CookieKind::Guest.set(services.is_https(), &token));
    let mut response = match submitted {
        Submitted::Elsewhere(place) => private(see_other(&place)),
        Submitted::Here(ending) => ended(services, &parts, reader, typed, ending).await,
    };
    response.headers_mut().extend(cookie.map(|cookie| (header::SET_COOKIE, cookie)));
    response
}

/// Begins the audit, and waits until its page can be shown or it has ended.
async fn begun((cx, url, priced): (Cx, TypedUrl, Priced), parts: &Parts, typed: &Typed) -> (Option<String>, Submitted) {
    let (lang, id) = (cx.lang, AuditId(cx.services.ports().id()));
    let way_on = way_on(&id, parts, typed, lang);
    let asked = AskedAudit { id, typed: typed.url.clone(), attempt: typed.attempt.clone(), way_on };
    let follower = match form_audit::begin(cx, url, priced, asked) {
        Ok(follower) => follower,
        Err(error) => return (None, Submitted::Here(AuditEnding::Failed(Arc::new(error)))),
    };
    match running::answerable(follower).await {
        Ok(audit) => {
            let submitted = match audit.ending() {
                None => Submitted::Elsewhere(with_lang(&running::path(&audit.id), parts.uri.query(), lang)),
                Some(AuditEnding::Stored) => Submitted::Elsewhere(audit.way_on),
                Some(ending) => Submitted::Here(ending.clone()),
            };
            (audit.new_guest, submitted)
        }
        Err(error) => (None, Submitted::Here(AuditEnding::Failed(Arc::new(error)))),
    }
}

/// Path of the report that an audit will have, with the tool of the form.
fn way_on(id: &AuditId, parts: &Parts, typed: &Typed, lang: Lang) -> String {
    let mut place = with_lang(&format!("/reports/{id}"), parts.uri.query(), lang);
    if let Some(family) = typed.tool {
        let mark = if place.contains('?') { '&' } else { '?' };
        place.push_str(&format!("{mark}tool={}", family.slug));
    }
    place
}

/// The page of an audit that ended without a stored report.
async fn ended(services: Services, parts: &Parts, reader: Reader, typed: Typed, ending: AuditEnding) -> Response {
    match ending {
        // A report that was not stored is shown at once.
        AuditEnding::Unkept(unkept) => report::unkept(services, unkept, typed.tool, reader).await,
        AuditEnding::Failed(error) => failed(&services, parts, reader, typed, &error).await,
        // It has an address.
        AuditEnding::Stored => error::page(&services, &ServiceError::new(Code::Internal), reader),
    }
}

/// The page of an audit that was asked for by the form of this page and ended without a stored report.
pub(super) async fn ended_elsewhere(
    services: Services,
    parts: &Parts,
    reader: Reader,
    url: &str,
    ending: AuditEnding,
) -> Response {
    ended(services, parts, reader, Typed::of(url.to_owned()), ending).await
}

/// The form again, with what is wrong.
async fn failed(services: &Services, parts: &Parts, reader: Reader, typed: Typed, error: &ServiceError) -> Response {
    let query = parts.uri.query();
    // The widget's form has no CSRF token. The page that follows has one, so the reader can send the form again.
    if error.code == Code::InvalidCsrf && typed.csrf.is_none() {
        let typed = typed.again(services, parts).await;
        return private(shown(StatusCode::OK, services, query, reader, &typed, None));
    }
    let mut typed = typed.again(services, parts).await;
    let is_open = error.code.status() == StatusCode::PAYMENT_REQUIRED;
    typed.credit = typed.credit.map(|field| CreditField { is_open, ..field });
    let mut response = shown(status(error), services, query, reader, &typed, Some(error));
    of_error(response.headers_mut(), error, services.is_https());
    private(response)
}

/// The form.
async fn typed(services: &Services, parts: &Parts, body: Body) -> Result<Typed, ServiceError> {
    let received = read_body(services, parts, body, BODY_BYTES).await?;
    let field = |wanted: &str| url::form_urlencoded::parse(&received.bytes).find(|(name, _)| name == wanted);
    let (_, url) = field("url").ok_or_else(|| ServiceError::new(Code::InvalidBody).detail("url"))?;
    let tool = field("tool").and_then(|(_, slug)| catalog::family(&slug));
    let csrf = field("csrf").map(|(_, token)| token.into_owned());
    let attempt = field("attempt").map(|(_, text)| text.into_owned());
    Ok(Typed { tool, csrf, attempt, ..Typed::of(url.trim().to_owned()) })
}

/// The call, the URL to audit and its price, after every check but that of the allowance.
async fn admit(site: &Site, parts: &Parts, typed: &Typed, lang: Lang) -> Result<(Cx, TypedUrl, Priced), ServiceError> {
    let services = site.services();
    same_origin(services, parts)?;
    let network = client(&parts.extensions, &parts.headers);
    gate::admit_audit(services, network, is_crawler(services, &parts.headers))?;
    let caller = of_page(services, parts).await?;
    if let Identity::Session(_) = caller.identity {
        guard_form(services, &caller, &parts.headers, typed.csrf.as_deref())?;
    }
    let cx = Cx::new(services, caller, lang);
    let url = form_audit::typed_url(&cx, &typed.url).await?;
    Ok((cx, url, site.audit_price()?))
}
