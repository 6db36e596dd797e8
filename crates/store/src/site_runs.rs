//! The state of a site run: one SQLite file, so that a run which was killed goes on where it was.
//!
//! Rows are only added, in the order of the run, and each batch is one durable commit: what a killed run loses are the pages
//! that were in flight.

use std::cell::RefCell;
use std::path::Path;

use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Connection as _, Executor as _, Row as _};
use zstd::bulk::{Compressor, Decompressor};

use crate::error::StoreError;
use crate::sqlite::{connect_writer, create, options, quick_check};

/// Version of the tables, kept in `user_version`. A file of another version is refused.
const VERSION: i64 = 1;
/// The tables.
const TABLES: &str = "\
CREATE TABLE IF NOT EXISTS site_values (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS site_pages (
    place INTEGER PRIMARY KEY, url TEXT NOT NULL, facts BLOB NOT NULL, report BLOB, etag TEXT, last_modified TEXT
);
CREATE INDEX IF NOT EXISTS site_pages_url ON site_pages (url)";
/// Compression level of reports.
const LEVEL: i32 = 3;
/// That of facts: level 3 takes half again as long for them, and makes them no smaller.
const FACTS_LEVEL: i32 = 1;
/// Size limit of the facts or the report of a page in bytes of JSON: facts of 5,000 links take two million.
const MOST_BYTES: usize = 16 * 1024 * 1024;

thread_local! {
    // Kept for the next page: to make a context takes about as long as to use it.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// The file of a run. One process at a time writes it.
#[derive(Debug)]
pub struct SiteRunFile {
    connection: AnyConnection,
}

/// A page of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitePageRow {
    /// Its place in the order of the run.
    pub place: i64,
    /// Its address.
    pub url: String,
    /// Its facts, in the caller's encoding.
    pub facts: Vec<u8>,
    /// Its report, in the caller's encoding; `None` for an address without one.
    pub report: Option<Vec<u8>>,
    /// `ETag` of its answer.
    pub etag: Option<String>,
    /// `Last-Modified` of its answer.
    pub last_modified: Option<String>,
}

/// The facts of a page of a run, without its report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteFactsRow {
    /// Its place in the order of the run.
    pub place: i64,
    /// Its address.
    pub url: String,
    /// Its facts, in the caller's encoding.
    pub facts: Vec<u8>,
    /// `ETag` of its answer.
    pub etag: Option<String>,
    /// `Last-Modified` of its answer.
    pub last_modified: Option<String>,
}

/// The report of a page of a run, without its facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteReportRow {
    /// Its place in the order of the run.
    pub place: i64,
    /// Its address.
    pub url: String,
    /// Its report, in the caller's encoding; `None` for an address without one.
    pub report: Option<Vec<u8>>,
}

impl SiteRunFile {
    /// Opens the file, creating it and its folder where absent. An error where another process writes it, it is damaged, or
    /// is no file of a run.
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        let subject = "opening the file of a site run";
        let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
        sqlx::any::install_default_drivers();
        let text = path.to_str().ok_or_else(|| StoreError::unavailable(subject, "its path is not UTF-8"))?;
        let (file, _) = create(text).await?;
        let mut connection = connect_writer(&options(&file, "")?).await?;
        quick_check(&mut connection).await?;
        let version: i64 =
            connection.fetch_one("PRAGMA user_version").await.and_then(|row| row.try_get(0)).map_err(failed)?;
        let tables: i64 = connection
            .fetch_one("SELECT COUNT(*) FROM sqlite_master")
            .await
            .and_then(|row| row.try_get(0))
            .map_err(failed)?;
        if version != VERSION && tables > 0 {
            return Err(StoreError::unavailable(subject, "it is no file of a site run of this version"));
        }
        // Held until the end: a second process is told at once instead of mixing two runs.
        connection.execute(sqlx::raw_sql("PRAGMA locking_mode = EXCLUSIVE")).await.map_err(failed)?;
        connection.execute(sqlx::raw_sql(TABLES)).await.map_err(failed)?;
        connection.execute(sqlx::raw_sql("PRAGMA user_version = 1")).await.map_err(failed)?;
        Ok(Self { connection })
    }

    /// A value of the run.
    pub async fn value(&mut self, name: &str) -> Result<Option<String>, StoreError> {
        let failed = |error: sqlx::Error| StoreError::of_driver("reading a value of a site run", error);
        let query = sqlx::query("SELECT value FROM site_values WHERE name = $1").bind(name.to_owned());
        let row = query.fetch_optional(&mut self.connection).await.map_err(failed)?;
        row.map(|row| row.try_get(0)).transpose().map_err(failed)
    }

    /// Keeps a value of the run, in place of the one of that name.
    pub async fn keep_value(&mut self, name: &str, value: &str) -> Result<(), StoreError> {
        let failed = |error: sqlx::Error| StoreError::of_driver("keeping a value of a site run", error);
        let query = sqlx::query(
            "INSERT INTO site_values (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        );
        query.bind(name.to_owned()).bind(value.to_owned()).execute(&mut self.connection).await.map_err(failed)?;
        Ok(())
    }

    /// Adds pages in one commit. A page whose place is taken is passed over.
    pub async fn add(&mut self, pages: Vec<SitePageRow>) -> Result<(), StoreError> {
        let subject = "keeping pages of a site run";
        let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
        let mut commit = self.connection.begin().await.map_err(failed)?;
        for page in pages {
            let query = sqlx::query(
                "INSERT INTO site_pages (place, url, facts, report, etag, last_modified) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (place) DO NOTHING",
            );
            let (facts, report) = (packed_facts(&page.facts)?, page.report.as_deref().map(packed).transpose()?);
            let query = query.bind(page.place).bind(page.url).bind(facts).bind(report);
            query.bind(page.etag).bind(page.last_modified).execute(&mut *commit).await.map_err(failed)?;
        }
        commit.commit().await.map_err(failed)
    }

    /// Facts of pages from a place on, in order, at most so many. Reports are not read: they are larger than all else.
    pub async fn facts(&mut self, from: i64, most: i64) -> Result<Vec<SiteFactsRow>, StoreError> {
        let failed = |error: sqlx::Error| StoreError::of_driver("reading pages of a site run", error);
        let query = sqlx::query(
            "SELECT place, url, facts, etag, last_modified FROM site_pages WHERE place >= $1 ORDER BY place LIMIT $2",
        );
        let rows = query.bind(from).bind(most).fetch_all(&mut self.connection).await.map_err(failed)?;
        let facts = |row: &AnyRow| {
            let facts: Vec<u8> = row.try_get("facts").map_err(failed)?;
            Ok(SiteFactsRow {
                place: row.try_get("place").map_err(failed)?,
                url: row.try_get("url").map_err(failed)?,
                facts: unpacked(&facts)?,
                etag: row.try_get("etag").map_err(failed)?,
                last_modified: row.try_get("last_modified").map_err(failed)?,
            })
        };
        rows.iter().map(facts).collect()
    }

    /// Reports of pages from a place on, in order, at most so many.
    pub async fn reports(&mut self, from: i64, most: i64) -> Result<Vec<SiteReportRow>, StoreError> {
        let failed = |error: sqlx::Error| StoreError::of_driver("reading reports of a site run", error);
        let query = sqlx::query("SELECT place, url, report FROM site_pages WHERE place >= $1 ORDER BY place LIMIT $2");
        let rows = query.bind(from).bind(most).fetch_all(&mut self.connection).await.map_err(failed)?;
        let report = |row: &AnyRow| {
            let report: Option<Vec<u8>> = row.try_get("report").map_err(failed)?;
            Ok(SiteReportRow {
                place: row.try_get("place").map_err(failed)?,
                url: row.try_get("url").map_err(failed)?,
                report: report.as_deref().map(unpacked).transpose()?,
            })
        };
        rows.iter().map(report).collect()
    }

    /// The page of an address.
    pub async fn page(&mut self, url: &str) -> Result<Option<SitePageRow>, StoreError> {
        let failed = |error: sqlx::Error| StoreError::of_driver("reading a page of a site run", error);
        let query = sqlx::query(
            "SELECT place, url, facts, report, etag, last_modified FROM site_pages WHERE url = $1 ORDER BY place LIMIT 1",
        );
        let row = query.bind(url.to_owned()).fetch_optional(&mut self.connection).await.map_err(failed)?;
        row.as_ref().map(page).transpose()
    }

    /// Writes everything and lets go of the file.
    pub async fn close(self) -> Result<(), StoreError> {
        self.connection.close().await.map_err(|error| StoreError::of_driver("closing the file of a site run", error))
    }
}

fn page(row: &AnyRow) -> Result<SitePageRow, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver("reading a page of a site run", error);
    let facts: Vec<u8> = row.try_get("facts").map_err(failed)?;
    let report: Option<Vec<u8>> = row.try_get("report").map_err(failed)?;
    Ok(SitePageRow {
        place: row.try_get("place").map_err(failed)?,
        url: row.try_get("url").map_err(failed)?,
        facts: unpacked(&facts)?,
        report: report.as_deref().map(unpacked).transpose()?,
        etag: row.try_get("etag").map_err(failed)?,
        last_modified: row.try_get("last_modified").map_err(failed)?,
    })
}

/// Bytes of a run as they are stored: a frame of zstd that says how long they are.
pub(crate) fn packed(bytes: &[u8]) -> Result<Vec<u8>, StoreError> {
    packed_at(LEVEL, bytes)
}

/// Facts of a page as they are stored.
pub(crate) fn packed_facts(bytes: &[u8]) -> Result<Vec<u8>, StoreError> {
    packed_at(FACTS_LEVEL, bytes)
}

fn packed_at(level: i32, bytes: &[u8]) -> Result<Vec<u8>, StoreError> {
    let subject = "packing a page of a site run";
    if bytes.len() > MOST_BYTES {
        return Err(StoreError::corrupt(subject, "it is over 16 MiB"));
    }
    let packed = COMPRESSOR.with_borrow_mut(|kept| {
        let compressor = match kept {
            Some(compressor) => compressor,
            None => kept.insert(Compressor::new(level)?),
        };
        compressor.set_compression_level(level)?;
        compressor.compress(bytes)
    });
    packed.map_err(|error| StoreError::unavailable(subject, error))
}

/// Bytes of a run as they were. No more are allocated than the frame says, and never more than [`MOST_BYTES`].
pub(crate) fn unpacked(bytes: &[u8]) -> Result<Vec<u8>, StoreError> {
    let unpacked = DECOMPRESSOR.with_borrow_mut(|kept| {
        let decompressor = match kept {
            Some(decompressor) => decompressor,
            None => kept.insert(Decompressor::new()?),
        };
        decompressor.decompress(bytes, MOST_BYTES)
    });
    unpacked.map_err(|error| StoreError::corrupt("unpacking a page of a site run", error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(place: i64, facts: &str) -> SitePageRow {
        let url = format!("https://example.com/{place}");
        let report = (place % 2 == 0).then(|| b"{}".to_vec());
        SitePageRow { place, url, facts: facts.into(), report, etag: Some("\"1\"".to_owned()), last_modified: None }
    }

    #[tokio::test]
    async fn pages_and_values_are_there_when_the_file_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.db");
        let mut file = SiteRunFile::open(&path).await.unwrap();
        file.keep_value("start", "a").await.unwrap();
        file.keep_value("start", "b").await.unwrap();
        file.add(vec![row(0, "zero"), row(1, "one")]).await.unwrap();
        file.add(vec![row(1, "another"), row(2, "two")]).await.unwrap();
        file.close().await.unwrap();
        let mut file = SiteRunFile::open(&path).await.unwrap();
        assert_eq!(file.value("start").await.unwrap().as_deref(), Some("b"));
        assert_eq!(file.value("end").await.unwrap(), None);
        let facts = |row: SitePageRow| SiteFactsRow {
            place: row.place,
            url: row.url,
            facts: row.facts,
            etag: row.etag,
            last_modified: row.last_modified,
        };
        assert_eq!(file.facts(1, 10).await.unwrap(), [facts(row(1, "one")), facts(row(2, "two"))]);
        assert_eq!(file.facts(0, 1).await.unwrap(), [facts(row(0, "zero"))]);
        let report = |row: SitePageRow| SiteReportRow { place: row.place, url: row.url, report: row.report };
        assert_eq!(file.reports(1, 10).await.unwrap(), [report(row(1, "one")), report(row(2, "two"))]);
        assert_eq!(file.reports(0, 1).await.unwrap(), [report(row(0, "zero"))]);
        assert_eq!(file.page("https://example.com/2").await.unwrap(), Some(row(2, "two")));
        assert_eq!(file.page("https://example.com/3").await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_file_of_something_else_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("note.txt");
        std::fs::write(&path, "not a database, and longer than a header of SQLite would be, as notes are".repeat(4))
            .unwrap();
        let before = std::fs::read(&path).unwrap();
        assert!(SiteRunFile::open(&path).await.is_err());
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[test]
    fn a_kept_context_packs_as_a_new_one_and_bounds_what_it_unpacks() {
        let page = |words: usize| (0..words).map(|at| format!("word{} ", at * at % 977)).collect::<String>();
        let bomb = zstd::bulk::compress(&vec![0; MOST_BYTES + 1], LEVEL).unwrap();
        for words in [0, 3, 50_000, 10, 2_000, 300_000, 1] {
            let bytes = page(words).into_bytes();
            let stored = packed(&bytes).unwrap();
            assert_eq!(stored, zstd::bulk::compress(&bytes, LEVEL).unwrap(), "{words} words");
            let facts = packed_facts(&bytes).unwrap();
            assert_eq!(facts, zstd::bulk::compress(&bytes, FACTS_LEVEL).unwrap(), "{words} words");
            assert_eq!(unpacked(&facts).unwrap(), bytes, "{words} words");
            assert!(unpacked(&bomb).is_err() && unpacked(b"no frame").is_err());
            assert!(unpacked(stored.get(..stored.len() - 1).unwrap()).is_err());
            assert_eq!(unpacked(&stored).unwrap(), bytes, "{words} words");
        }
        assert!(packed(&vec![0; MOST_BYTES + 1]).is_err());
    }
}
