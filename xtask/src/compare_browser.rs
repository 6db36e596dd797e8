//! A real browser as referee: what Chromium makes of a page's bytes, beside what our summary says of the same bytes.
//!
//! Where we differ on purpose is told in `docs/browser-differences.md`; a page of the corpus that differs fails.

pub(crate) mod host;
pub(crate) mod referee;

use std::fmt::{Display, Formatter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use audit::Page;
use audit::facts::document::Element;
use model::capture::{Body, Capture, Exchange, Fetched, Source, Timing};
use model::time::Timestamp;
use serde_json::{Value, json};

use host::Served;
use referee::Referee;

/// What is compared: places in the JSON of the summary, the number of titles, and the tree itself.
const FIELDS: [&str; 25] = [
    "title",
    "titles",
    "metaDescription",
    "canonical",
    "robots",
    "viewport",
    "lang",
    "charset",
    "h1s",
    "headings.h1",
    "headings.h2",
    "headings.h3",
    "headings.h4",
    "headings.h5",
    "headings.h6",
    "images.total",
    "images.withoutAlt",
    "links.total",
    "links.internal",
    "links.external",
    "jsonLdBlocks",
    "scripts.total",
    "openGraph",
    "twitter",
    "tree",
];
/// A page that tells whether the browser is a referee: scripting counts as on, and no script runs.
const PROBE: &str =
    "<title>still</title><noscript><h1>off</h1></noscript><script>document.title = 'ran'</script><h1>whole</h1>";
/// Characters of a text that a report keeps.
const KEPT_CHARACTERS: usize = 2_000;
/// Entries of a list that a report keeps.
const KEPT_ENTRIES: usize = 200;
/// Characters of a value that a printed line shows.
const SHOWN: usize = 160;
/// Characters shown before the first that differs, in a value too long to be shown whole.
const CONTEXT: usize = 20;

/// Compares every `.html` file of a folder, in its own encoding and in another that holds it, as it is and with its patch,
/// applied to the file's own bytes.
pub(crate) fn compare(root: &Path, folder: Option<String>) -> Result<()> {
    let corpus = || std::env::var("SITE_AUDIT_SHARED").unwrap_or_else(|_| "../shared".to_owned()) + "/corpus";
    let files = files(&root.join(folder.unwrap_or_else(corpus)))?;
    let (names, pages) = forms(&files)?;
    let pages: Arc<[Served]> = pages.into();
    let proxy = host::serve(Arc::clone(&pages))?;
    let mut browser = Referee::start(proxy, include_str!("compare_browser/facts.js"))?;
    let mut agree = 0;
    for (number, (name, page)) in names.iter().zip(&*pages).enumerate() {
        let found = differences(&ours(number, page)?, &theirs(&mut browser, number)?);
        if let (0, Some(difference)) = (number, found.first()) {
            bail!("the browser is no referee: it differs on the probe, {difference}");
        }
        agree += usize::from(found.is_empty());
        found.iter().for_each(|difference| println!("{name}: {difference}"));
    }
    let (agree, compared) = (agree.saturating_sub(1), names.len().saturating_sub(1));
    let others = (compared / 2).saturating_sub(files.len());
    println!(
        "{} pages, {others} of them in another encoding too, and each with its patch: {agree} of {compared} agree",
        files.len()
    );
    if agree == compared { Ok(()) } else { bail!("not the same tree or facts: see docs/browser-differences.md") }
}

/// The probe, and the pages of the files in all their forms, with what is printed of each.
fn forms(files: &[PathBuf]) -> Result<(Vec<String>, Vec<Served>)> {
    let (mut names, mut pages) = (vec!["probe".to_owned()], vec![Served::from(PROBE.as_bytes().to_vec())]);
    for (turn, file) in files.iter().enumerate() {
        let bytes = std::fs::read(file).with_context(|| format!("{} could not be read", file.display()))?;
        let name = file.file_name().unwrap_or_default().display();
        for page in in_another_encoding(&bytes, turn).into_iter().chain([Served::from(bytes)]) {
            let name = page.charset.map_or_else(|| name.to_string(), |charset| format!("{name} in {charset}"));
            let patched = Served { bytes: patched(pages.len(), &page)?, charset: page.charset };
            names.extend([name.clone(), format!("{name}, patched")]);
            pages.extend([page, patched]);
        }
    }
    Ok((names, pages))
}

/// A page in UTF-8 in one of the other encodings, the first from `turn` on that has all its characters.
fn in_another_encoding(bytes: &[u8], turn: usize) -> Option<Served> {
    let text = std::str::from_utf8(bytes).ok()?;
    let encodings = [encoding_rs::WINDOWS_1252, encoding_rs::UTF_16LE, encoding_rs::SHIFT_JIS];
    encodings.iter().cycle().skip(turn % encodings.len()).take(encodings.len()).find_map(|encoding| {
        let bytes = if *encoding == encoding_rs::UTF_16LE {
            "\u{FEFF}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
        } else {
            let (bytes, _, is_lossy) = encoding.encode(text);
            (!is_lossy).then(|| bytes.into_owned())?
        };
        Some(Served { bytes, charset: Some(encoding.name()) })
    })
}

/// The `.html` files of a folder, in order.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("{} could not be read", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "html"));
    files.sort();
    if files.is_empty() { bail!("{} has no .html files", folder.display()) } else { Ok(files) }
}

/// The bytes of a page with its patch.
fn patched(number: usize, served: &Served) -> Result<Vec<u8>> {
    let capture = capture(number, served);
    let page = Page::read(&capture);
    let html = page.html.as_ref().context("a page served as HTML is read")?;
    let report = audit::report_on(&capture, &page, &audit::SiteFiles::default());
    audit::patch::apply_to_file(html, &served.bytes, &report.patch).context("a patch fits the file of its page")
}

/// A page as it was served.
fn capture(number: usize, served: &Served) -> Capture {
    let url = host::url(number);
    Capture {
        requested_url: url.clone(),
        started_at: Timestamp(0),
        nonce: "0".repeat(32),
        source: Source::Network,
        page: Fetched::Response(Exchange {
            hops: Vec::new(),
            url,
            status: 200,
            headers: served.headers().into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            body: Body { bytes: served.bytes.as_slice().into(), ..Body::default() },
            timing: Timing::default(),
            ambiguous_length: false,
            certificate: None,
        }),
        extras: Vec::new(),
        field_data: None,
    }
}

/// Our summary of a page as it was served, with the number of titles and the tree beside it.
fn ours(number: usize, served: &Served) -> Result<Value> {
    let capture = capture(number, served);
    let page = Page::read(&capture);
    let mut summary = serde_json::to_value(audit::report_on(&capture, &page, &audit::SiteFiles::default()).summary)?;
    let fields = summary.as_object_mut().context("a page that came has a summary")?;
    let html = page.html.context("a page served as HTML is read")?;
    fields.insert("titles".to_owned(), json!(html.titles.len()));
    fields.insert("tree".to_owned(), html.document.elements().map(tree_line).collect());
    Ok(summary)
}

/// An element with its depth, attributes and own text.
fn tree_line(element: Element<'_>) -> String {
    let attributes: String = element.attributes().map(|(name, value)| format!(" {name}={value}")).collect();
    let text: String = element.own_texts().collect();
    format!("{} {}{attributes} > {text}", element.ancestors().count(), element.name())
}

/// What the browser hands over, cut as a report is.
fn theirs(browser: &mut Referee, number: usize) -> Result<Value> {
    let mut facts: Value = serde_json::from_str(&browser.visit(&host::url(number))?)?;
    let fields = facts.as_object_mut().context("the browser hands over an object")?;
    fields.iter_mut().filter(|(field, _)| *field != "tree").for_each(|(_, value)| cut(value));
    Ok(facts)
}

fn cut(value: &mut Value) {
    match value {
        Value::String(text) => *text = text.chars().take(KEPT_CHARACTERS).collect(),
        Value::Array(entries) => {
            entries.truncate(KEPT_ENTRIES);
            entries.iter_mut().for_each(cut);
        }
        Value::Object(fields) => fields.values_mut().for_each(cut),
        _ => {}
    }
}

/// A field with both values.
struct Difference {
    field: &'static str,
    ours: String,
    theirs: String,
}

fn differences(ours: &Value, theirs: &Value) -> Vec<Difference> {
    let differing = |field: &'static str| {
        let place = format!("/{}", field.replace('.', "/"));
        let (ours, theirs) = (ours.pointer(&place), theirs.pointer(&place));
        let json = |value: Option<&Value>| value.map_or("nothing".to_owned(), Value::to_string);
        // A place that neither has is a field that was renamed, not an agreement.
        (ours.is_none() || ours != theirs).then(|| Difference { field, ours: json(ours), theirs: json(theirs) })
    };
    FIELDS.into_iter().filter_map(differing).collect()
}

impl Display for Difference {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let alike = self.ours.chars().zip(self.theirs.chars()).take_while(|(our, their)| our == their).count();
        let from = if self.ours.len().max(self.theirs.len()) > SHOWN { alike.saturating_sub(CONTEXT) } else { 0 };
        let shown = |json: &str| {
            let (before, after) = (if from > 0 { "…" } else { "" }, json.chars().nth(from + SHOWN).map_or("", |_| "…"));
            format!("{before}{}{after}", json.chars().skip(from).take(SHOWN).collect::<String>())
        };
        write!(f, "{}: ours {}, the browser's {}", self.field, shown(&self.ours), shown(&self.theirs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_shown_where_it_begins() {
        let long = |end: &str| json!({ "title": format!("{}{end}", "x".repeat(300)) });
        let found = differences(&long("ours"), &long("theirs"));
        let titles: Vec<String> =
            found.iter().filter(|difference| difference.field == "title").map(ToString::to_string).collect();
        let same = "x".repeat(CONTEXT);
        assert_eq!(titles, [format!("title: ours …{same}ours\", the browser's …{same}theirs\"")]);
    }

    #[test]
    fn a_field_that_neither_has_is_no_agreement() {
        assert_eq!(differences(&json!({}), &json!({})).len(), FIELDS.len());
    }

    #[test]
    fn our_summary_has_every_field() {
        let summary = ours(0, &PROBE.as_bytes().to_vec().into()).unwrap();
        assert_eq!(differences(&summary, &summary).iter().map(|found| found.field).collect::<Vec<_>>(), [""; 0]);
        assert_eq!(summary.pointer("/title"), Some(&json!("still")));
    }
}
