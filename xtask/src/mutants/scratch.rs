//! A copy of the crates that are mutated, and of what is compiled with them, with a workspace of their own.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context as _, Result};

use super::constants;
use super::group::Group;
use super::list::{CONSTANT, Mutant};
use super::switch::{self, MODULE, MODULE_NAME, Switched};

/// The copy, below the target folder.
pub(crate) struct Scratch {
    /// Its root.
    pub(crate) folder: PathBuf,
    /// Sources with switches, by path below the root.
    pub(crate) sources: BTreeMap<String, Switched>,
}

/// Makes or renews the copy. A file that would be the same is left alone, so that Cargo does not compile it again.
pub(crate) fn scratch(
    root: &Path,
    (group, with_late): (&Group, bool),
    folder: &Path,
    mutants: &[Mutant],
) -> Result<Scratch> {
    let mut sources = BTreeMap::new();
    for (file, mutants) in by_file(root, group, mutants)? {
        let source = std::fs::read_to_string(root.join(&file)).with_context(|| file.clone())?;
        let switched = switch::switched(&source, &mutants).with_context(|| file.clone())?;
        sources.insert(file, switched);
    }
    let roots: Vec<PathBuf> = group.packages.iter().map(|name| format!("crates/{name}/src/lib.rs").into()).collect();
    let mut found = HashSet::new();
    for below in group.folders {
        for path in files_below(&root.join(below))? {
            let relative = path.strip_prefix(root).context("a file of the workspace")?.to_owned();
            let bytes = match sources.get(&relative.display().to_string()) {
                Some(switched) => switched.text.clone().into_bytes(),
                None if !group.with_all_tests && path.ends_with("Cargo.toml") => {
                    trimmed(&path, group, with_late)?.into_bytes()
                }
                None => std::fs::read(&path).with_context(|| path.display().to_string())?,
            };
            let is_root = roots.contains(&relative);
            let module = if is_root { format!("\npub mod {MODULE_NAME};\n") } else { String::new() };
            let is_changed = is_root || sources.contains_key(&relative.display().to_string());
            let time = if is_changed { None } else { Some(path.metadata()?.modified()?) };
            write(&folder.join(&relative), &[&bytes[..], module.as_bytes()].concat(), time)?;
            found.insert(folder.join(relative));
        }
    }
    for name in group.packages {
        let module = folder.join(format!("crates/{name}/src/{MODULE_NAME}.rs"));
        write(&module, MODULE.as_bytes(), None)?;
        found.insert(module);
    }
    for stale in files_below(&folder.join("crates"))?.into_iter().filter(|path| !found.contains(path)) {
        std::fs::remove_file(&stale).with_context(|| stale.display().to_string())?;
    }
    write(&folder.join("Cargo.toml"), manifest(root, group)?.as_bytes(), None)?;
    if !folder.join("Cargo.lock").exists() {
        std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).context("Cargo.lock")?;
    }
    Ok(Scratch { folder: folder.to_owned(), sources })
}

/// What is switched in each file: its own mutations, and uses of constants that are changed.
fn by_file(root: &Path, group: &Group, mutants: &[Mutant]) -> Result<BTreeMap<String, Vec<Mutant>>> {
    let (constants, others): (Vec<Mutant>, Vec<Mutant>) =
        mutants.iter().cloned().partition(|mutant| mutant.genre == CONSTANT);
    let mut files: BTreeMap<String, Vec<Mutant>> = BTreeMap::new();
    for mutant in others {
        files.entry(mutant.file.clone()).or_default().push(mutant);
    }
    if constants.is_empty() {
        return Ok(files);
    }
    for name in group.packages {
        for path in files_below(&root.join(format!("crates/{name}/src")))? {
            let file = path.strip_prefix(root).context("a file of the workspace")?.display().to_string();
            if path.extension().is_some_and(|extension| extension == "rs") {
                let source = std::fs::read_to_string(&path).with_context(|| file.clone())?;
                let uses = constants::uses(&file, &source, &constants).with_context(|| file.clone())?;
                if !uses.is_empty() {
                    files.entry(file).or_default().extend(uses);
                }
            }
        }
    }
    Ok(files)
}

/// The manifest of a crate without the tests that are no program of the group: they are not compiled.
fn trimmed(path: &Path, group: &Group, with_late: bool) -> Result<String> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let mut manifest: toml::Table = toml::from_str(&text).with_context(|| path.display().to_string())?;
    let Some(package) = manifest.get_mut("package").and_then(toml::Value::as_table_mut) else { return Ok(text) };
    let name = package.get("name").and_then(toml::Value::as_str).unwrap_or_default().to_owned();
    let has = |is_unit| group.programs(with_late).any(|(_, of)| of.package == name && of.is_unit == is_unit);
    let (has_units, has_outside) = (has(true), has(false));
    package.insert("autotests".to_owned(), has_outside.into());
    let folder = path.parent().context("a manifest has a folder")?;
    if folder.join("src/lib.rs").exists() {
        let lib = manifest.entry("lib").or_insert_with(|| toml::Table::new().into());
        lib.as_table_mut().context("[lib]")?.insert("test".to_owned(), has_units.into());
        lib.as_table_mut().context("[lib]")?.insert("doctest".to_owned(), false.into());
    }
    if folder.join("src/main.rs").exists() {
        let named =
            toml::Table::from_iter([("name".to_owned(), name.into()), ("path".to_owned(), "src/main.rs".into())]);
        let bins = manifest.entry("bin").or_insert_with(|| vec![toml::Value::from(named)].into());
        for bin in bins.as_array_mut().context("[[bin]]")?.iter_mut().filter_map(toml::Value::as_table_mut) {
            bin.insert("test".to_owned(), false.into());
        }
    }
    Ok(toml::to_string(&manifest)?)
}

/// The workspace's manifest with these crates alone.
fn manifest(root: &Path, group: &Group) -> Result<String> {
    let text = std::fs::read_to_string(root.join("Cargo.toml")).context("Cargo.toml")?;
    let mut manifest: toml::Table = toml::from_str(&text).context("Cargo.toml")?;
    let workspace = manifest.get_mut("workspace").and_then(toml::Value::as_table_mut).context("no [workspace]")?;
    workspace.insert("members".to_owned(), group.members.to_vec().into());
    workspace.remove("default-members");
    Ok(toml::to_string(&manifest)?)
}

/// Writes a file where it is new or differs; with the time of its original where it is the same, so that Cargo uses what is
/// compiled of that.
fn write(path: &Path, bytes: &[u8], time: Option<SystemTime>) -> Result<()> {
    if std::fs::read(path).is_ok_and(|found| found == bytes) {
        return Ok(());
    }
    let folder = path.parent().context("a file has a folder")?;
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    std::fs::write(path, bytes).with_context(|| path.display().to_string())?;
    if let Some(time) = time {
        std::fs::File::options()
            .write(true)
            .open(path)?
            .set_modified(time)
            .with_context(|| path.display().to_string())?;
    }
    Ok(())
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
