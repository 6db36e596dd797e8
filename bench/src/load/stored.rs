//! A database of many stored audits: how long a start takes, and reads, and how long audits wait while old ones are removed.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use sqlx::{AnyConnection, AssertSqlSafe, Connection as _, Executor as _, Row as _};

use super::arrivals::{Pool, Request, json, run, text};
use super::target::slow_site;
use crate::service;

/// Rows of one transaction.
const BATCH: u64 = 200_000;
/// A day in milliseconds.
const DAY: i64 = 86_400_000;

/// Fills a database with audits of nobody and of guests, of the last 400 days, and measures. Their bodies are short, so that the
/// file has what an index needs and not what a report does.
pub(super) fn measure(program: &Path, audits: u64) -> Result<()> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
        let (service, took) = service::start(program, "stored")?;
        println!("start on an empty database: {took:.0?}");
        let service = service.stop()?;
        let file = service.folder().join("bench.db");
        let url = format!("sqlite://{}", file.display());
        let begun = Instant::now();
        fill(&url, audits).await?;
        let size = std::fs::metadata(&file)?.len() / 1_000_000;
        println!("{audits} audits of {size} MB made in {:.0?}", begun.elapsed());

        let begun = Instant::now();
        let service = service.start_again()?;
        println!("start to first answer: {:.2?}", begun.elapsed());
        let pool = Arc::new(Pool::new(&service.address)?);
        let guest = json(&pool, &Request::new("POST", "/api/guest", "", "")).await?;
        let token = format!("x-guest-token: {}\r\n", text(&guest, "token")?);
        let body = format!("{{\"url\":\"{}/\"}}", slow_site().await?);
        let audited = json(&pool, &Request::new("POST", "/api/audit", &token, &body)).await?;
        let reads = [
            Request::new("GET", &format!("/api/audits/{}", text(&audited, "id")?), &token, ""),
            Request::new("GET", "/api/tabs", &token, ""),
        ];
        let lasts = Duration::from_secs(20);
        run(&pool, &reads, 200, lasts).await?.print("reads, 200/s, while jobs remove what is old");
        let audit = [Request::new("POST", "/api/audit", "", &body)];
        run(&pool, &audit, 10, lasts).await?.print("audits, 10/s, while jobs remove what is old");
        let left = count(&url).await?;
        println!("{left} audits are left; {:?} KB resident", service::memory(service.child_id()).unwrap_or_default());
        Ok(())
    })
}

async fn connect(url: &str) -> Result<AnyConnection> {
    sqlx::any::install_default_drivers();
    AnyConnection::connect(url).await.context("the database")
}

async fn fill(url: &str, audits: u64) -> Result<()> {
    let mut connection = connect(url).await?;
    connection.execute("PRAGMA synchronous = OFF").await?;
    let now = i64::try_from(std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_millis())?;
    // A tenth have no owner; the others are of guests with a hundred audits each.
    for begin in (0..audits).step_by(usize::try_from(BATCH)?) {
        let end = (begin + BATCH).min(audits);
        let rows = format!(
            "WITH RECURSIVE n(i) AS (SELECT {begin} UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {end}) \
             INSERT INTO audits (id, owner, requested_url, url, score, created_at, body) \
             SELECT printf('%08x-0000-7000-8000-%012x', i, i), \
             CASE WHEN i % 10 = 0 THEN NULL ELSE printf('guest:stored%d', i / 100) END, \
             'https://example.com/' || i, 'https://example.com/' || i, i % 101, \
             {now} - {DAY} * 400 + CAST(i * ({DAY} * 400.0 / {audits}) AS INTEGER), zeroblob(40) FROM n"
        );
        connection.execute(sqlx::raw_sql(AssertSqlSafe(rows))).await?;
        let guests = format!(
            "WITH RECURSIVE n(i) AS (SELECT {} UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {}) \
             INSERT INTO guests (id, token_digest, created_at, last_seen_at) SELECT printf('stored%d', i), \
             randomblob(32), {now} - {DAY} * 400, {now} - {DAY} * (i % 80) FROM n",
            begin / 100,
            end / 100
        );
        connection.execute(sqlx::raw_sql(AssertSqlSafe(guests))).await?;
    }
    connection.close().await?;
    Ok(())
}

async fn count(url: &str) -> Result<i64> {
    let mut connection = connect(url).await?;
    let row = connection.fetch_one("SELECT COUNT(*) FROM audits").await?;
    connection.close().await?;
    Ok(row.try_get(0)?)
}
