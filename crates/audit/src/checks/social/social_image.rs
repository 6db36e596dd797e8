//! Whether the image of shared links is one that readers can show.

use crate::check::prelude::*;
use crate::facts::social_image::{ImageFault, LEAST_SOCIAL_SIDE, MOST_SOCIAL_BYTES};

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "social-image", category: Category::Social, landing: LANDING, checks: &[UNREACHABLE] };

const LANDING: Landing = Landing {
    title: text("og:image file checker", "Verificador do arquivo og:image"),
    h1: text("Will your link show its image when shared?", "Seu link mostra a imagem quando é compartilhado?"),
    description: text(
        "Check whether your og:image exists, is an image, and has a file size and dimensions that social networks accept.",
        "Confira se sua og:image existe, é uma imagem e tem tamanho de arquivo e dimensões que as redes sociais aceitam.",
    ),
    lead: text(
        "Messengers and networks fetch the image of a shared link once. If it is missing, too large a file or too small, they leave it out without telling you.",
        "Mensageiros e redes buscam a imagem de um link compartilhado uma vez. Se ela falta, é um arquivo grande demais ou é pequena demais, eles a deixam de fora sem avisar.",
    ),
    example: include_str!("social_image/bad_missing.http"),
};

const UNREACHABLE: Check = Check {
    code: "og_image_unreachable",
    severity: Severity::Warn,
    impact: Impact::Sharing,
    title: text("og:image can't be shown", "og:image não pode ser mostrada"),
    why: text(
        "Shared links appear without their image, and no network tells you why.",
        "Os links compartilhados aparecem sem a imagem, e nenhuma rede diz por quê.",
    ),
    how: text(
        "Point `og:image` to an image that answers 200, ideally 1200 × 630 pixels and well below 5 MB.",
        "Aponte `og:image` para uma imagem que responda 200, de preferência com 1200 × 630 pixels e bem menos de 5 MB.",
    ),
    reference: "https://developers.facebook.com/docs/sharing/webmasters/images/",
    rule: text(
        "Fails when the `og:image` is on the page's origin and its file answers 4xx, is not an image by its bytes and type, is larger than 5 MB, or has a side below 200 pixels. Images on other origins are not requested. 401, 403, 429, 5xx, a bot challenge and timeouts are ignored.",
        "Falha quando a `og:image` está na origem da página e o arquivo responde 4xx, não é uma imagem pelos bytes e pelo tipo, tem mais de 5 MB ou tem um lado com menos de 200 pixels. Imagens de outras origens não são pedidas. 401, 403, 429, 5xx, um desafio contra robôs e falta de resposta são ignorados.",
    ),
    thresholds: &[
        threshold("file_size", MOST_SOCIAL_BYTES, "bytes"),
        threshold("side", LEAST_SOCIAL_SIDE as u64, "pixels"),
    ],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: WHOLE,
    run: unreachable,
};

/// Fails when the image file of this origin is missing, none, too heavy or too small.
fn unreachable(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let Some((url, fault)) = facts.social_image_fault()? else { return PASS };
    const GONE: Text =
        text("The og:image doesn't load: {url} answers {status}.", "A og:image não carrega: {url} responde {status}.");
    const NONE: Text = text("The og:image {url} is not an image file.", "A og:image {url} não é um arquivo de imagem.");
    const HEAVY: Text = text(
        "The og:image {url} is too large: {bytes:size}. Networks accept at most {most:size}.",
        "A og:image {url} é grande demais: {bytes:size}. As redes aceitam no máximo {most:size}.",
    );
    const SMALL: Text = text(
        "The og:image {url} is too small: {width} × {height} pixels. Networks require at least {least} × {least}.",
        "A og:image {url} é pequena demais: {width} × {height} pixels. As redes exigem no mínimo {least} × {least}.",
    );
    const REPLACE: Text = text(
        "Replace the image file, or point og:image to another image. Then ask the networks to fetch the page again.",
        "Troque o arquivo da imagem ou aponte og:image para outra imagem. Depois peça às redes que busquem a página de novo.",
    );
    let (message, values) = match fault {
        ImageFault::Status(status) => (GONE, vec![("status", status.into())]),
        ImageFault::NotAnImage => (NONE, Vec::new()),
        ImageFault::Heavy(bytes) => (HEAVY, vec![("bytes", bytes.into()), ("most", MOST_SOCIAL_BYTES.into())]),
        ImageFault::Small(width, height) => {
            (SMALL, vec![("width", width.into()), ("height", height.into()), ("least", LEAST_SOCIAL_SIDE.into())])
        }
    };
    let values: Vec<(&str, Value)> = [("url", url.into())].into_iter().chain(values).collect();
    let is_image = |key: Option<&str>| matches!(key, Some("og:image" | "og:image:url"));
    let tags = html.metas.iter().filter(|meta| is_image(meta.social_key())).filter_map(|meta| html.element(meta.node));
    let fix = FixDraft::instruction(FixTarget::Head, REPLACE, &[]);
    problem(message, &values, fix).on(tags.take(1)).fail()
}
