//! Credit by Pix for buyers: payment data, upload of the receipt, and status of a request. The operator decides elsewhere.

use model::credit::{PixAccepted, PixForm, PixOffer, PixState, PixStatus};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::{Call, JsonAnswer, Nothing, Operation};
use service::caller::Cx;
use service::error::{Code, ServiceError};
use service::pix::{self, RECEIPT_BYTES, Receiver};

/// Where credit by Pix is asked for.
const PATH: &str = "/api/credito/pix";

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get(PATH, "get_pix_offer", offer)
            .title("Get the Pix offer", "Obter a oferta de Pix")
            .doc(
                "The receiving key, the price of each pack in reais, and its Pix code as text and as a QR code. A \
                 person reviews each receipt.",
                "A chave que recebe, o preço de cada pacote em reais e o código Pix de cada um como texto e como QR \
                 code. Uma pessoa confere cada comprovante.",
            )
            .errors(&[Code::PixUnavailable]),
        Operation::form::<PixForm, _, _>(PATH, "request_pix_credit", request)
            .title("Send a Pix receipt", "Enviar um comprovante de Pix")
            .doc(
                "A multipart form: `usd` (1, 5, 10 or 25), `comprovante` (photo or PDF of the payment, at most 2 \
                 MB), and optional `nome` and `email`. Returns the credit token, shown once. The credit can be spent \
                 once a person has confirmed the payment.",
                "Um formulário multipart: `usd` (1, 5, 10 ou 25), `comprovante` (foto ou PDF do pagamento, no máximo \
                 2 MB) e, opcionais, `nome` e `email`. Devolve o token do crédito, mostrado uma vez. O crédito pode \
                 ser gasto depois que uma pessoa confirma o pagamento.",
            )
            .body(RECEIPT_BYTES)
            .errors(&[
                Code::PixUnavailable,
                Code::PixQueueFull,
                Code::RateLimited,
                Code::InvalidEmail,
                Code::ReceiptType,
                Code::ReceiptAlreadySent,
                Code::DatabaseUnavailable,
            ]),
        Operation::get("/api/credito/pix/{id}", "get_pix_request", status)
            .title("Get a Pix request", "Obter um pedido de Pix")
            .doc(
                "Whether it is pending, released or refused. Free.",
                "Se ele está pendente, liberado ou recusado. Grátis.",
            )
            .errors(&[Code::PixRequestNotFound, Code::DatabaseUnavailable]),
    ]
}

async fn offer(cx: Cx, _: Nothing) -> Result<JsonAnswer<PixOffer>, ServiceError> {
    Ok(JsonAnswer::new(Receiver::of(&cx.services)?.offer()))
}

async fn request(call: Call, _: Nothing) -> Result<JsonAnswer<PixAccepted>, ServiceError> {
    let Call { cx, form, .. } = call;
    let form = form.ok_or_else(|| ServiceError::new(Code::InvalidBody))?;
    let accepted = pix::request(&cx, async |most| form.read(&cx.services, most).await).await?;
    let state_at = cx.services.url(&format!("{PATH}/{}", accepted.id));
    Ok(JsonAnswer::new(PixAccepted { id: accepted.id, state: PixState::Pending, token: accepted.token, state_at }))
}

/// Which request.
#[derive(Debug, Deserialize, JsonSchema)]
struct PixPath {
    /// Its id, 32 hex digits.
    #[schemars(extend("x-pt" = "Id do pedido, 32 dígitos hexadecimais."))]
    id: String,
}

async fn status(cx: Cx, input: PixPath) -> Result<JsonAnswer<PixStatus>, ServiceError> {
    let summary = pix::status(&cx.services, &input.id).await?;
    Ok(JsonAnswer::new(PixStatus { state: summary.state, usd: summary.usd, decided_at: summary.decided_at }))
}
