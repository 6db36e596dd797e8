//! `cargo xtask calibrate`: how often each check fires on real pages, and what the pages score.
//!
//! Each page is judged as a site would serve it, under the address that it gives itself or a host of its own: with the usual headers, a robots.txt that names a
//! sitemap, a sitemap that lists the page, and 404 for everything else. So what fires is the page's.

mod ranking;
mod table;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use model::capture::{Body, Capture, Coding, Exchange, Extra, Fetched, Source, Timing, Want, WantKind};
use model::report::Report;
use model::time::Timestamp;

/// Pages whose canonical is the address of another page, as docs/ranking.md says of them: served there, what is worst about
/// them would not show.
const CANONICAL_OF_ANOTHER: [&str; 1] = ["yahoo-2"];
/// What is asked for beside the page, at most: a loop that does not end is a defect.
const MOST_FILES: usize = 64;
/// How a PNG of 1200 by 630 pixels begins.
const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x04\xb0\0\0\x02\x76\x08\x02\0\0\0";
/// When the pages were asked for: fixed, so that the same pages give the same table.
const AT: Timestamp = Timestamp(1_795_219_200_000);

/// Judges the pages of a folder (default: the corpus), prints the table, and writes it where `--write` says so.
pub(crate) fn calibrate(root: &Path, arguments: impl Iterator<Item = String>) -> Result<()> {
    let (mut folder, mut is_written) = (None, false);
    for argument in arguments {
        match argument.as_str() {
            "--write" => is_written = true,
            other if other.starts_with('-') => bail!("there is no option {other}; there is --write"),
            other => folder = Some(PathBuf::from(other)),
        }
    }
    let shared = std::env::var("SITE_AUDIT_SHARED").unwrap_or_else(|_| "../shared".to_owned());
    let folder = folder.unwrap_or_else(|| root.join(shared).join("corpus"));
    if !folder.exists() {
        println!("passed over: there is no {} (set SITE_AUDIT_SHARED)", folder.display());
        return Ok(());
    }
    let reports = reports(&folder)?;
    if reports.is_empty() {
        bail!("{} holds no .html files", folder.display());
    }
    let table = table::table(&reports);
    println!("{table}");
    if is_written {
        std::fs::write(root.join("docs/calibration.md"), &table).context("docs/calibration.md could not be written")?;
    }
    let correlation = ranking::correlation(&ranking::ranked(&reports));
    if correlation < ranking::LEAST && folder.ends_with("corpus") {
        bail!("the scores agree with docs/ranking.md by {correlation:.2} only; {} is the least", ranking::LEAST);
    }
    let unexplained = table::unexplained(&reports);
    if !unexplained.is_empty() {
        bail!(
            "these take points on over a third of the pages, and xtask/src/calibrate/reasons.tsv does not say why: {}",
            unexplained.join(", ")
        );
    }
    Ok(())
}

/// The report of each page, in the order of their names.
fn reports(folder: &Path) -> Result<Vec<(String, Report)>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("{} could not be listed", folder.display()))?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "html"));
    files.sort();
    let read = |file: &PathBuf| {
        let bytes = std::fs::read(file).with_context(|| format!("{} could not be read", file.display()))?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        // Names of files are no names of pages; a host of its own keeps the page from linking to itself by chance.
        let number: String = name.chars().take_while(char::is_ascii_digit).collect();
        let made_up = format!("https://www.site-{number}.example/guides/page-{number}");
        let declared = || own_address(&audit::report(&capture(&made_up, bytes.clone())));
        let is_elsewhere = CANONICAL_OF_ANOTHER.contains(&name.as_str());
        let url = if is_elsewhere { None } else { declared() }.unwrap_or(made_up);
        Ok((name, audit::report(&capture(&url, bytes))))
    };
    files.iter().map(read).collect()
}

/// Where the page says that it belongs: its canonical, else its `og:url`; with https, as it would be served today.
fn own_address(report: &Report) -> Option<String> {
    let summary = report.summary.as_ref()?;
    let declared = [summary.canonical.as_ref(), summary.open_graph.get("og:url")];
    let address = declared.into_iter().flatten().find_map(|url| {
        let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
        let rest = rest.split('#').next().unwrap_or_default();
        Some(format!("https://{}{}", rest, if rest.contains('/') { "" } else { "/" }))
    })?;
    (!address.contains(".example/")).then_some(address)
}

/// A page as a site would serve it.
fn capture(url: &str, bytes: Vec<u8>) -> Capture {
    let headers = [
        ("content-type", "text/html; charset=utf-8"),
        ("content-encoding", "gzip"),
        ("cache-control", "max-age=600"),
        ("etag", "\"1\""),
        ("strict-transport-security", "max-age=31536000"),
        ("x-content-type-options", "nosniff"),
    ];
    let mut page = exchange(url, 200, &headers, bytes);
    page.body.coding = Coding::Decoded("gzip".to_owned());
    page.timing = Timing { ttfb_ms: Some(120), total_ms: 180, http_version: "HTTP/2".to_owned(), ..Timing::default() };
    let mut capture = Capture {
        requested_url: url.to_owned(),
        started_at: AT,
        nonce: "0123456789abcdef0123456789abcdef".to_owned(),
        source: Source::Network,
        page: Fetched::Response(page),
        extras: Vec::new(),
        field_data: None,
    };
    let read = audit::Page::read(&capture);
    // As the audit loop asks, until nothing more is wanted.
    for _ in 0..MOST_FILES {
        let files = audit::SiteFiles::read(&capture, &read);
        let Some(want) = audit::wanted(&capture, &read, &files).into_iter().next() else { break };
        let fetched = Fetched::Response(answer(&want, url));
        capture.extras.push(Extra { want, fetched });
    }
    capture
}

fn answer(want: &Want, page: &str) -> Exchange {
    let origin = page.split('/').take(3).collect::<Vec<_>>().join("/");
    let (status, kind, body) = match want.kind {
        WantKind::RobotsTxt => {
            (200, "text/plain", format!("User-agent: *\nAllow: /\n\nSitemap: {origin}/sitemap.xml\n"))
        }
        WantKind::Sitemap => (
            200,
            "application/xml",
            format!(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
                 <url><loc>{page}</loc></url></urlset>"
            ),
        ),
        WantKind::Favicon | WantKind::OgImage | WantKind::LargestImage => {
            return exchange(&want.url, 200, &[("content-type", "image/png")], PICTURE.to_vec());
        }
        WantKind::CanonicalTarget | WantKind::HreflangTarget => (
            200,
            "text/html; charset=utf-8",
            "<!doctype html><title>Another page</title><h1>Another page</h1>".to_owned(),
        ),
        WantKind::PlainHttp => return exchange(&want.url, 301, &[("location", page)], Vec::new()),
        _ => (404, "text/plain", "Not found".to_owned()),
    };
    exchange(&want.url, status, &[("content-type", kind)], body.into_bytes())
}

fn exchange(url: &str, status: u16, headers: &[(&str, &str)], bytes: Vec<u8>) -> Exchange {
    Exchange {
        hops: Vec::new(),
        url: url.to_owned(),
        status,
        headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        body: Body { bytes: bytes.into(), ..Body::default() },
        timing: Timing::default(),
        ambiguous_length: false,
        certificate: None,
    }
}
