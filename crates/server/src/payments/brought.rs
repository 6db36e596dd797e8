//! What a caller brings to pay with: a payment, a credit, a key that names the call.

use std::ops::RangeInclusive;

use http::HeaderMap;
use model::lang::{Text, text};
use store::Credit;

use super::payload::{self, Payment};
use crate::app::App;
use crate::caller::token_digest;
use crate::database::Trouble;
use crate::error::{ApiError, Code};

/// Characters of an `Idempotency-Key`: letters, digits, `_` and `-`.
pub(crate) const KEY_CHARS: RangeInclusive<usize> = 16..=128;

/// What a caller brings to pay with.
#[derive(Debug, Clone, Default)]
pub struct Brought {
    /// A payment by x402; the inner error: one of a version that is not spoken here.
    pub(crate) payment: Option<Result<Payment, &'static str>>,
    /// A credit.
    pub(crate) credit: BroughtCredit,
    /// Digest of what names the call, so that its repeats are the same call.
    pub(crate) key_digest: Option<[u8; 32]>,
}

/// A credit, as far as it could be looked up.
#[derive(Debug, Clone, Default)]
pub(crate) enum BroughtCredit {
    /// None was sent.
    #[default]
    None,
    /// One that is known.
    Known(Box<Credit>, [u8; 32]),
    /// The database could not be asked.
    Unverified,
}

impl Brought {
    /// What the headers bring for a call that costs something. A credit and a payment are one too many.
    pub(crate) fn to_pay(headers: &HeaderMap, credit: BroughtCredit) -> Result<Self, ApiError> {
        let payment = payload::sent(headers)?;
        if payment.is_some() && !matches!(credit, BroughtCredit::None) {
            const BOTH: Text = text(
                "X-PAYMENT: drop it, or the credit; one call is paid once",
                "X-PAYMENT: retire-o, ou o crédito; uma chamada é paga uma vez",
            );
            return Err(ApiError::new(Code::InvalidPayment).explained(BOTH.into()));
        }
        let identifier = match &payment {
            Some(Ok(payment)) => payment.identifier.as_deref().filter(|id| is_key(id)).map(token_digest),
            _ => None,
        };
        let key_digest = key(headers)?.or(identifier);
        Ok(Self { payment, credit, key_digest })
    }

    /// Only a credit, for a call that costs nothing.
    pub(crate) fn credit(credit: BroughtCredit) -> Self {
        Self { credit, ..Self::default() }
    }

    /// The credit, where a call is for holders of one.
    pub(crate) fn required_credit(&self) -> Result<(&Credit, &[u8; 32]), ApiError> {
        match &self.credit {
            BroughtCredit::Known(credit, digest) => Ok((credit, digest)),
            BroughtCredit::None => Err(ApiError::new(Code::CreditRequired)),
            BroughtCredit::Unverified => Err(ApiError::new(Code::DatabaseUnavailable).retry_after(5)),
        }
    }
}

impl BroughtCredit {
    /// The credit of a token; [`Code::InvalidCredential`] for one that is not known.
    pub(crate) async fn of(app: &App, token: Option<&str>) -> Result<Self, ApiError> {
        let Some(token) = token else { return Ok(Self::None) };
        let digest = token_digest(token);
        match app.database().ask(|store| store.credit_by_digest(&digest)).await {
            Ok(Some(credit)) => Ok(Self::Known(Box::new(credit), digest)),
            Ok(None) | Err(Trouble::NotFound) => Err(ApiError::new(Code::InvalidCredential)),
            Err(Trouble::Down) => Ok(Self::Unverified),
            Err(Trouble::Defect) => Err(ApiError::new(Code::Internal)),
        }
    }
}

/// Digest of the header `Idempotency-Key`.
fn key(headers: &HeaderMap) -> Result<Option<[u8; 32]>, ApiError> {
    let mut values = headers.get_all("idempotency-key").iter();
    let Some(value) = values.next() else { return Ok(None) };
    match value.to_str() {
        Ok(text) if is_key(text) && values.next().is_none() => Ok(Some(token_digest(text))),
        _ => {
            const SHAPE: Text = text(
                "Idempotency-Key: takes 16 to 128 letters, digits, _ and -, once",
                "Idempotency-Key: recebe de 16 a 128 letras, dígitos, _ e -, uma vez",
            );
            Err(ApiError::new(Code::InvalidParameter).explained(SHAPE.into()))
        }
    }
}

fn is_key(text: &str) -> bool {
    KEY_CHARS.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}
