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
    h1: text("Do images make the text of your page jump?", "As imagens fazem o texto da sua página pular?"),
    description: text(
        "Find images without width and height, which shift the layout when they load, and get the sizes read from the image file.",
        "Encontre imagens sem width e height, que deslocam o layout ao carregar, e receba os tamanhos lidos do arquivo da imagem.",
    ),
    lead: text(
        "A browser keeps no room for an image whose size it doesn't know; when it arrives, everything below moves. This tool lists such images and reads the natural size of the largest from its file.",
        "O navegador não reserva espaço para uma imagem de tamanho desconhecido; quando ela chega, tudo abaixo se move. Esta ferramenta lista essas imagens e lê o tamanho natural da maior no próprio arquivo.",
    ),
    example: include_str!("image_dimensions/bad_unmeasured.html"),
};

const MISSING: Check = Check {
    code: "image_dimensions_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Images without dimensions", "Imagens sem dimensões"),
    why: text(
        "The browser keeps no room for an image whose size it does not know; when it arrives, the text jumps. That jump is measured as Cumulative Layout Shift.",
        "O navegador não reserva espaço para uma imagem de tamanho desconhecido; quando ela chega, o texto pula. Esse pulo é medido como Cumulative Layout Shift.",
    ),
    how: text(
        "Give every `<img>` its natural `width` and `height`; CSS may still scale it.",
        "Dê a cada `<img>` sua `width` e `height` naturais; o CSS ainda pode redimensioná-la.",
    ),
    reference: "https://web.dev/articles/optimize-cls#images_without_dimensions",
    rule: text(
        "Fails when an `img` with an address in `src` or `srcset` has not both `width` and `height`, and no inline style with `aspect-ratio`, with width and height, or that takes it out of the flow. Left alone are images in an element of AMP, which has the size, pictures of emoji, which the style sheet sizes as a letter, images hidden by `hidden`, and SVG files with a stated side of at most 64 pixels. Style sheets are not read. Not applicable without images.",
        "Falha quando um `img` com endereço em `src` ou `srcset` não tem `width` e `height` juntos, nem um estilo embutido com `aspect-ratio`, com largura e altura, ou que o tire do fluxo. Ficam de fora imagens dentro de um elemento AMP, que tem o tamanho, figuras de emoji, que a folha de estilo dimensiona como uma letra, imagens ocultas por `hidden` e arquivos SVG com um lado declarado de no máximo 64 pixels. Folhas de estilo não são lidas. Não se aplica sem imagens.",
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
        "{count} of {total} images {count|has|have} no dimensions.",
        "{count} de {total} imagens não {count|tem|têm} dimensões.",
    );
    const SOME_SIZED: Text = text(
        "{count} of {total} images have no dimensions; {without} lack width or height, but {others} of them {others|is|are} hidden, a small icon, or sized in another way.",
        "{count} de {total} imagens não têm dimensões; {without} não têm width ou height, mas {others} delas {others|está oculta, é um ícone pequeno ou tem|estão ocultas, são ícones pequenos ou têm} o tamanho de outra forma.",
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
        "the size in the image file: {width} by {height} pixels",
        "o tamanho no arquivo da imagem: {width} por {height} pixels",
    );
    const KEEP_RATIO: Text = text(
        "Where CSS limits the width of images, give them `height: auto` too, or they are distorted.",
        "Onde o CSS limita a largura das imagens, dê a elas também `height: auto`, ou elas ficam distorcidas.",
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
            fix.from(MEASURED, &[("width", file.width.into()), ("height", file.height.into())]).note(KEEP_RATIO, &[])
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
