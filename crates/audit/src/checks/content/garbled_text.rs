//! Letters that came out wrong: bytes read in another encoding than they were written in.

use crate::check::prelude::*;
use crate::facts::document::collapse;
use crate::facts::page::Html;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "garbled-text", category: Category::Content, landing: LANDING, checks: &[MOJIBAKE] };

const LANDING: Landing = Landing {
    title: text("Mojibake and garbled text checker", "Localizador de acentos quebrados (mojibake)"),
    h1: text(
        "Why does my page show strange symbols instead of letters?",
        "Por que minha página mostra símbolos estranhos no lugar das letras?",
    ),
    description: text(
        "Find garbled characters on a page, which appear when text is read in a different encoding than it was written in.",
        "Encontre caracteres corrompidos na página, que surgem quando o texto é lido em uma codificação diferente da original.",
    ),
    lead: text(
        "When UTF-8 is read as Latin-1, or the other way round, accented letters turn into pairs of symbols or a black diamond. This tool finds them in the visible text and shows the first one.",
        "Quando UTF-8 é lido como Latin-1, ou o contrário, letras acentuadas viram pares de símbolos ou um losango preto. Esta ferramenta os encontra no texto visível e mostra o primeiro.",
    ),
    example: include_str!("garbled_text/bad_misread.html"),
};

const MOJIBAKE: Check = Check {
    code: "mojibake_detected",
    severity: Severity::Warn,
    impact: Impact::Rendering,
    title: text("Garbled characters", "Caracteres corrompidos"),
    why: text(
        "Visitors see `Ã©` or `�` instead of letters, and search engines index the text that way.",
        "Os visitantes veem `Ã©` ou `�` no lugar de letras, e os buscadores indexam o texto assim.",
    ),
    how: text(
        "Find the step that reads the text in the wrong encoding (database, import or template), then store and serve UTF-8.",
        "Encontre a etapa que lê o texto na codificação errada (banco de dados, importação ou template); depois, guarde e sirva UTF-8.",
    ),
    reference: "https://encoding.spec.whatwg.org/#security-background",
    rule: text(
        "Fails when the visible text has the character U+FFFD, or two or more pairs that only appear when UTF-8 is read as windows-1252 (`Ã`, `Â` or `â` followed by a character of that encoding's upper half). It also fails on NUL characters in the source. A single pair passes, since it may be a quotation. Text in `script`, `style`, `template`, `noscript`, `pre`, `code`, `textarea` and elements with `hidden` is ignored. UTF-8 that is not declared is reported by `charset_missing` instead.",
        "Falha quando o texto visível tem o caractere U+FFFD, ou dois ou mais pares que só aparecem quando UTF-8 é lido como windows-1252 (`Ã`, `Â` ou `â` seguido de um caractere da metade superior dessa codificação). Falha também com caracteres NUL no código-fonte. Um único par passa, pois pode ser uma citação. O texto em `script`, `style`, `template`, `noscript`, `pre`, `code`, `textarea` e em elementos com `hidden` é ignorado. UTF-8 não declarado é relatado por `charset_missing`.",
    ),
    thresholds: &[threshold("misread_pairs", MOST_QUOTED as u64 + 1, "pairs")],
    remedy: remedy(FixClass::Instruction, FixTarget::Body),
    since: FIRST,
    run: mojibake,
};

const FOUND: Text = text(
    "The text has {count} garbled {count|character|characters}, for example in “{sample}”.",
    "O texto tem {count} {count|caractere corrompido|caracteres corrompidos}, por exemplo em “{sample}”.",
);

/// Sequences from which on it is no coincidence: one may be quoted on purpose.
const MOST_QUOTED: usize = 1;
/// Characters shown around the first one.
const SHOWN: usize = 12;

/// Elements whose text is source code, not prose.
const CODE: [&str; 7] = ["script", "style", "template", "noscript", "pre", "code", "textarea"];

/// Whether a text has garbled letters: no fix copies it to where readers see it.
pub(crate) fn is_garbled(text: &str) -> bool {
    garbled(text).0.is_some()
}

/// Byte offset of the first garbled place of a text, its replacement characters, and its garbled sequences.
fn garbled(text: &str) -> (Option<usize>, usize, usize) {
    // Most text is plain, and told so at once.
    if text.is_ascii() {
        return (None, 0, 0);
    }
    let mut first = None;
    let (mut replacements, mut sequences) = (0, 0);
    let mut before: Option<(usize, char)> = None;
    for (at, character) in text.char_indices() {
        if character == '\u{fffd}' {
            replacements += 1;
            first.get_or_insert(at);
        }
        // UTF-8 read as windows-1252: a lead byte's letter, then one that only a continuation byte gives.
        if let Some((start, 'Ã' | 'Â' | 'â')) = before
            && matches!(
                character,
                '\u{80}'
                    ..='\u{bf}'
                        | '€'
                        | '‚'
                        | 'ƒ'
                        | '„'
                        | '…'
                        | '†'
                        | '‡'
                        | 'ˆ'
                        | '‰'
                        | 'Š'
                        | '‹'
                        | 'Œ'
                        | '‘'
                        | '’'
                        | '“'
                        | '”'
                        | '•'
                        | '–'
                        | '—'
                        | '˜'
                        | '™'
                        | 'š'
                        | '›'
                        | 'œ'
            )
            && !(character == '\u{a0}' && text.get(..start).is_none_or(|head| head.ends_with(char::is_whitespace)))
        {
            sequences += 1;
            first.get_or_insert(start);
        }
        before = Some((at, character));
    }
    (first, replacements, sequences)
}

/// Whether a text has a replacement character, or a letter that UTF-8 begins with where it is read as windows-1252.
fn has_mark(text: &str) -> bool {
    let bytes = text.as_bytes();
    // First bytes of `Ã`, `Â` and `â`, and of U+FFFD.
    memchr::memchr2_iter(0xC3, 0xEF, bytes).any(|at| match bytes.get(at..at + 2) {
        Some([0xC3, next]) => matches!(next, 0x82 | 0x83 | 0xA2),
        Some([_, next]) => *next == 0xBF && text.get(at..).is_some_and(|rest| rest.starts_with('\u{fffd}')),
        _ => false,
    })
}

fn prose(html: &Html) -> String {
    let Some(body) = html.document.body() else { return String::new() };
    let mut text = String::new();
    for run in body.texts_where(|element| !element.has("hidden") && !CODE.iter().any(|name| element.is(name))) {
        text.push_str(run);
        text.push('\n');
    }
    text
}

/// Fails on NUL characters in the source, which parsers drop from the text.
fn nul(html: &Html) -> Verdict {
    let source = html.document.source();
    let Some(first) = memchr::memchr(0, source.as_bytes()) else { return PASS };
    const NULS: Text = text(
        "The source has {count} NUL {count|character, on line {line}|characters; the first is on line {line}}.",
        "O código-fonte tem {count} {count|caractere NUL, na linha {line}|caracteres NUL; o primeiro está na linha {line}}.",
    );
    const REMOVE: Text = text(
        "Find the step that adds NUL characters. In many cases it reads UTF-16 as another encoding, or joins fixed-length fields.",
        "Encontre a etapa que insere os caracteres NUL. Em muitos casos, ela lê UTF-16 como outra codificação ou junta campos de tamanho fixo.",
    );
    let place = Place { snippet: None, ..html.document.place_of(first..first + 1) };
    let values = [("count", source.matches('\0').count().into()), ("line", place.line.unwrap_or_default().into())];
    problem(NULS, &values, FixDraft::instruction(FixTarget::Page, REMOVE, &[])).at([place]).fail()
}

/// Fails on U+FFFD, or on two or more sequences of UTF-8 read as windows-1252, in visible text outside code, or on NUL.
fn mojibake(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    // Undeclared UTF-8 is `charset_missing`, and its garbling is only how the page was read here.
    if html.unlabelled_utf8 {
        return PASS;
    }
    // All of the prose and more, read already: where no mark is in it, none is in the prose.
    if !has_mark(&html.text.text) {
        return nul(html);
    }
    let seen = prose(html);
    let (first, replacements, sequences) = garbled(&seen);
    let Some(first) = first.filter(|_| replacements > 0 || sequences > MOST_QUOTED) else { return nul(html) };
    const UTF8: Text = text(
        "Find the step that reads UTF-8 as another encoding, or another encoding as UTF-8.",
        "Encontre a etapa que lê UTF-8 como outra codificação, ou outra codificação como UTF-8.",
    );
    let start =
        seen.get(..first).unwrap_or_default().char_indices().rev().take(SHOWN).last().map_or(first, |(at, _)| at);
    let sample = collapse(&seen.get(start..).unwrap_or_default().chars().take(2 * SHOWN).collect::<String>());
    let values = [("count", (replacements + sequences).into()), ("sample", sample.as_str().into())];
    let place = Place { snippet: Some(sample), ..Place::default() };
    problem(FOUND, &values, FixDraft::instruction(FixTarget::Body, UTF8, &[])).at([place]).fail()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn garbled_letters_are_told_from_ordinary_ones() {
        let count = |text: &str| {
            let (_, replacements, sequences) = garbled(text);
            (replacements, sequences)
        };
        assert_eq!(count("PÃ£o de queijo quentÃ\u{ad}ssimo, â€œbomâ€\u{9d}"), (0, 4));
        assert_eq!(count("a\u{fffd}b"), (1, 0));
        assert_eq!(count("Âncora, Ã vontade, SÃO PAULO, château, l’âge d’or"), (0, 0));
        assert!(is_garbled("PÃ£o de queijo") && !is_garbled("Pão de queijo"));
    }

    #[test]
    fn a_nul_has_a_place_of_its_own() {
        let report = crate::report(&crate::example::page("https://example.com/page", "<!doctype html><p>a\0b\0</p>"));
        let found = report.findings.iter().find(|finding| finding.code == "mojibake_detected").unwrap();
        let place = found.evidence.first().unwrap();
        assert_eq!((place.offset, place.length), (Some(19), Some(1)));
    }
}
