//! A state machine of people, organizations, keys and guests: whatever is done in whatever order, what must hold does.

#![expect(clippy::indexing_slicing, reason = "the model's tables are indexed below the constants that size them")]

mod expected;

use model::account::Assurance;
use model::id::{AccountId, ApiKeyId, SessionId};
use model::organization::Role;
use model::time::DAY_MS;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use sqlx::Row as _;
use store::{
    AccountLink, AccountStatus, Factor, KeyMade, NewAccount, NewKey, NewLink, NewSession, OrganizationChange, Step,
    Store,
};
use testkit::TestDatabase;

use self::expected::Model;
use crate::organizations::{PRODUCT, account, accounts, digest, event, found, invitation, organization};
use crate::sample::{NOW, opened};

/// People, organizations and guests. Each guest has bought a credit of a dollar.
const PEOPLE: usize = 5;
const GROUPS: usize = 2;
const GUESTS: usize = 3;
/// Live keys of one owner.
const LIVE_KEYS: u32 = 10;
/// Live sessions of one account.
const SESSIONS: usize = 20;

/// Something that somebody does. People are by number; somebody whose account was removed has none until they register.
#[derive(Debug, Clone)]
enum Act {
    Register { actor: usize },
    SignIn { actor: usize, time_step: i64 },
    AddFactor { actor: usize, time_step: i64 },
    Invite { actor: usize, group: usize, whom: usize, role: Role },
    Accept { actor: usize, nth: usize },
    SetRole { actor: usize, group: usize, whom: usize, role: Role },
    Remove { actor: usize, group: usize, whom: usize, with_keys: bool },
    MakeKey { actor: usize, group: Option<usize> },
    RevokeKey { actor: usize, nth: usize },
    Claim { actor: usize, guest: usize },
    Close { actor: usize },
    Suspend { whom: usize },
    Restore { whom: usize },
    RemoveClosed,
}

fn act() -> impl Strategy<Value = Act> {
    let (actor, group, whom) = (0..PEOPLE, 0..GROUPS, 0..PEOPLE);
    let role = prop::sample::select(Role::ALL.to_vec());
    prop_oneof![
        1 => actor.clone().prop_map(|actor| Act::Register { actor }),
        2 => (actor.clone(), 1..30_i64).prop_map(|(actor, time_step)| Act::SignIn { actor, time_step }),
        1 => (actor.clone(), 1..30_i64).prop_map(|(actor, time_step)| Act::AddFactor { actor, time_step }),
        2 => (actor.clone(), group.clone(), whom.clone(), role.clone())
            .prop_map(|(actor, group, whom, role)| Act::Invite { actor, group, whom, role }),
        2 => (actor.clone(), 0..8_usize).prop_map(|(actor, nth)| Act::Accept { actor, nth }),
        1 => (actor.clone(), group.clone(), whom.clone(), role)
            .prop_map(|(actor, group, whom, role)| Act::SetRole { actor, group, whom, role }),
        1 => (actor.clone(), group.clone(), whom.clone(), any::<bool>())
            .prop_map(|(actor, group, whom, with_keys)| Act::Remove { actor, group, whom, with_keys }),
        6 => (actor.clone(), prop::option::of(group)).prop_map(|(actor, group)| Act::MakeKey { actor, group }),
        1 => (actor.clone(), 0..12_usize).prop_map(|(actor, nth)| Act::RevokeKey { actor, nth }),
        1 => (actor.clone(), 0..GUESTS).prop_map(|(actor, guest)| Act::Claim { actor, guest }),
        1 => actor.prop_map(|actor| Act::Close { actor }),
        1 => whom.clone().prop_map(|whom| Act::Suspend { whom }),
        2 => whom.prop_map(|whom| Act::Restore { whom }),
        1 => Just(Act::RemoveClosed),
    ]
}

/// The same acts in the store, in the steps that the server takes.
struct World {
    store: Store,
    /// The last account of each person.
    accounts: [AccountId; PEOPLE],
    registered: usize,
    invited: usize,
    keys: usize,
    /// Acts so far.
    done: usize,
}

impl World {
    /// Takes steps of an account; whether they were.
    async fn change(&self, steps: Vec<Step>) -> bool {
        self.store.change_account("an act", steps, Vec::new(), NOW).await.unwrap().is_ok()
    }

    /// Changes an organization; whether it was.
    async fn change_group(&self, actor: usize, group: usize, change: OrganizationChange) -> bool {
        let (actor, changes) = (&self.accounts[actor], vec![(change, event(&self.accounts[actor]))]);
        self.store.change_organization(actor, &organization(group), changes, Vec::new(), NOW).await.unwrap().is_ok()
    }

    fn session(&self, account: &AccountId, assurance: Assurance) -> Step {
        Step::BeginSession(NewSession {
            id: SessionId(format!("session-{}", self.done)),
            token_digest: digest(4, self.done),
            account: account.clone(),
            assurance,
            methods: "password".to_owned(),
            idle_expires_at: NOW.plus_ms(DAY_MS),
            absolute_expires_at: NOW.plus_ms(DAY_MS),
            agent: String::new(),
            network: String::new(),
        })
    }

    async fn register(&mut self, actor: usize) -> bool {
        let (id, email) = (account(self.registered), format!("a{actor}@example.com"));
        let (link, purpose) = (digest(5, self.done), AccountLink::Register);
        let expires_at = NOW.plus_ms(DAY_MS);
        let sent = NewLink {
            token_digest: link,
            purpose,
            email: email.clone(),
            account: None,
            followed_url: None,
            expires_at,
        };
        assert!(self.change(vec![Step::AddLink(sent)]).await);
        let made = NewAccount {
            id: id.clone(),
            email: email.clone(),
            email_canonical: email,
            name: String::new(),
            locale: "en".to_owned(),
            password: "x".to_owned(),
        };
        let steps = vec![
            Step::UseLink(link, purpose),
            Step::Register(made),
            self.session(&id, Assurance::Aal1),
            Step::Event(event(&id)),
        ];
        let is_new = self.change(steps).await;
        if is_new {
            self.registered += 1;
            self.accounts[actor] = id;
        }
        is_new
    }

    async fn sign_in(&self, actor: usize, time_step: i64) -> bool {
        let found = self.store.account_by_email(&format!("a{actor}@example.com")).await.unwrap();
        let Some(account) = found.filter(|account| account.status == AccountStatus::Active) else { return false };
        let mut steps = Vec::new();
        let assurance = match account.totp {
            Some(_) => {
                steps.push(Step::Factor(account.id.clone(), Factor::Use(time_step)));
                Assurance::Aal2
            }
            None => Assurance::Aal1,
        };
        steps.extend([self.session(&account.id, assurance), Step::Event(event(&account.id))]);
        self.change(steps).await
    }

    async fn add_factor(&self, actor: usize, time_step: i64) -> bool {
        let id = &self.accounts[actor];
        if self.store.sessions_of(id, NOW).await.unwrap().is_empty() {
            return false;
        }
        let factor = |factor| Step::Factor(id.clone(), factor);
        self.change(vec![
            factor(Factor::Offer(vec![0; 60], "key".to_owned())),
            factor(Factor::Confirm(vec![0; 60], time_step)),
            factor(Factor::AddRecoveryCode(digest(6, self.done))),
            Step::Event(event(id)),
        ])
        .await
    }

    async fn make_key(&mut self, actor: usize, group: Option<usize>) -> bool {
        self.keys += 1;
        let key = NewKey {
            id: ApiKeyId(format!("key-{}", self.keys - 1)),
            organization: group.map(organization),
            product: PRODUCT.to_owned(),
            created_by: self.accounts[actor].clone(),
            name: "x".to_owned(),
            token_digest: digest(3, self.keys),
            last4: "last".to_owned(),
            created_at: NOW,
        };
        let noted = event(&self.accounts[actor]);
        self.store.create_key(key, LIVE_KEYS, noted, Vec::new()).await.unwrap() == KeyMade::Made
    }

    async fn revoke_key(&self, actor: usize, nth: usize) -> bool {
        let (actor, id) = (&self.accounts[actor], ApiKeyId(format!("key-{nth}")));
        let known = self.store.keys(actor, PRODUCT).await.unwrap();
        let was_live = known.iter().any(|record| record.id == id && record.revoked_at.is_none());
        let revoked = self.store.revoke_key(actor, &id, PRODUCT, NOW, event(actor), Vec::new()).await;
        was_live && revoked.is_ok()
    }

    /// Does an act; whether it succeeded.
    async fn take(&mut self, act: &Act) -> bool {
        self.done += 1;
        match *act {
            Act::Register { actor } => self.register(actor).await,
            Act::SignIn { actor, time_step } => self.sign_in(actor, time_step).await,
            Act::AddFactor { actor, time_step } => self.add_factor(actor, time_step).await,
            Act::Invite { actor, group, whom, role } => {
                self.invited += 1;
                let invitation = invitation(self.invited - 1, whom, role);
                self.change_group(actor, group, OrganizationChange::Invite(invitation)).await
            }
            Act::Accept { actor, nth } => {
                let actor = &self.accounts[actor];
                self.store.accept_invitation(&digest(1, nth), actor, event(actor), NOW).await.unwrap().is_ok()
            }
            Act::SetRole { actor, group, whom, role } => {
                let whom = self.accounts[whom].clone();
                self.change_group(actor, group, OrganizationChange::SetRole(whom, role)).await
            }
            Act::Remove { actor, group, whom, with_keys } => {
                let account = self.accounts[whom].clone();
                self.change_group(actor, group, OrganizationChange::Remove { account, with_keys }).await
            }
            Act::MakeKey { actor, group } => self.make_key(actor, group).await,
            Act::RevokeKey { actor, nth } => self.revoke_key(actor, nth).await,
            Act::Claim { actor, guest } => {
                let claimed = self.store.claim_guest(&digest(2, guest), &self.accounts[actor], NOW).await;
                claimed.unwrap().is_some()
            }
            Act::Close { actor } => {
                let (actor, after) = (&self.accounts[actor], NOW.plus_ms(7 * DAY_MS));
                self.store.close_account(actor, after, event(actor), Vec::new(), NOW).await.unwrap().is_ok()
            }
            Act::Suspend { whom } => {
                let id = self.accounts[whom].clone();
                let end = Step::EndSessions(id.clone(), None, store::EndReason::Operator);
                self.change(vec![Step::Suspend(id), end]).await
            }
            Act::Restore { whom } => self.change(vec![Step::Restore(self.accounts[whom].clone())]).await,
            Act::RemoveClosed => {
                self.store.purge_closed(NOW.plus_ms(8 * DAY_MS)).await.unwrap();
                true
            }
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
        OR account_id NOT IN (SELECT id FROM accounts WHERE status <> 'deleting')",
    "SELECT COUNT(*) FROM (SELECT account_id FROM sessions WHERE ended_at IS NULL \
        UNION ALL SELECT account_id FROM totp_secrets WHERE account_id NOT IN (SELECT id FROM accounts) \
        UNION ALL SELECT account_id FROM recovery_codes WHERE account_id NOT IN (SELECT account_id FROM totp_secrets)) \
        AS held WHERE account_id NOT IN (SELECT id FROM accounts WHERE status = 'active')",
    "SELECT COUNT(*) FROM api_keys WHERE owner LIKE 'account:%' \
        AND owner NOT IN (SELECT 'account:' || id FROM accounts)",
    "SELECT COUNT(*) FROM api_keys WHERE owner LIKE 'account:%' AND revoked_at IS NULL \
        AND owner NOT IN (SELECT 'account:' || id FROM accounts WHERE status <> 'deleting')",
    "SELECT COUNT(*) FROM security_events WHERE account_id NOT IN (SELECT id FROM accounts)",
    "SELECT COUNT(*) FROM invitations WHERE invited_by NOT IN (SELECT id FROM accounts)",
    "SELECT COUNT(*) FROM credits WHERE owner LIKE 'guest:%' AND owner IN \
        (SELECT 'guest:' || id FROM guests WHERE claimed_by IS NOT NULL)",
    "SELECT CAST(SUM(balance_micros) AS BIGINT) - 3000000 FROM credits",
];

async fn holds(database: TestDatabase, acts: Vec<Act>) -> Result<(), TestCaseError> {
    let store = opened(&database).await;
    accounts(&database, PEOPLE).await;
    let mut model = Model::new();
    for group in 0..GROUPS {
        found(&store, group, group).await;
        model.roles[group][group] = Some(Role::Owner);
    }
    for guest in 0..GUESTS {
        store.create_guest(model::id::GuestId(guest.to_string()), &digest(2, guest), NOW).await.unwrap();
        database
            .execute(&format!(
                "INSERT INTO credits (id, token_digest, owner, is_dev, balance_micros, created_at) \
                 VALUES ('{guest}', '{guest}', 'guest:{guest}', 0, 1000000, 1)"
            ))
            .await;
    }
    let accounts = std::array::from_fn(account);
    let mut world = World { store, accounts, registered: PEOPLE, invited: 0, keys: 0, done: 0 };
    for (nth, act) in acts.iter().enumerate() {
        let wanted = model.take(act);
        prop_assert_eq!(world.take(act).await, wanted, "{:?} after {:?}", act, acts.get(..nth));
    }
    for never in NEVER {
        prop_assert_eq!(database.row(never).await.get::<i64, _>(0), 0, "{}", never);
    }
    let count = async |sql| usize::try_from(database.row(sql).await.get::<i64, _>(0)).unwrap();
    let members = model.roles.iter().flatten().flatten().count();
    prop_assert_eq!(count("SELECT COUNT(*) FROM members").await, members);
    prop_assert_eq!(count("SELECT COUNT(*) FROM accounts").await, model.people.iter().flatten().count());
    let sessions: usize = model.people.iter().flatten().map(|standing| standing.sessions).sum();
    prop_assert_eq!(count("SELECT COUNT(*) FROM sessions WHERE ended_at IS NULL").await, sessions);
    let live = model.keys.iter().filter(|key| key.is_live).count();
    prop_assert_eq!(count("SELECT COUNT(*) FROM api_keys WHERE revoked_at IS NULL").await, live);
    world.store.close().await;
    Ok(())
}

/// Runs the state machine; each case in a database of its own.
fn any_order(cases: u32, database: impl AsyncFn() -> Option<TestDatabase>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    runner
        .run(&prop::collection::vec(act(), 1..90), |acts| {
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
