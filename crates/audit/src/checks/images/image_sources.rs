//! Images that have nothing to show.

use url::Url;

use crate::check::prelude::*;
use crate::facts::by_design::is_script_loaded;
use crate::facts::content_images::{later, with_fallback};
use crate::facts::image_room;
use crate::facts::names::is_classic_script;
use crate::facts::page::Html;
use crate::facts::page_controls::has_mark;
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
    h1: text("Are there images on your page that never show?", "Há imagens na sua página que nunca aparecem?"),
    description: text(
        "Find img tags without an address, picture elements without an img, and an image file that is gone: nothing of them is shown.",
        "Encontre tags img sem endereço, elementos picture sem img e um arquivo de imagem que sumiu: nada deles aparece.",
    ),
    lead: text(
        "An `<img>` without `src` shows nothing, and a `<picture>` shows nothing without the `<img>` inside it, whatever sources it names. This tool finds both and leaves those alone that a script fills.",
        "Um `<img>` sem `src` não mostra nada, e um `<picture>` não mostra nada sem o `<img>` dentro dele, quaisquer que sejam as fontes. Esta ferramenta encontra os dois e não mexe nos que um script preenche.",
    ),
    example: include_str!("image_sources/bad_picture.html"),
};

const SRC_MISSING: Check = Check {
    code: "image_src_missing",
    severity: Severity::Warn,
    impact: Impact::Rendering,
    title: text("Images without an address", "Imagens sem endereço"),
    why: text(
        "Nothing is shown, and where the address is the page itself the browser fetches the page a second time.",
        "Nada é mostrado e, quando o endereço é a própria página, o navegador busca a página uma segunda vez.",
    ),
    how: text(
        "Name the image's address in `src`, or take the element out.",
        "Diga o endereço da imagem em `src`, ou tire o elemento.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/embedded-content.html#attr-img-src",
    rule: text(
        "Fails on an `img` without `src`, with an empty one, or with one that is the address of the page itself, when it has no `srcset` and no `source` with one beside it in its `picture`. Left alone are images that a script fills in: with an `id`, `onerror` or `onload`, or any attribute with a hyphen, `:` or `@` that is not of ARIA, such as `data-*`, those in an overlay or a gallery by a class or id close around (`control_words.tsv`), those beside a `noscript` with an image, and those hidden by `hidden`, `aria-hidden` or an inline style. A note where every one has a class and the page has scripts, which may find it by that. Not measured on an empty app shell; not applicable without images.",
        "Falha com um `img` sem `src`, com um vazio, ou com um que é o endereço da própria página, quando não tem `srcset` nem um `source` com ele ao lado no seu `picture`. Ficam de fora imagens que um script preenche: com `id`, `onerror` ou `onload`, ou qualquer atributo com hífen, `:` ou `@` que não seja de ARIA, como `data-*`, as de uma sobreposição ou galeria, por uma classe ou id logo em volta (`control_words.tsv`), as que estão ao lado de um `noscript` com imagem, e as ocultas por `hidden`, `aria-hidden` ou estilo embutido. É só uma nota quando todas têm classe e a página tem scripts, que podem achá-las por ela. Não é medido na casca vazia de um aplicativo; não se aplica sem imagens.",
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
    title: text("Picture without an img", "Picture sem img"),
    why: text(
        "`<picture>` only chooses an address for the `<img>` within it. Without one nothing is shown and nothing is indexed.",
        "`<picture>` só escolhe um endereço para o `<img>` dentro dele. Sem um, nada aparece e nada é indexado.",
    ),
    how: text(
        "Put an `<img>` with `src` and `alt` behind the last `<source>`.",
        "Coloque um `<img>` com `src` e `alt` depois do último `<source>`.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/embedded-content.html#the-picture-element",
    // A template and no ready tag: only its author can say what the picture shows, and without `alt` it would be wrong again.
    rule: text(
        "Fails on a `picture` with at least one `source` that has no `img` below it. One with a `noscript` that holds an image passes, and so does one that a script fills in, by attributes that begin with `data-`. Not measured on an empty app shell; not applicable without `picture`.",
        "Falha com um `picture` com ao menos um `source` que não tem um `img` abaixo dele. Um com `noscript` que contém uma imagem passa, e também um que um script preenche, por atributos que começam com `data-`. Não é medido na casca vazia de um aplicativo; não se aplica sem `picture`.",
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
    how: text(
        "Put the file back, or correct the address in `src`.",
        "Recoloque o arquivo ou corrija o endereço em `src`.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/google-images",
    rule: text(
        "Fails when an image file that the audit asked for answers 404 or 410 and an `img` of the page shows it. Asked for are, on the page's own origin, the widest image without dimensions and the social image. Other answers and silence tell nothing; without an answer it is not measured, and not applicable where no image of the page is asked for.",
        "Falha quando um arquivo de imagem que a auditoria pediu responde 404 ou 410 e um `img` da página o mostra. São pedidas, na origem da própria página, a imagem mais larga sem dimensões e a imagem social. Outras respostas e o silêncio não dizem nada; sem resposta não é medido, e não se aplica quando nenhuma imagem da página é pedida.",
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

/// Whether an image has nothing to show.
fn lacks_source(html: &Html, image: Element<'_>) -> bool {
    let filled = |element: Element<'_>, name: &str| element.attribute(name).is_some_and(|v| !v.trim().is_empty());
    let in_picture = || {
        let picture = image.parent().filter(|parent| parent.is("picture"));
        picture.is_some_and(|picture| picture.children().any(|source| source.is("source") && filled(source, "srcset")))
    };
    let src = image.attribute("src").map(str::trim).filter(|src| !src.is_empty());
    let is_page = |src: &str| html.resolve(src).is_some_and(|url| identity(&url) == identity(&html.url));
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
        "{count} {count|image has|images have} no address.",
        "{count} {count|imagem não tem|imagens não têm} endereço.",
    );
    const PERHAPS: Text = text(
        "{count} {count|image has|images have} no address in the HTML; a script may find {count|it|them} by class and fill {count|it|them} in.",
        "{count} {count|imagem não tem|imagens não têm} endereço no HTML; um script pode {count|achá-la|achá-las} pela classe e {count|preenchê-la|preenchê-las}.",
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
        const GONE: Text = text("The image {url} answers {status}.", "A imagem {url} responde {status}.");
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
        "{count} picture {count|element has|elements have} no img.",
        "{count} {count|elemento picture não tem|elementos picture não têm} img.",
    );
    const LAST: Text = text("the last source of the picture", "a última fonte do picture");
    let sources =
        first.descendants().filter(|below| below.is("source")).filter_map(|source| source.attribute("srcset"));
    let address =
        sources.last().and_then(|set| set.split_ascii_whitespace().next()).map(|one| one.trim_end_matches(','));
    let src = attribute(address.unwrap_or("{{IMAGE_URL}}"));
    let tag = format!("<img src=\"{src}\" alt=\"{{{{DESCRIPTION}}}}\">");
    let fix = FixDraft::template(FixTarget::Image, tag).from(LAST, &[]);
    problem(EMPTY, &[("count", found.len().into())], fix).on(&found).fail()
}
