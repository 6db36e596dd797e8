//! Credit by Pix, for buyers: what to pay, sending the receipt, and how the request stands. Nobody decides here.

use model::credit::{PixAccepted, PixForm, PixOffer, PixState, PixStatus};
use schemars::JsonSchema;
use serde::Deserialize;
use store::PixSummary;

use crate::app::App;
use crate::error::{ApiError, Code};
use crate::operation::{Cx, Json, Nothing, Operation};
use crate::pix::{self, RECEIPT_BYTES, Receiver};

/// Where credit by Pix is asked for.
const PATH: &str = "/api/credito/pix";
/// Hex digits of a request's id.
const ID_DIGITS: usize = 32;

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get(PATH, "get_pix_offer", offer)
            .text(
                "See how credit is bought by Pix",
                "The key that receives, what each pack costs in reais, and its Pix code as text and as a QR code. A person \
                 looks at each receipt.",
            )
            .errors(&[Code::PixUnavailable]),
        Operation::form::<PixForm, _>(PATH, "request_pix_credit", request)
            .text(
                "Send the receipt of a Pix",
                "A multipart form: `usd` (1, 5, 10 or 25), `comprovante` (photo or PDF of the payment, at most 2 MiB), and \
                 `nome` and `email` if you like. The answer has the token of the credit, which is shown once and pays calls \
                 once a person has seen the payment.",
            )
            .body(RECEIPT_BYTES)
            .errors(&[
                Code::PixUnavailable,
                Code::PixQueueFull,
                Code::RateLimited,
                Code::ReceiptType,
                Code::ReceiptAlreadySent,
                Code::DatabaseUnavailable,
            ]),
        Operation::get("/api/credito/pix/{id}", "get_pix_request", status)
            .text("See how a request by Pix stands", "Whether a person has released or refused it; free.")
            .errors(&[Code::PixRequestNotFound, Code::DatabaseUnavailable]),
    ]
}

async fn offer(cx: Cx, _: Nothing) -> Result<Json<PixOffer>, ApiError> {
    Ok(Json::new(Receiver::of(&cx.app)?.offer()))
}

async fn request(cx: Cx, _: Nothing) -> Result<Json<PixAccepted>, ApiError> {
    let accepted = pix::request(&cx, |_| Ok(())).await?;
    let state_at = cx.app.url(&format!("{PATH}/{}", accepted.id));
    Ok(Json::new(PixAccepted { id: accepted.id, state: PixState::Pending, token: accepted.token, state_at }))
}

/// Which request.
#[derive(Debug, Deserialize, JsonSchema)]
struct PixPath {
    /// Its id, 32 hex digits.
    id: String,
}

async fn status(cx: Cx, input: PixPath) -> Result<Json<PixStatus>, ApiError> {
    let summary = pix_request(&cx.app, &input.id).await?;
    Ok(Json::new(PixStatus { state: summary.state, usd: summary.usd, decided_at: summary.decided_at }))
}

/// The request with this id, as its buyer may see it; [`Code::PixRequestNotFound`] where there is none.
pub(crate) async fn pix_request(app: &App, id: &str) -> Result<PixSummary, ApiError> {
    let unknown = || ApiError::new(Code::PixRequestNotFound);
    // What can't be an id of ours needs no look-up.
    if id.len() != ID_DIGITS || !id.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(unknown());
    }
    app.database().ask(|store| store.pix_summary(id)).await?.ok_or_else(unknown)
}
