//! The image of a shared link: missing, not absolute, or of unknown size.

use super::open_graph::{OGP, tag_fix};
use crate::check::prelude::*;
use crate::facts::elements::Meta;
use crate::facts::page::Html;
use crate::facts::resolved::image;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "og-image",
    category: Category::Social,
    landing: LANDING,
    checks: &[IMAGE_MISSING, IMAGE_RELATIVE, DIMENSIONS_MISSING],
};

const LANDING: Landing = Landing {
    title: text("og:image tag checker", "Verificador da tag og:image"),
    h1: text("Why does my shared link show no picture?", "Por que meu link compartilhado não mostra imagem?"),
    description: text(
        "Check the social image of a page: missing, with an address that networks can't follow, or without the size they ask for.",
        "Verifique a imagem social de uma página: ausente, com endereço que as redes não seguem ou sem o tamanho que elas pedem.",
    ),
    lead: text(
        "A link with a picture takes far more room in a chat or feed than one without. This tool reads `og:image` as networks do and proposes a picture of the page where it names none.",
        "Um link com imagem ocupa muito mais espaço em uma conversa ou feed do que um sem. Esta ferramenta lê `og:image` como as redes fazem e propõe uma imagem da própria página quando nenhuma é indicada.",
    ),
    example: include_str!("og_image/bad_relative.html"),
};

const IMAGE_MISSING: Check = Check {
    code: "og_image_missing",
    severity: Severity::Warn,
    impact: Impact::Sharing,
    title: text("No image for shared links", "Sem imagem para links compartilhados"),
    why: text(
        "A shared link without `og:image` appears without a picture, or with any picture of the page.",
        "Um link compartilhado sem `og:image` aparece sem imagem, ou com uma imagem qualquer da página.",
    ),
    how: text(
        "Add `<meta property=\"og:image\">` with the absolute address of an image of at least 1200 × 630 pixels.",
        "Adicione `<meta property=\"og:image\">` com o endereço absoluto de uma imagem de pelo menos 1200 × 630 pixels.",
    ),
    reference: OGP,
    rule: text(
        "Fails when no `meta` of `og:image`, `og:image:url` or `og:image:secure_url`, by `property` or else `name`, has content. Whether the file is there is another check. Not measured when the document was cut, on a page that asks not to be indexed, nor where the tag says `value` in place of `content`, which is `meta_content_misspelt`.",
        "Falha quando nenhum `meta` de `og:image`, `og:image:url` ou `og:image:secure_url`, por `property` ou na falta dele `name`, tem conteúdo. Se o arquivo existe é outra verificação. Não é medido quando o documento foi cortado, em página que pede para não ser indexada, nem onde a tag diz `value` no lugar de `content`, o que é `meta_content_misspelt`.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: image_missing,
};

const IMAGE_RELATIVE: Check = Check {
    code: "og_image_relative",
    severity: Severity::Warn,
    impact: Impact::Sharing,
    title: text("Social address not absolute", "Endereço social não absoluto"),
    why: text(
        "Readers of social tags do not know the page's base: a relative address leads nowhere.",
        "Quem lê as tags sociais não conhece a base da página: um endereço relativo não leva a lugar nenhum.",
    ),
    how: text("Write the whole address, with `https://`.", "Escreva o endereço inteiro, com `https://`."),
    reference: "https://ogp.me/#data_types",
    rule: text(
        "Fails when the content of `og:image`, `og:image:url`, `og:url` or `twitter:image`, by `property` or else `name`, does not begin with `http://` or `https://`. Empty ones are left alone. Not applicable where none of them has content.",
        "Falha quando o conteúdo de `og:image`, `og:image:url`, `og:url` ou `twitter:image`, por `property` ou na falta dele `name`, não começa com `http://` ou `https://`. Os vazios ficam de fora. Não se aplica quando nenhum deles tem conteúdo.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: image_relative,
};

const DIMENSIONS_MISSING: Check = Check {
    code: "og_image_dimensions_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Social image without a size that fits", "Imagem social sem um tamanho que sirva"),
    why: text(
        "Networks fetch and measure an image of unknown size first, and show none that is stated as too small; whoever shares the page may see a card without a picture.",
        "As redes primeiro buscam e medem uma imagem de tamanho desconhecido, e não mostram uma declarada como pequena demais; quem compartilha a página pode ver um cartão sem imagem.",
    ),
    how: text(
        "Add `og:image:width` and `og:image:height` with the size of the file in pixels.",
        "Adicione `og:image:width` e `og:image:height` com o tamanho do arquivo em pixels.",
    ),
    reference: "https://developers.facebook.com/docs/sharing/webmasters/images/",
    rule: text(
        "Fails when `og:image` has content, its file was measured by its first bytes, and `og:image:width` or `og:image:height` is not there as a number; and when both are there and one is below 200 pixels, the least that networks show. Not measured where the file was not asked for or is no image; not applicable without `og:image`.",
        "Falha quando `og:image` tem conteúdo, o arquivo foi medido pelos primeiros bytes, e `og:image:width` ou `og:image:height` não está lá como número; e quando os dois estão lá e um é menor que 200 pixels, o mínimo que as redes mostram. Não é medido quando o arquivo não foi consultado ou não é uma imagem; não se aplica sem `og:image`.",
    ),
    thresholds: &[threshold("least_side", LEAST_SIDE as u64, "pixels")],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: dimensions_missing,
};

fn image_missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    const KEYS: [&str; 3] = ["og:image", "og:image:url", "og:image:secure_url"];
    if KEYS.iter().any(|key| html.social(key).is_some()) {
        return PASS;
    }
    if KEYS.iter().any(|key| html.is_misspelt(key)) {
        return Err(NotMeasured::Misspelt);
    }
    const NONE: Text = text("The page has no og:image.", "A página não tem og:image.");
    match image::of_page(facts, html).map(|image| image.resolved) {
        Some(resolved) => {
            let fix = tag_fix(html, "property", "og:image", &resolved.value);
            // Its size too where it is known: else the tag would be wrong for want of it.
            let size = facts.largest_image().filter(|file| file.url == resolved.value);
            let fix = match size.filter(|_| html.social_image_size().is_none()) {
                Some(file) => size_tags(html, fix, file.width, file.height),
                None => fix,
            };
            problem(NONE, &[], fix.of(&resolved)).fail()
        }
        None => problem(
            NONE,
            &[],
            FixDraft::template(FixTarget::Head, "<meta property=\"og:image\" content=\"{{IMAGE_URL}}\">"),
        )
        .fail(),
    }
}

/// Keys whose value must be an absolute http(s) address.
const ADDRESS_KEYS: [&str; 4] = ["og:image", "og:url", "twitter:image", "og:image:url"];

fn image_relative(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let concerned =
        || html.metas.iter().filter(|meta| meta.social_key().is_some_and(|key| ADDRESS_KEYS.contains(&key)));
    let filled = |meta: &&Meta| meta.content.as_deref().is_some_and(|content| !content.is_empty());
    if !concerned().any(|meta| filled(&meta)) {
        return Err(NotMeasured::Absent);
    }
    let bad: Vec<(&Meta, Element<'_>)> = concerned()
        .filter(filled)
        .filter(|meta| {
            let content = meta.content.as_deref().unwrap_or_default().to_ascii_lowercase();
            !content.starts_with("http://") && !content.starts_with("https://")
        })
        .filter_map(|meta| Some((meta, html.element(meta.node)?)))
        .collect();
    let Some((first, _)) = bad.first() else { return PASS };
    const RELATIVE: Text =
        text("{key} is not an absolute address: “{value}”.", "{key} não é um endereço absoluto: “{value}”.");
    const RESOLVED: Text = text("the declared address, resolved", "o endereço declarado, resolvido");
    let key = first.social_key().unwrap_or_default();
    let value = first.content.as_deref().unwrap_or_default();
    let resolved: Option<Vec<(Element<'_>, String)>> = bad
        .iter()
        .map(|(meta, element)| {
            let url = html.resolve(meta.content.as_deref()?).filter(|url| matches!(url.scheme(), "http" | "https"))?;
            element.start_tag().filter(|_| meta.has_one_reader()).map(|_| (*element, url.to_string()))
        })
        .collect();
    let fix = match resolved {
        Some(resolved) => {
            let snippet = resolved
                .first()
                .map(|(_, url)| format!("<meta property=\"{}\" content=\"{}\">", attribute(key), attribute(url)));
            let fix = FixDraft::edit(FixTarget::Head, snippet.unwrap_or_default()).from(RESOLVED, &[]);
            resolved.iter().fold(fix, |fix, (element, url)| fix.set(*element, "content", url))
        }
        None => FixDraft::template(
            FixTarget::Head,
            format!("<meta property=\"{}\" content=\"{{{{ABSOLUTE_URL}}}}\">", attribute(key)),
        ),
    };
    let values = [("key", key.into()), ("value", value.into()), ("count", bad.len().into())];
    problem(RELATIVE, &values, fix).on(bad.iter().map(|(_, element)| element)).fail()
}

/// Tags of a size.
fn size_tags(html: &Html, fix: FixDraft, width: u32, height: u32) -> FixDraft {
    let sides = [("og:image:width", width), ("og:image:height", height)];
    sides.into_iter().fold(fix, |fix, (key, side)| fix.and(tag_fix(html, "property", key, &side.to_string())))
}

/// Pixels of a side that networks show at least (Meta, "Images in Link Shares").
const LEAST_SIDE: u32 = 200;

/// Fails: the tags state an image that no network shows.
fn stated_small(html: &Html, width: u32, height: u32) -> Verdict {
    const SMALL: Text = text(
        "The tags say that og:image is {width} by {height} pixels; networks show images from {least} by {least} on.",
        "As tags dizem que og:image tem {width} por {height} pixels; as redes mostram imagens a partir de {least} por {least}.",
    );
    const TRUE_SIZE: Text = text(
        "Write the size of the file in pixels; where it is that small, choose a larger image.",
        "Escreva o tamanho do arquivo em pixels; se for pequeno assim, escolha uma imagem maior.",
    );
    let tags = "<meta property=\"og:image:width\" content=\"{{WIDTH}}\">\n<meta property=\"og:image:height\" content=\"{{HEIGHT}}\">";
    let fix = FixDraft::template(FixTarget::Head, tags).note(TRUE_SIZE, &[]);
    let is_size = |meta: &&Meta| matches!(meta.social_key(), Some("og:image:width" | "og:image:height"));
    let places = html.metas.iter().filter(is_size).filter_map(|meta| html.element(meta.node));
    let values = [("width", width.into()), ("height", height.into()), ("least", LEAST_SIDE.into())];
    problem(SMALL, &values, fix).on(places).fail()
}

fn dimensions_missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    if html.social("og:image").is_none() {
        return Err(NotMeasured::Absent);
    }
    match html.social_image_size() {
        Some((width, height)) if width.min(height) < LEAST_SIDE => return stated_small(html, width, height),
        Some(_) => return PASS,
        None => {}
    }
    facts.whole_page()?;
    let Some((width, height)) = facts.social_image_size() else { return Err(NotMeasured::Probe) };
    const NO_SIZE: Text = text(
        "og:image is {width} by {height} pixels, and the page does not say so.",
        "og:image tem {width} por {height} pixels, e a página não diz isso.",
    );
    const FILE: Text = text("the head of the image file", "o início do arquivo da imagem");
    let fix = size_tags(html, FixDraft::heads([]), width, height).from(FILE, &[]);
    let is_image = |meta: &&Meta| meta.social_key() == Some("og:image");
    let place = html.metas.iter().find(is_image).and_then(|meta| html.element(meta.node)).map(Element::place);
    let values = [("width", width.into()), ("height", height.into())];
    problem(NO_SIZE, &values, fix).at(place).fail()
}
