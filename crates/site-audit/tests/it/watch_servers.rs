//! Two processes on one PostgreSQL run the same day's watches: one run and one alert each, also when one of them sleeps
//! through its claims in the middle.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use sqlx::{AssertSqlSafe, Executor as _, Row as _};
use testkit::{MailServer, ReceivedMail, TestDatabase};

use crate::api::tabs::{BAD, GOOD, Page};
use crate::command_line::program;

/// How many pages are watched; `cargo xtask watches` takes 500.
const WATCHES: &str = "SITE_AUDIT_TEST_WATCHES";
const USUAL_WATCHES: u32 = 20;

/// Between two looks at a condition.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What the test sees of a day.
struct Scene {
    database: TestDatabase,
    mail: MailServer,
    page: Page,
    watches: u32,
}

impl Scene {
    /// The tables, an account, and its watched tabs, all due.
    async fn start(database: TestDatabase) -> Self {
        let watches = std::env::var(WATCHES).map_or(USUAL_WATCHES, |count| count.parse().unwrap());
        let (mail, page) = (MailServer::start().await, Page::start(GOOD).await);
        let store = store::Store::open(database.url()).await.unwrap();
        store.close().await;
        database
            .execute(
                "INSERT INTO accounts (id, email, email_canonical, name, locale, time_zone, theme, revision, status, \
                 created_at) VALUES ('a', 'ana@example.com', 'ana@example.com', 'ana', 'en', 'UTC', 'system', 1, \
                 'active', 0)",
            )
            .await;
        let row = |n: u32| {
            let url = format!("{}?n={n}", page.url());
            format!("('00000000-0000-7000-8000-{n:012x}', 'account:a', '{url}', 'page {n}.', 0, 1, {n}, 0)")
        };
        let rows: Vec<String> = (0..watches).map(row).collect();
        let insert = "INSERT INTO tabs (id, owner, url, alias, created_at, monitor, watch_at, alert_agreed) VALUES ";
        database.execute(&(insert.to_owned() + &rows.join(", "))).await;
        Self { database, mail, page, watches }
    }

    /// A server that works on the queue.
    fn serve(&self) -> Child {
        let mut child = program()
            .args(["--config", "/dev/null", "--listen", "127.0.0.1:0", "--database-url", self.database.url()])
            .env("SITE_AUDIT_FETCH__ALLOW_PRIVATE", "127.0.0.2/32")
            .env("SITE_AUDIT_FETCH__ALLOW_PORTS", "*")
            .env("SITE_AUDIT_SMTP__URL", self.mail.url())
            .env("SITE_AUDIT_SMTP__FROM", "audit@example.com")
            .env("SITE_AUDIT_AUTH__SECRET", "s".repeat(32))
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // It listens.
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
        child
    }

    async fn count(&self, condition: &str) -> u32 {
        let sql = format!("SELECT CAST(COUNT(*) AS BIGINT) FROM {condition}");
        let row = self.database.connection().await.fetch_one(sqlx::query(AssertSqlSafe(sql))).await.unwrap();
        u32::try_from(row.get::<i64, _>(0)).unwrap()
    }

    /// Waits until a count is reached.
    async fn until(&self, condition: &str, wanted: impl Fn(u32) -> bool) {
        let mut looks = tokio::time::interval(LOOK_EVERY);
        while !wanted(self.count(condition).await) {
            looks.tick().await;
        }
    }
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

/// Ends servers as an operator does, and waits until they have.
async fn stop(servers: [Child; 2]) {
    for server in &servers {
        signal(server, "-INT");
    }
    for mut server in servers {
        let ended = tokio::task::spawn_blocking(move || server.wait().unwrap()).await.unwrap();
        assert!(ended.success(), "{ended}");
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn two_servers_run_a_day_s_watches_once_each() {
    let Some(database) = TestDatabase::postgres().await else { return };
    let scene = Scene::start(database).await;
    let watches = scene.watches;

    // The first day: nothing to compare with, so nothing to tell.
    let servers = [scene.serve(), scene.serve()];
    scene.until("jobs WHERE lane = 'audit' AND state = 'done'", |done| done == watches).await;
    stop(servers).await;
    assert_eq!((scene.count("audits").await, scene.mail.letters().len()), (watches, 0));

    // The next day, on which every page is worse.
    scene.page.set(Some(BAD));
    scene.database.execute("UPDATE jobs SET unique_key = unique_key || ':yesterday'").await;
    scene.database.execute("UPDATE tabs SET watch_at = created_at + 1").await;
    let [sleeper, other] = [scene.serve(), scene.serve()];
    scene.until("audits", |audits| audits > watches).await;
    signal(&sleeper, "-STOP");
    // The other one does what it can; then the claims of the sleeper run out, which takes two minutes otherwise.
    let held = "jobs WHERE lane = 'audit' AND state = 'waiting' AND locked_until > 0";
    let free = "jobs WHERE lane = 'audit' AND state = 'waiting' AND locked_until = 0";
    scene.until(free, |free| free == 0).await;
    scene.until(held, |held| held <= 4).await;
    scene.database.execute("UPDATE jobs SET locked_until = 0 WHERE lane = 'audit' AND state = 'waiting'").await;
    scene.until("jobs WHERE lane = 'audit' AND state = 'waiting'", |left| left == 0).await;
    signal(&sleeper, "-CONT");
    let letters = scene.mail.wait_for(usize::try_from(watches).unwrap()).await;
    scene.until("jobs WHERE state = 'waiting'", |left| left == 0).await;
    stop([sleeper, other]).await;

    assert_eq!(scene.count("audits").await, 2 * watches);
    assert_eq!(scene.count("jobs WHERE state = 'dead'").await, 0);
    assert_eq!(scene.count("jobs WHERE lane = 'mail'").await, watches);
    let mut told: BTreeMap<String, usize> = BTreeMap::new();
    for letter in letters.iter().chain(scene.mail.letters().get(letters.len()..).unwrap_or_default()) {
        *told.entry(subject(letter)).or_default() += 1;
    }
    assert_eq!(told.len(), usize::try_from(watches).unwrap());
    assert!(told.values().all(|count| *count == 1), "{told:?}");
}

fn subject(letter: &ReceivedMail) -> String {
    letter.text().lines().next().unwrap_or_default().to_owned()
}
