//! Templates: groups of pages whose markup has the same skeleton, or nearly.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use url::Url;

use super::{PageId, SiteFacts};
use crate::address::directories;
use crate::skeleton::ROWS;
use crate::sketch::{alike, groups};

/// Likeness in percent from which two skeletons are of one template. Argued on made pages (`skeleton.rs`): a table or list
/// more stays above 75 %, pages of two templates of one site share header and footer and stay below 60 %.
const ONE_TEMPLATE: usize = 70;
/// Share in percent of a template's pages that lie in the directory it is named by.
const NAMING: usize = 80;

/// The templates of a site.
#[derive(Debug, Default)]
pub(crate) struct Templates {
    /// Each, the largest first, then in the order of their first page.
    pub(crate) all: Vec<Template>,
    /// Place of each page's template, counted from 1.
    of: Vec<Option<NonZeroU32>>,
}

/// A template.
#[derive(Debug)]
pub(crate) struct Template {
    /// Where its pages are: `/product/…`, or the path of its only page. Templates that share a directory are told apart by
    /// their examples: `/product/… (/product/7)`.
    pub(crate) name: String,
    /// Its pages, in order.
    pub(crate) pages: Vec<PageId>,
    /// The page with the highest rank.
    pub(crate) example: PageId,
}

impl Templates {
    /// Groups the documents of a site.
    pub(crate) fn of(site: &SiteFacts) -> Self {
        let mut by_hash: BTreeMap<u64, Vec<PageId>> = BTreeMap::new();
        for (id, _, document) in site.documents() {
            by_hash.entry(document.skeleton).or_default().push(id);
        }
        let sketch = |hash: &u64| site.skeletons.get(hash).map_or(&[][..], |sketch| sketch);
        let sketches: Vec<&[u16]> = by_hash.keys().map(sketch).collect();
        let are_one = |a: usize, b: usize| {
            let pair = sketches.get(a).zip(sketches.get(b));
            pair.is_some_and(|(a, b)| alike(a, b) >= ONE_TEMPLATE)
        };
        let roots = groups(sketches.len(), |at| sketches.get(at).copied().unwrap_or_default(), ROWS, are_one);
        let mut joined: BTreeMap<u32, Vec<PageId>> = BTreeMap::new();
        for (pages, root) in by_hash.values().zip(roots) {
            joined.entry(root).or_default().extend(pages);
        }
        let mut all: Vec<Template> = joined.into_values().map(|pages| Template::new(site, pages)).collect();
        all.sort_by_key(|template| (std::cmp::Reverse(template.pages.len()), template.pages.first().copied()));
        tell_apart(site, &mut all);
        let mut of = vec![None; site.page_count()];
        for (at, template) in (1..).map_while(NonZeroU32::new).zip(&all) {
            for page in &template.pages {
                of.get_mut(*page as usize).into_iter().for_each(|of| *of = Some(at));
            }
        }
        Self { all, of }
    }

    /// The place of a page's template.
    pub(crate) fn place_of(&self, id: PageId) -> Option<usize> {
        let place = self.of.get(id as usize).copied().flatten()?;
        Some(place.get() as usize - 1)
    }
}

impl Template {
    fn new(site: &SiteFacts, mut pages: Vec<PageId>) -> Self {
        pages.sort_unstable();
        let best = pages.iter().copied().max_by(|a, b| site.rank(*a).total_cmp(&site.rank(*b)).then(b.cmp(a)));
        let name = name(|at| pages.get(at).map(|id| site.url(*id)));
        Self { name, pages, example: best.unwrap_or_default() }
    }
}

/// Adds its example to each name that more than one template has.
fn tell_apart(site: &SiteFacts, all: &mut [Template]) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    all.iter().for_each(|template| *counts.entry(template.name.clone()).or_default() += 1);
    for template in all.iter_mut().filter(|template| counts.get(&template.name).is_some_and(|count| *count > 1)) {
        if let Ok(example) = Url::parse(&site.url(template.example)) {
            let query = example.query().map(|query| format!("?{query}")).unwrap_or_default();
            template.name = format!("{} ({}{query})", template.name, example.path());
        }
    }
}

/// The deepest directory in which most of some addresses lie; the path, of one. `url` gives them by their places. Each level of
/// directories parses them again: all parsed addresses of a large site need more memory than its report.
fn name(url: impl Fn(usize) -> Option<String>) -> String {
    let urls = || (0..).map_while(&url).filter_map(|url| Url::parse(&url).ok());
    let mut first_two = urls();
    if let (Some(one), None) = (first_two.next(), first_two.next()) {
        return one.path().to_owned();
    }
    let enough = urls().count() * NAMING;
    let mut parts: Vec<String> = Vec::new();
    loop {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for url in urls() {
            let directories = directories(&url);
            if let Some((part, before)) = directories.get(..=parts.len()).and_then(<[_]>::split_last)
                && before == parts
            {
                match counts.get_mut(*part) {
                    Some(count) => *count += 1,
                    None => _ = counts.insert((*part).to_owned(), 1),
                }
            }
        }
        let most = counts.into_iter().max_by(|(a, of_a), (b, of_b)| of_a.cmp(of_b).then_with(|| b.cmp(a)));
        let Some((part, _)) = most.filter(|(_, count)| count * 100 >= enough) else { break };
        parts.push(part);
    }
    parts.iter().fold("/".to_owned(), |name, part| name + part + "/") + "…"
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn a_template_is_named_by_where_its_pages_are() {
        for (urls, expected) in [
            (vec!["https://e.com/product/1", "https://e.com/product/2?a=b"], "/product/…"),
            (vec!["https://e.com/en/shop/a/1", "https://e.com/en/shop/b/1"], "/en/shop/…"),
            (vec!["https://e.com/a", "https://e.com/b"], "/…"),
            (vec!["https://e.com/about/us"], "/about/us"),
            (
                vec![
                    "https://e.com/p/1",
                    "https://e.com/p/2",
                    "https://e.com/p/3",
                    "https://e.com/p/4",
                    "https://e.com/x",
                ],
                "/p/…",
            ),
        ] {
            assert_eq!(name(|at| urls.get(at).map(|url| (*url).to_owned())), expected);
        }
    }
}
