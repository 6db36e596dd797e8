use super::*;
use crate::{checks, example};

/// The place of the fix of a code on a page of this body.
fn place_of(code: &str, body: &str) -> Option<(String, String)> {
    let report = crate::report(&example::page(example::PAGE_URL, body));
    let fix = report.fixes.into_iter().find(|fix| fix.code == code);
    let place = fix.unwrap_or_else(|| panic!("{code} does not fire")).place?;
    Some((place.system, place.steps.en))
}

#[test]
fn every_row_is_about_a_check_and_a_known_system() {
    let platforms = include_str!("../../data/platforms.tsv");
    let is_system = |name: &str| platforms.lines().any(|line| line.split('\t').next() == Some(name));
    for code in SUBJECT_OF.keys() {
        assert!(checks::find(code).is_some(), "{code}");
    }
    let codes: usize = rows(SUBJECTS).map(|line| line.split(['\t', ' ']).count() - 1).sum();
    assert_eq!(codes, SUBJECT_OF.len(), "a code has one subject");
    assert_eq!(rows(PLACES).count(), WAYS.values().map(HashMap::len).sum::<usize>(), "a row is cut short or doubled");
    for (system, ways) in &*WAYS {
        assert!(is_system(system), "{system}");
        for (subject, way) in ways {
            assert!(SUBJECT_OF.values().any(|known| known == subject), "{system} {subject}");
            for text in [way.en, way.pt] {
                assert!(text.ends_with('.') && !text.contains(['{', '}']), "{text}");
            }
        }
    }
}

#[test]
fn a_plugin_is_named_before_its_system_and_the_system_for_what_the_plugin_does_not_make() {
    let wordpress = "<meta name=generator content='WordPress 6.4'><script type='application/ld+json' class='yoast-schema-graph'>{}</script>";
    let (system, steps) = place_of("meta_description_missing", &format!("{wordpress}<title>Tea</title>")).unwrap();
    assert_eq!(system, "Yoast SEO");
    assert!(steps.contains("Meta description"), "{steps}");
    let (system, _) = place_of("html_lang_missing", &format!("{wordpress}<title>Tea</title>")).unwrap();
    assert_eq!(system, "WordPress");
    assert_eq!(place_of("meta_description_missing", "<meta name=generator content='WordPress 6.4'>"), None);
    assert_eq!(place_of("meta_description_missing", "<p>A page about WordPress and Yoast SEO"), None);
}

#[test]
fn between_two_systems_none_is_named() {
    let both = "<meta name=generator content='Drupal 10'><meta name=generator content='TYPO3 CMS'>";
    assert_eq!(place_of("meta_description_missing", both), None);
    let shop = "<meta name=shopify-digital-wallet content=/1/digital_wallets/dialog>";
    assert_eq!(place_of("meta_description_missing", shop).unwrap().0, "Shopify");
}
