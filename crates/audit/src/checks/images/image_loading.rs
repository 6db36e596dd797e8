//! When images load: the first one at once, the others when they come near, and none by a script alone.

use std::collections::BTreeSet;

use crate::check::MAX_PLACES;
use crate::check::prelude::*;
use crate::facts::content_images::{
    SMALL, content_images, far_down, is_lazy, is_preferred, is_stand_in, later, with_fallback,
};
use crate::facts::page::Html;
use crate::facts::plain_address::is_data;
use crate::facts::resolved::headline;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "lazy-loading",
    category: Category::Images,
    landing: LANDING,
    checks: &[LAZY_FIRST, SCRIPT_ONLY, NOT_LAZY],
};

const LANDING: Landing = Landing {
    title: text("Image lazy loading checker", "Verificador de lazy loading de imagens"),
    h1: text("Do the right images on your page load lazily?", "As imagens certas da sua página usam lazy loading?"),
    description: text(
        "Find a first image that loads lazily for no reason, images further down that load at once, and images that need a script.",
        "Encontre uma primeira imagem com lazy loading sem motivo, imagens mais abaixo que carregam de imediato e imagens que dependem de script.",
    ),
    lead: text(
        "The first image should load at once, because visitors wait for it. Images further down should load when visitors scroll near them. This tool finds images that do the opposite.",
        "A primeira imagem deve carregar de imediato, porque o visitante espera por ela. As que ficam mais abaixo devem carregar quando o visitante se aproxima. Esta ferramenta encontra as que fazem o contrário.",
    ),
    example: include_str!("image_loading/bad_first.html"),
};

const LAZY_FIRST: Check = Check {
    code: "image_lazy_first",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("First image loads lazily", "Primeira imagem com lazy loading"),
    why: text(
        "The browser requests a lazy image only after it has computed the layout. The first image then appears later, which makes Largest Contentful Paint worse.",
        "O navegador só pede uma imagem com lazy loading depois de calcular o layout. A primeira imagem aparece mais tarde, o que piora o Largest Contentful Paint.",
    ),
    how: text(
        "Remove `loading=\"lazy\"` from the first image and add `fetchpriority=\"high\"`.",
        "Remova `loading=\"lazy\"` da primeira imagem e adicione `fetchpriority=\"high\"`.",
    ),
    reference: "https://web.dev/articles/optimize-lcp#optimize_the_priority_the_resource_is_given",
    rule: text(
        "Fails when the first content image has `loading=lazy` and follows at most 1,500 characters of visible text. Also fails when any image with `loading=lazy` has `fetchpriority=high` or is preloaded under the same URL. Content images are outside `nav`, `footer`, `aside` and the site's `header` (an article's `header` is content); they are not hidden and declare no side below 200 pixels. The text count leaves out menus, lists of links and hidden text. Not applicable without content images.",
        "Falha quando a primeira imagem do conteúdo tem `loading=lazy` e vem depois de no máximo 1.500 caracteres de texto visível. Também falha quando qualquer imagem com `loading=lazy` tem `fetchpriority=high` ou é pré-carregada pela mesma URL. Imagens do conteúdo ficam fora de `nav`, `footer`, `aside` e do `header` do site (o `header` de um artigo é conteúdo), não estão ocultas e não declaram um lado abaixo de 200 pixels. A contagem de texto deixa de fora menus, listas de links e texto oculto. Não se aplica sem imagens do conteúdo.",
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
        "Images far down the page compete for bandwidth with what visitors see first.",
        "Imagens no fim da página disputam a conexão com o que o visitante vê primeiro.",
    ),
    how: text(
        "Add `loading=\"lazy\"`, `width` and `height` to images below the first screen.",
        "Adicione `loading=\"lazy\"`, `width` e `height` às imagens abaixo da primeira tela.",
    ),
    reference: "https://web.dev/articles/browser-level-image-lazy-loading",
    rule: text(
        "Fails when more than 3 content images after the first 3 have no `loading=lazy`. Content images are those of `image_lazy_first`. The check skips the first 3 images after the headline, the image of `og:image`, images that a script loads later, those with `fetchpriority=high` or a preload, and `data:` URLs. Not applicable with 3 or fewer content images.",
        "Falha quando mais de 3 imagens do conteúdo, depois das 3 primeiras, não têm `loading=lazy`. Imagens do conteúdo são as de `image_lazy_first`. A verificação ignora as 3 primeiras imagens depois do título da página, a imagem de `og:image`, imagens que um script carrega depois, as com `fetchpriority=high` ou pré-carregadas e URLs `data:`. Não se aplica com 3 ou menos imagens do conteúdo.",
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
    title: text("Images that only load with a script", "Imagens que só carregam com script"),
    why: text(
        "The image URL is in an attribute that only a script reads. Image search, link previews and agents that don't run scripts see no image.",
        "A URL da imagem está em um atributo que só um script lê. Busca de imagens, prévias de link e agentes que não executam scripts não veem imagem alguma.",
    ),
    how: text(
        "Put the URL in `src` and use the browser's own lazy loading: `loading=\"lazy\"`.",
        "Coloque a URL em `src` e use o lazy loading do próprio navegador: `loading=\"lazy\"`.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/javascript/lazy-loading",
    rule: text(
        "Fails when a content image has its URL only in `data-src`, `data-lazy-src`, `data-lazy`, `data-original`, `data-srcset` or `data-lazy-srcset`. Its `src` is then missing, empty, a `data:` URL, or a file whose name marks it as a placeholder (placeholder, blank, spacer and the like). An image passes when a `noscript` with an image is next to it or to its parent element. A note when less than 20% of the content images are affected. Not applicable without content images.",
        "Falha quando uma imagem do conteúdo tem a URL só em `data-src`, `data-lazy-src`, `data-lazy`, `data-original`, `data-srcset` ou `data-lazy-srcset`. O `src` dela então falta, está vazio, é uma URL `data:` ou um arquivo cujo nome indica um provisório (placeholder, blank, spacer e semelhantes). A imagem passa quando há um `noscript` com imagem ao lado dela ou do elemento que a contém. É uma observação quando menos de 20% das imagens do conteúdo são afetadas. Não se aplica sem imagens do conteúdo.",
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
        text("The first content image loads lazily: {tag}.", "A primeira imagem do conteúdo usa lazy loading: {tag}.");
    const BOTH: Text = text(
        "{count|An image loads lazily although it is preloaded or has high priority: {tag}.|{count} images load lazily but should load early; the first is {tag}.}",
        "{count|Uma imagem usa lazy loading, embora seja pré-carregada ou tenha prioridade alta: {tag}.|{count} imagens usam lazy loading, mas deveriam carregar cedo; a primeira é {tag}.}",
    );
    const AT_ONCE: Text = text("the same tags, with loading=eager", "as mesmas tags, com loading=eager");
    let message = if *shown == first && found.len() == 1 { FIRST_LAZY } else { BOTH };
    let values = [("count", found.len().into()), ("tag", shown.quoted().into())];
    let snippet: Vec<String> = found.iter().take(MAX_PLACES).filter_map(|image| without_lazy(*image)).collect();
    let waiting = found.iter().find(|image| is_stand_in(**image) && later(**image).is_some());
    let fix = match waiting.and_then(|image| later(*image)) {
        // To load what stands in for it early would not bring the image itself earlier.
        Some((name, address)) => {
            const REAL: Text = text(
                "The image's own URL is in {name}. Put {address} in src, then remove `loading=\"lazy\"` and add `fetchpriority=\"high\"`.",
                "A URL da própria imagem está em {name}. Coloque {address} em src, depois remova `loading=\"lazy\"` e adicione `fetchpriority=\"high\"`.",
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

/// Name of the file that the page is shared with: its lead image, in whatever size it stands on the page.
fn shared_file(html: &Html) -> Option<String> {
    file_name(html, html.social("og:image").or_else(|| html.social("twitter:image"))?)
}

/// Whether an address may name a file. Of one that is plain the URL has the bytes as they are, and the last part of its path
/// with them, unless it has no path of its own.
fn may_name(address: &str, file: &str) -> bool {
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'?' | b'=' | b'&');
    let behind = ["https://", "http://"].into_iter().find_map(|start| address.strip_prefix(start)).unwrap_or(address);
    address.contains(file) || address.is_empty() || address.starts_with('?') || !behind.bytes().all(is_plain)
}

/// The last part of an address's path, where it names a file.
fn file_name(html: &Html, address: &str) -> Option<String> {
    if is_data(address) {
        return None;
    }
    let url = html.resolve(address)?;
    Some(url.path_segments()?.next_back()?.to_owned()).filter(|name| name.contains('.'))
}

fn not_lazy(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let is_inline = |image: &Element<'_>| image.attribute("src").is_some_and(|src| src.trim().starts_with("data:"));
    let may_be_eager = |image: &Element<'_>| !is_lazy(*image) && later(*image).is_none() && !is_inline(image);
    // Whatever the headline is, there are not enough of them; and nobody is told whether there are any.
    if html.document.lacks_places() && content_images(html).skip(AT_ONCE).filter(may_be_eager).nth(MOST_EAGER).is_none()
    {
        return PASS;
    }
    // A column beside the text may stand before it in the source: the headline's first images are on the first screen too.
    let headline = headline::element(html).and_then(|(_, heading)| Some(heading.start_tag()?.end));
    let is_behind =
        |image: &Element<'_>| image.start_tag().is_some_and(|span| headline.is_some_and(|at| span.start > at));
    let leads: BTreeSet<_> = content_images(html).filter(is_behind).take(AT_ONCE).map(Element::id).collect();
    let lead = shared_file(html);
    let is_file = |image: &Element<'_>, lead: &str| {
        let src = image.attribute("src").filter(|src| may_name(src, lead));
        src.and_then(|src| file_name(html, src)).as_deref() == Some(lead)
    };
    let is_lead =
        |image: &Element<'_>| leads.contains(&image.id()) || lead.as_ref().is_some_and(|lead| is_file(image, lead));
    let content: Vec<Element<'_>> = content_images(html).skip(AT_ONCE).filter(|image| !is_lead(image)).collect();
    if content.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let preloaded = preloaded(html);
    let found: Vec<Element<'_>> =
        content.into_iter().filter(may_be_eager).filter(|image| !is_early(html, &preloaded, *image)).collect();
    if found.len() <= MOST_EAGER {
        return PASS;
    }
    const EAGER: Text = text(
        "{count} content images after the first {first} load at once instead of lazily.",
        "{count} imagens do conteúdo depois das {first} primeiras carregam de imediato, sem lazy loading.",
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

/// The address of an image as written; with https where the page has it and the address has not. `None` for no URL.
fn secured(html: &Html, address: &str) -> Option<String> {
    let mut url = html.resolve(address)?;
    let is_insecure = url.scheme() == "http" && html.url.scheme() == "https";
    if is_insecure && url.set_scheme("https").is_ok() { Some(url.into()) } else { Some(address.trim().to_owned()) }
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
        "{total|The only content image|{count} of {total} content images} {count|needs|need} a script to load{count|: the URL is|; the first has its URL} in {name}.",
        "{total|A única imagem do conteúdo|{count} de {total} imagens do conteúdo} só {count|carrega|carregam} com um script{count|: a URL está|; a primeira tem a URL} em {name}.",
    );
    const KEPT: Text = text("the URL in the image's data attribute", "a URL no atributo data da imagem");
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
            const NOW: Text =
                text("the image's URL is now in {name}: {address}", "a URL da imagem está agora em {name}: {address}");
            const CHECK: Text = text(
                "Check that the image loads from this URL, then paste the tag.",
                "Confira se a imagem carrega por esta URL; depois cole a tag.",
            );
            let (name, address) = later(*first).unwrap_or_default();
            let values = [("name", name.into()), ("address", address.trim().into())];
            // A srcset is a list and no address.
            let address = (!name.ends_with("srcset")).then(|| secured(html, address)).flatten();
            let tag = with_src(*first, address.as_deref().unwrap_or("{{IMAGE_URL}}"));
            let fix = FixDraft::template(FixTarget::Image, tag).from(NOW, &values);
            if address.is_some() { fix.note(CHECK, &[]) } else { fix }
        }
    };
    let is_minor = is_few(found.len(), total, NOTE_BELOW);
    problem(SCRIPTED, &values, fix).on(found.iter().map(|(_, image)| image)).minor_if(is_minor).fail()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::example::page;
    use crate::facts::walk::Page;

    proptest! {
        #[test]
        fn only_what_may_name_a_file_is_resolved(
            address in "(https:|http:|ftp:)?(//)?[ab./?#: %2e\\\\ü\t-]{0,10}",
            base in prop::sample::select(&["https://a.example/a.b", "http://a.example/b/a.a?b", "https://a.example"][..]),
        ) {
            let html = Page::read(&page(base, "")).html.unwrap();
            if let Some(name) = file_name(&html, &address) {
                prop_assert!(may_name(&address, &name), "{}", name);
            }
        }
    }
}
