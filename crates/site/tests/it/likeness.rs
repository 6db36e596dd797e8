//! Why 90 %: how alike the texts of real pages are, and of a text with a few other words.

use std::path::{Path, PathBuf};

use audit::Page;
use site::{alike, contents};

/// Texts of the corpus that are long enough to be compared, but for those made of filler, which all say the same.
fn corpus() -> Option<Vec<(String, site::ContentFacts)>> {
    let shared = std::env::var_os("SITE_AUDIT_SHARED").map(PathBuf::from);
    let shared = shared.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"));
    let Ok(folder) = std::fs::read_dir(shared.join("corpus")) else {
        println!("passed over: no corpus at {}", shared.display());
        return None;
    };
    let mut paths: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = paths.into_iter().filter_map(|path| {
        let bytes = std::fs::read(&path).unwrap();
        let is_filler = String::from_utf8_lossy(&bytes).to_lowercase().contains("consectetur");
        let capture = audit::example::page("https://example.com/page", bytes);
        let html = Page::read(&capture).html.filter(|_| !is_filler)?;
        Some((path.file_name()?.to_str()?.to_owned(), contents(&html.document)?))
    });
    Some(read.collect())
}

#[test]
fn different_pages_of_the_corpus_are_far_below_the_threshold() {
    let Some(corpus) = corpus() else { return };
    let mut most: Vec<(usize, String)> = Vec::new();
    for (at, (name, one)) in corpus.iter().enumerate() {
        for (other_name, other) in corpus.iter().skip(at + 1) {
            most.push((alike(&one.sketch, &other.sketch), format!("{name} {other_name}")));
        }
    }
    most.sort();
    println!(
        "{} texts; the most alike: {:?}",
        corpus.len(),
        most.iter().rev().filter(|(likeness, _)| *likeness < 100).take(8).collect::<Vec<_>>()
    );
    // Two pairs are one article each, kept twice: at 79 and 97 %.
    let same = most.iter().filter(|(likeness, _)| *likeness >= 50).count();
    assert!(same <= 2, "{same} of {} pairs are at 50 % or more", most.len());
}

#[test]
fn other_words_in_a_real_length_of_text_move_it_as_said() {
    // 1,000 words, of which every `every`th is another.
    let text = |every: usize, salt: usize| -> String {
        (0..1_000)
            .map(|at| {
                if at % every == every - 1 { format!("other{salt}x{at} ") } else { format!("word{} ", at * 13 % 4_001) }
            })
            .collect()
    };
    let of = |text: &str| {
        let page =
            audit::example::page("https://example.com/page", format!("<!doctype html><title>x</title><p>{text}"));
        contents(&Page::read(&page).html.unwrap().document).unwrap()
    };
    // (one word of so many differs, likeness by the runs of five that stay whole)
    for (every, expected) in [(50, 82), (100, 90), (200, 95), (1_000, 99)] {
        let found = alike(&of(&text(every, 1)).sketch, &of(&text(every, 2)).sketch);
        assert!(found.abs_diff(expected) <= 8, "{found} where {expected} is expected for 1 word of {every}");
    }
}
