//! Where links lead: addresses that a crawler can't follow, and addresses nobody else can reach.

use std::borrow::Cow;

use url::{Host, Url};

use crate::check::prelude::*;
use crate::facts::page::Html;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "link-targets",
    category: Category::Links,
    landing: Landing::TO_WRITE,
    checks: &[LOCAL, NOT_CRAWLABLE],
};

const LOCAL: Check = Check {
    code: "link_local_target",
    severity: Severity::Error,
    title: text("Addresses nobody else can reach", "Endereços que ninguém mais alcança"),
    why: text(
        "A link, image or script that points to localhost, a private address or a staging host works on the developer's machine and breaks for everyone else.",
        "Um link, imagem ou script que aponta para localhost, um endereço privado ou um host de teste funciona na máquina de quem desenvolve e quebra para todos os outros.",
    ),
    how: text("Point it to the public address.", "Aponte para o endereço público."),
    reference: "https://www.rfc-editor.org/rfc/rfc6761",
    rule: text("Fails when an address of the page can't be reached from outside.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Body),
    since: FIRST,
    run: local,
};

const NOT_CRAWLABLE: Check = Check {
    code: "link_not_crawlable",
    severity: Severity::Warn,
    title: text("Links that crawlers can't follow", "Links que robôs não seguem"),
    why: text(
        "Crawlers follow addresses in `href`. What only a script opens is not found.",
        "Robôs seguem endereços em `href`. O que só um script abre não é encontrado.",
    ),
    how: text(
        "Use `<a href=\"…\">` with a real address; let the script take over the click.",
        "Use `<a href=\"…\">` com um endereço de verdade; deixe o script assumir o clique.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/links-crawlable#crawlable-links",
    rule: text(
        "Fails when an anchor acts as a link but gives no address: `javascript:`, or a handler without or with a void href. Placeholders without attributes, and anchors with a role other than link, pass: they don't pretend to lead anywhere.",
        "",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Body),
    since: FIRST,
    run: not_crawlable,
};

/// Fails when an anchor acts as a link but gives no address: `javascript:`, or a handler without or with a void href.
///
/// Placeholders without attributes, and anchors with a role other than link, pass: they don't pretend to lead anywhere.
fn not_crawlable(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let mut any = false;
    let mut found = Vec::new();
    for link in html.elements(&html.addressed).filter(|element| element.is("a")) {
        any = true;
        if link
            .attribute("role")
            .is_some_and(|role| !role.trim().is_empty() && !role.trim().eq_ignore_ascii_case("link"))
        {
            continue;
        }
        let href = link.attribute("href").map(str::trim);
        let script =
            href.is_some_and(|href| href.get(..11).is_some_and(|start| start.eq_ignore_ascii_case("javascript:")));
        let void = href.is_none_or(|href| href.is_empty() || href == "#");
        let handler = link.has("onclick") || link.has("ng-click") || link.has("routerlink");
        let empty_script = href.is_some_and(|href| {
            matches!(href.to_ascii_lowercase().as_str(), "javascript:" | "javascript:;") && !handler
        });
        if (script && !empty_script) || void && handler {
            found.push(link);
        }
    }
    if !any {
        return Err(NotMeasured::Absent);
    }
    let Some(first) = found.first() else { return PASS };
    const SCRIPTED: Text = text(
        "{count} {count|link gives|links give} no address that a crawler can follow; the first reads “{text}”.",
        "{count} {count|link não dá|links não dão} um endereço que um robô possa seguir; o primeiro diz “{text}”.",
    );
    const NOW: Text = text("now: {tag}", "agora: {tag}");
    let shown = first.text();
    let fix = FixDraft::template(FixTarget::Body, format!("<a href=\"{{{{URL}}}}\">{}</a>", html_text(&shown)))
        .from(NOW, &[("tag", first.start_tag_source().unwrap_or_default().into())]);
    let values = [("count", found.len().into()), ("text", shown.into())];
    Ok(Some(problem(SCRIPTED, &values, fix).at(found.iter().map(|link| link.place()))))
}

/// Names that never leave a machine or a local network (RFC 6761, RFC 8375).
const LOCAL_SUFFIXES: [&str; 6] = ["localhost", "local", "test", "internal", "home.arpa", "lan"];
/// First labels of hosts on which a site is tried out.
const STAGING_LABELS: [&str; 6] = ["staging", "stage", "dev", "preview", "preprod", "uat"];
/// Hosts that hold previews of sites that live elsewhere.
const PREVIEW_HOSTS: [&str; 2] = [".vercel.app", ".netlify.app"];

/// Whether a URL can't be reached from outside, or is a staging copy of the page's own site.
fn is_local(url: &Url, page: &Url) -> bool {
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
        Some(Host::Domain(host)) => {
            let host = host.trim_end_matches('.');
            LOCAL_SUFFIXES
                .iter()
                .any(|suffix| host == *suffix || host.strip_suffix(suffix).is_some_and(|h| h.ends_with('.')))
                || is_staging(host, page)
        }
        None => false,
    }
}

/// Whether an address may have another host than its base: most can't, and need no parsing.
fn may_leave(value: &str) -> bool {
    value.contains([':', '\\']) || value.contains("//")
}

fn is_staging(host: &str, page: &Url) -> bool {
    let Some(page_host) = page.host_str() else { return false };
    let Some((first, rest)) = host.split_once('.') else { return false };
    let is_preview = first.contains("-git-") && PREVIEW_HOSTS.iter().any(|suffix| host.ends_with(suffix));
    if !is_preview && !STAGING_LABELS.contains(&first) {
        return false;
    }
    let own_domain = psl::domain_str(page_host).unwrap_or(page_host);
    let name = own_domain.split('.').next().unwrap_or_default();
    let same_site = psl::domain_str(rest) == Some(own_domain) || rest == own_domain;
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
    let of_anchors =
        html.anchors.iter().filter_map(|anchor| Some((Cow::Borrowed(anchor.url.as_ref()?), "href", anchor.node)));
    let of_links = html.links.iter().filter_map(|link| Some((Cow::Borrowed(link.url.as_ref()?), "href", link.node)));
    let of_others = html.elements(&html.addressed).filter_map(|element| {
        let (_, name) = ADDRESSES.iter().find(|(tag, _)| element.is(tag))?;
        let value = element.attribute(name).filter(|value| may_leave(value))?;
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

/// Fails when an address of the page can't be reached from outside.
fn local(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let found = local_targets(html);
    let Some((url, name, element)) = found.first() else { return PASS };
    const LOCAL_ADDRESS: Text = text(
        "{count} {count|address|addresses} can't be reached from outside; the first is {url}.",
        "{count} {count|endereço não pode ser alcançado|endereços não podem ser alcançados} de fora; o primeiro é {url}.",
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
    Ok(Some(problem(LOCAL_ADDRESS, &values, fix).at(found.iter().map(|(_, _, element)| element.place()))))
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
