//! The home page: the audit form.

use api::caller::is_crawler;
use api::cookies::CookieKind;
use api::request::{BODY_BYTES, client, read_body};
use api::response::{of_error, status};
use askama::Template;
use audit::check::Family;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};
use model::lang::{Lang, Text, text};

use crate::address::{Addresses, tool_of_query, with_lang};
use crate::card::{Card, CardSubject};
use crate::challenge::{self, ChallengeView};
use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::{html, private};
use crate::{csrf, error, filters, report};
use api::caller::same_origin;
use api::caller::{guard_form, of_page};
use api::site::Site;
use render::catalog;
use service::Services;
use service::audits::Finished;
use service::caller::Cx;
use service::caller::Identity;
use service::error::{Code, ServiceError};
use service::form_audit::{self, FormAudit, TypedUrl};
use service::gate;
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
    /// Slug of the tool that the form belongs to.
    tool: Option<&'static str>,
    challenge: Option<&'a ChallengeView>,
    problem: Option<AuditProblem>,
    free_per_day: u32,
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
    "Today's free audits are used up. Come back tomorrow (UTC), or pay {price} USD for this audit through the API.",
    "As auditorias grátis de hoje acabaram. Volte amanhã (UTC), ou pague US$ {preco} por esta auditoria pela API.",
);

pub(super) async fn show(State(services): State<Services>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let query = parts.uri.query();
    let reader = Reader::of(&parts.headers, query);
    let csrf = csrf::of_request(&services, &parts).await;
    let challenge = challenge::of_request(&services, &parts, csrf.is_some());
    let typed = Typed { url: filled_in(query), tool: tool_of_query(query), csrf, challenge };
    let response = shown(StatusCode::OK, &services, query, reader, &typed, None);
    if typed.csrf.is_some() || typed.challenge.is_some() { private(response) } else { response }
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
    /// The challenge that comes before the audit.
    challenge: Option<ChallengeView>,
}

impl Typed {
    /// What was typed, for the form to be shown once more.
    async fn again(self, services: &Services, parts: &Parts) -> Self {
        let csrf = csrf::of_request(services, parts).await;
        let challenge = challenge::of_request(services, parts, csrf.is_some());
        Self { csrf, challenge, ..self }
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
        "Enter an address to get a score, what is wrong with the page, and a ready fix for each finding. Free, without an account, in the browser or through an API.",
        "Informe um endereço e receba uma nota, o que há de errado na página e uma correção pronta para cada achado. Grátis, sem conta, pelo navegador ou por uma API.",
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
        tool: typed.tool.map(|family| family.slug),
        challenge: typed.challenge.as_ref(),
        problem: error.map(|error| problem(services, error, lang)),
        free_per_day: services.config().limits.free_audits_per_day,
        checks: audit::checks::all().count(),
        base_url: services.base_url(),
    }
}

fn problem(services: &Services, error: &ServiceError, lang: Lang) -> AuditProblem {
    let sentence = match error.code {
        Code::AllowanceSpent => SPENT.phrase(&services.config().prices.audit_usd.values()).in_lang(lang).to_owned(),
        _ => error.message_for_person(lang),
    };
    let status = error.code.status();
    AuditProblem {
        sentence,
        is_of_input: status == StatusCode::BAD_REQUEST,
        is_of_payment: status == StatusCode::PAYMENT_REQUIRED,
    }
}

/// Audits the typed address and redirects to the report.
pub(super) async fn submit(State(site): State<Site>, request: Request) -> Response {
    let services = site.services().clone();
    let (parts, body) = request.into_parts();
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let lang = reader.lang;
    let typed = match typed(&services, &parts, body).await {
        Ok(typed) => typed,
        Err(error) => return error::page(&services, &error, reader),
    };
    let FormAudit { new_guest, outcome } = match admit(&site, &parts, &typed, lang).await {
        Ok((cx, url, priced)) => form_audit::audit(&cx, &url, &priced).await,
        Err(error) => FormAudit { new_guest: None, outcome: Err(error) },
    };
    let cookie = new_guest.and_then(|token| CookieKind::Guest.set(services.is_https(), &token));
    let mut response = match outcome {
        Ok(Finished { id: Some(id), is_owned: true, .. }) => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::SEE_OTHER;
            let mut place = with_lang(&format!("/reports/{id}"), parts.uri.query(), lang);
            if let Some(family) = typed.tool {
                let mark = if place.contains('?') { '&' } else { '?' };
                place.push_str(&format!("{mark}tool={}", family.slug));
            }
            // The id is our own: digits and hyphens. So are the names of tools.
            if let Ok(place) = HeaderValue::from_str(&place) {
                response.headers_mut().insert(header::LOCATION, place);
            }
            private(response)
        }
        // A report that was not stored is shown at once.
        Ok(finished) => report::unkept(services, finished, typed.tool, reader).await,
        // The widget's form has no CSRF token. The page that follows has one, so the reader can send the form again.
        Err(error) if error.code == Code::InvalidCsrf && typed.csrf.is_none() => {
            let typed = typed.again(&services, &parts).await;
            private(shown(StatusCode::OK, &services, parts.uri.query(), reader, &typed, None))
        }
        Err(error) => {
            let typed = typed.again(&services, &parts).await;
            let mut response = shown(status(&error), &services, parts.uri.query(), reader, &typed, Some(&error));
            of_error(response.headers_mut(), &error, services.is_https());
            private(response)
        }
    };
    response.headers_mut().extend(cookie.map(|cookie| (header::SET_COOKIE, cookie)));
    response
}

/// The form.
async fn typed(services: &Services, parts: &Parts, body: Body) -> Result<Typed, ServiceError> {
    let received = read_body(services, parts, body, BODY_BYTES).await?;
    let field = |wanted: &str| url::form_urlencoded::parse(&received.bytes).find(|(name, _)| name == wanted);
    let (_, url) = field("url").ok_or_else(|| ServiceError::new(Code::InvalidBody).detail("url"))?;
    let tool = field("tool").and_then(|(_, slug)| catalog::family(&slug));
    let csrf = field("csrf").map(|(_, token)| token.into_owned());
    Ok(Typed { url: url.trim().to_owned(), tool, csrf, challenge: None })
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
