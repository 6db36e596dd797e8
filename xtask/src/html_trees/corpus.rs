//! Whole trees of real pages, beside Chromium's.
//!
//! Both get the same characters: a page is decoded by our side and served in UTF-8. What our side decodes with is
//! compared by `cargo xtask compare-browser`.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use audit::facts::charset;

use super::chromium::Opened;
use super::our_tree::{first_difference, ours};
use crate::compare_browser;

/// Characters of a line that a report shows.
const SHOWN: usize = 160;

/// Compares every `.html` file of a folder.
pub(super) fn compare(folder: &Path) -> Result<()> {
    let files = compare_browser::files(folder)?;
    let mut sources = Vec::new();
    for file in &files {
        let bytes = std::fs::read(file).with_context(|| format!("{} could not be read", file.display()))?;
        sources.push(charset::decide(&bytes, Some("text/html")).decode(&bytes).into_owned());
    }
    let mut browser = Opened::start(&sources)?;
    let mut equal = 0;
    for (number, (file, source)) in files.iter().zip(&sources).enumerate() {
        let (ours, theirs) = (ours(source, true), browser.tree(number)?);
        if ours == theirs {
            equal += 1;
            continue;
        }
        let (our, their) = first_difference(&ours, &theirs);
        let shown = |line: String| line.trim_start_matches(['|', ' ']).chars().take(SHOWN).collect::<String>();
        let name = file.file_name().unwrap_or_default().display();
        println!("{name}: ours {}, the browser's {}", shown(our), shown(their));
    }
    println!("{} pages, {equal} have the same tree", files.len());
    if equal == files.len() {
        Ok(())
    } else {
        bail!("not the same tree: mend the parser or tell it in docs/html-parser/")
    }
}
