//! Where addresses lead: to machines that nobody else can reach, and back to http.

use std::borrow::Cow;

use url::{Host, Url};

use crate::check::MAX_PLACES;
use crate::check::prelude::*;
use crate::facts::elements::Reach;
use crate::facts::page::Html;
use crate::facts::plain_address::is_data;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "link-targets", category: Category::Links, landing: LANDING, checks: &[LOCAL, INSECURE] };

const LANDING: Landing = Landing {
    title: text("Localhost and insecure link finder", "Localizador de links para localhost e http"),
    h1: text(
        "Do links on your page lead where nobody else can go?",
        "Há links na sua página que só você consegue abrir?",
    ),
    description: text(
        "Find links, images and scripts that point to localhost, private IP addresses or staging hosts, and internal links to http.",
        "Encontre links, imagens e scripts que apontam para localhost, IPs privados ou hosts de teste, e links internos para http.",
    ),
    lead: text(
        "URLs on a developer's machine work there, but not for anyone else. Links to the http version of a site go through an insecure redirect. This tool reads every URL on a page and lists both kinds.",
        "URLs na máquina de quem desenvolve funcionam lá, mas para mais ninguém. Links para a versão http do site passam por um redirecionamento inseguro. Esta ferramenta lê cada URL da página e lista os dois casos.",
    ),
    example: include_str!("link_target/bad_local.html"),
};

const LOCAL: Check = Check {
    code: "link_local_target",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("URLs that only work locally", "URLs que só funcionam localmente"),
    why: text(
        "A link, image or script that points to localhost, a private IP address or a staging host works for the developer, but not for anyone else.",
        "Um link, imagem ou script que aponta para localhost, um IP privado ou um host de teste funciona para quem desenvolve, mas para mais ninguém.",
    ),
    how: text("Replace the URL with its public address.", "Troque a URL pelo endereço público."),
    reference: "https://www.rfc-editor.org/rfc/rfc6761",
    rule: text(
        "Fails when a URL in a link, image, script, frame, source, video, form, area or `link` element, or in `og:url`, `og:image` or `twitter:image`, can't be reached from outside. That is a URL with the scheme `file:`; one with a loopback, private, link-local, unique-local or unspecified IP address; one with a host that is or ends in `localhost`, `local`, `test`, `internal`, `home.arpa` or `lan`; one with a host of the page's own registrable domain that begins with `staging`, `stage`, `dev`, `preview`, `preprod` or `uat`; and a Vercel or Netlify preview named after that domain. The page's own host never counts.",
        "Falha quando uma URL em link, imagem, script, frame, source, vídeo, formulário, area ou elemento `link`, ou em `og:url`, `og:image` ou `twitter:image`, não pode ser acessada de fora. É o caso de uma URL com o esquema `file:`; com um IP de loopback, privado, link-local, unique-local ou não especificado; com um host que é ou termina em `localhost`, `local`, `test`, `internal`, `home.arpa` ou `lan`; com um host do domínio registrável da própria página que começa com `staging`, `stage`, `dev`, `preview`, `preprod` ou `uat`; e de uma prévia na Vercel ou Netlify com o nome desse domínio. O host da própria página nunca conta.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Body),
    since: FIRST,
    run: local,
};

const INSECURE: Check = Check {
    code: "link_insecure_internal",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("Internal links to http", "Links internos para http"),
    why: text(
        "The page uses https, but links to its own site over http. Each click goes through an extra redirect, over a connection that others can read and change.",
        "A página usa https, mas aponta para o próprio site por http. Cada clique passa por um redirecionamento a mais, em uma conexão que outros podem ler e alterar.",
    ),
    how: text(
        "Use `https://` in links to your own site, or leave out scheme and host.",
        "Use `https://` nos links para o próprio site ou omita esquema e host.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    rule: text(
        "Fails when an `a[href]` on an https page leads to an http URL on the page's own host, without a port. Other subdomains don't count, because they may not support https. A note when less than 10% of the links to that host are affected. Not measured on an http page; not applicable without links.",
        "Falha quando um `a[href]` de uma página https leva a uma URL http no próprio host da página, sem porta. Outros subdomínios não contam, porque podem não ter https. É uma observação quando menos de 10% dos links para esse host são afetados. Não é medido em página http; não se aplica sem links.",
    ),
    thresholds: &[threshold("note_below", NOTE_BELOW as u64, "percent")],
    remedy: remedy(FixClass::Deterministic, FixTarget::Body),
    since: WHOLE,
    run: insecure,
};

/// Percent of a page's links to its own host below which those over http are a note: a forgotten one, not a template.
const NOTE_BELOW: usize = 10;
/// Ends of names that never leave a machine or a local network (RFC 6761).
const LOCAL_ENDS: [&str; 5] = ["localhost", "local", "test", "internal", "lan"];
/// The domain of home networks (RFC 8375).
const HOME: &str = "home.arpa";
/// First labels of hosts on which a site is tried out.
const STAGING_LABELS: [&str; 6] = ["staging", "stage", "dev", "preview", "preprod", "uat"];
/// Hosts that hold previews of sites that live elsewhere.
const PREVIEW_HOSTS: [&str; 2] = [".vercel.app", ".netlify.app"];

/// Whether a URL can't be reached from outside, or is a staging copy of the page's own site.
pub(crate) fn is_local(url: &Url, page: &Url) -> bool {
    if url.scheme() == "file" {
        return true;
    }
    if !matches!(url.scheme(), "http" | "https") || url.host() == page.host() {
        return false;
    }
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified(),
        Some(Host::Ipv6(ip)) => {
            ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local() || ip.is_unspecified()
        }
        Some(Host::Domain(host)) => is_local_name(host.trim_end_matches('.'), page),
        None => false,
    }
}

/// The same of a domain.
fn is_local_name(host: &str, page: &Url) -> bool {
    let last = memchr::memrchr(b'.', host.as_bytes()).and_then(|at| host.get(at + 1..)).unwrap_or(host);
    LOCAL_ENDS.contains(&last)
        || last == "arpa" && host.strip_suffix(HOME).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        || is_staging(host, page)
}

/// Whether an address may be a local one with another host than its base: most can't, and need no parsing.
fn may_be_local(html: &Html, value: &str) -> bool {
    (value.contains([':', '\\']) || value.contains("//"))
        && !is_data(value)
        && html.plain_target(value).is_none_or(|target| is_local_name(target.host, &html.url))
}

fn is_staging(host: &str, page: &Url) -> bool {
    let Some(page_host) = page.host_str() else { return false };
    let Some((first, rest)) = host.split_once('.') else { return false };
    let is_preview = PREVIEW_HOSTS.iter().any(|suffix| host.ends_with(suffix)) && first.contains("-git-");
    if !is_preview && !STAGING_LABELS.contains(&first) {
        return false;
    }
    let own_domain = domains::registrable_domain(page_host).unwrap_or(page_host);
    let name = own_domain.split('.').next().unwrap_or_default();
    let same_site = domains::registrable_domain(rest) == Some(own_domain) || rest == own_domain;
    same_site && STAGING_LABELS.contains(&first) || is_preview && name.len() > 3 && first.starts_with(name)
}

/// Attributes that hold one address, but for those that were resolved already.
const ADDRESSES: [(&str, &str); 7] = [
    ("img", "src"),
    ("script", "src"),
    ("iframe", "src"),
    ("source", "src"),
    ("video", "src"),
    ("form", "action"),
    ("area", "href"),
];

fn local_targets(html: &Html) -> Vec<(Cow<'_, Url>, &'static str, Element<'_>)> {
    // The page's own host is judged with the page.
    let of_anchors = html
        .anchors
        .iter()
        .filter(|anchor| anchor.reach != Reach::Internal)
        .filter_map(|anchor| Some((Cow::Borrowed(anchor.url()?), "href", anchor.node)));
    let of_links = html.links.iter().filter_map(|link| Some((Cow::Borrowed(link.url.as_ref()?), "href", link.node)));
    let of_others = html.elements(&html.addressed).filter_map(|element| {
        let (_, name) = ADDRESSES.iter().find(|(tag, _)| element.is(tag))?;
        let value = element.attribute(name).filter(|value| may_be_local(html, value))?;
        Some((Cow::Owned(html.resolve(value)?), *name, element.id()))
    });
    let of_metas = html.metas.iter().filter_map(|meta| {
        let is_address = meta.social_key().is_some_and(|key| matches!(key, "og:url" | "og:image" | "twitter:image"));
        let element = html.element(meta.node).filter(|_| is_address)?;
        Some((Cow::Owned(html.resolve(element.attribute("content")?)?), "content", element.id()))
    });
    let all = of_anchors.chain(of_links).chain(of_others).chain(of_metas);
    let local = all.filter(|(url, _, _)| is_local(url, &html.url));
    let mut found: Vec<_> = local.filter_map(|(url, name, id)| Some((url, name, html.element(id)?))).collect();
    found.sort_by_key(|(_, _, element)| element.id());
    found
}

fn local(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let found = local_targets(html);
    let Some((url, name, element)) = found.first() else { return PASS };
    const LOCAL_ADDRESS: Text = text(
        "{count|A URL can't be reached from outside: {url}.|{count} URLs can't be reached from outside; the first is {url}.}",
        "{count|Uma URL não pode ser acessada de fora: {url}.|{count} URLs não podem ser acessadas de fora; a primeira é {url}.}",
    );
    const SAME_PATH: Text =
        text("the same path on this page's origin: {url}", "o mesmo caminho na origem desta página: {url}");
    let mut public = html.url.clone();
    public.set_path(url.path());
    public.set_query(url.query());
    public.set_fragment(url.fragment());
    let tag = element
        .start_tag_with(name, "{{PUBLIC_URL}}")
        .unwrap_or_else(|| format!("<{} {name}=\"{{{{PUBLIC_URL}}}}\">", element.name()));
    let fix = FixDraft::template(FixTarget::Body, tag).from(SAME_PATH, &[("url", public.as_str().into())]);
    let values = [("count", found.len().into()), ("url", url.as_str().into())];
    problem(LOCAL_ADDRESS, &values, fix).on(found.iter().map(|(_, _, element)| element)).fail()
}

fn insecure(facts: &Facts<'_>) -> Verdict {
    facts.https()?;
    let html = facts.page()?;
    if html.anchors.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let is_insecure = |url: &Url| url.scheme() == "http" && url.port().is_none();
    let own = || html.anchors.iter().filter(|anchor| anchor.reach == Reach::Internal);
    let found: Vec<(Element<'_>, &Url)> = own()
        .filter_map(|anchor| Some((html.element(anchor.node)?, anchor.url().filter(|url| is_insecure(url))?)))
        .collect();
    let Some((_, first)) = found.first() else { return PASS };
    const BACK: Text = text(
        "{total|The only internal link uses|{count} of {total} internal links {count|uses|use}} http instead of https{count|: {url}|; the first is {url}}.",
        "{total|O único link interno usa|{count} de {total} links internos {count|usa|usam}} http em vez de https{count|: {url}|; o primeiro é {url}}.",
    );
    const BASE: Text = text(
        "The page's base URL uses http. Change it to https.",
        "A URL base da página usa http. Troque-a por https.",
    );
    const SAME: Text = text("the same URLs with https", "as mesmas URLs com https");
    let secure = |link: Element<'_>| {
        let href = link.attribute("href")?.trim_start();
        let rest = href.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("http:")).and_then(|_| href.get(5..))?;
        link.start_tag()?;
        Some(format!("https:{rest}"))
    };
    let ready: Option<Vec<(Element<'_>, String)>> =
        found.iter().map(|(link, _)| Some((*link, secure(*link)?))).collect();
    let fix = match ready {
        Some(ready) => {
            let tag = |(link, href): &(Element<'_>, String)| link.start_tag_with("href", href);
            let snippet = ready.iter().take(MAX_PLACES).filter_map(tag).collect::<Vec<_>>().join("\n");
            let fix = FixDraft::edit(FixTarget::Body, snippet).from(SAME, &[]);
            ready.iter().fold(fix, |fix, (link, href)| fix.set(*link, "href", href))
        }
        None => FixDraft::instruction(FixTarget::Head, BASE, &[]),
    };
    let (count, total) = (found.len(), own().count());
    let values = [("count", count.into()), ("total", total.into()), ("url", first.as_str().into())];
    let found = problem(BACK, &values, fix).on(found.iter().map(|(link, _)| link));
    found.minor_if(is_few(count, total, NOTE_BELOW)).fail()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_private_and_staging_addresses_are_told_from_public_ones() {
        let page = Url::parse("https://www.example.com/").unwrap();
        let check = |text: &str| is_local(&Url::parse(text).unwrap(), &page);
        for local in [
            "http://localhost:3000/",
            "http://127.0.0.1/",
            "http://10.1.2.3/",
            "http://[::1]/",
            "http://[fd00::1]/",
            "http://box.local/",
            "https://app.test/",
            "file:///tmp/a.html",
            "https://staging.example.com/",
            "https://dev.www.example.com/",
        ] {
            assert!(check(local), "{local}");
        }
        for public in [
            "https://example.com/",
            "https://dev.to/",
            "https://staging.other.com/",
            "https://x.vercel.app/",
            "mailto:a@b.local",
            "http://8.8.8.8/",
        ] {
            assert!(!check(public), "{public}");
        }
    }
}
