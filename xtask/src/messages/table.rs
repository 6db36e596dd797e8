//! The table of the texts, as Markdown.

use std::fmt::Write as _;

use super::source::{CHECKS, FamilyTexts};

/// Every text of the catalog, English and Portuguese side by side.
pub(super) fn table(families: &[FamilyTexts]) -> String {
    let mut out = format!(
        "# Messages\n\nWritten by `cargo xtask gen` from `{}` and `{}`: every text of the catalog, to read both languages side \
         by side. Places in braces are filled with measured values; `crates/model/src/lang.rs` has their rules.\n",
        CHECKS[0], CHECKS[1]
    );
    for family in families {
        // Those of a page stand first, and are shown without their folder.
        let path = family.path.trim_start_matches(CHECKS[0]).trim_start_matches('/');
        // Writing to a string can't fail.
        let _ = write!(out, "\n## `{path}`\n");
        for check in &family.checks {
            let of =
                if check.code.is_empty() { format!("tool `{}`", family.slug) } else { format!("`{}`", check.code) };
            let _ = write!(out, "\n### {of}\n\n| | English | Portuguese |\n|---|---|---|\n");
            for one in &check.texts {
                let _ = writeln!(out, "| {} | {} | {} |", one.role.word(), cell(&one.en), cell(&one.pt));
            }
        }
    }
    out
}

/// A text as a cell: as it is, where Markdown would read something into it.
fn cell(text: &str) -> String {
    let text = text.replace('|', "\\|").replace('\n', " ");
    let parts = text.split('`').enumerate();
    let parts = parts
        .map(|(at, part)| if at % 2 == 0 { part.replace('<', "\\<").replace('*', "\\*") } else { part.to_owned() });
    parts.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn a_cell_shows_the_text_as_it_is() {
        assert_eq!(cell("{n|a|b} <main> `<p>` *"), "{n\\|a\\|b} \\<main> `<p>` \\*");
    }
}
