//! The alternative text of images: missing, no more than the name of a file, cut, or with tags.

mod written;

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::check::MAX_PLACES;
use crate::check::prelude::*;
use crate::facts::by_design::is_counting_pixel;
use crate::facts::content_images::{SMALL, content_images};
use crate::facts::document::collapse;
use crate::facts::image_room::source;
use crate::facts::names::{has_label, has_text, is_decorative, lacks_alternative};
use crate::facts::url_identity::percent_decoded;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "image-alt",
    category: Category::Images,
    landing: LANDING,
    checks: &[MISSING, FILENAME, ALL_EMPTY, written::CUT, written::MARKUP],
};

const LANDING: Landing = Landing {
    title: text("Image alt text checker", "Verificador de texto alternativo de imagens"),
    h1: text("Do all your images have alt text?", "Todas as suas imagens têm texto alternativo?"),
    description: text(
        "Find images without an alt attribute, and alt text that is only a file name such as IMG_1234.jpg or a generic word such as “image”.",
        "Encontre imagens sem o atributo alt e textos alternativos que são só um nome de arquivo, como IMG_1234.jpg, ou uma palavra genérica como “imagem”.",
    ),
    lead: text(
        "Screen readers read the alt text aloud to people who can't see an image; image search and AI agents read it too. This tool tells missing alt text from an empty `alt`, which is right for decoration.",
        "Leitores de tela leem o texto alternativo para quem não vê a imagem; a busca de imagens e os agentes de IA também o leem. Esta ferramenta distingue o `alt` ausente do vazio, que é correto para decoração.",
    ),
    example: include_str!("image_alt/bad_missing.html"),
};

const MISSING: Check = Check {
    code: "image_alt_missing",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("Images without alt text", "Imagens sem texto alternativo"),
    why: text(
        "Screen readers read the alt text aloud, and image search relies on it. Without the `alt` attribute, a screen reader may read out the file name instead.",
        "Leitores de tela leem o texto alternativo em voz alta, e a busca de imagens depende dele. Sem o atributo `alt`, o leitor de tela pode ler o nome do arquivo no lugar.",
    ),
    how: text(
        "Describe what the image shows in `alt`. For a purely decorative image, use `alt=\"\"`.",
        "Descreva em `alt` o que a imagem mostra. Para uma imagem só decorativa, use `alt=\"\"`.",
    ),
    reference: "https://www.w3.org/WAI/WCAG22/Understanding/non-text-content",
    rule: text(
        "Fails when an `img`, `input type=image` or `area[href]` has no `alt` attribute, no `aria-label`, and no `aria-labelledby` that leads to text. An empty `alt` is right for decoration and passes. An `img` inside an AMP element uses the alt text of that element. The check skips elements with `role` `none` or `presentation`, hidden ones (`hidden`, `aria-hidden`, an inline `display: none`), and `img` without a URL in `src` or `srcset`. A note when less than 20% of such elements are affected. Not measured on an empty app shell; not applicable without such elements.",
        "Falha quando um `img`, `input type=image` ou `area[href]` não tem atributo `alt`, `aria-label` nem `aria-labelledby` que leve a um texto. Um `alt` vazio é correto para decoração e passa. Um `img` dentro de um elemento AMP usa o texto alternativo desse elemento. A verificação ignora elementos com `role` `none` ou `presentation`, os ocultos (`hidden`, `aria-hidden`, um `display: none` embutido) e `img` sem URL em `src` ou `srcset`. É uma observação quando menos de 20% desses elementos são afetados. Não é medido na casca vazia de um aplicativo; não se aplica sem esses elementos.",
    ),
    thresholds: &[threshold("note_below", NOTE_BELOW as u64, "percent")],
    remedy: remedy(FixClass::Template, FixTarget::Image),
    since: FIRST,
    run: missing,
};

const FILENAME: Check = Check {
    code: "image_alt_filename",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Alt text is a file name or generic word", "Texto alternativo é nome de arquivo ou palavra genérica"),
    why: text(
        "A screen reader reads “I M G underscore one two three four” aloud, and image search learns nothing about the picture.",
        "O leitor de tela lê “I M G sublinhado um dois três quatro” em voz alta, e a busca de imagens não descobre nada sobre a foto.",
    ),
    how: text(
        "Describe in `alt` what the image shows. For a purely decorative image, use `alt=\"\"`.",
        "Descreva em `alt` o que a imagem mostra. Para uma imagem só decorativa, use `alt=\"\"`.",
    ),
    reference: "https://www.w3.org/WAI/standards-guidelines/act/rules/9eb3f6/",
    rule: text(
        "Fails when the `alt` of an `img` is a file name or a generic word. That is the case when it ends in the extension of an image file; when it is the name of the image's own file, in the same letter case, with a digit, `_` or at least two `-`; when its parts are joined by three or more `-` or `_`, without spaces and with a digit or `_` among them; or when it is in the list `generic_alts.txt` (such as “image”, “photo”, “IMG_1234”). Surrounding spaces are ignored, and so is letter case, except for the image's own file name. Hidden images and those removed from reading by `role` or `aria-hidden` are skipped. Not applicable when no image has a non-empty `alt`.",
        "Falha quando o `alt` de um `img` é um nome de arquivo ou uma palavra genérica. É o caso quando termina com a extensão de um arquivo de imagem; quando é o nome do próprio arquivo da imagem, com as mesmas maiúsculas, e tem dígito, `_` ou pelo menos dois `-`; quando suas partes são unidas por três ou mais `-` ou `_`, sem espaços e com um dígito ou `_`; ou quando está na lista `generic_alts.txt` (como “imagem”, “foto”, “IMG_1234”). Espaços em volta são ignorados, e maiúsculas também, exceto no nome do próprio arquivo. Imagens ocultas ou retiradas da leitura por `role` ou `aria-hidden` são ignoradas. Não se aplica quando nenhuma imagem tem `alt` preenchido.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Image),
    since: WHOLE,
    run: filename,
};

const ALL_EMPTY: Check = Check {
    code: "image_alt_all_empty",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("All content images have an empty alt", "Todas as imagens do conteúdo com alt vazio"),
    why: text(
        "An empty `alt` marks an image as decoration. When every content image is marked this way, image search, AI agents and people who can't see learn nothing about them.",
        "Um `alt` vazio marca a imagem como decoração. Quando todas as imagens do conteúdo estão marcadas assim, a busca de imagens, os agentes de IA e quem não enxerga não ficam sabendo o que elas mostram.",
    ),
    how: text(
        "Describe in `alt` what each informative image shows. Leave `alt` empty only on decorative images.",
        "Descreva em `alt` o que cada imagem informativa mostra. Deixe o `alt` vazio só nas decorativas.",
    ),
    reference: "https://www.w3.org/WAI/tutorials/images/decision-tree/",
    rule: text(
        "Fails when the content has 3 or more images and each of them has an empty `alt` and no label. Content images are outside the site's `header` and outside `nav`, `footer` and `aside`; they are visible, have a URL, and declare no side below 200 pixels. The check skips images in a link or button that has text of its own, and those with `role` `none` or `presentation`. Not measured on an empty app shell; not applicable with fewer images.",
        "Falha quando o conteúdo tem 3 ou mais imagens e cada uma delas tem `alt` vazio e nenhum rótulo. Imagens do conteúdo ficam fora do `header` do site e de `nav`, `footer` e `aside`; são visíveis, têm URL e não declaram um lado abaixo de 200 pixels. A verificação ignora imagens em um link ou botão com texto próprio e as com `role` `none` ou `presentation`. Não é medido na casca vazia de um aplicativo; não se aplica com menos imagens.",
    ),
    thresholds: &[threshold("images", LEAST_IMAGES as u64, "images"), threshold("small_side", SMALL as u64, "pixels")],
    remedy: remedy(FixClass::Template, FixTarget::Image),
    since: PRECISION,
    run: all_empty,
};

/// Images of the content from which on some of them tell something.
const LEAST_IMAGES: usize = 3;

/// Alternative texts that say nothing. Source and date in the file.
static GENERIC: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    include_str!("../../data/generic_alts.txt").lines().filter(|line| !line.starts_with("# ")).collect()
});
/// Ends of the names of image files.
const EXTENSIONS: [&str; 9] = [".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".svg", ".bmp", ".tiff"];

/// Signs between the parts of a file's name from which on nobody wrote it for people.
const LEAST_SIGNS: usize = 3;

/// Whether a text is joined as the names of files are: many parts without a space, with `_` or a digit among them.
fn is_like_file(alt: &str) -> bool {
    alt.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        && alt.contains(|c: char| c == '_' || c.is_ascii_digit())
        && alt.matches(['-', '_']).count() >= LEAST_SIGNS
}

/// Whether an alternative is only the name of a file, or a generic alt text.
fn is_filename(alt: &str, src: &str) -> bool {
    let alt = alt.trim();
    let file = src.split(['?', '#']).next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    let file = percent_decoded(file);
    let name = file.rsplit_once('.').map_or(file.as_ref(), |(name, _)| name);
    // A short name with one hyphen, such as "X-Logo", and one in another letter case, somebody wrote for people.
    let is_own_file = !name.is_empty()
        && alt == name
        && (alt.contains(|c: char| c.is_ascii_digit() || c == '_') || alt.matches('-').count() > 1)
        && !alt.contains(' ');
    let looks_like_file = is_like_file(alt);
    let alt = alt.to_lowercase();
    let word = alt.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_listed = GENERIC.contains(alt.as_str())
        || word.len() < alt.len()
            && [word, word.trim_end()].iter().any(|word| GENERIC.contains(format!("{word}#").as_str()));
    is_listed || is_own_file || looks_like_file || EXTENSIONS.iter().any(|end| alt.ends_with(end))
}

/// Percent of a page's images below which those without an alternative are a note: a pixel or an avatar among many that are
/// described.
const NOTE_BELOW: usize = 20;

fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.filled_page()?;
    let mut total = 0usize;
    let mut found = Vec::new();
    for element in html.elements(&html.addressed) {
        let concerned = element.is("img")
            || element.is("input")
                && element.attribute("type").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("image"))
            || element.is("area") && element.has("href");
        if !concerned {
            continue;
        }
        total += 1;
        if lacks_alternative(&html.listed, element) {
            found.push(element);
        }
    }
    if total == 0 {
        return Err(NotMeasured::Absent);
    }
    if found.is_empty() {
        return PASS;
    }
    const NO_ALT: Text = text(
        "{total|The only image has|{count} of {total} images {count|has|have}} no alt attribute.",
        "{total|A única imagem não tem|{count} de {total} imagens não {count|tem|têm}} o atributo alt.",
    );
    const SOME_NEED_NONE: Text = text(
        "{total|The only image, image button or map area needs an alt attribute and has none.|{count} of {total} images, image buttons and map areas {count|needs|need} an alt attribute and {count|has|have} none.} In total, {without|one img element lacks|{without} img elements lack} it, counting hidden and decorative ones.",
        "{total|A única imagem, botão de imagem ou área de mapa precisa do atributo alt e não o tem.|{count} de {total} imagens, botões de imagem e áreas de mapa {count|precisa|precisam} do atributo alt e não o {count|tem|têm}.} No total, {without|um elemento img está|{without} elementos img estão} sem ele, contando ocultos e decorativos.",
    );
    let is_pixel = |image: Element<'_>| is_counting_pixel(image, source(html, image).as_ref());
    let picture = found.iter().find(|image| !is_pixel(**image));
    let fix = match picture.or(found.first().filter(|image| image.start_tag().is_none())) {
        Some(picture) => described(*picture),
        None => unread(&found),
    };
    let without = html.elements(&html.images).filter(|image| !image.has("alt")).count();
    let is_all = without == found.len() && total == html.images.len();
    let message = if is_all { NO_ALT } else { SOME_NEED_NONE };
    let values = [("count", found.len().into()), ("total", total.into()), ("without", without.into())];
    problem(message, &values, fix).on(&found).minor_if(is_few(found.len(), total, NOTE_BELOW)).fail()
}

/// The tag with a placeholder for its description.
fn described(image: Element<'_>) -> FixDraft {
    let fix = FixDraft::template(FixTarget::Image, with_alt(image, "{{DESCRIPTION}}"));
    match caption(image) {
        Some(caption) => {
            const NEAR: Text = text("text beside the image: {text}", "texto ao lado da imagem: {text}");
            fix.from(NEAR, &[("text", caption.into())])
        }
        None => fix,
    }
}

/// The tags of counting pixels, which there is nothing to say about.
fn unread(pixels: &[Element<'_>]) -> FixDraft {
    const DECORATION: Text = text(
        "an empty alt, because these tracking pixels are invisible",
        "um alt vazio, porque estes pixels de rastreamento são invisíveis",
    );
    let tags: Vec<String> = pixels.iter().take(MAX_PLACES).map(|pixel| with_alt(*pixel, "")).collect();
    let fix = FixDraft::edit(FixTarget::Image, tags.join("\n")).from(DECORATION, &[]);
    pixels.iter().fold(fix, |fix, pixel| fix.set(*pixel, "alt", ""))
}

/// The start tag with an alternative, which it lacks.
fn with_alt(image: Element<'_>, alt: &str) -> String {
    let tag = image.start_tag_source().unwrap_or("<img>");
    format!("{} alt=\"{alt}\">", tag.trim_end_matches('>').trim_end_matches('/').trim_end())
}

/// Its title, a caption, or the text of the link around the image.
fn caption(image: Element<'_>) -> Option<String> {
    let title = image.attribute("title").map(collapse).filter(|title| !title.is_empty());
    let figure = image.ancestors().find(|ancestor| ancestor.is("figure"));
    let caption =
        figure.and_then(|figure| figure.descendants().find(|below| below.is("figcaption")).map(Element::text));
    let link = || image.ancestors().find(|ancestor| ancestor.is("a")).map(Element::text);
    title.or(caption).or_else(link).filter(|text| !text.is_empty())
}

fn filename(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let described = || {
        html.elements(&html.images)
            .filter_map(|image| Some((image, image.attribute("alt").filter(|alt| !alt.trim().is_empty())?)))
    };
    if described().next().is_none() {
        return Err(NotMeasured::Absent);
    }
    let found: Vec<(Element<'_>, &str)> = described()
        .filter(|(image, alt)| is_filename(alt, image.attribute("src").unwrap_or_default()))
        .filter(|(image, _)| !is_decorative(*image) && !html.listed.is_unseen(*image))
        .collect();
    let Some((first, alt)) = found.first() else { return PASS };
    const NAMED: Text = text(
        "{count|An image has a file name or a generic word|{count} images have a file name or a generic word} as alt text{count|: “{alt}”|; the first is “{alt}”}.",
        "{count|Uma imagem tem um nome de arquivo ou uma palavra genérica|{count} imagens têm um nome de arquivo ou uma palavra genérica} como texto alternativo{count|: “{alt}”|; o primeiro é “{alt}”}.",
    );
    let tag =
        first.start_tag_with("alt", "{{DESCRIPTION}}").unwrap_or_else(|| "<img alt=\"{{DESCRIPTION}}\">".to_owned());
    let mut fix = FixDraft::template(FixTarget::Image, tag);
    if let Some(caption) = caption(*first) {
        const NEAR: Text = text("text beside the image: {text}", "texto ao lado da imagem: {text}");
        fix = fix.from(NEAR, &[("text", caption.into())]);
    }
    let values = [("count", found.len().into()), ("alt", (*alt).into())];
    problem(NAMED, &values, fix).on(found.iter().map(|(image, _)| image)).fail()
}

/// Whether a link or button around an image has text that says what it shows.
fn is_told_by_link(image: Element<'_>) -> bool {
    image.ancestors().find(|around| around.is("a") || around.is("button")).is_some_and(has_text)
}

fn all_empty(facts: &Facts<'_>) -> Verdict {
    let html = facts.filled_page()?;
    let found: Vec<Element<'_>> =
        content_images(html).filter(|image| !is_decorative(*image) && !is_told_by_link(*image)).collect();
    if found.len() < LEAST_IMAGES {
        return Err(NotMeasured::Absent);
    }
    let is_empty =
        |image: &Element<'_>| image.attribute("alt").is_some_and(|alt| alt.trim().is_empty()) && !has_label(*image);
    let Some(first) = found.first().filter(|_| found.iter().all(is_empty)) else { return PASS };
    const NONE_SAYS: Text = text(
        "All {count} content images that aren't in links with text have an empty alt.",
        "Todas as {count} imagens do conteúdo fora de links com texto têm alt vazio.",
    );
    let tag =
        first.start_tag_with("alt", "{{DESCRIPTION}}").unwrap_or_else(|| "<img alt=\"{{DESCRIPTION}}\">".to_owned());
    let fix = FixDraft::template(FixTarget::Image, tag);
    problem(NONE_SAYS, &[("count", found.len().into())], fix).on(&found).fail()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_told_from_descriptions() {
        for (alt, src) in [
            ("IMG_1234", "/a.jpg"),
            ("loaf.JPG", "/b.png"),
            ("rye-loaf-2", "/photos/rye-loaf-2.webp?w=9"),
            ("loaf-of-rye", "/photos/loaf-of-rye.webp"),
            ("0225-rye-loaf-01", "/other.jpg"),
            ("red_bar_of_page", "/other.jpg"),
            ("Image 3", "/a.jpg"),
            ("foto", "/a.jpg"),
            ("hero_1", "/hero_1.png"),
        ] {
            assert!(is_filename(alt, src), "{alt}");
        }
        for (alt, src) in [
            ("Logo", "/logo.png"),
            ("A rye loaf", "/rye.png"),
            ("iPhone 15", "/a.png"),
            ("2024", "/x.png"),
            ("X-Logo", "/x-logo.svg"),
            ("Mill-2", "/mill-2.png"),
            ("rye-mill", "/rye-mill.png"),
            ("a-jack-of-all-trades", "/x.png"),
        ] {
            assert!(!is_filename(alt, src), "{alt}");
        }
    }
}
