//! The main text of a page, without boilerplate, for comparison with other pages.

use audit::facts::document::{Document, Element};

use crate::page_facts::ContentFacts;
use crate::sketch::{hash, joined, sketch};

/// Words of a run. Chosen: five, as in Broder's study of the web; shorter ones are common to pages on one subject.
const RUN: usize = 5;
/// Numbers of a content's sketch.
pub(crate) const NUMBERS: usize = 128;
/// Numbers of a band in which two contents have to agree to be compared: with 16 bands, a pair of a likeness of 0.9 is
/// missed once in 8,000.
pub(crate) const ROWS: usize = 8;
/// Words below which a text is too short to compare. Chosen: a notice or a form has fewer.
pub(crate) const FEWEST_WORDS: usize = 30;
/// Words that are read.
const MOST_WORDS: usize = 20_000;

/// Reads the main text: of `main` or the only `article` where there is one, else of the body; without navigation, header,
/// footer, sidebar and forms. `None` where it has fewer than [`FEWEST_WORDS`] words.
pub fn read(document: &Document) -> Option<ContentFacts> {
    let body = document.body()?;
    let root = body.descendants().find(|element| element.is("main") || has_role(*element, "main")).unwrap_or(body);
    let text = root.read_text(|element| element.id() == root.id() || !is_boilerplate(element));
    let lower = text.to_lowercase();
    let words: Vec<u64> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(MOST_WORDS)
        .map(|word| hash(word.as_bytes()))
        .collect();
    if words.len() < FEWEST_WORDS {
        return None;
    }
    let runs = words.windows(RUN).map(|run| run.iter().fold(0, |hash, word| joined(hash, *word)));
    Some(ContentFacts {
        hash: words.iter().fold(0, |hash, word| joined(hash, *word)),
        words: u32::try_from(words.len()).unwrap_or(u32::MAX),
        sketch: sketch(runs, NUMBERS),
    })
}

/// Whether an element is boilerplate, by its name or role, or is not shown.
fn is_boilerplate(element: Element<'_>) -> bool {
    const ROLES: [&str; 6] = ["navigation", "banner", "contentinfo", "complementary", "search", "form"];
    matches!(
        element.name(),
        "nav"
            | "header"
            | "footer"
            | "aside"
            | "form"
            | "script"
            | "style"
            | "template"
            | "noscript"
            | "select"
            | "dialog"
    ) || element.has("hidden")
        || ROLES.iter().any(|role| has_role(element, role))
}

fn has_role(element: Element<'_>, role: &str) -> bool {
    element.attribute("role").is_some_and(|value| value.trim().eq_ignore_ascii_case(role))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::alike;

    fn of(body: &str) -> Option<ContentFacts> {
        read(&Document::parse(format!("<!doctype html><title>x</title><body>{body}")))
    }

    fn words(count: usize, salt: usize) -> String {
        (0..count).map(|at| format!("word{} ", at * 7 + salt)).collect()
    }

    #[test]
    fn the_template_around_a_text_does_not_count() {
        let text = words(60, 0);
        let plain = of(&format!("<p>{text}")).unwrap();
        for around in [
            format!("<nav>{}</nav><main><h2></h2><p>{text}</main><footer>{}</footer>", words(50, 1), words(50, 2)),
            format!("<div role=banner>{}</div><p>{text}<aside>more</aside><p hidden>x", words(9, 3)),
            format!("<P>{}</P>", text.to_uppercase()),
        ] {
            assert_eq!(of(&around), Some(plain.clone()), "{around}");
        }
        assert_eq!(of("<p>Too short to compare."), None);
    }

    #[test]
    fn one_other_sentence_in_a_long_text_is_nearly_the_same() {
        let a = of(&format!("<p>{}</p><p>{}</p>", words(600, 0), words(10, 9_001))).unwrap();
        let b = of(&format!("<p>{}</p><p>{}</p>", words(600, 0), words(10, 19_002))).unwrap();
        assert_ne!(a.hash, b.hash);
        assert!(alike(&a.sketch, &b.sketch) >= 90);
        assert!(alike(&a.sketch, &of(&words(600, 3)).unwrap().sketch) < 50);
    }
}
