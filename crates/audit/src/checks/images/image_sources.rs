//! Images that have nothing to show.

use url::Url;

use crate::check::prelude::*;
use crate::facts::by_design::is_script_loaded;
use crate::facts::content_images::{later, with_fallback};
use crate::facts::image_room;
use crate::facts::names::is_classic_script;
use crate::facts::page::Html;
use crate::facts::page_controls::has_mark;
use crate::facts::plain_address::{PlainTarget, is_data};
use crate::facts::url_identity::{identity, same_page};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "image-sources",
    category: Category::Images,
    landing: LANDING,
    checks: &[PICTURE_WITHOUT_IMG, SRC_MISSING, BROKEN],
};

const LANDING: Landing = Landing {
    title: text("Broken img and picture tag checker", "Verificador de tags img e picture quebradas"),
    h1: text("Do some images on your page never show?", "Alguma imagem da sua página nunca aparece?"),
    description: text(
        "Find img tags without a URL, picture elements without an img, and image files that no longer exist. Browsers show nothing for them.",
        "Encontre tags img sem URL, elementos picture sem img e arquivos de imagem que não existem mais. O navegador não mostra nenhum deles.",
    ),
    lead: text(
        "An `<img>` without `src` shows nothing. A `<picture>` without an `<img>` inside shows nothing either, whatever its sources. This tool finds both and skips images that a script fills in.",
        "Um `<img>` sem `src` não mostra nada. Um `<picture>` sem um `<img>` dentro também não, quaisquer que sejam as fontes. Esta ferramenta encontra os dois e ignora imagens que um script preenche.",
    ),
    example: include_str!("image_sources/bad_picture.html"),
};

const SRC_MISSING: Check = Check {
    code: "image_src_missing",
    severity: Severity::Warn,
    impact: Impact::Rendering,
    title: text("Images without a URL", "Imagens sem URL"),
    why: text(
        "Browsers show nothing for an image without a URL. If its URL is the page itself, the browser also downloads the page a second time.",
        "O navegador não mostra nada para uma imagem sem URL. Se a URL é a da própria página, ele ainda baixa a página uma segunda vez.",
    ),
    how: text(
        "Put the image's URL in `src`, or remove the element.",
        "Coloque a URL da imagem em `src` ou remova o elemento.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/embedded-content.html#attr-img-src",
    rule: text(
        "Fails when an `img` has no `src`, an empty one, or the URL of the page itself, and has neither a `srcset` nor a `source` with `srcset` beside it in its `picture`. The check skips images that a script may fill in: those with an `id`, `onerror` or `onload`, or with any attribute that contains a hyphen, `:` or `@` and isn't ARIA, such as `data-*`. It skips images in an overlay or gallery, recognized by a class or id close around them (`control_words.tsv`), images next to a `noscript` with an image, and images hidden by `hidden`, `aria-hidden` or an inline style. A note when every such image has a class and the page has scripts, which may find it by that class. Not measured on an empty app shell; not applicable without images.",
        "Falha quando um `img` não tem `src`, tem um vazio ou tem a URL da própria página, e não tem `srcset` nem um `source` com `srcset` ao lado no seu `picture`. A verificação ignora imagens que um script pode preencher: com `id`, `onerror` ou `onload`, ou com qualquer atributo com hífen, `:` ou `@` que não seja ARIA, como `data-*`. Ignora também imagens de uma sobreposição ou galeria, reconhecida por uma classe ou id logo em volta (`control_words.tsv`), imagens ao lado de um `noscript` com imagem e imagens ocultas por `hidden`, `aria-hidden` ou estilo embutido. É uma observação quando todas têm classe e a página tem scripts, que podem achá-las por ela. Não é medido na casca vazia de um aplicativo; não se aplica sem imagens.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Image),
    since: WHOLE,
    run: src_missing,
};

const PICTURE_WITHOUT_IMG: Check = Check {
    code: "picture_without_img",
    severity: Severity::Warn,
    impact: Impact::Rendering,
    title: text("Picture element without an img", "Elemento picture sem img"),
    why: text(
        "`<picture>` only chooses a file for the `<img>` inside it. Without an `<img>`, browsers show nothing and search engines index nothing.",
        "`<picture>` só escolhe um arquivo para o `<img>` dentro dele. Sem um `<img>`, o navegador não mostra nada e os buscadores não indexam nada.",
    ),
    how: text(
        "Add an `<img>` with `src` and `alt` after the last `<source>`.",
        "Adicione um `<img>` com `src` e `alt` depois do último `<source>`.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/embedded-content.html#the-picture-element",
    // A template and no ready tag: only its author can say what the picture shows, and without `alt` it would be wrong again.
    rule: text(
        "Fails when a `picture` with at least one `source` has no `img` inside. It passes with a `noscript` inside, or when attributes that begin with `data-` show that a script fills it in. Not measured on an empty app shell; not applicable without `picture`.",
        "Falha quando um `picture` com ao menos um `source` não tem um `img` dentro. Passa se houver um `noscript` dentro, ou se atributos que começam com `data-` mostram que um script o preenche. Não é medido na casca vazia de um aplicativo; não se aplica sem `picture`.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Image),
    since: WHOLE,
    run: picture_without_img,
};

const BROKEN: Check = Check {
    code: "image_broken",
    severity: Severity::Warn,
    impact: Impact::Rendering,
    title: text("Image file not found", "Arquivo de imagem não encontrado"),
    why: text(
        "Visitors see an empty frame or the alternative text, and image search has nothing to index.",
        "Os visitantes veem um quadro vazio ou o texto alternativo, e a busca de imagens não tem o que indexar.",
    ),
    how: text("Put the file back, or correct the URL in `src`.", "Recoloque o arquivo ou corrija a URL em `src`."),
    reference: "https://developers.google.com/search/docs/appearance/google-images",
    rule: text(
        "Fails when an image file that the audit requests answers 404 or 410 and an `img` of the page shows it. The audit requests, on the page's own origin, the widest image without dimensions and the social image. Other answers and timeouts are ignored. Not measured without an answer; not applicable when the audit requests no image of the page.",
        "Falha quando um arquivo de imagem que a auditoria pede responde 404 ou 410 e um `img` da página o mostra. A auditoria pede, na origem da própria página, a imagem mais larga sem dimensões e a imagem social. Outras respostas e a falta de resposta são ignoradas. Não é medido sem resposta; não se aplica quando nenhuma imagem da página é pedida.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Image),
    since: PRECISION,
    run: broken,
};

/// Elements around an image that are looked at for an overlay.
const LEVELS_AROUND: usize = 4;

/// Whether a script has an attribute to find an image by, or to fill it in.
fn is_of_script(image: Element<'_>) -> bool {
    image.attributes().any(|(name, _)| {
        // HTML itself has no attribute of an image with a hyphen but those of ARIA.
        let is_own = name.contains('-') && !name.starts_with("aria-");
        matches!(name, "id" | "onerror" | "onload") || is_own || name.contains([':', '@'])
    })
}

/// Whether an image stands in an overlay or a gallery, which shows in it what a visitor chooses.
fn is_of_overlay(image: Element<'_>) -> bool {
    let names_overlay =
        |element: Element<'_>| ["class", "id"].iter().filter_map(|name| element.attribute(name)).any(has_mark);
    let around = image.ancestors().take(LEVELS_AROUND).take_while(|element| !element.is("body"));
    std::iter::once(image).chain(around).any(|element| names_overlay(element) || element.is("dialog"))
}

/// Whether an address may be that of the page: those of most images can't, and need no parsing.
fn may_be_page(html: &Html, address: &str) -> bool {
    let is_elsewhere = |target: PlainTarget<'_>| html.url.host_str() != Some(target.host);
    !is_data(address) && !html.plain_target(address).is_some_and(is_elsewhere)
}

/// Whether an image has nothing to show.
fn lacks_source(html: &Html, image: Element<'_>) -> bool {
    let filled = |element: Element<'_>, name: &str| element.attribute(name).is_some_and(|v| !v.trim().is_empty());
    let in_picture = || {
        let picture = image.parent().filter(|parent| parent.is("picture"));
        picture.is_some_and(|picture| picture.children().any(|source| source.is("source") && filled(source, "srcset")))
    };
    let src = image.attribute("src").map(str::trim).filter(|src| !src.is_empty());
    let is_page = |src: &str| {
        may_be_page(html, src) && html.resolve(src).is_some_and(|url| identity(&url) == identity(&html.url))
    };
    src.is_none_or(is_page) && !filled(image, "srcset") && !in_picture()
}

fn src_missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.filled_page()?;
    if html.images.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let fallback = with_fallback(html);
    let found: Vec<Element<'_>> = html
        .elements(&html.images)
        .filter(|image| lacks_source(html, *image) && later(*image).is_none() && !is_of_script(*image))
        .filter(|image| !is_of_overlay(*image) && !is_script_loaded(*image))
        .filter(|image| !html.listed.is_unseen(*image) && !fallback.contains(&image.id()))
        .collect();
    if found.is_empty() {
        return PASS;
    }
    const NOTHING: Text = text(
        "{count|An image has no URL of its own.|{count} images have no URL of their own.}",
        "{count|Uma imagem não tem URL própria.|{count} imagens não têm URL própria.}",
    );
    const PERHAPS: Text = text(
        "{count|An image has no URL of its own|{count} images have no URL of their own} in the HTML. A script may find {count|it by its class and fill it in|them by class and fill them in}.",
        "{count|Uma imagem não tem|{count} imagens não têm} URL própria no HTML. Um script pode {count|encontrá-la pela classe e preenchê-la|encontrá-las pela classe e preenchê-las}.",
    );
    let runs_scripts = html.elements(&html.scripts).any(is_classic_script);
    let is_open = runs_scripts && found.iter().all(|image| image.has("class"));
    let fix = FixDraft::instruction(FixTarget::Image, SRC_MISSING.how, &[]);
    let message = if is_open { PERHAPS } else { NOTHING };
    problem(message, &[("count", found.len().into())], fix).on(&found).minor_if(is_open).fail()
}

fn broken(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let asked = facts.image_answers()?;
    let showing = |url: &Url| -> Vec<Element<'_>> {
        let images = html.elements(&html.images);
        images.filter(|image| image_room::source(html, *image).is_some_and(|source| same_page(&source, url))).collect()
    };
    let (mut is_shown, mut is_known) = (false, false);
    for (url, status) in asked {
        let images = showing(&url);
        if images.is_empty() {
            continue;
        }
        is_shown = true;
        is_known |= status.is_some();
        let Some(status) = status.filter(|status| matches!(status, 404 | 410)) else { continue };
        const GONE: Text = text(
            "The image {url} doesn't exist: the server answers {status}.",
            "A imagem {url} não existe: o servidor responde {status}.",
        );
        let values = [("url", url.as_str().into()), ("status", status.into()), ("count", images.len().into())];
        let fix = FixDraft::instruction(FixTarget::Image, BROKEN.how, &[]);
        return problem(GONE, &values, fix).on(&images).fail();
    }
    match (is_shown, is_known) {
        (false, _) => Err(NotMeasured::Absent),
        (true, false) => Err(NotMeasured::Probe),
        (true, true) => PASS,
    }
}

fn picture_without_img(facts: &Facts<'_>) -> Verdict {
    let html = facts.filled_page()?;
    if html.listed.pictures.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let is_filled_in = |element: Element<'_>| element.attributes().any(|(name, _)| name.starts_with("data-"));
    let shows_nothing = |picture: &Element<'_>| {
        let mut has_source = false;
        for below in picture.descendants() {
            if below.is("img") || below.is("noscript") || is_filled_in(below) {
                return false;
            }
            has_source |= below.is("source");
        }
        has_source && !is_filled_in(*picture)
    };
    // A picture within another would be walked through again for each around it.
    let outer = |picture: &Element<'_>| !picture.ancestors().any(|around| around.is("picture"));
    let found: Vec<Element<'_>> = html.elements(&html.listed.pictures).filter(outer).filter(shows_nothing).collect();
    let Some(first) = found.first() else { return PASS };
    const EMPTY: Text = text(
        "{count|A picture element has|{count} picture elements have} no img inside.",
        "{count|Um elemento picture não tem|{count} elementos picture não têm} img dentro.",
    );
    const LAST: Text = text("the last source of the picture element", "o último source do elemento picture");
    let sources =
        first.descendants().filter(|below| below.is("source")).filter_map(|source| source.attribute("srcset"));
    let address =
        sources.last().and_then(|set| set.split_ascii_whitespace().next()).map(|one| one.trim_end_matches(','));
    let src = attribute(address.unwrap_or("{{IMAGE_URL}}"));
    let tag = format!("<img src=\"{src}\" alt=\"{{{{DESCRIPTION}}}}\">");
    const SHOWN: Text = text(
        "Put the URL of the image in `src`, and what it shows in `alt`.",
        "Coloque a URL da imagem em `src` e o que ela mostra em `alt`.",
    );
    let fix = FixDraft::template(FixTarget::Image, tag).from(LAST, &[]).note(SHOWN, &[]);
    problem(EMPTY, &[("count", found.len().into())], fix).on(&found).fail()
}
