//! Tokens to tree (WHATWG HTML §13.2.6).

mod adoption;
mod body;
mod body_end;
mod end;
mod filling;
mod foreign;
mod formatting;
mod frames;
mod head;
mod insert;
mod option;
mod shadow;
mod stack;
mod table;
mod template;
mod text;

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::arena::{Arena, NONE, narrow};
use crate::decode::Mode;
use crate::names::TagId;
use crate::namespace::Namespace;
use crate::options::Options;
use crate::tokenizer::{Comment, Content, Doctype, ProcessingInstruction, Sink, TagToken, TextRun, Tokenizer};
use crate::tree::grow::{Location, Nodes};
use crate::tree::node::{Flag, Kind, Node, NodeId, Piece};
use crate::tree::{Quirks, Tree, TreeCut};
use formatting::Formatting;
use stack::{Integration, Open, Stack};

/// Bytes of source for each `<` that room is made for. Denser markup makes its room as it comes.
const BYTES_A_TAG: usize = 20;

/// Parses a document: of its source so many bytes at most, which end between two characters.
pub(crate) fn parse(source: Arc<String>, most: usize, options: &Options) -> Tree {
    // Places are 32-bit; a source that long is read as far as they reach.
    let readable = source.get(..most.min(source.floor_char_boundary((NONE - 2) as usize))).unwrap_or_default();
    let builder = Builder::new(readable, options);
    let mut built = Tokenizer::new(readable, builder, options.limits.attributes).run();
    // A tree is kept while an audit waits for other answers.
    built.nodes.all.shrink_to_fit();
    built.arena.attributes.shrink_to_fit();
    Tree {
        nodes: built.nodes.all,
        pieces: built.nodes.pieces,
        fragments: built.nodes.fragments,
        arena: built.arena,
        quirks: built.quirks,
        has_table_in_paragraph: built.has_table_in_paragraph,
        ignored_doctype: built.ignored_doctype,
        cut: built.cut,
        work: built.work,
        lines: OnceLock::new(),
        source,
    }
}

/// The insertion mode (§13.2.4.1). "In table text" is a list of pending text instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InsertionMode {
    Initial,
    BeforeHtml,
    BeforeHead,
    InHead,
    InHeadNoscript,
    AfterHead,
    InBody,
    Text,
    InTable,
    InCaption,
    InColumnGroup,
    InTableBody,
    InRow,
    InCell,
    InTemplate,
    AfterBody,
    InFrameset,
    AfterFrameset,
    AfterAfterBody,
    AfterAfterFrameset,
}

/// Whether a token was processed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    /// It was processed.
    Done,
    /// The insertion mode changed, and the token is to be processed again.
    Again,
}

/// The tree builder.
#[derive(Debug)]
struct Builder<'s> {
    source: &'s str,
    arena: Arena,
    nodes: Nodes,
    stack: Stack,
    formatting: Formatting,
    mode: InsertionMode,
    /// Where to go on after raw text.
    original_mode: InsertionMode,
    template_modes: Vec<InsertionMode>,
    head: Option<NodeId>,
    form: Option<NodeId>,
    quirks: Quirks,
    /// A table began in a paragraph: quirks decide whether it ends the paragraph, and nothing else.
    has_table_in_paragraph: bool,
    /// Bytes of the first doctype that came too late.
    ignored_doctype: Option<Range<usize>>,
    frameset_ok: bool,
    /// Misplaced content goes before the table.
    fostering: bool,
    /// Text met in a table, until the next token that is none.
    table_text: Vec<TextRun>,
    /// A line feed right after the start tag counts for nothing.
    skips_line_feed: bool,
    /// Instructions that templates may fill, by name.
    markers: HashMap<String, VecDeque<NodeId>>,
    /// Some came with the content of a template that fills one, and so stand before others that came earlier.
    has_filled_in_markers: bool,
    /// The open templates that fill one, the innermost last.
    fillings: Vec<filling::Filling>,
    /// The selects that are open, the innermost last.
    selects: Vec<option::OpenSelect>,
    /// How to read on after the current start tag.
    content: Content,
    /// The attributes of the current start tag belong to an element.
    attributes_kept: bool,
    /// Bytes of the current end tag.
    end_tag: (u32, u32),
    options: Options,
    cut: TreeCut,
    work: u64,
    work_limit: u64,
    node_limit: usize,
}

impl<'s> Builder<'s> {
    fn new(source: &'s str, options: &Options) -> Self {
        let limits = &options.limits;
        // An element has two `<` and up to two texts, and about two attributes. What is too much is given back at the end, which
        // moves nothing.
        let tags = memchr::memchr_iter(b'<', source.as_bytes()).count().min(source.len() / BYTES_A_TAG) + 16;
        Self {
            source,
            arena: Arena { attributes: Vec::with_capacity(tags), ..Arena::default() },
            nodes: Nodes::with_capacity(tags + tags / 2),
            stack: Stack::new(),
            formatting: Formatting::new(),
            mode: InsertionMode::Initial,
            original_mode: InsertionMode::InBody,
            template_modes: Vec::new(),
            head: None,
            form: None,
            quirks: Quirks::No,
            has_table_in_paragraph: false,
            ignored_doctype: None,
            frameset_ok: true,
            fostering: false,
            table_text: Vec::new(),
            skips_line_feed: false,
            markers: HashMap::new(),
            has_filled_in_markers: false,
            fillings: Vec::new(),
            selects: Vec::new(),
            content: Content::Data,
            attributes_kept: false,
            end_tag: (NONE, NONE),
            options: *options,
            cut: TreeCut::default(),
            work: 0,
            node_limit: usize::try_from(limits.nodes).unwrap_or(usize::MAX).saturating_add(source.len() / 2),
            work_limit: limits.work.saturating_add(limits.work_per_byte.saturating_mul(source.len() as u64)),
        }
    }

    /// Counts steps beyond the reading of tokens.
    fn count(&mut self, steps: u64) {
        self.work = self.work.saturating_add(steps);
        if self.work > self.work_limit || self.nodes.all.len() > self.node_limit {
            self.cut.work = true;
        }
    }

    fn bytes(&self, text: TextRun) -> &'s [u8] {
        self.source.as_bytes().get(text.range()).unwrap_or_default()
    }

    /// Whether a start tag or text is for the rules of HTML (§13.2.6, "tree construction dispatcher").
    fn is_for_html(&self, start_tag: Option<TagId>) -> bool {
        let current = self.stack.current();
        if current.namespace == Namespace::Html {
            return true;
        }
        match (current.integration, start_tag) {
            (Integration::Html, _) | (Integration::MathMlText, None) => true,
            (Integration::MathMlText, Some(name)) => !matches!(name, TagId::MGLYPH | TagId::MALIGNMARK),
            (Integration::None, name) => {
                name == Some(TagId::SVG)
                    && current.namespace == Namespace::MathMl
                    && current.tag == TagId::ANNOTATION_XML
            }
        }
    }

    /// Processes a start tag by the rules of a mode.
    fn start_in(&mut self, mode: InsertionMode, tag: &TagToken) -> Flow {
        match mode {
            InsertionMode::Initial => self.leave_initial(),
            InsertionMode::BeforeHtml => self.start_before_html(tag),
            InsertionMode::BeforeHead => self.start_before_head(tag),
            InsertionMode::InHead => self.start_in_head(tag),
            InsertionMode::InHeadNoscript => self.start_in_head_noscript(tag),
            InsertionMode::AfterHead => self.start_after_head(tag),
            // No start tag is met amid text.
            InsertionMode::InBody | InsertionMode::Text => self.start_in_body(tag),
            InsertionMode::InTable => self.start_in_table(tag),
            InsertionMode::InCaption => self.start_in_caption(tag),
            InsertionMode::InColumnGroup => self.start_in_column_group(tag),
            InsertionMode::InTableBody => self.start_in_table_body(tag),
            InsertionMode::InRow => self.start_in_row(tag),
            InsertionMode::InCell => self.start_in_cell(tag),
            InsertionMode::InTemplate => self.start_in_template(tag),
            InsertionMode::AfterBody | InsertionMode::AfterAfterBody => self.start_after_body(tag),
            InsertionMode::InFrameset => self.start_in_frameset(tag),
            InsertionMode::AfterFrameset | InsertionMode::AfterAfterFrameset => self.start_after_frameset(tag),
        }
    }

    /// Processes an end tag by the rules of a mode.
    fn end_in(&mut self, mode: InsertionMode, tag: &TagToken) -> Flow {
        match mode {
            InsertionMode::Initial => self.leave_initial(),
            InsertionMode::BeforeHtml => self.end_before_html(tag),
            InsertionMode::BeforeHead => self.end_before_head(tag),
            InsertionMode::InHead => self.end_in_head(tag),
            InsertionMode::InHeadNoscript => self.end_in_head_noscript(tag),
            InsertionMode::AfterHead => self.end_after_head(tag),
            InsertionMode::InBody => self.end_in_body(tag),
            InsertionMode::Text => {
                self.leave_text(true);
                Flow::Done
            }
            InsertionMode::InTable => self.end_in_table(tag),
            InsertionMode::InCaption => self.end_in_caption(tag),
            InsertionMode::InColumnGroup => self.end_in_column_group(tag),
            InsertionMode::InTableBody => self.end_in_table_body(tag),
            InsertionMode::InRow => self.end_in_row(tag),
            InsertionMode::InCell => self.end_in_cell(tag),
            InsertionMode::InTemplate => self.end_in_template(tag),
            InsertionMode::AfterBody => self.end_after_body(tag),
            InsertionMode::InFrameset => self.end_in_frameset(tag),
            InsertionMode::AfterFrameset => self.end_after_frameset(tag),
            InsertionMode::AfterAfterBody => {
                self.mode = InsertionMode::InBody;
                Flow::Again
            }
            InsertionMode::AfterAfterFrameset => Flow::Done,
        }
    }

    /// Where a comment or a processing instruction goes.
    fn comment_place(&mut self) -> Location {
        // In SVG and MathML the insertion mode does not count, even after the body.
        if self.stack.current().namespace != Namespace::Html {
            return self.bounded_place();
        }
        match self.mode {
            InsertionMode::Initial
            | InsertionMode::BeforeHtml
            | InsertionMode::AfterAfterBody
            | InsertionMode::AfterAfterFrameset => Location::last_in(NodeId::DOCUMENT),
            InsertionMode::AfterBody => Location::last_in(self.stack.get(0).node),
            _ => self.bounded_place(),
        }
    }
}

impl Sink for Builder<'_> {
    fn arena(&mut self) -> &mut Arena {
        &mut self.arena
    }

    fn doctype(&mut self, doctype: Doctype) {
        self.before_token();
        if self.mode == InsertionMode::Initial {
            self.insert_doctype(doctype);
        } else if self.ignored_doctype.is_none() {
            self.ignored_doctype = Some(doctype.span);
        }
    }

    fn start_tag(&mut self, tag: &TagToken) -> Content {
        self.before_token();
        self.attributes_kept = false;
        self.content = Content::Data;
        let is_for_html = self.is_for_html(Some(tag.name));
        if is_for_html || self.start_foreign(tag) == Flow::Again {
            while self.start_in(self.mode, tag) == Flow::Again {}
        }
        if !self.attributes_kept {
            self.arena.attributes.truncate(tag.attributes as usize);
        }
        self.content
    }

    fn end_tag(&mut self, tag: &TagToken) {
        self.before_token();
        self.end_tag = (tag.start, tag.end);
        let is_foreign = self.stack.current().namespace != Namespace::Html;
        if !is_foreign || self.end_foreign(tag) == Flow::Again {
            while self.end_in(self.mode, tag) == Flow::Again {}
        }
        self.end_tag = (NONE, NONE);
    }

    fn text(&mut self, text: TextRun) {
        self.characters(text);
    }

    fn comment(&mut self, comment: Comment) {
        self.before_token();
        let mut node = Node::new(Kind::Comment);
        (node.start, node.end) = (comment.data.start, comment.data.end);
        node.end_tag = (narrow(comment.span.start), narrow(comment.span.end));
        let at = self.comment_place();
        let id = self.nodes.add(node);
        self.nodes.insert(at, id);
    }

    fn instruction(&mut self, instruction: ProcessingInstruction) {
        self.before_token();
        let mut node = Node::new(Kind::Instruction);
        (node.start, node.end) = (instruction.data.start, instruction.data.end);
        node.end_tag = (narrow(instruction.span.start), narrow(instruction.span.end));
        node.attributes = narrow(instruction.target.start);
        node.tag = TagId(narrow(instruction.target.len()));
        let at = self.comment_place();
        let id = self.nodes.add(node);
        self.nodes.insert(at, id);
        self.remember_marker(id);
    }

    fn end(&mut self) {
        self.before_token();
        self.end_of_source();
    }

    fn allows_cdata(&self) -> bool {
        self.stack.current().namespace != Namespace::Html
    }

    fn is_stopped(&self) -> bool {
        self.cut.work
    }

    fn attributes_cut(&mut self) {
        self.cut.attributes = true;
    }
}

impl Builder<'_> {
    /// Flushes what any token but text ends.
    fn before_token(&mut self) {
        self.count(0);
        self.skips_line_feed = false;
        if !self.table_text.is_empty() {
            self.flush_table_text();
        }
    }

    fn insert_doctype(&mut self, doctype: Doctype) {
        self.quirks = head::quirks_of(&doctype, &self.arena, self.source);
        let mut node = Node::new(Kind::Doctype);
        node.end_tag = (narrow(doctype.span.start), narrow(doctype.span.end));
        node.attributes = narrow(self.nodes.pieces.len());
        for part in [doctype.name, doctype.public, doctype.system] {
            let run = part.unwrap_or_else(|| self.arena.run(0..0, Mode::RAW, false));
            self.nodes.pieces.push(Piece { run, next: NONE });
        }
        let id = self.nodes.add(node);
        self.nodes.insert(Location::last_in(NodeId::DOCUMENT), id);
        self.mode = InsertionMode::BeforeHtml;
    }
}

impl TagToken {
    fn end_of_attributes(&self) -> usize {
        self.attributes as usize + usize::from(self.attribute_count)
    }
}
