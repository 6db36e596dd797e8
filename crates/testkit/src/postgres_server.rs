//! PostgreSQL servers of our own: on a free loopback port, in a folder of their own, gone afterwards.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::ports::free_port;

/// Where Debian's packages put the programs of each version.
const VERSIONS: &str = "/usr/lib/postgresql";

/// Settings of a server whose data is to outlive nothing: no commit waits for a slow disk.
pub const THROWAWAY: &[&str] = &["fsync=off", "full_page_writes=off", "autovacuum=off", "jit=off"];

/// A running server. Dropping it stops the server and removes its folder.
#[derive(Debug)]
pub struct PostgresServer {
    programs: PathBuf,
    folder: PathBuf,
    port: u16,
    settings: Vec<String>,
}

impl PostgresServer {
    /// Whether the programs of a server are installed.
    pub fn is_installed() -> bool {
        programs().is_some()
    }

    /// Starts a new server, whose only user is `postgres`, without a password. `settings`: as `NAME=VALUE`.
    pub fn start(settings: &[&str]) -> Result<Self> {
        Self::start_in(&std::env::temp_dir(), settings, &[])
    }

    /// The same with its folder in `parent`, and with arguments for `initdb`.
    pub fn start_in(parent: &Path, settings: &[&str], initdb: &[&str]) -> Result<Self> {
        let mut server = Self::place(parent, settings)?;
        let data = server.data();
        let usual = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-sync", "--pgdata", &data];
        server.run("initdb", &[&usual[..], initdb].concat())?;
        server.start_again()?;
        Ok(server)
    }

    /// Starts a standby that follows this server by streaming replication.
    pub fn start_standby(&self, settings: &[&str]) -> Result<Self> {
        let mut standby = Self::place(&std::env::temp_dir(), settings)?;
        let (data, port) = (standby.data(), self.port.to_string());
        let from = ["--host=127.0.0.1", "--port", &port, "--username=postgres"];
        let how = ["--pgdata", &data, "--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", "--no-sync"];
        standby.run("pg_basebackup", &[&from[..], &how[..]].concat())?;
        standby.start_again()?;
        Ok(standby)
    }

    fn place(parent: &Path, settings: &[&str]) -> Result<Self> {
        let programs = programs().with_context(|| format!("no programs of PostgreSQL below {VERSIONS}"))?;
        let port = free_port();
        let folder = parent.join(format!("site-audit-postgres-{port}"));
        std::fs::create_dir_all(&folder)?;
        let settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
        let server = Self { programs, folder, port, settings };
        server.open_folder()?;
        Ok(server)
    }

    /// Starts it on its data, and waits until it answers.
    pub fn start_again(&mut self) -> Result<()> {
        let folder = self.folder.display();
        let mut options =
            format!("-c listen_addresses=127.0.0.1 -c port={} -c unix_socket_directories={folder}", self.port);
        for setting in &self.settings {
            options.push_str(" -c ");
            options.push_str(setting);
        }
        let log = self.folder.join("log").display().to_string();
        self.run("pg_ctl", &["start", "--wait", "--pgdata", &self.data(), "--log", &log, "--options", &options])
    }

    /// Stops it. `mode`: `fast` ends transactions and writes everything out, `immediate` is a crash.
    pub fn stop(&self, mode: &str) -> Result<()> {
        self.run("pg_ctl", &["stop", "--wait", "--mode", mode, "--pgdata", &self.data()])
    }

    /// Makes a standby a primary.
    pub fn promote(&self) -> Result<()> {
        self.run("pg_ctl", &["promote", "--wait", "--pgdata", &self.data()])
    }

    /// Sends a signal to every process of it.
    pub fn signal(&self, name: &str) -> Result<()> {
        let processes = self.processes()?;
        let arguments = std::iter::once(format!("-{name}")).chain(processes.iter().map(u32::to_string));
        // A connection's process may have ended meanwhile.
        Command::new("kill").args(arguments).stderr(Stdio::null()).status().context("kill")?;
        Ok(())
    }

    /// The ids of its processes, the one that starts the others first.
    pub fn processes(&self) -> Result<Vec<u32>> {
        let file = std::fs::read_to_string(self.folder.join("data/postmaster.pid")).context("it is not running")?;
        let first: u32 = file.lines().next().unwrap_or_default().trim().parse()?;
        // A file that a crash left behind.
        if !Path::new("/proc").join(first.to_string()).exists() {
            bail!("it is not running");
        }
        let children = Command::new("pgrep").args(["-P", &first.to_string()]).output().context("pgrep")?;
        let children = String::from_utf8(children.stdout)?;
        Ok(std::iter::once(first).chain(children.lines().filter_map(|line| line.trim().parse().ok())).collect())
    }

    /// What it logged.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    /// Where it listens, on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Address of a database in which others may be created.
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    fn data(&self) -> String {
        self.folder.join("data").display().to_string()
    }

    /// The server refuses to run as root, so its folder goes to the user that the package made.
    fn open_folder(&self) -> Result<()> {
        if !is_root() {
            return Ok(());
        }
        let status = Command::new("chown").arg("postgres").arg(&self.folder).status().context("chown")?;
        if status.success() { Ok(()) } else { bail!("{} could not be given to postgres", self.folder.display()) }
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Result<()> {
        let path = self.programs.join(program);
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(&path);
            command
        } else {
            Command::new(&path)
        };
        let status = command
            .args(arguments)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .with_context(|| format!("{} could not be started", path.display()))?;
        if status.success() { Ok(()) } else { bail!("{program} failed: {status}\n{}", self.log()) }
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // One that a test has stopped is not running.
        let _stopped = self.stop("immediate");
        if std::fs::remove_dir_all(&self.folder).is_err() {
            println!("left behind: a database server in {}", self.folder.display());
        }
    }
}

/// The folder with `initdb` of the newest version installed.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir(VERSIONS).ok()?;
    let mut folders: Vec<PathBuf> = versions.flatten().map(|entry| entry.path().join("bin")).collect();
    folders.retain(|folder| folder.join("initdb").exists());
    folders.sort();
    folders.pop()
}

/// Whether this process runs as root.
pub fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.starts_with(b"0\n"))
}
