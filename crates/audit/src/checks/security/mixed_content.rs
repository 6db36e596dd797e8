//! Things that a secure page loads over http.

use crate::check::prelude::*;
use crate::facts::page::Html;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "mixed-content", category: Category::Security, landing: LANDING, checks: &[ACTIVE, FORM, PASSIVE] };

const LANDING: Landing = Landing {
    title: text("Mixed content checker", "Verificador de conteúdo misto"),
    h1: text("What does your https page load over http?", "O que sua página https carrega por http?"),
    description: text(
        "Finds scripts, styles, frames, forms and images that a secure page asks for over http, with the repaired tags.",
        "Encontra scripts, estilos, quadros, formulários e imagens que uma página segura pede por http, com as tags corrigidas.",
    ),
    lead: text(
        "Browsers block scripts and styles that a secure page asks for over http, and reload or drop its images. Mixed content is the usual rest of a move to https.",
        "Os navegadores bloqueiam scripts e estilos que uma página segura pede por http, e recarregam ou descartam as imagens. Conteúdo misto é o resto comum de uma migração para https.",
    ),
    example: include_str!("mixed_content/bad_active.html"),
};

const ACTIVE: Check = Check {
    code: "mixed_content_active",
    severity: Severity::Error,
    impact: Impact::Rendering,
    title: text("Scripts, styles or frames over http", "Scripts, estilos ou quadros por http"),
    why: text(
        "Browsers block scripts, style sheets and frames that a secure page asks for over http: the page is broken.",
        "Os navegadores bloqueiam scripts, folhas de estilo e quadros que uma página segura pede por http: a página fica quebrada.",
    ),
    how: text("Load them over https.", "Carregue-os por https."),
    reference: "https://www.w3.org/TR/mixed-content/#should-block-fetch",
    // Forms are told by `form_action_insecure` alone: one cause, one finding.
    rule: text(
        "Fails when a page on https names an http address in `script src`, `iframe src`, `embed src`, `object data`, or in the `href` of a `link` that loads something (`stylesheet`, `preload`, `modulepreload`, `manifest`). Links to read, `canonical` and `alternate` load nothing and never count.",
        "Falha quando uma página em https nomeia um endereço http em `script src`, `iframe src`, `embed src`, `object data`, ou no `href` de um `link` que carrega algo (`stylesheet`, `preload`, `modulepreload`, `manifest`). Links de leitura, `canonical` e `alternate` não carregam nada e nunca contam.",
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
    title: text("Form sends over http", "Formulário envia por http"),
    why: text(
        "What a visitor types in travels in the clear, where anyone on the way can read it. Browsers warn before they send it.",
        "O que o visitante digita viaja sem criptografia, e qualquer um no caminho pode ler. Os navegadores alertam antes de enviar.",
    ),
    how: text("Send the form to an https address.", "Envie o formulário para um endereço https."),
    reference: "https://cwe.mitre.org/data/definitions/319.html",
    rule: text(
        "Fails when on a page of https the `action` of a `form`, or the `formaction` of a `button` or `input`, names an http address. A form without `action` sends to the page itself and passes.",
        "Falha quando, em uma página https, o `action` de um `form` ou o `formaction` de um `button` ou `input` nomeia um endereço http. Um formulário sem `action` envia para a própria página e passa.",
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
        "Browsers load these over https instead, and drop what is not there; the page is no longer wholly secure.",
        "Os navegadores tentam carregar por https e descartam o que não existir lá; a página deixa de ser toda segura.",
    ),
    how: text("Load them over https.", "Carregue-os por https."),
    reference: "https://www.w3.org/TR/mixed-content/#upgrade-algorithm",
    rule: text(
        "Fails when a page on https names an http address in `img src`, `audio src`, `video src` or `poster`, or `source src`. `srcset` is not looked at. A note where they are less than 10 percent of the page's images.",
        "Falha quando uma página em https nomeia um endereço http em `img src`, `audio src`, `video src` ou `poster`, ou `source src`. `srcset` não é verificado. É só uma nota quando são menos de 10 por cento das imagens da página.",
    ),
    thresholds: &[threshold("note_below", NOTE_BELOW as u64, "percent")],
    remedy: remedy(FixClass::Deterministic, FixTarget::Image),
    since: FIRST,
    run: passive,
};

/// Percent of a page's images below which pictures over http are a note: browsers ask for them over https, and one that is
/// lost there is one of many.
const NOTE_BELOW: usize = 10;

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

fn insecure(html: &Html, wanted: Insecure) -> Vec<(&'static str, String, Element<'_>)> {
    let mut found = Vec::new();
    // Without a scheme of its own an address has its base's; most need no parsing.
    let base_is_http = html.resolve("").is_some_and(|base| base.scheme() == "http");
    let links = html.links.iter().filter_map(|link| html.element(link.node)).filter(|link| link_loads(*link));
    for element in html.elements(&html.addressed).chain(links) {
        for (tag, name, kind) in REQUESTS {
            if kind != wanted || !element.is(tag) {
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
    judge(facts, Insecure::Blocked, BLOCKED, FixTarget::Body)
}

fn form(facts: &Facts<'_>) -> Verdict {
    const SENDS: Text = text(
        "{count} {count|form sends|forms send} what is typed in over http; the first to {url}.",
        "{count} {count|formulário envia|formulários enviam} por http o que se digita; o primeiro para {url}.",
    );
    judge(facts, Insecure::Sent, SENDS, FixTarget::Body)
}

fn passive(facts: &Facts<'_>) -> Verdict {
    const UPGRADED: Text = text(
        "{count} {count|image or media file is|images or media files are} asked for over http, on a page with {total} {total|image|images}; the first is {url}.",
        "{count} {count|imagem ou mídia é pedida|imagens ou mídias são pedidas} por http, em uma página com {total} {total|imagem|imagens}; a primeira é {url}.",
    );
    judge(facts, Insecure::Upgraded, UPGRADED, FixTarget::Image)
}

/// Fails when a page on https asks for something of the kind over http.
fn judge(facts: &Facts<'_>, kind: Insecure, message: Text, target: FixTarget) -> Verdict {
    let html = facts.page()?;
    facts.https()?;
    let found = insecure(html, kind);
    let Some((name, url, first)) = found.first() else { return PASS };
    const SECURE: Text = text(
        "the same address over https; check that it answers there",
        "o mesmo endereço por https; confira se ele responde lá",
    );
    let (count, total) = (found.len(), html.images.len());
    let url_of_first = first.attribute(name).unwrap_or_default();
    let values = [("count", count.into()), ("total", total.into()), ("url", url_of_first.into())];
    let is_minor = kind == Insecure::Upgraded && is_few(count, total, NOTE_BELOW);
    let snippet =
        first.start_tag_with(name, url).unwrap_or_else(|| format!("<{} {name}=\"{}\">", first.name(), attribute(url)));
    let fix = if found.iter().all(|(_, _, element)| element.start_tag().is_some()) {
        found.iter().fold(FixDraft::edit(target, snippet), |fix, (name, url, element)| fix.set(*element, name, url))
    } else {
        FixDraft::template(target, snippet)
    };
    const CONFIRM: Text = text(
        "Open {url} first: where it does not answer over https, the form would send nothing.",
        "Abra {url} antes: se não responder por https, o formulário não enviaria nada.",
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
