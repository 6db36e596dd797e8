//! A SQL statement with its values, and the steps of a transaction that run some.

use std::pin::Pin;

use sqlx::any::{Any, AnyArguments};
use sqlx::query::Query;

/// One SQL statement with its values. Bind owned `String`s: the driver's SQLite half can't take shared slices.
pub(crate) type Statement = Query<'static, Any, AnyArguments>;

/// A statement on the row with this id.
pub(crate) fn of_id(sql: &'static str, id: &str) -> Statement {
    sqlx::query(sql).bind(id.to_owned())
}

/// The future of a transaction's steps.
pub(crate) type Steps<'t, T> = Pin<Box<dyn Future<Output = T> + Send + 't>>;

/// The condition that a row is of an organization that the account `$2` is a member of, whose second factor `$3` tells of.
/// A macro, as `concat!` takes literals only.
macro_rules! member_reads {
    () => {
        "owner IN (SELECT 'organization:' || organization_id FROM members \
         JOIN organizations ON organizations.id = organization_id \
         WHERE account_id = $2 AND (requires_second_factor = 0 OR $3 = 1))"
    };
}
pub(crate) use member_reads;
