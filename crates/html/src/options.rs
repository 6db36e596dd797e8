//! How to parse, and where parsing stops.

/// How to parse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The scripting flag: whether `noscript` is text (on) or markup (off).
    pub scripting: bool,
    /// Where parsing stops.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self { scripting: true, limits: Limits::default() }
    }
}

/// Bounds of a tree. The same source with the same limits gives the same tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Levels of open elements, `html` being 1. What stands deeper becomes a sibling of the deepest, as in Chromium.
    pub depth: u32,
    /// Attributes kept of an element.
    pub attributes: u16,
    /// Steps beyond the reading of tokens (clones, walks, moved nodes) that any source may take ...
    pub work: u64,
    /// ... and as many more for each of its bytes. Past that, parsing stops and the tree that exists is used.
    pub work_per_byte: u64,
    /// Nodes that any source may make, and one more for every two of its bytes; so they bound the memory. A tag takes three
    /// bytes and a text one, so that only copies and implied elements come near.
    pub nodes: u64,
}

impl Limits {
    /// Enough for any page that people made: of over a thousand none was deeper than 41, had more attributes than 70 or
    /// took 3,800 steps.
    pub const PAGE: Self = Self { depth: 513, attributes: 256, work: 200_000, work_per_byte: 4, nodes: 20_000 };
}

impl Default for Limits {
    fn default() -> Self {
        Self::PAGE
    }
}
