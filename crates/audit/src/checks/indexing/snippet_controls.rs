//! What a page lets search results show of it: text, images, previews.

use super::robots_meta::shared_tag::{Mender, shared_fix};
use super::robots_meta::{decide, shown};
use crate::check::prelude::*;
use crate::facts::document::Namespace;
use crate::facts::robots_directives::{Directive, for_google};
use crate::facts::robots_tag::{is_article, wants_large_preview};
use crate::facts::source_marks::SourceMark;
use crate::fix::HeadKey;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "snippet-controls",
    category: Category::Indexing,
    landing: Landing {
        title: text("Snippet and image preview checker", "Verificador de trechos e prévias de imagem"),
        h1: text("What may search results show of my page?", "O que a busca pode mostrar da minha página?"),
        description: text(
            "Check nosnippet, max-snippet, max-image-preview, noimageindex and data-nosnippet: what search results and AI answers may quote.",
            "Verifique nosnippet, max-snippet, max-image-preview, noimageindex e data-nosnippet: o que a busca e as respostas de IA podem citar.",
        ),
        lead: text(
            "A few directives decide how much of a page search results show, and whether AI answers may quote it. This tool reads them from tags, headers and markup and explains their effect.",
            "Algumas diretivas decidem quanto da página os resultados de busca mostram e se as respostas de IA podem citá-la. Esta ferramenta as lê em tags, cabeçalhos e marcação e explica o efeito delas.",
        ),
        example: include_str!("snippet_controls/bad_nosnippet.html"),
    },
    checks: &[NOSNIPPET, PREVIEW, NOIMAGEINDEX, ELEMENT],
};

const SPEC: &str = "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag#directives";

const NOSNIPPET: Check = Check {
    code: "nosnippet_set",
    severity: Severity::Warn,
    impact: Impact::RichResult,
    title: text("Page forbids snippets", "Página proíbe trechos nos resultados"),
    why: text(
        "Search results show only the title, and AI answers in Google Search leave the page out.",
        "Os resultados de busca mostram só o título, e as respostas de IA da Busca do Google deixam a página de fora.",
    ),
    how: text(
        "If search results may quote the page, remove nosnippet or set a length with max-snippet. Otherwise, leave it.",
        "Se a busca pode citar a página, remova nosnippet ou defina um tamanho com max-snippet. Caso contrário, deixe como está.",
    ),
    reference: SPEC,
    rule: text(
        "Fails when a tag or header sets `nosnippet` or `max-snippet:0` for everyone or for Googlebot, on an indexable page.",
        "Falha quando uma tag ou cabeçalho define `nosnippet` ou `max-snippet:0` para todos ou para o Googlebot, em uma página indexável.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: FIRST,
    run: nosnippet,
};

const PREVIEW: Check = Check {
    code: "max_image_preview_not_large",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Article without large image previews", "Artigo sem prévias grandes de imagem"),
    why: text(
        "Google Discover shows a large image of an article only if the page allows it.",
        "O Google Discover só mostra a imagem grande de um artigo se a página permite.",
    ),
    how: text(
        "Add `max-image-preview:large` to the robots meta tag.",
        "Adicione `max-image-preview:large` à meta tag robots.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/google-discover",
    rule: text(
        "Fails when an indexable page is an article and no `max-image-preview` for everyone or for Googlebot is `large`. A page is an article when the main entity of its structured data has the type `Article` or a subtype; or when `og:type`, `article:published_time`, the body class of a single post in a common CMS, or a single dated entry with the class `post` or `h-entry` marks it as one. A smaller declared value is the owner's choice, so its fix is an instruction instead of a change.",
        "Falha quando uma página indexável é um artigo e nenhum `max-image-preview` para todos ou para o Googlebot é `large`. Uma página é um artigo quando a entidade principal dos dados estruturados tem o tipo `Article` ou um subtipo; ou quando `og:type`, `article:published_time`, a classe do body de um único post em um CMS comum, ou um único item datado com a classe `post` ou `h-entry` a marca como tal. Um valor menor declarado é escolha do dono; por isso, a correção é uma instrução, e não uma mudança.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: |facts| facts.unless_unread(preview(facts)),
};

const NOIMAGEINDEX: Check = Check {
    code: "noimageindex_set",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Images excluded from image search", "Imagens fora da busca de imagens"),
    why: text(
        "Image search can't find the images on this page, and search results can't show them.",
        "A busca de imagens não encontra as imagens desta página, e os resultados não podem mostrá-las.",
    ),
    how: text(
        "If the images should appear in search, remove noimageindex. Otherwise, leave it.",
        "Se as imagens devem aparecer na busca, remova noimageindex. Caso contrário, deixe como está.",
    ),
    reference: SPEC,
    rule: text(
        "Fails when a tag or header sets `noimageindex` for everyone or for Googlebot, on an indexable page with at least one `img`.",
        "Falha quando uma tag ou cabeçalho define `noimageindex` para todos ou para o Googlebot, em uma página indexável com ao menos um `img`.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: WHOLE,
    run: noimageindex,
};

const ELEMENT: Check = Check {
    code: "data_nosnippet_invalid_element",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("data-nosnippet on an unsupported element", "data-nosnippet em elemento sem suporte"),
    why: text(
        "Google reads the attribute only on span, div and section. On other elements, search results may quote the text anyway.",
        "O Google só lê o atributo em span, div e section. Em outros elementos, os resultados podem citar o texto mesmo assim.",
    ),
    how: text(
        "Wrap the text in a `div`, `section` or `span` with `data-nosnippet`.",
        "Envolva o texto em um `div`, `section` ou `span` com `data-nosnippet`.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag#data-nosnippet-attr",
    rule: text(
        "Fails when an element other than `span`, `div` or `section` has `data-nosnippet`, unless it is inside one of these with the attribute.",
        "Falha quando um elemento que não é `span`, `div` nem `section` tem `data-nosnippet`, a não ser que esteja dentro de um desses com o atributo.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Body),
    since: WHOLE,
    run: element,
};

fn nosnippet(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    facts.indexable()?;
    let none = |d: &Directive| d.name == "nosnippet" || d.name == "max-snippet" && d.value.as_deref() == Some("0");
    let found: Vec<&Directive> = facts.directives().iter().filter(|d| for_google(d) && none(d)).collect();
    const NONE: Text = text(
        "The page forbids search snippets with {directive}.",
        "A página proíbe trechos nos resultados de busca com {directive}.",
    );
    const IF_QUOTED: Text = text(
        "If search results and AI answers may quote the page, remove {directive}. Otherwise, leave it.",
        "Se a busca e as respostas de IA podem citar a página, remova {directive}. Caso contrário, deixe como está.",
    );
    let directive = found.first().map(|directive| shown(directive)).unwrap_or_default();
    decide(facts, &found, NONE, &[("directive", directive.into())], IF_QUOTED)
}

fn preview(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    facts.indexable()?;
    let stated: Vec<&Directive> =
        facts.directives().iter().filter(|d| for_google(d) && d.name == "max-image-preview").collect();
    let is_large = |d: &&Directive| d.value.as_deref().is_some_and(|value| value.eq_ignore_ascii_case("large"));
    let passes = !stated.is_empty() && stated.iter().all(is_large);
    // Where nobody is told what was measured, a pass is a pass, article or not.
    if passes && html.document.lacks_places() {
        return PASS;
    }
    if !is_article(facts) {
        return Err(NotMeasured::Absent);
    }
    if passes {
        return PASS;
    }
    if !wants_large_preview(facts) {
        const SMALLER: Text = text(
            "The page is an article, but limits image previews with max-image-preview:{value}.",
            "A página é um artigo, mas limita as prévias de imagem com max-image-preview:{value}.",
        );
        let value = stated.iter().find(|d| !is_large(d)).and_then(|d| d.value.clone()).unwrap_or_default();
        const LARGER: Text = text(
            "If large image previews are fine with you, set max-image-preview:large. Otherwise, leave {directive} as it is.",
            "Se você aceita prévias grandes de imagem, defina max-image-preview:large. Caso contrário, deixe {directive} como está.",
        );
        return decide(facts, &stated, SMALLER, &[("value", value.into())], LARGER);
    }
    const NOTHING: Text = text(
        "The page is an article without max-image-preview, so search results show only small images of it.",
        "A página é um artigo sem max-image-preview, e a busca só mostra imagens pequenas dela.",
    );
    const ADDED: Text = text(
        "the page's robots tag with max-image-preview:large",
        "a tag robots da página com max-image-preview:large",
    );
    const ONLY: Text = text("the directive for large previews", "a diretiva de prévias grandes");
    let fix = match shared_fix(facts, Mender::Preview, ADDED) {
        Some(fix) => fix,
        None if html.metas_named("robots").next().is_none() => {
            let tag = "<meta name=\"robots\" content=\"max-image-preview:large\">";
            FixDraft::head(HeadKey::Name("robots".to_owned()), tag).from(ONLY, &[])
        }
        None => {
            const ADD: Text = text(
                "Add max-image-preview:large to a robots meta tag.",
                "Adicione max-image-preview:large a uma meta tag robots.",
            );
            FixDraft::instruction(FixTarget::Head, ADD, &[])
        }
    };
    problem(NOTHING, &[], fix).on(html.metas_named("robots").filter_map(|meta| html.element(meta.node))).fail()
}

fn noimageindex(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    facts.indexable()?;
    if html.images.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let found: Vec<&Directive> =
        facts.directives().iter().filter(|d| for_google(d) && d.name == "noimageindex").collect();
    const KEPT: Text = text(
        "noimageindex keeps {count|the only image|all {count} images} on the page out of image search.",
        "noimageindex deixa {count|a única imagem|as {count} imagens} da página fora da busca de imagens.",
    );
    const IMAGES: Text = text(
        "If the page's images should appear in search, remove {directive}. Otherwise, leave it.",
        "Se as imagens da página devem aparecer na busca, remova {directive}. Caso contrário, deixe como está.",
    );
    decide(facts, &found, KEPT, &[("count", html.images.len().into())], IMAGES)
}

fn element(facts: &Facts<'_>) -> Verdict {
    const NAME: &str = "data-nosnippet";
    let html = facts.page()?;
    // Few pages have it.
    if html.lacks(SourceMark::NoSnippet) {
        return Err(NotMeasured::Absent);
    }
    let is_read = |element: &Element<'_>| {
        element.namespace() == Namespace::Html && matches!(element.name(), "span" | "div" | "section")
    };
    let marked: Vec<Element<'_>> = html.document.elements().filter(|element| element.has(NAME)).collect();
    if marked.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let mut bad: Vec<Element<'_>> = Vec::new();
    let mut covered_to = 0;
    for element in marked {
        let Some(span) = element.source_span() else { continue };
        if is_read(&element) {
            covered_to = covered_to.max(span.end);
        } else if span.start >= covered_to {
            bad.push(element);
        }
    }
    let Some(first) = bad.first() else { return PASS };
    const IGNORED: Text = text(
        "{count|An element has|{count} elements have} data-nosnippet where Google ignores it{count|: <{name}>|; the first is <{name}>}.",
        "{count|Um elemento tem|{count} elementos têm} data-nosnippet onde o Google o ignora{count|: <{name}>|; o primeiro é <{name}>}.",
    );
    const WRAP: Text = text(
        "Put the text that search results must not quote in a div, section or span with data-nosnippet.",
        "Coloque o texto que a busca não deve citar em um div, section ou span com data-nosnippet.",
    );
    let values = [("name", first.name().into()), ("count", bad.len().into())];
    let fix = FixDraft::instruction(FixTarget::Body, WRAP, &[]);
    problem(IGNORED, &values, fix).on(bad).fail()
}
