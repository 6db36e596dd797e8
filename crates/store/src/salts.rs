//! Salts of the hashes of networks: one random value a day, the same for all servers of a database, then deleted.

use model::time::Day;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::store::Store;

// The update changes nothing: it makes `RETURNING` give the existing row.
const OFFER: &str = "INSERT INTO daily_salts (day, salt) VALUES ($1, $2) \
    ON CONFLICT (day) DO UPDATE SET salt = daily_salts.salt RETURNING salt";

const SELECT: &str = "SELECT salt FROM daily_salts WHERE day = $1";

const FORGET: &str = "DELETE FROM daily_salts WHERE day < $1 RETURNING day";

impl Store {
    /// The salt of `day`: the stored one, else `offered`, which is then stored.
    pub async fn daily_salt(&self, day: Day, offered: &[u8; 32]) -> Result<[u8; 32], StoreError> {
        let subject = "agreeing on the salt of a day";
        let rows = self.db.write(subject, sqlx::query(OFFER).bind(day.0).bind(offered.to_vec())).await?;
        salt(subject, rows.first().ok_or(StoreError::NotFound { subject })?)
    }

    /// The stored salt of `day`, if any.
    pub async fn salt_of(&self, day: Day) -> Result<Option<[u8; 32]>, StoreError> {
        let subject = "reading the salt of a day";
        let row = self.db.read(subject, sqlx::query(SELECT).bind(day.0)).await?;
        row.map(|row| salt(subject, &row)).transpose()
    }

    /// Deletes the salts of days before `day`; how many. The hashes of those days can't be traced back to networks
    /// afterwards.
    pub async fn forget_salts(&self, day: Day) -> Result<u64, StoreError> {
        let rows = self.db.write("forgetting salts", sqlx::query(FORGET).bind(day.0)).await?;
        Ok(rows.len() as u64)
    }
}

fn salt(subject: &'static str, row: &AnyRow) -> Result<[u8; 32], StoreError> {
    let salt: Vec<u8> = row.try_get("salt").map_err(|error| StoreError::of_driver(subject, error))?;
    salt.try_into().map_err(|_| StoreError::corrupt(subject, std::io::Error::other("a salt is not 32 bytes")))
}
