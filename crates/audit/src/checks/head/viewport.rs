//! The viewport: how a phone lays the page out, and whether people may zoom.

use std::collections::BTreeMap;

use crate::check::prelude::*;
use crate::facts::elements::Meta;
use crate::facts::page::Html;
use crate::fix::HeadKey;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "viewport",
    category: Category::Head,
    landing: LANDING,
    checks: &[MISSING, FIXED_WIDTH, ZOOM_DISABLED],
};

const LANDING: Landing = Landing {
    title: text("Viewport meta tag checker", "Verificador da meta tag viewport"),
    h1: text("Does your page fit on a phone?", "Sua página cabe no celular?"),
    description: text(
        "Check the viewport meta tag: missing, fixed to a pixel width, overridden by a second one, or preventing zoom.",
        "Verifique a meta tag viewport: ausente, presa a uma largura em pixels, anulada por outra ou impedindo o zoom.",
    ),
    lead: text(
        "The viewport tells phones how wide to lay out the page. Search engines index pages as phones see them, so a missing or fixed viewport costs visitors and rankings. This tool writes the right tag.",
        "O viewport diz aos celulares com que largura montar a página. Os buscadores indexam as páginas como os celulares as veem; um viewport ausente ou fixo custa visitantes e posições. Esta ferramenta escreve a tag certa.",
    ),
    example: include_str!("viewport/bad_fixed.html"),
};

const MISSING: Check = Check {
    code: "viewport_missing",
    severity: Severity::Error,
    impact: Impact::Rendering,
    title: text("No viewport meta tag", "Sem meta tag viewport"),
    why: text(
        "Without a viewport, phones lay out the page 980 pixels wide and shrink it, so text is unreadable without zooming. Search engines index pages as phones see them.",
        "Sem viewport, os celulares montam a página com 980 pixels de largura e a encolhem; o texto fica ilegível sem zoom. Os buscadores indexam as páginas como os celulares as veem.",
    ),
    how: text(
        "Add `<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">` to `<head>`.",
        "Adicione `<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">` ao `<head>`.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/mobile/mobile-sites-mobile-first-indexing",
    rule: text(
        "Fails when no `meta name=viewport` has content. One in the body passes, since browsers read it anywhere. Not measured when the page was cut off, or when the tag uses `value` instead of `content`, which `meta_content_misspelt` reports. Not applicable when a `link rel=alternate` whose `media` has `max-width` or `handheld` leads to a separate page for phones.",
        "Falha quando nenhum `meta name=viewport` tem conteúdo. Um no body passa, pois os navegadores o leem em qualquer lugar. Não é medido quando a página foi cortada, nem quando a tag usa `value` em vez de `content`, o que `meta_content_misspelt` relata. Não se aplica quando um `link rel=alternate` cujo `media` tem `max-width` ou `handheld` leva a uma página separada para celulares.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: missing,
};

const FIXED_WIDTH: Check = Check {
    code: "viewport_fixed_width",
    severity: Severity::Warn,
    impact: Impact::Rendering,
    title: text("Viewport not set to the device width", "Viewport sem a largura do dispositivo"),
    why: text(
        "With a width in pixels, or none, phones lay out the page for another screen. Text is tiny, or visitors have to scroll sideways.",
        "Com uma largura em pixels, ou nenhuma, o celular monta a página para outra tela. O texto fica minúsculo ou é preciso rolar para o lado.",
    ),
    how: text(
        "Declare `width=device-width, initial-scale=1` once.",
        "Declare `width=device-width, initial-scale=1` uma só vez.",
    ),
    reference: "https://developer.chrome.com/docs/lighthouse/pwa/viewport",
    rule: text(
        "Fails when the effective `meta name=viewport`, the last one with content, sets a numeric width or has neither `width` nor `initial-scale`. It is only a note when the last one is right but an earlier one has a different effect. Names are parsed as browsers do: separated by commas, semicolons or white space, ignoring letter case. Not applicable without a viewport.",
        "Falha quando o `meta name=viewport` efetivo, o último com conteúdo, define uma largura numérica ou não tem `width` nem `initial-scale`. É só uma observação quando o último está certo, mas um anterior tem outro efeito. Os nomes são lidos como os navegadores leem: separados por vírgula, ponto e vírgula ou espaço, sem distinguir maiúsculas. Não se aplica sem um viewport.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: fixed_width,
};

const ZOOM_DISABLED: Check = Check {
    code: "viewport_zoom_disabled",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("Zoom disabled", "Zoom desativado"),
    why: text(
        "People with low vision enlarge pages with two fingers. If the page prevents it, they can't read it.",
        "Pessoas com baixa visão ampliam as páginas com dois dedos. Se a página impede isso, elas não conseguem lê-la.",
    ),
    how: text(
        "Remove `user-scalable` and `maximum-scale` from the viewport.",
        "Remova `user-scalable` e `maximum-scale` do viewport.",
    ),
    reference: "https://www.w3.org/WAI/standards-guidelines/act/rules/b4f0c3/",
    rule: text(
        "Fails when the effective `meta name=viewport`, the last one with content, sets `user-scalable` to `no` or a number between -1 and 1, or `maximum-scale` to a number from 0 to below 2. Other values have no effect and pass. Not applicable without a viewport, or when its width is wrong too, which `viewport_fixed_width` reports.",
        "Falha quando o `meta name=viewport` efetivo, o último com conteúdo, define `user-scalable` como `no` ou um número entre -1 e 1, ou `maximum-scale` como um número de 0 a menos de 2. Outros valores não têm efeito e passam. Não se aplica sem um viewport, nem quando a largura dele também está errada, o que `viewport_fixed_width` relata.",
    ),
    thresholds: &[threshold("maximum_scale", LEAST_SCALE as u64, "times")],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: zoom_disabled,
};

const CONTENT: &str = "width=device-width, initial-scale=1";
/// Times that a page must be scalable (ACT rule b4f0c3, from WCAG 2.2 SC 1.4.4).
const LEAST_SCALE: u8 = 2;

/// Names of a viewport with their values, in lower case and as browsers part them (CSS Viewport Module, "Parsing
/// algorithm").
fn properties(content: &str) -> Vec<(String, String)> {
    let parts = |c: char| matches!(c, ',' | ';') || c.is_ascii_whitespace();
    let lower = content.to_ascii_lowercase();
    let mut out = Vec::new();
    let mut rest = lower.as_str();
    loop {
        rest = rest.trim_start_matches(|c| parts(c) || c == '=');
        let end = rest.find(|c| parts(c) || c == '=').unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        if name.is_empty() {
            return out;
        }
        let value = behind.trim_start().strip_prefix('=').map(str::trim_start);
        rest = value.unwrap_or(behind);
        let end = value.map_or(0, |value| value.find(|c| parts(c) || c == '=').unwrap_or(value.len()));
        let (value, behind) = rest.split_at(end);
        out.push((name.to_owned(), value.to_owned()));
        rest = behind;
    }
}

fn is_number(value: &str) -> bool {
    value.starts_with(|c: char| c.is_ascii_digit())
}

/// The number at the start of a value.
fn number(value: &str) -> Option<f64> {
    let end = value.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+'))).unwrap_or(value.len());
    value.get(..end)?.parse().ok()
}

fn has_fixed_width(properties: &[(String, String)]) -> bool {
    let value = |wanted: &str| properties.iter().rev().find(|(name, _)| name == wanted).map(|(_, value)| value);
    match value("width") {
        Some(width) => is_number(width),
        None => value("initial-scale").is_none(),
    }
}

fn forbids_zoom((name, value): &(String, String)) -> bool {
    match name.as_str() {
        "user-scalable" => value == "no" || number(value).is_some_and(|number| number > -1.0 && number < 1.0),
        "maximum-scale" => number(value).is_some_and(|scale| scale >= 0.0 && scale < f64::from(LEAST_SCALE)),
        _ => false,
    }
}

/// The content that follows the screen and can be zoomed; what else it says stays.
fn corrected(content: &str) -> String {
    let properties = properties(content);
    let is_fixed = has_fixed_width(&properties);
    let zoomable = properties
        .iter()
        .filter(|property| !forbids_zoom(property))
        .filter(|(name, _)| !is_fixed || !matches!(name.as_str(), "width" | "initial-scale"))
        .map(|(name, value)| if value.is_empty() { name.clone() } else { format!("{name}={value}") });
    let start = is_fixed.then(|| CONTENT.to_owned());
    let out = start.into_iter().chain(zoomable).collect::<Vec<_>>().join(", ");
    if out.is_empty() { CONTENT.to_owned() } else { out }
}

/// Pixels of a stated width from which on a page is laid out for a wide screen: those of phones are narrower.
const WIDE: f64 = 600.0;

/// Whether a viewport states the width of a wide screen.
fn is_laid_out_wide(properties: &[(String, String)]) -> bool {
    properties.iter().any(|(name, value)| name == "width" && number(value).is_some_and(|width| width >= WIDE))
}

/// Viewports with content, wherever they are.
fn viewports(html: &Html) -> Vec<(&Meta, &str)> {
    html.metas_named("viewport")
        .filter_map(|meta| Some((meta, meta.content.as_deref().filter(|content| !content.is_empty())?)))
        .collect()
}

/// One corrected tag, made of the viewport that counts; where they differ, the others go.
fn one_viewport(html: &Html, all: &[(&Meta, &str)]) -> FixDraft {
    const KEPT: Text = text("the page's own viewport, corrected", "o viewport da própria página, corrigido");
    let differ = are_different(all);
    let elements: Option<Vec<Element<'_>>> = all
        .iter()
        .map(|(meta, _)| html.element(meta.node).filter(|e| meta.has_one_reader() && e.start_tag().is_some()))
        .collect();
    let content = corrected(all.last().map_or(CONTENT, |(_, content)| content));
    let tag = format!("<meta name=\"viewport\" content=\"{}\">", attribute(&content));
    // The head is fixed first: a tag that moves into it must not compete with one that another fix removes.
    let is_lost = html.lost_head.is_some() && all.iter().any(|(meta, _)| !meta.in_head);
    let Some(elements) = elements.filter(|_| !is_lost) else {
        return FixDraft::instruction(FixTarget::Head, FIXED_WIDTH.how, &[]);
    };
    let fix = FixDraft::edit(FixTarget::Head, tag).from(KEPT, &[]);
    let last = elements.len().saturating_sub(1);
    elements.into_iter().enumerate().fold(fix, |fix, (at, element)| {
        if differ && at != last { fix.remove(element) } else { fix.set(element, "content", &content) }
    })
}

/// Whether some viewports do not all come to the same.
fn are_different(all: &[(&Meta, &str)]) -> bool {
    all.iter().any(|(_, content)| all.first().is_some_and(|(_, first)| effect(content) != effect(first)))
}

/// What a viewport comes to: its names in order, numbers without zeros at their end, defaults left out.
fn effect(content: &str) -> BTreeMap<String, String> {
    let all = properties(content)
        .into_iter()
        .filter(|(name, value)| !(name == "user-scalable" && matches!(value.as_str(), "yes" | "1")));
    all.map(|(name, value)| {
        let plain = number(&value).map_or(value, |number| number.to_string());
        (name, plain)
    })
    .collect()
}

fn fixed_width(facts: &Facts<'_>) -> Verdict {
    const FIXED: Text = text(
        "The viewport “{content}” does not use the width of the device.",
        "O viewport “{content}” não usa a largura do dispositivo.",
    );
    const FIXED_AND_NO_ZOOM: Text = text(
        "The viewport “{content}” does not use the width of the device and disables zooming.",
        "O viewport “{content}” não usa a largura do dispositivo e desativa o zoom.",
    );
    const DIFFER: Text = text(
        "The page has {count} different viewports. Browsers use the last, “{content}”.",
        "A página tem {count} viewports diferentes. Os navegadores usam o último, “{content}”.",
    );
    let html = facts.page()?;
    let all = viewports(html);
    let Some((_, content)) = all.last() else { return Err(NotMeasured::Absent) };
    let effective = properties(content);
    let is_fixed = has_fixed_width(&effective);
    let is_zoom_forbidden = effective.iter().any(forbids_zoom);
    let message = match (is_fixed, is_zoom_forbidden) {
        (true, true) => FIXED_AND_NO_ZOOM,
        (true, false) => FIXED,
        // `viewport_zoom_disabled` brings the one tag that is left.
        (false, false) if are_different(&all) => DIFFER,
        (false, _) => return PASS,
    };
    let values = [("content", (*content).into()), ("count", all.len().into())];
    let mut fix = one_viewport(html, &all);
    // Whether its style sheets know a narrow screen can't be seen from here.
    if is_laid_out_wide(&effective) && fix.class == FixClass::Deterministic {
        const ADAPT: Text = text(
            "First make sure that the layout fits a narrow screen: this page was laid out for a wide one.",
            "Antes, garanta que o layout caiba em uma tela estreita: esta página foi feita para uma larga.",
        );
        fix = fix.note(ADAPT, &[]).into_draft();
    }
    let found = problem(message, &values, fix).minor_if(!is_fixed);
    found.on(all.iter().filter_map(|(meta, _)| html.element(meta.node))).fail()
}

fn zoom_disabled(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let all = viewports(html);
    let Some((meta, content)) = all.last() else { return Err(NotMeasured::Absent) };
    let effective = properties(content);
    if has_fixed_width(&effective) {
        return Err(NotMeasured::Absent);
    }
    if !effective.iter().any(forbids_zoom) {
        return PASS;
    }
    const FORBIDDEN: Text =
        text("The viewport “{content}” disables zooming.", "O viewport “{content}” desativa o zoom.");
    problem(FORBIDDEN, &[("content", (*content).into())], one_viewport(html, &all)).on(html.element(meta.node)).fail()
}

/// Whether phones get a page of their own (Google, "Mobile-first indexing best practices", separate URLs).
fn has_page_for_phones(html: &Html) -> bool {
    let links = html.links.iter().filter_map(|link| html.element(link.node));
    let is_for_phones = |media: &str| media.contains("max-width") || media.contains("handheld");
    links
        .filter(|link| link.has_token("rel", "alternate") && link.has("href") && !link.has("hreflang"))
        .any(|link| link.attribute("media").is_some_and(|media| is_for_phones(&media.to_ascii_lowercase())))
}

fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    if html.meta("viewport").is_some() || html.has_lost(|element| element.attribute("name") == Some("viewport")) {
        return PASS;
    }
    if html.is_misspelt("viewport") {
        return Err(NotMeasured::Misspelt);
    }
    if has_page_for_phones(html) {
        return Err(NotMeasured::Absent);
    }
    let tag = format!("<meta name=\"viewport\" content=\"{CONTENT}\">");
    // An empty one in the body stays: filled, it would be metadata outside the head.
    let blank = html
        .metas_named("viewport")
        .filter(|meta| meta.in_head && meta.has_one_reader())
        .find_map(|meta| html.element(meta.node).filter(|e| e.start_tag().is_some()));
    let fix = match blank {
        Some(meta) => FixDraft::edit(FixTarget::Head, tag).set(meta, "content", CONTENT),
        None => FixDraft::head(HeadKey::Viewport, tag),
    };
    const NONE: Text = text("The page has no viewport meta tag.", "A página não tem a meta tag viewport.");
    problem(NONE, &[], fix).on(blank).fail()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn viewports_are_corrected_and_keep_what_else_they_say() {
        for (content, expected) in [
            ("width=1024", "width=device-width, initial-scale=1"),
            ("user-scalable=no", "width=device-width, initial-scale=1"),
            ("width=device-width, initial-scale=1, maximum-scale=1.0", "width=device-width, initial-scale=1"),
            ("width=device-width;user-scalable=0;viewport-fit=cover", "width=device-width, viewport-fit=cover"),
            ("WIDTH = 320, minimal-ui", "width=device-width, initial-scale=1, minimal-ui"),
            (
                "width=device-width initial-scale=1 maximum-scale=5",
                "width=device-width, initial-scale=1, maximum-scale=5",
            ),
            ("maximum-scale=1, initial-scale=1", "initial-scale=1"),
        ] {
            assert_eq!(corrected(content), expected, "{content}");
            assert!(!has_fixed_width(&properties(expected)), "{expected}");
        }
    }
}
