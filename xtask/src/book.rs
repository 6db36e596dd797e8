//! The documentation as one site, built with mdBook: the repository's own documents in the order of `docs/book/SUMMARY.md`.

mod judged;
mod links;
mod pages;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::command::{has, run};

/// Where the book is assembled and built.
const FOLDER: &str = "target/book";
/// What is said of the book: its settings and its chapters.
const SETTINGS: &str = "docs/book";
/// The version that the pages were judged with.
const MDBOOK: &str = "0.5.4";
/// Where the pages will be, for their canonical addresses, unless `--base-url` says otherwise.
const BASE_URL: &str = "https://site-audit.example/";

/// Builds the book. `--base-url URL` is where it will be published; `--check` also judges the built pages: every link leads
/// somewhere, and our own audit gives each page 100.
pub(crate) fn book(root: &Path, mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let (mut base_url, mut is_checked) = (BASE_URL.to_owned(), false);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--check" => is_checked = true,
            "--base-url" => base_url = arguments.next().context("--base-url needs a value")?,
            other => bail!("{other} is unknown: book takes --base-url URL and --check"),
        }
    }
    if !base_url.ends_with('/') {
        base_url.push('/');
    }
    install(root)?;
    let folder = root.join(FOLDER);
    assemble(root, &folder)?;
    run(root, "mdbook", &["build", FOLDER])?;
    let site = folder.join("site");
    let count = pages::finish(&folder.join("source"), &site, &base_url)?;
    println!("{count} pages in {}", site.display());
    if is_checked {
        judged::check(&site, &base_url)?;
    }
    Ok(())
}

fn install(root: &Path) -> Result<()> {
    if has("mdbook", &["--version"]) {
        return Ok(());
    }
    println!("mdBook makes the pages; it is installed once.");
    // It runs for seconds, so it need not be optimised.
    run(root, "cargo", &["install", "--locked", "--debug", "--version", MDBOOK, "mdbook"])
}

/// Puts the chapters where mdBook reads them, at their places in the repository, with the files that they show.
fn assemble(root: &Path, folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let source = folder.join("source");
    fs::create_dir_all(&source)?;
    fs::copy(root.join(SETTINGS).join("book.toml"), folder.join("book.toml"))?;
    let summary = fs::read_to_string(root.join(SETTINGS).join("SUMMARY.md"))?;
    let decisions = decisions(root)?;
    let chapters: BTreeSet<PathBuf> = links::chapters(&summary).into_iter().chain(decisions.clone()).collect();
    fs::write(source.join("SUMMARY.md"), with_decisions(root, &summary, &decisions)?)?;
    let mut faults = Vec::new();
    for chapter in &chapters {
        let text = fs::read_to_string(root.join(chapter)).with_context(|| chapter.display().to_string())?;
        faults.extend(links::faults(root, chapter, &text));
        let (text, shown) = links::within(root, chapter, &text, &chapters)?;
        write(&source.join(chapter), text.as_bytes())?;
        for file in shown {
            write(&source.join(&file), &fs::read(root.join(&file))?)?;
        }
    }
    if !faults.is_empty() {
        bail!("links of the documents:\n{}", faults.join("\n"));
    }
    Ok(())
}

fn write(place: &Path, content: &[u8]) -> Result<()> {
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(place, content).with_context(|| place.display().to_string())
}

/// Pages of decisions, in their order.
fn decisions(root: &Path) -> Result<Vec<PathBuf>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root.join("docs/decisions"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            names.push(Path::new("docs/decisions").join(name));
        }
    }
    names.sort();
    Ok(names)
}

/// The summary with each decision below the chapter "Decisions".
fn with_decisions(root: &Path, summary: &str, decisions: &[PathBuf]) -> Result<String> {
    let mut out = String::new();
    for line in summary.lines() {
        out.push_str(line);
        out.push('\n');
        if line.ends_with("(docs/decisions/README.md)") {
            for page in decisions {
                let title = title(&fs::read_to_string(root.join(page))?);
                out.push_str(&format!("  - [{}]({})\n", title.replace(['[', ']'], ""), page.display()));
            }
        }
    }
    Ok(out)
}

/// The first heading of a document.
fn title(text: &str) -> String {
    text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
    }

    fn markdown(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                markdown(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
        }
    }

    #[test]
    fn every_document_is_a_chapter_or_named_here() {
        /// Both languages of every text beside each other, half a megabyte, for maintainers.
        const LEFT_OUT: [&str; 2] = ["docs/messages.md", "docs/book/SUMMARY.md"];
        let root = root();
        let summary = fs::read_to_string(root.join(SETTINGS).join("SUMMARY.md")).unwrap();
        let chapters: BTreeSet<PathBuf> =
            links::chapters(&summary).into_iter().chain(decisions(&root).unwrap()).collect();
        let mut found = Vec::new();
        markdown(&root.join("docs"), &mut found);
        for path in found {
            let path = path.strip_prefix(&root).unwrap().to_owned();
            let is_left_out = LEFT_OUT.contains(&path.to_str().unwrap());
            assert_ne!(chapters.contains(&path), is_left_out, "{}", path.display());
        }
        assert!(chapters.iter().all(|chapter| root.join(chapter).is_file()), "{chapters:?}");
    }

    #[test]
    fn the_list_of_decisions_has_each_under_its_title() {
        let root = root();
        let list = fs::read_to_string(root.join("docs/decisions/README.md")).unwrap();
        for page in decisions(&root).unwrap() {
            let title = title(&fs::read_to_string(root.join(&page)).unwrap());
            let line = format!("- [{title}]({})", page.file_name().unwrap().to_str().unwrap());
            assert!(list.lines().any(|found| found == line), "docs/decisions/README.md lacks {line}");
        }
    }

    #[test]
    fn every_link_of_the_documents_leads_somewhere() {
        let root = root();
        let mut documents = Vec::new();
        for folder in ["docs", "skills", "packaging", "bindings/python"] {
            markdown(&root.join(folder), &mut documents);
        }
        documents.extend(
            ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
                .map(|name| root.join(name)),
        );
        let mut faults = Vec::new();
        for document in documents {
            let name = document.strip_prefix(&root).unwrap();
            // Its paths are from the root of the book; another test looks at them.
            if name == Path::new("docs/book/SUMMARY.md") {
                continue;
            }
            faults.extend(links::faults(&root, name, &fs::read_to_string(&document).unwrap()));
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}
