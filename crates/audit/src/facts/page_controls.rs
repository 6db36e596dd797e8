//! Links that are controls of the page and no ways to other pages: consent, sharing, printing, logging out, menus, overlays.

use std::collections::HashSet;
use std::sync::LazyLock;

use unicode_segmentation::UnicodeSegmentation;

use super::document::Element;

/// Words by which controls are known. Source and date in the file.
const WORDS: &str = include_str!("../data/control_words.tsv");
/// Words of a name from which on it is a sentence or a headline.
const MOST_WORDS: usize = 6;
/// Bytes of an attribute or of code that are looked at.
const MOST_BYTES: usize = 500;
/// Parts of addresses that share the page; scripts open them in a window.
const SHARING: [&str; 6] = ["/sharer", "/share", "intent/tweet", "pin/create", "whatsapp.com/send", "/submit?url"];
/// States and popups that an element with them controls (WAI-ARIA 1.2 §6.6).
const ARIA: [&str; 5] = ["aria-expanded", "aria-haspopup", "aria-controls", "aria-pressed", "aria-selected"];

/// Words of one kind, in lower case.
fn of_kind(kind: &str) -> HashSet<&'static str> {
    let rows = WORDS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'));
    rows.filter(|(known, _)| *known == kind).flat_map(|(_, words)| words.split(' ')).collect()
}

static NAMES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| of_kind("name"));
/// Those of scripts that part no words: Han, Kana and Hangul.
static UNPARTED: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| NAMES.iter().copied().filter(|name| name.starts_with(|c| c >= '\u{1100}')).collect());
static MARKS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| of_kind("mark"));

/// Whether a link is a control: its attributes, its name or the code that it runs says so.
pub(crate) fn is_control(link: Element<'_>, name: Option<&str>, code: &[&str]) -> bool {
    let names = [name, link.attribute("title"), link.attribute("aria-label")];
    is_marked(link) || names.into_iter().flatten().any(names_control) || code.iter().any(|code| calls_control(code))
}

/// Whether attributes of an element say that it opens, closes or switches something on the page.
pub(crate) fn is_marked(element: Element<'_>) -> bool {
    element.attributes().any(|(name, value)| match name {
        "class" | "id" | "rel" => has_mark(value),
        name => ARIA.contains(&name) || name.starts_with("data-toggle") || name.starts_with("data-bs-"),
    })
}

/// Whether a word of an identifier is one of a control: `cookieSettings`, `modal-close`.
pub(crate) fn has_mark(identifier: &str) -> bool {
    let identifier = start(identifier);
    let mut word = String::new();
    let mut after_small = false;
    for character in identifier.chars().chain([' ']) {
        // A capital behind a small letter begins a word as a sign or a digit does.
        if !character.is_alphabetic() || after_small && character.is_uppercase() {
            if MARKS.contains(word.as_str()) {
                return true;
            }
            word.clear();
        }
        if character.is_alphabetic() {
            word.extend(character.to_lowercase());
        }
        after_small = character.is_lowercase();
    }
    false
}

/// Whether the name of a link is that of a control.
pub(crate) fn names_control(name: &str) -> bool {
    let name = start(name).to_lowercase();
    let words: Vec<&str> = name.unicode_words().take(MOST_WORDS + 1).collect();
    let is_short = words.len() <= MOST_WORDS && words.iter().any(|word| NAMES.contains(word));
    let has_phrase = || words.windows(2).any(|pair| NAMES.contains(pair.join("_").as_str()));
    matches!(name.trim(), "×" | "✕" | "✖" | "x" | "☰")
        || is_short
        || words.len() <= MOST_WORDS && has_phrase()
        || UNPARTED.iter().any(|word| name.contains(word))
}

/// What ASP.NET pages call to go on: it sends the form, and the address of the next page comes with the answer.
const POST_BACK: &str = "__doPostBack";

/// Whether code calls a function whose name is a control's, or opens an address that shares the page.
fn calls_control(code: &str) -> bool {
    let code = start(code);
    let calls = code.match_indices('(').filter_map(|(at, _)| {
        let head = code.get(..at)?.trim_end();
        let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
        head.get(head.rfind(|c| !is_of_name(c)).map_or(0, |at| at + 1)..)
    });
    calls.into_iter().any(|name| name != POST_BACK && has_mark(name))
        || SHARING.iter().any(|address| code.contains(address))
}

/// The part of a text that is looked at.
fn start(text: &str) -> &str {
    let end = (0..=MOST_BYTES.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_told_from_ways_to_pages() {
        for identifier in ["cookieSettings", "modal-close", "btn btn--menu", "Menu", "SHARE", "js-toggle", "share2net"]
        {
            assert!(has_mark(identifier), "{identifier}");
        }
        for identifier in ["", "next", "pager-link", "stop", "ctl00$Link", "shares-of-companies", "feedbacks"] {
            assert!(!has_mark(identifier), "{identifier}");
        }
        for name in
            ["Cookie settings", "Print this page", "×", "Sair", "メニュー", "分享到网", "Share on Mastodon", "Log out"]
        {
            assert!(names_control(name), "{name}");
        }
        for name in ["More loaves", "Next page", "Why the price of a share of the mill fell in autumn"] {
            assert!(!names_control(name), "{name}");
        }
        for code in ["toggleMenu()", "openShare('x')", "window.open('https://example.com/sharer?u=a')"] {
            assert!(calls_control(code), "{code}");
        }
        for code in ["show(2)", "__doPostBack('ctl00$MenuLink','')", "location='/menu'", "(function(){})()"] {
            assert!(!calls_control(code), "{code}");
        }
    }
}
