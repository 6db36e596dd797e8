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
    h1: text("Why does my shared link show no image?", "Por que meu link compartilhado não mostra imagem?"),
    description: text(
        "Check the social image of a page: missing, with a URL that networks can't resolve, or without width and height.",
        "Verifique a imagem social de uma página: ausente, com URL que as redes não conseguem abrir ou sem largura e altura.",
    ),
    lead: text(
        "A shared link with an image is far more visible in a chat or feed. This tool reads `og:image` as networks do, and suggests an image from the page if there is none.",
        "Um link compartilhado com imagem aparece muito mais em uma conversa ou feed. Esta ferramenta lê `og:image` como as redes e sugere uma imagem da página se não houver nenhuma.",
    ),
    example: include_str!("og_image/bad_relative.html"),
};

const IMAGE_MISSING: Check = Check {
    code: "og_image_missing",
    severity: Severity::Warn,
    impact: Impact::Sharing,
    title: text("og:image missing", "og:image ausente"),
    why: text(
        "Without `og:image`, a shared link appears without an image, or with an arbitrary image from the page.",
        "Sem `og:image`, um link compartilhado aparece sem imagem ou com uma imagem qualquer da página.",
    ),
    how: text(
        "Add `<meta property=\"og:image\">` with the absolute URL of an image of at least 1200 × 630 pixels.",
        "Adicione `<meta property=\"og:image\">` com a URL absoluta de uma imagem de pelo menos 1200 × 630 pixels.",
    ),
    reference: OGP,
    rule: text(
        "Fails when no `meta` with the `property` (or else `name`) `og:image`, `og:image:url` or `og:image:secure_url` has content. Another check covers whether the file exists. Not measured when the document was cut, on a page with noindex, or when the tag has `value` instead of `content`, which `meta_content_misspelt` reports.",
        "Falha quando nenhum `meta` com `property` (ou, na falta dele, `name`) `og:image`, `og:image:url` ou `og:image:secure_url` tem conteúdo. Outra verificação confere se o arquivo existe. Não é medido quando o documento foi cortado, em página com noindex ou quando a tag tem `value` em vez de `content`, o que `meta_content_misspelt` aponta.",
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
    title: text("Social tag URL not absolute", "URL não absoluta em tag social"),
    why: text(
        "Networks don't resolve relative URLs in social tags, so the image or link doesn't work.",
        "As redes não resolvem URLs relativas em tags sociais; por isso, a imagem ou o link não funciona.",
    ),
    how: text("Write the full URL, starting with `https://`.", "Escreva a URL completa, começando com `https://`."),
    reference: "https://ogp.me/#data_types",
    rule: text(
        "Fails when the content of `og:image`, `og:image:url`, `og:url` or `twitter:image`, in a `property` (or else `name`) tag, doesn't begin with `http://` or `https://`. Empty tags are skipped. Not applicable when none of them has content.",
        "Falha quando o conteúdo de `og:image`, `og:image:url`, `og:url` ou `twitter:image`, em tag com `property` (ou, na falta dele, `name`), não começa com `http://` ou `https://`. Tags vazias são ignoradas. Não se aplica quando nenhuma delas tem conteúdo.",
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
    title: text("og:image without a usable size", "og:image sem um tamanho utilizável"),
    why: text(
        "Networks must download an image of unknown size before they can show it. They don't show one with a declared size that is too small. People who share the page may see a card without an image.",
        "As redes precisam baixar uma imagem de tamanho desconhecido antes de mostrá-la. Elas não mostram uma cujo tamanho declarado é pequeno demais. Quem compartilha a página pode ver um cartão sem imagem.",
    ),
    how: text(
        "Add `og:image:width` and `og:image:height` with the size of the file in pixels.",
        "Adicione `og:image:width` e `og:image:height` com o tamanho do arquivo em pixels.",
    ),
    reference: "https://developers.facebook.com/docs/sharing/webmasters/images/",
    rule: text(
        "Fails when `og:image` has content, the audit measured its file, and `og:image:width` or `og:image:height` is missing or not a number. Also fails when both are declared and one is below 200 pixels, the minimum that networks show. Not measured when the file was not requested or is not an image; not applicable without `og:image`.",
        "Falha quando `og:image` tem conteúdo, a auditoria mediu o arquivo, e `og:image:width` ou `og:image:height` falta ou não é um número. Falha também quando os dois estão declarados e um está abaixo de 200 pixels, o mínimo que as redes mostram. Não é medido quando o arquivo não foi pedido ou não é uma imagem; não se aplica sem `og:image`.",
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
    const NONE: Text = text("The page has no og:image tag.", "A página não tem a tag og:image.");
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
    const RELATIVE: Text = text("{key} is not an absolute URL: “{value}”.", "{key} não é uma URL absoluta: “{value}”.");
    const RESOLVED: Text = text("the declared URL, made absolute", "a URL declarada, tornada absoluta");
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
        "The declared size of og:image is too small: {width} × {height} pixels. Networks require at least {least} × {least}.",
        "O tamanho declarado da og:image é pequeno demais: {width} × {height} pixels. As redes exigem no mínimo {least} × {least}.",
    );
    const TRUE_SIZE: Text = text(
        "Enter the size of the image file in pixels. If the file itself is too small, choose a larger image.",
        "Informe o tamanho do arquivo da imagem em pixels. Se o próprio arquivo é pequeno demais, escolha uma imagem maior.",
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
        "The page doesn't declare the size of og:image ({width} × {height} pixels).",
        "A página não declara o tamanho da og:image ({width} × {height} pixels).",
    );
    const FILE: Text = text("the size of the image file", "o tamanho do arquivo da imagem");
    let fix = size_tags(html, FixDraft::heads([]), width, height).from(FILE, &[]);
    let is_image = |meta: &&Meta| meta.social_key() == Some("og:image");
    let place = html.metas.iter().find(is_image).and_then(|meta| html.element(meta.node)).map(Element::place);
    let values = [("width", width.into()), ("height", height.into())];
    problem(NO_SIZE, &values, fix).at(place).fail()
}
