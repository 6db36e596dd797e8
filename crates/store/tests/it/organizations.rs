//! Organizations, invitations, keys and claims: what holds however many act at once, and in whatever order.

#![expect(clippy::indexing_slicing, reason = "the model's tables are indexed below the constants that size them")]

use model::id::{AccountId, ApiKeyId, InvitationId, OrganizationId};
use model::organization::Role;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use sqlx::Row as _;
use store::{Denied, KeyMade, NewEvent, NewInvitation, NewKey, OrganizationChange, Store};
use testkit::TestDatabase;

use crate::sample::{NOW, opened};

testkit::on_both_databases! {
    of_two_who_accept_one_invitation_at_once_one_is_let_in,
    of_two_who_claim_one_guest_at_once_one_gets_it,
}

/// How often two try the same at the same moment (`specs/accounts.md` section 7, 1).
const REPETITIONS: usize = 1_000;
const PRODUCT: &str = "site-audit";
/// Live keys of one owner.
const LIVE_KEYS: u32 = 10;

pub(crate) fn account(n: usize) -> AccountId {
    AccountId(format!("00000000-0000-7000-8000-{n:012}"))
}

fn organization(n: usize) -> OrganizationId {
    OrganizationId(format!("00000000-0000-7000-9000-{n:012}"))
}

fn digest(kind: u8, n: usize) -> [u8; 32] {
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

async fn found(store: &Store, n: usize, owner: usize) {
    store.create_organization(&organization(n), "Acme", &account(owner), PRODUCT, NOW).await.unwrap().unwrap();
}

fn event(account: &AccountId, id: String) -> NewEvent {
    NewEvent { id, actor: "account", account: account.clone(), kind: "t", network: String::new(), agent: String::new() }
}

fn invitation(n: usize, whom: usize, role: Role) -> NewInvitation {
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
        let change = vec![OrganizationChange::Invite(invitation(n, n, Role::Member))];
        store.change_organization(&founder, &organization(n / 20), change, Vec::new(), NOW).await.unwrap().unwrap();
        let (token, whom) = (digest(1, n), account(n));
        let (one, other) =
            tokio::join!(store.accept_invitation(&token, &whom, NOW), store.accept_invitation(&token, &whom, NOW));
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

/// Accounts, and organizations, of the state machine.
const PEOPLE: usize = 5;
const GROUPS: usize = 2;
const GUESTS: usize = 3;

/// Something that somebody does.
#[derive(Debug, Clone)]
enum Act {
    Invite { actor: usize, group: usize, whom: usize, role: Role },
    Accept { actor: usize, nth: usize },
    SetRole { actor: usize, group: usize, whom: usize, role: Role },
    Remove { actor: usize, group: usize, whom: usize, with_keys: bool },
    MakeKey { actor: usize, group: Option<usize> },
    RevokeKey { actor: usize, nth: usize },
    Claim { actor: usize, guest: usize },
}

fn act() -> impl Strategy<Value = Act> {
    let (actor, group, whom) = (0..PEOPLE, 0..GROUPS, 0..PEOPLE);
    let role = prop::sample::select(Role::ALL.to_vec());
    prop_oneof![
        1 => (actor.clone(), group.clone(), whom.clone(), role.clone())
            .prop_map(|(actor, group, whom, role)| Act::Invite { actor, group, whom, role }),
        1 => (actor.clone(), 0..8_usize).prop_map(|(actor, nth)| Act::Accept { actor, nth }),
        1 => (actor.clone(), group.clone(), whom.clone(), role)
            .prop_map(|(actor, group, whom, role)| Act::SetRole { actor, group, whom, role }),
        1 => (actor.clone(), group.clone(), whom, any::<bool>())
            .prop_map(|(actor, group, whom, with_keys)| Act::Remove { actor, group, whom, with_keys }),
        4 => (actor.clone(), prop::option::of(group)).prop_map(|(actor, group)| Act::MakeKey { actor, group }),
        1 => (actor.clone(), 0..12_usize).prop_map(|(actor, nth)| Act::RevokeKey { actor, nth }),
        1 => (actor, 0..GUESTS).prop_map(|(actor, guest)| Act::Claim { actor, guest }),
    ]
}

/// What the acts so far must have come to.
#[derive(Default)]
struct Model {
    roles: [[Option<Role>; PEOPLE]; GROUPS],
    /// Open invitations by number: group, whom, role, who sent it.
    invitations: Vec<Option<(usize, usize, Role, usize)>>,
    /// Keys: owning group or none, who made it, whether it lives.
    keys: Vec<(Option<usize>, usize, bool)>,
    claimed: [Option<usize>; GUESTS],
}

impl Model {
    fn role(&self, group: usize, who: usize) -> Option<Role> {
        self.roles[group][who]
    }

    fn owners(&self, group: usize) -> usize {
        self.roles[group].iter().filter(|role| **role == Some(Role::Owner)).count()
    }

    fn live(&self, group: Option<usize>, who: usize) -> usize {
        self.keys.iter().filter(|(of, by, live)| *live && *of == group && (group.is_some() || *by == who)).count()
    }

    fn manages(&self, key: (Option<usize>, usize, bool), who: usize) -> bool {
        match key.0 {
            Some(group) => self.role(group, who).is_some_and(|role| role > Role::Member),
            None => key.1 == who,
        }
    }

    /// Does an act here; whether it must succeed.
    fn take(&mut self, act: &Act) -> bool {
        match *act {
            Act::Invite { actor, group, whom, role } => {
                let may = self.role(group, actor).is_some_and(|own| own.admits(role));
                if !may || self.role(group, whom).is_some() {
                    self.invitations.push(None);
                    return false;
                }
                for open in &mut self.invitations {
                    *open = open.filter(|(of, invited, ..)| (*of, *invited) != (group, whom));
                }
                self.invitations.push(Some((group, whom, role, actor)));
                true
            }
            Act::Accept { actor, nth } => {
                let Some(Some((group, whom, role, by))) = self.invitations.get(nth).copied() else { return false };
                let still = self.role(group, by).is_some_and(|own| own.admits(role));
                if whom != actor || !still || self.role(group, whom).is_some() {
                    return false;
                }
                self.invitations[nth] = None;
                self.roles[group][whom] = Some(role);
                true
            }
            Act::SetRole { actor, group, whom, role } => {
                let Some(before) = self.role(group, whom) else { return false };
                if self.role(group, actor) != Some(Role::Owner) {
                    return false;
                }
                self.roles[group][whom] = Some(role);
                if self.owners(group) == 0 {
                    self.roles[group][whom] = Some(before);
                    return false;
                }
                true
            }
            Act::Remove { actor, group, whom, with_keys } => {
                let (Some(own), Some(before)) = (self.role(group, actor), self.role(group, whom)) else { return false };
                if actor != whom && !own.admits(before) {
                    return false;
                }
                self.roles[group][whom] = None;
                if self.owners(group) == 0 {
                    self.roles[group][whom] = Some(before);
                    return false;
                }
                for key in self.keys.iter_mut().filter(|key| with_keys && (key.0, key.1) == (Some(group), whom)) {
                    key.2 = false;
                }
                true
            }
            Act::MakeKey { actor, group } => {
                let key = (group, actor, true);
                let may = self.manages(key, actor) && self.live(group, actor) < LIVE_KEYS as usize;
                self.keys.push((group, actor, may));
                may
            }
            Act::RevokeKey { actor, nth } => {
                let Some(key) = self.keys.get(nth).copied() else { return false };
                if !key.2 || !self.manages(key, actor) {
                    return false;
                }
                self.keys[nth].2 = false;
                true
            }
            Act::Claim { actor, guest } => {
                let may = self.claimed[guest].is_none_or(|by| by == actor);
                if may {
                    self.claimed[guest] = Some(actor);
                }
                may
            }
        }
    }
}

/// Does an act in the store; whether it succeeded. `nth`: how many came before.
async fn perform(store: &Store, act: &Act, nth: usize, invited: &mut usize, made: &mut usize) -> bool {
    let change = |actor: usize, group: usize, change| async move {
        let changes = vec![change];
        store
            .change_organization(&account(actor), &organization(group), changes, Vec::new(), NOW)
            .await
            .unwrap()
            .is_ok()
    };
    match *act {
        Act::Invite { actor, group, whom, role } => {
            *invited += 1;
            let invitation = invitation(*invited - 1, whom, role);
            change(actor, group, OrganizationChange::Invite(invitation)).await
        }
        Act::Accept { actor, nth } => {
            store.accept_invitation(&digest(1, nth), &account(actor), NOW).await.unwrap().is_ok()
        }
        Act::SetRole { actor, group, whom, role } => {
            change(actor, group, OrganizationChange::SetRole(account(whom), role)).await
        }
        Act::Remove { actor, group, whom, with_keys } => {
            change(actor, group, OrganizationChange::Remove { account: account(whom), with_keys }).await
        }
        Act::MakeKey { actor, group } => {
            *made += 1;
            let key = NewKey {
                id: ApiKeyId(format!("key-{}", *made - 1)),
                organization: group.map(organization),
                product: PRODUCT.to_owned(),
                created_by: account(actor),
                name: "x".to_owned(),
                token_digest: digest(3, *made),
                last4: "last".to_owned(),
                created_at: NOW,
            };
            let noted = event(&account(actor), format!("made-{nth}"));
            store.create_key(key, LIVE_KEYS, noted, Vec::new()).await.unwrap() == KeyMade::Made
        }
        Act::RevokeKey { actor, nth: key } => {
            let id = ApiKeyId(format!("key-{key}"));
            let known = store.keys(&account(actor), PRODUCT).await.unwrap();
            let was_live = known.iter().any(|record| record.id == id && record.revoked_at.is_none());
            let noted = event(&account(actor), format!("revoked-{nth}"));
            let revoked = store.revoke_key(&account(actor), &id, PRODUCT, NOW, noted, Vec::new()).await;
            was_live && revoked.is_ok()
        }
        Act::Claim { actor, guest } => {
            store.claim_guest(&digest(2, guest), &account(actor), NOW).await.unwrap().is_some()
        }
    }
}

/// What may never be, whatever was done: it is counted, and must be none.
const NEVER: &[&str] = &[
    "SELECT COUNT(*) FROM organizations WHERE NOT EXISTS (SELECT 1 FROM members \
        WHERE organization_id = organizations.id AND role = 'owner')",
    "SELECT COUNT(*) FROM (SELECT owner FROM api_keys WHERE revoked_at IS NULL GROUP BY owner, product \
        HAVING COUNT(*) > 10) AS many",
    "SELECT COUNT(*) FROM members WHERE organization_id NOT IN (SELECT id FROM organizations) \
        OR account_id NOT IN (SELECT id FROM accounts)",
    "SELECT COUNT(*) FROM credits WHERE owner LIKE 'guest:%' AND owner IN \
        (SELECT 'guest:' || id FROM guests WHERE claimed_by IS NOT NULL)",
    "SELECT CAST(SUM(balance_micros) AS BIGINT) - 3000000 FROM credits",
];

async fn holds(database: TestDatabase, acts: Vec<Act>) -> Result<(), TestCaseError> {
    let store = opened(&database).await;
    accounts(&database, PEOPLE).await;
    let mut model = Model::default();
    for group in 0..GROUPS {
        found(&store, group, group).await;
        model.roles[group][group] = Some(Role::Owner);
    }
    for guest in 0..GUESTS {
        store.create_guest(model::id::GuestId(guest.to_string()), &digest(2, guest), NOW).await.unwrap();
        database
            .execute(&format!(
                "INSERT INTO credits (id, token_digest, owner, is_dev, is_pending, balance_micros, created_at) \
                 VALUES ('{guest}', '{guest}', 'guest:{guest}', 0, 0, 1000000, 1)"
            ))
            .await;
    }
    let (mut invited, mut made) = (0, 0);
    for (nth, act) in acts.iter().enumerate() {
        let wanted = model.take(act);
        let done = perform(&store, act, nth, &mut invited, &mut made).await;
        prop_assert_eq!(done, wanted, "{:?} after {:?}", act, acts.get(..nth));
    }
    for never in NEVER {
        prop_assert_eq!(database.row(never).await.get::<i64, _>(0), 0, "{}", never);
    }
    let members: usize = model.roles.iter().flatten().flatten().count();
    let row = database.row("SELECT COUNT(*) FROM members").await;
    prop_assert_eq!(usize::try_from(row.get::<i64, _>(0)).unwrap(), members);
    store.close().await;
    Ok(())
}

/// Runs the state machine; each case in a database of its own.
fn any_order(cases: u32, database: impl AsyncFn() -> Option<TestDatabase>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    runner
        .run(&prop::collection::vec(act(), 1..60), |acts| {
            runtime.block_on(async {
                match database().await {
                    Some(database) => holds(database, acts).await,
                    None => Ok(()),
                }
            })
        })
        .unwrap();
}

#[test]
fn in_any_order_on_sqlite_there_is_an_owner_and_no_money_is_lost() {
    any_order(32, async || Some(TestDatabase::sqlite()));
}

#[test]
fn in_any_order_on_postgres_there_is_an_owner_and_no_money_is_lost() {
    any_order(16, async || TestDatabase::postgres().await);
}
