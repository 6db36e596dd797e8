//! Prepaid credit: buying it, and seeing what is left.

use model::credit::{BoughtCredit, CreditList, CreditStatement};
use model::lang::{Text, text};
use model::money::Micros;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::{Access, IntoReply, JsonAnswer, Nothing, Operation, Reply, WrittenJson};
use crate::response::receipt;
use service::Services;
use service::caller::Cx;
use service::credit;
use service::error::{Code, PaymentReceipt, ServiceError};
use service::payments::debit::credit_state;
use service::payments::purchase;
use service::x402::{BUY_CREDIT, CREDIT_PATH, PACKS};

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post_query(CREDIT_PATH, BUY_CREDIT, buy)
            .title("Buy credit", "Comprar crédito")
            .doc(
                "Prepaid credit of `usd` dollars (1, 5, 10 or 25), paid by x402 like any priced call: call it, sign \
                 what the 402 asks for, and repeat it with `X-PAYMENT` or `PAYMENT-SIGNATURE`. The answer has the \
                 token `cred_…`, shown once, which pays for calls as `Authorization: Bearer cred_…` or `X-Credito`. \
                 Send an `Idempotency-Key` of your own: if the answer is lost, the same call with the same payment \
                 and key returns a new token while nothing is spent. A guest token, API key or session works in place \
                 of the key; without any of them, a lost token can't be replaced. Clients of version 1 refuse more \
                 than 0.10 USD by default: raise their limit (`maxValue` of `wrapFetchWithPayment`).",
                "Crédito pré-pago de `usd` dólares (1, 5, 10 ou 25), pago por x402 como qualquer chamada com preço: \
                 chame, assine o que o 402 pede e repita com `X-PAYMENT` ou `PAYMENT-SIGNATURE`. A resposta tem o \
                 token `cred_…`, mostrado uma vez, que paga chamadas como `Authorization: Bearer cred_…` ou \
                 `X-Credito`. Envie uma `Idempotency-Key` sua: se a resposta se perder, a mesma chamada com o mesmo \
                 pagamento e a mesma chave devolve um token novo enquanto nada foi gasto. Um token de visitante, uma \
                 chave de API ou uma sessão serve no lugar dela; sem nenhum deles, um token perdido não pode ser \
                 substituído. Clientes da versão 1 recusam por padrão mais de 0,10 USD: aumente o limite deles \
                 (`maxValue` de `wrapFetchWithPayment`).",
            )
            .example("`POST /api/credito?usd=5`")
            .sells()
            .check(|_: &Services, input: &Purchase| credit::pack(input.usd).map(drop))
            .errors(&[Code::PaymentRequired, Code::CreditDelivered, Code::RateLimited]),
        Operation::get(CREDIT_PATH, "get_credit", read)
            .title("Get a credit", "Obter um crédito")
            .doc(
                "Balance of the credit whose token is sent, whether it can pay (`estado`: `ativo`, `pendente`, \
                 `recusado` or `sem_valor`), and its newest 100 movements. Free.",
                "Saldo do crédito cujo token é enviado, se ele pode pagar (`estado`: `ativo`, `pendente`, `recusado` \
                 ou `sem_valor`) e os 100 movimentos mais recentes. Grátis.",
            )
            .access(Access::Credit)
            .errors(&[Code::DatabaseUnavailable]),
        Operation::get("/api/creditos", "list_credits", list)
            .title("List your credits", "Listar os seus créditos")
            .doc(
                "Credits bought with your guest token, session or API key; with an organization's key, the \
                 organization's. The newest 100, without tokens: those are shown once, at purchase.",
                "Créditos comprados com o seu token de visitante, sessão ou chave de API; com a chave de uma \
                 organização, os da organização. Os 100 mais recentes, sem os tokens: estes são mostrados uma vez, na \
                 compra.",
            )
            .access(Access::Owner),
    ]
}

/// What to buy.
#[derive(Debug, Deserialize, JsonSchema)]
struct Purchase {
    /// Dollars: 1, 5, 10 or 25.
    #[schemars(extend("x-pt" = "Dólares: 1, 5, 10 ou 25."))]
    #[schemars(extend("enum" = PACKS))]
    usd: u32,
}

/// A new credit with the receipt of its payment.
struct Sold {
    credit: WrittenJson<BoughtCredit>,
    receipt: Option<PaymentReceipt>,
}

impl IntoReply for Sold {
    fn reply(self) -> Result<Reply, ServiceError> {
        let mut reply = self.credit.reply()?;
        reply.headers.extend(self.receipt.as_ref().and_then(receipt));
        Ok(reply)
    }

    fn describe(generator: &mut schemars::SchemaGenerator) -> (&'static str, Option<schemars::Schema>) {
        WrittenJson::<BoughtCredit>::describe(generator)
    }
}

/// Sells a pack.
async fn buy(cx: Cx, input: Purchase) -> Result<Sold, ServiceError> {
    const KEEP: Text = text(
        "Keep the token: it is shown once, and who holds it can spend it.",
        "Guarde o token: ele aparece uma vez, e quem o tem pode gastá-lo.",
    );
    const USE: Text = text(
        "Send it with each call as Authorization: Bearer <token>, or as X-Credito: <token>.",
        "Envie-o em cada chamada como Authorization: Bearer <token>, ou como X-Credito: <token>.",
    );
    let usd = credit::pack(input.usd)?;
    let bought = purchase::buy(&cx, usd).await?;
    let answer = BoughtCredit {
        token: bought.token,
        balance_usd: Micros::of_dollars(usd).to_string(),
        keep: KEEP.in_lang(cx.lang),
        usage: USE.in_lang(cx.lang),
        balance_at: cx.services.url(CREDIT_PATH),
    };
    Ok(Sold { credit: WrittenJson::spoken(&answer)?, receipt: bought.receipt })
}

/// What is left of a credit.
async fn read(cx: Cx, _: Nothing) -> Result<JsonAnswer<CreditStatement>, ServiceError> {
    let (_, digest) = cx.payment.required_credit()?;
    let (found, movements) = credit::statement(&cx.services, digest).await?;
    Ok(JsonAnswer::new(CreditStatement {
        balance_micros: found.balance.0,
        balance_usd: found.balance.to_string(),
        state: credit_state(cx.services.payments(), &found),
        created_at: found.created_at,
        movements,
    }))
}

/// What the caller bought.
async fn list(cx: Cx, _: Nothing) -> Result<JsonAnswer<CreditList>, ServiceError> {
    let credits = credit::list(&cx.services, &cx.caller.required_owner()?).await?;
    Ok(JsonAnswer::new(CreditList { credits }))
}
