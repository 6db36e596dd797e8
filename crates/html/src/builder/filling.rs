//! Templates that fill a marker: out-of-order streaming (WHATWG HTML §13.2.6.4.4, start tag "template", since 2026).
//!
//! `<template for=NAME>` puts its content where an earlier `<?marker name="NAME"?>` stands, or in place of what stands
//! between `<?start name="NAME"?>` and its `<?end?>`; the template itself and the markers are in no tree. Found by asking
//! Chromium: the marker is looked for below the template's parent, from the root if that is the body.

use std::collections::HashSet;

use super::{Builder, Flag, Kind, Location, NodeId, TagId};
use crate::decode::{self, Mode, is_space};
use crate::names::AttributeId;

/// Target of an instruction that marks a place.
const MARKER: &str = "marker";
/// Targets of instructions around what may be replaced.
const START: &str = "start";
const END: &str = "end";
/// Names of character references in the attributes of an instruction, which are those of XML.
const REFERENCES: [&str; 5] = ["amp", "apos", "gt", "lt", "quot"];

/// An open template that fills a marker.
#[derive(Debug)]
pub(super) struct Filling {
    template: NodeId,
    /// What it is for.
    name: String,
    parent: NodeId,
    /// The instruction that marks the place.
    marker: NodeId,
    /// What the content goes before: the marker, or the end of what it replaces.
    before: Option<NodeId>,
}

impl Builder<'_> {
    /// An instruction came: templates may fill it.
    pub(super) fn remember_marker(&mut self, instruction: NodeId) {
        if ![MARKER, START].contains(&self.target(instruction)) {
            return;
        }
        let data = self.arena.text(self.source, self.nodes.get(instruction).run());
        if let Some(name) = name_in(data) {
            self.has_filled_in_markers |= !self.fillings.is_empty();
            self.markers.entry(name).or_default().push_back(instruction);
        }
    }

    fn target(&self, id: NodeId) -> &str {
        let node = self.nodes.get(id);
        if node.kind != Kind::Instruction {
            return "";
        }
        let start = node.attributes as usize;
        self.source.get(start..start + node.tag.0 as usize).unwrap_or_default()
    }

    /// Whether a template that is nowhere yet fills a marker; it then stays nowhere.
    pub(super) fn begin_filling(&mut self, template: NodeId) -> bool {
        let Some(name) = self.attribute(template, AttributeId::FOR) else { return false };
        let parent = self.place().parent;
        let root = self.nodes.get(parent).parent.some().filter(|_| self.nodes.is_html(parent, TagId::BODY));
        let scope = root.unwrap_or(parent);
        let (mut steps, mut found) = (0, None);
        for marker in self.markers.get(name).into_iter().flatten().copied() {
            if self.work.saturating_add(steps) > self.work_limit {
                break;
            }
            if !self.is_in(marker, scope, &mut steps) {
                continue;
            }
            found = found.filter(|first| !self.precedes(marker, *first, &mut steps)).or(Some(marker));
            if !self.has_filled_in_markers {
                break;
            }
        }
        let name = name.to_owned();
        self.count(steps);
        let Some((marker, parent)) = found.and_then(|marker| Some((marker, self.nodes.get(marker).parent.some()?)))
        else {
            return false;
        };
        let before = if self.target(marker) == START { self.empty_range(marker) } else { Some(marker) };
        self.nodes.set(template, Flag::FILLING, true);
        self.fillings.push(Filling { template, name, parent, marker, before });
        true
    }

    /// Whether a node is below another, other than in what a template holds.
    fn is_in(&self, id: NodeId, scope: NodeId, steps: &mut u64) -> bool {
        let mut at = id;
        loop {
            *steps += 1;
            if at == scope {
                return true;
            }
            let node = self.nodes.get(at);
            match node.parent.some() {
                Some(parent) if node.kind != Kind::Fragment => at = parent,
                _ => return false,
            }
        }
    }

    /// Whether a node stands before another in document order. Neither holds the other.
    fn precedes(&self, node: NodeId, other: NodeId, steps: &mut u64) -> bool {
        let upwards = |from: NodeId| std::iter::successors(Some(from), |at| self.nodes.get(*at).parent.some());
        let mut lines: [Vec<NodeId>; 2] = [node, other].map(|from| upwards(from).collect());
        *steps += (lines[0].len() + lines[1].len()) as u64;
        let mut ends = (None, None);
        // Down from the root, which they share, to where they part.
        while ends.0 == ends.1 && lines.iter().all(|line| !line.is_empty()) {
            ends = (lines[0].pop(), lines[1].pop());
        }
        let later = std::iter::successors(ends.0, |at| self.nodes.get(*at).next.some());
        later.inspect(|_| *steps += 1).any(|at| Some(at) == ends.1)
    }

    /// Takes out what stands behind a start up to its end, which is given back; all there is, where none is.
    fn empty_range(&mut self, start: NodeId) -> Option<NodeId> {
        let mut within = 0_u32;
        let mut end = None;
        let mut at = self.nodes.get(start).next.some();
        let mut steps = 0;
        while let Some(id) = at {
            steps += 1;
            match self.target(id) {
                START => within += 1,
                END if within == 0 => {
                    end = Some(id);
                    break;
                }
                END => within -= 1,
                _ => {}
            }
            at = self.nodes.get(id).next.some();
        }
        while let Some(id) = self.nodes.get(start).next.some().filter(|id| Some(*id) != end) {
            steps += 1;
            self.nodes.detach(id);
        }
        self.count(steps);
        end
    }

    /// Where the content of a template that fills a marker goes.
    pub(super) fn filled_place(&self, template: NodeId) -> Option<Location> {
        let filling = self.fillings.iter().rev().find(|filling| filling.template == template)?;
        // What it goes before may have been taken out since: then it goes last.
        let before = filling.before.filter(|before| self.nodes.get(*before).parent == filling.parent);
        Some(Location { parent: filling.parent, before })
    }

    /// A template closed: the marker that it filled goes.
    pub(super) fn end_filling(&mut self) {
        while let Some(filling) = self.fillings.pop_if(|last| !self.nodes.get(last.template).has(Flag::OPEN)) {
            if let Some(named) = self.markers.get_mut(&filling.name) {
                // The first in reach was taken, and each before it was counted.
                let at = named.iter().position(|marker| *marker == filling.marker);
                at.and_then(|at| named.remove(at));
            }
            self.nodes.detach(filling.marker);
            filling.before.into_iter().for_each(|before| self.nodes.detach(before));
        }
    }
}

/// The `name` in the data of an instruction, which is read as a tag of XML is: one mistake, and there is none.
fn name_in(data: &str) -> Option<String> {
    let mut rest = data.trim_start_matches(is_xml_space);
    let mut names = HashSet::new();
    let mut found = None;
    while !rest.is_empty() {
        let (name, after) = rest.split_once('=')?;
        let name = name.trim_end_matches(is_xml_space);
        let is_begun = name.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | ':'));
        let is_name = name.chars().all(|character| character.is_alphanumeric() || "_:-.".contains(character));
        if !is_begun || !is_name || !names.insert(name) {
            return None;
        }
        let after = after.trim_start_matches(is_xml_space);
        let quote = after.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let (value, after) = after.get(1..)?.split_once(quote)?;
        let value = value_of(value)?;
        if name == "name" {
            found = Some(value);
        }
        rest = after.trim_start_matches(is_xml_space);
        if rest.len() == after.len() && !rest.is_empty() {
            return None;
        }
    }
    found.filter(|name| !name.is_empty())
}

/// A value, references resolved; nothing where XML allows none.
fn value_of(written: &str) -> Option<String> {
    if written.contains('<') {
        return None;
    }
    for reference in written.split('&').skip(1) {
        let (name, _) = reference.split_once(';')?;
        if !name.starts_with('#') && !REFERENCES.contains(&name) {
            return None;
        }
    }
    Some(decode::decode(written, Mode::VALUE).replace(['\t', '\n'], " "))
}

fn is_xml_space(character: char) -> bool {
    u8::try_from(character).is_ok_and(is_space)
}
