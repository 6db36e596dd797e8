//! A page as a site holds it: a record of numbers, with texts and lists by theirs.

use model::finding::Severity;

use super::links::PageLinks;
use super::lists::ListPlace;
use super::texts::TextId;
use crate::column::{Fields, Record, record};
use crate::page_facts::{PageAnswer, PageRole};

/// A page.
#[derive(Debug, Clone, Copy, Default)]
pub struct PageNode {
    /// Its address.
    pub url: TextId,
    /// Why it was asked.
    pub role: PageRole,
    /// HTTP status; `None` without a response.
    pub status: Option<u16>,
    /// What it answered.
    pub answer: NodeAnswer,
    /// Score of its report.
    pub score: Option<u32>,
    /// Findings of its report, by code and place: [`super::SiteFacts::findings`].
    pub(super) findings: ListPlace,
    /// Codes that its report did not measure, in order, as in [`NodeFinding::code`]: [`super::SiteFacts::unmeasured`].
    pub(super) unmeasured: ListPlace,
    /// Its links, each target once, in the order of their addresses.
    pub(super) links: PageLinks,
}

record!(PageNode {
    url: TextId,
    role: PageRole,
    status: Option<u16>,
    answer: NodeAnswer,
    score: Option<u32>,
    findings: ListPlace,
    unmeasured: ListPlace,
    links: PageLinks,
});

impl Record for PageRole {
    const BYTES: usize = 1;

    fn write(self, bytes: &mut [u8]) {
        let number: u8 = match self {
            Self::Page => 0,
            Self::Image => 1,
            Self::External => 2,
        };
        number.write(bytes);
    }

    fn read(bytes: &[u8]) -> Self {
        match u8::read(bytes) {
            0 => Self::Page,
            1 => Self::Image,
            _ => Self::External,
        }
    }
}

/// What a page answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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
    #[default]
    Blocked,
}

impl Record for NodeAnswer {
    const BYTES: usize = u8::BYTES + u16::BYTES + Option::<TextId>::BYTES;

    fn write(self, bytes: &mut [u8]) {
        let (kind, number, text): (u8, u16, Option<TextId>) = match self {
            Self::Blocked => (0, 0, None),
            Self::Document => (1, 0, None),
            Self::File => (2, 0, None),
            Self::Redirect(status, to) => (3, status, to),
            Self::Error(status) => (4, status, None),
            Self::Failed(reason) => (5, 0, Some(reason)),
        };
        let mut fields = Fields(bytes);
        fields.put(kind);
        fields.put(number);
        fields.put(text);
    }

    fn read(bytes: &[u8]) -> Self {
        let mut fields = Fields(bytes);
        let kind: u8 = fields.take();
        let (number, text): (u16, Option<TextId>) = (fields.take(), fields.take());
        match kind {
            1 => Self::Document,
            2 => Self::File,
            3 => Self::Redirect(number, text),
            4 => Self::Error(number),
            5 => Self::Failed(text.unwrap_or_default()),
            _ => Self::Blocked,
        }
    }
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

record!(NodeFinding { code: u16, severity: Severity, place: u32 });

impl Record for Severity {
    const BYTES: usize = 1;

    fn write(self, bytes: &mut [u8]) {
        let number: u8 = match self {
            Self::Error => 0,
            Self::Warn => 1,
            Self::Info => 2,
        };
        number.write(bytes);
    }

    fn read(bytes: &[u8]) -> Self {
        match u8::read(bytes) {
            0 => Self::Error,
            1 => Self::Warn,
            _ => Self::Info,
        }
    }
}

/// A document.
#[derive(Debug, Clone, Copy, Default)]
pub struct DocumentNode {
    /// Text of `title`.
    pub title: Option<TextId>,
    /// Meta description.
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
    /// Language versions: tag and address, in order: [`super::SiteFacts::alternates`].
    pub(super) alternates: ListPlace,
    /// Images, in order: [`super::SiteFacts::images`].
    pub(super) images: ListPlace,
    /// Hash of the skeleton of its markup; its sketch is kept once for all pages that have it.
    pub skeleton: u64,
    /// Its main text. Its hash leaves out what every page of the site repeats.
    pub content: Option<ContentNode>,
    /// Words of its main text that every page of the site repeats.
    pub repeated: u32,
    /// Place of its organization among the site's.
    pub organization: Option<u32>,
    /// Addresses of its breadcrumb, from the root: [`super::SiteFacts::breadcrumb`].
    pub(super) breadcrumb: ListPlace,
    /// Its number in a list of several pages, and the list.
    pub list_page: Option<(u32, TextId)>,
}

record!(DocumentNode {
    title: Option<TextId>,
    description: Option<TextId>,
    h1: Option<TextId>,
    lang: Option<TextId>,
    canonical: Option<TextId>,
    is_prose: bool,
    noindex: bool,
    nofollow: bool,
    looks_missing: bool,
    cut: bool,
    alternates: ListPlace,
    images: ListPlace,
    skeleton: u64,
    content: Option<ContentNode>,
    repeated: u32,
    organization: Option<u32>,
    breadcrumb: ListPlace,
    list_page: Option<(u32, TextId)>,
});

/// The main text of a document.
#[derive(Debug, Clone, Copy, Default)]
pub struct ContentNode {
    /// Hash of its words in order.
    pub hash: u64,
    /// Number of its words.
    pub words: u32,
    /// Sketch of its runs of five words, among the site's.
    pub(super) sketch: ListPlace,
}

record!(ContentNode { hash: u64, words: u32, sketch: ListPlace });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::Column;
    use crate::spill::Spill;

    #[test]
    fn records_are_as_they_were_put_in() {
        let answers = [
            NodeAnswer::Document,
            NodeAnswer::File,
            NodeAnswer::Redirect(308, Some(TextId(7))),
            NodeAnswer::Redirect(301, None),
            NodeAnswer::Error(404),
            NodeAnswer::Failed(TextId(9)),
            NodeAnswer::Blocked,
        ];
        let roles = [PageRole::Page, PageRole::Image, PageRole::External];
        let mut pages = Column::new(&Spill::default());
        for (answer, role) in answers.into_iter().zip(roles.into_iter().cycle()) {
            pages.push(PageNode {
                url: TextId(3),
                role,
                status: Some(200),
                answer,
                score: Some(87),
                ..PageNode::default()
            });
        }
        assert!(pages.iter().map(|page| page.answer).eq(answers));
        assert!(pages.iter().map(|page| page.role).eq(roles.into_iter().cycle().take(answers.len())));
        assert!(pages.iter().all(|page| (page.url, page.status, page.score) == (TextId(3), Some(200), Some(87))));
        let mut documents = Column::new(&Spill::default());
        let content = ContentNode { hash: u64::MAX - 1, words: 99, sketch: ListPlace::default() };
        documents.push(DocumentNode {
            h1: Some(TextId(5)),
            noindex: true,
            content: Some(content),
            organization: Some(4),
            list_page: Some((2, TextId(8))),
            ..DocumentNode::default()
        });
        let document = documents.get(0).unwrap();
        assert_eq!((document.title, document.h1, document.organization), (None, Some(TextId(5)), Some(4)));
        assert_eq!(document.content.map(|content| (content.hash, content.words)), Some((u64::MAX - 1, 99)));
        assert_eq!((document.noindex, document.nofollow, document.list_page), (true, false, Some((2, TextId(8)))));
        let mut findings = Column::new(&Spill::default());
        let found = [Severity::Error, Severity::Warn, Severity::Info];
        let found = found.map(|severity| NodeFinding { code: 300, severity, place: u32::MAX });
        findings.extend(&found);
        assert!(findings.iter().eq(found));
    }
}
