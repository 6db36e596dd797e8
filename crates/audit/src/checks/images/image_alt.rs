//! The alternative text of images: missing, or no more than the name of a file.

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
pub(crate) const FAMILY: Family =
    Family { slug: "image-alt", category: Category::Images, landing: LANDING, checks: &[MISSING, FILENAME, ALL_EMPTY] };

const LANDING: Landing = Landing {
    title: text("Image alt text checker", "Verificador de texto alternativo de imagens"),
    h1: text("Do all your images have an alt text?", "Todas as suas imagens têm texto alternativo?"),
    description: text(
        "Find images without an alt attribute, and alt texts that are only a file name such as IMG_1234.jpg or the word “image”.",
        "Encontre imagens sem o atributo alt e textos alternativos que são só um nome de arquivo, como IMG_1234.jpg, ou a palavra “imagem”.",
    ),
    lead: text(
        "The alternative text is what people hear who can't see an image, and what image search and AI agents read. This tool tells missing ones from the empty ones that are right for decoration.",
        "O texto alternativo é o que ouve quem não vê a imagem e o que leem a busca de imagens e os agentes de IA. Esta ferramenta distingue os que faltam dos vazios, que são corretos para decoração.",
    ),
    example: include_str!("image_alt/bad_missing.html"),
};

const MISSING: Check = Check {
    code: "image_alt_missing",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("Images without alternative text", "Imagens sem texto alternativo"),
    why: text(
        "The alternative is what a blind person hears and what image search reads. Without the attribute a screen reader reads out the file name.",
        "O texto alternativo é o que uma pessoa cega ouve e o que a busca de imagens lê. Sem o atributo, o leitor de tela lê o nome do arquivo.",
    ),
    how: text(
        "Describe what the image shows in `alt`; give a purely decorative image `alt=\"\"`.",
        "Descreva em `alt` o que a imagem mostra; a uma imagem só decorativa dê `alt=\"\"`.",
    ),
    reference: "https://www.w3.org/WAI/WCAG22/Understanding/non-text-content",
    rule: text(
        "Fails on `img`, `input type=image` and `area[href]` without an `alt` attribute, `aria-label`, or `aria-labelledby` that leads to text. An empty `alt` is right for decoration and passes. An `img` in an element of AMP has the alternative of that element. Left alone are elements with `role` `none` or `presentation`, those that nobody is shown (`hidden`, `aria-hidden`, an inline `display: none`), and `img` without an address in `src` or `srcset`. A note where they are less than 20 percent of such elements. Not measured on an empty app shell; not applicable without such elements.",
        "Falha com `img`, `input type=image` e `area[href]` sem atributo `alt`, `aria-label` ou `aria-labelledby` que leve a um texto. Um `alt` vazio é correto para decoração e passa. Um `img` dentro de um elemento AMP tem o texto alternativo desse elemento. Ficam de fora elementos com `role` `none` ou `presentation`, os que ninguém vê (`hidden`, `aria-hidden`, um `display: none` embutido) e `img` sem endereço em `src` ou `srcset`. É só uma nota quando são menos de 20 por cento desses elementos. Não é medido na casca vazia de um aplicativo; não se aplica sem elementos assim.",
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
    title: text("Alternative text is a file name", "O texto alternativo é um nome de arquivo"),
    why: text(
        "A screen reader reads out “I M G underscore one two three four”, and image search learns nothing about the picture.",
        "O leitor de tela lê “I M G sublinhado um dois três quatro”, e a busca de imagens não aprende nada sobre a foto.",
    ),
    how: text(
        "Describe in `alt` what the image shows; give a purely decorative image `alt=\"\"`.",
        "Descreva em `alt` o que a imagem mostra; a uma imagem só decorativa dê `alt=\"\"`.",
    ),
    reference: "https://www.w3.org/WAI/standards-guidelines/act/rules/9eb3f6/",
    rule: text(
        "Fails when the `alt` of an `img`, trimmed and without letter case, ends in the extension of an image file, is the name of the image's own file in the same letter case and holds a digit, `_` or at least two `-`, is joined by three `-` or `_` or more with no space and a digit or `_` among them, or is in the list of `generic_alts.txt` (such as “image”, “photo”, “IMG_1234”). Hidden images and those taken from the reading by `role` or `aria-hidden` are left alone. Not applicable without an `alt` that says something.",
        "Falha quando o `alt` de um `img`, sem espaços em volta e sem distinguir maiúsculas, termina com a extensão de um arquivo de imagem, é o nome do próprio arquivo da imagem, com as mesmas maiúsculas, e tem dígito, `_` ou pelo menos dois `-`, é unido por três ou mais `-` ou `_`, sem espaço e com dígito ou `_`, ou está na lista de `generic_alts.txt` (como “imagem”, “foto”, “IMG_1234”). Imagens ocultas e as retiradas da leitura por `role` ou `aria-hidden` ficam de fora. Não se aplica sem um `alt` que diga algo.",
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
    title: text("Every image of the content has an empty alt", "Todas as imagens do conteúdo têm alt vazio"),
    why: text(
        "An empty `alt` says that an image is decoration. Where every image of the content says so, image search, AI agents and people who can't see learn nothing of what they show.",
        "Um `alt` vazio diz que a imagem é decoração. Quando todas as imagens do conteúdo dizem isso, a busca de imagens, os agentes de IA e quem não enxerga não ficam sabendo o que elas mostram.",
    ),
    how: text(
        "Describe in `alt` what each image shows that tells something; leave it empty on those that only decorate.",
        "Descreva em `alt` o que mostra cada imagem que informa algo; deixe-o vazio nas que só decoram.",
    ),
    reference: "https://www.w3.org/WAI/tutorials/images/decision-tree/",
    rule: text(
        "Fails when the content has 3 images or more and each of them has an empty `alt` and no label. Images of the content stand outside of the site's `header`, `nav`, `footer` and `aside`, are shown, have an address, and state no side below 200 pixels. Left out are images in a link or button that has text of its own, which says what they show, and those with `role` `none` or `presentation`. Not measured on an empty app shell; not applicable with fewer images.",
        "Falha quando o conteúdo tem 3 imagens ou mais e cada uma delas tem `alt` vazio e nenhum rótulo. Imagens do conteúdo ficam fora do `header` do site, de `nav`, `footer` e `aside`, são exibidas, têm endereço e não declaram um lado abaixo de 200 pixels. Ficam de fora imagens em um link ou botão com texto próprio, que diz o que elas mostram, e as com `role` `none` ou `presentation`. Não é medido na casca vazia de um aplicativo; não se aplica com menos imagens.",
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

/// Whether an alternative is only the name of a file, or a word for any image.
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
        "{count} of {total} images {count|has|have} no alt attribute.",
        "{count} de {total} imagens não {count|tem|têm} o atributo alt.",
    );
    const SOME_NEED_NONE: Text = text(
        "{count} of {total} images, image buttons and map areas {count|needs|need} an alt attribute and {count|has|have} none; {without} img {without|element has|elements have} none, hidden and decorative ones included.",
        "{count} de {total} imagens, botões de imagem e áreas de mapa {count|precisa|precisam} do atributo alt e não o {count|tem|têm}; {without} {without|elemento img não o tem|elementos img não o têm}, contando os ocultos e os decorativos.",
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
    const DECORATION: Text =
        text("an empty alt, since nobody sees these pixels", "um alt vazio, já que ninguém vê estes pixels");
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
        "{count} {count|image has|images have} a file name, or a word for any image, as alternative; the first is “{alt}”.",
        "{count} {count|imagem tem|imagens têm} um nome de arquivo, ou uma palavra para qualquer imagem, como texto alternativo; o primeiro é “{alt}”.",
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
        "All {count} images of the content, those in links with text aside, have an empty alt.",
        "Todas as {count} imagens do conteúdo, fora as em links com texto, têm alt vazio.",
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
