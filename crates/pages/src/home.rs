//! The first page: one form.

use api::caller::is_crawler;
use api::request::{BODY_BYTES, client, read_body};
use api::response::{of_error, status};
use askama::Template;
use audit::check::Family;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};
use model::id::GuestId;
use model::lang::{Lang, Text, text};
use url::Url;

use super::card::{Card, Subject};
use super::{Addresses, Frame, Reader, filters, guest_cookie, html, report, with_lang};
use api::caller::same_origin;
use api::caller::{guard_form, of_page};
use api::site::Site;
use render::catalog;
use service::Services;
use service::audits::{self, Finished};
use service::caller::Cx;
use service::caller::Identity;
use service::error::{Code, ServiceError};
use service::gate;

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage<'a> {
    frame: Frame<'a>,
    addresses: Addresses,
    card: Card,
    /// What was typed.
    url: &'a str,
    /// Proves to a signed-in reader's session that the form is ours.
    csrf: Option<&'a str>,
    /// Slug of the tool that the form belongs to.
    tool: Option<&'static str>,
    problem: Option<Problem>,
    free_per_day: u32,
    base_url: &'a str,
}

/// Why there is no report.
struct Problem {
    sentence: String,
    /// Whether what was typed is at fault.
    is_of_input: bool,
}

/// The refusal of [`Code::AllowanceSpent`], for a person: who pays is a program.
const SPENT: Text = text(
    "The free audits of today are used up. There are new ones tomorrow (UTC); a program can pay {price} USD for this one now.",
    "As auditorias grátis de hoje acabaram. Há novas amanhã (UTC); um programa pode pagar {price} USD por esta agora.",
);

pub(super) async fn show(State(app): State<Services>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let query = parts.uri.query();
    let reader = Reader::of(&parts.headers, query);
    let csrf = super::account::csrf(&app, &parts).await;
    let typed = Typed { url: filled_in(query), tool: super::tool_asked(query), csrf };
    let response = html(StatusCode::OK, &page(&app, query, reader, &typed, None), reader.lang);
    if typed.csrf.is_some() { super::private(response) } else { response }
}

/// What a link fills into the form; the reader sends it.
fn filled_in(query: Option<&str>) -> String {
    let mut pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    pairs.find(|(name, _)| name == "url").map(|(_, url)| url.into_owned()).unwrap_or_default()
}

/// What a form holds.
struct Typed {
    /// As it was typed.
    url: String,
    /// The tool that the form belongs to.
    tool: Option<&'static Family>,
    /// The token that proves to a signed-in reader's session that the form is ours.
    csrf: Option<String>,
}

fn page<'a>(
    app: &'a Services,
    query: Option<&str>,
    reader: Reader,
    typed: &'a Typed,
    error: Option<&ServiceError>,
) -> HomePage<'a> {
    const TITLE: Text = text("Technical SEO audit of a page", "Auditoria técnica de SEO de uma página");
    const DESCRIPTION: Text = text(
        "Give it an address: a score, what is wrong with the page, and a ready fix for each finding. Free, without an account, from a browser or an API.",
        "Dê um endereço: uma nota, o que há de errado na página e uma correção pronta para cada achado. Grátis, sem conta, pelo navegador ou por uma API.",
    );
    let lang = reader.lang;
    let addresses = Addresses::new(app, "/", query, lang);
    let (title, description) = (TITLE.in_lang(lang), DESCRIPTION.in_lang(lang));
    let subject = Subject { kind: "WebPage", title: &[title], description, way: &[] };
    HomePage {
        frame: Frame::new(app, reader).keeping_query(query),
        card: Card::new(app, &addresses, lang, &subject),
        addresses,
        url: &typed.url,
        csrf: typed.csrf.as_deref(),
        tool: typed.tool.map(|family| family.slug),
        problem: error.map(|error| problem(app, error, lang)),
        free_per_day: app.config().limits.free_audits_per_day,
        base_url: app.base_url(),
    }
}

fn problem(app: &Services, error: &ServiceError, lang: Lang) -> Problem {
    let sentence = error.code.sentence().in_lang(lang);
    let sentence = match (error.code, &error.detail) {
        (Code::AllowanceSpent, _) => {
            let price = app.config().prices.audit_usd.to_string();
            SPENT.phrase(&[("price", price.into())]).in_lang(lang).to_owned()
        }
        (Code::InvalidUrl, Some(detail)) => {
            // A person has no use for the word of the contract before the explanation.
            let detail = detail.in_lang(lang);
            format!("{sentence} ({})", detail.split_once(": ").map_or(detail, |(_, explanation)| explanation))
        }
        (_, Some(detail)) => format!("{sentence} ({})", detail.in_lang(lang)),
        (_, None) => sentence.to_owned(),
    };
    Problem { sentence, is_of_input: error.code.status() == StatusCode::BAD_REQUEST }
}

/// Audits what was typed and leads to the report.
pub(super) async fn submit(State(site): State<Site>, request: Request) -> Response {
    let app = site.services().clone();
    let (parts, body) = request.into_parts();
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let lang = reader.lang;
    let typed = match typed(&app, &parts, body).await {
        Ok(typed) => typed,
        Err(error) => return super::error::page(&app, &error, reader),
    };
    let Done { cookie, outcome } = audit(&site, &parts, &typed, lang).await;
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
            super::private(response)
        }
        // What nobody can read again is shown at once.
        Ok(finished) => report::unkept(app, finished, typed.tool, reader).await,
        // The widget is the same for everybody, so its form knows no session. Sent again from here, it counts.
        Err(error) if error.code == Code::InvalidCsrf && typed.csrf.is_none() => {
            let typed = Typed { csrf: super::account::csrf(&app, &parts).await, ..typed };
            super::private(html(StatusCode::OK, &page(&app, parts.uri.query(), reader, &typed, None), lang))
        }
        Err(error) => {
            let typed = Typed { csrf: super::account::csrf(&app, &parts).await, ..typed };
            let mut response = html(status(&error), &page(&app, parts.uri.query(), reader, &typed, Some(&error)), lang);
            of_error(response.headers_mut(), &error, app.is_https());
            super::private(response)
        }
    };
    response.headers_mut().extend(cookie.map(|cookie| (header::SET_COOKIE, cookie)));
    response
}

/// The form.
async fn typed(app: &Services, parts: &Parts, body: Body) -> Result<Typed, ServiceError> {
    let received = read_body(app, parts, body, BODY_BYTES).await?;
    let field = |wanted: &str| url::form_urlencoded::parse(&received.bytes).find(|(name, _)| name == wanted);
    let (_, url) = field("url").ok_or_else(|| ServiceError::new(Code::InvalidBody).detail("url"))?;
    let tool = field("tool").and_then(|(_, slug)| catalog::family(&slug));
    let csrf = field("csrf").map(|(_, token)| token.into_owned());
    Ok(Typed { url: url.trim().to_owned(), tool, csrf })
}

/// What came of a form.
struct Done {
    /// The cookie of a guest who was made, whatever came of the audit: without it the next try would make another one.
    cookie: Option<HeaderValue>,
    outcome: Result<Finished, ServiceError>,
}

/// Audits for the guest of the cookie, who is made when there is none.
async fn audit(site: &Site, parts: &Parts, typed: &Typed, lang: Lang) -> Done {
    let app = site.services();
    let refused = |error| Done { cookie: None, outcome: Err(error) };
    let (mut cx, url) = match admit(app, parts, typed, lang).await {
        Ok(admitted) => admitted,
        Err(error) => return refused(error),
    };
    // Before a guest is made: a call that must be paid for needs none.
    let priced = match site.audit_price() {
        Ok(priced) => priced,
        Err(error) => return refused(error),
    };
    let held = match gate::hold(&cx, &priced).await {
        Ok(held) => held,
        Err(error) => return refused(error),
    };
    let mut cookie = None;
    if cx.caller.identity == Identity::Nobody {
        match new_guest(&cx).await {
            Ok((guest, token)) => {
                cx.caller.identity = Identity::Guest(guest);
                cookie = guest_cookie::set(app, &token);
            }
            // The report is shown all the same; it can't be kept for anybody.
            Err(error) if error.code == Code::DatabaseUnavailable => {}
            Err(error) => return Done { cookie, outcome: gate::settle(&cx, held, Err(error)).await },
        }
    }
    let done = audits::audit(&cx, &url, std::convert::identity).await;
    Done { cookie, outcome: gate::settle(&cx, held, done).await }
}

/// Who sends the form, and the address in it, once nothing speaks against an audit but what it costs.
async fn admit(app: &Services, parts: &Parts, typed: &Typed, lang: Lang) -> Result<(Cx, Url), ServiceError> {
    same_origin(app, parts)?;
    let network = client(&parts.extensions, &parts.headers);
    api::gate::admit_audit(app, network, is_crawler(app, &parts.headers))?;
    let caller = of_page(app, parts, guest_cookie::read(app, &parts.headers)).await?;
    if let Identity::Session(_) = caller.identity {
        guard_form(app, &caller, &parts.headers, typed.csrf.as_deref())?;
    }
    let cx = Cx::new(app, caller, lang);
    let address = if typed.url.contains("://") { typed.url.clone() } else { format!("https://{}", typed.url) };
    match app.engine().fetcher().intake(&address) {
        Ok(url) => Ok((cx, url)),
        Err(failure) => Err(audits::count_refusal(&cx, failure.into()).await),
    }
}

/// A new guest, within the ceiling of their network, and its token.
pub(super) async fn new_guest(cx: &Cx) -> Result<(GuestId, String), ServiceError> {
    let app = &cx.services;
    let per_hour = app.config().limits.guests_per_hour;
    app.allowance().spend_hourly(app.database(), app.ports(), cx.caller.network, "guests", per_hour).await?;
    service::guests::create(app).await
}
