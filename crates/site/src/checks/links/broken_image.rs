//! Images that are not there.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "broken_image",
    severity: Severity::Warn,
    title: text("Broken images", "Imagens quebradas"),
    why: text(
        "Visitors see a gap, and image search has nothing to show.",
        "Os visitantes veem um espaço vazio, e a busca de imagens não tem o que mostrar.",
    ),
    how: text(
        "Upload the file again, or change the address of the image.",
        "Envie o arquivo de novo ou troque o endereço da imagem.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/google-images",
    rule: text(
        "Fails when an image of a page, on the site's own host, answers 4xx. 401, 403, 408 and 429 don't count. Not measured without the option `--images`.",
        "Falha quando uma imagem de uma página, no host do próprio site, responde 4xx. 401, 403, 408 e 429 não contam. Não é medido sem a opção `--images`.",
    ),
    message: text(
        "{pages} {pages|page shows|pages show} {cases} {cases|image that doesn't|images that don't} exist.",
        "{pages} {pages|página mostra|páginas mostram} {cases} {cases|imagem que não existe|imagens que não existem}.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const GONE: Text = text("Answers {status}.", "Responde {status}.");
    if !site.images_asked {
        return Err(Unmeasured::NotAsked);
    }
    let users = site.image_users();
    let mut cases = Vec::new();
    for (url, users) in users {
        let answer = site.page_of(url).and_then(|id| site.page(id)).map(|page| page.answer);
        if let Some(NodeAnswer::Error(status)) = answer.filter(|answer| answer.is_gone()) {
            cases.push(case_of(site.text(url), GONE, &[("status", status.into())], users));
        }
    }
    site.checked_all_resources(cases)
}
