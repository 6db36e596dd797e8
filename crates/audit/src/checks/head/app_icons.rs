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
    h1: text("What shows when your page is put on a home screen?", "O que aparece ao pôr sua página na tela inicial?"),
    description: text(
        "Check whether a page declares a home-screen icon for iPhones and a web app manifest that browsers can follow.",
        "Verifique se uma página declara um ícone de tela inicial para iPhones e um manifest que os navegadores conseguem seguir.",
    ),
    lead: text(
        "Phones show an icon for pages that people keep on their home screen. Without a declared one iPhones take a picture of the page, and a manifest link that leads nowhere is ignored in silence.",
        "Os celulares mostram um ícone para páginas guardadas na tela inicial. Sem um declarado, o iPhone usa uma foto da página, e um link de manifest que não leva a lugar nenhum é ignorado em silêncio.",
    ),
    example: include_str!("app_icons/bad_manifest.html"),
};

const TOUCH_ICON_MISSING: Check = Check {
    code: "apple_touch_icon_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("No home-screen icon declared", "Nenhum ícone de tela inicial declarado"),
    why: text(
        "A phone that is told of no icon of 180 pixels shows a small picture of the page, or a letter, on the home screen.",
        "Um celular que não encontra um ícone de 180 pixels mostra uma miniatura da página, ou uma letra, na tela inicial.",
    ),
    how: text(
        "Make a square PNG of 180 by 180 pixels without transparency and declare it with `<link rel=\"apple-touch-icon\" href=\"…\">`.",
        "Crie um PNG quadrado de 180 por 180 pixels sem transparência e declare-o com `<link rel=\"apple-touch-icon\" href=\"…\">`.",
    ),
    reference: "https://developer.apple.com/library/archive/documentation/AppleApplications/Reference/SafariWebContent/ConfiguringWebApplications/ConfiguringWebApplications.html",
    // A manifest may name icons too, and browsers take them from it: it is not fetched, so a page with one passes.
    rule: text(
        "Fails when a page that declares a `link rel=icon` has no `link` of the kind `apple-touch-icon` or `apple-touch-icon-precomposed` with an address, and no `link rel=manifest`. The paths that phones try by themselves are not asked for, and the message says so. Not applicable where no icon is declared at all, which is `favicon_missing`. Not measured when the document was cut, nor on a page that asks not to be indexed.",
        "Falha quando uma página que declara um `link rel=icon` não tem um `link` do tipo `apple-touch-icon` ou `apple-touch-icon-precomposed` com endereço, nem um `link rel=manifest`. Os caminhos que os celulares tentam sozinhos não são consultados, e a mensagem avisa. Não se aplica quando nenhum ícone é declarado, o que é `favicon_missing`. Não é medido quando o documento foi cortado, nem em página que pede para não ser indexada.",
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
    title: text("Manifest link that browsers ignore", "Link de manifest que os navegadores ignoram"),
    why: text(
        "Name, icons and colours of the installed app come from the manifest. A link without a usable address, or a second one, counts for nothing.",
        "Nome, ícones e cores do aplicativo instalado vêm do manifest. Um link sem endereço utilizável, ou um segundo link, não vale nada.",
    ),
    how: text(
        "Keep one `<link rel=\"manifest\">` in `<head>` with the http(s) address of the manifest.",
        "Mantenha um só `<link rel=\"manifest\">` no `<head>` com o endereço http(s) do manifest.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/links.html#link-type-manifest",
    // Only the link is judged: the file itself is not fetched.
    rule: text(
        "Fails when a `link rel=manifest` has an empty or unreadable address or one that is neither http(s) nor `blob:` or `data:`, or when it is the second of the page, which browsers ignore. The manifest itself is not fetched. Not applicable where there is no such link.",
        "Falha quando um `link rel=manifest` tem endereço vazio, ilegível, ou que não é http(s), `blob:` nem `data:`, ou quando é o segundo da página, que os navegadores ignoram. O manifest em si não é buscado. Não se aplica quando não há um link desses.",
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
        "The page declares no apple-touch-icon and no manifest; what /apple-touch-icon.png answers was not asked.",
        "A página não declara apple-touch-icon nem manifest; o que /apple-touch-icon.png responde não foi consultado.",
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
    const USELESS: Text = text(
        "The manifest link has no usable address: “{href}”.",
        "O link de manifest não tem um endereço utilizável: “{href}”.",
    );
    const SEVERAL: Text = text(
        "The page has {count} manifest links; browsers follow one.",
        "A página tem {count} links de manifest; os navegadores seguem um.",
    );
    const KEEP: Text = text("Keeps the first usable one.", "Mantém o primeiro utilizável.");
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
