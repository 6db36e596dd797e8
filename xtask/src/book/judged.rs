//! The built pages, judged: every link leads somewhere, and our own audit gives each page 100.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, bail};
use audit::supplied::Supplied;
use html::{NodeId, Options};
use model::time::Timestamp;

use super::pages::{address, collect};

/// Judges the pages of a site that will be at `base_url`.
pub(super) fn check(site: &Path, base_url: &str) -> Result<()> {
    let mut files = Vec::new();
    collect(site, "html", &mut files)?;
    let names = files.iter().map(|file| Ok(file.strip_prefix(site)?.to_owned())).collect::<Result<Vec<PathBuf>>>()?;
    let read = |name: &PathBuf| Ok((name.clone(), fs::read_to_string(site.join(name))?));
    let pages: BTreeMap<PathBuf, String> = names.iter().map(read).collect::<Result<_>>()?;
    let mut faults = broken(site, &pages)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis();
    let now = Timestamp(i64::try_from(now)?);
    let mut audited = 0;
    for (name, text) in pages.iter().filter(|(_, text)| text.contains("<link rel=\"canonical\"")) {
        let url = url_of(&address(base_url, name))?;
        let report = audit::report(&Supplied::page(url, text.clone().into_bytes()).capture(now));
        audited += 1;
        if report.score != 100 {
            let codes: Vec<&str> =
                report.findings.iter().filter(|one| one.points > 0).map(|one| one.code.as_str()).collect();
            faults.push(format!("{}: {} of 100: {}", name.display(), report.score, codes.join(", ")));
        }
    }
    if faults.is_empty() {
        println!("every link leads somewhere, and each of {audited} pages has 100 of 100");
        return Ok(());
    }
    bail!("{}\n{} faults", faults.join("\n"), faults.len())
}

fn url_of(text: &str) -> Result<url::Url> {
    url::Url::parse(text).with_context(|| text.to_owned())
}

/// Links to pages or places that are not there.
fn broken(site: &Path, pages: &BTreeMap<PathBuf, String>) -> Result<Vec<String>> {
    let attributes = |text: &str, name: &str| -> Vec<String> {
        let tree = html::parse(text.to_owned(), &Options::default());
        let elements = tree.descendants(NodeId::DOCUMENT);
        elements.filter_map(|id| Some(tree.attribute(id, name)?.value().to_owned())).collect()
    };
    let places: BTreeMap<&PathBuf, BTreeSet<String>> =
        pages.iter().map(|(name, text)| (name, attributes(text, "id").into_iter().collect())).collect();
    let base = url_of("https://site.example/")?;
    let mut faults = Vec::new();
    for (name, text) in pages {
        let own = base.join(&name.to_string_lossy())?;
        for target in attributes(text, "href").into_iter().chain(attributes(text, "src")) {
            let Ok(url) = own.join(&target) else {
                faults.push(format!("{}: {target} is no address", name.display()));
                continue;
            };
            if url.origin() != base.origin() {
                continue;
            }
            let mut path = PathBuf::from(url.path().trim_start_matches('/'));
            if url.path().ends_with('/') {
                path.push("index.html");
            }
            let fragment = url.fragment().filter(|fragment| !fragment.is_empty());
            let has_place = |fragment: &str| places.get(&path).is_none_or(|places| places.contains(fragment));
            if !site.join(&path).is_file() {
                faults.push(format!("{}: {target} leads nowhere", name.display()));
            } else if fragment.is_some_and(|fragment| !has_place(fragment)) {
                faults.push(format!("{}: {target} names no place", name.display()));
            }
        }
    }
    Ok(faults)
}
