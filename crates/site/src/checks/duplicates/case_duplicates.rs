//! The same page in upper and lower case.

use crate::address::Variance;
use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "case_duplicates",
    severity: Severity::Warn,
    title: text("Same pages in upper and lower case", "Páginas repetidas em maiúsculas e minúsculas"),
    why: text(
        "Paths are case-sensitive: to search engines these are several pages with the same content.",
        "Maiúsculas e minúsculas contam no caminho: para os buscadores, são várias páginas com o mesmo conteúdo.",
    ),
    how: text(
        "Redirect every other spelling to the one in lower case, and use it in every link.",
        "Redirecione todas as outras grafias para a de minúsculas e use-a em todos os links.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    rule: text(
        "Fails when indexable pages have the same content and the paths of their addresses differ in upper and lower case.",
        "Falha quando páginas indexáveis têm o mesmo conteúdo e os caminhos de seus endereços diferem em maiúsculas e minúsculas.",
    ),
    message: text(
        "{cases} {cases|page answers|pages answer} in several spellings of its path.",
        "{cases} {cases|página responde|páginas respondem} em várias grafias do caminho.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("The same page answers at {urls}.", "A mesma página responde em {urls}.");
    Ok(site.groups(site.variants(Variance::Case), NOTE))
}
