//! A start tag read by itself: what comes in the place of another.

use std::ops::Range;

use super::TextSplice;
use crate::arena::{Arena, Encoded, NONE, RawAttribute, SourceRun, narrow};
use crate::names::{TagId, Trait};
use crate::options::Options;
use crate::tokenizer::{Comment, Content, Doctype, ProcessingInstruction, Sink, TagToken, TextRun, Tokenizer};
use crate::tree::node::Node;

/// Another start tag in the place of one.
#[derive(Debug)]
pub(super) struct Rewrite {
    /// The tag before.
    pub(super) span: Range<usize>,
    pub(super) name: TagId,
    attributes: Vec<RawAttribute>,
    attribute_names: u16,
    encoded: Vec<Encoded>,
    /// Where its attributes went.
    place: Option<u32>,
}

impl Rewrite {
    /// `None` where the new text is not one start tag, or of an element whose attributes the tree builder looks at.
    pub(super) fn of((span, text): &TextSplice<'_>, options: &Options) -> Option<Self> {
        let read = Tokenizer::new(text, FirstTag::default(), options.limits.attributes).run();
        let is_whole = |tag: &TagToken| (tag.start, tag.end) == (0, narrow(text.len())) && !is_looked_at(tag.name);
        let tag = read.tag.filter(is_whole).filter(|_| !read.is_cut)?;
        Some(Self {
            span: span.clone(),
            name: tag.name,
            attributes: read.arena.attributes,
            attribute_names: tag.attribute_names,
            encoded: read.arena.encoded,
            place: None,
        })
    }

    /// How many attributes it has.
    pub(super) fn attribute_count(&self) -> usize {
        self.attributes.len()
    }

    /// Whether it stands in the place of a tag that was there.
    pub(super) fn is_placed(&self) -> bool {
        self.place.is_some()
    }

    /// Gives its attributes to an element at whose start it stands now.
    pub(super) fn give_to(&mut self, node: &mut Node, arena: &mut Arena) -> Option<()> {
        let place = *self.place.get_or_insert_with(|| {
            let place = narrow(arena.attributes.len());
            let encoded = narrow(arena.encoded.len());
            let moved = |run: SourceRun| match (run.encoded(), run.start) {
                (_, NONE) => run,
                (Some(_), _) => SourceRun { start: run.start + encoded, ..run },
                (None, _) => SourceRun { start: run.start + node.start, end: run.end + node.start },
            };
            arena.encoded.extend(self.encoded.iter().map(|run| run.moved(|at| at + node.start)));
            let attributes = self.attributes.iter();
            arena.attributes.extend(attributes.map(|one| RawAttribute {
                name: moved(one.name),
                value: moved(one.value),
                ..*one
            }));
            place
        });
        node.attributes = place;
        node.attribute_count = u16::try_from(self.attributes.len()).ok()?;
        node.attribute_names = self.attribute_names;
        Some(())
    }
}

/// Whether the tree builder looks at the attributes of an element. Of formatting elements it takes three that are alike for
/// a limit; of links there are never two among the active ones (§13.2.6.4.7, "A start tag whose tag name is \"a\"").
fn is_looked_at(tag: TagId) -> bool {
    // Unknown names are numbered by each source for itself.
    tag.0 >= TagId::KNOWN
        || tag.has(Trait::FORMATTING) && tag != TagId::A
        || matches!(
            tag,
            TagId::HTML
                | TagId::BODY
                | TagId::INPUT
                | TagId::SELECT
                | TagId::OPTGROUP
                | TagId::OPTION
                | TagId::SELECTEDCONTENT
                | TagId::TEMPLATE
        )
}

/// Takes the first token of a source, where that is a start tag.
#[derive(Debug, Default)]
struct FirstTag {
    arena: Arena,
    tag: Option<TagToken>,
    is_stopped: bool,
    is_cut: bool,
}

impl Sink for FirstTag {
    fn arena(&mut self) -> &mut Arena {
        &mut self.arena
    }

    fn doctype(&mut self, _: Doctype) {
        self.is_stopped = true;
    }

    fn start_tag(&mut self, tag: &TagToken) -> Content {
        self.tag = Some(*tag);
        self.is_stopped = true;
        Content::Data
    }

    fn end_tag(&mut self, _: &TagToken) {
        self.is_stopped = true;
    }

    fn text(&mut self, _: TextRun) {
        self.is_stopped = true;
    }

    fn comment(&mut self, _: Comment) {
        self.is_stopped = true;
    }

    fn instruction(&mut self, _: ProcessingInstruction) {
        self.is_stopped = true;
    }

    fn end(&mut self) {}

    fn allows_cdata(&self) -> bool {
        false
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    fn attributes_cut(&mut self) {
        self.is_cut = true;
    }
}
