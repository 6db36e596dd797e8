//! Images without an alternative text.

use crate::check::prelude::*;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "image-alt", category: Category::Images, landing: Landing::TO_WRITE, checks: &[MISSING] };

const MISSING: Check = Check {
    code: "image_alt_missing",
    severity: Severity::Warn,
    title: text("Images without alternative text", "Imagens sem texto alternativo"),
    why: text(
        "The alternative is what a blind person hears and what image search reads. Without the attribute a screen reader reads out the file name.",
        "O texto alternativo é o que uma pessoa cega ouve e o que a busca de imagens lê. Sem o atributo, o leitor de tela lê o nome do arquivo.",
    ),
    how: text(
        "Describe what the image shows in `alt`; give a purely decorative image `alt=\"\"`.",
        "Descreva em `alt` o que a imagem mostra; a uma imagem só decorativa dê `alt=\"\"`.",
    ),
    reference: "https://www.w3.org/WAI/WCAG22/Understanding/non-text-content",
    rule: text(
        "Fails on `img`, image inputs and `area[href]` without the attribute. An empty `alt` is right for decoration.",
        "",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Image),
    since: FIRST,
    run: missing,
};

/// Whether assistive technology is told to pass over an element.
fn is_decorative(element: Element<'_>) -> bool {
    element
        .attribute("role")
        .is_some_and(|role| matches!(role.trim().to_ascii_lowercase().as_str(), "presentation" | "none"))
        || element.attribute("aria-hidden") == Some("true")
        || element.ancestors().any(|ancestor| ancestor.attribute("aria-hidden") == Some("true"))
}

/// Fails on `img`, image inputs and `area[href]` without the attribute. An empty `alt` is right for decoration.
fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.filled_page()?;
    let mut total = 0usize;
    let mut found = Vec::new();
    for element in html.elements(&html.addressed) {
        let concerned = element.is("img")
            || element.is("input")
                && element.attribute("type").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("image"))
            || element.is("area") && element.has("href");
        if !concerned {
            continue;
        }
        total += 1;
        let labelled = element.has("alt") || element.has("aria-label") || element.has("aria-labelledby");
        let no_source = element.is("img") && !element.has("src") && !element.has("srcset");
        if !labelled && !no_source && !is_decorative(element) {
            found.push(element);
        }
    }
    if total == 0 {
        return Err(NotMeasured::Absent);
    }
    let Some(first) = found.first() else { return PASS };
    const NO_ALT: Text = text(
        "{count} of {total} images {count|has|have} no alt attribute.",
        "{count} de {total} imagens não {count|tem|têm} o atributo alt.",
    );
    let tag = first.start_tag_source().unwrap_or("<img>");
    let body = tag.trim_end_matches('>').trim_end_matches('/').trim_end();
    let mut fix = FixDraft::template(FixTarget::Image, format!("{body} alt=\"{{{{DESCRIPTION}}}}\">"));
    if let Some(caption) = caption(*first) {
        const NEAR: Text = text("text beside the image: {text}", "texto ao lado da imagem: {text}");
        fix = fix.from(NEAR, &[("text", caption.into())]);
    }
    let values = [("count", found.len().into()), ("total", total.into())];
    Ok(Some(problem(NO_ALT, &values, fix).at(found.iter().map(|image| image.place()))))
}

/// A caption, or the text of the link around the image.
fn caption(image: Element<'_>) -> Option<String> {
    let figure = image.ancestors().find(|ancestor| ancestor.is("figure"));
    let caption =
        figure.and_then(|figure| figure.descendants().find(|below| below.is("figcaption")).map(Element::text));
    let link = || image.ancestors().find(|ancestor| ancestor.is("a")).map(Element::text);
    caption.or_else(link).filter(|text| !text.is_empty())
}
