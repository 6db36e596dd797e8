//! The arrows of `rooms.toml`: which crate may depend on which, and which room of a crate may import which.
//!
//! A room is a module of a crate: at the top level, or of a folder with more than one. It may import only rooms of the same
//! level that are listed before it, so there is no circle. The root of a crate (`lib.rs`, `main.rs`) may import them all,
//! and they import nothing of it; tests are free.

mod scan;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use scan::{ScannedFile, scan};

/// In the root of the workspace.
const LIST: &str = "rooms.toml";

/// `cargo xtask rooms`: fails where an arrow is turned. `cargo xtask rooms order` prints an order that the imports allow.
pub(crate) fn rooms(root: &Path, mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let list = read_list(root)?;
    let folders = folders(root)?;
    let packages: BTreeSet<&str> = folders.keys().map(String::as_str).collect();
    let mut faults = Vec::new();
    for package in list.keys().filter(|name| !packages.contains(name.as_str())) {
        faults.push(format!("{LIST}: there is no crate {package}; remove its section"));
    }
    let order_only = match arguments.next().as_deref() {
        None => false,
        Some("order") => true,
        Some(other) => bail!("there is no {other}: rooms, or rooms order"),
    };
    for (package, folder) in &folders {
        let Some(section) = list.get(package) else {
            faults.push(format!("{LIST}: the crate {package} has no section; add [{package}] with needs and rooms"));
            continue;
        };
        let manifest = std::fs::read_to_string(root.join(folder).join("Cargo.toml"))?;
        faults.extend(dependency_faults(package, &section.needs, &manifest, &packages)?);
        let code = CrateSource::read(root, folder)?;
        if order_only {
            for inside in code.levels() {
                let listed = section.rooms.get(&inside).map_or(&[][..], Vec::as_slice);
                println!("[{package}] {inside}\n{}\n", code.order(&segments(&inside), listed).join(" "));
            }
        }
        faults.extend(code.unlisted(package, &section.rooms));
        for (inside, rooms) in &section.rooms {
            faults.extend(code.faults(package, &segments(inside), rooms, &section.turned));
        }
    }
    if order_only || faults.is_empty() {
        return Ok(());
    }
    faults.sort();
    for fault in &faults {
        println!("{fault}");
    }
    bail!("{} arrows are turned or not listed; see {LIST}", faults.len())
}

/// What the list says of one crate.
#[derive(Debug, Default)]
struct CrateRooms {
    /// Crates of the workspace in its `[dependencies]`.
    needs: Vec<String>,
    /// Modules from lowest to highest, by the folder below `src` that holds them; "" is `src` itself.
    rooms: BTreeMap<String, Vec<String>>,
    /// Arrows that are turned and known to be, as `room->imported room`; `root` is the root of the crate.
    turned: Vec<String>,
}

fn read_list(root: &Path) -> Result<BTreeMap<String, CrateRooms>> {
    let text = std::fs::read_to_string(root.join(LIST)).context(LIST)?;
    parse_list(&text)
}

fn parse_list(text: &str) -> Result<BTreeMap<String, CrateRooms>> {
    let table: toml::Table = text.parse().context(LIST)?;
    let mut list = BTreeMap::new();
    for (package, section) in table {
        let mut read = CrateRooms::default();
        // Without `rooms` every module is missing from the list.
        read.rooms.entry(String::new()).or_default();
        let words = |value: &toml::Value, key: &str| {
            let text = value.as_str().with_context(|| format!("{LIST}: {key} of [{package}] is not a string"))?;
            Ok::<_, anyhow::Error>(text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        };
        for (key, value) in section.as_table().with_context(|| format!("{LIST}: {package} is not a section"))? {
            match (key.as_str(), value.as_table()) {
                ("needs", _) => read.needs = words(value, key)?,
                ("rooms", _) => drop(read.rooms.insert(String::new(), words(value, key)?)),
                ("turned", _) => read.turned = words(value, key)?,
                ("inside", Some(folders)) => {
                    for (folder, rooms) in folders {
                        read.rooms.insert(folder.clone(), words(rooms, folder)?);
                    }
                }
                _ => bail!("{LIST}: [{package}] knows needs, rooms, turned and inside, not {key}"),
            }
        }
        list.insert(package, read);
    }
    Ok(list)
}

fn segments(folder: &str) -> Vec<String> {
    folder.split('/').filter(|segment| !segment.is_empty()).map(str::to_owned).collect()
}

/// Folder of each crate of the workspace, by the name of its package.
fn folders(root: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let workspace: toml::Table = std::fs::read_to_string(root.join("Cargo.toml"))?.parse()?;
    let members = workspace.get("workspace").and_then(|workspace| workspace.get("members"));
    let members = members.and_then(toml::Value::as_array).context("Cargo.toml has no workspace.members")?;
    let mut folders = Vec::new();
    for member in members.iter().filter_map(toml::Value::as_str) {
        match member.strip_suffix("/*") {
            Some(parent) => {
                for entry in std::fs::read_dir(root.join(parent))? {
                    folders.push(Path::new(parent).join(entry?.file_name()));
                }
            }
            None => folders.push(PathBuf::from(member)),
        }
    }
    folders.retain(|folder| root.join(folder).join("Cargo.toml").is_file());
    let named = folders.into_iter().map(|folder| {
        let manifest: toml::Table = std::fs::read_to_string(root.join(&folder).join("Cargo.toml"))?.parse()?;
        let name = manifest.get("package").and_then(|package| package.get("name")).and_then(toml::Value::as_str);
        Ok((name.with_context(|| format!("{} has no package.name", folder.display()))?.to_owned(), folder))
    });
    named.collect()
}

fn dependency_faults(
    package: &str,
    needs: &[String],
    manifest: &str,
    packages: &BTreeSet<&str>,
) -> Result<Vec<String>> {
    let manifest: toml::Table = manifest.parse()?;
    let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
    let dependencies: BTreeSet<&str> = dependencies
        .into_iter()
        .flat_map(toml::Table::keys)
        .map(String::as_str)
        .filter(|name| packages.contains(name))
        .collect();
    let needs: BTreeSet<&str> = needs.iter().map(String::as_str).collect();
    let turned = dependencies.difference(&needs).map(|other| {
        format!(
            "{package}: Cargo.toml depends on {other}, an arrow that [{package}] of {LIST} does not have under `needs`"
        )
    });
    let gone = needs.difference(&dependencies).map(|other| {
        format!("{package}: [{package}] of {LIST} has {other} under `needs`, and Cargo.toml no such dependency")
    });
    Ok(turned.chain(gone).collect())
}

/// The source of one crate, without tests.
#[derive(Default)]
struct CrateSource {
    /// By the path of the file from the root of the workspace.
    files: Vec<(String, ScannedFile)>,
}

impl CrateSource {
    fn read(root: &Path, folder: &Path) -> Result<Self> {
        let source = root.join(folder).join("src");
        let mut files = Vec::new();
        let mut left = vec![source.clone()];
        while let Some(next) = left.pop() {
            for entry in std::fs::read_dir(next)? {
                let path = entry?.path();
                let below = path.strip_prefix(&source)?.to_owned();
                // Each file of `bin` is the root of a crate of its own.
                if path.is_dir() && below != Path::new("bin") {
                    left.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let name = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
                    let module = segments(&below.with_extension("").to_string_lossy().replace('\\', "/"));
                    files.push((name, module, std::fs::read_to_string(&path)?));
                }
            }
        }
        files.sort();
        Ok(Self::of(files))
    }

    /// Of files as name, module, source.
    fn of(files: impl IntoIterator<Item = (String, Vec<String>, String)>) -> Self {
        let scanned: Vec<_> = files
            .into_iter()
            .map(|(name, module, source)| {
                let root = matches!(module.as_slice(), [only] if only == "lib" || only == "main");
                let module = if root { Vec::new() } else { module };
                let scanned = scan(&source, &module);
                (name, module, scanned)
            })
            .collect();
        let tests: Vec<Vec<String>> = scanned.iter().flat_map(|(_, _, scanned)| scanned.tests.clone()).collect();
        let code = scanned.into_iter().filter(|(_, module, _)| !tests.iter().any(|test| module.starts_with(test)));
        Self { files: code.map(|(name, _, scanned)| (name, scanned)).collect() }
    }

    /// Modules directly inside of the module `inside`.
    fn modules(&self, inside: &[String]) -> BTreeSet<&str> {
        let declared = self.files.iter().flat_map(|(_, scanned)| &scanned.modules);
        let here = declared.filter(|module| module.len() == inside.len() + 1 && module.starts_with(inside));
        here.filter_map(|module| module.last()).map(String::as_str).collect()
    }

    /// Levels that need an order: `src` itself, which is "", and each folder of more than one module.
    fn levels(&self) -> BTreeSet<String> {
        let parents = self.files.iter().flat_map(|(_, scanned)| &scanned.modules);
        let parents: BTreeSet<&[String]> = parents.filter_map(|module| Some(module.split_last()?.1)).collect();
        let several = parents.into_iter().filter(|parent| parent.is_empty() || self.modules(parent).len() > 1);
        several.map(|parent| parent.join("/")).collect()
    }

    /// Folders of more than one module that the list has no order for.
    fn unlisted(&self, package: &str, rooms: &BTreeMap<String, Vec<String>>) -> Vec<String> {
        let missing = self.levels().into_iter().filter(|level| !rooms.contains_key(level));
        let fault = |level: String| {
            let order = self.order(&segments(&level), &[]).join(" ");
            format!("{package}: [{package}.inside] in {LIST} lacks \"{level}\"; add it, perhaps as \"{order}\"")
        };
        missing.map(fault).collect()
    }

    fn faults(&self, package: &str, inside: &[String], rooms: &[String], turned: &[String]) -> Vec<String> {
        let list = if inside.is_empty() {
            format!("`rooms` of [{package}] in {LIST}")
        } else {
            format!("\"{}\" of [{package}.inside] in {LIST}", inside.join("/"))
        };
        let modules = self.modules(inside);
        let mut faults = Vec::new();
        for room in rooms.iter().filter(|room| !modules.contains(room.as_str())) {
            faults.push(format!("{package}: {list} has {room}, which is no module; remove it"));
        }
        for room in modules.iter().filter(|room| !rooms.iter().any(|listed| listed == **room)) {
            faults.push(format!("{package}: {list} lacks {room}; add it after the rooms that it imports"));
        }
        let place = |room: &str| rooms.iter().position(|listed| listed == room);
        let mut known = BTreeSet::new();
        for (file, scanned) in &self.files {
            for import in scanned.imports.iter().filter(|import| import.to.starts_with(inside)) {
                let Some(from) = import.from.strip_prefix(inside).and_then(<[_]>::first) else { continue };
                let to = import.to.get(inside.len()).filter(|to| modules.contains(to.as_str()));
                let at = format!("{file}:{}: `{}`", import.line, import.written);
                let (arrow, fault) = match to {
                    Some(to) if place(from).is_some() && place(to) > place(from) => (
                        format!("{from}->{to}"),
                        format!("{at} turns the arrow {to} → {from}: {list} has {from} below {to}"),
                    ),
                    None if inside.is_empty() => (
                        format!("{from}->root"),
                        format!("{at} imports from the root of the crate; name the room that holds it"),
                    ),
                    // A room below, or the file of a folder, which holds what its modules share.
                    _ => continue,
                };
                if inside.is_empty() && turned.contains(&arrow) {
                    known.insert(arrow);
                } else {
                    faults.push(fault);
                }
            }
        }
        for arrow in turned.iter().filter(|arrow| inside.is_empty() && !known.contains(*arrow)) {
            faults.push(format!("{package}: no import turns {arrow} any more; remove it from `turned` in {LIST}"));
        }
        faults
    }

    /// The modules inside of `inside`, each after those that it imports where that is possible, else as listed.
    fn order(&self, inside: &[String], rooms: &[String]) -> Vec<String> {
        let modules = self.modules(inside);
        let mut needs: BTreeMap<&str, BTreeSet<&str>> = modules.iter().map(|room| (*room, BTreeSet::new())).collect();
        for import in self.files.iter().flat_map(|(_, scanned)| &scanned.imports) {
            let from = import.from.strip_prefix(inside).and_then(<[_]>::first);
            let to = import.to.strip_prefix(inside).and_then(<[_]>::first);
            if let (Some(from), Some(to)) = (from, to)
                && from != to
                && modules.contains(to.as_str())
                && let Some(needs) = needs.get_mut(from.as_str())
            {
                needs.insert(to);
            }
        }
        let listed = |room: &str| rooms.iter().position(|listed| listed == room).unwrap_or(usize::MAX);
        let mut order = Vec::new();
        // In a circle the room that lacks least comes first.
        while let Some(next) =
            needs.iter().min_by_key(|(room, needs)| (needs.len(), listed(room))).map(|(room, _)| *room)
        {
            needs.remove(next);
            for needs in needs.values_mut() {
                needs.remove(next);
            }
            order.push(next.to_owned());
        }
        order
    }
}

#[cfg(test)]
mod tests;
