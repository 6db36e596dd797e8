//! A transaction: statements that are committed together or not at all.

use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::statement::Statement;

/// A transaction, whose statements run one after the other.
///
/// Once one has failed nothing is kept, whatever the others do.
pub(crate) struct Transaction<'c> {
    subject: &'static str,
    connection: &'c mut AnyConnection,
    failure: Option<StoreError>,
    may_repeat: bool,
}

impl<'c> Transaction<'c> {
    /// The transaction that has begun on `connection`.
    pub(crate) fn new(subject: &'static str, connection: &'c mut AnyConnection) -> Self {
        Self { subject, connection, failure: None, may_repeat: false }
    }

    /// Runs `statement`; all its rows. The statement has to bound their number.
    pub(crate) async fn all(&mut self, statement: Statement) -> Result<Vec<AnyRow>, StoreError> {
        statement.fetch_all(&mut *self.connection).await.map_err(|error| self.failed(error))
    }

    /// Runs `statement`; its first row, if any.
    pub(crate) async fn first(&mut self, statement: Statement) -> Result<Option<AnyRow>, StoreError> {
        // Reads all rows: SQLite keeps the lock of a statement that was not read to its end.
        Ok(self.all(statement).await?.into_iter().next())
    }

    /// Runs `statement`; how many rows it changed.
    pub(crate) async fn run(&mut self, statement: Statement) -> Result<u64, StoreError> {
        let done = statement.execute(&mut *self.connection).await.map_err(|error| self.failed(error))?;
        Ok(done.rows_affected())
    }

    /// The first failure, and whether a new attempt at the same steps may succeed.
    pub(crate) fn end(self) -> (Option<StoreError>, bool) {
        (self.failure, self.may_repeat)
    }

    fn failed(&mut self, error: sqlx::Error) -> StoreError {
        // Serialization failure, deadlock: PostgreSQL rolled this transaction back for another.
        let code = error.as_database_error().and_then(|error| error.code());
        self.may_repeat |= matches!(code.as_deref(), Some("40001" | "40P01"));
        let error = StoreError::of_driver(self.subject, error);
        self.failure.get_or_insert_with(|| error.clone());
        error
    }
}
