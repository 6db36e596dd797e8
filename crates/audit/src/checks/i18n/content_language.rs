//! Whether the page is in the language that it declares, and declares it where it counts.

use crate::check::prelude::*;
use crate::facts::detected_language::{self, LEAST_WORDS, LanguageFit, SHORT_WORD_SHARE, SHORT_WORDS};
use crate::facts::elements::Meta;
use crate::facts::url_identity::same_page;
use crate::facts::{language_tag, page_language};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "content-language",
    category: Category::I18n,
    landing: Landing {
        title: text("Page language detector", "Detector do idioma da página"),
        h1: text("Is the page in the language that it declares?", "A página está no idioma que declara?"),
        description: text(
            "Compare the declared language of a page with the language of its text, and find the obsolete content-language meta tag.",
            "Compare o idioma declarado de uma página com o idioma do texto e encontre a meta tag content-language, que é obsoleta.",
        ),
        lead: text(
            "A template that says `lang=\"en\"` over Portuguese text makes screen readers speak it with English sounds and browsers offer a translation nobody needs. This detector reads the text and names the language that it is in.",
            "Um modelo que diz `lang=\"en\"` sobre um texto em português faz leitores de tela o lerem com sons do inglês e navegadores oferecerem uma tradução de que ninguém precisa. Este detector lê o texto e diz em que idioma ele está.",
        ),
        example: include_str!("content_language/bad_portuguese.html"),
    },
    checks: &[MISMATCH, OBSOLETE],
};

const MISMATCH: Check = Check {
    code: "html_lang_content_mismatch",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Text in another language than declared", "Texto em outro idioma que o declarado"),
    why: text(
        "Screen readers pronounce the text by the rules of the declared language, and browsers offer to translate from it.",
        "Leitores de tela pronunciam o texto pelas regras do idioma declarado, e navegadores oferecem tradução a partir dele.",
    ),
    how: text(
        "Set `lang` of `<html>` to the language of the text, and mark parts in other languages with their own `lang`.",
        "Defina o `lang` de `<html>` com o idioma do texto e marque trechos em outros idiomas com o `lang` deles.",
    ),
    reference: "https://www.w3.org/WAI/standards-guidelines/act/rules/ucwvc8/",
    rule: text(
        "Fails when the visible text has at least 200 words (400 letters in scripts without spaces), is plainly in one language by its letters and its commonest small words, and that is not the primary language of `lang`. Plainly: at least 85 % of the letters are of one script, at least 16 % of the words are in the language's list, and no other language, the declared one included, has more than 45 % of its points, where a word that several languages share gives each of them fewer. A text of which 28 % of the words are in the declared language's list always passes. A shorter text, from 60 words (150 letters) on, fails only where 24 % of its words are in the list and no other language has more than 30 % of the points. Only the primary language is compared: `en-US` and `en-GB` are one. Not measured for languages without a list and where the text is short, mixed or unclear.",
        "Falha quando o texto visível tem pelo menos 200 palavras (400 letras em escritas sem espaços), está claramente num só idioma pelas letras e pelas palavrinhas mais comuns, e esse não é o idioma primário de `lang`. Claramente: pelo menos 85 % das letras são de uma escrita, pelo menos 16 % das palavras estão na lista do idioma, e nenhum outro idioma, inclusive o declarado, tem mais de 45 % dos pontos dele, em que uma palavra comum a vários idiomas dá menos pontos a cada um. Um texto com 28 % das palavras na lista do idioma declarado sempre passa. Um texto mais curto, a partir de 60 palavras (150 letras), só falha quando 24 % das palavras estão na lista e nenhum outro idioma tem mais de 30 % dos pontos. Só o idioma primário é comparado: `pt-BR` e `pt-PT` são um só. Não é medido para idiomas sem lista nem onde o texto é curto, misto ou incerto.",
    ),
    thresholds: &[
        threshold("words_least", LEAST_WORDS as u64, "words"),
        threshold("words_of_short_text", SHORT_WORDS as u64, "words"),
        threshold("share_of_short_text", SHORT_WORD_SHARE as u64, "percent"),
    ],
    remedy: remedy(FixClass::Deterministic, FixTarget::Page),
    since: WHOLE,
    run: mismatch,
};

const OBSOLETE: Check = Check {
    code: "content_language_meta_obsolete",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Obsolete content-language meta tag", "Meta tag content-language obsoleta"),
    why: text(
        "The HTML standard calls it non-conforming: tools that read the language look at `lang`, and the two may come to disagree.",
        "O padrão HTML a declara não conforme: as ferramentas que leem o idioma olham para `lang`, e os dois podem acabar discordando.",
    ),
    how: text("Declare the language with `lang` on `<html>` alone.", "Declare o idioma só com `lang` em `<html>`."),
    reference: "https://html.spec.whatwg.org/multipage/semantics.html#attr-meta-http-equiv-content-language",
    rule: text(
        "Fails when the page has a `meta` element with `http-equiv=content-language`. The `Content-Language` response header is another thing and is left alone.",
        "Falha quando a página tem um elemento `meta` com `http-equiv=content-language`. O cabeçalho de resposta `Content-Language` é outra coisa e fica de fora.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: obsolete,
};

/// Fails when the text is plainly in another language.
fn mismatch(facts: &Facts<'_>) -> Verdict {
    let html = facts.filled_page()?;
    let root = html.document.html().ok_or(NotMeasured::Html)?;
    let lang = root.attribute("lang").and_then(|lang| language_tag::read(lang.trim())).ok_or(NotMeasured::Absent)?;
    let found = match detected_language::compare(html.language_sample(), &lang.language) {
        LanguageFit::Fits => return PASS,
        LanguageFit::Unclear => return Err(NotMeasured::Language),
        LanguageFit::Other(found) => found,
    };
    const OTHER: Text = text(
        "The text is in “{found}”, but lang of <html> says “{lang}”.",
        "O texto está em “{found}”, mas lang de <html> diz “{lang}”.",
    );
    const OF_TEXT: Text = text("the language that the text is written in", "o idioma em que o texto está escrito");
    const DECIDE: Text = text(
        "Decide in which language the page is, and declare it alike in lang and hreflang.",
        "Decida em que idioma a página está e declare-o do mesmo modo em lang e hreflang.",
    );
    // Where the page's own hreflang entry says the same as lang, changing one of them alone would part the two.
    let own = facts.own_url()?;
    let is_own = |url: &url::Url| same_page(url, &own);
    let entries = facts.alternates().iter().filter(|alternate| alternate.url.as_ref().is_some_and(is_own));
    let says_other = |code: &str| language_tag::corrected(code).is_some_and(|tag| tag.language != found);
    let is_bound = entries.into_iter().any(|alternate| says_other(&alternate.lang));
    const LOOK: Text = text(
        "The text is short: look whether it is in “{found}”, and set lang of <html> to that.",
        "O texto é curto: veja se está em “{found}” e, se estiver, defina assim o lang de <html>.",
    );
    let is_short = html.language_sample().is_some_and(|sample| sample.is_short);
    let fix = if is_bound || root.start_tag().is_none() {
        FixDraft::instruction(FixTarget::Page, DECIDE, &[])
    } else if is_short {
        FixDraft::instruction(FixTarget::Page, LOOK, &[("found", found.into())])
    } else {
        FixDraft::edit(FixTarget::Page, format!("<html lang=\"{found}\">")).set(root, "lang", found).from(OF_TEXT, &[])
    };
    let values = [("found", found.into()), ("lang", lang.to_string().into())];
    problem(OTHER, &values, fix).on([root]).fail()
}

/// Fails when the language is declared by the obsolete pragma.
fn obsolete(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let found: Vec<&Meta> =
        html.metas.iter().filter(|meta| meta.http_equiv.as_deref() == Some("content-language")).collect();
    let Some(first) = found.first() else { return PASS };
    const USED: Text = text(
        "The page declares its language “{value}” in a meta content-language.",
        "A página declara o idioma “{value}” numa meta content-language.",
    );
    const SAME: Text = text("the language is declared by lang of <html>", "o idioma é declarado por lang de <html>");
    const ELSEWHERE: Text = text("what the page declares of its language", "o que a página declara do seu idioma");
    const REMOVE: Text = text(
        "Set lang on <html> first, then take the meta element out.",
        "Primeiro defina lang em <html>, depois tire o elemento meta.",
    );
    let elements: Option<Vec<Element<'_>>> = found
        .iter()
        .filter(|meta| meta.has_one_reader())
        .map(|meta| html.element(meta.node).filter(|element| element.start_tag().is_some()))
        .collect();
    let elements = elements.filter(|elements| elements.len() == found.len());
    let root = html.document.html().filter(|root| root.start_tag().is_some());
    let declares =
        |root: &Element<'_>| root.attribute("lang").is_some_and(|lang| language_tag::read(lang.trim()).is_some());
    // One that the text contradicts is not written where it counts.
    let lang = page_language::read(facts).filter(|lang| {
        let primary = lang.split('-').next().unwrap_or_default();
        !detected_language::contradicts(html.language_sample(), primary)
    });
    let fix = match (elements, root, lang) {
        (Some(elements), Some(root), _) if declares(&root) => {
            let fix = FixDraft::edit(FixTarget::Head, root.start_tag_source().unwrap_or_default()).from(SAME, &[]);
            elements.into_iter().fold(fix, FixDraft::remove)
        }
        (Some(elements), Some(root), Some(lang)) => {
            let tag = format!("<html lang=\"{}\">", attribute(&lang));
            let fix = FixDraft::edit(FixTarget::Head, tag).set(root, "lang", &lang).from(ELSEWHERE, &[]);
            elements.into_iter().fold(fix, FixDraft::remove)
        }
        _ => FixDraft::instruction(FixTarget::Head, REMOVE, &[]),
    };
    let value = first.content.clone().unwrap_or_default();
    let places = found.iter().filter_map(|meta| html.element(meta.node)).map(Element::place);
    problem(USED, &[("value", value.into())], fix).at(places).fail()
}
