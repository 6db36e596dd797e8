//! The program, or several on one database, with clients at work whatever happens to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use testkit::facilitator::TestFacilitator;
use testkit::{SiteAnswer, TestDatabase, TestSite};
use tokio::task::JoinSet;

use super::clients::{BASE_URL, Client, PaidAudits, now_ms};
use crate::payments::program::{Events, Place, Program, note};

/// Clients at once, each with an account and a credit.
pub(crate) const CLIENTS: u8 = 8;
/// A long test says every so many runs that it goes on.
const SAYS_EVERY: usize = 100;

/// The program and its clients, for a number of runs.
pub(crate) struct Scene {
    pub(crate) program: Program,
    /// Of each client.
    paid: Vec<Arc<PaidAudits>>,
    pub(crate) events: Events,
    clients: JoinSet<i64>,
    runs: usize,
    left: Arc<AtomicUsize>,
    site: TestSite,
    facilitator: TestFacilitator,
}

impl Scene {
    /// Starts the program on a database, and its clients.
    pub(crate) async fn open(database: &TestDatabase, runs: usize) -> Self {
        let mut scene = Self::prepare(database, runs).await;
        scene.program.start().await;
        scene.send_clients(database, |scene, _| scene.program.place(&scene.events)).await;
        scene
    }

    /// The same before the program was started and clients came.
    pub(crate) async fn prepare(database: &TestDatabase, runs: usize) -> Self {
        let (events, facilitator) = (Events::default(), TestFacilitator::start().await);
        let seen = Arc::clone(&events);
        let site = TestSite::start(move |asked| {
            note(&seen);
            if asked.path.starts_with("/page") { SiteAnswer::html("<title>t</title>") } else { SiteAnswer::missing() }
        })
        .await;
        let program = configured(Program::new(database, &facilitator));
        let left = Arc::new(AtomicUsize::new(runs));
        Self { program, paid: Vec::new(), events, clients: JoinSet::new(), runs, left, site, facilitator }
    }

    /// Another server with the same settings, not started.
    pub(crate) fn another(&self, database: &TestDatabase) -> Program {
        configured(Program::new(database, &self.facilitator))
    }

    /// Sends the clients to work, each to a place. The tables have to be there.
    pub(crate) async fn send_clients(&mut self, database: &TestDatabase, place: impl Fn(&Self, u8) -> Place) {
        for number in 0..CLIENTS {
            let client = Client::new(number, database, place(self, number), &self.site).await;
            self.paid.push(client.paid());
            self.clients.spawn(client.live(Arc::clone(&self.left)));
        }
    }

    /// Waits until so much more has happened: requests of the page and its files, and answers that clients have or miss.
    pub(crate) async fn pass(&mut self, events: u64) {
        let mut happened = self.events.subscribe();
        let end = *happened.borrow_and_update() + events;
        tokio::select! {
            counted = happened.wait_for(|count| *count >= end) => drop(counted.unwrap()),
            Some(ended) = self.clients.join_next() => panic!("a client has ended: {ended:?}"),
        }
    }

    /// Waits until every client has one more paid audit: the program works again.
    pub(crate) async fn recover(&mut self) {
        let before = self.paid_audits(|paid| &paid.answered);
        while !self.paid_audits(|paid| &paid.answered).iter().zip(&before).all(|(now, before)| now > before) {
            self.pass(1).await;
        }
    }

    /// A count of the paid audits of each client.
    pub(crate) fn paid_audits(&self, count: impl Fn(&PaidAudits) -> &AtomicI64) -> Vec<i64> {
        self.paid.iter().map(|paid| count(paid).load(Ordering::SeqCst)).collect()
    }

    /// Counts a run as done; whether there are more.
    pub(crate) fn done(&self) -> bool {
        let done = self.runs + 1 - self.left.fetch_sub(1, Ordering::SeqCst);
        if done.is_multiple_of(SAYS_EVERY) {
            println!("{done} of {} runs", self.runs);
        }
        done < self.runs
    }

    /// Kills the program and starts it again.
    pub(crate) async fn restart(&mut self, database: &TestDatabase) {
        self.program.kill();
        renew(database).await;
        self.program.start().await;
    }

    /// Waits until the clients have checked everything; how many acknowledgements they had.
    pub(crate) async fn end(mut self) -> i64 {
        let mut acknowledged = 0;
        while let Some(client) = self.clients.join_next().await {
            acknowledged += client.unwrap();
        }
        acknowledged
    }
}

/// An API key needs a proof of the last five minutes.
pub(crate) async fn renew(database: &TestDatabase) {
    database.execute(&format!("UPDATE sessions SET proven_at = {}", now_ms())).await;
}

fn configured(program: Program) -> Program {
    program
        .with("SITE_AUDIT_BASE_URL", BASE_URL)
        .with("SITE_AUDIT_AUTH__SECRET", "a secret of tests, of 32 bytes or more")
        .with("SITE_AUDIT_LIMITS__GUESTS_PER_HOUR", "1000000")
        .with("SITE_AUDIT_LIMITS__FREE_TABS", "1000000")
}
