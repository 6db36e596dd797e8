//! The cheapest path to a score: ready fixes, those that gain most for the least work first.
//!
//! A step ends a cause as a whole. A finding that explains others takes the points for all of them, so its fix alone gains
//! nothing while one of the others would take its place; they are one step, or none where one of them has no ready fix.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use model::fix::{Fix, FixClass};
use model::path::PathStep;

use crate::causes::FoundCheck;
use crate::score::weight;
use crate::standing::{Standing, standing};

/// Changes that each ready fix makes, by its code.
pub(crate) type Efforts = BTreeMap<&'static str, u32>;

/// The path over what was found, in the catalog's order, with the fixes of the report.
pub(crate) fn path(found: &[FoundCheck], fixes: &[Fix], efforts: &Efforts) -> Vec<PathStep> {
    let is_ready = |code: &str| fixes.iter().any(|fix| fix.code == code && fix.class == FixClass::Deterministic);
    let mut stands = standing(found.to_vec());
    let mut steps: Vec<PathStep> = Vec::new();
    let (mut codes, mut effort) = (Vec::new(), 0);
    while let Some(step) = cheapest(&stands, &is_ready, efforts) {
        stands = without(&stands, &step.codes);
        codes.extend(step.codes.iter().map(|code| (*code).to_owned()));
        effort += step.effort;
        let score_after = stands.score();
        let whole = PathStep { codes: codes.clone(), score_after, effort };
        // Below 0 there is nothing to see of a gain yet: such a step is part of the next.
        match steps.last_mut().filter(|before| before.score_after == score_after) {
            Some(before) => *before = whole,
            None if score_after > 0 => steps.push(whole),
            None => {}
        }
    }
    steps
}

/// What stands when these are no more.
fn without(stands: &Standing, codes: &[&str]) -> Standing {
    standing(stands.found.iter().filter(|(check, _)| !codes.contains(&check.code)).copied().collect())
}

struct NextStep {
    codes: Vec<&'static str>,
    gain: u32,
    effort: u32,
}

/// The step that gains most for its work; of equal ones the larger, then the more urgent.
fn cheapest(stands: &Standing, is_ready: &impl Fn(&str) -> bool, efforts: &Efforts) -> Option<NextStep> {
    let own = |code: &str| stands.found.iter().find(|(check, _)| check.code == code).map_or(0, |(_, own)| weight(*own));
    let step = |lead: &'static str| {
        let parts = stands.parts(lead).filter(|part| own(part) > 0);
        let codes: Vec<&'static str> = std::iter::once(lead).chain(parts).collect();
        if !codes.iter().all(|code| is_ready(code)) {
            return None;
        }
        let gain = stands.taken().checked_sub(without(stands, &codes).taken()).filter(|gain| *gain > 0)?;
        let effort = codes.iter().map(|code| efforts.get(code).copied().unwrap_or(1).max(1)).sum();
        Some(NextStep { codes, gain, effort })
    };
    let costing = stands.findings.iter().filter(|finding| weight(finding.severity) > 0);
    // Of equal ones the first is taken, and findings stand in the order of the report.
    costing.filter_map(|finding| step(finding.check.code)).reduce(|best, next| {
        let worth = |step: &NextStep, other: &NextStep| (step.gain * other.effort, step.gain, Reverse(step.effort));
        if worth(&next, &best) > worth(&best, &next) { next } else { best }
    })
}
