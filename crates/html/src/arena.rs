//! The arena of tags and text, shared by tokenizer and tree: attributes, unknown names, and encoded runs of source.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
use std::ops::Range;
use std::sync::OnceLock;

use crate::decode::{self, Mode};
use crate::names::{AttributeId, Mixed, TagId, name_bit};

/// No place.
pub(crate) const NONE: u32 = u32::MAX;

/// A run of source, and how to read it.
///
/// For a literal run the two numbers are its start and end in the source. For an encoded one the first is a place in
/// [`Arena::encoded`], where its text is cached once it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SourceRun {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl SourceRun {
    /// Marks `start` as a place in [`Arena::encoded`]. No source is that long.
    pub(crate) const ENCODED: u32 = NONE;

    #[inline]
    pub(crate) fn encoded(self) -> Option<usize> {
        (self.end == Self::ENCODED).then_some(self.start as usize)
    }
}

/// An encoded run: its text differs from its source.
#[derive(Debug, Clone)]
pub(crate) struct Encoded {
    start: u32,
    end: u32,
    mode: Mode,
    text: OnceLock<Box<str>>,
}

impl Encoded {
    /// Where it starts.
    pub(crate) fn start(&self) -> u32 {
        self.start
    }

    /// Forgets its text, which is another one now.
    pub(crate) fn forget(&mut self) {
        self.text = OnceLock::new();
    }

    /// The same run where its source lies elsewhere.
    pub(crate) fn moved(&self, mut place: impl FnMut(u32) -> u32) -> Self {
        Self { start: place(self.start), end: place(self.end), ..self.clone() }
    }
}

/// An attribute as it was written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawAttribute {
    /// The name; of a known one only the start counts.
    pub(crate) name: SourceRun,
    /// The value without quotes; starts at [`NONE`] where there is none.
    pub(crate) value: SourceRun,
    /// The known name, or [`AttributeId::UNKNOWN`].
    pub(crate) id: AttributeId,
}

/// Attributes, encoded runs and unknown names.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    pub(crate) attributes: Vec<RawAttribute>,
    pub(crate) encoded: Vec<Encoded>,
    pub(crate) names: Interner,
}

impl Arena {
    /// Memory in bytes, without cached texts.
    pub(crate) fn memory(&self) -> usize {
        self.attributes.capacity() * size_of::<RawAttribute>()
            + self.encoded.capacity() * size_of::<Encoded>()
            + self.names.names.capacity() * (size_of::<Own>() + 2 * size_of::<(u64, u32)>())
    }

    /// Adds a run of source; `changed`: its text differs from its source.
    pub(crate) fn run(&mut self, span: Range<usize>, mode: Mode, changed: bool) -> SourceRun {
        let (start, end) = (narrow(span.start), narrow(span.end));
        if !changed {
            return SourceRun { start, end };
        }
        let at = narrow(self.encoded.len());
        self.encoded.push(Encoded { start, end, mode, text: OnceLock::new() });
        SourceRun { start: at, end: SourceRun::ENCODED }
    }

    /// The bytes of a run.
    #[inline]
    pub(crate) fn span(&self, run: SourceRun) -> Range<usize> {
        match run.encoded() {
            None => run.start as usize..run.end as usize,
            Some(at) => self.encoded.get(at).map_or(0..0, |encoded| encoded.start as usize..encoded.end as usize),
        }
    }

    /// The text of a run.
    #[inline]
    pub(crate) fn text<'t>(&'t self, source: &'t str, run: SourceRun) -> &'t str {
        match run.encoded() {
            None => source.get(run.start as usize..run.end as usize).unwrap_or_default(),
            Some(at) => self.decoded(source, at),
        }
    }

    /// The text of an encoded run.
    fn decoded<'t>(&'t self, source: &'t str, at: usize) -> &'t str {
        self.encoded.get(at).map_or("", |encoded| {
            let written = source.get(encoded.start as usize..encoded.end as usize).unwrap_or_default();
            encoded.text.get_or_init(|| decode::decode(written, encoded.mode).into_boxed_str())
        })
    }

    /// [`name_bit`] of each of some attributes; all bits where a name may be read otherwise than it is written.
    pub(crate) fn name_bits(&self, source: &str, attributes: &[RawAttribute]) -> u16 {
        attributes.iter().fold(0, |bits, attribute| {
            let name = attribute.id.text().or_else(|| {
                let is_as_written = attribute.name.encoded().is_none();
                is_as_written.then(|| self.text(source, attribute.name))
            });
            bits | name.map_or(u16::MAX, name_bit)
        })
    }

    /// Name of an attribute in lower case.
    #[inline]
    pub(crate) fn attribute_name<'t>(&'t self, source: &'t str, attribute: &RawAttribute) -> &'t str {
        attribute.id.text().unwrap_or_else(|| self.text(source, attribute.name))
    }
}

/// Sources are no longer than 32-bit offsets reach.
pub(crate) fn narrow(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(NONE)
}

/// Numbers of unknown element names.
#[derive(Debug)]
pub(crate) struct Interner {
    /// Keyed per process, so that no page can make names collide.
    keys: RandomState,
    /// From the hash of a name to the last one that has it.
    last: HashMap<u64, u32, BuildHasherDefault<Ready>>,
    names: Vec<Own>,
}

/// An unknown name.
#[derive(Debug, Clone, Copy)]
struct Own {
    run: SourceRun,
    /// Another name of the same hash, or [`NONE`].
    previous: u32,
}

impl Default for Interner {
    fn default() -> Self {
        Self { keys: RandomState::new(), last: HashMap::default(), names: Vec::new() }
    }
}

/// A hasher for keys that are hashes already.
#[derive(Debug, Default)]
struct Ready(u64);

impl Hasher for Ready {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

impl Arena {
    /// The number of an element name as written at `span`.
    pub(crate) fn tag(&mut self, source: &str, span: Range<usize>, mixed: Mixed) -> TagId {
        let written = source.get(span.clone()).unwrap_or_default();
        TagId::known_mixed(written.as_bytes(), mixed).unwrap_or_else(|| self.own_tag(source, span))
    }

    fn own_tag(&mut self, source: &str, span: Range<usize>) -> TagId {
        let written = source.get(span.clone()).unwrap_or_default();
        let changed = decode::changes(written.as_bytes(), Mode::NAME);
        let lower = if changed { &decode::decode(written, Mode::NAME) } else { written };
        let hash = self.names.keys.hash_one(lower);
        let first = self.names.last.get(&hash).copied().unwrap_or(NONE);
        let mut at = first;
        while let Some(own) = self.names.names.get(at as usize) {
            if self.text(source, own.run) == lower {
                return TagId(TagId::KNOWN + at);
            }
            at = own.previous;
        }
        let run = self.run(span, Mode::NAME, changed);
        let number = narrow(self.names.names.len());
        self.names.names.push(Own { run, previous: first });
        self.names.last.insert(hash, number);
        TagId(TagId::KNOWN + number)
    }

    /// The text of an unknown name.
    pub(crate) fn own_name<'t>(&'t self, source: &'t str, tag: TagId) -> &'t str {
        let own = tag.0.checked_sub(TagId::KNOWN).and_then(|at| self.names.names.get(at as usize));
        own.map_or("", |own| self.text(source, own.run))
    }

    /// Where the first unknown name stands.
    pub(crate) fn first_own_name(&self) -> Option<usize> {
        self.names.names.first().map(|own| self.span(own.run).start)
    }

    /// The unknown names, of a source in which their runs lie elsewhere. To be read, and not to be added to.
    pub(crate) fn moved_names(&self, mut moved: impl FnMut(SourceRun) -> SourceRun) -> Interner {
        let names = self.names.names.iter().map(|own| Own { run: moved(own.run), ..*own }).collect();
        Interner { keys: self.names.keys.clone(), last: HashMap::default(), names }
    }

    /// Hash of two texts, keyed for this process.
    pub(crate) fn keyed_hash_of_pair(&self, name: &str, value: &str) -> u64 {
        self.names.keys.hash_one((name, value))
    }

    /// Hash of a text, keyed for this process.
    pub(crate) fn keyed_hash(&self, text: &str) -> u64 {
        self.names.keys.hash_one(text)
    }
}
