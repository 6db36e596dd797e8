//! The title: missing, several, or left over from a generator.

use crate::check::prelude::*;
use crate::facts::garbled::is_garbled;
use crate::facts::page::Html;
use crate::facts::placeholders::{is_placeholder, is_title, without_visible_markup};
use crate::facts::resolved::{Resolved, title as resolved_title};
use crate::facts::words::without_dangling_separators;
use crate::fix::HeadKey;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "title", category: Category::Head, landing: LANDING, checks: &[MISSING, MULTIPLE, PLACEHOLDER] };

const LANDING: Landing = Landing {
    title: text("Title tag checker", "Verificador da tag title"),
    h1: text("Does your page have one good title?", "Sua página tem um único e bom título?"),
    description: text(
        "Check the title tag of a page: missing, duplicated, left over from a template, or hidden from search engines by broken HTML.",
        "Verifique a tag title da página: ausente, duplicada, herdada de um template ou escondida dos buscadores por um HTML quebrado.",
    ),
    lead: text(
        "The title is the headline of your page in search results, browser tabs and bookmarks. This tool reads it as a browser does, shows what is wrong, and writes a better one from the words of the page.",
        "O title é o título da sua página nos resultados de busca, nas abas do navegador e nos favoritos. Esta ferramenta o lê como um navegador, mostra o que há de errado e escreve um melhor com as palavras da própria página.",
    ),
    example: include_str!("title/bad_placeholder.html"),
};

/// What Google takes for the headline of a result.
pub(crate) const GOOGLE_TITLE: &str = "https://developers.google.com/search/docs/appearance/title-link";

const MISSING: Check = Check {
    code: "title_missing",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("Page without a title", "Página sem título"),
    why: text(
        "The title is the headline of the page in search results, browser tabs and bookmarks. Without one, search engines make up their own from the page's content.",
        "O title é o título da página nos resultados de busca, nas abas do navegador e nos favoritos. Sem ele, os buscadores criam um a partir do conteúdo da página.",
    ),
    how: text(
        "Add one `<title>` to `<head>` that says what this page is about, followed by the site's name.",
        "Adicione um `<title>` ao `<head>` que diga do que esta página trata, seguido do nome do site.",
    ),
    reference: GOOGLE_TITLE,
    rule: text(
        "Fails when no `title` element in the head has text. Titles inside `svg` are not counted. A title that a stray element pushed out of the head counts as present, since `head_broken_by_element` reports it. Not measured when the page was cut off or is an empty app shell.",
        "Falha quando nenhum elemento `title` no head tem texto. Títulos dentro de `svg` não contam. Um título que um elemento fora de lugar empurrou para fora do head conta como presente, pois `head_broken_by_element` o relata. Não é medido quando a página foi cortada ou é a casca vazia de um aplicativo.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: missing,
};

const MULTIPLE: Check = Check {
    code: "title_multiple",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Several titles", "Vários títulos"),
    why: text(
        "A page has one title. Browsers use the first, but search engines may choose another.",
        "Uma página tem um só título. Os navegadores usam o primeiro, mas os buscadores podem escolher outro.",
    ),
    how: text(
        "Keep one `<title>` in `<head>` and remove the others.",
        "Mantenha um só `<title>` no `<head>` e remova os outros.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/semantics.html#the-title-element",
    rule: text(
        "Fails on two or more `title` elements in the head, including empty ones and those that a stray element pushed out of it. Titles inside `svg` are not counted. When fewer than two are found, a page that was cut off is not measured.",
        "Falha com dois ou mais elementos `title` no head, inclusive os vazios e os que um elemento fora de lugar empurrou para fora dele. Títulos dentro de `svg` não contam. Quando há menos de dois, uma página cortada não é medida.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: multiple,
};

const PLACEHOLDER: Check = Check {
    code: "title_placeholder",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Placeholder title", "Título de exemplo"),
    why: text(
        "A default such as “Untitled” or an unfilled template tells searchers nothing, so search engines replace it with other text.",
        "Um título padrão como “Untitled” ou um template não preenchido não diz nada a quem busca; os buscadores o trocam por outro texto.",
    ),
    how: text(
        "Write a title that says what this page offers.",
        "Escreva um título que diga o que esta página oferece.",
    ),
    reference: GOOGLE_TITLE,
    rule: text(
        "Fails when the first title with text is a default from the list `placeholder_titles.txt` (such as “Untitled”, “Home” or “React App”), contains an unfilled `{{…}}` or “lorem ipsum”, is `%s`, `undefined`, `null`, `NaN` or `[object Object]`, or shows markup: an entity escaped twice, or a `<br>`.",
        "Falha quando o primeiro título com texto é um padrão da lista `placeholder_titles.txt` (como “Untitled”, “Home” ou “React App”), contém um `{{…}}` não preenchido ou “lorem ipsum”, é `%s`, `undefined`, `null`, `NaN` ou `[object Object]`, ou mostra marcação: uma entidade escapada duas vezes ou um `<br>`.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: placeholder,
};

/// HTML titles of the head, and those that a stray element pushed out of it.
pub(crate) fn head_titles(html: &Html) -> Vec<Element<'_>> {
    html.elements(&html.titles)
        .filter(|title| {
            title.is_in_head() || html.lost_head.as_ref().is_some_and(|broken| broken.lost.contains(&title.id()))
        })
        .collect()
}

/// Text of the first title that has one.
pub(crate) fn first_filled(html: &Html) -> Option<String> {
    head_titles(html).into_iter().map(Element::text).find(|text| !text.is_empty())
}

/// Fails when no title in the head has text; one that the parser pushed out of the head is `head_broken_by_element`.
fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    if first_filled(html).is_some() {
        return PASS;
    }
    if facts.shell().is_some() {
        return Err(NotMeasured::Shell);
    }
    const NONE: Text = text("The head has no title with text.", "O head não tem um title com texto.");
    problem(NONE, &[], replacement(html)).fail()
}

/// A title from elsewhere on the page: not a garbled one, which readers would see now.
fn elsewhere(html: &Html) -> Option<Resolved> {
    resolved_title::made(html).filter(|title| !is_garbled(&title.value))
}

/// The derived title where it belongs: into the first empty title that is there, else as a new tag.
fn replacement(html: &Html) -> FixDraft {
    let Some(resolved) = elsewhere(html) else {
        return FixDraft::template(FixTarget::Head, "<title>{{TITLE}}</title>");
    };
    let tag = format!("<title>{}</title>", html_text(&resolved.value));
    let titles = head_titles(html);
    let (fix, others) = match titles.split_first().filter(|(first, _)| first.end_tag().is_some()) {
        Some((first, others)) => {
            (FixDraft::edit(FixTarget::Head, tag).content(*first, html_text(&resolved.value)), others)
        }
        None => (FixDraft::head(HeadKey::Title, tag), titles.as_slice()),
    };
    others.iter().fold(fix, |fix, empty| fix.remove(*empty)).of(&resolved)
}

/// Fails on a second HTML title in the head; titles inside `svg` never count.
fn multiple(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let titles = head_titles(html);
    if titles.len() < 2 {
        facts.whole_page()?;
        return PASS;
    }
    let keep = titles.iter().position(|title| !title.text().is_empty()).unwrap_or(0);
    let kept_text = titles.get(keep).map(|title| title.text()).unwrap_or_default();
    let mut fix = FixDraft::edit(FixTarget::Head, format!("<title>{}</title>", html_text(&kept_text)));
    for (at, title) in titles.iter().enumerate() {
        if at != keep {
            fix = fix.remove(*title);
        }
    }
    const SEVERAL: Text = text("The head has {count} title elements.", "O head tem {count} elementos title.");
    const KEEP: Text = text(
        "Keeps the first title with text and removes the others.",
        "Mantém o primeiro title com texto e remove os outros.",
    );
    problem(SEVERAL, &[("count", titles.len().into())], fix.note(KEEP, &[])).on(&titles).fail()
}

/// Fails on a generator's default, an unfilled template, or visible markup in the title.
fn placeholder(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let Some(title) = head_titles(html).into_iter().find(|title| !title.text().is_empty()) else {
        return Err(NotMeasured::Absent);
    };
    let shown = title.text();
    let unmarked = without_visible_markup(&shown);
    let decoded = if unmarked == shown { unmarked } else { without_dangling_separators(&unmarked).to_owned() };
    let message = if is_placeholder(&shown) {
        text(
            "The title “{title}” is a default text or an unfilled template.",
            "O título “{title}” é um texto padrão ou um template não preenchido.",
        )
    } else if decoded != shown {
        text(
            "The title shows HTML code to visitors: “{title}”.",
            "O título mostra código HTML aos visitantes: “{title}”.",
        )
    } else {
        return PASS;
    };
    let fix = if decoded != shown && is_title(&decoded) && title.end_tag().is_some() {
        const DECODED: Text = text("the same title without the HTML code", "o mesmo título sem o código HTML");
        FixDraft::edit(FixTarget::Head, format!("<title>{}</title>", html_text(&decoded)))
            .content(title, html_text(&decoded))
            .from(DECODED, &[])
    } else {
        match elsewhere(html).filter(|_| title.end_tag().is_some()) {
            Some(resolved) => FixDraft::edit(FixTarget::Head, format!("<title>{}</title>", html_text(&resolved.value)))
                .content(title, html_text(&resolved.value))
                .of(&resolved),
            None => FixDraft::template(FixTarget::Head, "<title>{{TITLE}}</title>"),
        }
    };
    problem(message, &[("title", shown.into())], fix).on([title]).fail()
}
