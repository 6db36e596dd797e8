//! `cargo xtask calibrate`: how often each check fires on real pages, and what the pages score.
//!
//! Each page is judged as a site would serve it, under the address that it gives itself or a host of its own: with the usual headers, a robots.txt that names a
//! sitemap, a sitemap that lists the page, and 404 for everything else. So what fires is the page's.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use model::capture::{Body, Capture, Coding, Exchange, Extra, Fetched, Source, Timing, Want, WantKind};
use model::finding::Severity;
use model::report::Report;
use model::time::Timestamp;

/// Why a check that takes points deserves it though it fires on many pages: code, tab, reason.
const REASONS: &str = include_str!("calibrate/reasons.tsv");
/// The share of pages, one in so many, past which an error or a warning must say why.
const OFTEN: usize = 3;
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
    let table = table(&reports);
    println!("{table}");
    if is_written {
        std::fs::write(root.join("docs/calibration.md"), &table).context("docs/calibration.md could not be written")?;
    }
    let unexplained = unexplained(&reports);
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
        let url = own_address(&audit::report(&capture(&made_up, bytes.clone()))).unwrap_or(made_up);
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
        body: Body { bytes, ..Body::default() },
        timing: Timing::default(),
        ambiguous_length: false,
        certificate: None,
    }
}

/// How many pages each code fires on.
fn fired(reports: &[(String, Report)]) -> BTreeMap<&str, usize> {
    let mut fired = BTreeMap::new();
    for finding in reports.iter().flat_map(|(_, report)| &report.findings) {
        *fired.entry(finding.code.as_str()).or_default() += 1;
    }
    fired
}

fn reason(code: &str) -> Option<&'static str> {
    REASONS.lines().filter_map(|line| line.split_once('\t')).find(|(known, _)| *known == code).map(|(_, why)| why)
}

/// Codes that take points on over a third of the pages without a reason.
fn unexplained(reports: &[(String, Report)]) -> Vec<String> {
    let fired = fired(reports);
    let often = fired.into_iter().filter(|(_, pages)| pages * OFTEN > reports.len()).map(|(code, _)| code);
    let takes_points = |code: &&str| audit::checks::find(code).is_some_and(|check| check.severity != Severity::Info);
    often.filter(takes_points).filter(|code| reason(code).is_none()).map(str::to_owned).collect()
}

/// The table as Markdown.
fn table(reports: &[(String, Report)]) -> String {
    let mut scores: Vec<u32> = reports.iter().map(|(_, report)| report.score).collect();
    scores.sort_unstable();
    let at = |part: usize| scores.get((scores.len() - 1) * part / 4).copied().unwrap_or_default();
    let fired = fired(reports);
    let mut out = format!(
        "# Calibration\n\n`cargo xtask calibrate --write` wrote this: {} real pages, each judged as a site of its own would serve \
         it, by catalog {}.\n\nScores: least {}, lower quartile {}, median {}, upper quartile {}, most {}.\n\n\
         | code | severity | pages | of all |\n|---|---|--:|--:|\n",
        reports.len(),
        audit::report::CATALOG_VERSION,
        at(0),
        at(1),
        at(2),
        at(3),
        at(4)
    );
    let mut rows: Vec<(&str, Severity, usize)> = audit::checks::all()
        .map(|check| (check.code, check.severity, fired.get(check.code).copied().unwrap_or_default()))
        .collect();
    rows.sort_by_key(|(code, _, pages)| (std::cmp::Reverse(*pages), *code));
    let never: Vec<&str> = rows.iter().filter(|(_, _, pages)| *pages == 0).map(|(code, _, _)| *code).collect();
    for (code, severity, pages) in rows.iter().filter(|(_, _, pages)| *pages > 0) {
        let share = pages * 100 / reports.len();
        // Writing to a text does not fail.
        let _ = writeln!(out, "| `{code}` | {} | {pages} | {share} % |", severity.word());
    }
    let _ = writeln!(out, "\nNever: {}.", never.iter().map(|code| format!("`{code}`")).collect::<Vec<_>>().join(", "));
    let _ = writeln!(out, "\n## Errors and warnings on over a third of the pages\n");
    for (code, _, _) in
        rows.iter().filter(|(_, severity, pages)| *severity != Severity::Info && pages * OFTEN > reports.len())
    {
        let _ = writeln!(out, "- `{code}`: {}", reason(code).unwrap_or("no reason is written"));
    }
    out
}
