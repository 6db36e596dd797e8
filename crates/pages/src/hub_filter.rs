//! The filter of a list by subject and words: a form that works without a script.

use audit::check::{Category, Family};
use model::lang::Lang;

use render::catalog;

/// Characters of the search words; the rest is ignored.
const LONGEST_WORDS: usize = 100;

/// The filter of a list.
#[derive(Debug, Default)]
pub(super) struct HubFilter {
    /// The words, as typed.
    pub(super) words: String,
    category: Option<Category>,
    lang: Lang,
}

/// A subject to choose.
#[derive(Debug)]
pub(super) struct SubjectChoice {
    /// Its name in the address.
    pub(super) word: &'static str,
    pub(super) title: &'static str,
    pub(super) is_chosen: bool,
}

impl HubFilter {
    /// The filter of a query. Unknown subjects are ignored.
    pub(super) fn of(query: Option<&str>, lang: Lang) -> Self {
        let mut filter = Self { lang, ..Self::default() };
        for (name, value) in url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
            match &*name {
                "q" => filter.words = value.trim().chars().take(LONGEST_WORDS).collect(),
                "category" => filter.category = categories().find(|category| category.word() == value),
                _ => {}
            }
        }
        filter
    }

    /// Whether anything may be left out.
    pub(super) fn is_set(&self) -> bool {
        !self.words.is_empty() || self.category.is_some()
    }

    /// The subject that was chosen, as it stands in an address.
    pub(super) fn chosen(&self) -> Option<&'static str> {
        self.category.map(Category::word)
    }

    /// The subjects, in the order of the catalog.
    pub(super) fn choices(&self) -> Vec<SubjectChoice> {
        let choice = |category: Category| SubjectChoice {
            word: category.word(),
            title: category.title().in_lang(self.lang),
            is_chosen: self.category == Some(category),
        };
        categories().map(choice).collect()
    }

    /// Whether an item of a family passes: its subject matches, and each word occurs in one of its texts.
    pub(super) fn takes(&self, family: &Family, texts: &[&str]) -> bool {
        let texts: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
        let is_held = |word: &str| texts.iter().any(|text| text.contains(word));
        self.category.is_none_or(|category| category == family.category)
            && self.words.to_lowercase().split_whitespace().all(is_held)
    }
}

fn categories() -> impl Iterator<Item = Category> {
    catalog::by_category().map(|(category, _)| category)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(query: &str) -> usize {
        let filter = HubFilter::of(Some(query), Lang::En);
        let texts = |check: &audit::check::Check| [check.code, check.title.en];
        catalog::entries().filter(|(family, check)| filter.takes(family, &texts(check))).count()
    }

    #[test]
    fn every_word_is_wanted_whatever_its_case() {
        assert_eq!(taken("q=CANONICAL_missing"), 1);
        assert_eq!(taken("q=canonical+no-such-word"), 0);
        assert!(taken("q=canonical") > 10);
    }

    #[test]
    fn a_subject_takes_its_own_and_an_unknown_one_takes_all() {
        let all = catalog::entries().count();
        let crawl = taken("category=crawl");
        assert!(crawl > 10 && crawl < all);
        assert!(taken("category=crawl&q=sitemap") < crawl);
        for query in ["", "category=", "category=weather", "q=%20", "lang=en"] {
            assert_eq!(taken(query), all, "{query}");
        }
    }

    #[test]
    fn words_are_kept_to_a_length() {
        let filter = HubFilter::of(Some(&format!("q={}", "ã".repeat(10_000))), Lang::PtBr);
        assert_eq!(filter.words.chars().count(), LONGEST_WORDS);
    }
}
