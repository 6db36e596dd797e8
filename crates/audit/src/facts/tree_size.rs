//! How many elements a document has, how deep they stand, and how many stand side by side.

use super::document::{Document, Element, Namespace};

/// The size of a tree of elements.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TreeSize {
    /// Elements.
    pub(crate) elements: usize,
    /// Levels of the deepest.
    pub(crate) depth: usize,
    /// Counted children of the one with most, but for elements that are made to hold many.
    pub(crate) children: usize,
}

impl TreeSize {
    /// Of an element and all below it, which stands below `around` others.
    pub(super) fn below(root: Element<'_>, around: usize) -> Self {
        Self::of(std::iter::once(root).chain(root.descendants()), around)
    }

    /// Of the whole document, of whose body it is known.
    pub(super) fn whole(document: &Document, body: Option<(Element<'_>, Self)>) -> Self {
        let Some((body, of_body)) = body else { return Self::of(document.elements(), 0) };
        let front = Self::of(document.elements().take_while(|element| *element != body), 0);
        let siblings = || document.html().into_iter().flat_map(Element::children);
        let behind = siblings().skip_while(|child| *child != body).skip(1).map(|child| Self::below(child, 1));
        // The root's children stand on both sides.
        let of_root = Self { children: siblings().filter(|child| is_counted(*child)).count(), ..Self::default() };
        [of_body, of_root].into_iter().chain(behind).fold(front, Self::and)
    }

    /// One walk, with the elements around the current one and their children.
    fn of<'d>(elements: impl Iterator<Item = Element<'d>>, above: usize) -> Self {
        let mut size = Self::default();
        let mut around: Vec<(Element<'_>, usize)> = Vec::new();
        for element in elements {
            size.elements += 1;
            let parent = element.parent();
            while let Some((last, children)) = around.pop_if(|(last, _)| Some(*last) != parent) {
                size.close(last, children);
            }
            if let Some((_, children)) = around.last_mut() {
                *children += 1;
            }
            around.push((element, 0));
            size.depth = size.depth.max(above + around.len());
        }
        around.into_iter().for_each(|(last, children)| size.close(last, children));
        size
    }

    /// Notes an element with so many children. Most have fewer than another one, and need no look at what they are.
    fn close(&mut self, parent: Element<'_>, children: usize) {
        if children > self.children && !is_row_of_many(parent) {
            self.children = self.children.max(parent.children().filter(|child| is_counted(*child)).count());
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            elements: self.elements + other.elements,
            depth: self.depth.max(other.depth),
            children: self.children.max(other.children),
        }
    }
}

/// Whether a child adds to its parent's layout more than a line of text.
pub(crate) fn is_counted(child: Element<'_>) -> bool {
    !matches!(
        child.name().as_bytes(),
        b"p" | [b'h', b'1'..=b'6']
            | b"br"
            | b"wbr"
            | b"hr"
            | b"script"
            | b"style"
            | b"link"
            | b"meta"
            | b"noscript"
            | b"template"
            | b"title"
    )
}

/// Whether an element is made to hold many; drawings and formulas are laid out as a whole.
pub(crate) fn is_row_of_many(parent: Element<'_>) -> bool {
    const MANY: [&str; 18] = [
        "ul", "ol", "dl", "menu", "table", "thead", "tbody", "tfoot", "tr", "colgroup", "select", "optgroup",
        "datalist", "p", "pre", "code", "head", "map",
    ];
    parent.namespace() != Namespace::Html || MANY.contains(&parent.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_make_the_whole() {
        for source in [
            "",
            "a",
            "<title>a</title><p>b<p>c",
            "<html><head><meta><link></head><body><div><div><i>a</i><i>b</i><i>c</i></div></div></body>",
            "<ul><li>a<li>b<li>c<li>d</ul><svg><g/><g/><g/></svg>",
            "<frameset><frame><frame></frameset>",
            "<body><template><p><p></template><table><tr><td>a<b></table></body></html><!-- d --><p>e",
        ] {
            let document = Document::parse(source.to_owned());
            let body = document.body().map(|body| (body, TreeSize::below(body, 1)));
            assert_eq!(TreeSize::whole(&document, body), TreeSize::whole(&document, None), "{source}");
        }
        let of = |source: &str| TreeSize::whole(&Document::parse(source.to_owned()), None);
        let size = |elements: usize, depth: usize, children: usize| TreeSize { elements, depth, children };
        assert_eq!(of("<div><i>a</i><i>b</i><i>c</i><p>d</div>"), size(8, 4, 3));
        assert_eq!(of("<ul><li>a<li>b<li>c</ul>"), size(7, 4, 2));
    }
}
