//! The page's own entry in its set, and the language that its root element declares.

use crate::check::prelude::*;
use crate::checks::i18n::hreflang::{GOOGLE, alternate_tag, declared, is_default, is_supported, place};
use crate::facts::detected_language::{self, LanguageFit};
use crate::facts::hreflang::DeclaredAlternate;
use crate::facts::language_tag::{self, Tag};
use crate::facts::url_identity::same_page;

pub(super) const MISMATCH: Check = Check {
    code: "hreflang_lang_mismatch",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("hreflang and lang name different languages", "hreflang e lang com idiomas diferentes"),
    why: text(
        "The page declares one language to search engines and another to browsers. One of them is wrong and sends readers to the wrong version.",
        "A página declara um idioma aos buscadores e outro aos navegadores. Um deles está errado e leva leitores à versão errada.",
    ),
    how: text(
        "Declare the same language in `lang` of `<html>` and in the page's own hreflang entry.",
        "Declare o mesmo idioma em `lang` de `<html>` e na entrada hreflang da própria página.",
    ),
    reference: GOOGLE,
    rule: text(
        "Fails when every hreflang entry of the page itself, except `x-default`, has another primary language than `lang` of `<html>`. Regions and scripts are not compared. Several codes for one language count as one: `no`, `nb`, `nn`; `he`, `iw`; `id`, `in`; `tl`, `fil`. Not applicable without a valid `lang` or without an entry for the page itself.",
        "Falha quando todas as entradas hreflang da própria página, exceto `x-default`, têm um idioma primário diferente do `lang` de `<html>`. Regiões e escritas não são comparadas. Vários códigos de um mesmo idioma contam como um: `no`, `nb`, `nn`; `he`, `iw`; `id`, `in`; `tl`, `fil`. Não se aplica sem um `lang` válido nem sem uma entrada da própria página.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Page),
    since: WHOLE,
    run: mismatch,
};

/// Codes of one language as one.
fn language(code: &str) -> &str {
    match code {
        "nb" | "nn" => "no",
        "iw" => "he",
        "in" => "id",
        "fil" => "tl",
        other => other,
    }
}

/// Fails when the page's own entry names another language than its root element.
fn mismatch(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let all = declared(facts)?;
    let own = facts.own_url()?;
    let root = html.document.html().ok_or(NotMeasured::Html)?;
    let lang = root.attribute("lang").and_then(|lang| language_tag::read(lang.trim())).ok_or(NotMeasured::Absent)?;
    let is_own = |alternate: &&&DeclaredAlternate| {
        !is_default(alternate) && alternate.url.as_ref().is_some_and(|url| same_page(url, &own))
    };
    let entries: Vec<(&DeclaredAlternate, Tag)> = all
        .iter()
        .filter(is_own)
        .filter_map(|alternate| Some((*alternate, language_tag::corrected(&alternate.lang)?)))
        .collect();
    let Some((first, code)) = entries.first() else { return Err(NotMeasured::Absent) };
    if entries.iter().any(|(_, tag)| language(&tag.language) == language(&lang.language)) {
        return PASS;
    }
    const DISAGREE: Text = text(
        "The page's own hreflang entry is “{code}”, but <html> has lang=\"{lang}\".",
        "A entrada hreflang da própria página é “{code}”, mas <html> tem lang=\"{lang}\".",
    );
    const BY_SET: Text = text("the page's own hreflang entry", "a entrada hreflang da própria página");
    const BY_TEXT: Text = text("lang of <html>, which matches the text", "lang de <html>, que corresponde ao texto");
    const DECIDE: Text = text(
        "Decide which language the page is in, and correct the wrong one of the two.",
        "Decida em que idioma a página está e corrija o valor errado.",
    );
    const IF_RIGHT: Text = text(
        "If the page is in “{code}”, use this tag. Otherwise, correct its hreflang entry.",
        "Se a página está em “{code}”, use esta tag. Caso contrário, corrija a entrada hreflang dela.",
    );
    let sample = html.language_sample();
    let written = detected_language::detect(sample);
    let is_written = |tag: &Tag| written.is_some_and(|found| language(found) == language(&tag.language));
    let fits = |tag: &Tag| detected_language::compare(sample, &tag.language) == LanguageFit::Fits;
    let element = first.node.and_then(|node| html.element(node)).filter(|element| element.start_tag().is_some());
    let taken = |tag: &str| all.iter().any(|alternate| alternate.lang.trim().eq_ignore_ascii_case(tag));
    let fix = match element {
        // The text speaks for the root element: then the entry is the slip.
        Some(element)
            if is_written(&lang) && entries.len() == 1 && is_supported(&lang) && !taken(&lang.to_string()) =>
        {
            let tag = alternate_tag(&lang.to_string(), &first.href);
            FixDraft::edit(FixTarget::Head, tag).set(element, "hreflang", &lang.to_string()).from(BY_TEXT, &[])
        }
        _ if (written.is_none() || is_written(code))
            && !detected_language::contradicts(sample, &code.language)
            && root.start_tag().is_some() =>
        {
            let tag = format!("<html lang=\"{}\">", attribute(&code.to_string()));
            let fix = FixDraft::edit(FixTarget::Page, tag).set(root, "lang", &code.to_string()).from(BY_SET, &[]);
            match is_written(code) || fits(code) && !fits(&lang) {
                true => fix,
                // A text too short to tell its language: either of the two may be the slip.
                false => fix.note(IF_RIGHT, &[("code", code.to_string().into())]).into_draft(),
            }
        }
        _ => FixDraft::instruction(FixTarget::Page, DECIDE, &[]),
    };
    let values = [("code", first.lang.as_str().into()), ("lang", lang.to_string().into())];
    problem(DISAGREE, &values, fix).at([place(facts, first), root.place()]).fail()
}
