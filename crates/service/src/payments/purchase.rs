//! Selling credit for a payment by x402. The payment moves like that of a call, but settles at once: there is no work, and
//! the settlement makes the credit.

use model::lang::{Text, text};
use model::money::Micros;
use serde_json::json;
use store::{CreditPurchase, NewCredit};

use super::payment::{self, Good, PaymentStage, X402Payment};
use super::replay::{known, resume};
use crate::caller::Cx;
use crate::credential::{TokenKind, token_digest};
use crate::error::{Code, PaymentReceipt, ServiceError};
use crate::x402::{PaymentMeans, Priced};

/// A credit that was bought.
#[derive(Debug)]
pub struct Bought {
    /// Its token, which is not kept.
    pub token: String,
    /// The receipt of the payment; `None` where nothing is charged.
    pub receipt: Option<PaymentReceipt>,
}

/// Sells a pack, for the payment that came along.
pub async fn buy(cx: &Cx, usd: u32) -> Result<Bought, ServiceError> {
    let services = &cx.services;
    let priced = services.payments().pack(usd);
    let token = TokenKind::Credit.token(services.ports().entropy.bytes());
    if !services.payments().is_live() {
        return give(cx, &priced, token).await;
    }
    if let Some(row) = known(cx).await? {
        return replay(cx, &priced, row).await;
    }
    payment::refuse_second(cx, &priced).await?;
    if matches!(cx.payment.means, PaymentMeans::None) {
        payment::check_ceiling(cx).await?;
    }
    let purchase = CreditPurchase { credit_id: services.ports().id(), token_digest: token_digest(&token) };
    let judged = payment::judge(cx, &priced, Good::Credit(purchase))?;
    payment::admit(cx).await?;
    let claimed = match payment::claim(cx, &priced, judged).await? {
        X402Payment { state: PaymentStage::Known(row), .. } => return replay(cx, &priced, *row).await,
        claimed => claimed,
    };
    let ended = payment::advance_detached(services, claimed).await?;
    let is_buyer = cx.caller.owner().is_some() || cx.payment.key_digest.is_some();
    payment::receipt(services, &priced, ended)
        .map(|(receipt, _)| Bought { token, receipt: Some(receipt) })
        .map_err(|error| with_way_to_token(error, is_buyer))
}

/// Creates credit without a payment, where nothing is charged.
async fn give(cx: &Cx, priced: &Priced, token: String) -> Result<Bought, ServiceError> {
    payment::admit(cx).await?;
    let services = &cx.services;
    let new = NewCredit {
        id: services.ports().id(),
        token_digest: token_digest(&token),
        owner: payment::owner(cx),
        is_dev: true,
        network: None,
        created_at: services.ports().now(),
    };
    services.database().write(|store| store.create_dev_credit(new, priced.price)).await?;
    Ok(Bought { token, receipt: None })
}

/// A refusal that asks to repeat the call says whether that will bring the token.
fn with_way_to_token(error: ServiceError, is_buyer: bool) -> ServiceError {
    const WITH: Text = text(
        "Once the payment is settled, repeat the call to get the token: same payment, and the same Idempotency-Key, guest token, API key or session.",
        "Quando o pagamento for liquidado, repita a chamada para receber o token: mesmo pagamento e mesma Idempotency-Key, token de visitante, chave de API ou sessão.",
    );
    const WITHOUT: Text = text(
        "This call had no Idempotency-Key, guest token, API key or session, so the buyer can't be told from others who saw the payment. If it settles, repeating the call names the credit but returns no token.",
        "Esta chamada veio sem Idempotency-Key, token de visitante, chave de API ou sessão, então não há como distinguir quem comprou de outros que viram o pagamento. Se ele for liquidado, repetir a chamada indica o crédito, mas não devolve o token.",
    );
    match error.code {
        Code::SettlementPending => error.explained(if is_buyer { WITH } else { WITHOUT }.into()),
        _ => error,
    }
}

/// Answers a payment that came before. The token can't be shown again, and the payment's header is public once settled: a
/// new token takes the place of the lost one only for the owner of the call, whom the request's digest names, or for the
/// caller with its idempotency key; and while nothing was spent.
async fn replay(cx: &Cx, priced: &Priced, row: store::StoredPayment) -> Result<Bought, ServiceError> {
    let services = &cx.services;
    let is_repeat = payment::is_repeat(cx, priced, &row);
    let Some(purchase) = row.purchase.clone().filter(|_| is_repeat) else {
        return Err(payment::of_another_request(cx, priced, row));
    };
    let is_buyer = cx.caller.owner().is_some() || (row.key_digest.is_some() && row.key_digest == cx.payment.key_digest);
    let amount = row.amount;
    let ended = resume(services, row).await?;
    let (receipt, _) = payment::receipt(services, priced, ended).map_err(|error| with_way_to_token(error, is_buyer))?;
    if is_buyer && let Some(token) = new_token(cx, &purchase, amount).await? {
        return Ok(Bought { token, receipt: Some(receipt) });
    }
    Err(ServiceError::new(Code::CreditDelivered).with("credit", json!(purchase.credit_id)))
}

/// A new token for a credit of which nothing was spent.
async fn new_token(cx: &Cx, purchase: &CreditPurchase, bought: Micros) -> Result<Option<String>, ServiceError> {
    let services = &cx.services;
    let token = TokenKind::Credit.token(services.ports().entropy.bytes());
    let digest = token_digest(&token);
    let credit = &purchase.credit_id;
    let replaced = services.database().write(|store| store.replace_credit_token(credit, bought, &digest)).await?;
    Ok(replaced.then_some(token))
}
