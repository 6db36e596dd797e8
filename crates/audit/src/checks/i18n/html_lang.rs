//! The language of the document.

use crate::check::prelude::*;
use crate::facts::language_tag::{self, Tag};
use crate::facts::page_language::{self, LanguageSource};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "html-lang",
    category: Category::I18n,
    landing: Landing {
        title: text("HTML lang attribute checker", "Verificador do atributo lang do HTML"),
        h1: text("Does your page declare its language?", "Sua página declara o idioma?"),
        description: text(
            "Check whether the html element has a valid BCP 47 language tag, and get the right tag from what the page says elsewhere.",
            "Confira se o elemento html tem uma etiqueta de idioma BCP 47 válida e receba a etiqueta certa a partir do que a página diz.",
        ),
        lead: text(
            "Screen readers, browsers and translators go by the `lang` of the html element. This tool checks that it is there and that it is a language, and proposes the tag that headers, alternates or the text itself tell.",
            "Leitores de tela, navegadores e tradutores se guiam pelo `lang` do elemento html. Esta ferramenta confere se ele está lá e se é um idioma, e propõe a etiqueta que cabeçalhos, versões alternativas ou o próprio texto indicam.",
        ),
        example: include_str!("html_lang/bad_underscore.html"),
    },
    checks: &[MISSING, INVALID],
};

const MISSING: Check = Check {
    code: "html_lang_missing",
    severity: Severity::Warn,
    impact: Impact::Use,
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
    rule: text(
        "Fails when the `html` element has no `lang` attribute, or one with nothing but white space; `xml:lang` does not count in HTML. The fix takes the language from `Content-Language` (header or meta), the page's own hreflang entry, `og:locale`, or the text where at least 200 words of it are clearly in one language; where the text contradicts what is declared, it is left open.",
        "Falha quando o elemento `html` não tem o atributo `lang`, ou tem um só com espaços; `xml:lang` não conta em HTML. A correção tira o idioma de `Content-Language` (cabeçalho ou meta), da entrada hreflang da própria página, de `og:locale` ou do texto, quando pelo menos 200 palavras dele estão claramente num só idioma; se o texto contradiz o que está declarado, ela fica em aberto.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Page),
    since: FIRST,
    run: missing,
};

const INVALID: Check = Check {
    code: "html_lang_invalid",
    severity: Severity::Warn,
    impact: Impact::Use,
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
    rule: text(
        "Fails when the `lang` of the `html` element is not a well-formed language tag by RFC 5646 (subtags of letters and digits joined by hyphens), or its first part is not in the table of languages. `en_US` and `english` fail; region and script are not looked up, and spaces around the tag are left alone.",
        "Falha quando o `lang` do elemento `html` não é uma etiqueta de idioma bem formada pela RFC 5646 (partes de letras e dígitos unidas por hífens), ou sua primeira parte não está na tabela de idiomas. `en_US` e `portugues` falham; região e escrita não são conferidas, e espaços em volta da etiqueta são tolerados.",
    ),
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
    problem(NONE, &[], fix(facts, root, None)).on([root]).fail()
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
    problem(NO_TAG, &[("lang", lang.into())], fix(facts, root, corrected)).on([root]).fail()
}

/// The tag whose language only the owner can say.
const TEMPLATE: &str = "<html lang=\"{{LANG}}\">";

/// The corrected tag, else what the page says of its language elsewhere, else a template.
fn fix(facts: &Facts<'_>, root: Element<'_>, corrected: Option<Tag>) -> FixDraft {
    const CORRECTED: Text = text("the declared value, corrected", "o valor declarado, corrigido");
    const ELSEWHERE: Text =
        text("what the page declares elsewhere: {where}", "o que a página declara em outro lugar: {where}");
    const OF_TEXT: Text = text("the language that the text is written in", "o idioma em que o texto está escrito");
    let elsewhere = page_language::elsewhere(facts);
    let source = elsewhere.as_ref().filter(|_| corrected.is_none()).map_or(LanguageSource::By("lang"), |(_, by)| *by);
    let (lang, origin, place) = match (corrected, elsewhere) {
        (Some(tag), _) => (tag.to_string(), CORRECTED, ""),
        (None, Some((lang, LanguageSource::By(place)))) => (lang, ELSEWHERE, place),
        (None, Some((lang, LanguageSource::ByText))) => (lang, OF_TEXT, ""),
        (None, None) => return FixDraft::template(FixTarget::Page, TEMPLATE),
    };
    let is_certain = page_language::is_certain(facts, &lang, source);
    if root.start_tag().is_none() {
        // The source has no <html> tag to change; a patch can't set an attribute of it.
        const BY_PAGE: Text = text(
            "{lang}, as the page declares elsewhere: {where}",
            "{lang}, como a página declara em outro lugar: {where}",
        );
        const BY_TEXT: Text = text("{lang}, the language of the text", "{lang}, o idioma do texto");
        let suggested = if place.is_empty() { BY_TEXT } else { BY_PAGE };
        let values = [("lang", lang.into()), ("where", place.into())];
        return FixDraft::template(FixTarget::Page, TEMPLATE).from(suggested, &values);
    }
    let tag = format!("<html lang=\"{}\">", attribute(&lang));
    let fix = FixDraft::edit(FixTarget::Page, tag).set(root, "lang", &lang).from(origin, &[("where", place.into())]);
    if is_certain { fix } else { fix.into_draft() }
}
