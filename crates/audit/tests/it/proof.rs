//! What is called ready to paste holds: each fix alone and the whole patch, in the file's own bytes and encoding.

use std::collections::BTreeSet;

use audit::Page;
use audit::facts::page::Html;
use encoding_rs::{Encoding, SHIFT_JIS, UTF_8, UTF_16LE, WINDOWS_1252};
use model::capture::Capture;
use model::fix::{Fix, FixClass, FixEdit, Verb};
use model::report::Report;

use crate::capture::{corpus, page, replaced, with_headers};
use crate::parallel;
use crate::unchanged::changed;

const URL: &str = "https://www.example.com/a/page";

/// Bytes of a page with some spans replaced, given with the length of each.
fn with_changes(bytes: &[u8], mut changes: Vec<(usize, usize, Vec<u8>)>) -> Vec<u8> {
    changes.sort_by_key(|(at, length, _)| (*at, *length));
    let (mut out, mut at) = (Vec::new(), 0);
    for (start, length, text) in changes {
        out.extend_from_slice(bytes.get(at..start).unwrap());
        out.extend_from_slice(&text);
        at = start + length;
    }
    out.extend_from_slice(bytes.get(at..).unwrap());
    out
}

/// Text as an editor saves it in the encoding of the file.
fn encoded(text: &str, encoding: &'static Encoding) -> Vec<u8> {
    match encoding == UTF_16LE {
        true => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        false => encoding.encode(text).0.into_owned(),
    }
}

/// The file with the edits of one fix.
fn with_fix(bytes: &[u8], fix: &Fix, encoding: &'static Encoding) -> Vec<u8> {
    let mut changes = Vec::new();
    for edit in &fix.edits {
        let FixEdit { verb, before, after, at, to } = edit;
        let (start, length) = (at.byte_offset.unwrap(), at.byte_length.unwrap());
        assert_eq!(bytes.get(start..start + length), Some(&*encoded(before, encoding)), "{}: {before}", fix.code);
        match to {
            Some(to) => {
                assert_eq!(*verb, Verb::Move);
                changes.push((start, length, Vec::new()));
                changes.push((to.byte_offset.unwrap(), 0, encoded(after, encoding)));
            }
            None => changes.push((start, length, encoded(after, encoding))),
        }
    }
    with_changes(bytes, changes)
}

fn html(capture: &Capture) -> Html {
    Page::read(capture).html.unwrap()
}

/// What hides the findings of structured data until it is fixed.
const UNREADABLE: [&str; 4] =
    ["jsonld_syntax_error", "jsonld_context_invalid", "jsonld_type_unknown", "jsonld_property_unknown"];

/// What is wrong with a page after some ready fixes: of its findings, and of how it is read.
fn faults(
    name: &str,
    (page, before): (&Html, &Report),
    after: &Capture,
    mended: &[&str],
    hidden: &BTreeSet<String>,
) -> Vec<String> {
    let now = audit::codes(after);
    let html = html(after);
    let known: BTreeSet<&str> = before.findings.iter().map(|finding| finding.code.as_str()).collect();
    let uncovers = mended.iter().any(|code| UNREADABLE.contains(code));
    let is_of_data = |code: &str| {
        code.starts_with("jsonld_") || matches!(code, "review_self_serving" | "paywall_selector_unmatched")
    };
    let is_new = |code: &&&str| !(known.contains(**code) || hidden.contains(**code) || uncovers && is_of_data(code));
    let stays = now.iter().filter(|code| mended.contains(code)).map(|code| format!("{name}: {code} stays"));
    let new = now.iter().filter(is_new).map(|code| format!("{name}: {code} is new"));
    let doubled = twice(&html).map(|tag| format!("{name}: an attribute twice in {tag}"));
    stays.chain(new).chain(doubled).chain(changed(name, page, &html, mended)).collect()
}

/// A start tag that a fix may have written with an attribute twice. Pages themselves have such tags too.
fn twice(html: &Html) -> impl Iterator<Item = String> {
    let repeats = |tag: &str| {
        let names: Vec<String> = tag
            .split_ascii_whitespace()
            .filter_map(|part| part.split_once("=\""))
            .map(|(name, _)| name.to_ascii_lowercase())
            .filter(|name| name.chars().all(|c| c.is_ascii_alphabetic() || c == '-'))
            .collect();
        names.iter().collect::<BTreeSet<_>>().len() < names.len()
    };
    let tags = html.metas.iter().filter_map(|meta| html.element(meta.node)?.start_tag_source());
    tags.filter(|tag| repeats(tag)).map(str::to_owned).collect::<Vec<_>>().into_iter()
}

/// Each ready fix of a page alone, and the whole patch, applied to the file.
fn proved(name: &str, capture: &Capture) -> Vec<String> {
    let report = audit::report(capture);
    let bytes = &capture.page.response().unwrap().body.bytes;
    let page = html(capture);
    let encoding = if page.unlabelled_utf8 { UTF_8 } else { page.charset.encoding };
    // What could not be seen before is not new: `silencedBy` is a part of it.
    let hidden: BTreeSet<String> = report.coverage.not_measured.keys().cloned().collect();
    let ready = |fix: &&Fix| fix.class == FixClass::Deterministic && !fix.edits.is_empty();
    let mut faults_found = Vec::new();
    for fix in report.fixes.iter().filter(ready) {
        let after = replaced(capture, with_fix(bytes, fix, encoding));
        faults_found.extend(faults(
            &format!("{name}, {} alone", fix.code),
            (&page, &report),
            &after,
            &[&fix.code],
            &hidden,
        ));
    }
    let Some(patched) = audit::patch::apply_to_file(&page, bytes, &report.patch) else {
        return vec![format!("{name}: the patch does not fit its file")];
    };
    let mended: Vec<&str> = report.fixes.iter().filter(ready).map(|fix| fix.code.as_str()).collect();
    let after = replaced(capture, patched);
    let now = html(&after);
    faults_found.extend(faults(&format!("{name}, the whole patch"), (&page, &report), &after, &mended, &hidden));
    let is_declared = |html: &Html| html.charset.meta_label.is_some();
    if is_declared(&page) && !is_declared(&now) {
        faults_found.push(format!("{name}: the declared encoding is past the first 1,024 bytes"));
    }
    if page.charset.encoding != now.charset.encoding && !mended.iter().any(|code| code.starts_with("charset_")) {
        faults_found.push(format!("{name}: the page is read as {}", now.charset.name()));
    }
    faults_found.extend(counts(name, &report));
    faults_found
}

/// Whether the totals of a patch are what its lists hold. A template for a file is told as an instruction.
fn counts(name: &str, report: &Report) -> Option<String> {
    let totals = report.patch.totals;
    let count = |length: usize| u32::try_from(length).unwrap();
    let ready = report.fixes.iter().filter(|fix| fix.class == FixClass::Deterministic).count();
    let held = [count(ready), count(report.patch.templates.len()), count(report.patch.instructions.len())];
    let is_right = held == [totals.deterministic, totals.templates, totals.instructions]
        && totals.total == held.iter().sum::<u32>()
        && totals.total == count(report.fixes.len());
    (!is_right).then(|| format!("{name}: the totals are {totals:?}, and the lists hold {held:?}"))
}

/// The page in another encoding, under a header that says so; `None` where it does not fit.
fn recoded(bytes: &[u8], encoding: &'static Encoding) -> Option<Capture> {
    let text = std::str::from_utf8(bytes).ok()?;
    let label = format!("text/html; charset={}", encoding.name());
    let file = match encoding == UTF_16LE {
        true => [b"\xFF\xFE".as_slice(), &encoded(text, encoding)].concat(),
        false => {
            let (file, _, is_lossy) = encoding.encode(text);
            (!is_lossy).then(|| file.into_owned())?
        }
    };
    Some(with_headers(URL, &[("content-type", &label)], file))
}

fn none(faults: Vec<String>) {
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn what_is_ready_for_a_real_page_holds() {
    none(parallel::flat_map(&corpus(), |(name, bytes)| proved(name, &page(URL, &bytes[..]))));
}

/// Pages in each encoding that holds them take minutes: each page is in one of them, and in all with
/// `SITE_AUDIT_TEST_ALL_ENCODINGS`. A page labelled ISO-8859-1 is one in windows-1252 (Encoding Standard, section 4.2).
#[test]
fn what_is_ready_for_a_page_in_another_encoding_holds() {
    const ENCODINGS: [&Encoding; 3] = [WINDOWS_1252, UTF_16LE, SHIFT_JIS];
    let most = if std::env::var_os("SITE_AUDIT_TEST_ALL_ENCODINGS").is_some() { ENCODINGS.len() } else { 1 };
    let pages: Vec<(usize, (String, Vec<u8>))> = corpus().into_iter().enumerate().collect();
    let proofs = parallel::flat_map(&pages, |(number, (name, bytes))| {
        let in_turn = (0..ENCODINGS.len()).map(|turn| (number + turn) % ENCODINGS.len());
        let captures = in_turn.filter_map(|at| Some((at, recoded(bytes, ENCODINGS[at])?))).take(most);
        captures.map(|(at, capture)| (at, proved(&format!("{name} in {}", ENCODINGS[at].name()), &capture))).collect()
    });
    let tried: [usize; 3] = std::array::from_fn(|at| proofs.iter().filter(|(tried, _)| *tried == at).count());
    println!("pages in windows-1252, UTF-16 and Shift_JIS: {tried:?}");
    none(proofs.into_iter().flat_map(|(_, faults)| faults).collect());
}

/// A page with a title to add and an image to fill, and characters of its own.
const SMALL: &str = "<!doctype html><html lang=pt><head><meta charset=utf-8><title></title>\
    <meta name=description content=''></head><body><h1>Pão – ½ e manteiga</h1>\
    <p>Uma página sobre pão e manteiga, que explica como se faz o pão de cada dia em casa, sem pressa e sem máquina.</p></body></html>";

#[test]
fn characters_that_an_encoding_lacks_are_written_as_references() {
    let source = SMALL.replace("½", "&#1078; \u{2014}");
    let capture = recoded(source.as_bytes(), WINDOWS_1252).unwrap();
    let report = audit::report(&capture);
    let title = report.fixes.iter().find(|fix| fix.code == "title_missing").unwrap();
    assert!(title.edits.iter().any(|edit| edit.after.contains("&#1078;")), "{title:?}");
    none(proved("references", &capture));
}

#[test]
fn small_pages_in_every_encoding_are_mended_in_their_own_bytes() {
    let plain = SMALL.replace("Pão – ½", "Pao").replace("ã", "a").replace("á", "a").replace("ê", "e");
    for encoding in [UTF_8, UTF_16LE, WINDOWS_1252, SHIFT_JIS, encoding_rs::EUC_KR, encoding_rs::GB18030] {
        for source in [SMALL, &plain] {
            if let Some(capture) = recoded(source.as_bytes(), encoding) {
                none(proved(encoding.name(), &capture));
            }
        }
    }
    none(proved(
        "not declared",
        &with_headers(URL, &[("content-type", "text/html")], SMALL.replace("<meta charset=utf-8>", "")),
    ));
}

#[test]
fn an_encoding_with_shift_states_has_no_places() {
    let capture = with_headers(
        URL,
        &[("content-type", "text/html; charset=iso-2022-jp")],
        SMALL.replace(|c: char| !c.is_ascii(), ""),
    );
    let report = audit::report(&capture);
    assert!(report.patch.edits.is_empty() && report.patch.head.is_empty(), "{:?}", report.patch);
    assert!(report.demoted.iter().all(|one| one.reason == model::patch::Unproven::NoPlace), "{:?}", report.demoted);
    assert!(!report.demoted.is_empty());
}

/// The id of the second title may be what a style or a script goes by: the fix would lose it.
#[test]
fn what_does_not_hold_is_not_offered() {
    const SOURCE: &str = "<!doctype html><html lang=en><head><meta charset=utf-8><title>Bread and butter</title>\
        <title id=x>Bread and butter</title></head><body><h1>Bread</h1>";
    const CODE: &str = "title_multiple";
    let report = audit::report(&page(URL, SOURCE));
    let fix = report.fixes.iter().find(|fix| fix.code == CODE).unwrap();
    assert_eq!(fix.class, FixClass::Instruction);
    assert!(fix.edits.is_empty() && fix.snippet.is_none());
    let note = fix.note.as_ref().unwrap();
    assert!(note.en.contains("No ready change") && note.pt.contains("Sem mudança pronta"), "{note:?}");
    assert!(report.demoted.iter().any(|one| one.code == CODE));
    assert!(report.patch.instructions.iter().any(|one| one.code == CODE));
    none(proved(CODE, &page(URL, SOURCE)));
}
