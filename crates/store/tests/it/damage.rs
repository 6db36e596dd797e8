//! Bits of an SQLite file that flip while the store is open.

use std::collections::BTreeMap;

use store::{Store, StoreError};
use testkit::TestDatabase;
use testkit::faults::{Dice, runs, tell};

use crate::sample::{NOW, audit_id, guest, insert, opened};

/// Damaged files where the environment says nothing.
const USUAL: usize = 25;
const AUDITS: usize = 200;
/// Bits that flip in each file.
const BITS: usize = 8;

/// What a reader has of an audit: the whole report, or an error.
async fn read(store: &Store, name: &str) -> Result<String, StoreError> {
    let stored = store.audit_of(&guest("g"), &audit_id(name)).await?;
    Ok(format!("{:?}", stored.report))
}

#[tokio::test(flavor = "multi_thread")]
async fn f19_no_report_is_read_differently_from_a_file_whose_bits_flip() {
    let (runs, mut dice) = (runs(USUAL), Dice::new());
    let whole = TestDatabase::sqlite();
    let store = opened(&whole).await;
    for number in 0..AUDITS {
        insert(&store, &number.to_string(), Some(guest("g")), NOW).await.unwrap();
    }
    let expected = read(&store, "0").await.unwrap();
    // Its log goes into the file.
    store.close().await;
    let bytes = std::fs::read(whole.url().strip_prefix("sqlite://").unwrap()).unwrap();

    let mut outcomes: BTreeMap<&str, usize> = BTreeMap::new();
    for run in 0..runs {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.db");
        std::fs::write(&file, &bytes).unwrap();
        let url = format!("sqlite://{}", file.display());
        let store = Store::open(&url).await.unwrap();
        let mut damaged = bytes.clone();
        for _ in 0..BITS {
            damaged[dice.place(bytes.len())] ^= 1 << dice.below(8);
        }
        // In place, as a disk does it: the file stays the one that is open.
        std::fs::write(&file, &damaged).unwrap();
        for number in 0..AUDITS {
            let outcome = match read(&store, &number.to_string()).await {
                Ok(report) => {
                    assert_eq!(report, expected, "run {run}: the report of {number} has changed");
                    "read"
                }
                Err(StoreError::NotFound { .. }) => "not found",
                Err(StoreError::Corrupt { .. }) => "told to be damaged",
                Err(_) => "another error",
            };
            *outcomes.entry(outcome).or_default() += 1;
        }
        store.close().await;
        let next = match Store::open(&url).await {
            Ok(store) => {
                store.close().await;
                "files that started again"
            }
            Err(StoreError::Corrupt { .. }) => "files refused as damaged at the next start",
            Err(_) => "files refused otherwise",
        };
        *outcomes.entry(next).or_default() += 1;
    }
    tell("F19", whole.system(), runs, &dice, &format!("{BITS} bits each: {outcomes:?}"));
}
