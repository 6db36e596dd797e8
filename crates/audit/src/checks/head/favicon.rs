//! The icon of the site in tabs, bookmarks and search results: missing, or not where the page says.

use crate::check::prelude::*;
use crate::facts::discovery::favicon::{DeclaredIcon, DefaultIcon, IconFault};

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "favicon", category: Category::Head, landing: LANDING, checks: &[MISSING, UNREACHABLE] };

const LANDING: Landing = Landing {
    title: text("Favicon checker", "Verificador de favicon"),
    h1: text("Can search results show your favicon?", "Os resultados de busca podem mostrar seu favicon?"),
    description: text(
        "Check whether a page has a favicon that can be fetched, is an image, and is open to the crawlers that show it in results.",
        "Verifique se a página tem um favicon que pode ser buscado, é uma imagem e está liberado para os robôs que o mostram.",
    ),
    lead: text(
        "Search results show a site's icon beside its name. This tool fetches the icon that your page declares, or the default /favicon.ico, and checks what the server returns.",
        "Os resultados de busca mostram o ícone do site ao lado do nome. Esta ferramenta busca o ícone que a sua página declara, ou o padrão /favicon.ico, e verifica o que o servidor devolve.",
    ),
    example: include_str!("favicon/bad_broken.http"),
};

const GOOGLE_FAVICON: &str = "https://developers.google.com/search/docs/appearance/favicon-in-search";

const MISSING: Check = Check {
    code: "favicon_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("No favicon", "Sem favicon"),
    why: text(
        "Search results and browser tabs show a generic symbol beside the site's name, so the site is harder to recognize.",
        "Os resultados de busca e as abas do navegador mostram um símbolo genérico ao lado do nome do site, que fica mais difícil de reconhecer.",
    ),
    how: text(
        "Create a square icon of at least 48 by 48 pixels, and declare it with `<link rel=\"icon\" href=\"…\">` in `<head>`.",
        "Crie um ícone quadrado de pelo menos 48 por 48 pixels e declare-o com `<link rel=\"icon\" href=\"…\">` no `<head>`.",
    ),
    reference: GOOGLE_FAVICON,
    rule: text(
        "Fails when the page has no `link` with `icon` in its `rel` and a URL, and `/favicon.ico` does not return an image. A declared icon passes here, whatever its URL returns, which `favicon_unreachable` checks. Not measured when the page was cut off before an icon was found, or when `/favicon.ico` could not be judged.",
        "Falha quando a página não tem um `link` com `icon` no `rel` e uma URL, e `/favicon.ico` não devolve uma imagem. Um ícone declarado passa aqui, seja o que for que a URL dele devolva, o que `favicon_unreachable` verifica. Não é medido quando a página foi cortada antes de um ícone, ou quando `/favicon.ico` não pôde ser avaliado.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Head),
    since: FIRST,
    run: missing,
};

const UNREACHABLE: Check = Check {
    code: "favicon_unreachable",
    severity: Severity::Warn,
    impact: Impact::RichResult,
    title: text("Declared favicon can't be loaded", "Favicon declarado não pode ser carregado"),
    why: text(
        "Crawlers can't fetch the declared icon, or it is not an image. Search results and tabs show a generic symbol.",
        "Os robôs não conseguem buscar o ícone declarado, ou ele não é uma imagem. Os resultados de busca e as abas mostram um símbolo genérico.",
    ),
    how: text(
        "Put the file at the declared URL, or correct the URL, and let crawlers fetch it.",
        "Coloque o arquivo na URL declarada, ou corrija a URL, e permita que os robôs o busquem.",
    ),
    reference: GOOGLE_FAVICON,
    rule: text(
        "Fails in three cases for the first declared icon with a URL: it answers 4xx other than 401, 403 and 429; it answers 200 with a file that is not an image by its first bytes; or it is on the page's own origin and robots.txt blocks Googlebot-Image from it (Googlebot, if no group names Googlebot-Image). Not measured on other failures. Not applicable when no icon is declared.",
        "Falha em três casos, para o primeiro ícone declarado com URL: ele responde 4xx que não seja 401, 403 ou 429; responde 200 com um arquivo que não é imagem pelos primeiros bytes; ou está na própria origem da página e o robots.txt o bloqueia para o Googlebot-Image (para o Googlebot, se nenhum grupo nomeia o Googlebot-Image). Não é medido com outras falhas. Não se aplica quando nenhum ícone é declarado.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: WHOLE,
    run: unreachable,
};

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
        "Add the URL of an icon that is square, at least 48 by 48 pixels, and open to crawlers.",
        "Adicione a URL de um ícone quadrado, de pelo menos 48 por 48 pixels e liberado para os robôs.",
    );
    let url = facts.url()?.join("/favicon.ico").map_or_else(|_| String::new(), Into::into);
    let fix = FixDraft::template(FixTarget::Head, "<link rel=\"icon\" href=\"{{ICON_URL}}\">").note(NOTE, &[]);
    let place = Place { url: Some(url.clone()), ..Place::default() };
    problem(NONE, &[("url", url.into()), ("status", status.into())], fix).at([place]).fail()
}

fn unreachable(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let (url, fault) = match facts.declared_icon()? {
        DeclaredIcon::Undeclared => return Err(NotMeasured::Absent),
        DeclaredIcon::Unknown => return Err(NotMeasured::Probe),
        DeclaredIcon::Found => return PASS,
        DeclaredIcon::Faulty(url, fault) => (url, fault),
    };
    const GONE: Text = text("The declared icon {url} answers {status}.", "O ícone declarado {url} responde {status}.");
    const NO_IMAGE: Text = text(
        "The declared icon {url} answers {status}, but the file is not an image.",
        "O ícone declarado {url} responde {status}, mas o arquivo não é uma imagem.",
    );
    const FORBIDDEN: Text = text(
        "Line {line} of robots.txt blocks Google from the declared icon {url}: {rule}",
        "A linha {line} do robots.txt bloqueia para o Google o ícone declarado {url}: {rule}",
    );
    let url_value = ("url", url.as_str().into());
    let (message, values) = match fault {
        IconFault::Gone(status) => (GONE, vec![url_value, ("status", (*status).into())]),
        IconFault::NoImage(status) => (NO_IMAGE, vec![url_value, ("status", (*status).into())]),
        IconFault::Forbidden(rule, line) => {
            (FORBIDDEN, vec![url_value, ("line", (*line).into()), ("rule", rule.as_str().into())])
        }
    };
    let link = html.links_rel("icon").find(|link| link.url.is_some()).and_then(|link| html.element(link.node));
    let file = Place { url: Some(url.clone()), ..Place::default() };
    let fix = FixDraft::instruction(FixTarget::Head, UNREACHABLE.how, &[]);
    problem(message, &values, fix).on(link).at([file]).fail()
}
