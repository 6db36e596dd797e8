//! Whether a changed source gives the tree that it gave, but for the changes.

use std::collections::HashSet;
use std::ops::Range;

use model::patch::Unproven;

use crate::facts::document::{Document, Element, Kept, NodeId, WrittenAttribute, attributes_of};

/// A change of the source: what goes, and what comes.
pub(super) type SourceChange<'c> = (Range<usize>, &'c str);

/// Attributes that a fix is meant to set or take off.
pub(super) type Meant<'m> = HashSet<(NodeId, &'m str)>;

/// What else the changes did: `None` where all that they do not touch is as it was.
///
/// `changes` are of `before`, in its order and apart. `kept`: what `after` took over, which is as it was.
pub(super) fn harm(
    before: &Document,
    after: &Document,
    changes: &[SourceChange<'_>],
    meant: &Meant<'_>,
    kept: Option<&Kept>,
) -> Option<Unproven> {
    let shift = Shift::of(changes);
    let (compared, compared_after) = compared(before, after, kept);
    let mut found = TagPlaces::of(&compared_after);
    // Another start tag writes nothing into an element.
    let rewritten = kept.and_then(|kept| before.element(kept.rewritten().first()?.0)?.start_tag());
    let (writing, _) = changes
        .split_at(rewritten.map_or(changes.len(), |tag| changes.partition_point(|(span, _)| span.start < tag.start)));
    let open = written_in(before, &compared, writing);
    for element in compared.iter().copied() {
        let Some(tag) = element.start_tag() else { continue };
        match shift.tag(&tag) {
            Fate::Stays(start) => {
                let Some(now) = found.take(start) else { return Some(Unproven::ChangesText) };
                if now.name() != element.name() || now.namespace() != element.namespace() {
                    return Some(Unproven::ChangesText);
                }
                let is_under = parent(element, |tag| shift.place(tag)) == parent(now, |tag| Some(tag.start));
                let is_open = || open.get(element.id().index()).copied().unwrap_or_default();
                let is_same_text = || is_same_own_text(element, now) || is_open();
                if !is_under || !is_same_text() {
                    return Some(Unproven::ChangesText);
                }
            }
            Fate::Rewritten(start) => {
                let Some(now) = found.take(start).filter(|now| now.name() == element.name()) else { continue };
                let fault = attributes_of_changed(element, now, meant);
                if fault.is_some() {
                    return fault;
                }
            }
            Fate::Gone => {}
        }
    }
    // What is left came with the changes.
    let ids: HashSet<&str> = found.left().filter_map(|element| element.attribute("id")).collect();
    let loses_id = |element: Element<'_>| {
        let is_gone = element.start_tag().is_some_and(|tag| matches!(shift.tag(&tag), Fate::Gone));
        is_gone && element.attribute("id").is_some_and(|id| !id.is_empty() && !ids.contains(id))
    };
    if compared.iter().copied().any(loses_id) {
        return Some(Unproven::LosesAttribute);
    }
    found.left().any(has_twice).then_some(Unproven::DoublesAttribute)
}

/// Elements of two documents that are compared: all, but for those that were taken over with the tag that they had.
fn compared<'d>(
    before: &'d Document,
    after: &'d Document,
    kept: Option<&Kept>,
) -> (Vec<Element<'d>>, Vec<Element<'d>>) {
    let Some(kept) = kept else { return (before.elements().collect(), after.elements().collect()) };
    // What was taken over comes last.
    let front = before.elements().take_while(|element| kept.now(element.id()).is_none());
    let front_after = after.elements().take_while(|element| !kept.holds(element.id()));
    let rewritten = |(old, new): &(NodeId, NodeId)| Some((before.element(*old)?, after.element(*new)?));
    let (rewritten, rewritten_after): (Vec<_>, Vec<_>) = kept.rewritten().iter().filter_map(rewritten).unzip();
    (front.chain(rewritten).collect(), front_after.chain(rewritten_after).collect())
}

/// Elements by the place of their start tags, each taken once.
struct TagPlaces<'d> {
    /// In the order of the places.
    elements: Vec<(usize, Element<'d>)>,
    taken: Vec<bool>,
    /// Behind the one that was taken last: the next is nearly always asked for next.
    next: usize,
}

impl<'d> TagPlaces<'d> {
    fn of(elements: &[Element<'d>]) -> Self {
        let elements = in_source_order(elements);
        Self { taken: vec![false; elements.len()], elements, next: 0 }
    }

    fn take(&mut self, start: usize) -> Option<Element<'d>> {
        let is_next = self.elements.get(self.next).is_some_and(|(known, _)| *known == start);
        let at = match is_next {
            true => self.next,
            false => self.elements.binary_search_by_key(&start, |(known, _)| *known).ok()?,
        };
        let is_free = !std::mem::replace(self.taken.get_mut(at)?, true);
        self.next = at + 1;
        self.elements.get(at).filter(|_| is_free).map(|(_, element)| *element)
    }

    /// Those that were not taken.
    fn left(&self) -> impl Iterator<Item = Element<'d>> {
        self.elements.iter().zip(&self.taken).filter(|(_, is_taken)| !**is_taken).map(|((_, element), _)| *element)
    }
}

/// Elements that stand in the source, by the place of their start tags.
fn in_source_order<'d>(elements: &[Element<'d>]) -> Vec<(usize, Element<'d>)> {
    let mut elements: Vec<(usize, Element<'_>)> =
        elements.iter().filter_map(|element| Some((element.start_tag()?.start, *element))).collect();
    elements.sort_by_key(|(start, _)| *start);
    elements
}

/// What becomes of a start tag, with where it starts afterwards.
enum Fate {
    Stays(usize),
    Rewritten(usize),
    Gone,
}

/// Where places of the source lie afterwards.
struct Shift<'c> {
    changes: &'c [SourceChange<'c>],
    /// Bytes that have gone, and that have come, behind so many changes.
    moved: Vec<(usize, usize)>,
}

impl<'c> Shift<'c> {
    fn of(changes: &'c [SourceChange<'c>]) -> Self {
        let mut moved = vec![(0, 0)];
        let (mut gone, mut come) = (0, 0);
        for (span, text) in changes {
            gone += span.len();
            come += text.len();
            moved.push((gone, come));
        }
        Self { changes, moved }
    }

    fn tag(&self, tag: &Range<usize>) -> Fate {
        let behind = self.changes.partition_point(|(span, _)| span.end <= tag.start);
        let (gone, come) = self.moved.get(behind).copied().unwrap_or_default();
        let start = tag.start + come - gone;
        match self.changes.get(behind) {
            // An insertion at the start of a tag ends there, and counts as before it.
            Some((span, text)) if span.start < tag.end => {
                if span == tag && text.starts_with('<') {
                    Fate::Rewritten(start)
                } else {
                    Fate::Gone
                }
            }
            _ => Fate::Stays(start),
        }
    }

    fn place(&self, tag: &Range<usize>) -> Option<usize> {
        match self.tag(tag) {
            Fate::Stays(start) | Fate::Rewritten(start) => Some(start),
            Fate::Gone => None,
        }
    }
}

/// What tells one parent from another: of the source its place, of the parser its name.
#[derive(PartialEq, Eq)]
enum Parent<'d> {
    Root,
    Named(&'d str),
    At(Option<usize>),
}

/// The parent of an element; those that are there once, or that the parser implied, by name.
fn parent<'d>(element: Element<'d>, place: impl Fn(&Range<usize>) -> Option<usize>) -> Parent<'d> {
    let Some(parent) = element.parent() else { return Parent::Root };
    match parent.start_tag() {
        Some(tag) if !matches!(parent.name(), "html" | "head" | "body" | "frameset") => Parent::At(place(&tag)),
        _ => Parent::Named(parent.name()),
    }
}

/// Whether the texts directly in two elements are the same but for white space: what stands between tags may be broken into
/// other lines.
fn is_same_own_text(one: Element<'_>, other: Element<'_>) -> bool {
    one.own_texts().eq(other.own_texts()) || own_letters(one).eq(own_letters(other))
}

fn own_letters(element: Element<'_>) -> impl Iterator<Item = u8> {
    element.own_texts().flat_map(str::bytes).filter(|byte| !byte.is_ascii_whitespace())
}

/// By the number of a node, whether it is an element in which something is written: its text is meant to change.
fn written_in(document: &Document, elements: &[Element<'_>], changes: &[SourceChange<'_>]) -> Vec<bool> {
    let starts = in_source_order(elements);
    let mut written = vec![false; document.node_count()];
    for (span, _) in changes {
        let before = starts.partition_point(|(start, _)| *start < span.start);
        let mut around = before.checked_sub(1).and_then(|at| starts.get(at)).map(|(_, element)| *element);
        while let Some(element) = around {
            let end = element.end_tag().map(|tag| tag.end);
            if end.is_none_or(|end| span.start < end) {
                if let Some(is_written) = written.get_mut(element.id().index()) {
                    *is_written = true;
                }
                if end.is_some() {
                    break;
                }
            }
            around = element.parent();
        }
    }
    written
}

/// What a rewritten tag has lost, or has twice.
fn attributes_of_changed(before: Element<'_>, after: Element<'_>, meant: &Meant<'_>) -> Option<Unproven> {
    if has_twice(after) && !has_twice(before) {
        return Some(Unproven::DoublesAttribute);
    }
    let is_kept =
        |(name, value): (&str, &str)| meant.contains(&(before.id(), name)) || after.attribute(name) == Some(value);
    (!before.attributes().all(is_kept)).then_some(Unproven::LosesAttribute)
}

/// Whether the source of a start tag has an attribute twice, of which the second counts for nothing.
fn has_twice(element: Element<'_>) -> bool {
    let Some(tag) = element.start_tag_source() else { return false };
    /// Attributes of which each is compared with each: most tags have fewer.
    const FEW: usize = 16;
    let name = |written: WrittenAttribute| tag.get(written.name);
    let mut names: Vec<&str> = attributes_of(tag).into_iter().filter_map(name).collect();
    if names.len() <= FEW {
        let is_again = |(at, name): (usize, &&str)| names.iter().take(at).any(|one| one.eq_ignore_ascii_case(name));
        return names.iter().enumerate().any(is_again);
    }
    let lower: Vec<String> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
    names = lower.iter().map(String::as_str).collect();
    names.sort_unstable();
    names.windows(2).any(|pair| matches!(pair, [one, other] if one == other))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<!doctype html><html lang=en><head><title>T</title></head><body>\
        <div><p>a</p>tail</div><img src=a.png alt=b><p id=x>c</p><i>d</i></body></html>";

    /// What some replacements of texts do to a page, each text found once, in the order of the source.
    fn harm_of(source: &str, replaced: &[(&str, &str)], meant: &[(&str, &str)]) -> Option<Unproven> {
        let changes: Vec<SourceChange<'_>> = replaced
            .iter()
            .map(|(old, new)| {
                let at = source.find(old).unwrap();
                (at..at + old.len(), *new)
            })
            .collect();
        let mut out = source.to_owned();
        for (span, new) in changes.iter().rev() {
            out.replace_range(span.clone(), new);
        }
        let [before, after] = [source.to_owned(), out].map(Document::parse);
        let named = |name: &str| before.elements().find(|element| element.is(name)).unwrap().id();
        let meant: Meant<'_> = meant.iter().map(|(element, name)| (named(element), *name)).collect();
        harm(&before, &after, &changes, &meant, None)
    }

    #[test]
    fn what_only_adds_or_replaces_does_no_harm() {
        let check = |replaced: &[(&str, &str)]| assert_eq!(harm_of(PAGE, replaced, &[]), None, "{replaced:?}");
        check(&[]);
        check(&[("<title>T</title>", "<title>Other</title>")]);
        check(&[("<head>", "<head>\n<meta name=a content=b>")]);
        // In several places, of which each moves those behind it.
        check(&[("<head>", "<head><base href=/>"), ("<i>d</i>", ""), ("</body>", "<b>e</b></body>")]);
        check(&[("<i>d</i>", "<b>long</b>"), ("</body>", "<u>f</u></body>")]);
        check(&[("tail", "other")]);
        // White space between tags is nobody's text.
        check(&[("</div>", "\n</div>")]);
        check(&[("<p id=x>c</p>", "<p id=x>other</p>")]);
        check(&[("<p id=x>c</p>", "<h2 id=x>c</h2>")]);
        // Text directly before an element, and directly behind one, is that of what is around them.
        check(&[("<i>d</i>", "x<i>d</i>")]);
        check(&[("</body>", "y</body>")]);
        // A head that was implied.
        assert_eq!(harm_of("<title>a</title><p>b</p>", &[("", "<head>")], &[]), None);
        // A tag before the change has its attributes as it had them.
        assert_eq!(harm_of("<p id=x id=y>cc</p>", &[("cc", "d")], &[]), None);
    }

    #[test]
    fn what_changes_the_reading_of_another_part_is_harm() {
        let check = |replaced: (&str, &str)| {
            assert_eq!(harm_of(PAGE, &[replaced], &[]), Some(Unproven::ChangesText), "{replaced:?}");
        };
        // What follows is a comment, a child of something else, or in another namespace.
        check(("<div>", "<!-- <div>"));
        check(("c</p>", "c</p><section>"));
        check(("<head>", "<head><svg>"));
        check(("c</p>", "c</p><textarea>"));
        // What stood in another element of the same name.
        let source = "<div><p>a</p></div><div><i>c</i></div>";
        assert_eq!(harm_of(source, &[("</div><div>", "")], &[]), Some(Unproven::ChangesText));
        // The text behind the paragraph is no longer the division's.
        check(("<p>a</p>", "<p>a</div></p>"));
        assert_eq!(harm_of("<svg><image x=1></svg>", &[("<svg>", "")], &[]), Some(Unproven::ChangesText));
        // Another element at the place of one that was not touched.
        assert_eq!(harm_of("<b></b><image src=a>", &[("<b></b>", "<svg>")], &[]), Some(Unproven::ChangesText));
    }

    #[test]
    fn text_that_moves_without_its_tags_is_harm() {
        let source = "<body><div><p>a<b>x</b></p>tail</div></body>";
        assert_eq!(harm_of(source, &[("<b>x</b>", "</div>")], &[]), Some(Unproven::ChangesText));
    }

    #[test]
    fn a_tag_keeps_the_attributes_that_no_fix_takes() {
        let image = "<img src=a.png alt=b>";
        let check = |now: &str, meant: &[(&str, &str)], wanted: Option<Unproven>| {
            assert_eq!(harm_of(PAGE, &[(image, now)], meant), wanted, "{now}");
        };
        check("<img src=a.png alt=b loading=lazy>", &[], None);
        check("<img src=a.png>", &[], Some(Unproven::LosesAttribute));
        check("<img src=a.png>", &[("img", "alt")], None);
        check("<img src=a.png alt=c>", &[], Some(Unproven::LosesAttribute));
        check("<img src=a.png alt=c>", &[("img", "alt")], None);
        check("<img src=a.png alt=c>", &[("i", "alt")], Some(Unproven::LosesAttribute));
        check("<img src=a.png alt=b SRC=c>", &[], Some(Unproven::DoublesAttribute));
        // It was there twice before.
        let doubled = "<img src=a.png src=b.png>";
        assert_eq!(harm_of(doubled, &[(doubled, "<img src=a.png src=b.png alt=c>")], &[]), None);
        check("", &[], None);
    }

    #[test]
    fn an_id_that_goes_must_come_again() {
        assert_eq!(harm_of(PAGE, &[("<p id=x>c</p>", "")], &[]), Some(Unproven::LosesAttribute));
        assert_eq!(harm_of(PAGE, &[("<p id=x>c</p>", "<b id=y>c</b>")], &[]), Some(Unproven::LosesAttribute));
        assert_eq!(harm_of("<p id=x>c</p><i>d</i>", &[("<p id=x>c</p>", " <h2 id=x>c</h2>")], &[]), None);
        assert_eq!(harm_of("<p id=''>c</p><i>d</i>", &[("<p id=''>c</p>", "")], &[]), None);
    }

    #[test]
    fn a_new_tag_has_each_attribute_once() {
        let with = |tag: &str| harm_of(PAGE, &[("<head>", &format!("<head>{tag}"))], &[]);
        assert_eq!(with("<meta name=a content=b>"), None);
        assert_eq!(with("<meta name=a NAME=b>"), Some(Unproven::DoublesAttribute));
    }
}
