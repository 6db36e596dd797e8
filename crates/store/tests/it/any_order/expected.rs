//! What acts must come to, in memory.

use model::organization::Role;
use store::AccountStatus;

use super::{Act, GROUPS, GUESTS, LIVE_KEYS, PEOPLE, SESSIONS};

/// Somebody's account as it must stand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing {
    /// Which account it is: numbers are never used again.
    number: usize,
    status: AccountStatus,
    pub(super) sessions: usize,
    /// The time step of the last code of the second factor, where there is one.
    last_step: Option<i64>,
}

/// A key: its group, or else the account that made it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    group: Option<usize>,
    by: usize,
    pub(super) is_live: bool,
}

/// What the acts so far must have come to.
pub(super) struct Model {
    pub(super) people: [Option<Standing>; PEOPLE],
    registered: usize,
    pub(super) roles: [[Option<Role>; PEOPLE]; GROUPS],
    /// Open invitations by number: group, whom, role, who sent it.
    invitations: Vec<Option<(usize, usize, Role, usize)>>,
    pub(super) keys: Vec<Key>,
    /// By which account.
    claimed: [Option<usize>; GUESTS],
}

impl Model {
    /// Everybody has an account, and nobody is signed in.
    pub(super) fn new() -> Self {
        let standing = |number| Standing { number, status: AccountStatus::Active, sessions: 0, last_step: None };
        Self {
            people: std::array::from_fn(|number| Some(standing(number))),
            registered: PEOPLE,
            roles: [[None; PEOPLE]; GROUPS],
            invitations: Vec::new(),
            keys: Vec::new(),
            claimed: [None; GUESTS],
        }
    }

    fn role(&self, group: usize, who: usize) -> Option<Role> {
        self.roles[group][who]
    }

    /// Sets a role, unless nobody would own the group; whether it was.
    fn set_role(&mut self, group: usize, whom: usize, role: Option<Role>) -> bool {
        let before = std::mem::replace(&mut self.roles[group][whom], role);
        let is_owned = self.roles[group].contains(&Some(Role::Owner));
        if !is_owned {
            self.roles[group][whom] = before;
        }
        is_owned
    }

    /// The active account of somebody.
    fn active(&mut self, who: usize) -> Option<&mut Standing> {
        self.people[who].as_mut().filter(|standing| standing.status == AccountStatus::Active)
    }

    fn live(&self, group: Option<usize>, by: usize) -> usize {
        let of_owner = |key: &&Key| key.is_live && key.group == group && (group.is_some() || key.by == by);
        self.keys.iter().filter(of_owner).count()
    }

    fn manages(&self, key: Key, who: usize) -> bool {
        match key.group {
            Some(group) => self.role(group, who).is_some_and(|role| role > Role::Member),
            None => self.people[who].is_some_and(|standing| standing.number == key.by),
        }
    }

    /// Does an act here; whether it must succeed.
    pub(super) fn take(&mut self, act: &Act) -> bool {
        match *act {
            Act::Register { actor } => {
                if self.people[actor].is_some() {
                    return false;
                }
                let number = self.registered;
                self.registered += 1;
                let status = AccountStatus::Active;
                self.people[actor] = Some(Standing { number, status, sessions: 1, last_step: None });
                true
            }
            Act::SignIn { actor, time_step } => {
                let Some(standing) = self.active(actor) else { return false };
                if standing.last_step.is_some_and(|last| last >= time_step) {
                    return false;
                }
                standing.last_step = standing.last_step.and(Some(time_step));
                standing.sessions = SESSIONS.min(standing.sessions + 1);
                true
            }
            Act::AddFactor { actor, time_step } => {
                let free = |standing: &&mut Standing| standing.sessions > 0 && standing.last_step.is_none();
                let Some(standing) = self.active(actor).filter(free) else { return false };
                standing.last_step = Some(time_step);
                true
            }
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
                if whom != actor || !still || self.active(actor).is_none() || self.role(group, whom).is_some() {
                    return false;
                }
                self.invitations[nth] = None;
                self.roles[group][whom] = Some(role);
                true
            }
            Act::SetRole { actor, group, whom, role } => {
                let may = self.role(group, actor) == Some(Role::Owner) && self.role(group, whom).is_some();
                may && self.set_role(group, whom, Some(role))
            }
            Act::Remove { actor, group, whom, with_keys } => {
                let (Some(own), Some(before)) = (self.role(group, actor), self.role(group, whom)) else { return false };
                if (actor != whom && !own.admits(before)) || !self.set_role(group, whom, None) {
                    return false;
                }
                let by = self.people[whom].map(|standing| standing.number);
                for key in &mut self.keys {
                    key.is_live &= !(with_keys && key.group == Some(group) && Some(key.by) == by);
                }
                true
            }
            Act::MakeKey { actor, group } => {
                let Some(Standing { number, status, .. }) = self.people[actor] else {
                    self.keys.push(Key { group, by: usize::MAX, is_live: false });
                    return false;
                };
                let key = Key { group, by: number, is_live: true };
                // Who is suspended has no session to make one with; their account's keys are refused here, too.
                let may = self.manages(key, actor) && (group.is_some() || status == AccountStatus::Active);
                let is_live = may && self.live(group, number) < LIVE_KEYS as usize;
                self.keys.push(Key { is_live, ..key });
                is_live
            }
            Act::RevokeKey { actor, nth } => {
                let Some(key) = self.keys.get(nth).copied() else { return false };
                if !key.is_live || !self.manages(key, actor) {
                    return false;
                }
                self.keys[nth].is_live = false;
                true
            }
            Act::Claim { actor, guest } => {
                let Some(number) = self.active(actor).map(|standing| standing.number) else { return false };
                let may = self.claimed[guest].is_none_or(|by| by == number);
                if may {
                    self.claimed[guest] = Some(number);
                }
                may
            }
            Act::Close { actor } => {
                let others_own = |group: &[Option<Role>; PEOPLE]| {
                    (0..PEOPLE).any(|other| other != actor && group[other] == Some(Role::Owner))
                };
                let is_needed = self.roles.iter().any(|group| group[actor] == Some(Role::Owner) && !others_own(group));
                if is_needed || self.active(actor).is_none() {
                    return false;
                }
                for group in &mut self.roles {
                    group[actor] = None;
                }
                let Some(standing) = self.active(actor) else { return false };
                (standing.status, standing.sessions) = (AccountStatus::Deleting, 0);
                let number = standing.number;
                for key in self.keys.iter_mut().filter(|key| key.group.is_none() && key.by == number) {
                    key.is_live = false;
                }
                true
            }
            Act::Suspend { whom } => match self.active(whom) {
                Some(standing) => {
                    (standing.status, standing.sessions) = (AccountStatus::Suspended, 0);
                    true
                }
                None => false,
            },
            Act::Restore { whom } => match &mut self.people[whom] {
                Some(standing) if standing.status != AccountStatus::Active => {
                    standing.status = AccountStatus::Active;
                    true
                }
                _ => false,
            },
            Act::RemoveClosed => {
                for (who, person) in self.people.iter_mut().enumerate() {
                    if person.is_some_and(|standing| standing.status == AccountStatus::Deleting) {
                        *person = None;
                        for open in &mut self.invitations {
                            *open = open.filter(|(.., by)| *by != who);
                        }
                    }
                }
                true
            }
        }
    }
}
