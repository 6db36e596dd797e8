//! Rules of the texts that a program can hold.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::source::{CatalogText, FamilyTexts, Role};

/// Characters of a title in lists and results.
const LONGEST_TITLE: usize = 60;

/// Words that a text does better without, in lower case, and why.
const BANNED: [(&str, &str); 11] = [
    ("anew", "say again, or what happens"),
    ("mend", "say fix or correct"),
    ("mends", "say fixes or corrects"),
    ("mended", "say fixed or corrected"),
    ("one who", "name the person"),
    ("there may be", "say what is allowed"),
    ("info", "people read note, or nota"),
    ("stands in", "say is in"),
    ("stands behind", "say comes after"),
    ("stand behind", "say come after"),
    ("digitado errado", "say incorreto"),
];

/// What is wrong, a line each, with the place.
pub(super) fn faults(families: &[FamilyTexts]) -> Vec<String> {
    let mut out = Vec::new();
    for family in families {
        for one in family.checks.iter().flat_map(|check| &check.texts) {
            out.extend(faults_of(one).into_iter().map(|fault| format!("{}:{}: {fault}", family.path, one.line)));
        }
    }
    out
}

fn faults_of(one: &CatalogText) -> Vec<String> {
    let mut out = Vec::new();
    let (en, pt) = (shown_values(&one.en), shown_values(&one.pt));
    if en != pt {
        out.push(format!("the languages show other values: {en:?} and {pt:?}"));
    }
    for text in [&one.en, &one.pt] {
        out.extend(faults_of_one(one.role, text).into_iter().map(|fault| format!("{fault}: {text}")));
    }
    out
}

fn faults_of_one(role: Role, text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let prose = without_code(text).to_lowercase();
    if text.contains("  ") || text.trim() != text {
        out.push("a blank too many".to_owned());
    }
    if PERCENT.is_match(text) {
        out.push("a blank before %".to_owned());
    }
    for (word, instead) in BANNED {
        let is_there = prose.match_indices(word).any(|(at, _)| {
            let is_letter = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
            let before = prose.get(..at).and_then(|rest| rest.chars().next_back());
            let after = prose.get(at + word.len()..).and_then(|rest| rest.chars().next());
            !before.is_some_and(is_letter) && !after.is_some_and(is_letter)
        });
        if is_there {
            out.push(format!("“{word}”, {instead}"));
        }
    }
    match role {
        Role::Title | Role::Heading => {
            if text.ends_with('.') {
                out.push("a title is no sentence".to_owned());
            }
            if role == Role::Title && text.chars().count() > LONGEST_TITLE {
                out.push(format!("a title of more than {LONGEST_TITLE} characters"));
            }
        }
        Role::Description | Role::Lead | Role::Why | Role::How | Role::Rule | Role::Message | Role::Note => {
            // A value or a line of code may come last, behind a colon.
            if !text.ends_with(['.', '?', '!', '}', '"', '`', '>']) && !text.contains(": ") {
                out.push("a sentence without an end".to_owned());
            }
        }
        Role::Source | Role::Other => {}
    }
    out
}

static PERCENT: LazyLock<Regex> = LazyLock::new(|| regex(r"[0-9}] %"));
/// A value that is shown: `{name}`, `{name:size}`; the name of a choice, `{name|one|more}`, is not.
static VALUE: LazyLock<Regex> = LazyLock::new(|| regex(r"\{(\w+)(?::\w+)?\}"));
static CODE: LazyLock<Regex> = LazyLock::new(|| regex("`[^`]*`|“[^”]*”|<[^>]*>"));

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}

/// Names of the values that a text shows.
fn shown_values(text: &str) -> BTreeSet<String> {
    // A placeholder of a snippet, `{{TITLE}}`, is no value.
    let text = text.replace("{{", "").replace("}}}", "}}");
    VALUE.captures_iter(&text).filter_map(|found| Some(found.get(1)?.as_str().to_owned())).collect()
}

/// A text without code and quotations.
fn without_code(text: &str) -> String {
    CODE.replace_all(text, "x").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(role: Role, en: &str, pt: &str, wanted: &[&str]) {
        let one = CatalogText { role, line: 1, en: en.to_owned(), pt: pt.to_owned() };
        let found = faults_of(&one);
        assert_eq!(found.len(), wanted.len(), "{found:?}");
        for (fault, wanted) in found.iter().zip(wanted) {
            assert!(fault.contains(wanted), "{fault} is not {wanted}");
        }
    }

    #[test]
    fn good_texts_pass() {
        check(Role::Message, "{count|A|{count} of them} at {url}.", "{count|Um|{count} deles} em {url}.", &[]);
        check(Role::How, "Send `x`: `y  info`.", "Envie `x`: `y`.", &["a blank too many"]);
        check(Role::Message, "Send this: {line}", "Envie: {line}", &[]);
        check(Role::Source, "the page's title", "o título da página", &[]);
    }

    #[test]
    fn each_rule_is_held() {
        check(Role::Message, "{count} at {url}.", "{count}.", &["show other values"]);
        check(Role::Note, "Mend it anew.", "Corrija.", &["anew", "mend"]);
        check(Role::Why, "A notice without an end", "Com fim.", &["without an end"]);
        check(Role::Title, "A title.", "Um título", &["no sentence"]);
        check(Role::Rule, "At least 80 % of it.", "Ao menos 80% dele.", &["blank before %"]);
    }
}
