//! Prepaid credit: what a holder sees of it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::money::Micros;
use crate::time::Timestamp;

/// The field of a refusal that says what is left, in millionths of a dollar.
pub const BALANCE_FIELD: &str = "saldo_micros";

/// A credit that was bought.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BoughtCredit {
    /// `cred_` and 43 digits of base 62; shown once.
    pub token: String,
    /// Balance in dollars.
    #[serde(rename = "saldo_usd")]
    pub balance_usd: String,
    /// Advice to save the token.
    #[serde(rename = "guarde")]
    pub keep: &'static str,
    /// How to pay with it.
    #[serde(rename = "usar")]
    pub usage: &'static str,
    /// Where to check the balance.
    #[serde(rename = "saldo_em")]
    pub balance_at: String,
}

/// State of a credit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub enum CreditState {
    /// It can pay for calls.
    #[serde(rename = "ativo")]
    Active,
    /// Its Pix receipt is under review.
    #[serde(rename = "pendente")]
    Pending,
    /// No payment was found for its receipt; it can't be spent.
    #[serde(rename = "recusado")]
    Refused,
    /// It can't be spent here: created while nothing was charged, or bought on another network.
    #[serde(rename = "sem_valor")]
    Worthless,
}

/// A credit in its buyer's list, without its token.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedCredit {
    /// Its id.
    pub id: String,
    /// Balance in millionths of a dollar.
    #[serde(rename = "saldo_micros")]
    pub balance_micros: u64,
    /// The same in dollars.
    #[serde(rename = "saldo_usd")]
    pub balance_usd: String,
    /// Whether it can pay for calls.
    #[serde(rename = "estado")]
    pub state: CreditState,
    /// Time of creation.
    #[serde(rename = "criado_em")]
    pub created_at: Timestamp,
}

/// The caller's credits.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CreditList {
    /// Newest first, at most 100.
    #[serde(rename = "creditos")]
    pub credits: Vec<ListedCredit>,
}

/// A credit as its holder sees it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CreditStatement {
    /// Balance in millionths of a dollar.
    #[serde(rename = "saldo_micros")]
    pub balance_micros: u64,
    /// The same in dollars.
    #[serde(rename = "saldo_usd")]
    pub balance_usd: String,
    /// Whether it can pay for calls.
    #[serde(rename = "estado")]
    pub state: CreditState,
    /// Time of creation.
    #[serde(rename = "criado_em")]
    pub created_at: Timestamp,
    /// Newest first, at most 100.
    #[serde(rename = "movimentos")]
    pub movements: Vec<Movement>,
}

/// How credit is bought by Pix.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PixOffer {
    /// Receiving key.
    #[serde(rename = "chave")]
    pub key: String,
    /// Reais per dollar.
    #[serde(rename = "brl_por_usd")]
    pub brl_per_usd: Micros,
    /// The packs, smallest first.
    #[serde(rename = "pacotes")]
    pub packs: Vec<PixPack>,
    /// Limits of a receipt.
    #[serde(rename = "comprovante")]
    pub receipt: PixReceipt,
    /// `manual`: a person looks at each receipt.
    #[serde(rename = "liberacao")]
    pub release: &'static str,
}

/// A pack of credit, with the code that pays it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PixPack {
    /// Whole dollars.
    pub usd: u32,
    /// Amount to pay, in hundredths of a real.
    pub brl_centavos: u64,
    /// The Pix code as text («copia e cola»), with the amount.
    pub br_code: String,
    /// The same as a QR code, SVG.
    pub qr_svg: String,
}

/// Limits of a receipt.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PixReceipt {
    /// Accepted media types, detected by the first bytes.
    #[serde(rename = "tipos")]
    pub types: Vec<&'static str>,
    /// Bytes at most.
    #[serde(rename = "tamanho_maximo")]
    pub max_bytes: usize,
}

/// A request for credit that was accepted.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PixAccepted {
    /// 32 hex digits; knowing it allows reading its state.
    pub id: String,
    /// `pendente`.
    #[serde(rename = "estado")]
    pub state: PixState,
    /// Token of the credit, shown once; nothing can be spent before it is released.
    #[serde(rename = "credito")]
    pub token: String,
    /// Address of its state.
    #[serde(rename = "estado_em")]
    pub state_at: String,
}

/// Text without control characters, as a pattern of JSON Schema.
const ONE_LINE: &str = r"^[^\x00-\x1f\x7f-\x9f]*$";

/// A request for credit by Pix.
#[derive(Debug, Clone, JsonSchema)]
#[expect(dead_code, reason = "the shape of a multipart form, for its schema")]
pub struct PixForm {
    /// Dollars: 1, 5, 10 or 25.
    #[schemars(extend("enum" = [1, 5, 10, 25]))]
    usd: u32,
    /// Photo (JPEG, PNG, WebP) or PDF of the payment, at most 2 MB.
    #[schemars(rename = "comprovante", length(min = 1), extend("format" = "binary"))]
    receipt: String,
    /// Name of the payer, without control characters.
    #[schemars(rename = "nome", length(max = 254), regex(pattern = ONE_LINE))]
    name: Option<String>,
    /// Email address of the payer, without control characters.
    #[schemars(length(max = 254), regex(pattern = ONE_LINE))]
    email: Option<String>,
}

/// State of a Pix request.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PixStatus {
    /// Its state.
    #[serde(rename = "estado")]
    pub state: PixState,
    /// Whole dollars of credit.
    pub usd: u32,
    /// When it was decided; null before.
    #[serde(rename = "decidido_em")]
    pub decided_at: Option<Timestamp>,
}

/// Why a balance changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub enum MovementKind {
    /// Bought by x402.
    #[serde(rename = "compra")]
    Purchase,
    /// Bought by Pix and released.
    #[serde(rename = "pix")]
    Pix,
    /// Charged for a call.
    #[serde(rename = "debito")]
    Debit,
    /// Refund of a failed call.
    #[serde(rename = "estorno")]
    Reversal,
    /// Corrected by the operator. Reserved: no command makes one yet.
    #[serde(rename = "ajuste")]
    Adjustment,
}

impl MovementKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Purchase, Self::Pix, Self::Debit, Self::Reversal, Self::Adjustment];

    /// As it is stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Purchase => "purchase",
            Self::Pix => "pix",
            Self::Debit => "debit",
            Self::Reversal => "reversal",
            Self::Adjustment => "adjustment",
        }
    }

    /// The kind that is stored so.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// One change of a balance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Movement {
    /// Its id.
    pub id: String,
    /// Why.
    #[serde(rename = "tipo")]
    pub kind: MovementKind,
    /// Millionths of a dollar; negative for what was taken.
    #[serde(rename = "valor_micros")]
    pub amount_micros: i64,
    /// Cause: a payment, a request or a call; a refund names its debit.
    #[serde(rename = "ref")]
    pub reference: String,
    /// When.
    #[serde(rename = "criado_em")]
    pub created_at: Timestamp,
}

/// State of a request for credit by Pix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub enum PixState {
    /// The receipt is under review.
    #[serde(rename = "pendente")]
    Pending,
    /// The credit may be spent.
    #[serde(rename = "liberado")]
    Released,
    /// No payment was found for the receipt.
    #[serde(rename = "recusado")]
    Refused,
}

impl PixState {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Pending, Self::Released, Self::Refused];

    /// As it is stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Released => "released",
            Self::Refused => "refused",
        }
    }

    /// The state that is stored so.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}
