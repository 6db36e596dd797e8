//! Several servers on one PostgreSQL behind one address (HAProxy): one of them is killed again and again, and clients, whose
//! calls come to any of them, keep what they were answered. And a pair of databases, of which the first is lost.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::json;
use testkit::postgres_server::PostgresServer;
use testkit::{SiteAnswer, TestDatabase, TestSite, free_address};

use super::database::server;
use super::proxy::Proxy;
use super::scene::{Scene, renew};
use super::{Dice, runs, tell};
use crate::app::join_all;
use crate::payments::program::{Place, Program};
use crate::server_process::ServerProcess;

/// Servers behind the address.
const SERVERS: [usize; 2] = [2, 3];
/// Kills of one of them where the environment says nothing.
const KILLS: usize = 3;
/// Events between two at most.
const LONGEST: u64 = 120;
/// A call that begins so long after a change of one server knows it, whichever server it comes to.
const COHERENT_WITHIN: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread")]
async fn servers_behind_one_address_are_killed_and_nothing_acknowledged_is_lost() {
    for servers in SERVERS {
        let Some(database) = TestDatabase::postgres().await else { return };
        if !Proxy::is_installed() {
            return;
        }
        let (kills, mut dice) = (runs(KILLS), Dice::new());
        let mut scene = Scene::prepare(&database, kills).await;
        let mut programs: Vec<(SocketAddr, Program)> = (0..servers)
            .map(|_| {
                let address = free_address();
                let program = scene.another(&database).with("SITE_AUDIT_LISTEN", &address.to_string());
                (address, program.with("SITE_AUDIT_TRUSTED_PROXIES", "127.0.0.1/32"))
            })
            .collect();
        for (_, program) in &mut programs {
            program.start().await;
        }
        let addresses: Vec<SocketAddr> = programs.iter().map(|(address, _)| *address).collect();
        let proxy = Proxy::of_servers(&addresses);
        scene.send_clients(&database, |scene, _| Place::at(proxy.address(), &scene.events)).await;
        for _ in 0..kills {
            scene.pass(1 + dice.below(LONGEST)).await;
            let (_, program) = &mut programs[usize::try_from(dice.below(servers as u64)).unwrap()];
            program.kill();
            scene.pass(1 + dice.below(LONGEST)).await;
            renew(&database).await;
            program.start().await;
            scene.recover().await;
            scene.done();
        }
        let acknowledged = scene.end().await;
        let more = format!("{servers} servers behind one address, {acknowledged} acknowledgements");
        tell("F01, scale-out", database.system(), kills, &dice, &more);
    }
}

/// Three servers without a proxy in front, so that a test says which one it calls.
async fn three(settings: &[(&str, &str)]) -> Option<(TestDatabase, [ServerProcess; 3])> {
    let database = TestDatabase::postgres().await?;
    let servers = [0, 1, 2].map(|_| ServerProcess::start(&database, settings));
    Some((database, servers))
}

async fn page() -> TestSite {
    TestSite::start(|asked| match asked.path.as_str() {
        path if path == "/" || path.starts_with("/page") => {
            SiteAnswer::html("<!doctype html><html lang=en><title>Bread</title><h1>Bread</h1>")
        }
        _ => SiteAnswer::missing(),
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn f21_three_servers_share_the_limit_of_an_hour() {
    let Some((_database, servers)) = three(&[("LIMITS__AUDITS_PER_HOUR", "10")]).await else { return };
    let site = page().await;
    let mut answers = Vec::new();
    // Three at a time: a database that has no time for all at once would let each server count by itself.
    for wave in 0..10 {
        let calls = servers.iter().enumerate().map(|(number, server)| {
            let body = json!({"url": site.url(&format!("/page{wave}-{number}"))}).to_string();
            async move { server.call("POST", "/api/audit", "", &body).await }
        });
        answers.extend(join_all(calls).await);
    }
    let granted = answers.iter().filter(|answer| answer.status == 200).count();
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(granted, 10, "{statuses:?}");
    for server in servers {
        server.kill();
    }
}

/// What one server did, the others know: at the next call, or within the time that caches may take.
#[tokio::test(flavor = "multi_thread")]
async fn what_one_server_changes_the_others_know_in_time() {
    let Some((_database, [one, two, three])) = three(&[]).await else { return };
    let site = page().await;
    let guest = one.guest().await;
    let audit = two.call("POST", "/api/audit", &guest, &json!({"url": site.url("/")}).to_string()).await.json();
    let id = audit["id"].as_str().unwrap_or_else(|| panic!("{audit}")).to_owned();
    let shared = three.call("POST", &format!("/api/audits/{id}/share"), &guest, "").await.json();
    let slug = shared["slug"].as_str().unwrap_or_else(|| panic!("{shared}")).to_owned();
    let paths = [
        format!("/api/shared/{slug}"),
        format!("/r/{slug}"),
        format!("/badge/{slug}.svg"),
        format!("/api/badge/{slug}"),
    ];
    let mut before = Vec::new();
    for server in [&one, &two, &three] {
        for path in &paths {
            let answer = server.call("GET", path, "", "").await;
            assert_eq!(answer.status, 200, "{path}");
            before.push(answer.body);
        }
    }
    let revoked = one.call("DELETE", &format!("/api/audits/{id}/share"), &guest, "").await;
    assert_eq!(revoked.status, 200, "{}", revoked.body);
    let revoked_at = Instant::now();
    let mut before = before.iter();
    for server in [&one, &two, &three] {
        for (path, before) in paths.iter().zip(&mut before) {
            // A badge of what is no longer shared is a picture that says so.
            loop {
                // How long the call takes is the machine's: a server decides what it knows after the call has begun.
                let age = revoked_at.elapsed();
                if server.call("GET", path, "", "").await.body != *before {
                    break;
                }
                assert!(age < COHERENT_WITHIN, "{path} is still there after {age:?}");
            }
        }
    }
    // A run that one server was asked for is waited for at another.
    let run =
        one.call("POST", "/api/sites", &guest, &json!({"url": site.url("/"), "max_pages": 2}).to_string()).await.json();
    let run_id = run["site"]["id"].as_str().unwrap_or_else(|| panic!("{run}")).to_owned();
    loop {
        let run = three.call("GET", &format!("/api/sites/{run_id}?wait=25"), &guest, "").await.json();
        if run["status"] != "running" {
            assert_eq!(run["status"], "finished", "{run}");
            break;
        }
    }
    for server in [one, two, three] {
        server.kill();
    }
}

/// The first database dies under load, the second takes its place: nothing that was acknowledged is lost, since the first
/// waited for the second at each commit.
#[tokio::test(flavor = "multi_thread")]
async fn f06_a_standby_that_is_promoted_has_everything_acknowledged() {
    if !Proxy::is_installed() || server().is_none() {
        return;
    }
    let (failovers, mut dice) = (runs(1), Dice::new());
    let mut longest = Duration::ZERO;
    let mut acknowledged = 0;
    for _ in 0..failovers {
        let usual = ["jit=off", "max_connections=200"];
        // A commit of the first waits for the standby; the standby, once promoted, waits for nobody.
        let waits = ["wal_level=replica", "synchronous_standby_names=*"];
        let primary = PostgresServer::start(&[&usual[..], &waits].concat()).unwrap();
        let standby = primary.start_standby(&[&usual[..], &["hot_standby=off"]].concat()).unwrap();
        let proxy = Proxy::of_databases(primary.port(), standby.port());
        let database = TestDatabase::on_server(&format!("postgres://postgres@{}/postgres", proxy.address())).await;
        let mut scene = Scene::open(&database, 1).await;
        scene.pass(40 + dice.below(LONGEST)).await;
        primary.stop("immediate").unwrap();
        let begun = Instant::now();
        standby.promote().unwrap();
        scene.recover().await;
        longest = longest.max(begun.elapsed());
        scene.done();
        acknowledged += scene.end().await;
        drop(database);
    }
    let more = format!("{acknowledged} acknowledgements; every client was served again within {longest:?}");
    tell("F06, failover", "PostgreSQL", failovers, &dice, &more);
}
