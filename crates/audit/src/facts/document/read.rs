//! The text of an element as a reader meets it.

use html::Kind;

use super::element::Element;
use super::white_space::Collapsed;

impl Element<'_> {
    /// Text as a reader meets it: white space collapsed, a space where a line or block begins, and nothing of what lies in an
    /// element that `keep` refuses.
    pub fn read_text(self, keep: impl Fn(Self) -> bool) -> String {
        self.read_start(keep, usize::MAX)
    }

    /// The start of the same: what lies in so many bytes of text, each node below counted as one more.
    pub(crate) fn read_start(self, keep: impl Fn(Self) -> bool, most: usize) -> String {
        const PARTING: [&str; 8] = ["br", "p", "div", "li", "h2", "h3", "td", "tr"];
        let mut collapsed = Collapsed::default();
        self.read_parts(keep, &PARTING, most, |run| match run {
            Some(run) => collapsed.add(run),
            None => collapsed.part(),
        });
        collapsed.text
    }

    /// The start of `textContent`, white space collapsed, by the same count.
    pub(crate) fn text_start(self, most: usize) -> String {
        let mut collapsed = Collapsed::default();
        self.read_parts(|_| true, &[], most, |run| run.into_iter().for_each(|run| collapsed.add(run)));
        collapsed.text
    }

    /// Gives the text of each line and block that begins below, as it stands, which may be changed. Nothing of what lies in an
    /// element that `keep` refuses.
    pub fn read_blocks(self, keep: impl Fn(Self) -> bool, mut take: impl FnMut(&mut str)) {
        const PARTING: [&str; 30] = [
            "address",
            "article",
            "aside",
            "blockquote",
            "br",
            "dd",
            "div",
            "dl",
            "dt",
            "figcaption",
            "figure",
            "footer",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "header",
            "hr",
            "li",
            "main",
            "nav",
            "ol",
            "p",
            "pre",
            "section",
            "td",
            "tr",
            "ul",
        ];
        let mut block = String::new();
        self.read_parts(keep, &PARTING, usize::MAX, |run| match run {
            Some(run) => block.push_str(run),
            None => {
                take(&mut block);
                block.clear();
            }
        });
        take(&mut block);
    }

    /// Takes each text run below, and `None` where one of the elements `parting` begins; leaves out whatever lies in an element that
    /// `keep` refuses. Ends after `most` nodes and bytes of text.
    fn read_parts(
        self,
        keep: impl Fn(Self) -> bool,
        parting: &[&str],
        most: usize,
        mut take: impl FnMut(Option<&str>),
    ) {
        let (document, root) = (self.document(), self.id());
        let tree = &document.tree;
        let (mut at, mut left) = (tree.first_child(root), most);
        while let Some(id) = at.filter(|_| left > 0) {
            left -= 1;
            let element = document.element(id);
            let is_left_out = element.is_some_and(|element| !keep(element));
            at = if is_left_out { tree.following_skipping(id, root) } else { tree.following(id, root) };
            if element.is_some_and(|element| parting.contains(&element.name())) {
                take(None);
            }
            if tree.kind(id) == Kind::Text {
                for run in tree.texts(id) {
                    let run = run.get(..run.floor_char_boundary(left)).unwrap_or_default();
                    left -= run.len();
                    take(Some(run));
                }
            }
        }
    }
}
