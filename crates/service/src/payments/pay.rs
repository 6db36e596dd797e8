//! Having a call paid, by what came with it: prepaid credit or a payment by x402.

use super::answer::{Answered, Work};
use super::debit;
use super::payment::{self, Good, PaymentStage, X402Payment};
use super::replay::replay_payment;
use crate::caller::Cx;
use crate::config::Sku;
use crate::error::{Code, ServiceError};
use crate::x402::{PaymentMeans, Priced};

/// An unpaid call: its error, and whether a payment was claimed.
#[derive(Debug)]
pub(crate) struct Unpaid {
    /// What its caller is told.
    pub(crate) error: ServiceError,
    /// A payment was claimed: a row was stored, and the facilitator asked.
    pub(crate) is_claimed: bool,
}

impl From<ServiceError> for Unpaid {
    fn from(error: ServiceError) -> Self {
        Self { error, is_claimed: false }
    }
}

/// Runs the work of a call and has it paid; the refusal that asks for a payment where none came with it.
pub(crate) async fn pay(cx: Cx, priced: &Priced, work: Work) -> Result<Answered, Unpaid> {
    payment::refuse_second(&cx, priced).await?;
    match &cx.payment.means {
        PaymentMeans::Credit(..) => return Ok(debit::pay(cx, priced, work).await?),
        PaymentMeans::UnverifiedCredit => {
            return Err(ServiceError::new(Code::DatabaseUnavailable).retry_after(5).into());
        }
        PaymentMeans::None | PaymentMeans::X402(_) | PaymentMeans::UnsupportedX402 => {}
    }
    if priced.sku == Some(Sku::Tab) && matches!(cx.payment.means, PaymentMeans::None) {
        payment::check_ceiling(&cx).await?;
    }
    let judged = payment::judge(&cx, priced, Good::Work(work, Box::new(cx.clone())))?;
    if priced.sku == Some(Sku::Tab) {
        payment::admit(&cx).await?;
    }
    let claimed = match payment::claim(&cx, priced, judged).await? {
        X402Payment { state: PaymentStage::Known(row), .. } => return Ok(replay_payment(&cx, priced, *row).await?),
        claimed => claimed,
    };
    let after_claim = |error| Unpaid { error, is_claimed: true };
    let ended = payment::advance_detached(&cx.services, claimed).await.map_err(after_claim)?;
    match payment::receipt(&cx.services, priced, ended).map_err(after_claim)? {
        (receipt, Good::Answer(answer)) => Ok(Answered::now(answer).with_receipt(receipt)),
        (_, Good::Work(..) | Good::Stored(_) | Good::Credit(_)) => Err(after_claim(ServiceError::new(Code::Internal))),
    }
}
