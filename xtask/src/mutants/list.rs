//! The mutations to try: cargo-mutants says which, so that the set of them is a public tool's.

use std::ops::Range;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::group::Group;

/// Genre of a changed number of a constant.
pub(crate) const CONSTANT: &str = "Constant";

/// One mutation: a span of a source file, and the text that stands there instead.
#[derive(Debug, Clone)]
pub(crate) struct Mutant {
    /// From 1; its place in the list, by which a test program switches it on.
    pub(crate) number: u32,
    /// `crates/audit/src/score.rs:12:5: replace counts -> Counts with Default::default()`.
    pub(crate) name: String,
    /// Path below the workspace's root.
    pub(crate) file: String,
    /// cargo-mutants' name of its kind, `FnValue`, `BinaryOperator`, `MatchArm`, or `Constant`.
    pub(crate) genre: String,
    /// Bytes of the file.
    pub(crate) span: Range<usize>,
    /// What replaces them; empty where they are deleted.
    pub(crate) replacement: String,
    /// Declared result of its function, with the arrow; empty outside of functions.
    pub(crate) result: String,
}

/// Every mutation that cargo-mutants would make of the files that the configuration of a group names.
pub(crate) fn listed(root: &Path, group: &Group) -> Result<Vec<Mutant>> {
    let list = asked(root, group, "--list")?;
    let mut mutants = Vec::new();
    for (entry, number) in list.iter().zip(1..) {
        let file = text(entry, "/file")?;
        let source = std::fs::read_to_string(root.join(&file)).with_context(|| file.clone())?;
        let at = |end: &str| -> Result<usize> {
            let part = |name: &str| entry.pointer(&format!("/span/{end}/{name}")).and_then(Value::as_u64);
            let place = part("line").zip(part("column")).context("a mutation has no place")?;
            byte(&source, place).with_context(|| format!("{file} has no place {place:?}"))
        };
        mutants.push(Mutant {
            number,
            name: text(entry, "/name")?,
            span: at("start")?..at("end")?,
            replacement: text(entry, "/replacement")?,
            genre: text(entry, "/genre")?,
            result: text(entry, "/function/return_type").unwrap_or_default(),
            file,
        });
    }
    Ok(mutants)
}

/// A list that cargo-mutants makes of a group.
pub(crate) fn asked(root: &Path, group: &Group, what: &str) -> Result<Vec<Value>> {
    let packages = group.packages.iter().flat_map(|package| ["--package", package]);
    let output = Command::new("cargo")
        .args(["mutants", what, "--json", "--config", group.config])
        .args(packages)
        .current_dir(root)
        .output()
        .context("cargo mutants")?;
    if !output.status.success() {
        bail!("cargo mutants {what} failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    serde_json::from_slice(&output.stdout).context("the list of cargo mutants is no JSON")
}

/// A text in a list of cargo-mutants.
pub(crate) fn text(entry: &Value, pointer: &str) -> Result<String> {
    let text = entry.pointer(pointer).and_then(Value::as_str);
    Ok(text.with_context(|| format!("a mutation has no {pointer}"))?.to_owned())
}

/// Offset in bytes of a line and a column, both from 1; columns count characters.
fn byte(source: &str, (line, column): (u64, u64)) -> Option<usize> {
    let (line, column) = (usize::try_from(line).ok()?, usize::try_from(column).ok()?);
    let start: usize = source.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
    let rest = source.get(start..)?;
    let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    Some(start + ends.into_iter().nth(column.checked_sub(1)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let source = "a\né == b\n";
        assert_eq!(byte(source, (1, 1)), Some(0));
        assert_eq!(byte(source, (2, 3)), Some(5));
        assert_eq!(&source[5..7], "==");
        assert_eq!(byte(source, (3, 1)), Some(source.len()));
        assert_eq!(byte(source, (0, 1)), None);
    }
}
