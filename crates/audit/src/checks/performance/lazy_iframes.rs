//! Frames further down that load at once.

use crate::check::MAX_PLACES;
use crate::check::prelude::*;
use crate::facts::content_images::{far_down, is_lazy};
use crate::facts::image_room::side;
use crate::facts::visibility::{concealment, declarations};

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "lazy-iframes", category: Category::Performance, landing: LANDING, checks: &[NOT_LAZY] };

const LANDING: Landing = Landing {
    title: text("Iframe lazy loading checker", "Verificador de lazy loading de iframes"),
    h1: text("Do unseen embeds slow your page down?", "Conteúdos incorporados deixam sua página lenta?"),
    description: text(
        "Find videos, maps and other iframes far down a page that load at once, and get their tags with loading=lazy.",
        "Encontre vídeos, mapas e outros iframes no fim da página que carregam de imediato e receba as tags com loading=lazy.",
    ),
    lead: text(
        "A single embedded video downloads more than half a megabyte of scripts, even if nobody scrolls to it. With one attribute, the browser loads it only when it is near. This tool adds that attribute.",
        "Um único vídeo incorporado baixa mais de meio megabyte de scripts, mesmo que ninguém role até ele. Com um atributo, o navegador só o carrega quando ele está perto. Esta ferramenta adiciona esse atributo.",
    ),
    example: include_str!("lazy_iframes/bad.html"),
};

const NOT_LAZY: Check = Check {
    code: "iframe_not_lazy",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Iframes further down load at once", "Iframes mais abaixo carregam de imediato"),
    why: text(
        "Each iframe loads a whole page with all its scripts. Iframes that nobody has scrolled to yet slow down the visible part of the page.",
        "Cada iframe carrega uma página inteira com todos os scripts. Iframes que ninguém alcançou na rolagem atrasam a parte visível da página.",
    ),
    how: text("Add `loading=\"lazy\"` to these iframes.", "Adicione `loading=\"lazy\"` a esses iframes."),
    reference: "https://web.dev/articles/iframe-lazy-loading",
    rule: text(
        "Fails when an `iframe` with an http(s) URL follows more than 2,000 characters of running text and has no `loading=lazy`. Menus, lists of links and hidden text don't count as running text. The check skips iframes without a URL, hidden ones (`hidden`, `aria-hidden` or an inline style), those with a side of at most 4 pixels or far off the screen, those with a `loading` attribute, and those that a script loads from `data-src`. Not applicable without iframes.",
        "Falha quando um `iframe` com URL http(s) vem depois de mais de 2.000 caracteres de texto corrido e não tem `loading=lazy`. Menus, listas de links e texto oculto não contam como texto corrido. A verificação ignora iframes sem URL, ocultos (`hidden`, `aria-hidden` ou estilo embutido), com um lado de no máximo 4 pixels ou bem fora da tela, com um atributo `loading` e os que um script carrega de `data-src`. Não se aplica sem iframes.",
    ),
    thresholds: &[threshold("text_before", FAR as u64, "characters"), threshold("small_side", TINY as u64, "pixels")],
    remedy: remedy(FixClass::Deterministic, FixTarget::Body),
    since: WHOLE,
    run: not_lazy,
};

/// Characters of visible text that fill more than a first screen.
const FAR: usize = 2_000;
/// Pixels up to which a frame shows nothing: browsers leave such frames out of lazy loading too.
const TINY: u32 = 4;

/// Whether an inline style leaves nothing of a frame to be seen, by its size or its place.
fn is_tiny_by_style(style: &str) -> bool {
    let is_tiny_side = |value: &str| {
        let pixels = value.strip_suffix("px").unwrap_or(value).trim();
        pixels.parse::<f64>().is_ok_and(|pixels| pixels <= f64::from(TINY))
    };
    concealment(style).is_some()
        || declarations(style).any(|(name, value)| matches!(&*name, "width" | "height") && is_tiny_side(&value))
}

fn not_lazy(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    if !html.elements(&html.addressed).any(|element| element.is("iframe")) {
        return Err(NotMeasured::Absent);
    }
    let is_tiny = |frame: Element<'_>| {
        let by_attribute = ["width", "height"].iter().any(|name| side(frame, name).is_some_and(|side| side <= TINY));
        by_attribute || frame.attribute("style").is_some_and(is_tiny_by_style)
    };
    let loads_now = |frame: Element<'_>| {
        let src = frame.attribute("src").map(str::trim).filter(|src| !src.is_empty());
        let url = src.and_then(|src| html.resolve(src));
        url.is_some_and(|url| matches!(url.scheme(), "http" | "https")) && !is_lazy(frame) && !frame.has("loading")
    };
    let is_concerned =
        |element: Element<'_>| element.is("iframe") && element.start_tag().is_some() && !is_tiny(element);
    // Most pages have none that loads now, and need no walk to what is far down.
    if !html.elements(&html.addressed).any(|element| is_concerned(element) && loads_now(element)) {
        return PASS;
    }
    let found = far_down(html, FAR, |element| is_concerned(element) && loads_now(element));
    let Some(first) = found.first() else { return PASS };
    const EAGER: Text = text(
        "{count|An iframe far down the page loads at once instead of lazily: {url}.|{count} iframes far down the page load at once instead of lazily; the first shows {url}.}",
        "{count|Um iframe no fim da página carrega de imediato, sem lazy loading: {url}.|{count} iframes no fim da página carregam de imediato, sem lazy loading; o primeiro mostra {url}.}",
    );
    const SAME: Text = text("the same tags with loading=lazy", "as mesmas tags com loading=lazy");
    let tag =
        |frame: &Element<'_>| Some(format!("{} loading=\"lazy\">", frame.start_tag_source()?.trim_end_matches('>')));
    let snippet: Vec<String> = found.iter().take(MAX_PLACES).filter_map(tag).collect();
    let fix = FixDraft::edit(FixTarget::Body, snippet.join("\n")).from(SAME, &[]);
    let fix = found.iter().fold(fix, |fix, frame| fix.set(*frame, "loading", "lazy"));
    let values = [("count", found.len().into()), ("url", first.attribute("src").unwrap_or_default().into())];
    problem(EAGER, &values, fix).on(&found).fail()
}
