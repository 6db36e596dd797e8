//! The recorded program: its servers, each with a configuration and a database of its own, and its commands.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::http::{self, HttpRequest};

/// How long a server may take to start.
const START: Duration = Duration::from_secs(60);

/// Servers: name, port, configuration. The configurations are explained in their files.
const SERVERS: [(&str, u16, &str); 4] = [
    ("bare", 47_081, include_str!("servers/bare.toml")),
    ("full", 47_082, include_str!("servers/full.toml")),
    ("live", 47_083, include_str!("servers/live.toml")),
    ("https", 47_084, include_str!("servers/https.toml")),
];

/// The program and its folder.
#[derive(Debug)]
pub(super) struct Program {
    path: PathBuf,
    /// Everything that it writes.
    pub(super) folder: PathBuf,
    servers: Vec<StartedServer>,
}

#[derive(Debug)]
struct StartedServer {
    name: &'static str,
    address: SocketAddr,
    child: Child,
}

impl Drop for StartedServer {
    fn drop(&mut self) {
        // A process that has ended already can't be ended again.
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

impl Program {
    /// Starts every server of a program, in a folder.
    pub(super) fn start(path: &Path, folder: &Path) -> Result<Self> {
        let path = path.canonicalize().with_context(|| format!("{} is not there", path.display()))?;
        let mut program = Self { path, folder: folder.to_owned(), servers: Vec::new() };
        for (name, port, configuration) in SERVERS {
            let file = folder.join(format!("{name}.toml"));
            let database = folder.join(format!("{name}.db"));
            let listen = format!("listen = \"127.0.0.1:{port}\"\ndatabase_url = \"sqlite://{}\"\n", database.display());
            std::fs::write(&file, listen + configuration)?;
            let log = std::fs::File::create(folder.join(format!("{name}.log")))?;
            let mut command = program.command();
            command.args(["serve", "--config"]).arg(&file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
            let child = command.spawn().with_context(|| format!("{} can't be started", program.path.display()))?;
            let address = SocketAddr::from(([127, 0, 0, 1], port));
            program.servers.push(StartedServer { name, address, child });
        }
        for server in &mut program.servers {
            server.wait().with_context(|| format!("{} of {}", server.name, folder.display()))?;
        }
        Ok(program)
    }

    /// The address of a server.
    pub(super) fn address(&self, name: &str) -> Result<SocketAddr> {
        let server = self.servers.iter().find(|server| server.name == name);
        server.map(|server| server.address).with_context(|| format!("there is no server {name}"))
    }

    /// Runs a command; how it ended, and what it wrote.
    pub(super) fn run(&self, arguments: &[String], input: &str) -> Result<String> {
        let mut command = self.command();
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // Who reads no input closes it.
            let _closed = stdin.write_all(input.as_bytes());
        }
        let output = child.wait_with_output()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let code = output.status.code().map_or_else(|| "none".to_owned(), |code| code.to_string());
        Ok(format!("exit code {code}\n\n--- stdout\n{}\n--- stderr\n{}", text(&output.stdout), text(&output.stderr)))
    }

    /// The program in its folder, with nothing of our own environment.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.env_clear().env("TZ", "UTC").current_dir(&self.folder);
        command
    }
}

impl StartedServer {
    fn wait(&mut self) -> Result<()> {
        let until = Instant::now() + START;
        let health =
            HttpRequest { method: "GET".to_owned(), target: "/api/health".to_owned(), ..HttpRequest::default() };
        let host = vec![("host".to_owned(), self.address.to_string()), ("connection".to_owned(), "close".to_owned())];
        let health = HttpRequest { headers: host, ..health };
        while Instant::now() < until {
            if http::send(self.address, &health).is_ok() {
                return Ok(());
            }
            if let Some(status) = self.child.try_wait()? {
                bail!("it ended: {status}; see its log");
            }
            thread::sleep(Duration::from_millis(50));
        }
        bail!("it does not answer")
    }
}
