//! The meta description: missing, several, or left over from a template.

use crate::check::prelude::*;
use crate::facts::elements::Meta;
use crate::facts::fitting::LONGEST_DESCRIPTION;
use crate::facts::font_metrics::columns;
use crate::facts::page::Html;
use crate::facts::placeholders::{is_placeholder_description, shows_entity, without_visible_markup};
use crate::fix::HeadKey;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "meta-description",
    category: Category::Head,
    landing: LANDING,
    checks: &[MISSING, MULTIPLE, PLACEHOLDER],
};

const LANDING: Landing = Landing {
    title: text("Meta description checker", "Verificador da meta description"),
    h1: text("Does your page have a meta description?", "Sua página tem uma meta description?"),
    description: text(
        "Check whether a page has one meta description of its own. A missing one is written from the first paragraph.",
        "Verifique se a página tem uma meta description própria. Uma ausente é escrita a partir do primeiro parágrafo.",
    ),
    lead: text(
        "Search engines often show the meta description below the title of a result. This tool checks whether yours is missing, repeated or left over from a template, and writes one from the text of the page.",
        "Os buscadores costumam mostrar a meta description abaixo do título do resultado. Esta ferramenta verifica se a sua falta, está repetida ou sobrou de um template, e escreve uma com o texto da página.",
    ),
    example: include_str!("meta_description/bad_missing.html"),
};

/// What search engines make of descriptions.
pub(crate) const GOOGLE_SNIPPET: &str = "https://developers.google.com/search/docs/appearance/snippet";

const MISSING: Check = Check {
    code: "meta_description_missing",
    severity: Severity::Warn,
    impact: Impact::RichResult,
    title: text("No meta description", "Sem meta description"),
    why: text(
        "Search engines often show the description below the title. Without one they pick a passage of the page, which may be a menu or a cookie notice.",
        "Os buscadores costumam mostrar a descrição abaixo do título. Sem ela, escolhem um trecho da página, que pode ser um menu ou um aviso de cookies.",
    ),
    how: text(
        "Add `<meta name=\"description\">` to `<head>` with one or two sentences about what this page offers.",
        "Adicione `<meta name=\"description\">` ao `<head>`, com uma ou duas frases sobre o que esta página oferece.",
    ),
    reference: GOOGLE_SNIPPET,
    rule: text(
        "Fails when no `meta name=description` in the head has text. A description that a stray element pushed out of the head counts as present, since `head_broken_by_element` reports it. Not measured when the page was cut off, is an empty app shell or may not be indexed, or when the tag uses `value` instead of `content`, which `meta_content_misspelt` reports.",
        "Falha quando nenhum `meta name=description` no head tem texto. Uma descrição que um elemento fora de lugar empurrou para fora do head conta como presente, pois `head_broken_by_element` a relata. Não é medido quando a página foi cortada, é a casca vazia de um aplicativo ou não deve ser indexada, nem quando a tag usa `value` em vez de `content`, o que `meta_content_misspelt` relata.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: missing,
};

const MULTIPLE: Check = Check {
    code: "meta_description_multiple",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Several meta descriptions", "Várias meta descriptions"),
    why: text(
        "A page should have one description. Of several different ones, a search engine may use any, join them, or use none.",
        "Uma página deve ter uma só descrição. De várias diferentes, um buscador pode usar qualquer uma, juntá-las ou não usar nenhuma.",
    ),
    how: text(
        "Keep the description that fits this page and remove the others. In many cases both a theme and a plugin add one.",
        "Mantenha a descrição que combina com esta página e remova as outras. Em muitos casos, o tema e um plugin adicionam uma cada.",
    ),
    reference: GOOGLE_SNIPPET,
    rule: text(
        "Fails when two or more `meta name=description` in the head have different text. White space is collapsed, and empty descriptions and exact repetitions are ignored. When fewer than two are found, a page that was cut off is not measured.",
        "Falha quando dois ou mais `meta name=description` no head têm textos diferentes. Espaços repetidos contam como um, e descrições vazias e repetições exatas são ignoradas. Quando há menos de duas, uma página cortada não é medida.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: multiple,
};

const PLACEHOLDER: Check = Check {
    code: "meta_description_placeholder",
    severity: Severity::Warn,
    impact: Impact::RichResult,
    title: text("Placeholder meta description", "Meta description de exemplo"),
    why: text(
        "A generator's default or a copy of the title tells searchers nothing new, so search engines pick a passage of the page instead.",
        "Um texto padrão de gerador ou uma cópia do título não diz nada de novo a quem busca; os buscadores escolhem então um trecho da página.",
    ),
    how: text(
        "Describe in one or two sentences what visitors find on this page.",
        "Descreva em uma ou duas frases o que os visitantes encontram nesta página.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/snippet#meta-descriptions",
    rule: text(
        "Fails when the first `meta name=description` with text in the head is a default from the lists `placeholder_descriptions.txt` and `placeholder_titles.txt`, contains an unfilled `{{…}}` or “lorem ipsum”, is `undefined`, `null`, `NaN`, `%s` or `[object Object]`, or equals the title. Letter case and white space are ignored. A note where it shows an entity that was escaped twice (`&quot;`). Not measured on a page that may not be indexed.",
        "Falha quando o primeiro `meta name=description` com texto no head é um padrão das listas `placeholder_descriptions.txt` e `placeholder_titles.txt`, contém um `{{…}}` não preenchido ou “lorem ipsum”, é `undefined`, `null`, `NaN`, `%s` ou `[object Object]`, ou é igual ao título. Maiúsculas e espaços não contam. É só uma observação quando mostra uma entidade escapada duas vezes (`&quot;`). Não é medido em uma página que não deve ser indexada.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: placeholder,
};

/// Descriptions of the head that have content, and those that a stray element pushed out of it.
pub(crate) fn descriptions(html: &Html) -> Vec<(&Meta, &str)> {
    let is_lost = |meta: &Meta| html.lost_head.as_ref().is_some_and(|broken| broken.lost.contains(&meta.node));
    html.metas_named("description")
        .filter(|meta| meta.in_head || is_lost(meta))
        .filter_map(|meta| Some((meta, meta.content.as_deref().filter(|content| !content.is_empty())?)))
        .collect()
}

/// The tag of a description.
pub(crate) fn tag(description: &str) -> String {
    format!("<meta name=\"description\" content=\"{}\">", attribute(description))
}

fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    let is_description = |name: Option<&str>| name.is_some_and(|name| name.trim().eq_ignore_ascii_case("description"));
    let in_head: Vec<_> = html.metas_named("description").filter(|meta| meta.in_head).collect();
    let filled = in_head.iter().any(|meta| meta.content.as_deref().is_some_and(|content| !content.is_empty()));
    if filled || html.has_lost(|element| element.is("meta") && is_description(element.attribute("name"))) {
        return PASS;
    }
    if facts.shell().is_some() {
        return Err(NotMeasured::Shell);
    }
    if html.is_misspelt("description") {
        return Err(NotMeasured::Misspelt);
    }
    const NONE: Text = text("The page has no meta description.", "A página não tem meta description.");
    const EMPTY: Text = text("The meta description is empty.", "A meta description está vazia.");
    let message = if in_head.is_empty() { NONE } else { EMPTY };
    let blank = in_head
        .iter()
        .find(|meta| meta.has_one_reader())
        .and_then(|meta| html.element(meta.node))
        .filter(|meta| meta.start_tag().is_some());
    let Some(resolved) = html.description() else {
        let template = FixDraft::template(FixTarget::Head, "<meta name=\"description\" content=\"{{DESCRIPTION}}\">");
        return problem(message, &[], template).fail();
    };
    let tag = tag(&resolved.value);
    let fix = match blank {
        Some(meta) => FixDraft::edit(FixTarget::Head, tag).set(meta, "content", &resolved.value),
        None => FixDraft::head(HeadKey::Name("description".to_owned()), tag),
    };
    problem(message, &[], fix.of(resolved)).on(blank).fail()
}

fn multiple(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let all = descriptions(html);
    let Some((_, first)) = all.first() else { return Err(NotMeasured::Absent) };
    if all.iter().all(|(_, content)| content == first) {
        facts.whole_page()?;
        return PASS;
    }
    const SEVERAL: Text =
        text("The head has {count} different meta descriptions.", "O head tem {count} meta descriptions diferentes.");
    const KEEP: Text =
        text("Keeps the first description and removes the others.", "Mantém a primeira descrição e remove as outras.");
    const CHOOSE: Text = text(
        "Keep the description that fits this page and remove the others by hand: one of these tags is outside the head or serves another purpose too.",
        "Mantenha a descrição que combina com esta página e remova as outras à mão: uma dessas tags está fora do head ou serve também a outro fim.",
    );
    let others = all.iter().skip(1);
    let elements: Option<Vec<Element<'_>>> = others
        .map(|(meta, _)| html.element(meta.node).filter(|e| meta.has_one_reader() && e.start_tag().is_some()))
        .collect();
    // The head is fixed first: a tag that moves into it must not compete with one that another fix removes.
    let elements = elements.filter(|_| all.iter().all(|(meta, _)| meta.in_head));
    let fix = match elements {
        Some(elements) => {
            elements.into_iter().fold(FixDraft::edit(FixTarget::Head, tag(first)).note(KEEP, &[]), FixDraft::remove)
        }
        None => FixDraft::instruction(FixTarget::Head, CHOOSE, &[]),
    };
    let mut distinct: Vec<&str> = all.iter().map(|(_, content)| *content).collect();
    distinct.sort_unstable();
    distinct.dedup();
    problem(SEVERAL, &[("count", distinct.len().into())], fix)
        .on(all.iter().filter_map(|(meta, _)| html.element(meta.node)))
        .fail()
}

fn placeholder(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let all = descriptions(html);
    let Some((meta, content)) = all.first() else { return Err(NotMeasured::Absent) };
    let title = html.title().unwrap_or_default();
    const DEFAULT: Text = text(
        "The meta description “{description}” is a default text or an unfilled template.",
        "A meta description “{description}” é um texto padrão ou um template não preenchido.",
    );
    const SAME: Text = text(
        "The meta description only repeats the title: “{description}”.",
        "A meta description só repete o título: “{description}”.",
    );
    const MARKUP: Text = text(
        "The description shows an entity that was escaped twice: “{description}”.",
        "A descrição mostra uma entidade escapada duas vezes: “{description}”.",
    );
    let is_said = |text: &str| !is_placeholder_description(text) && text.to_lowercase() != title.to_lowercase();
    let message = if is_placeholder_description(content) {
        DEFAULT
    } else if !is_said(content) {
        SAME
    } else if shows_entity(content) {
        MARKUP
    } else {
        return PASS;
    };
    let decoded = Some(without_visible_markup(content)).filter(|text| is_said(content) && is_said(text));
    // Exact repetitions are replaced alike: else there would be two that differ.
    let alike = all.iter().filter(|(_, other)| other == content);
    let elements: Option<Vec<Element<'_>>> = alike
        .map(|(meta, _)| html.element(meta.node).filter(|e| meta.has_one_reader() && e.start_tag().is_some()))
        .collect();
    const DECODED: Text = text("the same description, escaped once", "a mesma descrição, escapada uma só vez");
    let fix = match (html.description(), decoded, elements) {
        (_, Some(decoded), Some(elements)) => {
            let fix = FixDraft::edit(FixTarget::Head, tag(&decoded)).from(DECODED, &[]);
            let fix = elements.into_iter().fold(fix, |fix, element| fix.set(element, "content", &decoded));
            // One that results would cut is for its author to shorten too.
            if columns(&decoded) <= LONGEST_DESCRIPTION { fix } else { fix.into_draft() }
        }
        (Some(resolved), None, Some(elements)) => {
            let fix = FixDraft::edit(FixTarget::Head, tag(&resolved.value));
            elements.into_iter().fold(fix, |fix, element| fix.set(element, "content", &resolved.value)).of(resolved)
        }
        _ => FixDraft::template(FixTarget::Head, "<meta name=\"description\" content=\"{{DESCRIPTION}}\">"),
    };
    let values = [("description", (*content).into())];
    problem(message, &values, fix).on(html.element(meta.node)).minor_if(message == MARKUP).fail()
}
