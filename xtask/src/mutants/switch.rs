//! One source with all its mutations, each behind a condition: mutant schemata (Untch, Offutt and Harrold, "Mutation
//! Analysis Using Mutant Schemata", 1993). So all of them are compiled at once.

use std::cmp::Reverse;
use std::ops::Range;

use anyhow::Result;

use super::list::Mutant;
use super::places::{Places, places};

/// Source of the module with `on`, which only the copy that is compiled has.
pub(crate) const MODULE: &str = include_str!("switch/module.rs.txt");
/// Its name.
pub(crate) const MODULE_NAME: &str = "mutation_switch";
/// How the second variant of an iterator begins.
const EITHER: &str = "crate::mutation_switch::Either::B(";

/// A source with switches.
#[derive(Debug, Default)]
pub(crate) struct Switched {
    /// The source.
    pub(crate) text: String,
    /// Bytes of the text that only these mutations have: what does not compile there is the mutation's fault.
    pub(crate) mutated: Vec<(Range<usize>, u32)>,
    /// Bytes of each place with a switch: what does not compile there, but in no mutation, is the switch's fault.
    pub(crate) hosts: Vec<(Range<usize>, Vec<u32>)>,
    /// Mutations left out since they compile nowhere.
    pub(crate) unviable: Vec<u32>,
}

/// Text to insert, in parts; a part of a mutation has its number.
struct Insertion {
    at: usize,
    /// At one place: ends before starts, inner ends first, outer starts first.
    order: (u8, Reverse<usize>),
    parts: Vec<(Option<u32>, String)>,
    opens: Option<Vec<u32>>,
    closes: bool,
}

/// The source with these mutations, each on when `on` says so of its number.
pub(crate) fn switched(source: &str, mutants: &[Mutant]) -> Result<Switched> {
    let places = places(source, mutants)?;
    let mut insertions = insertions(source, &places);
    insertions.sort_by_key(|insertion| (insertion.at, insertion.order));
    let mut out = Switched { unviable: places.unviable, ..Switched::default() };
    let (mut at, mut open) = (0, Vec::new());
    for insertion in insertions {
        out.text.push_str(source.get(at..insertion.at).unwrap_or_default());
        at = insertion.at;
        if let Some(numbers) = insertion.opens {
            open.push((out.text.len(), numbers));
        }
        for (number, part) in insertion.parts {
            let start = out.text.len();
            out.text.push_str(&part);
            out.mutated.extend(number.map(|number| (start..out.text.len(), number)));
        }
        if insertion.closes
            && let Some((start, numbers)) = open.pop()
        {
            out.hosts.push((start..out.text.len(), numbers));
        }
    }
    out.text.push_str(source.get(at..).unwrap_or_default());
    Ok(out)
}

fn insertions(source: &str, places: &Places) -> Vec<Insertion> {
    let mut all = Vec::new();
    for (&(start, end), mutants) in &places.expressions {
        let mut parts = vec![(None, "(".to_owned())];
        for mutant in mutants {
            parts.push((None, format!("if {} {{ ", on(mutant))));
            parts.push((Some(mutant.number), replaced(source, &(start..end), mutant)));
            parts.push((None, " } else ".to_owned()));
        }
        parts.push((None, "{ ".to_owned()));
        all.push(Insertion {
            at: start,
            order: (2, Reverse(end)),
            parts,
            opens: Some(numbers(mutants)),
            closes: false,
        });
        let parts = vec![(None, " })".to_owned())];
        all.push(Insertion { at: end, order: (0, Reverse(start)), parts, opens: None, closes: true });
    }
    for (end, mutant) in &places.arms {
        let parts = vec![(None, format!(" if !{}", on(mutant)))];
        let opens = Some(vec![mutant.number]);
        all.push(Insertion { at: *end, order: (1, Reverse(0)), parts, opens, closes: true });
    }
    all.extend(places.bodies.iter().flat_map(|(span, mutants)| body(*span, mutants)));
    all
}

/// A body that returns the value of a mutation first. Where the result is some iterator, each value is a variant of
/// `Either`, since their types differ.
fn body((start, end): (usize, usize), mutants: &[Mutant]) -> Vec<Insertion> {
    let is_iterator = mutants.iter().any(|mutant| mutant.result.starts_with("-> impl Iterator"));
    let wrapped = |at: usize, value: &str| {
        format!("{}crate::{MODULE_NAME}::Either::A({value}){}", EITHER.repeat(at), ")".repeat(at))
    };
    let part = |(at, mutant): (usize, &Mutant)| {
        let value = &mutant.replacement;
        let value = if is_iterator { wrapped(at, value) } else { value.clone() };
        let value = (Some(mutant.number), format!("return {value};"));
        [(None, format!("if {} {{ ", on(mutant))), value, (None, " } ".to_owned())]
    };
    let mut parts: Vec<_> = mutants.iter().enumerate().flat_map(part).collect();
    let order = (1, Reverse(0));
    if !is_iterator {
        return vec![Insertion { at: start, order, parts, opens: Some(numbers(mutants)), closes: true }];
    }
    parts.push((None, EITHER.repeat(mutants.len()) + "{ "));
    let closing = vec![(None, " }".to_owned() + &")".repeat(mutants.len()))];
    vec![
        Insertion { at: start, order, parts, opens: Some(numbers(mutants)), closes: false },
        Insertion { at: end, order: (0, Reverse(start)), parts: closing, opens: None, closes: true },
    ]
}

fn numbers(mutants: &[Mutant]) -> Vec<u32> {
    mutants.iter().map(|mutant| mutant.number).collect()
}

fn on(mutant: &Mutant) -> String {
    format!("crate::{MODULE_NAME}::on({})", mutant.number)
}

/// The text of an expression with a mutation made in it.
fn replaced(source: &str, host: &Range<usize>, mutant: &Mutant) -> String {
    let before = source.get(host.start..mutant.span.start).unwrap_or_default();
    let after = source.get(mutant.span.end..host.end).unwrap_or_default();
    format!("{before}{}{after}", mutant.replacement)
}

#[cfg(test)]
mod tests;
