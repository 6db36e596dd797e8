//! What stands around each element, for rules that ask it of many: found in one pass when it is first asked for, since
//! walking up from each of 100,000 elements takes seconds where they are deep.

use html::NodeId;

use super::{Document, Element};

/// What an element has from those around it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Around {
    flags: u8,
    /// The nearest element with `lang` below `html`, itself included.
    pub(super) lang: Option<NodeId>,
}

/// It was met in the pass; not so what a `template` holds.
const MET: u8 = 1;
const HIDDEN: u8 = 1 << 1;
const ARIA_HIDDEN: u8 = 1 << 2;
const IN_HEAD: u8 = 1 << 3;
const IN_PARAGRAPH: u8 = 1 << 4;

impl Around {
    /// `hidden`, itself included.
    pub(super) fn is_hidden(self) -> bool {
        self.flags & HIDDEN != 0
    }

    /// `aria-hidden=true`, itself included.
    pub(super) fn is_aria_hidden(self) -> bool {
        self.flags & ARIA_HIDDEN != 0
    }

    /// Below `head`.
    pub(super) fn is_in_head(self) -> bool {
        self.flags & IN_HEAD != 0
    }

    /// Below `p`, with no `table` between.
    pub(super) fn is_in_paragraph(self) -> bool {
        self.flags & IN_PARAGRAPH != 0
    }

    /// Of an element below another.
    fn below(parent: Option<(Element<'_>, Self)>, element: Element<'_>) -> Self {
        let mut flags = MET;
        let mut lang = None;
        if let Some((parent, around)) = parent {
            flags |= around.flags & (HIDDEN | ARIA_HIDDEN | IN_HEAD);
            flags |= if parent.is("head") { IN_HEAD } else { 0 };
            flags |= match parent.name() {
                "p" if parent.is("p") => IN_PARAGRAPH,
                "table" if parent.is("table") => 0,
                _ => around.flags & IN_PARAGRAPH,
            };
            lang = around.lang;
        }
        for (name, value) in element.attributes() {
            match name {
                "hidden" => flags |= HIDDEN,
                "aria-hidden" if value == "true" => flags |= ARIA_HIDDEN,
                "lang" if !element.is("html") => lang = Some(element.id()),
                _ => {}
            }
        }
        Self { flags, lang }
    }

    /// Of every element of a document, by the number of its node.
    pub(super) fn of_all(document: &Document) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for element in document.elements() {
            let parent = element.parent();
            let known = |parent: Element<'_>| all.get(parent.id().index()).copied().unwrap_or_default();
            let around = Self::below(parent.map(|parent| (parent, known(parent))), element);
            let index = element.id().index();
            if all.len() <= index {
                all.resize(index + 1, Self::default());
            }
            if let Some(place) = all.get_mut(index) {
                *place = around;
            }
        }
        all
    }

    /// Of one element, by walking up where the pass did not meet it.
    pub(super) fn of(element: Element<'_>, all: &[Self]) -> Self {
        if let Some(around) = all.get(element.id().index()).filter(|around| around.flags & MET != 0) {
            return *around;
        }
        let mut path: Vec<Element<'_>> = std::iter::once(element).chain(element.ancestors()).collect();
        path.reverse();
        let mut around: Option<(Element<'_>, Self)> = None;
        for element in path {
            around = Some((element, Self::below(around, element)));
        }
        around.map(|(_, around)| around).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_pass_finds_is_what_walking_up_finds() {
        let source = "<html lang=en hidden-not><head><meta><template><i lang=fr></template></head><body><div hidden><p lang=pt>\
            <a><table><tr><td><b lang>x</b></table></a></p></div><p aria-hidden=true><q><svg><title>t</title></svg></q>";
        let document = Document::parse(source.to_owned());
        let met = Around::of_all(&document);
        for element in document.elements() {
            let (by_pass, by_walk) = (Around::of(element, &met), Around::of(element, &[]));
            assert_eq!((by_pass.flags, by_pass.lang), (by_walk.flags, by_walk.lang), "{}", element.name());
        }
        let of = |name: &str| {
            let element = document.elements().find(|element| element.name() == name).unwrap();
            Around::of(element, &met)
        };
        assert!(of("meta").is_in_head() && !of("p").is_in_head());
        assert!(of("b").is_hidden() && !of("q").is_hidden());
        assert!(of("q").is_aria_hidden() && of("q").is_in_paragraph() && !of("div").is_in_paragraph());
        assert_eq!(of("a").lang, document.elements().find(|element| element.is("p")).map(Element::id));
    }
}
