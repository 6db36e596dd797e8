//! Texts that every page of a site repeats: a header or footer that no element of that name holds.

use std::collections::BTreeMap;

use super::node::PageNode;
use crate::content::FEWEST_WORDS;
use crate::page_facts::ContentFacts;
use crate::sketch::joined;

/// Pages below which no text is taken for repeated. Chosen: on fewer, it may be what they are about.
const FEWEST_PAGES: usize = 5;
/// Share of the pages that have a repeated text, in percent. Chosen: some pages are made for print or for a single campaign.
const SHARE: usize = 90;

/// Blocks of the texts of pages, one text after the other. They take more memory than the rest of a page, and go back to the
/// system in one piece when they are known by their sums.
#[derive(Debug, Default)]
pub(super) struct TextBlocks {
    hashes: Vec<u32>,
    /// Number of words of each block.
    words: Vec<u16>,
    texts: Vec<TextEnd>,
}

/// Where the blocks of a text end.
#[derive(Debug)]
struct TextEnd {
    end: usize,
    /// Hash of the blocks that are not kept.
    between: u64,
}

impl TextBlocks {
    /// Takes the blocks of the next text, in the order of the pages.
    pub(super) fn add(&mut self, content: &ContentFacts) {
        self.hashes.extend(content.blocks.iter().map(|(hash, _)| *hash));
        self.words.extend(content.blocks.iter().map(|(_, words)| *words));
        self.texts.push(TextEnd { end: self.hashes.len(), between: content.between });
    }

    /// Hash and number of words of each block of a text.
    fn of(&self, text: usize) -> impl Iterator<Item = (u32, u16)> {
        let end = |text: usize| self.texts.get(text).map_or(0, |text| text.end);
        let range = text.checked_sub(1).map_or(0, end)..end(text);
        let hashes = self.hashes.get(range.clone()).unwrap_or_default();
        hashes.iter().copied().zip(self.words.get(range).unwrap_or_default().iter().copied())
    }

    /// Notes of each page how many of its words the site repeats, and takes them out of the hash of its text. Repeated is a block
    /// that the first page has, and nearly all pages: what only the pages of one template share may be copied text, which is to be
    /// found. `start` is the place of the first page. The order of the pages does not matter.
    pub(super) fn note(self, pages: &mut [PageNode], start: Option<usize>) {
        let has_text = |page: &PageNode| page.document.as_ref().is_some_and(|document| document.content.is_some());
        let first = start.filter(|start| pages.get(*start).is_some_and(has_text));
        let first = first.map(|start| pages.iter().take(start).filter(|page| has_text(page)).count());
        // Of each block of the first page: the pages that have it, and the last of them.
        let mut users: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
        users.extend(first.into_iter().flat_map(|first| self.of(first)).map(|(hash, _)| (hash, (0, usize::MAX))));
        let total = self.texts.len();
        for text in 0..total {
            for (hash, _) in self.of(text) {
                if let Some((count, last)) = users.get_mut(&hash).filter(|(_, last)| *last != text) {
                    (*count, *last) = (*count + 1, text);
                }
            }
        }
        let is_repeated = |hash: u32| {
            total >= FEWEST_PAGES && users.get(&hash).is_some_and(|(count, _)| count * 100 >= SHARE * total)
        };
        let documents = pages.iter_mut().filter_map(|page| page.document.as_deref_mut());
        let texts = documents.filter_map(|document| Some((document.content.as_mut()?, &mut document.repeated)));
        for ((content, repeated), (text, end)) in texts.zip(self.texts.iter().enumerate()) {
            let of_site = self.of(text).filter(|(hash, _)| is_repeated(*hash));
            *repeated = of_site.map(|(_, words)| u32::from(words)).sum();
            // A page with little text of its own is compared by all of it.
            if *repeated > 0 && content.words.saturating_sub(*repeated) >= FEWEST_WORDS {
                let own = self.of(text).filter(|(hash, _)| !is_repeated(*hash));
                content.hash = own.fold(end.between, |sum, (hash, _)| joined(sum, u64::from(hash)));
            }
        }
    }
}
