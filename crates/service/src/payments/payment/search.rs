//! The transition of a payment of which the facilitator does not know whether it settled: the chain is searched, where a
//! node is configured.

use model::time::Timestamp;
use serde_json::Value;

use super::record::{is_expired, pause, record_lapsed, record_refused, record_settled};
use super::settling::{Doubt, Settling};
use super::state::PaymentStage;
use crate::x402::{ChainUse, TransferQuery};

/// Why a payment lapsed: its authorization was used for another transfer, or its payer cancelled it.
const SPENT: &str = "authorization_used_or_canceled";
/// Why a payment lapsed: its authorization expired, and was never used.
const EXPIRED: &str = "expired";

/// Searches the chain for the payment's transfer, and records what that proves.
pub(super) async fn search(settling: &Settling<'_>, doubt: Doubt) -> PaymentStage {
    let Settling { services, terms, since, .. } = settling;
    let now = services.ports().now();
    let doubt = Doubt { transaction: doubt.transaction.or_else(|| terms.transaction.clone()), ..doubt };
    let found = match services.payments().node() {
        None => None,
        Some(node) => {
            let query = TransferQuery {
                asset: &terms.key.asset,
                payer: &terms.key.payer,
                nonce: &terms.key.nonce,
                // That of then: an operator may have changed the address since.
                pay_to: terms.requirements.get("payTo").and_then(Value::as_str).unwrap_or_default(),
                amount: terms.amount.0,
                age_ms: u64::try_from(now.0.saturating_sub(since.0)).unwrap_or_default(),
                transaction: doubt.transaction.as_deref(),
            };
            Some(node.find(services.engine().fetcher(), &query).await)
        }
    };
    match found {
        Some(ChainUse::Transfer(transaction)) => record_settled(settling, transaction).await,
        Some(ChainUse::Spent) => record_lapsed(settling, SPENT).await,
        Some(ChainUse::Unused { at }) if is_expired(settling, now) && is_expired_on_chain(settling, at) => {
            record_lapsed(settling, EXPIRED).await
        }
        Some(ChainUse::Unused { .. }) | None if doubt.is_final => record_refused(settling, doubt.reason).await,
        Some(ChainUse::Unused { .. } | ChainUse::Unknown) | None => pause(settling, doubt).await,
    }
}

/// Whether the authorization has expired by the chain's own clock, `at` seconds since 1970: our clock may be ahead of it,
/// and a node may be behind. The token takes an authorization in blocks before its end only (EIP-3009).
fn is_expired_on_chain(settling: &Settling<'_>, at: u64) -> bool {
    let at = Timestamp(i64::try_from(at).unwrap_or(i64::MAX).saturating_mul(1_000));
    settling.terms.valid_before.is_some_and(|valid_before| at >= valid_before)
}
