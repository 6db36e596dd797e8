//! Payments in flight: whether one for the same call may still charge its owner, who must not be asked for another one
//! then.

use model::time::Timestamp;
use sqlx::Row;

use super::record::PaymentState;
use super::row;
use crate::error::StoreError;
use crate::store::Store;

/// A payment that may still charge its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnItsWay {
    /// Its state.
    pub state: PaymentState,
    /// The transaction on the chain, as far as known.
    pub transaction: Option<String>,
}

// A payment without a valid lease in these states was never sent to be settled; one that expired long ago has settled
// or never will. The states are those of the index, so that it is used.
const ON_ITS_WAY: &str = "SELECT state, tx_hash FROM payments WHERE owner = $1 AND call_digest = $2 \
    AND state IN ('claimed', 'working', 'worked', 'settling', 'unclear') \
    AND (state NOT IN ('claimed', 'working') OR leased_until > $3) \
    AND valid_before > $4 ORDER BY created_at DESC, id DESC LIMIT 1";

impl Store {
    /// The newest payment of `owner` for this call that may still charge them: its lease is valid at `now`, or it may
    /// have been sent. One whose authorization expired before `over` is left out.
    pub async fn payment_on_its_way(
        &self,
        owner: &str,
        call_digest: &[u8; 32],
        now: Timestamp,
        over: Timestamp,
    ) -> Result<Option<OnItsWay>, StoreError> {
        let subject = "looking for a payment on its way";
        let statement =
            sqlx::query(ON_ITS_WAY).bind(owner.to_owned()).bind(call_digest.to_vec()).bind(now.0).bind(over.0);
        let Some(row) = self.db.read(subject, statement).await? else { return Ok(None) };
        let transaction = row.try_get("tx_hash").map_err(|error| StoreError::of_driver(subject, error))?;
        Ok(Some(OnItsWay { state: row::state(subject, &row)?, transaction }))
    }
}
