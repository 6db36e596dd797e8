//! Values that tests share.

use std::collections::BTreeMap;

use model::finding::Counts;
use model::id::{AuditId, GuestId, Owner};
use model::lang::Phrase;
use model::patch::{Patch, PatchTotals};
use model::report::{Coverage, Report};
use model::time::Timestamp;
use serde_json::json;
use store::{NewAudit, Store, StoreError};

/// An instant, 2026-01-31T09:30:00Z.
pub(crate) const NOW: Timestamp = Timestamp(1_769_851_800_000);

/// The store of a test's database.
pub(crate) async fn opened(database: &testkit::TestDatabase) -> Store {
    Store::open(database.url()).await.unwrap()
}

pub(crate) fn audit_id(name: &str) -> AuditId {
    AuditId(name.to_owned())
}

pub(crate) fn guest(name: &str) -> Owner {
    Owner::Guest(GuestId(name.to_owned()))
}

pub(crate) fn report() -> Report {
    let url = "https://example.org/ação";
    Report {
        url: url.to_owned(),
        score: 74,
        weights: 1,
        findings: Vec::new(),
        fixes: Vec::new(),
        counts: Counts::default(),
        summary: None,
        headers: BTreeMap::from([("server".to_owned(), "nul \0 and \u{1F980}".to_owned())]),
        json_ld: vec![json!({"@type": "Offer", "price": 0.1, "weight": 123_456_789.123_456_79, "zip": null})],
        json_ld_stored: 1,
        html_truncated: false,
        truncated: Vec::new(),
        coverage: Coverage::default(),
        requests: Vec::new(),
        searchable: None,
        hygiene: None,
        path: Vec::new(),
        fix_first: Vec::new(),
        demoted: Vec::new(),
        patch: Patch {
            url: Some(url.to_owned()),
            head: "<title>x</title>".repeat(100),
            files: Vec::new(),
            edits: Vec::new(),
            templates: Vec::new(),
            instructions: Vec::new(),
            totals: PatchTotals::default(),
            how_to_apply: Phrase { en: "Paste it.".to_owned(), pt: "Cole.".to_owned() },
        },
    }
}

/// Keeps a sample audit of `owner` under `id`.
pub(crate) async fn insert(
    store: &Store,
    id: &str,
    owner: Option<Owner>,
    created_at: Timestamp,
) -> Result<(), StoreError> {
    keep(store, id, owner, None, created_at).await
}

/// The same, while the debit or payment `by` is not final.
pub(crate) async fn insert_withheld(store: &Store, id: &str, owner: Option<Owner>, by: &str) -> Result<(), StoreError> {
    keep(store, id, owner, Some(by), NOW).await
}

async fn keep(
    store: &Store,
    id: &str,
    owner: Option<Owner>,
    withheld: Option<&str>,
    created_at: Timestamp,
) -> Result<(), StoreError> {
    let (id, requested_url, report) = (audit_id(id), "example.org/\0x", &store.pack(&report())?);
    store.insert_audit(NewAudit { id, owner, withheld, requested_url, created_at, report }).await
}
