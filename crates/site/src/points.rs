//! What findings take from the score of a page and of its site.

use std::collections::BTreeMap;

use audit::score::{FULL, weight};

use crate::check::{Case, SiteCheck, pages_of};
use crate::facts::{PageId, SiteFacts};
use crate::fold::{Fold, FoldScope};

/// Bars of the distribution of scores.
pub(crate) const SCORE_BARS: usize = 10;

/// Points that findings take from each page, those of the site included.
pub(crate) struct Points {
    /// Each page with a report, in order, with its rank and the points taken, more than there are included.
    pages: Vec<(PageId, u32, f64)>,
    /// All ranks together.
    ranks: f64,
}

impl Points {
    /// What the findings of pages and these of the site take.
    pub(crate) fn of(site: &SiteFacts, found: &[(&'static SiteCheck, Vec<Case>)]) -> Self {
        let scored = site.pages().filter(|(_, page)| page.score.is_some());
        let taken = scored.map(|(id, page)| {
            let taken = site.findings(&page).iter().map(|finding| weight(finding.severity)).sum();
            (id, taken, site.rank(id))
        });
        let mut points = Self { pages: taken.collect(), ranks: 0.0 };
        for (check, cases) in found {
            for page in pages_of(cases) {
                if let Some(at) = points.place(page)
                    && let Some((_, taken, _)) = points.pages.get_mut(at)
                {
                    *taken += weight(check.severity);
                }
            }
        }
        points.ranks = points.pages.iter().map(|(_, _, rank)| rank).sum();
        points
    }

    fn place(&self, page: PageId) -> Option<usize> {
        self.pages.binary_search_by_key(&page, |(page, _, _)| *page).ok()
    }

    fn left(taken: u32) -> u32 {
        FULL.saturating_sub(taken)
    }

    /// The score of each page after findings of the site.
    pub(crate) fn scores(&self) -> BTreeMap<PageId, u32> {
        self.pages.iter().map(|(page, taken, _)| (*page, Self::left(*taken))).collect()
    }

    /// The score of the site; `None` where no page has one.
    pub(crate) fn score(&self) -> Option<u32> {
        let sum: f64 = self.pages.iter().map(|(_, taken, rank)| rank * f64::from(Self::left(*taken))).sum();
        (self.ranks > 0.0).then(|| (sum / self.ranks).round() as u32)
    }

    /// What pages contribute to the score by losing so many points less, in tenths. Where the findings of a page take more
    /// points than it has, each takes its share of what the page lost: else no fix alone would gain anything.
    pub(crate) fn gain(&self, without: impl Iterator<Item = (PageId, u32)>) -> f64 {
        let gains = without.filter_map(|(page, points)| {
            let (_, taken, rank) = self.pages.get(self.place(page)?)?;
            let share = f64::from((*taken).min(FULL)) / f64::from((*taken).max(1));
            Some(rank * f64::from(points.min(*taken)) * share)
        });
        let gain: f64 = gains.sum();
        if self.ranks > 0.0 { (gain / self.ranks * 10.0).round() / 10.0 } else { 0.0 }
    }

    /// Pages by score.
    pub(crate) fn bars(&self) -> [u32; SCORE_BARS] {
        let mut bars = [0; SCORE_BARS];
        for (_, taken, _) in &self.pages {
            let at = (Self::left(*taken) as usize / SCORE_BARS).min(SCORE_BARS - 1);
            if let Some(bar) = bars.get_mut(at) {
                *bar += 1;
            }
        }
        bars
    }
}

/// What a page gains without a code.
pub(crate) fn points_of(site: &SiteFacts, page: PageId, code: u16) -> u32 {
    let findings = site.page(page).map(|page| site.findings(&page)).unwrap_or_default();
    findings.iter().filter(|finding| finding.code == code).map(|finding| weight(finding.severity)).sum()
}

/// Points that the findings of each template, by its place, take from its pages.
#[derive(Debug, Default)]
pub(crate) struct TemplatePoints(BTreeMap<usize, BTreeMap<PageId, u32>>);

impl TemplatePoints {
    /// Notes what a fold takes, where its cause is a template.
    pub(crate) fn note(&mut self, site: &SiteFacts, fold: &Fold) {
        let FoldScope::Template(at) = fold.cause else { return };
        let pages = self.0.entry(at).or_default();
        for page in &fold.pages {
            *pages.entry(*page).or_default() += points_of(site, *page, fold.code);
        }
    }

    /// The points of the pages of a template, which are given out once.
    pub(crate) fn take(&mut self, at: usize) -> impl Iterator<Item = (PageId, u32)> {
        self.0.remove(&at).unwrap_or_default().into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_of_a_page_that_lost_everything_add_up_to_what_it_lost() {
        let points = Points { pages: vec![(0, 250, 1.0), (1, 50, 1.0)], ranks: 2.0 };
        assert_eq!(points.score(), Some(25));
        assert_eq!(points.scores(), BTreeMap::from([(0, 0), (1, 50)]));
        let gains: Vec<f64> = [100, 100, 50].map(|taken| points.gain([(0, taken)].into_iter())).to_vec();
        assert_eq!(gains, [20.0, 20.0, 10.0]);
        assert_eq!(points.gain([(1, 10)].into_iter()), 5.0);
        assert_eq!(points.gain([(0, 250), (1, 50)].into_iter()), 75.0, "all fixes bring the score to 100");
    }
}
