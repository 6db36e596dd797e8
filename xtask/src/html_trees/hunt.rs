//! The search for differences: batches of random documents, each difference made small and put to its group.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::expected::ExpectedDifference;
use super::our_tree::{first_difference, ours};
use super::shrink::shrink;
use super::{Parser, documents};

/// Documents handed to the other parser at once.
const BATCH: u64 = 200;
/// Groups without an explanation that a run stops at: more are no use to a reader.
const ENOUGH: usize = 12;

/// Bytes of a source up to which it and its trees are shown whole.
const SHOWN_WHOLE: usize = 400;

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub(super) enum HuntStop {
    /// After so many minutes.
    Minutes(u64),
    /// After so many documents.
    Documents(u64),
}

/// A search.
#[derive(Debug)]
pub(super) struct Hunt {
    /// Which documents.
    pub(super) seed: u64,
    pub(super) stop: HuntStop,
    /// The differences that were judged.
    pub(super) expected: &'static [ExpectedDifference],
}

/// Differences alike.
#[derive(Debug)]
struct DifferenceGroup {
    count: u64,
    explained: bool,
    /// The shortest source.
    source: String,
}

/// What a difference came down to.
#[derive(Debug)]
struct ShrunkDifference {
    source: String,
    /// The expected group that it is of.
    expected: Option<&'static ExpectedDifference>,
}

impl Hunt {
    /// Searches and reports; a group that nothing explains is an error.
    pub(super) fn run(&self, other: &mut dyn Parser) -> Result<()> {
        let start = Instant::now();
        let mut groups: BTreeMap<String, DifferenceGroup> = BTreeMap::new();
        let (mut number, mut differ) = (0, 0);
        while !self.is_over(number, start) && groups.values().filter(|group| !group.explained).count() < ENOUGH {
            let upto = number + BATCH;
            let fragments: Vec<Vec<&str>> = (number..upto).map(|at| documents::document(self.seed, at)).collect();
            let sources: Vec<String> = fragments.iter().map(|fragments| fragments.concat()).collect();
            let found = differing(&sources, other).or_else(|reason| {
                println!("documents {number} to {upto}: {reason:#}; now one by one");
                one_by_one(&sources, other)
            });
            for at in found? {
                differ += 1;
                for found in fragments.get(at).map_or(Ok(Vec::new()), |fragments| self.reduce(fragments, other))? {
                    let key = match found.expected {
                        Some(expected) => expected.name.to_owned(),
                        None => signature(&found.source, other)?,
                    };
                    let group = groups.entry(key).or_insert_with(|| DifferenceGroup {
                        count: 0,
                        explained: found.expected.is_some(),
                        source: found.source.clone(),
                    });
                    group.count += 1;
                    if found.source.len() < group.source.len() {
                        group.source = found.source;
                    }
                }
            }
            number = upto;
        }
        println!("seed {}: {number} documents, {differ} differ from {}", self.seed, other.name());
        report(&groups, other)
    }

    fn is_over(&self, number: u64, start: Instant) -> bool {
        match self.stop {
            HuntStop::Minutes(minutes) => start.elapsed() >= Duration::from_secs(minutes.saturating_mul(60)),
            HuntStop::Documents(documents) => number >= documents,
        }
    }

    /// Makes a difference small. What is explained is taken out of the document, and what is left is looked at again, so
    /// that a known difference hides no other.
    fn reduce(&self, fragments: &[&str], other: &mut dyn Parser) -> Result<Vec<ShrunkDifference>> {
        let mut left = fragments.to_vec();
        let mut all = Vec::new();
        while !differing(&[left.concat()], other)?.is_empty() {
            let small = shrink(&left, |candidates| first_differing(candidates, other))?;
            let characters: Vec<char> = small.concat().chars().collect();
            let smallest = shrink(&characters, |candidates| {
                let sources: Vec<String> = candidates.iter().map(|candidate| candidate.iter().collect()).collect();
                Ok(differing(&sources, other)?.first().copied())
            })?;
            let source: String = smallest.iter().collect();
            let theirs = their_tree(&source, other)?;
            let expected = self.expected.iter().find(|expected| expected.explains(&source, &theirs, other.scripting()));
            all.push(ShrunkDifference { source, expected });
            let Some(expected) = expected else { break };
            let before = left.len();
            left.retain(|fragment| !expected.is_caused_by(fragment));
            if left.len() == before {
                // Fragments made it together, as a stray `<` and what follows: without those that it came down to.
                left.retain(|fragment| !small.contains(fragment));
            }
        }
        Ok(all)
    }
}

/// Which of the sources give different trees.
fn differing(sources: &[String], other: &mut dyn Parser) -> Result<Vec<usize>> {
    let theirs = other.trees(sources)?;
    if theirs.len() != sources.len() {
        bail!("{} gave {} trees for {} documents", other.name(), theirs.len(), sources.len());
    }
    let pairs = sources.iter().zip(theirs).enumerate();
    Ok(pairs.filter(|(_, (source, theirs))| ours(source, other.scripting()) != *theirs).map(|(at, _)| at).collect())
}

/// The same where a document keeps the other parser from finishing. Such documents are told, and count as equal.
fn one_by_one(sources: &[String], other: &mut dyn Parser) -> Result<Vec<usize>> {
    other.restart()?;
    let mut found = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        match differing(std::slice::from_ref(source), other) {
            Ok(differs) => found.extend(differs.iter().map(|_| at)),
            Err(reason) => {
                println!("{} does not finish {source:?}: {reason:#}", other.name());
                other.restart()?;
            }
        }
    }
    Ok(found)
}

fn first_differing(candidates: &[Vec<&str>], other: &mut dyn Parser) -> Result<Option<usize>> {
    let sources: Vec<String> = candidates.iter().map(|candidate| candidate.concat()).collect();
    Ok(differing(&sources, other)?.first().copied())
}

fn their_tree(source: &str, other: &mut dyn Parser) -> Result<String> {
    Ok(other.trees(&[source.to_owned()])?.pop().unwrap_or_default())
}

/// What differences alike have in common: the first line that differs, in both trees.
fn signature(source: &str, other: &mut dyn Parser) -> Result<String> {
    let theirs = their_tree(source, other)?;
    let (ours, theirs) = first_difference(&ours(source, other.scripting()), &theirs);
    // What a text says is not what sets it apart.
    let shown = |line: String| line.split_once('"').map_or(line.clone(), |(before, _)| format!("{before}\"…\""));
    let (ours, theirs) = (shown(ours), shown(theirs));
    Ok(format!("ours {ours}, {}'s {theirs}", other.name()))
}

/// Prints both trees of a source.
pub(super) fn show(other: &mut dyn Parser, source: &str) -> Result<()> {
    let theirs = their_tree(source, other)?;
    let ours = ours(source, other.scripting());
    if source.len() > SHOWN_WHOLE {
        let start: String = source.chars().take(SHOWN_WHOLE).collect();
        let (ours, theirs) = first_difference(&ours, &theirs);
        println!(
            "  {start:?}… ({} bytes)\n  ours: {}, {}'s: {}\n",
            source.len(),
            ours.trim_start_matches(['|', ' ']),
            other.name(),
            theirs.trim_start_matches(['|', ' '])
        );
        return Ok(());
    }
    println!("  {source:?}");
    if ours == theirs {
        println!("  both:\n{}", indented(&ours));
    } else {
        println!("  ours:\n{}  {}'s:\n{}", indented(&ours), other.name(), indented(&theirs));
    }
    Ok(())
}

fn indented(tree: &str) -> String {
    tree.lines().map(|line| format!("    {line}\n")).collect()
}

fn report(groups: &BTreeMap<String, DifferenceGroup>, other: &mut dyn Parser) -> Result<()> {
    let mut unexplained = 0;
    for (name, group) in groups {
        if group.explained {
            println!("{:>6} expected: {name}, as in {:?}", group.count, group.source);
        } else {
            unexplained += 1;
            println!("{:>6} UNEXPLAINED: {name}", group.count);
            show(other, &group.source)?;
        }
    }
    if unexplained == 0 {
        println!("no unexplained group");
        return Ok(());
    }
    bail!("{unexplained} unexplained groups: judge each, then mend the parser or tell it in docs/html-parser/")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sees an instruction and a rule as we don't.
    struct Odd;

    impl Parser for Odd {
        fn name(&self) -> &'static str {
            "Odd"
        }

        fn scripting(&self) -> bool {
            true
        }

        fn trees(&mut self, sources: &[String]) -> Result<Vec<String>> {
            let tree = |source: &String| {
                let seen = ["<?t", "<hr>"].into_iter().filter(|part| source.contains(part));
                ours(source, true) + &seen.collect::<String>()
            };
            Ok(sources.iter().map(tree).collect())
        }

        fn restart(&mut self) -> Result<()> {
            Ok(())
        }
    }

    static INSTRUCTIONS: [ExpectedDifference; 1] =
        [ExpectedDifference { name: "instructions", parts: &["<?"], reads: None }];

    #[test]
    fn a_known_difference_hides_no_other() {
        let hunt = Hunt { seed: 1, stop: HuntStop::Documents(0), expected: &INSTRUCTIONS };
        let found = hunt.reduce(&["<hr>", "a", "<p>", "<?t d>", "b"], &mut Odd).unwrap();
        let shown: Vec<(&str, bool)> =
            found.iter().map(|found| (found.source.as_str(), found.expected.is_some())).collect();
        assert_eq!(shown, [("<?t", true), ("<hr>", false)]);
    }

    #[test]
    fn an_unexplained_group_fails_a_run() {
        let run = |expected| Hunt { seed: 1, stop: HuntStop::Documents(2_000), expected }.run(&mut Odd);
        assert!(run(&INSTRUCTIONS).unwrap_err().to_string().contains("unexplained"));
    }

    #[test]
    fn the_first_line_that_differs_is_told() {
        assert_eq!(first_difference("a\nb\nc\n", "a\nx\nc\n"), ("b".to_owned(), "x".to_owned()));
        assert_eq!(first_difference("a\n", "a\nb\n"), ("nothing more".to_owned(), "b".to_owned()));
    }
}
