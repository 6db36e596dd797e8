//! Migrations of the schema, never edited once landed.

use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AnyConnection, SqlSafeStr};

use crate::error::StoreError;

/// The SQL of a migration.
enum Sql {
    /// The same for both databases.
    Portable(&'static str),
    /// One for each database: their syntax of triggers differs.
    Own { sqlite: &'static str, postgres: &'static str },
}

/// Version, name and SQL of every migration, in order.
const STEPS: &[(i64, &str, Sql)] = &[
    (1, "audits guests counters", Sql::Portable(include_str!("../migrations/0001_audits_guests_counters.sql"))),
    (2, "daily salts", Sql::Portable(include_str!("../migrations/0002_daily_salts.sql"))),
    (3, "jobs", Sql::Portable(include_str!("../migrations/0003_jobs.sql"))),
    (4, "tabs", Sql::Portable(include_str!("../migrations/0004_tabs.sql"))),
    (5, "accounts", Sql::Portable(include_str!("../migrations/0005_accounts.sql"))),
    (6, "shares", Sql::Portable(include_str!("../migrations/0006_shares.sql"))),
    (
        7,
        "money",
        Sql::Own {
            sqlite: concat!(
                include_str!("../migrations/0007_money.sql"),
                include_str!("../migrations/0007_money_sqlite.sql")
            ),
            postgres: concat!(
                include_str!("../migrations/0007_money.sql"),
                include_str!("../migrations/0007_money_postgres.sql")
            ),
        },
    ),
    (8, "organizations", Sql::Portable(include_str!("../migrations/0008_organizations.sql"))),
    (9, "used challenges", Sql::Portable(include_str!("../migrations/0009_used_challenges.sql"))),
    (10, "lab", Sql::Portable(include_str!("../migrations/0010_lab.sql"))),
    (11, "statistics", Sql::Portable(include_str!("../migrations/0011_statistics.sql"))),
    (12, "contact", Sql::Portable(include_str!("../migrations/0012_contact.sql"))),
    (13, "webhooks", Sql::Portable(include_str!("../migrations/0013_webhooks.sql"))),
    (14, "job traces", Sql::Portable(include_str!("../migrations/0014_job_traces.sql"))),
    (15, "snoozes", Sql::Portable(include_str!("../migrations/0015_snoozes.sql"))),
    (16, "site runs", Sql::Portable(include_str!("../migrations/0016_site_runs.sql"))),
    (17, "site watches", Sql::Portable(include_str!("../migrations/0017_site_watches.sql"))),
    (18, "receipt keys", Sql::Portable(include_str!("../migrations/0018_receipt_keys.sql"))),
];

/// Version of the newest migration that this program has.
pub(crate) fn newest() -> i64 {
    STEPS.iter().map(|(version, ..)| *version).max().unwrap_or_default()
}

/// Runs the migrations that this database has not had yet, each in a transaction of its own.
pub(crate) async fn run(connection: &mut AnyConnection) -> Result<(), StoreError> {
    let is_sqlite = connection.backend_name() == "SQLite";
    let steps = STEPS.iter().map(|(version, name, sql)| {
        let sql = match sql {
            Sql::Portable(sql) => *sql,
            Sql::Own { sqlite, .. } if is_sqlite => *sqlite,
            Sql::Own { postgres, .. } => *postgres,
        };
        Migration::new(*version, (*name).into(), MigrationType::Simple, sql.into_sql_str(), false)
    });
    let mut migrator = Migrator::with_migrations(steps.collect());
    // A newer version may have run here before a rollback; its migrations are additive.
    migrator.set_ignore_missing(true);
    migrator
        .run(connection)
        .await
        .map_err(|error| StoreError::unavailable_driver("bringing the tables up to date", error))
}
