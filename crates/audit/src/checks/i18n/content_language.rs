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
        h1: text("Is the page in the language it declares?", "A página está no idioma que declara?"),
        description: text(
            "Compare the declared language of a page with the language of its text, and find the obsolete content-language meta tag.",
            "Compare o idioma declarado de uma página com o idioma do texto e encontre a meta tag content-language, que está obsoleta.",
        ),
        lead: text(
            "A template with `lang=\"en\"` around Portuguese text makes screen readers use English pronunciation and browsers offer a needless translation. This tool reads the text and tells you its language.",
            "Um template com `lang=\"en\"` em volta de um texto em português faz leitores de tela usarem a pronúncia do inglês e navegadores oferecerem uma tradução desnecessária. Esta ferramenta lê o texto e diz em que idioma ele está.",
        ),
        example: include_str!("content_language/bad_portuguese.html"),
    },
    checks: &[MISMATCH, OBSOLETE],
};

const MISMATCH: Check = Check {
    code: "html_lang_content_mismatch",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Text not in the declared language", "Texto fora do idioma declarado"),
    why: text(
        "Screen readers choose their pronunciation by the declared language, and browsers decide by it whether to offer a translation. With the wrong language, both go wrong.",
        "Leitores de tela escolhem a pronúncia pelo idioma declarado, e navegadores decidem por ele se oferecem tradução. Com o idioma errado, os dois falham.",
    ),
    how: text(
        "Set `lang` on `<html>` to the language of the text, and mark passages in other languages with their own `lang`.",
        "Defina o `lang` de `<html>` com o idioma do texto e marque trechos em outros idiomas com o próprio `lang`.",
    ),
    reference: "https://www.w3.org/WAI/standards-guidelines/act/rules/ucwvc8/",
    rule: text(
        "Fails when the visible text is clearly in another language than the primary language of `lang`. The text needs at least 200 words, or 400 letters in scripts without spaces. Its language is clear when at least 85% of the letters belong to one script, at least 16% of the words are in the word list of that language, and no other language, the declared one included, scores more than 45% of its points. A word that several languages share gives fewer points to each. A text with 28% of its words in the list of the declared language always passes. A shorter text, from 60 words or 150 letters on, fails only when 24% of its words are in the list and no other language scores more than 30%. Only primary languages are compared: `en-US` and `en-GB` count as one. Not measured for languages without a word list, or when the text is too short, mixed or unclear.",
        "Falha quando o texto visível está claramente em outro idioma que não o idioma primário de `lang`. O texto precisa de pelo menos 200 palavras, ou 400 letras em escritas sem espaços. O idioma é claro quando pelo menos 85% das letras são de uma só escrita, pelo menos 16% das palavras estão na lista de palavras desse idioma e nenhum outro idioma, inclusive o declarado, passa de 45% dos pontos dele. Uma palavra comum a vários idiomas dá menos pontos a cada um. Um texto com 28% das palavras na lista do idioma declarado sempre passa. Um texto mais curto, a partir de 60 palavras ou 150 letras, só falha quando 24% das palavras estão na lista e nenhum outro idioma passa de 30%. Só os idiomas primários são comparados: `pt-BR` e `pt-PT` contam como um. Não é medido para idiomas sem lista de palavras, nem quando o texto é curto demais, misto ou incerto.",
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
        "The HTML standard calls this meta tag non-conforming. Tools read the language from `lang`, and the two declarations can come to disagree.",
        "O padrão HTML considera esta meta tag não conforme. As ferramentas leem o idioma de `lang`, e as duas declarações podem acabar divergindo.",
    ),
    how: text(
        "Declare the language with `lang` on `<html>`, and remove the meta tag.",
        "Declare o idioma com `lang` em `<html>` e remova a meta tag.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/semantics.html#attr-meta-http-equiv-content-language",
    rule: text(
        "Fails when the page has a `meta` element with `http-equiv=content-language`. The `Content-Language` response header is something else and isn't checked.",
        "Falha quando a página tem um elemento `meta` com `http-equiv=content-language`. O cabeçalho de resposta `Content-Language` é outra coisa e não é verificado.",
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
        "The text is in {found:language}, but <html> has lang=\"{lang}\".",
        "O texto está em {found:language}, mas <html> tem lang=\"{lang}\".",
    );
    const OF_TEXT: Text = text("the language of the text", "o idioma do texto");
    const DECIDE: Text = text(
        "Decide which language the page is in, and declare the same one in lang and in hreflang.",
        "Decida em que idioma a página está e declare o mesmo em lang e em hreflang.",
    );
    // Where the page's own hreflang entry says the same as lang, changing one of them alone would part the two.
    let own = facts.own_url()?;
    let is_own = |url: &url::Url| same_page(url, &own);
    let entries = facts.alternates().iter().filter(|alternate| alternate.url.as_ref().is_some_and(is_own));
    let says_other = |code: &str| language_tag::corrected(code).is_some_and(|tag| tag.language != found);
    let is_bound = entries.into_iter().any(|alternate| says_other(&alternate.lang));
    const LOOK: Text = text(
        "The text is short. Check whether it's in {found:language}; if so, set lang=\"{found}\" on <html>.",
        "O texto é curto. Confira se está em {found:language}; se estiver, defina lang=\"{found}\" em <html>.",
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
        "The page has an obsolete content-language meta tag with the value “{value}”.",
        "A página tem uma meta tag content-language obsoleta com o valor “{value}”.",
    );
    const SAME: Text = text("lang of <html> already declares the language", "lang de <html> já declara o idioma");
    const ELSEWHERE: Text = text("the language that the page declares", "o idioma que a página declara");
    const REMOVE: Text = text(
        "Set lang on <html> first, then remove the meta tag.",
        "Primeiro defina lang em <html>; depois remova a meta tag.",
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
