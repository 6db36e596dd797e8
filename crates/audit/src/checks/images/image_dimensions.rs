//! Images that take no room until they have loaded.

use crate::check::prelude::*;

/// The family.
pub(crate) const FAMILY: Family = Family { slug: "image-dimensions", category: Category::Images, checks: &[MISSING] };

const MISSING: Check = Check {
    code: "image_dimensions_missing",
    severity: Severity::Warn,
    title: text("Images without dimensions", "Imagens sem dimensões"),
    why: text(
        "The browser keeps no room for an image whose size it does not know; when it arrives, the text jumps. That jump is measured as Cumulative Layout Shift.",
        "O navegador não reserva espaço para uma imagem de tamanho desconhecido; quando ela chega, o texto pula. Esse pulo é medido como Cumulative Layout Shift.",
    ),
    how: text(
        "Give every `<img>` its natural `width` and `height`; CSS may still scale it.",
        "Dê a cada `<img>` sua `width` e `height` naturais; o CSS ainda pode redimensioná-la.",
    ),
    reference: "https://web.dev/articles/optimize-cls#images-without-dimensions",
    run: missing,
};

/// Whether the layout knows the image's box: attributes, or an inline style.
fn has_dimensions(image: Element<'_>) -> bool {
    let style = image.attribute("style").unwrap_or_default().to_ascii_lowercase();
    image.has("width") && image.has("height")
        || style.contains("aspect-ratio")
        || style.contains("width") && style.contains("height")
        || style.contains("position:absolute")
        || style.contains("position: absolute")
        || style.contains("display:none")
        || style.contains("display: none")
}

/// SVG icons are small, and scale with the text around them when their box says so.
fn is_small_svg(image: Element<'_>) -> bool {
    /// Pixels up to which an SVG counts as an icon (catalog).
    const ICON: u32 = 64;
    let svg = image
        .attribute("src")
        .is_some_and(|src| src.split(['?', '#']).next().is_some_and(|path| path.ends_with(".svg")));
    let side = |name| image.attribute(name).and_then(|value| value.trim().parse::<u32>().ok());
    svg && side("width").or(side("height")).is_some_and(|side| side <= ICON)
}

/// Fails when an image with a source has neither both attributes nor an inline style that keeps its room.
fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    if html.images.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let found: Vec<Element<'_>> = html
        .elements(&html.images)
        .filter(|image| image.has("src") || image.has("srcset"))
        .filter(|image| !has_dimensions(*image) && !is_small_svg(*image) && !image.is_hidden())
        .collect();
    let Some(first) = found.first() else { return PASS };
    const NO_SIZE: Text = text(
        "{count} of {total} images {count|has|have} no dimensions.",
        "{count} de {total} imagens não {count|tem|têm} dimensões.",
    );
    let tag = first.start_tag_source().unwrap_or("<img>");
    let body = tag.trim_end_matches('>').trim_end_matches('/').trim_end();
    let side = |name: &str| {
        if first.has(name) { String::new() } else { format!(" {name}=\"{{{{{}}}}}\"", name.to_ascii_uppercase()) }
    };
    let fix = FixDraft::template(FixTarget::Image, format!("{body}{}{}>", side("width"), side("height")));
    let values = [("count", found.len().into()), ("total", html.images.len().into())];
    Ok(Some(problem(NO_SIZE, &values, fix).at(found.iter().map(|image| image.place()))))
}
