//! Sitemaps of plain text: one absolute URL a line (sitemaps.org protocol, "Text file").

use super::fault::{EMPTY, NOT_URL, SitemapFault, quoting};
use super::kind::{MOST_LOC_BYTES, SitemapKind};
use super::reading::{SitemapReading, fetchable};

/// Reads every line. `cut`: the last line may not be whole, and is left out.
pub(super) fn read(source: &str, cut: bool, reading: &mut SitemapReading<'_>) {
    let whole = if cut { source.rfind('\n').map_or("", |at| source.get(..at).unwrap_or_default()) } else { source };
    let mut start = 0;
    let mut first = true;
    for raw in whole.split_inclusive(['\n', '\r']) {
        let line = raw.trim();
        if !line.is_empty() {
            take(source, start, line, first, reading);
            first = false;
        }
        start += raw.len();
    }
    if first && !cut {
        reading.fail(SitemapFault::of_file(EMPTY));
    }
}

fn take(source: &str, start: usize, line: &str, first: bool, reading: &mut SitemapReading<'_>) {
    if line.len() > MOST_LOC_BYTES {
        reading.counting.too_long(line);
        reading.take(None, None);
    } else if fetchable(line).is_some() {
        // A file is one of addresses if it begins with one: else any text file would be a sitemap.
        if first {
            reading.kind = Some(SitemapKind::Text);
        }
        reading.take(Some(line), None);
    } else if reading.fault.is_none() {
        reading.fail(SitemapFault::at(source, start, quoting(NOT_URL, line)));
    }
}
