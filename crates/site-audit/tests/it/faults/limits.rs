//! A program that the system keeps short: of memory, by a control group, and of threads.

use std::path::PathBuf;

use serde_json::json;
use testkit::{SiteAnswer, TestDatabase, TestSite};
use tokio::task::JoinSet;

use super::strace::Strace;
use super::{Dice, runs, tell};
use crate::payments::program::wait_for;
use crate::server_process::ServerProcess;

/// What the program may take, in bytes.
const MEMORY: u64 = 512 * 1024 * 1024;
/// Hostile audits at once.
const HOSTILE: usize = 64;
/// Audits of another caller meanwhile.
const OTHERS: usize = 20;

const SETTINGS: &[(&str, &str)] = &[
    ("LIMITS__GUESTS_PER_HOUR", "1000000"),
    ("LIMITS__FREE_AUDITS_PER_DAY", "1000000"),
    ("LIMITS__AUDITS_PER_HOUR", "1000000"),
    ("LIMITS__FETCHES", "128"),
    ("LIMITS__FETCHES_PER_CALLER", "128"),
];

/// A control group with a limit of memory; removed when dropped.
struct MemoryGroup(PathBuf);

impl MemoryGroup {
    /// One of this many bytes, of either version of control groups; `None`, with a line printed, where none can be made.
    fn new(bytes: u64) -> Option<Self> {
        let name = format!("site-audit-test-{}", std::process::id());
        for (place, limit) in [("memory", "memory.limit_in_bytes"), ("", "memory.max")] {
            let folder = PathBuf::from("/sys/fs/cgroup").join(place).join(&name);
            if std::fs::create_dir(&folder).is_err() {
                continue;
            }
            let group = Self(folder);
            if std::fs::write(group.0.join(limit), bytes.to_string()).is_ok() {
                return Some(group);
            }
        }
        println!("not run: no control group can be made here");
        None
    }

    fn add(&self, process: u32) {
        std::fs::write(self.0.join("cgroup.procs"), process.to_string()).unwrap();
    }

    /// The most that it held, in bytes, where the system says.
    fn peak(&self) -> Option<u64> {
        let read = |name: &str| std::fs::read_to_string(self.0.join(name)).ok()?.trim().parse().ok();
        read("memory.max_usage_in_bytes").or_else(|| read("memory.peak"))
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        // Empty once the program has ended.
        drop(std::fs::remove_dir(&self.0));
    }
}

/// A site with a page, and others that cost whoever reads them.
async fn hostile_site() -> TestSite {
    let lists = "<ul><li>".repeat(125_000);
    let links: String = (0..40_000).map(|n| format!("<a href=/{n} title='{n}'>x</a>")).collect();
    let attributes: String = (0..100_000).map(|n| format!(" a{n}={n}")).collect();
    TestSite::start(move |asked| match asked.path.split('?').next().unwrap_or_default() {
        "/" => SiteAnswer::html("<!doctype html><html lang=en><title>Bread</title><h1>Bread</h1>"),
        "/lists" => SiteAnswer::html(&lists),
        "/links" => SiteAnswer::html(&links),
        "/attributes" => SiteAnswer::html(&format!("<p{attributes}>")),
        "/silence" => SiteAnswer::Silence,
        _ => SiteAnswer::missing(),
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn f16_within_512_mebibytes_a_hostile_crowd_ends_nothing() {
    let Some(group) = MemoryGroup::new(MEMORY) else { return };
    let (database, site, times) = (TestDatabase::sqlite(), hostile_site().await, runs(1));
    let program = std::sync::Arc::new(ServerProcess::start(&database, SETTINGS));
    group.add(program.process());
    let mut acknowledged = 0;
    for _ in 0..times {
        let guest = program.guest().await;
        let mut crowd = JoinSet::new();
        for number in 0..HOSTILE {
            let path = ["/lists", "/links", "/attributes", "/silence"][number % 4];
            let body = json!({ "url": site.url(&format!("{path}?{number}")) }).to_string();
            let program = std::sync::Arc::clone(&program);
            crowd.spawn(async move { program.call("POST", "/api/audit", "", &body).await.status });
        }
        let mut ids = Vec::new();
        while ids.len() < OTHERS {
            let body = json!({ "url": site.url("/") }).to_string();
            let answer = program.call("POST", "/api/audit", &guest, &body).await;
            assert!(matches!(answer.status, 200 | 503), "{}", answer.body);
            ids.extend(answer.json()["id"].as_str().map(str::to_owned));
        }
        while let Some(status) = crowd.join_next().await {
            // Told apart from a program that was killed, which answers nothing.
            let status = status.unwrap();
            assert!(matches!(status, 200 | 502 | 503), "{status}");
        }
        for id in &ids {
            assert_eq!(program.call("GET", &format!("/api/audits/{id}"), &guest, "").await.status, 200);
        }
        acknowledged += ids.len();
    }
    let peak = group.peak().unwrap_or_default() / (1024 * 1024);
    std::sync::Arc::into_inner(program).unwrap().kill();
    tell(
        "F16",
        database.system(),
        times,
        &Dice::new(),
        &format!("{acknowledged} audits of others, {peak} MiB at most"),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn f17_without_threads_calls_fail_and_go_on_afterwards() {
    if !Strace::is_usable() {
        return;
    }
    let (database, site, times) = (TestDatabase::sqlite(), hostile_site().await, runs(1));
    for _ in 0..times {
        let program = ServerProcess::start(&database, SETTINGS);
        let body = json!({ "url": site.url("/") }).to_string();
        let strace = Strace::attach(&[program.process()], "clone,clone3:error=EAGAIN", &[]);
        let calls = (0..8).map(|_| program.call("POST", "/api/audit", "", &body));
        for answer in crate::app::join_all(calls).await {
            assert!(matches!(answer.status, 200 | 502 | 503), "{} {}", answer.status, answer.body);
        }
        assert_eq!(program.call("GET", "/api/health", "", "").await.status, 200);
        drop(strace);
        wait_for(async || program.call("POST", "/api/audit", "", &body).await.json()["id"].is_string()).await;
        program.kill();
    }
    tell("F17", database.system(), times, &Dice::new(), "no new threads");
}
