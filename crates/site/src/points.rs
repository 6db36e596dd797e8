//! What findings take from the score of a page and of its site.

use std::collections::BTreeMap;

use audit::score::{FULL, weight};

use crate::check::{Case, SiteCheck, pages_of};
use crate::facts::{PageId, SiteFacts};

/// Bars of the distribution of scores.
pub(crate) const SCORE_BARS: usize = 10;

/// Points that findings take from each page, those of the site included.
pub(crate) struct Points {
    /// Rank and points taken, more than there are included, of each page with a report.
    pages: BTreeMap<PageId, (f64, u32)>,
    /// All ranks together.
    ranks: f64,
}

impl Points {
    /// What the findings of pages and these of the site take.
    pub(crate) fn of(site: &SiteFacts, found: &[(&'static SiteCheck, Vec<Case>)]) -> Self {
        let mut pages: BTreeMap<PageId, (f64, u32)> = BTreeMap::new();
        for (id, page) in site.pages().filter(|(_, page)| page.score.is_some()) {
            let taken = page.findings.iter().map(|finding| weight(finding.severity)).sum();
            pages.insert(id, (site.rank(id), taken));
        }
        for (check, cases) in found {
            for page in pages_of(cases) {
                if let Some((_, taken)) = pages.get_mut(&page) {
                    *taken += weight(check.severity);
                }
            }
        }
        let ranks = pages.values().map(|(rank, _)| rank).sum();
        Self { pages, ranks }
    }

    fn left(taken: u32) -> u32 {
        FULL.saturating_sub(taken)
    }

    /// The score of each page after findings of the site.
    pub(crate) fn scores(&self) -> BTreeMap<PageId, u32> {
        self.pages.iter().map(|(page, (_, taken))| (*page, Self::left(*taken))).collect()
    }

    /// The score of the site; `None` where no page has one.
    pub(crate) fn score(&self) -> Option<u32> {
        let sum: f64 = self.pages.values().map(|(rank, taken)| rank * f64::from(Self::left(*taken))).sum();
        (self.ranks > 0.0).then(|| (sum / self.ranks).round() as u32)
    }

    /// What pages contribute to the score by losing so many points less, in tenths. Where the findings of a page take more
    /// points than it has, each takes its share of what the page lost: else no fix alone would gain anything.
    pub(crate) fn gain(&self, without: impl Iterator<Item = (PageId, u32)>) -> f64 {
        let gains = without.filter_map(|(page, points)| {
            let (rank, taken) = self.pages.get(&page)?;
            let share = f64::from((*taken).min(FULL)) / f64::from((*taken).max(1));
            Some(rank * f64::from(points.min(*taken)) * share)
        });
        let gain: f64 = gains.sum();
        if self.ranks > 0.0 { (gain / self.ranks * 10.0).round() / 10.0 } else { 0.0 }
    }

    /// Pages by score.
    pub(crate) fn bars(&self) -> [u32; SCORE_BARS] {
        let mut bars = [0; SCORE_BARS];
        for (_, taken) in self.pages.values() {
            let at = (Self::left(*taken) as usize / SCORE_BARS).min(SCORE_BARS - 1);
            if let Some(bar) = bars.get_mut(at) {
                *bar += 1;
            }
        }
        bars
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_of_a_page_that_lost_everything_add_up_to_what_it_lost() {
        let points = Points { pages: BTreeMap::from([(0, (1.0, 250)), (1, (1.0, 50))]), ranks: 2.0 };
        assert_eq!(points.score(), Some(25));
        assert_eq!(points.scores(), BTreeMap::from([(0, 0), (1, 50)]));
        let gains: Vec<f64> = [100, 100, 50].map(|taken| points.gain([(0, taken)].into_iter())).to_vec();
        assert_eq!(gains, [20.0, 20.0, 10.0]);
        assert_eq!(points.gain([(1, 10)].into_iter()), 5.0);
        assert_eq!(points.gain([(0, 250), (1, 50)].into_iter()), 75.0, "all fixes bring the score to 100");
    }
}
