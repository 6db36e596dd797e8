//! System calls of a running process that fail on purpose, by strace's injection.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use testkit::TestDatabase;

/// strace, attached to processes; calls are let alone again when it is dropped. Each thread counts its own calls.
pub(crate) struct Strace {
    tracer: Child,
    /// Reads what strace says, so that it never waits.
    listening: Option<std::thread::JoinHandle<()>>,
}

impl Strace {
    /// Whether strace is here and may trace; else a line is printed.
    pub(crate) fn is_usable() -> bool {
        let works = Command::new("strace")
            .args(["-qq", "-o", "/dev/null", "true"])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        if !works {
            println!("not run: strace is not here, or may not trace");
        }
        works
    }

    /// Injects (`inject` as `strace --inject` has it) into these processes and all their threads and children, only where a
    /// call is on one of `files`, if any are given.
    pub(crate) fn attach(processes: &[u32], inject: &str, files: &[PathBuf]) -> Self {
        let calls = inject.split(':').next().unwrap();
        let mut command = Command::new("strace");
        command.args(["-f", "-o", "/dev/null", "-e", &format!("trace={calls}"), "-e", &format!("inject={inject}")]);
        for process in processes {
            command.args(["-p", &process.to_string()]);
        }
        for file in files {
            command.arg("-P").arg(file);
        }
        let mut tracer = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(tracer.stderr.take().unwrap());
        let mut attached = 0;
        while attached < processes.len() {
            let mut line = String::new();
            // A process may have ended meanwhile.
            if said.read_line(&mut line).unwrap() == 0 {
                break;
            }
            attached += usize::from(line.contains("attached") || line.contains("attach: "));
        }
        let listening = std::thread::spawn(move || {
            // It ends with strace.
            drop(std::io::copy(&mut said, &mut std::io::sink()));
        });
        Self { tracer, listening: Some(listening) }
    }
}

impl Drop for Strace {
    fn drop(&mut self) {
        // Interrupted, it detaches; a second signal would leave processes stopped.
        drop(Command::new("kill").args(["-INT", &self.tracer.id().to_string()]).stderr(Stdio::null()).status());
        drop(self.tracer.wait());
        drop(self.listening.take().map(std::thread::JoinHandle::join));
    }
}

/// The files of an SQLite database: itself, and its log.
pub(crate) fn database_files(database: &TestDatabase) -> Vec<PathBuf> {
    let path = database.url().strip_prefix("sqlite://").unwrap();
    ["", "-wal"].iter().map(|end| PathBuf::from(format!("{path}{end}"))).collect()
}
