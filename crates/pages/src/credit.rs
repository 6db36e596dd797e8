//! Prepaid credit for people: packs, prices and ways to pay, and the statement of a credit. The token of a credit is sent
//! in a form, never in an address, which histories and logs would store.

pub(super) mod kept;
mod money;
pub(super) mod pix;

pub(crate) use self::kept::CreditField;
use self::money::reais;
use crate::address::{Addresses, with_lang};
use crate::card::{Card, CardSubject};
use crate::error;
use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::{html, private, unstored};
use api::caller::of_page;
use api::caller::same_origin;
use api::cookies::CookieKind;
use api::request::{BODY_BYTES, read_body};
use api::response::{of_error, status};
use askama::Template;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use model::credit::{CreditState, ListedCredit, Movement, MovementKind};
use model::lang::{Lang, Text, text};
use model::money::Micros;
use service::Services;
use service::error::{Code, ServiceError};
use service::pix::Receiver;
use service::x402::PACKS;

/// Path of the page.
pub(super) const PATH: &str = "/credit";

#[derive(Template)]
#[template(path = "credit.html")]
struct CreditPage<'a> {
    frame: Frame<'a>,
    addresses: Addresses,
    card: Card,
    /// Whole dollars, and the price by Pix where that is on.
    packs: Vec<(u32, Option<String>)>,
    is_live: bool,
    network: &'static str,
    base_url: &'a str,
    pricing: String,
    pix: Option<String>,
    /// Credits that the reader bought, without their tokens; `None` while unknown.
    own: Option<Vec<CreditLine>>,
    statement: Option<StatementView>,
    /// What is wrong with the form for a balance.
    problem: Option<String>,
    /// The credit that the browser keeps.
    credit: Option<CreditField>,
}

impl CreditPage<'_> {
    /// Whether one of its forms was refused.
    fn is_refused(&self) -> bool {
        self.problem.is_some() || self.credit.as_ref().is_some_and(|field| field.problem.is_some())
    }
}

/// A credit in a list.
struct CreditLine {
    created_at: String,
    /// Dollars.
    balance: String,
    /// Why it pays nothing, in a word.
    state: Option<&'static str>,
}

/// The statement of a credit: balance and movements.
struct StatementView {
    credit: CreditLine,
    /// Why it pays nothing.
    note: Option<&'static str>,
    movements: Vec<MovementLine>,
}

/// A movement for a person.
struct MovementLine {
    at: String,
    kind: &'static str,
    /// Dollars, with a sign.
    amount: String,
}

/// Shows how credit is bought.
pub(super) async fn show(State(services): State<Services>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let is_known = has_cookie(&services, &parts.headers);
    let own = if is_known { own(&services, &parts, reader.lang).await } else { Some(Vec::new()) };
    let page = CreditPage { own, ..page(&services, &parts, reader) };
    let response = html(StatusCode::OK, &page, reader.lang);
    if is_known { unstored(response) } else { response }
}

/// Shows the statement of the credit whose token was entered.
pub(super) async fn look(State(services): State<Services>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let lang = reader.lang;
    match statement(&services, &parts, body, lang).await {
        Ok(statement) => {
            let page = CreditPage { statement: Some(statement), ..page(&services, &parts, reader) };
            private(html(StatusCode::OK, &page, lang))
        }
        // Cross-site.
        Err(error) if error.code.status() == StatusCode::FORBIDDEN => error::page(&services, &error, reader),
        Err(error) => {
            let page = CreditPage { problem: Some(problem(&error, lang)), ..page(&services, &parts, reader) };
            refused(&services, reader, &page, &error)
        }
    }
}

/// What is wrong with the token of a form. The token itself is never shown again.
fn problem(error: &ServiceError, lang: Lang) -> String {
    const UNKNOWN: Text = text(
        "No credit has this token. A token is cred_ followed by 43 letters and digits.",
        "Nenhum crédito tem este token. Um token é cred_ seguido de 43 letras e dígitos.",
    );
    match error.code {
        Code::InvalidCredential => UNKNOWN.in_lang(lang).to_owned(),
        _ => error::message(error, lang),
    }
}

fn refused(services: &Services, reader: Reader, page: &CreditPage<'_>, error: &ServiceError) -> Response {
    let mut response = html(status(error), page, reader.lang);
    of_error(response.headers_mut(), error, services.is_https());
    private(response)
}

fn page<'a>(services: &'a Services, parts: &Parts, reader: Reader) -> CreditPage<'a> {
    const TITLE: Text = text("Prepaid credit", "Crédito pré-pago");
    const DESCRIPTION: Text = text(
        "Prepaid credit for calls beyond the free ones: prices of the packs, payment with x402 or Pix, and your balance.",
        "Crédito pré-pago para chamadas além das grátis: preços dos pacotes, pagamento com x402 ou Pix, e o seu saldo.",
    );
    let (query, lang) = (parts.uri.query(), reader.lang);
    let addresses = Addresses::new(services, PATH, query, lang);
    let title = TITLE.in_lang(lang);
    let subject = CardSubject {
        kind: "WebPage",
        title: &[title],
        description: DESCRIPTION.in_lang(lang),
        way: &[(title, PATH.to_owned())],
    };
    let receiver = Receiver::of(services).ok();
    CreditPage {
        frame: Frame::new(services, reader).below("/pricing"),
        card: Card::new(services, &addresses, lang, &subject),
        addresses,
        packs: PACKS.map(|usd| (usd, receiver.as_ref().map(|by| reais(by.centavos(usd), lang)))).into(),
        is_live: services.payments().is_live(),
        network: services.payments().chain().name,
        base_url: services.base_url(),
        pricing: with_lang("/pricing", query, lang),
        pix: receiver.map(|_| with_lang(pix::PATH, query, lang)),
        own: Some(Vec::new()),
        statement: None,
        problem: None,
        credit: CreditField::of(services, parts, PATH),
    }
}

/// Whether a request has an identity cookie; without one no look-up is needed.
fn has_cookie(services: &Services, headers: &HeaderMap) -> bool {
    let has = |kind: CookieKind| kind.read(services.is_https(), headers).is_some();
    has(CookieKind::Session) || has(CookieKind::Guest) || has(CookieKind::Credit)
}

/// The credits of the reader; `None` where the session has ended or the database is unavailable.
async fn own(services: &Services, parts: &Parts, lang: Lang) -> Option<Vec<CreditLine>> {
    let caller = of_page(services, parts).await.ok()?;
    let owner = match caller.required_owner() {
        Ok(owner) => owner,
        // The guest of the cookie was deleted.
        Err(error) if error.code == Code::GuestTokenRequired => return Some(Vec::new()),
        Err(_) => return None,
    };
    let credits = service::credit::list(services, &owner).await.ok()?;
    Some(credits.into_iter().map(|credit| CreditLine::of(credit, lang)).collect())
}

async fn statement(services: &Services, parts: &Parts, body: Body, lang: Lang) -> Result<StatementView, ServiceError> {
    same_origin(services, parts)?;
    let received = read_body(services, parts, body, BODY_BYTES).await?;
    let token = url::form_urlencoded::parse(&received.bytes).find(|(name, _)| name == "token");
    let token = token.map(|(_, token)| token.trim().to_owned()).unwrap_or_default();
    let (credit, movements) = service::credit::statement_of_token(services, &token).await?;
    let movements = movements.iter().map(|movement| MovementLine::of(movement, lang)).collect();
    let credit = service::credit::listed(services, credit);
    let note = note(credit.state).map(|note| note.in_lang(lang));
    Ok(StatementView { credit: CreditLine::of(credit, lang), note, movements })
}

impl CreditLine {
    fn of(credit: ListedCredit, lang: Lang) -> Self {
        Self {
            created_at: credit.created_at.to_string(),
            balance: credit.balance_usd,
            state: word(credit.state).map(|word| word.in_lang(lang)),
        }
    }
}

impl MovementLine {
    fn of(movement: &Movement, lang: Lang) -> Self {
        let sign = if movement.amount_micros < 0 { "−" } else { "+" };
        Self {
            at: movement.created_at.to_string(),
            kind: kind(movement.kind).in_lang(lang),
            amount: format!("{sign}{}", Micros(movement.amount_micros.unsigned_abs())),
        }
    }
}

/// Why a credit pays nothing, in a word.
fn word(state: CreditState) -> Option<Text> {
    match state {
        CreditState::Active => None,
        CreditState::Pending => Some(text("under review", "em análise")),
        CreditState::Refused => Some(text("refused", "recusado")),
        CreditState::Worthless => Some(text("no value", "sem valor")),
    }
}

/// Why a credit pays nothing, in a sentence.
fn note(state: CreditState) -> Option<Text> {
    match state {
        CreditState::Active => None,
        CreditState::Pending => Some(text(
            "This credit can't be spent yet: its receipt is under review.",
            "Este crédito ainda não pode ser gasto: o comprovante está em análise.",
        )),
        CreditState::Refused => Some(text(
            "This credit can't be spent: no payment was found for its receipt.",
            "Este crédito não pode ser gasto: nenhum pagamento foi encontrado para o comprovante.",
        )),
        CreditState::Worthless => Some(text(
            "This credit can't be spent here: it was created while nothing was charged, or bought on another network.",
            "Este crédito não pode ser gasto aqui: ele foi criado quando nada era cobrado, ou foi comprado em outra rede.",
        )),
    }
}

/// Why a balance changed, for a person.
fn kind(kind: MovementKind) -> Text {
    match kind {
        MovementKind::Purchase => text("Bought with x402", "Comprado com x402"),
        MovementKind::Pix => text("Paid with Pix", "Pago com Pix"),
        MovementKind::Debit => text("Spent on a call", "Gasto em uma chamada"),
        MovementKind::Reversal => text("Refunded: the call failed", "Reembolsado: a chamada falhou"),
        MovementKind::Adjustment => text("Corrected by the operator", "Corrigido pelo operador"),
    }
}

#[cfg(test)]
mod tests {
    use model::time::Timestamp;

    use super::*;

    #[test]
    fn amounts_are_written_as_people_do() {
        for (centavos, en, pt) in [(2_875, "R$28.75", "R$ 28,75"), (5, "R$0.05", "R$ 0,05"), (0, "R$0.00", "R$ 0,00")] {
            assert_eq!((reais(centavos, Lang::En).as_str(), reais(centavos, Lang::PtBr).as_str()), (en, pt));
        }
        for (amount_micros, written) in [(-20_000, "−0.02"), (5_000_000, "+5.00"), (i64::MIN, "−9223372036854.775808")]
        {
            let movement = Movement {
                id: "m".to_owned(),
                kind: MovementKind::Debit,
                amount_micros,
                reference: "d".to_owned(),
                created_at: Timestamp(0),
            };
            assert_eq!(MovementLine::of(&movement, Lang::En).amount, written);
        }
    }
}
