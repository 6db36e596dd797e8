//! What a title says: the same thing again, something else than the page, or in another writing system.

use super::title::{first_filled, head_titles};
use super::title_length::is_short;
use crate::check::prelude::*;
use crate::facts::fitting::WIDEST_TITLE_PX;
use crate::facts::font_metrics::title_px;
use crate::facts::page::Html;
use crate::facts::placeholders::is_placeholder;
use crate::facts::words::{
    MOST_TIMES, Repetition, Script, parts, repetition, scripts, without_dangling_separators, words,
};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "title-wording",
    category: Category::Head,
    landing: LANDING,
    checks: &[REPETITIVE, SEPARATOR, H1_DISJOINT, SCRIPT_MISMATCH],
};

const LANDING: Landing = Landing {
    title: text("Title rewrite risk checker", "Verificador de risco de troca do título"),
    h1: text("Why does Google show another title for my page?", "Por que o Google mostra outro título para a página?"),
    description: text(
        "Find out why a search engine may replace your title: repeated words, no relation to the main heading, or another writing system.",
        "Descubra por que um buscador pode trocar seu título: palavras repetidas, nenhuma relação com o título principal ou outro alfabeto.",
    ),
    lead: text(
        "Search engines write their own headline when a title repeats itself, does not match the page, or is in another script than its text. This tool compares the title with the heading and the text of the page and says which of these applies.",
        "Os buscadores escrevem a própria manchete quando um título se repete, não combina com a página ou usa outro alfabeto que o texto. Esta ferramenta compara o título com o h1 e o texto da página e diz qual desses casos se aplica.",
    ),
    example: include_str!("title_wording/bad_part.html"),
};

const REPETITIVE: Check = Check {
    code: "title_repetitive",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Title repeats itself", "O título se repete"),
    why: text(
        "Saying a name or word again takes the room of words that would tell the page apart, and search engines take such titles for boilerplate or keyword stuffing and write their own.",
        "Repetir um nome ou uma palavra ocupa o lugar do que distinguiria a página, e os buscadores tomam esses títulos por texto padrão ou excesso de palavras-chave e escrevem o próprio.",
    ),
    how: text("Say each thing once.", "Diga cada coisa uma vez só."),
    reference: "https://developers.google.com/search/docs/appearance/title-link#page-titles",
    rule: text(
        "Fails when two parts of the first title with text are the same (parts stand between ` - `, ` | `, ` · ` and the like, letter case ignored), or one word of 4 letters or more stands in it more than twice. Words are compared whole and by letter case folded. Not measured on a page that asks not to be indexed.",
        "Falha quando duas partes do primeiro título com texto são iguais (as partes ficam entre ` - `, ` | `, ` · ` e semelhantes, sem distinguir maiúsculas), ou quando uma palavra de 4 letras ou mais aparece nele mais de duas vezes. As palavras são comparadas inteiras, sem distinguir maiúsculas. Não é medido em página que pede para não ser indexada.",
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
    title: text("Title ends in a separator", "O título termina em um separador"),
    why: text(
        "A separator with nothing behind it shows that a template had no value to put there, mostly the name of the site.",
        "Um separador sem nada depois mostra que faltou um valor no modelo, em geral o nome do site.",
    ),
    how: text(
        "Fill in what is missing, or leave the separator out where there is nothing to part.",
        "Preencha o que falta, ou tire o separador quando não há nada a separar.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/title-link#page-titles",
    rule: text(
        "Fails when the first title with text begins or ends with a separator (`-`, `–`, `—`, `|`, `·`, `•`, `»`, `›`, `:`) that stands by itself, or ends with `|`, a dash other than a hyphen, `·`, `•` or `:` right behind a word. Titles of separators alone are left to `title_placeholder`. Not measured on a page that asks not to be indexed.",
        "Falha quando o primeiro título com texto começa ou termina com um separador (`-`, `–`, `—`, `|`, `·`, `•`, `»`, `›`, `:`) isolado, ou termina com `|`, um travessão, `·`, `•` ou `:` logo depois de uma palavra. Títulos só de separadores ficam com `title_placeholder`. Não é medido em página que pede para não ser indexada.",
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
    title: text("Title and heading have no word in common", "Título e h1 não têm nenhuma palavra em comum"),
    why: text(
        "Search engines compare the title with the main heading to see what the page is about. When the two name different things, either may be shown, and visitors wonder whether they came to the right page.",
        "Os buscadores comparam o título com o h1 para saber do que a página trata. Quando os dois falam de coisas diferentes, qualquer um pode ser mostrado, e o visitante se pergunta se chegou à página certa.",
    ),
    how: text(
        "Let title and main heading name the same subject; they need not be the same text.",
        "Faça título e h1 falarem do mesmo assunto; não precisam ser o mesmo texto.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/title-link#page-titles",
    rule: text(
        "Fails when the first title with text and every visible h1 of two words or more share no word. Words count from 3 letters on, and as shared when their first 4 letters agree, so that inflected forms match; words in Han or Kana are compared character by character. Home pages are left alone, where the h1 is often a slogan. Not measured without such an h1, and on a page that asks not to be indexed.",
        "Falha quando o primeiro título com texto e todos os h1 visíveis de duas palavras ou mais não têm palavra em comum. As palavras contam a partir de 3 letras, e como iguais quando as 4 primeiras letras coincidem, para que formas flexionadas combinem; em Han ou Kana compara-se caractere a caractere. Páginas iniciais ficam de fora, pois ali o h1 costuma ser um slogan. Não é medido sem um h1 assim, nem em página que pede para não ser indexada.",
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
    title: text("Title in another script than the page", "Título em outro alfabeto que a página"),
    why: text(
        "Search engines show a title in the writing system of the page's text and replace one that is in another: those who read the page may not be able to read its title.",
        "Os buscadores mostram o título no sistema de escrita do texto da página e trocam o que está em outro: quem lê a página pode não conseguir ler o título.",
    ),
    how: text(
        "Write the title in the language and script of the page's text.",
        "Escreva o título no idioma e no alfabeto do texto da página.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/title-link#page-titles",
    rule: text(
        "Fails when at least 80 percent of 500 or more letters of the visible text are of one script, and the first title with text holds four words or more without a letter of it. A title whose script an h1 or `og:title` uses too passes. Scripts told apart: Latin, Greek, Cyrillic, Hebrew, Arabic, Devanagari, Thai, Hangul, and Han with Kana. The first 20,000 characters of the text are read.",
        "Falha quando ao menos 80 por cento de 500 ou mais letras do texto visível são de um só alfabeto e o primeiro título com texto tem quatro palavras ou mais sem nenhuma letra dele. Um título cujo alfabeto também aparece em um h1 ou no `og:title` passa. Alfabetos distinguidos: latino, grego, cirílico, hebraico, árabe, devanágari, tailandês, hangul, e Han com Kana. São lidos os primeiros 20.000 caracteres do texto.",
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
/// Characters of the text that are read for its script.
const MOST_TEXT: usize = 20_000;

fn title_element(html: &Html) -> Option<Element<'_>> {
    head_titles(html).into_iter().find(|title| !title.text().is_empty())
}

fn repetitive(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let Some(element) = title_element(html) else { return Err(NotMeasured::Absent) };
    let title = element.text();
    let Some(repeated) = repetition(&title) else { return PASS };
    const PART: Text =
        text("The title says “{text}” twice: “{title}”.", "O título diz “{text}” duas vezes: “{title}”.");
    const WORD: Text =
        text("The title says “{text}” {count} times: “{title}”.", "O título diz “{text}” {count} vezes: “{title}”.");
    const ONCE: Text = text("Say “{text}” once.", "Diga “{text}” uma vez só.");
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
        "The title is “{title}”: a separator parts nothing.",
        "O título é “{title}”: um separador não separa nada.",
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

/// What of a text is compared: the starts of its words, and each character of scripts that part no words.
fn stems(text: &str) -> impl Iterator<Item = String> {
    words(text).flat_map(|word| {
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
        "The title is “{title}”, the heading “{heading}”: they share no word.",
        "O título é “{title}” e o h1, “{heading}”: não têm palavra em comum.",
    );
    const DECIDE: Text = text(
        "Decide which of the two names the page, and bring the other in line with it.",
        "Decida qual dos dois diz o que a página é e ajuste o outro a ele.",
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
    let of_text = scripts(&html.text.text, MOST_TEXT);
    let letters: usize = of_text.values().sum();
    let Some((script, count)) = of_text.into_iter().max_by_key(|(_, count)| *count) else { return PASS };
    if letters < LEAST_TEXT_LETTERS {
        return Err(NotMeasured::Language);
    }
    if count * 100 < letters * SCRIPT_PERCENT || of_title.contains_key(&script) {
        return PASS;
    }
    let is_like_title = |text: &str| scripts(text, text.len()).keys().any(|one| of_title.contains_key(one));
    if html.h1_texts().iter().any(|h1| is_like_title(h1)) || html.social("og:title").is_some_and(is_like_title) {
        return PASS;
    }
    const OTHER: Text = text(
        "The title, “{title}”, holds no letter of the script in which the text is written.",
        "O título, “{title}”, não tem nenhuma letra do alfabeto em que o texto está escrito.",
    );
    let fix = FixDraft::instruction(FixTarget::Head, SCRIPT_MISMATCH.how, &[]);
    problem(OTHER, &[("title", title.into())], fix).on(title_element(html)).fail()
}
