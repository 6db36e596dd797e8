//! Where the embedded database is: its file, and the lock of the one server that may use it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::error::StoreError;

/// Scheme of the addresses of SQLite databases.
pub(crate) const SQLITE: &str = "sqlite://";
/// What the name of a database's lock file ends with.
const LOCK: &str = ".lock";
/// Symbolic links that are followed one after the other: as many as Linux follows.
const MOST_LINKS: usize = 40;
/// Bytes read of a lock file: more than the digits of any process id.
const LOCK_BYTES: u64 = 32;

/// The absolute path of the file that `database_url` names; `None` for a database on a server.
pub fn database_file(database_url: &str) -> Option<PathBuf> {
    let path = database_url.strip_prefix(SQLITE)?;
    std::path::absolute(path).ok()
}

/// A database as people are told of it: the absolute path of a file, or server and name without user and password.
pub fn database_name(database_url: &str) -> String {
    if let Some(file) = database_file(database_url) {
        return file.display().to_string();
    }
    match url::Url::parse(database_url) {
        Ok(url) if url.has_host() => {
            let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
            format!("{}://{}{port}{}", url.scheme(), url.host_str().unwrap_or_default(), url.path())
        }
        _ => "of an unknown address".to_owned(),
    }
}

/// The file that a database was opened as. A file that is deleted or replaced lives on for those who have it open: what is
/// written to it then is lost with them, and nothing in SQLite tells. Reads of a deleted file may fail or not: a connection
/// that has opened the write-ahead log reads on, one that opens it afterwards asks for the permissions of the database by its
/// name, and gets `SQLITE_IOERR_FSTAT` (1802), which is [`StoreError::Unavailable`].
#[derive(Debug, Clone)]
pub(crate) struct OpenedFile {
    path: PathBuf,
    identity: Option<FileIdentity>,
    /// What a check beside its use found.
    damage: Arc<OnceLock<StoreError>>,
}

/// Device and inode; `None` where the system has neither, and does not let an open file be deleted.
type FileIdentity = (u64, u64);

impl OpenedFile {
    /// The file at a path, now.
    pub(crate) fn of(path: &Path) -> std::io::Result<Self> {
        Ok(Self { path: path.to_owned(), identity: identity(path)?, damage: Arc::default() })
    }

    /// Has every later [`OpenedFile::check`] be this error.
    pub(crate) fn note_damage(&self, error: StoreError) {
        // The first finding stands.
        let _known = self.damage.set(error);
    }

    /// An error unless the file is still at its path, and was not found damaged.
    pub(crate) fn check(&self, subject: &'static str) -> Result<(), StoreError> {
        if let Some(damage) = self.damage.get() {
            return Err(damage.clone());
        }
        match identity(&self.path) {
            Ok(found) if found == self.identity => Ok(()),
            _ => {
                let gone = format!("{} was deleted or replaced; restart the server", self.path.display());
                Err(StoreError::unavailable(subject, gone))
            }
        }
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> std::io::Result<Option<FileIdentity>> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).map(|file| Some((file.dev(), file.ino())))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> std::io::Result<Option<FileIdentity>> {
    std::fs::metadata(path).map(|_| None)
}

/// The lock of a server on its SQLite file. Held until it is dropped; a process that dies releases it.
#[derive(Debug)]
pub struct ServerLock {
    _file: File,
}

/// Why a server has no lock.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another server has it.
    #[error("{} is in use by another server{}", .file.display(), of_process(.process.as_deref()))]
    Taken {
        /// The database.
        file: PathBuf,
        /// The id of the other process, where it can be read.
        process: Option<String>,
    },
    /// The lock file can't be made or locked.
    #[error("{} can't be locked", .file.display())]
    Failed {
        /// The lock file.
        file: PathBuf,
        /// The operating system's error.
        #[source]
        source: std::io::Error,
    },
}

impl ServerLock {
    /// Locks the file of an SQLite database, beside which a file with the id of this process is kept; `None` for a database
    /// on a server, which any number of servers share. The folder has to exist. A symbolic link and its file have one lock.
    pub fn take(database_url: &str) -> Result<Option<Self>, LockError> {
        let Some(database) = database_file(database_url) else { return Ok(None) };
        let mut name = behind_links(&database).into_os_string();
        name.push(LOCK);
        let path = PathBuf::from(name);
        let failed = |source| LockError::Failed { file: path.clone(), source };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LockError::Taken { file: database, process: process(&path) }),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        file.set_len(0).and_then(|()| file.rewind()).map_err(failed)?;
        writeln!(file, "{}", std::process::id()).map_err(failed)?;
        Ok(Some(Self { _file: file }))
    }
}

/// The path that symbolic links at `path` lead to, whether or not there is a file yet.
fn behind_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = std::fs::read_link(&path) else { break };
        path = path.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
    }
    path
}

/// The process id in a lock file.
fn process(path: &Path) -> Option<String> {
    let mut text = String::new();
    File::open(path).ok()?.take(LOCK_BYTES).read_to_string(&mut text).ok()?;
    let id = text.trim();
    (!id.is_empty() && id.bytes().all(|b| b.is_ascii_digit())).then(|| id.to_owned())
}

fn of_process(process: Option<&str>) -> String {
    process.map(|id| format!(" (process {id})")).unwrap_or_default()
}

/// What an operator does about a database that could not be opened.
pub fn remedy(error: &StoreError) -> &'static str {
    match error {
        StoreError::Corrupt { .. } => "its data is damaged: restore it from a backup",
        StoreError::Busy { .. } => "another program holds it: end that program, or try again",
        StoreError::Unavailable { .. } => {
            "check that it is there, that its disk has room, and that this user may write to it"
        }
        StoreError::Full { .. } => "make room on its disk, and check that the disk is not mounted read-only",
        StoreError::Refused { .. } | StoreError::Conflict { .. } | StoreError::NotFound { .. } => {
            "its tables are not those of this program: name another one with database_url"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_server_at_a_time_has_the_lock_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("x.db").display());
        let first = ServerLock::take(&url).unwrap();
        assert!(first.is_some());
        let second = ServerLock::take(&url).unwrap_err().to_string();
        let process = format!("x.db is in use by another server (process {})", std::process::id());
        assert!(second.ends_with(&process), "{second}");
        drop(first);
        assert!(ServerLock::take(&url).unwrap().is_some());
        assert!(ServerLock::take("postgres://somewhere/x").unwrap().is_none());
    }

    /// Two servers had one file, each under a name of its own.
    #[cfg(unix)]
    #[test]
    fn a_link_has_the_lock_of_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link] = ["x.db", "link.db"].map(|name| folder.path().join(name));
        std::os::unix::fs::symlink("x.db", &link).unwrap();
        let take = |path: &Path| ServerLock::take(&format!("sqlite://{}", path.display()));
        for is_there in [false, true] {
            if is_there {
                std::fs::write(&file, "").unwrap();
            }
            for (first, second) in [(&file, &link), (&link, &file)] {
                let _lock = take(first).unwrap();
                let refused = take(second).unwrap_err().to_string();
                assert!(refused.starts_with(&format!("{} is in use", second.display())), "{refused}");
            }
        }
    }

    #[test]
    fn a_database_is_named_without_its_password() {
        for (url, wanted) in [
            ("postgres://ana:secret@db.example:5433/audit?sslmode=require", "postgres://db.example:5433/audit"),
            ("postgres://db/audit", "postgres://db/audit"),
            ("secret", "of an unknown address"),
        ] {
            assert_eq!(database_name(url), wanted);
        }
        assert!(database_name("sqlite://x.db").ends_with("/x.db"));
        assert!(Path::new(&database_name("sqlite://x.db")).is_absolute());
    }
}
