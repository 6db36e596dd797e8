//! Prepaid credit: what a holder sees of it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::time::Timestamp;

/// Why a balance changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub enum MovementKind {
    /// Bought by x402.
    #[serde(rename = "compra")]
    Purchase,
    /// Bought by Pix, and released by a person.
    #[serde(rename = "pix")]
    Pix,
    /// Taken for a call.
    #[serde(rename = "debito")]
    Debit,
    /// A debit given back, as nothing came of its call.
    #[serde(rename = "estorno")]
    Reversal,
    /// Put right by the operator.
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
    /// What caused it: a payment, a request, a call. A reversal names its debit.
    #[serde(rename = "ref")]
    pub reference: String,
    /// When.
    #[serde(rename = "criado_em")]
    pub created_at: Timestamp,
}

/// State of a request for credit by Pix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub enum PixState {
    /// Waits for a person to look at the receipt.
    #[serde(rename = "pendente")]
    Pending,
    /// The credit may be spent.
    #[serde(rename = "liberado")]
    Released,
    /// The receipt was no payment to us.
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
