//! Images that have nothing to show.

use crate::check::prelude::*;
use crate::facts::content_images::{later, with_fallback};
use crate::facts::page::Html;
use crate::facts::url_identity::identity;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "image-sources",
    category: Category::Images,
    landing: LANDING,
    checks: &[PICTURE_WITHOUT_IMG, SRC_MISSING],
};

const LANDING: Landing = Landing {
    title: text("Broken img and picture tag checker", "Verificador de tags img e picture quebradas"),
    h1: text("Are there images on your page that never show?", "Há imagens na sua página que nunca aparecem?"),
    description: text(
        "Find img tags without an address and picture elements without an img, which no browser shows and no search engine indexes.",
        "Encontre tags img sem endereço e elementos picture sem img, que nenhum navegador mostra e nenhum buscador indexa.",
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
        "Fails on an `img` without `src`, with an empty one, or with one that is the address of the page itself, when it has no `srcset` and no `source` with one beside it in its `picture`. Left alone are images that a script fills in: with an `id`, `onerror` or `onload`, or any attribute that begins with `data-`, `ng-`, `v-`, `x-`, `:` or `@`, those beside a `noscript` with an image, and those hidden by `hidden`, `aria-hidden` or an inline style. Not measured on an empty app shell; not applicable without images.",
        "Falha com um `img` sem `src`, com um vazio, ou com um que é o endereço da própria página, quando não tem `srcset` nem um `source` com ele ao lado no seu `picture`. Ficam de fora imagens que um script preenche: com `id`, `onerror` ou `onload`, ou qualquer atributo que comece com `data-`, `ng-`, `v-`, `x-`, `:` ou `@`, as que estão ao lado de um `noscript` com imagem, e as ocultas por `hidden`, `aria-hidden` ou estilo embutido. Não é medido na casca vazia de um aplicativo; não se aplica sem imagens.",
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

/// Whether a script has an attribute to find an image by, or to fill it in.
fn is_of_script(image: Element<'_>) -> bool {
    const STARTS: [&str; 6] = ["data-", "ng-", "v-", "x-", ":", "@"];
    image.attributes().any(|(name, _)| {
        matches!(name, "id" | "onerror" | "onload") || STARTS.iter().any(|start| name.starts_with(start))
    })
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
        .filter(|image| !html.listed.is_unseen(*image) && !fallback.contains(&image.id()))
        .collect();
    if found.is_empty() {
        return PASS;
    }
    const NOTHING: Text = text(
        "{count} {count|image has|images have} no address.",
        "{count} {count|imagem não tem|imagens não têm} endereço.",
    );
    let fix = FixDraft::instruction(FixTarget::Image, SRC_MISSING.how, &[]);
    problem(NOTHING, &[("count", found.len().into())], fix).on(&found).fail()
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
