//! What a caller brings to pay with: a payment, a credit, a key that names the call.

use std::ops::RangeInclusive;

use model::lang::{Text, text};
use store::Credit;

use super::payload::{self, Payment};
use crate::credential::token_digest;
use crate::database::{Database, DatabaseError};
use crate::error::{Code, ServiceError};

/// Characters of an `Idempotency-Key`: letters, digits, `_` and `-`.
pub(crate) const KEY_CHARS: RangeInclusive<usize> = 16..=128;

/// What a caller brings to pay with.
#[derive(Debug, Clone, Default)]
pub struct Brought {
    /// A payment by x402.
    pub payment: Option<BroughtPayment>,
    /// A credit.
    pub credit: BroughtCredit,
    /// Digest of what names the call, so that its repeats are the same call.
    pub key_digest: Option<[u8; 32]>,
}

/// A payment by x402 that was read, and not judged.
#[derive(Debug, Clone)]
pub struct BroughtPayment(pub Result<Payment, &'static str>);

impl BroughtPayment {
    /// Reads the value of `X-PAYMENT` or `PAYMENT-SIGNATURE`; [`Code::InvalidPayment`] for one that can't be read. One of a
    /// version that is not spoken here is refused when it is to pay.
    pub fn read(header: &[u8]) -> Result<Self, ServiceError> {
        payload::sent(header).map(Self)
    }
}

/// A credit, as far as it could be looked up.
#[derive(Debug, Clone, Default)]
pub enum BroughtCredit {
    /// None was sent.
    #[default]
    None,
    /// One that is known.
    Known(Box<Credit>, [u8; 32]),
    /// The database could not be asked.
    Unverified,
}

impl Brought {
    /// What comes with a call that costs something. `key` is the `Idempotency-Key`. A credit and a payment are one too many.
    pub fn to_pay(
        payment: Option<BroughtPayment>,
        key: Option<&str>,
        credit: BroughtCredit,
    ) -> Result<Self, ServiceError> {
        if payment.is_some() && !matches!(credit, BroughtCredit::None) {
            const BOTH: Text = text(
                "X-PAYMENT: drop it, or the credit; one call is paid once",
                "X-PAYMENT: retire-o, ou o crédito; uma chamada é paga uma vez",
            );
            return Err(ServiceError::new(Code::InvalidPayment).explained(BOTH.into()));
        }
        let identifier = match &payment {
            Some(BroughtPayment(Ok(payment))) => {
                payment.identifier.as_deref().filter(|id| is_key(id)).map(token_digest)
            }
            _ => None,
        };
        let key_digest = key.map(idempotency_key).transpose()?.or(identifier);
        Ok(Self { payment, credit, key_digest })
    }

    /// Only a credit, for a call that costs nothing.
    pub fn credit(credit: BroughtCredit) -> Self {
        Self { credit, ..Self::default() }
    }

    /// The credit, where a call is for holders of one.
    pub fn required_credit(&self) -> Result<(&Credit, &[u8; 32]), ServiceError> {
        match &self.credit {
            BroughtCredit::Known(credit, digest) => Ok((credit, digest)),
            BroughtCredit::None => Err(ServiceError::new(Code::CreditRequired)),
            BroughtCredit::Unverified => Err(ServiceError::new(Code::DatabaseUnavailable).retry_after(5)),
        }
    }
}

impl BroughtCredit {
    /// The credit of a token; [`Code::InvalidCredential`] for one that is not known.
    pub async fn of(database: &Database, token: Option<&str>) -> Result<Self, ServiceError> {
        let Some(token) = token else { return Ok(Self::None) };
        let digest = token_digest(token);
        match database.ask(|store| store.credit_by_digest(&digest)).await {
            Ok(Some(credit)) => Ok(Self::Known(Box::new(credit), digest)),
            Ok(None) | Err(DatabaseError::NotFound) => Err(ServiceError::new(Code::InvalidCredential)),
            Err(DatabaseError::Down) => Ok(Self::Unverified),
            Err(DatabaseError::Defect) => Err(ServiceError::new(Code::Internal)),
        }
    }
}

/// Digest of an `Idempotency-Key`.
fn idempotency_key(value: &str) -> Result<[u8; 32], ServiceError> {
    if is_key(value) {
        return Ok(token_digest(value));
    }
    const SHAPE: Text = text(
        "Idempotency-Key: takes 16 to 128 letters, digits, _ and -, once",
        "Idempotency-Key: recebe de 16 a 128 letras, dígitos, _ e -, uma vez",
    );
    Err(ServiceError::new(Code::InvalidParameter).explained(SHAPE.into()))
}

fn is_key(text: &str) -> bool {
    KEY_CHARS.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}
