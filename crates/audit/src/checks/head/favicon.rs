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
        "Check whether a page declares a favicon, whether it can be fetched, is an image, and is open to the crawlers that show it.",
        "Verifique se uma página declara um favicon, se ele pode ser buscado, é uma imagem e está aberto aos robôs que o mostram.",
    ),
    lead: text(
        "Search results on phones and desktops show a site's icon beside its name. This tool fetches the icon that your page declares, or the one that browsers try by themselves, and looks at what really comes.",
        "Os resultados de busca em celulares e computadores mostram o ícone do site ao lado do nome. Esta ferramenta busca o ícone que a sua página declara, ou o que os navegadores tentam sozinhos, e olha o que de fato vem.",
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
        "Search results and browser tabs show a blank symbol beside the site's name, so it is recognised less easily.",
        "Os resultados de busca e as abas do navegador mostram um símbolo genérico ao lado do nome do site, que fica mais difícil de reconhecer.",
    ),
    how: text(
        "Make a square icon of at least 48 by 48 pixels and declare it with `<link rel=\"icon\" href=\"…\">` in `<head>`.",
        "Crie um ícone quadrado de no mínimo 48 por 48 pixels e declare-o com `<link rel=\"icon\" href=\"…\">` no `<head>`.",
    ),
    reference: GOOGLE_FAVICON,
    rule: text(
        "Fails when the page has no `link` whose `rel` holds `icon` with an address, and `/favicon.ico` answers without an image. A declared icon passes, whatever its address answers, which is `favicon_unreachable`. Not measured when the document was cut before an icon was found, or the default path could not be judged.",
        "Falha quando a página não tem um `link` cujo `rel` contenha `icon` com endereço, e `/favicon.ico` responde sem uma imagem. Um ícone declarado passa, seja o que for que o endereço responda, o que é assunto de `favicon_unreachable`. Não é medido quando o documento foi cortado antes de um ícone ou o caminho padrão não pôde ser julgado.",
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
    title: text("The declared favicon is not there", "O favicon declarado não está lá"),
    why: text(
        "The page names an icon that crawlers can't fetch or that is no image, so search results and tabs show a blank symbol.",
        "A página indica um ícone que os robôs não conseguem buscar ou que não é uma imagem, e os resultados e as abas mostram um símbolo genérico.",
    ),
    how: text(
        "Put the file at the declared address, or declare the address at which it is, and let crawlers fetch it.",
        "Coloque o arquivo no endereço declarado, ou declare o endereço em que ele está, e deixe os robôs buscá-lo.",
    ),
    reference: GOOGLE_FAVICON,
    rule: text(
        "Fails when the first declared icon with an address answers 4xx other than 401, 403 and 429, answers 200 with something that is no known image by its first bytes, or is of the page's own origin and forbidden by robots.txt to Googlebot-Image, or to Googlebot where no group names the former. Other failures and refusals prove nothing and are not measured. Not applicable where no icon is declared.",
        "Falha quando o primeiro ícone declarado com endereço responde 4xx que não seja 401, 403 ou 429, responde 200 com algo que não é uma imagem conhecida pelos primeiros bytes, ou é da mesma origem da página e proibido pelo robots.txt ao Googlebot-Image, ou ao Googlebot quando nenhum grupo cita o primeiro. Outras falhas e recusas não provam nada e não são medidas. Não se aplica quando nenhum ícone é declarado.",
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
        "Put in the address of the icon: square, at least 48 by 48 pixels, and open to crawlers.",
        "Coloque o endereço do ícone: quadrado, no mínimo 48 por 48 pixels e aberto aos robôs.",
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
        "The declared icon {url} answers {status} with something that is no image.",
        "O ícone declarado {url} responde {status} com algo que não é uma imagem.",
    );
    const FORBIDDEN: Text = text(
        "robots.txt forbids the declared icon {url} to Google's crawler in line {line}: {rule}",
        "O robots.txt proíbe o ícone declarado {url} ao robô do Google na linha {line}: {rule}",
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
