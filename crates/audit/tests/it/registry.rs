//! The catalog as a whole.

use std::collections::BTreeSet;

use audit::check::{FIRST, Landing, PRECISION, SECOND_READING, WHOLE};
use audit::checks::{FAMILIES, all, find};
use model::finding::{Impact, Severity};
use model::lang::Text;

#[test]
fn codes_and_slugs_are_unique_and_well_formed() {
    let codes: BTreeSet<&str> = all().map(|check| check.code).collect();
    assert_eq!(codes.len(), all().count());
    let slugs: BTreeSet<&str> = FAMILIES.iter().map(|family| family.slug).collect();
    assert_eq!(slugs.len(), FAMILIES.len());
    for code in codes {
        assert!(code.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'), "{code}");
        assert_eq!(find(code).map(|check| check.code), Some(code));
    }
}

#[test]
fn every_check_is_explained_in_both_languages_with_a_reference() {
    for check in all() {
        for text in [check.title, check.why, check.how, check.rule] {
            assert!(!text.en.is_empty() && !text.pt.is_empty(), "{}", check.code);
            assert_ne!(text.en, text.pt, "{}", check.code);
        }
        assert!(check.reference.starts_with("https://"), "{}", check.code);
        assert!(!check.title.en.ends_with('.'), "{}: a title is no sentence", check.code);
        for text in [check.why, check.rule] {
            assert!(text.en.ends_with('.') && text.pt.ends_with('.'), "{}", check.code);
        }
        assert!([FIRST, WHOLE, PRECISION, SECOND_READING].contains(&check.since), "{}", check.code);
    }
}

#[test]
fn what_takes_points_says_what_it_blocks_and_nothing_else_does() {
    for check in all() {
        assert_eq!(check.impact == Impact::Hygiene, check.severity == Severity::Info, "{}", check.code);
    }
}

#[test]
fn every_family_has_a_landing_in_both_languages() {
    for family in FAMILIES {
        let Landing { title, h1, description, lead, example } = &family.landing;
        for text in [title, h1, description, lead] {
            assert!(!text.en.is_empty() && !text.pt.is_empty(), "{}", family.slug);
            assert_ne!(text.en, text.pt, "{}", family.slug);
        }
        for language in [|text: &Text| text.en, |text: &Text| text.pt] {
            assert!((10..=60).contains(&language(title).chars().count()), "{}: {}", family.slug, language(title));
            let description = language(description);
            assert!((70..=160).contains(&description.chars().count()), "{}: {description}", family.slug);
            assert!(language(lead).ends_with('.'), "{}", family.slug);
        }
        assert!(!example.is_empty(), "{}", family.slug);
    }
}

#[test]
fn families_stand_in_the_order_of_their_categories() {
    let categories: Vec<_> = FAMILIES.iter().map(|family| family.category).collect();
    assert!(categories.is_sorted(), "{categories:?}");
    assert!(FAMILIES.len() >= 60 && all().count() >= 230);
}

#[test]
fn the_family_list_names_every_file_of_the_folder() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/checks");
    let listing = std::fs::read_to_string(folder.with_extension("rs")).unwrap();
    for category in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    {
        let category_name = category.file_name().unwrap().to_string_lossy().into_owned();
        for file in std::fs::read_dir(&category).unwrap().map(|entry| entry.unwrap().path()) {
            if file.extension().is_some_and(|extension| extension == "rs") {
                let line = format!("&{category_name}::{}::FAMILY,", file.file_stem().unwrap().to_string_lossy());
                assert!(listing.contains(&line), "checks.rs lacks {line}");
            }
        }
    }
}
