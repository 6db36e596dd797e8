//! Pictures written into the page itself.

use crate::check::prelude::*;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "inline-images", category: Category::Images, landing: LANDING, checks: &[LARGE] };

const LANDING: Landing = Landing {
    title: text("Base64 image checker", "Verificador de imagens em base64"),
    h1: text("Do base64 images weigh your page down?", "Imagens em base64 pesam na sua página?"),
    description: text(
        "Find large pictures that are written into the HTML as data: addresses, and how many bytes of the page they take.",
        "Encontre imagens grandes escritas no HTML como endereços data: e veja quantos bytes da página elas ocupam.",
    ),
    lead: text(
        "A picture written into the HTML holds up the text behind it, is fetched again with every visit, and uses up the bytes that crawlers read of a page. This tool weighs each of them.",
        "Uma imagem escrita no HTML segura o texto que vem depois, é baixada de novo a cada visita e gasta os bytes que os robôs leem de uma página. Esta ferramenta pesa cada uma.",
    ),
    example: include_str!("inline_images/bad.html"),
};

const LARGE: Check = Check {
    code: "image_data_uri_large",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Large pictures inside the HTML", "Imagens grandes dentro do HTML"),
    why: text(
        "They hold up the text behind them, can't be cached or found by image search, and count toward the 2 MB that Googlebot reads of a page.",
        "Elas seguram o texto que vem depois, não ficam em cache nem são achadas pela busca de imagens, e contam nos 2 MB que o Googlebot lê de uma página.",
    ),
    how: text(
        "Save each as a file of its own and name it in `src`.",
        "Salve cada uma como arquivo próprio e indique-o em `src`.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/googlebot#how-googlebot-accesses-your-site",
    rule: text(
        "Fails when the `data:` addresses in `src` and `srcset` of `img` and `source` of 10 KiB or more make up 50 KiB or more together. Smaller ones, such as blurred previews, are left alone. Not applicable without such addresses.",
        "Falha quando os endereços `data:` de 10 KiB ou mais em `src` e `srcset` de `img` e `source` somam 50 KiB ou mais. Os menores, como prévias desfocadas, ficam de fora. Não se aplica sem endereços assim.",
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
        "{count} {count|picture|pictures} inside the HTML {count|takes|take} {kib} KiB of it.",
        "{count} {count|imagem|imagens} dentro do HTML {count|ocupa|ocupam} {kib} KiB dele.",
    );
    let values = [("count", found.len().into()), ("kib", (total / 1024).into())];
    let fix = FixDraft::instruction(FixTarget::Image, LARGE.how, &[]);
    problem(HEAVY, &values, fix).on(found.iter().map(|(element, _)| element)).fail()
}
