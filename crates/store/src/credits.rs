//! Prepaid credit: balances, and every movement that made them.
//!
//! A balance changes together with its movement or not at all, and movements are never edited, so that a balance is
//! always the sum of its movements.

use model::credit::{Movement, MovementKind, PixState};
use model::money::Micros;
use model::time::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::columns::{micros, pix_state, signed};
use crate::error::StoreError;
use crate::statement::of_id;
use crate::store::Store;
use crate::transaction::Transaction;

/// Movements that a statement of account shows, newest first.
pub const MOVEMENTS_SHOWN: usize = 100;

/// A credit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credit {
    /// Its id.
    pub id: String,
    /// The buyer, `guest:<id>` and so on, if known.
    pub owner: Option<String>,
    /// Made in development mode of payments, without money.
    pub is_dev: bool,
    /// The network on which it was paid for, CAIP-2; `None`: it was not bought by x402.
    pub network: Option<String>,
    /// The state of its Pix request, if it is paid by Pix.
    pub pix: Option<PixState>,
    /// The balance.
    pub balance: Micros,
    /// Time of creation.
    pub created_at: Timestamp,
}

/// A credit to make.
#[derive(Debug, Clone)]
pub struct NewCredit {
    /// Its id, unique.
    pub id: String,
    /// Digest of its token.
    pub token_digest: [u8; 32],
    /// The buyer.
    pub owner: Option<String>,
    /// Made without money.
    pub is_dev: bool,
    /// The network on which it was paid for, CAIP-2, where it was bought by x402.
    pub network: Option<String>,
    /// When.
    pub created_at: Timestamp,
}

const INSERT: &str = "INSERT INTO credits (id, token_digest, owner, is_dev, network, balance_micros, created_at) \
    VALUES ($1, $2, $3, $4, $5, 0, $6)";

/// The columns of a [`Credit`]. A macro, as `concat!` takes literals only.
macro_rules! columns {
    () => {
        "credits.id, owner, is_dev, network, balance_micros, credits.created_at, \
        (SELECT state FROM pix_requests WHERE credit_id = credits.id) AS pix"
    };
}

const SELECT: &str = concat!("SELECT ", columns!(), " FROM credits WHERE token_digest = $1");

const BY_ID: &str = concat!("SELECT ", columns!(), " FROM credits WHERE credits.id = $1");

// One statement, so that balance and movements are of one moment.
const STATEMENT: &str = concat!(
    "SELECT ",
    columns!(),
    ", newest.id AS movement_id, kind, amount_micros, ref, newest.created_at AS moved_at \
    FROM credits LEFT JOIN (SELECT id, credit_id, kind, amount_micros, ref, created_at FROM credit_movements \
        WHERE credit_id = (SELECT id FROM credits WHERE token_digest = $1) \
        ORDER BY created_at DESC, id DESC LIMIT $2) AS newest ON newest.credit_id = credits.id \
    WHERE token_digest = $1 ORDER BY newest.created_at DESC, newest.id DESC"
);

const OF_OWNER: &str =
    concat!("SELECT ", columns!(), " FROM credits WHERE owner = $1 ORDER BY created_at DESC, id DESC LIMIT $2");

// Only an unspent credit: its balance is what was bought and nothing was ever debited.
const NEW_TOKEN: &str = "UPDATE credits SET token_digest = $2 WHERE id = $1 AND balance_micros = $3 \
    AND NOT EXISTS (SELECT 1 FROM credit_movements WHERE credit_id = $1 AND kind <> 'purchase') RETURNING id";

const ADD: &str = "UPDATE credits SET balance_micros = balance_micros + $2 \
    WHERE id = $1 AND balance_micros + $2 >= 0";

const MOVE: &str = "INSERT INTO credit_movements (id, credit_id, kind, amount_micros, ref, created_at) \
    VALUES ($1, $2, $3, $4, $5, $6)";

impl Store {
    /// Makes a credit without money, with an initial balance. [`StoreError::Conflict`] when its id or digest is taken.
    pub async fn create_dev_credit(&self, new: NewCredit, balance: Micros) -> Result<(), StoreError> {
        self.db
            .transact("making a credit", move |transaction| {
                let new = new.clone();
                Box::pin(async move {
                    let (id, now) = (new.id.clone(), new.created_at);
                    insert(transaction, new).await?;
                    let reference = format!("dev:{id}");
                    let change =
                        BalanceChange { credit: id, kind: MovementKind::Purchase, micros: signed(balance)?, reference };
                    add(transaction, change, now).await.map(drop)
                })
            })
            .await
    }

    /// The credit whose token has this digest, if any.
    pub async fn credit_by_digest(&self, token_digest: &[u8; 32]) -> Result<Option<Credit>, StoreError> {
        let subject = "looking up a credit";
        let row = self.db.read(subject, sqlx::query(SELECT).bind(token_digest.to_vec())).await?;
        row.map(|row| credit(subject, &row)).transpose()
    }

    /// The credit with this id, if any.
    pub async fn credit_by_id(&self, id: &str) -> Result<Option<Credit>, StoreError> {
        let subject = "looking up a credit by its id";
        self.db.read(subject, of_id(BY_ID, id)).await?.map(|row| credit(subject, &row)).transpose()
    }

    /// A credit and its newest movements, at most [`MOVEMENTS_SHOWN`], both of the same moment.
    pub async fn credit_statement(
        &self,
        token_digest: &[u8; 32],
    ) -> Result<Option<(Credit, Vec<Movement>)>, StoreError> {
        let subject = "reading a credit's movements";
        let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
        let statement = sqlx::query(STATEMENT).bind(token_digest.to_vec()).bind(MOVEMENTS_SHOWN as i64);
        let rows = self.db.read_all(subject, statement).await?;
        let Some(first) = rows.first() else { return Ok(None) };
        let credit = credit(subject, first)?;
        let mut movements = Vec::with_capacity(rows.len());
        for row in &rows {
            // A credit that never moved has one row without a movement.
            let Some(id) = row.try_get::<Option<String>, _>("movement_id").map_err(failed)? else { continue };
            let kind: String = row.try_get("kind").map_err(failed)?;
            movements.push(Movement {
                id,
                kind: MovementKind::of(&kind)
                    .ok_or_else(|| StoreError::corrupt(subject, format!("unknown kind {kind}")))?,
                amount_micros: row.try_get("amount_micros").map_err(failed)?,
                reference: row.try_get("ref").map_err(failed)?,
                created_at: Timestamp(row.try_get("moved_at").map_err(failed)?),
            });
        }
        Ok(Some((credit, movements)))
    }

    /// The credits that `owner` bought, newest first, at most `limit`. Their tokens are not stored.
    pub async fn credits_of(&self, owner: &str, limit: u32) -> Result<Vec<Credit>, StoreError> {
        let subject = "listing credits";
        let rows =
            self.db.read_all(subject, sqlx::query(OF_OWNER).bind(owner.to_owned()).bind(i64::from(limit))).await?;
        rows.iter().map(|row| credit(subject, row)).collect()
    }

    /// Replaces the token of an unspent credit; `false` when some of it was spent.
    pub async fn replace_credit_token(
        &self,
        credit_id: &str,
        bought: Micros,
        token_digest: &[u8; 32],
    ) -> Result<bool, StoreError> {
        let statement = of_id(NEW_TOKEN, credit_id).bind(token_digest.to_vec()).bind(signed(bought)?);
        Ok(!self.db.write("replacing the token of a credit", statement).await?.is_empty())
    }
}

/// A change of a balance, recorded as a movement.
#[derive(Debug, Clone)]
pub(crate) struct BalanceChange {
    pub(crate) credit: String,
    pub(crate) kind: MovementKind,
    pub(crate) micros: i64,
    /// Its cause. Unique per kind, so a cause moves money once; names the movement.
    pub(crate) reference: String,
}

/// Makes a credit without a balance.
pub(crate) async fn insert(transaction: &mut Transaction<'_>, new: NewCredit) -> Result<(), StoreError> {
    let statement = sqlx::query(INSERT)
        .bind(new.id)
        .bind(new.token_digest.to_vec())
        .bind(new.owner)
        .bind(i64::from(new.is_dev))
        .bind(new.network)
        .bind(new.created_at.0);
    transaction.run(statement).await.map(drop)
}

/// Changes a balance and records the movement; `false`, and no change, where the balance would become negative.
pub(crate) async fn add(
    transaction: &mut Transaction<'_>,
    change: BalanceChange,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let BalanceChange { credit, kind, micros, reference } = change;
    if transaction.run(sqlx::query(ADD).bind(credit.clone()).bind(micros)).await? == 0 {
        return Ok(false);
    }
    let movement = sqlx::query(MOVE)
        .bind(format!("{}:{reference}", kind.name()))
        .bind(credit)
        .bind(kind.name())
        .bind(micros)
        .bind(reference)
        .bind(now.0);
    transaction.run(movement).await?;
    Ok(true)
}

fn credit(subject: &'static str, row: &AnyRow) -> Result<Credit, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let pix: Option<String> = row.try_get("pix").map_err(failed)?;
    Ok(Credit {
        id: row.try_get("id").map_err(failed)?,
        owner: row.try_get("owner").map_err(failed)?,
        is_dev: row.try_get::<i64, _>("is_dev").map_err(failed)? != 0,
        network: row.try_get("network").map_err(failed)?,
        pix: pix.map(|state| pix_state(subject, &state)).transpose()?,
        balance: micros(subject, row.try_get("balance_micros"))?,
        created_at: Timestamp(row.try_get("created_at").map_err(failed)?),
    })
}
