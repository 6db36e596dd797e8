//! Source text to arena, through html5ever.
//!
//! The source is fed in pieces of [`PIECE`] bytes. Budgets are counted in the sink, where the real tree is known, and
//! are the same for the same bytes. A tag with more attributes than we keep is skipped over before the tokenizer reads
//! them all, because its check for duplicates is quadratic.

mod tree;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{LocalName, QualName, TokenizerResult, ns};

use super::{
    Attribute, Complexity, Document, ElementData, Kind, LineIndex, MAX_ATTRIBUTES, Namespace, NodeId, Span,
    attribute_spans,
};

use tree::{Tree, narrow};

/// Bytes given to the tokenizer at once. Small, so that a budget is noticed soon.
const PIECE: usize = 4096;
/// Bytes of an unfinished tag after which its attributes are counted again.
const RESCAN: usize = 8 * PIECE;
/// Nodes beyond the number of source bytes at which parsing stops: each byte makes at most one node in honest markup,
/// while reconstructed formatting elements multiply.
const SPARE_NODES: usize = 10_000;

pub(super) fn parse(source: String) -> Document {
    let input = Rc::new(BufferQueue::default());
    let limit = source.len().saturating_add(SPARE_NODES);
    let sink = Sink { tree: RefCell::new(Tree::new(limit)), token: Cell::new(None), doctype_token: Cell::new(None) };
    let builder = TreeBuilder::new(sink, TreeBuilderOpts { scripting_enabled: true, ..TreeBuilderOpts::default() });
    let tracker = Tracker {
        builder,
        input: Rc::clone(&input),
        fed: Cell::new(0),
        token_start: Cell::new(0),
        end_tags: RefCell::new(Vec::new()),
    };
    // The decoder drops the byte order mark. The tokenizer would drop one at the start of each piece.
    let tokenizer = Tokenizer::new(tracker, TokenizerOpts { discard_bom: false, ..TokenizerOpts::default() });
    let mut feeder = Feeder { source: &source, at: 0, attributes_cut: false };
    while let Some(piece) = feeder.next(&tokenizer.sink) {
        tokenizer.sink.fed.set(feeder.at);
        input.push_back(StrTendril::from_slice(piece));
        // A script's end and an encoding declaration make the tokenizer pause. Nothing runs here, and the encoding is
        // settled before and after parsing: it goes on.
        while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
        if tokenizer.sink.builder.sink.tree.borrow().stopped.is_some() {
            break;
        }
    }
    tokenizer.end();
    let attributes_cut = feeder.attributes_cut;
    let mut tree = tokenizer.sink.builder.sink.tree.take();
    place_tags(&mut tree, tokenizer.sink.end_tags.take(), &source);
    let cut_somewhere = (attributes_cut || tree.attributes_cut).then_some(Complexity::Attributes);
    Document {
        nodes: tree.nodes,
        attributes: tree.attributes,
        text: tree.text,
        lines: LineIndex::new(&source),
        quirks: tree.quirks,
        doctype: tree.doctype.map(Span::range),
        too_complex: tree.stopped.or(cut_somewhere),
        source,
    }
}

/// Gives start tags their exact span, and each end tag to the element it closed.
///
/// Elements and end tags are replayed in source order over a stack. An element that the tree does not hold open (its
/// end was implied) is dropped from the stack by the next start tag that is not below it.
fn place_tags(tree: &mut Tree, end_tags: Vec<(LocalName, Span)>, source: &str) {
    let mut open: Vec<NodeId> = Vec::new();
    let mut ends = end_tags.into_iter().map(|(name, span)| (name, from_bracket(span, source))).peekable();
    let mut started: Vec<(u32, NodeId)> = Vec::new();
    for at in 0..tree.nodes.len() {
        let id = NodeId(narrow(at));
        if let Some(data) = tree.data_mut(id)
            && let Some(span) = data.start_tag
        {
            let span = from_bracket(span, source);
            data.start_tag = Some(span);
            started.push((span.start, id));
        }
    }
    started.sort_unstable();
    for (start, id) in started {
        while let Some((name, span)) = ends.next_if(|(_, span)| span.start < start) {
            tree.close(&mut open, &name, span);
        }
        while open.last().is_some_and(|top| !tree.is_below(id, *top)) {
            open.pop();
        }
        open.push(id);
    }
    for (name, span) in ends {
        tree.close(&mut open, &name, span);
    }
}

/// A tag's span from its `<`: after a stray `<` in text the tokenizer has read one character ahead, and after a CR it
/// has yet to pass over the LF.
fn from_bracket(span: Span, source: &str) -> Span {
    let byte_at = |at: u32| source.as_bytes().get(at as usize);
    let start = match byte_at(span.start) {
        Some(b'\n') if byte_at(span.start + 1) == Some(&b'<') => span.start + 1,
        Some(byte) if *byte != b'<' && span.start > 0 && byte_at(span.start - 1) == Some(&b'<') => span.start - 1,
        _ => span.start,
    };
    Span { start, end: span.end }
}

/// Cuts the source into pieces, and steps over the attributes of a tag past the limit.
struct Feeder<'s> {
    source: &'s str,
    at: usize,
    attributes_cut: bool,
}

impl<'s> Feeder<'s> {
    fn next(&mut self, tracker: &Tracker) -> Option<&'s str> {
        if self.at >= self.source.len() {
            return None;
        }
        let open = tracker.token_start.get();
        let held = self.at.saturating_sub(open);
        // A long value is not read through again at every piece.
        let due = held < RESCAN || held % RESCAN < PIECE;
        if held > PIECE
            && due
            && let Some(end) = self.end_of_long_tag(open)
        {
            self.attributes_cut = true;
            self.at = end;
        }
        let mut end = (self.at + PIECE).min(self.source.len());
        while !self.source.is_char_boundary(end) {
            end += 1;
        }
        let piece = self.source.get(self.at..end)?;
        self.at = end;
        Some(piece)
    }

    /// If what is unfinished at `open` is a start tag with more attributes than we keep already read, and the feed
    /// stands outside any value of it: the offset of the tag's `>`.
    fn end_of_long_tag(&self, open: usize) -> Option<usize> {
        let read = self.source.get(open..self.at)?;
        let start = read.find('<')?;
        let tag = read.get(start..)?;
        if !tag.as_bytes().get(1)?.is_ascii_alphabetic()
            || tag.as_bytes().iter().filter(|b| is_gap(**b)).count() < MAX_ATTRIBUTES
        {
            return None;
        }
        let spans = attribute_spans(tag);
        let closed = spans.last().is_some_and(|last| last.whole.end < tag.len() || last.value.is_none());
        if spans.len() <= MAX_ATTRIBUTES || !closed {
            return None;
        }
        let rest = self.source.get(open + start..)?;
        Some(open + start + attribute_spans_end(rest))
    }
}

fn is_gap(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C | b'/' | b'"' | b'\'')
}

/// Offset of the `>` that ends the tag at the start of `source`; its end when the tag is never closed.
fn attribute_spans_end(source: &str) -> usize {
    let last = attribute_spans(source).last().map_or(1, |span| span.whole.end);
    source.get(last..).and_then(|rest| rest.find('>')).map_or(source.len(), |end| last + end)
}

/// Stands between tokenizer and tree builder, to know where in the source each tag lies.
struct Tracker {
    builder: TreeBuilder<NodeId, Sink>,
    input: Rc<BufferQueue>,
    fed: Cell<usize>,
    token_start: Cell<usize>,
    end_tags: RefCell<Vec<(LocalName, Span)>>,
}

impl Tracker {
    /// Source offset after the last character that the tokenizer took.
    fn consumed(&self) -> usize {
        let Some(first) = self.input.pop_front() else { return self.fed.get() };
        let mut waiting = first.len();
        // There is a second one for a moment only, while the tokenizer looks ahead.
        if !self.input.is_empty() {
            let mut held = Vec::new();
            while let Some(buffer) = self.input.pop_front() {
                waiting += buffer.len();
                held.push(buffer);
            }
            held.into_iter().for_each(|buffer| self.input.push_back(buffer));
        }
        self.input.push_front(first);
        self.fed.get().saturating_sub(waiting)
    }
}

impl TokenSink for Tracker {
    type Handle = NodeId;

    fn process_token(&self, token: Token, line_number: u64) -> TokenSinkResult<NodeId> {
        let sink = &self.builder.sink;
        if sink.tree.borrow().stopped.is_some() && !matches!(token, Token::EOFToken) {
            return TokenSinkResult::Continue;
        }
        if matches!(token, Token::ParseError(_)) {
            return TokenSinkResult::Continue;
        }
        let end = self.consumed();
        let span = Span { start: narrow(self.token_start.get()), end: narrow(end) };
        self.token_start.set(end);
        match &token {
            Token::TagToken(Tag { kind: TagKind::StartTag, name, .. }) => {
                sink.token.set(Some(CurrentTag { span, taken: None }));
                sink.tree.borrow_mut().tag_name = Some(name.clone());
            }
            Token::TagToken(Tag { name, .. }) => {
                sink.token.set(None);
                self.end_tags.borrow_mut().push((name.clone(), span));
            }
            Token::DoctypeToken(_) => {
                sink.token.set(None);
                sink.doctype_token.set(Some(span));
            }
            _ => sink.token.set(None),
        }
        self.builder.process_token(token, line_number)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

#[derive(Clone, Copy)]
struct CurrentTag {
    span: Span,
    /// The element that holds this start tag so far. The last one made during a token is the one it stands for:
    /// clones of formatting elements are made before it.
    taken: Option<NodeId>,
}

struct Sink {
    tree: RefCell<Tree>,
    token: Cell<Option<CurrentTag>>,
    /// The last doctype read. The tree builder takes one only at the start, and ignores it elsewhere.
    doctype_token: Cell<Option<Span>>,
}

/// An element's name, owned: the tree can't be borrowed while the builder holds it.
#[derive(Debug)]
struct Name(QualName);

impl ElemName for Name {
    fn ns(&self) -> &html5ever::Namespace {
        &self.0.ns
    }
    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

impl TreeSink for Sink {
    type Handle = NodeId;
    type Output = ();
    type ElemName<'a> = Name;

    fn finish(self) {}

    fn parse_error(&self, _: std::borrow::Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        NodeId::DOCUMENT
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Name {
        let tree = self.tree.borrow();
        let data = match tree.node(*target).map(|node| &node.kind) {
            Some(Kind::Element(data)) => Some(data),
            _ => None,
        };
        let namespace = match data.map_or(Namespace::Html, |data| data.namespace) {
            Namespace::Html => ns!(html),
            Namespace::Svg => ns!(svg),
            Namespace::MathMl => ns!(mathml),
        };
        Name(QualName::new(None, namespace, data.map(|data| data.name.clone()).unwrap_or_default()))
    }

    fn create_element(&self, name: QualName, attributes: Vec<html5ever::Attribute>, flags: ElementFlags) -> NodeId {
        let mut tree = self.tree.borrow_mut();
        let namespace = match &name.ns {
            ns if *ns == ns!(svg) => Namespace::Svg,
            ns if *ns == ns!(mathml) => Namespace::MathMl,
            _ => Namespace::Html,
        };
        let template_contents = flags.template.then(|| tree.add(Kind::Document));
        let attributes = tree.keep_attributes(attributes);
        let mut start_tag = None;
        if let Some(mut current) = self.token.get()
            && tree.tag_name.as_ref().is_some_and(|tag| tag.eq_ignore_ascii_case(&name.local))
        {
            if let Some(data) = current.taken.and_then(|id| tree.data_mut(id)) {
                data.start_tag = None;
            }
            start_tag = Some(current.span);
            current.taken = Some(NodeId(narrow(tree.nodes.len())));
            self.token.set(Some(current));
        }
        tree.add(Kind::Element(ElementData {
            name: name.local,
            html: namespace == Namespace::Html,
            namespace,
            attributes,
            start_tag,
            end_tag: None,
            template_contents,
        }))
    }

    fn create_comment(&self, _: StrTendril) -> NodeId {
        self.tree.borrow_mut().add(Kind::Comment)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> NodeId {
        self.tree.borrow_mut().add(Kind::Comment)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        self.tree.borrow_mut().insert(*parent, None, child);
    }

    fn append_based_on_parent_node(&self, element: &NodeId, previous: &NodeId, child: NodeOrText<NodeId>) {
        let has_parent = self.tree.borrow().node(*element).is_some_and(|node| node.parent.is_some());
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {
        self.tree.borrow_mut().doctype = self.doctype_token.get();
    }

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        let tree = self.tree.borrow();
        match tree.node(*target).map(|node| &node.kind) {
            Some(Kind::Element(data)) => data.template_contents.unwrap_or(*target),
            _ => *target,
        }
    }

    fn same_node(&self, x: &NodeId, y: &NodeId) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.tree.borrow_mut().quirks = mode == QuirksMode::Quirks;
    }

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        let mut tree = self.tree.borrow_mut();
        if let Some(parent) = tree.node(*sibling).and_then(|node| node.parent) {
            tree.insert(parent, Some(*sibling), child);
        }
    }

    fn add_attrs_if_missing(&self, target: &NodeId, attributes: Vec<html5ever::Attribute>) {
        let mut tree = self.tree.borrow_mut();
        let Some(range) = tree.data_mut(*target).map(|data| data.attributes.clone()) else { return };
        let mut all: Vec<(LocalName, Span)> = tree
            .attributes
            .get(range.start as usize..range.end as usize)
            .unwrap_or_default()
            .iter()
            .map(|attribute| (attribute.name.clone(), attribute.value))
            .collect();
        for attribute in attributes {
            if all.len() >= MAX_ATTRIBUTES {
                tree.attributes_cut = true;
                break;
            }
            if all.iter().all(|(name, _)| *name != attribute.name.local) {
                let value = tree.store(&attribute.value);
                all.push((attribute.name.local, value));
            }
        }
        if all.len() == range.len() {
            return;
        }
        let start = narrow(tree.attributes.len());
        tree.work = tree.work.saturating_add(all.len() as u64);
        tree.attributes.extend(all.into_iter().map(|(name, value)| Attribute { name, value }));
        let end = narrow(tree.attributes.len());
        if let Some(data) = tree.data_mut(*target) {
            data.attributes = start..end;
        }
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.tree.borrow_mut().detach(*target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        let mut tree = self.tree.borrow_mut();
        while let Some(child) = tree.node(*node).and_then(|node| node.first_child) {
            tree.detach(child);
            tree.attach(*new_parent, None, child);
        }
    }

    fn attach_declarative_shadow(&self, host: &NodeId, template: &NodeId, _: &[html5ever::Attribute]) -> bool {
        self.tree.borrow_mut().attach_shadow(*host, *template)
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &NodeId) -> bool {
        let tree = self.tree.borrow();
        let Some(Kind::Element(data)) = tree.node(*handle).map(|node| &node.kind) else { return false };
        if data.namespace != Namespace::MathMl || &*data.name != "annotation-xml" {
            return false;
        }
        let range = data.attributes.start as usize..data.attributes.end as usize;
        tree.attributes.get(range).unwrap_or_default().iter().any(|attribute| {
            let value = tree.text.get(attribute.value.range()).unwrap_or_default();
            &*attribute.name == "encoding"
                && (value.eq_ignore_ascii_case("text/html") || value.eq_ignore_ascii_case("application/xhtml+xml"))
        })
    }
}
