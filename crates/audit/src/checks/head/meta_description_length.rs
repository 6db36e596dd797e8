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
        "See how much of a meta description a search result shows, where it is cut off, and get a shorter version.",
        "Veja quanto de uma meta description o resultado de busca mostra, onde ela é cortada, e receba uma versão mais curta.",
    ),
    lead: text(
        "Search results show about 155 characters of a description, or half as many in full-width scripts such as Japanese. This tool counts the same way, shows what remains, and shortens the text at the end of a sentence if possible.",
        "Os resultados de busca mostram cerca de 155 caracteres de uma descrição, ou metade disso em escritas de largura dupla, como o japonês. Esta ferramenta conta da mesma forma, mostra o que sobra e encurta o texto no fim de uma frase, se possível.",
    ),
    example: include_str!("meta_description_length/bad_long.html"),
};

const TOO_LONG: Check = Check {
    code: "meta_description_too_long",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Meta description may be cut off in results", "Meta description pode ser cortada nos resultados"),
    why: text(
        "Descriptions have no length limit, but search results show only one or two lines. The rest is not visible.",
        "Descrições não têm limite de tamanho, mas os resultados de busca só mostram uma ou duas linhas. O resto não aparece.",
    ),
    how: text(
        "Put the most important part first, and stay within about 155 characters.",
        "Coloque o mais importante no começo e fique em cerca de 155 caracteres.",
    ),
    reference: GOOGLE_SNIPPET,
    // Columns, not pixels: unlike a title a description wraps, so how much of it fits depends on the lines of a device.
    rule: text(
        "Fails when the first `meta name=description` with text in the head is longer than 160 columns. A full-width character takes two columns, so 80 of these fit. White space is collapsed. Search engines state no limit, so this is advice. Not measured on a page that may not be indexed.",
        "Falha quando o primeiro `meta name=description` com texto no head passa de 160 colunas. Um caractere de largura dupla ocupa duas colunas; portanto, cabem 80 deles. Espaços repetidos contam como um. Os buscadores não declaram um limite; isto é um conselho. Não é medido em uma página que não deve ser indexada.",
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
    title: text("Very short meta description", "Meta description muito curta"),
    why: text(
        "A description of a few words adds nothing to the title, so search engines prefer to show a passage of the page.",
        "Uma descrição de poucas palavras não acrescenta nada ao título; os buscadores preferem mostrar um trecho da página.",
    ),
    how: text(
        "Write one or two full sentences about what this page offers, to whom, and what makes it different.",
        "Escreva uma ou duas frases completas sobre o que esta página oferece, a quem, e o que a diferencia.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/snippet#meta-descriptions",
    rule: text(
        "Fails when the first `meta name=description` with text in the head is shorter than 50 columns. A full-width character takes two columns, so 25 of these suffice. The message says where a quotation mark inside the value ended it. No search engine states a minimum, so this is advice. Not measured on a page that may not be indexed.",
        "Falha quando o primeiro `meta name=description` com texto no head tem menos de 50 colunas. Um caractere de largura dupla ocupa duas colunas; portanto, 25 deles bastam. A mensagem diz onde uma aspa dentro do valor o encerrou. Nenhum buscador declara um mínimo; isto é um conselho. Não é medido em uma página que não deve ser indexada.",
    ),
    thresholds: &[threshold("description_columns", SHORTEST_DESCRIPTION as u64, "columns")],
    remedy: remedy(FixClass::Template, FixTarget::Head),
    since: WHOLE,
    run: too_short,
};

/// Columns from which on a result cuts a description; a full-width character takes two.
const MOST_COLUMNS: usize = 160;
/// Percent of a description that a shorter one keeps to stand for it: what a dropped half said, its author decides.
const LEAST_KEPT: usize = 66;

fn too_long(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let all = descriptions(html);
    let Some((meta, content)) = all.first() else { return Err(NotMeasured::Absent) };
    let found = columns(content);
    if found <= MOST_COLUMNS {
        return PASS;
    }
    const LONG: Text = text(
        "The meta description has {characters} characters; search results may cut it off after about {limit}.",
        "A meta description tem {characters} caracteres; os resultados de busca podem cortá-la depois de cerca de {limit}.",
    );
    const SAME: Text = text(
        "the page's own description, shortened at a sentence or word",
        "a descrição da própria página, encurtada em uma frase ou palavra",
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
            // A text that ends within a sentence is for its author to finish, and so is one that loses much of what it says.
            let keeps_most = columns(&shorter) * 100 >= found * LEAST_KEPT;
            if fitted.is_whole && keeps_most { fix } else { fix.into_draft() }
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
        "The meta description has only {characters} {characters|character|characters}: “{description}”.",
        "A meta description tem só {characters} {characters|caractere|caracteres}: “{description}”.",
    );
    const CUT: Text = text(
        "A quotation mark inside the meta description ends it after {characters} {characters|character|characters}: “{description}”.",
        "Uma aspa dentro da meta description a encerra depois de {characters} {characters|caractere|caracteres}: “{description}”.",
    );
    // What follows the mark is read as names of attributes.
    let is_cut = html.element(meta.node).is_some_and(|tag| tag.attributes().any(|(name, _)| name.contains('"')));
    let message = if is_cut { CUT } else { SHORT };
    let values = [("description", (*content).into()), ("characters", content.chars().count().into())];
    // What the page says of itself on cards is often the longer text.
    let social = ["og:description", "twitter:description"].into_iter().find_map(|key| {
        let fitted = fitting::description(&without_visible_markup(&html.as_meant(html.social(key)?))).text;
        let says_more = columns(&fitted) >= SHORTEST_DESCRIPTION && !is_placeholder_description(&fitted);
        says_more.then_some((key, fitted))
    });
    const SOCIAL: Text = text("{key}", "{key}");
    const ESCAPE: Text =
        text("Write each quotation mark inside the value as &quot;.", "Escreva cada aspa dentro do valor como &quot;.");
    const REST: Text = text(
        "Replace `{{DETAIL}}` with the rest of the text, and write each quotation mark inside the value as &quot;.",
        "Troque `{{DETAIL}}` pelo resto do texto e escreva cada aspa dentro do valor como &quot;.",
    );
    let note = if social.is_some() { ESCAPE } else { REST };
    let fix = match social {
        Some((key, fitted)) => {
            FixDraft::edit(FixTarget::Head, tag(&fitted)).into_draft().from(SOCIAL, &[("key", key.into())])
        }
        None => {
            let start = attribute(content);
            let tag = format!("<meta name=\"description\" content=\"{start} {{{{DETAIL}}}}\">");
            FixDraft::template(FixTarget::Head, tag)
        }
    };
    let fix = if is_cut { fix.note(note, &[]) } else { fix };
    problem(message, &values, fix).on(html.element(meta.node)).fail()
}
