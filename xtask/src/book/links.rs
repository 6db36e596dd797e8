//! Links of Markdown documents: where they lead, and which of them a book can keep.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use anyhow::{Result, bail};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

/// A link to a file of the repository.
struct LocalLink {
    /// The whole link in the source.
    range: Range<usize>,
    /// Its target as written.
    written: String,
    /// The file, from the root; the document itself where only a place is named.
    file: PathBuf,
    /// The place in that file.
    fragment: Option<String>,
    /// A picture, which is shown.
    is_image: bool,
}

/// The chapters that a summary names, in its order.
pub(super) fn chapters(summary: &str) -> Vec<PathBuf> {
    locals(Path::new("SUMMARY.md"), summary).into_iter().map(|link| link.file).collect()
}

/// Links of a document to files of the repository; those to other sites are left out.
fn locals(document: &Path, text: &str) -> Vec<LocalLink> {
    let folder = document.parent().unwrap_or(Path::new(""));
    let mut found = Vec::new();
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        let (target, is_image) = match event {
            Event::Start(Tag::Link { link_type: LinkType::Inline | LinkType::Reference, dest_url, .. }) => {
                (dest_url, false)
            }
            Event::Start(Tag::Image { dest_url, .. }) => (dest_url, true),
            _ => continue,
        };
        // An address with a scheme is none of ours, and what a service answers is no file.
        if target.contains(':') || target.starts_with('/') {
            continue;
        }
        let (path, fragment) = match target.split_once('#') {
            Some((path, fragment)) => (path, Some(fragment.to_owned())),
            None => (&*target, None),
        };
        let file = if path.is_empty() { document.to_owned() } else { normal(&folder.join(path)) };
        found.push(LocalLink { range, written: target.to_string(), file, fragment, is_image });
    }
    found
}

/// A path without `.` and `..`; a `..` beyond the root stays, and names no file.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if out.file_name().is_some() => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

/// A document without [`faults`] as a chapter: links to chapters stay, links to other files become their text, as the book has no
/// such page. With the pictures that it shows.
pub(super) fn within(
    root: &Path,
    document: &Path,
    text: &str,
    chapters: &BTreeSet<PathBuf>,
) -> Result<(String, Vec<PathBuf>)> {
    let (mut out, mut at, mut shown) = (String::new(), 0, Vec::new());
    for link in locals(document, text) {
        let whole = text.get(link.range.clone()).unwrap_or_default();
        if link.is_image {
            shown.push(link.file);
        } else if let Some(index) = index(root, &link, chapters) {
            let Some(end) = whole.rfind(&format!("]({}", link.written)) else { bail!("{whole}: not understood") };
            out.push_str(text.get(at..link.range.start + end).unwrap_or_default());
            out.push_str(&format!("]({index})"));
            at = link.range.end;
        } else if !chapters.contains(&link.file) {
            let inner = whole.strip_prefix('[').and_then(|rest| rest.rsplit_once("](")).map(|(inner, _)| inner);
            let Some(inner) = inner else { bail!("{}: {whole} is no link in one piece", document.display()) };
            out.push_str(text.get(at..link.range.start).unwrap_or_default());
            out.push_str(inner);
            at = link.range.end;
        }
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Ok((out, shown))
}

/// The target in the book of a link to a folder or its `README.md`: mdBook names the page of that chapter `index.html`, but leaves
/// links to it as they are.
fn index(root: &Path, link: &LocalLink, chapters: &BTreeSet<PathBuf>) -> Option<String> {
    const LIST: &str = "README.md";
    let (path, fragment) = match link.written.split_once('#') {
        Some((path, fragment)) => (path, format!("#{fragment}")),
        None => (link.written.as_str(), String::new()),
    };
    if root.join(&link.file).is_dir() && chapters.contains(&link.file.join(LIST)) {
        return Some(format!("{}/index.html{fragment}", path.trim_end_matches('/')));
    }
    let folder = path.strip_suffix(LIST).filter(|_| chapters.contains(&link.file))?;
    Some(format!("{folder}index.html{fragment}"))
}

/// Links of a document that lead to no file, or to no heading of it.
pub(super) fn faults(root: &Path, document: &Path, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for link in locals(document, text) {
        let place = root.join(&link.file);
        let fault = if !place.exists() {
            Some("leads nowhere".to_owned())
        } else if let Some(fragment) = link.fragment.filter(|_| link.file.extension().is_some_and(|end| end == "md")) {
            let target = fs::read_to_string(&place).unwrap_or_default();
            (!headings(&target).contains(&fragment)).then(|| format!("names no heading of {}", link.file.display()))
        } else {
            None
        };
        faults.extend(fault.map(|fault| format!("{}: {} {fault}", document.display(), link.written)));
    }
    faults
}

/// The names of a document's headings in addresses: small letters, spaces as hyphens, other marks left out; a second one of the
/// same text has a number.
pub(super) fn headings(text: &str) -> BTreeSet<String> {
    let (mut names, mut counts) = (BTreeSet::new(), HashMap::<String, usize>::new());
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(part) | Event::Code(part) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&part);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                let name = name(&heading.take().unwrap_or_default());
                let count = counts.entry(name.clone()).or_default();
                names.insert(if *count == 0 { name } else { format!("{name}-{count}") });
                *count += 1;
            }
            _ => {}
        }
    }
    names
}

fn name(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_names_as_in_addresses() {
        let text = "# In builds\n## `[retention]`\n## What it's for: *x*\n## In builds\n";
        let wanted = ["in-builds", "in-builds-1", "retention", "what-its-for-x"].map(str::to_owned);
        assert_eq!(headings(text), wanted.into());
    }

    #[test]
    fn a_chapter_keeps_links_to_chapters_and_the_text_of_others() {
        let root = tempfile::tempdir().unwrap();
        for file in ["docs/a.md", "docs/b.md", "x/y.toml", "docs/z.png", "docs/d/README.md"] {
            fs::create_dir_all(root.path().join(file).parent().unwrap()).unwrap();
            fs::write(root.path().join(file), "").unwrap();
        }
        let chapters = ["docs/a.md", "docs/b.md", "docs/d/README.md"].map(PathBuf::from).into();
        let text = "[b](b.md#c), [`y`](../x/y.toml)! ![z](z.png) [d](d/) [f](d/README.md#g) [e](https://e.example/) `[n](none.md)`";
        let (made, shown) = within(root.path(), Path::new("docs/a.md"), text, &chapters).unwrap();
        let wanted = "[b](b.md#c), `y`! ![z](z.png) [d](d/index.html) [f](d/index.html#g) [e](https://e.example/) `[n](none.md)`";
        assert_eq!((made.as_str(), shown), (wanted, vec![PathBuf::from("docs/z.png")]));
        let faults =
            faults(root.path(), Path::new("docs/a.md"), "[n](none.md) [b](b.md#c) [out](../../b.md) [ok](b.md)");
        assert_eq!(faults.len(), 3, "{faults:?}");
    }
}
