//! The skeleton of a page: the set of its tag paths, by which pages of one template are known.

use std::collections::VecDeque;

use audit::facts::document::{Document, Element, Namespace};

use crate::page_facts::Skeleton;
use crate::sketch::{hash, joined, sketch};

/// Numbers of a skeleton's sketch: a standard deviation of 5 % at a likeness of 0.8.
pub(crate) const NUMBERS: usize = 64;
/// Numbers of a band in which two skeletons have to agree to be compared: with 16 bands, a pair of a likeness of 0.8 is
/// missed once in 4,000.
pub(crate) const ROWS: usize = 4;
/// Levels below `body` that count. Chosen: deeper elements belong to the text of one page, not to the template.
const DEEPEST: usize = 12;
/// Elements looked at. Chosen: the template of a page shows in its first elements.
const MOST_ELEMENTS: usize = 5_000;

/// Reads the skeleton of a document: hashes of the paths from `body` to each element. A step is the element's name and its
/// first class that has no digit: classes with digits are numbers of one page (`post-1234`), or change with each build.
pub(crate) fn read(document: &Document) -> Skeleton {
    let mut paths: Vec<u64> = Vec::new();
    let Some(body) = document.body() else { return Skeleton::default() };
    // Breadth first: elements near the body belong to the template.
    let mut open: VecDeque<(Element<'_>, u64, usize)> = VecDeque::from([(body, 0, 0)]);
    let mut left = MOST_ELEMENTS;
    while let Some((element, path, depth)) = open.pop_front() {
        for child in element.children() {
            if left == 0 {
                break;
            }
            left -= 1;
            if child.namespace() != Namespace::Html || is_left_out(child.name()) {
                continue;
            }
            let path = joined(path, step(child));
            paths.push(path);
            if depth + 1 < DEEPEST {
                open.push_back((child, path, depth + 1));
            }
        }
    }
    paths.sort_unstable();
    paths.dedup();
    let whole = paths.iter().fold(0, |hash, path| joined(hash, *path));
    Skeleton { hash: whole, sketch: sketch(paths.into_iter(), NUMBERS) }
}

/// Inline elements, and elements that are not shown: they depend on the text of one page.
fn is_left_out(name: &str) -> bool {
    matches!(
        name,
        "a" | "abbr"
            | "b"
            | "br"
            | "cite"
            | "code"
            | "em"
            | "i"
            | "kbd"
            | "mark"
            | "q"
            | "s"
            | "script"
            | "small"
            | "span"
            | "strong"
            | "style"
            | "sub"
            | "sup"
            | "template"
            | "time"
            | "u"
            | "wbr"
            | "noscript"
    )
}

fn step(element: Element<'_>) -> u64 {
    let classes = element.attribute("class").unwrap_or_default().split_ascii_whitespace();
    let class = classes.filter(|class| !class.bytes().any(|byte| byte.is_ascii_digit())).min().unwrap_or_default();
    joined(hash(element.name().as_bytes()), hash(class.as_bytes()))
}

/// The place of an element: a hash of its selector without numbers and ids, so that it is equal on pages of one template.
/// Never 0, which means no place.
pub(crate) fn place(selector: &str) -> u32 {
    let mut plain = String::with_capacity(selector.len());
    let mut steps = selector.split('>').map(str::trim).peekable();
    while let Some(step) = steps.next() {
        // An id names one element, and may differ on each page.
        let name = step.split(['#', ':']).next().unwrap_or_default();
        plain.push_str(if name.is_empty() { "*" } else { name });
        plain.push(if steps.peek().is_some() { '>' } else { ' ' });
    }
    (hash(plain.as_bytes()) as u32).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::alike;

    fn of(body: &str) -> Skeleton {
        read(&Document::parse(format!("<!doctype html><title>x</title><body>{body}")))
    }

    #[test]
    fn pages_of_one_template_have_one_skeleton_whatever_they_list() {
        let page = |items: usize, class: &str| {
            let list = "<li><a href=/x>x</a>".repeat(items);
            format!(
                "<header><nav><ul><li>x</ul></nav></header><main class='{class}'><h1>x</h1><ul class=list>{list}</ul></main>"
            )
        };
        assert_eq!(of(&page(1, "product post-1")), of(&page(30, "product post-2")));
        assert_ne!(of(&page(1, "product")).hash, of(&page(1, "article")).hash);
    }

    #[test]
    fn a_table_more_is_nearly_the_same_and_another_page_is_not() {
        let frame = |main: &str| {
            let sections: String =
                (0..20).map(|at| format!("<section class=c{}><h2>x</h2><p>x", char::from(b'a' + at))).collect();
            format!("<header><nav><p>x</nav></header><main>{sections}{main}</main><footer><p>x</footer>")
        };
        let plain = of(&frame(""));
        assert!(alike(&plain.sketch, &of(&frame("<table><tr><td>x")).sketch) >= 75);
        assert!(alike(&plain.sketch, &of("<div><article><h1>x</h1></article></div>").sketch) < 30);
    }

    #[test]
    fn one_place_has_one_hash_on_every_page() {
        assert_eq!(place("body > main > img:nth-of-type(3)"), place("body > main > img"));
        assert_eq!(place("body > div#post-1 > img"), place("body > div#post-2 > img"));
        assert_ne!(place("body > main > img"), place("body > footer > img"));
    }
}
