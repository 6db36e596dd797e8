use store::StoreError;

use crate::sample::{NOW, audit_id, guest, insert, opened, report};
use testkit::TestDatabase;

testkit::on_both_databases! {
    an_audit_is_read_as_it_was_kept,
    an_audit_is_for_its_owner_only,
    a_taken_id_is_a_conflict_of_its_own_write_only,
    a_damaged_body_is_corrupt,
}

async fn an_audit_is_read_as_it_was_kept(database: TestDatabase) {
    let store = opened(&database).await;
    insert(&store, "a", Some(guest("g")), NOW).await.unwrap();
    let kept = store.audit_of(&guest("g"), &audit_id("a")).await.unwrap();
    assert_eq!(kept.id, audit_id("a"));
    assert_eq!(kept.requested_url, "example.org/%00x");
    assert_eq!(kept.created_at, NOW);
    assert_eq!(kept.report, report());
}

async fn an_audit_is_for_its_owner_only(database: TestDatabase) {
    let store = opened(&database).await;
    insert(&store, "a", Some(guest("g")), NOW).await.unwrap();
    insert(&store, "nobodys", None, NOW).await.unwrap();
    for (owner, id) in [("other", "a"), ("g", "nobodys"), ("g", "absent"), ("", "nobodys")] {
        let answer = store.audit_of(&guest(owner), &audit_id(id)).await;
        assert!(matches!(answer, Err(StoreError::NotFound { .. })), "{owner} {id}: {answer:?}");
    }
}

async fn a_taken_id_is_a_conflict_of_its_own_write_only(database: TestDatabase) {
    let store = opened(&database).await;
    // Sent together, so that on SQLite the refused ones share commits with the others.
    let writes: Vec<_> = (0..40)
        .map(|n| {
            let store = store.clone();
            let id = if n % 2 == 0 { "same".to_owned() } else { format!("own-{n}") };
            tokio::spawn(async move { (id.clone(), insert(&store, &id, Some(guest("g")), NOW).await) })
        })
        .collect();
    let mut same = 0;
    for write in writes {
        match write.await.unwrap() {
            (id, Ok(())) if id == "same" => same += 1,
            (id, Err(StoreError::Conflict { .. })) => assert_eq!(id, "same"),
            (id, answer) => {
                answer.unwrap();
                store.audit_of(&guest("g"), &audit_id(&id)).await.unwrap();
            }
        }
    }
    assert_eq!(same, 1);
}

async fn a_damaged_body_is_corrupt(database: TestDatabase) {
    let store = opened(&database).await;
    insert(&store, "a", Some(guest("g")), NOW).await.unwrap();
    let literal = if database.is_postgres() { "'\\x0102'" } else { "x'0102'" };
    database.execute(&format!("UPDATE audits SET body = {literal}")).await;
    let answer = store.audit_of(&guest("g"), &audit_id("a")).await;
    assert!(matches!(answer, Err(StoreError::Corrupt { .. })), "{answer:?}");
}
