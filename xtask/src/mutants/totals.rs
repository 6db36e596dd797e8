//! What became of all mutations: a table by folder, and the survivors.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::list::Mutant;
use super::trial::Outcome;

/// Columns of the table, in order.
const COLUMNS: [Outcome; 5] = [Outcome::Unviable, Outcome::Apart, Outcome::Caught, Outcome::Missed, Outcome::Unreached];

/// Prints the table as Markdown, and writes the names of the mutations that no test notices.
pub(crate) fn tell(mutants: &[Mutant], results: &BTreeMap<String, Outcome>, survivors: &Path) -> Result<()> {
    let mut rows: BTreeMap<String, [usize; 5]> = BTreeMap::new();
    let mut listed = String::new();
    for mutant in mutants {
        let Some(outcome) = results.get(&mutant.name) else { continue };
        for row in [folder(&mutant.file), "in all"] {
            let row = rows.entry(row.to_owned()).or_default();
            for (count, column) in row.iter_mut().zip(COLUMNS) {
                *count += usize::from(column == *outcome);
            }
        }
        if matches!(outcome, Outcome::Missed | Outcome::Unreached) {
            listed.push_str(&format!("{}\t{}\n", outcome.word(), mutant.name));
        }
    }
    println!(
        "\n| of | do not compile | can't be switched | noticed | not noticed | not reached | noticed of those tried |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for (name, [unviable, apart, caught, missed, unreached]) in &rows {
        let share = percent(*caught, caught + missed + unreached);
        println!("| {name} | {unviable} | {apart} | {caught} | {missed} | {unreached} | {share} |");
    }
    std::fs::write(survivors, listed).with_context(|| survivors.display().to_string())?;
    println!("\nThose that no test notices are in {}", survivors.display());
    Ok(())
}

/// Name of a row: the category of a check, else the module.
fn folder(file: &str) -> &str {
    let path = file.strip_prefix("crates/audit/src/").unwrap_or(file);
    let path = path.strip_prefix("checks/").unwrap_or(path);
    // Of the facts only the reading of a changed page is mutated.
    let path = path.strip_prefix("facts/walk/").unwrap_or(path);
    let path = path.strip_prefix("crates/").and_then(|path| path.split_once("/src/")).map_or(path, |(_, path)| path);
    path.split('/').next().map_or(path, |first| first.strip_suffix(".rs").unwrap_or(first))
}

/// `93.4 %`, rounded down; a dash where there is nothing.
fn percent(part: usize, whole: usize) -> String {
    match (part * 1000).checked_div(whole) {
        Some(tenths) => format!("{}.{} %", tenths / 10, tenths % 10),
        None => "–".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_categories_and_modules() {
        assert_eq!(folder("crates/audit/src/checks/head/title.rs"), "head");
        assert_eq!(folder("crates/audit/src/patch/ready.rs"), "patch");
        assert_eq!(folder("crates/audit/src/patch.rs"), "patch");
        assert_eq!(folder("crates/audit/src/score.rs"), "score");
        assert_eq!(folder("crates/service/src/watches/alert.rs"), "watches");
        assert_eq!(folder("crates/html/src/again/front.rs"), "again");
        assert_eq!(folder("crates/audit/src/facts/walk/again.rs"), "again");
    }

    #[test]
    fn a_share_is_rounded_down() {
        assert_eq!(percent(999, 1001), "99.8 %");
        assert_eq!(percent(0, 0), "–");
    }
}
