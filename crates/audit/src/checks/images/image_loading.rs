//! When images load: the first one at once, the others when they come near, and none by a script alone.

use std::collections::BTreeSet;

use crate::check::MAX_PLACES;
use crate::check::prelude::*;
use crate::facts::content_images::{
    SMALL, content_images, far_down, is_lazy, is_preferred, is_stand_in, later, with_fallback,
};
use crate::facts::page::Html;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "lazy-loading",
    category: Category::Images,
    landing: LANDING,
    checks: &[LAZY_FIRST, SCRIPT_ONLY, NOT_LAZY],
};

const LANDING: Landing = Landing {
    title: text("Image lazy loading checker", "Verificador de lazy loading de imagens"),
    h1: text("Do the right images of your page load lazily?", "As imagens certas carregam sob demanda?"),
    description: text(
        "Find a first image that waits for no reason, images further down that load at once, and images that only a script can show.",
        "Encontre uma primeira imagem que espera sem motivo, imagens mais abaixo que carregam de imediato e imagens que só um script mostra.",
    ),
    lead: text(
        "The first picture should load at once, since it is what visitors wait for; those further down should wait until they are near. This tool looks at which of your images do it the other way round.",
        "A primeira foto deve carregar logo, pois é o que o visitante espera; as mais abaixo devem aguardar até chegarem perto. Esta ferramenta vê quais das suas imagens fazem o contrário.",
    ),
    example: include_str!("image_loading/bad_first.html"),
};

const LAZY_FIRST: Check = Check {
    code: "image_lazy_first",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("The first image loads lazily", "A primeira imagem carrega com atraso"),
    why: text(
        "The picture that visitors see first waits until the layout is known before it is even asked for: that is counted in Largest Contentful Paint.",
        "A foto que o visitante vê primeiro só é pedida depois que o layout é conhecido: esse tempo conta no Largest Contentful Paint.",
    ),
    how: text(
        "Take `loading=\"lazy\"` off the first image and give it `fetchpriority=\"high\"`.",
        "Tire `loading=\"lazy\"` da primeira imagem e dê a ela `fetchpriority=\"high\"`.",
    ),
    reference: "https://web.dev/articles/optimize-lcp#optimize_the_priority_the_resource_is_given",
    rule: text(
        "Fails when the first image of the content has `loading=lazy` and stands behind at most 1,500 characters of visible text, or when any image with `loading=lazy` also has `fetchpriority=high` or is preloaded by the same address. Images of the content stand outside of `nav`, `footer`, `aside` and the site's `header` (that of an article is content), are not hidden, and state no side below 200 pixels. Text of menus, of lists of links and of what is hidden is not counted. Not applicable without one.",
        "Falha quando a primeira imagem do conteúdo tem `loading=lazy` e vem depois de no máximo 1.500 caracteres de texto visível, ou quando qualquer imagem com `loading=lazy` também tem `fetchpriority=high` ou é pré-carregada pelo mesmo endereço. Imagens do conteúdo ficam fora de `nav`, `footer`, `aside` e do `header` do site (o de um artigo é conteúdo), não estão ocultas e não declaram um lado abaixo de 200 pixels. Texto de menus, de listas de links e do que está oculto não conta. Não se aplica sem nenhuma.",
    ),
    thresholds: &[
        threshold("text_before", MOST_TEXT_BEFORE as u64, "characters"),
        threshold("small_side", SMALL as u64, "pixels"),
    ],
    remedy: remedy(FixClass::Deterministic, FixTarget::Image),
    since: WHOLE,
    run: lazy_first,
};

const NOT_LAZY: Check = Check {
    code: "images_not_lazy",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Images further down load at once", "Imagens mais abaixo carregam de imediato"),
    why: text(
        "Pictures that nobody has scrolled to yet compete with what is on the screen for the connection.",
        "Fotos às quais ninguém chegou ainda disputam a conexão com o que está na tela.",
    ),
    how: text(
        "Add `loading=\"lazy\"` to images below the first screen, together with `width` and `height`.",
        "Adicione `loading=\"lazy\"` às imagens abaixo da primeira tela, junto com `width` e `height`.",
    ),
    reference: "https://web.dev/articles/browser-level-image-lazy-loading",
    rule: text(
        "Fails when more than 3 images of the content behind its first 3 have no `loading=lazy`. Images of the content are those of `image_lazy_first`. Left alone are images that a script loads later, those with `fetchpriority=high` or preloaded, and `data:` addresses. Not applicable with 3 images of the content or fewer.",
        "Falha quando mais de 3 imagens do conteúdo depois das 3 primeiras não têm `loading=lazy`. Imagens do conteúdo são as de `image_lazy_first`. Ficam de fora imagens que um script carrega depois, as com `fetchpriority=high` ou pré-carregadas, e endereços `data:`. Não se aplica com 3 imagens do conteúdo ou menos.",
    ),
    thresholds: &[
        threshold("first_images", AT_ONCE as u64, "images"),
        threshold("eager_images", MOST_EAGER as u64, "images"),
    ],
    remedy: remedy(FixClass::Deterministic, FixTarget::Image),
    since: WHOLE,
    run: not_lazy,
};

const SCRIPT_ONLY: Check = Check {
    code: "image_lazy_script_only",
    severity: Severity::Warn,
    impact: Impact::Rendering,
    title: text("Images that only a script can show", "Imagens que só um script mostra"),
    why: text(
        "The image's address is in an attribute that only a script reads: image search, link previews, readers and agents without scripts see a blank.",
        "O endereço da imagem está em um atributo que só um script lê: busca de imagens, prévias de link, leitores e agentes sem scripts veem um vazio.",
    ),
    how: text(
        "Put the address into `src` and let the browser wait with `loading=\"lazy\"`.",
        "Coloque o endereço em `src` e deixe o navegador esperar com `loading=\"lazy\"`.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/javascript/lazy-loading",
    rule: text(
        "Fails when an image of the content names its address only in `data-src`, `data-lazy-src`, `data-lazy`, `data-original`, `data-srcset` or `data-lazy-srcset`, while its `src` is missing, empty, a `data:` address, or a file whose name says that it stands in (placeholder, blank, spacer and the like), and no `noscript` with an image stands beside it or the element around it. A note where they are less than 20 percent of the content's images. Not applicable without images of the content.",
        "Falha quando uma imagem do conteúdo dá seu endereço só em `data-src`, `data-lazy-src`, `data-lazy`, `data-original`, `data-srcset` ou `data-lazy-srcset`, enquanto seu `src` falta, está vazio, é um endereço `data:` ou um arquivo cujo nome diz que só guarda lugar (placeholder, blank, spacer e semelhantes), e nenhum `noscript` com imagem está ao lado dela ou do elemento em volta. É só uma nota quando são menos de 20 por cento das imagens do conteúdo. Não se aplica sem imagens do conteúdo.",
    ),
    thresholds: &[threshold("note_below", NOTE_BELOW as u64, "percent")],
    remedy: remedy(FixClass::Deterministic, FixTarget::Image),
    since: WHOLE,
    run: script_only,
};

/// Percent of the content's images below which those for a script are a note.
const NOTE_BELOW: usize = 20;
/// Images at the start of the content that load at once.
const AT_ONCE: usize = 3;
/// Images behind them that may.
const MOST_EAGER: usize = 3;
/// Characters of visible text in front of an image that is on the first screen: about one screen of prose.
const MOST_TEXT_BEFORE: usize = 1_500;

/// Addresses of images that the page preloads, resolved.
fn preloaded(html: &Html) -> BTreeSet<&str> {
    html.links_rel("preload").filter_map(|link| link.url.as_ref()).map(url::Url::as_str).collect()
}

/// Whether an image is fetched early on purpose.
fn is_early(html: &Html, preloaded: &BTreeSet<&str>, image: Element<'_>) -> bool {
    let url = || html.resolve(image.attribute("src")?);
    is_preferred(image) || !preloaded.is_empty() && url().is_some_and(|url| preloaded.contains(url.as_str()))
}

fn lazy_first(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let mut content = content_images(html).filter(|image| image.start_tag().is_some());
    let Some(first) = content.next() else { return Err(NotMeasured::Absent) };
    let preloaded = preloaded(html);
    let mut found: Vec<Element<'_>> =
        content.filter(|image| is_lazy(*image) && is_early(html, &preloaded, *image)).collect();
    if is_lazy(first) && (is_early(html, &preloaded, first) || is_near(html, first)) {
        found.insert(0, first);
    }
    let Some(shown) = found.first() else { return PASS };
    const FIRST_LAZY: Text =
        text("The first image of the content waits: {tag}.", "A primeira imagem do conteúdo espera: {tag}.");
    const BOTH: Text = text(
        "{count} {count|image is|images are} asked for early and told to wait; the first is {tag}.",
        "{count} {count|imagem é pedida|imagens são pedidas} cedo e {count|recebe|recebem} ordem de esperar; a primeira é {tag}.",
    );
    const AT_ONCE: Text = text("the same tags, loaded at once", "as mesmas tags, carregadas de imediato");
    let message = if *shown == first && found.len() == 1 { FIRST_LAZY } else { BOTH };
    let values = [("count", found.len().into()), ("tag", shown.quoted().into())];
    let snippet: Vec<String> = found.iter().take(MAX_PLACES).filter_map(|image| without_lazy(*image)).collect();
    let waiting = found.iter().find(|image| is_stand_in(**image) && later(**image).is_some());
    let fix = match waiting.and_then(|image| later(*image)) {
        // To load what stands in for it early would not bring the image itself earlier.
        Some((name, address)) => {
            const REAL: Text = text(
                "The image's own address is in {name}: put {address} into src, then take `loading=\"lazy\"` off and add `fetchpriority=\"high\"`.",
                "O endereço da própria imagem está em {name}: ponha {address} em src, depois tire `loading=\"lazy\"` e adicione `fetchpriority=\"high\"`.",
            );
            let values = [("name", name.into()), ("address", address.trim().into())];
            FixDraft::instruction(FixTarget::Image, REAL, &values)
        }
        None => {
            let fix = FixDraft::edit(FixTarget::Image, snippet.join("\n")).from(AT_ONCE, &[]);
            found.iter().fold(fix, |fix, image| {
                let fix = fix.set(*image, "loading", "eager");
                if image.has("fetchpriority") { fix } else { fix.set(*image, "fetchpriority", "high") }
            })
        }
    };
    problem(message, &values, fix).on(&found).fail()
}

/// Whether an image is on the first screen, as far as the text in front of it tells.
fn is_near(html: &Html, image: Element<'_>) -> bool {
    far_down(html, MOST_TEXT_BEFORE, |element| element == image).is_empty()
}

/// The tag of an image that loads at once.
fn without_lazy(image: Element<'_>) -> Option<String> {
    let tag = image.start_tag_with("loading", "eager")?;
    let body = tag.trim_end_matches('>').trim_end_matches('/').trim_end();
    Some(if image.has("fetchpriority") { tag } else { format!("{body} fetchpriority=\"high\">") })
}

fn not_lazy(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let content: Vec<Element<'_>> = content_images(html).skip(AT_ONCE).collect();
    if content.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let preloaded = preloaded(html);
    let is_inline = |image: &Element<'_>| image.attribute("src").is_some_and(|src| src.trim().starts_with("data:"));
    let found: Vec<Element<'_>> = content
        .into_iter()
        .filter(|image| !is_lazy(*image) && later(*image).is_none() && !is_inline(image))
        .filter(|image| !is_early(html, &preloaded, *image))
        .collect();
    if found.len() <= MOST_EAGER {
        return PASS;
    }
    const EAGER: Text = text(
        "{count} images of the content, behind its first {first}, load at once.",
        "{count} imagens do conteúdo, depois das {first} primeiras, carregam de imediato.",
    );
    const SAME: Text = text("the same tags with loading=lazy", "as mesmas tags com loading=lazy");
    let tag = |image: &Element<'_>| {
        let tag = image.start_tag_source()?;
        Some(format!("{} loading=\"lazy\">", tag.trim_end_matches('>').trim_end_matches('/').trim_end()))
    };
    let snippet: Vec<String> = found.iter().take(MAX_PLACES).filter_map(tag).collect();
    let fix = if found.iter().all(|image| image.start_tag().is_some()) {
        let fix = FixDraft::edit(FixTarget::Image, snippet.join("\n")).from(SAME, &[]);
        found.iter().fold(fix, |fix, image| fix.set(*image, "loading", "lazy"))
    } else {
        FixDraft::instruction(FixTarget::Image, NOT_LAZY.how, &[])
    };
    let values = [("count", found.len().into()), ("first", AT_ONCE.into())];
    problem(EAGER, &values, fix).on(&found).fail()
}

/// The tag of an image with another address.
fn with_src(image: Element<'_>, address: &str) -> String {
    let tag = image.start_tag_source().unwrap_or("<img>");
    let body = tag.trim_end_matches('>').trim_end_matches('/').trim_end();
    image.start_tag_with("src", address).unwrap_or_else(|| format!("{body} src=\"{}\">", attribute(address)))
}

fn script_only(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let content: Vec<Element<'_>> = content_images(html).collect();
    if content.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let total = content.len();
    let is_waiting = |image: &Element<'_>| later(*image).is_some() && is_stand_in(*image);
    if !content.iter().any(is_waiting) {
        return PASS;
    }
    let fallback = with_fallback(html);
    let found: Vec<(usize, Element<'_>)> = content
        .into_iter()
        .enumerate()
        .filter(|(_, image)| is_waiting(image) && !fallback.contains(&image.id()))
        .collect();
    let Some((_, first)) = found.first() else { return PASS };
    const SCRIPTED: Text = text(
        "{count} of {total} images of the content {count|shows|show} nothing until a script runs; the first keeps its address in {name}.",
        "{count} de {total} imagens do conteúdo não {count|mostra|mostram} nada até um script rodar; a primeira guarda o endereço em {name}.",
    );
    const KEPT: Text =
        text("the address that the image keeps for a script", "o endereço que a imagem guarda para um script");
    let name = later(*first).map_or("", |(name, _)| name);
    let values = [("count", found.len().into()), ("total", total.into()), ("name", name.into())];
    let ready: Option<Vec<(usize, Element<'_>, &str)>> = found
        .iter()
        .map(|(at, image)| {
            let (_, address) = later(*image).filter(|(name, _)| !name.ends_with("srcset"))?;
            let url = html.resolve(address)?;
            let is_secure = url.scheme() == "https" || url.scheme() == html.url.scheme();
            // Other checks leave an image without `src` alone; those must have nothing to object to it then.
            let has_src = image.attribute("src").is_some_and(|src| !src.trim().is_empty());
            let was_looked_at = has_src || image.has("alt") && image.has("width") && image.has("height");
            let is_ready = is_secure && was_looked_at && image.start_tag().is_some();
            is_ready.then_some((*at, *image, address.trim()))
        })
        .collect();
    let fix = match ready {
        Some(ready) => {
            let is_at_once = |at: usize, image: Element<'_>| at < AT_ONCE && is_lazy(image);
            let tag = |(at, image, address): &(usize, Element<'_>, &str)| {
                let tag = with_src(*image, address);
                if is_at_once(*at, *image) { tag.replace("loading=\"lazy\"", "loading=\"eager\"") } else { tag }
            };
            let snippet = ready.iter().take(MAX_PLACES).map(tag).collect::<Vec<_>>().join("\n");
            let fix = FixDraft::edit(FixTarget::Image, snippet).from(KEPT, &[]);
            ready.iter().fold(fix, |fix, (at, image, address)| {
                let fix = fix.set(*image, "src", address);
                // Those on the first screen load at once.
                if is_at_once(*at, *image) {
                    return fix.set(*image, "loading", "eager");
                }
                if *at < AT_ONCE || image.has("loading") { fix } else { fix.set(*image, "loading", "lazy") }
            })
        }
        None => {
            const NOW: Text = text("now in {name}: {address}", "agora em {name}: {address}");
            let (name, address) = later(*first).unwrap_or_default();
            let values = [("name", name.into()), ("address", address.trim().into())];
            FixDraft::template(FixTarget::Image, with_src(*first, "{{IMAGE_URL}}")).from(NOW, &values)
        }
    };
    let is_minor = is_few(found.len(), total, NOTE_BELOW);
    problem(SCRIPTED, &values, fix).on(found.iter().map(|(_, image)| image)).minor_if(is_minor).fail()
}
