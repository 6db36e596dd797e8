//! A file system without room: writes are refused as such, reads go on, a free audit has no id, and everything works again
//! once there is room, without a restart. A small file system in memory is mounted for it, as root.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use testkit::postgres_server::{PostgresServer, is_root};
use testkit::{SiteAnswer, TestDatabase, TestSite};

use super::strace::Strace;
use super::{Dice, runs, tell};
use crate::payments::program::wait_for;
use crate::server_process::ServerProcess;

/// How often the disk is filled where the environment says nothing.
const FILLED: usize = 2;

/// A mounted file system; unmounted when dropped.
struct SmallDisk {
    folder: PathBuf,
}

impl SmallDisk {
    /// One of this size; `None`, with a line printed, where none can be mounted.
    fn mount(mebibytes: u32) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap().keep();
        let size = format!("size={mebibytes}m,mode=0755");
        let mounted = is_root()
            && Command::new("mount")
                .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
                .arg(&folder)
                .status()
                .is_ok_and(|status| status.success());
        if !mounted {
            println!("not run: no file system can be mounted here");
            std::fs::remove_dir(&folder).unwrap();
            return None;
        }
        Some(Self { folder })
    }

    fn path(&self) -> &Path {
        &self.folder
    }

    /// Takes all room that there is.
    fn fill(&self) {
        let filler = std::fs::File::create(self.folder.join("filler")).unwrap();
        // It ends when there is no more room.
        std::io::copy(&mut std::io::repeat(b'x'), &mut &filler).unwrap_err();
    }

    fn make_room(&self) {
        std::fs::remove_file(self.folder.join("filler")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Whatever is still open on it goes when it is closed.
        drop(Command::new("umount").arg("--lazy").arg(&self.folder).status());
        drop(std::fs::remove_dir(&self.folder));
    }
}

async fn page() -> TestSite {
    TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::html("<!doctype html><html lang=en><title>Bread</title><h1>Bread</h1>"),
        _ => SiteAnswer::missing(),
    })
    .await
}

/// Guests are made until one is refused as `code`, or as one of them.
async fn refused_as(program: &ServerProcess, codes: &[&str]) {
    wait_for(async || {
        let answer = program.call("POST", "/api/guest", "", "").await;
        answer.status != 200 && codes.contains(&answer.json()["code"].as_str().unwrap_or_default())
    })
    .await;
}

/// An audit's id, once one has any.
async fn audited(program: &ServerProcess, guest: &str, body: &str) -> String {
    let id = std::sync::Mutex::new(String::new());
    wait_for(async || {
        let answer = program.call("POST", "/api/audit", guest, body).await.json();
        *id.lock().unwrap() = answer["id"].as_str().unwrap_or_default().to_owned();
        answer["id"].is_string()
    })
    .await;
    id.into_inner().unwrap()
}

/// What holds while the disk takes no writes.
async fn reads_go_on(program: &ServerProcess, guest: &str, id: &str, body: &str) {
    wait_for(async || {
        let read = program.call("GET", &format!("/api/audits/{id}"), guest, "").await;
        assert!(matches!(read.status, 200 | 503), "{}", read.body);
        read.status == 200 && read.json()["audit_id"] == json!(id)
    })
    .await;
    let free = program.call("POST", "/api/audit", "", body).await;
    assert_eq!((free.status, &free.json()["id"]), (200, &Value::Null), "{}", free.body);
}

const SETTINGS: &[(&str, &str)] = &[
    ("LIMITS__GUESTS_PER_HOUR", "1000000"),
    ("LIMITS__FREE_AUDITS_PER_DAY", "1000000"),
    ("LIMITS__AUDITS_PER_HOUR", "1000000"),
];

#[tokio::test(flavor = "multi_thread")]
async fn f05_a_full_file_system_stops_writes_only() {
    let Some(disk) = SmallDisk::mount(16) else { return };
    let (database, site, times) = (TestDatabase::sqlite_in(disk.path()), page().await, runs(FILLED));
    let program = ServerProcess::start(&database, SETTINGS);
    let (guest, body) = (program.guest().await, json!({ "url": site.url("/") }).to_string());
    for _ in 0..times {
        let id = audited(&program, &guest, &body).await;
        disk.fill();
        refused_as(&program, &["storage_full"]).await;
        reads_go_on(&program, &guest, &id, &body).await;
        disk.make_room();
        audited(&program, &guest, &body).await;
    }
    program.kill();
    tell("F05", database.system(), times, &Dice::new(), "a full file system");
}

#[tokio::test(flavor = "multi_thread")]
async fn f05_a_file_system_that_became_read_only_stops_writes_only() {
    if !Strace::is_usable() {
        return;
    }
    let (database, site, times) = (TestDatabase::sqlite(), page().await, runs(FILLED));
    let program = ServerProcess::start(&database, SETTINGS);
    let (guest, body) = (program.guest().await, json!({ "url": site.url("/") }).to_string());
    for _ in 0..times {
        let id = audited(&program, &guest, &body).await;
        // A mounted file system with open files can't be made read-only from outside; its calls can.
        let files = super::strace::database_files(&database);
        let strace = Strace::attach(&[program.process()], "pwrite64,ftruncate,fsync,fdatasync:error=EROFS", &files);
        refused_as(&program, &["storage_full"]).await;
        reads_go_on(&program, &guest, &id, &body).await;
        drop(strace);
        audited(&program, &guest, &body).await;
    }
    program.kill();
    tell("F05", database.system(), times, &Dice::new(), "a read-only file system");
}

#[tokio::test(flavor = "multi_thread")]
async fn f05_a_full_disk_of_postgresql_stops_writes_only() {
    if !PostgresServer::is_installed() {
        println!("not run on PostgreSQL: it is not installed");
        return;
    }
    let Some(disk) = SmallDisk::mount(120) else { return };
    let settings = ["jit=off", "max_wal_size=16MB", "min_wal_size=4MB", "shared_buffers=16MB"];
    let mut server = PostgresServer::start_in(disk.path(), &settings, &["--wal-segsize=1"]).unwrap();
    let (database, site, times) = (TestDatabase::on_server(&server.url()).await, page().await, runs(FILLED));
    let program = ServerProcess::start(&database, SETTINGS);
    let (guest, body) = (program.guest().await, json!({ "url": site.url("/") }).to_string());
    for _ in 0..times {
        audited(&program, &guest, &body).await;
        disk.fill();
        // Where its log finds no room it ends itself.
        refused_as(&program, &["storage_full", "database_unavailable"]).await;
        let free = program.call("POST", "/api/audit", "", &body).await;
        assert_eq!((free.status, &free.json()["id"]), (200, &Value::Null), "{}", free.body);
        disk.make_room();
        if server.processes().is_err() {
            server.start_again().unwrap();
        }
        audited(&program, &guest, &body).await;
    }
    program.kill();
    tell("F05", database.system(), times, &Dice::new(), "a full file system");
    // Before its disk.
    drop(database);
    drop(server);
}
