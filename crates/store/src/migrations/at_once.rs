//! All migrations as one step, for a SQLite database in which there is nothing yet.
//!
//! Each column that a migration adds has SQLite read the whole schema again, which took half of a first start. What the
//! migrations make of an empty database is kept as one text, and a test holds it to what they make one after the other.

use sqlx::migrate::Migrator;
use sqlx::{AnyConnection, Executor as _, QueryBuilder, Row as _};

/// The tables after all migrations, with the rows that these add. A test writes it.
const TABLES: &str = include_str!("../../migrations/sqlite_at_once.sql");

/// Makes the tables where there are none, and notes each migration as done. A database that has any is left as it is.
pub(super) async fn make(connection: &mut AnyConnection, migrator: &Migrator) -> Result<(), sqlx::Error> {
    if !is_empty(connection).await? {
        return Ok(());
    }
    // The lock of a writer, so that no other process begins too.
    connection.execute(sqlx::raw_sql("BEGIN IMMEDIATE")).await?;
    let made = make_within(connection, migrator).await;
    let ended = connection.execute(sqlx::raw_sql(if made.is_ok() { "COMMIT" } else { "ROLLBACK" })).await;
    made?;
    ended.map(drop)
}

async fn make_within(connection: &mut AnyConnection, migrator: &Migrator) -> Result<(), sqlx::Error> {
    // Another process may have made them meanwhile.
    if !is_empty(connection).await? {
        return Ok(());
    }
    connection.execute(sqlx::raw_sql(TABLES)).await?;
    let mut done: QueryBuilder<sqlx::Any> =
        QueryBuilder::new("INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) ");
    done.push_values(migrator.iter(), |mut row, step| {
        row.push_bind(step.version).push_bind(step.description.to_string());
        row.push_bind(true).push_bind(step.checksum.to_vec()).push_bind(0_i64);
    });
    done.build().execute(connection).await.map(drop)
}

async fn is_empty(connection: &mut AnyConnection) -> Result<bool, sqlx::Error> {
    let row = connection.fetch_one("SELECT COUNT(*) FROM sqlite_schema").await?;
    Ok(row.try_get::<i64, _>(0)? == 0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use sqlx::any::AnyRow;
    use sqlx::{Any, Connection as _};

    use super::*;
    use crate::migrations::migrator;

    async fn empty() -> AnyConnection {
        sqlx::any::install_default_drivers();
        AnyConnection::connect("sqlite::memory:").await.unwrap()
    }

    async fn rows(connection: &mut AnyConnection, sql: &str) -> Vec<AnyRow> {
        sqlx::query::<Any>(sqlx::AssertSqlSafe(sql.to_owned())).fetch_all(connection).await.unwrap()
    }

    /// Statements that make what a database has, in the order in which it was made.
    async fn schema(connection: &mut AnyConnection) -> Vec<String> {
        let made = rows(connection, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid").await;
        made.iter().map(|row| row.get(0)).collect()
    }

    /// Rows of each table that has any, as statements. What tells of migrations is left out.
    async fn contents(connection: &mut AnyConnection) -> BTreeMap<String, Vec<String>> {
        let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_sqlx%' ESCAPE '\\'";
        let mut all = BTreeMap::new();
        for table in rows(connection, tables).await {
            let table: String = table.get(0);
            let columns = rows(connection, &format!("SELECT name FROM pragma_table_info('{table}')")).await;
            let columns: Vec<String> = columns.iter().map(|row| row.get(0)).collect();
            let values: Vec<String> = columns.iter().map(|column| format!("quote(\"{column}\")")).collect();
            let select = format!("SELECT {} FROM {table} ORDER BY rowid", values.join(" || ', ' || "));
            let found = rows(connection, &select).await;
            let names = columns.join(", ");
            let insert = |row: &AnyRow| format!("INSERT INTO {table} ({names}) VALUES ({})", row.get::<String, _>(0));
            let statements: Vec<String> = found.iter().map(insert).collect();
            if !statements.is_empty() {
                all.insert(table, statements);
            }
        }
        all
    }

    /// What the kept text has to be.
    async fn written() -> String {
        let mut connection = empty().await;
        migrator(true).run(&mut connection).await.unwrap();
        let mut text =
            "-- What all migrations make of an empty SQLite database. Written by a test: `cargo xtask gen`.\n"
                .to_owned();
        for statement in
            schema(&mut connection).await.into_iter().chain(contents(&mut connection).await.into_values().flatten())
        {
            text += &format!("\n{statement};\n");
        }
        text
    }

    #[tokio::test]
    #[expect(clippy::disallowed_methods, reason = "`cargo xtask gen` sets it")]
    async fn the_kept_text_is_that_of_the_migrations() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations/sqlite_at_once.sql");
        let wanted = written().await;
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, wanted).unwrap();
            return;
        }
        assert!(wanted == TABLES, "{} is not what the migrations make: run `cargo xtask gen`", path.display());
    }

    #[tokio::test]
    async fn one_step_makes_what_the_migrations_make_and_leaves_them_nothing_to_do() {
        let (mut at_once, mut one_by_one) = (empty().await, empty().await);
        let migrator = migrator(true);
        make(&mut at_once, &migrator).await.unwrap();
        migrator.run(&mut one_by_one).await.unwrap();
        assert_eq!(schema(&mut at_once).await, schema(&mut one_by_one).await);
        assert_eq!(contents(&mut at_once).await, contents(&mut one_by_one).await);
        const DONE: &str =
            "SELECT version || description || success || hex(checksum) FROM _sqlx_migrations ORDER BY version";
        let done = |rows: Vec<AnyRow>| rows.iter().map(|row| row.get(0)).collect::<Vec<String>>();
        let noted = done(rows(&mut at_once, DONE).await);
        assert_eq!(noted, done(rows(&mut one_by_one, DONE).await));
        assert_eq!(noted.len(), migrator.iter().count());
        // They find their checksums.
        migrator.run(&mut at_once).await.unwrap();
        assert_eq!(done(rows(&mut at_once, DONE).await), noted);
    }

    #[tokio::test]
    async fn a_database_with_anything_in_it_is_left_as_it_is() {
        let mut connection = empty().await;
        connection.execute(sqlx::raw_sql("CREATE TABLE other (a)")).await.unwrap();
        make(&mut connection, &migrator(true)).await.unwrap();
        assert_eq!(schema(&mut connection).await, ["CREATE TABLE other (a)"]);
    }
}
