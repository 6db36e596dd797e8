//! Pictures written into the page itself.

use crate::check::prelude::*;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "inline-images", category: Category::Images, landing: LANDING, checks: &[LARGE] };

const LANDING: Landing = Landing {
    title: text("Base64 image checker", "Verificador de imagens em base64"),
    h1: text("Do base64 images slow your page down?", "Imagens em base64 deixam sua página lenta?"),
    description: text(
        "Find large images embedded in the HTML as data: URLs, and see how many bytes of the page they take.",
        "Encontre imagens grandes embutidas no HTML como URLs data: e veja quantos bytes da página elas ocupam.",
    ),
    lead: text(
        "An image embedded in the HTML delays the text after it, is downloaded again on every visit, and uses up the bytes that crawlers read of a page. This tool measures each of them.",
        "Uma imagem embutida no HTML atrasa o texto que vem depois, é baixada de novo a cada visita e gasta os bytes que os robôs leem de uma página. Esta ferramenta mede cada uma.",
    ),
    example: include_str!("inline_images/bad.html"),
};

const LARGE: Check = Check {
    code: "image_data_uri_large",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Large images embedded in the HTML", "Imagens grandes embutidas no HTML"),
    why: text(
        "Embedded images delay the text after them, can't be cached, and image search can't find them. They also count toward the 2 MB that Googlebot reads of a page.",
        "Imagens embutidas atrasam o texto que vem depois, não ficam em cache, e a busca de imagens não as encontra. Elas também contam nos 2 MB que o Googlebot lê de uma página.",
    ),
    how: text(
        "Save each image as a file and link to it in `src`.",
        "Salve cada imagem como arquivo e aponte para ele em `src`.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/googlebot#how-googlebot-accesses-your-site",
    rule: text(
        "Fails when the `data:` URLs of 10 KB or more in `src` and `srcset` of `img` and `source` add up to 50 KB or more. Smaller ones, such as blurred previews, are skipped. Not applicable without `data:` URLs.",
        "Falha quando as URLs `data:` de 10 KB ou mais em `src` e `srcset` de `img` e `source` somam 50 KB ou mais. As menores, como prévias desfocadas, são ignoradas. Não se aplica sem URLs `data:`.",
    ),
    thresholds: &[
        threshold("image_bytes", LEAST_BYTES as u64, "bytes"),
        threshold("page_bytes", MOST_BYTES as u64, "bytes"),
    ],
    remedy: remedy(FixClass::Instruction, FixTarget::Image),
    since: WHOLE,
    run: large,
};

/// Bytes from which on a picture is no preview.
const LEAST_BYTES: usize = 10 * 1024;
/// Bytes of such pictures that a page may hold: a fortieth of what Googlebot reads.
const MOST_BYTES: usize = 50 * 1024;

fn large(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let is_image = |element: &Element<'_>| element.is("img") || element.is("source");
    let bytes = |element: Element<'_>| {
        ["src", "srcset"]
            .iter()
            .filter_map(|name| element.attribute(name))
            .filter(|value| value.trim_start().get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data:")))
            .map(str::len)
            .sum::<usize>()
    };
    let inline: Vec<(Element<'_>, usize)> = html
        .elements(&html.addressed)
        .filter(is_image)
        .map(|element| (element, bytes(element)))
        .filter(|(_, bytes)| *bytes > 0)
        .collect();
    if inline.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let found: Vec<(Element<'_>, usize)> = inline.into_iter().filter(|(_, bytes)| *bytes >= LEAST_BYTES).collect();
    let total: usize = found.iter().map(|(_, bytes)| bytes).sum();
    if total < MOST_BYTES {
        return PASS;
    }
    const HEAVY: Text = text(
        "{count|An image|{count} images} embedded in the HTML {count|takes|take} {bytes:size} of it.",
        "{count|Uma imagem embutida|{count} imagens embutidas} no HTML {count|ocupa|ocupam} {bytes:size} dele.",
    );
    let values = [("count", found.len().into()), ("bytes", total.into())];
    let fix = FixDraft::instruction(FixTarget::Image, LARGE.how, &[]);
    problem(HEAVY, &values, fix).on(found.iter().map(|(element, _)| element)).fail()
}
