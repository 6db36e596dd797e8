//! The shape of the source that a newcomer relies on: one type name stands for one thing in the workspace, and a file ends
//! before it has to be searched.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use syn::visit::{self, Visit};
use syn::{Attribute, Ident, Item, Visibility};

/// Lines of a file below `src`, tests in it included.
const MOST_LINES: usize = 400;

/// `cargo xtask shape`: fails where two types that other modules see share a name, and where a file is too long.
pub(crate) fn check(root: &Path) -> Result<()> {
    let mut faults = Vec::new();
    let mut types: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let folders = ["crates", "bindings"].map(|name| root.join(name));
    let files = folders.iter().filter(|folder| folder.exists()).map(|folder| sources(folder));
    for path in files.collect::<Result<Vec<_>>>()?.concat() {
        let source = std::fs::read_to_string(&path)?;
        let shown = path.strip_prefix(root)?.display().to_string();
        let lines = source.lines().count();
        if lines > MOST_LINES {
            faults.push(format!("{shown}: {lines} lines, more than {MOST_LINES}: split it where its parts join"));
        }
        let mut names = names_in(&source).with_context(|| shown.clone())?;
        // A file may have one type for each platform.
        names.sort();
        names.dedup();
        for name in names {
            types.entry(name).or_default().push(shown.clone());
        }
    }
    for (name, files) in types.into_iter().filter(|(_, files)| files.len() > 1) {
        faults.push(format!("{name} names a type in {}: give each thing its own name", files.join(" and in ")));
    }
    if faults.is_empty() {
        return Ok(());
    }
    for fault in &faults {
        println!("{fault}");
    }
    bail!("{} faults of shape", faults.len())
}

/// Rust files below each `src`, but for files of tests alone.
fn sources(crates: &Path) -> Result<Vec<PathBuf>> {
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(crates)?.map(|entry| Ok(entry?.path().join("src"))).collect::<Result<_>>()?;
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            let is_test = path.file_stem().is_some_and(|name| name == "tests");
            if path.is_dir() {
                folders.push(path);
            } else if !is_test && path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Names of the types that other modules see, but for those of tests.
fn names_in(source: &str) -> Result<Vec<String>> {
    let mut names = TypeNames::default();
    names.visit_file(&syn::parse_file(source)?);
    Ok(names.0)
}

#[derive(Default)]
struct TypeNames(Vec<String>);

impl<'ast> Visit<'ast> for TypeNames {
    fn visit_item(&mut self, item: &'ast Item) {
        let mut note = |seen: &Visibility, name: &Ident| {
            if !matches!(seen, Visibility::Inherited) {
                self.0.push(name.to_string());
            }
        };
        match item {
            Item::Struct(item) => note(&item.vis, &item.ident),
            Item::Enum(item) => note(&item.vis, &item.ident),
            Item::Trait(item) => note(&item.vis, &item.ident),
            Item::Type(item) => note(&item.vis, &item.ident),
            Item::Mod(item) if !is_of_tests(&item.attrs) => visit::visit_item_mod(self, item),
            _ => {}
        }
    }
}

fn is_of_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && attribute.parse_args::<Ident>().is_ok_and(|condition| condition == "test")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_others_see_are_named() {
        let source = "
            pub struct A; pub(crate) enum B {} struct Own; pub type C = u8; pub trait D {} pub fn e() {}
            mod inner { pub(super) struct F; }
            #[cfg(test)] mod tests { pub struct G; }
        ";
        assert_eq!(names_in(source).expect("it is Rust"), ["A", "B", "C", "D", "F"]);
    }

    #[test]
    fn two_types_of_one_name_and_a_long_file_are_faults() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("written");
            std::fs::write(path, text).expect("written");
        };
        write(
            "crates/a/src/lib.rs",
            "pub struct One; #[cfg(unix)] pub type Two = u8; #[cfg(windows)] pub type Two = u16;",
        );
        write("crates/b/src/lib.rs", &"//\n".repeat(MOST_LINES));
        check(folder.path()).expect("nothing is wrong");
        write("crates/b/src/lib.rs", "pub enum One {}");
        assert!(check(folder.path()).is_err());
        write("crates/b/src/lib.rs", &"//\n".repeat(MOST_LINES + 1));
        assert!(check(folder.path()).is_err());
    }
}
