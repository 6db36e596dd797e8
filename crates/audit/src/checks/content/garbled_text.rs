//! Letters that came out wrong: bytes read in another encoding than they were written in.

use crate::check::prelude::*;
use crate::facts::garbled::{Garbled, MOST_QUOTED};
use crate::facts::page::Html;
use crate::facts::source_marks::SourceMark;

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

/// Fails on NUL characters in the source, which parsers drop from the text.
fn nul(html: &Html) -> Verdict {
    if html.lacks(SourceMark::Nul) {
        return PASS;
    }
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
    let Some(Garbled { count, sample }) = html.garbled() else { return nul(html) };
    const UTF8: Text = text(
        "Find the step that reads UTF-8 as another encoding, or another encoding as UTF-8.",
        "Encontre a etapa que lê UTF-8 como outra codificação, ou outra codificação como UTF-8.",
    );
    let values = [("count", (*count).into()), ("sample", sample.as_str().into())];
    let place = Place { snippet: Some(sample.clone()), ..Place::default() };
    problem(FOUND, &values, FixDraft::instruction(FixTarget::Body, UTF8, &[])).at([place]).fail()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_nul_has_a_place_of_its_own() {
        let report = crate::report(&crate::example::page("https://example.com/page", "<!doctype html><p>a\0b\0</p>"));
        let found = report.findings.iter().find(|finding| finding.code == "mojibake_detected").unwrap();
        let place = found.evidence.first().unwrap();
        assert_eq!((place.offset, place.length), (Some(19), Some(1)));
    }
}
