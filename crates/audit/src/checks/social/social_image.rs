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
        "Fetches the start of your og:image and tells whether it exists, is an image, and has a size that networks show.",
        "Busca o início da sua og:image e diz se ela existe, se é uma imagem e se tem um tamanho que as redes mostram.",
    ),
    lead: text(
        "Messengers and networks fetch the image of a shared link once, and leave it out when it is missing, too heavy or too small. Nobody tells you.",
        "Mensageiros e redes buscam a imagem de um link compartilhado uma vez, e a deixam de fora se ela falta, é pesada ou pequena demais. Ninguém avisa.",
    ),
    example: include_str!("social_image/bad_missing.http"),
};

const UNREACHABLE: Check = Check {
    code: "og_image_unreachable",
    severity: Severity::Warn,
    impact: Impact::Sharing,
    title: text("Image for shared links can't be shown", "Imagem para links compartilhados não pode ser mostrada"),
    why: text(
        "A shared link appears without its picture, and nobody says why.",
        "O link compartilhado aparece sem a imagem, e ninguém diz por quê.",
    ),
    how: text(
        "Let `og:image` name an image that answers 200, best 1200 × 630 pixels and well below 5 MB.",
        "Faça `og:image` nomear uma imagem que responda 200, de preferência com 1200 × 630 pixels e bem menos de 5 MB.",
    ),
    reference: "https://developers.facebook.com/docs/sharing/webmasters/images/",
    rule: text(
        "Fails when the `og:image` is on the page's origin and its file answers 4xx, is no image by its bytes and type, has more than 5 MiB, or a side of less than 200 pixels as its head says. Images of other origins are not asked for. 401, 403, 429, 5xx, a bot challenge and silence tell nothing.",
        "Falha quando a `og:image` está na origem da página e o arquivo responde 4xx, não é imagem pelos bytes e pelo tipo, tem mais de 5 MiB, ou um lado com menos de 200 pixels segundo o cabeçalho do arquivo. Imagens de outras origens não são pedidas. 401, 403, 429, 5xx, um desafio contra robôs e silêncio não dizem nada.",
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
    const GONE: Text = text("The og:image {url} answers {status}.", "A og:image {url} responde {status}.");
    const NONE: Text =
        text("What answers at the og:image {url} is no image.", "O que responde na og:image {url} não é uma imagem.");
    const HEAVY: Text = text(
        "The og:image {url} has {bytes} bytes; networks take at most {most}.",
        "A og:image {url} tem {bytes} bytes; as redes aceitam no máximo {most}.",
    );
    const SMALL: Text = text(
        "The og:image {url} has {width} × {height} pixels; networks ask for at least {least} × {least}.",
        "A og:image {url} tem {width} × {height} pixels; as redes pedem no mínimo {least} × {least}.",
    );
    const REPLACE: Text = text(
        "Put an image there that can be shown, or let og:image name one; then let the networks read the page anew.",
        "Coloque ali uma imagem que possa ser mostrada, ou faça og:image nomear uma; depois peça às redes que releiam a página.",
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
