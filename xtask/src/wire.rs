//! Recordings of what a program answers, byte for byte but for ids and times: over HTTP, by mail and on the command line.
//! Two of them show whether a change of the service changes anything that others see.

mod compare;
mod coverage;
mod http;
mod letter;
mod moment;
mod normal;
mod peers;
mod play;
mod program;
mod proof;
mod request;
mod script;
mod sweep;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

/// The file of a recording that says which operations were called.
const COVERAGE: &str = "coverage.txt";

/// Operations that only ever refuse in a recording: a lab test takes a browser and minutes, and a server that asks for a
/// verification answers other calls otherwise. `crates/site-audit/tests/it/lab.rs` and `pages/verification.rs` have them succeed.
const REFUSED_HERE: [&str; 3] = ["start_lab_test", "create_challenge", "verify_browser"];

/// `record PROGRAM FOLDER`, or `compare OLD NEW` of two recordings or two programs.
pub(crate) fn wire(root: &Path, arguments: impl Iterator<Item = String>) -> Result<()> {
    let arguments: Vec<String> = arguments.collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["record", program, folder] => record(root, &root.join(program), &root.join(folder)),
        ["compare", old, new] => {
            let (old, new) = (root.join(old), root.join(new));
            if old.is_dir() && new.is_dir() {
                return compare::compare(&old, &new);
            }
            let folder = tempfile::tempdir()?.keep();
            let recordings = [("old", &old), ("new", &new)].map(|(name, place)| recording(root, &folder, name, place));
            let [old, new] = recordings;
            let (old, new) = (old?, new?);
            println!("the recordings are in {}", folder.display());
            compare::compare(&old, &new)
        }
        _ => bail!("wire record PROGRAM FOLDER, or wire compare OLD NEW, of two recordings or two programs"),
    }
}

/// A recording as it is, or one that is made of a program.
fn recording(root: &Path, folder: &Path, name: &str, place: &Path) -> Result<PathBuf> {
    if place.is_dir() {
        return Ok(place.to_owned());
    }
    let made = folder.join(name);
    record(root, place, &made)?;
    Ok(made)
}

fn record(root: &Path, program: &Path, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("{} can't be made", folder.display()))?;
    if std::fs::read_dir(folder)?.next().is_some() {
        bail!("{} is not empty", folder.display());
    }
    let steps = script::read(&root.join("xtask/src/wire/calls"))?;
    let data = tempfile::tempdir()?;
    let mut peers = peers::Peers::start()?;
    let program = program::Program::start(program, data.path())?;
    let mut player = play::Player::new(&program, &mut peers, folder)?;
    for step in &steps {
        player.play(step)?;
    }
    let mut unsuccessful = player.coverage.unsuccessful();
    let all = player.coverage.operations().len();
    let summary =
        format!("{} of {all} operations succeeded; never: {}", all - unsuccessful.len(), named(&unsuccessful));
    std::fs::write(folder.join(COVERAGE), format!("{summary}\n\n{}", player.coverage.table()))?;
    println!("{} calls in {}; {summary}", player.count(), folder.display());
    unsuccessful.retain(|name| !REFUSED_HERE.contains(name));
    if unsuccessful.is_empty() { Ok(()) } else { bail!("operations never succeeded: {}", named(&unsuccessful)) }
}

fn named(names: &[&str]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
