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
        "Check the viewport meta tag: missing, fixed to a width in pixels, contradicted by a second one, or keeping people from zooming.",
        "Verifique a meta tag viewport: ausente, presa a uma largura em pixels, contrariada por outra ou impedindo o zoom.",
    ),
    lead: text(
        "The viewport tells a phone how wide to lay the page out. Search indexes pages as phones show them, so a missing or fixed one costs readers and ranking alike; this tool writes the tag that does what you mean.",
        "O viewport diz ao celular com que largura montar a página. A busca indexa as páginas como os celulares as mostram, então um ausente ou fixo custa leitores e posição; esta ferramenta escreve a tag que faz o que você quer.",
    ),
    example: include_str!("viewport/bad_fixed.html"),
};

const MISSING: Check = Check {
    code: "viewport_missing",
    severity: Severity::Error,
    impact: Impact::Rendering,
    title: text("No viewport for phones", "Sem viewport para celulares"),
    why: text(
        "Without it, phones lay the page out 980 pixels wide and shrink it: text can't be read without zooming. Search indexes pages as phones see them.",
        "Sem ele, os celulares montam a página com 980 pixels de largura e a encolhem: não se lê o texto sem zoom. A busca indexa as páginas como os celulares as veem.",
    ),
    how: text(
        "Add `<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">` to `<head>`.",
        "Adicione `<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">` ao `<head>`.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/mobile/mobile-sites-mobile-first-indexing",
    rule: text(
        "Fails when no `meta name=viewport` has content. One in the body passes, since browsers read it anywhere. Not measured when the document was cut, nor where the tag says `value` in place of `content`, which is `meta_content_misspelt`.",
        "Falha quando nenhum `meta name=viewport` tem conteúdo. Um no corpo passa, pois os navegadores o leem em qualquer lugar. Não é medido quando o documento foi cortado, nem onde a tag diz `value` no lugar de `content`, o que é `meta_content_misspelt`.",
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
    title: text("Viewport does not follow the screen", "O viewport não acompanha a tela"),
    why: text(
        "A width in pixels, or none at all, makes phones lay the page out for another screen: text is tiny, or the page has to be pushed sideways.",
        "Uma largura em pixels, ou nenhuma, faz o celular montar a página para outra tela: o texto fica minúsculo ou é preciso arrastar a página para o lado.",
    ),
    how: text(
        "Declare `width=device-width, initial-scale=1`, once.",
        "Declare `width=device-width, initial-scale=1`, uma vez só.",
    ),
    reference: "https://developer.chrome.com/docs/lighthouse/pwa/viewport",
    rule: text(
        "Fails when the `meta name=viewport` that counts, the last with content, names its width as a number, or names neither `width` nor `initial-scale`; a note where it does not, but an earlier one comes to something else. Names are read as browsers do: parted by commas, semicolons or white space, letter case ignored. Not applicable where there is none.",
        "Falha quando o `meta name=viewport` que vale, o último com conteúdo, dá a largura como número, ou não dá `width` nem `initial-scale`; é só uma nota quando ele está certo, mas um anterior resulta em outra coisa. Os nomes são lidos como os navegadores leem: separados por vírgula, ponto e vírgula ou espaço, sem distinguir maiúsculas. Não se aplica quando não há nenhum.",
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
    title: text("Zooming is forbidden", "O zoom está proibido"),
    why: text(
        "People with low vision enlarge pages with two fingers. Where the page forbids it, they can't read it.",
        "Quem enxerga pouco amplia as páginas com dois dedos. Onde a página proíbe isso, não consegue ler.",
    ),
    how: text(
        "Take `user-scalable` and `maximum-scale` out of the viewport.",
        "Tire `user-scalable` e `maximum-scale` do viewport.",
    ),
    reference: "https://www.w3.org/WAI/standards-guidelines/act/rules/b4f0c3/",
    rule: text(
        "Fails when the `meta name=viewport` that counts, the last with content, sets `user-scalable` to `no` or to a number between -1 and 1, or `maximum-scale` to a number from 0 on that is below 2. Other values have no effect and pass, and so does what a later viewport overrides. Not applicable where there is none, nor where its width is wrong too, which `viewport_fixed_width` tells with it.",
        "Falha quando o `meta name=viewport` que vale, o último com conteúdo, põe `user-scalable` como `no` ou como número entre -1 e 1, ou `maximum-scale` como número a partir de 0 e menor que 2. Outros valores não têm efeito e passam, assim como o que um viewport posterior anula. Não se aplica quando não há nenhum, nem quando a largura dele também está errada, o que `viewport_fixed_width` aponta junto.",
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
    // The head is mended first: what comes back into it must have no rival that is gone by then.
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
        "The viewport is “{content}”: its width is not that of the screen.",
        "O viewport é “{content}”: a largura não é a da tela.",
    );
    const FIXED_AND_NO_ZOOM: Text = text(
        "The viewport is “{content}”: its width is not that of the screen, and people can't zoom.",
        "O viewport é “{content}”: a largura não é a da tela, e as pessoas não podem dar zoom.",
    );
    const DIFFER: Text = text(
        "The page declares {count} viewports that differ; browsers take the last, “{content}”.",
        "A página declara {count} viewports diferentes; os navegadores usam o último, “{content}”.",
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
    let found = problem(message, &values, one_viewport(html, &all)).minor_if(!is_fixed);
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
        text("The viewport keeps people from zooming: “{content}”.", "O viewport impede o zoom: “{content}”.");
    problem(FORBIDDEN, &[("content", (*content).into())], one_viewport(html, &all)).on(html.element(meta.node)).fail()
}

fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    if html.meta("viewport").is_some() || html.has_lost(|element| element.attribute("name") == Some("viewport")) {
        return PASS;
    }
    if html.is_misspelt("viewport") {
        return Err(NotMeasured::Misspelt);
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
    const NONE: Text = text("The page declares no viewport.", "A página não declara viewport.");
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
