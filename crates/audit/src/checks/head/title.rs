//! The title: missing, several, cut in results, or left over from a generator.

use crate::check::MAX_PLACES;
use crate::check::prelude::*;
use crate::checks::content::garbled_text::is_garbled;
use crate::facts::derive::{self, Derived};
use crate::facts::font_metrics::title_px;
use crate::facts::page::Html;
use crate::fix::HeadKey;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "title",
    category: Category::Head,
    landing: Landing::TO_WRITE,
    checks: &[MISSING, MULTIPLE, PLACEHOLDER, TOO_LONG],
};

const GOOGLE_TITLE: &str = "https://developers.google.com/search/docs/appearance/title-link";

const MISSING: Check = Check {
    code: "title_missing",
    severity: Severity::Error,
    title: text("Page without a title", "Página sem título"),
    why: text(
        "The title is the headline of the page in search results, browser tabs and bookmarks. Without one, search engines make up their own from whatever the page holds.",
        "O título é a manchete da página nos resultados de busca, nas abas do navegador e nos favoritos. Sem ele, os buscadores inventam um a partir do que a página tiver.",
    ),
    how: text(
        "Put one `<title>` into `<head>` that says what this page is about, followed by the site's name.",
        "Coloque um `<title>` dentro de `<head>` que diga do que trata esta página, seguido do nome do site.",
    ),
    reference: GOOGLE_TITLE,
    rule: text(
        "Fails when no title in the head has text; one that the parser pushed out of the head is `head_broken_by_element`.",
        "",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: missing,
};

const MULTIPLE: Check = Check {
    code: "title_multiple",
    severity: Severity::Warn,
    title: text("More than one title", "Mais de um título"),
    why: text(
        "A document has one title. Browsers show the first; search engines may choose another.",
        "Um documento tem um só título. Os navegadores mostram o primeiro; os buscadores podem escolher outro.",
    ),
    how: text(
        "Keep one `<title>` in `<head>` and remove the others.",
        "Mantenha um só `<title>` em `<head>` e remova os outros.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/semantics.html#the-title-element",
    rule: text("Fails on a second HTML title in the head; titles inside `svg` never count.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: multiple,
};

const PLACEHOLDER: Check = Check {
    code: "title_placeholder",
    severity: Severity::Warn,
    title: text("Title left over from a template", "Título que sobrou de um modelo"),
    why: text(
        "A default such as “Untitled” or a template mark tells a searcher nothing, and search engines replace it by text of their own choice.",
        "Um título padrão como “Untitled” ou uma marca de modelo não diz nada a quem busca, e os buscadores o trocam por um texto qualquer.",
    ),
    how: text(
        "Write a title that names what this page offers.",
        "Escreva um título que diga o que esta página oferece.",
    ),
    reference: GOOGLE_TITLE,
    rule: text("Fails on a generator's default, an unfilled template, or visible markup in the title.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: placeholder,
};

const TOO_LONG: Check = Check {
    code: "title_too_long",
    severity: Severity::Info,
    title: text("Title may be cut in results", "O título pode ser cortado nos resultados"),
    why: text(
        "There is no limit on a title's length, but results show about 600 pixels of it; what stands behind is not seen.",
        "Não há limite para o tamanho do título, mas os resultados mostram cerca de 600 pixels; o que vem depois não aparece.",
    ),
    how: text("Put what matters first and shorten the rest.", "Coloque o que importa no começo e encurte o resto."),
    reference: GOOGLE_TITLE,
    rule: text("Fails when the title is wider than a desktop result shows.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Head),
    since: FIRST,
    run: too_long,
};

/// HTML titles of the head, and those that a stray element pushed out of it.
fn head_titles(html: &Html) -> Vec<Element<'_>> {
    html.elements(&html.titles)
        .filter(|title| {
            title.ancestors().any(|ancestor| ancestor.is("head"))
                || html.lost_head.as_ref().is_some_and(|broken| broken.lost.contains(&title.id()))
        })
        .collect()
}

fn first_filled(html: &Html) -> Option<String> {
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
    const NONE: Text = text("The head has no title with text.", "O cabeçalho não tem título com texto.");
    fail(NONE, &[], replacement(html))
}

/// A title from elsewhere on the page: not a garbled one, which readers would see now.
fn derived(html: &Html) -> Option<Derived> {
    derive::title(html).filter(|derived| !is_garbled(&derived.value))
}

/// The derived title where it belongs: into the first empty title that is there, else as a new tag.
fn replacement(html: &Html) -> FixDraft {
    let Some(derived) = derived(html) else {
        return FixDraft::template(FixTarget::Head, "<title>{{TITLE}}</title>");
    };
    let tag = format!("<title>{}</title>", html_text(&derived.value));
    let titles = head_titles(html);
    let (fix, others) = match titles.split_first().filter(|(first, _)| first.end_tag().is_some()) {
        Some((first, others)) => {
            (FixDraft::edit(FixTarget::Head, tag).content(*first, html_text(&derived.value)), others)
        }
        None => (FixDraft::head(HeadKey::Title, tag), titles.as_slice()),
    };
    others.iter().fold(fix, |fix, empty| fix.remove(*empty)).from(derived.origin, &[])
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
    let kept = titles.get(keep).map(|title| title.text()).unwrap_or_default();
    let mut fix = FixDraft::edit(FixTarget::Head, format!("<title>{}</title>", html_text(&kept)));
    let mut places = Vec::new();
    for (at, title) in titles.iter().enumerate() {
        places.extend(title.place_if(at < MAX_PLACES));
        if at != keep {
            fix = fix.remove(*title);
        }
    }
    const SEVERAL: Text = text("The head has {count} titles.", "O cabeçalho tem {count} títulos.");
    const KEEP: Text = text("Keeps the first title with text.", "Mantém o primeiro título com texto.");
    Ok(Some(problem(SEVERAL, &[("count", titles.len().into())], fix.note(KEEP, &[])).at(places)))
}

/// Fails on a generator's default, an unfilled template, or visible markup in the title.
fn placeholder(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let Some(title) = head_titles(html).into_iter().find(|title| !title.text().is_empty()) else {
        return Err(NotMeasured::Absent);
    };
    let shown = title.text();
    let decoded = derive::without_visible_markup(&shown);
    let message = if derive::is_placeholder(&shown) {
        text(
            "The title is “{title}”, a default or an unfilled template.",
            "O título é “{title}”, um padrão ou um modelo não preenchido.",
        )
    } else if decoded != shown {
        text("The title shows markup: “{title}”.", "O título mostra marcação: “{title}”.")
    } else {
        return PASS;
    };
    let fix = if decoded != shown && derive::is_title(&decoded) && title.end_tag().is_some() {
        const DECODED: Text = text("the same title without the markup", "o mesmo título sem a marcação");
        FixDraft::edit(FixTarget::Head, format!("<title>{}</title>", html_text(&decoded)))
            .content(title, html_text(&decoded))
            .from(DECODED, &[])
    } else {
        match derived(html).filter(|_| title.end_tag().is_some()) {
            Some(derived) => FixDraft::edit(FixTarget::Head, format!("<title>{}</title>", html_text(&derived.value)))
                .content(title, html_text(&derived.value))
                .from(derived.origin, &[]),
            None => FixDraft::template(FixTarget::Head, "<title>{{TITLE}}</title>"),
        }
    };
    Ok(Some(problem(message, &[("title", shown.into())], fix).at([title.place()])))
}

/// Fails when the title is wider than a desktop result shows.
fn too_long(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let Some(title) = first_filled(html) else { return Err(NotMeasured::Absent) };
    let width = title_px(&title);
    if width <= derive::WIDEST_TITLE_PX {
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
    let shown = derive::fitting(&title);
    let rest = title.strip_prefix(shown.as_str()).unwrap_or_default().trim_start();
    let fix = FixDraft::template(FixTarget::Head, "<title>{{SHORTER_TITLE}}</title>")
        .from(SHORTEN, &[("shown", shown.as_str().into()), ("rest", rest.into())]);
    let values =
        [("px", width.into()), ("characters", title.chars().count().into()), ("limit", derive::WIDEST_TITLE_PX.into())];
    fail(WIDE, &values, fix)
}
