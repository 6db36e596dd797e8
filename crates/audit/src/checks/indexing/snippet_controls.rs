//! What a page lets search results show of it: text, images, previews.

use super::robots_meta::{Mender, decide, decide_by, shared_fix};
use crate::check::prelude::*;
use crate::facts::document::Namespace;
use crate::facts::robots_directives::{Directive, for_google};
use crate::facts::robots_tag::{is_article, wants_large_preview};
use crate::fix::HeadKey;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "snippet-controls",
    category: Category::Indexing,
    landing: Landing {
        title: text("Snippet and image preview checker", "Verificador de trechos e prévias de imagem"),
        h1: text("What may search show of my page?", "O que a busca pode mostrar da minha página?"),
        description: text(
            "Check nosnippet, max-snippet, max-image-preview, noimageindex and data-nosnippet: what results and AI answers may quote.",
            "Verifique nosnippet, max-snippet, max-image-preview, noimageindex e data-nosnippet: o que resultados e respostas de IA podem citar.",
        ),
        lead: text(
            "A few directives decide how much of a page its search result shows, and whether AI answers may quote it. This tool reads them from tags, headers and markup and says what they cost.",
            "Algumas diretivas decidem quanto da página o resultado de busca mostra e se as respostas de IA podem citá-la. Esta ferramenta as lê em tags, cabeçalhos e marcação e diz o que elas custam.",
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
    title: text("Page asks for no snippet", "A página pede para não ter trecho"),
    why: text(
        "Results show the bare title, and the page is left out of AI answers in Search.",
        "Os resultados mostram só o título, e a página fica fora das respostas de IA da Busca.",
    ),
    how: text(
        "Remove nosnippet, or allow a length with max-snippet.",
        "Remova nosnippet, ou permita um tamanho com max-snippet.",
    ),
    reference: SPEC,
    rule: text(
        "Fails when a tag or header says `nosnippet` or `max-snippet:0` to everyone or to Googlebot, on a page that may be indexed.",
        "Falha quando uma tag ou cabeçalho diz `nosnippet` ou `max-snippet:0` a todos ou ao Googlebot, em uma página que pode ser indexada.",
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
        "Google Discover shows an article's picture large only where the page allows it.",
        "O Google Discover só mostra grande a imagem de um artigo onde a página permite.",
    ),
    how: text(
        "Add `max-image-preview:large` to the robots meta tag.",
        "Acrescente `max-image-preview:large` à meta tag robots.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/google-discover",
    rule: text(
        "Fails on an indexable page that is an article (its main thing in structured data has the type `Article` or one below it; or `og:type`, `article:published_time`, the class that a common system gives the body of a single post, or one dated entry with the class `post` or `h-entry` says so), when no `max-image-preview` for everyone or for Googlebot says `large`. A smaller value that the page states is its owner's choice, and gets an instruction instead of a change.",
        "Falha em uma página indexável que é um artigo (o assunto principal dos dados estruturados é do tipo `Article` ou de um abaixo dele; ou `og:type`, `article:published_time`, a classe que um sistema comum dá ao body de um único post ou um único item datado com a classe `post` ou `h-entry` diz isso), quando nenhum `max-image-preview` para todos ou para o Googlebot diz `large`. Um valor menor declarado é escolha do dono, e recebe uma instrução em vez de mudança.",
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
    title: text("Images of the page are kept out of search", "As imagens da página ficam fora da busca"),
    why: text(
        "Pictures on this page can't be found by image search, nor shown with its result.",
        "As imagens desta página não podem ser encontradas na busca de imagens nem aparecer junto ao resultado.",
    ),
    how: text(
        "Remove noimageindex if the pictures should be found.",
        "Remova noimageindex se as imagens devem ser encontradas.",
    ),
    reference: SPEC,
    rule: text(
        "Fails when a tag or header says `noimageindex` to everyone or to Googlebot, on an indexable page with at least one `img`.",
        "Falha quando uma tag ou cabeçalho diz `noimageindex` a todos ou ao Googlebot, em uma página indexável com ao menos um `img`.",
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
    title: text("data-nosnippet where it is ignored", "data-nosnippet onde é ignorado"),
    why: text(
        "Google reads the attribute on span, div and section only: text that should not be quoted may be.",
        "O Google só lê o atributo em span, div e section: um texto que não deveria ser citado pode ser.",
    ),
    how: text(
        "Wrap the text in a `div`, `section` or `span` with `data-nosnippet`.",
        "Envolva o texto em um `div`, `section` ou `span` com `data-nosnippet`.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag#data-nosnippet-attr",
    rule: text(
        "Fails on `data-nosnippet` on an element other than `span`, `div` or `section`, unless such an element with the attribute contains it.",
        "Falha com `data-nosnippet` em um elemento que não é `span`, `div` ou `section`, a não ser que um desses com o atributo o contenha.",
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
    const NONE: Text = text("The page allows no snippet ({directive}).", "A página não permite trecho ({directive}).");
    let name = found.first().map(|directive| directive.name.clone()).unwrap_or_default();
    decide(facts, &found, NONE, &[("directive", name.into())])
}

fn preview(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    facts.indexable()?;
    if !is_article(facts) {
        return Err(NotMeasured::Absent);
    }
    let stated: Vec<&Directive> =
        facts.directives().iter().filter(|d| for_google(d) && d.name == "max-image-preview").collect();
    let is_large = |d: &&Directive| d.value.as_deref().is_some_and(|value| value.eq_ignore_ascii_case("large"));
    if !stated.is_empty() && stated.iter().all(is_large) {
        return PASS;
    }
    if !wants_large_preview(facts) {
        const SMALLER: Text =
            text("The page states max-image-preview:{value}.", "A página declara max-image-preview:{value}.");
        let value = stated.iter().find(|d| !is_large(d)).and_then(|d| d.value.clone()).unwrap_or_default();
        const LARGER: Text = text(
            "If large previews are fine with you, write max-image-preview:large; else leave {directive} as it is.",
            "Se prévias grandes servem para você, escreva max-image-preview:large; se não, deixe {directive} como está.",
        );
        return decide_by(facts, &stated, SMALLER, &[("value", value.into())], LARGER);
    }
    const NOTHING: Text = text(
        "The page is an article and states no max-image-preview.",
        "A página é um artigo e não declara max-image-preview.",
    );
    const ADDED: Text = text(
        "the page's robots tag, and the rule for large previews",
        "a tag robots da página e a regra das prévias grandes",
    );
    const ONLY: Text = text("the rule for large previews", "a regra das prévias grandes");
    let fix = match shared_fix(facts, Mender::Preview, ADDED) {
        Some(fix) => fix,
        None if html.metas_named("robots").next().is_none() => {
            let tag = "<meta name=\"robots\" content=\"max-image-preview:large\">";
            FixDraft::head(HeadKey::Name("robots".to_owned()), tag).from(ONLY, &[])
        }
        None => {
            const ADD: Text = text(
                "Add max-image-preview:large to a robots meta tag.",
                "Acrescente max-image-preview:large a uma meta tag robots.",
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
        "The page says noimageindex; it has {count} {count|image|images}.",
        "A página diz noimageindex; ela tem {count} {count|imagem|imagens}.",
    );
    const IMAGES: Text = text(
        "Remove {directive} only if the page's images are meant to be found.",
        "Remova {directive} só se as imagens da página devem ser encontradas.",
    );
    decide_by(facts, &found, KEPT, &[("count", html.images.len().into())], IMAGES)
}

fn element(facts: &Facts<'_>) -> Verdict {
    /// The attribute, as every author writes it: looked for in the source first, since few pages have it.
    const NAME: &str = "data-nosnippet";
    let html = facts.page()?;
    if !html.document.source().contains(NAME) {
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
        "data-nosnippet is ignored on <{name}>; in all on {count} {count|element|elements}.",
        "data-nosnippet é ignorado em <{name}>; ao todo em {count} {count|elemento|elementos}.",
    );
    const WRAP: Text = text(
        "Put what should not be quoted into a div, section or span with data-nosnippet.",
        "Ponha o que não deve ser citado dentro de um div, section ou span com data-nosnippet.",
    );
    let values = [("name", first.name().into()), ("count", bad.len().into())];
    let fix = FixDraft::instruction(FixTarget::Body, WRAP, &[]);
    problem(IGNORED, &values, fix).on(bad).fail()
}
