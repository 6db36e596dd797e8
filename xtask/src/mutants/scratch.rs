//! A copy of the crates that are mutated, and of those below them, with a workspace of their own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::list::Mutant;
use super::switch::{self, MODULE, MODULE_NAME, Switched};

/// Crates of the copy: the core and what it is made of.
const CRATES: [&str; 4] = ["domains", "html", "model", "audit"];

/// The copy, below the target folder.
pub(crate) struct Scratch {
    /// Its root.
    pub(crate) folder: PathBuf,
    /// Sources with switches, by path below the root.
    pub(crate) sources: BTreeMap<String, Switched>,
}

/// Makes or renews the copy. A file that would be the same is left alone, so that Cargo does not compile it again.
pub(crate) fn scratch(root: &Path, folder: &Path, mutants: &[Mutant]) -> Result<Scratch> {
    let mut sources = BTreeMap::new();
    let mut files: BTreeMap<&str, Vec<Mutant>> = BTreeMap::new();
    for mutant in mutants {
        files.entry(&mutant.file).or_default().push(mutant.clone());
    }
    for (file, mutants) in files {
        let source = std::fs::read_to_string(root.join(file)).with_context(|| file.to_owned())?;
        sources.insert(file.to_owned(), switch::switched(&source, &mutants).with_context(|| file.to_owned())?);
    }
    let mut found = Vec::new();
    for name in CRATES {
        let below = format!("crates/{name}");
        for path in files_below(&root.join(&below))? {
            let relative = path.strip_prefix(root).context("a file of the workspace")?.to_owned();
            let bytes = match sources.get(&relative.display().to_string()) {
                Some(switched) => switched.text.clone().into_bytes(),
                None => std::fs::read(&path).with_context(|| path.display().to_string())?,
            };
            // The parser is below the core, which has the same switches.
            let module = match relative.to_str() {
                Some("crates/html/src/lib.rs") => format!("\npub mod {MODULE_NAME};\n"),
                Some("crates/audit/src/lib.rs") => format!("\npub use html::{MODULE_NAME};\n"),
                _ => String::new(),
            };
            write(&folder.join(&relative), &[&bytes[..], module.as_bytes()].concat())?;
            found.push(folder.join(relative));
        }
    }
    let module = folder.join(format!("crates/html/src/{MODULE_NAME}.rs"));
    write(&module, MODULE.as_bytes())?;
    found.push(module);
    for stale in files_below(&folder.join("crates"))?.into_iter().filter(|path| !found.contains(path)) {
        std::fs::remove_file(&stale).with_context(|| stale.display().to_string())?;
    }
    write(&folder.join("Cargo.toml"), manifest(root)?.as_bytes())?;
    if !folder.join("Cargo.lock").exists() {
        std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).context("Cargo.lock")?;
    }
    Ok(Scratch { folder: folder.to_owned(), sources })
}

/// The workspace's manifest with these crates alone.
fn manifest(root: &Path) -> Result<String> {
    let text = std::fs::read_to_string(root.join("Cargo.toml")).context("Cargo.toml")?;
    let mut manifest: toml::Table = toml::from_str(&text).context("Cargo.toml")?;
    let workspace = manifest.get_mut("workspace").and_then(toml::Value::as_table_mut).context("no [workspace]")?;
    let members: Vec<String> = CRATES.iter().map(|name| format!("crates/{name}")).collect();
    workspace.insert("members".to_owned(), members.into());
    workspace.remove("default-members");
    Ok(toml::to_string(&manifest)?)
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if std::fs::read(path).is_ok_and(|found| found == bytes) {
        return Ok(());
    }
    let folder = path.parent().context("a file has a folder")?;
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    std::fs::write(path, bytes).with_context(|| path.display().to_string())
}

fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    Ok(files)
}
