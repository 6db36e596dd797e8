//! How well the scores agree with the ranking made by hand in `docs/ranking.md`.

use model::report::Report;

/// Pages from the best to the worst: a row of its table is `| rank | page | why |`.
const RANKING: &str = include_str!("../../../docs/ranking.md");
/// Spearman's rank correlation that the scores must reach.
pub(super) const LEAST: f64 = 0.8;

/// A page of the ranking.
pub(super) struct Ranked<'r> {
    pub(super) place: u32,
    pub(super) name: &'static str,
    pub(super) report: &'r Report,
}

/// The pages of the ranking that were judged, in its order.
pub(super) fn ranked(reports: &[(String, Report)]) -> Vec<Ranked<'_>> {
    let row = |line: &'static str| {
        let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
        Some((cells.next()?.parse::<u32>().ok()?, cells.next()?))
    };
    let rows = RANKING.lines().filter_map(row);
    rows.filter_map(|(place, name)| {
        let (_, report) = reports.iter().find(|(known, _)| known == name)?;
        Some(Ranked { place, name, report })
    })
    .collect()
}

/// Spearman's rank correlation between places and scores: 1 where the order is the same, -1 where it is turned round.
/// Equal scores share their mean rank.
pub(super) fn correlation(ranked: &[Ranked<'_>]) -> f64 {
    let places: Vec<f64> = ranked.iter().map(|page| f64::from(page.place)).collect();
    // A high score is a low place.
    let scores: Vec<f64> = ranked.iter().map(|page| -f64::from(page.report.score)).collect();
    pearson(&ranks(&places), &ranks(&scores))
}

/// The rank of each value, from 1; equal values have the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let count = |is: &dyn Fn(&f64) -> bool| u32::try_from(values.iter().filter(|value| is(value)).count()).unwrap_or(0);
    let rank = |value: &f64| {
        let (less, same) = (count(&|other| other < value), count(&|other| other.total_cmp(value).is_eq()));
        f64::from(less) + (f64::from(same) + 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

fn pearson(a: &[f64], b: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / f64::from(u32::try_from(values.len()).unwrap_or(1));
    let (mean_a, mean_b) = (mean(a), mean(b));
    let sum = |part: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(a, b)| part(a - mean_a, b - mean_b)).sum::<f64>();
    sum(&|a, b| a * b) / (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_order_is_one_and_the_turned_one_minus_one() {
        let check = |a: &[f64], b: &[f64], wanted: f64| {
            let found = pearson(&ranks(a), &ranks(b));
            assert!((found - wanted).abs() < 1e-9, "{a:?} {b:?}: {found}");
        };
        check(&[1.0, 2.0, 3.0], &[10.0, 20.0, 90.0], 1.0);
        check(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0], -1.0);
        check(&[1.0, 2.0, 3.0, 4.0], &[1.0, 3.0, 2.0, 4.0], 0.8);
        assert_eq!(ranks(&[5.0, 1.0, 5.0]), [2.5, 1.0, 2.5]);
    }
}
