//! The cheapest path to a score: ready fixes, those that gain most for the least work first.
//!
//! A step ends a cause as a whole. A finding that explains others takes the points for all of them, so its fix alone gains
//! nothing while one of the others would take its place; they are one step, or none where one of them has no ready fix.
//!
//! The score after a step is that of the page judged again: findings that the fixes reveal count, as the proof of the whole
//! patch found them, and so do those that end by the same change.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use model::fix::{Fix, FixClass};
use model::patch::Patch;
use model::path::PathStep;

use crate::causes::FoundCheck;
use crate::score::weight;
use crate::standing::{Standing, standing};
use crate::towards::part;
use crate::uncover::may_bring;

/// Changes that each ready fix makes, by its code.
pub(crate) type Efforts = BTreeMap<&'static str, u32>;

/// What a path is made of.
pub(crate) struct Remedies<'r> {
    /// What was found, in the catalog's order.
    pub(crate) found: &'r [FoundCheck],
    /// What is found with the whole patch; `None` where no fix is ready.
    pub(crate) after: Option<&'r [FoundCheck]>,
    /// Why checks were not measured on the page as it is, by their codes.
    pub(crate) not_measured: &'r BTreeMap<String, String>,
    /// The fixes of the report.
    pub(crate) fixes: &'r [Fix],
    /// All of them together.
    pub(crate) patch: &'r Patch,
    /// What each takes.
    pub(crate) efforts: &'r Efforts,
}

/// The path, each step with the score of the page when it is judged again.
pub(crate) fn path(remedies: &Remedies<'_>) -> Vec<PathStep> {
    let mut stands = standing(remedies.found.to_vec());
    let mut steps: Vec<PathStep> = Vec::new();
    let (mut codes, mut effort): (Vec<String>, u32) = (Vec::new(), 0);
    while let Some(step) = cheapest(&stands, remedies) {
        codes.extend(step.codes.iter().map(|code| (*code).to_owned()));
        codes.extend(remedies.come_along(&codes));
        effort += step.effort;
        stands = standing(remedies.left(|code| codes.iter().any(|done| done == code)));
        let score_after = stands.score();
        let whole = PathStep { codes: codes.clone(), score_after, effort };
        // Below 0 there is nothing to see of a gain yet: such a step is part of the next, or all there is.
        match steps.last_mut().filter(|before| before.score_after == score_after || before.score_after == 0) {
            Some(before) => *before = whole,
            None => steps.push(whole),
        }
    }
    steps
}

impl Remedies<'_> {
    fn is_ready(&self, code: &str) -> bool {
        self.ready().any(|fix| fix.code == code)
    }

    fn ready(&self) -> impl Iterator<Item = &Fix> {
        self.fixes.iter().filter(|fix| fix.class == FixClass::Deterministic)
    }

    /// What is found on the page without these findings: the others, and what these hid.
    fn left(&self, is_done: impl Fn(&str) -> bool) -> Vec<FoundCheck> {
        let is_new = |(check, _): &&FoundCheck| self.found.iter().all(|(before, _)| before.code != check.code);
        let is_brought = |(check, _): &&FoundCheck| {
            let reason = self.not_measured.get(check.code).map(String::as_str);
            let mut causes = self.found.iter().filter(|(by, _)| may_bring(by.code, check.code, reason)).peekable();
            match causes.peek() {
                Some(_) => causes.any(|(by, _)| is_done(by.code)),
                // A file that could not be read before says more than the table of causes can.
                None => self.ready().any(|fix| fix.file.is_some() && is_done(&fix.code)),
            }
        };
        let brought = self.after.unwrap_or_default().iter().filter(is_new).filter(is_brought);
        self.found.iter().filter(|(check, _)| !is_done(check.code)).chain(brought).copied().collect()
    }

    /// Other ready fixes that the patch of these codes applies completely: all changes to one tag are one edit.
    fn come_along(&self, codes: &[String]) -> Vec<String> {
        let made = part(self.patch, self.fixes, codes);
        let is_made = |fix: &&Fix| {
            let asks = |code: &str, also: &[String]| code == fix.code || also.contains(&fix.code);
            let mut edits = self.patch.edits.iter().filter(|edit| asks(&edit.code, &edit.also)).peekable();
            let tags: Vec<&str> = fix.snippet.iter().flat_map(|tags| tags.lines()).collect();
            let in_head = |head: &str, tag: &str| head.lines().any(|line| line == tag);
            let mut tags = tags.into_iter().filter(|tag| in_head(&self.patch.head, tag)).peekable();
            let is_some = edits.peek().is_some() || tags.peek().is_some();
            is_some
                && fix.file.is_none()
                && edits.all(|edit| made.edits.contains(edit))
                && tags.all(|tag| in_head(&made.head, tag))
        };
        self.ready().filter(|fix| !codes.contains(&fix.code)).filter(is_made).map(|fix| fix.code.clone()).collect()
    }
}

/// What stands of this when these findings are no more, with what they hid.
fn without(stands: &Standing, remedies: &Remedies<'_>, codes: &[&str]) -> Standing {
    let is_gone = |code: &str| stands.found.iter().all(|(check, _)| check.code != code);
    standing(remedies.left(|code| codes.contains(&code) || is_gone(code)))
}

struct NextStep {
    codes: Vec<&'static str>,
    gain: u32,
    effort: u32,
}

/// The step that gains most for its work; of equal ones the larger, then the more urgent.
fn cheapest(stands: &Standing, remedies: &Remedies<'_>) -> Option<NextStep> {
    let own = |code: &str| stands.found.iter().find(|(check, _)| check.code == code).map_or(0, |(_, own)| weight(*own));
    let step = |lead: &'static str| {
        let parts = stands.parts(lead).filter(|part| own(part) > 0);
        let codes: Vec<&'static str> = std::iter::once(lead).chain(parts).collect();
        if !codes.iter().all(|code| remedies.is_ready(code)) {
            return None;
        }
        let gain = stands.taken().checked_sub(without(stands, remedies, &codes).taken()).filter(|gain| *gain > 0)?;
        let effort = codes.iter().map(|code| remedies.efforts.get(code).copied().unwrap_or(1).max(1)).sum();
        Some(NextStep { codes, gain, effort })
    };
    let costing = stands.findings.iter().filter(|finding| weight(finding.severity) > 0);
    // Of equal ones the first is taken, and findings stand in the order of the report.
    costing.filter_map(|finding| step(finding.check.code)).reduce(|best, next| {
        let worth = |step: &NextStep, other: &NextStep| (step.gain * other.effort, step.gain, Reverse(step.effort));
        if worth(&next, &best) > worth(&best, &next) { next } else { best }
    })
}
