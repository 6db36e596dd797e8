//! What a page declares (ResumoPagina) and its inner shapes.
#![expect(missing_docs, reason = "the fields are the contract's own names; each struct says what it counts")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::discovery::Discovery;
use crate::field_data::FieldData;
use crate::lab::LabTests;
use crate::lang::{Lang, Phrase};
use crate::rendered::RenderedPages;

/// What the page declares, field by field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ResumoPagina")]
pub struct PageSummary<T = Phrase> {
    pub final_url: String,
    /// Null for a supplied page: nothing was fetched.
    pub status: Option<u16>,
    pub content_type: Option<String>,
    pub title: Option<String>,
    pub meta_description: Option<String>,
    pub canonical: Option<String>,
    pub robots: Option<String>,
    pub viewport: Option<String>,
    pub charset: Option<String>,
    pub lang: Option<String>,
    pub favicon: Option<String>,
    /// `declared`, or `default` when found by its path.
    pub favicon_source: Option<String>,
    pub h1s: Vec<String>,
    pub open_graph: BTreeMap<String, String>,
    pub twitter: BTreeMap<String, String>,
    pub json_ld_count: u32,
    pub json_ld_blocks: u32,
    pub json_ld_dropped: bool,
    pub json_ld_types: Vec<String>,
    pub json_ld_errors: u32,
    pub images: ImageCounts,
    pub links: LinkCounts,
    pub words: u32,
    pub hreflang: Vec<Alternate>,
    pub legacy: LegacyCounts,
    pub redirects: Vec<Redirect>,
    pub robots_txt: RobotsTxtSummary,
    pub sitemap: SitemapSummary,
    pub discovery: Option<Discovery<T>>,
    pub x_robots_tag: XRobotsTag,
    pub canonical_header: Option<CanonicalHeader>,
    pub timing: Option<TimingSummary>,
    pub headings: HeadingSummary,
    pub scripts: ScriptSummary,
    /// What the page says about itself, as fixes take it: `title`, `headline`, `description`, `image`, `author`,
    /// `datePublished`, `dateModified`, `type`, `siteName` and `breadcrumb`, each where it is known. Absent of a page that is
    /// not HTML.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resolved: BTreeMap<String, ResolvedValue>,
    /// Field data, where it was asked for and there is some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crux: Option<FieldData>,
    /// The latest lab test of each strategy, where there was one. Added to the audit later; its score stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lab: Option<LabTests<T>>,
    /// What scripts change of the page, where a lab test looked. Added with the test; score and findings stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rendered: Option<RenderedPages<T>>,
    /// Systems that the page was made with, by certain evidence. Not every system shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub platform: Vec<Platform>,
    /// Until when what the page and its site declare is valid, earliest first, at most 50; the past included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expiries: Vec<crate::expiry::Expiry>,
}

impl PageSummary<Phrase> {
    /// The summary as a reader of `lang` gets it.
    pub fn in_lang(&self, lang: Lang) -> PageSummary<String> {
        let s = self.clone();
        PageSummary {
            discovery: self.discovery.as_ref().map(|discovery| discovery.in_lang(lang)),
            final_url: s.final_url,
            status: s.status,
            content_type: s.content_type,
            title: s.title,
            meta_description: s.meta_description,
            canonical: s.canonical,
            robots: s.robots,
            viewport: s.viewport,
            charset: s.charset,
            lang: s.lang,
            favicon: s.favicon,
            favicon_source: s.favicon_source,
            h1s: s.h1s,
            open_graph: s.open_graph,
            twitter: s.twitter,
            json_ld_count: s.json_ld_count,
            json_ld_blocks: s.json_ld_blocks,
            json_ld_dropped: s.json_ld_dropped,
            json_ld_types: s.json_ld_types,
            json_ld_errors: s.json_ld_errors,
            images: s.images,
            links: s.links,
            words: s.words,
            hreflang: s.hreflang,
            legacy: s.legacy,
            redirects: s.redirects,
            robots_txt: s.robots_txt,
            sitemap: s.sitemap,
            x_robots_tag: s.x_robots_tag,
            canonical_header: s.canonical_header,
            timing: s.timing,
            headings: s.headings,
            scripts: s.scripts,
            resolved: s.resolved,
            crux: s.crux,
            lab: self.lab.as_ref().map(|lab| lab.in_lang(lang)),
            rendered: self.rendered.as_ref().map(|pages| pages.in_lang(lang)),
            platform: s.platform,
            expiries: s.expiries,
        }
    }
}

/// A value that the page declares about itself. `source` names the place: `h1`, `og_title`, `structured_data` and so on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResolvedValue {
    pub value: String,
    pub source: String,
    pub confidence: Confidence,
}

/// How certain a value is. A fix is ready to paste with values of `high` confidence only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// A guess.
    Low,
    /// One source supports it.
    Medium,
    /// The page states it for this purpose, or two places agree.
    High,
}

/// `img` elements of the document.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImageCounts {
    pub total: u32,
    pub without_alt: u32,
    pub empty_alt: u32,
    pub without_dimensions: u32,
    pub lazy: u32,
}

/// `a[href]` elements of the document, repeats and fragments counted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkCounts {
    pub internal: u32,
    pub external: u32,
    pub without_text: u32,
    pub nofollow: u32,
    pub total: u32,
}

/// Markup that HTML calls obsolete.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LegacyCounts {
    pub font_tags: u32,
    pub center_tags: u32,
    pub layout_tables: u32,
    pub frames: u32,
    pub marquees: u32,
    pub bgcolor_attributes: u32,
    pub other_obsolete: u32,
}

/// One redirect, in order. `kind` is `http`, or `meta` for a refresh that names a URL (never followed).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Redirect {
    pub url: String,
    pub status: u16,
    pub location: String,
    pub kind: String,
}

/// What robots.txt says of this URL. `state` is `found`, `missing`, `unreachable`, `invalid`, or `notAsked` where nobody
/// asked for it (supplied bytes, or the time ran out before); `status` is null where no answer came.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RobotsTxtSummary {
    pub url: Option<String>,
    pub status: Option<u16>,
    pub state: String,
    pub allowed: Option<bool>,
    pub rule: Option<String>,
    pub line: Option<u32>,
    pub user_agent: Option<String>,
    pub sitemaps: Vec<String>,
    pub ai_crawlers: BTreeMap<String, bool>,
    /// By product token: what holds for Googlebot, Bingbot, the crawlers of AI products and the groups of the file, and as `*`
    /// for every other crawler. Not in audits made before 2026-11-23, nor where no file could be read.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<String, AgentVerdict>,
    pub size: u64,
    pub truncated: bool,
}

/// Whether a crawler may fetch the page, by robots.txt (RFC 9309).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentVerdict {
    /// Whether it may be fetched.
    pub allowed: bool,
    /// The group that applies: its own token in lower case, or `*`; absent if none applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The deciding line, as written; absent if none matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Line number, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// Whether the URL is in a sitemap that robots.txt declares, or in one at a usual place.
/// `declared`: `Sitemap` values of robots.txt as written. `checked`: files that were asked for, in order. `found`: null
/// when not every file was read to its end and none of the others lists the page. `url`: the file that lists it, and
/// `lastmod` what it says of it there. `urls`: pages seen in all files, repeats counted.
/// `state` is `found`; `absent` (all files read, none lists it); `missing` (there is no sitemap); `invalid` (a file has a
/// syntax error); `tooLarge` (past the protocol's limits or ours); `notAsked` (supplied bytes, or no time for robots.txt); or
/// `unreachable`: files did not answer, or, with an empty `checked`, no readable robots.txt allowed to ask.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SitemapSummary {
    pub declared: Vec<String>,
    pub checked: Vec<String>,
    pub found: Option<bool>,
    pub url: Option<String>,
    pub lastmod: Option<String>,
    pub state: String,
    pub urls: u64,
}

/// One language alternate. `source` is `link`, `header` or `sitemap`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Alternate {
    pub lang: String,
    pub href: String,
    pub source: String,
}

/// The `X-Robots-Tag` headers, raw and read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct XRobotsTag {
    pub raw: Vec<String>,
    pub directives: Vec<RobotsDirective>,
}

/// One directive and the agent it is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RobotsDirective {
    pub user_agent: Option<String>,
    pub directive: String,
    pub value: Option<String>,
}

/// The canonical URL of the `Link` header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CanonicalHeader {
    pub href: String,
    pub raw: String,
}

/// Durations of the final hop; `totalMs` from the first request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimingSummary {
    pub dns_ms: Option<u32>,
    pub connect_ms: Option<u32>,
    pub tls_ms: Option<u32>,
    pub ttfb_ms: Option<u32>,
    pub download_ms: Option<u32>,
    pub total_ms: u32,
    pub bytes: u64,
    pub decoded_bytes: u64,
    pub http_version: String,
    pub encoding: Option<String>,
}

/// Headings by level, and the outline (first 100).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct HeadingSummary {
    pub h1: u32,
    pub h2: u32,
    pub h3: u32,
    pub h4: u32,
    pub h5: u32,
    pub h6: u32,
    pub outline: Vec<OutlineEntry>,
}

/// One heading of the outline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutlineEntry {
    pub level: u8,
    pub text: String,
}

/// `script` elements, data blocks included in `total`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScriptSummary {
    pub total: u32,
    pub external: u32,
    pub inline: u32,
    pub module: u32,
    pub r#async: u32,
    pub defer: u32,
    pub blocking_head: u32,
    pub bytes_inline: u64,
    pub third_party_origins: Vec<String>,
}

/// A system that made the page, or a part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Platform {
    /// Its name: `WordPress`.
    pub name: String,
    /// Kind of system.
    pub kind: PlatformKind,
    /// Its version, where the page states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Evidence: one to three signs.
    pub evidence: Vec<PlatformEvidence>,
}

/// Kind of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlatformKind {
    /// A plugin of a content management system that writes titles, descriptions and structured data.
    SeoPlugin,
    /// AMP markup.
    Amp,
    /// A content management system.
    Cms,
    /// A shop system.
    Shop,
    /// A generator or framework whose templates write the page.
    Framework,
    /// A cookie consent tool.
    Consent,
    /// Spam protection for forms.
    SpamGuard,
    /// A plugin that manages partner links.
    Affiliate,
}

/// One sign of a system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlatformEvidence {
    /// Where the sign was found.
    pub place: PlatformPlace,
    /// The source from there, or the header, at most 160 characters.
    pub snippet: String,
    /// 1-based line of the page; absent for a header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// Place of a sign of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlatformPlace {
    /// `meta name=generator`.
    Generator,
    /// The name of another `meta`.
    Meta,
    /// A comment.
    Comment,
    /// Id, class, type or another attribute of a script element.
    Script,
    /// The id of an element.
    Id,
    /// An attribute of `html`.
    Html,
    /// The `rel` of a link, in the page or in a `Link` header.
    Link,
    /// The address of a style sheet or script.
    Address,
    /// The name of a form field.
    Field,
    /// A response header.
    Header,
}
