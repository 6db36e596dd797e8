//! Accounts: what is good once is used once, however many try, and what is over is forgotten.

use model::account::Assurance;
use model::id::{AccountId, SessionId};
use model::time::{DAY_MS, Timestamp};
use sqlx::Row as _;
use store::{
    AccountLink, AccountStatus, Attempted, EndReason, Factor, NewAccount, NewLink, NewSession, Refusal, Step, Store,
    StoreError, Throttle,
};
use testkit::TestDatabase;

use crate::organizations::{REPETITIONS, account, accounts, digest, event};
use crate::sample::{NOW, opened};

testkit::on_both_databases! {
    of_two_who_use_one_link_at_once_one_makes_an_account,
    of_two_who_use_one_code_at_once_one_is_let_in,
    of_two_who_use_one_recovery_code_at_once_one_is_let_in,
    of_attempts_at_once_no_more_are_counted_than_are_free,
    what_signed_people_in_is_forgotten_once_it_is_over,
    a_closed_account_is_restored_until_it_is_removed,
}

/// How a session begins; `n` is its own.
fn session(n: usize, account: &AccountId) -> Step {
    Step::BeginSession(NewSession {
        id: SessionId(format!("session-{n}")),
        token_digest: digest(4, n),
        account: account.clone(),
        assurance: Assurance::Aal1,
        methods: "password".to_owned(),
        idle_expires_at: NOW.plus_ms(DAY_MS),
        absolute_expires_at: NOW.plus_ms(2 * DAY_MS),
        agent: String::new(),
        network: String::new(),
    })
}

async fn change(store: &Store, steps: Vec<Step>) -> Result<(), Refusal> {
    store.change_account("a change", steps, Vec::new(), NOW).await.unwrap()
}

/// Makes two changes at the same moment: exactly one of them succeeds, and the other hears `refusal`.
async fn one_of(store: &Store, [one, other]: [Vec<Step>; 2], refusal: Refusal) {
    let (one, other) = tokio::join!(change(store, one), change(store, other));
    let both = [one, other];
    assert!(both.contains(&Ok(())) && both.contains(&Err(refusal)), "{both:?}");
}

async fn count(database: &TestDatabase, sql: &'static str) -> usize {
    usize::try_from(database.row(sql).await.get::<i64, _>(0)).unwrap()
}

async fn of_two_who_use_one_link_at_once_one_makes_an_account(database: TestDatabase) {
    let store = opened(&database).await;
    for n in 0..REPETITIONS {
        let (link, purpose, email) = (digest(5, n), AccountLink::Register, format!("a{n}@example.com"));
        let expires_at = NOW.plus_ms(DAY_MS);
        let sent = NewLink {
            token_digest: link,
            purpose,
            email: email.clone(),
            account: None,
            followed_url: None,
            expires_at,
        };
        change(&store, vec![Step::AddLink(sent)]).await.unwrap();
        let complete = |of: usize| {
            let id = account(of);
            let made = NewAccount {
                id: id.clone(),
                email: email.clone(),
                email_canonical: email.clone(),
                name: String::new(),
                locale: "en".to_owned(),
                password: "x".to_owned(),
            };
            let noted = Step::Event(event(&id));
            vec![Step::UseLink(link, purpose), Step::Register(made), session(of, &id), noted]
        };
        one_of(&store, [complete(2 * n), complete(2 * n + 1)], Refusal::Link).await;
    }
    assert_eq!(count(&database, "SELECT COUNT(*) FROM accounts").await, REPETITIONS);
    assert_eq!(count(&database, "SELECT COUNT(*) FROM sessions").await, REPETITIONS);
    store.close().await;
}

/// Adds a second factor, whose first code was of time step 0, with as many recovery codes as there are repetitions.
async fn with_factor(store: &Store, account: &AccountId) {
    let factor = |factor| Step::Factor(account.clone(), factor);
    let offer = vec![factor(Factor::Offer(vec![0; 60], "key".to_owned())), factor(Factor::Confirm(vec![0; 60], 0))];
    change(store, offer).await.unwrap();
    let codes: Vec<Step> = (0..REPETITIONS).map(|n| factor(Factor::AddRecoveryCode(digest(6, n)))).collect();
    for some in codes.chunks(100) {
        change(store, some.to_vec()).await.unwrap();
    }
}

/// Signs in twice at the same moment, each time with a challenge of its own and what `factor` gives.
async fn sign_in_twice(store: &Store, n: usize, factor: impl Fn() -> Factor) {
    let id = account(0);
    let (browser, until) = ([0; 32], NOW.plus_ms(DAY_MS));
    let begin = |n: usize| Step::AddChallenge(digest(7, n), id.clone(), browser, until);
    change(store, vec![begin(2 * n), begin(2 * n + 1)]).await.unwrap();
    let complete = |n: usize| {
        let noted = Step::Event(event(&id));
        vec![Step::UseChallenge(digest(7, n)), Step::Factor(id.clone(), factor()), session(n, &id), noted]
    };
    one_of(store, [complete(2 * n), complete(2 * n + 1)], Refusal::Code).await;
}

async fn of_two_who_use_one_code_at_once_one_is_let_in(database: TestDatabase) {
    let store = opened(&database).await;
    accounts(&database, 1).await;
    with_factor(&store, &account(0)).await;
    for n in 0..REPETITIONS {
        let time_step = i64::try_from(n).unwrap() + 1;
        sign_in_twice(&store, n, || Factor::Use(time_step)).await;
    }
    assert_eq!(count(&database, "SELECT COUNT(*) FROM sessions").await, REPETITIONS);
    store.close().await;
}

async fn of_two_who_use_one_recovery_code_at_once_one_is_let_in(database: TestDatabase) {
    let store = opened(&database).await;
    accounts(&database, 1).await;
    with_factor(&store, &account(0)).await;
    for n in 0..REPETITIONS {
        sign_in_twice(&store, n, || Factor::UseRecoveryCode(digest(6, n))).await;
    }
    assert_eq!(count(&database, "SELECT COUNT(*) FROM sessions").await, REPETITIONS);
    store.close().await;
}

/// Parallel attempts were all compared before the first of them was counted.
async fn of_attempts_at_once_no_more_are_counted_than_are_free(database: TestDatabase) {
    let throttle =
        |scope, free| Throttle { scope, free, window_ms: DAY_MS, first_wait_ms: DAY_MS, last_wait_ms: DAY_MS };
    let (network, of_account) = (throttle("network", 30), throttle("account", 10));
    let store = opened(&database).await;
    let mut attempts = tokio::task::JoinSet::new();
    for n in 0..80_u8 {
        let store = store.clone();
        // Eight accounts, one network.
        attempts.spawn(async move {
            let keys = [(network, [200; 32]), (of_account, [n % 8; 32])];
            loop {
                match store.begin_attempt(keys, NOW).await {
                    Err(StoreError::Busy { .. }) => {}
                    attempted => return attempted.unwrap(),
                }
            }
        });
    }
    let (mut counted, mut blocked) = (0, 0);
    while let Some(attempted) = attempts.join_next().await {
        match attempted.unwrap() {
            Attempted::Counted(_) => counted += 1,
            Attempted::Blocked { scope, until } => {
                assert_eq!((scope, until), ("network", NOW.plus_ms(DAY_MS)));
                blocked += 1;
            }
        }
    }
    assert_eq!((counted, blocked), (30, 50));
    // What was refused for the network counts for no account.
    let of_accounts = "SELECT CAST(SUM(failures) AS BIGINT) FROM throttles WHERE scope = 'account'";
    assert_eq!(count(&database, of_accounts).await, 30);
    // One that is taken back makes room for one.
    let keys = [(network, [200; 32]), (of_account, [0; 32])];
    store.take_back_attempt(keys).await.unwrap();
    assert!(matches!(store.begin_attempt(keys, NOW).await.unwrap(), Attempted::Counted([30, _])));
    assert!(matches!(store.begin_attempt(keys, NOW).await.unwrap(), Attempted::Blocked { .. }));
    store.close().await;
}

async fn what_signed_people_in_is_forgotten_once_it_is_over(database: TestDatabase) {
    const FAILURES: Throttle =
        Throttle { scope: "account", free: 1, window_ms: 1_000, first_wait_ms: 1_000, last_wait_ms: 1_000 };
    let store = opened(&database).await;
    accounts(&database, 1).await;
    let (id, expires_at) = (account(0), NOW.plus_ms(DAY_MS));
    let link = |n: usize| NewLink {
        token_digest: digest(5, n),
        purpose: AccountLink::Reset,
        email: "a0@example.com".to_owned(),
        account: Some(id.clone()),
        followed_url: None,
        expires_at,
    };
    // More than one statement deletes.
    let links = (0..501).map(|n| Step::AddLink(link(n)));
    let challenge = Step::AddChallenge(digest(7, 0), id.clone(), [0; 32], expires_at);
    change(&store, links.chain([challenge, session(0, &id)]).collect()).await.unwrap();
    let keys = [(FAILURES, [0; 32]), (Throttle { scope: "network", ..FAILURES }, [1; 32])];
    assert_eq!(store.begin_attempt(keys, NOW).await.unwrap(), Attempted::Counted([1, 1]));
    let purge = |at: Timestamp| store.purge_auth(at);
    assert_eq!(purge(NOW).await.unwrap(), 0);
    // The failures, then the links and the challenge, then the session: each when it is over.
    assert_eq!(purge(expires_at).await.unwrap(), 2);
    assert_eq!(purge(expires_at.plus_ms(1)).await.unwrap(), 502);
    assert_eq!(purge(NOW.plus_ms(2 * DAY_MS)).await.unwrap(), 0);
    assert_eq!(purge(NOW.plus_ms(2 * DAY_MS + 1)).await.unwrap(), 1);
    assert!(store.account_by_id(&id).await.unwrap().is_some());
    store.close().await;
}

async fn a_closed_account_is_restored_until_it_is_removed(database: TestDatabase) {
    let store = opened(&database).await;
    accounts(&database, 1).await;
    let (id, after) = (account(0), NOW.plus_ms(7 * DAY_MS));
    let (restore, suspend) = (|| vec![Step::Restore(id.clone())], || vec![Step::Suspend(id.clone())]);
    let status = async || store.account_by_id(&id).await.unwrap().map(|account| account.status);
    let close = async || store.close_account(&id, after, event(&id), Vec::new(), NOW).await.unwrap();
    assert_eq!(change(&store, restore()).await, Err(Refusal::Stale), "it is active");
    change(&store, suspend()).await.unwrap();
    assert_eq!(change(&store, suspend()).await, Err(Refusal::Stale));
    change(&store, restore()).await.unwrap();
    close().await.unwrap();
    assert_eq!(change(&store, suspend()).await, Err(Refusal::Stale), "its owner wants it removed");
    change(&store, restore()).await.unwrap();
    assert_eq!(status().await, Some(AccountStatus::Active));
    assert_eq!(store.purge_closed(after.plus_ms(1)).await.unwrap(), 0);
    // The day of a removal that was taken back counts for nothing later.
    change(&store, vec![Step::Suspend(id.clone()), Step::EndSessions(id.clone(), None, EndReason::Operator)])
        .await
        .unwrap();
    assert_eq!(store.purge_closed(after.plus_ms(1)).await.unwrap(), 0);
    change(&store, restore()).await.unwrap();
    close().await.unwrap();
    // The account, and what was noted of it: it was closed twice.
    assert_eq!(store.purge_closed(after.plus_ms(1)).await.unwrap(), 3);
    assert_eq!(status().await, None);
    assert_eq!(change(&store, restore()).await, Err(Refusal::Stale), "it is gone");
    store.close().await;
}
