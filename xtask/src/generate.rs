//! Files that are written from the code. `gen` writes them, `test` compares.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

/// Path and content of every generated file.
fn files() -> Result<Vec<(&'static str, String)>> {
    Ok(vec![("docs/checks.md", checks()?)])
}

/// Writes all of them.
pub(crate) fn write(root: &Path) -> Result<()> {
    for (path, content) in files()? {
        std::fs::write(root.join(path), content).with_context(|| format!("{path} could not be written"))?;
    }
    Ok(())
}

/// Fails when one differs from what the code says.
pub(crate) fn compare(root: &Path) -> Result<()> {
    for (path, content) in files()? {
        let found = std::fs::read_to_string(root.join(path)).with_context(|| format!("{path} could not be read"))?;
        if found != content {
            bail!("{path} is not what the code says: run `cargo xtask gen`");
        }
    }
    Ok(())
}

/// The catalog as a page: every check by category.
fn checks() -> Result<String> {
    let mut out = String::from("# Checks\n\nWritten by `cargo xtask gen` from the catalog.\n");
    let mut category = None;
    for family in audit::checks::FAMILIES {
        if category != Some(family.category) {
            category = Some(family.category);
            write!(out, "\n## {}\n", family.category.title().en)?;
        }
        for check in family.checks {
            write!(
                out,
                "\n### `{}`\n\n**{}** · {}\n\n{}\n\n{}\n\nReference: <{}>\n",
                check.code,
                check.severity.word(),
                check.title.en,
                check.why.en,
                check.how.en,
                check.reference
            )?;
        }
    }
    Ok(out)
}
