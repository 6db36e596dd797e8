//! Texts that every page of a site repeats: a header or footer that no element of that name holds.

use std::collections::BTreeMap;

use super::PageId;
use super::node::DocumentNode;
use crate::column::{Column, record};
use crate::content::FEWEST_WORDS;
use crate::page_facts::ContentFacts;
use crate::sketch::joined;
use crate::spill::Spill;

/// Pages below which no text is taken for repeated. Chosen: on fewer, it may be what they are about.
const FEWEST_PAGES: usize = 5;
/// Share of the pages that have a repeated text, in percent. Chosen: some pages are made for print or for a single campaign.
const SHARE: usize = 90;

/// Blocks of the texts of pages, one text after the other.
#[derive(Debug)]
pub(super) struct TextBlocks {
    /// Hash and number of words of each block.
    blocks: Column<(u32, u16)>,
    texts: Column<BlockList>,
}

/// The blocks of a text.
#[derive(Debug, Clone, Copy)]
struct BlockList {
    /// Place of the page.
    page: u32,
    start: u64,
    length: u32,
    /// Hash of the blocks that are not kept.
    between: u64,
}

record!(BlockList { page: u32, start: u64, length: u32, between: u64 });

impl TextBlocks {
    /// No texts.
    pub(super) fn new(spill: &Spill) -> Self {
        Self { blocks: Column::new(spill), texts: Column::new(spill) }
    }

    /// Takes the blocks of the text of a page.
    pub(super) fn add(&mut self, page: PageId, content: &ContentFacts) {
        let (start, length) = (self.blocks.len() as u64, content.blocks.len() as u32);
        self.blocks.extend(&content.blocks);
        self.texts.push(BlockList { page, start, length, between: content.between });
    }

    /// Hash and number of words of each block of a text.
    fn of(&self, text: BlockList) -> Vec<(u32, u16)> {
        let start = text.start as usize;
        self.blocks.range(start..start + text.length as usize)
    }

    /// Notes of each page how many of its words the site repeats, and takes them out of the hash of its text. Repeated is a block
    /// that the first page has, and nearly all pages: what only the pages of one template share may be copied text, which is to be
    /// found. `start` is the first page. The order of the pages does not matter.
    pub(super) fn note(self, documents: &mut Column<DocumentNode>, start: Option<PageId>) {
        let first = self.texts.iter().find(|text| Some(text.page) == start);
        // Of each block of the first page: the pages that have it, and the last of them.
        let mut users: BTreeMap<u32, (usize, u32)> = BTreeMap::new();
        users.extend(first.into_iter().flat_map(|first| self.of(first)).map(|(hash, _)| (hash, (0, u32::MAX))));
        let total = self.texts.len();
        if total < FEWEST_PAGES || users.is_empty() {
            return;
        }
        for text in self.texts.iter() {
            for (hash, _) in self.of(text) {
                if let Some((count, last)) = users.get_mut(&hash).filter(|(_, last)| *last != text.page) {
                    (*count, *last) = (*count + 1, text.page);
                }
            }
        }
        let is_repeated = |hash: u32| users.get(&hash).is_some_and(|(count, _)| count * 100 >= SHARE * total);
        for text in self.texts.iter() {
            let place = text.page as usize;
            let Some(mut document) = documents.get(place) else { continue };
            let Some(content) = &mut document.content else { continue };
            let (of_site, own): (Vec<_>, Vec<_>) = self.of(text).into_iter().partition(|(hash, _)| is_repeated(*hash));
            document.repeated = of_site.iter().map(|(_, words)| u32::from(*words)).sum();
            // A page with little text of its own is compared by all of it.
            if document.repeated > 0 && content.words.saturating_sub(document.repeated) >= FEWEST_WORDS {
                content.hash = own.iter().fold(text.between, |sum, (hash, _)| joined(sum, u64::from(*hash)));
            }
            documents.set(place, document);
        }
    }
}
