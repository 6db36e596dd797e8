//! Organizations, invitations and claims: what holds however many act at once.

use std::sync::atomic::{AtomicUsize, Ordering};

use model::id::{AccountId, InvitationId, OrganizationId};
use model::organization::Role;
use model::time::DAY_MS;
use sqlx::Row as _;
use store::{Actor, Denied, MOST_TABS, NewEvent, NewInvitation, OrganizationChange, Store};
use testkit::TestDatabase;

use crate::sample::{NOW, opened};

testkit::on_both_databases! {
    of_two_who_accept_one_invitation_at_once_one_is_let_in,
    of_two_who_claim_one_guest_at_once_one_gets_it,
    a_claim_gives_nobody_more_tabs_than_there_may_be,
    invitations_are_forgotten_once_they_are_over,
}

/// How often two try the same at the same moment.
pub(crate) const REPETITIONS: usize = 1_000;
pub(crate) const PRODUCT: &str = "site-audit";

pub(crate) fn account(n: usize) -> AccountId {
    AccountId(format!("00000000-0000-7000-8000-{n:012}"))
}

pub(crate) fn organization(n: usize) -> OrganizationId {
    OrganizationId(format!("00000000-0000-7000-9000-{n:012}"))
}

pub(crate) fn digest(kind: u8, n: usize) -> [u8; 32] {
    let mut digest = [kind; 32];
    for (place, byte) in digest.iter_mut().zip(n.to_be_bytes()) {
        *place = byte;
    }
    digest
}

/// Accounts 0 to `count`.
pub(crate) async fn accounts(database: &TestDatabase, count: usize) {
    let rows: Vec<String> = (0..count)
        .map(|n| {
            let (id, now) = (account(n), NOW.0);
            format!("('{id}', 'a{n}@example.com', 'a{n}@example.com', '', 'en', 'UTC', 'system', 1, 'active', {now})")
        })
        .collect();
    let columns = "id, email, email_canonical, name, locale, time_zone, theme, revision, status, created_at";
    database.execute(&format!("INSERT INTO accounts ({columns}) VALUES {}", rows.join(", "))).await;
}

pub(crate) async fn found(store: &Store, n: usize, owner: usize) {
    let (owner, noted) = (account(owner), event(&account(owner)));
    store.create_organization(&organization(n), "Acme", &owner, PRODUCT, noted, NOW).await.unwrap().unwrap();
}

/// Something that an account does.
pub(crate) fn event(account: &AccountId) -> NewEvent {
    static NOTED: AtomicUsize = AtomicUsize::new(0);
    NewEvent {
        id: NOTED.fetch_add(1, Ordering::Relaxed).to_string(),
        actor: Actor::Account(account.clone()),
        account: account.clone(),
        organization: None,
        kind: "t",
        network: String::new(),
        agent: String::new(),
    }
}

pub(crate) fn invitation(n: usize, whom: usize, role: Role) -> NewInvitation {
    let email = format!("a{whom}@example.com");
    NewInvitation {
        id: InvitationId(format!("invitation-{n}")),
        token_digest: digest(1, n),
        email: email.clone(),
        email_canonical: email,
        role,
        expires_at: NOW.plus_ms(1_000),
    }
}

async fn of_two_who_accept_one_invitation_at_once_one_is_let_in(database: TestDatabase) {
    let store = opened(&database).await;
    accounts(&database, REPETITIONS + 1).await;
    // An organization has 20 open invitations at most.
    let founder = account(REPETITIONS);
    for n in 0..REPETITIONS / 20 {
        database
            .execute(&format!(
                "INSERT INTO organizations (id, name, requires_second_factor, created_at) VALUES ('{id}', 'x', 0, 1); \
                 INSERT INTO members (organization_id, account_id, role, created_at) VALUES ('{id}', '{founder}', 'owner', 1)",
                id = organization(n)
            ))
            .await;
    }
    for n in 0..REPETITIONS {
        let change = vec![(OrganizationChange::Invite(invitation(n, n, Role::Member)), event(&founder))];
        store.change_organization(&founder, &organization(n / 20), change, Vec::new(), NOW).await.unwrap().unwrap();
        let (token, whom) = (digest(1, n), account(n));
        let accept = || store.accept_invitation(&token, &whom, event(&whom), NOW);
        let (one, other) = tokio::join!(accept(), accept());
        let both = [one.unwrap(), other.unwrap()];
        assert!(both.contains(&Ok(organization(n / 20))) && both.contains(&Err(Denied::Missing)), "{n} {both:?}");
    }
    let row = database.row("SELECT COUNT(*) FROM members WHERE role = 'member'").await;
    assert_eq!(row.get::<i64, _>(0), i64::try_from(REPETITIONS).unwrap());
    store.close().await;
}

async fn of_two_who_claim_one_guest_at_once_one_gets_it(database: TestDatabase) {
    let store = opened(&database).await;
    accounts(&database, 2).await;
    for n in 0..REPETITIONS {
        let token = digest(2, n);
        store.create_guest(model::id::GuestId(n.to_string()), &token, NOW).await.unwrap();
        let (ana, bo) = (account(0), account(1));
        let (one, other) = tokio::join!(store.claim_guest(&token, &ana, NOW), store.claim_guest(&token, &bo, NOW));
        let (one, other) = (one.unwrap(), other.unwrap());
        assert!(one.is_some() != other.is_some(), "{n} {one:?} {other:?}");
    }
    store.close().await;
}

async fn a_claim_gives_nobody_more_tabs_than_there_may_be(database: TestDatabase) {
    const OWN: u32 = MOST_TABS - 2;
    let store = opened(&database).await;
    accounts(&database, 1).await;
    let (token, ana) = (digest(2, 0), account(0));
    store.create_guest(model::id::GuestId("g".to_owned()), &token, NOW).await.unwrap();
    let tab = |owner: &str, n: u32| format!("('{owner}-{n}', '{owner}', 'https://example.com/{n}', {n}, 0, 0)");
    // The guest follows the account's last page, and four others.
    let own = (0..OWN).map(|n| tab(&format!("account:{ana}"), n));
    let rows: Vec<String> = own.chain((OWN - 1..OWN + 4).map(|n| tab("guest:g", n))).collect();
    let columns = "id, owner, url, created_at, monitor, alert_agreed";
    database.execute(&format!("INSERT INTO tabs ({columns}) VALUES {}", rows.join(", "))).await;
    let claimed = store.claim_guest(&token, &ana, NOW).await.unwrap().unwrap();
    assert_eq!((claimed.moved("tabs"), claimed.tabs_left), (2, 3));
    let again = store.claim_guest(&token, &ana, NOW).await.unwrap().unwrap();
    // A repeated claim counts zeros: what stayed was told the first time.
    assert_eq!((again.moved("tabs"), again.tabs_left), (0, 0));
    // The oldest came first.
    let left = database.row("SELECT MIN(created_at) FROM tabs WHERE owner = 'guest:g' AND created_at > 497").await;
    assert_eq!(left.get::<i64, _>(0), i64::from(OWN + 2));
    store.close().await;
}

async fn invitations_are_forgotten_once_they_are_over(database: TestDatabase) {
    let store = opened(&database).await;
    accounts(&database, 2).await;
    found(&store, 0, 0).await;
    let change = vec![(OrganizationChange::Invite(invitation(0, 1, Role::Member)), event(&account(0)))];
    store.change_organization(&account(0), &organization(0), change, Vec::new(), NOW).await.unwrap().unwrap();
    assert_eq!(store.purge_auth(NOW).await.unwrap(), 0);
    assert_eq!(store.purge_auth(NOW.plus_ms(DAY_MS)).await.unwrap(), 1);
    store.close().await;
}
