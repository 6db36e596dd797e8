//! The guides that the service carries as pages: their text in both languages, their code once.

use std::borrow::Cow;

use model::lang::{Lang, Text, text};

/// The commonest tasks as complete requests; `BASE` stands for the service's address.
pub(super) const TASKS: &str = include_str!("llms/tasks.md");
/// Setup of common clients, with [`ANY_SERVICE`] for the service's address.
pub(super) const CLIENTS: &str = include_str!("../../../../docs/clients.md");
/// The placeholder for the service's address in texts that are documentation of the project too.
pub(super) const ANY_SERVICE: &str = "https://audit.example.com";
/// The line of a translation that stands for the next block of code of the English text.
const CODE: &str = "{{code}}";

/// A guide in Markdown, with the service's address in it.
#[derive(Debug)]
pub struct Guide {
    /// Its name in addresses.
    pub slug: &'static str,
    /// Its title.
    pub title: Text,
    english: &'static str,
    portuguese: &'static str,
    address: &'static str,
}

/// All guides.
pub static GUIDES: [Guide; 2] = [
    Guide {
        slug: "agents",
        title: text("Tasks for programs and agents", "Tarefas para programas e agentes"),
        english: TASKS,
        portuguese: include_str!("guides/agents.pt.md"),
        address: "BASE",
    },
    Guide {
        slug: "clients",
        title: text("Set up clients", "Configurar clientes"),
        english: CLIENTS,
        portuguese: include_str!("guides/clients.pt.md"),
        address: ANY_SERVICE,
    },
];

impl Guide {
    /// Its Markdown in a language, without the title, for a service at this address.
    pub fn markdown(&self, lang: Lang, base: &str) -> String {
        let whole = match lang {
            Lang::En => Cow::Borrowed(self.english),
            Lang::PtBr => Cow::Owned(with_code(self.portuguese, self.english)),
        };
        let without_title = match whole.strip_prefix("# ") {
            Some(titled) => titled.split_once('\n').map_or("", |(_, rest)| rest),
            None => &whole,
        };
        without_title.replace(self.address, base)
    }
}

/// A translation with the blocks of code of the original, in their order.
fn with_code(translation: &str, original: &str) -> String {
    let mut blocks = blocks(original).into_iter();
    let mut out = String::with_capacity(original.len() + translation.len());
    for line in translation.split_inclusive('\n') {
        match line.trim_end() {
            CODE => out.push_str(&blocks.next().unwrap_or_default()),
            _ => out.push_str(line),
        }
    }
    out
}

/// The fenced blocks of code of a text, with their fences.
fn blocks(markdown: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in markdown.split_inclusive('\n') {
        let is_fence = line.starts_with("```");
        match &mut open {
            Some(block) => {
                block.push_str(line);
                if is_fence {
                    blocks.extend(open.take());
                }
            }
            None if is_fence => open = Some(line.to_owned()),
            None => {}
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What has to be the same in each language: headings, numbers of lists and code, by their lines.
    fn outline(markdown: &str) -> Vec<String> {
        let mut outline: Vec<String> = Vec::new();
        let code = blocks(markdown).concat();
        for line in markdown.lines().filter(|line| !code.contains(&format!("{line}\n"))) {
            let words = line.split(' ').next().unwrap_or_default();
            if words.starts_with('#') || words.ends_with('.') && words.starts_with(|c: char| c.is_ascii_digit()) {
                outline.push(words.to_owned());
            }
        }
        outline.extend(blocks(markdown));
        outline
    }

    /// Names in code fonts, which no language translates; a placeholder to fill in is a word of the language.
    fn names(markdown: &str) -> Vec<String> {
        let code = blocks(markdown);
        let text = code.iter().fold(markdown.to_owned(), |text, block| text.replacen(block.as_str(), "", 1));
        let mut names: Vec<String> = text.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        names.retain(|name| !name.starts_with("{{"));
        names.sort();
        names
    }

    #[test]
    fn both_languages_have_the_same_headings_tasks_code_and_names() {
        for guide in &GUIDES {
            let [english, portuguese] = [Lang::En, Lang::PtBr].map(|lang| guide.markdown(lang, "https://audit.test"));
            assert!(blocks(&english).len() > 8 && english != portuguese, "{}", guide.slug);
            assert_eq!(outline(&english), outline(&portuguese), "{}", guide.slug);
            assert_eq!(names(&english), names(&portuguese), "{}", guide.slug);
            for text in [english, portuguese] {
                assert!(!text.contains(CODE) && !text.contains(guide.address) && !text.starts_with("# "), "{text}");
            }
        }
    }
}
