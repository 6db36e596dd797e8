//! Open Graph and X card tags: what a shared link shows.

use crate::check::prelude::*;
use crate::facts::page::{Html, Meta};
use crate::facts::{derive, image_room};
use crate::fix::HeadKey;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "open-graph",
    category: Category::Social,
    landing: Landing::TO_WRITE,
    checks: &[TITLE_MISSING, IMAGE_MISSING, IMAGE_RELATIVE, CARD_MISSING],
};

const OGP: &str = "https://ogp.me/#metadata";

const TITLE_MISSING: Check = Check {
    code: "og_title_missing",
    severity: Severity::Warn,
    title: text("No title for shared links", "Sem título para links compartilhados"),
    why: text(
        "Messengers and networks take the headline of a shared link from `og:title`; without it some show the bare address.",
        "Mensageiros e redes tiram de `og:title` a manchete de um link compartilhado; sem ele, alguns mostram só o endereço.",
    ),
    how: text(
        "Add `<meta property=\"og:title\">` to `<head>`.",
        "Adicione `<meta property=\"og:title\">` ao `<head>`.",
    ),
    reference: OGP,
    rule: text("Fails when neither `property` nor `name` gives an `og:title` with content.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: title_missing,
};

const IMAGE_MISSING: Check = Check {
    code: "og_image_missing",
    severity: Severity::Warn,
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
    rule: text("Fails when there is neither `og:image` nor `og:image:url`.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: image_missing,
};

const IMAGE_RELATIVE: Check = Check {
    code: "og_image_relative",
    severity: Severity::Warn,
    title: text("Social address not absolute", "Endereço social não absoluto"),
    why: text(
        "Readers of social tags do not know the page's base: a relative address leads nowhere.",
        "Quem lê as tags sociais não conhece a base da página: um endereço relativo não leva a lugar nenhum.",
    ),
    how: text("Write the whole address, with `https://`.", "Escreva o endereço inteiro, com `https://`."),
    reference: "https://ogp.me/#data_types",
    rule: text("Fails when one of them is not.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: image_relative,
};

const CARD_MISSING: Check = Check {
    code: "twitter_card_missing",
    severity: Severity::Info,
    title: text("No card type for X", "Sem tipo de cartão para o X"),
    why: text(
        "X falls back to the Open Graph tags, but chooses the kind of card itself.",
        "O X usa as tags Open Graph, mas escolhe sozinho o tipo de cartão.",
    ),
    how: text(
        "Add `<meta name=\"twitter:card\" content=\"summary_large_image\">`.",
        "Adicione `<meta name=\"twitter:card\" content=\"summary_large_image\">`.",
    ),
    reference: "https://developer.x.com/en/docs/x-for-websites/cards/overview/markup",
    rule: text("Fails when no `twitter:card` has content.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: card_missing,
};

/// A head tag for a key, into an empty tag of that key where there is one.
fn tag_fix(html: &Html, attribute_name: &str, key: &str, value: &str) -> FixDraft {
    let tag = format!("<meta {attribute_name}=\"{key}\" content=\"{}\">", attribute(value));
    let is_blank = |meta: &&Meta| meta.social_key() == Some(key) && meta.in_head && meta.has_one_reader();
    let blank = html.metas.iter().find(is_blank).and_then(|meta| html.element(meta.node));
    match blank.filter(|meta| meta.start_tag().is_some()) {
        Some(meta) => FixDraft::edit(FixTarget::Head, tag).set(meta, "content", value),
        None if attribute_name == "property" => FixDraft::head(HeadKey::Property(key.to_owned()), tag),
        None => FixDraft::head(HeadKey::Name(key.to_owned()), tag),
    }
}

/// Fails when neither `property` nor `name` gives an `og:title` with content.
fn title_missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    if html.social("og:title").is_some() {
        return PASS;
    }
    const NONE: Text = text("The page has no og:title.", "A página não tem og:title.");
    const FROM_TITLE: Text = text("the page's title", "o título da página");
    let title = html.title().map(|title| derive::cut(&html.as_meant(&title), derive::LONGEST_HEADLINE));
    let derived = title
        .filter(|title| !title.is_empty() && !derive::is_placeholder(title))
        .map(|value| derive::Derived { value, origin: FROM_TITLE })
        .or_else(|| derive::title(html));
    match derived {
        Some(derived) => {
            fail(NONE, &[], tag_fix(html, "property", "og:title", &derived.value).from(derived.origin, &[]))
        }
        None => {
            fail(NONE, &[], FixDraft::template(FixTarget::Head, "<meta property=\"og:title\" content=\"{{TITLE}}\">"))
        }
    }
}

/// Fails when there is neither `og:image` nor `og:image:url`.
fn image_missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    if ["og:image", "og:image:url", "og:image:secure_url"].iter().any(|key| html.social(key).is_some()) {
        return PASS;
    }
    const NONE: Text = text("The page has no og:image.", "A página não tem og:image.");
    const LARGE: Text = text("the first large image of the content", "a primeira imagem grande do conteúdo");
    const OF_DATA: Text = text("the image of the structured data", "a imagem dos dados estruturados");
    let found =
        image_room::large_image(facts, html).map(|url| (url, LARGE)).or_else(|| Some((data_image(html)?, OF_DATA)));
    match found {
        Some((url, origin)) => fail(NONE, &[], tag_fix(html, "property", "og:image", &url).from(origin, &[])),
        None => fail(
            NONE,
            &[],
            FixDraft::template(FixTarget::Head, "<meta property=\"og:image\" content=\"{{IMAGE_URL}}\">"),
        ),
    }
}

/// The address of the first image of a JSON-LD node.
fn data_image(html: &Html) -> Option<String> {
    let address = |image: &serde_json::Value| {
        let one = image.as_array().and_then(|images| images.first()).unwrap_or(image);
        let url = one.as_str().or_else(|| one.get("url").or(one.get("contentUrl"))?.as_str())?;
        html.resolve(url).filter(|resolved| !url.trim().is_empty() && matches!(resolved.scheme(), "http" | "https"))
    };
    html.json_ld.nodes_as_meant().iter().find_map(|node| address(node.get("image")?)).map(Into::into)
}

/// Keys whose value must be an absolute http(s) address.
const ADDRESS_KEYS: [&str; 4] = ["og:image", "og:url", "twitter:image", "og:image:url"];

/// Fails when one of them is not.
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
    Ok(Some(problem(RELATIVE, &values, fix).at(bad.iter().map(|(_, element)| element.place()))))
}

/// Fails when no `twitter:card` has content.
fn card_missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    if html.social("twitter:card").is_some() {
        return PASS;
    }
    const NONE: Text = text("The page has no twitter:card.", "A página não tem twitter:card.");
    const BY_IMAGE: Text = text("the size of the social image", "o tamanho da imagem social");
    let is_large = match facts.social_image_size() {
        Some((width, height)) => is_large(width, height),
        // The tag that the page lacks is made of this image.
        None => html.social("og:image").is_none() && image_room::large_image(facts, html).is_some(),
    };
    let card = if is_large { "summary_large_image" } else { "summary" };
    fail(NONE, &[], tag_fix(html, "name", "twitter:card", card).from(BY_IMAGE, &[]))
}

/// Whether an image is wide enough for a large card: about twice as wide as high.
fn is_large(width: u32, height: u32) -> bool {
    /// Pixels that X asks for at least.
    const LEAST_WIDTH: u32 = 300;
    /// Tenths of the height: what X crops to 2:1 without losing what matters.
    const LEAST_RATIO: u64 = 15;
    width >= LEAST_WIDTH && u64::from(width) * 10 >= u64::from(height) * LEAST_RATIO
}
