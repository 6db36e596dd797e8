//! Buying credit with x402 (`specs/x402.md` §7): nothing happens between the settlement and the credit.

use model::lang::{Text, text};
use model::money::Micros;
use serde_json::json;
use store::{Claim, NewCredit, Payment, Purchase};

use super::by_x402::{self, Judged};
use super::settling;
use crate::caller::Cx;
use crate::credential::{TokenKind, token_digest};
use crate::error::{Code, Receipt, ServiceError};
use crate::x402::{Priced, request_hash};

/// Settling begins at once: there is no work to wait for.
const NO_WORK: std::time::Duration = std::time::Duration::ZERO;

/// A credit that was bought.
#[derive(Debug)]
pub struct Bought {
    /// Its token, which is not kept.
    pub token: String,
    /// The receipt of the payment; `None` where nothing is charged.
    pub receipt: Option<Receipt>,
}

/// Sells a pack, for the payment that came along.
pub async fn buy(cx: &Cx, usd: u32) -> Result<Bought, ServiceError> {
    let app = &cx.services;
    let priced = app.payments().pack(usd);
    let token = TokenKind::Credit.token(app.ports().entropy.bytes());
    if !app.payments().is_live() {
        by_x402::admit(cx).await?;
        let new = NewCredit {
            id: app.ports().id(),
            token_digest: token_digest(&token),
            owner: cx.caller.owner().map(|owner| owner.to_string()),
            is_dev: true,
            network: None,
            created_at: app.ports().now(),
        };
        app.database().ask(|store| store.create_dev_credit(new, priced.price)).await?;
        return Ok(Bought { token, receipt: None });
    }
    let owner = cx.caller.owner().map(|owner| owner.to_string());
    let hash = request_hash(&priced, owner.as_deref());
    if let Some(known) = by_x402::known(cx).await? {
        return replay(cx, &priced, &hash, known).await;
    }
    by_x402::none_on_its_way(cx, &priced).await?;
    let Some(judged) = by_x402::judge(cx, &priced, NO_WORK)? else {
        return Err(app.payments().asked(&priced, cx.lang));
    };
    by_x402::admit(cx).await?;
    let purchase = Purchase { credit_id: app.ports().id(), token_digest: token_digest(&token) };
    match by_x402::claim(cx, &priced, &judged, hash, Some(purchase)).await? {
        Claim::Claimed(lease) => {
            let cx = cx.clone();
            app.payments().ongoing().off_the_call(async move { pay(&cx, &priced, &judged, lease, token).await }).await?
        }
        Claim::Known(known) => replay(cx, &priced, &hash, *known).await,
    }
}

/// From a claim to its end.
async fn pay(
    cx: &Cx,
    priced: &Priced,
    judged: &Judged,
    lease: store::Lease,
    token: String,
) -> Result<Bought, ServiceError> {
    let app = &cx.services;
    by_x402::verify(app, priced, judged, &lease).await?;
    let charge = settling::charge(app, judged.due(app, lease, priced.price)).await;
    let is_buyer = cx.caller.owner().is_some() || cx.brought.key_digest.is_some();
    by_x402::charged(app, priced, judged.version(), judged.payer(), charge)
        .map(|receipt| Bought { token, receipt: Some(receipt) })
        .map_err(|error| with_way_to_token(error, is_buyer))
}

/// A refusal that asks to repeat the call says whether that will bring the token.
fn with_way_to_token(error: ServiceError, is_buyer: bool) -> ServiceError {
    const WITH: Text = text(
        "Once it is settled, the same call with the same payment, and the Idempotency-Key, guest token, API key or session of this one, answers with a token.",
        "Quando estiver liquidado, a mesma chamada com o mesmo pagamento, e a Idempotency-Key, o token de visitante, a chave de API ou a sessão desta, responde com um token.",
    );
    const WITHOUT: Text = text(
        "This call came without an Idempotency-Key, guest token, API key or session: nothing tells its buyer from others who saw the payment. Should it settle, the same call says which credit it bought, and no token.",
        "Esta chamada veio sem Idempotency-Key, token de visitante, chave de API ou sessão: nada distingue quem comprou de outros que viram o pagamento. Se for liquidado, a mesma chamada diz que crédito ele comprou, e nenhum token.",
    );
    match error.code {
        Code::SettlementPending => error.explained(if is_buyer { WITH } else { WITHOUT }.into()),
        _ => error,
    }
}

/// Answers a payment that came before. The token can't be shown again, and the payment's header is public once settled: a
/// new token takes the place of the lost one only for the owner of the call, whom the digest of what is asked names, or
/// for who names the call as it was named; and while nothing was spent.
async fn replay(cx: &Cx, priced: &Priced, hash: &[u8; 32], known: Payment) -> Result<Bought, ServiceError> {
    let app = &cx.services;
    let is_same = by_x402::is_same_request(cx, priced, hash, &known);
    let Some(purchase) = known.purchase.clone().filter(|_| is_same) else {
        return Err(by_x402::of_another_request(app, priced, known));
    };
    let is_buyer =
        cx.caller.owner().is_some() || (known.key_digest.is_some() && known.key_digest == cx.brought.key_digest);
    let charge = by_x402::outcome(app, priced, &known).await?;
    let receipt = by_x402::charged(app, priced, known.wire_version, &known.key.payer, charge)
        .map_err(|error| with_way_to_token(error, is_buyer))?;
    if is_buyer && let Some(token) = new_token(cx, &purchase, known.amount).await? {
        return Ok(Bought { token, receipt: Some(receipt) });
    }
    Err(ServiceError::new(Code::CreditDelivered).with("credit", json!(purchase.credit_id)))
}

/// A new token for a credit of which nothing was spent.
async fn new_token(cx: &Cx, purchase: &Purchase, bought: Micros) -> Result<Option<String>, ServiceError> {
    let app = &cx.services;
    let token = TokenKind::Credit.token(app.ports().entropy.bytes());
    let digest = token_digest(&token);
    let replaced = app.database().ask(|store| store.replace_credit_token(&purchase.credit_id, bought, &digest)).await?;
    Ok(replaced.then_some(token))
}
