//! The tables, in steps that are never edited once landed.

use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AnyConnection, SqlSafeStr};

use crate::error::StoreError;

/// Version, name and SQL of every step, in order.
const STEPS: [(i64, &str, &str); 2] = [
    (1, "audits guests counters", include_str!("../migrations/0001_audits_guests_counters.sql")),
    (2, "daily salts", include_str!("../migrations/0002_daily_salts.sql")),
];

/// Takes the steps that this database has not taken yet, each in its own transaction.
pub(crate) async fn run(connection: &mut AnyConnection) -> Result<(), StoreError> {
    let steps = STEPS.map(|(version, name, sql)| {
        Migration::new(version, name.into(), MigrationType::Simple, sql.into_sql_str(), false)
    });
    let mut migrator = Migrator::with_migrations(steps.into());
    // A newer version may have run here before a rollback; its steps are additive.
    migrator.set_ignore_missing(true);
    migrator
        .run(connection)
        .await
        .map_err(|error| StoreError::unavailable_driver("bringing the tables up to date", error))
}
