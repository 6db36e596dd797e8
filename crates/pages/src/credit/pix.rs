//! Credit by Pix for people: what to pay, the upload of the receipt, and the status of a request. Decisions are made on
//! the command line only.

use api::response::of_error;
use askama::Template;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::StatusCode;
use http::request::Parts;
use model::credit::PixState;
use model::lang::{Lang, Text, text};
use serde_json::Value;
use store::PixSummary;

use super::money::reais;
use crate::error::FormProblem;
use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::{html, private};
use crate::{csrf, error, filters};
use api::caller::same_origin;
use api::caller::{guard_form, of_page};
use api::operation::{UnreadForm, query_object};
use render::qr::qr_path;
use service::Services;
use service::caller::Cx;
use service::caller::Identity;
use service::error::{Code, ServiceError};
use service::form::Field;
use service::pix::{self, AcceptedPix, Receiver};
use service::x402::PACKS;

/// Where a pack is paid by Pix.
pub(crate) const PATH: &str = "/credit/pix";
/// The field with the file.
const RECEIPT: &str = "comprovante";
/// Fields of the form that an error may name.
const FIELDS: [&str; 3] = [RECEIPT, "nome", "email"];

#[derive(Template)]
#[template(path = "credit_pix.html")]
struct PayPage<'a> {
    frame: Frame<'a>,
    /// Whole dollars, price, and whether it is the chosen one.
    packs: Vec<(u32, String, bool)>,
    usd: u32,
    price: String,
    /// Pix key and name of the receiver, as the payer's bank shows them.
    key: &'a str,
    name: &'a str,
    code: &'a str,
    /// The code as a path of a drawing, and the drawing's width.
    drawing: Option<(String, i32)>,
    /// Proves to a signed-in reader's session that the form is ours.
    csrf: Option<String>,
    problem: Option<FormProblem>,
    /// The request that a refused receipt belongs to already.
    request: Option<String>,
    typed: TypedBuyer,
}

/// Name and e-mail address of a buyer, as they were typed.
#[derive(Debug, Default)]
struct TypedBuyer {
    name: String,
    email: String,
}

impl TypedBuyer {
    fn of(fields: &[Field]) -> Self {
        let text = |name: &str| {
            let field = fields.iter().find(|field| field.name == name);
            field.map(|field| String::from_utf8_lossy(&field.content).into_owned()).unwrap_or_default()
        };
        Self { name: text("nome"), email: text("email") }
    }
}

#[derive(Template)]
#[template(path = "credit_pix_sent.html")]
struct SentPage<'a> {
    frame: Frame<'a>,
    id: &'a str,
    token: &'a str,
}

#[derive(Template)]
#[template(path = "credit_pix_request.html")]
struct RequestPage<'a> {
    frame: Frame<'a>,
    request: &'a PixSummary,
    price: String,
    decided_at: Option<String>,
    /// Contact address of the service.
    email: Option<&'a str>,
}

/// What to pay, and the form for the receipt.
pub(crate) async fn show(State(services): State<Services>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let reader = Reader::of(&parts.headers, parts.uri.query());
    match receiver_and_pack(&services, &parts) {
        Ok((receiver, usd)) => {
            let csrf = csrf::of_request(&services, &parts).await;
            pay(&services, reader, &receiver, usd, csrf, TypedBuyer::default(), None)
        }
        Err(error) => error::page(&services, &error, reader),
    }
}

/// Takes a receipt. The query names the pack too, as it is known even where the form could not be read.
pub(crate) async fn send(State(services): State<Services>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let (receiver, usd) = match receiver_and_pack(&services, &parts) {
        Ok(selected) => selected,
        Err(error) => return error::page(&services, &error, reader),
    };
    let mut typed = TypedBuyer::default();
    match accepted(&services, &parts, body, reader.lang, &mut typed).await {
        Ok(AcceptedPix { id, token }) => {
            let page = SentPage { frame: Frame::new(&services, reader).below("/pricing"), id: &id, token: &token };
            private(html(StatusCode::OK, &page, reader.lang))
        }
        // Cross-site, or with an outdated CSRF token.
        Err(error) if error.code.status() == StatusCode::FORBIDDEN => error::page(&services, &error, reader),
        Err(error) => {
            let csrf = csrf::of_request(&services, &parts).await;
            let mut response = pay(&services, reader, &receiver, usd, csrf, typed, Some(&error));
            *response.status_mut() = api::response::status(&error);
            of_error(response.headers_mut(), &error, services.is_https());
            response
        }
    }
}

/// How a request stands.
pub(crate) async fn status(
    State(services): State<Services>,
    id: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let id = id.map(|Path(id)| id).unwrap_or_default();
    let request = match pix::status(&services, &id).await {
        Ok(request) => request,
        Err(error) => return error::page(&services, &error, reader),
    };
    let page = RequestPage {
        frame: Frame::new(&services, reader).below("/pricing"),
        price: reais(request.brl_centavos.unsigned_abs(), reader.lang),
        decided_at: request.decided_at.map(|at| at.to_string()),
        email: services.config().organization.email.as_deref(),
        request: &request,
    };
    private(html(StatusCode::OK, &page, reader.lang))
}

/// The receiver, and the pack that the query names; the smallest pack where it names none.
fn receiver_and_pack(services: &Services, parts: &Parts) -> Result<(Receiver, u32), ServiceError> {
    let receiver = Receiver::of(services)?;
    let usd = match query_object(parts.uri.query())?.get("usd").and_then(Value::as_str) {
        // Not a number: not a pack.
        Some(usd) => service::credit::pack(usd.parse().unwrap_or_default())?,
        None => PACKS[0],
    };
    Ok((receiver, usd))
}

/// Stores the request, as the API does. A session must send the CSRF token of the form. `typed` is filled in once the form is read,
/// which it is not where no receipt can be taken.
async fn accepted(
    services: &Services,
    parts: &Parts,
    body: Body,
    lang: Lang,
    typed: &mut TypedBuyer,
) -> Result<AcceptedPix, ServiceError> {
    same_origin(services, parts)?;
    let caller = of_page(services, parts).await?;
    let form = UnreadForm::new(parts.clone(), body);
    let cx = Cx::new(services, caller, lang);
    let guard = |fields: &[Field]| match cx.caller.identity {
        Identity::Session(_) => {
            let csrf = fields.iter().find(|field| field.name == "csrf");
            let csrf = csrf.and_then(|field| std::str::from_utf8(&field.content).ok());
            guard_form(services, &cx.caller, &parts.headers, csrf)
        }
        _ => Ok(()),
    };
    let read = async |most| {
        let fields = form.read(services, most).await?;
        guard(fields.as_ref())?;
        *typed = TypedBuyer::of(fields.as_ref());
        Ok(fields)
    };
    pix::request(&cx, read).await
}

fn pay(
    services: &Services,
    reader: Reader,
    receiver: &Receiver,
    usd: u32,
    csrf: Option<String>,
    typed: TypedBuyer,
    refusal: Option<&ServiceError>,
) -> Response {
    let (lang, code) = (reader.lang, receiver.code(usd));
    let (key, name) = receiver.shown();
    let page = PayPage {
        frame: Frame::new(services, reader).below("/pricing"),
        packs: PACKS.map(|pack| (pack, reais(receiver.centavos(pack), lang), pack == usd)).into(),
        usd,
        price: reais(receiver.centavos(usd), lang),
        key,
        name,
        drawing: qr_path(&code),
        code: &code,
        csrf,
        problem: refusal.map(|error| problem(services, error, lang)),
        request: refusal
            .and_then(|error| error.more.iter().find_map(|more| more.fields.get("id")?.as_str().map(str::to_owned))),
        typed,
    };
    private(html(StatusCode::OK, &page, lang))
}

/// An error as a message for people.
fn problem(services: &Services, error: &ServiceError, lang: Lang) -> FormProblem {
    const MISSING: Text = text("Choose the receipt file.", "Escolha o arquivo do comprovante.");
    const TOO_LARGE: Text = text(
        "The receipt is larger than 2 MB. Send a smaller photo.",
        "O comprovante tem mais de 2 MB. Envie uma foto menor.",
    );
    const SPENT: Text = text(
        "Your network has reached the limit of {count} receipts a day. Try again tomorrow (UTC).",
        "A sua rede atingiu o limite de {count} comprovantes por dia. Tente amanhã (UTC).",
    );
    let problem = FormProblem::of(error, &FIELDS, lang);
    let at_receipt = |sentence: Text| FormProblem::at(RECEIPT, sentence.in_lang(lang).to_owned());
    match error.code {
        Code::BodyTooLarge => at_receipt(TOO_LARGE),
        Code::InvalidBody if problem.is_at(RECEIPT) => at_receipt(MISSING),
        Code::ReceiptType | Code::ReceiptAlreadySent => problem.or_at(RECEIPT),
        Code::RateLimited => {
            let count = services.config().pix.requests_per_day;
            FormProblem::at("", SPENT.phrase(&[("count", count.into())]).in_lang(lang).to_owned())
        }
        _ => problem,
    }
}
