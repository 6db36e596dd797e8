//! What must hold of any bytes holds of every file in `fuzz/seeds`.
#![cfg(test)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fuzz_targets::TARGETS;

fn folder(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(below)
}

/// Paths of a folder, in order.
fn listed(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn names(folder: &Path) -> BTreeSet<String> {
    listed(folder).iter().map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn every_seed_keeps_what_must_hold() {
    for (name, check) in TARGETS {
        let seeds = listed(&folder("seeds").join(name));
        assert!(!seeds.is_empty(), "{name} has no seeds");
        for seed in seeds {
            println!("{}", seed.display());
            check(&std::fs::read(&seed).unwrap());
        }
    }
}

#[test]
fn every_target_holds_of_nothing() {
    for (_, check) in TARGETS {
        check(b"");
    }
}

#[test]
fn every_target_has_seeds_and_a_program() {
    let targets: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names(&folder("seeds")), targets);
    assert_eq!(names(&folder("fuzz_targets")), targets);
}
