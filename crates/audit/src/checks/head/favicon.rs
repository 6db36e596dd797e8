//! The icon of the site in tabs, bookmarks and search results.

use crate::check::prelude::*;
use crate::facts::discovery::favicon::DefaultIcon;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "favicon", category: Category::Head, landing: Landing::TO_WRITE, checks: &[MISSING] };

const MISSING: Check = Check {
    code: "favicon_missing",
    severity: Severity::Info,
    title: text("No favicon", "Sem favicon"),
    why: text(
        "Search results and browser tabs show a blank symbol beside the site's name, so it is recognised less easily.",
        "Os resultados de busca e as abas do navegador mostram um símbolo genérico ao lado do nome do site, que fica mais difícil de reconhecer.",
    ),
    how: text(
        "Make a square icon of at least 48 by 48 pixels and declare it with `<link rel=\"icon\" href=\"…\">` in `<head>`.",
        "Crie um ícone quadrado de no mínimo 48 por 48 pixels e declare-o com `<link rel=\"icon\" href=\"…\">` no `<head>`.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/favicon-in-search",
    rule: text(
        "Fails when the page declares no icon with an address and the default path has no image. A declared one passes whether it can be fetched or not, and so does one found before the document was cut.",
        "",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Head),
    since: FIRST,
    run: missing,
};

/// Fails when the page declares no icon with an address and the default path has no image. A declared one passes
/// whether it can be fetched or not, and so does one found before the document was cut.
fn missing(facts: &Facts<'_>) -> Verdict {
    if facts.page()?.links_rel("icon").any(|link| link.url.is_some()) {
        return PASS;
    }
    facts.whole_page()?;
    let status = match facts.default_icon()? {
        DefaultIcon::Found(_) | DefaultIcon::Unasked => return PASS,
        DefaultIcon::Unknown => return Err(NotMeasured::Probe),
        DefaultIcon::Absent(status) => *status,
    };
    const NONE: Text = text(
        "The page declares no icon, and {url} answers {status} without an image.",
        "A página não declara um ícone, e {url} responde {status} sem uma imagem.",
    );
    const NOTE: Text = text(
        "Put in the address of the icon: square, at least 48 by 48 pixels, and open to crawlers.",
        "Coloque o endereço do ícone: quadrado, no mínimo 48 por 48 pixels e aberto aos robôs.",
    );
    let url = facts.url()?.join("/favicon.ico").map_or_else(|_| String::new(), Into::into);
    let fix = FixDraft::template(FixTarget::Head, "<link rel=\"icon\" href=\"{{ICON_URL}}\">").note(NOTE, &[]);
    let place = Place { url: Some(url.clone()), ..Place::default() };
    Ok(Some(problem(NONE, &[("url", url.into()), ("status", status.into())], fix).at([place])))
}
