//! Things that a secure page loads over http.

use crate::check::MAX_PLACES;
use crate::check::prelude::*;
use crate::facts::page::Html;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "mixed-content",
    category: Category::Security,
    landing: Landing::TO_WRITE,
    checks: &[ACTIVE, PASSIVE],
};

const STANDARD: &str = "https://www.w3.org/TR/mixed-content/";

const ACTIVE: Check = Check {
    code: "mixed_content_active",
    severity: Severity::Error,
    title: text("Scripts, styles, frames or forms over http", "Scripts, estilos, quadros ou formulários por http"),
    why: text(
        "Browsers block scripts, style sheets and frames that a secure page asks for over http, and warn before they send a form there: the page is broken.",
        "Os navegadores bloqueiam scripts, folhas de estilo e quadros que uma página segura pede por http, e alertam antes de enviar um formulário para lá: a página fica quebrada.",
    ),
    how: text("Load them over https.", "Carregue-os por https."),
    reference: STANDARD,
    rule: text("", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Body),
    since: FIRST,
    run: active,
};

const PASSIVE: Check = Check {
    code: "mixed_content_passive",
    severity: Severity::Warn,
    title: text("Images or media over http", "Imagens ou mídia por http"),
    why: text(
        "Browsers load these over https instead, and drop what is not there; the page is no longer wholly secure.",
        "Os navegadores tentam carregar por https e descartam o que não existir lá; a página deixa de ser toda segura.",
    ),
    how: text("Load them over https.", "Carregue-os por https."),
    reference: STANDARD,
    rule: text("", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Image),
    since: FIRST,
    run: passive,
};

/// Element, attribute, and whether the request is blockable (W3C Mixed Content §5.3 and §4).
const REQUESTS: [(&str, &str, bool); 11] = [
    ("script", "src", true),
    ("iframe", "src", true),
    ("object", "data", true),
    ("embed", "src", true),
    ("form", "action", true),
    ("link", "href", true),
    ("img", "src", false),
    ("audio", "src", false),
    ("video", "src", false),
    ("source", "src", false),
    ("video", "poster", false),
];

/// `link` relations that fetch something to run or apply; canonical and alternate never count.
fn link_loads(link: Element<'_>) -> bool {
    ["stylesheet", "preload", "modulepreload", "manifest"].iter().any(|rel| link.has_token("rel", rel))
}

fn insecure(html: &Html, blockable: bool) -> Vec<(&'static str, String, Element<'_>)> {
    let mut found = Vec::new();
    // Without a scheme of its own an address has its base's; most need no parsing.
    let base_is_http = html.resolve("").is_some_and(|base| base.scheme() == "http");
    let links = html.links.iter().filter_map(|link| html.element(link.node)).filter(|link| link_loads(*link));
    for element in html.elements(&html.addressed).chain(links) {
        for (tag, name, blocks) in REQUESTS {
            if blocks != blockable || !element.is(tag) {
                continue;
            }
            let value = element.attribute(name).filter(|value| base_is_http || value.contains(':'));
            let url = value.and_then(|value| html.resolve(value));
            if let Some(mut url) = url.filter(|url| url.scheme() == "http")
                && url.set_scheme("https").is_ok()
            {
                found.push((name, url.to_string(), element));
            }
        }
    }
    found.sort_by_key(|(_, _, element)| element.id());
    found
}

fn active(facts: &Facts<'_>) -> Verdict {
    const BLOCKED: Text = text(
        "{count} {count|address|addresses} of active content {count|is|are} http, which browsers block; the first is {url}.",
        "{count} {count|endereço|endereços} de conteúdo ativo {count|é|são} http, que os navegadores bloqueiam; o primeiro é {url}.",
    );
    judge(facts, true, BLOCKED, FixTarget::Body)
}

fn passive(facts: &Facts<'_>) -> Verdict {
    const UPGRADED: Text = text(
        "{count} {count|image or media file is|images or media files are} asked for over http; the first is {url}.",
        "{count} {count|imagem ou mídia é pedida|imagens ou mídias são pedidas} por http; a primeira é {url}.",
    );
    judge(facts, false, UPGRADED, FixTarget::Image)
}

/// Fails when a page on https asks for something of the kind over http.
fn judge(facts: &Facts<'_>, blockable: bool, message: Text, target: FixTarget) -> Verdict {
    let html = facts.page()?;
    facts.https()?;
    let found = insecure(html, blockable);
    let Some((name, url, first)) = found.first() else { return PASS };
    const SECURE: Text = text(
        "the same address over https; check that it answers there",
        "o mesmo endereço por https; confira se ele responde lá",
    );
    let values = [("count", found.len().into()), ("url", first.attribute(name).unwrap_or_default().into())];
    let places: Vec<Place> = found.iter().take(MAX_PLACES).map(|(_, _, element)| element.place()).collect();
    let snippet =
        first.start_tag_with(name, url).unwrap_or_else(|| format!("<{} {name}=\"{}\">", first.name(), attribute(url)));
    let fix = if found.iter().all(|(_, _, element)| element.start_tag().is_some()) {
        found.iter().fold(FixDraft::edit(target, snippet), |fix, (name, url, element)| fix.set(*element, name, url))
    } else {
        FixDraft::template(target, snippet)
    };
    Ok(Some(problem(message, &values, fix.from(SECURE, &[])).at(places)))
}
