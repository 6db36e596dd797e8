//! Texts that every page of a site repeats: a header or footer that no element of that name holds.

use std::collections::BTreeMap;

use super::PageId;
use super::node::PageNode;
use crate::content::FEWEST_WORDS;
use crate::page_facts::ContentFacts;
use crate::sketch::joined;

/// Pages below which no text is taken for repeated. Chosen: on fewer, it may be what they are about.
const FEWEST_PAGES: usize = 5;
/// Share of the pages that have a repeated text, in percent. Chosen: some pages are made for print or for a single campaign.
const SHARE: usize = 90;

/// Notes of each page how many of its words the site repeats, and takes them out of the hash of its text. Repeated is a block that
/// the first page has, and nearly all pages: what only the pages of one template share may be copied text, which is to be found.
pub(super) fn note(pages: &mut [PageNode], start: Option<PageId>) {
    let contents = || pages.iter().filter_map(PageNode::content);
    let first = start.and_then(|start| pages.get(start as usize)).and_then(PageNode::content);
    // Of each block of the first page: the pages that have it, and the last of them.
    let mut users: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    users.extend(first.iter().flat_map(|first| &first.blocks).map(|(hash, _)| (*hash, (0, usize::MAX))));
    for (at, content) in contents().enumerate() {
        for (hash, _) in &content.blocks {
            if let Some((count, last)) = users.get_mut(hash).filter(|(_, last)| *last != at) {
                (*count, *last) = (*count + 1, at);
            }
        }
    }
    let total = contents().count();
    let is_repeated =
        |hash: u32| total >= FEWEST_PAGES && users.get(&hash).is_some_and(|(count, _)| count * 100 >= SHARE * total);
    for page in pages {
        let Some(document) = page.document.as_deref_mut() else { continue };
        let Some(content) = &mut document.content else { continue };
        let repeated = content.blocks.iter().filter(|(hash, _)| is_repeated(*hash));
        document.repeated = repeated.map(|(_, words)| u32::from(*words)).sum();
        // A page with little text of its own is compared by all of it.
        if document.repeated > 0 && content.words.saturating_sub(document.repeated) >= FEWEST_WORDS {
            let own = content.blocks.iter().filter(|(hash, _)| !is_repeated(*hash));
            content.hash = own.fold(content.between, |sum, (hash, _)| joined(sum, u64::from(*hash)));
        }
        // Known from here on by their sum: they would take more memory than the rest of a page.
        content.blocks = Vec::new();
    }
}

impl PageNode {
    fn content(&self) -> Option<&ContentFacts> {
        self.document.as_deref()?.content.as_ref()
    }
}
