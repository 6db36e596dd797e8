//! The length of a title: cut in results, or too short to say anything.

use super::title::{GOOGLE_TITLE, first_filled};
use crate::check::prelude::*;
use crate::facts::document::collapse;
use crate::facts::fitting;
use crate::facts::font_metrics::{columns, title_px};
use crate::facts::garbled::is_garbled;
use crate::facts::page::Html;
use crate::facts::placeholders::is_placeholder;
use crate::facts::resolved::bare;
use crate::facts::words::Script;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "title-length", category: Category::Head, landing: LANDING, checks: &[TOO_LONG, TOO_SHORT] };

const LANDING: Landing = Landing {
    title: text("Title length checker (pixels)", "Verificador do tamanho do título em pixels"),
    h1: text("Will your title fit in the search result?", "Seu título cabe no resultado de busca?"),
    description: text(
        "Measure a page title in pixels, as search results show it, and see where it may be cut off or why it is too short.",
        "Meça o título da página em pixels, como aparece nos resultados de busca, e veja onde pode ser cortado ou por que é curto.",
    ),
    lead: text(
        "Search results cut off titles by width, not by number of letters: a W is as wide as three i. This tool measures the title in the font that results use and shows what remains of it.",
        "Os resultados de busca cortam títulos pela largura, não pelo número de letras: um W tem a largura de três i. Esta ferramenta mede o título na fonte usada nos resultados e mostra o que sobra dele.",
    ),
    example: include_str!("title_length/bad_long.html"),
};

const TOO_LONG: Check = Check {
    code: "title_too_long",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Title may be cut off in results", "Título pode ser cortado nos resultados"),
    why: text(
        "Titles have no length limit, but search results show only about 600 pixels. The rest is not visible.",
        "Títulos não têm limite de tamanho, mas os resultados de busca só mostram cerca de 600 pixels. O resto não aparece.",
    ),
    how: text(
        "Put the most important words first and shorten the rest.",
        "Coloque as palavras mais importantes no começo e encurte o resto.",
    ),
    reference: GOOGLE_TITLE,
    rule: text(
        "Fails when the first title with text is wider than 612 pixels, the sum of its letters' widths in Arial at 20 pixels without kerning: results show about 600, and 2% are allowed for kerning. Search engines state no limit, so this is advice. Not measured on a page that may not be indexed.",
        "Falha quando o primeiro título com texto passa de 612 pixels de largura, a soma das larguras das letras em Arial de 20 pixels sem kerning: os resultados mostram cerca de 600, e 2% ficam para o kerning. Os buscadores não declaram um limite; isto é um conselho. Não é medido em uma página que não deve ser indexada.",
    ),
    thresholds: &[threshold("title_width", MOST_PX as u64, "pixels")],
    remedy: remedy(FixClass::Template, FixTarget::Head),
    since: FIRST,
    run: too_long,
};

const TOO_SHORT: Check = Check {
    code: "title_too_short",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Very short title", "Título muito curto"),
    why: text(
        "A title of one word or a few letters is vague. Searchers can't tell what the page offers, and search engines may show other text instead.",
        "Um título de uma palavra ou poucas letras é vago. Quem busca não sabe o que a página oferece, e os buscadores podem mostrar outro texto no lugar.",
    ),
    how: text(
        "Add what makes this page different: the full subject, the place, the brand or the site's name.",
        "Acrescente o que diferencia esta página: o assunto completo, o lugar, a marca ou o nome do site.",
    ),
    reference: GOOGLE_TITLE,
    rule: text(
        "Fails when the first title with text is shorter than 10 columns, or is a single word in a script that separates words. A full-width character takes two columns, so 5 of these suffice. A title that equals the page's h1 or `og:title` passes, and so does a word that is too wide for results (`title_too_long`). Generators' defaults are reported by `title_placeholder`. Not measured on a page that may not be indexed.",
        "Falha quando o primeiro título com texto tem menos de 10 colunas, ou é uma só palavra em uma escrita que separa palavras. Um caractere de largura dupla ocupa duas colunas; portanto, 5 deles bastam. Um título igual ao h1 ou ao `og:title` da página passa, e também uma palavra larga demais para os resultados (`title_too_long`). Padrões de geradores são relatados por `title_placeholder`. Não é medido em uma página que não deve ser indexada.",
    ),
    thresholds: &[threshold("title_columns", LEAST_COLUMNS as u64, "columns"), threshold("title_words", 2, "words")],
    remedy: remedy(FixClass::Template, FixTarget::Head),
    since: WHOLE,
    run: too_short,
};

/// Columns that a title has at least; a full-width character takes two.
const LEAST_COLUMNS: usize = 10;
/// Pixels from which on a title is too wide: what results show, and 2 percent for the kerning that is not measured.
const MOST_PX: u32 = fitting::WIDEST_TITLE_PX + fitting::WIDEST_TITLE_PX / 50;

fn too_long(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let Some(written) = first_filled(html) else { return Err(NotMeasured::Absent) };
    let title = html.as_meant(&written);
    let width = title_px(&title);
    if width <= MOST_PX {
        return PASS;
    }
    const WIDE: Text = text(
        "The title is {px} pixels wide ({characters} characters); search results may cut it off after about {limit} pixels.",
        "O título tem {px} pixels de largura ({characters} caracteres); os resultados de busca podem cortá-lo depois de cerca de {limit} pixels.",
    );
    const SHORTEN: Text = text(
        "Search results show “{shown}” and may cut off “{rest}”.",
        "Os resultados de busca mostram “{shown}” e podem cortar “{rest}”.",
    );
    let shown = fitting::title(&title);
    let rest = title.strip_prefix(shown.as_str()).unwrap_or_default().trim_start();
    let shorter =
        html.headline().map(|headline| headline.value.as_str()).filter(|headline| is_fitting(headline, &title));
    let template = format!("<title>{}</title>", shorter.map_or_else(|| "{{SHORTER_TITLE}}".to_owned(), html_text));
    let fix = FixDraft::template(FixTarget::Head, template)
        .from(SHORTEN, &[("shown", shown.as_str().into()), ("rest", rest.into())]);
    let values = [
        ("px", width.into()),
        ("characters", title.chars().count().into()),
        ("limit", fitting::WIDEST_TITLE_PX.into()),
    ];
    problem(WIDE, &values, fix).at(place_of(html, &written)).fail()
}

/// Whether the headline can stand for a title that is too long: it fits, and says what the title begins with.
fn is_fitting(headline: &str, title: &str) -> bool {
    let is_part = bare(title).starts_with(&bare(headline)) && bare(headline) != bare(title);
    is_part && title_px(headline) <= fitting::WIDEST_TITLE_PX && !is_short(headline) && !is_garbled(headline)
}

/// Where the title stands.
fn place_of(html: &Html, title: &str) -> Option<Place> {
    html.elements(&html.titles).find(|element| element.text() == title).map(Element::place)
}

/// Whether a title says very little: a single word, or a few letters.
pub(crate) fn is_short(title: &str) -> bool {
    let is_unparted = |letter| matches!(Script::of(letter), Some(Script::HanOrKana | Script::Thai));
    let is_one_word = !title.contains(char::is_whitespace) && !title.contains(is_unparted);
    columns(title) < LEAST_COLUMNS || is_one_word
}

/// Whether the page calls itself so in another place too.
fn is_repeated_elsewhere(html: &Html, title: &str) -> bool {
    html.h1_texts().iter().any(|heading| heading == title)
        || html.social("og:title").is_some_and(|social| collapse(social) == title)
}

fn too_short(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let Some(title) = first_filled(html) else { return Err(NotMeasured::Absent) };
    let is_wide = || title_px(&html.as_meant(&title)) > MOST_PX;
    if !is_short(&title) || is_repeated_elsewhere(html, &title) || is_placeholder(&title) || is_wide() {
        return PASS;
    }
    const SHORT: Text = text(
        "The title has only {characters} {characters|character|characters}: “{title}”.",
        "O título tem só {characters} {characters|caractere|caracteres}: “{title}”.",
    );
    const WORD: Text = text("The title is a single word: “{title}”.", "O título é uma só palavra: “{title}”.");
    let fix = FixDraft::template(FixTarget::Head, format!("<title>{} - {{{{DETAIL}}}}</title>", html_text(&title)));
    let values = [("title", title.as_str().into()), ("characters", title.chars().count().into())];
    let message = if columns(&title) < LEAST_COLUMNS { SHORT } else { WORD };
    problem(message, &values, fix).at(place_of(html, &title)).fail()
}
