//! The forms of a sitemap, and what the protocol and an audit allow of them.

/// Sitemap files asked for in one audit, indexes among them: a tree of indexes must not make an audit endless.
pub const MOST_FILES: usize = 20;
/// URLs that one file may list, and files that one index may (sitemaps.org protocol).
pub const MOST_URLS: u64 = 50_000;
/// Bytes of one address: "must be less than 2,048 characters" (sitemaps.org protocol). Longer ones are only counted.
pub const MOST_LOC_BYTES: usize = 2_048;

/// The forms of a sitemap that search engines read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SitemapKind {
    /// XML with `urlset`.
    Urlset,
    /// XML with `sitemapindex`: it lists other files.
    Index,
    /// RSS 2.0.
    Rss,
    /// Atom 1.0 (RFC 4287).
    Atom,
    /// One address a line.
    Text,
}
