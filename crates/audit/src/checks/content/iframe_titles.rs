//! Frames that don't say what they show.

use url::Url;

use crate::check::MAX_PLACES;
use crate::check::prelude::*;
use crate::facts::image_room::side;
use crate::facts::names::has_label;
use crate::facts::page::Html;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "iframe-titles", category: Category::Content, landing: LANDING, checks: &[MISSING] };

const LANDING: Landing = Landing {
    title: text("Iframe title checker", "Verificador de títulos de iframe"),
    h1: text("Do your iframes have titles?", "Seus iframes têm title?"),
    description: text(
        "Find visible iframes without a title, such as videos and maps, and get the right tag for well-known services.",
        "Encontre iframes visíveis sem title, como vídeos e mapas, e receba a tag certa para os serviços conhecidos.",
    ),
    lead: text(
        "A screen reader announces an iframe by its title, or reads out its URL if there is none. This tool lists iframes without a title and fills it in for well-known services.",
        "O leitor de tela anuncia um iframe pelo title, ou lê a URL se não houver um. Esta ferramenta lista os iframes sem title e o preenche para os serviços conhecidos.",
    ),
    example: include_str!("iframe_titles/bad_youtube.html"),
};

const MISSING: Check = Check {
    code: "iframe_title_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Iframes without a title", "Iframes sem title"),
    why: text(
        "A screen reader can't say what the iframe contains, so users have to enter it to find out.",
        "O leitor de tela não consegue dizer o que há no iframe; é preciso entrar nele para descobrir.",
    ),
    how: text(
        "Add a `title` that describes the content of the iframe.",
        "Adicione um `title` que descreva o conteúdo do iframe.",
    ),
    reference: "https://www.w3.org/WAI/standards-guidelines/act/rules/cae760/",
    rule: text(
        "Fails on an `iframe` without text in `title` or `aria-label` and without an `aria-labelledby` that leads to text. These iframes are ignored: those hidden by `hidden`, `aria-hidden` or an inline style, those with a side of at most 1 pixel, a negative `tabindex` or `role` `none` or `presentation`, and those without an http(s) URL or `srcdoc`, which scripts use. Not applicable without iframes.",
        "Falha com um `iframe` sem texto em `title` ou `aria-label` e sem `aria-labelledby` que leve a um texto. Estes iframes são ignorados: os ocultos por `hidden`, `aria-hidden` ou estilo embutido, os com um lado de no máximo 1 pixel, `tabindex` negativo ou `role` `none` ou `presentation`, e os sem URL http(s) nem `srcdoc`, que os scripts usam. Não se aplica sem iframes.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Body),
    since: WHOLE,
    run: missing,
};

/// Hosts of embeds, with what they show. Source and date in the file.
const EMBED_HOSTS: &str = include_str!("../../data/embed_hosts.tsv");

/// The name of what a known embed shows.
fn embed_name(url: &Url) -> Option<&'static str> {
    let host = url.host_str()?;
    EMBED_HOSTS.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let mut columns = line.split('\t');
        let (known, path, name) = (columns.next()?, columns.next()?, columns.next()?);
        let is_host = host == known || host.strip_suffix(known).is_some_and(|start| start.ends_with('.'));
        (is_host && url.path().starts_with(path)).then_some(name)
    })
}

/// Whether a frame is one that a person meets.
fn is_shown(frame: Element<'_>) -> bool {
    let is_tiny = |name| side(frame, name).is_some_and(|side| side <= 1);
    let is_skipped = frame.attribute("tabindex").is_some_and(|index| index.trim().starts_with('-'));
    let is_out = frame.attribute("role").is_some_and(|role| matches!(role.trim(), "none" | "presentation"));
    !is_tiny("width") && !is_tiny("height") && !is_skipped && !is_out
}

/// Text of the last heading before a frame, below the one of the page.
fn heading_above(html: &Html, frame: Element<'_>) -> Option<String> {
    let mut below_first = html.headings.iter().filter(|(level, node)| *level > 1 && *node < frame.id());
    below_first.next_back().and_then(|(_, node)| html.element(*node)).map(Element::text).filter(|text| !text.is_empty())
}

fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let frames = || html.elements(&html.addressed).filter(|element| element.is("iframe"));
    if frames().next().is_none() {
        return Err(NotMeasured::Absent);
    }
    let says = |frame: Element<'_>, name: &str| frame.attribute(name).is_some_and(|value| !value.trim().is_empty());
    let address = |frame: Element<'_>| {
        html.resolve(frame.attribute("src")?).filter(|url| matches!(url.scheme(), "http" | "https"))
    };
    let found: Vec<Element<'_>> = frames()
        .filter(|frame| !says(*frame, "title") && !has_label(*frame))
        .filter(|frame| frame.has("srcdoc") || frame.attribute("src").is_some_and(|src| !src.trim().is_empty()))
        .filter(|frame| frame.has("srcdoc") || address(*frame).is_some())
        .filter(|frame| is_shown(*frame) && !html.listed.is_unseen(*frame))
        .collect();
    let Some(first) = found.first() else { return PASS };
    const NAMELESS: Text = text(
        "{count} {count|iframe has no title: {url}|iframes have no title; the first shows {url}}.",
        "{count} {count|iframe não tem title: {url}|iframes não têm title; o primeiro mostra {url}}.",
    );
    const BY_HOST: Text =
        text("the service that the iframe's URL belongs to", "o serviço a que pertence a URL do iframe");
    let name = |frame: Element<'_>| frame.start_tag().and_then(|_| embed_name(&address(frame)?));
    let named: Option<Vec<(Element<'_>, &str)>> = found.iter().map(|frame| Some((*frame, name(*frame)?))).collect();
    let is_taken = |(at, title): (usize, &str)| named.iter().flatten().take(at).any(|(_, other)| *other == title);
    const BY_HEADING: Text = text("the heading above the iframe", "o título acima do iframe");
    const CONFIRM: Text = text(
        "Check that each title says what its iframe shows, then paste the tags.",
        "Confira se cada title diz o que o iframe mostra e depois cole as tags.",
    );
    // One name for many frames tells nobody which is which.
    let is_telling = !named.iter().flatten().enumerate().any(|(at, (_, title))| is_taken((at, *title)));
    let tag = |frame: Element<'_>, title: &str| {
        frame.start_tag_with("title", title).unwrap_or_else(|| format!("<iframe title=\"{title}\">"))
    };
    let fix = match named {
        Some(named) if is_telling => {
            let snippet = named.iter().map(|(frame, name)| tag(*frame, name)).collect::<Vec<_>>().join("\n");
            let fix = FixDraft::edit(FixTarget::Body, snippet).from(BY_HOST, &[]);
            named.iter().fold(fix, |fix, (frame, name)| fix.set(*frame, "title", name))
        }
        _ => {
            let shown = found.iter().take(MAX_PLACES);
            let title = |frame: Element<'_>| match (name(frame), heading_above(html, frame)) {
                (Some(name), _) if is_telling => name.to_owned(),
                (Some(_), Some(heading)) => heading,
                (Some(name), None) => format!("{name} - {{{{TITLE}}}}"),
                (None, _) => "{{TITLE}}".to_owned(),
            };
            let tags: Vec<String> = shown.map(|frame| tag(*frame, &title(*frame))).collect();
            let fix = FixDraft::template(FixTarget::Body, tags.join("\n"));
            if is_telling { fix } else { fix.from(BY_HEADING, &[]).note(CONFIRM, &[]) }
        }
    };
    let url = first.attribute("src").unwrap_or("srcdoc");
    let values = [("count", found.len().into()), ("url", url.into())];
    problem(NAMELESS, &values, fix).on(&found).fail()
}
