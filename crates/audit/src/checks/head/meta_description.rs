//! The meta description: missing, several, or left over from a template.

use crate::check::prelude::*;
use crate::facts::elements::Meta;
use crate::facts::page::Html;
use crate::facts::placeholders::is_placeholder_description;
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
        "Check whether a page has one meta description of its own, and get one made from its first paragraph where it has none.",
        "Verifique se uma página tem uma meta description própria e receba uma feita do primeiro parágrafo quando ela não tem.",
    ),
    lead: text(
        "Search engines often show the meta description under the title of a result. This tool says whether yours is missing, declared twice or left over from a template, and writes one out of the text of the page.",
        "Os buscadores costumam mostrar a meta description sob o título do resultado. Esta ferramenta diz se a sua falta, está repetida ou sobrou de um modelo, e escreve uma com o texto da página.",
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
        "Search engines often show the description under the title. Without one they cut a passage out of the page, which may be a menu or a cookie notice.",
        "Os buscadores costumam mostrar a descrição sob o título. Sem ela, recortam um trecho da página, que pode ser um menu ou um aviso de cookies.",
    ),
    how: text(
        "Add `<meta name=\"description\">` to `<head>`: one or two sentences that say what this page offers.",
        "Adicione `<meta name=\"description\">` ao `<head>`: uma ou duas frases que digam o que esta página oferece.",
    ),
    reference: GOOGLE_SNIPPET,
    rule: text(
        "Fails when no `meta name=description` in the head has content other than white space. One that a stray element pushed out of the head counts here, since `head_broken_by_element` reports it. Not measured when the document was cut or is an empty app shell, on a page that asks not to be indexed, nor where the tag says `value` in place of `content`, which is `meta_content_misspelt`.",
        "Falha quando nenhum `meta name=description` do cabeçalho tem conteúdo além de espaços. Um que um elemento perdido empurrou para fora do cabeçalho conta aqui, pois `head_broken_by_element` já o aponta. Não é medido quando o documento foi cortado ou é a casca vazia de um aplicativo, em página que pede para não ser indexada, nem onde a tag diz `value` no lugar de `content`, o que é `meta_content_misspelt`.",
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
        "A page has one description. Of several that differ a search engine may take any, join them, or use none.",
        "Uma página tem uma descrição. De várias diferentes, um buscador pode pegar qualquer uma, juntá-las ou não usar nenhuma.",
    ),
    how: text(
        "Keep the description that fits this page and remove the others; a theme and a plug-in often write one each.",
        "Mantenha a descrição que combina com esta página e remova as outras; muitas vezes o tema e um plugin escrevem uma cada.",
    ),
    reference: GOOGLE_SNIPPET,
    rule: text(
        "Fails when two or more `meta name=description` in the head have different content; white space is collapsed, empty ones and exact repetitions are left alone. With fewer than two, a document that was cut is not measured.",
        "Falha quando dois ou mais `meta name=description` do cabeçalho têm conteúdos diferentes; espaços são reduzidos, e vazios e repetições exatas ficam de fora. Com menos de dois, um documento cortado não é medido.",
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
    title: text("Description left over from a template", "Descrição que sobrou de um modelo"),
    why: text(
        "A generator's default or the title once more tells a searcher nothing new, so search engines cut a passage of their own out of the page.",
        "Um padrão de gerador ou a repetição do título não diz nada de novo a quem busca, e os buscadores recortam por conta própria um trecho da página.",
    ),
    how: text(
        "Say in one or two sentences what a visitor finds on this page.",
        "Diga em uma ou duas frases o que o visitante encontra nesta página.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/snippet#meta-descriptions",
    rule: text(
        "Fails when the first `meta name=description` of the head with content is a generator's default from the lists in `placeholder_descriptions.txt` and `placeholder_titles.txt`, holds an unfilled `{{…}}` or “lorem ipsum”, is `undefined`, `null`, `NaN`, `%s` or `[object Object]`, or is the same text as the title. Letter case and white space are ignored. Not measured on a page that asks not to be indexed.",
        "Falha quando o primeiro `meta name=description` do cabeçalho com conteúdo é um padrão de gerador das listas em `placeholder_descriptions.txt` e `placeholder_titles.txt`, tem um `{{…}}` não preenchido ou “lorem ipsum”, é `undefined`, `null`, `NaN`, `%s` ou `[object Object]`, ou é o mesmo texto do título. Maiúsculas e espaços não contam. Não é medido em página que pede para não ser indexada.",
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
    const NONE: Text = text("The head has no description.", "O cabeçalho não tem descrição.");
    const EMPTY: Text = text("The description is empty.", "A descrição está vazia.");
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
        text("The head has {count} different descriptions.", "O cabeçalho tem {count} descrições diferentes.");
    const KEEP: Text = text("Keeps the first description.", "Mantém a primeira descrição.");
    const CHOOSE: Text = text(
        "Keep the description that fits this page and take the others out; one of them also says something else, or stands outside of the head.",
        "Mantenha a descrição que combina com esta página e tire as outras; uma delas também diz outra coisa, ou está fora do cabeçalho.",
    );
    let others = all.iter().skip(1);
    let elements: Option<Vec<Element<'_>>> = others
        .map(|(meta, _)| html.element(meta.node).filter(|e| meta.has_one_reader() && e.start_tag().is_some()))
        .collect();
    // The head is mended first: what comes back into it must have no rival that is gone by then.
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
        "The description is “{description}”, a default or an unfilled template.",
        "A descrição é “{description}”, um padrão ou um modelo não preenchido.",
    );
    const SAME: Text = text(
        "The description says no more than the title: “{description}”.",
        "A descrição não diz mais que o título: “{description}”.",
    );
    let message = if is_placeholder_description(content) {
        DEFAULT
    } else if content.to_lowercase() == title.to_lowercase() {
        SAME
    } else {
        return PASS;
    };
    // Exact repetitions are replaced alike: else there would be two that differ.
    let alike = all.iter().filter(|(_, other)| other == content);
    let elements: Option<Vec<Element<'_>>> = alike
        .map(|(meta, _)| html.element(meta.node).filter(|e| meta.has_one_reader() && e.start_tag().is_some()))
        .collect();
    let fix = match html.description().zip(elements) {
        Some((resolved, elements)) => {
            let fix = FixDraft::edit(FixTarget::Head, tag(&resolved.value));
            elements.into_iter().fold(fix, |fix, element| fix.set(element, "content", &resolved.value)).of(resolved)
        }
        None => FixDraft::template(FixTarget::Head, "<meta name=\"description\" content=\"{{DESCRIPTION}}\">"),
    };
    let values = [("description", (*content).into())];
    problem(message, &values, fix).on(html.element(meta.node)).fail()
}
