//! Migrations of the schema, never edited once landed.

mod at_once;

use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::{AnyConnection, Connection as _, SqlSafeStr};

use crate::error::StoreError;

/// The SQL of a migration.
enum Sql {
    /// The same for both databases.
    Portable(&'static str),
    /// One for each database: their syntax of triggers differs.
    Own { sqlite: &'static str, postgres: &'static str },
}

/// What an error is told to have happened at.
const SUBJECT: &str = "bringing the tables up to date";

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
    (19, "followed by link", Sql::Portable(include_str!("../migrations/0019_followed_by_link.sql"))),
];

/// Version of the newest migration that this program has.
pub(crate) fn newest() -> i64 {
    STEPS.iter().map(|(version, ..)| *version).max().unwrap_or_default()
}

/// Every migration, for SQLite or for PostgreSQL.
fn migrator(is_sqlite: bool) -> Migrator {
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
}

/// Runs the migrations that this database has not had yet, each in a transaction of its own; in an empty SQLite database all in one.
pub(crate) async fn run(connection: &mut AnyConnection) -> Result<(), StoreError> {
    let is_sqlite = connection.backend_name() == "SQLite";
    let migrator = migrator(is_sqlite);
    if is_sqlite {
        at_once::make(connection, &migrator).await.map_err(|error| StoreError::of_driver(SUBJECT, error))?;
    }
    let failed = |error| StoreError::unavailable_driver(SUBJECT, error);
    match migrator.run(&mut *connection).await {
        Err(MigrateError::VersionMismatch(SITE_RUNS)) => {
            let now = migrator.iter().find(|step| step.version == SITE_RUNS).map(|step| step.checksum.to_vec());
            let mended = add_targets(&mut *connection, now.unwrap_or_default()).await;
            mended.map_err(|error| StoreError::of_driver(SUBJECT, error))?;
            migrator.run(connection).await.map_err(failed)
        }
        done => done.map_err(failed),
    }
}

/// The migration that was edited after versions with it had been published, on 2026-11-23.
const SITE_RUNS: i64 = 16;
/// SHA-384 of its first text, which lacked the column `target` and its index.
#[rustfmt::skip]
const FIRST_SITE_RUNS: [u8; 48] = [
    0x47, 0x44, 0xfa, 0x82, 0x69, 0xc9, 0xad, 0xbb, 0x67, 0x95, 0xc6, 0x5b, 0x12, 0x23, 0x6e, 0xf8,
    0x5f, 0xd8, 0x66, 0xa0, 0xfb, 0x86, 0xa0, 0xda, 0xfa, 0xd5, 0x4b, 0x54, 0x0d, 0xe6, 0x47, 0x3e,
    0x3d, 0x97, 0x1f, 0x98, 0x33, 0x66, 0x3a, 0xe7, 0xf4, 0x00, 0x35, 0x9e, 0xd0, 0xe1, 0x94, 0x7a,
];
/// What that text lacked.
const TARGETS: [&str; 2] = [
    "ALTER TABLE site_runs ADD COLUMN target TEXT",
    "CREATE INDEX site_runs_of_target ON site_runs (target) WHERE state = 'running'",
];

/// Brings a database that had the first text of [`SITE_RUNS`] to what the migration is now, whose checksum is given. A
/// database that another server has brought there meanwhile stays as it is.
async fn add_targets(connection: &mut AnyConnection, checksum: Vec<u8>) -> Result<(), sqlx::Error> {
    let mut transaction = connection.begin().await?;
    let renamed = sqlx::query("UPDATE _sqlx_migrations SET checksum = $1 WHERE version = $2 AND checksum = $3")
        .bind(checksum)
        .bind(SITE_RUNS)
        .bind(FIRST_SITE_RUNS.to_vec())
        .execute(&mut *transaction)
        .await?;
    if renamed.rows_affected() == 1 {
        for statement in TARGETS {
            sqlx::query(statement).execute(&mut *transaction).await?;
        }
    }
    transaction.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Statements of a migration: without comments, on one line each; the body of a function or trigger is in its own.
    fn statements(sql: &str) -> Vec<String> {
        let text: Vec<&str> = sql.lines().filter_map(|line| line.split("--").next()).collect();
        let mut statements = vec![String::new()];
        let mut depth = 0_i32;
        for word in text.join(" ").split_whitespace() {
            depth += match word.trim_matches(|c: char| c == ';' || c == '$') {
                "BEGIN" => 1,
                "END" => -1,
                _ => 0,
            };
            let last = statements.last_mut().unwrap();
            last.push_str(word);
            last.push(' ');
            if word.ends_with(';') && depth == 0 {
                statements.push(String::new());
            }
        }
        statements.retain(|statement| !statement.trim().is_empty());
        statements
    }

    /// The table that a statement makes or changes: the word after these.
    fn after<'s>(statement: &'s str, words: &str) -> Option<&'s str> {
        statement.split_once(words)?.1.split([' ', '(']).next()
    }

    /// Why the version before could not go on beside a statement, or after it; `None` where it can.
    fn obstacle(statement: &str, new_tables: &[&str]) -> Option<&'static str> {
        let is_new = |table: Option<&str>| table.is_some_and(|table| new_tables.contains(&table));
        let begins = |words: &str| statement.starts_with(words);
        if begins("CREATE TABLE ") || begins("CREATE INDEX ") || begins("CREATE FUNCTION ") || begins("INSERT INTO ") {
            return None;
        }
        if begins("CREATE UNIQUE INDEX ") || begins("CREATE TRIGGER ") {
            let is_of_new = is_new(after(statement, " ON "));
            return (!is_of_new).then_some("it forbids what the version before may write");
        }
        if begins("ALTER TABLE ") && statement.contains(" ADD COLUMN ") {
            let may_be_left_out = !statement.contains(" NOT NULL") || statement.contains(" DEFAULT ");
            return (!may_be_left_out).then_some("the version before leaves the column out");
        }
        Some("it takes away or changes what the version before uses")
    }

    #[test]
    fn f15_every_migration_lets_the_version_before_go_on() {
        for (version, name, sql) in STEPS {
            let texts = match sql {
                Sql::Portable(sql) => vec![*sql],
                Sql::Own { sqlite, postgres } => vec![*sqlite, *postgres],
            };
            for text in texts {
                let statements = statements(text);
                assert!(!statements.is_empty());
                let tables: Vec<&str> = statements.iter().filter_map(|it| after(it, "CREATE TABLE ")).collect();
                for statement in &statements {
                    let obstacle = obstacle(statement, &tables);
                    assert_eq!(obstacle, None, "migration {version}, {name}: {statement}");
                }
            }
        }
    }

    #[test]
    fn what_the_version_before_can_not_bear_is_found() {
        for statement in [
            "DROP TABLE tabs;",
            "ALTER TABLE tabs DROP COLUMN note;",
            "ALTER TABLE tabs RENAME COLUMN note TO notes;",
            "ALTER TABLE tabs ADD COLUMN note TEXT NOT NULL;",
            "CREATE UNIQUE INDEX x ON tabs (url);",
            "UPDATE tabs SET note = NULL;",
        ] {
            assert!(obstacle(statement, &["jobs"]).is_some(), "{statement}");
        }
    }
}
