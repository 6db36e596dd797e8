//! Things that a secure page loads over http.

use crate::check::MAX_PLACES;
use crate::check::prelude::*;
use crate::facts::csp;
use crate::facts::page::Html;
use crate::facts::plain_address::is_data;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "mixed-content", category: Category::Security, landing: LANDING, checks: &[ACTIVE, FORM, PASSIVE] };

const LANDING: Landing = Landing {
    title: text("Mixed content checker", "Verificador de conteúdo misto"),
    h1: text("What does your https page load over http?", "O que sua página https carrega por http?"),
    description: text(
        "Find scripts, styles, iframes, forms and images that a secure page requests over http, and get the corrected tags.",
        "Encontre scripts, estilos, iframes, formulários e imagens que uma página segura pede por http e receba as tags corrigidas.",
    ),
    lead: text(
        "Browsers block scripts and styles that a secure page requests over http. They load its images over https instead, or drop them. Mixed content often remains after a move to https.",
        "Os navegadores bloqueiam scripts e estilos que uma página segura pede por http. As imagens, eles carregam por https ou descartam. Conteúdo misto costuma sobrar de uma migração para https.",
    ),
    example: include_str!("mixed_content/bad_active.html"),
};

const ACTIVE: Check = Check {
    code: "mixed_content_active",
    severity: Severity::Error,
    impact: Impact::Rendering,
    title: text("Scripts, styles or iframes over http", "Scripts, estilos ou iframes por http"),
    why: text(
        "Browsers block scripts, style sheets and iframes that a secure page requests over http, which breaks the page.",
        "Os navegadores bloqueiam scripts, folhas de estilo e iframes que uma página segura pede por http, e a página quebra.",
    ),
    how: text("Load these files over https.", "Carregue estes arquivos por https."),
    reference: "https://www.w3.org/TR/mixed-content/#should-block-fetch",
    // Forms are told by `form_action_insecure` alone: one cause, one finding.
    rule: text(
        "Fails when an https page has an http URL in `script src`, `iframe src`, `embed src`, `object data`, or in the `href` of a `link` that loads something (`stylesheet`, `preload`, `modulepreload`, `manifest`). Ordinary links, `canonical` and `alternate` load nothing and never count. A page whose policy says `upgrade-insecure-requests` passes: browsers load everything over https there.",
        "Falha quando uma página https tem uma URL http em `script src`, `iframe src`, `embed src`, `object data` ou no `href` de um `link` que carrega algo (`stylesheet`, `preload`, `modulepreload`, `manifest`). Links comuns, `canonical` e `alternate` não carregam nada e nunca contam. Uma página cuja política diz `upgrade-insecure-requests` passa: os navegadores carregam tudo por https.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Body),
    since: FIRST,
    run: active,
};

const FORM: Check = Check {
    code: "form_action_insecure",
    severity: Severity::Error,
    impact: Impact::Use,
    title: text("Form sends data over http", "Formulário envia dados por http"),
    why: text(
        "Data that visitors enter travels unencrypted, and anyone on the network path can read it. Browsers warn before they send it.",
        "Os dados que o visitante digita viajam sem criptografia, e qualquer um no caminho da rede pode lê-los. Os navegadores alertam antes de enviar.",
    ),
    how: text("Change the form's action to an https URL.", "Troque o action do formulário por uma URL https."),
    reference: "https://cwe.mitre.org/data/definitions/319.html",
    rule: text(
        "Fails when, on an https page, the `action` of a `form` or the `formaction` of a `button` or `input` is an http URL. A form without `action` sends to the page itself and passes.",
        "Falha quando, em uma página https, o `action` de um `form` ou o `formaction` de um `button` ou `input` é uma URL http. Um formulário sem `action` envia para a própria página e passa.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Body),
    since: WHOLE,
    run: form,
};

const PASSIVE: Check = Check {
    code: "mixed_content_passive",
    severity: Severity::Warn,
    impact: Impact::Rendering,
    title: text("Images or media over http", "Imagens ou mídia por http"),
    why: text(
        "Browsers load these files over https instead, and drop those that don't exist there.",
        "Os navegadores carregam estes arquivos por https e descartam os que não existem lá.",
    ),
    how: text("Load these files over https.", "Carregue estes arquivos por https."),
    reference: "https://www.w3.org/TR/mixed-content/#upgrade-algorithm",
    rule: text(
        "Fails when an https page has an http URL in `img src`, `audio src`, `video src` or `poster`, or `source src`. `srcset` is not checked. A note when there are at most 2, or fewer than 10% of the number of the page's images. A page whose policy says `upgrade-insecure-requests` passes: browsers load everything over https there.",
        "Falha quando uma página https tem uma URL http em `img src`, `audio src`, `video src` ou `poster`, ou `source src`. `srcset` não é verificado. É uma observação quando são no máximo 2, ou menos de 10% do número de imagens da página. Uma página cuja política diz `upgrade-insecure-requests` passa: os navegadores carregam tudo por https.",
    ),
    thresholds: &[
        threshold("note_below", NOTE_BELOW as u64, "percent"),
        threshold("most_noted", MOST_NOTED as u64, "images"),
    ],
    remedy: remedy(FixClass::Deterministic, FixTarget::Image),
    since: FIRST,
    run: passive,
};

/// Percent of a page's images below which pictures over http are a note: browsers ask for them over https, and one that is
/// lost there is one of many.
const NOTE_BELOW: usize = 10;

/// Pictures over http that are a note however few images the page has.
const MOST_NOTED: usize = 2;

/// What browsers do with a request over http.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Insecure {
    /// They block it (W3C Mixed Content §5.3).
    Blocked,
    /// They warn of it.
    Sent,
    /// They try https (W3C Mixed Content §4).
    Upgraded,
}

/// Element, attribute, and what becomes of the request.
const REQUESTS: [(&str, &str, Insecure); 13] = [
    ("script", "src", Insecure::Blocked),
    ("iframe", "src", Insecure::Blocked),
    ("object", "data", Insecure::Blocked),
    ("embed", "src", Insecure::Blocked),
    ("link", "href", Insecure::Blocked),
    ("form", "action", Insecure::Sent),
    ("button", "formaction", Insecure::Sent),
    ("input", "formaction", Insecure::Sent),
    ("img", "src", Insecure::Upgraded),
    ("audio", "src", Insecure::Upgraded),
    ("video", "src", Insecure::Upgraded),
    ("source", "src", Insecure::Upgraded),
    ("video", "poster", Insecure::Upgraded),
];

/// `link` relations that fetch something to run or apply; canonical and alternate never count.
fn link_loads(link: Element<'_>) -> bool {
    ["stylesheet", "preload", "modulepreload", "manifest"].iter().any(|rel| link.has_token("rel", rel))
}

/// Whether an address may be one over http, which nearly none is: those need no parsing.
fn may_be_http(address: &str, base_is_http: bool) -> bool {
    const SECURE: &str = "https:";
    let is_secure = address.get(..SECURE.len()).is_some_and(|start| start.eq_ignore_ascii_case(SECURE));
    !is_secure && (base_is_http || address.contains(':')) && !is_data(address)
}

fn insecure(html: &Html, wanted: Insecure) -> Vec<(&'static str, String, Element<'_>)> {
    let mut found = Vec::new();
    // Without a scheme of its own an address has its base's; most need no parsing.
    let base_is_http = html.base.scheme() == "http";
    let links = html.links.iter().filter_map(|link| html.element(link.node)).filter(|link| link_loads(*link));
    let requests: Vec<(&str, &str)> =
        REQUESTS.iter().filter(|(.., kind)| *kind == wanted).map(|(tag, name, _)| (*tag, *name)).collect();
    for element in html.elements(&html.addressed).chain(links) {
        let own_name = element.name();
        for (_, name) in requests.iter().copied().filter(|(tag, _)| *tag == own_name) {
            let value = element.attribute(name).filter(|value| may_be_http(value, base_is_http));
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
        "Browsers block {count|an active resource (script, style or iframe)|{count} active resources (scripts, styles, iframes)} requested over http{count|: {url}|; the first is {url}}.",
        "Os navegadores bloqueiam {count|um recurso ativo (script, estilo ou iframe) pedido|{count} recursos ativos (scripts, estilos, iframes) pedidos} por http{count|: {url}|; o primeiro é {url}}.",
    );
    judge(facts, Insecure::Blocked, BLOCKED, FixTarget::Body)
}

fn form(facts: &Facts<'_>) -> Verdict {
    const SENDS: Text = text(
        "{count|A form action uses|{count} form actions use} http, so the data is sent unencrypted{count|: {url}|; the first is {url}}.",
        "{count|Um action de formulário usa|{count} actions de formulário usam} http, e os dados são enviados sem criptografia{count|: {url}|; o primeiro é {url}}.",
    );
    judge(facts, Insecure::Sent, SENDS, FixTarget::Body)
}

fn passive(facts: &Facts<'_>) -> Verdict {
    const UPGRADED: Text = text(
        "{count|An image or media file is|{count} images or media files are} requested over http, on a page with {total|one image|{total} images}{count|: {url}|; the first is {url}}.",
        "{count|Uma imagem ou mídia é pedida|{count} imagens ou mídias são pedidas} por http, em uma página com {total|uma imagem|{total} imagens}{count|: {url}|; a primeira é {url}}.",
    );
    judge(facts, Insecure::Upgraded, UPGRADED, FixTarget::Image)
}

/// Whether a policy of the page makes browsers ask over https for all that it loads.
fn is_upgraded(facts: &Facts<'_>, html: &Html) -> bool {
    let policies = facts.response().map(|exchange| csp::read(Some(html), exchange)).unwrap_or_default();
    policies.iter().any(|policy| policy.directive("upgrade-insecure-requests").is_some())
}

/// Fails when a page on https asks for something of the kind over http.
fn judge(facts: &Facts<'_>, kind: Insecure, message: Text, target: FixTarget) -> Verdict {
    let html = facts.page()?;
    facts.https()?;
    // Nothing of it leaves over http, but forms to other hosts (W3C Upgrade Insecure Requests §3.2).
    if kind != Insecure::Sent && is_upgraded(facts, html) {
        return PASS;
    }
    let found = insecure(html, kind);
    let Some((name, _, first)) = found.first() else { return PASS };
    const SECURE: Text =
        text("the same URL with https; check that it works", "a mesma URL com https; confira se funciona");
    let (count, total) = (found.len(), html.images.len());
    let url_of_first = first.attribute(name).unwrap_or_default();
    let values = [("count", count.into()), ("total", total.into()), ("url", url_of_first.into())];
    let is_minor = kind == Insecure::Upgraded && (count <= MOST_NOTED || is_few(count, total, NOTE_BELOW));
    let secured = |(name, url, element): &(&'static str, String, Element<'_>)| {
        let tag = element.start_tag_with(name, url);
        tag.unwrap_or_else(|| format!("<{} {name}=\"{}\">", element.name(), attribute(url)))
    };
    // A draft has no edits: it shows each form.
    let shown = if kind == Insecure::Sent { MAX_PLACES } else { 1 };
    let snippet = found.iter().take(shown).map(secured).collect::<Vec<_>>().join("\n");
    let fix = if found.iter().all(|(_, _, element)| element.start_tag().is_some()) {
        found.iter().fold(FixDraft::edit(target, snippet), |fix, (name, url, element)| fix.set(*element, name, url))
    } else {
        FixDraft::template(target, snippet)
    };
    const CONFIRM: Text = text(
        "Open {url} first. If it doesn't answer over https, the form stops working.",
        "Abra {url} antes. Se a URL não responde por https, o formulário deixa de funcionar.",
    );
    // A form to another host works over http, and would stop where that host has no https.
    let host = facts.url()?.host_str();
    let elsewhere = found.iter().find(|(_, url, _)| html.resolve(url).is_none_or(|url| url.host_str() != host));
    let fix = match elsewhere.filter(|_| kind == Insecure::Sent) {
        Some((_, url, _)) => fix.note(CONFIRM, &[("url", url.as_str().into())]).into_draft(),
        None => fix,
    };
    let elements = found.iter().map(|(_, _, element)| element);
    problem(message, &values, fix.from(SECURE, &[])).on(elements).minor_if(is_minor).fail()
}
