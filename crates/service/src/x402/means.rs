//! The means to pay that come with a call: a payment by x402 or a credit; and its idempotency key.

use std::ops::RangeInclusive;

use model::lang::{Text, text};
use store::Credit;

use super::payload::SignedPayment;
use crate::credential::token_digest;
use crate::database::{Database, DatabaseError};
use crate::error::{Code, ServiceError};

/// Characters of an idempotency key: letters, digits, `_` and `-`.
pub(crate) const KEY_CHARS: RangeInclusive<usize> = 16..=128;

/// The means to pay a call, and its idempotency key.
#[derive(Debug, Clone, Default)]
pub struct CallPayment {
    /// The means.
    pub means: PaymentMeans,
    /// Digest of the `Idempotency-Key`, or of the id of x402's extension `payment-identifier`: repeats have the same.
    pub key_digest: Option<[u8; 32]>,
}

/// Means to pay a call.
#[derive(Debug, Clone, Default)]
pub enum PaymentMeans {
    /// None was sent.
    #[default]
    None,
    /// A payment by x402, parsed and not judged.
    X402(Box<SignedPayment>),
    /// A payment in a version of x402 that is not supported; refused when it is to pay.
    UnsupportedX402,
    /// A credit, and the digest of its token.
    Credit(Box<Credit>, [u8; 32]),
    /// A credit that could not be looked up, as the database is down.
    UnverifiedCredit,
}

/// The headers of a call that say how it is paid.
#[derive(Debug)]
pub struct PaymentHeaders<'h> {
    /// The token of a credit.
    pub credit: Option<&'h str>,
    /// Every `X-PAYMENT` and `PAYMENT-SIGNATURE`.
    pub signed: Vec<&'h [u8]>,
    /// The `Idempotency-Key`; empty for one that can't be valid.
    pub key: Option<&'h str>,
}

impl CallPayment {
    /// The payment that came with a call. Of a call without a price it is a credit at most; with a price, more than one
    /// payment, or one beside a credit, is refused, as is an idempotency key of the wrong shape.
    pub async fn parse(
        database: &Database,
        headers: &PaymentHeaders<'_>,
        has_price: bool,
    ) -> Result<Self, ServiceError> {
        let credit = PaymentMeans::credit(database, headers.credit).await?;
        if !has_price {
            return Ok(Self { means: credit, key_digest: None });
        }
        let means = match (headers.signed.as_slice(), credit) {
            ([], credit) => credit,
            ([signed], credit) => match (PaymentMeans::x402(signed)?, credit) {
                (signed, PaymentMeans::None) => signed,
                _ => {
                    const BOTH: Text = text(
                        "X-PAYMENT: send a payment or a credit, not both",
                        "X-PAYMENT: envie um pagamento ou um crédito, não os dois",
                    );
                    return Err(ServiceError::new(Code::InvalidPayment).explained(BOTH.into()));
                }
            },
            _ => {
                const TWO: Text = text(
                    "X-PAYMENT, PAYMENT-SIGNATURE: send only one of them, and only once",
                    "X-PAYMENT, PAYMENT-SIGNATURE: envie só um deles, e só uma vez",
                );
                return Err(ServiceError::new(Code::InvalidPayment).explained(TWO.into()));
            }
        };
        let identifier = match &means {
            PaymentMeans::X402(signed) => signed.identifier.as_deref().filter(|id| is_key(id)).map(token_digest),
            _ => None,
        };
        let key_digest = headers.key.map(idempotency_key).transpose()?.or(identifier);
        Ok(Self { means, key_digest })
    }

    /// The credit, where a call is for holders of one.
    pub fn required_credit(&self) -> Result<(&Credit, &[u8; 32]), ServiceError> {
        match &self.means {
            PaymentMeans::Credit(credit, digest) => Ok((credit, digest)),
            PaymentMeans::UnverifiedCredit => Err(ServiceError::new(Code::DatabaseUnavailable).retry_after(5)),
            PaymentMeans::None | PaymentMeans::X402(_) | PaymentMeans::UnsupportedX402 => {
                Err(ServiceError::new(Code::CreditRequired))
            }
        }
    }
}

impl PaymentMeans {
    /// The credit of a token; `invalid_credential` for an unknown one.
    async fn credit(database: &Database, token: Option<&str>) -> Result<Self, ServiceError> {
        let Some(token) = token else { return Ok(Self::None) };
        let digest = token_digest(token);
        match database.ask(|store| store.credit_by_digest(&digest)).await {
            Ok(Some(credit)) => Ok(Self::Credit(Box::new(credit), digest)),
            Ok(None) | Err(DatabaseError::NotFound) => Err(ServiceError::new(Code::InvalidCredential)),
            Err(DatabaseError::Down | DatabaseError::Full) => Ok(Self::UnverifiedCredit),
            Err(DatabaseError::Defect) => Err(ServiceError::new(Code::Internal)),
        }
    }

    /// The payment in the value of `X-PAYMENT` or `PAYMENT-SIGNATURE`; `invalid_payment` for one that can't be parsed.
    fn x402(header: &[u8]) -> Result<Self, ServiceError> {
        let signed = SignedPayment::parse(header)?;
        Ok(signed.map_or(Self::UnsupportedX402, |signed| Self::X402(Box::new(signed))))
    }
}

/// Digest of an `Idempotency-Key`.
fn idempotency_key(value: &str) -> Result<[u8; 32], ServiceError> {
    if is_key(value) {
        return Ok(token_digest(value));
    }
    const SHAPE: Text = text(
        "Idempotency-Key: use 16 to 128 letters, digits, _ and -, in one header",
        "Idempotency-Key: use de 16 a 128 letras, dígitos, _ e -, em um só cabeçalho",
    );
    Err(ServiceError::new(Code::InvalidParameter).explained(SHAPE.into()))
}

fn is_key(text: &str) -> bool {
    KEY_CHARS.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}
