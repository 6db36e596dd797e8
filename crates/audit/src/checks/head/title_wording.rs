//! What a title says: the same thing again, something else than the page, or in another writing system.

use super::title::{first_filled, head_titles};
use super::title_length::is_short;
use crate::check::prelude::*;
use crate::facts::detected_language::is_function_word;
use crate::facts::fitting::WIDEST_TITLE_PX;
use crate::facts::font_metrics::title_px;
use crate::facts::garbled::is_garbled;
use crate::facts::page::Html;
use crate::facts::placeholders::is_placeholder;
use crate::facts::resolved::site_name::is_site_name;
use crate::facts::resolved::{EvidenceSource, Resolved, title as resolved_title};
use crate::facts::words::{
    MOST_TIMES, Repetition, Script, parts, repetition, scripts, without_dangling_separators, words,
};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "title-wording",
    category: Category::Head,
    landing: LANDING,
    checks: &[SITE_NAME, REPETITIVE, SEPARATOR, H1_DISJOINT, SCRIPT_MISMATCH],
};

const LANDING: Landing = Landing {
    title: text("Title rewrite checker", "Verificador de reescrita do título"),
    h1: text("Why does Google show a different title?", "Por que o Google mostra outro título?"),
    description: text(
        "Find out why a search engine may rewrite your title: repeated words, no word in common with the h1, or another script.",
        "Descubra por que um buscador pode reescrever seu título: palavras repetidas, nenhuma em comum com o h1 ou outro alfabeto.",
    ),
    lead: text(
        "Search engines write their own title when yours repeats itself, doesn't match the page, or uses a different script than its text. This tool compares the title with the h1 and the text of the page.",
        "Os buscadores escrevem o próprio título quando o seu se repete, não combina com a página ou usa um alfabeto diferente do texto. Esta ferramenta compara o título com o h1 e o texto da página.",
    ),
    example: include_str!("title_wording/bad_part.html"),
};

const SITE_NAME: Check = Check {
    code: "title_site_name",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("The title is only the site's name", "O título é só o nome do site"),
    why: text(
        "With the site's name alone, results, tabs and bookmarks don't tell this page apart from the others, and search engines write a title of their own.",
        "Só com o nome do site, resultados, abas e favoritos não distinguem esta página das outras, e os buscadores escrevem um título próprio.",
    ),
    how: text(
        "Put what the page is about first, and the site's name after it.",
        "Ponha primeiro o assunto da página e depois o nome do site.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/title-link#page-titles",
    rule: text(
        "Fails on a page other than the home page when the first title with text is only the name of the site (`og:site_name`, the name of the `WebSite`, or the name in the domain), while a heading, structured data or `og:title` calls the page something else. Not measured on a page that may not be indexed.",
        "Falha em uma página que não é a inicial quando o primeiro título com texto é só o nome do site (`og:site_name`, o nome do `WebSite` ou o nome no domínio), enquanto um título do texto, os dados estruturados ou o `og:title` chamam a página de outra coisa. Não é medido em uma página que não deve ser indexada.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: PRECISION,
    run: site_name,
};

const REPETITIVE: Check = Check {
    code: "title_repetitive",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Repetitive title", "Título repetitivo"),
    why: text(
        "Repetition takes the place of words that set the page apart. Search engines treat such titles as boilerplate or keyword stuffing and write their own.",
        "A repetição ocupa o lugar de palavras que diferenciam a página. Os buscadores tratam esses títulos como texto padrão ou excesso de palavras-chave e escrevem o próprio.",
    ),
    how: text("Remove the repetition.", "Remova a repetição."),
    reference: "https://developers.google.com/search/docs/appearance/title-link#page-titles",
    rule: text(
        "Fails when two parts of the first title with text are the same, or when a word of at least 4 letters occurs in it more than twice. Parts are separated by ` - `, ` | `, ` · ` and similar. Whole words are compared, and letter case is ignored. Not measured on a page that may not be indexed.",
        "Falha quando duas partes do primeiro título com texto são iguais, ou quando uma palavra de pelo menos 4 letras aparece nele mais de duas vezes. As partes são separadas por ` - `, ` | `, ` · ` e semelhantes. São comparadas palavras inteiras, sem distinguir maiúsculas. Não é medido em uma página que não deve ser indexada.",
    ),
    thresholds: &[threshold("word_times", MOST_TIMES as u64, "times")],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: repetitive,
};

const SEPARATOR: Check = Check {
    code: "title_separator_dangling",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Title with a dangling separator", "Título com um separador solto"),
    why: text(
        "A separator with nothing next to it shows that a template had no value to insert, usually the site's name.",
        "Um separador sem nada ao lado mostra que o template não tinha um valor a inserir, em geral o nome do site.",
    ),
    how: text(
        "Fill in the missing part, or remove the separator.",
        "Preencha a parte que falta ou remova o separador.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/title-link#page-titles",
    rule: text(
        "Fails when the first title with text begins or ends with an isolated separator (`-`, `–`, `—`, `|`, `·`, `•`, `»`, `›`, `:`), or ends with `|`, a dash other than a hyphen, `·`, `•` or `:` directly after a word. A title of separators only is reported by `title_placeholder`. Not measured on a page that may not be indexed.",
        "Falha quando o primeiro título com texto começa ou termina com um separador isolado (`-`, `–`, `—`, `|`, `·`, `•`, `»`, `›`, `:`), ou termina com `|`, um travessão, `·`, `•` ou `:` logo depois de uma palavra. Um título só de separadores é relatado por `title_placeholder`. Não é medido em uma página que não deve ser indexada.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: PRECISION,
    run: separator,
};

const H1_DISJOINT: Check = Check {
    code: "title_h1_disjoint",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Title and h1 have no word in common", "Título e h1 sem palavra em comum"),
    why: text(
        "Search engines compare the title with the h1 to learn what the page is about. When they differ, either may be shown, and visitors may think that they are on the wrong page.",
        "Os buscadores comparam o título com o h1 para saber do que a página trata. Quando diferem, qualquer um pode ser mostrado, e o visitante pode achar que está na página errada.",
    ),
    how: text(
        "Make title and h1 name the same subject. They don't have to be identical.",
        "Faça o título e o h1 falarem do mesmo assunto. Eles não precisam ser idênticos.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/title-link#page-titles",
    rule: text(
        "Fails when the first title with text has no word in common with any visible h1 of two or more words. Words count from 3 letters on, and match when their first 4 letters agree, so that inflected forms match. Words of any subject, such as “and”, don't count. Words in Han or Kana are compared character by character. Home pages are ignored, since their h1 is often a slogan. Not measured without such an h1, or on a page that may not be indexed.",
        "Falha quando o primeiro título com texto não tem palavra em comum com nenhum h1 visível de duas ou mais palavras. As palavras contam a partir de 3 letras e combinam quando as 4 primeiras letras coincidem, para que formas flexionadas combinem. Palavras de qualquer assunto, como “para”, não contam. Palavras em Han ou Kana são comparadas caractere a caractere. Páginas iniciais são ignoradas, pois o h1 delas costuma ser um slogan. Não é medido sem um h1 assim, nem em uma página que não deve ser indexada.",
    ),
    thresholds: &[
        threshold("word_letters", LEAST_LETTERS as u64, "letters"),
        threshold("word_start", STEM_LETTERS as u64, "letters"),
    ],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: WHOLE,
    run: h1_disjoint,
};

const SCRIPT_MISMATCH: Check = Check {
    code: "title_script_mismatch",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Title in a different script than the page", "Título em alfabeto diferente do da página"),
    why: text(
        "Search engines replace a title in a different script than the page's text, since readers of the page may not be able to read it.",
        "Os buscadores trocam um título escrito em alfabeto diferente do texto da página, pois quem lê a página pode não conseguir ler o título.",
    ),
    how: text(
        "Write the title in the language and script of the page's text.",
        "Escreva o título no idioma e no alfabeto do texto da página.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/title-link#page-titles",
    rule: text(
        "Fails when the visible text has at least 500 letters, at least 80% of them are of one script, and the first title with text has at least four words but no letter of that script. A title passes when an h1 or `og:title` uses its script too. These scripts are told apart: Latin, Greek, Cyrillic, Hebrew, Arabic, Devanagari, Thai, Hangul, and Han with Kana. The first 20,000 characters of the text are read.",
        "Falha quando o texto visível tem pelo menos 500 letras, pelo menos 80% delas são de um só alfabeto, e o primeiro título com texto tem pelo menos quatro palavras, mas nenhuma letra desse alfabeto. Um título passa quando um h1 ou o `og:title` também usa o alfabeto dele. Estes alfabetos são distinguidos: latino, grego, cirílico, hebraico, árabe, devanágari, tailandês, hangul, e Han com Kana. São lidos os primeiros 20.000 caracteres do texto.",
    ),
    thresholds: &[
        threshold("script_share", SCRIPT_PERCENT as u64, "percent"),
        threshold("text_letters", LEAST_TEXT_LETTERS as u64, "letters"),
        threshold("title_words", LEAST_TITLE_WORDS as u64, "words"),
    ],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: WHOLE,
    run: script_mismatch,
};

/// Letters from which on a word is compared: shorter ones are particles.
const LEAST_LETTERS: usize = 3;
/// Letters at the start of two words that make them one: endings differ.
const STEM_LETTERS: usize = 4;
/// Words that an h1 has at least to be compared: a single one may be a name.
const LEAST_HEADING_WORDS: usize = 2;
/// Percent of the letters of a text that make their script the text's.
const SCRIPT_PERCENT: usize = 80;
/// Letters from which on a text has a script.
const LEAST_TEXT_LETTERS: usize = 500;
/// Words from which on a title is more than a name, which may stay in its own script.
const LEAST_TITLE_WORDS: usize = 4;

fn title_element(html: &Html) -> Option<Element<'_>> {
    head_titles(html).into_iter().find(|title| !title.text().is_empty())
}

fn site_name(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    facts.indexable()?;
    let Some(element) = title_element(html) else { return Err(NotMeasured::Absent) };
    let title = element.text();
    if html.is_home() || is_placeholder(&title) || !is_site_name(html, &html.as_meant(&title)) {
        return PASS;
    }
    let is_own = |headline: &&Resolved| {
        headline.source != EvidenceSource::Title && !is_site_name(html, &headline.value) && !is_garbled(&headline.value)
    };
    // A page that is called as its site in every place has no other name.
    let Some(headline) = html.headline().filter(is_own) else { return PASS };
    const NAMES: Text = text(
        "The title is only the site's name, “{title}”; the page is called “{headline}”.",
        "O título é só o nome do site, “{title}”; a página se chama “{headline}”.",
    );
    let values = [("title", title.as_str().into()), ("headline", headline.value.as_str().into())];
    let fix = match resolved_title::made(html).filter(|_| element.end_tag().is_some()) {
        Some(made) => FixDraft::edit(FixTarget::Head, format!("<title>{}</title>", html_text(&made.value)))
            .content(element, html_text(&made.value))
            .of(&made),
        None => FixDraft::instruction(FixTarget::Head, SITE_NAME.how, &[]),
    };
    problem(NAMES, &values, fix).on([element]).fail()
}

fn repetitive(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let Some(element) = title_element(html) else { return Err(NotMeasured::Absent) };
    let title = element.text();
    let Some(repeated) = repetition(&title) else { return PASS };
    const PART: Text = text("The title repeats “{text}”: “{title}”.", "O título repete “{text}”: “{title}”.");
    const WORD: Text = text(
        "The title has the word “{text}” {count} times: “{title}”.",
        "O título tem a palavra “{text}” {count} vezes: “{title}”.",
    );
    const ONCE: Text = text("Use “{text}” only once in the title.", "Use “{text}” só uma vez no título.");
    let (message, shown_twice, count) = match &repeated {
        Repetition::Part(at) => {
            (PART, parts(&title).get(*at).map(|(_, part)| (*part).to_owned()).unwrap_or_default(), 2)
        }
        Repetition::Word(word, count) => (WORD, word.clone(), *count),
    };
    let values = [("text", shown_twice.as_str().into()), ("count", count.into()), ("title", title.as_str().into())];
    let shorter = match repeated {
        Repetition::Part(at) => without_part(&title, at),
        Repetition::Word(..) => None,
    };
    let ready = shorter.filter(|shorter| repetition(shorter).is_none() && !is_short(shorter));
    let fix = match ready.filter(|_| element.end_tag().is_some()) {
        Some(shorter) => {
            const SAME: Text = text("the same title without the repetition", "o mesmo título sem a repetição");
            FixDraft::edit(FixTarget::Head, format!("<title>{}</title>", html_text(&shorter)))
                .content(element, html_text(&shorter))
                .from(SAME, &[])
        }
        None => FixDraft::instruction(FixTarget::Head, ONCE, &[("text", shown_twice.as_str().into())]),
    };
    problem(message, &values, fix).on([element]).fail()
}

fn separator(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    facts.indexable()?;
    let Some(element) = title_element(html) else { return Err(NotMeasured::Absent) };
    let title = element.text();
    let shorter = without_dangling_separators(&title);
    if shorter == title || shorter.is_empty() {
        return PASS;
    }
    const DANGLING: Text = text(
        "The title has a separator with nothing next to it: “{title}”.",
        "O título tem um separador sem nada ao lado: “{title}”.",
    );
    const SAME: Text = text("the same title without the separator", "o mesmo título sem o separador");
    // Another finding on the title has a text of its own for it.
    let is_fine = repetition(&title).is_none()
        && !is_placeholder(&title)
        && (!is_short(shorter) || is_short(&title))
        && title_px(&title) <= WIDEST_TITLE_PX;
    let fix = if is_fine && element.end_tag().is_some() {
        FixDraft::edit(FixTarget::Head, format!("<title>{}</title>", html_text(shorter)))
            .content(element, html_text(shorter))
            .from(SAME, &[])
    } else {
        FixDraft::instruction(FixTarget::Head, SEPARATOR.how, &[])
    };
    problem(DANGLING, &[("title", title.as_str().into())], fix).on([element]).fail()
}

/// The title without one of its parts and the separator in front of it.
fn without_part(title: &str, at: usize) -> Option<String> {
    let all = parts(title);
    let (start, part) = all.get(at)?;
    let (start_before, before) = all.get(at.checked_sub(1)?)?;
    let rest = format!("{}{}", title.get(..start_before + before.len())?, title.get(start + part.len()..)?);
    Some(without_dangling_separators(&rest).to_owned())
}

/// What of a text is compared: the starts of its words that are no particles, and each character of scripts that part no
/// words.
fn stems(text: &str) -> impl Iterator<Item = String> {
    words(text).filter(|word| !is_function_word(word)).flat_map(|word| {
        let is_unparted = word.chars().any(|letter| Script::of(letter) == Some(Script::HanOrKana));
        let letters: Vec<char> = word.chars().collect();
        let stem: String = letters.iter().take(STEM_LETTERS).collect();
        let whole = (!is_unparted && letters.len() >= LEAST_LETTERS).then_some(stem);
        let single = letters.into_iter().filter(move |_| is_unparted).map(String::from);
        whole.into_iter().chain(single).collect::<Vec<_>>()
    })
}

fn h1_disjoint(facts: &Facts<'_>) -> Verdict {
    let html = facts.filled_page()?;
    let Some(title) = title_element(html) else { return Err(NotMeasured::Absent) };
    let url = facts.url()?;
    if matches!(url.path(), "/" | "") && url.query().is_none() {
        return Err(NotMeasured::Absent);
    }
    let h1s = html.headings.iter().filter(|(level, _)| *level == 1).filter_map(|(_, id)| html.element(*id));
    let headings: Vec<(Element<'_>, String)> = h1s
        .map(|h1| (h1, h1.text()))
        .filter(|(_, text)| words(text).take(LEAST_HEADING_WORDS).count() == LEAST_HEADING_WORDS)
        .filter(|(h1, _)| !html.listed.is_unseen(*h1))
        .collect();
    let Some((first, heading)) = headings.first() else { return Err(NotMeasured::Absent) };
    let title_stems: std::collections::BTreeSet<String> = stems(&title.text()).collect();
    let shares = |text: &str| stems(text).any(|stem| title_stems.contains(&stem));
    if title_stems.is_empty() || headings.iter().any(|(_, text)| shares(text) || stems(text).next().is_none()) {
        return PASS;
    }
    const DISJOINT: Text = text(
        "The title “{title}” and the h1 “{heading}” have no word in common.",
        "O título “{title}” e o h1 “{heading}” não têm palavra em comum.",
    );
    const DECIDE: Text = text(
        "Decide which of the two describes the page, and adapt the other.",
        "Decida qual dos dois descreve a página e ajuste o outro.",
    );
    let values = [("title", title.text().into()), ("heading", heading.as_str().into())];
    let fix = FixDraft::instruction(FixTarget::Head, DECIDE, &[]);
    problem(DISJOINT, &values, fix).at([title.place(), first.place()]).fail()
}

fn script_mismatch(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let Some(title) = first_filled(html) else { return Err(NotMeasured::Absent) };
    let of_title = scripts(&title, title.len());
    if of_title.is_empty() || words(&title).take(LEAST_TITLE_WORDS).count() < LEAST_TITLE_WORDS {
        return PASS;
    }
    // Bytes of another encoding look like letters of another script.
    if html.unlabelled_utf8 {
        return Err(NotMeasured::Language);
    }
    let of_text = html.text.scripts();
    let letters: usize = of_text.values().sum();
    let Some((script, count)) = of_text.iter().max_by_key(|(_, count)| **count) else { return PASS };
    if letters < LEAST_TEXT_LETTERS {
        return Err(NotMeasured::Language);
    }
    if count * 100 < letters * SCRIPT_PERCENT || of_title.contains_key(script) {
        return PASS;
    }
    let is_like_title = |text: &str| scripts(text, text.len()).keys().any(|one| of_title.contains_key(one));
    if html.h1_texts().iter().any(|h1| is_like_title(h1)) || html.social("og:title").is_some_and(is_like_title) {
        return PASS;
    }
    const OTHER: Text = text(
        "The title “{title}” has no letter of the script that the page's text uses.",
        "O título “{title}” não tem nenhuma letra do alfabeto que o texto da página usa.",
    );
    let fix = FixDraft::instruction(FixTarget::Head, SCRIPT_MISMATCH.how, &[]);
    problem(OTHER, &[("title", title.into())], fix).on(title_element(html)).fail()
}
