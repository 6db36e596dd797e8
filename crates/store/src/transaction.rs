//! Several statements that are kept together or not at all.

use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use crate::db::Statement;
use crate::error::StoreError;

/// The inside of a transaction: statements go in one after the other.
///
/// After one that failed, whatever the others did, nothing is kept.
pub(crate) struct Transaction<'c> {
    subject: &'static str,
    connection: &'c mut AnyConnection,
    failure: Option<StoreError>,
    may_repeat: bool,
}

impl<'c> Transaction<'c> {
    /// One that has begun on `connection`.
    pub(crate) fn new(subject: &'static str, connection: &'c mut AnyConnection) -> Self {
        Self { subject, connection, failure: None, may_repeat: false }
    }

    /// Runs `statement`; all rows that it gives, which it has to bound the number of.
    pub(crate) async fn all(&mut self, statement: Statement) -> Result<Vec<AnyRow>, StoreError> {
        statement.fetch_all(&mut *self.connection).await.map_err(|error| self.failed(error))
    }

    /// Runs `statement`; its first row, if any.
    pub(crate) async fn first(&mut self, statement: Statement) -> Result<Option<AnyRow>, StoreError> {
        // All of them: of a statement that was left half way, SQLite would keep the lock.
        Ok(self.all(statement).await?.into_iter().next())
    }

    /// Runs `statement`; how many rows it changed.
    pub(crate) async fn run(&mut self, statement: Statement) -> Result<u64, StoreError> {
        let done = statement.execute(&mut *self.connection).await.map_err(|error| self.failed(error))?;
        Ok(done.rows_affected())
    }

    /// What failed first, and whether the same steps may succeed when they are begun again.
    pub(crate) fn end(self) -> (Option<StoreError>, bool) {
        (self.failure, self.may_repeat)
    }

    fn failed(&mut self, error: sqlx::Error) -> StoreError {
        // Serialization failure, deadlock: PostgreSQL chose this one to give way.
        let code = error.as_database_error().and_then(|error| error.code());
        self.may_repeat |= matches!(code.as_deref(), Some("40001" | "40P01"));
        let error = StoreError::of_driver(self.subject, error);
        self.failure.get_or_insert_with(|| error.clone());
        error
    }
}
