//! The proof of a patch: no fix is offered as ready unless the page with it was judged and found better.
//!
//! All ready fixes are applied together, to the page's own bytes in its own encoding, and the result is judged. Then each
//! is applied without those that could hide what it does; fixes of things that nothing reads together go into one trial.
//! What does not hold becomes an instruction that says why. Judging a changed page makes no patch of it.

mod answers;
mod concern;
mod effective;
mod ids;
mod relation;
mod subject;
mod tree;
mod trial;

use model::fix::FixClass;
use model::lang::{Text, text};
use model::patch::{Demoted, Unproven};

use crate::causes::FoundCheck;
use crate::fix::{FixDraft, OwnFiles};
use crate::patch::Drafted;
use concern::Kinds;
use subject::FixSubject;
use trial::{Bench, TrialFailure, TrialResult, TrialScope};

pub(crate) use trial::AuditedPage;

/// Bytes of memory that all trials of one audit may read, counted as the tree of the page takes them: 60 readings of a page
/// of 200 KB, and none of the hostile pages whose trees take more. What is not proven by then is not offered.
const MOST_MEMORY: usize = 64 * 1024 * 1024;

/// Fixes after their proof.
pub(crate) struct Proven {
    /// All of them; those that did not hold are instructions.
    pub(crate) drafted: Vec<Drafted>,
    /// Those that did not hold.
    pub(crate) demoted: Vec<Demoted>,
    /// What the checks find on the page with all ready fixes; `None` where no fix is ready.
    pub(crate) after: Option<Vec<FoundCheck>>,
}

/// Takes the readiness from fixes that do not hold, and says why. Never inlined: `cargo xtask instructions` counts it by its
/// name.
#[inline(never)]
pub(crate) fn proven(audited: &AuditedPage<'_, '_>, own_files: OwnFiles<'_>, mut drafted: Vec<Drafted>) -> Proven {
    let mut demoted = Vec::new();
    let (failures, after) = {
        let is_ready = |item: &&Drafted| item.draft.class == FixClass::Deterministic;
        let ready: Vec<&Drafted> = drafted.iter().filter(is_ready).collect();
        if ready.is_empty() {
            return Proven { drafted, demoted, after: None };
        }
        Proof::new(audited, own_files, ready).run()
    };
    for item in &mut drafted {
        let Some((_, failure)) = failures.iter().find(|(code, _)| *code == item.check.code) else { continue };
        demoted.push(Demoted {
            code: item.check.code.to_owned(),
            reason: failure.reason,
            detail: failure.detail.clone(),
        });
        item.draft = instead(item, failure.reason);
    }
    Proven { drafted, demoted, after }
}

/// Takes the readiness from every fix, without a trial: what proof costs is spared where nobody asks for a patch.
pub(crate) fn untried(mut drafted: Vec<Drafted>) -> Proven {
    let mut demoted = Vec::new();
    for item in drafted.iter_mut().filter(|item| item.draft.class == FixClass::Deterministic) {
        let reason = Unproven::NotTried;
        demoted.push(Demoted { code: item.check.code.to_owned(), reason, detail: Vec::new() });
        item.draft = instead(item, reason);
    }
    Proven { drafted, demoted, after: None }
}

/// A proof in progress.
struct Proof<'a, 'f> {
    bench: Bench<'a, 'f>,
    /// Fixes that may still hold, each with what it is about.
    ready: Vec<(&'a Drafted, Vec<FixSubject>)>,
    failed: Vec<(&'static str, TrialFailure)>,
    /// What the last trial of all that is ready found.
    after: Option<Vec<FoundCheck>>,
    /// All that is ready changes whether the page may be indexed.
    hides_otherwise: bool,
    /// All that is ready shows findings that were hidden.
    uncovers: bool,
    /// What is compared, and is not as it was with all that is ready.
    compared: Kinds,
    /// Memory of one trial.
    cost: usize,
    left: usize,
}

impl<'a, 'f> Proof<'a, 'f> {
    fn new(audited: &'a AuditedPage<'a, 'f>, own_files: OwnFiles<'a>, ready: Vec<&'a Drafted>) -> Self {
        let bench = Bench::new(audited, own_files);
        let ready = ready.into_iter().map(|item| (item, bench.subjects(item))).collect();
        let cost = audited.page.html.as_ref().map_or(0, |html| html.document.memory());
        Self {
            bench,
            ready,
            failed: Vec::new(),
            after: None,
            hides_otherwise: false,
            uncovers: false,
            compared: Kinds::NONE,
            cost,
            left: MOST_MEMORY,
        }
    }

    /// Codes of the fixes that do not hold, each with the reason; and what is found on the page with the others.
    fn run(mut self) -> (Vec<(&'static str, TrialFailure)>, Option<Vec<FoundCheck>>) {
        self.prove_together();
        let before = self.failed.len();
        self.prove_apart();
        if self.failed.len() > before {
            // Without those that left.
            self.prove_together();
        }
        (self.failed, self.after)
    }

    /// The whole patch: takes out of it what keeps it from holding.
    fn prove_together(&mut self) {
        self.after = None;
        while !self.ready.is_empty() {
            let all: Vec<&Drafted> = self.ready.iter().map(|(item, _)| *item).collect();
            let failure = match self.trial(&all, TrialScope::Findings) {
                Ok(result) => {
                    self.after = Some(result.found);
                    self.hides_otherwise = result.hides_otherwise;
                    self.uncovers = result.uncovers;
                    self.compared = result.compared;
                    return;
                }
                Err(failure) => failure,
            };
            if failure.reason == Unproven::TooLarge {
                self.failed.extend(all.iter().map(|item| (item.check.code, TrialFailure::of(Unproven::TooLarge))));
                self.ready.clear();
                return;
            }
            if failure.reason == Unproven::Stays {
                for code in &failure.detail {
                    let staying = all.iter().find(|item| item.check.code == code);
                    self.failed.extend(staying.map(|item| (item.check.code, TrialFailure::of(Unproven::Stays))));
                }
                self.leave();
                continue;
            }
            let culprit = self.culprit(&all, failure);
            self.failed.push(culprit);
            self.leave();
        }
    }

    /// The first fix with which a failing patch fails, found by halves.
    fn culprit(&mut self, all: &[&'a Drafted], failure: TrialFailure) -> (&'static str, TrialFailure) {
        let (mut holds, mut fails, mut failure) = (0, all.len(), failure);
        while fails - holds > 1 {
            let middle = holds.midpoint(fails);
            match self.trial(all.get(..middle).unwrap_or_default(), TrialScope::Failures) {
                Ok(_) => holds = middle,
                Err(of_less) => (fails, failure) = (middle, of_less),
            }
        }
        let code = all.get(fails.saturating_sub(1)).map_or("", |item| item.check.code);
        (code, failure)
    }

    /// Each fix without those related to it. A fix to which none is related was proven with the whole.
    fn prove_apart(&mut self) {
        let relations = self.bench.relations(self.hides_otherwise);
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (at, (_, subjects)) in self.ready.iter().enumerate() {
            let related = |other: &usize| {
                let theirs = self.ready.get(*other).map(|(_, theirs)| theirs);
                *other != at && theirs.is_some_and(|theirs| relations.are_related(subjects, theirs))
            };
            if !(0..self.ready.len()).any(|other| related(&other)) {
                continue;
            }
            match groups.iter_mut().find(|group| !group.iter().any(related)) {
                Some(group) => group.push(at),
                None => groups.push(vec![at]),
            }
        }
        for group in groups {
            let items: Vec<&Drafted> = group.iter().filter_map(|at| Some(self.ready.get(*at)?.0)).collect();
            let others = self.ready.iter().enumerate().filter(|(at, _)| !group.contains(at));
            let others = Kinds::touched(others.flat_map(|(_, (_, subjects))| subjects)).or(self.compared);
            let scope = match self.hides_otherwise || self.uncovers {
                true => TrialScope::Failures,
                false => TrialScope::Apart(others),
            };
            let Err(failure) = self.trial(&items, scope) else { continue };
            if let [item] = items[..] {
                self.failed.push((item.check.code, failure));
                continue;
            }
            for item in items {
                if let Err(failure) = self.trial(&[item], TrialScope::Failures) {
                    self.failed.push((item.check.code, failure));
                }
            }
        }
        self.leave();
    }

    /// Takes out what has failed.
    fn leave(&mut self) {
        let failed = &self.failed;
        self.ready.retain(|(item, _)| failed.iter().all(|(code, _)| *code != item.check.code));
    }

    fn trial(&mut self, items: &[&Drafted], scope: TrialScope) -> Result<TrialResult, TrialFailure> {
        self.left = self.left.checked_sub(self.cost).ok_or(TrialFailure::of(Unproven::TooLarge))?;
        self.bench.trial(items, scope)
    }
}

/// The instruction that stands where a ready change did not hold.
fn instead(item: &Drafted, reason: Unproven) -> FixDraft {
    let note = item.draft.note.clone().unwrap_or_else(|| item.check.how.into());
    let mut draft = FixDraft::instruction(item.draft.target, why(reason), &[]);
    if let Some(why) = &mut draft.note {
        why.en = format!("{} {}", note.en, why.en);
        why.pt = format!("{} {}", note.pt, why.pt);
    }
    draft
}

/// Why there is no ready change.
fn why(reason: Unproven) -> Text {
    match reason {
        Unproven::Stays => text(
            "No ready change: in a test on this page, the usual change did not remove the finding.",
            "Sem mudança pronta: em um teste nesta página, a mudança usual não eliminou o achado.",
        ),
        Unproven::CausesFinding => text(
            "No ready change: in a test on this page, the usual change caused another finding.",
            "Sem mudança pronta: em um teste nesta página, a mudança usual causou outro achado.",
        ),
        Unproven::ChangesText => text(
            "No ready change: in a test on this page, the usual change altered how other parts are parsed.",
            "Sem mudança pronta: em um teste nesta página, a mudança usual alterou a leitura de outras partes.",
        ),
        Unproven::MovesCharset => text(
            "No ready change: in a test on this page, the usual change pushed the encoding declaration past the first 1,024 bytes.",
            "Sem mudança pronta: em um teste nesta página, a mudança usual empurrou a declaração da codificação para depois dos primeiros 1.024 bytes.",
        ),
        Unproven::DoublesAttribute | Unproven::LosesAttribute => text(
            "No ready change: in a test on this page, the usual change lost or repeated an attribute.",
            "Sem mudança pronta: em um teste nesta página, a mudança usual perdeu ou repetiu um atributo.",
        ),
        Unproven::DoublesTag | Unproven::MovesFact => text(
            "No ready change: in a test on this page, the usual change altered the effect of another tag.",
            "Sem mudança pronta: em um teste nesta página, a mudança usual alterou o efeito de outra tag.",
        ),
        Unproven::NoPlace => text(
            "No ready change: the place can't be located in the file, which has invalid bytes for its encoding.",
            "Sem mudança pronta: o lugar não pode ser localizado no arquivo, que tem bytes inválidos para a sua codificação.",
        ),
        Unproven::TooLarge => text(
            "No ready change: the page is too large to test one on it.",
            "Sem mudança pronta: a página é grande demais para um teste.",
        ),
        Unproven::NotTried => text(
            "For a ready change, audit this page by itself.",
            "Para uma mudança pronta, audite esta página individualmente.",
        ),
    }
}

#[cfg(test)]
mod tests;
