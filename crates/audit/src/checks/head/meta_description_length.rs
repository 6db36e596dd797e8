//! The length of the meta description: cut in results, or too short to say more than the title.

use super::meta_description::{GOOGLE_SNIPPET, descriptions, tag};
use crate::check::prelude::*;
use crate::facts::fitting::{self, SHORTEST_DESCRIPTION};
use crate::facts::font_metrics::columns;
use crate::facts::placeholders::{is_placeholder_description, without_visible_markup};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "meta-description-length",
    category: Category::Head,
    landing: LANDING,
    checks: &[TOO_LONG, TOO_SHORT],
};

const LANDING: Landing = Landing {
    title: text("Meta description length checker", "Verificador do tamanho da meta description"),
    h1: text("Is your meta description too long?", "Sua meta description é longa demais?"),
    description: text(
        "See how much of a meta description a search result shows, where it is cut, and get it shortened at the end of a sentence or word.",
        "Veja quanto de uma meta description o resultado mostra, onde ela é cortada, e receba-a encurtada no fim de uma frase ou palavra.",
    ),
    lead: text(
        "Results show about 155 characters of a description, half as many of full-width scripts such as Japanese. This tool counts as they do, shows what remains, and shortens the text without breaking a sentence where it can.",
        "Os resultados mostram cerca de 155 caracteres de uma descrição, metade disso em escritas de largura dupla, como o japonês. Esta ferramenta conta da mesma forma, mostra o que sobra e encurta o texto sem quebrar a frase quando possível.",
    ),
    example: include_str!("meta_description_length/bad_long.html"),
};

const TOO_LONG: Check = Check {
    code: "meta_description_too_long",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Description may be cut in results", "A descrição pode ser cortada nos resultados"),
    why: text(
        "There is no limit on a description's length, but results show one or two lines of it; what stands behind is not seen.",
        "Não há limite para o tamanho da descrição, mas os resultados mostram uma ou duas linhas; o que vem depois não aparece.",
    ),
    how: text(
        "Put what matters first and end within about 155 characters.",
        "Coloque o que importa no começo e termine em cerca de 155 caracteres.",
    ),
    reference: GOOGLE_SNIPPET,
    // Columns, not pixels: unlike a title a description wraps, so how much of it fits depends on the lines of a device.
    rule: text(
        "Fails when the first `meta name=description` of the head with content takes more than 160 columns, where a full-width character takes two (so 80 of these). White space is collapsed. Search engines state no limit, so this is advice. Not measured on a page that asks not to be indexed.",
        "Falha quando o primeiro `meta name=description` do cabeçalho com conteúdo ocupa mais de 160 colunas, em que um caractere de largura dupla ocupa duas (80 deles, portanto). Espaços são reduzidos. Os buscadores não declaram um limite, então é um conselho. Não é medido em página que pede para não ser indexada.",
    ),
    thresholds: &[threshold("description_columns", MOST_COLUMNS as u64, "columns")],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: too_long,
};

const TOO_SHORT: Check = Check {
    code: "meta_description_too_short",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Description says very little", "A descrição diz muito pouco"),
    why: text(
        "A description of a few words adds nothing to the title, and search engines rather show a passage of the page.",
        "Uma descrição de poucas palavras não acrescenta nada ao título, e os buscadores preferem mostrar um trecho da página.",
    ),
    how: text(
        "Write one or two whole sentences that say what this page offers, to whom, and what sets it apart.",
        "Escreva uma ou duas frases completas que digam o que esta página oferece, a quem, e o que a distingue.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/snippet#meta-descriptions",
    rule: text(
        "Fails when the first `meta name=description` of the head with content takes fewer than 50 columns, where a full-width character takes two (so 25 of these suffice). No search engine states a minimum, so this is advice. Not measured on a page that asks not to be indexed.",
        "Falha quando o primeiro `meta name=description` do cabeçalho com conteúdo ocupa menos de 50 colunas, em que um caractere de largura dupla ocupa duas (25 deles bastam, portanto). Nenhum buscador declara um mínimo, então é um conselho. Não é medido em página que pede para não ser indexada.",
    ),
    thresholds: &[threshold("description_columns", SHORTEST_DESCRIPTION as u64, "columns")],
    remedy: remedy(FixClass::Template, FixTarget::Head),
    since: WHOLE,
    run: too_short,
};

/// Columns from which on a result cuts a description; a full-width character takes two.
const MOST_COLUMNS: usize = 160;

fn too_long(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let all = descriptions(html);
    let Some((meta, content)) = all.first() else { return Err(NotMeasured::Absent) };
    let found = columns(content);
    if found <= MOST_COLUMNS {
        return PASS;
    }
    const LONG: Text = text(
        "The description has {characters} characters; results may cut it at about {limit}.",
        "A descrição tem {characters} caracteres; os resultados podem cortá-la em cerca de {limit}.",
    );
    const SAME: Text = text(
        "the page's own description, cut at a sentence or word",
        "a descrição da própria página, cortada em uma frase ou palavra",
    );
    let limit = fitting::LONGEST_DESCRIPTION * content.chars().count() / found;
    let values = [("characters", content.chars().count().into()), ("limit", limit.into())];
    let fitted = fitting::description(&without_visible_markup(&html.as_meant(content)));
    let shorter = fitted.text;
    let is_sayable = columns(&shorter) >= SHORTEST_DESCRIPTION && !is_placeholder_description(&shorter);
    // Exact repetitions are cut alike: else there would be two that differ.
    let alike = all.iter().filter(|(_, other)| other == content);
    let elements: Option<Vec<Element<'_>>> = alike
        .map(|(meta, _)| html.element(meta.node).filter(|e| meta.has_one_reader() && e.start_tag().is_some()))
        .collect();
    let fix = match elements.filter(|_| is_sayable) {
        Some(elements) => {
            let fix = FixDraft::edit(FixTarget::Head, tag(&shorter)).from(SAME, &[]);
            let fix = elements.into_iter().fold(fix, |fix, element| fix.set(element, "content", &shorter));
            // A text that ends within a sentence is for its author to finish.
            if fitted.is_whole { fix } else { fix.into_draft() }
        }
        None => FixDraft::template(FixTarget::Head, "<meta name=\"description\" content=\"{{DESCRIPTION}}\">"),
    };
    problem(LONG, &values, fix).on(html.element(meta.node)).fail()
}

fn too_short(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let all = descriptions(html);
    let Some((meta, content)) = all.first() else { return Err(NotMeasured::Absent) };
    if columns(content) >= SHORTEST_DESCRIPTION {
        return PASS;
    }
    const SHORT: Text = text(
        "The description is only “{description}”, {characters} {characters|character|characters}.",
        "A descrição é só “{description}”, {characters} {characters|caractere|caracteres}.",
    );
    let start = attribute(content);
    let tag = format!("<meta name=\"description\" content=\"{start} {{{{DETAIL}}}}\">");
    let values = [("description", (*content).into()), ("characters", content.chars().count().into())];
    let fix = FixDraft::template(FixTarget::Head, tag);
    problem(SHORT, &values, fix).on(html.element(meta.node)).fail()
}
