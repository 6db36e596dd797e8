//! The stack of open elements (WHATWG HTML §13.2.4.2), with an index that is kept up to date for scope queries.
//!
//! Each entry knows the nearest entry, itself included, that bounds a search of each kind, and the entry below that has
//! the same name; each name knows its topmost entry. So "has an element in scope" compares two numbers.

use crate::arena::NONE;
use crate::names::{TagId, Trait};
use crate::namespace::Namespace;
use crate::tree::node::NodeId;

/// An open element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    pub(super) node: NodeId,
    pub(super) tag: TagId,
    pub(super) namespace: Namespace,
    pub(super) integration: Integration,
}

impl Open {
    pub(super) fn is_html(&self, tag: TagId) -> bool {
        self.namespace == Namespace::Html && self.tag == tag
    }
}

/// Whether an element of SVG or MathML takes HTML inside (§13.2.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Integration {
    /// No.
    None,
    /// An HTML integration point.
    Html,
    /// A MathML text integration point.
    MathMlText,
}

/// What bounds a search from the current node downwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// "In scope".
    Scope,
    /// "In list item scope".
    ListItem,
    /// "In button scope".
    Button,
    /// "In table scope".
    Table,
    /// A special element: where the search for the element of any other end tag ends.
    Special,
    /// A special element but address, div and p: where the search for an open item of a list ends.
    Item,
    /// An element that decides the insertion mode.
    DecidesMode,
    /// An element of HTML.
    Html,
}

impl Bound {
    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Number of kinds of [`Bound`].
const BOUNDS: usize = 8;

#[derive(Debug, Clone, Copy)]
struct StackEntry {
    open: Open,
    /// The nearest entry that has the same name, in HTML or outside it alike.
    same: u32,
    bounds: [u32; BOUNDS],
}

/// The stack.
#[derive(Debug)]
pub(super) struct Stack {
    entries: Vec<StackEntry>,
    /// The topmost entry of each name, in HTML and outside it.
    tops: Vec<[u32; 2]>,
}

impl Stack {
    /// The current node of an empty stack.
    const NOTHING: Open =
        Open { node: NodeId(NONE), tag: TagId(NONE), namespace: Namespace::Html, integration: Integration::None };

    pub(super) fn new() -> Self {
        Self { entries: Vec::with_capacity(64), tops: vec![[NONE; 2]; TagId::KNOWN as usize] }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn get(&self, at: usize) -> Open {
        self.entries.get(at).map_or(Self::NOTHING, |entry| entry.open)
    }

    /// The current node.
    pub(super) fn current(&self) -> Open {
        self.entries.last().map_or(Self::NOTHING, |entry| entry.open)
    }

    pub(super) fn push(&mut self, open: Open) {
        let at = u32::try_from(self.entries.len()).unwrap_or(NONE);
        let mut bounds = self.entries.last().map_or([NONE; BOUNDS], |entry| entry.bounds);
        let mut kinds = bounds_of(&open);
        while kinds != 0 {
            if let Some(bound) = bounds.get_mut(kinds.trailing_zeros() as usize) {
                *bound = at;
            }
            kinds &= kinds - 1;
        }
        let name = open.tag.0 as usize;
        if name >= self.tops.len() {
            self.tops.resize(name + 1, [NONE; 2]);
        }
        let same = self.top_mut(&open).map_or(NONE, |top| std::mem::replace(top, at));
        self.entries.push(StackEntry { open, same, bounds });
    }

    pub(super) fn pop(&mut self) -> Option<Open> {
        let StackEntry { open, same, .. } = self.entries.pop()?;
        if let Some(top) = self.top_mut(&open) {
            *top = same;
        }
        Some(open)
    }

    fn top_mut(&mut self, open: &Open) -> Option<&mut u32> {
        let of_name = self.tops.get_mut(open.tag.0 as usize)?;
        of_name.get_mut(usize::from(open.namespace != Namespace::Html))
    }

    fn top_of(&self, tag: TagId, outside: bool) -> Option<usize> {
        let of_name = self.tops.get(tag.0 as usize)?;
        let at = *of_name.get(usize::from(outside))?;
        (at != NONE).then_some(at as usize)
    }

    /// Place of the topmost HTML element of a name.
    pub(super) fn top(&self, tag: TagId) -> Option<usize> {
        self.top_of(tag, false)
    }

    /// Place of the topmost element of a name outside HTML.
    pub(super) fn top_foreign(&self, tag: TagId) -> Option<usize> {
        self.top_of(tag, true)
    }

    /// The entry below `at` of the same name.
    pub(super) fn same_below(&self, at: usize) -> Option<usize> {
        let same = self.entries.get(at)?.same;
        (same != NONE).then_some(same as usize)
    }

    /// Place of the nearest entry that bounds a search.
    pub(super) fn bound(&self, bound: Bound) -> Option<usize> {
        let at = *self.entries.last()?.bounds.get(bound as usize)?;
        (at != NONE).then_some(at as usize)
    }

    /// Place of the topmost HTML element of a name, where it is within a bound (the bound itself counts).
    pub(super) fn within(&self, bound: Bound, tag: TagId) -> Option<usize> {
        self.top(tag).filter(|at| self.bound(bound).is_none_or(|bound| *at >= bound))
    }

    /// Changes the entries from `from` on, and says how many were put back.
    pub(super) fn rebuild(&mut self, from: usize, change: impl FnOnce(&mut Vec<Open>)) -> u64 {
        let mut tail = Vec::with_capacity(self.entries.len().saturating_sub(from) + 1);
        while self.entries.len() > from {
            tail.extend(self.pop());
        }
        tail.reverse();
        change(&mut tail);
        let count = tail.len() as u64;
        for open in tail {
            self.push(open);
        }
        count
    }
}

/// The kinds of [`Bound`] that an element is, as bits.
fn bounds_of(open: &Open) -> u8 {
    const FOREIGN: u8 =
        Bound::Scope.bit() | Bound::ListItem.bit() | Bound::Button.bit() | Bound::Special.bit() | Bound::Item.bit();
    match (open.namespace, open.tag) {
        (Namespace::Html, tag) => HTML_BOUNDS.get(tag.0 as usize).copied().unwrap_or(Bound::Html.bit()),
        (Namespace::MathMl, TagId::MI | TagId::MO | TagId::MN | TagId::MS | TagId::MTEXT | TagId::ANNOTATION_XML)
        | (Namespace::Svg, TagId::FOREIGN_OBJECT | TagId::DESC | TagId::TITLE) => FOREIGN,
        _ => 0,
    }
}

static HTML_BOUNDS: [u8; TagId::KNOWN as usize] = {
    let mut all = [0; TagId::KNOWN as usize];
    let mut at = 0;
    while at < all.len() {
        #[expect(clippy::indexing_slicing, reason = "evaluated while this is compiled")]
        {
            all[at] = html_bounds(TagId(at as u32));
        }
        at += 1;
    }
    all
};

const fn html_bounds(tag: TagId) -> u8 {
    let traits = tag.traits_of_known();
    let mut kinds = Bound::Html.bit();
    if traits.has(Trait::SCOPE) {
        kinds |= Bound::Scope.bit() | Bound::ListItem.bit() | Bound::Button.bit();
    }
    if traits.has(Trait::SPECIAL) {
        kinds |= Bound::Special.bit();
        if !matches!(tag, TagId::ADDRESS | TagId::DIV | TagId::P) {
            kinds |= Bound::Item.bit();
        }
    }
    if traits.has(Trait::DECIDES_MODE) {
        kinds |= Bound::DecidesMode.bit();
    }
    match tag {
        TagId::OL | TagId::UL => kinds | Bound::ListItem.bit(),
        TagId::BUTTON => kinds | Bound::Button.bit(),
        TagId::HTML | TagId::TABLE | TagId::TEMPLATE => kinds | Bound::Table.bit(),
        _ => kinds,
    }
}
