//! Nothing is invented: each value in a fix is one of the audited page or site, or one that the family writes for every
//! site alike (`invented/constants.rs`).
//!
//! A fix is taken apart into what a reader would see: attribute values, texts, strings of JSON, lines of a file. A patch
//! is applied, and all that the page holds then is looked at in the same way.

mod constants;
mod made;
mod said;
mod values;

use model::capture::Capture;
use model::report::Report;
use proptest::prelude::*;

use crate::capture::{corpus, page};
use crate::fixtures::fixtures;
use crate::parallel;
use crate::site::Site;
use said::Said;
use values::{Value, of_file, of_markup};

/// What the fixes of a report hold that nobody said, one line each.
fn inventions(name: &str, capture: &Capture, report: &Report) -> Vec<String> {
    let said = Said::read(capture);
    let mut out = Vec::new();
    let mut ask = |codes: &[&str], values: Vec<Value>| {
        for value in values.iter().filter(|value| !is_known(&said, codes, value)) {
            out.push(format!("{name}: {}: {} = {:?}", codes.join("+"), value.name, value.text));
        }
    };
    for fix in &report.fixes {
        let code = [fix.code.as_str()];
        ask(&code, fix.snippet.as_deref().map(of_markup).unwrap_or_default());
        ask(&code, fix.file.as_ref().map(|file| of_file(&file.path, &file.content)).unwrap_or_default());
        for text in [&fix.origin, &fix.note].into_iter().flatten() {
            ask(&code, values::of_sentence(&text.en));
        }
    }
    let all: Vec<&str> = report.fixes.iter().map(|fix| fix.code.as_str()).collect();
    for file in &report.patch.files {
        ask(&all, of_file(&file.path, &file.content));
    }
    if let Some(patched) = said.source.as_deref().and_then(|source| audit::patch::apply(source, &report.patch)) {
        ask(&all, of_markup(&patched));
    }
    out
}

/// Whether a value was said by the site, is what a named step makes of what was said, or is written for every site by a
/// family.
fn is_known(said: &Said, codes: &[&str], value: &Value) -> bool {
    let is = |code: &str| codes.contains(&code);
    let is_said = |text: &str| {
        said.holds(text)
            || constants::is_name(&value.name, text)
            || codes.iter().any(|code| constants::is_of(code, text))
    };
    let is_whole = |text: &str| {
        is_said(text)
            || value.is_list() && values::items(text).all(|item| is_said(item) || said.holds_in_any_case(item))
            // The site's name behind the heading.
            || value.is_title() && text.split(" - ").all(is_said)
            // A sign for what was left out of it.
            || value.is_description() && text.strip_suffix('…').is_some_and(is_said)
            || value.is_size() && said.is_size(text)
            || value.is_language() && said.has_letters_of(text)
            || value.is_place_in_list()
            // The code of the language that the text is written in.
            || is("html_lang_content_mismatch") && text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_lowercase())
            || is("link_local_target") && said.names_elsewhere(text)
            // Put together again from the words into which a quotation mark cut it.
            || is("image_alt_cut")
                && text.split_whitespace().all(|word| said.holds(word.trim_matches(|c: char| !c.is_alphanumeric())))
            // An encoded space before the scheme is left out.
            || is("link_href_invalid") && said.holds(&format!("%20{text}"))
            || REWRITTEN.iter().any(|code| is(code)) && said.has_letters_of(text)
    };
    // A gap to fill in says nothing; what stands around it must be known.
    match value.text.split_once("{{") {
        None => is_whole(&value.text),
        Some((before, rest)) => {
            let after = rest.rsplit("}}").next().unwrap_or_default();
            [before, after].into_iter().all(|part| is_whole(part.trim_matches([' ', '-', ','])))
        }
    }
}

/// Codes whose fix writes a value as its standard wants it.
const REWRITTEN: &[&str] = &["jsonld_value_invalid", "jsonld_context_invalid", "link_href_invalid"];

#[test]
fn no_fix_of_a_fixture_holds_what_nobody_said() {
    let wrong =
        parallel::flat_map(fixtures(), |fixture| inventions(&fixture.name, &fixture.site.capture().0, &fixture.report));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_fix_of_a_real_page_holds_what_nobody_said() {
    let wrong = parallel::flat_map(&corpus(), |(name, bytes)| {
        let (capture, _) = Site::new(page("https://www.example.com/a/page", &bytes[..])).capture();
        inventions(name, &capture, &audit::report(&capture))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn no_fix_of_a_made_up_site_holds_what_nobody_said(made in made::sites()) {
        let (capture, _) = made.site().capture();
        let wrong = inventions("made up", &capture, &audit::report(&capture));
        prop_assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
