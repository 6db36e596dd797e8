//! The folder of one run: the browser's profile, the driver, the result. It is removed in every ending; what a killed
//! server left is removed at the next start.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// How the names of all folders begin.
const PREFIX: &str = "site-audit-lab-";
/// The file in each folder that its server holds locked while it lives.
const LOCK: &str = "lock";
/// Its name until it is locked.
const UNLOCKED: &str = "new";

/// The folder of one run, for its owner alone. Removed when dropped.
#[derive(Debug)]
pub(crate) struct RunFolder {
    folder: TempDir,
    /// The user who owns it, so the one this process runs as.
    pub(crate) owner: u32,
    /// Locked until this process ends.
    _lock: File,
}

impl RunFolder {
    /// A new folder in the system's folder for temporary files.
    pub(crate) fn new() -> io::Result<Self> {
        Self::below(&std::env::temp_dir())
    }

    fn below(base: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(base)?;
        let owner = user(&fs::metadata(folder.path())?);
        // The file gets its name when it is locked: an unlocked one is always of a server that has ended.
        let unnamed = folder.path().join(UNLOCKED);
        let lock = File::create(&unnamed)?;
        lock.lock()?;
        fs::rename(unnamed, folder.path().join(LOCK))?;
        Ok(Self { folder, owner, _lock: lock })
    }

    /// The path of a file in it.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Removes it. What it can't remove is removed at the next start.
    pub(crate) fn remove(self) {
        let path = self.folder.path().to_owned();
        if let Err(error) = self.folder.close() {
            tracing::warn!(%error, path = %path.display(), "the folder of a lab test was not removed");
        }
    }
}

/// The number of the user who owns a file; 0 where the system has none.
#[cfg_attr(not(unix), expect(unused_variables, reason = "no file has an owner there"))]
fn user(file: &Metadata) -> u32 {
    #[cfg(unix)]
    let user = std::os::unix::fs::MetadataExt::uid(file);
    #[cfg(not(unix))]
    let user = 0;
    user
}

/// Removes the folders of servers that have ended; how many. A folder of another user is left alone.
pub(crate) fn clean() -> io::Result<usize> {
    clean_below(&std::env::temp_dir())
}

fn clean_below(base: &Path) -> io::Result<usize> {
    // Made to learn as which user this runs.
    let owner = RunFolder::below(base)?.owner;
    let entries = fs::read_dir(base)?.flatten();
    let named = entries.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()));
    let left = named.map(|entry| entry.path()).filter(|path| is_left(path, owner));
    Ok(left.filter(|path| fs::remove_dir_all(path).is_ok()).count())
}

/// Whether a folder is one of ours whose server has ended, or did not remove all of it.
fn is_left(path: &Path, owner: u32) -> bool {
    let found = |path: &Path| fs::symlink_metadata(path).ok().filter(|found: &Metadata| user(found) == owner);
    if !found(path).is_some_and(|folder| folder.is_dir()) {
        return false;
    }
    let lock = path.join(LOCK);
    match found(&lock) {
        // A pipe under this name would keep us waiting.
        Some(file) => file.is_file() && File::open(lock).is_ok_and(|file| file.try_lock().is_ok()),
        // A new folder is empty until it has its lock.
        None => !path.join(UNLOCKED).exists() && fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_ended_servers_are_removed_and_those_of_living_ones_kept() {
        let base = tempfile::tempdir().unwrap();
        let living = RunFolder::below(base.path()).unwrap();
        let left = base.path().join("site-audit-lab-left");
        fs::create_dir_all(left.join("profile")).unwrap();
        fs::write(left.join(LOCK), "").unwrap();
        let partly_removed = base.path().join("site-audit-lab-partly-removed");
        fs::create_dir_all(partly_removed.join("profile")).unwrap();
        let (new, others) = (base.path().join("site-audit-lab-new"), base.path().join("others"));
        fs::create_dir(&new).unwrap();
        fs::create_dir(&others).unwrap();
        assert_eq!(clean_below(base.path()).unwrap(), 2);
        assert!(living.path().exists() && new.exists() && others.exists());
        assert!(!left.exists() && !partly_removed.exists());
        let path = living.path().to_owned();
        living.remove();
        assert!(!path.exists());
    }
}
