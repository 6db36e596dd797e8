//! The texts of the catalog, as the files of `crates/audit/src/checks` and `crates/site/src/checks` have them.
//!
//! Titles and rules are constants of a `Check`; messages, notes and sources are constants inside the functions that use
//! them, so they are read from the source. It is formatted by rustfmt: an item begins in the first column.

use std::path::Path;
use std::sync::LazyLock;

use anyhow::{Context as _, Result};
use regex::Regex;

/// The folders of checks of a page and of a site: in each, a folder for each category.
pub(super) const CHECKS: [&str; 2] = ["crates/audit/src/checks", "crates/site/src/checks"];

/// What a text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Title,
    Heading,
    Description,
    Lead,
    Why,
    How,
    Rule,
    Message,
    Note,
    Source,
    /// Chosen by the code, or part of a message.
    Other,
}

impl Role {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Heading => "h1",
            Self::Description => "description",
            Self::Lead => "lead",
            Self::Why => "why",
            Self::How => "how",
            Self::Rule => "rule",
            Self::Message => "message",
            Self::Note => "note",
            Self::Source => "source",
            Self::Other => "text",
        }
    }

    fn of_field(field: &str) -> Self {
        match field {
            "title" => Self::Title,
            "h1" => Self::Heading,
            "description" => Self::Description,
            "lead" => Self::Lead,
            "why" => Self::Why,
            "how" => Self::How,
            "rule" => Self::Rule,
            "message" => Self::Message,
            _ => Self::Other,
        }
    }
}

/// One text in both languages.
#[derive(Debug)]
pub(super) struct CatalogText {
    pub(super) role: Role,
    /// Line of the source.
    pub(super) line: usize,
    pub(super) en: String,
    pub(super) pt: String,
}

/// The texts of one check.
#[derive(Debug)]
pub(super) struct CheckTexts {
    /// Empty for texts of the family: its tool page, and what several checks use.
    pub(super) code: String,
    pub(super) texts: Vec<CatalogText>,
}

/// The texts of one family.
#[derive(Debug)]
pub(super) struct FamilyTexts {
    /// Its file, from the root of the repository.
    pub(super) path: String,
    pub(super) slug: String,
    /// Of the family first, then by check in the order of the file.
    pub(super) checks: Vec<CheckTexts>,
}

/// Every family, by file.
pub(super) fn families(root: &Path) -> Result<Vec<FamilyTexts>> {
    let mut paths = Vec::new();
    for folder in CHECKS {
        let mut found = Vec::new();
        for category in std::fs::read_dir(root.join(folder)).context(folder)? {
            let category = category?.path();
            if category.is_dir() {
                for file in std::fs::read_dir(category)? {
                    found.push(file?.path());
                }
            }
        }
        found.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
        found.sort();
        paths.append(&mut found);
    }
    let read = |path: &std::path::PathBuf| {
        let name = path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
        Ok(family(name, &whole(path)?))
    };
    paths.iter().map(read).collect()
}

/// The source of a family: its file, and those of its folder, each without its tests.
fn whole(path: &Path) -> Result<String> {
    let mut source = untested(&std::fs::read_to_string(path)?).to_owned();
    let folder = path.with_extension("");
    let mut parts = Vec::new();
    if folder.is_dir() {
        for file in std::fs::read_dir(folder)? {
            parts.push(file?.path());
        }
    }
    parts.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    parts.sort();
    for part in parts {
        source.push('\n');
        source.push_str(untested(&std::fs::read_to_string(part)?));
    }
    Ok(source)
}

/// A source up to its tests, which stand at its end.
fn untested(source: &str) -> &str {
    source.split("#[cfg(test)]").next().unwrap_or_default()
}

/// `text("…", "…")`, with the name of the field before it.
static TEXT: LazyLock<Regex> = LazyLock::new(|| {
    const LITERAL: &str = r#""((?:[^"\\]|\\.)*)""#;
    regex(&format!(r"(?s)(?:(\w+):\s*)?\btext\(\s*{LITERAL},\s*{LITERAL},?\s*\)"))
});
static ITEM: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?m)^(?:pub(?:\([a-z]+\))? )?(?:const|static|fn|struct|enum|impl|mod)\b"));
static NAME: LazyLock<Regex> = LazyLock::new(|| regex(r"(?:const|static|fn) (\w+)"));
static CODE: LazyLock<Regex> = LazyLock::new(|| regex(r#"\bcode: "(\w+)""#));
static RUN: LazyLock<Regex> = LazyLock::new(|| regex(r"\brun: (\w+)|\b(run),"));
static SLUG: LazyLock<Regex> = LazyLock::new(|| regex(r#"\bslug: "([^"]+)""#));
static BINDING: LazyLock<Regex> = LazyLock::new(|| regex(r"\b(?:const|let) \(?(?:mut )?(\w+)"));

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}

/// What the first group of a pattern holds that has matched.
fn first_group(pattern: &Regex, text: &str) -> Option<String> {
    Some(pattern.captures(text)?.iter().skip(1).flatten().next()?.as_str().to_owned())
}

fn family(path: String, source: &str) -> FamilyTexts {
    let code = untested(source);
    let mut starts: Vec<usize> = ITEM.find_iter(code).map(|found| found.start()).collect();
    starts.push(code.len());
    let items: Vec<(usize, &str)> = starts
        .iter()
        .zip(starts.iter().skip(1))
        .filter_map(|(&start, &end)| Some((start, code.get(start..end)?)))
        .collect();
    // Each check with the function that it runs.
    let checks: Vec<(String, String)> =
        items.iter().filter_map(|(_, item)| Some((first_group(&CODE, item)?, first_group(&RUN, item)?))).collect();
    let body = |name: &str| {
        let start = format!("fn {name}(");
        items.iter().find(|(_, item)| item.contains(&start)).map_or("", |(_, item)| item)
    };
    let owner = |item: &str| {
        if let Some(code) = first_group(&CODE, item) {
            return code;
        }
        let name = first_group(&NAME, item).unwrap_or_default();
        let mut users = checks.iter().filter(|(_, run)| *run == name || has_word(body(run), &name));
        match (users.next(), users.next()) {
            (Some((code, _)), None) => code.clone(),
            _ => String::new(),
        }
    };
    let codes = std::iter::once(String::new()).chain(checks.iter().map(|(code, _)| code.clone()));
    let mut found: Vec<CheckTexts> = codes.map(|code| CheckTexts { code, texts: Vec::new() }).collect();
    for (start, item) in &items {
        let code_of_item = owner(item);
        for text in TEXT.captures_iter(item) {
            let Some(whole) = text.get(0) else { continue };
            let literal = |group| unescaped(text.get(group).map_or("", |found| found.as_str()));
            let before = item.get(..whole.start()).unwrap_or_default();
            let role = match text.get(1) {
                Some(field) => Role::of_field(field.as_str()),
                None => match role(before, if is_constant(item) { code } else { item }) {
                    // What a check of a site has besides its fields says what is the matter with a case.
                    Role::Other if path.starts_with(CHECKS[1]) => Role::Note,
                    role => role,
                },
            };
            let line = 1 + code.get(..start + whole.start()).unwrap_or_default().matches('\n').count();
            let one = CatalogText { role, line, en: literal(2), pt: literal(3) };
            // A text filled in later is no text.
            if !one.en.is_empty()
                && let Some(check) = found.iter_mut().find(|check| check.code == code_of_item)
            {
                check.texts.push(one);
            }
        }
    }
    found.retain(|check| !check.texts.is_empty());
    FamilyTexts { path, slug: first_group(&SLUG, code).unwrap_or_default(), checks: found }
}

fn is_constant(item: &str) -> bool {
    NAME.find(item).is_some_and(|name| name.as_str().starts_with("const"))
}

/// The role of a text without a field, by the binding before it and how that is used.
fn role(before: &str, used_in: &str) -> Role {
    let Some(name) = BINDING.captures_iter(before).last().and_then(|found| found.get(1)) else { return Role::Other };
    let name = name.as_str();
    if name == "message" {
        return Role::Message;
    }
    let mut roles = used_in.split(';').filter(|statement| has_word(statement, name)).map(|statement| {
        let is_argument = |call: &str, at: usize| {
            statement.match_indices(call).any(|(start, _)| {
                let arguments = statement.get(start + call.len()..).unwrap_or_default();
                arguments.split([',', ')']).nth(at).is_some_and(|argument| argument.trim() == name)
            })
        };
        let bound = statement.split('=').next().unwrap_or_default();
        let binds = |names: [&str; 3]| names.into_iter().any(|name| has_word(bound, name) && bound.contains("let "));
        if is_argument("problem(", 0) || binds(["message", "messages", "sentence"]) {
            Role::Message
        } else if is_argument(".from(", 0) || statement.contains("rewritten(") {
            Role::Source
        } else if is_argument(".note(", 0)
            || is_argument("instruction(", 1)
            || is_argument("server_rule(", 0)
            || binds(["note", "advice", "policy"])
        {
            Role::Note
        } else {
            Role::Other
        }
    });
    roles.find(|role| *role != Role::Other).unwrap_or(Role::Other)
}

/// Whether a name occurs as a word of its own.
fn has_word(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let before = text.get(..at).and_then(|rest| rest.chars().next_back());
            let after = text.get(at + name.len()..).and_then(|rest| rest.chars().next());
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        })
}

/// A literal as the program has it.
fn unescaped(literal: &str) -> String {
    let mut out = String::with_capacity(literal.len());
    let mut characters = literal.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek()) {
            ('\\', Some('\n')) => while characters.next_if(|next| next.is_whitespace()).is_some() {},
            ('\\', Some('n')) => {
                characters.next();
                out.push('\n');
            }
            ('\\', Some(_)) => out.extend(characters.next()),
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_files_of_a_family_with_tests_are_read() {
        let families = families(&crate::root().unwrap()).unwrap();
        let alternatives = families.iter().find(|family| family.slug == "image-alt").unwrap();
        let cut = alternatives.checks.iter().find(|check| check.code == "image_alt_cut").unwrap();
        assert!(cut.texts.iter().any(|one| one.role == Role::Message));
    }

    #[test]
    fn texts_are_read_with_their_check_and_role() {
        let source = r#"
const LANDING: Landing = Landing { title: text("A", "B"), example: "" };
const FIRST_CHECK: Check = Check { code: "a_b", title: text("T", "U"), run: first };
const OTHER_CHECK: Check = Check { code: "c_d", run: other };
fn first(facts: &Facts<'_>) -> Verdict {
    const WRONG: Text = text("It is \"wrong\".", "Está \
        errado.");
    const HOW: Text = text("Do it.", "Faça.");
    problem(WRONG, &[], FixDraft::instruction(FixTarget::Head, HOW, &[])).fail()
}
fn other(facts: &Facts<'_>) -> Verdict {
    helper().from(shared())
}
fn helper() -> Text { text("of other", "do outro") }
#[cfg(test)]
fn test() { text("x", "y") }
"#;
        let family = family("f.rs".to_owned(), source);
        let all: Vec<String> = family
            .checks
            .iter()
            .flat_map(|check| {
                check.texts.iter().map(|one| format!("{} {} {}|{}", check.code, one.role.word(), one.en, one.pt))
            })
            .collect();
        let wanted = [
            " title A|B",
            "a_b title T|U",
            "a_b message It is \"wrong\".|Está errado.",
            "a_b note Do it.|Faça.",
            "c_d text of other|do outro",
        ];
        assert_eq!(all, wanted);
        assert_eq!(family.checks[1].texts[1].line, 6);
    }
}
