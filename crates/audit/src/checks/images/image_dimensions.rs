//! Images that take no room until they have loaded.

use crate::check::prelude::*;
use crate::facts::by_design::{is_amp_layout, is_emoji};
use crate::facts::discovery::image_files::MeasuredImage;
use crate::facts::image_room;
use crate::facts::measured_images::{Sides, measured_sides};
use crate::facts::page::Html;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "image-dimensions", category: Category::Images, landing: LANDING, checks: &[MISSING] };

const LANDING: Landing = Landing {
    title: text("Image width and height checker", "Verificador de largura e altura de imagens"),
    h1: text("Do images make your page jump?", "As imagens fazem sua página pular?"),
    description: text(
        "Find images without width and height, which shift the layout when they load, and get the sizes from the image file.",
        "Encontre imagens sem width e height, que deslocam o layout ao carregar, e receba os tamanhos lidos do arquivo da imagem.",
    ),
    lead: text(
        "Browsers can't reserve space for an image of unknown size. When it loads, everything below it moves. This tool lists such images and reads the size of the largest one from its file.",
        "O navegador não consegue reservar espaço para uma imagem de tamanho desconhecido. Quando ela carrega, tudo abaixo dela se move. Esta ferramenta lista essas imagens e lê o tamanho da maior no próprio arquivo.",
    ),
    example: include_str!("image_dimensions/bad_unmeasured.html"),
};

const MISSING: Check = Check {
    code: "image_dimensions_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Images without width and height", "Imagens sem largura e altura"),
    why: text(
        "Browsers can't reserve space for an image of unknown size, so the text jumps when it loads. Cumulative Layout Shift measures this jump.",
        "O navegador não consegue reservar espaço para uma imagem de tamanho desconhecido, e o texto pula quando ela carrega. O Cumulative Layout Shift mede esse pulo.",
    ),
    how: text(
        "Set `width` and `height` on every `<img>` to the size of the image file. CSS can still scale it.",
        "Defina em cada `<img>` `width` e `height` com o tamanho do arquivo da imagem. O CSS ainda pode redimensioná-la.",
    ),
    reference: "https://web.dev/articles/optimize-cls#images_without_dimensions",
    rule: text(
        "Fails when an `img` with a URL in `src` or `srcset` lacks `width` or `height`, and no inline style gives it `aspect-ratio`, gives it width and height, or takes it out of the flow. The check skips images inside AMP elements, emoji pictures, images with `hidden`, and SVG files with a declared side of at most 64 pixels. Style sheets are not read. Not applicable without images.",
        "Falha quando um `img` com URL em `src` ou `srcset` não tem `width` ou `height`, e nenhum estilo embutido lhe dá `aspect-ratio`, largura e altura, ou o tira do fluxo. A verificação ignora imagens dentro de elementos AMP, figuras de emoji, imagens com `hidden` e arquivos SVG com um lado declarado de no máximo 64 pixels. Folhas de estilo não são lidas. Não se aplica sem imagens.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Image),
    since: FIRST,
    run: missing,
};

fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    if html.images.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let found: Vec<Element<'_>> =
        image_room::without_dimensions(html).filter(|image| !is_emoji(*image) && !is_amp_layout(*image)).collect();
    if found.is_empty() {
        return PASS;
    }
    const NO_SIZE: Text = text(
        "{total|The only image lacks|{count} of {total} images {count|lacks|lack}} width or height.",
        "{total|A única imagem não tem|{count} de {total} imagens não {count|tem|têm}} width ou height.",
    );
    const SOME_SIZED: Text = text(
        "{count} of {total} images {count|has|have} no size. Of {without} without width or height, {others} {others|is|are} hidden, a small icon, or sized another way.",
        "{count} de {total} imagens não {count|tem|têm} tamanho. Das {without} sem width ou height, {others} {others|está oculta, é um ícone pequeno ou tem|estão ocultas, são ícones pequenos ou têm} o tamanho definido de outra forma.",
    );
    let fix = fix(html, &found, facts.largest_image().as_ref());
    let without = html.elements(&html.images).filter(|image| !image.has("width") || !image.has("height")).count();
    let others = without.saturating_sub(found.len());
    let message = if others == 0 { NO_SIZE } else { SOME_SIZED };
    let values = [
        ("count", found.len().into()),
        ("total", html.images.len().into()),
        ("without", without.into()),
        ("others", others.into()),
    ];
    problem(message, &values, fix).on(&found).fail()
}

/// Ready where the file of every image was measured; else a template that shows the measured one, and one that is not.
fn fix(html: &Html, found: &[Element<'_>], measured: Option<&MeasuredImage>) -> FixDraft {
    const MEASURED: Text = text(
        "the size of the image file: {width} × {height} pixels",
        "o tamanho do arquivo da imagem: {width} × {height} pixels",
    );
    const KEEP_RATIO: Text = text(
        "If CSS limits the width of these images, add `height: auto` there, or they look distorted.",
        "Se o CSS limita a largura destas imagens, adicione `height: auto` nele; senão, elas ficam distorcidas.",
    );
    const FILL: Text = text(
        "Replace the placeholders with the size of the image file in pixels. If CSS limits the width of these images, add `height: auto` there, or they look distorted.",
        "Troque os marcadores pelo tamanho do arquivo da imagem em pixels. Se o CSS limita a largura destas imagens, adicione `height: auto` nele; senão, elas ficam distorcidas.",
    );
    let sides_of = |image: Element<'_>| measured_sides(html, image, measured?);
    let known: Vec<(Element<'_>, Sides)> = found.iter().filter_map(|image| Some((*image, sides_of(*image)?))).collect();
    let unknown = found.iter().find(|image| sides_of(**image).is_none());
    let ready = known.first().map(|(image, (width, height))| tag(*image, &width.to_string(), &height.to_string()));
    let open = unknown.map(|image| tag(*image, "{{WIDTH}}", "{{HEIGHT}}"));
    let snippet = ready.into_iter().chain(open).collect::<Vec<_>>().join("\n");
    let fix = if unknown.is_some() {
        FixDraft::template(FixTarget::Image, snippet)
    } else {
        known.iter().fold(FixDraft::edit(FixTarget::Image, snippet), |fix, (image, (width, height))| {
            fix.set(*image, "width", &width.to_string()).set(*image, "height", &height.to_string())
        })
    };
    match measured.filter(|_| !known.is_empty()) {
        Some(file) => {
            let note = if unknown.is_some() { FILL } else { KEEP_RATIO };
            fix.from(MEASURED, &[("width", file.width.into()), ("height", file.height.into())]).note(note, &[])
        }
        None => fix,
    }
}

/// The tag with the sides that it lacks; one in percent is no side of the picture, from which its ratio could be known.
fn tag(image: Element<'_>, width: &str, height: &str) -> String {
    let is_share = image.attribute("width").is_some_and(|side| side.contains('%'));
    let in_pixels = is_share.then(|| image.start_tag_with("width", width)).flatten();
    let tag = in_pixels.as_deref().or_else(|| image.start_tag_source()).unwrap_or("<img>");
    let body = tag.trim_end_matches('>').trim_end_matches('/').trim_end();
    let side = |name: &str, value: &str| {
        if image.has(name) { String::new() } else { format!(" {name}=\"{value}\"") }
    };
    format!("{body}{}{}>", side("width", width), side("height", height))
}
