//! What a run keeps of one page: small, without its HTML, and ready to be stored.

use std::collections::BTreeSet;

use model::finding::Severity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::traps::Trap;
use crate::url_list::UrlList;

/// Version of what is kept of pages and of the checks across pages. Runs of two versions are not compared, and pages of another
/// version are asked for again.
pub const FACTS_VERSION: u32 = 5;

/// The facts of one address. What they are made of is never more than the limits of `reading.rs` allow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageFacts {
    /// The address, as [`crate::key`] writes it.
    pub url: String,
    /// Why it was asked.
    #[serde(default)]
    pub role: PageRole,
    /// HTTP status; `None` without a response.
    #[serde(default)]
    pub status: Option<u16>,
    /// What it answered.
    pub answer: PageAnswer,
    /// Score of its report, 0 to 100; `None` where there is no report.
    pub score: Option<u32>,
    /// Findings of its report.
    pub findings: Vec<PageFinding>,
    /// Codes of the checks that its report could not measure, in order: whether it has their findings is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmeasured: Vec<String>,
}

impl PageFacts {
    /// The facts of an address that is not judged and whose status is unknown.
    pub fn unjudged(url: &str, role: PageRole, answer: PageAnswer) -> Self {
        Self {
            url: url.to_owned(),
            role,
            status: None,
            answer,
            score: None,
            findings: Vec::new(),
            unmeasured: Vec::new(),
        }
    }
}

/// Why an address was asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageRole {
    /// As a page of the site.
    #[default]
    Page,
    /// As an image of a page.
    Image,
    /// As the target of a link to another site.
    External,
}

/// What an address answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageAnswer {
    /// 2xx with an HTML document.
    Document(Box<DocumentFacts>),
    /// 2xx without one.
    File,
    /// A redirect, and the key of where it leads; `None` where that is no address that a run knows.
    Redirect {
        /// 301, 302, 303, 307 or 308.
        status: u16,
        /// The target.
        to: Option<String>,
    },
    /// Another status.
    Error(u16),
    /// No response; the reason as a word (`dns`, `connect`, `headers`).
    Failed(String),
    /// Not asked: robots.txt disallows it.
    Blocked,
}

/// One finding of a page's report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageFinding {
    /// Its code.
    pub code: String,
    /// How bad it is on this page.
    pub severity: Severity,
    /// Where its first element stands: a hash of the selector without numbers and ids; 0 for a finding without an element.
    pub place: u32,
}

/// An HTML document. Absent and empty texts are `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DocumentFacts {
    /// Text of the first `title`.
    pub title: Option<String>,
    /// Content of the meta description.
    pub description: Option<String>,
    /// Text of the first `h1`.
    pub h1: Option<String>,
    /// Its language: a BCP 47 tag.
    pub lang: Option<String>,
    /// Its one usable canonical, as a key.
    pub canonical: Option<String>,
    /// It is made for reading, and has enough words for that when all of them count.
    #[serde(default)]
    pub is_prose: bool,
    /// It asks Google not to index it.
    pub noindex: bool,
    /// It asks for none of its links to be followed.
    pub nofollow: bool,
    /// It looks like an error page.
    pub looks_missing: bool,
    /// It has more links than are kept, or may have since its body was cut.
    pub cut: bool,
    /// Language versions that it names: `hreflang` in lower case, and the key of the address.
    pub alternates: Vec<(String, String)>,
    /// Its links to http(s) addresses.
    pub links: Vec<PageLink>,
    /// Keys of its images.
    pub images: Vec<String>,
    /// The shape of its markup.
    pub skeleton: Skeleton,
    /// Its main text; `None` where that is too short to compare.
    pub content: Option<ContentFacts>,
    /// The organization that its structured data describes.
    pub organization: Option<OrganizationFacts>,
    /// Nodes of its structured data that have an `@id` and say more than it.
    pub entities: Vec<EntityFacts>,
    /// Keys of the addresses of its breadcrumb, from the root, as its structured data says.
    pub breadcrumb: Vec<String>,
    /// Its number in a list of several pages, and the address of the list without the number.
    pub list_page: Option<(u32, String)>,
}

/// A link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageLink {
    /// Key of its target.
    pub url: String,
    /// Its text, or the alternative text of its image; cut to 80 characters.
    pub text: String,
    /// `rel` has `nofollow`.
    pub nofollow: bool,
}

/// The shape of a page's markup.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skeleton {
    /// Hash of the set of tag paths.
    pub hash: u64,
    /// Sketch of that set.
    pub sketch: Vec<u16>,
}

/// The main text of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentFacts {
    /// Hash of its words in order.
    pub hash: u64,
    /// Number of its words.
    pub words: u32,
    /// Its script puts spaces between words, so that their number says how much there is to read.
    #[serde(default)]
    pub is_spaced: bool,
    /// Sketch of its runs of five words.
    pub sketch: Vec<u16>,
    /// How the sketch was made: sketches of two kinds can't be compared.
    #[serde(default)]
    pub sketch_kind: u8,
    /// Its first and last blocks, paragraphs and the like: hash and number of words of each. By them texts that every page of a site
    /// repeats are known.
    #[serde(default)]
    pub blocks: Vec<(u32, u16)>,
    /// Hash of the blocks between them.
    #[serde(default)]
    pub between: u64,
}

/// An `Organization` of structured data, or a more special one.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OrganizationFacts {
    /// `@id`.
    pub id: Option<String>,
    /// `name`.
    pub name: Option<String>,
    /// `logo`, its address.
    pub logo: Option<String>,
    /// `telephone`.
    pub telephone: Option<String>,
}

/// A node of structured data with an `@id`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EntityFacts {
    /// `@id`, resolved.
    pub id: String,
    /// `@type`, the first of several by name.
    pub kind: String,
    /// `name` or `headline`; empty where it has none.
    pub name: String,
}

/// A limit of a run that left addresses of the site out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SiteRunLimit")]
pub enum RunLimit {
    /// The number of addresses.
    Pages,
    /// Clicks from the first page.
    Depth,
    /// Links read of one page, or the bytes of it that are read.
    Links,
    /// Sitemap files, or the addresses that they list.
    Sitemaps,
    /// Images, and pages of other sites.
    Resources,
}

/// What a run knows besides its pages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SiteInputs {
    /// Key of the first page.
    pub start: String,
    /// Keys that the sitemaps list; `None` where the site has none, or they could not be read.
    pub listed: Option<UrlList>,
    /// Every sitemap was read to its end.
    pub sitemaps_complete: bool,
    /// Addresses of sitemaps that were named and could not be read to their end.
    #[serde(default)]
    pub unread_sitemaps: Vec<String>,
    /// Every address that was found was asked: the limits of the run left nothing out.
    pub complete: bool,
    /// The limits that left addresses out.
    #[serde(default)]
    pub limits: BTreeSet<RunLimit>,
    /// Keys that nobody links, asked because a visitor may type them.
    pub probes: Vec<String>,
    /// Images were asked.
    pub images_asked: bool,
    /// Targets of links to other sites were asked.
    pub external_asked: bool,
    /// Addresses that were left out as endless.
    pub traps: Vec<Trap>,
}
