//! The texts of the catalog: their table, `docs/messages.md`, and rules that a program can hold them to.

mod rules;
mod source;
mod table;

use std::path::Path;

use anyhow::{Context as _, Result, bail};

/// The table, written by `cargo xtask gen`.
const TABLE: &str = "docs/messages.md";

/// Fails where a text breaks a rule, or the table is not what the sources say.
pub(crate) fn check(root: &Path) -> Result<()> {
    let families = source::families(root)?;
    let mut faults = rules::faults(&families);
    if std::fs::read_to_string(root.join(TABLE)).unwrap_or_default() != table::table(&families) {
        faults.push(format!("{TABLE} is not what the sources say: run `cargo xtask gen`"));
    }
    for fault in &faults {
        println!("{fault}");
    }
    if faults.is_empty() { Ok(()) } else { bail!("{} faults in the texts of the catalog", faults.len()) }
}

/// Writes the table.
pub(crate) fn write(root: &Path) -> Result<()> {
    std::fs::write(root.join(TABLE), table::table(&source::families(root)?)).context(TABLE)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_texts_of_the_catalog_keep_the_rules_and_are_in_the_table() {
        let root = crate::root().unwrap();
        if std::env::var_os("UPDATE").is_some() {
            super::write(&root).unwrap();
        }
        super::check(&root).unwrap();
    }
}
