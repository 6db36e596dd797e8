//! Links without text, and links whose text says nothing.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::check::prelude::*;
use crate::facts::document::{collapse_into, trimmed};
use crate::facts::elements::{Anchor, Reach};
use crate::facts::names::{has_label, lacks_alternative, shown_texts};
use crate::facts::page::Html;
use crate::facts::page_language;
use crate::facts::word_set::WordSet;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "link-text", category: Category::Links, landing: LANDING, checks: &[EMPTY, GENERIC] };

const LANDING: Landing = Landing {
    title: text("Anchor text checker", "Verificador de texto âncora"),
    h1: text("Do your links say where they lead?", "Seus links dizem aonde levam?"),
    description: text(
        "Find links on a page that have no text, or only “click here” or “read more”, in seventeen languages.",
        "Encontre links de uma página sem texto ou só com “clique aqui” ou “saiba mais”, em dezessete idiomas.",
    ),
    lead: text(
        "Search engines use a link's text to understand its target, and people who use a screen reader jump from link to link. This tool lists links whose text tells them nothing.",
        "Os buscadores usam o texto de um link para entender o destino, e quem usa leitor de tela pula de link em link. Esta ferramenta lista os links cujo texto não diz nada.",
    ),
    example: include_str!("link_text/bad_generic.html"),
};

const GOOGLE_LINKS: &str = "https://developers.google.com/search/docs/crawling-indexing/links-crawlable";

const EMPTY: Check = Check {
    code: "link_text_empty",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("Links without text", "Links sem texto"),
    why: text(
        "Search engines use a link's text to understand its target. Without text, a screen reader has nothing to read aloud.",
        "Os buscadores usam o texto do link para entender o destino. Sem texto, o leitor de tela não tem o que ler.",
    ),
    how: text(
        "Add text to the link, an `alt` to its image, or an `aria-label`.",
        "Adicione texto ao link, um `alt` à imagem dele ou um `aria-label`.",
    ),
    reference: GOOGLE_LINKS,
    rule: text(
        "Fails when an `a[href]` has no name: no visible text, image alt text, `aria-label`, `aria-labelledby` that leads to text, `title` or SVG title. Icon font characters and text removed by `hidden` or `aria-hidden` don't count as text. A link passes when another link on the page to the same URL has a name, unless the URL is `#`, empty or code. The check skips hidden links (`hidden`, `aria-hidden`, an inline `display: none`), anchors that lead to themselves, empty links with an `id`, which a script fills in, and links around an image that `image_alt_missing` reports. A note when less than 10% of the page's links are affected. Not measured on an empty app shell; not applicable without links.",
        "Falha quando um `a[href]` não tem nome: nem texto visível, nem texto alternativo de imagem, nem `aria-label`, nem `aria-labelledby` que leve a um texto, nem `title`, nem título de SVG. Caracteres de fontes de ícones e o texto retirado por `hidden` ou `aria-hidden` não contam como texto. Um link passa quando outro link da página para a mesma URL tem nome, a não ser que a URL seja `#`, vazia ou código. A verificação ignora links ocultos (`hidden`, `aria-hidden`, um `display: none` embutido), âncoras que levam a si mesmas, links vazios com `id`, que um script preenche, e links em volta de uma imagem que `image_alt_missing` aponta. É uma observação quando menos de 10% dos links da página são afetados. Não é medido na casca vazia de um aplicativo; não se aplica sem links.",
    ),
    thresholds: &[threshold("note_below", NOTE_BELOW as u64, "percent")],
    remedy: remedy(FixClass::Template, FixTarget::Body),
    since: FIRST,
    run: empty,
};

const GENERIC: Check = Check {
    code: "link_text_generic",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Generic link text", "Texto de link genérico"),
    why: text(
        "Text such as “click here” doesn't tell search engines or screen reader users where the link leads.",
        "Um texto como “clique aqui” não diz a buscadores nem a quem usa leitor de tela para onde o link leva.",
    ),
    how: text("Describe the target in the link's text.", "Descreva o destino no texto do link."),
    reference: GOOGLE_LINKS,
    rule: text(
        "Fails when the whole text of an `a[href]` is in the list of its language in `generic_link_texts.tsv`. Letter case and surrounding punctuation are ignored. The language comes from the nearest `lang` around the text, which may be inside the link, or else from the page. The check skips links with `aria-label` or `aria-labelledby`, links with `rel=nofollow` or `role=button`, links to the page itself or places in it, and URLs other than http(s). Not measured when no link is in a language of the list; not applicable without links.",
        "Falha quando o texto inteiro de um `a[href]` está na lista do seu idioma em `generic_link_texts.tsv`. Maiúsculas e a pontuação em volta são ignoradas. O idioma vem do `lang` mais próximo em volta do texto, que pode estar dentro do link, ou então da página. A verificação ignora links com `aria-label` ou `aria-labelledby`, links com `rel=nofollow` ou `role=button`, links para a própria página ou lugares dela e URLs que não são http(s). Não é medido quando nenhum link está em um idioma da lista; não se aplica sem links.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Body),
    since: FIRST,
    run: generic,
};

/// Percent of a page's links below which nameless ones are a note. Of real pages with such links three in five have fewer:
/// icons of networks and close buttons beside a hundred links of text.
const NOTE_BELOW: usize = 10;

/// A link with its address; an empty one where it has none.
fn with_target<'h>(html: &'h Html, anchor: &'h Anchor) -> Option<(&'h str, Element<'h>)> {
    Some((anchor.url().map_or("", url::Url::as_str), html.element(anchor.node)?))
}

fn empty(facts: &Facts<'_>) -> Verdict {
    let html = facts.filled_page()?;
    if html.anchors.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let last_if_cut = html.anchors.last().filter(|_| facts.whole_page().is_err()).map(|anchor| anchor.node);
    let mut nameless: Vec<(&str, Element<'_>)> = Vec::new();
    for anchor in html.anchors.iter().filter(|anchor| !anchor.named) {
        let Some((target, element)) = with_target(html, anchor) else { continue };
        // The last link, open where the page was cut, may have its text behind the cut.
        let goes_on = last_if_cut == Some(anchor.node) && element.end_tag().is_none();
        let is_of_image = element.descendants().any(|below| below.is("img") && lacks_alternative(&html.listed, below));
        let is_left_alone = goes_on || is_of_image || leads_to_itself(element) || waits_for_script(element);
        if !is_left_alone && !html.listed.is_unseen(element) {
            nameless.push((target, element));
        }
    }
    if !nameless.is_empty() {
        let named = html.anchors.iter().filter(|anchor| anchor.named).filter_map(|anchor| with_target(html, anchor));
        let wanted: HashSet<&str> = nameless.iter().map(|(target, _)| *target).collect();
        let named = named.filter(|(target, link)| wanted.contains(target) && leads_somewhere(*link));
        let named: HashSet<&str> = named.map(|(target, _)| target).collect();
        nameless.retain(|(target, _)| !named.contains(target));
    }
    let Some((target, first)) = nameless.first() else { return PASS };
    const NAMELESS: Text = text(
        "{total|The only link has|{count} of {total} links {count|has|have}} no text{count|: {target}|; the first leads to {target}}.",
        "{total|O único link não tem|{count} de {total} links não {count|tem|têm}} texto{count|: {target}|; o primeiro leva a {target}}.",
    );
    const SOME_EXCUSED: Text = text(
        "{count} of {total} links {count|has|have} no text{count|: {target}|; the first leads to {target}}. {others|Another one without text is|Another {others} without text are} hidden, filled by a script, around an image without alt, or repeated with text.",
        "{count} de {total} links não {count|tem|têm} texto{count|: {target}|; o primeiro leva a {target}}. {others|Outro sem texto está oculto, é preenchido por script, envolve uma imagem sem alt ou se repete|Outros {others} sem texto estão ocultos, são preenchidos por script, envolvem uma imagem sem alt ou se repetem} com texto.",
    );
    let others = html.anchors.iter().filter(|anchor| !anchor.named).count().saturating_sub(nameless.len());
    let message = if others == 0 { NAMELESS } else { SOME_EXCUSED };
    const TARGET: Text = text("the link to {target}", "o link para {target}");
    const IN_HEADING: Text = text("the heading around the link: {text}", "o título em volta do link: {text}");
    let total = html.anchors.len();
    let values = [
        ("count", nameless.len().into()),
        ("total", total.into()),
        ("target", (*target).into()),
        ("others", others.into()),
    ];
    const DESTINATION: Text = text(
        "Replace `{{DESTINATION}}` with a few words that say where the link leads.",
        "Troque `{{DESTINATION}}` por poucas palavras que digam aonde o link leva.",
    );
    let fix = FixDraft::template(FixTarget::Body, with_label(*first)).note(DESTINATION, &[]);
    let heading = first.ancestors().find(|around| HEADINGS.contains(&around.name())).map(Element::text);
    let fix = match heading.filter(|text| !text.is_empty()) {
        Some(text) => fix.from(IN_HEADING, &[("text", text.into())]),
        None => fix.from(TARGET, &[("target", (*target).into())]),
    };
    let found = problem(message, &values, fix).on(nameless.iter().map(|(_, link)| link));
    found.minor_if(is_few(nameless.len(), total, NOTE_BELOW)).fail()
}

/// Elements whose text names what an empty link in them belongs to.
const HEADINGS: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];

/// Whether the address of a link tells two ways apart: not `#`, an empty one, or code.
fn leads_somewhere(link: Element<'_>) -> bool {
    let href = link.attribute("href").unwrap_or_default().trim();
    let is_code = href.get(..11).is_some_and(|start| start.eq_ignore_ascii_case("javascript:"));
    !href.is_empty() && href != "#" && !is_code
}

/// Whether a link is there for a script to fill in: nothing in it, an `id` to find it by, and no address of its own.
fn waits_for_script(link: Element<'_>) -> bool {
    link.has("id") && !leads_somewhere(link) && link.children().next().is_none()
}

/// Whether a link is the place that it names: a mark in the text, not a way to somewhere.
fn leads_to_itself(link: Element<'_>) -> bool {
    let fragment =
        link.attribute("href").and_then(|href| href.trim().strip_prefix('#')).filter(|name| !name.is_empty());
    fragment.is_some_and(|fragment| ["id", "name"].iter().any(|name| link.attribute(name) == Some(fragment)))
}

/// The link's start tag with a placeholder label.
fn with_label(link: Element<'_>) -> String {
    const LABEL: &str = "{{DESTINATION}}";
    link.start_tag_with("aria-label", LABEL).unwrap_or_else(|| format!("<a aria-label=\"{LABEL}\">"))
}

/// Texts that say nothing, by language. Source and date in the file.
const GENERIC_TEXTS: &str = include_str!("../../data/generic_link_texts.tsv");

/// The texts of each language.
static BY_LANGUAGE: LazyLock<HashMap<&'static str, HashSet<&'static str>>> = LazyLock::new(|| {
    GENERIC_TEXTS
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'))
        .map(|(lang, texts)| (lang, texts.split('|').collect()))
        .collect()
});
/// All of them, whatever the language: few links have one, which is told before their language is.
static OF_ANY_LANGUAGE: LazyLock<WordSet> = LazyLock::new(|| WordSet::of(BY_LANGUAGE.values().flatten().copied()));
/// Elements within a link that are looked through for its text.
const MOST_WITHIN: usize = 20;
/// Bytes of source below which a link's text may be one of them, markup and white space left aside.
const MOST_GENERIC: usize = 200;

/// Language in force at the text of a link: the nearest `lang` around it below `<html>`, else that of the page; primary
/// subtag in lower case. It may stand on an element within the link.
fn language(link: Element<'_>, page_language: &str) -> Option<String> {
    let has_own_text = |element: &Element<'_>| element.own_texts().any(|run| !run.trim().is_empty());
    let around = std::iter::once(link).chain(link.descendants().take(MOST_WITHIN)).find(has_own_text).unwrap_or(link);
    let lang = around.nearest_lang().unwrap_or(page_language);
    Some(lang.trim().split(['-', '_']).next()?).filter(|lang| !lang.is_empty()).map(str::to_ascii_lowercase)
}

fn generic(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    if html.anchors.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let found = generic_links(html, &page_language::read(facts).unwrap_or_default())?;
    let Some((text_of_first, first)) = found.first() else { return PASS };
    const SAYS_NOTHING: Text = text(
        "{count|A link has generic text: “{text}”.|{count} links have generic text; the first is “{text}”.}",
        "{count|Um link tem texto genérico: “{text}”.|{count} links têm texto genérico; o primeiro é “{text}”.}",
    );
    const NOW: Text = text("the text is now “{text}”", "o texto agora é “{text}”");
    let tag = first.start_tag_source().unwrap_or("<a>");
    let values = [("count", found.len().into()), ("text", text_of_first.as_str().into())];
    let fix = FixDraft::template(FixTarget::Body, format!("{tag}{{{{DESCRIPTION}}}}</a>"))
        .from(NOW, &[("text", text_of_first.as_str().into())]);
    problem(SAYS_NOTHING, &values, fix).on(found.iter().map(|(_, link)| link)).fail()
}

/// Whether a link is a control by its role: it opens something here, and its target is for those without scripts.
fn is_control(link: Element<'_>) -> bool {
    link.attribute("role").is_some_and(|role| role.trim().eq_ignore_ascii_case("button"))
}

fn generic_links<'h>(html: &'h Html, page_language: &str) -> Result<Vec<(String, Element<'h>)>, NotMeasured> {
    let mut found = Vec::new();
    let mut any_language = false;
    let page = html.url.as_str().split('#').next().unwrap_or_default();
    // Of one link after the other.
    let mut shown = String::new();
    for anchor in &html.anchors {
        let Some(link) = html.element(anchor.node) else { continue };
        let target = anchor.url().map_or("", url::Url::as_str);
        let same_page = || target.strip_prefix(page).is_some_and(|rest| rest.is_empty() || rest.starts_with('#'));
        let is_passed_over = anchor.nofollow
            || anchor.reach == Reach::Other
            || is_control(link)
            || same_page()
            || shown_texts(link).map(|run| trimmed(run).len()).sum::<usize>() > MOST_GENERIC;
        shown.clear();
        if !is_passed_over {
            collapse_into(shown_texts(link), &mut shown);
        }
        // Vowel signs at the end of a word are no letters to Unicode.
        let is_sign = |c: char| !c.is_alphanumeric() && !matches!(c, '\u{900}'..='\u{dff}');
        let plain = shown.trim_matches(is_sign);
        // Nearly every text is none of them, which its first letter and its length tell.
        let may_be = !is_passed_over && (!plain.is_ascii() || OF_ANY_LANGUAGE.may_contain_ignoring_case(plain));
        let plain = if may_be { plain.to_lowercase() } else { String::new() };
        let may_be_generic = OF_ANY_LANGUAGE.contains(&plain);
        // One link in a language of the list is enough to know that there are any.
        if !may_be_generic && any_language {
            continue;
        }
        let Some(list) = language(link, page_language).and_then(|lang| BY_LANGUAGE.get(lang.as_str())) else {
            continue;
        };
        any_language = true;
        if may_be_generic && list.contains(plain.as_str()) && !has_label(link) {
            found.push((shown.clone(), link));
        }
    }
    if any_language { Ok(found) } else { Err(NotMeasured::Language) }
}
