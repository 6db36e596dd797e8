use model::id::Slug;
use model::lang::Lang;
use store::{NewShare, OwnHead, SharePictures, ShareState, Store, StoreError};
use testkit::TestDatabase;

use crate::sample::{NOW, audit_id, guest, insert, opened, report};

testkit::on_both_databases! {
    an_audit_has_one_address_in_force,
    sharing_at_once_gives_one_address,
    a_revoked_address_shows_nothing_and_is_not_given_again,
    only_the_owner_shares_and_revokes,
    the_address_goes_with_its_audit,
}

fn new(slug: &str, audit: &str) -> NewShare {
    let pictures = SharePictures { en: b"en".to_vec(), pt: b"pt".to_vec() };
    NewShare { slug: Slug(slug.to_owned()), audit: audit_id(audit), created_at: NOW, pictures }
}

fn slug(text: &str) -> Slug {
    Slug(text.to_owned())
}

async fn with_audit(database: &TestDatabase) -> Store {
    let store = opened(database).await;
    insert(&store, "a", Some(guest("g")), NOW).await.unwrap();
    store
}

fn is_missing<T>(answer: Result<T, StoreError>) -> bool {
    matches!(answer, Err(StoreError::NotFound { .. }))
}

async fn an_audit_has_one_address_in_force(database: TestDatabase) {
    let store = with_audit(&database).await;
    assert_eq!(store.audit_of(&guest("g"), &audit_id("a")).await.unwrap().share_slug, None);
    for given in ["one", "two"] {
        assert_eq!(store.share_audit(&guest("g"), new(given, "a")).await.unwrap(), slug("one"));
    }
    let shared = store.shared_report(&slug("one")).await.unwrap();
    assert_eq!((&shared.id, &shared.report), (&audit_id("a"), &report()));
    assert_eq!(shared.share_slug, Some(slug("one")));
    assert_eq!(store.audit_of(&guest("g"), &audit_id("a")).await.unwrap().share_slug, Some(slug("one")));
    assert_eq!(store.share_state(&slug("one")).await.unwrap(), ShareState::InForce { score: Some(report().score) });
    let head = store.shared_head(&slug("one")).await.unwrap();
    assert_eq!((&head.id, head.created_at, head.score), (&audit_id("a"), NOW, Some(report().score)));
    assert_eq!((head.share_slug.clone(), head.lab.clone()), (Some(slug("one")), [None, None]));
    let own = OwnHead { head, snoozed: String::new() };
    assert_eq!(store.audit_head(&guest("g"), &audit_id("a"), NOW).await.unwrap(), own);
    assert!(is_missing(store.audit_head(&guest("h"), &audit_id("a"), NOW).await));
    assert_eq!(store.shared_searchable(&slug("one")).await.unwrap(), report().searchable);
    assert_eq!(store.share_picture(&slug("one"), Lang::En).await.unwrap(), b"en");
    assert_eq!(store.share_picture(&slug("one"), Lang::PtBr).await.unwrap(), b"pt");
    assert!(is_missing(store.share_state(&slug("two")).await));
}

async fn sharing_at_once_gives_one_address(database: TestDatabase) {
    let store = with_audit(&database).await;
    let calls = (0..16).map(|at| {
        let store = store.clone();
        tokio::spawn(async move { store.share_audit(&guest("g"), new(&format!("slug{at}"), "a")).await.unwrap() })
    });
    let mut given = Vec::new();
    for call in calls.collect::<Vec<_>>() {
        given.push(call.await.unwrap());
    }
    given.dedup();
    assert_eq!(given.len(), 1, "{given:?}");
}

async fn a_revoked_address_shows_nothing_and_is_not_given_again(database: TestDatabase) {
    let store = with_audit(&database).await;
    store.share_audit(&guest("g"), new("one", "a")).await.unwrap();
    // The second time there is nothing to revoke, and that is what was asked for.
    for _ in 0..2 {
        store.revoke_share(&guest("g"), &audit_id("a"), NOW).await.unwrap();
        assert!(is_missing(store.shared_report(&slug("one")).await));
        assert!(is_missing(store.shared_head(&slug("one")).await));
        assert!(is_missing(store.shared_searchable(&slug("one")).await));
        assert!(is_missing(store.share_picture(&slug("one"), Lang::En).await));
        assert_eq!(store.share_state(&slug("one")).await.unwrap(), ShareState::Revoked);
        assert_eq!(store.audit_of(&guest("g"), &audit_id("a")).await.unwrap().share_slug, None);
    }
    assert_eq!(store.share_audit(&guest("g"), new("two", "a")).await.unwrap(), slug("two"));
    assert_eq!(store.share_state(&slug("one")).await.unwrap(), ShareState::Revoked);
}

async fn only_the_owner_shares_and_revokes(database: TestDatabase) {
    let store = with_audit(&database).await;
    insert(&store, "nobodys", None, NOW).await.unwrap();
    store.share_audit(&guest("g"), new("one", "a")).await.unwrap();
    for (owner, audit) in [("other", "a"), ("g", "nobodys"), ("g", "absent"), ("", "nobodys")] {
        let owner = guest(owner);
        assert!(is_missing(store.share_audit(&owner, new("two", audit)).await), "{owner} {audit}");
        assert!(is_missing(store.revoke_share(&owner, &audit_id(audit), NOW).await), "{owner} {audit}");
    }
    assert!(matches!(store.share_state(&slug("one")).await, Ok(ShareState::InForce { .. })));
}

async fn the_address_goes_with_its_audit(database: TestDatabase) {
    let store = opened(&database).await;
    store.create_guest(model::id::GuestId("g".to_owned()), &[1; 32], NOW).await.unwrap();
    insert(&store, "a", Some(guest("g")), NOW).await.unwrap();
    store.share_audit(&guest("g"), new("one", "a")).await.unwrap();
    assert_eq!(store.purge_audits(NOW, NOW.plus_ms(1), 10).await.unwrap(), 1);
    assert!(is_missing(store.share_state(&slug("one")).await));
}
