//! Payments as the operator sees them: how many are unfinished, and the income.

use std::collections::BTreeMap;

use model::money::Micros;
use model::time::Timestamp;
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::record::PaymentState;
use super::row::state;
use crate::columns::micros;
use crate::error::StoreError;
use crate::store::Store;

const UNFINISHED: &str = "SELECT state, COUNT(*) AS many FROM payments \
    WHERE state IN ('claimed', 'working', 'worked', 'settling', 'unclear') GROUP BY state";

const EARNED_BETWEEN: &str = "SELECT network, CAST(SUM(amount_micros) AS BIGINT) AS micros, COUNT(*) AS many \
    FROM (SELECT network, amount_micros FROM revenue WHERE created_at >= $1 AND created_at < $2 \
    UNION ALL SELECT network, amount_micros FROM credit_movements JOIN credits ON credits.id = credit_id \
        WHERE kind IN ('purchase', 'pix') AND is_dev = 0 \
        AND credit_movements.created_at >= $1 AND credit_movements.created_at < $2) AS received GROUP BY network";

impl Store {
    /// Number of payments in each unfinished state.
    pub async fn unfinished_payments(&self) -> Result<BTreeMap<PaymentState, u64>, StoreError> {
        let subject = "counting unfinished payments";
        let rows = self.db.read_all(subject, sqlx::query(UNFINISHED)).await?;
        let mut counts: BTreeMap<_, _> = PaymentState::UNFINISHED.into_iter().map(|state| (state, 0)).collect();
        for row in rows {
            let many: i64 = row.try_get("many").map_err(|error| StoreError::of_driver(subject, error))?;
            counts.insert(state(subject, &row)?, many.unsigned_abs());
        }
        Ok(counts)
    }

    /// The income from `from` to before `to`, for calls and for credit, by network (CAIP-2; `None`: by Pix), and the
    /// number of payments.
    pub async fn received(
        &self,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<BTreeMap<Option<String>, (Micros, u64)>, StoreError> {
        let subject = "adding up what came in";
        let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
        let rows = self.db.read_all(subject, sqlx::query(EARNED_BETWEEN).bind(from.0).bind(to.0)).await?;
        let of_network = |row: &AnyRow| {
            let many: i64 = row.try_get("many").map_err(failed)?;
            let sum = micros(subject, row.try_get("micros"))?;
            Ok((row.try_get("network").map_err(failed)?, (sum, many.unsigned_abs())))
        };
        rows.iter().map(of_network).collect()
    }
}
