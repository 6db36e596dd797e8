//! What phones need to put a page on their home screen.

use crate::check::prelude::*;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "app-icons",
    category: Category::Head,
    landing: LANDING,
    checks: &[MANIFEST_INVALID, TOUCH_ICON_MISSING],
};

const LANDING: Landing = Landing {
    title: text("Apple touch icon and manifest checker", "Verificador de apple-touch-icon e manifest"),
    h1: text("Does your page have a home screen icon?", "Sua página tem um ícone de tela inicial?"),
    description: text(
        "Check whether a page declares a home screen icon for iPhones and a web app manifest that browsers can use.",
        "Verifique se a página declara um ícone de tela inicial para iPhones e um manifest que os navegadores conseguem usar.",
    ),
    lead: text(
        "Phones show an icon for pages that people add to the home screen. Without one, iPhones show a screenshot of the page. Browsers silently ignore a manifest link with an invalid URL.",
        "Os celulares mostram um ícone para páginas adicionadas à tela inicial. Sem ele, o iPhone mostra uma captura da página. Os navegadores ignoram em silêncio um link de manifest com URL inválida.",
    ),
    example: include_str!("app_icons/bad_manifest.html"),
};

const TOUCH_ICON_MISSING: Check = Check {
    code: "apple_touch_icon_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("No home screen icon declared", "Nenhum ícone de tela inicial declarado"),
    why: text(
        "Without an icon of 180 pixels, phones show a small screenshot of the page or a letter on the home screen.",
        "Sem um ícone de 180 pixels, os celulares mostram uma miniatura da página ou uma letra na tela inicial.",
    ),
    how: text(
        "Create a square PNG of 180 by 180 pixels without transparency, and declare it with `<link rel=\"apple-touch-icon\" href=\"…\">`.",
        "Crie um PNG quadrado de 180 por 180 pixels, sem transparência, e declare-o com `<link rel=\"apple-touch-icon\" href=\"…\">`.",
    ),
    reference: "https://developer.apple.com/library/archive/documentation/AppleApplications/Reference/SafariWebContent/ConfiguringWebApplications/ConfiguringWebApplications.html",
    // A manifest may name icons too, and browsers take them from it: it is not fetched, so a page with one passes.
    rule: text(
        "Fails when a page that declares a `link rel=icon` has no `apple-touch-icon` or `apple-touch-icon-precomposed` link with a URL, and no `link rel=manifest`. The default paths that phones try are not requested, as the message says. A page without any icon is reported by `favicon_missing`. Not measured when the page was cut off or may not be indexed.",
        "Falha quando uma página que declara um `link rel=icon` não tem um link `apple-touch-icon` ou `apple-touch-icon-precomposed` com URL, nem um `link rel=manifest`. Os caminhos padrão que os celulares tentam não são pedidos, como diz a mensagem. Uma página sem nenhum ícone é relatada por `favicon_missing`. Não é medido quando a página foi cortada ou não deve ser indexada.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Head),
    since: WHOLE,
    run: touch_icon_missing,
};

const MANIFEST_INVALID: Check = Check {
    code: "manifest_invalid",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Invalid or duplicate manifest link", "Link de manifest inválido ou duplicado"),
    why: text(
        "The installed app takes its name, icons and colors from the manifest. Browsers ignore a link with an invalid URL, and every link after the first.",
        "O aplicativo instalado tira o nome, os ícones e as cores do manifest. Os navegadores ignoram um link com URL inválida e todo link depois do primeiro.",
    ),
    how: text(
        "Keep one `<link rel=\"manifest\">` in `<head>` with the http(s) URL of the manifest.",
        "Mantenha um só `<link rel=\"manifest\">` no `<head>` com a URL http(s) do manifest.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/links.html#link-type-manifest",
    // Only the link is judged: the file itself is not fetched.
    rule: text(
        "Fails when a `link rel=manifest` has an empty or invalid URL or a scheme other than http(s), `blob:` and `data:`, or when the page has more than one, of which browsers use only the first. The manifest itself is not fetched. Not applicable without a manifest link.",
        "Falha quando um `link rel=manifest` tem URL vazia ou inválida, ou um esquema diferente de http(s), `blob:` e `data:`, ou quando a página tem mais de um, dos quais os navegadores usam só o primeiro. O manifest em si não é buscado. Não se aplica sem um link de manifest.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: manifest_invalid,
};

fn touch_icon_missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    facts.indexable()?;
    let declares = |rel: &str| html.links_rel(rel).any(|link| link.url.is_some());
    if !declares("icon") {
        return Err(NotMeasured::Absent);
    }
    if ["apple-touch-icon", "apple-touch-icon-precomposed", "manifest"].into_iter().any(declares) {
        return PASS;
    }
    const NONE: Text = text(
        "The page declares no apple-touch-icon and no manifest. The default path /apple-touch-icon.png was not requested.",
        "A página não declara apple-touch-icon nem manifest. O caminho padrão /apple-touch-icon.png não foi pedido.",
    );
    let tag = "<link rel=\"apple-touch-icon\" href=\"{{ICON_URL}}\">";
    problem(NONE, &[], FixDraft::template(FixTarget::Head, tag)).fail()
}

fn manifest_invalid(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let links: Vec<_> = html.links_rel("manifest").collect();
    if links.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let is_usable = |url: &url::Url| matches!(url.scheme(), "http" | "https" | "blob" | "data");
    let used = links.iter().position(|link| link.url.as_ref().is_some_and(is_usable));
    let ignored = links.iter().enumerate().filter(|(at, _)| Some(*at) != used);
    let ignored: Vec<Element<'_>> = ignored.filter_map(|(_, link)| html.element(link.node)).collect();
    if ignored.is_empty() {
        return PASS;
    }
    const USELESS: Text =
        text("The manifest link has an invalid URL: “{href}”.", "O link de manifest tem uma URL inválida: “{href}”.");
    const SEVERAL: Text = text(
        "The page has {count} manifest links, but browsers use only one.",
        "A página tem {count} links de manifest, mas os navegadores usam só um.",
    );
    const KEEP: Text = text(
        "Keeps the first valid manifest link and removes the others.",
        "Mantém o primeiro link de manifest válido e remove os outros.",
    );
    let href = links.first().and_then(|link| link.href.clone()).unwrap_or_default();
    let values = [("href", href.as_str().into()), ("count", links.len().into())];
    let message = if links.len() > 1 { SEVERAL } else { USELESS };
    let ready = used.and_then(|used| html.element(links.get(used)?.node)?.start_tag_source());
    let is_plain = ignored.iter().all(|link| link.start_tag().is_some() && !link.has_token("rel", "icon"));
    let fix = match ready.filter(|_| is_plain) {
        Some(tag) => {
            ignored.iter().fold(FixDraft::edit(FixTarget::Head, tag).note(KEEP, &[]), |fix, link| fix.remove(*link))
        }
        None => FixDraft::template(FixTarget::Head, "<link rel=\"manifest\" href=\"{{MANIFEST_URL}}\">"),
    };
    problem(message, &values, fix).on(&ignored).fail()
}
