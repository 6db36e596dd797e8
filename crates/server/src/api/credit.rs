//! Prepaid credit: buying it, and seeing what is left.

use model::credit::{BoughtCredit, CreditList, CreditStatement, ListedCredit, Movement};
use model::id::Owner;
use model::lang::{Text, text};
use model::money::Micros;
use schemars::JsonSchema;
use serde::Deserialize;
use store::Credit;

use crate::app::App;
use crate::database::Trouble;
use crate::error::{ApiError, Code};
use crate::operation::{Access, Answer, Cx, Json, Nothing, Operation, Reply, Written};
use crate::payments::{NO_PACK, PACKS, by_credit, purchase};

/// Credits of one owner that are listed.
const LISTED: u32 = 100;

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post_query(purchase::PATH, purchase::OPERATION, buy)
            .text(
                "Buy credit",
                "Prepaid credit of `usd` dollars (1, 5, 10 or 25), paid by x402 like any call with a price: call it, sign \
                 what the 402 asks for, and repeat it with `X-PAYMENT` or `PAYMENT-SIGNATURE`. The answer has the token \
                 `cred_…`, which is shown once and pays calls as `Authorization: Bearer cred_…` or `X-Credito`. Send an \
                 `Idempotency-Key` of your own with it: should the answer get lost, the same call with the same payment \
                 and key gives a new token, as long as nothing was spent. Who buys with a guest token, API key or session \
                 gets one without a key too; anybody else without a key gets none, and the credit is lost to them. Clients of version 1 refuse more than 0.10 USD \
                 unless told otherwise: raise their limit (`maxValue` of `wrapFetchWithPayment`).\n\nExample: \
                 `POST /api/credito?usd=5`",
            )
            .sells()
            .check(|_: &App, input: &Purchase| pack(input.usd).map(drop))
            .errors(&[Code::PaymentRequired, Code::CreditDelivered, Code::RateLimited]),
        Operation::get(purchase::PATH, "get_credit", read)
            .text(
                "See a credit",
                "What is left of the credit whose token is sent, whether it pays calls (`estado`: `ativo`, `pendente`, \
                 `recusado` or `sem_valor`), and its newest 100 movements. Free.",
            )
            .access(Access::Credit)
            .errors(&[Code::DatabaseUnavailable]),
        Operation::get("/api/creditos", "list_credits", list)
            .text(
                "List the credits that you bought",
                "The credits that were bought with your guest token, session or API key, an organization's with a key of \
                 its own: the newest 100. Never a token: those are shown once, when they are bought.",
            )
            .access(Access::Owner),
    ]
}

/// What to buy.
#[derive(Debug, Deserialize, JsonSchema)]
struct Purchase {
    /// Dollars: 1, 5, 10 or 25.
    #[schemars(extend("enum" = PACKS))]
    usd: u32,
}

/// The pack of so many dollars.
pub(crate) fn pack(usd: u32) -> Result<u32, ApiError> {
    if PACKS.contains(&usd) { Ok(usd) } else { Err(ApiError::new(Code::InvalidParameter).explained(NO_PACK.into())) }
}

/// A new credit with the receipt of its payment.
struct Sold {
    credit: Written<BoughtCredit>,
    receipt: Option<(http::HeaderName, http::HeaderValue)>,
}

impl Answer for Sold {
    fn reply(self) -> Result<Reply, ApiError> {
        let mut reply = self.credit.reply()?;
        reply.headers.extend(self.receipt);
        Ok(reply)
    }

    fn describe(generator: &mut schemars::SchemaGenerator) -> (&'static str, Option<schemars::Schema>) {
        Written::<BoughtCredit>::describe(generator)
    }
}

/// Sells a pack.
async fn buy(cx: Cx, input: Purchase) -> Result<Sold, ApiError> {
    const KEEP: Text = text(
        "Keep the token: it is shown once, and who holds it can spend it.",
        "Guarde o token: ele aparece uma vez, e quem o tem pode gastá-lo.",
    );
    const USE: Text = text(
        "Send it with each call as Authorization: Bearer <token>, or as X-Credito: <token>.",
        "Envie-o em cada chamada como Authorization: Bearer <token>, ou como X-Credito: <token>.",
    );
    let usd = pack(input.usd)?;
    let bought = purchase::buy(&cx, usd).await?;
    let credit = BoughtCredit {
        token: bought.token,
        balance_usd: Micros::of_dollars(usd).to_string(),
        keep: KEEP.in_lang(cx.lang),
        usage: USE.in_lang(cx.lang),
        balance_at: cx.app.url(purchase::PATH),
    };
    Ok(Sold { credit: Written::spoken(&credit)?, receipt: bought.receipt })
}

/// What is left of a credit.
async fn read(cx: Cx, _: Nothing) -> Result<Json<CreditStatement>, ApiError> {
    let (_, digest) = cx.brought.required_credit()?;
    let (credit, movements) = credit_of(&cx.app, digest).await?;
    Ok(Json::new(CreditStatement {
        balance_micros: credit.balance.0,
        balance_usd: credit.balance.to_string(),
        state: by_credit::state(cx.app.payments(), &credit),
        created_at: credit.created_at,
        movements,
    }))
}

/// What the caller bought.
async fn list(cx: Cx, _: Nothing) -> Result<Json<CreditList>, ApiError> {
    let credits = credits_of(&cx.app, &cx.caller.required_owner()?).await?;
    Ok(Json::new(CreditList { credits }))
}

/// The credits that `owner` bought, newest first, at most [`LISTED`].
pub(crate) async fn credits_of(app: &App, owner: &Owner) -> Result<Vec<ListedCredit>, ApiError> {
    let owner = owner.to_string();
    let credits = app.database().ask(|store| store.credits_of(&owner, LISTED)).await?;
    Ok(credits.into_iter().map(|credit| listed(app, credit)).collect())
}

/// A credit as it is listed.
pub(crate) fn listed(app: &App, credit: Credit) -> ListedCredit {
    ListedCredit {
        state: by_credit::state(app.payments(), &credit),
        id: credit.id,
        balance_micros: credit.balance.0,
        balance_usd: credit.balance.to_string(),
        created_at: credit.created_at,
    }
}

/// The credit whose token has this digest, and its newest movements; [`Code::InvalidCredential`] where there is none.
pub(crate) async fn credit_of(app: &App, digest: &[u8; 32]) -> Result<(Credit, Vec<Movement>), ApiError> {
    match app.database().ask(|store| store.credit_statement(digest)).await {
        Ok(Some(statement)) => Ok(statement),
        Ok(None) | Err(Trouble::NotFound) => Err(ApiError::new(Code::InvalidCredential)),
        Err(trouble) => Err(trouble.into()),
    }
}
