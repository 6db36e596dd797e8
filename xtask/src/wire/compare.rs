//! Two recordings, compared byte for byte.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

/// Files whose differences are shown in full; of the others only the names.
const SHOWN: usize = 12;
/// Names that are shown.
const NAMED: usize = 60;
/// Characters that are shown before and after the first difference of a line.
const AROUND: usize = 160;

/// Compares; prints what differs, and fails where anything does.
pub(super) fn compare(old: &Path, new: &Path) -> Result<()> {
    let names: BTreeSet<String> = names(old)?.into_iter().chain(names(new)?).collect();
    let calls = names.iter().filter(|name| name.starts_with(|c: char| c.is_ascii_digit())).count();
    let mut differing = Vec::new();
    for name in &names {
        let read = |folder: &Path| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        let (before, after) = (read(old), read(new));
        if before != after {
            if differing.len() < SHOWN {
                println!("{name}");
                println!("{}\n", difference(&before, &after));
            }
            differing.push(name.as_str());
        }
    }
    for name in differing.iter().skip(SHOWN).take(NAMED) {
        println!("{name} differs");
    }
    let coverage = std::fs::read_to_string(new.join(super::COVERAGE)).unwrap_or_default();
    let summary = coverage.lines().next().unwrap_or("it is not finished");
    println!("{calls} calls; {summary}");
    if differing.is_empty() {
        println!("no difference");
        return Ok(());
    }
    bail!("{} of {} files differ", differing.len(), names.len())
}

fn names(folder: &Path) -> Result<Vec<String>> {
    let files = std::fs::read_dir(folder).with_context(|| format!("{} can't be read", folder.display()))?;
    let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
    let names: Vec<String> = names.filter(|name| name.ends_with(".txt")).collect();
    if names.is_empty() {
        bail!("{} has no recording", folder.display());
    }
    Ok(names)
}

/// The first line that differs, around its first difference.
fn difference(before: &str, after: &str) -> String {
    if before.is_empty() || after.is_empty() {
        return format!("  only in the {} recording", if before.is_empty() { "second" } else { "first" });
    }
    let (mut old, mut new, mut number) = (before.lines(), after.lines(), 0);
    loop {
        number += 1;
        match (old.next(), new.next()) {
            (None, None) => return "  they differ in how their lines end".to_owned(),
            (a, b) if a == b => {}
            (a, b) => {
                let (a, b) = (a.unwrap_or("(end)"), b.unwrap_or("(end)"));
                let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
                return format!("  line {number}\n  - {}\n  + {}", around(a, same), around(b, same));
            }
        }
    }
}

fn around(line: &str, at: usize) -> String {
    let begin = at.saturating_sub(AROUND);
    let cut: String = line.chars().skip(begin).take(2 * AROUND).collect();
    let (before, after) =
        (if begin > 0 { "…" } else { "" }, if line.chars().count() > begin + 2 * AROUND { "…" } else { "" });
    format!("{before}{cut}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_shown() {
        let shown = difference("a\nb: 1\nc", "a\nb: 2\nc");
        assert_eq!(shown, "  line 2\n  - b: 1\n  + b: 2");
        assert_eq!(difference("a", "a\nb"), "  line 2\n  - (end)\n  + b");
        assert!(difference("", "a").contains("second"));
    }

    #[test]
    fn recordings_that_differ_fail() {
        let [old, new] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        assert!(compare(old.path(), new.path()).is_err(), "nothing is there");
        for folder in [&old, &new] {
            std::fs::write(folder.path().join("0001-get.txt"), "same").unwrap();
        }
        assert!(compare(old.path(), new.path()).is_ok());
        std::fs::write(new.path().join("0002-get.txt"), "more").unwrap();
        assert!(compare(old.path(), new.path()).is_err());
    }
}
