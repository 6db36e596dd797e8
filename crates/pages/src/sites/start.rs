//! The list of runs, and the form that begins one or tells its price.

use api::cookies::CookieKind;
use api::response::{of_error, status};
use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use http::{StatusCode, header};
use model::id::Owner;
use model::lang::{Lang, Text, text};
use service::Services;
use service::error::{Code, ServiceError};
use service::form_audit::with_scheme;
use service::sites::{self, SiteOffer, SiteRequest, SiteRunAnswer};

use super::watch::{WatchRow, rows as watch_rows};
use super::{PATH, SiteVisit, answered, band, form, status_word};
use crate::challenge::{self, ChallengeView};
use crate::credit::CreditField;
use crate::csrf;
use crate::error::FormProblem;
use crate::filters;
use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::{html, private, see_other};

/// Pages that the form names at first.
const USUAL_PAGES: &str = "100";
/// Fields of the form that an error may name.
const FIELDS: [&str; 4] = ["max_pages", "max_usd", "include", "exclude"];

#[derive(Template)]
#[template(path = "sites.html")]
struct SitesPage<'a> {
    frame: Frame<'a>,
    /// CSRF token of the forms of a session.
    csrf: Option<String>,
    challenge: Option<ChallengeView>,
    credit: Option<CreditField>,
    rows: Vec<SiteRow>,
    watches: Vec<WatchRow>,
    /// Address of the next rows.
    more: Option<String>,
    /// What was typed.
    typed: TypedSite,
    is_on_trial: bool,
    /// Most pages of a run.
    most_pages: u32,
    /// What a run would cost, where that was asked for: a sentence.
    offer: Option<String>,
    problem: Option<FormProblem>,
}

/// A run in the list.
struct SiteRow {
    run: SiteRunAnswer,
    status: &'static str,
    score: Option<u32>,
    band: &'static str,
}

/// The fields of the form, as they were typed.
#[derive(Debug, Clone)]
struct TypedSite {
    url: String,
    max_pages: String,
    max_usd: String,
    include: String,
    exclude: String,
}

impl TypedSite {
    fn request(&self) -> Result<SiteRequest, ServiceError> {
        const PAGES: Text = text("max_pages: enter a number of pages", "max_pages: informe um número de páginas");
        const DOLLARS: Text = text(
            "max_usd: enter the spending limit in US dollars",
            "max_usd: informe o limite de gasto em dólares americanos",
        );
        let refused = |why: Text| ServiceError::new(Code::InvalidBody).explained(why.into());
        let pages = self.max_pages.trim();
        let max_pages = match pages.parse::<u32>() {
            Ok(pages) => Some(pages),
            Err(_) if pages.is_empty() => None,
            Err(_) => return Err(refused(PAGES)),
        };
        // With the comma of Portuguese too.
        let dollars = self.max_usd.trim().replace(',', ".");
        let max_usd = match dollars.parse() {
            Ok(dollars) => Some(sites::dollars(dollars)?),
            Err(_) if dollars.is_empty() => None,
            Err(_) => return Err(refused(DOLLARS)),
        };
        let lines =
            |text: &str| text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
        Ok(SiteRequest {
            url: with_scheme(self.url.trim()),
            assumes_https: !self.url.contains("://"),
            max_pages,
            max_usd,
            include: lines(&self.include),
            exclude: lines(&self.exclude),
            ..SiteRequest::default()
        })
    }
}

/// What a run costs, in a sentence.
fn offer_sentence(offer: &SiteOffer, lang: Lang) -> String {
    const PAID: Text = text(
        "This audit covers up to {pages} {pages|page|pages}: {free} with free audits and {paid} at {price} USD each, at most {most} USD from your credit. Redirects, files and errors cost nothing.",
        "Esta auditoria cobre até {pages} {pages|página|páginas}: {free} com auditorias grátis e {paid} a US$ {preco} cada, no máximo US$ {maximo} do seu crédito. Redirecionamentos, arquivos e erros não custam nada.",
    );
    const FREE: Text = text(
        "This audit is free for up to {pages} {pages|page|pages}.",
        "Esta auditoria é grátis para até {pages} {pages|página|páginas}.",
    );
    let pages = ("pages", offer.payable_pages.into());
    let [preco, price] = offer.price_usd.values();
    let [(_, maximo), (_, most)] = offer.most_usd.values();
    let sentence = match offer.free_audits {
        Some(free) => PAID.phrase(&[
            pages,
            ("free", free.into()),
            ("paid", offer.payable_pages.saturating_sub(free).into()),
            price,
            preco,
            ("most", most),
            ("maximo", maximo),
        ]),
        None => FREE.phrase(&[pages]),
    };
    sentence.in_lang(lang).to_owned()
}

/// The list of runs with the form.
pub(crate) async fn list(State(services): State<Services>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| {
        let typed = TypedSite {
            url: visit.parameter("url").unwrap_or_default(),
            max_pages: visit.parameter("max_pages").unwrap_or_else(|| USUAL_PAGES.to_owned()),
            max_usd: visit.parameter("max_usd").unwrap_or_default(),
            include: visit.parameter("include").unwrap_or_default(),
            exclude: visit.parameter("exclude").unwrap_or_default(),
        };
        shown(visit, typed, None, None).await
    })
    .await
}

/// Begins a run, or tells its price.
pub(crate) async fn begin(State(services): State<Services>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let mut cookie = None;
    let done = async {
        let (visit, fields) = form(&services, &parts, body).await?;
        let field = |wanted: &str| fields.get(wanted).unwrap_or_default().to_owned();
        let typed = TypedSite {
            url: field("url"),
            max_pages: field("max_pages"),
            max_usd: field("max_usd"),
            include: field("include"),
            exclude: field("exclude"),
        };
        let asked = async {
            let plan = typed.request()?.plan(&services)?;
            // A form that names no button begins nothing.
            if field("action") != "start" {
                return Ok((Some(sites::offer(&visit.cx, &plan).await?), None));
            }
            if service::challenge::standing(&visit.cx).is_needed {
                return Err(ServiceError::new(Code::VerificationRequired));
            }
            let owner = match visit.cx.caller.required_owner() {
                Ok(owner) => owner,
                Err(error) if error.code == Code::GuestTokenRequired => {
                    let (guest, token) = service::guests::admit(&visit.cx).await?;
                    cookie = CookieKind::Guest.set(services.is_https(), &token);
                    Owner::Guest(guest)
                }
                Err(error) => return Err(error),
            };
            Ok((None, Some(sites::begin(&visit.cx, &owner, plan).await?.run.id)))
        };
        match asked.await {
            Ok((_, Some(id))) => Ok(see_other(&format!("{PATH}/{id}?lang={}", reader.lang.tag()))),
            Ok((offer, None)) => shown(&visit, typed, offer, None).await,
            Err(error) => shown(&visit, typed, None, Some(&error)).await,
        }
    };
    let mut response = match done.await {
        Ok(response) => response,
        Err(error) => return crate::error::page(&services, &error, reader),
    };
    response.headers_mut().extend(cookie.map(|cookie| (header::SET_COOKIE, cookie)));
    private(response)
}

async fn shown(
    visit: &SiteVisit,
    typed: TypedSite,
    offer: Option<SiteOffer>,
    error: Option<&ServiceError>,
) -> Result<Response, ServiceError> {
    let (cx, lang) = (&visit.cx, visit.reader.lang);
    let services = &cx.services;
    let (mut rows, mut more) = (Vec::new(), None);
    if let Some(owner) = cx.caller.owner() {
        let cursor = visit.parameter("cursor");
        let runs = sites::list(services, &owner, cursor.as_deref()).await?;
        more = runs.cursor.map(|cursor| format!("{PATH}?cursor={cursor}&lang={}", lang.tag()));
        for run in &runs.runs {
            let run = SiteRunAnswer::of(services, run, lang)?;
            let score = run.figures.as_ref().and_then(|figures| figures.score);
            rows.push(SiteRow { status: status_word(run.status).in_lang(lang), band: band(score), score, run });
        }
    }
    let credit = CreditField::of_caller(services, &cx.caller, PATH);
    let problem = error.map(|error| {
        let problem = FormProblem::of(error, &FIELDS, lang);
        match error.code.status() {
            // The field is there only where credit pays.
            400 if problem.is_at("max_usd") && credit.is_none() => FormProblem::at("", problem.sentence),
            400 => problem.or_at("url"),
            _ => problem,
        }
    });
    let page = SitesPage {
        frame: Frame::new(services, visit.reader).below("/workspace").keeping_query(visit.query.as_deref()),
        csrf: csrf::of_call(cx)?,
        challenge: challenge::of_call(cx),
        credit,
        rows,
        watches: watch_rows(visit).await?,
        more,
        typed,
        is_on_trial: service::gate::is_on_trial(services, &cx.caller),
        most_pages: services.config().limits.site_pages,
        offer: offer.map(|offer| offer_sentence(&offer, lang)),
        problem,
    };
    let mut response = html(error.map_or(StatusCode::OK, status), &page, lang);
    challenge::allow(&mut response, page.challenge.as_ref());
    if let Some(error) = error {
        of_error(response.headers_mut(), error, services.is_https());
    }
    Ok(response)
}
