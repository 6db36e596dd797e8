//! A page as a site holds it: texts by their numbers.

use std::sync::Arc;

use model::finding::Severity;

use super::links::PageLinks;
use super::lists::ListPlace;
use super::texts::TextId;
use crate::page_facts::{PageAnswer, PageRole};

/// A page.
#[derive(Debug)]
pub struct PageNode {
    /// Its address.
    pub url: TextId,
    /// Why it was asked.
    pub role: PageRole,
    /// HTTP status; `None` without a response.
    pub status: Option<u16>,
    /// What it answered.
    pub answer: NodeAnswer,
    /// Its document, where it answered with one.
    pub document: Option<Box<DocumentNode>>,
    /// Score of its report.
    pub score: Option<u32>,
    /// Findings of its report, by code and place.
    pub findings: Arc<[NodeFinding]>,
    /// Codes that its report did not measure, in order, as in [`NodeFinding::code`].
    pub unmeasured: Arc<[u16]>,
    /// Its links, each target once, in the order of their addresses.
    pub(super) links: PageLinks,
}

/// What a page answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeAnswer {
    /// 2xx with a document.
    Document,
    /// 2xx without one.
    File,
    /// A redirect; where it leads, if that is an address.
    Redirect(u16, Option<TextId>),
    /// Another status.
    Error(u16),
    /// No response; the reason.
    Failed(TextId),
    /// Not asked: robots.txt disallows it.
    Blocked,
}

impl NodeAnswer {
    /// Its name in outputs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Document => "page",
            Self::File => "file",
            Self::Redirect(..) => "redirect",
            Self::Error(500..) => "server_error",
            Self::Error(_) => "client_error",
            Self::Failed(_) => "no_response",
            Self::Blocked => "blocked",
        }
    }

    /// Whether there is no such page: 4xx but for 401, 403, 408 and 429, which may be for us alone.
    pub fn is_gone(self) -> bool {
        matches!(self, Self::Error(status) if (400..500).contains(&status) && !matches!(status, 401 | 403 | 408 | 429))
    }

    /// The status of a server error.
    pub fn server_error(self) -> Option<u16> {
        match self {
            Self::Error(status) if status >= 500 => Some(status),
            _ => None,
        }
    }
}

impl PageAnswer {
    /// Its name in outputs.
    pub fn word(&self) -> &'static str {
        // The name tells neither reason nor target.
        let shape = match self {
            Self::Document(_) => NodeAnswer::Document,
            Self::File => NodeAnswer::File,
            Self::Redirect { status, .. } => NodeAnswer::Redirect(*status, None),
            Self::Error(status) => NodeAnswer::Error(*status),
            Self::Failed(_) => NodeAnswer::Failed(TextId::default()),
            Self::Blocked => NodeAnswer::Blocked,
        };
        shape.word()
    }
}

/// A finding of a page's report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NodeFinding {
    /// Place of its code among [`super::SiteFacts`]' codes.
    pub code: u16,
    /// How bad it is.
    pub severity: Severity,
    /// Where its first element stands; 0 for one without an element.
    pub place: u32,
}

/// A document.
#[derive(Debug)]
pub struct DocumentNode {
    /// Text of `title`.
    pub title: Option<TextId>,
    /// Meta description. One that no other page has is a number without a text.
    pub description: Option<TextId>,
    /// First `h1`.
    pub h1: Option<TextId>,
    /// Language.
    pub lang: Option<TextId>,
    /// Canonical.
    pub canonical: Option<TextId>,
    /// It is made for reading, and has enough words for that when all of them count.
    pub is_prose: bool,
    /// It asks not to be indexed.
    pub noindex: bool,
    /// It asks for none of its links to be followed.
    pub nofollow: bool,
    /// It looks like an error page.
    pub looks_missing: bool,
    /// It has, or may have, more links than are kept.
    pub cut: bool,
    /// Language versions: tag and address, in order.
    pub alternates: Box<[(TextId, TextId)]>,
    /// Images, in order.
    pub images: Box<[TextId]>,
    /// Hash of the skeleton of its markup; its sketch is kept once for all pages that have it.
    pub skeleton: u64,
    /// Its main text. Its hash leaves out what every page of the site repeats.
    pub content: Option<ContentNode>,
    /// Words of its main text that every page of the site repeats.
    pub repeated: u32,
    /// Place of its organization among the site's.
    pub organization: Option<u32>,
    /// Addresses of its breadcrumb, from the root.
    pub breadcrumb: Box<[TextId]>,
    /// Its number in a list of several pages, and the list.
    pub list_page: Option<(u32, TextId)>,
}

/// The main text of a document.
#[derive(Debug)]
pub struct ContentNode {
    /// Hash of its words in order.
    pub hash: u64,
    /// Number of its words.
    pub words: u32,
    /// Sketch of its runs of five words, among the site's.
    pub(super) sketch: ListPlace,
}
