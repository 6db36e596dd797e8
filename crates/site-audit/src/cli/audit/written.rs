//! Files that a report is written to beside standard output.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use render::format::Format;

/// A file and the format that its ending names.
#[derive(Debug, Clone)]
pub(super) struct FormattedFile {
    path: PathBuf,
    /// What is written.
    pub(super) format: Format,
}

impl FormattedFile {
    /// Reads the value of `--write`. An error for an ending of no format.
    pub(super) fn parse(value: &str) -> Result<Self, String> {
        let path = PathBuf::from(value);
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
        let format = match ending.as_str() {
            "json" => Format::Json,
            "md" => Format::Markdown,
            "csv" => Format::Csv,
            "sarif" => Format::Sarif,
            "xml" => Format::Junit,
            "txt" => Format::Text,
            _ => return Err("the name must end in .json, .md, .csv, .sarif, .xml or .txt".to_owned()),
        };
        Ok(Self { path, format })
    }

    /// Writes the file, over one of its name.
    pub(super) fn write(&self, text: &str) -> Result<()> {
        std::fs::write(&self.path, text).with_context(|| format!("could not write {}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_names_the_format() {
        for (name, format) in [
            ("a.json", Format::Json),
            ("b/c.md", Format::Markdown),
            ("d.CSV", Format::Csv),
            ("e.sarif", Format::Sarif),
            ("f.xml", Format::Junit),
            ("g.txt", Format::Text),
        ] {
            assert_eq!(FormattedFile::parse(name).unwrap().format, format, "{name}");
        }
        for name in ["report", "report.pdf", ".json", ""] {
            assert!(FormattedFile::parse(name).unwrap_err().contains(".sarif"), "{name}");
        }
    }
}
