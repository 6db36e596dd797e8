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
            "Check whether the html element has a valid BCP 47 language tag, and get the right tag from the page's other language declarations.",
            "Confira se o elemento html tem uma etiqueta de idioma BCP 47 válida e receba a etiqueta certa a partir das outras declarações da página.",
        ),
        lead: text(
            "Screen readers, browsers and translators rely on the `lang` of the html element. This tool checks that it exists and is valid, and proposes a tag from headers, hreflang or the text itself.",
            "Leitores de tela, navegadores e tradutores dependem do `lang` do elemento html. Esta ferramenta confere se ele existe e é válido, e propõe uma etiqueta a partir de cabeçalhos, hreflang ou do próprio texto.",
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
        "Screen readers choose their voice by the declared language, and browsers decide by it whether to offer a translation. Fonts and hyphenation depend on it too.",
        "Leitores de tela escolhem a voz pelo idioma declarado, e navegadores decidem por ele se oferecem tradução. Fontes e hifenização também dependem dele.",
    ),
    how: text(
        "Set `lang` on `<html>`, for example `<html lang=\"en\">`.",
        "Defina `lang` em `<html>`, por exemplo `<html lang=\"pt-BR\">`.",
    ),
    reference: "https://www.w3.org/WAI/standards-guidelines/act/rules/b5c3f8/",
    rule: text(
        "Fails when the `html` element has no `lang` attribute, or one with only white space. `xml:lang` doesn't count in HTML. The fix takes the language from `Content-Language` (header or meta tag), the page's own hreflang entry, `og:locale`, or a text of at least 200 words that is clearly in one language. When the text contradicts the declarations, the language is left for you to decide.",
        "Falha quando o elemento `html` não tem o atributo `lang` ou tem um só com espaços. `xml:lang` não conta em HTML. A correção tira o idioma de `Content-Language` (cabeçalho ou meta tag), da entrada hreflang da própria página, de `og:locale` ou de um texto de pelo menos 200 palavras claramente em um só idioma. Quando o texto contradiz as declarações, a decisão sobre o idioma fica com você.",
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
    title: text("Invalid language tag", "Etiqueta de idioma inválida"),
    why: text(
        "Browsers and screen readers ignore an invalid tag, as if the page declared no language.",
        "Navegadores e leitores de tela ignoram uma etiqueta inválida, como se a página não declarasse idioma.",
    ),
    how: text(
        "Use a BCP 47 language tag, such as `en`, `pt-BR` or `zh-Hant`.",
        "Use uma etiqueta de idioma BCP 47, como `en`, `pt-BR` ou `zh-Hant`.",
    ),
    reference: "https://www.w3.org/WAI/standards-guidelines/act/rules/bf051a/",
    rule: text(
        "Fails when the `lang` of the `html` element is not a well-formed language tag of RFC 5646 (subtags of letters and digits, joined by hyphens), or when its first subtag is not a known language. `en_US` and `english` fail. Regions and scripts are not looked up, and spaces around the tag are accepted.",
        "Falha quando o `lang` do elemento `html` não é uma etiqueta de idioma bem formada pela RFC 5646 (partes de letras e dígitos unidas por hífens), ou quando a primeira parte não é um idioma conhecido. `en_US` e `portugues` falham. Regiões e escritas não são conferidas, e espaços em volta da etiqueta são aceitos.",
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
    const NONE: Text = text(
        "The page declares no language: <html> has no lang attribute.",
        "A página não declara o idioma: <html> não tem o atributo lang.",
    );
    const BLANK: Text = text(
        "The page declares no language: the lang attribute of <html> is empty.",
        "A página não declara o idioma: o atributo lang de <html> está vazio.",
    );
    let message = if root.has("lang") { BLANK } else { NONE };
    problem(message, &[], fix(facts, root, None)).on([root]).fail()
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
    const NO_TAG: Text = text(
        "lang=\"{lang}\" on <html> is not a valid language tag.",
        "lang=\"{lang}\" em <html> não é uma etiqueta de idioma válida.",
    );
    let corrected = language_tag::corrected(lang.trim());
    problem(NO_TAG, &[("lang", lang.into())], fix(facts, root, corrected)).on([root]).fail()
}

/// The tag whose language only the owner can say.
const TEMPLATE: &str = "<html lang=\"{{LANG}}\">";

/// The corrected tag, else what the page says of its language elsewhere, else a template.
fn fix(facts: &Facts<'_>, root: Element<'_>, corrected: Option<Tag>) -> FixDraft {
    const CORRECTED: Text = text("the declared value, corrected", "o valor declarado, corrigido");
    const ELSEWHERE: Text = text(
        "the language declared elsewhere on the page: {where}",
        "o idioma declarado em outro lugar da página: {where}",
    );
    const OF_TEXT: Text = text("the language of the text", "o idioma do texto");
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
            "{lang}, declared elsewhere on the page: {where}",
            "{lang}, declarado em outro lugar da página: {where}",
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
