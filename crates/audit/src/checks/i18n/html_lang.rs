//! The language of the document.

use crate::check::prelude::*;
use crate::facts::language_tag::{self, Tag};
use crate::facts::page_language;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "html-lang", category: Category::I18n, landing: Landing::TO_WRITE, checks: &[MISSING, INVALID] };

const MISSING: Check = Check {
    code: "html_lang_missing",
    severity: Severity::Warn,
    title: text("Language not declared", "Idioma não declarado"),
    why: text(
        "Screen readers choose their voice by it, browsers offer to translate by it, and fonts and hyphenation follow it.",
        "Leitores de tela escolhem a voz por ele, navegadores oferecem tradução por ele, e fontes e hifenização o seguem.",
    ),
    how: text(
        "Set `lang` on `<html>`, for example `<html lang=\"en\">`.",
        "Defina `lang` em `<html>`, por exemplo `<html lang=\"pt-BR\">`.",
    ),
    reference: "https://www.w3.org/WAI/standards-guidelines/act/rules/b5c3f8/",
    rule: text("Fails when the root element has no `lang`, or a blank one.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Page),
    since: FIRST,
    run: missing,
};

const INVALID: Check = Check {
    code: "html_lang_invalid",
    severity: Severity::Warn,
    title: text("Language tag not valid", "Etiqueta de idioma inválida"),
    why: text(
        "A tag that is no language is ignored, as if none were there.",
        "Uma etiqueta que não é um idioma é ignorada, como se não existisse.",
    ),
    how: text(
        "Use a language tag of BCP 47: `en`, `pt-BR`, `zh-Hant`.",
        "Use uma etiqueta de idioma da BCP 47: `en`, `pt-BR`, `zh-Hant`.",
    ),
    reference: "https://www.w3.org/WAI/standards-guidelines/act/rules/bf051a/",
    rule: text("Fails when the value is no well-formed tag, or its first part is no language.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Page),
    since: FIRST,
    run: invalid,
};

/// Fails when the root element has no `lang`, or a blank one.
fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let Some(root) = html.document.html() else { return Err(NotMeasured::Html) };
    if root.attribute("lang").is_some_and(|lang| !lang.trim().is_empty()) {
        return PASS;
    }
    const NONE: Text = text("<html> declares no language.", "<html> não declara idioma.");
    Ok(Some(problem(NONE, &[], fix(facts, root, None)).at([root.place()])))
}

/// Fails when the value is no well-formed tag, or its first part is no language.
fn invalid(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let Some(root) = html.document.html() else { return Err(NotMeasured::Html) };
    let Some(lang) = root.attribute("lang").filter(|lang| !lang.trim().is_empty()) else {
        return Err(NotMeasured::Absent);
    };
    if language_tag::read(lang.trim()).is_some() {
        return PASS;
    }
    const NO_TAG: Text = text("“{lang}” is not a language tag.", "“{lang}” não é uma etiqueta de idioma.");
    let corrected = language_tag::corrected(lang.trim());
    Ok(Some(problem(NO_TAG, &[("lang", lang.into())], fix(facts, root, corrected)).at([root.place()])))
}

/// The tag whose language only the owner can say.
const TEMPLATE: &str = "<html lang=\"{{LANG}}\">";

/// The corrected tag, else what the page says of its language elsewhere, else a template.
fn fix(facts: &Facts<'_>, root: Element<'_>, corrected: Option<Tag>) -> FixDraft {
    const CORRECTED: Text = text("the declared value, corrected", "o valor declarado, corrigido");
    const ELSEWHERE: Text =
        text("what the page declares elsewhere: {where}", "o que a página declara em outro lugar: {where}");
    let (lang, origin, place) = match (corrected, page_language::elsewhere(facts)) {
        (Some(tag), _) => (tag.to_string(), CORRECTED, ""),
        (None, Some((lang, place))) => (lang, ELSEWHERE, place),
        (None, None) => return FixDraft::template(FixTarget::Page, TEMPLATE),
    };
    if root.start_tag().is_none() {
        // The source has no <html> tag to change; a patch can't set an attribute of it.
        const SUGGESTED: Text = text(
            "{lang}, as the page declares elsewhere: {where}",
            "{lang}, como a página declara em outro lugar: {where}",
        );
        let values = [("lang", lang.into()), ("where", place.into())];
        return FixDraft::template(FixTarget::Page, TEMPLATE).from(SUGGESTED, &values);
    }
    let tag = format!("<html lang=\"{}\">", attribute(&lang));
    FixDraft::edit(FixTarget::Page, tag).set(root, "lang", &lang).from(origin, &[("where", place.into())])
}
