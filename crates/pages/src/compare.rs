//! Any two audits beside each other: two runs, or two pages that are audited for it.

use api::caller::{guard_form, of_page, same_origin};
use api::request::{BODY_BYTES, read_body, wish};
use api::response::{of_error, status};
use api::site::Site;
use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use http::request::Parts;
use model::id::{AuditId, Owner};
use model::lang::{Text, text};
use service::Services;
use service::caller::{Cx, Identity};
use service::error::{Code, ServiceError};
use service::form_audit::{self, AskedAudit, TypedUrl};
use service::gate;
use service::running::AuditEnding;
use service::tabs::{self, Compared, WordKind};
use service::x402::Priced;

use crate::allowance::NextAudit;
use crate::challenge::{self, ChallengeView};
use crate::comparison::ComparisonView;
use crate::frame::Frame;
use crate::reader::Reader;
use crate::report::document;
use crate::response::{html, private, see_other};
use crate::{csrf, error, filters, running};

/// Path of the page.
pub(super) const PATH: &str = "/compare";

#[derive(Template)]
#[template(path = "compare.html")]
struct PagesComparedPage<'a> {
    frame: Frame<'a>,
    csrf: Option<String>,
    challenge: Option<ChallengeView>,
    /// The addresses as they were typed.
    typed: [String; 2],
    problem: Option<String>,
    /// What two audits take of the free ones.
    cost: String,
    comparison: Option<ComparisonView<'a>>,
}

impl<'a> PagesComparedPage<'a> {
    /// The page of which two runs are compared; `None` for two pages.
    fn page(&self) -> Option<&'a str> {
        self.comparison.as_ref()?.page
    }
}

/// The call of a page, and who owns what it reads; `None` for a reader without an identity.
async fn call_of(services: &Services, parts: &Parts, reader: Reader) -> Result<(Cx, Option<Owner>), ServiceError> {
    let caller = of_page(services, parts).await?;
    let owner = match caller.required_owner() {
        Ok(owner) => Some(owner),
        Err(error) if error.code == Code::GuestTokenRequired => None,
        Err(error) => return Err(error),
    };
    Ok((Cx::new(services, caller, reader.lang), owner))
}

/// A parameter of a query or a field of a form.
fn field(encoded: &[u8], wanted: &str) -> Option<String> {
    let mut fields = url::form_urlencoded::parse(encoded);
    fields.find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned()).filter(|value| !value.is_empty())
}

/// The audits that a query names; `None` where it names none.
async fn compared(cx: &Cx, owner: Option<&Owner>, query: &str) -> Result<Option<Compared>, ServiceError> {
    let (before, after) = (field(query.as_bytes(), "before"), field(query.as_bytes(), "after"));
    let (Some(before), Some(after)) = (before, after) else { return Ok(None) };
    let owner = owner.ok_or_else(|| ServiceError::new(Code::AuditNotFound))?;
    tabs::compared_audits(cx, owner, before, after).await.map(Some)
}

/// The comparison of the audits `before` and `after` of the query, or the form for two pages.
pub(super) async fn show(State(services): State<Services>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let query = parts.uri.query().unwrap_or_default();
    let done = async {
        let (cx, owner) = call_of(&services, &parts, reader).await?;
        let compared = compared(&cx, owner.as_ref(), query).await?;
        if let Some(compared) = &compared
            && field(query.as_bytes(), "format").as_deref() == Some("json")
        {
            return Ok(document(compared, reader.lang));
        }
        let typed = ["first", "second"].map(|name| field(query.as_bytes(), name).unwrap_or_default());
        shown(&cx, &parts, reader, typed, compared.as_ref(), None).await
    };
    done.await.unwrap_or_else(|error| error::page(&services, &error, reader))
}

async fn shown(
    cx: &Cx,
    parts: &Parts,
    reader: Reader,
    typed: [String; 2],
    compared: Option<&Compared>,
    problem: Option<&ServiceError>,
) -> Result<Response, ServiceError> {
    let json = |compared: &Compared| {
        let (before, after) = (&compared.before.audit_id, &compared.after.audit_id);
        format!("{PATH}?before={before}&after={after}&format=json&lang={}", reader.lang.tag())
    };
    let page = PagesComparedPage {
        frame: Frame::new(&cx.services, reader).below("/workspace").keeping_query(parts.uri.query()),
        csrf: csrf::of_call(cx)?,
        challenge: challenge::of_call(cx),
        typed: match compared {
            // Of two runs of one page the other page is still to be typed.
            Some(Compared { before, after, .. }) if before.url == after.url => [before.url.clone(), String::new()],
            Some(compared) => [compared.before.url.clone(), compared.after.url.clone()],
            None => typed,
        },
        problem: problem.map(|error| error::message(error, reader.lang)),
        cost: NextAudit::of(cx).await?.for_audits(2, reader.lang),
        comparison: compared.map(|compared| ComparisonView::of(compared, json(compared), reader.lang)),
    };
    let mut response = html(problem.map_or(StatusCode::OK, status), &page, reader.lang);
    challenge::allow(&mut response, page.challenge.as_ref());
    if let Some(error) = problem {
        of_error(response.headers_mut(), error, cx.services.is_https());
    }
    Ok(private(response))
}

/// Audits the two pages of the form at once, each by a free audit: leads a browser to their stages, a program to their
/// comparison.
pub(super) async fn submit(State(site): State<Site>, request: Request) -> Response {
    let services = site.services().clone();
    let (parts, body) = request.into_parts();
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let received = async {
        same_origin(&services, &parts)?;
        let received = read_body(&services, &parts, body, BODY_BYTES).await?;
        let (cx, _) = call_of(&services, &parts, reader).await?;
        if let Identity::Session(_) = cx.caller.identity {
            guard_form(&services, &cx.caller, &parts.headers, field(&received.bytes, "csrf").as_deref())?;
        }
        Ok((cx, ["first", "second"].map(|name| field(&received.bytes, name).unwrap_or_default())))
    };
    let (cx, typed) = match received.await {
        Ok(received) => received,
        Err(error) => return error::page(&services, &error, reader),
    };
    let mut cookie = None;
    let admitted = admitted(&site, cx.clone(), &typed, &mut cookie).await;
    let place = match admitted {
        // A browser is shown the stages, a program waits.
        Ok(pair) if wish(&parts.headers, "text/html") > 0 => begun(pair, &typed).await,
        Ok(pair) => audited(pair).await,
        Err(error) => Err(error),
    };
    let mut response = match place {
        Ok(place) => private(see_other(&place)),
        Err(error) => {
            let again = shown(&cx, &parts, reader, typed, None, Some(&error)).await;
            again.unwrap_or_else(|error| error::page(&services, &error, reader))
        }
    };
    response.headers_mut().extend(cookie.map(|cookie| (http::header::SET_COOKIE, cookie)));
    response
}

/// The form again, where one of the audits that it began has failed.
pub(super) async fn failed(
    services: &Services,
    parts: &Parts,
    reader: Reader,
    typed: [String; 2],
    problem: &ServiceError,
) -> Response {
    let done = async {
        let (cx, _) = call_of(services, parts, reader).await?;
        shown(&cx, parts, reader, typed, None, Some(problem)).await
    };
    done.await.unwrap_or_else(|error| error::page(services, &error, reader))
}

/// Two pages to audit, for a reader with an identity.
struct PagesToAudit {
    cx: Cx,
    urls: [TypedUrl; 2],
    priced: Priced,
}

async fn admitted(
    site: &Site,
    cx: Cx,
    typed: &[String; 2],
    cookie: &mut Option<http::HeaderValue>,
) -> Result<PagesToAudit, ServiceError> {
    const SAME: Text = text("Enter two different pages.", "Informe duas páginas diferentes.");
    let services = site.services();
    gate::admit_audit(services, cx.caller.network, cx.caller.is_crawler)?;
    let [first, second] = typed;
    if first.trim() == second.trim() {
        return Err(ServiceError::new(Code::InvalidParameter).explained(SAME.into()));
    }
    let urls = [form_audit::typed_url(&cx, first).await?, form_audit::typed_url(&cx, second).await?];
    let priced = site.audit_price()?;
    let (cx, token) = service::guests::or_new(cx).await?;
    *cookie = token.and_then(|token| api::cookies::CookieKind::Guest.set(services.is_https(), &token));
    Ok(PagesToAudit { cx, urls, priced })
}

/// Begins both audits; the path of the page that shows their stages.
async fn begun(pair: PagesToAudit, typed: &[String; 2]) -> Result<String, ServiceError> {
    let PagesToAudit { cx, urls: [first, second], priced } = pair;
    let lang = cx.lang;
    let begin = async |url: TypedUrl, typed: &str| {
        let id = AuditId(cx.services.ports().id());
        let way_on = format!("/reports/{id}?lang={}", lang.tag());
        let asked = AskedAudit { id, typed: typed.trim().to_owned(), attempt: None, way_on };
        let audit = running::answerable(form_audit::begin(cx.clone(), url, priced.clone(), asked)?).await?;
        match audit.ending() {
            Some(AuditEnding::Failed(error)) => Err(error.as_ref().clone()),
            _ => Ok(audit.id),
        }
    };
    let [typed_first, typed_second] = typed;
    let (before, after) = futures_util::future::join(begin(first, typed_first), begin(second, typed_second)).await;
    Ok(running::path_of_two(&before?, &after?, lang))
}

/// Waits for both audits; the path of their comparison.
async fn audited(pair: PagesToAudit) -> Result<String, ServiceError> {
    let PagesToAudit { cx, urls: [first, second], priced } = pair;
    let audit = async |url| {
        let finished = Box::pin(form_audit::audit(&cx, url, &priced)).await.outcome?;
        finished.id.ok_or_else(|| ServiceError::new(Code::DatabaseUnavailable).retry_after(5))
    };
    let (before, after) = futures_util::future::join(audit(first), audit(second)).await;
    Ok(format!("{PATH}?before={}&after={}&lang={}", before?, after?, cx.lang.tag()))
}
