//! The length of a title: cut in results, or too short to say anything.

use super::title::{GOOGLE_TITLE, first_filled};
use crate::check::prelude::*;
use crate::facts::document::collapse;
use crate::facts::fitting;
use crate::facts::font_metrics::{columns, title_px};
use crate::facts::page::Html;
use crate::facts::placeholders::is_placeholder;
use crate::facts::words::Script;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "title-length", category: Category::Head, landing: LANDING, checks: &[TOO_LONG, TOO_SHORT] };

const LANDING: Landing = Landing {
    title: text("Title length checker in pixels", "Verificador do tamanho do título em pixels"),
    h1: text("Will your title fit in the search result?", "Seu título cabe no resultado de busca?"),
    description: text(
        "Measure a page title in pixels, as a search result shows it, and see where Google may cut it or why it says too little.",
        "Meça o título de uma página em pixels, como aparece no resultado de busca, e veja onde o Google pode cortá-lo ou por que ele diz pouco.",
    ),
    lead: text(
        "Results cut titles by width, not by number of letters: a W takes as much room as three i. This tool measures the title with the widths of the font in which results are set and shows what is left of it.",
        "Os resultados cortam títulos pela largura, não pelo número de letras: um W ocupa o espaço de três i. Esta ferramenta mede o título com as larguras da fonte usada nos resultados e mostra o que sobra dele.",
    ),
    example: include_str!("title_length/bad_long.html"),
};

const TOO_LONG: Check = Check {
    code: "title_too_long",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Title may be cut in results", "O título pode ser cortado nos resultados"),
    why: text(
        "There is no limit on a title's length, but results show about 600 pixels of it; what stands behind is not seen.",
        "Não há limite para o tamanho do título, mas os resultados mostram cerca de 600 pixels; o que vem depois não aparece.",
    ),
    how: text("Put what matters first and shorten the rest.", "Coloque o que importa no começo e encurte o resto."),
    reference: GOOGLE_TITLE,
    rule: text(
        "Fails when the first title with text is wider than 600 pixels, the sum of its letters' widths in Arial at 20 pixels, without kerning. Search engines state no limit, so this is advice. Not measured on a page that asks not to be indexed.",
        "Falha quando o primeiro título com texto passa de 600 pixels de largura, somando as larguras das letras em Arial de 20 pixels, sem kerning. Os buscadores não declaram um limite, então é um conselho. Não é medido em página que pede para não ser indexada.",
    ),
    thresholds: &[threshold("title_width", fitting::WIDEST_TITLE_PX as u64, "pixels")],
    remedy: remedy(FixClass::Template, FixTarget::Head),
    since: FIRST,
    run: too_long,
};

const TOO_SHORT: Check = Check {
    code: "title_too_short",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Title says very little", "O título diz muito pouco"),
    why: text(
        "A title of one word or a few letters is vague: searchers can't tell what the page offers, and search engines may show other text in its place.",
        "Um título de uma palavra ou poucas letras é vago: quem busca não sabe o que a página oferece, e os buscadores podem mostrar outro texto no lugar.",
    ),
    how: text(
        "Add what sets this page apart: the subject in full, the place, the maker or the site's name.",
        "Acrescente o que distingue esta página: o assunto por inteiro, o lugar, o autor ou o nome do site.",
    ),
    reference: GOOGLE_TITLE,
    rule: text(
        "Fails when the first title with text takes fewer than 10 columns (a full-width character takes two, so 5 of these suffice) or is a single word of a script that parts words. A title that is also the page's h1 or `og:title` passes: its author names the subject so. Generators' defaults are `title_placeholder`. Not measured on a page that asks not to be indexed.",
        "Falha quando o primeiro título com texto ocupa menos de 10 colunas (um caractere de largura dupla ocupa duas, então 5 bastam) ou é uma só palavra de uma escrita que separa palavras. Um título igual ao h1 ou ao `og:title` passa: o autor chama o assunto assim. Padrões de geradores são `title_placeholder`. Não é medido em página que pede para não ser indexada.",
    ),
    thresholds: &[threshold("title_columns", LEAST_COLUMNS as u64, "columns"), threshold("title_words", 2, "words")],
    remedy: remedy(FixClass::Template, FixTarget::Head),
    since: WHOLE,
    run: too_short,
};

/// Columns that a title has at least; a full-width character takes two.
const LEAST_COLUMNS: usize = 10;

fn too_long(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let Some(written) = first_filled(html) else { return Err(NotMeasured::Absent) };
    let title = html.as_meant(&written);
    let width = title_px(&title);
    if width <= fitting::WIDEST_TITLE_PX {
        return PASS;
    }
    const WIDE: Text = text(
        "The title is {px} pixels wide ({characters} characters); results may cut it at about {limit}.",
        "O título tem {px} pixels de largura ({characters} caracteres); os resultados podem cortá-lo em cerca de {limit}.",
    );
    const SHORTEN: Text = text(
        "Results show “{shown}” and may leave out “{rest}”.",
        "Os resultados mostram “{shown}” e podem omitir “{rest}”.",
    );
    let shown = fitting::title(&title);
    let rest = title.strip_prefix(shown.as_str()).unwrap_or_default().trim_start();
    let fix = FixDraft::template(FixTarget::Head, "<title>{{SHORTER_TITLE}}</title>")
        .from(SHORTEN, &[("shown", shown.as_str().into()), ("rest", rest.into())]);
    let values = [
        ("px", width.into()),
        ("characters", title.chars().count().into()),
        ("limit", fitting::WIDEST_TITLE_PX.into()),
    ];
    problem(WIDE, &values, fix).at(place_of(html, &written)).fail()
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
    if !is_short(&title) || is_repeated_elsewhere(html, &title) || is_placeholder(&title) {
        return PASS;
    }
    const SHORT: Text = text(
        "The title is only “{title}”, {characters} {characters|character|characters}.",
        "O título é só “{title}”, {characters} {characters|caractere|caracteres}.",
    );
    let fix = FixDraft::template(FixTarget::Head, format!("<title>{} - {{{{DETAIL}}}}</title>", html_text(&title)));
    let values = [("title", title.as_str().into()), ("characters", title.chars().count().into())];
    problem(SHORT, &values, fix).at(place_of(html, &title)).fail()
}
