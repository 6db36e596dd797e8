//! `llms.txt`: a summary of the site for language models. (llmstxt.org)

use model::discovery::DiscoveryStatus;
use url::Url;

use crate::check::prelude::*;
use crate::facts::discovery::llms::{self, RootFile};
use crate::facts::document::collapse;
use crate::facts::page::Html;
use crate::facts::placeholders::{is_placeholder, is_title, without_visible_markup};
use crate::facts::resolved::site_name::without_site_name;
use crate::facts::resolved::title;
use crate::facts::url_identity::identity;
use crate::facts::{canonical, fitting, nofollow};

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "llms-txt", category: Category::Agents, landing: LANDING, checks: &[MISSING, INVALID] };

const LANDING: Landing = Landing {
    title: text("llms.txt checker and generator", "Verificador e gerador de llms.txt"),
    h1: text("Does your site have a valid llms.txt?", "Seu site tem um llms.txt válido?"),
    description: text(
        "Checks the heading, links and length of /llms.txt. If the file is missing, drafts one from the site's name and navigation.",
        "Verifica o título, os links e o tamanho do /llms.txt. Se o arquivo não existe, cria um rascunho com o nome e a navegação do site.",
    ),
    lead: text(
        "Some AI agents look for a summary of a site at /llms.txt. The file is optional, few agents request it, and Google Search does not use it. An invalid file helps no one.",
        "Alguns agentes de IA procuram um resumo do site em /llms.txt. O arquivo é opcional, poucos agentes o pedem, e a Busca do Google não o usa. Um arquivo inválido não ajuda ninguém.",
    ),
    example: include_str!("llms_txt/bad_missing.html"),
};

const MISSING: Check = Check {
    code: "llms_txt_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("No llms.txt", "Sem llms.txt"),
    why: text(
        "Some AI agents look for a summary of the site at /llms.txt. It is optional, few agents request it, and Google Search does not use it.",
        "Alguns agentes de IA procuram um resumo do site em /llms.txt. Ele é opcional, poucos agentes o pedem, e a Busca do Google não o usa.",
    ),
    how: text(
        "To guide AI agents, add a Markdown file at `/llms.txt` with the site's name as its heading, a summary, and links to the main pages.",
        "Para orientar agentes de IA, adicione em `/llms.txt` um arquivo Markdown com o nome do site como título, um resumo e links para as páginas principais.",
    ),
    reference: "https://llmstxt.org/",
    rule: text(
        "Fails when `/llms.txt` answers 404 or 410. A guide that the page declares elsewhere replaces it. Not measured when the answer is 401, 403, 5xx or a timeout.",
        "Falha quando `/llms.txt` responde 404 ou 410. Um guia que a página declara em outro endereço o substitui. Não é medido quando a resposta é 401, 403, 5xx ou um timeout.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::File),
    since: FIRST,
    run: missing,
};

const INVALID: Check = Check {
    code: "llms_txt_invalid",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Invalid llms.txt", "llms.txt inválido"),
    why: text(
        "Agents that request the file don't get the summary that they expect.",
        "Os agentes que pedem o arquivo não recebem o resumo que esperam.",
    ),
    how: text(
        "Begin with `# ` and the site's name, add a summary and at least one Markdown link, and serve the file as text.",
        "Comece com `# ` e o nome do site, acrescente um resumo e pelo menos um link em Markdown, e sirva o arquivo como texto.",
    ),
    reference: "https://llmstxt.org/#format",
    rule: text(
        "Fails when the file, or the guide that the page declares, answers 2xx but is an HTML page, does not begin with a `# ` heading, has no Markdown link, has a link with an invalid URL, or has fewer than 50 characters. Not measured when the site answers missing URLs with the same page. Not applicable when there is no file.",
        "Falha quando o arquivo, ou o guia que a página declara, responde 2xx mas é uma página HTML, não começa com um título `# `, não tem nenhum link em Markdown, tem um link com URL inválida ou tem menos de 50 caracteres. Não é medido quando o site responde a URLs inexistentes com a mesma página. Não se aplica quando não há arquivo.",
    ),
    thresholds: &[threshold("length", llms::SHORTEST as u64, "characters")],
    remedy: remedy(FixClass::Deterministic, FixTarget::File),
    since: WHOLE,
    run: invalid,
};

/// Links of the navigation taken over at most.
const MOST_LINKS: usize = 10;
/// Navigation elements that are searched for them: the main one is among the first.
const MOST_NAVS: usize = 8;
/// Characters of a link's text; a longer one is no name of a page.
const LONGEST_NAME: usize = 100;
/// Characters of the summary at most: agents read it whole.
const LONGEST_SUMMARY: usize = 500;
/// Bytes of an address that goes into the file; browsers and clients read no longer ones reliably.
const LONGEST_URL: usize = 2_048;

/// Fails when the file at the root answers 404 or 410. A guide that the page names stands in for it, and then the root
/// is not looked at.
fn missing(facts: &Facts<'_>) -> Verdict {
    let status = match facts.llms_txt()? {
        RootFile::There => return PASS,
        RootFile::Unknown => return Err(NotMeasured::Probe),
        RootFile::Missing(status) => status,
    };
    const NONE: Text = text(
        "The site has no llms.txt: {url} answers {status}. Google Search is not affected.",
        "O site não tem llms.txt: {url} responde {status}. A Busca do Google não é afetada.",
    );
    let url = facts.url()?.join(llms::PATH).map_or_else(|_| String::new(), Into::into);
    let fix = match facts.page().ok().and_then(|html| content(facts, html)) {
        Some(content) => {
            const ORIGIN: Text = text(
                "the page's site name, description, URL and navigation",
                "o nome do site, a descrição, a URL e a navegação da página",
            );
            FixDraft::file(llms::PATH, content).from(ORIGIN, &[])
        }
        None => {
            const WRITE: Text = text(
                "Create /llms.txt with a line \"# \" plus the site's name, a summary, and a list of links to the main pages.",
                "Crie o /llms.txt com uma linha \"# \" mais o nome do site, um resumo e uma lista de links para as páginas principais.",
            );
            FixDraft::instruction(FixTarget::File, WRITE, &[])
        }
    };
    let place = Place { url: Some(url.clone()), ..Place::default() };
    problem(NONE, &[("url", url.into()), ("status", status.into())], fix).at([place]).fail()
}

/// Fails when something else than such a file answers.
fn invalid(facts: &Facts<'_>) -> Verdict {
    let site = facts.site()?;
    let check = facts.discovery().map(|discovery| &discovery.llms).ok_or(NotMeasured::Probe)?;
    match check.status {
        DiscoveryStatus::Warn => {}
        DiscoveryStatus::Unverified => return Err(NotMeasured::Probe),
        DiscoveryStatus::Info if check.http_status >= 400 => return Err(NotMeasured::Absent),
        DiscoveryStatus::Info | DiscoveryStatus::Pass => return PASS,
    }
    let is_root = facts.llms_txt()? == RootFile::There;
    let draft = facts.page().ok().filter(|_| is_root).and_then(|html| content(facts, html));
    let own = llms::root_text(&site).unwrap_or_default();
    let file = draft.and_then(|draft| llms::completed(&own, &draft, facts.url().ok()?));
    let fix = match file {
        Some(file) => {
            const ORIGIN: Text = text(
                "the file's own lines, and the page's site name, description, URL and navigation",
                "as linhas do próprio arquivo, mais o nome do site, a descrição, a URL e a navegação da página",
            );
            FixDraft::file(llms::PATH, file).from(ORIGIN, &[])
        }
        None => {
            const WRITE: Text = text(
                "Begin the file with \"# \" and the site's name. Then add a summary and a list of links to the main pages.",
                "Comece o arquivo com \"# \" e o nome do site. Depois, acrescente um resumo e uma lista de links para as páginas principais.",
            );
            FixDraft::instruction(FixTarget::File, WRITE, &[])
        }
    };
    let place = Place { url: check.url.clone(), ..Place::default() };
    let mut found = problem(text("", ""), &[("status", check.http_status.into())], fix).at([place]);
    found.message = check.message.clone();
    found.fail()
}

/// The file from what the page holds; `None` when that is too little for a useful one. Title and description of a page
/// that is not the home page are of the page, not of the site.
fn content(facts: &Facts<'_>, html: &Html) -> Option<String> {
    let own = facts.own_url().ok().filter(|url| url.as_str().len() <= LONGEST_URL)?;
    let is_home = canonical::is_home(own.path());
    // The title as it will be once fixed: otherwise the file would change with that fix.
    let declared = html.title().map(|title| without_visible_markup(&html.as_meant(&title)));
    let declared = declared.filter(|title| is_title(title));
    let title = declared.or_else(|| Some(title::made(html)?.value));
    let title = title.map(|title| if is_home { title } else { without_site_name(html, &title) });
    let headline = || html.headline().map(|headline| headline.value.clone());
    let title = title.filter(|title| is_name(title)).or_else(headline).filter(|title| is_name(title));
    let site = html.site_name().filter(|name| name.is_ready() && is_name(&name.value)).map(|name| name.value.clone());
    let of_title = || title.clone().filter(|_| is_home);
    let name = site.or_else(of_title).or_else(|| own.host_str().map(str::to_owned))?;
    let mut lines = vec![format!("# {}", markdown(&name)), String::new()];
    let description = html.meta("description").filter(|text| is_home && !is_placeholder(text));
    if let Some(description) = description {
        let summary = fitting::cut(&html.as_meant(description), LONGEST_SUMMARY);
        lines.extend([format!("> {}", markdown(&summary)), String::new()]);
    }
    lines.push(item(&title.unwrap_or(name), &own));
    lines.extend(navigation(html, &own).into_iter().map(|(name, url)| item(&name, &url)));
    let file = lines.join("\n") + "\n";
    llms::is_useful(&file, &own).then_some(file)
}

/// Named links within the site of the first `nav` that has any, each page once; those of an article, which lead to the
/// next one, only where there is no other.
fn navigation(html: &Html, own: &Url) -> Vec<(String, Url)> {
    let is_nav = |element: &Element<'_>| element.is("nav") || element.has_token("role", "navigation");
    let is_of_article = |nav: &Element<'_>| nav.ancestors().any(|around| around.is("article") || around.is("main"));
    let links = |nav: Element<'_>| {
        let mut seen = vec![identity(own)];
        let mut out: Vec<(String, Url)> = Vec::new();
        for link in nav.descendants().filter(|element| element.is("a")) {
            let url = link.attribute("href").and_then(|href| html.resolve(href));
            let is_listed = |url: &Url| {
                url.origin() == own.origin() && url.as_str().len() <= LONGEST_URL && !nofollow::is_private(url)
            };
            let Some(mut url) = url.filter(is_listed) else { continue };
            url.set_fragment(None);
            let name = html.as_meant(&link.text());
            if is_name(&name) && !seen.contains(&identity(&url)) {
                seen.push(identity(&url));
                out.push((name, url));
            }
            if out.len() == MOST_LINKS {
                break;
            }
        }
        out
    };
    let (of_article, of_site): (Vec<_>, Vec<_>) =
        html.document.elements().filter(is_nav).take(MOST_NAVS).partition(is_of_article);
    let all = of_site.into_iter().chain(of_article);
    all.map(links).find(|links| !links.is_empty()).unwrap_or_default()
}

fn is_name(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= LONGEST_NAME && !is_placeholder(text)
}

fn item(name: &str, url: &Url) -> String {
    format!("- [{}]({})", markdown(name), url.as_str().replace('(', "%28").replace(')', "%29"))
}

/// Text of a page as one line of Markdown that means nothing but itself.
fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in collapse(text).chars() {
        if matches!(c, '\\' | '[' | ']' | '<' | '`' | '*' | '_') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
