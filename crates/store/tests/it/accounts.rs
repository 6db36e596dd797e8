//! Changes of accounts, which are made whole or not at all, and what is left of one that is removed.

use model::account::Assurance;
use model::id::SessionId;
use sqlx::Row as _;
use store::{Factor, NewSession, Refusal, Step, Store};
use testkit::TestDatabase;

use crate::organizations::{account, accounts};
use crate::sample::{NOW, insert, opened};

testkit::on_both_databases! {
    a_session_begins_with_the_password_that_holds_only,
    who_is_between_password_and_factor_begins_anew_with_a_new_password,
    only_the_secret_that_was_shown_is_confirmed,
    a_removal_that_was_cut_short_is_gone_on_with,
    what_is_due_for_removal_is_not_brought_back,
}

const DAY: i64 = 86_400_000;

async fn change(store: &Store, steps: Vec<Step>) -> Result<(), Refusal> {
    store.change_account("t", steps, Vec::new(), NOW).await.unwrap()
}

fn password(phc: &str) -> Step {
    Step::SetPassword(account(0), phc.to_owned())
}

fn session() -> Step {
    Step::BeginSession(NewSession {
        id: SessionId("s".to_owned()),
        token_digest: [1; 32],
        account: account(0),
        assurance: Assurance::Aal1,
        methods: "password".to_owned(),
        idle_expires_at: NOW.plus_ms(DAY),
        absolute_expires_at: NOW.plus_ms(DAY),
        agent: "other".to_owned(),
        network: "127.0.0.0/24".to_owned(),
    })
}

async fn a_session_begins_with_the_password_that_holds_only(database: TestDatabase) {
    let store = opened(&database).await;
    accounts(&database, 1).await;
    change(&store, vec![password("old")]).await.unwrap();
    let sign_in = |phc: &str| vec![Step::ExpectPassword(account(0), phc.to_owned()), session()];
    // Set anew while the old one was being compared.
    change(&store, vec![password("new")]).await.unwrap();
    assert_eq!(change(&store, sign_in("old")).await, Err(Refusal::Stale));
    assert_eq!(database.row("SELECT COUNT(*) FROM sessions").await.get::<i64, _>(0), 0);
    database.execute("UPDATE accounts SET status = 'suspended'").await;
    assert_eq!(change(&store, sign_in("new")).await, Err(Refusal::Stale));
    database.execute("UPDATE accounts SET status = 'active'").await;
    assert_eq!(change(&store, sign_in("new")).await, Ok(()));
}

async fn who_is_between_password_and_factor_begins_anew_with_a_new_password(database: TestDatabase) {
    let store = opened(&database).await;
    accounts(&database, 2).await;
    let begin = |n: usize| Step::AddChallenge([n as u8; 32], account(n), [9; 32], NOW.plus_ms(1));
    change(&store, vec![begin(0), begin(1)]).await.unwrap();
    change(&store, vec![password("new")]).await.unwrap();
    assert_eq!(store.try_challenge(&[0; 32], &[9; 32], NOW).await.unwrap(), None);
    assert_eq!(store.try_challenge(&[1; 32], &[9; 32], NOW).await.unwrap(), Some(account(1)));
    assert_eq!(change(&store, vec![Step::UseChallenge([0; 32])]).await, Err(Refusal::Challenge));
}

async fn only_the_secret_that_was_shown_is_confirmed(database: TestDatabase) {
    let store = opened(&database).await;
    accounts(&database, 1).await;
    let factor = |factor| vec![Step::Factor(account(0), factor)];
    let offer = |secret: &[u8]| factor(Factor::Offer(secret.to_vec(), "k".to_owned()));
    change(&store, offer(b"first")).await.unwrap();
    // Offered anew in another tab.
    change(&store, offer(b"second")).await.unwrap();
    assert_eq!(change(&store, factor(Factor::Confirm(b"first".to_vec(), 1))).await, Err(Refusal::Taken));
    assert_eq!(change(&store, factor(Factor::Confirm(b"second".to_vec(), 1))).await, Ok(()));
}

async fn a_removal_that_was_cut_short_is_gone_on_with(database: TestDatabase) {
    let store = opened(&database).await;
    accounts(&database, 2).await;
    for n in [0, 1] {
        insert(&store, &format!("a{n}"), Some(model::id::Owner::Account(account(n))), NOW).await.unwrap();
    }
    database
        .execute(&format!(
            "UPDATE accounts SET status = 'deleting', delete_after = {} WHERE id = '{}'",
            NOW.0,
            account(0)
        ))
        .await;
    let later = NOW.plus_ms(1);
    // The last of its tables can't be written to.
    database.execute("ALTER TABLE api_keys RENAME TO away").await;
    store.purge_closed(later).await.unwrap_err();
    database.execute("ALTER TABLE away RENAME TO api_keys").await;
    assert_eq!(database.row("SELECT COUNT(*) FROM accounts").await.get::<i64, _>(0), 2, "it still leads to its things");
    assert_eq!(store.purge_closed(later).await.unwrap(), 1);
    for sql in ["SELECT COUNT(*) FROM accounts", "SELECT COUNT(*) FROM audits"] {
        assert_eq!(database.row(sql).await.get::<i64, _>(0), 1, "{sql}");
    }
    assert_eq!(store.purge_closed(later).await.unwrap(), 0);
}

async fn what_is_due_for_removal_is_not_brought_back(database: TestDatabase) {
    let store = opened(&database).await;
    accounts(&database, 1).await;
    let restore = || vec![Step::Restore(account(0))];
    database.execute(&format!("UPDATE accounts SET status = 'deleting', delete_after = {}", NOW.0)).await;
    assert_eq!(change(&store, restore()).await, Err(Refusal::Stale));
    database.execute(&format!("UPDATE accounts SET delete_after = {}", NOW.0 + 1)).await;
    assert_eq!(change(&store, restore()).await, Ok(()));
}
