//! Search of the catalog by words.

use audit::check::Check;
use model::lang::Lang;

use super::{CatalogEntry, entries};

/// Words of a search that count; the rest are left out.
const MOST_WORDS: usize = 16;

/// Checks whose code and texts, in English or in Portuguese, have every one of these words, whole or as a part of one. Those
/// with all of them in code and title come first; else in catalog order. A search without words finds every check.
pub fn search(words: &str) -> Vec<CatalogEntry> {
    let words: Vec<String> = split(&plain(words)).take(MOST_WORDS).map(str::to_owned).collect();
    let has_all = |text: &str| words.iter().all(|word| text.contains(word.as_str()));
    let in_name = |check: &Check| [Lang::En, Lang::PtBr].iter().any(|lang| has_all(&name(check, *lang)));
    let found = |check: &Check| [Lang::En, Lang::PtBr].iter().any(|lang| has_all(&whole(check, *lang)));
    let mut all: Vec<CatalogEntry> = entries().filter(|(_, check)| found(check)).collect();
    all.sort_by_key(|(_, check)| !in_name(check));
    all
}

fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn name(check: &Check, lang: Lang) -> String {
    plain(&format!("{} {}", check.code, check.title.in_lang(lang)))
}

fn whole(check: &Check, lang: Lang) -> String {
    plain(&format!("{} {} {}", name(check, lang), check.how.in_lang(lang), check.why.in_lang(lang)))
}

/// In lower case, and without the accents of Portuguese, which many leave out when they type.
pub fn plain(text: &str) -> String {
    let base = |character| match character {
        'á' | 'à' | 'â' | 'ã' => 'a',
        'é' | 'ê' => 'e',
        'í' => 'i',
        'ó' | 'ô' | 'õ' => 'o',
        'ú' | 'ü' => 'u',
        'ç' => 'c',
        other => other,
    };
    text.chars().flat_map(char::to_lowercase).map(base).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(words: &str) -> Vec<&'static str> {
        search(words).into_iter().map(|(_, check)| check.code).collect()
    }

    #[test]
    fn words_are_found_in_both_languages_and_names_come_first() {
        assert!(codes("viewport zoom").first().is_some_and(|code| code.starts_with("viewport")));
        assert!(codes("Título").contains(&"title_missing"), "{:?}", codes("Título"));
        assert!(codes("titulo").contains(&"title_missing"));
        assert!(codes("TITLE missing").contains(&"title_missing"));
        assert!(codes("title xyzzy").is_empty());
        assert_eq!(codes(" .,").len(), entries().count());
    }
}
