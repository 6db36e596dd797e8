//! What mdBook leaves out of a page: its own description, its canonical address, and how it looks when it is shared.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Characters of a description: what search engines show.
const DESCRIPTION: usize = 155;
/// The picture that stands for every page where it is shared, below the book's address; the first chapter shows it.
const PICTURE: &str = "docs/images/report.png";

/// Finishes the page of each chapter below `source`; how many there are.
pub(super) fn finish(source: &Path, site: &Path, base_url: &str) -> Result<usize> {
    let mut chapters = Vec::new();
    collect(source, "md", &mut chapters)?;
    let mut count = 0;
    for chapter in chapters {
        let name = chapter.strip_prefix(source)?;
        if name == Path::new("SUMMARY.md") {
            continue;
        }
        let place = site.join(page(name));
        let html = fs::read_to_string(&place).with_context(|| format!("{} has no page", name.display()))?;
        let markdown = fs::read_to_string(&chapter)?;
        fs::write(&place, finished(&html, &markdown, base_url, &address(base_url, &page(name)))?)?;
        count += 1;
    }
    Ok(count)
}

/// Every file of a kind below a folder, in an order that stays.
pub(super) fn collect(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) -> Result<()> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, ending, found)?;
        } else if path.extension().is_some_and(|end| end == ending) {
            found.push(path);
        }
    }
    Ok(())
}

/// The page of a chapter, as mdBook names it.
fn page(chapter: &Path) -> PathBuf {
    match chapter.file_name() {
        Some(name) if name == "README.md" => chapter.with_file_name("index.html"),
        _ => chapter.with_extension("html"),
    }
}

/// The public address of a page.
pub(super) fn address(base_url: &str, page: &Path) -> String {
    let path = page.to_string_lossy().replace('\\', "/");
    let path = path.strip_suffix("index.html").unwrap_or(&path);
    format!("{base_url}{path}")
}

fn finished(html: &str, markdown: &str, base_url: &str, address: &str) -> Result<String> {
    const FROM: &str = "<meta name=\"description\" content=\"";
    let description = escaped(&description(markdown));
    let Some((before, rest)) = html.split_once(FROM) else { bail!("{address} has no place for its description") };
    let Some((_, after)) = rest.split_once('"') else { bail!("{address} has no place for its description") };
    let title =
        html.split_once("<title>").and_then(|(_, rest)| Some(rest.split_once("</title>")?.0)).unwrap_or_default();
    let more = format!(
        "<link rel=\"canonical\" href=\"{address}\">\n<meta property=\"og:title\" content=\"{title}\">\n\
         <meta property=\"og:description\" content=\"{description}\">\n<meta property=\"og:type\" content=\"article\">\n\
         <meta property=\"og:url\" content=\"{address}\">\n\
         <meta property=\"og:image\" content=\"{base_url}{PICTURE}\">\n\
         <meta property=\"og:image:alt\" content=\"A report of Site Audit\">\n\
         <meta name=\"twitter:card\" content=\"summary_large_image\">\n"
    );
    Ok(format!("{before}{FROM}{description}\"{after}").replacen("</head>", &format!("{more}</head>"), 1))
}

/// The first paragraph of a chapter that has text of its own beside pictures, cut after a word.
fn description(markdown: &str) -> String {
    let (mut text, mut is_within, mut is_picture) = (String::new(), false, false);
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Paragraph) => is_within = true,
            Event::End(TagEnd::Paragraph) if !text.trim().is_empty() => break,
            Event::End(TagEnd::Paragraph) => is_within = false,
            Event::Start(Tag::Image { .. }) => is_picture = true,
            Event::End(TagEnd::Image) => is_picture = false,
            Event::Text(part) | Event::Code(part) if is_within && !is_picture => text.push_str(&part),
            Event::SoftBreak | Event::HardBreak if is_within => text.push(' '),
            _ => {}
        }
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= DESCRIPTION {
        return text;
    }
    let cut: String = text.chars().take(DESCRIPTION - 1).collect();
    let cut = cut.rsplit_once(' ').map_or(cut.as_str(), |(whole, _)| whole);
    format!("{}…", cut.trim_end_matches([',', ';', ':', '.']))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_gets_its_own_description_and_address() {
        const MARKDOWN: &str = "# A\n\n![x](y.png)\n\nOne `<b>` & \"two\"\nlines.\n\nMore.";
        let html = "<head><title>A - B</title><meta name=\"description\" content=\"Book\"></head>";
        let made = finished(html, MARKDOWN, "https://e.example/", "https://e.example/a.html").unwrap();
        assert!(
            made.contains("<meta name=\"description\" content=\"One &lt;b> &amp; &quot;two&quot; lines.\">"),
            "{made}"
        );
        assert!(made.contains("<link rel=\"canonical\" href=\"https://e.example/a.html\">\n"), "{made}");
        assert!(made.contains("content=\"https://e.example/docs/images/report.png\">\n"), "{made}");
        assert!(finished("<head></head>", "", "x", "x").is_err());
        assert!(description(&"word ".repeat(100)).chars().count() <= DESCRIPTION);
        assert_eq!(address("https://e.example/", Path::new("docs/index.html")), "https://e.example/docs/");
        assert_eq!(page(Path::new("docs/README.md")), Path::new("docs/index.html"));
    }
}
